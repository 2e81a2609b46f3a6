/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of git remote share. */
#include "compat/posix.h"
#include "builtin/fetch/fetch-common.h"
#include "builtin/remote/remote.h"
#include "porcelain/remote-credentials.h"
#include "util/alloc.h"

struct remotes *remotes_or_die(struct repository *r)
{
	struct remotes *all = NULL;
	struct err err = ERR_INIT;

	if (repo_remotes(r, &all, &err) < 0)
		die_err(&err);
	return all;
}

struct remote *remote_or_die(struct repository *r, const char *name)
{
	struct remotes *all = remotes_or_die(r);
	struct remote *remote = NULL;
	struct err err = ERR_INIT;

	if (remotes_get(all, name, &remote, &err) < 0 || remote_check_credentials(r->config, remote, &err) < 0)
		die_err(&err);
	if (!remote->urls.nr)
		die("No such remote: '%s'", name);
	return remote;
}

bool remote_is_own(struct repository *r, const struct remote *remote)
{
	char *section = xstrfmt("remote.%s.", remote->name);
	bool own = remote->origin == REMOTE_REMOTES_FILE || remote->origin == REMOTE_BRANCHES_FILE;

	for (size_t i = 0; !own && i < config_nr(r->config); i++) {
		const struct config_entry *e = config_at(r->config, i);
		const char *rest;

		own = (e->scope == CONFIG_SCOPE_LOCAL || e->scope == CONFIG_SCOPE_WORKTREE) &&
		      skip_prefix(e->key, section, &rest) && !strchr(rest, '.');
	}
	free(section);
	return own;
}

struct remote *own_remote(struct repository *r, const char *name, bool to_change)
{
	struct remote *remote = *name ? remote_or_die(r, name) : NULL;

	if (remote && remote_is_own(r, remote))
		return remote;
	error("No such remote%s '%s'", to_change ? ":" : "", name);
	return NULL;
}

char *remote_branch_refspec_or_die(struct repository *r, const char *branch, const char *remote, bool mirror)
{
	struct refspec check = REFSPEC_INIT(REFSPEC_FETCH);
	struct err err = ERR_INIT;
	char *text = mirror ? xstrfmt("+refs/%s:refs/%s", branch, branch) :
			      xstrfmt("+refs/heads/%s:refs/remotes/%s/%s", branch, remote, branch);

	/* with it in the configuration no command would read that again */
	if (refspec_add(&check, text, r->algo, &err) < 0)
		die_err(&err);
	refspec_release(&check);
	return text;
}

void remote_ask_or_die(struct repository *r, const struct remote *remote, struct remote_refs *out)
{
	const struct refs_query q = { .config = r->config, .algo = r->algo, .gitdir = r->gitdir };
	struct err err = ERR_INIT;

	fflush(stdout);
	if (list_remote_refs(remote, &q, out, &err) < 0)
		die_err(&err);
}

void remote_head_branches(const struct remote_refs *refs, struct strvec *out)
{
	const struct remote_ref *head = remote_refs_find(refs, "HEAD");
	const char *branch;

	if (!head || oid_is_null(&head->oid))
		return;
	if (head->symref_target) {
		if (skip_prefix(head->symref_target, "refs/heads/", &branch) &&
		    remote_refs_find(refs, head->symref_target))
			strvec_push(out, branch);
		return;
	}
	for (size_t i = 0; i < refs->nr; i++)
		if (skip_prefix(refs->items[i].name, "refs/heads/", &branch) &&
		    oid_eq(&refs->items[i].oid, &head->oid))
			strvec_push(out, branch);
}

/* ---- the list ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct remote *const *)a)->name, (*(struct remote *const *)b)->name);
}

static void remote_common_show_urls(const struct remote *remote)
{
	if (!remote->urls.nr)
		printf("%s\t\n", remote->name);
	else if (remote->promisor && remote->filter)
		printf("%s\t%s (fetch) [%s]\n", remote->name, remote->urls.v[0], remote->filter);
	else
		printf("%s\t%s (fetch)\n", remote->name, remote->urls.v[0]);
	for (size_t i = 0; i < remote->push_urls.nr; i++)
		printf("%s\t%s (push)\n", remote->name, remote->push_urls.v[i]);
}

void remote_list(struct repository *r, bool verbose)
{
	struct remotes *all = remotes_or_die(r);
	size_t nr = remotes_nr(all);
	struct remote **sorted = xcalloc(nr + 1, sizeof(*sorted));

	for (size_t i = 0; i < nr; i++)
		sorted[i] = remotes_at(all, i);
	qsort(sorted, nr, sizeof(*sorted), by_name);
	for (size_t i = 0; i < nr; i++)
		if (verbose)
			remote_common_show_urls(sorted[i]);
		else
			printf("%s\n", sorted[i]->name);
	free(sorted);
}
