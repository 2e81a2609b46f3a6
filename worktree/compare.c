/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparing index entries with their files; refreshing stat data. */
#include "compat/posix.h"
#include <stdatomic.h>
#include "util/alloc.h"
#include "util/workers.h"
#include "worktree/worktree.h"

/* Fewer entries than this are not worth a thread. */
#define ENTRIES_PER_THREAD 500

/* ---- one entry ---- */

static bool assumed_unchanged(const struct index_entry *e)
{
	return e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE);
}

static bool is_repository(const char *path, const struct hash_algo *algo)
{
	struct object_id head;

	return !gitlink_resolve_head(path, algo, &head, NULL);
}

/* The submodule's HEAD against the entry; one that is not checked out is the same. */
static bool gitlink_is_same(const struct repository *r, const struct index_entry *e)
{
	struct object_id head;

	return gitlink_resolve_head(e->name, r->algo, &head, NULL) < 0 || oid_eq(&head, &e->oid);
}

/* A file that cannot be read, or that changes meanwhile, is not the same. */
static bool content_is_same(struct repository *r, const struct index_entry *e,
			    const struct stat *st, struct converter *c)
{
	struct object_id oid;

	if (!c || worktree_hash_path(r, c, e->name, st, false, &oid, NULL, NULL) < 0)
		return false;
	return oid_eq(&oid, &e->oid);
}

/* What stat data say about the content. */
enum verdict { SAME, DIFFERENT, COMPARE_CONTENT };

static enum verdict classify(unsigned match, const struct index_entry *e)
{
	if (!match)
		return SAME;
	if (match & (MATCH_TYPE | MATCH_MODE) || e->flags & CE_MODIFIED)
		return DIFFERENT;
	/* size 0 stands for "not known" */
	if (match & MATCH_SIZE && e->stat.size)
		return DIFFERENT;
	return COMPARE_CONTENT;
}

static enum worktree_change compare_found(struct repository *r, const struct index_state *ix,
					  struct index_entry *e, const struct stat *st,
					  struct converter *c, unsigned *mode)
{
	unsigned match = index_entry_stat_match(ix, e, st, &r->settings);

	*mode = worktree_mode(&r->settings, st->st_mode, e);
	if (S_ISDIR(st->st_mode) && !MODE_IS_GITLINK(e->mode))
		return is_repository(e->name, r->algo) ? WT_TYPE_CHANGED : WT_DELETED;
	if (MODE_IS_GITLINK(e->mode) && S_ISDIR(st->st_mode))
		return gitlink_is_same(r, e) ? WT_UNCHANGED : WT_MODIFIED;
	if (e->flags & CE_INTENT_TO_ADD)
		return WT_MODIFIED;
	if (match & MATCH_TYPE)
		return (*mode & 0170000) == (e->mode & 0170000) ? WT_MODIFIED : WT_TYPE_CHANGED;
	switch (classify(match, e)) {
	case SAME:
		return WT_UNCHANGED;
	case COMPARE_CONTENT:
		if (content_is_same(r, e, st, c))
			return WT_UNCHANGED;
		e->flags |= CE_MODIFIED;
		return WT_MODIFIED;
	default:
		return WT_MODIFIED;
	}
}

enum worktree_change worktree_compare(struct repository *r, const struct index_state *ix,
				      struct index_entry *e, struct lstat_cursor *cur,
				      struct converter *c, struct stat *st, unsigned *mode)
{
	*mode = e->mode;
	if (assumed_unchanged(e) || e->flags & CE_UPTODATE)
		return WT_UNCHANGED;
	if (lstat_cursor_stat(cur, e->name, e->name_len, st) < 0) {
		*mode = 0;
		return WT_DELETED;
	}
	return compare_found(r, ix, e, st, c, mode);
}

int worktree_entry_changed(struct repository *r, struct index_state *ix,
			   struct index_entry *e, struct converter *c,
			   enum worktree_change *out, struct stat *st,
			   unsigned *mode, struct err *err)
{
	struct stat own;
	unsigned m;

	(void)err; /* a file that cannot be read counts as changed */
	if (!st)
		st = &own;
	if (!mode)
		mode = &m;
	*mode = e->mode;
	*out = WT_UNCHANGED;
	if (st == &own && (assumed_unchanged(e) || e->flags & CE_UPTODATE))
		return 0;
	if (worktree_leading_symlink(e->name, e->name_len) || lstat(e->name, st) < 0) {
		memset(st, 0, sizeof(*st));
		*mode = assumed_unchanged(e) ? e->mode : 0;
		*out = assumed_unchanged(e) ? WT_UNCHANGED : WT_DELETED;
		return 0;
	}
	if (!assumed_unchanged(e) && !(e->flags & CE_UPTODATE))
		*out = compare_found(r, ix, e, st, c, mode);
	return 0;
}

/* ---- before the index is written ---- */

/* Do only fractions of seconds tell that the file was written again? */
static bool is_same_in_seconds(const struct repository *r, const struct index_entry *e, const struct stat *st)
{
	const struct stat_data *was = &e->stat;
	struct stat_data now;

	stat_data_fill(&now, st);
	return S_ISREG(st->st_mode) && MODE_IS_FILE(e->mode) && was->size && was->size == now.size &&
	       was->mtime_sec == now.mtime_sec && (!r->settings.trust_ctime || was->ctime_sec == now.ctime_sec);
}

/*
 * Has the file other content under the same stat data? Where these differ, or where there is
 * no file any more, everybody sees that without help. c NULL: it cannot be compared.
 */
static bool hides_change(struct repository *r, const struct index_state *ix,
			 const struct index_entry *e, struct converter *c)
{
	struct stat st;

	if (lstat(e->name, &st) < 0 ||
	    (index_entry_stat_match(ix, e, &st, &r->settings) != MATCH_RACY && !is_same_in_seconds(r, e, &st)))
		return false;
	return e->flags & CE_MODIFIED || !content_is_same(r, e, &st, c);
}

/*
 * Git by default compares whole seconds alone. For it an entry is racy whose file was written in the second of the
 * index, or later.
 */
static bool is_racy_in_seconds(const struct index_state *ix, const struct index_entry *e)
{
	return ix->timestamp_sec && e->stat.mtime_sec >= ix->timestamp_sec && !MODE_IS_GITLINK(e->mode) &&
	       !(e->flags & (CE_UPTODATE | CE_INTENT_TO_ADD));
}

void worktree_smudge_racy(struct repository *r, struct index_state *ix)
{
	bool has_files = r->worktree && !r->cwd_outside;
	struct converter *c = NULL;

	for (size_t i = 0; i < ix->nr; i++) {
		struct index_entry *e = ix->entries[i];

		if (!index_entry_is_doubtful(ix, e) && !(has_files && is_racy_in_seconds(ix, e)))
			continue;
		if (has_files && !c && converter_new(&c, r, ix, ATTR_CHECKIN, NULL) < 0)
			c = NULL;
		if (!has_files || hides_change(r, ix, e, c))
			e->stat.size = 0;
	}
	converter_free(c);
}

/* ---- all entries, in parallel ---- */

struct pass {
	struct repository *r;
	struct index_state *ix;
	const struct pathspec *ps;
	struct converter *c; /* NULL: stat data alone */
	bool really;	     /* entries that are assumed to be unchanged as well */
	atomic_bool changed;
};

static bool in_pass(const struct pass *p, const struct index_entry *e)
{
	if (e->stage || e->flags & (CE_UPTODATE | CE_REMOVE | CE_SKIP_WORKTREE | CE_INTENT_TO_ADD) ||
	    MODE_IS_GITLINK(e->mode))
		return false;
	if (e->flags & CE_ASSUME_VALID && !p->really)
		return false;
	return !p->ps || pathspec_match(p->ps, e->name, e->name_len, false, NULL);
}

/* The content is the same: update the stat data. */
static void update_stat(struct pass *p, struct index_entry *e, const struct stat *st)
{
	struct stat_data now;

	stat_data_fill(&now, st);
	if (memcmp(&now, &e->stat, sizeof(now)))
		e->stat = now;
	e->flags |= CE_UPTODATE;
	/* even if the stat data are the same: once written, the entry is no longer racy */
	atomic_store_explicit(&p->changed, true, memory_order_relaxed);
}

static bool thread_may_read(const struct pass *p, const struct index_entry *e,
			    const struct stat *st)
{
	struct conversion cv;

	if (!p->c || !S_ISREG(st->st_mode))
		return p->c != NULL;
	converter_lookup(p->c, e->name, &cv);
	return !conversion_needs_main_thread(p->c, &cv);
}

static void refresh_one(struct pass *p, struct index_entry *e, const struct stat *st,
			bool main_thread)
{
	unsigned match = index_entry_stat_match(p->ix, e, st, &p->r->settings);

	switch (classify(match, e)) {
	case SAME:
		e->flags |= CE_UPTODATE;
		break;
	case COMPARE_CONTENT:
		if (!p->c || (!main_thread && !thread_may_read(p, e, st)))
			break;
		if (content_is_same(p->r, e, st, p->c))
			update_stat(p, e, st);
		else
			e->flags |= CE_MODIFIED;
		break;
	case DIFFERENT:
		break;
	}
}

static void run_chunk(void *data, size_t begin, size_t end)
{
	struct pass *p = data;
	struct lstat_cursor cur;

	lstat_cursor_init(&cur);
	for (size_t i = begin; i < end; i++) {
		struct index_entry *e = p->ix->entries[i];
		struct stat st;

		if (in_pass(p, e) && !lstat_cursor_stat(&cur, e->name, e->name_len, &st))
			refresh_one(p, e, &st, false);
	}
	lstat_cursor_release(&cur);
}

void worktree_preload_index(struct repository *r, struct index_state *ix,
			    const struct pathspec *ps)
{
	struct pass p = { .r = r, .ix = ix, .ps = ps };

	workers_parallel_for(ix->nr, ENTRIES_PER_THREAD, 0, run_chunk, &p);
}

/* What the threads left: filters that are programs, gitlinks, entries that differ. */
static enum worktree_change finish_entry(struct pass *p, struct index_entry *e,
					 struct lstat_cursor *cur)
{
	unsigned assumed = p->really ? e->flags & CE_ASSUME_VALID : 0;
	enum worktree_change change;
	struct stat st;
	unsigned mode;

	e->flags &= ~assumed;
	change = worktree_compare(p->r, p->ix, e, cur, p->c, &st, &mode);
	if (assumed && (change == WT_UNCHANGED || change == WT_DELETED))
		e->flags |= assumed;
	else if (assumed) /* the assumption was wrong */
		atomic_store(&p->changed, true);
	if (change == WT_UNCHANGED && !(e->flags & (CE_UPTODATE | CE_SKIP_WORKTREE)) &&
	    !MODE_IS_GITLINK(e->mode) && (p->really || !(e->flags & CE_ASSUME_VALID)) &&
	    !lstat_cursor_stat(cur, e->name, e->name_len, &st))
		refresh_one(p, e, &st, true);
	return change;
}

static size_t skip_stages(const struct index_state *ix, size_t i)
{
	const struct index_entry *e = ix->entries[i];

	while (i < ix->nr && ix->entries[i]->name_len == e->name_len &&
	       !memcmp(ix->entries[i]->name, e->name, e->name_len))
		i++;
	return i;
}

int worktree_refresh(struct repository *r, struct index_state *ix, const struct pathspec *ps,
		     struct converter *c, bool really,
		     void (*needs_update)(void *data, const struct index_entry *e,
					  enum worktree_change why),
		     void *data, struct err *err)
{
	struct pass p = { .r = r, .ix = ix, .ps = ps, .c = c, .really = really };
	struct lstat_cursor cur;
	size_t next;

	(void)err;
	workers_parallel_for(ix->nr, ENTRIES_PER_THREAD, 0, run_chunk, &p);
	lstat_cursor_init(&cur);
	for (size_t i = 0; i < ix->nr; i = next) {
		struct index_entry *e = ix->entries[i];
		enum worktree_change change = WT_UNCHANGED;

		next = e->stage ? skip_stages(ix, i) : i + 1;
		if (e->flags & (CE_UPTODATE | CE_REMOVE) ||
		    (ps && !pathspec_match(ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode), NULL)))
			continue;
		if (!e->stage)
			change = finish_entry(&p, e, &cur);
		if ((e->stage || change != WT_UNCHANGED) && needs_update)
			needs_update(data, e, change);
	}
	lstat_cursor_release(&cur);
	if (atomic_load(&p.changed))
		ix->changed = true;
	return 0;
}

int worktree_refresh_index(struct repository *r, struct index_state *ix,
			   const struct pathspec *ps, struct converter *c,
			   void (*needs_update)(void *data, const struct index_entry *e,
						enum worktree_change why),
			   void *data, struct err *err)
{
	return worktree_refresh(r, ix, ps, c, false, needs_update, data, err);
}
