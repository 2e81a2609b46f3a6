/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps around a push: the hook before it, remote-tracking refs, the upstream of branches, advice.
 */
#include "compat/posix.h"
#include "builtin/push/push.h"
#include "object/tree.h"
#include "operation/operation.h"
#include "refs/refs.h"
#include "repo/hook.h"
#include "util/alloc.h"
#include "util/run-command.h"

/* ---- the hook: githooks(5), pre-push ---- */

int push_run_hook(struct push_cmd *c, const char *url, struct err *err)
{
	const char *args[] = { c->remote->name, url, NULL };
	struct strbuf in = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < c->list.nr; i++) {
		const struct push_update *u = &c->list.items[i];

		if (u->status != PUSH_PENDING)
			continue;
		strbuf_addf(&in, "%s ", u->src ? u->src : "(delete)");
		strbuf_add_oid(&in, &u->new_oid);
		strbuf_addf(&in, " %s ", u->dst);
		strbuf_add_oid(&in, &u->old_oid);
		strbuf_addch(&in, '\n');
	}
	fflush(stdout);
	rc = repo_run_hook_on_stdout(c->r, "pre-push", args, in.buf, err);
	strbuf_release(&in);
	return rc;
}

/* ---- what the commits need of submodules ---- */

/* Commits of submodules that the new trees name, by path, "PATH\0" once. */
static int note_gitlink(void *data, const char *path, size_t len, const struct tree_entry *e, struct err *err UNUSED)
{
	if (MODE_IS_GITLINK(e->mode))
		strvec_pushf(data, "%.*s:%s", (int)len, path, oid_hex(&e->oid));
	return MODE_IS_TREE(e->mode) ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
}

/* Is the commit in any remote-tracking branch of the submodule? One that is not checked out cannot be asked. */
static bool is_pushed(const char *path, const char *hex)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool pushed;

	strvec_pushl(&cp.args, "git", "rev-list", hex, "--not", "--remotes", "-n", "1", NULL);
	for (const char *const *v = repo_local_env; *v; v++)
		strvec_push(&cp.env, *v);
	cp.dir = path;
	pushed = pipe_command(&cp, NULL, 0, &out, NULL, 0, &err) == 0 && !out.len;
	err_release(&err);
	strbuf_release(&out);
	return pushed;
}

static int list_gitlinks(struct push_cmd *c, struct strvec *out, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(c->r->odb);
	struct object_id tree;
	int rc = 0;

	for (size_t i = 0; i < c->list.nr && !rc; i++)
		if (c->list.items[i].status == PUSH_PENDING && !oid_is_null(&c->list.items[i].new_oid) &&
		    !object_peel(src, &c->list.items[i].new_oid, OBJ_TREE, &tree, NULL, NULL))
			rc = tree_walk(src, &tree, "", note_gitlink, out, err);
	strvec_sort_unique(out);
	return rc;
}

int push_check_submodules(struct push_cmd *c, struct err *err)
{
	struct strvec links = STRVEC_INIT;
	struct strbuf missing = STRBUF_INIT;
	int rc = list_gitlinks(c, &links, err);

	for (size_t i = 0; i < links.nr && !rc; i++) {
		const char *colon = strrchr(links.v[i], ':');
		char *path = xstrndup(links.v[i], (size_t)(colon - links.v[i])), *gitdir = NULL;

		if (!gitlink_find_gitdir(&gitdir, path, NULL) && gitdir && !is_pushed(path, colon + 1))
			strbuf_addf(&missing, "  %s\n", path);
		free(gitdir);
		free(path);
	}
	if (!rc && missing.len)
		rc = err_set(err, ERR_ABORTED, "The following submodule paths contain changes that can\n"
			     "not be found on any remote:\n%s\nPlease push them first, in each of these directories.",
			     missing.buf);
	strvec_clear(&links);
	strbuf_release(&missing);
	return rc;
}

/* ---- remote-tracking refs afterwards ---- */

static int follow(struct push_cmd *c, struct ref_transaction *t, const char *dst, const struct object_id *oid,
		  struct err *err)
{
	char *name = NULL;
	int rc = 0;

	if (!push_find_tracking(c->r, c->remote, dst, &name, NULL))
		return 0;
	if (c->verbose > 0)
		fprintf(stderr, "updating local tracking ref '%s'\n", name);
	if (!oid_is_null(oid))
		rc = ref_transaction_update(t, name, oid, NULL, 0, "update by push", err);
	else if (ref_exists(c->r->refs, name))
		rc = ref_transaction_update(t, name, oid, NULL, REF_NO_DEREF, NULL, err);
	free(name);
	return rc;
}

static int follow_update(struct push_cmd *c, struct ref_transaction *t, const struct push_update *u, struct err *err)
{
	int rc = 0;

	if (u->status != PUSH_OK && u->status != PUSH_UP_TO_DATE)
		return 0;
	if (!u->results.nr)
		return follow(c, t, u->dst, &u->new_oid, err);
	for (size_t i = 0; i < u->results.nr && !rc; i++)
		rc = follow(c, t, u->results.items[i].name ? u->results.items[i].name : u->dst,
			    u->results.items[i].has_new ? &u->results.items[i].new_oid : &u->new_oid, err);
	return rc;
}

/* "branch.NAME.remote" and ".merge" of branches that were pushed to branches. */
struct upstreams {
	struct config_edit *items;
	size_t nr, alloc;
	struct strbuf told; /* when it is durable */
};

static void add_edit(struct upstreams *u, const char *branch, const char *key, const char *value)
{
	ALLOC_GROW(u->items, u->nr + 1, u->alloc);
	u->items[u->nr++] = (struct config_edit){ .key = xstrfmt("branch.%s.%s", branch, key), .value = value, .multi = true };
}

static void add_upstream(struct push_cmd *c, const struct push_update *u, struct upstreams *out)
{
	const char *branch, *there = u->dst;
	struct object_id oid;
	char *final = NULL;

	if ((u->status == PUSH_OK || u->status == PUSH_UP_TO_DATE) && !oid_is_null(&u->new_oid) &&
	    skip_prefix(there, "refs/heads/", &there) && !ref_resolve(c->r->refs, u->src, &oid, &final, NULL, NULL) &&
	    skip_prefix(final, "refs/heads/", &branch)) {
		add_edit(out, branch, "remote", c->remote->name);
		add_edit(out, branch, "merge", u->dst);
		if (!c->quiet)
			strbuf_addf(&out->told, "branch '%s' set up to track '%s/%s'.\n", branch, c->remote->name, there);
	}
	free(final);
}

static int stage_upstreams(struct push_cmd *c, struct repo_operation *op, struct strbuf *told, struct err *err)
{
	struct upstreams all = { .told = STRBUF_INIT };
	char *path = xstrfmt("%s/config", c->r->commondir);
	int rc = 0;

	for (size_t i = 0; i < c->list.nr; i++)
		add_upstream(c, &c->list.items[i], &all);
	if (all.nr)
		rc = config_file_edit_all(path, all.items, all.nr, repo_operation_batch(op), err);
	for (size_t i = 0; i < all.nr; i++)
		free((char *)all.items[i].key);
	strbuf_swap(told, &all.told);
	strbuf_release(&all.told);
	free(all.items);
	free(path);
	return rc;
}

int push_record(struct push_cmd *c, struct err *err)
{
	struct strbuf told = STRBUF_INIT;
	struct repo_operation *op = repo_operation_begin(c->r);
	struct ref_transaction *t;
	int rc = repo_operation_begin_refs(op, REF_TRANSACTION_ALLOW_FAILURE, &t, err);

	for (size_t i = 0; i < c->list.nr && !rc; i++)
		rc = follow_update(c, t, &c->list.items[i], err);
	if (!rc && c->set_upstream)
		rc = stage_upstreams(c, op, &told, err);
	rc = repo_operation_end(op, rc, err);
	if (!rc)
		fputs(told.buf, stdout);
	strbuf_release(&told);
	return rc;
}

/* ---- advice ---- */

static bool has_status(const struct push_cmd *c, enum push_status status, bool current_only)
{
	for (size_t i = 0; i < c->list.nr; i++) {
		const struct push_update *u = &c->list.items[i];
		const char *branch = u->dst;
		bool current = c->branch && skip_prefix(branch, "refs/heads/", &branch) && !strcmp(branch, c->branch);

		if (u->status == status && (!current_only || current))
			return true;
	}
	return false;
}

#define FAST_FORWARD_NOTE "See the 'Note about fast-forwards' in 'git push --help' for details."

void push_advise(struct push_cmd *c)
{
	static const struct {
		enum push_status status;
		bool current;
		const char *key, *text;
	} advice[] = {
		{ PUSH_REJECT_NON_FAST_FORWARD, true, "pushNonFFCurrent",
		  "Updates were rejected because the tip of your current branch is behind\n"
		  "its remote counterpart. If you want to integrate the remote changes,\n"
		  "use 'git pull' before pushing again.\n" FAST_FORWARD_NOTE },
		{ PUSH_REJECT_NON_FAST_FORWARD, false, "pushNonFFMatching",
		  "Updates were rejected because a pushed branch tip is behind its remote\n"
		  "counterpart. If you want to integrate the remote changes, use 'git pull'\n"
		  "before pushing again.\n" FAST_FORWARD_NOTE },
		{ PUSH_REJECT_ALREADY_EXISTS, false, "pushAlreadyExists",
		  "Updates were rejected because the tag already exists in the remote." },
		{ PUSH_REJECT_FETCH_FIRST, false, "pushFetchFirst",
		  "Updates were rejected because the remote contains work that you do not\n"
		  "have locally. This is usually caused by another repository pushing to\n"
		  "the same ref. If you want to integrate the remote changes, use\n"
		  "'git pull' before pushing again.\n" FAST_FORWARD_NOTE },
		{ PUSH_REJECT_NEEDS_FORCE, false, "pushNeedsForce",
		  "You cannot update a remote ref that points at a non-commit object,\n"
		  "or update a remote ref to make it point at a non-commit object,\n"
		  "without using the '--force' option." },
		{ PUSH_REJECT_REMOTE_UPDATED, false, "pushRefNeedsUpdate",
		  "Updates were rejected because the tip of the remote-tracking branch has\n"
		  "been updated since the last checkout. If you want to integrate the\n"
		  "remote changes, use 'git pull' before pushing again.\n" FAST_FORWARD_NOTE },
	};

	/* the second is its old name */
	if (!advice_enabled(c->r, "pushUpdateRejected") || !advice_enabled(c->r, "pushNonFastForward"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(advice); i++)
		if (has_status(c, advice[i].status, advice[i].current)) {
			if (advice_enabled(c->r, advice[i].key))
				advise("%s", advice[i].text);
			return;
		}
}
