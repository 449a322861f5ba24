/* SPDX-License-Identifier: Apache-2.0 */
/* The program's version; the build gives it, from CMakeLists.txt. */
#ifndef SIM_VERSION_H
#define SIM_VERSION_H

#ifndef REFAULT_VERSION
#define REFAULT_VERSION "0.1.0"
#endif

#endif
