/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An index file: its entries are in order, and can be searched and written again. A split one is merged with a
 * shared one of our own; trees of sparse directories are made of the bytes of their ids.
 */
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

/* ---- the parts that a file only names ---- */

#define NR_SHARED 70

static void make_shared(struct index_state *base, const struct hash_algo *algo)
{
	index_init(base, algo);
	for (int i = 0; i < NR_SHARED; i++) {
		char name[8];
		int len = snprintf(name, sizeof(name), "f%02d", i);

		if (index_add(base, index_entry_new(base, 0100644, &algo->empty_blob, name, (size_t)len, 0),
			      INDEX_ADD_APPEND, 0, NULL) < 0)
			abort();
	}
}

/* A file, and perhaps a directory with another id; no tree is deeper than its first byte says. */
static int read_made_tree(void *data, const struct object_id *oid, struct object_buf *out, struct err *err)
{
	struct strbuf tree = STRBUF_INIT;
	struct object_id below = *oid;

	if (oid->hash[0] > 200)
		return err_set(err, ERR_NOT_FOUND, "no such tree");
	tree_append(&tree, 0100644, oid->hash[1] == 1 ? ".git" : "a", oid->hash[1] == 1 ? 4 : 1, oid);
	if (oid->hash[0] % 8) {
		below.hash[0]--;
		tree_append(&tree, 040000, "b", 1, &below);
		tree_append(&tree, 040000, "c", 1, &below);
	}
	memset(out, 0, sizeof(*out));
	out->type = OBJ_TREE;
	out->size = tree.len;
	out->data = strbuf_detach(&tree, NULL);
	(void)data;
	return 0;
}

/* 0, or an error: the file cannot be used. */
static int add_parts(struct index_state *ix, const struct hash_algo *algo)
{
	const struct object_source src = { .read = read_made_tree, .algo = algo };
	struct index_state base;
	int rc = 0;

	if (ix->link_ext) {
		if (ix->link_ext->len < algo->raw_len)
			return ERR_CORRUPT;
		make_shared(&base, algo);
		rc = index_merge_base(ix, &base, "input", NULL);
		index_release(&base);
	}
	if (!rc && ix->sparse_dirs)
		rc = index_expand_sparse_dirs(ix, &src, "input", NULL);
	return rc;
}

static void try_as(const uint8_t *data, size_t size, const struct hash_algo *algo)
{
	/* without a valid checksum the parser would not be reached */
	uint8_t *copy = xmalloc(size + HASH_MAX_RAW);
	struct index_state ix;

	memcpy(copy, data, size);
	memset(copy + size, 0, algo->raw_len);
	index_init(&ix, algo);
	if (!index_parse(&ix, copy, size + algo->raw_len, "input", NULL) && !add_parts(&ix, algo)) {
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
