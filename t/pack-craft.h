/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs made by hand, valid or not, for tests of code that receives them. */
#ifndef T_PACK_CRAFT_H
#define T_PACK_CRAFT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "pack/bitmap-write.h"
#include "util/err.h"
#include "util/strbuf.h"

struct craft {
	const struct hash_algo *algo;
	struct strbuf out;
	uint32_t nr;
	uint64_t *offsets; /* of the entries so far */
	size_t alloc;
};
void craft_init(struct craft *c, const struct hash_algo *algo);
void craft_release(struct craft *c);
/* The header of an entry that states `size`, whatever follows; `type` may be any of 0 to 7. */
void craft_header(struct craft *c, unsigned type, uint64_t size);
void craft_distance(struct craft *c, uint64_t distance);
void craft_deflated(struct craft *c, const void *p, size_t len);
/* Whole entries. */
void craft_object(struct craft *c, enum object_type type, const void *p, size_t len);
void craft_ofs_delta(struct craft *c, uint32_t base, const struct strbuf *delta);
void craft_ref_delta(struct craft *c, const struct object_id *base, const struct strbuf *delta);
/* Count and checksum. */
void craft_end(struct craft *c);
/* The same with another count in the header. */
void craft_end_as(struct craft *c, uint32_t count);

/* ---- deltas ---- */
void delta_begin(struct strbuf *d, uint64_t base_size, uint64_t size);
void delta_copy(struct strbuf *d, uint32_t from, uint32_t len);
void delta_insert(struct strbuf *d, const char *text, size_t len);
/* A delta of a base of base_size bytes: all of it, then `text`. */
void delta_extend(struct strbuf *d, size_t base_size, const char *text);

/* ---- bitmaps ---- */
/* The target of a .bitmap for a pack that is there, as if it were being written now. Release it before the pack. */
struct craft_target {
	struct bitmap_target *target;
	struct idx_entry *entries;
};
MUST_USE int craft_target_init(struct craft_target *t, struct pack *p, struct err *err);
void craft_target_release(struct craft_target *t);

#endif
