/* SPDX-License-Identifier: GPL-2.0-only */
/* git-for-each-repo(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/git-options.h"
#include "util/alloc.h"
#include "util/run-command.h"

static const char *const usage[] = { "git for-each-repo --config=<config> [--] <arguments>", NULL };

/* There, as if nothing was known about where we are. */
static int run_in(const char *place, int argc, const char **argv)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code;

	push_own_command(&cp.args, "-C");
	strvec_push(&cp.args, place);
	for (int i = 0; i < argc; i++)
		strvec_push(&cp.args, argv[i]);
	/* Options -c are for the commands, too. */
	for (size_t i = 0; repo_local_env[i]; i++)
		if (!starts_with(repo_local_env[i], "GIT_CONFIG"))
			strvec_push(&cp.env, repo_local_env[i]);
	code = run_command(&cp, &err);
	return code < 0 ? report_error(&err) : code;
}

int cmd_for_each_repo(int argc, const char **argv, struct command_ctx *ctx)
{
	const char *key = NULL;
	int keep_going = 0, code = 0;
	struct option options[] = {
		OPT_STRING(0, "config", &key, "config", "config key storing a list of repository paths"),
		OPT_BOOL(0, "keep-going", &keep_going, "keep going even if command fails in a repository"),
		OPT_END()
	};
	struct strbuf canonical = STRBUF_INIT;
	const struct config_entry *const *v;
	struct err err = ERR_INIT;
	size_t nr;

	argc = parse_options(argc, argv, options, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (!key)
		die("missing --config=<config>");
	if (config_key_parse(&canonical, key, &err) < 0) {
		report_error(&err);
		fprintf(stderr, "fatal: got bad config --config=%s\n", key);
		usage_with_options(usage, options);
	}
	v = config_get_all(command_config(ctx->repo), canonical.buf, &nr);
	for (size_t i = 0; i < nr && (!code || keep_going); i++) {
		char *place = NULL;
		int rc = config_entry_path(v[i], &place, &err);

		if (rc < 0)
			die_err(&err);
		if (rc == CONFIG_PATH_OPTIONAL)
			continue;
		rc = run_in(place, argc, argv);
		if (rc)
			code = keep_going ? 1 : rc;
		free(place);
	}
	strbuf_release(&canonical);
	return code;
}
