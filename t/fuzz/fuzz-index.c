/* SPDX-License-Identifier: GPL-2.0-only */
/* An index file: its entries are in order, and can be searched and written again. */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "index/index-internal.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"

static void check_entries(const struct index_state *ix)
{
	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (strlen(e->name) != e->name_len || !e->name_len)
			abort();
		if (index_pos(ix, e->name, e->name_len, e->stage) != (ssize_t)i)
			abort();
		index_has_dir(ix, e->name, e->name_len / 2);
		cache_tree_lookup(ix, e->name, e->name_len, NULL, NULL);
	}
}

/* It can be read, but is never written. */
static bool has_null_id(const struct index_state *ix)
{
	for (size_t i = 0; i < ix->nr; i++)
		if (oid_is_null(&ix->entries[i]->oid))
			return true;
	return false;
}

static void write_again(struct index_state *ix, int version)
{
	struct index_write_options o = { .version = version };
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || index_write_fd(ix, fd, "/dev/null", &o, NULL) < 0)
		abort();
	close(fd);
}

static void try_as(const uint8_t *data, size_t size, const struct hash_algo *algo)
{
	/* without a valid checksum the parser would not be reached */
	uint8_t *copy = xmalloc(size + HASH_MAX_RAW);
	struct index_state ix;

	memcpy(copy, data, size);
	memset(copy + size, 0, algo->raw_len);
	index_init(&ix, algo);
	if (!index_parse(&ix, copy, size + algo->raw_len, "input", NULL)) {
		check_entries(&ix);
		if (!has_null_id(&ix)) {
			write_again(&ix, 2);
			write_again(&ix, 4);
		}
		if (ix.nr)
			index_remove_at(&ix, ix.nr / 2);
	}
	index_release(&ix);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_as(data, size, hash_sha1);
	try_as(data, size, hash_sha256);
	return 0;
}
