/* SPDX-License-Identifier: GPL-2.0-only */
/* Collecting tracked paths whose files have changed. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/worktree.h"

static struct worktree_changed_path *changes_add(struct worktree_changes *ch, const char *path,
						 const struct stat *st, bool gone)
{
	struct worktree_changed_path *item;

	ALLOC_GROW(ch->items, ch->nr + 1, ch->alloc);
	item = &ch->items[ch->nr++];
	memset(item, 0, sizeof(*item));
	item->path = xstrdup(path);
	item->gone = gone;
	if (!gone)
		item->st = *st;
	return item;
}

void worktree_changes_release(struct worktree_changes *ch)
{
	for (size_t i = 0; i < ch->nr; i++)
		free(ch->items[i].path);
	FREE_AND_NULL(ch->items);
	ch->nr = ch->alloc = 0;
}

/* As a comparison would find it: a directory in place of the file is no file. */
static bool is_gone(const struct repository *r, const struct index_entry *e, struct stat *st)
{
	struct object_id head;

	if (worktree_leading_symlink(e->name, e->name_len) || lstat(e->name, st) < 0)
		return true;
	return S_ISDIR(st->st_mode) && !MODE_IS_GITLINK(e->mode) &&
	       gitlink_resolve_head(e->name, r->algo, &head, NULL) < 0;
}

/* Unmerged, or wanted in any case: only whether the file exists matters. */
static void add_without_comparing(struct worktree_changes *ch, const struct repository *r,
				  const struct index_entry *e)
{
	struct stat st;
	bool gone;

	if (ch->nr && !strcmp(ch->items[ch->nr - 1].path, e->name))
		return; /* another stage of the same path */
	gone = is_gone(r, e, &st);
	if (!gone || e->stage)
		changes_add(ch, e->name, &st, gone)->unmerged = e->stage > 0;
}

static void check_entry(struct repository *r, const struct index_state *ix, struct index_entry *e,
			struct lstat_cursor *cur, struct converter *c, unsigned flags, struct worktree_changes *ch)
{
	enum worktree_change change;
	struct stat st;
	unsigned mode;

	if ((flags & CHANGES_EVERY_FILE) && (e->stage || MODE_IS_GITLINK(e->mode)))
		return;
	if (e->stage || (flags & CHANGES_EVERY_FILE)) {
		add_without_comparing(ch, r, e);
		return;
	}
	change = worktree_compare(r, ix, e, cur, c, &st, &mode);
	if (change != WT_UNCHANGED)
		changes_add(ch, e->name, &st, change == WT_DELETED);
}

int worktree_find_changes(struct repository *r, struct index_state *ix,
			  const struct pathspec *ps, struct converter *c, unsigned flags,
			  char *seen, struct worktree_changes *out, struct err *err)
{
	struct lstat_cursor cur;

	(void)err; /* a file that cannot be read counts as changed */
	worktree_preload_index(r, ix, ps);
	lstat_cursor_init(&cur);
	for (size_t i = 0; i < ix->nr; i++) {
		struct index_entry *e = ix->entries[i];

		if (ps && !pathspec_match(ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode),
					  seen))
			continue;
		if ((e->flags & CE_SKIP_WORKTREE) && !(flags & CHANGES_SPARSE))
			continue;
		check_entry(r, ix, e, &cur, c, flags, out);
	}
	lstat_cursor_release(&cur);
	return 0;
}
