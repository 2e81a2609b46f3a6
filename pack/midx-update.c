/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces a multi-pack-index. A single index is written into its lock file. A layer is written
 * into its own file, and its name into the lock file of the chain. Replaced files are removed last,
 * so that a reader finds the old or the new index at any moment.
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
	struct midx *old;	 /* the present index, with its packs; NULL: none */
	struct midx *base;	 /* the layer of `old` that the new one builds on; NULL: none */
	struct midx_range range; /* the layers of `old` that are combined */
	struct oid_array above;	 /* the layers above them, the highest first */
	struct midx *now;	 /* the new index; its base belongs to `old` */
	struct object_id checksum;
	bool is_current;
	struct strset unused; /* packs that are removed */
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

/* P5: only the holder of the lock makes such files, so these are left by a killed process. */
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

/* A damaged index is replaced. A layer that stays below a new one, or is combined, is verified. */
static int open_old(struct midx_update *u, struct err *err)
{
	const struct midx_write_options *o = &u->options;
	struct err why = ERR_INIT;
	int rc = midx_open_dir(&u->old, u->packs->dir, u->packs->opts.algo, &why);

	if (rc < 0)
		u->old = NULL;
	if (u->old && (o->incremental || o->from) && !midx_is_whole(u->old)) {
		if (o->from)
			return err_set(err, ERR_CORRUPT, "the multi-pack-index is damaged: checksum mismatch");
		packs_warn(u->packs, "ignoring existing multi-pack-index; checksum mismatch");
		midx_free(u->old);
		u->old = NULL;
	}
	if (u->old)
		midx_attach_packs(u->old, u->packs);
	if (o->from && rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	else
		rc = 0;
	err_release(&why);
	return rc;
}

/* ---- the place of a new layer ---- */

static struct object_id sum_of(const struct midx *m)
{
	struct object_id sum;

	oid_from_raw(&sum, midx_checksum(m), m->algo);
	return sum;
}

static int find_base(struct midx_update *u, struct midx *top, struct err *err)
{
	const char *wanted = u->options.base;

	u->base = top;
	if (!wanted)
		return 0;
	u->base = strcmp(wanted, "none") ? midx_find_layer(top, wanted) : NULL;
	if (!u->base && strcmp(wanted, "none"))
		return err_set(err, ERR_NOT_FOUND, "could not find base MIDX '%s'", wanted);
	return 0;
}

/* Layers above the combined ones stay, if they build on the same objects. */
static int find_range(struct midx_update *u, struct err *err)
{
	const struct midx_write_options *o = &u->options;
	struct midx *below, *top;
	int rc = midx_range_find(&u->range, u->old, o->from, o->to, err);

	if (rc < 0)
		return rc;
	below = u->range.v[0]->base;
	top = u->old;
	for (; top != u->range.v[u->range.nr - 1]; top = top->base) {
		struct object_id sum = sum_of(top);

		oid_array_append(&u->above, &sum);
	}
	rc = find_base(u, below, err);
	if (!rc && o->incremental && !o->no_chain && u->base != below)
		rc = err_set(err, ERR_INVALID, "with another base than the layer below, the chain cannot be written");
	if (!o->incremental)
		u->base = NULL;
	return rc;
}

static int find_place(struct midx_update *u, struct err *err)
{
	if (u->options.from)
		return find_range(u, err);
	return u->options.incremental ? find_base(u, u->old, err) : 0;
}

/* Does it have the same objects as before, so that the layers above still fit? */
static int check_range(const struct midx_update *u, struct err *err)
{
	if (!u->range.nr || !u->options.incremental || u->options.no_chain ||
	    u->content.nr == u->range.nr_objects)
		return 0;
	return err_set(err, ERR_CORRUPT, "layers of the multi-pack-index repeat objects, or lack some");
}

/* Compares all bytes: a damaged index can still hold the right checksum. */
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
	if (u->options.incremental && u->base) {
		u->now->base = u->base;
		u->now->first = u->base->first + u->base->nr;
	}
	return 0;
}

static int select_content(struct midx_update *u, const struct midx_write_options *o, struct err *err)
{
	const struct midx_selection s = {
		.base = o->incremental ? u->base : NULL,
		.taken = !o->incremental ? NULL : o->only ? u->base : u->old,
		.range = u->range.nr ? &u->range : NULL,
	};
	int rc = midx_content_select(&u->content, u->packs, &s, o, err);

	/* All packs are in some layer already. */
	if (rc == ERR_NOT_FOUND && o->incremental && u->old && (!o->only || o->no_chain)) {
		err_release(err);
		u->is_current = true;
		return 0;
	}
	if (!rc)
		rc = check_range(u, err);
	return rc < 0 ? rc : write_content(u, err);
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
	rc = open_old(u, err);
	if (!rc)
		rc = find_place(u, err);
	if (rc < 0)
		return rc;
	if (o.drop_unused) {
		rc = u->old ? midx_find_unused(u->old, &u->unused, err) : 0;
		if (rc < 0 || !u->unused.map.nr) {
			u->is_current = true;
			return rc;
		}
		o.except = &u->unused;
	}
	return select_content(u, &o, err);
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

const struct object_id *midx_update_new(const struct midx_update *u)
{
	return u->is_current ? NULL : &u->checksum;
}

void midx_update_free(struct midx_update *u)
{
	if (!u)
		return;
	if (u->now)
		u->now->base = NULL;
	midx_free(u->now);
	midx_free(u->old);
	midx_range_release(&u->range);
	oid_array_clear(&u->above);
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

/* Path of a file that belongs to an index with that checksum. The caller frees it. */
static char *companion(const struct midx_update *u, bool layer, const struct object_id *sum,
		       const char *extension)
{
	return xstrfmt("%s/multi-pack-index-%s.%s", layer ? u->layer_dir : u->packs->dir,
		       oid_hex(sum), extension);
}

bool midx_update_has_bitmap(const struct midx_update *u)
{
	struct object_id sum = sum_of(u->now ? u->now : u->old);
	char *path;
	bool has;

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

/* Copies a file to the directory of layers; a missing file is skipped. */
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

/* Makes a single index the lowest layer: it is copied, and removed once the chain is published. */
static int stage_migration(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	static const char *const extensions[] = { "bitmap", "midx" };
	struct object_id sum = sum_of(u->old);
	int rc = 0;

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

static void add_layers(struct oid_array *out, const struct midx *m)
{
	struct object_id sum;

	if (m->base)
		add_layers(out, m->base);
	sum = sum_of(m);
	oid_array_append(out, &sum);
}

/* Lists the layers of the new chain, the lowest first. */
static void list_layers(const struct midx_update *u, struct oid_array *out)
{
	add_layers(out, u->now ? u->now : u->old);
	for (size_t i = u->options.incremental ? u->above.nr : 0; i--;)
		oid_array_append(out, &u->above.oid[i]);
}

static int write_chain(struct midx_update *u, struct err *err)
{
	struct oid_array layers = OID_ARRAY_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc;

	list_layers(u, &layers);
	for (size_t i = 0; i < layers.nr; i++)
		strbuf_addf(&text, "%s\n", oid_hex(&layers.oid[i]));
	rc = write_in_full(u->lock.tf->fd, text.buf, text.len, u->lock.tf->path, err);
	strbuf_release(&text);
	oid_array_clear(&layers);
	return rc;
}

static int stage_layer(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	char *path = companion(u, true, &u->checksum, "midx");
	int rc = 0;

	if (u->base && !midx_is_chain(u->base))
		rc = stage_migration(u, b, err);
	if (!rc && u->options.shared_perm)
		rc = apply_shared_perm(u->layer->path, u->options.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&u->layer, b, FSYNC_PACK_METADATA, PUBLISH_DERIVED, path, true, err);
	if (!rc && !u->options.no_chain)
		rc = write_chain(u, err);
	free(path);
	return rc;
}

/* Bitmaps of layers above one that has none cannot be used, and stock Git fails over them. */
static bool lost_its_base(const struct midx_update *u, const struct object_id *sum)
{
	if (!u->range.nr || u->options.bitmap)
		return false;
	for (size_t i = 0; i < u->above.nr; i++)
		if (oid_eq(sum, &u->above.oid[i]))
			return true;
	return false;
}

/* Is that name in `dir` a file of an index that stays? */
static bool is_bitmap_wanted(const struct midx_update *u, const struct oidset *layers, const char *name, bool layer)
{
	struct object_id sum;
	const char *hex;
	size_t len = strlen(name);

	if (!skip_prefix(name, "multi-pack-index-", &hex) ||
	    oid_parse_hex(&sum, hex, u->packs->opts.algo, NULL) < 0)
		return true; /* no file of an index */
	if (layer != u->options.incremental)
		return false;
	if (strip_suffix(name, ".bitmap", &len) && (layer ? lost_its_base(u, &sum) : !u->options.bitmap))
		return false;
	return oidset_contains(layers, &sum);
}

static int stage_leftovers(struct midx_update *u, const struct oidset *layers, const char *dir, bool layer,
			   struct fsync_batch *b, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0 : err_set_errno(err, "cannot open '%s'", dir);
	while (!rc && (de = readdir(d))) {
		char *path;

		if (is_bitmap_wanted(u, layers, de->d_name, layer))
			continue;
		path = xstrfmt("%s/%s", dir, de->d_name);
		rc = midx_stage_unlink(b, path, err);
		free(path);
	}
	closedir(d);
	return rc;
}

/* Stages the removal of the other kind of index, and of replaced files. */
static int stage_cleaning(struct midx_update *u, struct fsync_batch *b, struct err *err)
{
	char *other = u->options.incremental ? xstrfmt("%s/multi-pack-index", u->packs->dir) :
					       xstrfmt("%s/multi-pack-index-chain", u->layer_dir);
	struct oid_array layers = OID_ARRAY_INIT;
	struct oidset wanted = OIDSET_INIT;
	int rc = 0;

	list_layers(u, &layers);
	for (size_t i = 0; i < layers.nr; i++)
		(void)oidset_insert(&wanted, &layers.oid[i]);
	if (file_exists(other))
		rc = midx_stage_unlink(b, other, err);
	if (!rc)
		rc = stage_leftovers(u, &wanted, u->packs->dir, false, b, err);
	if (!rc)
		rc = stage_leftovers(u, &wanted, u->layer_dir, true, b, err);
	oidset_clear(&wanted);
	oid_array_clear(&layers);
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
	if (rc < 0 || u->options.no_chain)
		return rc;
	if (u->options.shared_perm)
		rc = apply_shared_perm(u->lock.tf->path, u->options.shared_perm, err);
	if (!rc)
		rc = lockfile_stage(&u->lock, b, FSYNC_PACK_METADATA, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_cleaning(u, b, err);
	if (rc < 0 || !u->unused.map.nr)
		return rc;
	return packs_removal_stage(packs_removal_new(u->packs), &u->unused, b, err);
}
