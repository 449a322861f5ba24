/* SPDX-License-Identifier: Apache-2.0 */
/* The words of which a decoded trace consists, and the flags of its mappings; shared by the trace
 * reader and the machine. */
#ifndef REFAULT_TRACE_OPS_H
#define REFAULT_TRACE_OPS_H

#define OP_WRITE 0x80000000u /* store (else load) */
#define OP_CONTENT                                                                                 \
    0x40000000u              /* the next word is the page's new content id. With OP_WRITE: what    \
                                the store leaves behind. Without: the page's content changed by    \
                                stores that were recorded before; not an access */
#define OP_EVENT 0x20000000u /* an event stands here; no other bit is set */
#define OP_ID_BITS 28u
#define OP_ID_MASK ((1u << OP_ID_BITS) - 1)

/* Flags of a mapping. */
#define TMAP_ANON 0x1u
#define TMAP_FILE 0x2u
#define TMAP_WRITE 0x4u
#define TMAP_HUGEPAGE 0x8u /* MADV_HUGEPAGE */
#define TMAP_NOHUGEPAGE 0x10u

#endif
