/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of a rebase without merges; update-refs and exec. */
#include "compat/posix.h"
#include "diff/patch-id.h"
#include "history/revision/revision.h"
#include "pretty/pretty.h"
#include "repo/worktrees.h"
#include "sequence/rebase-list.h"
#include "sequence/rebase-merges.h"
#include "util/alloc.h"

/* ---- the walk ---- */

static int begin_walk(struct rev_walk **out, const struct rebase_list_options *o, struct err *err)
{
	char from[HASH_MAX_HEX + 1], head[HASH_MAX_HEX + 1], fork[HASH_MAX_HEX + 2];
	struct strvec args = STRVEC_INIT;
	struct rev_walk *w = NULL;
	int rc = rev_walk_new(&w, o->r, err);

	oid_to_hex_r(from, o->upstream ? o->upstream : o->onto);
	oid_to_hex_r(head, o->head);
	strvec_pushl(&args, "rebase", "--reverse", "--topo-order", "--right-only", NULL);
	if (!o->reapply_cherry_picks)
		strvec_push(&args, "--cherry-mark");
	if (!o->rebase_merges)
		strvec_push(&args, "--no-merges");
	strvec_pushf(&args, "%s...%s", from, head);
	if (o->fork_point) {
		oid_to_hex_r(fork, o->fork_point);
		strvec_pushf(&args, "^%s", fork);
	}
	strvec_push(&args, "--");
	if (!rc) {
		rev_walk_set_patch_ids(w, patch_id);
		rc = rev_walk_arguments(w, (int)args.nr, args.v, NULL, err);
	}
	if (!rc)
		rc = rev_walk_begin(w, err);
	strvec_clear(&args);
	*out = w;
	return rc;
}

static int add_pick(struct todo_list *list, const struct rebase_list_options *o, struct pretty *p,
		    struct commit_pool *pool, struct commit *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int empty = rebase_commit_is_empty(o->r, pool, c, err), rc = 0;

	if (empty < 0 || (empty && o->drop_empty))
		return empty < 0 ? empty : 0;
	rc = rebase_list_subject(p, pool, c, &text, err);
	if (empty)
		strbuf_addstr(&text, " # empty");
	if (!rc)
		todo_append(list, o->r, TODO_PICK, 0, &c->oid, text.buf);
	strbuf_release(&text);
	return rc;
}

static int add_walked(struct todo_list *list, const struct rebase_list_options *o, struct rev_walk *w, struct pretty *p,
		      struct oid_array *skipped, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = rev_walk_next(w, &c, err)) > 0) {
		/* An empty commit is not the same as another empty one, but with git-format-patch(1). */
		rc = !(c->flags & REV_PATCH_SAME) ? 1 : o->empty_is_same ? 0 : rebase_commit_is_empty(o->r, w->pool, c, err);
		if (!rc)
			oid_array_append(skipped, &c->oid);
		else if (rc > 0)
			rc = add_pick(list, o, p, w->pool, c, err);
		commit_release_buffer(c);
		if (rc < 0)
			break;
	}
	return rc;
}

int rebase_list_make(struct todo_list *list, const struct rebase_list_options *o, struct oid_array *skipped,
		     struct err *err)
{
	struct rev_walk *w = NULL;
	struct pretty p;
	char *format = xstrfmt("format:%s", o->format && *o->format ? o->format : "%s");
	int rc;

	pretty_init(&p, o->r);
	rc = pretty_set_format(&p, format, err);
	if (!rc)
		rc = begin_walk(&w, o, err);
	if (!rc)
		rc = o->rebase_merges ? rebase_list_add_merges(list, o, w, &p, skipped, err) :
					add_walked(list, o, w, &p, skipped, err);
	rev_walk_free(w);
	pretty_release(&p);
	free(format);
	return rc;
}

/* ---- --update-refs ---- */

struct branch_lines {
	struct repository *r;
	struct todo_list *list;
	const char *head_name;
	struct string_list branches; /* by name; util: object id */
};

static int add_branch(void *data, const struct ref *ref)
{
	struct branch_lines *b = data;
	struct object_id *oid;

	if (ref->flags & (REF_IS_SYMREF | REF_IS_BROKEN) || !strcmp(ref->name, b->head_name))
		return 0;
	oid = xmalloc(sizeof(*oid));
	*oid = ref->oid;
	string_list_append(&b->branches, ref->name)->util = oid;
	return 0;
}

/* The last name comes first. */
static bool add_branches_at(const struct branch_lines *b, struct todo_list *out, const struct object_id *oid,
			    const struct worktree *worktrees)
{
	bool found = false;

	for (size_t i = b->branches.nr; i > 0; i--) {
		const struct string_list_item *item = &b->branches.items[i - 1];
		const struct worktree *used = oid_eq(item->util, oid) ? worktrees_find_branch(worktrees, item->string) : NULL;

		if (!oid_eq(item->util, oid))
			continue;
		if (used) {
			char *text = xstrfmt("# Ref %s checked out at '%s'", item->string, used->path);

			rebase_list_add_comment(out, b->r, text);
			free(text);
		} else {
			todo_append(out, b->r, TODO_UPDATE_REF, 0, NULL, item->string);
			todo_append(out, b->r, TODO_COMMENT, 0, NULL, NULL);
		}
		found = true;
	}
	return found;
}

int rebase_list_update_refs(struct todo_list *list, struct repository *r, const char *head_name, struct err *err)
{
	struct branch_lines b = { .r = r, .head_name = head_name };
	struct worktree *worktrees = NULL;
	struct todo_list out;
	int rc = refs_foreach(r->refs, "refs/heads/", REFS_NO_PEEL, add_branch, &b, err);

	if (!rc)
		rc = worktrees_read(&worktrees, r, err);
	todo_init(&out);
	for (size_t i = 0; !rc && i < list->nr; i++) {
		const struct todo_item *item = &list->items[i];

		rebase_list_copy(&out, r, list, item);
		if (item->command == TODO_PICK || item->command == TODO_MERGE)
			(void)add_branches_at(&b, &out, &item->oid, worktrees);
	}
	if (!rc)
		rebase_list_set(list, &out);
	todo_release(&out);
	string_list_clear(&b.branches, free);
	worktrees_free(worktrees);
	return rc;
}

/* ---- --exec ---- */

void rebase_list_exec(struct todo_list *list, struct repository *r, const struct strvec *commands)
{
	struct todo_list out;
	bool due = !list->nr;

	todo_init(&out);
	for (size_t i = 0; i <= list->nr; i++) {
		const struct todo_item *item = i < list->nr ? &list->items[i] : NULL;

		if (due && (!item || !todo_is_fixup(item->command))) {
			for (size_t k = 0; k < commands->nr; k++)
				todo_append(&out, r, TODO_EXEC, 0, NULL, commands->v[k]);
			due = false;
		}
		if (!item)
			break;
		due |= item->command == TODO_PICK || item->command == TODO_MERGE;
		rebase_list_copy(&out, r, list, item);
	}
	rebase_list_set(list, &out);
	todo_release(&out);
}
