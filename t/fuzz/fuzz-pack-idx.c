/* SPDX-License-Identifier: GPL-2.0-only */
/* An .idx file, and all look-ups in it. */
#include "compat/posix.h"
#include "pack/pack-internal.h"
#include "t/fuzz/fuzz.h"

static void ask(const struct pack_idx *idx, const unsigned char *name)
{
	struct oid_array found = OID_ARRAY_INIT;
	struct name_table t = idx_names(idx);
	uint32_t pos;

	if (idx_find(idx, name, &pos) && pos >= idx->nr)
		abort();
	name_table_prefix(&t, name, 4, idx->algo, &found);
	if (name_table_unique_len(&t, name) > idx->algo->hex_len)
		abort();
	oid_array_clear(&found);
}

static void try_as(const uint8_t *data, size_t size, const struct hash_algo *algo)
{
	unsigned char name[HASH_MAX_RAW];
	struct pack_idx idx;

	if (idx_parse(&idx, data, size, "input", algo, NULL) < 0)
		return;
	for (int i = 0; i < 256; i++) {
		memset(name, i, sizeof(name));
		ask(&idx, name);
	}
	for (uint32_t i = 0; i < idx.nr; i++) {
		memcpy(name, idx_name(&idx, i), algo->raw_len);
		ask(&idx, name);
		idx_offset(&idx, i);
		if (idx.crc)
			idx_crc(&idx, i);
	}
	free(idx_order_by_offset(&idx));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_as(data, size, hash_sha1);
	try_as(data, size, hash_sha256);
	return 0;
}
