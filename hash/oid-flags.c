/* SPDX-License-Identifier: GPL-2.0-only */
/* Flags of object ids: linear probing; a slot is the raw id and then its flags. */
#include "compat/posix.h"
#include "compat/os.h"
#include "hash/hash.h"
#include "util/alloc.h"

#define MIN_SLOTS 1024

static size_t stride_of(const struct oid_flags *f)
{
	return f->raw_len + sizeof(uint32_t); /* both lengths are multiples of four */
}

static uint32_t *flags_of(const struct oid_flags *f, unsigned char *slot)
{
	return (uint32_t *)(void *)(slot + f->raw_len);
}

void oid_flags_init(struct oid_flags *f, const struct hash_algo *algo)
{
	f->slots = NULL;
	f->nr = f->mask = 0;
	f->raw_len = (uint32_t)algo->raw_len;
}

void oid_flags_release(struct oid_flags *f)
{
	FREE_AND_NULL(f->slots);
	f->nr = f->mask = 0;
}

/* The id's slot, or the free one where it belongs. */
static unsigned char *oid_flags_probe(const struct oid_flags *f, const unsigned char *raw)
{
	size_t stride = stride_of(f), i = oid_hash_raw(raw, f->raw_len) & f->mask;
	unsigned char *slot = f->slots + i * stride;

	while (*flags_of(f, slot) && memcmp(slot, raw, f->raw_len)) {
		i = (i + 1) & f->mask;
		slot = f->slots + i * stride;
	}
	return slot;
}

static void grow(struct oid_flags *f)
{
	struct oid_flags old = *f;
	size_t stride = stride_of(f), size = old.slots ? st_mult(old.mask + 1, 2) : MIN_SLOTS;

	f->slots = xcalloc(size, stride);
	os_prefer_large_pages(f->slots, size * stride);
	f->mask = size - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		unsigned char *slot = old.slots + i * stride;

		if (*flags_of(f, slot))
			memcpy(oid_flags_probe(f, slot), slot, stride);
	}
	free(old.slots);
}

uint32_t *oid_flags_at(struct oid_flags *f, const unsigned char *raw)
{
	unsigned char *slot;
	uint32_t *flags;

	if (!f->slots || f->nr >= (f->mask + 1) / 3 * 2)
		grow(f);
	slot = oid_flags_probe(f, raw);
	flags = flags_of(f, slot);
	if (!*flags) {
		memcpy(slot, raw, f->raw_len);
		*flags = OID_FLAGS_USED;
		f->nr++;
	}
	return flags;
}

void oid_flags_prefetch(const struct oid_flags *f, const unsigned char *raw)
{
	if (f->slots)
		__builtin_prefetch(f->slots + (oid_hash_raw(raw, f->raw_len) & f->mask) * stride_of(f));
}

uint32_t oid_flags_get(const struct oid_flags *f, const unsigned char *raw)
{
	return f->slots ? *flags_of(f, oid_flags_probe(f, raw)) & ~OID_FLAGS_USED : 0;
}

bool oid_flags_next(const struct oid_flags *f, size_t *iter, const unsigned char **raw,
		    uint32_t *flags)
{
	while (f->slots && *iter <= f->mask) {
		unsigned char *slot = f->slots + (*iter)++ * stride_of(f);

		if (!*flags_of(f, slot))
			continue;
		*raw = slot;
		*flags = *flags_of(f, slot) & ~OID_FLAGS_USED;
		return true;
	}
	return false;
}
