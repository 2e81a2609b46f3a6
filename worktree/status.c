/* SPDX-License-Identifier: GPL-2.0-only */
/* Collecting the status: HEAD against the index, the index against files, untracked ones. */
#include "compat/posix.h"
#include "index/index.h"
#include "object/commit.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/trace2.h"
#include "worktree/status-internal.h"

/* ---- HEAD against the index ---- */

static void note_stages(struct collector *c, const struct index_entry *first)
{
	struct status_item *it = status_item_append(c->s, first->name);
	ssize_t at = index_pos(c->ix, first->name, first->name_len, first->stage);
	struct stat st;

	for (size_t i = (size_t)at; i < c->ix->nr; i++) {
		const struct index_entry *e = c->ix->entries[i];

		if (e->name_len != first->name_len || strcmp(e->name, first->name))
			break;
		it->stages |= 1u << (e->stage - 1);
		it->stage_mode[e->stage - 1] = e->mode;
		it->stage_oid[e->stage - 1] = e->oid;
	}
	it->staged = it->unstaged = 'U';
	if (!lstat(first->name, &st))
		it->mode_worktree = worktree_mode(&c->r->settings, st.st_mode, first);
}

static bool type_differs(unsigned a, unsigned b)
{
	return (a & 0170000u) != (b & 0170000u);
}

static int note_staged(void *data, const char *path, unsigned old_mode,
		       const struct object_id *old_oid, const struct index_entry *e,
		       struct err *err UNUSED)
{
	struct collector *c = data;
	struct status_item *it;

	if (c->o->ps && !pathspec_match(c->o->ps, path, strlen(path), false, NULL))
		return 0;
	if (e && e->stage) {
		note_stages(c, e);
		return 0;
	}
	/* The command line can hide staged submodules, the configuration cannot. */
	if (c->o->submodules_given && c->o->submodules == SUBMODULES_NONE &&
	    (!old_mode || MODE_IS_GITLINK(old_mode)) && (!e || MODE_IS_GITLINK(e->mode)))
		return 0;
	it = status_item_append(c->s, path);
	it->mode_head = old_mode;
	if (old_mode)
		it->oid_head = *old_oid;
	if (e) {
		it->mode_index = it->mode_worktree = e->mode;
		it->oid_index = e->oid;
	}
	it->is_gitlink = MODE_IS_GITLINK(e ? e->mode : old_mode);
	if (!old_mode)
		it->staged = 'A';
	else if (!e)
		it->staged = 'D';
	else
		it->staged = type_differs(old_mode, e->mode) ? 'T' : 'M';
	return 0;
}

static int collect_staged(struct collector *c, struct err *err)
{
	const struct object_id *tree = c->o->base_tree;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id head_tree;
	struct commit_view view;
	int rc;

	if (!tree && !c->s->initial) {
		rc = odb_read_type(c->r->odb, &c->s->head, OBJ_COMMIT, &buf, err);
		if (rc >= 0)
			rc = commit_parse(&view, buf.data, buf.size, c->r->algo, err);
		if (rc >= 0) {
			head_tree = view.tree;
			tree = &head_tree;
			commit_view_release(&view);
		}
		object_buf_release(&buf);
		if (rc < 0)
			return rc;
	}
	return index_diff_tree(c->ix, odb_source(c->r->odb), tree, note_staged, c, err);
}

/* ---- the index against the files ---- */

static void note_unstaged(void *data, const struct index_entry *e, enum worktree_change why)
{
	struct collector *c = data;
	struct status_item *it;
	struct stat st;

	if (e->stage)
		return; /* reported as unmerged */
	if (MODE_IS_GITLINK(e->mode) && status_mode_of(c, e->name) == SUBMODULES_NONE)
		return;
	it = status_item_append(c->s, e->name);
	it->mode_index = e->flags & CE_INTENT_TO_ADD && why != WT_DELETED ? 0 : e->mode;
	if (it->mode_index)
		it->oid_index = e->oid;
	it->is_gitlink = MODE_IS_GITLINK(e->mode);
	it->gitlink_new_commits = it->is_gitlink && why == WT_MODIFIED;
	if (why == WT_DELETED)
		it->unstaged = 'D';
	else if (e->flags & CE_INTENT_TO_ADD)
		it->unstaged = 'A';
	else
		it->unstaged = why == WT_TYPE_CHANGED ? 'T' : 'M';
	if (why != WT_DELETED && !lstat(e->name, &st))
		it->mode_worktree = worktree_mode(&c->r->settings, st.st_mode, e);
}

/* ---- untracked and ignored ---- */

static int note_untracked(void *data, const char *path, size_t len, bool is_dir UNUSED,
			  enum dirwalk_kind kind)
{
	struct collector *c = data;
	char *name;

	if (kind == DIRWALK_UNREADABLE) {
		name = xstrfmt("could not open directory '%.*s': %s", (int)len, path,
			       strerror(errno));
		if (c->r->warn)
			c->r->warn(c->r->warn_data, name);
		free(name);
		return 0;
	}
	name = xmemdupz(path, len);
	string_list_append(kind == DIRWALK_IS_IGNORED ? &c->s->ignored : &c->s->untracked, name);
	free(name);
	return 0;
}

static int start_untracked(struct collector *c, struct untracked_scan **out, struct err *err)
{
	unsigned flags = DIRWALK_REPORT_UNREADABLE;

	*out = NULL;
	if (c->o->untracked == UNTRACKED_NO)
		return 0;
	if (c->o->ignored)
		flags |= DIRWALK_IGNORED;
	if (c->o->ignored_matching)
		flags |= DIRWALK_IGNORED_MATCHING;
	return untracked_scan_start(out, c->r, c->ix, c->o->ps, c->o->untracked, flags, err);
}

static int finish_untracked(struct collector *c, struct untracked_scan *scan, struct err *err)
{
	int rc;

	trace2_region_enter("status", "untracked");
	rc = untracked_scan_finish(scan, note_untracked, c, err);
	string_list_sort(&c->s->untracked);
	string_list_sort(&c->s->ignored);
	trace2_region_leave("status", "untracked");
	return rc;
}

/* ---- all of it ---- */

static int collect_changes(struct collector *c, struct err *err)
{
	int rc;

	trace2_region_enter("status", "refresh");
	rc = worktree_refresh_index(c->r, c->ix, c->o->ps, c->conv, note_unstaged, c, err);
	trace2_region_leave("status", "refresh");
	if (rc < 0 || (rc = status_collect_submodules(c, err)) < 0 ||
	    (rc = collect_staged(c, err)) < 0)
		return rc;
	if (c->o->renames && (rc = status_detect_renames(c, err)) < 0)
		return rc;
	status_merge_items(c->s);
	return 0;
}

int status_collect(struct status *s, struct repository *r, struct index_state *ix,
		   struct converter *conv, const struct status_options *o, struct err *err)
{
	struct collector c = { .s = s, .r = r, .ix = ix, .conv = conv, .o = o };
	struct untracked_scan *scan;
	int rc, rc_scan;

	if ((rc = status_collect_head(&c, err)) < 0 ||
	    (rc = start_untracked(&c, &scan, err)) < 0)
		return rc;
	if (!o->submodules_given)
		rc = submodule_ignores_read(&c.submodule_modes, r, err);
	if (rc >= 0)
		rc = collect_changes(&c, err);
	strmap_clear(&c.submodule_modes, NULL);
	if (scan && rc >= 0)
		return finish_untracked(&c, scan, err);
	rc_scan = scan ? untracked_scan_finish(scan, NULL, NULL, NULL) : 0;
	return rc < 0 ? rc : rc_scan;
}
