/* SPDX-License-Identifier: Apache-2.0 */
/* Options of jemalloc for the programs that are linked with it; MALLOC_CONF in the environment
 * goes over them. */
#include <jemalloc/jemalloc.h>

/*
 * thp: the heap asks for huge pages. A machine's arrays are written over their whole length when it
 * is made, and a sweep makes one after another: page by page that is hundreds of faults each, which
 * cost most where threads share the address space or the computer is itself a virtual machine.
 * narenas: one heap for all threads, so that each makes its machines from what another's gave back.
 * Machines take memory when they are made, hardly while they run: threads do not wait for it.
 */
const char *malloc_conf = "thp:always,narenas:1";
