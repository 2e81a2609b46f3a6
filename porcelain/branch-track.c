/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a branch comes from: branch.NAME.remote, .merge and .rebase of git-config(1). */
#include "compat/posix.h"
#include "porcelain/branch.h"
#include "util/alloc.h"
#include "history/names/revparse.h"

const struct config_entry *branch_config(struct repository *r, const char *name, const char *key)
{
	char *full = xstrfmt("branch.%s.%s", name, key);
	const struct config_entry *e = config_get(r->config, full);

	free(full);
	return e && e->value ? e : NULL;
}

/* ---- the upstream to track ---- */

struct tracking {
	char *remote;	     /* NULL: this repository */
	struct strvec refs;  /* as they are called there */
};
#define TRACKING_INIT { NULL, STRVEC_INIT }

static void tracking_release(struct tracking *t)
{
	free(t->remote);
	strvec_clear(&t->refs);
}

/* What start_ref tracks itself; false (and told) if that is nothing. */
static bool inherit(struct repository *r, const char *start_ref, struct tracking *t)
{
	const struct config_entry *remote, *const *merge;
	const char *branch = start_ref;
	char *key;
	size_t nr = 0;

	skip_prefix(start_ref, "refs/heads/", &branch);
	remote = branch_config(r, branch, "remote");
	if (!remote) {
		warning("asked to inherit tracking from '%s', but no remote is set", branch);
		return false;
	}
	key = xstrfmt("branch.%s.merge", branch);
	merge = config_get_all(r->config, key, &nr);
	free(key);
	for (size_t i = 0; i < nr; i++)
		if (merge[i]->value)
			strvec_push(&t->refs, merge[i]->value);
	if (!t->refs.nr) {
		warning("asked to inherit tracking from '%s', but no merge configuration is set",
			branch);
		return false;
	}
	if (strcmp(remote->value, "."))
		t->remote = xstrdup(remote->value);
	return true;
}

static int ambiguous(struct repository *r, const char *ref, const struct string_list *remotes,
		     struct strbuf *advice, struct err *err)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < remotes->nr; i++)
		strbuf_addf(&names, "  %s\n", remotes->items[i].string);
	if (advice_enabled(r, "ambiguousFetchRefspec"))
		strbuf_addf(advice, "There are multiple remotes whose fetch refspecs map to the remote\n"
		       "tracking ref '%s':\n%s"
		       "\n"
		       "This is typically a configuration error.\n"
		       "\n"
		       "To support setting up tracking branches, ensure that\n"
		       "different remotes' fetch refspecs map into different\n"
		       "tracking namespaces.",
		       ref, names.buf);
	strbuf_release(&names);
	return err_set(err, ERR_AMBIGUOUS, "not tracking: ambiguous information for ref '%s'", ref);
}

/* By the remote, if there is one, or this repository; false: `track` wants nothing tracked. */
static bool choose_tracked(const struct string_list *remotes, const char *name,
			   const char *start_ref, enum branch_track track, struct tracking *t)
{
	bool found = remotes->nr > 0;
	const char *there;

	if (!found && track != BRANCH_TRACK_ALWAYS && track != BRANCH_TRACK_EXPLICIT &&
	    track != BRANCH_TRACK_OVERRIDE)
		return false;
	if (found && track == BRANCH_TRACK_SIMPLE &&
	    (!skip_prefix(remotes->items[0].util, "refs/heads/", &there) || strcmp(there, name)))
		return false;
	if (found)
		t->remote = xstrdup(remotes->items[0].string);
	strvec_push(&t->refs, found ? remotes->items[0].util : start_ref);
	return true;
}

/* By the refspecs of the remotes. */
static int find_tracked(struct repository *r, const char *name, const char *start_ref,
			enum branch_track track, struct tracking *t, bool *found,
			struct strbuf *advice, struct err *err)
{
	struct string_list remotes = STRING_LIST_INIT;
	int rc = 0;

	remotes_fetching_into(r, start_ref, &remotes);
	if (remotes.nr > 1)
		rc = ambiguous(r, start_ref, &remotes, advice, err);
	else
		*found = choose_tracked(&remotes, name, start_ref, track, t);
	string_list_clear(&remotes, free);
	return rc;
}

/* ---- writing it down ---- */

static void add_ref_name(struct strbuf *out, const struct tracking *t, size_t i)
{
	const char *name = t->refs.v[i];

	if (skip_prefix(name, "refs/heads/", &name) && t->remote)
		strbuf_addf(out, "%s/", t->remote);
	strbuf_addstr(out, name);
}

static void describe(struct strbuf *out, const char *name, const struct tracking *t, bool rebase)
{
	const char *how = rebase ? " by rebasing" : "";

	strbuf_addf(out, "branch '%s' set up to track", name);
	if (t->refs.nr == 1) {
		strbuf_addstr(out, " '");
		add_ref_name(out, t, 0);
		strbuf_addf(out, "'%s.\n", how);
		return;
	}
	strbuf_addf(out, "%s:\n", how);
	for (size_t i = 0; i < t->refs.nr; i++) {
		strbuf_addstr(out, "  ");
		add_ref_name(out, t, i);
		strbuf_addch(out, '\n');
	}
}

static int stage_edits(struct repository *r, struct repo_operation *op, const char *name,
		       const struct tracking *t, bool rebase, struct err *err)
{
	char *path = xstrfmt("%s/config", r->commondir);
	char *remote = xstrfmt("branch.%s.remote", name), *merge = xstrfmt("branch.%s.merge", name);
	char *rebase_key = xstrfmt("branch.%s.rebase", name);
	struct config_edit *edits = xcalloc(t->refs.nr + 2, sizeof(*edits));
	size_t nr = 0;
	int rc;

	edits[nr++] = (struct config_edit){ .key = remote, .multi = true,
					    .value = t->remote ? t->remote : "." };
	for (size_t i = 0; i < t->refs.nr; i++)
		edits[nr++] = (struct config_edit){ .key = merge, .value = t->refs.v[i],
						    .multi = !i, .append = i > 0 };
	if (rebase)
		edits[nr++] = (struct config_edit){ .key = rebase_key, .value = "true",
						    .multi = true };
	rc = config_file_edit_all(path, edits, nr, repo_operation_batch(op), err);
	free(edits);
	free(rebase_key);
	free(merge);
	free(remote);
	free(path);
	return rc;
}

int branch_stage_tracking(struct repository *r, struct repo_operation *op, const char *name,
			  const char *start_ref, enum branch_track track, struct strbuf *text,
			  struct err *err)
{
	struct tracking t = TRACKING_INIT;
	const char *short_name;
	bool rebase, found = false;
	int rc = 0;

	if (track == BRANCH_TRACK_INHERIT)
		found = inherit(r, start_ref, &t);
	else
		rc = find_tracked(r, name, start_ref, track, &t, &found, text, err);
	if (rc < 0 || !found)
		goto out;
	for (size_t i = 0; i < t.refs.nr && !t.remote; i++) {
		if (skip_prefix(t.refs.v[i], "refs/heads/", &short_name) &&
		    !strcmp(short_name, name)) {
			warning("not setting branch '%s' as its own upstream", name);
			goto out;
		}
	}
	rebase = r->settings.branch_rebase & (t.remote ? REBASE_REMOTE : REBASE_LOCAL);
	rc = stage_edits(r, op, name, &t, rebase, err);
	if (rc >= 0)
		describe(text, name, &t, rebase);
out:
	tracking_release(&t);
	return rc;
}
