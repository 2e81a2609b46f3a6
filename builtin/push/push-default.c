/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a push goes and what it is about, if the command line does not say: push.default and the like, git-config(1). */
#include "compat/posix.h"
#include "builtin/push/push.h"
#include "porcelain/remote-credentials.h"
#include "refs/refs.h"
#include "util/alloc.h"

static const char *string_or_die(struct push_cmd *c, const char *key)
{
	const char *value = NULL;
	struct err err = ERR_INIT;

	if (config_get_string(c->r->config, key, &value, &err) < 0)
		die_err(&err);
	return value;
}

/* branch.<current>.<key> */
static const char *of_branch(struct push_cmd *c, const char *key)
{
	char *full = c->branch ? xstrfmt("branch.%s.%s", c->branch, key) : NULL;
	const char *value = full ? string_or_die(c, full) : NULL;

	free(full);
	return value;
}

/* ---- the remote ---- */

void push_choose_remote(struct push_cmd *c)
{
	const char *name = c->repo_name;
	struct remotes *all;
	struct object_id oid;
	struct err err = ERR_INIT;
	char *target = NULL;
	const char *branch;

	if (!ref_read_raw(c->r->refs, "HEAD", &oid, &target, NULL) && target &&
	    skip_prefix(target, "refs/heads/", &branch))
		c->branch = xstrdup(branch);
	free(target);
	if (repo_remotes(c->r, &all, &err) < 0)
		die_err(&err);
	if (!name)
		name = of_branch(c, "pushremote");
	if (!name)
		name = string_or_die(c, "remote.pushdefault");
	if (!name)
		name = of_branch(c, "remote");
	if (remotes_get(all, name, &c->remote, &err) < 0 ||
	    remote_check_credentials(c->r->config, c->remote, &err) < 0)
		die_err(&err);
	if (c->remote->push_urls.nr)
		return;
	if (c->repo_name)
		die("bad repository '%s'", c->repo_name);
	die("No configured push destination.\n"
	    "Either specify the URL from the command-line or configure a remote repository using\n"
	    "\n"
	    "    git remote add <name> <url>\n"
	    "\n"
	    "and then push using the remote name\n"
	    "\n"
	    "    git push <name>\n");
}

/* ---- refspecs of the command line ---- */

static void add(struct push_cmd *c, const char *text)
{
	struct err err = ERR_INIT;

	if (refspec_add(&c->specs, text, c->r->algo, &err) < 0)
		die_err(&err);
}

static void add_both(struct push_cmd *c, const char *src, const char *dst)
{
	char *text = xstrfmt("%s:%s", src, dst);

	add(c, text);
	free(text);
}

/* Where the remote's own refspecs put it. As in Git, negative ones do not count for what the command line names. */
static bool has_own_place(const struct refspec *rs, const char *full, struct strbuf *dst)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (refspec_item_map(&rs->items[i], full, dst))
			return true;
	return false;
}

/* A source alone: where the remote's own refspecs, or the upstream, send it. */
static void add_source(struct push_cmd *c, const char *text)
{
	struct strbuf dst = STRBUF_INIT;
	const char *short_name, *merge;
	char *full = NULL;
	struct object_id oid;

	if (*text == '+' || *text == '^' || strchr(text, '*') || ref_dwim(c->r->refs, text, strlen(text), &full, &oid) != 1) {
		add(c, text);
	} else if (has_own_place(&c->remote->push, full, &dst)) {
		add_both(c, full, dst.len ? dst.buf : full);
	} else if (c->r->settings.push_default == PUSH_UPSTREAM && skip_prefix(full, "refs/heads/", &short_name)) {
		char *key = xstrfmt("branch.%s.merge", short_name);

		merge = string_or_die(c, key);
		if (merge)
			add_both(c, full, merge);
		else
			add(c, text);
		free(key);
	} else {
		add(c, text);
	}
	strbuf_release(&dst);
	free(full);
}

void push_add_arguments(struct push_cmd *c, int argc, const char **argv)
{
	for (int i = 0; i < argc; i++) {
		char *tag = NULL;
		const char *text = argv[i];

		if (!strcmp(text, "tag")) {
			if (++i >= argc)
				die("tag shorthand without <tag>");
			text = tag = xstrfmt(c->deletes ? ":refs/tags/%s" : "refs/tags/%s", argv[i]);
		} else if (c->deletes) {
			if (strchr(text, ':') || !*text)
				die("--delete only accepts plain target ref names");
			text = tag = xstrfmt(":%s", text);
		}
		if (tag || strchr(text, ':'))
			add(c, text);
		else
			add_source(c, text);
		free(tag);
	}
	if (c->all)
		add(c, "refs/heads/*");
	if (c->tags)
		add(c, "refs/tags/*");
}

/* ---- push.default ---- */

NORETURN static void die_detached(struct push_cmd *c)
{
	die("You are not currently on a branch.\n"
	    "To push the history leading to the current (detached HEAD)\n"
	    "state now, use\n"
	    "\n"
	    "    git push %s HEAD:<name-of-remote-branch>\n", c->remote->name);
}

/* Does the branch fetch from somewhere else than it pushes to? */
static bool is_triangular(struct push_cmd *c)
{
	struct remotes *all;
	struct remote *from;
	struct err err = ERR_INIT;

	if (repo_remotes(c->r, &all, &err) < 0 || remotes_get(all, NULL, &from, &err) < 0)
		die_err(&err);
	/* Several remotes, none of which is the default: Git takes it for another place. */
	return from->urls.nr ? from != c->remote : remotes_nr(all) > 1;
}

static const char *upstream_or_die(struct push_cmd *c, bool triangular)
{
	const char *merge = of_branch(c, "merge");

	if (!merge || !of_branch(c, "remote")) {
		die("The current branch %s has no upstream branch.\n"
		    "To push the current branch and set the remote as upstream, use\n"
		    "\n"
		    "    git push --set-upstream %s %s\n"
		    "\n"
		    "To have this happen automatically for branches without a tracking\n"
		    "upstream, see 'push.autoSetupRemote' in 'git help config'.\n", c->branch, c->remote->name, c->branch);
	}
	if (triangular)
		die("You are pushing to remote '%s', which is not the upstream of\n"
		    "your current branch '%s', without telling me what to push\n"
		    "to update which remote branch.", c->remote->name, c->branch);
	return merge;
}

static void check_same_name(struct push_cmd *c, const char *full, const char *merge)
{
	const char *there = merge, *either = "", *automatic = "";

	if (!strcmp(full, merge))
		return;
	skip_prefix(merge, "refs/heads/", &there);
	if (!config_get(c->r->config, "push.default"))
		either = "\nTo choose either option permanently, see push.default in 'git help config'.\n";
	if (c->r->settings.branch_track != BRANCH_TRACK_SIMPLE)
		automatic = "\nTo avoid automatically configuring an upstream branch when its name\n"
			    "won't match the local branch, see option 'simple' of branch.autoSetupMerge\n"
			    "in 'git help config'.\n";
	die("The upstream branch of your current branch does not match\n"
	    "the name of your current branch.  To push to the upstream branch\n"
	    "on the remote, use\n"
	    "\n"
	    "    git push %s HEAD:%s\n"
	    "\n"
	    "To push to the branch of the same name on the remote, use\n"
	    "\n"
	    "    git push %s HEAD\n"
	    "%s%s", c->remote->name, there, c->remote->name, either, automatic);
}

static bool sets_up_alone(struct push_cmd *c)
{
	bool yes = false;
	struct err err = ERR_INIT;

	if (config_get_bool(c->r->config, "push.autosetupremote", &yes, &err) < 0)
		die_err(&err);
	return yes && !of_branch(c, "merge");
}

void push_add_default(struct push_cmd *c)
{
	enum push_default mode = c->r->settings.push_default;
	bool triangular = is_triangular(c);
	char *full;

	if (mode == PUSH_MATCHING) {
		add(c, ":");
		return;
	}
	if (mode == PUSH_NOTHING)
		die("You didn't specify any refspecs to push, and push.default is \"nothing\".");
	if (!c->branch)
		die_detached(c);
	full = xconcat("refs/heads/", c->branch);
	if (mode != PUSH_CURRENT && sets_up_alone(c) && !triangular)
		c->set_upstream = 1;
	if (mode == PUSH_CURRENT || c->set_upstream) {
		add_both(c, full, full);
	} else if (mode == PUSH_UPSTREAM) {
		add_both(c, full, upstream_or_die(c, triangular));
	} else {
		if (!triangular)
			check_same_name(c, full, upstream_or_die(c, false));
		add_both(c, full, full);
	}
	free(full);
}
