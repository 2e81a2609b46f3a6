/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff.h"
#include "merge/renames.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- what matters ---- */


void merge_cut_component(struct strbuf *dir)
{
	const char *slash = strrchr(dir->buf, '/');

	strbuf_setlen(dir, slash ? (size_t)(slash - dir->buf) : 0);
}

struct relevance {
	const struct merge_run *run;
	enum merge_stage side;
	struct strset *dirs; /* removed by the side; the other one has added a file */
	struct strset known; /* directories that have a file of which a rename was found */
};

/* The side has no such file any more. */
static bool is_source(const struct merge_path *p, enum merge_stage side)
{
	return merge_has(p, MERGE_BASE) && !merge_has(p, side);
}

static bool is_target(const struct merge_path *p, enum merge_stage side)
{
	return merge_has(p, side) && !merge_has(p, MERGE_BASE);
}

/* A directory that the side has removed, and to which the other side has added this file. */
static void note_directory(struct relevance *rel, const struct merge_path *p)
{
	const char *slash = strrchr(p->path, '/');
	const struct merge_path *dir;
	char *name;

	if (!slash || !is_target(p, merge_other_side(rel->side)))
		return;
	name = xmemdupz(p->path, (size_t)(slash - p->path));
	dir = merge_path_find(rel->run, name);
	if (dir && dir->dir[MERGE_BASE].mode && !dir->dir[rel->side].mode)
		strset_add(rel->dirs, name);
	free(name);
}

bool merge_is_in_dir(const struct strset *dirs, const char *path)
{
	bool found = dirs->map.nr && strset_contains(dirs, path);

	for (const char *slash = path; dirs->map.nr && !found && (slash = strchr(slash, '/')); slash++) {
		char *name = xmemdupz(path, (size_t)(slash - path));

		found = strset_contains(dirs, name);
		free(name);
	}
	return found;
}

/* Is one of `dirs` above the path, for which no renamed file was found? */
static bool is_below_unknown(const struct relevance *rel, const char *path)
{
	bool unknown = false;

	for (const char *slash = path; !unknown && (slash = strchr(slash, '/')); slash++) {
		char *dir = xmemdupz(path, (size_t)(slash - path));

		unknown = strset_contains(rel->dirs, dir) && !strset_contains(&rel->known, dir);
		free(dir);
	}
	return unknown;
}

/* Does it matter where the directory of the file went? Further below a directory that matters one file is enough. */
static bool matters_for_directory(const struct relevance *rel, const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	bool matters;

	if (!rel->dirs->map.nr)
		return false;
	strbuf_addstr(&dir, path);
	merge_cut_component(&dir);
	matters = strset_contains(rel->dirs, dir.buf) || is_below_unknown(rel, path);
	strbuf_release(&dir);
	return matters;
}

static bool is_relevant(const struct relevance *rel, const struct merge_path *p)
{
	return is_source(p, rel->side) &&
	       (!merge_version_eq(&p->version[MERGE_BASE], &p->version[merge_other_side(rel->side)]) ||
		matters_for_directory(rel, p->path));
}

static bool wants_rename(void *data, const char *path)
{
	const struct relevance *rel = data;

	return is_relevant(rel, merge_path_find(rel->run, path));
}

/* What it tells about directories is as in directories.c. */
static void note_found_rename(void *data, const char *path, const char *new_path)
{
	struct relevance *rel = data;
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;

	strbuf_addstr(&old, path);
	strbuf_addstr(&new, new_path);
	do {
		merge_cut_component(&old);
		merge_cut_component(&new);
		strset_add(&rel->known, old.buf);
	} while (old.len && new.len && !strcmp(path_basename(old.buf), path_basename(new.buf)));
	strbuf_release(&old);
	strbuf_release(&new);
}

/* May the side have renamed a file that matters, or a directory? */
static bool may_have_renamed(const struct relevance *rel)
{
	if (rel->dirs->map.nr)
		return true;
	for (size_t i = 0; i < rel->run->nr; i++)
		if (is_relevant(rel, rel->run->all[i]))
			return true;
	return false;
}

/* ---- detection ---- */

/* The walk through three trees meets the directory "a" before the file "a.b", which one of them lacks. */
static int compare_in_walk(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	if (*a == '/' || *b == '/')
		return *a == '/' ? (*b ? -1 : 1) : (*a ? 1 : -1);
	return (unsigned char)*a - (unsigned char)*b;
}

static int meeting_order(const void *a, const void *b)
{
	const struct merge_path *x = *(struct merge_path *const *)a, *y = *(struct merge_path *const *)b;

	return x->round != y->round ? (x->round < y->round ? -1 : 1) : compare_in_walk(x->path, y->path);
}

/* Deleted and new files, in the order of the walk: of equally good renames the first one wins. */
static void fill_queue(const struct merge_run *run, enum merge_stage side, struct diff_queue *q)
{
	struct merge_path **sorted;
	size_t nr = 0;

	ALLOC_ARRAY(sorted, run->nr + 1);
	for (size_t i = 0; i < run->nr; i++)
		if (is_source(run->all[i], side) || is_target(run->all[i], side))
			sorted[nr++] = run->all[i];
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), meeting_order);
	for (size_t i = 0; i < nr; i++) {
		const struct merge_path *p = sorted[i];
		const struct merge_version *old = &p->version[MERGE_BASE], *new = &p->version[side];

		diff_queue_add(q, p->path, old->mode, old->mode ? &old->oid : NULL, p->path, new->mode,
			       new->mode ? &new->oid : NULL);
	}
	free(sorted);
}

static void set_options(const struct merge_run *run, struct relevance *rel, struct diff_options *o)
{
	const struct merge_rename_options *r = &run->m->renames;

	diff_options_init(o, run->m->odb);
	o->detect = DIFF_DETECT_RENAMES;
	o->rename_score = r->score;
	o->rename_limit = r->limit < 0 ? MERGE_RENAME_LIMIT : r->limit;
	o->rename_empty = false;
	o->wants_rename = wants_rename;
	o->found_rename = note_found_rename;
	o->wants_rename_data = rel;
}

static int detect(struct merge_run *run, struct relevance *rel, struct merge_renames *out)
{
	struct diff_rename_limit limited = { 0 };
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	int rc;

	set_options(run, rel, &o);
	o.limited = &limited;
	fill_queue(run, rel->side, &q);
	rc = diff_process(&q, &o, run->err);
	for (size_t i = 0; !rc && i < q.nr; i++) {
		if (q.pairs[i]->status != DIFF_STATUS_RENAMED)
			continue;
		ALLOC_GROW(out->list, out->nr + 1, out->alloc);
		out->list[out->nr++] = (struct merge_rename){ rel->side, merge_path_find(run, q.pairs[i]->old->path),
							      merge_path_find(run, q.pairs[i]->new->path) };
	}
	if (limited.needed > run->needed_rename_limit)
		run->needed_rename_limit = limited.needed;
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc;
}

/* Directories are opened even where renames are not wanted: the messages about files in their way
 * depend on it. */
static int find_renames_of(struct merge_run *run, enum merge_stage side, struct merge_renames *out)
{
	struct relevance rel = { .run = run, .side = side, .dirs = &out->wanted_dirs[side], .known = STRSET_INIT };
	int rc = 0;

	for (size_t i = 0; i < run->nr; i++)
		note_directory(&rel, run->all[i]);
	if (may_have_renamed(&rel)) {
		rc = merge_open_deferred(run, side);
		if (!rc && !run->m->renames.disabled)
			rc = detect(run, &rel, out);
	}
	strset_clear(&rel.known);
	return rc;
}

int merge_find_renames(struct merge_run *run, struct merge_renames *out)
{
	int rc = find_renames_of(run, MERGE_OURS, out);

	if (!rc)
		rc = find_renames_of(run, MERGE_THEIRS, out);
	merge_resolve_deferred(run);
	return rc;
}

void merge_renames_release(struct merge_renames *r)
{
	free(r->list);
	for (int s = 0; s < MERGE_STAGES; s++)
		strset_clear(&r->wanted_dirs[s]);
	*r = (struct merge_renames)MERGE_RENAMES_INIT;
}
