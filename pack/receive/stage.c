/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that stay: index and reverse index, .keep and .promisor; and checking those there are. */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/path.h"
#include "write-or-die.h"

/* ---- tables ---- */

static struct idx_entry *list_entries(const struct pack_receive *rx)
{
	struct idx_entry *v;

	ALLOC_ARRAY(v, (size_t)rx->nr + 1);
	for (uint32_t i = 0; i < rx->nr; i++) {
		const struct rx_entry *e = rx_entry(rx, rx->order[i]);

		rx_oid(rx, rx->order[i], &v[i].oid);
		v[i].offset = e->offset;
		v[i].crc = e->crc;
	}
	return v;
}

struct staging {
	struct pack_receive *rx; /* NULL: the tables have been written */
	struct pack_receive_files *files;
	const struct object_id *sum;
	struct fsync_batch *batch;
	const struct pack_receive_names *names;
	struct idx_entry *entries;
};

/* The path of a file: as it is given, or pack-HASH.EXT. Caller frees. */
static char *final_path(const struct staging *s, const char *given, const char *ext)
{
	if (given)
		return xstrdup(given);
	return xstrfmt("%s/pack-%s.%s", s->names->packdir, oid_hex(s->sum), ext);
}

/* Where temporary files are made: beside the copy of the pack, or where they will be. */
static char *work_dir(const struct staging *s, const char *path)
{
	struct strbuf dir = STRBUF_INIT;

	if (s->rx->objdir)
		return xstrdup(s->rx->dir);
	path_dirname(&dir, path);
	return strbuf_detach(&dir, NULL);
}

static int stage_file(struct staging *s, struct tempfile **t, const char *path,
		      enum fsync_component component, enum publish_class order, struct err *err)
{
	int rc = 0;

	if (s->names->shared_perm)
		rc = apply_shared_perm((*t)->path, s->names->shared_perm, err);
	if (!rc)
		return tempfile_stage(t, s->batch, component, order, path, true, err);
	tempfile_delete(t);
	return rc;
}

static int write_idx(struct staging *s, struct tempfile *t, struct err *err)
{
	struct idx_format f = { s->names->idx_version, s->names->idx_wide_from };

	return idx_write_as(t->fd, t->path, s->rx->o.algo, s->entries, s->rx->nr, s->sum, &f, err);
}

static int write_rev(struct staging *s, struct tempfile *t, struct err *err)
{
	return rev_write(t->fd, t->path, s->rx->o.algo, s->entries, s->rx->nr, s->sum, err);
}

typedef int (*table_fn)(struct staging *s, struct tempfile *t, struct err *err);

static int make_table(struct staging *s, struct tempfile **out, const char *path, const char *ext, table_fn write, struct err *err)
{
	char *dir = work_dir(s, path), *prefix = xstrfmt("tmp_%s_", ext);
	int rc = tempfile_create_in(out, dir, prefix, 0444, err);

	if (!rc)
		rc = write(s, *out, err);
	free(prefix);
	free(dir);
	return rc;
}

static int stage_table(struct staging *s, struct tempfile **table, const char *given, const char *ext, table_fn write,
		       enum publish_class order, struct err *err)
{
	char *path = final_path(s, given, ext);
	int rc = s->rx ? make_table(s, table, path, ext, write, err) : 0;

	if (!rc)
		rc = stage_file(s, table, path, FSYNC_PACK_METADATA, order, err);
	free(path);
	return rc;
}

int pack_receive_write_tables(struct pack_receive *rx, const struct pack_receive_files *f,
			      const struct pack_receive_names *n, struct err *err)
{
	struct staging s = { .rx = rx, .sum = &rx->sum, .names = n, .entries = list_entries(rx) };
	int rc = f->rev ? write_rev(&s, f->rev, err) : 0;

	if (!rc)
		rc = write_idx(&s, f->idx, err);
	free(s.entries);
	return rc;
}

/* ---- .keep and .promisor ---- */

static void marker_done(void *data, bool published)
{
	struct tempfile *t = data;

	if (published)
		tempfile_forget(&t);
	else
		tempfile_delete(&t);
}

int pack_marker_stage(struct fsync_batch *b, const char *path, const char *msg, int shared_perm, bool *made, struct err *err)
{
	struct fsync_staging st = {
		.component = FSYNC_PACK_METADATA, .order = PUBLISH_PACK_DATA, .how = PUBLISH_IN_PLACE,
		.final_path = path, .done = marker_done,
	};
	struct err why = ERR_INIT;
	struct tempfile *t = NULL;
	int rc = make_leading_dirs(path, shared_perm, &why);

	if (!rc)
		rc = tempfile_create(&t, path, 0600, &why);
	*made = !rc;
	if (rc == ERR_EXISTS)
		rc = 0;
	if (t && *msg)
		rc = write_in_full(t->fd, msg, strlen(msg), path, &why);
	if (t && !rc && *msg)
		rc = write_in_full(t->fd, "\n", 1, path, &why);
	if (t && !rc && shared_perm)
		rc = apply_shared_perm(path, shared_perm, &why);
	if (t && !rc) {
		struct strbuf dir = STRBUF_INIT;

		path_dirname(&dir, path);
		fsync_batch_note_dir(b, FSYNC_PACK_METADATA, dir.buf);
		strbuf_release(&dir);
		st.fd = tempfile_release_fd(t);
		st.data = t;
		rc = fsync_batch_stage(b, &st, &why);
	} else {
		tempfile_delete(&t);
	}
	/* That a marker exists is no failure, and must not hide one that follows. */
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int stage_marker(struct staging *s, const char *given, const char *ext, const char *msg,
			bool *made, struct err *err)
{
	char *path = final_path(s, given, ext);
	int rc = pack_marker_stage(s->batch, path, msg, s->names->shared_perm, made, err);

	free(path);
	return rc;
}

/* ---- all of them ---- */

static int stage_pack(struct staging *s, struct err *err)
{
	char *path;
	int rc;

	if (!s->files->pack)
		return 0;
	path = final_path(s, s->names->pack, "pack");
	rc = stage_file(s, &s->files->pack, path, FSYNC_PACK, PUBLISH_PACK_DATA, err);
	if (!rc && ends_with(path, ".pack"))
		rc = pack_stage_uncruft(path, s->batch, err);
	free(path);
	return rc;
}

static int stage_all(struct staging *s, bool *kept, struct err *err)
{
	const struct pack_receive_names *n = s->names;
	bool made = false, keep = false;
	/*
	 * D3: the .idx makes the pack visible, so it is published after all that it needs
	 * (t0101: index-pack, a pack is whole before its idx).
	 */
	int rc = stage_pack(s, err);

	if (!rc && n->write_rev)
		rc = stage_table(s, &s->files->rev, n->rev, "rev", write_rev, PUBLISH_PACK_DATA, err);
	if (!rc && n->keep_msg)
		rc = stage_marker(s, n->keep, "keep", n->keep_msg, &keep, err);
	if (!rc && n->promisor_msg)
		rc = stage_marker(s, n->promisor, "promisor", n->promisor_msg, &made, err);
	if (!rc)
		rc = stage_table(s, &s->files->idx, n->idx, "idx", write_idx, PUBLISH_PACK_IDX, err);
	if (!rc && kept)
		*kept = keep;
	return rc;
}

int pack_receive_stage(struct pack_receive *rx, struct fsync_batch *b,
		       const struct pack_receive_names *n, bool *kept, struct err *err)
{
	struct pack_receive_files f = { .pack = rx->tmp };
	struct staging s = { rx, &f, &rx->sum, b, n, list_entries(rx) };
	int rc = stage_all(&s, kept, err);

	rx->tmp = f.pack;
	tempfile_delete(&f.idx);
	tempfile_delete(&f.rev);
	free(s.entries);
	return rc;
}

int pack_receive_stage_files(struct pack_receive_files *f, const struct object_id *sum, struct fsync_batch *b,
			     const struct pack_receive_names *n, bool *kept, struct err *err)
{
	struct staging s = { .files = f, .sum = sum, .batch = b, .names = n };

	return stage_all(&s, kept, err);
}

/* ---- those there are ---- */

static int differs(const char *path, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "sha1 file '%s' validation error", path);
}

static bool has_own_checksum(const struct pack_receive *rx, const struct mapped_file *m)
{
	struct object_id sum;

	hash_buf(rx->o.algo, m->p, m->len - rx->raw_len, &sum);
	return !memcmp(sum.hash, m->p + m->len - rx->raw_len, rx->raw_len);
}

static bool is_index_of(const struct pack_receive *rx, const struct pack_idx *x)
{
	if (x->nr != rx->nr || memcmp(x->pack_sum, rx->sum.hash, rx->raw_len) ||
	    !has_own_checksum(rx, &x->map))
		return false;
	for (uint32_t i = 0; i < rx->nr; i++) {
		const struct rx_entry *e = rx_entry(rx, rx->order[i]);

		if (memcmp(idx_name(x, i), rx_name(rx, rx->order[i]), rx->raw_len) ||
		    idx_offset(x, i) != e->offset || (x->crc && idx_crc(x, i) != e->crc))
			return false;
	}
	return true;
}

int pack_receive_verify_idx(struct pack_receive *rx, const char *path, struct err *err)
{
	struct pack_idx x;
	int rc = idx_open(&x, path, rx->o.algo, err);

	if (rc < 0)
		return rc;
	if (!is_index_of(rx, &x))
		rc = differs(path, err);
	idx_release(&x);
	return rc;
}

/* Positions by offset must be the inverse of our order by name. */
static bool is_reverse_of(const struct pack_receive *rx, const struct mapped_file *m)
{
	const unsigned char *at = m->p + REV_HEADER_BYTES;

	if (!has_own_checksum(rx, m))
		return false;
	for (uint32_t i = 0; i < rx->nr; i++) {
		uint32_t pos = get_be32(at + (size_t)i * 4);

		if (pos >= rx->nr || rx->order[pos] != i)
			return false;
	}
	return true;
}

int pack_receive_verify_rev(struct pack_receive *rx, const char *path, struct err *err)
{
	struct mapped_file m = MAPPED_FILE_INIT;
	int rc = mapped_file_open(&m, path, err);

	if (rc < 0)
		return rc;
	rc = rev_check_header(&m, rx->o.algo, rx->nr, rx->sum.hash, path, err);
	if (!rc && !is_reverse_of(rx, &m))
		rc = differs(path, err);
	mapped_file_release(&m);
	return rc;
}
