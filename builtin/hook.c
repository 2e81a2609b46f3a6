/* SPDX-License-Identifier: GPL-2.0-only */
/* git-hook(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "repo/hook.h"
#include "util/strvec.h"

#define RUN_USAGE                                                                              \
	"git hook run [--allow-unknown-hook-name] [--ignore-missing] [--to-stdin=<path>] "     \
	"[(-j|--jobs) <n>]\n<hook-name> [-- <hook-args>]"
#define LIST_USAGE "git hook list [--allow-unknown-hook-name] [-z] [--show-scope] <hook-name>"

/* githooks(5) */
static const char *const events[] = {
	"applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist",
	"p4-pre-submit", "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit",
	"post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update",
	"pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase",
	"pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
	"reference-transaction", "sendemail-validate", "update",
};

static bool is_event(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i], name))
			return true;
	return false;
}

static int check_event(const char *name, int allow_unknown)
{
	if (allow_unknown || is_event(name))
		return 0;
	return error("unknown hook event '%s';\nuse --allow-unknown-hook-name to allow non-native hook names",
		     name);
}

/* Is a hook of the configuration for this event? An empty value takes back those above it. */
static bool is_configured(const struct config_set *c, const char *key, const char *event)
{
	bool found = false;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (strcmp(e->key, key) || !e->value)
			continue;
		found = *e->value && (found || !strcmp(e->value, event));
	}
	return found;
}

/* Hooks of the configuration do not run here, and must not look as if they had. */
static void refuse_configured_hooks(const struct config_set *c, const char *event)
{
	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (starts_with(e->key, "hook.") && ends_with(e->key, ".event") &&
		    is_configured(c, e->key, event))
			die("hooks of the configuration ('%s') are not available yet", e->key);
	}
}

/* Outside of a repository there are none. */
static bool has_hook(struct repository *r, const char *name)
{
	return r && repo_has_hook(r, name);
}

static int run_hook(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const run_usage[] = { RUN_USAGE, NULL };
	int allow_unknown = 0, ignore_missing = 0, jobs = 1, code = 0, rc;
	const char *input = NULL;
	struct option opts[] = {
		OPT_BOOL(0, "allow-unknown-hook-name", &allow_unknown,
			 "allow running a hook with a non-native hook name"),
		OPT_BOOL(0, "ignore-missing", &ignore_missing,
			 "silently ignore missing requested <hook-name>"),
		OPT_STRING(0, "to-stdin", &input, "path", "file to read into hooks' stdin"),
		OPT_INTEGER('j', "jobs", &jobs,
			    "run up to <n> hooks simultaneously (-1 for CPU count)"),
		OPT_END(),
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, run_usage, PARSE_OPT_KEEP_DASHDASH);
	if (!argc || !strcmp(argv[0], "--") || (argc > 1 && strcmp(argv[1], "--")))
		usage_with_options(run_usage, opts);
	if (jobs < -1)
		die("invalid value for -j: %d (use -1 for CPU count or a positive integer)", jobs);
	if (check_event(argv[0], allow_unknown) < 0)
		return 1;
	refuse_configured_hooks(command_config(ctx->repo), argv[0]);
	if (!has_hook(ctx->repo, argv[0]))
		return ignore_missing ? 0 : -error("cannot find a hook named %s", argv[0]);
	rc = repo_run_named_hook(ctx->repo, argv[0], argv + (argc > 1 ? 2 : 1), input, &code, &err);
	if (rc == ERR_IO)
		return report_fatal(&err);
	if (rc < 0 && (code <= 0 || code > 128))
		report_error(&err); /* else the hook has printed why */
	err_release(&err);
	return code > 0 ? code : rc < 0;
}

static int list_hooks(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const list_usage[] = { LIST_USAGE, NULL };
	int nul = 0, show_scope = 0, allow_unknown = 0;
	struct option opts[] = {
		OPT_BOOL('z', NULL, &nul, "use NUL as line terminator"),
		OPT_BOOL(0, "show-scope", &show_scope,
			 "show the config scope that defined each hook"),
		OPT_BOOL(0, "allow-unknown-hook-name", &allow_unknown,
			 "allow running a hook with a non-native hook name"),
		OPT_END(),
	};

	argc = parse_options(argc, argv, opts, list_usage, 0);
	if (argc != 1)
		usage_msg_opt("you must specify a hook event name to list", list_usage, opts);
	if (check_event(argv[0], allow_unknown) < 0)
		return 1;
	refuse_configured_hooks(command_config(ctx->repo), argv[0]);
	if (!has_hook(ctx->repo, argv[0])) {
		warning("no hooks found for event '%s'", argv[0]);
		return 1;
	}
	printf("hook from hookdir%c", nul ? '\0' : '\n');
	return finish_stdout();
}

int cmd_hook(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { RUN_USAGE, LIST_USAGE, NULL };
	struct option opts[] = { OPT_END() };

	if (argc > 1 && !strcmp(argv[1], "run"))
		return run_hook(argc - 1, argv + 1, ctx);
	if (argc > 1 && !strcmp(argv[1], "list"))
		return list_hooks(argc - 1, argv + 1, ctx);
	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	die_no_subcommand(argv[0], usage, opts);
}
