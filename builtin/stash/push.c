/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stash(1): push, save, create. */
#include "compat/posix.h"
#include "builtin/stash/stash.h"
#include "apply/apply.h"
#include "cli/choose/choose.h"
#include "cli/clean-worktree.h"
#include "cli/context-option.h"
#include "cli/path-args.h"
#include "diff/diff.h"
#include "index/cache-tree.h"
#include "porcelain/stash-save.h"
#include "util/alloc.h"

struct push {
	struct repository *r;
	int quiet, keep_index, patch, staged, untracked, all;
	int auto_advance;
	struct context_option context;
	char *message; /* owned */
	const char *message_given;
	struct pathspec_args pathspec_args;
	struct pathspec ps;
};

#define PUSH_OPTIONS(p)                                                                                       \
	OPT_BOOL('k', "keep-index", &(p)->keep_index, "keep index"),                                          \
	OPT_BOOL('S', "staged", &(p)->staged, "stash staged changes only"),                                   \
	OPT_BOOL('p', "patch", &(p)->patch, "stash in patch mode"),                                           \
	OPT_BOOL(0, "auto-advance", &(p)->auto_advance,                                                       \
		 "auto advance to the next file when selecting hunks interactively"),                         \
	OPT_CONTEXT(&(p)->context),                                                                           \
	OPT_BOOL('q', "quiet", &(p)->quiet, "quiet mode"),                                                    \
	OPT_BOOL('u', "include-untracked", &(p)->untracked, "include untracked files in stash"),              \
	OPT_BOOL('a', "all", &(p)->all, "include ignored files"),                                             \
	OPT_STRING('m', "message", &(p)->message_given, "message", "stash message")

/* ---- the story ---- */

/* As Git names it: the magic that was typed, in words, and the length of the prefix. */
static void add_pathspec(struct strbuf *out, const struct pathspec_item *it)
{
	const char *typed;

	strbuf_addstr(out, ":(");
	if (!skip_prefix(it->original, ":(", &typed))
		strbuf_addstr(out, it->top ? "top" : "");
	else if (it->top || it->literal || it->icase || it->glob || it->attr)
		strbuf_add(out, typed, strcspn(typed, ")"));
	strbuf_addf(out, "%sprefix:%zu)%s", out->len > 2 ? "," : "", it->prefix_len, it->match);
}

static int refuse_paths(const struct pathspec *ps, const char *seen)
{
	struct strbuf name = STRBUF_INIT;
	bool missing = false;

	for (size_t i = 0; i < ps->nr; i++) {
		if (seen[i])
			continue;
		strbuf_reset(&name);
		add_pathspec(&name, &ps->items[i]);
		error("pathspec '%s' did not match any file(s) known to git", name.buf);
		missing = true;
	}
	if (missing)
		fputs("Did you forget to 'git add'?\n", stderr);
	strbuf_release(&name);
	return missing;
}

/* 0: go on. Else 1 + the exit code. */
static int check_changes(const struct push *p, const struct stash_save *s)
{
	if (s->seen && !s->untracked && !s->ignored && refuse_paths(&p->ps, s->seen))
		return 2;
	if (!s->has_changes) {
		if (!p->quiet)
			puts("No local changes to save");
		return 1;
	}
	if (s->staged && !s->has_staged) {
		fputs("No staged changes\n", stderr);
		return 2;
	}
	return 0;
}

/* The entry is sealed before a file changes. */
static int save_entry(struct stash_save *s, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(s->op, 0, &t, err);

	if (!rc)
		rc = stash_queue_entry(t, &s->stash, s->log.buf, err);
	return rc ? rc : repo_operation_commit(s->op, err);
}

static int report_not_created(struct repository *r, int rc, struct err *err)
{
	int code = stash_report_failure(r, rc, err);

	if (rc == ERR_CONFLICT)
		fputs("Cannot save the current worktree state\n", stderr);
	return code;
}

static void tell_saved(const struct push *p, const struct stash_save *s)
{
	if (!p->quiet)
		printf("Saved working directory and index state %s\n", s->log.buf);
}

static int report_not_removed(void)
{
	fputs("Cannot remove worktree changes\n", stderr);
	return 1;
}

static int clear_changes(struct push *p, struct stash_save *s, struct err *err)
{
	int rc = s->cannot_clear ? 0 : stash_save_clear(s, err);

	if (!rc)
		rc = repo_operation_commit(s->op, err);
	if (rc)
		return report_fatal(err);
	tell_saved(p, s);
	return s->cannot_clear ? report_not_removed() : 0;
}

static int report_begin_failure(const struct push *p, int rc, struct err *err)
{
	if (rc != ERR_NOT_FOUND)
		return stash_report_failure(p->r, rc, err);
	fprintf(stderr, "%s\n", err_message(err));
	err_release(err);
	return 1;
}

/* ---- --patch ---- */

/* HEAD as an index, with the stat data of entries that are the same there. */
static int read_head_index(struct stash_save *s, struct index_state *out, struct err *err)
{
	int rc = unpack_trees_list(s->r, &s->head_tree, out, err);

	for (size_t i = 0; !rc && i < out->nr; i++) {
		struct index_entry *e = out->entries[i];
		const struct index_entry *same = index_find(&s->ix, e->name, e->name_len);

		if (same && same->mode == e->mode && oid_eq(&same->oid, &e->oid))
			e->stat = same->stat;
	}
	return rc;
}

/* 0: chosen and patch are set. Else 1 + the exit code. */
static int choose_changes(const struct push *p, struct stash_save *s, struct index_state *chosen, struct strbuf *patch)
{
	struct choose_request q = { .repo = p->r, .target = CHOOSE_STASH, .rev = "HEAD", .tree = &s->head_tree, .ps = s->ps,
				    .context = p->context, .auto_advance = p->auto_advance, .into = chosen, .op = s->op,
				    .patch = patch };
	struct err err = ERR_INIT;
	int code, rc = read_head_index(s, chosen, &err);

	if (!rc)
		rc = repo_operation_open_objects(s->op, &err);
	if (rc)
		return 1 + report_fatal(&err);
	code = choose_hunks(&q);
	if (code <= 1 && !patch->len) { /* a failing filter has said so before */
		if (!p->quiet)
			fputs("No changes selected\n", stderr);
		code = 1;
	}
	s->chosen = chosen;
	return code ? 1 + code : 0;
}

static void say_on_stderr(void *data UNUSED, const char *text)
{
	fflush(stdout);
	fputs(text, stderr);
}

/* What the entry has changed, with one line of context: others near by may stay in the files. */
static int diff_entry(struct repository *r, const struct object_id *commit, struct strbuf *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	struct stash st;
	int rc = stash_read(r, commit, &st, err);

	if (rc)
		return rc;
	diff_options_init(&o, r->odb);
	o.formats = DIFF_FORMAT_PATCH;
	o.binary = o.full_index = true;
	o.context = 1;
	rc = diff_trees(&q, &o, &st.base_tree, &st.tree, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, out, err);
	diff_queue_clear(&q);
	diff_options_release(&o);
	stash_release(&st);
	return rc;
}

/* The entry has them: they can be taken out of the files. */
static int take_out_chosen(const struct push *p, const struct stash_save *s, struct err *err)
{
	struct strbuf patch = STRBUF_INIT;
	struct apply a;
	int code, rc = diff_entry(p->r, &s->stash, &patch, err);

	if (rc) {
		strbuf_release(&patch);
		return report_fatal(err);
	}
	apply_init(&a, p->r, NULL);
	a.say = say_on_stderr;
	a.reverse = 1;
	a.ws = APPLY_WS_NOWARN;
	code = apply_text_to_files(&a, &patch);
	apply_release(&a);
	strbuf_release(&patch);
	return code;
}

/* ---- all ---- */

static int save_and_clear(struct push *p, struct stash_save *s, struct err *err)
{
	int rc = stash_save_create(s, err);

	if (rc)
		return report_not_created(p->r, rc, err);
	rc = save_entry(s, err);
	if (rc)
		return report_fatal(err);
	if (p->patch && take_out_chosen(p, s, err)) {
		tell_saved(p, s);
		return report_not_removed();
	}
	return clear_changes(p, s, err);
}

static int push_chosen(struct push *p, struct stash_save *s, struct err *err)
{
	struct index_state chosen;
	struct strbuf patch = STRBUF_INIT;
	int code;

	index_init(&chosen, p->r->algo);
	code = choose_changes(p, s, &chosen, &patch);
	code = code ? code - 1 : save_and_clear(p, s, err);
	s->chosen = NULL;
	strbuf_release(&patch);
	index_release(&chosen);
	return code;
}

static int push_changes(struct push *p, struct stash_save *s, struct err *err)
{
	int rc = stash_save_begin(s, s->op, err);

	if (rc)
		return report_begin_failure(p, rc, err);
	rc = check_changes(p, s);
	if (rc)
		return rc - 1;
	return p->patch ? push_chosen(p, s, err) : save_and_clear(p, s, err);
}

static int push_run(struct push *p)
{
	struct stash_save s = { .ps = &p->ps, .untracked = p->untracked, .ignored = p->all, .staged = p->staged && !p->patch,
				.keep_index = p->keep_index < 0 ? p->patch : p->keep_index, .message = p->message, .as_reset = true,
				.op = repo_operation_begin(p->r) };
	struct err err = ERR_INIT;
	int code = push_changes(p, &s, &err);

	repo_operation_abort(s.op);
	repo_operation_free(s.op);
	stash_save_release(&s);
	pathspec_release(&p->ps);
	free(p->message);
	if (finish_stdout() && !code)
		code = 128;
	return code;
}

static void check_choice(const struct push *p)
{
	if (!p->auto_advance && !p->patch)
		die("the option '%s' requires '%s'", "--no-auto-advance", "--patch");
	check_context_choice(&p->context, p->patch, "--patch");
	check_context_numbers(&p->context);
	if (p->patch && p->pathspec_args.file)
		die("options '%s' and '%s' cannot be used together", "--pathspec-from-file", "--patch");
}

static int check_options(const struct push *p)
{
	if (p->patch && (p->untracked || p->all)) {
		fputs("Can't use --patch and --include-untracked or --all at the same time\n", stderr);
		return 1;
	}
	if (p->staged && (p->untracked || p->all)) {
		fputs("Can't use --staged and --include-untracked or --all at the same time\n", stderr);
		return 1;
	}
	return 0;
}

/* ---- push ---- */

static int push_words(int argc, const char **argv, struct command_ctx *ctx, bool assumed)
{
	static const char *const push_usage[] = { STASH_USAGE_PUSH, NULL };
	struct push p = { .r = ctx->repo, .auto_advance = 1, .keep_index = -1, .context = CONTEXT_OPTION_INIT };
	struct option opts[] = { PUSH_OPTIONS(&p), OPT_PATHSPEC_FILE(&p.pathspec_args), OPT_END() };

	argc = parse_options(argc, argv, opts, push_usage, assumed ? PARSE_OPT_KEEP_DASHDASH : 0);
	argv[argc] = NULL;
	check_choice(&p);
	if (argc && assumed) {
		bool dashes = !strcmp(argv[0], "--");

		if (!dashes && !p.patch)
			die("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", argv[0]);
		argv += dashes;
	}
	(void)pathspec_args_parse(&p.pathspec_args, &p.ps, ctx->repo, argv, 0);
	if (check_options(&p)) {
		pathspec_release(&p.ps);
		return 1;
	}
	p.message = p.message_given ? xstrdup(p.message_given) : NULL;
	return push_run(&p);
}

int stash_cmd_push(int argc, const char **argv, struct command_ctx *ctx)
{
	return push_words(argc, argv, ctx, false);
}

int stash_cmd_push_assumed(int argc, const char **argv, struct command_ctx *ctx)
{
	return push_words(argc, argv, ctx, true);
}

/* ---- save ---- */

int stash_cmd_save(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const save_usage[] = { STASH_USAGE_SAVE, NULL };
	struct push p = { .r = ctx->repo, .auto_advance = 1, .keep_index = -1, .context = CONTEXT_OPTION_INIT };
	struct option opts[] = { PUSH_OPTIONS(&p), OPT_END() };

	argc = parse_options(argc, argv, opts, save_usage, 0);
	check_choice(&p);
	if (check_options(&p))
		return 1;
	p.message = argc ? stash_join_words(argc, argv) : p.message_given ? xstrdup(p.message_given) : NULL;
	return push_run(&p);
}

/* ---- create ---- */

/* push would have to clear these paths; here no tree can be made of the index. */
static int report_unmerged(struct stash_save *s)
{
	struct object_id tree;
	struct err err = ERR_INIT;

	(void)print_unmerged(&s->ix);
	if (cache_tree_update(&s->ix, s->r, WRITE_TREE_DRY_RUN, &tree, &err))
		fprintf(stderr, "%s\nCannot save the current index state\n", err_message(&err));
	err_release(&err);
	return 1;
}

static int create_commit(struct stash_save *s, struct err *err)
{
	int rc = stash_save_begin(s, s->op, err);

	if (rc == ERR_CONFLICT && index_has_unmerged(&s->ix)) {
		err_release(err);
		return report_unmerged(s);
	}
	if (rc)
		return report_begin_failure(&(struct push){ .r = s->r }, rc, err);
	if (!s->has_changes)
		return 0;
	rc = stash_save_create(s, err);
	if (rc)
		return report_not_created(s->r, rc, err);
	rc = repo_operation_commit(s->op, err);
	if (rc)
		return report_fatal(err);
	puts(oid_hex(&s->stash));
	return 0;
}

int stash_cmd_create(int argc, const char **argv, struct command_ctx *ctx)
{
	char *message = stash_join_words(argc - 1, argv + 1);
	struct stash_save s = { .message = message, .op = repo_operation_begin(ctx->repo) };
	struct err err = ERR_INIT;
	int code = create_commit(&s, &err);

	repo_operation_abort(s.op);
	repo_operation_free(s.op);
	stash_save_release(&s);
	free(message);
	return finish_stdout() && !code ? 128 : code;
}
