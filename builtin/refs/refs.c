/* SPDX-License-Identifier: GPL-2.0-only */
/* git-refs(1): refs as a whole; mostly other names of other commands. */
#include "compat/posix.h"
#include "builtin/fsck/fsck.h"
#include "maintain/migrate-refs.h"
#include "repo/ref-storage.h"
#include "util/alloc.h"

#define MIGRATE_USAGE "git refs migrate --ref-format=<format> [--no-reflog] [--dry-run]"
#define VERIFY_USAGE "git refs verify [--strict] [--verbose]"
#define LIST_USAGE "git refs list [<options> of git for-each-ref] [<pattern>...]"
#define EXISTS_USAGE "git refs exists <ref>"
#define OPTIMIZE_USAGE "git refs optimize [<options> of git pack-refs]"

static const char *const usage[] = {
	MIGRATE_USAGE, VERIFY_USAGE, LIST_USAGE, EXISTS_USAGE, OPTIMIZE_USAGE, NULL
};

/* As in Git. */
#define MIGRATION_FAILED 255

static int refs_list(int argc, const char **argv, struct command_ctx *ctx)
{
	argv[0] = "for-each-ref";
	return cmd_for_each_ref(argc, argv, ctx);
}

static int optimize(int argc, const char **argv, struct command_ctx *ctx)
{
	argv[0] = "pack-refs";
	return cmd_pack_refs(argc, argv, ctx);
}

static int refs_exists(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const exists_usage[] = { EXISTS_USAGE, NULL };
	struct option options[] = { OPT_END() };
	const char *args[] = { "show-ref", "--exists", "--", NULL, NULL };

	argc = parse_options(argc, argv, options, exists_usage, 0);
	if (argc != 1)
		die("refs exists requires a reference");
	args[3] = argv[0];
	return cmd_show_ref(4, args, ctx);
}

static int verify(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const verify_usage[] = { VERIFY_USAGE, NULL };
	struct fsck_options checks = { .strict = false };
	int verbose = 0, strict = 0;
	struct option options[] = {
		OPT_BOOL(0, "verbose", &verbose, "be verbose"),
		OPT_BOOL(0, "strict", &strict, "enable strict checking"),
		OPT_END()
	};
	bool bad;

	argc = parse_options(argc, argv, options, verify_usage, 0);
	if (argc)
		usage_msg_opt("'git refs verify' takes no arguments", verify_usage, options);
	checks.strict = strict;
	fsck_read_severities(&checks, ctx->repo->config);
	bad = fsck_verify_refs(ctx->repo, &checks, verbose);
	fsck_options_release(&checks);
	return bad ? 255 : 0;
}

static int report_migration(struct err *err)
{
	error("%s", err_message(err));
	err_release(err);
	return MIGRATION_FAILED;
}

static int refs_migrate(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const migrate_usage[] = { MIGRATE_USAGE, NULL };
	struct ref_migration_options o = { .to = NULL };
	int dry_run = 0, reflog = 1;
	const char *format = NULL;
	struct option options[] = {
		OPT_STRING(0, "ref-format", &format, "format",
			   "specify the reference format to convert to"),
		OPT_BOOL(0, "dry-run", &dry_run, "perform a non-destructive dry-run"),
		OPT_BOOL(0, "reflog", &reflog, "drop reflogs entirely during the migration"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	char *dir = NULL;

	argc = parse_options(argc, argv, options, migrate_usage, 0);
	if (argc)
		usage_msg_opt("too many arguments", migrate_usage, options);
	if (!format)
		usage_msg_opt("missing --ref-format=<format>", migrate_usage, options);
	if (ref_storage_by_name(&o.to, format, &err) < 0)
		return report_migration(&err);
	if (o.to == refs_backend(ctx->repo->refs)) {
		error("repository already uses '%s' format", format);
		return MIGRATION_FAILED;
	}
	o.dry_run = dry_run;
	o.reflogs = reflog;
	if (ref_migrate(ctx->repo, &o, &dir, &err) < 0)
		return report_migration(&err);
	if (dir)
		printf("Finished dry-run migration of refs, the result can be found at '%s'\n", dir);
	free(dir);
	return finish_stdout();
}

int cmd_refs(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "migrate", refs_migrate }, { "verify", verify }, { "list", refs_list },
		{ "exists", refs_exists }, { "optimize", optimize },
	};
	const struct option none[] = { OPT_END() };
	command_fn run;

	run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);
	if (run)
		return run(argc - 1, argv + 1, ctx);
	if (argc > 1 && argv[1][0] != '-')
		die_no_subcommand(argv[1], usage, none);
	parse_options(argc, argv, none, usage, 0);
	die_no_subcommand(NULL, usage, none);
}
