/* SPDX-License-Identifier: GPL-2.0-only */
/* git remote get-url and set-url. */
#include "compat/posix.h"
#include <regex.h>
#include "builtin/remote/remote.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

int remote_cmd_get_url(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = { "git remote get-url [--push] [--all] <name>", NULL };
	int push = 0, all = 0;
	struct option opts[] = {
		OPT_BOOL(0, "push", &push, "query push URLs rather than fetch URLs"),
		OPT_BOOL(0, "all", &all, "return all URLs"),
		OPT_END()
	};
	const struct strvec *urls;
	struct remote *remote;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	remote = own_remote(r, argv[0], false);
	if (!remote)
		return EXIT_NO_REMOTE;
	urls = push ? &remote->push_urls : &remote->urls;
	for (size_t i = 0; i < urls->nr && (all || !i); i++)
		printf("%s\n", urls->v[i]);
	return 0;
}

/* ---- set-url ---- */

struct url_change {
	struct repository *r;
	const struct remote *remote;
	int push, add, delete;
	const char *new_url, *old_url; /* old_url: an expression; NULL: the only one there is */
	char *key;
};

/* How many URLs match the expression, and how many do not? */
static size_t count_matches(const struct url_change *u, size_t *others)
{
	const struct strvec *urls = u->push ? &u->remote->raw_push_urls : &u->remote->raw_urls;
	size_t nr = 0;
	regex_t regex;

	if (regcomp(&regex, u->old_url, REG_EXTENDED))
		die("Invalid old URL pattern: %s", u->old_url);
	for (size_t i = 0; i < urls->nr; i++)
		nr += !regexec(&regex, urls->v[i], 0, NULL, 0);
	regfree(&regex);
	*others = urls->nr - nr;
	return nr;
}

/* A leading "!" is part of this expression, where the configuration takes it for "all but". */
static char *config_pattern(const char *pattern)
{
	return *pattern == '!' ? xconcat("\\", pattern) : xstrdup(pattern);
}

static int stage(const struct url_change *u, struct repo_operation *op, struct err *err)
{
	struct remote_edits edits = REMOTE_EDITS_INIT;
	char *pattern = u->old_url ? config_pattern(u->old_url) : NULL;
	int rc;

	if (u->delete)
		remote_edits_unset(&edits, u->key, pattern);
	else if (u->add)
		remote_edits_add(&edits, u->key, u->new_url);
	else
		remote_edits_set(&edits, u->key, pattern, u->new_url);
	rc = remote_edits_stage(&edits, u->r, op, PUBLISH_FILE, err);
	remote_edits_release(&edits);
	free(pattern);
	return rc;
}

static int change(const struct url_change *u)
{
	struct repo_operation *op = repo_operation_begin(u->r);
	struct err err = ERR_INIT;
	int rc = stage(u, op, &err);

	rc = repo_operation_end(op, rc, &err);
	if (rc != ERR_AMBIGUOUS)
		return rc < 0 ? report_fatal(&err) : 0;
	err_release(&err);
	warning("%s has multiple values", u->key);
	die("could not set '%s' to '%s'", u->key, u->new_url);
}

static void check(const struct url_change *u)
{
	size_t others, nr;

	if (!u->old_url)
		return;
	nr = count_matches(u, &others);
	if (!u->delete && !nr)
		die("No such URL found: %s", u->old_url);
	if (u->delete && !u->push && nr && !others)
		die("Will not delete all non-push URLs");
	if (u->delete && !nr)
		die("could not unset '%s'", u->key);
}

int remote_cmd_set_url(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = {
		"git remote set-url [--push] <name> <newurl> [<oldurl>]", "git remote set-url --add <name> <newurl>",
		"git remote set-url --delete <name> <url>", NULL
	};
	struct url_change u = { .r = r };
	struct option opts[] = {
		OPT_BOOL(0, "push", &u.push, "manipulate push URLs"),
		OPT_BOOL(0, "add", &u.add, "add URL"),
		OPT_BOOL(0, "delete", &u.delete, "delete URLs"),
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (u.add && u.delete)
		die("--add --delete doesn't make sense");
	if (argc < 2 || argc > 3 || ((u.add || u.delete) && argc != 2))
		usage_with_options(usage, opts);
	u.remote = own_remote(r, argv[0], false);
	if (!u.remote)
		return EXIT_NO_REMOTE;
	u.new_url = u.delete ? NULL : argv[1];
	u.old_url = u.delete ? argv[1] : argc == 3 ? argv[2] : NULL;
	u.key = xstrfmt("remote.%s.%s", u.remote->name, u.push ? "pushurl" : "url");
	check(&u);
	code = change(&u);
	free(u.key);
	return code;
}
