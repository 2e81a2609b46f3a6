/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Upstream and push destination of a branch: branch.*, remote.* and push.* of git-config(1),
 * as far as "@{u}" and "@{push}" need them.
 */
#include "compat/posix.h"
#include "history/revparse.h"
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

/* What `name` becomes by "src:dst" with a '*' in both or in neither. Caller frees. */
static char *map_pattern(const char *src, size_t src_len, const char *dst, const char *name)
{
	const char *star = memchr(src, '*', src_len), *dst_star = strchr(dst, '*');
	size_t before, after, len = strlen(name);

	if (!star || !dst_star)
		return !star && !dst_star && len == src_len && !memcmp(name, src, len) ?
			xstrdup(dst) : NULL;
	before = star - src;
	after = src_len - before - 1;
	if (len < before + after || memcmp(name, src, before) ||
	    memcmp(name + len - after, star + 1, after))
		return NULL;
	return xstrfmt("%.*s%.*s%s", (int)(dst_star - dst), dst,
		       (int)(len - before - after), name + before, dst_star + 1);
}

static char *map_by_refspec(const char *spec, const char *name)
{
	const char *colon;

	if (*spec == '+')
		spec++;
	colon = strchr(spec, ':');
	if (*spec == '^' || !colon || !colon[1])
		return NULL;
	return map_pattern(spec, colon - spec, colon + 1, name);
}

/* By the first refspec of remote.NAME.fetch or .push that fits; NULL if none does. */
static char *map_by_remote(struct repository *r, const char *remote, const char *direction,
			   const char *name)
{
	const struct config_entry *const *all;
	char *key = xstrfmt("remote.%s.%s", remote, direction), *mapped = NULL;
	size_t nr = 0, i;

	all = config_get_all(r->config, key, &nr);
	for (i = 0; i < nr && !mapped; i++)
		if (all[i]->value)
			mapped = map_by_refspec(all[i]->value, name);
	free(key);
	return mapped;
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
	mapped = map_by_remote(r, remote, "fetch", merge);
	if (!mapped)
		return err_set(err, ERR_INVALID, "upstream branch '%s' not stored as a "
			       "remote-tracking branch", merge);
	*ref = mapped;
	return 0;
}

/* What a fetch refspec stores as `ref`; NULL: it does not. Caller frees. */
static char *unmap_by_refspec(const char *spec, const char *ref)
{
	const char *colon;
	char *src, *found;

	if (*spec == '+')
		spec++;
	colon = strchr(spec, ':');
	if (*spec == '^' || !colon || !colon[1])
		return NULL;
	src = xstrndup(spec, colon - spec);
	found = map_pattern(colon + 1, strlen(colon + 1), src, ref);
	free(src);
	return found;
}

/* Is `src` excluded by a refspec "^src" of remote.NAME.fetch? */
static bool is_excluded(struct repository *r, const char *remote, const char *src)
{
	const struct config_entry *const *all;
	char *key = xstrfmt("remote.%s.fetch", remote), *mapped = NULL;
	bool excluded;
	size_t nr = 0, i;

	all = config_get_all(r->config, key, &nr);
	for (i = 0; i < nr && !mapped; i++) {
		const char *pattern = all[i]->value;

		if (pattern && *pattern++ == '^')
			mapped = map_pattern(pattern, strlen(pattern), pattern, src);
	}
	excluded = mapped != NULL;
	free(mapped);
	free(key);
	return excluded;
}

/* remote.NAME.fetch of one remote after the other; the first that fits counts for it. */
void remotes_fetching_into(struct repository *r, const char *ref, struct string_list *out)
{
	for (size_t i = 0; i < config_nr(r->config); i++) {
		const struct config_entry *e = config_at(r->config, i);
		const char *rest;
		char *remote, *src;
		bool unwanted;
		size_t len;

		if (!skip_prefix(e->key, "remote.", &rest) || !e->value ||
		    !strip_suffix(rest, ".fetch", &len))
			continue;
		src = unmap_by_refspec(e->value, ref);
		if (!src)
			continue;
		remote = xstrndup(rest, len);
		unwanted = is_excluded(r, remote, src);
		for (size_t j = 0; j < out->nr; j++)
			unwanted |= !strcmp(out->items[j].string, remote);
		if (unwanted)
			free(src);
		else
			string_list_append(out, remote)->util = src;
		free(remote);
	}
}

/* ---- push ---- */

/* The only remote there is, or "origin". Caller frees. */
static char *default_remote(struct repository *r)
{
	const char *only = NULL, *rest;
	size_t i, len = 0;
	bool several = false;

	for (i = 0; i < config_nr(r->config); i++) {
		const struct config_entry *e = config_at(r->config, i);
		const char *dot = strrchr(e->key, '.');

		if (!skip_prefix(e->key, "remote.", &rest) || rest > dot)
			continue;
		if (only && (len != (size_t)(dot - rest) || memcmp(only, rest, len)))
			several = true;
		only = rest;
		len = dot - rest;
	}
	return only && !several ? xstrndup(only, len) : xstrdup("origin");
}

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

	return name ? xstrdup(name) : default_remote(r);
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
	ref = map_by_remote(r, remote, "push", name);
	free(name);
	free(remote);
	return ref;
}

/* The remote-tracking ref of the branch `dst` of the remote. */
static int tracking_for_push(struct repository *r, const char *remote, const char *dst,
			     char **ref, struct err *err)
{
	*ref = map_by_remote(r, remote, "fetch", dst);
	if (*ref)
		return 0;
	return err_set(err, ERR_INVALID, "push destination '%s' on remote '%s' has no local "
		       "tracking branch", dst, remote);
}

static int push_by_refspecs(struct repository *r, const char *remote, const char *branch,
			    char **ref, struct err *err)
{
	char *name = xstrfmt("refs/heads/%s", branch);
	char *dst = map_by_remote(r, remote, "push", name);
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
