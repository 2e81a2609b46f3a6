/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of paths that a status has found. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/status-internal.h"

void status_init(struct status *s)
{
	memset(s, 0, sizeof(*s));
	strvec_init(&s->rebase_done);
	strvec_init(&s->rebase_todo);
}

static void item_release(struct status_item *it)
{
	free(it->path);
	free(it->old_path);
	free(it->wt_old_path);
}

void status_release(struct status *s)
{
	for (size_t i = 0; i < s->nr; i++)
		item_release(&s->items[i]);
	free(s->items);
	string_list_clear(&s->untracked, NULL);
	string_list_clear(&s->ignored, NULL);
	free(s->branch);
	free(s->detached_from);
	free(s->rebase_branch);
	free(s->rebase_onto);
	free(s->bisect_branch);
	strvec_clear(&s->rebase_done);
	strvec_clear(&s->rebase_todo);
	status_init(s);
}

struct status_item *status_item_append(struct status *s, const char *path)
{
	struct status_item *it;

	ALLOC_GROW(s->items, s->nr + 1, s->alloc);
	it = &s->items[s->nr++];
	memset(it, 0, sizeof(*it));
	it->path = xstrdup(path);
	it->staged = it->unstaged = ' ';
	return it;
}

static int item_cmp(const void *a, const void *b)
{
	const struct status_item *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* The old name of a rename has no item of its own. */
static void drop_empty(struct status *s)
{
	size_t out = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (s->items[i].staged == ' ' && s->items[i].unstaged == ' ')
			item_release(&s->items[i]);
		else
			s->items[out++] = s->items[i];
	}
	s->nr = out;
}

void status_merge_items(struct status *s)
{
	size_t out = 0;

	if (s->nr > 1)
		qsort(s->items, s->nr, sizeof(*s->items), item_cmp);
	for (size_t i = 0; i < s->nr; i++) {
		struct status_item *last = out ? &s->items[out - 1] : NULL;
		struct status_item *it = &s->items[i];

		if (!last || strcmp(last->path, it->path)) {
			s->items[out++] = *it;
			continue;
		}
		if (it->staged != ' ') {
			last->staged = it->staged;
			last->mode_head = it->mode_head;
			last->oid_head = it->oid_head;
			last->old_path = it->old_path;
			last->score = it->score;
			it->old_path = NULL;
		}
		if (it->unstaged != ' ') {
			last->unstaged = it->unstaged;
			last->mode_worktree = it->mode_worktree;
			last->gitlink_new_commits = it->gitlink_new_commits;
			last->is_gitlink |= it->is_gitlink;
			last->gitlink_modified = it->gitlink_modified;
			last->gitlink_untracked = it->gitlink_untracked;
			last->wt_old_path = it->wt_old_path;
			it->wt_old_path = NULL;
		}
		if (it->mode_index) {
			last->mode_index = it->mode_index;
			last->oid_index = it->oid_index;
		}
		item_release(it);
	}
	s->nr = out;
	drop_empty(s);
}

bool status_has_staged(const struct status *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].staged != ' ' && !s->items[i].stages)
			return true;
	return false;
}

bool status_has_unstaged(const struct status *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].unstaged != ' ' && !s->items[i].stages)
			return true;
	return false;
}

bool status_has_unmerged(const struct status *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].stages)
			return true;
	return false;
}
