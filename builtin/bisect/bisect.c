/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bisect(1): the table of subcommands, and some that only show something. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include "worktree/merge-result.h"

static const char *const usage[] = {
	"git bisect start [--term-(bad|new)=<term-new> --term-(good|old)=<term-old>]\n"
	"                 [--no-checkout] [--first-parent] [<bad> [<good>...]] [--] [<pathspec>...]",
	"git bisect (bad|new|<term-new>) [<rev>]",
	"git bisect (good|old|<term-old>) [<rev>...]",
	"git bisect terms [--term-(good|old) | --term-(bad|new)]",
	"git bisect skip [(<rev>|<range>)...]",
	"git bisect next",
	"git bisect reset [<commit>]",
	"git bisect (visualize|view)",
	"git bisect replay <logfile>",
	"git bisect log",
	"git bisect run <cmd> [<arg>...]",
	"git bisect help",
	NULL
};

/* ---- what it shows ---- */

static int show_log(struct bisect *b)
{
	struct strbuf text = STRBUF_INIT;
	int code = 0;

	if (repo_state_read(b->r, STATE_BISECT_LOG, &text, NULL) < 0 || !text.len) {
		error("We are not bisecting.");
		code = BISECT_FAILED;
	} else {
		fwrite(text.buf, 1, text.len, stdout);
	}
	strbuf_release(&text);
	return code;
}

/* Are both ends known? */
static bool has_both(const struct bisect *b)
{
	return b->has_terms && b->has_bad && b->good.nr;
}

/* For `next`, which needs no good commit. Says so if it is not. */
static bool can_go_on(const struct bisect *b)
{
	if (!b->has_terms || has_both(b))
		return b->has_terms;
	if (b->has_bad) {
		warning("bisecting only with a %s commit", b->term_bad);
		return true;
	}
	error(bisect_in_progress(b) ? "You need to give me at least one bad|new and good|old revision.\n"
		      "You can use \"git bisect bad|new\" and \"git bisect good|old\" for that." :
		      "You need to start by \"git bisect start\".\nYou then need to give me at least one bad|new and good|old revision.\n"
		      "You can use \"git bisect bad|new\" and \"git bisect good|old\" for that.");
	return false;
}

static bool has_display(void)
{
	static const char *const names[] = { "DISPLAY", "SESSIONNAME", "MSYSTEM", "SECURITYSESSIONID" };
	char *gitk = NULL;
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		yes |= getenv(names[i]) != NULL;
	gitk = yes ? locate_in_path("gitk") : NULL;
	yes = gitk != NULL;
	free(gitk);
	return yes;
}

static int visualize(struct bisect *b, int argc, const char **argv)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code;

	if (!has_both(b))
		return BISECT_FAILED;
	if (!argc && has_display())
		strvec_push(&cp.args, "gitk");
	else if (!argc || argv[0][0] == '-')
		strvec_pushl(&cp.args, "git", "log", NULL);
	else if (!starts_with(argv[0], "git") && !starts_with(argv[0], "tig"))
		strvec_push(&cp.args, "git");
	strvec_pushv(&cp.args, argv);
	strvec_push(&cp.args, oid_hex(&b->bad));
	for (size_t i = 0; i < b->good.nr; i++)
		strvec_pushf(&cp.args, "^%s", oid_hex(&b->good.oid[i]));
	strvec_push(&cp.args, "--"); /* as in Git, the whole history, whatever paths `start` has */
	code = run_command(&cp, &err);
	return code < 0 ? report_fatal(&err) : code;
}

/* ---- the subcommands ---- */

static int next_cmd(struct bisect *b, int argc)
{
	if (argc) {
		error("'git bisect next' requires 0 arguments");
		return BISECT_FAILED;
	}
	return can_go_on(b) ? bisect_take_step(b, false) : BISECT_FAILED;
}

static int reset_cmd(struct bisect *b, int argc, const char **argv)
{
	if (argc > 1) {
		error("'git bisect reset' requires either no argument or a commit");
		return BISECT_FAILED;
	}
	return bisect_reset_cmd(b, argc ? argv[0] : NULL);
}

static int replay_cmd(struct bisect *b, int argc, const char **argv)
{
	if (argc != 1) {
		error("no logfile given");
		return BISECT_FAILED;
	}
	return bisect_replay_cmd(b, argv[0]);
}

static int run_cmd(struct bisect *b, int argc, const char **argv)
{
	if (!argc) {
		error("'git bisect run' failed: no command provided.");
		return BISECT_FAILED;
	}
	return has_both(b) ? bisect_run_cmd(b, argv) : BISECT_FAILED;
}

static NORETURN void die_unknown(const char *name)
{
	static const struct option none[] = { OPT_END() };
	char *msg = xstrfmt("unknown command: '%s'", name);

	usage_msg_opt(msg, usage, none);
}

static int mark_cmd(struct bisect *b, const char *state, int argc, const char **argv)
{
	bool known = bisect_is_common_term(state) || !strcmp(state, b->term_bad) || !strcmp(state, b->term_good);
	int code;

	if (!known) {
		if (b->has_terms)
			(void)bisect_check_terms(b, state);
		die_unknown(state);
	}
	if ((code = bisect_require_start(b)) != 0)
		return code;
	if (bisect_check_terms(b, state) < 0)
		die_unknown(state);
	return bisect_state_cmd(b, state, argc, argv);
}

/*
 * P7: a step was interrupted while it changed files. They become those of HEAD again, or go on to it, and the next step begins
 * from there. Its marks are recorded, or not. Test: t0126, "bisect start, good and reset".
 */
static int finish_interrupted(struct bisect *b, struct err *err)
{
	if (!bisect_in_progress(b) || !result_update_is_unfinished(b->r))
		return 0;
	return result_update_undo(b->r, err);
}

static int run_subcommand(struct bisect *b, const char *name, int argc, const char **argv)
{
	struct err err = ERR_INIT;
	int code;

	if (strcmp(name, "log") != 0 && strcmp(name, "terms") != 0 && finish_interrupted(b, &err) < 0)
		return report_fatal(&err);
	if (!strcmp(name, "start"))
		return bisect_start_cmd(b, argc, argv);
	if (!strcmp(name, "terms"))
		return bisect_terms_cmd(b, argc, argv);
	if (!strcmp(name, "reset"))
		return reset_cmd(b, argc, argv);
	if (!strcmp(name, "log"))
		return show_log(b);
	if (!strcmp(name, "replay"))
		return replay_cmd(b, argc, argv);
	if (!strcmp(name, "visualize") || !strcmp(name, "view"))
		return visualize(b, argc, argv);
	if (!strcmp(name, "run"))
		return run_cmd(b, argc, argv);
	if (strcmp(name, "next") != 0 && strcmp(name, "skip") != 0)
		return mark_cmd(b, name, argc, argv);
	if ((code = bisect_require_start(b)) != 0)
		return code;
	return *name == 'n' ? next_cmd(b, argc) : bisect_skip_cmd(b, argc, argv);
}

int cmd_bisect(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct option none[] = { OPT_END() };
	struct err err = ERR_INIT;
	struct bisect b;
	int code;

	if (argc > 1 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, none);
	if (argc > 1 && !strcmp(argv[1], "help"))
		usage_with_options(usage, none);
	if (argc < 2)
		usage_msg_opt("need a command", usage, none);
	bisect_init(&b, ctx);
	if (!ctx->repo->bare && repo_enter_worktree(ctx->repo, &err) < 0)
		return report_fatal(&err);
	if (bisect_read(&b, &err) < 0)
		code = report_fatal(&err);
	else
		code = bisect_exit_code(run_subcommand(&b, argv[1], argc - 2, argv + 2));
	bisect_release(&b);
	return code ? code : finish_stdout();
}
