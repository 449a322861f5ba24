/* SPDX-License-Identifier: Apache-2.0 */
/* The commands zram and zsmalloc; argv[0] is the command's name, the result the exit status. */
#ifndef REFAULT_CLI_CMD_ZRAM_H
#define REFAULT_CLI_CMD_ZRAM_H

int cmd_zsmalloc(int argc, char **argv);
int cmd_zram(int argc, char **argv);

#endif
