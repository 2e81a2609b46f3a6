/* SPDX-License-Identifier: GPL-2.0-only */
/* Long output goes through a pager, on a terminal only. git-config(1), core.pager. */
#include "compat/posix.h"
#include <signal.h>
#include <sys/ioctl.h>
#include "cli/cli.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define DEFAULT_PAGER "less"
#define IN_USE "GIT_PAGER_IN_USE"

static struct child_process pager = CHILD_PROCESS_INIT;

bool pager_in_use(void)
{
	const char *v = getenv(IN_USE);

	return v && config_parse_maybe_bool(v) == 1;
}

int pager_config(struct repository *r, const char *cmd, const char **program)
{
	char *key = xstrfmt("pager.%s", cmd);
	const struct config_entry *e = config_get(command_config(r), key);
	int wanted = -1;

	*program = NULL;
	if (e) {
		wanted = config_parse_maybe_bool(e->value);
		if (wanted < 0) {
			*program = e->value;
			wanted = 1;
		}
	}
	free(key);
	return wanted;
}

const char *pager_program(struct repository *r)
{
	const char *p = getenv("GIT_PAGER");
	const struct config_entry *e;

	if (!p) {
		e = config_get(command_config(r), "core.pager");
		p = e ? e->value : NULL;
	}
	if (!p)
		p = getenv("PAGER");
	return p ? p : DEFAULT_PAGER;
}

/* Our end of the pipe must close before we can wait for it. */
static void wait_for_pager(void)
{
	fflush(stdout);
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	finish_command(&pager);
}

/* No clean-up that allocates here: close, wait, and die of the same signal. */
static void pager_signal(int sig)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	finish_command(&pager);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Programs behind the pipe cannot ask the terminal for its width themselves. */
static void export_columns(void)
{
	struct winsize ws;
	char text[16];

	if (getenv("COLUMNS") || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || !ws.ws_col)
		return;
	snprintf(text, sizeof(text), "%u", (unsigned)ws.ws_col);
	setenv("COLUMNS", text, 0);
}

void start_pager(const char *program)
{
	struct err err = ERR_INIT;

	if (!isatty(STDOUT_FILENO) || !*program || !strcmp(program, "cat"))
		return;
	export_columns();
	setenv(IN_USE, "true", 1);
	strvec_push(&pager.args, program);
	pager.use_shell = true;
	pager.in = -1;
	strvec_push(&pager.env, IN_USE);
	if (!getenv("LESS"))
		strvec_push(&pager.env, "LESS=FRX");
	if (!getenv("LV"))
		strvec_push(&pager.env, "LV=-c");
	if (start_command(&pager, &err) < 0) {
		unsetenv(IN_USE);
		err_release(&err); /* output goes to the terminal then */
		return;
	}
	fflush(stdout);
	dup2(pager.in, STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(pager.in, STDERR_FILENO);
	close(pager.in);
	signal(SIGINT, pager_signal);
	signal(SIGHUP, pager_signal);
	signal(SIGTERM, pager_signal);
	signal(SIGQUIT, pager_signal);
	signal(SIGPIPE, pager_signal);
	atexit(wait_for_pager);
}

void setup_pager(struct repository *r, const char *cmd)
{
	const char *program = NULL;
	int wanted = cmd ? pager_config(r, cmd, &program) : -1;

	if (wanted == 0 || pager_in_use())
		return;
	start_pager(program ? program : pager_program(r));
}
