/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stash(1) */
#include "compat/posix.h"
#include "builtin/stash/stash.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

#define LIST_USAGE "git stash list [<log-options>]"
#define DROP_USAGE "git stash drop [-q | --quiet] [<stash>]"
#define CLEAR_USAGE "git stash clear"
#define STORE_USAGE "git stash store [(-m | --message) <message>] [-q | --quiet] <commit>"

static const char *const usage[] = {
	LIST_USAGE, STASH_USAGE_SHOW, DROP_USAGE, STASH_USAGE_POP, STASH_USAGE_APPLY, STASH_USAGE_BRANCH, STASH_USAGE_PUSH,
	STASH_USAGE_SAVE, CLEAR_USAGE, STASH_USAGE_CREATE, STORE_USAGE, STASH_USAGE_EXPORT, STASH_USAGE_IMPORT, NULL
};

/* ---- list ---- */

static int list(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const before[] = { "log", "--format=%gd: %gs", "-g", "--first-parent" };
	static const char *const after[] = { "refs/stash", "--" };
	static const char *const list_usage[] = { LIST_USAGE, NULL };
	const struct option none[] = { OPT_END() };
	const char **args;
	int nr = 0, code;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(list_usage, none);
	if (stash_list_is_empty(ctx->repo))
		return 0;
	CALLOC_ARRAY(args, (size_t)argc + 8);
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		args[nr++] = before[i];
	for (int i = 1; i < argc; i++)
		args[nr++] = argv[i];
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		args[nr++] = after[i];
	setup_pager(ctx->repo, "log");
	code = cmd_log(nr, args, ctx);
	free(args);
	return code;
}

/* ---- drop, clear ---- */

static int drop(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const drop_usage[] = { DROP_USAGE, NULL };
	int quiet = 0, code, rc;
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &quiet, "be quiet, only report errors"),
		OPT_END()
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;
	struct stash s;

	argc = parse_options(argc, argv, opts, drop_usage, 0);
	code = stash_find_listed(ctx->repo, argc, argv, &s);
	if (code)
		return code;
	op = repo_operation_begin(ctx->repo);
	rc = stash_drop(op, &s, &err);
	rc = repo_operation_end(op, rc, &err);
	if (!rc && !quiet)
		stash_tell_dropped(&s);
	stash_release(&s);
	return rc ? report_fatal(&err) : finish_stdout();
}

static int clear(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const clear_usage[] = { CLEAR_USAGE, NULL };
	struct option opts[] = { OPT_END() };
	struct ref_transaction *t = NULL;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, clear_usage, 0);
	if (argc) {
		error("git stash clear with arguments is unimplemented");
		return 1;
	}
	if (stash_list_is_empty(ctx->repo))
		return 0;
	op = repo_operation_begin(ctx->repo);
	rc = repo_operation_begin_refs(op, 0, &t, &err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/stash", &ctx->repo->algo->null_oid, NULL, 0, NULL, &err);
	rc = repo_operation_end(op, rc, &err);
	return rc ? report_fatal(&err) : 0;
}

/* ---- store ---- */

static int store_commit(struct repository *r, const struct object_id *commit, const char *message, struct err *err)
{
	struct ref_transaction *t = NULL;
	struct repo_operation *op;
	struct stash s;
	int rc = stash_read(r, commit, &s, err);

	if (rc)
		return rc;
	stash_release(&s);
	op = repo_operation_begin(r);
	rc = repo_operation_begin_refs(op, 0, &t, err);
	if (!rc)
		rc = stash_queue_entry(t, commit, message ? message : "Created via \"git stash store\".", err);
	return repo_operation_end(op, rc, err);
}

static int store(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const store_usage[] = { STORE_USAGE, NULL };
	const char *message = NULL;
	int quiet = 0;
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &quiet, "be quiet, only report errors"),
		OPT_STRING('m', "message", &message, "message", "stash message"),
		OPT_END()
	};
	struct object_id oid;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, store_usage, 0);
	if (argc != 1) {
		if (!quiet)
			fputs("\"git stash store\" requires one <commit> argument\n", stderr);
		return 1;
	}
	if (revparse_oid(ctx->repo, argv[0], &oid, NULL)) {
		if (!quiet)
			fprintf(stderr, "Cannot update refs/stash with %s\n", argv[0]);
		return 1;
	}
	return store_commit(ctx->repo, &oid, message, &err) ? report_fatal(&err) : 0;
}

/* ---- the command ---- */

int cmd_stash(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "apply", stash_cmd_apply }, { "branch", stash_cmd_branch }, { "clear", clear }, { "create", stash_cmd_create },
		{ "drop", drop }, { "export", stash_cmd_export }, { "import", stash_cmd_import }, { "list", list },
		{ "pop", stash_cmd_pop }, { "push", stash_cmd_push }, { "save", stash_cmd_save }, { "show", stash_cmd_show },
		{ "store", store },
	};
	const struct option none[] = { OPT_END() };
	command_fn run;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usage, 0);
	run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);
	return run ? run(argc - 1, argv + 1, ctx) : stash_cmd_push_assumed(argc, argv, ctx);
}
