/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Split indexes: gitformat-index(5), "Split index". The index file holds changes to a shared one,
 * $GIT_DIR/sharedindex.HASH, which never changes. Both are merged when they are read. What we
 * write is a whole index; the shared file stays for others, and Git removes it when it is old.
 *
 * Nothing in either is trusted: bitmaps are checked against the number of shared entries, and the
 * order of the result is checked as that of any other index.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "index/index-internal.h"
#include "pack/ewah.h"
#include "util/alloc.h"

struct split {
	struct index_state *ix; /* entries: replacements, then added ones */
	struct index_state *base;
	const char *path;
	struct bitset deleted, replaced;
	size_t nr_replaced;
	struct err *err;
};

static int bad_link(const struct split *s, const char *why)
{
	return err_set(s->err, ERR_CORRUPT, "index file corrupt: '%s': link extension: %s", s->path, why);
}

static int take_bitmap(struct split *s, struct bitset *out, const unsigned char **p, size_t *len)
{
	struct ewah e;
	size_t used;

	if (ewah_parse(&e, *p, *len, s->base->nr, &used, NULL) < 0)
		return bad_link(s, "malformed bitmap");
	ewah_or_into(out, &e);
	*p += used;
	*len -= used;
	return 0;
}

/* No bitmaps at all: nothing is deleted or replaced. */
static int take_bitmaps(struct split *s)
{
	const size_t raw_len = s->ix->algo->raw_len;
	const unsigned char *p = (const unsigned char *)s->ix->link_ext->buf + raw_len;
	size_t len = s->ix->link_ext->len - raw_len;
	int rc = 0;

	if (!len)
		return 0;
	rc = take_bitmap(s, &s->deleted, &p, &len);
	if (!rc)
		rc = take_bitmap(s, &s->replaced, &p, &len);
	return rc || !len ? rc : bad_link(s, "garbage at its end");
}

/* The n-th replaced entry gets all but its name from the n-th entry of the index file. */
static int replace_entries(struct split *s)
{
	for (size_t i = 0; bitset_next(&s->replaced, &i); i++) {
		struct index_entry *to = s->base->entries[i], *from;

		if (s->nr_replaced == s->ix->nr)
			return bad_link(s, "too many replaced entries");
		from = s->ix->entries[s->nr_replaced++];
		if (from->name_len && (from->name_len != to->name_len || strcmp(from->name, to->name) != 0))
			return bad_link(s, "a replaced entry has another name");
		to->stat = from->stat;
		to->mode = from->mode;
		to->flags = from->flags;
		to->stage = from->stage;
		to->oid = from->oid;
	}
	return 0;
}

/* Both sorted; of two entries for the same name and stage, the added one counts. */
static int merge_entries(struct split *s)
{
	struct index_state *ix = s->ix, *base = s->base;
	size_t a = 0, b = s->nr_replaced, nr = 0, max = st_add(base->nr, ix->nr - s->nr_replaced);
	struct index_entry **all;

	ALLOC_ARRAY(all, max + !max);
	while (a < base->nr || b < ix->nr) {
		struct index_entry *old = a < base->nr ? base->entries[a] : NULL, *new = b < ix->nr ? ix->entries[b] : NULL;
		int cmp = !old ? 1 : !new ? -1 : index_name_cmp(old->name, old->name_len, old->stage,
								 new->name, new->name_len, new->stage);

		if (cmp >= 0)
			all[nr++] = new;
		else if (!bitset_has(&s->deleted, a))
			all[nr++] = old;
		a += cmp <= 0;
		b += cmp >= 0;
	}
	free(ix->entries);
	ix->entries = all;
	ix->nr = nr;
	ix->alloc = max;
	index_arena_adopt(ix, base);
	ix->sparse_dirs |= base->sparse_dirs;
	return index_check_order(ix, s->path, s->err);
}

int index_merge_base(struct index_state *ix, struct index_state *base, const char *path, struct err *err)
{
	struct split s = { .ix = ix, .base = base, .path = path, .err = err };
	int rc = take_bitmaps(&s);

	if (!rc)
		rc = replace_entries(&s);
	if (!rc)
		rc = merge_entries(&s);
	bitset_release(&s.deleted);
	bitset_release(&s.replaced);
	return rc;
}

static int read_base(struct index_state *base, const char *path, const struct object_id *expected, struct err *err)
{
	int rc = index_read_file(base, path, false, err);

	if (rc)
		return rc;
	if (base->link_ext)
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': a shared index is split itself", path);
	if (!oid_eq(&base->checksum, expected))
		return err_set(err, ERR_CORRUPT, "broken index, expect %s in %s, got %s", oid_hex(expected), path,
			       oid_hex(&base->checksum));
	/* Git removes old ones that no index has used for weeks. */
	(void)!sys->utimens(path, NULL);
	return 0;
}

bool index_is_split(const struct index_state *ix, struct object_id *shared)
{
	if (!ix->link_ext)
		return false;
	oid_from_raw(shared, (const unsigned char *)ix->link_ext->buf, ix->algo);
	return !oid_is_null(shared);
}

int index_read_base(struct index_state *ix, const char *path, const char *gitdir, struct err *err)
{
	struct index_state base;
	struct object_id oid;
	char *base_path;
	int rc;

	if (ix->link_ext->len < ix->algo->raw_len)
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': link extension: too short", path);
	if (!index_is_split(ix, &oid))
		return index_check_order(ix, path, err); /* split, and all of it is here */
	base_path = xstrfmt("%s/sharedindex.%s", gitdir, oid_hex(&oid));
	index_init(&base, ix->algo);
	rc = read_base(&base, base_path, &oid, err);
	if (!rc)
		rc = index_merge_base(ix, &base, path, err);
	index_release(&base);
	free(base_path);
	return rc;
}
