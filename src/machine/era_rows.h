/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the era table, which era.c puts in order. */
#ifndef MACHINE_ERA_ROWS_H
#define MACHINE_ERA_ROWS_H

#include "refault/config.h"

extern const struct kernel_era era_5_4, era_5_10, era_6_1, era_6_5, era_6_8, era_6_12, era_6_13,
    era_6_18;

#endif
