/* SPDX-License-Identifier: GPL-2.0-only */
/* git remote show: the configuration of a remote, and its refs. */
#include "compat/posix.h"
#include "builtin/remote/remote.h"
#include "builtin/remote/remote-push.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

struct showing {
	struct repository *r;
	struct remote *remote;
	bool query;
	struct remote_refs refs;    /* only with a query */
	struct string_list tracked; /* branches there, sorted; util: the status, a constant; NULL: not queried */
};

static const char *remote_show_short_branch(const char *name)
{
	skip_prefix(name, "refs/heads/", &name);
	return name;
}

/* ---- URLs and HEAD ---- */

static void remote_show_show_urls(const struct remote *remote)
{
	printf("* remote %s\n", remote->name);
	printf("  Fetch URL: %s\n", remote->urls.nr ? remote->urls.v[0] : "(no URL)");
	for (size_t i = 0; i < remote->push_urls.nr; i++)
		printf("  Push  URL: %s\n", remote->push_urls.v[i]);
	if (!remote->push_urls.nr)
		printf("  Push  URL: (no URL)\n");
}

static void show_head(const struct showing *s)
{
	struct strvec heads = STRVEC_INIT;

	remote_head_branches(&s->refs, &heads);
	if (!s->query)
		printf("  HEAD branch: (not queried)\n");
	else if (!heads.nr)
		printf("  HEAD branch: (unknown)\n");
	else if (heads.nr == 1)
		printf("  HEAD branch: %s\n", heads.v[0]);
	else
		printf("  HEAD branch (remote HEAD is ambiguous, may be one of the following):\n");
	for (size_t i = 0; heads.nr > 1 && i < heads.nr; i++)
		printf("    %s\n", heads.v[i]);
	strvec_clear(&heads);
}

/* ---- branches there ---- */

static const char status_new[] = "new", status_skipped[] = "skipped", status_tracked[] = "tracked",
		  status_stale[] = "stale";

/* What comes first stays. */
static void note(struct showing *s, const char *name, const char *status)
{
	struct string_list_item *item = string_list_insert(&s->tracked,
							   remote_show_short_branch(name));

	if (!item->util)
		item->util = (void *)status;
}

/* The places of one ref of the other side: is there one that has nothing yet? */
static void note_places(struct showing *s, const char *name, const char *status)
{
	const struct refspec *fetch = &s->remote->fetch;

	for (size_t i = 0; i < fetch->nr; i++) {
		struct strbuf dst = STRBUF_INIT;
		bool mapped = refspec_item_map(&fetch->items[i], name, &dst);
		bool here = mapped && dst.len && ref_exists(s->r->refs, dst.buf);

		if (mapped && !refspec_excludes(fetch, name) && here == (status == status_tracked))
			note(s, name, status);
		strbuf_release(&dst);
	}
}

static int find_tracked(void *data, const struct ref *ref)
{
	struct showing *s = data;
	struct strbuf src = STRBUF_INIT;

	if (!ref->symref_target && refspec_map_back(&s->remote->fetch, ref->name, &src))
		note(s, src.buf, NULL);
	strbuf_release(&src);
	return 0;
}

static int remote_show_find_stale(struct showing *s, struct err *err)
{
	struct strvec stale = STRVEC_INIT;
	int rc = remote_find_stale(s->r, s->remote, &s->refs, &stale, err);

	for (size_t i = 0; i < stale.nr; i++)
		note(s, stale.v[i], status_stale);
	strvec_clear(&stale);
	return rc;
}

static int find_branches(struct showing *s, struct err *err)
{
	if (!s->query)
		return refs_foreach(s->r->refs, "", REFS_NO_PEEL, find_tracked, s, err);
	for (size_t i = 0; i < s->refs.nr; i++)
		note_places(s, s->refs.items[i].name, status_new);
	for (size_t i = 0; i < s->refs.nr; i++)
		if (refspec_excludes(&s->remote->fetch, s->refs.items[i].name))
			note(s, s->refs.items[i].name, status_skipped);
	for (size_t i = 0; i < s->refs.nr; i++)
		note_places(s, s->refs.items[i].name, status_tracked);
	return remote_show_find_stale(s, err);
}

static void show_branches(const struct showing *s)
{
	int width = 0;

	for (size_t i = 0; i < s->tracked.nr; i++)
		if ((int)strlen(s->tracked.items[i].string) > width)
			width = (int)strlen(s->tracked.items[i].string);
	if (s->tracked.nr)
		printf("  Remote branch%s:%s\n", s->tracked.nr == 1 ? "" : "es", s->query ? "" : " (status not queried)");
	for (size_t i = 0; i < s->tracked.nr; i++) {
		const char *name = s->tracked.items[i].string, *status = s->tracked.items[i].util;

		if (!s->query)
			printf("    %s\n", name);
		else if (status == status_new)
			printf("    %-*s new (next fetch will store in remotes/%s)\n", width, name, s->remote->name);
		else if (status == status_stale)
			printf("    %-*s stale (use 'git remote prune' to remove)\n", width, name);
		else
			printf("    %-*s %s\n", width, name, status);
	}
}

/* ---- branches pulled from it ---- */

static bool is_pulled(const struct showing *s, const struct remote_branch *b)
{
	return b->remote && !strcmp(b->remote, s->remote->name) && b->merge.nr;
}

static void show_pull_line(const struct remote_branch *b, int width, bool any_rebase)
{
	static const char *const words[] = {
		[REBASE_NOT] = "merges with remote", [REBASE_PLAIN] = "rebases onto remote",
		[REBASE_INTERACTIVE] = "rebases interactively onto remote",
		[REBASE_MERGES] = "rebases interactively (with merges) onto remote",
	};

	if (b->rebase && b->merge.nr > 1) {
		error("invalid branch.%s.merge; cannot rebase onto > 1 branch", b->name);
		return;
	}
	printf("    %-*s %s%s %s\n", width, b->name, !b->rebase && any_rebase ? " " : "", words[b->rebase], b->merge.v[0]);
	for (size_t i = 1; i < b->merge.nr; i++)
		printf("    %-*s %s   and with remote %s\n", width, "", any_rebase ? " " : "", b->merge.v[i]);
}

static void show_pulls(const struct showing *s)
{
	struct string_list all = STRING_LIST_INIT;
	int width = 0, nr = 0;
	bool any_rebase = false;

	remote_branches_read(&all, s->r->config, warning_callback, NULL);
	for (size_t i = 0; i < all.nr; i++) {
		const struct remote_branch *b = all.items[i].util;

		if (!is_pulled(s, b))
			continue;
		nr++;
		any_rebase |= b->rebase != REBASE_NOT;
		if ((int)strlen(b->name) > width)
			width = (int)strlen(b->name);
	}
	if (nr)
		printf("  Local branch%s configured for 'git pull':\n", nr == 1 ? "" : "es");
	for (size_t i = 0; i < all.nr; i++)
		if (is_pulled(s, all.items[i].util))
			show_pull_line(all.items[i].util, width, any_rebase);
	remote_branches_release(&all);
}

/* ---- refs pushed to it ---- */

static void show_push_line(const struct showing *s, const struct push_line *l, int src_width, int dst_width)
{
	const char *verb = l->force ? "forces" : "pushes";

	if (s->query)
		printf("    %-*s %s to %-*s (%s)\n", src_width, l->status == PUSH_DELETE ? "(none)" : l->src, verb, dst_width,
		       l->dst, push_status_word(l->status));
	else
		printf("    %-*s %s to %s\n", src_width, l->src, verb, l->dst);
}

static int show_pushes(const struct showing *s, struct err *err)
{
	struct push_lines lines = PUSH_LINES_INIT;
	int src_width = 0, dst_width = 0, rc;

	if (s->remote->mirror) {
		printf("  Local refs will be mirrored by 'git push'\n");
		return 0;
	}
	rc = s->query ? push_lines_match(&lines, s->r, s->remote, &s->refs, err) : 0;
	if (!s->query)
		push_lines_read(&lines, s->remote);
	push_lines_sort(&lines);
	for (size_t i = 0; i < lines.nr; i++) {
		if ((int)strlen(lines.items[i].src) > src_width)
			src_width = (int)strlen(lines.items[i].src);
		if ((int)strlen(lines.items[i].dst) > dst_width)
			dst_width = (int)strlen(lines.items[i].dst);
	}
	if (lines.nr && !rc)
		printf("  Local ref%s configured for 'git push'%s:\n", lines.nr == 1 ? "" : "s",
		       s->query ? "" : " (status not queried)");
	for (size_t i = 0; !rc && i < lines.nr; i++)
		show_push_line(s, &lines.items[i], src_width, dst_width);
	push_lines_release(&lines);
	return rc;
}

/* ---- the subcommand ---- */

static int show(struct repository *r, const char *name, bool query)
{
	struct showing s = { .r = r, .remote = remote_or_die(r, name), .query = query, .refs = REMOTE_REFS_INIT,
			     .tracked = STRING_LIST_INIT };
	struct err err = ERR_INIT;
	int rc;

	if (query)
		remote_ask_or_die(r, s.remote, &s.refs);
	rc = find_branches(&s, &err);
	if (!rc) {
		remote_show_show_urls(s.remote);
		show_head(&s);
		show_branches(&s);
		show_pulls(&s);
		rc = show_pushes(&s, &err);
	}
	remote_refs_release(&s.refs);
	string_list_clear(&s.tracked, NULL);
	return rc < 0 ? report_fatal(&err) : 0;
}

int remote_cmd_show(int argc, const char **argv, struct repository *r, bool verbose)
{
	static const char *const usage[] = { "git remote show [<options>] <name>", NULL };
	int no_query = 0, code = 0;
	struct option opts[] = {
		{ OPTION_BOOL, 'n', NULL, OPT_VALUE(int, &no_query), NULL, "do not query remotes", 0, NULL, 1 },
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		remote_list(r, verbose);
	for (int i = 0; !code && i < argc; i++)
		code = show(r, argv[i], !no_query);
	return code;
}
