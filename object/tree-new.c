/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/tree-new.h"
#include "util/bytes.h"

/* Compared by one call of memcmp. */
#define BLOCK_BYTES 128

static size_t common_length(const unsigned char *a, const unsigned char *b, size_t len)
{
	size_t i = 0;

	while (len - i >= BLOCK_BYTES && !memcmp(a + i, b + i, BLOCK_BYTES))
		i += BLOCK_BYTES;
	for (; len - i >= 8; i += 8) {
		uint64_t differ = get_be64(a + i) ^ get_be64(b + i);

		if (differ)
			return i + (size_t)__builtin_clzll(differ) / 8;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* Both are at the beginning of an entry, or at the end. */
static void measure_same(struct tree_new_iter *n)
{
	size_t left = (size_t)(n->it.end - n->it.pos), old_left = (size_t)(n->old.end - n->old.pos);

	n->same_end = n->it.pos + common_length(n->it.pos, n->old.pos,
						left < old_left ? left : old_left);
	if (n->same_end == n->it.end && left == old_left)
		n->it.pos = n->it.end;
}

void tree_new_iter_init(struct tree_new_iter *n, const void *buf, size_t size, const void *old,
			size_t old_size, const struct hash_algo *algo)
{
	tree_iter_init(&n->it, buf, size, algo);
	tree_iter_init(&n->old, old ? old : buf, old ? old_size : 0, algo);
	measure_same(n);
}

/* Past the entries that are complete within the stretch. */
static void skip_same(struct tree_new_iter *n)
{
	size_t raw = n->it.algo->raw_len;
	const unsigned char *nul;

	while (n->it.pos < n->same_end) {
		nul = memchr(n->it.pos, 0, (size_t)(n->same_end - n->it.pos));
		if (!nul || (size_t)(n->same_end - nul) < raw + 1)
			break;
		n->old.pos += nul + 1 + raw - n->it.pos;
		n->it.pos = nul + 1 + raw;
	}
}

/* Pass what stands before e in the other tree, and e itself. Has it the same e? */
static bool pass_old(struct tree_new_iter *n, const struct raw_tree_entry *e)
{
	const unsigned char *before = n->old.pos;
	struct raw_tree_entry o;

	for (; tree_iter_next_raw(&n->old, &o, NULL) > 0; before = n->old.pos) {
		int cmp = tree_entry_cmp(o.name, o.name_len, o.raw_mode, e->name, e->name_len,
					 e->raw_mode);

		if (!cmp)
			return o.raw_mode == e->raw_mode &&
			       !memcmp(o.oid, e->oid, n->it.algo->raw_len);
		if (cmp > 0)
			break;
	}
	n->old.pos = before;
	return false;
}

int tree_new_iter_next(struct tree_new_iter *n, struct raw_tree_entry *out, struct err *err)
{
	bool is_old;
	int rc;

	do {
		skip_same(n);
		rc = tree_iter_next_raw(&n->it, out, err);
		if (rc <= 0)
			return rc;
		is_old = pass_old(n, out);
		measure_same(n);
	} while (is_old);
	return 1;
}
