/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the index file, versions 2 to 4. */
#include "compat/posix.h"
#include "csum-file.h"
#include "index/index-internal.h"
#include "util/alloc.h"

struct writer {
	struct index_state *ix;
	struct csum_file *f;
	unsigned version;
	const struct index_entry *prev; /* version 4: names are relative to its name */
	struct err *err;
};

static bool is_extended(const struct index_entry *e)
{
	return e->flags & (CE_SKIP_WORKTREE | CE_INTENT_TO_ADD);
}

/* Version 3 only where a flag needs it. */
static unsigned choose_version(const struct index_state *ix,
			       const struct index_write_options *o)
{
	unsigned want = o && o->version ? (unsigned)o->version : ix->version;

	if (want == 4)
		return 4;
	for (size_t i = 0; i < ix->nr; i++)
		if (is_extended(ix->entries[i]))
			return 3;
	return 2;
}

bool index_entry_is_doubtful(const struct index_state *ix, const struct index_entry *e)
{
	return !(e->flags & (CE_UPTODATE | CE_INTENT_TO_ADD)) && !MODE_IS_GITLINK(e->mode) &&
	       index_entry_is_racy(ix, e);
}

/*
 * The new file is younger than the old one, so that a changed file whose entry was racy
 * against the old one would be taken for clean. Size 0 makes sure that its content is compared.
 */
static void smudge_racy(struct index_state *ix, struct repository *r)
{
	if (r && r->smudge_racy) {
		r->smudge_racy(r, ix);
		return;
	}
	for (size_t i = 0; i < ix->nr; i++)
		if (index_entry_is_doubtful(ix, ix->entries[i]))
			ix->entries[i]->stat.size = 0;
}

static void store_stat(unsigned char *p, const struct index_entry *e)
{
	const struct stat_data *sd = &e->stat;

	store_be32(p, sd->ctime_sec);
	store_be32(p + 4, sd->ctime_nsec);
	store_be32(p + 8, sd->mtime_sec);
	store_be32(p + 12, sd->mtime_nsec);
	store_be32(p + 16, sd->dev);
	store_be32(p + 20, sd->ino);
	store_be32(p + 24, e->mode);
	store_be32(p + 28, sd->uid);
	store_be32(p + 32, sd->gid);
	store_be32(p + 36, sd->size);
}

static size_t store_flags(unsigned char *p, const struct index_entry *e)
{
	unsigned flags = (unsigned)e->stage << FLAG_STAGE_SHIFT, flags2 = 0;

	flags |= e->name_len < FLAG_NAME_MASK ? e->name_len : FLAG_NAME_MASK;
	if (e->flags & CE_ASSUME_VALID)
		flags |= FLAG_ASSUME_VALID;
	if (e->flags & CE_SKIP_WORKTREE)
		flags2 |= FLAG2_SKIP_WORKTREE;
	if (e->flags & CE_INTENT_TO_ADD)
		flags2 |= FLAG2_INTENT_TO_ADD;
	if (flags2)
		flags |= FLAG_EXTENDED;
	p[0] = (unsigned char)(flags >> 8);
	p[1] = (unsigned char)flags;
	if (!flags2)
		return 2;
	p[2] = (unsigned char)(flags2 >> 8);
	p[3] = (unsigned char)flags2;
	return 4;
}

/* As the offsets of OFS_DELTA in packs. */
static size_t store_varint(unsigned char *p, size_t v)
{
	unsigned char tmp[10];
	size_t at = sizeof(tmp);

	tmp[--at] = v & 127;
	while (v >>= 7)
		tmp[--at] = 128 | (--v & 127);
	memcpy(p, tmp + at, sizeof(tmp) - at);
	return sizeof(tmp) - at;
}

static size_t common_prefix(const struct index_entry *a, const struct index_entry *b)
{
	size_t n = 0;

	while (n < a->name_len && n < b->name_len && a->name[n] == b->name[n])
		n++;
	return n;
}

static int write_name_v4(struct writer *w, unsigned char *head, size_t len,
			 const struct index_entry *e)
{
	size_t keep = w->prev ? common_prefix(w->prev, e) : 0;
	int ret;

	len += store_varint(head + len, w->prev ? w->prev->name_len - keep : 0);
	ret = csum_write(w->f, head, len, w->err);
	if (!ret)
		ret = csum_write(w->f, e->name + keep, e->name_len - keep + 1, w->err);
	w->prev = e;
	return ret;
}

static int write_entry(struct writer *w, const struct index_entry *e)
{
	static const unsigned char zeros[8];
	unsigned char head[ENTRY_FIXED_LEN + HASH_MAX_RAW + 4 + 10];
	size_t raw = w->ix->algo->raw_len, len = ENTRY_FIXED_LEN + raw, padded_len;
	int ret;

	/* No object has the null name: a reader of the entry would fail. */
	if (oid_is_null(&e->oid))
		return err_set(w->err, ERR_INVALID, "cache entry has null sha1: %s", e->name);
	store_stat(head, e);
	memcpy(head + ENTRY_FIXED_LEN, e->oid.hash, raw);
	len += store_flags(head + len, e);
	if (w->version == 4)
		return write_name_v4(w, head, len, e);
	padded_len = (len + e->name_len + 8) & ~(size_t)7;
	ret = csum_write(w->f, head, len, w->err);
	if (!ret)
		ret = csum_write(w->f, e->name, e->name_len, w->err);
	if (!ret)
		ret = csum_write(w->f, zeros, padded_len - len - e->name_len, w->err);
	return ret;
}

static int write_entries(struct writer *w)
{
	struct index_state *ix = w->ix;
	int ret;

	if (ix->nr > UINT32_MAX)
		return err_set(w->err, ERR_TOO_BIG, "too many entries for an index");
	ret = csum_write_be32(w->f, INDEX_SIGNATURE, w->err);
	if (!ret)
		ret = csum_write_be32(w->f, w->version, w->err);
	if (!ret)
		ret = csum_write_be32(w->f, (uint32_t)ix->nr, w->err);
	for (size_t i = 0; i < ix->nr && !ret; i++)
		ret = write_entry(w, ix->entries[i]);
	return ret;
}

static int write_extension(struct writer *w, uint32_t sig, const struct strbuf *data)
{
	int ret;

	if (data->len > UINT32_MAX)
		return err_set(w->err, ERR_TOO_BIG, "too much data for an extension of the index");
	ret = csum_write_be32(w->f, sig, w->err);
	if (!ret)
		ret = csum_write_be32(w->f, (uint32_t)data->len, w->err);
	if (!ret)
		ret = csum_write(w->f, data->buf, data->len, w->err);
	return ret;
}

/*
 * The untracked cache and the file system monitor's bits describe the work
 * tree as another program saw it. We do not update them, so they are not written.
 */
static int write_extensions(struct writer *w)
{
	struct strbuf data = STRBUF_INIT;
	int ret = 0;

	if (w->ix->cache_tree) {
		cache_tree_write(&data, w->ix->cache_tree);
		ret = write_extension(w, EXT_TREE, &data);
	}
	strbuf_reset(&data);
	if (!ret && w->ix->resolve_undo && w->ix->resolve_undo->paths.nr) {
		resolve_undo_write(&data, w->ix->resolve_undo);
		ret = write_extension(w, EXT_REUC, &data);
	}
	strbuf_release(&data);
	return ret;
}

/* From now on entries are compared with the time of the new file. */
static void adopt_file(struct index_state *ix, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	ix->timestamp_sec = (uint32_t)st.st_mtime;
	ix->timestamp_nsec = ST_MTIME_NSEC(st);
	stat_data_fill(&ix->file, &st);
}

int index_write_fd(struct index_state *ix, int fd, const char *what,
		   const struct index_write_options *o, struct err *err)
{
	struct writer w = { .ix = ix, .err = err };
	struct object_id checksum;
	int ret;

	index_remove_marked(ix);
	smudge_racy(ix, o ? o->repo : NULL);
	w.version = choose_version(ix, o);
	w.f = csum_file_new(fd, what, ix->algo, o && o->skip_hash, 0);
	ret = write_entries(&w);
	if (!ret)
		ret = write_extensions(&w);
	if (!ret)
		ret = csum_finish(w.f, &checksum, err);
	csum_file_free(w.f);
	if (ret)
		return ret;
	ix->version = w.version;
	ix->checksum = checksum;
	ix->changed = false;
	adopt_file(ix, fd);
	return 0;
}
