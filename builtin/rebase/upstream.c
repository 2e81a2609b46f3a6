/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): between which commits history moves. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "commit/commit.h"
#include "history/merge-heads.h"
#include "history/names/revparse.h"
#include "porcelain/head.h"
#include "repo/ident.h"
#include "repo/worktrees.h"
#include "util/alloc.h"

static int parse_commit(struct rebase_cmd *c, const struct object_id *oid, struct commit **out, struct err *err)
{
	*out = commit_lookup(c->pool, oid);
	return commit_parse_node(c->pool, *out, err);
}

/* ---- the branch ---- */

static int use_branch(struct rebase_cmd *c, const char *ref, const struct object_id *oid)
{
	c->state.head_name = xstrdup(ref ? ref : REBASE_DETACHED);
	c->state.orig_head = *oid;
	c->branch_name = ref ? c->state.head_name : "HEAD";
	(void)skip_prefix(c->branch_name, "refs/heads/", &c->branch_name);
	return 0;
}

static int refuse_other_worktree(struct rebase_cmd *c, const char *ref, struct err *err)
{
	struct worktree *list = NULL;
	const struct worktree *used;
	const char *name = ref;
	int rc = worktrees_read(&list, c->r, err);

	if (rc)
		return rc;
	(void)skip_prefix(name, "refs/heads/", &name);
	used = worktrees_find_branch(list, ref);
	if (used && !used->is_current)
		rc = err_set(err, ERR_CONFLICT, "'%s' is already used by worktree at '%s'", name, used->path);
	worktrees_free(list);
	return rc;
}

static int use_named(struct rebase_cmd *c, const char *name, struct err *err)
{
	struct object_id oid;
	char *ref = xstrfmt("refs/heads/%s", name);
	int rc = 0;

	c->switches = true;
	if (!ref_resolve(c->r->refs, ref, &oid, NULL, NULL, NULL)) {
		rc = refuse_other_worktree(c, ref, err);
		if (!rc)
			rc = use_branch(c, ref, &oid);
	} else if (revparse_commit(c->r, name, &oid, NULL)) {
		rc = err_set(err, ERR_NOT_FOUND, "no such branch/commit '%s'", name);
	} else {
		rc = use_branch(c, NULL, &oid);
		c->branch_name = name;
	}
	free(ref);
	return rc;
}

static int read_head_of(struct rebase_cmd *c, struct err *err)
{
	bool unborn = false;
	int rc = head_read(c->r, &c->head, &c->head_ref, &unborn, err);

	if (c->head_ref && !strcmp(c->head_ref, "HEAD")) {
		free(c->head_ref);
		c->head_ref = NULL;
	}
	if (!rc && unborn)
		rc = err_set(err, ERR_NOT_FOUND, "Could not resolve HEAD to a commit");
	return rc;
}

/* ---- upstream ---- */

static int explain_no_upstream(struct rebase_cmd *c)
{
	const char *branch = c->head_ref, *remote;

	(void)(branch && skip_prefix(branch, "refs/heads/", &branch));
	if (branch)
		fputs("There is no tracking information for the current branch.\n", stdout);
	else
		fputs("You are not currently on a branch.\n", stdout);
	fputs("Please specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n"
	      "    git rebase '<branch>'\n\n", stdout);
	remote = branch ? branch_remote_name(c->r, branch, false) : NULL;
	if (branch)
		printf("If you wish to set tracking information for this branch you can do so with:\n\n"
			"    git branch --set-upstream-to=%s/<branch> %s\n\n", remote ? remote : "<remote>", branch);
	return 1;
}

/* The upstream of the branch, by its full name. */
static char *configured_upstream(struct rebase_cmd *c)
{
	const char *branch = c->head_ref;
	char *ref = NULL;

	if (!branch || !skip_prefix(branch, "refs/heads/", &branch) || branch_upstream(c->r, branch, &ref, NULL) < 0)
		return NULL;
	return ref;
}

static int find_upstream(struct rebase_cmd *c, int argc, const char **argv, struct err *err)
{
	if (c->o.root)
		return 0;
	c->upstream_name = argc ? xstrdup(strcmp(argv[0], "-") ? argv[0] : "@{-1}") : configured_upstream(c);
	if (!c->upstream_name)
		return explain_no_upstream(c);
	if (!argc && c->o.fork_point < 0)
		c->o.fork_point = true;
	if (revparse_commit(c->r, c->upstream_name, &c->upstream, NULL))
		return err_set(err, ERR_NOT_FOUND, "invalid upstream '%s'", c->upstream_name);
	c->has_upstream = true;
	return 0;
}

/* ---- onto ---- */

/* A...B: their one merge base. */
static int find_onto_base(struct rebase_cmd *c, const char *name, const char *dots, const char *why_not, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	char *left = dots > name ? xstrndup(name, (size_t)(dots - name)) : xstrdup("HEAD");
	struct object_id a_oid, b_oid;
	struct commit *a, *b;
	int rc = 0;

	if (revparse_commit(c->r, left, &a_oid, NULL) || revparse_commit(c->r, dots[3] ? dots + 3 : "HEAD", &b_oid, NULL))
		rc = err_set(err, ERR_NOT_FOUND, "%s", why_not);
	if (!rc)
		rc = parse_commit(c, &a_oid, &a, err);
	if (!rc)
		rc = parse_commit(c, &b_oid, &b, err);
	if (!rc)
		rc = merge_bases(c->pool, a, &b, 1, &bases, err);
	if (!rc && bases.nr != 1)
		rc = err_set(err, ERR_INVALID, "%s", why_not);
	if (!rc)
		c->state.onto = bases.items[0]->oid;
	commit_list_clear(&bases);
	free(left);
	return rc;
}

/* The commit without a tree onto which roots are picked. */
static int make_squash_onto(struct rebase_cmd *c, struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	struct repo_operation *op = rebase_take_operation(c);
	struct new_commit n = { .draft = { .tree = c->r->algo->empty_tree, .message = "" } };
	int rc = repo_ident(c->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);

	if (!rc)
		rc = repo_ident(c->r, &committer, IDENT_COMMITTER | IDENT_STRICT, err);
	n.draft.author = author.buf;
	n.draft.committer = committer.buf;
	if (!rc)
		rc = commit_create(op, &n, &c->state.squash_onto, err);
	rc = rebase_leave_operation(c, op, rc, err);
	c->state.onto = c->state.squash_onto;
	strbuf_release(&author);
	strbuf_release(&committer);
	return rc;
}

static int find_onto(struct rebase_cmd *c, struct err *err)
{
	const char *dots;

	if (c->o.root && !c->o.onto) {
		int rc = make_squash_onto(c, err);

		c->onto_name = xstrdup(rc ? "" : oid_hex(&c->state.onto));
		return rc;
	}
	if (c->o.keep_base)
		c->onto_name = xstrfmt("%s...%s", c->upstream_name, c->branch_name);
	else
		c->onto_name = xstrdup(c->o.onto ? c->o.onto : c->upstream_name);
	dots = strstr(c->onto_name, "...");
	if (dots) {
		char *why_not = xstrfmt("'%s': need exactly one merge base%s", c->o.keep_base ? c->upstream_name : c->onto_name,
					c->o.keep_base ? " with branch" : "");
		int rc = find_onto_base(c, c->onto_name, dots, why_not, err);

		free(why_not);
		return rc;
	}
	if (revparse_commit(c->r, c->onto_name, &c->state.onto, NULL))
		return err_set(err, ERR_NOT_FOUND, "Does not point to a valid commit '%s'", c->onto_name);
	return 0;
}

/* ---- fork point ---- */

static int find_fork_point_commit(struct rebase_cmd *c, struct err *err)
{
	struct commit *derived, *found = NULL;
	int rc;

	if (c->o.fork_point <= 0 || !c->has_upstream)
		return 0;
	rc = parse_commit(c, &c->state.orig_head, &derived, err);
	/* A name that is no ref has no fork point. */
	if (!rc && fork_point_of(c->pool, c->r, c->upstream_name, derived, &found, NULL) < 0)
		found = NULL;
	if (found) {
		c->fork_point = found->oid;
		c->has_fork_point = true;
	}
	return rc;
}

int rebase_find_commits(struct rebase_cmd *c, int argc, const char **argv, struct err *err)
{
	const int branch_at = c->o.root ? 0 : 1;
	int rc = commit_pool_new(&c->pool, c->r, err);

	if (!rc)
		rc = read_head_of(c, err);
	if (!rc)
		rc = find_upstream(c, argc, argv, err);
	if (!rc)
		rc = argc > branch_at ? use_named(c, argv[branch_at], err) : use_branch(c, c->head_ref, &c->head);
	if (!rc)
		rc = find_onto(c, err);
	return rc ? rc : find_fork_point_commit(c, err);
}

/* ---- is there anything to do? ---- */

/* The one merge base, or NULL. */
static int one_base(struct rebase_cmd *c, struct commit *a, struct commit *b, struct commit **out, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(c->pool, a, &b, 1, &bases, err);

	*out = !rc && bases.nr == 1 ? bases.items[0] : NULL;
	commit_list_clear(&bases);
	return rc;
}

/* No merges, from `to` down to `from`. */
static int is_linear(struct rebase_cmd *c, const struct commit *from, struct commit *to, struct err *err)
{
	while (to != from) {
		int rc = commit_parse_node(c->pool, to, err);

		if (rc < 0)
			return rc;
		if (to->nr_parents != 1)
			return 0;
		to = to->parents[0];
	}
	return 1;
}

int rebase_is_up_to_date(struct rebase_cmd *c, struct err *err)
{
	struct commit *onto, *head, *upstream, *base;
	int rc = parse_commit(c, &c->state.onto, &onto, err);

	if (c->o.interactive || c->o.exec.nr || c->o.autosquash > 0 || c->o.root || c->o.fixes_whitespace)
		return 0;
	if (!rc)
		rc = parse_commit(c, &c->state.orig_head, &head, err);
	if (!rc)
		rc = one_base(c, onto, head, &base, err);
	if (rc || base != onto)
		return rc;
	if (c->has_fork_point && !oid_eq(&c->fork_point, &base->oid))
		return 0;
	rc = parse_commit(c, &c->upstream, &upstream, err);
	if (!rc)
		rc = one_base(c, upstream, head, &base, err);
	if (rc || base != onto)
		return rc;
	return is_linear(c, onto, head, err);
}
