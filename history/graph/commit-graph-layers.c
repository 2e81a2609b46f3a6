/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a commit-graph: which layers of a chain stay, and how a single file or a chain takes the
 * place of the old one. New files come first, then the file that names them; unused files go last. So a
 * reader finds the old graph or the new one.
 */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "history/graph/commit-graph-write-internal.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

#define TMP_PREFIX "tmp_graph_"

/* A header has one byte for the number of layers below. */
#define BASES_MAX 255

/* ---- which layers stay ---- */

bool graph_layer_is_local(const struct graph_writer *w, const struct graph_layer *l)
{
	const char *rest;

	return skip_prefix(l->path, w->o->objdir, &rest) && strncmp(rest, "/info/", 6) == 0;
}

/* A small layer below a large one makes look-ups slow for nothing. */
static bool swallows(const struct graph_writer *w, const struct graph_layer *l, uint64_t nr)
{
	const struct commit_graph_write_options *o = w->o;

	if (!graph_layer_is_local(w, l))
		return false;
	/* nr * size_multiple could be too large a number */
	return (l->nr + nr - 1) / nr <= o->size_multiple ||
	       (o->max_commits && nr > o->max_commits);
}

static void set_base(struct graph_writer *w, size_t layers)
{
	w->base = *w->old;
	w->base.nr_layers = layers;
	w->base.nr = layers ? w->old->layers[layers - 1]->base + w->old->layers[layers - 1]->nr : 0;
	graph_find_generations(&w->base);
}

void graph_choose_base(struct graph_writer *w)
{
	uint64_t nr = w->commits.nr;
	size_t keep;

	if (!w->old || w->o->split == GRAPH_SINGLE || w->o->split == GRAPH_SPLIT_REPLACE)
		return;
	keep = w->old->nr_layers;
	while (w->o->split == GRAPH_SPLIT && keep && swallows(w, w->old->layers[keep - 1], nr))
		nr += w->old->layers[--keep]->nr;
	if (keep > BASES_MAX)
		keep = BASES_MAX;
	set_base(w, keep);
	if (!w->base.levels)
		set_base(w, 0);
}

/* ---- what goes ---- */

static int stage_unlink(struct fsync_batch *b, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_COMMIT_GRAPH, .order = PUBLISH_FILE_LATE,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };

	return file_exists(path) ? fsync_batch_stage(b, &s, err) : 0;
}

/* Is the file a layer of the graph? Only the lowest `nr` count. */
static bool names_layer(const struct commit_graph *g, size_t nr, const char *path)
{
	struct object_id sum;
	bool same = false;

	for (size_t i = 0; !same && i < nr; i++) {
		char *own;

		graph_layer_checksum(g->layers[i], &sum);
		own = xstrfmt("/graph-%s.graph", oid_hex(&sum));
		same = ends_with(path, own);
		free(own);
	}
	return same;
}

/* What has been in use until now counts as if it had been written now. */
static bool has_expired(const struct graph_writer *w, const char *path, bool was_used)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	struct stat st;

	if (was_used && w->o->expire_before < date_now(NULL)) {
		(void)!sys->utimens(path, now);
		return false;
	}
	return !lstat(path, &st) && S_ISREG(st.st_mode) &&
	       (st.st_mtime < 0 || (timestamp_t)st.st_mtime <= w->o->expire_before);
}

/* new: the name of the layer that is about to come; NULL: none. */
static int stage_expiry(struct graph_writer *w, const char *new, struct fsync_batch *b,
			struct err *err)
{
	char *dir = xstrfmt("%s/info/commit-graphs", w->o->objdir);
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	while (!rc && d && (e = readdir(d))) {
		char *path;
		bool was_used;

		if (!starts_with(e->d_name, "graph-") || !ends_with(e->d_name, ".graph"))
			continue;
		path = xstrfmt("%s/%s", dir, e->d_name);
		was_used = w->old && names_layer(w->old, w->old->nr_layers, path);
		if ((!new || strcmp(path, new)) &&
		    !names_layer(&w->base, w->base.nr_layers, path) &&
		    has_expired(w, path, was_used))
			rc = stage_unlink(b, path, err);
		free(path);
	}
	if (d)
		closedir(d);
	free(dir);
	return rc;
}

/*
 * P5: only the holder of the lock of the chain makes such files, so these are from a process that
 * was killed.
 */
static void remove_abandoned(const struct graph_writer *w)
{
	char *dir = xstrfmt("%s/info/commit-graphs", w->o->objdir);
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path;

		if (!starts_with(e->d_name, TMP_PREFIX))
			continue;
		path = xstrfmt("%s/%s", dir, e->d_name);
		(void)RETRY_EINTR(sys->unlink(path)); /* it only takes space */
		free(path);
	}
	if (d)
		closedir(d);
	free(dir);
}

/* As many may read it as may read other files of the repository. */
static int set_mode(const struct graph_writer *w, const struct tempfile *t, struct err *err)
{
	struct stat st;

	if (fstat(t->fd, &st) < 0 || RETRY_EINTR(sys->fchmod(t->fd, st.st_mode & 0444)) < 0)
		return err_set_errno(err, "unable to set the mode of '%s'", t->path);
	return apply_shared_perm(t->path, w->repo->settings.shared_perm, err);
}

/* Makes objects/info and the directory of layers, too. */
static int hold_lock(const struct graph_writer *w, const char *path, struct fsync_batch *b,
		     struct lockfile *lk, struct err *err)
{
	struct strbuf dir = STRBUF_INIT, above = STRBUF_INIT;
	bool is_new;
	int rc;

	path_dirname(&dir, path);
	path_dirname(&above, dir.buf);
	is_new = !is_directory(dir.buf);
	rc = make_dirs(dir.buf, w->repo->settings.shared_perm, err);
	if (!rc && is_new)
		fsync_batch_note_dir(b, FSYNC_COMMIT_GRAPH, above.buf);
	if (!rc)
		rc = lockfile_hold(lk, path, 0, 0, err);
	strbuf_release(&dir);
	strbuf_release(&above);
	return rc;
}

/* ---- one file ---- */

int graph_stage_single(struct graph_writer *w, struct fsync_batch *b, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	char *path = graph_path(w->o->objdir), *chain = graph_chain_path(w->o->objdir);
	struct object_id sum;
	int rc = hold_lock(w, path, b, &lk, err);

	if (!rc)
		rc = graph_write_file(w, lk.tf->fd, lk.tf->path, &sum, err);
	if (!rc)
		rc = set_mode(w, lk.tf, err);
	if (!rc)
		rc = lockfile_stage(&lk, b, FSYNC_COMMIT_GRAPH, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_unlink(b, chain, err);
	if (!rc)
		rc = stage_expiry(w, NULL, b, err);
	lockfile_release(&lk);
	free(path);
	free(chain);
	return rc;
}

/* ---- a chain ---- */

/* A file in the directory of layers: the new one, or a copy (NULL: none). *path: its name. */
static int stage_layer(struct graph_writer *w, const struct graph_layer *copied, char **path,
		       struct fsync_batch *b, struct err *err)
{
	char *dir = xstrfmt("%s/info/commit-graphs", w->o->objdir);
	struct tempfile *tmp;
	struct object_id sum;
	int rc = tempfile_create_in(&tmp, dir, TMP_PREFIX, 0444, err);

	free(dir);
	if (rc < 0)
		return rc;
	if (copied) {
		graph_layer_checksum(copied, &sum);
		rc = write_in_full(tmp->fd, copied->map.p, copied->map.len, tmp->path, err);
	} else {
		rc = graph_write_file(w, tmp->fd, tmp->path, &sum, err);
	}
	if (!rc)
		rc = set_mode(w, tmp, err);
	if (rc < 0) {
		tempfile_delete(&tmp);
		return rc;
	}
	*path = graph_layer_path(w->o->objdir, &sum);
	return tempfile_stage(&tmp, b, FSYNC_COMMIT_GRAPH, PUBLISH_DERIVED, *path, false, err);
}

/* The single file becomes the lowest layer: readers look for it under its name there. */
static int stage_lowest(struct graph_writer *w, struct fsync_batch *b, struct err *err)
{
	char *path = NULL;
	int rc = 0;

	if (w->base.nr_layers && !w->old->is_chain)
		rc = stage_layer(w, w->old->layers[0], &path, b, err);
	free(path);
	return rc;
}

static int write_chain(const struct graph_writer *w, const char *newest, struct lockfile *lk,
		       struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct object_id sum;
	const char *name = strrchr(newest, '/') + strlen("/graph-");
	int rc;

	for (size_t i = 0; i < w->base.nr_layers; i++) {
		graph_layer_checksum(w->base.layers[i], &sum);
		strbuf_add_oid(&text, &sum);
		strbuf_addch(&text, '\n');
	}
	strbuf_add(&text, name, w->repo->algo->hex_len);
	strbuf_addch(&text, '\n');
	rc = write_in_full(lk->tf->fd, text.buf, text.len, lk->tf->path, err);
	strbuf_release(&text);
	return rc;
}

int graph_stage_chain(struct graph_writer *w, struct fsync_batch *b, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	char *chain = graph_chain_path(w->o->objdir), *single = graph_path(w->o->objdir);
	char *newest = NULL;
	int rc = hold_lock(w, chain, b, &lk, err);

	if (!rc)
		remove_abandoned(w);
	if (!rc)
		rc = stage_lowest(w, b, err);
	if (!rc)
		rc = stage_layer(w, NULL, &newest, b, err);
	if (!rc)
		rc = write_chain(w, newest, &lk, err);
	if (!rc)
		rc = set_mode(w, lk.tf, err);
	if (!rc)
		rc = lockfile_stage(&lk, b, FSYNC_COMMIT_GRAPH, PUBLISH_DERIVED, err);
	if (!rc)
		rc = stage_unlink(b, single, err);
	if (!rc)
		rc = stage_expiry(w, newest, b, err);
	lockfile_release(&lk);
	free(newest);
	free(single);
	free(chain);
	return rc;
}
