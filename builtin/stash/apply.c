/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stash(1): apply, pop, branch. */
#include "compat/posix.h"
#include "builtin/stash/stash.h"
#include "cli/git-options.h"
#include "cli/rename-limit.h"
#include "porcelain/stash-apply.h"
#include "util/run-command.h"
#include "worktree/rerere.h"

struct applying {
	struct command_ctx *ctx;
	struct stash stash;
	int quiet, index;
	bool drop; /* if all came back */
	const char *ours, *theirs, *base;
	struct strvec rerere_messages;
};

/* ---- output ---- */

static void print_messages(const struct stash_apply *a)
{
	for (size_t i = 0; i < a->merge.nr_messages; i++)
		puts(a->merge.messages[i].text);
	warn_of_merge_limit(a->merge.needed_rename_limit);
}

static void print_lost(const struct stash_apply *a)
{
	if (a->index_lost)
		fputs("Index was not unstashed.\n", stderr);
	for (size_t i = 0; i < a->in_the_way.nr; i++)
		fprintf(stderr, "%s already exists, no checkout\n", a->in_the_way.items[i].string);
	if (a->in_the_way.nr)
		error("could not restore untracked files from stash");
}

static void print_status(const struct applying *ap)
{
	const char *argv[] = { "status", NULL };

	fflush(stdout);
	(void)cmd_status(1, argv, ap->ctx);
}

/* ---- apply ---- */

/*
 * P7: the entry goes after WORKTREE_UPDATE, or an undo would take away the last copy (test: t7632, "pop, killed at any call").
 */
static int drop_applied(struct applying *ap, struct stash_apply *a, struct repo_operation *op, struct err *err)
{
	int rc = stash_apply_keep_files(a, err);

	if (!rc)
		rc = repo_operation_publish(op, err);
	return rc ? rc : stash_drop(op, &ap->stash, err);
}

static int apply_in_operation(struct applying *ap, struct stash_apply *a, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(ap->ctx->repo);
	struct rerere rr = { .op = op, .ix = &a->update.ix, .autoupdate = -1, .lenient = true };
	int rc = stash_apply_run(a, op, err);

	if (!rc && a->has_merge && !a->merge.clean)
		rc = rerere_update(&rr, &ap->rerere_messages, err);
	if (!rc && ap->drop && stash_apply_is_clean(a))
		rc = drop_applied(ap, a, op, err);
	return repo_operation_end(op, rc, err);
}

static int report_applied(const struct applying *ap, const struct stash_apply *a)
{
	if (a->nothing_to_merge)
		puts("Already up to date."); /* with --quiet, too */
	if (!ap->quiet)
		print_messages(a);
	fflush(stdout);
	for (size_t i = 0; i < ap->rerere_messages.nr; i++)
		fprintf(stderr, "%s\n", ap->rerere_messages.v[i]);
	print_lost(a);
	if (!ap->quiet)
		print_status(ap);
	return stash_apply_is_clean(a) ? 0 : 1;
}

static int report_refused(const struct applying *ap, const struct stash_apply *a, int rc, struct err *err)
{
	int code = stash_report_failure(ap->ctx->repo, rc, err);

	if (a->has_merge && rc == ERR_CONFLICT && ap->index)
		fputs("Index was not unstashed.\n", stderr);
	if (a->has_merge && rc == ERR_CONFLICT && !ap->quiet)
		print_status(ap);
	return code;
}

static int apply_stash(struct applying *ap)
{
	struct stash_apply a = { .stash = &ap->stash, .index = ap->index,
				 .label = { [MERGE_BASE] = ap->base, [MERGE_OURS] = ap->ours, [MERGE_THEIRS] = ap->theirs } };
	struct err err = ERR_INIT;
	int rc = apply_in_operation(ap, &a, &err);
	int code = rc ? report_refused(ap, &a, rc, &err) : report_applied(ap, &a);

	stash_apply_release(&a);
	return code;
}

static int end_of_command(struct applying *ap, int code)
{
	stash_release(&ap->stash);
	strvec_clear(&ap->rerere_messages);
	return finish_stdout() && !code ? 128 : code;
}

static void read_index_default(struct applying *ap)
{
	struct err err = ERR_INIT;
	bool on = false;

	if (config_get_bool(ap->ctx->repo->config, "stash.index", &on, &err) < 0)
		die_err(&err);
	ap->index = on;
}

int stash_cmd_apply(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const apply_usage[] = { STASH_USAGE_APPLY, NULL };
	struct applying ap = { .ctx = ctx, .rerere_messages = STRVEC_INIT };
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &ap.quiet, "be quiet, only report errors"),
		OPT_BOOL(0, "index", &ap.index, "attempt to recreate the index"),
		OPT_STRING(0, "label-ours", &ap.ours, "label", "label for the upstream side in conflict markers"),
		OPT_STRING(0, "label-theirs", &ap.theirs, "label", "label for the stashed side in conflict markers"),
		OPT_STRING(0, "label-base", &ap.base, "label", "label for the base in diff3 conflict markers"),
		OPT_END()
	};
	int code;

	read_index_default(&ap);
	argc = parse_options(argc, argv, opts, apply_usage, 0);
	code = stash_find_argument(ctx->repo, argc, argv, &ap.stash);
	return code ? code : end_of_command(&ap, apply_stash(&ap));
}

/* ---- pop ---- */

static int pop_stash(struct applying *ap)
{
	int code = apply_stash(ap);

	if (code)
		puts("The stash entry is kept in case you need it again.");
	else if (!ap->quiet)
		stash_tell_dropped(&ap->stash);
	return code;
}

int stash_cmd_pop(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const pop_usage[] = { STASH_USAGE_POP, NULL };
	struct applying ap = { .ctx = ctx, .drop = true, .rerere_messages = STRVEC_INIT };
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &ap.quiet, "be quiet, only report errors"),
		OPT_BOOL(0, "index", &ap.index, "attempt to recreate the index"),
		OPT_END()
	};
	int code;

	read_index_default(&ap);
	argc = parse_options(argc, argv, opts, pop_usage, 0);
	code = stash_find_listed(ctx->repo, argc, argv, &ap.stash);
	return code ? code : end_of_command(&ap, pop_stash(&ap));
}

/* ---- branch ---- */

static int checkout_new_branch(const char *name, const struct object_id *base)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int rc;

	push_own_command(&cp.args, "checkout");
	strvec_push(&cp.args, "-b");
	strvec_push(&cp.args, name);
	strvec_push(&cp.args, oid_hex(base));
	fflush(stdout);
	rc = run_command(&cp, &err);
	return rc < 0 ? report_fatal(&err) : rc ? 1 : 0;
}

int stash_cmd_branch(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const branch_usage[] = { STASH_USAGE_BRANCH, NULL };
	struct applying ap = { .ctx = ctx, .index = 1, .rerere_messages = STRVEC_INIT };
	struct option opts[] = { OPT_END() };
	int code;

	argc = parse_options(argc, argv, opts, branch_usage, 0);
	if (!argc) {
		fputs("No branch name specified\n", stderr);
		return 1;
	}
	code = stash_find_argument(ctx->repo, argc - 1, argv + 1, &ap.stash);
	if (code)
		return code;
	ap.drop = ap.stash.listed;
	code = checkout_new_branch(argv[0], &ap.stash.base);
	if (!code)
		code = apply_stash(&ap);
	if (!code && ap.drop)
		stash_tell_dropped(&ap.stash);
	return end_of_command(&ap, code);
}
