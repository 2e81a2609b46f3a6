/* SPDX-License-Identifier: GPL-2.0-only */
/* githooks(5): finding and running them. */
#include "compat/posix.h"
#include <signal.h>
#include "repo/hook.h"
#include "util/alloc.h"
#include "util/run-command.h"

char *repo_find_hook(struct repository *r, const char *name)
{
	char *path = repo_path(r, "hooks/%s", name);
	struct stat st;

	const bool there = !stat(path, &st) && S_ISREG(st.st_mode);

	if (starts_with(path, REPO_NO_HOOKS_DIR "/"))
		return path; /* starting it fails: a hook that should decide is not skipped */
	if (there && !access(path, X_OK))
		return path;
	if (there && errno == EACCES)
		repo_note(r, "ignoredHook",
			  "The '%s' hook was ignored because it's not set as executable.\n"
			  "You can disable this warning with `git config set advice.ignoredHook false`.",
			  path);
	free(path);
	return NULL;
}

bool repo_has_hook(struct repository *r, const char *name)
{
	char *path = repo_find_hook(r, name);
	bool yes = path != NULL;

	free(path);
	return yes;
}

static int hook_failed(const char *path, int code, struct err *err)
{
	if (code > 128 && code != 128 + SIGPIPE)
		return err_set(err, ERR_ABORTED, "%s died of signal %d", path, code - 128);
	return ERR_ABORTED; /* the hook has printed why */
}

static int run_here(struct child_process *cp, const char *stdin_text, struct err *err)
{
	cp->no_stdin = !stdin_text;
	return stdin_text ? pipe_command(cp, stdin_text, strlen(stdin_text), NULL, NULL, 0, err) : run_command(cp, err);
}

static int run(const struct repository *r, const char *path, const char *const *env, const char *const *args,
	       const char *stdin_text, bool on_stdout, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err local = ERR_INIT;
	int code;

	cp.stdout_to_stderr = !on_stdout;
	strvec_push(&cp.args, path);
	if (args)
		strvec_pushv(&cp.args, args);
	for (; env && *env; env++)
		strvec_push(&cp.env, *env);
	if (r->hook_runner.fn)
		code = r->hook_runner.fn(r->hook_runner.data, &cp, stdin_text, stdin_text ? strlen(stdin_text) : 0, &local);
	else
		code = run_here(&cp, stdin_text, &local);
	if (code < 0)
		code = err_set(err, ERR_ABORTED, "%s", err_message(&local));
	else if (code)
		code = hook_failed(path, code, err);
	err_release(&local);
	return code;
}

static int run_with_file(const char *path, const char *const *args, const char *input, int *code,
			 struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	cp.no_stdin = !input;
	cp.stdout_to_stderr = true;
	if (input && (cp.in = open(input, O_RDONLY | O_CLOEXEC)) < 0)
		return err_set(err, ERR_IO, "could not open '%s' for reading: %s", input, strerror(errno));
	strvec_push(&cp.args, path);
	strvec_pushv(&cp.args, args);
	*code = run_command(&cp, err);
	return *code < 0 ? ERR_ABORTED : *code ? hook_failed(path, *code, err) : 0;
}

int repo_run_named_hook(struct repository *r, const char *name, const char *const *args,
			const char *input, int *code, struct err *err)
{
	char *path = repo_find_hook(r, name);
	int rc = path ? run_with_file(path, args, input, code, err) : 0;

	free(path);
	return rc;
}

int repo_run_hook(struct repository *r, const char *name, const char *const *env,
		  const char *const *args, const char *stdin_text, struct err *err)
{
	char *path = repo_find_hook(r, name);
	int rc = path ? run(r, path, env, args, stdin_text, false, err) : 0;

	free(path);
	return rc;
}

int repo_run_hook_on_stdout(struct repository *r, const char *name, const char *const *args, const char *stdin_text,
			    struct err *err)
{
	char *path = repo_find_hook(r, name);
	int rc = path ? run(r, path, NULL, args, stdin_text, true, err) : 0;

	free(path);
	return rc;
}
