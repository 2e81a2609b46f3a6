/* SPDX-License-Identifier: GPL-2.0-only */
/* git-request-pull(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "object/tag.h"
#include "pretty/pretty.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define REMOTE_REFS_MAX ((size_t)256 << 20)

static const char *const usage[] = { "git request-pull [options] start url [end]", NULL };

struct pull_request {
	struct repository *repo;
	int patch;
	const char *start;
	char *url;
	const char *given_url; /* as it was typed */
	char *local;	   /* of "LOCAL:REMOTE" */
	const char *remote;
	char *head;	   /* full name of the local ref, or `local` */
	struct object_id object, commit, start_commit, base; /* the object of head; its commit; … */
	char *shown;	   /* the name of the ref over there */
	bool missing;	   /* the other repository does not have it */
};

NORETURN static void refuse_request(const char *what, const char *name)
{
	fprintf(stderr, "fatal: %s: %s\n", what, name);
	exit(1);
}

/* ---- names here ---- */

struct tip_search {
	const char *name;
	size_t nr;
	char *found;
};

static int match_tip(void *data, const struct ref *ref)
{
	struct tip_search *s = data;
	size_t len = strlen(ref->name), n = strlen(s->name);

	if (len > n && ref->name[len - n - 1] == '/' && !strcmp(ref->name + len - n, s->name) && !s->nr++)
		s->found = xstrdup(ref->name);
	else if (len == n && !strcmp(ref->name, s->name) && !s->nr++)
		s->found = xstrdup(ref->name);
	return 0;
}

/* A symbolic ref, a branch or a tag; else any revision. */
static void find_head(struct pull_request *p, struct err *err)
{
	struct tip_search s = { p->local, 0, NULL };
	struct object_id oid;
	char *target = NULL;

	if (!refname_is_valid(p->local, REFNAME_ALLOW_ONELEVEL))
		fprintf(stderr, "fatal: No such ref: %s\n", p->local);
	else if (ref_read_raw(p->repo->refs, p->local, &oid, &target, NULL) >= 0 && target)
		s.found = target;
	if (!s.found && (refs_foreach(p->repo->refs, "refs/heads/", REFS_NO_PEEL, match_tip, &s, err) < 0 ||
			 refs_foreach(p->repo->refs, "refs/tags/", REFS_NO_PEEL, match_tip, &s, err) < 0))
		die_err(err);
	if (s.nr > 1)
		refuse_request("Ambiguous revision", p->local);
	p->head = s.found ? s.found : xstrdup(p->local);
	if (revparse_oid(p->repo, p->head, &p->object, NULL) < 0)
		refuse_request("Not a valid revision", p->local);
	if (revparse_commit(p->repo, p->head, &p->commit, NULL) < 0)
		refuse_request("Ambiguous revision", p->local);
}

static void find_base(struct pull_request *p, struct commit_pool *pool, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit *start, *end;

	if (revparse_commit(p->repo, p->start, &p->start_commit, NULL) < 0)
		refuse_request("Not a valid revision", p->start);
	find_head(p, err);
	start = commit_lookup(pool, &p->start_commit);
	end = commit_lookup(pool, &p->commit);
	if (merge_bases(pool, start, &end, 1, &bases, err) < 0)
		die_err(err);
	if (!bases.nr) {
		fprintf(stderr, "fatal: No commits in common between %s and %s\n", p->start, p->head);
		exit(1);
	}
	p->base = bases.items[0]->oid;
	commit_list_clear(&bases);
}

/* ---- names there ---- */

static bool run_ls_remote(const char *option, const char *url, struct strbuf *out, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	child_process_init(&cp);
	strvec_pushl(&cp.args, "git", "ls-remote", NULL);
	if (option)
		strvec_push(&cp.args, option);
	strvec_push(&cp.args, url);
	return pipe_command(&cp, NULL, 0, out, NULL, REMOTE_REFS_MAX, err) == 0;
}

static bool is_named(const char *ref, const char *name)
{
	size_t len = strlen(ref), n = strlen(name);

	return len >= n && !strcmp(ref + len - n, name) && (len == n || ref[len - n - 1] == '/');
}

struct remote_search {
	bool found, other_object; /* the commit is there, but not the tag */
	char *ref;
};

static bool cut_peeled_mark(char *ref)
{
	size_t len = strlen(ref);

	if (len < 3 || strcmp(ref + len - 3, "^{}") != 0)
		return false;
	ref[len - 3] = '\0';
	return true;
}

/* "OID TAB NAME"; "NAME^{}" is what a tag leads to. */
static void match_remote_line(const struct pull_request *p, struct remote_search *s, char *line, const char *name)
{
	char *ref = strchr(line, '\t');
	struct object_id oid;
	bool peeled;

	if (!ref || oid_parse_hex(&oid, line, p->repo->algo, NULL) < 0)
		return;
	*ref++ = '\0';
	peeled = cut_peeled_mark(ref);
	if (!is_named(ref, name) && strcmp(line, name))
		return;
	if (oid_eq(&oid, &p->object) && !peeled) {
		s->found = true;
		free(s->ref);
		s->ref = xstrdup(ref);
	} else if (oid_eq(&oid, &p->commit)) {
		s->other_object = true;
		if (!s->ref)
			s->ref = xstrdup(ref);
	}
}

static void find_remote_ref(struct pull_request *p, struct err *err)
{
	const char *name = *p->remote ? p->remote : "HEAD", *shown = p->remote;
	struct remote_search s = { false, false, NULL };
	struct strbuf list = STRBUF_INIT;
	char *line, *end;

	run_ls_remote(NULL, p->url, &list, err);
	for (line = list.buf; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		match_remote_line(p, &s, line, name);
	}
	p->missing = !s.found;
	if (!s.found && s.other_object)
		fprintf(stderr, "warn: %s found at %s but points to a different object\n", p->head, p->given_url);
	else if (!s.found)
		fprintf(stderr, "warn: No match for commit %s found at %s\n", oid_hex(&p->commit), p->given_url);
	if (!s.found)
		fprintf(stderr, "warn: Are you sure you pushed '%s' there?\n", name);
	if (s.ref && starts_with(s.ref, "refs/tags/") && strcmp(name, oid_hex(&p->object)) != 0)
		shown = s.ref;
	skip_prefix(shown, "refs/", &shown);
	skip_prefix(shown, "heads/", &shown);
	p->shown = xstrdup(shown);
	free(s.ref);
	strbuf_release(&list);
}

/* ---- the text ---- */

static void print_commit(struct pull_request *p, struct commit_pool *pool, const struct object_id *oid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct pretty style;

	pretty_init(&style, p->repo);
	pretty_config_encoding(&style, p->repo->config);
	style.kind = PRETTY_USER;
	style.user_format = xstrdup("  %s (%ci)");
	if (pretty_commit(&style, pool, commit_lookup(pool, oid), &text, err) < 0)
		die_err(err);
	puts(text.buf);
	pretty_release(&style);
	strbuf_release(&text);
}

static void print_rule(void)
{
	puts("----------------------------------------------------------------");
}

/* The message of a tag, up to its signature. */
static void print_tag(struct pull_request *p, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;

	if (odb_read(p->repo->odb, &p->object, &buf, err) < 0)
		die_err(err);
	if (buf.type == OBJ_TAG) {
		if (tag_parse(&tag, buf.data, buf.size, p->repo->algo, err) < 0)
			die_err(err);
		fwrite(tag.message, 1, tag.signature_offset, stdout);
		putchar('\n');
		print_rule();
	}
	object_buf_release(&buf);
}

static void print_description(struct pull_request *p)
{
	const char *branch, *text = NULL;
	char *key;

	if (!skip_prefix(p->head, "refs/heads/", &branch))
		return;
	key = xstrfmt("branch.%s.description", branch);
	if (config_get_string(p->repo->config, key, &text, NULL) > 0) {
		printf("(from the branch description for %s local branch)\n\n%s\n", branch, text);
		print_rule();
	}
	free(key);
}

static int print_changes(struct pull_request *p, struct command_ctx *ctx)
{
	char *range = xstrfmt("%s..%s", oid_hex(&p->base), oid_hex(&p->commit)), *not = xstrfmt("^%s", oid_hex(&p->start_commit));
	const char *log[] = { "shortlog", not, oid_hex(&p->commit), NULL };
	const char *diff[] = { "diff", "-M", "--stat", "--summary", range, NULL, NULL };
	int code;

	if (p->patch) {
		diff[4] = "-p";
		diff[5] = range;
	}
	code = cmd_shortlog(3, log, ctx);
	if (!code)
		code = cmd_diff(p->patch ? 6 : 5, diff, ctx);
	free(range);
	free(not);
	return code;
}

static int print_request(struct pull_request *p, struct commit_pool *pool, struct command_ctx *ctx, struct err *err)
{
	printf("The following changes since commit %s:\n\n", oid_hex(&p->base));
	print_commit(p, pool, &p->base, err);
	printf("\nare available in the Git repository at:\n\n  %s %s\n\nfor you to fetch changes up to %s:\n\n", p->url, p->shown,
	       oid_hex(&p->commit));
	print_commit(p, pool, &p->commit, err);
	putchar('\n');
	print_rule();
	print_description(p);
	print_tag(p, err);
	return print_changes(p, ctx);
}

static void split_end(struct pull_request *p, const char *end)
{
	const char *colon = strrchr(end, ':');

	p->local = colon ? xstrndup(end, colon - end) : xstrdup(end);
	p->remote = strchr(end, ':') ? strchr(end, ':') + 1 : end;
	if (!*p->local) {
		free(p->local);
		p->local = xstrdup("HEAD");
	}
}

int cmd_request_pull(int argc, const char **argv, struct command_ctx *ctx)
{
	struct pull_request p = { .repo = ctx->repo };
	struct option opts[] = { OPT_BOOL('p', NULL, &p.patch, "show patch text as well"), OPT_END() };
	struct strbuf url = STRBUF_INIT;
	struct commit_pool *pool;
	struct err err = ERR_INIT;
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc < 2 || !*argv[0] || !*argv[1]) {
		fprintf(stderr, "usage: %s\n\n    -p                    show patch text as well\n\n", usage[0]);
		return 1;
	}
	p.start = argv[0];
	p.given_url = argv[1];
	split_end(&p, argc > 2 ? argv[2] : "");
	if (commit_pool_new(&pool, p.repo, &err) < 0)
		die_err(&err);
	find_base(&p, pool, &err);
	if (!run_ls_remote("--get-url", argv[1], &url, &err))
		return 1;
	strbuf_rtrim(&url);
	p.url = strbuf_detach(&url, NULL);
	find_remote_ref(&p, &err);
	code = print_request(&p, pool, ctx, &err);
	commit_pool_free(pool);
	free(p.local);
	free(p.head);
	free(p.url);
	free(p.shown);
	if (finish_stdout())
		return 128;
	return code ? code : p.missing;
}
