/* SPDX-License-Identifier: Apache-2.0 */
#include "importer.h"

static const struct importer_ops *const importers[] = {&import_text, &import_swtrace};

const struct importer_ops *importer_at(unsigned i) {
    return i < sizeof(importers) / sizeof(importers[0]) ? importers[i] : NULL;
}

const struct importer_ops *importer_find(const char *name) {
    for (unsigned i = 0; importer_at(i); i++)
        if (strcmp(importers[i]->name, name) == 0)
            return importers[i];
    return NULL;
}

const char *import_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
