/* SPDX-License-Identifier: GPL-2.0-only */
/* remote.<name>.followRemoteHEAD and --set-upstream: git-config(1), git-fetch(1). */
#include "compat/posix.h"
#include "porcelain/branch.h"
#include "porcelain/fetch-internal.h"
#include "util/alloc.h"

/* ---- <remote>/HEAD ---- */

/* The only branch there at `oid`; NULL: none, or several. */
static const struct remote_ref *branch_at(const struct remote_refs *refs, const struct object_id *oid)
{
	const struct remote_ref *found = NULL;

	for (size_t i = 0; i < refs->nr; i++) {
		const struct remote_ref *ref = &refs->items[i];

		if (!starts_with(ref->name, "refs/heads/") || !oid_eq(&ref->oid, oid))
			continue;
		if (found)
			return NULL;
		found = ref;
	}
	return found;
}

/*
 * The branch that HEAD is there, without refs/heads/, or the only one at a detached HEAD; NULL: none, an unborn one, or the
 * server has not listed it.
 */
static const char *head_there(const struct remote_refs *refs)
{
	const struct remote_ref *head = remote_refs_find(refs, "HEAD"), *ref;
	const char *branch;

	if (!head || oid_is_null(&head->oid))
		return NULL;
	ref = head->symref_target ? remote_refs_find(refs, head->symref_target) : branch_at(refs, &head->oid);
	return ref && skip_prefix(ref->name, "refs/heads/", &branch) ? branch : NULL;
}

/* The fetch puts it there, or it is there already, and stays. */
static bool will_be_there(struct repository *r, const struct remote *remote, const char *ref, const char *branch,
			  const struct strvec *pruned)
{
	struct strbuf src = STRBUF_INIT, dst = STRBUF_INIT;
	bool placed = false, excluded;

	strbuf_addf(&src, "refs/heads/%s", branch);
	excluded = refspec_excludes(&remote->fetch, src.buf);
	for (size_t i = 0; i < remote->fetch.nr && !placed && !excluded; i++) {
		struct refspec one = { .items = &remote->fetch.items[i], .nr = 1 };

		strbuf_reset(&dst);
		placed = refspec_map(&one, src.buf, &dst) && !strcmp(dst.buf, ref);
	}
	strbuf_release(&src);
	strbuf_release(&dst);
	return placed || (ref_exists(r->refs, ref) && !strvec_contains(pruned, ref));
}

static char *word_about(const struct remote *remote, const char *there, const char *here)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "'HEAD' at '%s' is '%s', but we have ", remote->name, there);
	if (here)
		strbuf_addf(&text, "'%s' locally.\n", here);
	else
		strbuf_addstr(&text, "a detached HEAD locally.\n");
	return strbuf_detach(&text, NULL);
}

/* What HEAD is here: a branch of the remote, without the directory; NULL otherwise. Caller frees. */
static char *head_here(struct repository *r, const struct remote *remote, const char *ref, bool *exists)
{
	struct object_id oid;
	char *target = NULL, *name = NULL, *prefix = xstrfmt("refs/remotes/%s/", remote->name);
	const char *rest;
	int rc = ref_read_raw(r->refs, ref, &oid, &target, NULL);

	*exists = !rc;
	if (!rc && target)
		name = xstrdup(skip_prefix(target, prefix, &rest) ? rest : target);
	free(prefix);
	free(target);
	return name;
}

static bool wants_word(const struct remote *remote, const char *there)
{
	return remote->follow_head == FOLLOW_HEAD_WARN ||
	       (remote->follow_head == FOLLOW_HEAD_WARN_IF_NOT && strcmp(remote->follow_head_branch, there) != 0);
}

/* A bare mirror has no refs/remotes/<name>/HEAD: its own HEAD follows, whatever it was. */
static void decide_head_of_mirror(struct repository *r, const struct remote *remote, const char *there,
				  const struct strvec *pruned, struct fetch_head *out)
{
	char *target = xstrfmt("refs/heads/%s", there), *here = NULL;
	struct object_id oid;

	if (ref_read_raw(r->refs, "HEAD", &oid, &here, NULL) < 0)
		here = NULL;
	if (refname_is_valid(target, 0) && will_be_there(r, remote, target, there, pruned) && (!here || strcmp(here, target) != 0)) {
		out->ref = xstrdup("HEAD");
		out->target = target;
		target = NULL;
	}
	free(here);
	free(target);
}

void fetch_decide_head(struct repository *r, const struct remote *remote, const struct remote_refs *refs,
		       const struct strvec *pruned, struct fetch_head *out)
{
	const char *there = head_there(refs);
	char *ref, *target, *here;
	bool exists;

	if (!there || remote->follow_head == FOLLOW_HEAD_NEVER)
		return;
	if (remote->mirror && r->bare) {
		decide_head_of_mirror(r, remote, there, pruned, out);
		return;
	}
	ref = xstrfmt("refs/remotes/%s/HEAD", remote->name);
	target = xstrfmt("refs/remotes/%s/%s", remote->name, there);
	here = head_here(r, remote, ref, &exists);
	if (!refname_is_valid(target, 0) || !will_be_there(r, remote, target, there, pruned) || (here && !strcmp(here, there)))
		goto out;
	if (!exists || remote->follow_head == FOLLOW_HEAD_ALWAYS) {
		out->ref = ref;
		out->target = target;
		ref = target = NULL;
	} else if (wants_word(remote, there)) {
		out->word = word_about(remote, there, here);
		out->there = xstrdup(there);
	}
out:
	free(here);
	free(target);
	free(ref);
}

int fetch_commit_head(struct repo_operation *op, const struct fetch_head *head, struct err *err)
{
	struct ref_transaction *t;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc)
		rc = ref_transaction_update_symref(t, head->ref, head->target, NULL, REF_NO_DEREF, "fetch", err);
	return rc ? rc : repo_operation_commit(op, err);
}

/* ---- --set-upstream ---- */

/* The only ref that was fetched and has no place of its own here; NULL, and *why: none, or several. */
static const struct fetch_item *single_source(const struct fetch_map *map, const char **why)
{
	const struct fetch_item *found = NULL;

	*why = "no source branch found;\nyou need to specify exactly one branch with the --set-upstream option";
	for (size_t i = 0; i < map->nr; i++) {
		if (map->items[i].dst)
			continue;
		if (found) {
			*why = "multiple branches detected, incompatible with --set-upstream";
			return NULL;
		}
		found = &map->items[i];
	}
	return found;
}

/* Why `src` can be no upstream; NULL: it can. */
static const char *no_upstream_kind(const char *src)
{
	if (starts_with(src, "refs/remotes/"))
		return "not setting upstream for a remote remote-tracking branch";
	if (starts_with(src, "refs/tags/"))
		return "not setting upstream for a remote tag";
	return strcmp(src, "HEAD") != 0 && !starts_with(src, "refs/heads/") ? "unknown branch type" : NULL;
}

static char *detached_text(const char *src, const struct remote *remote)
{
	(void)skip_prefix(src, "refs/heads/", &src);
	return xstrfmt("could not set upstream of HEAD to '%s' from '%s' when it does not point to any branch.", src,
		       remote->name);
}

static int stage_upstream_of(const char *branch, const char *merge, const struct remote *remote, const struct repository *r,
			     struct fsync_batch *batch, struct err *err)
{
	char *remote_key = xstrfmt("branch.%s.remote", branch);
	char *merge_key = xstrfmt("branch.%s.merge", branch);
	char *path = xstrfmt("%s/config", r->commondir);
	const struct config_edit edits[] = {
		{ .key = remote_key, .value = remote->name, .multi = true },
		{ .key = merge_key, .value = merge, .multi = true },
	};
	int rc = config_file_edit_all(path, edits, ARRAY_SIZE(edits), batch, err);

	free(path);
	free(merge_key);
	free(remote_key);
	return rc;
}

int fetch_stage_upstream(struct repo_operation *op, struct repository *r, const struct remote *remote,
			 const struct fetch_map *map, char **warning, struct err *err)
{
	const char *why, *branch = NULL;
	const struct fetch_item *item = single_source(map, &why);
	struct object_id oid;
	char *target = NULL;
	int rc = ref_read_raw(r->refs, "HEAD", &oid, &target, err);

	if (target)
		(void)skip_prefix(target, "refs/heads/", &branch);
	if (item)
		why = no_upstream_kind(item->src);
	if (!rc && item && !branch)
		*warning = detached_text(item->src, remote);
	else if (!rc && why)
		*warning = xstrdup(why);
	else if (!rc && op)
		rc = stage_upstream_of(branch, item->src, remote, r, repo_operation_batch(op), err);
	free(target);
	return rc;
}
