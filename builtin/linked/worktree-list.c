/* SPDX-License-Identifier: GPL-2.0-only */
/* "list" of git-worktree(1) */
#include "compat/posix.h"
#include "builtin/linked/linked.h"
#include "maintain/worktree-prune.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/utf8.h"

struct worktree_line {
	const struct worktree *w;
	char *locked;	     /* the reason; NULL: it is not */
	const char *prunable; /* why; NULL: it is not */
	char *hash;	     /* abbreviated */
};

struct worktree_listing {
	struct repository *r;
	int porcelain, verbose, nul;
	timestamp_t expire_before;
	struct worktree_line *v;
	size_t nr;
};

/* ---- collecting ---- */

static int line_cmp(const void *a, const void *b)
{
	const struct worktree_line *x = a, *y = b;

	return strcmp(x->w->path, y->w->path);
}

static char *worktree_abbrev(struct repository *r, const struct object_id *oid)
{
	struct strbuf out = STRBUF_INIT;

	odb_abbrev(r->odb, oid, r->settings.abbrev, &out);
	return strbuf_detach(&out, NULL);
}

static void collect_line(struct worktree_listing *l, const struct worktree *w)
{
	struct worktree_line *line = &l->v[l->nr++];

	*line = (struct worktree_line){ .w = w, .locked = worktree_lock_reason(w) };
	if (w->id)
		line->prunable = worktree_prune_reason(l->r, w->id, l->expire_before);
	if (!w->is_bare)
		line->hash = worktree_abbrev(l->r, &w->head_oid);
}

static void collect(struct worktree_listing *l, const struct worktree *list)
{
	size_t nr = 0;

	for (const struct worktree *w = list; w; w = w->next)
		nr++;
	l->v = xcalloc(nr, sizeof(*l->v));
	for (const struct worktree *w = list; w; w = w->next)
		collect_line(l, w);
	if (l->nr > 1) /* the main one stays in front */
		qsort(l->v + 1, l->nr - 1, sizeof(*l->v), line_cmp);
}

/* ---- printing ---- */

static void print_field(const struct worktree_listing *l, const char *name, const char *value)
{
	printf("%s%s%s%c", name, value ? " " : "", value ? value : "", l->nul ? '\0' : '\n');
}

/* "locked REASON": the rest of the line, quoted if it has to be. */
static void print_reason(const struct worktree_listing *l, const char *name, const char *reason)
{
	struct strbuf quoted = STRBUF_INIT;

	if (!*reason || l->nul) {
		print_field(l, name, *reason ? reason : NULL);
		return;
	}
	quote_c_style(&quoted, reason, strlen(reason), l->r->settings.quote_path);
	print_field(l, name, quoted.buf);
	strbuf_release(&quoted);
}

static void print_porcelain(const struct worktree_listing *l, const struct worktree_line *line)
{
	const struct worktree *w = line->w;

	print_field(l, "worktree", w->path);
	if (w->is_bare) {
		print_field(l, "bare", NULL);
	} else {
		print_field(l, "HEAD", oid_hex(&w->head_oid));
		if (w->head)
			print_field(l, "branch", w->head);
		else
			print_field(l, "detached", NULL);
	}
	if (line->locked)
		print_reason(l, "locked", line->locked);
	if (line->prunable)
		print_field(l, "prunable", line->prunable);
	putchar(l->nul ? '\0' : '\n');
}

static void print_line(const struct worktree_listing *l, const struct worktree_line *line, size_t path_width, size_t hash_width)
{
	const struct worktree *w = line->w;
	const char *branch = w->head;

	printf("%s%*s ", w->path, (int)path_width - utf8_width(w->path, strlen(w->path), false), "");
	if (w->is_bare) {
		fputs("(bare)", stdout);
	} else {
		printf("%-*s ", (int)hash_width, line->hash);
		if (branch)
			skip_prefix(branch, "refs/heads/", &branch);
		if (branch)
			printf("[%s]", branch);
		else
			fputs("(detached HEAD)", stdout);
	}
	if (line->locked && *line->locked && l->verbose)
		printf("\n\tlocked: %s", line->locked);
	else if (line->locked)
		fputs(" locked", stdout);
	if (line->prunable && l->verbose)
		printf("\n\tprunable: %s", line->prunable);
	else if (line->prunable)
		fputs(" prunable", stdout);
	putchar('\n');
}

static void print_listing(const struct worktree_listing *l)
{
	size_t path_width = 0, hash_width = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const char *path = l->v[i].w->path;
		size_t width = (size_t)utf8_width(path, strlen(path), false), len = l->v[i].hash ? strlen(l->v[i].hash) : 0;

		path_width = width > path_width ? width : path_width;
		hash_width = len > hash_width ? len : hash_width;
	}
	for (size_t i = 0; i < l->nr; i++)
		if (l->porcelain)
			print_porcelain(l, &l->v[i]);
		else
			print_line(l, &l->v[i], path_width, hash_width);
}

/* ---- command line ---- */

static int parse_list_expiry(const struct option *opt, const char *arg, int unset)
{
	timestamp_t *expire = opt->value;

	*expire = 0;
	if (!unset && date_parse_expiry(arg, expire) < 0)
		die("malformed expiration date '%s'", arg);
	return 0;
}

int worktree_cmd_list(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_LIST, NULL };
	struct worktree_listing l = { .r = ctx->repo, .expire_before = TIME_MAX };
	struct option options[] = {
		OPT_BOOL(0, "porcelain", &l.porcelain, "machine-readable output"),
		OPT_COUNTUP('v', "verbose", &l.verbose, "show extended annotations and reasons, if available"),
		OPT_CALLBACK(0, "expire", &l.expire_before, "expiry-date",
			     "add 'prunable' annotation to missing worktrees older than <time>", parse_list_expiry),
		{ .type = OPTION_BOOL, .short_name = 'z', .value = OPT_VALUE(int, &l.nul), .help = "terminate records with a NUL character",
		  .defval = 1 },
		OPT_END()
	};
	struct worktree *list;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	if (l.verbose && l.porcelain)
		die("options '%s' and '%s' cannot be used together", "--verbose", "--porcelain");
	if (l.nul && !l.porcelain)
		die("the option '%s' requires '%s'", "-z", "--porcelain");
	list = worktrees_read_or_die(ctx->repo);
	collect(&l, list);
	print_listing(&l);
	for (size_t i = 0; i < l.nr; i++) {
		free(l.v[i].locked);
		free(l.v[i].hash);
	}
	free(l.v);
	worktrees_free(list);
	return finish_stdout();
}
