/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What git.c and the commands use to talk to the user: messages and exit codes, advice,
 * colour, the pager, the editor. Only cli/, builtin/ and git.c print and exit.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/parse-options.h"

/* "fatal: MESSAGE" on stderr, or nothing if that is empty (a child has told it); returns 128. Releases err. */
int report_fatal(struct err *err);
/* What stands before the message (candidates of a name), for callers with words of their own. */
void report_preface(const struct err *err);
/* "error: MESSAGE" on stderr; returns 1. Releases err. */
int report_error(struct err *err);
void warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
int error(const char *fmt, ...) PRINTF_LIKE(1, 2); /* returns -1 */
/* The same as callbacks (repo_warn_fn); data is not used. */
void warning_callback(void *data, const char *msg);
void error_callback(void *data, const char *msg);
/* "fatal: …", exit 128. Only for the body of a command, never inside loops that
 * hold locks which atexit would not clean. */
NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
NORETURN void die_err(struct err *err);
/* The exit code in the trace; git_main sets it. */
void set_exit_code(int code);
/* fflush(stdout) and check it: a failure is reported, a closed pipe is none. 0 or the exit code. */
MUST_USE int finish_stdout(void);
/* --output: from here on standard output is this file, relative to where the command was started. */
MUST_USE int redirect_stdout(const struct repository *r, const char *name, struct err *err);
/* For diff_options.drain: on standard output. */
MUST_USE int print_and_clear(void *data, struct strbuf *out, struct err *err);
/* -h handling etc. is parse_options'. */
void advise(const char *fmt, ...) PRINTF_LIKE(1, 2); /* "hint: …" lines */
/* r's configuration, or that of the command's repository, or of none. */
const struct config_set *command_config(struct repository *r);
/* How durable files outside of a repository have to be; the default if core.fsync is not valid. */
struct fsync_policy command_fsync_policy(void);
void set_command_repo(struct repository *r); /* by git_main */
bool advice_enabled(struct repository *r, const char *key); /* advice.<key> */
/* Unless advice.<key> turns it off; a last line says how to, unless it is configured at all. */
void advise_if_enabled(struct repository *r, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same last line, for a text that is shown later. */
void advice_add_how_to_disable(struct repository *r, const char *key, struct strbuf *text);

/* The pager of core.pager, GIT_PAGER, PAGER; on a terminal only. */
void setup_pager(struct repository *r, const char *cmd); /* cmd: for pager.<cmd>, or NULL */
void start_pager(const char *program);
const char *pager_program(struct repository *r);
/* pager.<cmd>: 1 wanted (*program if it names one), 0 not, -1 not said. */
int pager_config(struct repository *r, const char *cmd, const char **program);
bool pager_in_use(void);
/* Take back a line of progress, where stderr is a terminal. */
void clear_terminal_line(void);
/* GIT_EDITOR, core.editor, VISUAL, EDITOR, vi. */
MUST_USE int launch_editor(struct repository *r, const char *path, const char *const *env,
			   struct err *err);
/* The same by GIT_SEQUENCE_EDITOR and sequence.editor, for lists of commands. */
MUST_USE int launch_sequence_editor(struct repository *r, const char *path, struct err *err);
const char *editor_program(struct repository *r); /* NULL: none on this terminal */
const char *sequence_editor_program(struct repository *r);
/* config_key: "color.status" or "status"; falls back on color.ui */
bool want_color(struct repository *r, const char *config_key, int fd);

#endif
