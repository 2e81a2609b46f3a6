/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Upstream and push destination of a branch: branch.*, remote.* and push.* of git-config(1),
 * as far as "@{u}" and "@{push}" need them.
 */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "repo/remotes.h"
#include "util/alloc.h"

static const char *get_string(struct repository *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static const char *get_string(struct repository *r, const char *fmt, ...)
{
	const struct config_entry *e;
	va_list ap;
	char *key;

	va_start(ap, fmt);
	key = xvstrfmt(fmt, ap);
	va_end(ap);
	e = config_get(r->config, key);
	free(key);
	return e ? e->value : NULL;
}

/* ---- refspecs ---- */

/*
 * By the first refspec of the remote that fits; negative ones are not heeded, as Git does not. NULL: none does, or there
 * is no such remote. Caller frees.
 */
static char *map_by_remote(struct repository *r, const char *remote, enum refspec_use use, const char *name)
{
	struct strbuf mapped = STRBUF_INIT;
	struct remotes *rs;
	struct remote *m = !repo_remotes(r, &rs, NULL) ? remotes_find(rs, remote) : NULL;
	const struct refspec *specs = !m ? NULL : use == REFSPEC_FETCH ? &m->fetch : &m->push;

	for (size_t i = 0; specs && i < specs->nr; i++)
		if (refspec_item_map(&specs->items[i], name, &mapped) && mapped.len)
			return strbuf_detach(&mapped, NULL);
	strbuf_release(&mapped);
	return NULL;
}

/* ---- upstream ---- */

static bool branch_exists(struct repository *r, const char *branch)
{
	char *ref = xstrfmt("refs/heads/%s", branch);
	bool exists = ref_exists(r->refs, ref);

	free(ref);
	return exists;
}

/* The first value; others are for git-pull(1). */
static const char *get_merge(struct repository *r, const char *branch)
{
	char *key = xstrfmt("branch.%s.merge", branch);
	size_t nr = 0;
	const struct config_entry *const *all = config_get_all(r->config, key, &nr);

	free(key);
	return nr ? all[0]->value : NULL;
}

int branch_upstream(struct repository *r, const char *branch, char **ref, struct err *err)
{
	const char *remote = get_string(r, "branch.%s.remote", branch);
	const char *merge = get_merge(r, branch);
	struct object_id oid;
	char *mapped;

	if (!remote || !merge) {
		if (!merge && !branch_exists(r, branch))
			return err_set(err, ERR_INVALID, "no such branch: '%s'", branch);
		return err_set(err, ERR_INVALID, "no upstream configured for branch '%s'", branch);
	}
	if (!strcmp(remote, ".")) {
		/* usually a full name, but short ones are accepted */
		mapped = NULL;
		*ref = ref_dwim(r->refs, merge, strlen(merge), &mapped, &oid) == 1 ?
			xstrdup(mapped) : xstrdup(merge);
		free(mapped);
		return 0;
	}
	mapped = map_by_remote(r, remote, REFSPEC_FETCH, merge);
	if (!mapped)
		return err_set(err, ERR_INVALID, "upstream branch '%s' not stored as a "
			       "remote-tracking branch", merge);
	*ref = mapped;
	return 0;
}

/* One remote after the other; the first refspec that fits counts for it. */
void remotes_fetching_into(struct repository *r, const char *ref, struct string_list *out)
{
	struct remotes *rs;

	if (repo_remotes(r, &rs, NULL) < 0)
		return;
	for (size_t i = 0; i < remotes_nr(rs); i++) {
		struct remote *m = remotes_at(rs, i);
		struct strbuf src = STRBUF_INIT;

		if (refspec_map_back(&m->fetch, ref, &src))
			string_list_append(out, m->name)->util = strbuf_detach(&src, NULL);
		strbuf_release(&src);
	}
}

/* ---- push ---- */

const char *branch_remote_name(struct repository *r, const char *branch, bool push)
{
	const char *name = NULL;

	if (push) {
		name = get_string(r, "branch.%s.pushremote", branch);
		if (!name)
			name = get_string(r, "remote.pushdefault");
	}
	return name ? name : get_string(r, "branch.%s.remote", branch);
}

static char *push_remote(struct repository *r, const char *branch)
{
	const char *name = branch_remote_name(r, branch, true);
	struct remotes *rs;

	if (!name)
		name = repo_remotes(r, &rs, NULL) < 0 ? "origin" : remotes_default(rs);
	return xstrdup(name);
}

char *branch_remote_ref(struct repository *r, const char *branch, bool push)
{
	const char *merge;
	char *remote, *name, *ref;

	if (!push) {
		merge = get_merge(r, branch);
		return merge ? xstrdup(merge) : NULL;
	}
	remote = push_remote(r, branch);
	name = xstrfmt("refs/heads/%s", branch);
	ref = map_by_remote(r, remote, REFSPEC_PUSH, name);
	free(name);
	free(remote);
	return ref;
}

/* The remote-tracking ref of the branch `dst` of the remote. */
static int tracking_for_push(struct repository *r, const char *remote, const char *dst,
			     char **ref, struct err *err)
{
	*ref = map_by_remote(r, remote, REFSPEC_FETCH, dst);
	if (*ref)
		return 0;
	return err_set(err, ERR_INVALID, "push destination '%s' on remote '%s' has no local "
		       "tracking branch", dst, remote);
}

static int push_by_refspecs(struct repository *r, const char *remote, const char *branch,
			    char **ref, struct err *err)
{
	char *name = xstrfmt("refs/heads/%s", branch);
	char *dst = map_by_remote(r, remote, REFSPEC_PUSH, name);
	int rc;

	if (!dst)
		rc = err_set(err, ERR_INVALID, "push refspecs for '%s' do not include '%s'",
			     remote, branch);
	else
		rc = tracking_for_push(r, remote, dst, ref, err);
	free(dst);
	free(name);
	return rc;
}

static int push_simple(struct repository *r, const char *remote, const char *branch,
		       char **ref, struct err *err)
{
	char *name = xstrfmt("refs/heads/%s", branch), *up = NULL, *current = NULL;
	int rc = branch_upstream(r, branch, &up, err);

	if (!rc)
		rc = tracking_for_push(r, remote, name, &current, err);
	if (!rc && strcmp(up, current))
		rc = err_set(err, ERR_INVALID, "cannot resolve 'simple' push to a single destination");
	if (!rc) {
		*ref = current;
		current = NULL;
	}
	free(current);
	free(up);
	free(name);
	return rc;
}

int branch_push_target(struct repository *r, const char *branch, char **ref, struct err *err)
{
	char *remote = push_remote(r, branch), *key, *name = xstrfmt("refs/heads/%s", branch);
	size_t nr = 0;
	int rc;

	key = xstrfmt("remote.%s.push", remote);
	config_get_all(r->config, key, &nr);
	free(key);
	if (nr)
		rc = push_by_refspecs(r, remote, branch, ref, err);
	else if (r->settings.push_default == PUSH_NOTHING)
		rc = err_set(err, ERR_INVALID,
			     "push has no destination (push.default is 'nothing')");
	else if (r->settings.push_default == PUSH_UPSTREAM)
		rc = branch_upstream(r, branch, ref, err);
	else if (r->settings.push_default == PUSH_SIMPLE)
		rc = push_simple(r, remote, branch, ref, err);
	else
		rc = tracking_for_push(r, remote, name, ref, err);
	free(name);
	free(remote);
	return rc;
}

bool tracked_commit(struct repository *r, const char *ref, struct object_id *oid)
{
	enum object_type type;

	return !ref_resolve(r->refs, ref, oid, NULL, NULL, NULL) &&
	       !object_peel(odb_source(r->odb), oid, OBJ_COMMIT, oid, &type, NULL);
}
