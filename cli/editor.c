/* SPDX-License-Identifier: GPL-2.0-only */
/* The user's editor. git-var(1), GIT_EDITOR. */
#include "compat/posix.h"
#include <signal.h>
#include "cli/cli.h"
#include "util/path.h"
#include "util/alloc.h"
#include "util/run-command.h"

static bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !strcmp(term, "dumb");
}

void clear_terminal_line(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (terminal_is_dumb())
		fprintf(stderr, "\r%*s\r", 80, "");
	else
		fputs("\r\033[K", stderr);
}

const char *editor_program(struct repository *r)
{
	const char *p = getenv("GIT_EDITOR");
	const struct config_entry *e = p ? NULL : config_get(command_config(r), "core.editor");

	if (!p && e)
		p = e->value;
	if (!p && !terminal_is_dumb())
		p = getenv("VISUAL");
	if (!p)
		p = getenv("EDITOR");
	if (!p && !terminal_is_dumb())
		p = "vi";
	return p;
}

const char *sequence_editor_program(struct repository *r)
{
	const char *p = getenv("GIT_SEQUENCE_EDITOR");
	const struct config_entry *e;

	if (p)
		return p;
	e = config_get(command_config(r), "sequence.editor");
	return e && e->value ? e->value : editor_program(r);
}

static int run_editor(const char *editor, const char *path, const char *const *env,
		      struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was_int, was_quit;
	char *real = path_real(path, 0); /* editors may run elsewhere */
	int rc;

	strvec_pushl(&cp.args, editor, real ? real : path, NULL);
	free(real);
	cp.use_shell = true;
	for (; env && *env; env++)
		strvec_push(&cp.env, *env);
	if (start_command(&cp, err) < 0) {
		child_process_release(&cp);
		return -1;
	}
	/* ^C is for the editor to understand */
	sigaction(SIGINT, &ignore, &was_int);
	sigaction(SIGQUIT, &ignore, &was_quit);
	rc = finish_command(&cp);
	sigaction(SIGINT, &was_int, NULL);
	sigaction(SIGQUIT, &was_quit, NULL);
	child_process_release(&cp);
	if (rc == 128 + SIGINT || rc == 128 + SIGQUIT)
		raise(rc - 128);
	return rc;
}

/* The reason is a line of its own. */
static int report_unstarted(const char *editor, struct err *why, struct err *err)
{
	char *reason = xstrfmt("error: %s\n", err_message(why));

	err_set_preface(err, reason);
	free(reason);
	err_release(why);
	return err_set(err, ERR_ABORTED, "unable to start editor '%s'", editor);
}

static int launch_named_editor(struct repository *r, const char *editor, const char *path, const char *const *env,
			       struct err *err)
{
	struct err why = ERR_INIT;
	bool waiting;
	int rc;

	if (!editor)
		return err_set(err, ERR_ABORTED, "Terminal is dumb, but EDITOR unset");
	if (!strcmp(editor, ":"))
		return 0;
	waiting = isatty(STDERR_FILENO) && advice_enabled(r, "waitingForEditor");
	if (waiting) {
		fputs("hint: Waiting for your editor to close the file...", stderr);
		fputs(terminal_is_dumb() ? "\n" : " ", stderr);
		fflush(stderr);
	}
	rc = run_editor(editor, path, env, &why);
	if (why.code)
		return report_unstarted(editor, &why, err);
	if (rc)
		return err_set(err, ERR_ABORTED, "there was a problem with the editor '%s'",
			       editor);
	if (waiting && !terminal_is_dumb())
		clear_terminal_line();
	return 0;
}

int launch_editor(struct repository *r, const char *path, const char *const *env, struct err *err)
{
	return launch_named_editor(r, editor_program(r), path, env, err);
}

int launch_sequence_editor(struct repository *r, const char *path, struct err *err)
{
	return launch_named_editor(r, sequence_editor_program(r), path, NULL, err);
}
