/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "attr/attr.h"
#include "worktree/merge-result.h"
#include "worktree/merge-result-internal.h"
#include "worktree/write-files.h"

int result_update_begin(struct result_update *u, struct repo_operation *op, struct err *err)
{
	int rc;

	u->op = op;
	u->r = repo_operation_repository(op);
	index_init(&u->ix, u->r->algo);
	index_init(&u->plan.result, u->r->algo);
	rc = repo_operation_lock_index(op, err);
	if (!rc)
		rc = index_read_repo(&u->ix, u->r, err);
	return rc ? rc : converter_new(&u->conv, u->r, &u->ix, ATTR_CHECKIN, err);
}

int result_update_plan(struct result_update *u, struct err *err)
{
	const struct object_id trees[] = { *u->from, *u->to };

	u->plan.kind = UNPACK_TREES_TWO;
	u->plan.update = true;
	u->plan.for_switch = true;
	u->plan.for_merge = !u->of_checkout;
	u->plan.keep_ignored = u->keep_ignored;
	u->plan.start_meter = u->start_meter;
	return unpack_trees_run(&u->plan, u->r, &u->ix, u->conv, trees, 2, err);
}

/* ---- the marker ---- */

bool result_update_is_unfinished(const struct repository *r)
{
	return repo_state_exists(r, STATE_WORKTREE_UPDATE);
}

int result_update_refuse_unfinished(const struct repository *r, struct err *err)
{
	if (!result_update_is_unfinished(r))
		return 0;
	return err_set(err, ERR_CONFLICT, "a command was interrupted while it changed files of the working tree; "
					  "'git merge --abort' brings them back");
}

#define MARKER_HEAD_STAYS " HEAD stays"

/* P7: it has its name before the first file changes (test: t0119, "the marker comes before the files"). */
static int publish_marker(struct repo_operation *op, const struct object_id *from, const struct object_id *to,
			  const char *end, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_add_oid(&text, from);
	strbuf_addch(&text, ' ');
	strbuf_add_oid(&text, to);
	strbuf_addstr(&text, end);
	rc = repo_operation_write_state(op, STATE_WORKTREE_UPDATE, text.buf, text.len, err);
	if (!rc)
		rc = repo_operation_publish_before(op, repo_operation_repository(op)->worktree, err);
	strbuf_release(&text);
	return rc;
}

int result_update_mark(struct repo_operation *op, const struct object_id *from, const struct object_id *to, struct err *err)
{
	return publish_marker(op, from, to, "\n", err);
}

static int mark_update(void *data, struct err *err)
{
	struct result_update *u = data;

	return publish_marker(u->op, u->goes_on ? u->to : u->from, u->goes_on ? u->from : u->to,
			      u->head_stays ? MARKER_HEAD_STAYS "\n" : "\n", err);
}

static int add_tree_of_marker(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

static int read_marker(const struct repository *r, struct oid_array *trees, bool *head_stays, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = repo_state_read(r, STATE_WORKTREE_UPDATE, &text, err);

	if (!rc)
		(void)repo_state_foreach_oid(r->algo, text.buf, add_tree_of_marker, trees);
	*head_stays = strstr(text.buf, MARKER_HEAD_STAYS);
	if (!rc && trees->nr != 2)
		rc = err_set(err, ERR_CORRUPT, "Corrupt %s file (%s)", repo_state_name(STATE_WORKTREE_UPDATE), text.buf);
	strbuf_release(&text);
	return rc;
}

/* ---- the change ---- */

static int write_result_files(struct result_update *u, struct err *err)
{
	struct converter *conv = NULL;
	int rc;

	converter_free(u->conv); /* it looks into the index that goes */
	u->conv = NULL;
	if (u->before)
		*u->before = u->ix;
	else
		index_release(&u->ix);
	u->ix = u->plan.result;
	index_init(&u->plan.result, u->r->algo);
	rc = converter_new(&conv, u->r, &u->ix, ATTR_CHECKOUT, err);
	if (!rc && u->origin)
		converter_set_named_origin(conv, u->origin_name, u->origin);
	if (!rc)
		rc = unpack_trees_update_files(&u->plan, u->r, &u->ix, conv, err);
	converter_free(conv);
	return rc;
}

/* Both lists are sorted. A path that has stages loses its entry of stage 0. */
static void put_stages(struct index_state *ix, const struct index_state *stages)
{
	struct index_entry **all;
	size_t nr = 0, i = 0, k = 0;

	ALLOC_ARRAY(all, ix->nr + stages->nr);
	while (i < ix->nr || k < stages->nr) {
		const struct index_entry *s = k < stages->nr ? stages->entries[k] : NULL;
		int cmp = i == ix->nr ? 1 : !s ? -1 : strcmp(ix->entries[i]->name, s->name);

		if (cmp < 0) {
			all[nr++] = ix->entries[i++];
			continue;
		}
		i += !cmp;
		cache_tree_invalidate(ix, s->name);
		for (const char *name = s->name; k < stages->nr && !strcmp(stages->entries[k]->name, name); k++) {
			s = stages->entries[k];
			all[nr++] = index_entry_new(ix, s->mode, &s->oid, s->name, s->name_len, s->stage);
		}
	}
	free(ix->entries);
	ix->entries = all;
	ix->nr = nr;
	ix->alloc = nr;
}

static int finish_index(struct result_update *u, struct err *err)
{
	bool conflicts = u->stages && u->stages->nr;
	int rc = 0;

	if (conflicts)
		put_stages(&u->ix, u->stages);
	else if (u->plan.result_is_last_tree && !u->before)
		rc = cache_tree_prime(&u->ix, u->r, u->to, err);
	u->ix.changed = true;
	return rc;
}

int result_update_run(struct result_update *u, struct err *err)
{
	int rc;

	u->plan.before_files = mark_update;
	u->plan.before_files_data = u;
	rc = write_result_files(u, err);
	if (!rc)
		rc = finish_index(u, err);
	if (rc)
		return rc;
	repo_operation_set_index(u->op, &u->ix);
	repo_operation_set_index_effects(u->op, INDEX_CHANGED_WORKTREE);
	return repo_operation_remove_state(u->op, STATE_WORKTREE_UPDATE, err);
}

void result_update_release(struct result_update *u)
{
	converter_free(u->conv);
	u->conv = NULL;
	unpack_trees_release(&u->plan);
	index_release(&u->ix);
}

/* ---- after an interruption ---- */

static bool has_same(const struct index_state *ix, const struct index_entry *e)
{
	const struct index_entry *other = index_find(ix, e->name, e->name_len);

	return other && other->mode == e->mode && oid_eq(&other->oid, &e->oid);
}

struct undo {
	struct repository *r;
	struct repo_operation *op;
	struct index_state from, to; /* the trees */
	struct index_state ix;
	bool head_stays;
	struct string_list removed, written; /* files */
};

static int reset_entry(struct undo *un, const struct index_entry *e, struct err *err)
{
	(void)index_remove(&un->ix, e->name, e->name_len); /* with its stages */
	return index_add(&un->ix, index_entry_new(&un->ix, e->mode, &e->oid, e->name, e->name_len, 0), INDEX_ADD_REPLACE,
			 un->r->settings.protect, err);
}

/* Where the trees differ, the index gets the entries of `want`. */
static int set_entries(struct undo *un, const struct index_state *want, const struct index_state *other, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < other->nr; i++) {
		const struct index_entry *e = other->entries[i];

		if (index_find(want, e->name, e->name_len))
			continue;
		(void)index_remove(&un->ix, e->name, e->name_len);
		worktree_remove_add(&un->removed, e->name, e->mode);
	}
	for (size_t i = 0; !rc && i < want->nr; i++) {
		if (has_same(other, want->entries[i]))
			continue;
		rc = reset_entry(un, want->entries[i], err);
		string_list_append(&un->written, want->entries[i]->name);
	}
	cache_tree_free(&un->ix.cache_tree);
	un->ix.changed = true;
	return rc;
}

/* Nothing of the working tree has been touched when this fails. */
static int check_edits(const struct undo *un, struct converter *conv, struct err *err)
{
	const struct interrupted_update u = { un->r, &un->from, &un->to, conv };
	int rc = interrupted_update_check(&u, &un->removed, err);

	return rc ? rc : interrupted_update_check(&u, &un->written, err);
}

/* Files that a user has edited since stay as they are. */
static int leave_out_edited(const struct undo *un, struct converter *conv, struct string_list *paths, struct err *err)
{
	const struct interrupted_update u = { un->r, &un->from, &un->to, conv };
	struct string_list rest = STRING_LIST_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < paths->nr; i++) {
		struct string_list one = { .items = &paths->items[i], .nr = 1 };
		struct err why = ERR_INIT;

		rc = interrupted_update_check(&u, &one, &why);
		if (!rc)
			string_list_append(&rest, one.items->string);
		else if (rc != ERR_CONFLICT)
			err_move(err, &why);
		rc = rc == ERR_CONFLICT ? 0 : rc;
		err_release(&why);
	}
	string_list_clear(paths, NULL);
	*paths = rest;
	return rc;
}

/* keeps_edits: HEAD and index have moved, so a file that was edited is a local change like any other. */
static int restore_files(struct undo *un, bool keeps_edits, struct err *err)
{
	const struct write_files_options o = { 0 };
	struct converter *conv = NULL;
	int rc = converter_new(&conv, un->r, &un->ix, ATTR_CHECKOUT, err);

	if (!rc && keeps_edits)
		rc = leave_out_edited(un, conv, &un->removed, err);
	if (!rc && keeps_edits)
		rc = leave_out_edited(un, conv, &un->written, err);
	if (!rc && !keeps_edits)
		rc = check_edits(un, conv, err);
	if (!rc)
		rc = worktree_write_prepare(un->r, &un->ix, &un->written, err);
	if (!rc)
		rc = worktree_remove_files(un->r, &un->removed, err);
	if (!rc)
		rc = worktree_write_files(un->r, &un->ix, &un->written, conv, &o, err);
	converter_free(conv);
	return rc;
}

/* Has HEAD moved to the new tree? */
static bool head_has_moved(struct repository *r, const struct object_id *to)
{
	struct object_id head, tree;

	return !ref_resolve(r->refs, "HEAD", &head, NULL, NULL, NULL) &&
	       !object_peel(odb_source(r->odb), &head, OBJ_TREE, &tree, NULL, NULL) && oid_eq(&tree, to);
}

static int undo_between(struct undo *un, const struct oid_array *trees, struct err *err)
{
	bool forward = !un->head_stays && head_has_moved(un->r, &trees->oid[1]);
	int rc = repo_operation_lock_index(un->op, err);

	if (!rc)
		rc = index_read_repo(&un->ix, un->r, err);
	if (!rc)
		rc = unpack_trees_list(un->r, &trees->oid[0], &un->from, err);
	if (!rc)
		rc = unpack_trees_list(un->r, &trees->oid[1], &un->to, err);
	if (!rc)
		rc = forward ? set_entries(un, &un->to, &un->from, err) : set_entries(un, &un->from, &un->to, err);
	if (!rc)
		rc = restore_files(un, forward, err);
	if (!rc)
		repo_operation_set_index(un->op, &un->ix);
	return rc ? rc : repo_operation_remove_state(un->op, STATE_WORKTREE_UPDATE, err);
}

int result_update_undo(struct repository *r, struct err *err)
{
	struct undo un = { .r = r };
	struct oid_array trees = OID_ARRAY_INIT;
	int rc;

	if (!result_update_is_unfinished(r))
		return 0;
	index_init(&un.ix, r->algo);
	index_init(&un.from, r->algo);
	index_init(&un.to, r->algo);
	un.op = repo_operation_begin(r);
	rc = read_marker(r, &trees, &un.head_stays, err);
	if (!rc)
		rc = undo_between(&un, &trees, err);
	rc = repo_operation_end(un.op, rc, err);
	oid_array_clear(&trees);
	string_list_clear(&un.removed, NULL);
	string_list_clear(&un.written, NULL);
	index_release(&un.ix);
	index_release(&un.from);
	index_release(&un.to);
	return rc;
}
