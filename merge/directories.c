/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directory renames: if one side has moved most files of a directory elsewhere and nothing of the directory is left, files that
 * the other side has put into it go the same way. merge.directoryRenames of git-config(1) tells what becomes of them.
 */
#include "compat/posix.h"
#include "merge/renames.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- which directories were renamed ---- */

struct dir_target {
	char *path;
	size_t files;
};

struct dir_rename {
	struct dir_target *targets;
	size_t nr, alloc;
	const char *new; /* the target of most files; NULL: two have equally many, or the rename does not count */
};

struct dir_renames {
	struct strmap of[MERGE_STAGES]; /* old directory to struct dir_rename, by side */
};

static void free_dir_rename(void *value)
{
	struct dir_rename *d = value;

	for (size_t i = 0; i < d->nr; i++)
		free(d->targets[i].path);
	free(d->targets);
	free(d);
}

static void count_file(struct strmap *renames, const char *old, const char *new)
{
	struct dir_rename *d = strmap_get(renames, old);

	if (!d) {
		CALLOC_ARRAY(d, 1);
		strmap_put(renames, old, d);
	}
	for (size_t i = 0; i < d->nr; i++) {
		if (strcmp(d->targets[i].path, new))
			continue;
		d->targets[i].files++;
		return;
	}
	ALLOC_GROW(d->targets, d->nr + 1, d->alloc);
	d->targets[d->nr++] = (struct dir_target){ xstrdup(new), 1 };
}

/* The root is never renamed. A directory that both sides have removed is that of no file that could go along. */
static bool is_removed_dir(const struct merge_run *run, enum merge_stage side, const char *path)
{
	const struct merge_path *p = *path ? merge_path_find(run, path) : NULL;

	return p && p->dir[MERGE_BASE].mode && !p->dir[side].mode;
}

/* The rename of a file counts for its directory, and for those above as long as their last components are the same. */
static void count_rename(const struct merge_run *run, const struct merge_rename *r, struct strmap *renames)
{
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;
	bool again = true;

	strbuf_addstr(&old, r->from->path);
	strbuf_addstr(&new, r->to->path);
	while (again) {
		merge_cut_component(&old);
		merge_cut_component(&new);
		if (!strcmp(old.buf, new.buf) || !is_removed_dir(run, r->side, old.buf))
			break;
		count_file(renames, old.buf, new.buf);
		again = new.len && !strcmp(path_basename(old.buf), path_basename(new.buf));
	}
	strbuf_release(&old);
	strbuf_release(&new);
}

static void report_split(struct merge_run *run, const char *old)
{
	merge_report(run, MERGE_CONFLICT_DIR_RENAME_SPLIT, (const char *[]){ old, NULL },
		     "CONFLICT (directory rename split): Unclear where to rename %s to; it was renamed to multiple other "
		     "directories, with no destination getting a majority of the files.", old);
	run->conflicts = true;
}

static void choose_target(struct merge_run *run, const char *old, struct dir_rename *d)
{
	size_t most = 0;

	for (size_t i = 0; i < d->nr; i++) {
		if (d->targets[i].files < most)
			continue;
		d->new = d->targets[i].files > most ? d->targets[i].path : NULL;
		most = d->targets[i].files;
	}
	if (!d->new)
		report_split(run, old);
}

static void find_dir_renames(struct merge_run *run, const struct merge_renames *r, enum merge_stage side,
			     struct strmap *renames)
{
	struct strmap_entry **sorted;

	for (size_t i = 0; i < r->nr; i++)
		if (r->list[i].side == side)
			count_rename(run, &r->list[i], renames);
	sorted = strmap_sorted(renames);
	for (size_t i = 0; i < renames->nr; i++)
		if (merge_is_in_dir(&r->wanted_dirs[MERGE_OURS], sorted[i]->key) ||
		    merge_is_in_dir(&r->wanted_dirs[MERGE_THEIRS], sorted[i]->key))
			choose_target(run, sorted[i]->key, sorted[i]->value);
	free(sorted);
}

/* ---- where the files of the other side go ---- */

/* A file that a side has put below a directory which the other side has renamed. */
struct dir_move {
	struct merge_path *file;
	struct merge_rename *rename; /* NULL: the file was added */
	char *old_dir, *new;
	const char *new_dir;
};

struct dir_moves {
	enum merge_stage side;
	struct dir_move *list;
	size_t nr, alloc;
	struct strset new; /* the new paths */
	struct strset new_dirs; /* directories above new paths at which a file has arrived */
};

static void free_move(struct dir_move *m)
{
	free(m->old_dir);
	free(m->new);
}

static void release_moves(struct dir_moves *m)
{
	for (size_t i = 0; i < m->nr; i++)
		free_move(&m->list[i]);
	free(m->list);
	strset_clear(&m->new);
	strset_clear(&m->new_dirs);
}

static const struct dir_rename *dir_rename_of(const struct dir_renames *d, enum merge_stage side, const char *path)
{
	const struct dir_rename *r = strmap_get(&d->of[side], path);

	return r && r->new ? r : NULL;
}

/* The deepest directory counts. */
static void note_move(const struct dir_renames *d, struct dir_moves *m, struct merge_path *file, struct merge_rename *rename)
{
	struct strbuf dir = STRBUF_INIT;

	strbuf_addstr(&dir, file->path);
	while (merge_cut_component(&dir), dir.len) {
		const struct dir_rename *r = dir_rename_of(d, merge_other_side(m->side), dir.buf);
		const char *rest = file->path + dir.len + 1;

		if (!r)
			continue;
		ALLOC_GROW(m->list, m->nr + 1, m->alloc);
		m->list[m->nr++] = (struct dir_move){ file, rename, xstrdup(dir.buf),
						      *r->new ? xstrfmt("%s/%s", r->new, rest) : xstrdup(rest), r->new };
		strset_add(&m->new, m->list[m->nr - 1].new);
		break;
	}
	strbuf_release(&dir);
}

static int by_new_path(const void *a, const void *b)
{
	const struct dir_move *x = a, *y = b;
	int cmp = strcmp(x->new, y->new);

	return cmp ? cmp : strcmp(x->file->path, y->file->path);
}

static int by_old_path(const void *a, const void *b)
{
	const struct dir_move *x = *(const struct dir_move *const *)a, *y = *(const struct dir_move *const *)b;

	return strcmp(x->file->path, y->file->path);
}

static void list_moves(const struct merge_run *run, const struct merge_renames *r, const struct dir_renames *d,
		       struct dir_moves *m)
{
	enum merge_stage side = m->side;
	struct strset targets = STRSET_INIT;

	for (size_t i = 0; i < r->nr; i++) {
		if (r->list[i].side != side)
			continue;
		strset_add(&targets, r->list[i].to->path);
		note_move(d, m, r->list[i].to, &r->list[i]);
	}
	for (size_t i = 0; i < run->nr; i++) {
		struct merge_path *p = run->all[i];

		if (merge_has(p, side) && !merge_has(p, MERGE_BASE) && !strset_contains(&targets, p->path))
			note_move(d, m, p, NULL);
	}
	strset_clear(&targets);
	if (m->nr)
		qsort(m->list, m->nr, sizeof(*m->list), by_new_path);
}

/* ---- moving ---- */

static void join_paths(const struct dir_move *moves, size_t nr, struct strbuf *text)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(text, "%s%s", i ? ", " : "", moves[i].file->path);
}

/* All of `moves` lead to one path, which has no room for them. */
static void refuse_moves(struct merge_run *run, const struct dir_move *moves, size_t nr, bool in_the_way)
{
	struct strbuf text = STRBUF_INIT;
	const char **paths;

	ALLOC_ARRAY(paths, nr + 2);
	paths[0] = moves->new;
	for (size_t i = 0; i < nr; i++)
		paths[i + 1] = moves[i].file->path;
	paths[nr + 1] = NULL;
	join_paths(moves, nr, &text);
	if (in_the_way)
		merge_report(run, MERGE_CONFLICT_DIR_RENAME_FILE_IN_WAY, paths,
			     "CONFLICT (implicit dir rename): Existing file/dir at %s in the way of implicit directory rename(s) "
			     "putting the following path(s) there: %s.", moves->new, text.buf);
	else
		merge_report(run, MERGE_CONFLICT_DIR_RENAME_COLLISION, paths,
			     "CONFLICT (implicit dir rename): Cannot map more than one path to %s; implicit directory renames "
			     "tried to put these paths there: %s", moves->new, text.buf);
	run->conflicts = true;
	strbuf_release(&text);
	free(paths);
}

static void report_avoided(struct merge_run *run, const struct dir_move *m)
{
	merge_report(run, MERGE_DIR_RENAME_SKIPPED, (const char *[]){ m->old_dir, m->file->path, m->new_dir, NULL },
		     "WARNING: Avoiding applying %s -> %s rename to %s, because %s itself was renamed.", m->old_dir, m->new_dir,
		     m->file->path, m->new_dir);
}

static void report_moved(struct merge_run *run, const struct dir_move *m, enum merge_stage side)
{
	bool apply = run->m->renames.directories == MERGE_DIR_RENAMES_APPLY;
	const char *ours = run->m->label[side], *theirs = run->m->label[merge_other_side(side)];
	char *what = m->rename ? xstrfmt("%s renamed to %s in %s,", m->rename->from->path, m->file->path, ours) :
		     xstrfmt("%s added in %s", m->file->path, ours);

	merge_report(run, apply ? MERGE_DIR_RENAME_APPLIED : MERGE_CONFLICT_DIR_RENAME_SUGGESTED,
		     (const char *[]){ m->new, m->file->path, NULL },
		     apply ? "Path updated: %s inside a directory that was renamed in %s; moving it to %s." :
			     "CONFLICT (file location): %s inside a directory that was renamed in %s, suggesting it should perhaps "
			     "be moved to %s.", what, theirs, m->new);
	free(what);
}

static void move_file(struct merge_run *run, const struct dir_move *m, struct merge_path *to, enum merge_stage side)
{
	to->version[side] = m->file->version[side];
	to->from[side] = m->file->path;
	m->file->version[side] = (struct merge_version){ 0 };
	to->moved_by_directory = true;
	to->state = PATH_OPEN;
	to->result = (struct merge_version){ 0 };
	if (m->rename)
		m->rename->to = to;
	if (run->m->renames.directories == MERGE_DIR_RENAMES_CONFLICT)
		to->rename_conflict = true;
	report_moved(run, m, side);
}

/* The side has something else there, or had a file; but a renamed file may go back. */
static bool is_taken(const struct dir_moves *all, const struct dir_move *m, const struct merge_path *to)
{
	bool back = m->rename && m->rename->from == to;
	enum merge_stage side = all->side;

	return (merge_has(to, MERGE_BASE) && !back) || merge_has(to, side) || to->dir[side].mode ||
	       strset_contains(&all->new_dirs, to->path);
}

static void note_new_dirs(struct dir_moves *all, const char *path)
{
	struct strbuf dir = STRBUF_INIT;

	strbuf_addstr(&dir, path);
	while (merge_cut_component(&dir), dir.len)
		strset_add(&all->new_dirs, dir.buf);
	strbuf_release(&dir);
}

/* All of `moves` lead to one path. */
static int try_moves(struct merge_run *run, const struct dir_renames *d, struct dir_moves *all, const struct dir_move *moves,
		     size_t nr)
{
	enum merge_stage side = all->side;
	struct merge_path *to;
	int rc = merge_path_make(run, moves->new, &to);

	if (rc < 0)
		return rc;
	if (dir_rename_of(d, side, moves->new_dir)) {
		for (size_t i = 0; i < nr; i++)
			report_avoided(run, &moves[i]);
	} else if (is_taken(all, moves, to)) {
		refuse_moves(run, moves, nr, true);
	} else if (nr > 1) {
		refuse_moves(run, moves, nr, false);
	} else {
		move_file(run, moves, to, side);
		note_new_dirs(all, to->path);
	}
	return 0;
}

/* A path to which files of the other side might go stays where it is: it would be moved twice. */
static void drop_double_moves(struct dir_moves *m, const struct dir_moves *others)
{
	size_t nr = 0;

	for (size_t i = 0; i < m->nr; i++) {
		if (strset_contains(&others->new, m->list[i].file->path))
			free_move(&m->list[i]);
		else
			m->list[nr++] = m->list[i];
	}
	m->nr = nr;
}

static size_t count_with_same_target(const struct dir_moves *m, const struct dir_move *first)
{
	size_t nr = 1;

	while (first + nr < m->list + m->nr && !strcmp(first->new, first[nr].new))
		nr++;
	return nr;
}

/* In the order of old paths; moves to one path are next to each other in the list. */
static int move_files(struct merge_run *run, const struct dir_renames *d, struct dir_moves *m)
{
	const struct dir_move **firsts;
	size_t nr = 0;
	int rc = 0;

	ALLOC_ARRAY(firsts, m->nr + 1);
	for (size_t i = 0; i < m->nr; i += count_with_same_target(m, &m->list[i]))
		firsts[nr++] = &m->list[i];
	if (nr)
		qsort(firsts, nr, sizeof(*firsts), by_old_path);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = try_moves(run, d, m, firsts[i], count_with_same_target(m, firsts[i]));
	free(firsts);
	return rc;
}

static int move_all(struct merge_run *run, const struct merge_renames *r, const struct dir_renames *d)
{
	struct dir_moves ours = { .side = MERGE_OURS, .new = STRSET_INIT, .new_dirs = STRSET_INIT };
	struct dir_moves theirs = { .side = MERGE_THEIRS, .new = STRSET_INIT, .new_dirs = STRSET_INIT };
	int rc;

	list_moves(run, r, d, &ours);
	list_moves(run, r, d, &theirs);
	drop_double_moves(&ours, &theirs);
	drop_double_moves(&theirs, &ours);
	rc = move_files(run, d, &ours);
	if (!rc)
		rc = move_files(run, d, &theirs);
	release_moves(&ours);
	release_moves(&theirs);
	return rc;
}

int merge_follow_directories(struct merge_run *run, struct merge_renames *r)
{
	struct dir_renames d = { .of = { STRMAP_INIT, STRMAP_INIT, STRMAP_INIT } };
	int rc;

	if (run->m->renames.directories == MERGE_DIR_RENAMES_NONE || run->m->rules.depth)
		return 0;
	find_dir_renames(run, r, MERGE_OURS, &d.of[MERGE_OURS]);
	find_dir_renames(run, r, MERGE_THEIRS, &d.of[MERGE_THEIRS]);
	rc = move_all(run, r, &d);
	for (int s = MERGE_OURS; s <= MERGE_THEIRS; s++)
		strmap_clear(&d.of[s], free_dir_rename);
	return rc;
}
