/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A new multi-pack-index takes the place of the old one. A single one is written into its lock file;
 * a layer into a file of its own, and its name into the lock of the chain. What is replaced is
 * removed last, so that a reader finds one or the other at any moment.
 */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "pack/bitmap-write-internal.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

struct midx_update {
	struct packs *packs;
	struct midx_write_options options;
	struct lockfile lock;	 /* of the single file, or of the chain */
	struct tempfile *layer;	 /* incremental */
	char *layer_dir;
	struct midx_content content;
	struct midx *old;	 /* what is there, with its packs; NULL: nothing */
	struct midx *now;	 /* what was written */
	struct object_id checksum;
	bool is_current;
	struct strset unused; /* packs that go */
};

/* ---- writing ---- */

void midx_attach_packs(struct midx *m, struct packs *packs)
{
	struct pack_set *set = packs_set(packs);

	for (size_t i = 0; i < set->nr; i++) {
		char *name = xstrfmt("%s.idx", strrchr(set->all[i]->base, '/') + 1);

		midx_attach(m, name, set->all[i]);
		free(name);
	}
}

bool midx_is_chain(const struct midx *m)
{
	return m && strstr(m->path, "/multi-pack-index.d/");
}

static int take_lock(struct midx_update *u, struct err *err)
{
	char *path;
	int rc;

	if (u->options.incremental)
		path = xstrfmt("%s/multi-pack-index-chain", u->layer_dir);
	else
		path = xstrfmt("%s/multi-pack-index", u->packs->dir);
	rc = lockfile_hold(&u->lock, path, LOCK_MAKE_DIRS, 0, err);
	free(path);
	return rc;
}

/* P5: such files are made only by who holds the lock, so these are from somebody who was killed. */
static void remove_abandoned(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		char *path;

		if (!starts_with(de->d_name, MIDX_TMP_PREFIX))
			continue;
		path = xstrfmt("%s/%s", dir, de->d_name);
		if (remove_file(path, NULL) < 0) {
			/* it only takes space */
		}
		free(path);
	}
	if (d)
		closedir(d);
}

static bool is_whole(const struct midx *m)
{
	struct object_id sum;

	for (; m; m = m->base) {
		hash_buf(m->algo, m->map.p, m->map.len - m->algo->raw_len, &sum);
		if (memcmp(sum.hash, midx_checksum(m), m->algo->raw_len))
			return false;
	}
	return true;
}

/* A damaged one is replaced. What a new layer is to rest on is looked at closely. */
static void open_old(struct midx_update *u)
{
	if (midx_open_dir(&u->old, u->packs->dir, u->packs->opts.algo, NULL) < 0)
		u->old = NULL;
	if (u->old && u->options.incremental && !is_whole(u->old)) {
		packs_warn(u->packs, "ignoring existing multi-pack-index; checksum mismatch");
		midx_free(u->old);
		u->old = NULL;
	}
	if (u->old)
		midx_attach_packs(u->old, u->packs);
}

/* Byte by byte: the checksum of a damaged one can still be there. */
static bool same_as_old(const struct midx_update *u)
{
	return u->old && !u->options.incremental && !midx_is_chain(u->old) &&
	       u->old->map.len == u->now->map.len &&
	       !memcmp(u->old->map.p, u->now->map.p, u->now->map.len);
}

static int write_content(struct midx_update *u, struct err *err)
{
	struct tempfile *to = u->lock.tf;
	int rc;

	if (u->options.incremental) {
		rc = tempfile_create_in(&u->layer, u->layer_dir, MIDX_TMP_PREFIX, 0444, err);
		if (rc < 0)
			return rc;
		to = u->layer;
	}
	rc = midx_content_write(&u->content, to->fd, to->path, &u->checksum, err);
	if (!rc)
		rc = midx_open(&u->now, to->path, u->packs->opts.algo, err);
	if (rc < 0)
		return rc;
	midx_attach_packs(u->now, u->packs);
	u->is_current = same_as_old(u);
	if (u->options.incremental && u->old) {
		u->now->base = u->old;
		u->now->first = u->old->first + u->old->nr;
	}
	return 0;
}

static int begin(struct midx_update *u, struct err *err)
{
	struct midx_write_options o = u->options;
	int rc;

	packs_reprepare(u->packs);
	rc = take_lock(u, err);
	if (rc < 0)
		return rc;
	remove_abandoned(o.incremental ? u->layer_dir : u->packs->dir);
	open_old(u);
	if (o.drop_unused) {
		rc = u->old ? midx_find_unused(u->old, &u->unused, err) : 0;
		if (rc < 0 || !u->unused.map.nr) {
			u->is_current = true;
			return rc;
		}
		o.except = &u->unused;
	}
	rc = midx_content_select(&u->content, u->packs, o.incremental ? u->old : NULL, &o, err);
	/* All packs are in some layer already. */
	if (rc == ERR_NOT_FOUND && u->options.incremental && u->old && !u->options.only) {
		err_release(err);
		u->is_current = true;
		return 0;
	}
	return rc < 0 ? rc : write_content(u, err);
}

int midx_update_begin(struct midx_update **out, struct packs *packs,
		      const struct midx_write_options *o, struct err *err)
{
	struct err why = ERR_INIT;
	struct midx_update *u;
	int rc;

	CALLOC_ARRAY(u, 1);
	u->packs = packs;
	u->options = *o;
	u->lock = (struct lockfile)LOCKFILE_INIT;
	u->layer_dir = xstrfmt("%s/multi-pack-index.d", packs->dir);
	rc = begin(u, &why);
	if (rc < 0) {
		midx_update_free(u);
		err_move(err, &why);
	} else {
		*out = u;
	}
	err_release(&why);
	return rc;
}

void midx_update_free(struct midx_update *u)
{
	if (!u)
		return;
	if (u->now && u->now->base)
		u->old = NULL; /* it is freed with the layers above */
	midx_free(u->now);
	midx_free(u->old);
	midx_content_release(&u->content);
	strset_clear(&u->unused);
	if (u->layer)
		tempfile_delete(&u->layer);
	lockfile_release(&u->lock);
	free(u->layer_dir);
	free(u);
}

/* ---- bitmaps ---- */

bool midx_update_is_current(const struct midx_update *u)
{
	return u->is_current;
}

/* The place of a file that goes with an index of that checksum. Caller frees. */
static char *companion(const struct midx_update *u, bool layer, const struct object_id *sum,
		       const char *extension)
{
	return xstrfmt("%s/multi-pack-index-%s.%s", layer ? u->layer_dir : u->packs->dir,
		       oid_hex(sum), extension);
}

bool midx_update_has_bitmap(const struct midx_update *u)
{
	const struct midx *m = u->now ? u->now : u->old;
	struct object_id sum;
	char *path;
	bool has;

	oid_from_raw(&sum, midx_checksum(m), m->algo);
	path = companion(u, u->options.incremental, &sum, "bitmap");
	has = file_exists(path);
	free(path);
	return has;
}

int midx_update_target(struct bitmap_target **out, struct midx_update *u, struct err *err)
{
	const struct midx *m = u->now ? u->now : u->old;
	struct bitmap_index *lower = NULL;
	int rc = 0;

	if (m->base)
		rc = bitmap_index_open_midx(&lower, m->base, err);
	if (rc < 0) {
		if (rc == ERR_NOT_FOUND)
			err_reword(err, "the multi-pack-index below has no bitmaps");
		return rc;
	}
	*out = bitmap_target_of_midx(m, lower);
	if (*out)
		return 0;
	return err_set(err, ERR_NOT_FOUND, "multi-pack-index '%s' has no order of bits", m->path);
}

/* ---- staging ---- */

static int stage_unlink(struct fsync_batch *b, const char *path, enum publish_class order, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_PACK_METADATA, .order = order,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };

	return fsync_batch_stage(b, &s, err);
}

/* A copy of a file for the directory of layers; one that is not there is passed over. */
static int stage_copy(struct midx_update *u, const char *from, const char *to,
		      struct fsync_batch *b, struct err *err)
{
	struct mapped_file map = MAPPED_FILE_INIT;
	struct tempfile *t = NULL;
	int rc = mapped_file_open(&map, from, NULL);

	if (rc < 0)
		return rc == ERR_NOT_FOUND ? 0 : err_set(err, rc, "cannot read '%s'", from);
	rc = tempfile_create_in(&t, u->layer_dir, MIDX_TMP_PREFIX, 0444, err);
	if (!rc)
		rc = write_in_full(t->fd, map.p, map.len, t->path, err);
	if (!rc && u->options.shared_perm)
		rc = apply_shared_perm(t->path, u->options.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&t, b, FSYNC_PACK_METADATA, PUBLISH_DERIVED, to, true, err);
	else if (t)
		tempfile_delete(&t);
	mapped_file_release(&map);
	return rc;
}

/* A single index becomes the lowest layer: copied, and removed when the chain is there. */
static int stage_migration(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	static const char *const extensions[] = { "bitmap", "midx" };
	struct object_id sum;
	int rc = 0;

	oid_from_raw(&sum, midx_checksum(u->old), u->old->algo);
	for (size_t i = 0; i < ARRAY_SIZE(extensions) && !rc; i++) {
		bool is_midx = !strcmp(extensions[i], "midx");
		char *from = is_midx ? xstrdup(u->old->path) : companion(u, false, &sum, extensions[i]);
		char *to = companion(u, true, &sum, extensions[i]);

		rc = stage_copy(u, from, to, b, err);
		free(from);
		free(to);
	}
	return rc;
}

static void add_chain_lines(struct strbuf *out, const struct midx *m)
{
	struct object_id sum;

	if (m->base)
		add_chain_lines(out, m->base);
	oid_from_raw(&sum, midx_checksum(m), m->algo);
	strbuf_addf(out, "%s\n", oid_hex(&sum));
}

static int stage_layer(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = companion(u, true, &u->checksum, "midx");
	int rc = 0;

	if (u->old && !midx_is_chain(u->old))
		rc = stage_migration(u, b, err);
	if (!rc && u->options.shared_perm)
		rc = apply_shared_perm(u->layer->path, u->options.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&u->layer, b, FSYNC_PACK_METADATA, PUBLISH_DERIVED, path, true, err);
	add_chain_lines(&text, u->now);
	if (!rc)
		rc = write_in_full(u->lock.tf->fd, text.buf, text.len, u->lock.tf->path, err);
	strbuf_release(&text);
	free(path);
	return rc;
}

/* Is that name in `dir` one of a file that belongs to an index which is there afterwards? */
static bool is_wanted(const struct midx_update *u, const char *name, bool layer)
{
	const struct midx *m = u->now ? u->now : u->old;
	const struct hash_algo *algo = u->packs->opts.algo;
	struct object_id sum;
	const char *hex;
	size_t len = strlen(name);

	if (!skip_prefix(name, "multi-pack-index-", &hex) || oid_parse_hex(&sum, hex, algo, NULL) < 0)
		return true; /* none of ours */
	if (layer != u->options.incremental)
		return false;
	if (!layer && strip_suffix(name, ".bitmap", &len) && !u->options.bitmap)
		return false;
	for (; m; m = m->base)
		if (!memcmp(midx_checksum(m), sum.hash, algo->raw_len))
			return true;
	return false;
}

static int stage_leftovers(struct midx_update *u, const char *dir, bool layer, struct fsync_batch *b,
			   struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0 : err_set_errno(err, "cannot open '%s'", dir);
	while (!rc && (de = readdir(d))) {
		char *path;

		if (is_wanted(u, de->d_name, layer))
			continue;
		path = xstrfmt("%s/%s", dir, de->d_name);
		rc = stage_unlink(b, path, PUBLISH_DERIVED, err);
		free(path);
	}
	closedir(d);
	return rc;
}

/* The index of the other kind, and files of what was there before. */
static int stage_cleaning(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	char *other = u->options.incremental ? xstrfmt("%s/multi-pack-index", u->packs->dir) :
					       xstrfmt("%s/multi-pack-index-chain", u->layer_dir);
	int rc = 0;

	if (file_exists(other))
		rc = stage_unlink(b, other, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_leftovers(u, u->packs->dir, false, b, err);
	if (!rc)
		rc = stage_leftovers(u, u->layer_dir, true, b, err);
	free(other);
	return rc;
}

int midx_update_stage(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	int rc = 0;

	if (u->is_current)
		return u->options.incremental || u->options.drop_unused ? 0 : stage_cleaning(u, b, err);
	if (u->options.incremental)
		rc = stage_layer(u, b, err);
	if (!rc && u->options.shared_perm)
		rc = apply_shared_perm(u->lock.tf->path, u->options.shared_perm, err);
	if (!rc)
		rc = lockfile_stage(&u->lock, b, FSYNC_PACK_METADATA, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_cleaning(u, b, err);
	if (rc < 0 || !u->unused.map.nr)
		return rc;
	return packs_removal_stage(packs_removal_new(u->packs), &u->unused, b, err);
}

/* ---- removing it ---- */

static int stage_files_of(const char *dir, const char *prefix, struct fsync_batch *b, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d))) {
		char *path = xstrfmt("%s/%s", dir, e->d_name);

		if (starts_with(e->d_name, prefix))
			rc = stage_unlink(b, path, PUBLISH_DERIVED, err);
		free(path);
	}
	if (d)
		closedir(d);
	return rc;
}

int midx_stage_clearing(struct packs *packs, struct fsync_batch *b, struct err *err)
{
	char *midx = xstrfmt("%s/multi-pack-index", packs->dir);
	char *chain = xstrfmt("%s/multi-pack-index.d", packs->dir);
	char *chain_file = xstrfmt("%s/multi-pack-index-chain", chain);
	int rc = 0;

	/* The index before its companions, the chain before its layers. */
	if (file_exists(midx))
		rc = stage_unlink(b, midx, PUBLISH_DERIVED, err);
	if (!rc && file_exists(chain_file))
		rc = stage_unlink(b, chain_file, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_files_of(packs->dir, "multi-pack-index-", b, err);
	if (!rc)
		rc = stage_files_of(chain, "multi-pack-index-", b, err);
	free(midx);
	free(chain);
	free(chain_file);
	return rc;
}

bool midx_names_any(struct packs *packs, const struct strset *names)
{
	const struct midx *m = packs_set(packs)->midx;

	for (; m; m = m->base)
		for (uint32_t i = 0; i < m->nr_packs; i++)
			if (strset_contains(names, m->pack_names[i]))
				return true;
	return false;
}
