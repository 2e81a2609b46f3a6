/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks: githooks(5). They are in core.hooksPath or in hooks/ of the repository. */
#ifndef REPO_HOOK_H
#define REPO_HOOK_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"

/* The program of a hook; NULL: it does not exist, or is not executable (reported by repo_note). Caller frees. */
char *repo_find_hook(struct repository *r, const char *name);
/* Is there an executable hook of that name? repo_note reports one that is not executable. */
bool repo_has_hook(struct repository *r, const char *name);
/*
 * Run a hook: 0 if it is missing or successful; ERR_ABORTED if it failed, with a message only
 * if it could not run or was killed. env: "K=V", args: NULL-terminated, or NULL. It sees new
 * objects of an operation after repo_operation_show_objects.
 */
MUST_USE int repo_run_hook(struct repository *r, const char *name, const char *const *env,
			   const char *const *args, const char *stdin_text, struct err *err);
/* The same, but what it prints goes where that of the command goes; of others it is standard error. */
MUST_USE int repo_run_hook_on_stdout(struct repository *r, const char *name, const char *const *args,
				     const char *stdin_text, struct err *err);
/*
 * For git hook run: the same, and *code gets the exit code, 128 + N after signal N. The hook reads the file
 * `input`, or nothing if that is NULL. ERR_IO: that file cannot be opened.
 */
MUST_USE int repo_run_named_hook(struct repository *r, const char *name, const char *const *args,
				 const char *input, int *code, struct err *err);

#endif
