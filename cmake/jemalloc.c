/* SPDX-License-Identifier: Apache-2.0 */
/* Options of jemalloc for the programs that are linked with it; MALLOC_CONF in the environment
 * goes over them. */
#include <jemalloc/jemalloc.h>

/* Heaps ask for huge pages. The arrays of a machine are written once over their whole length, and a
 * sweep makes one machine after another: page by page that is hundreds of faults each, which take
 * longest where threads share an address space or the host is itself a virtual machine. */
const char *malloc_conf = "thp:always";
