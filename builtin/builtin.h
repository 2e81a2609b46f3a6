/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command gets and what it may do: this layer and git.c alone print
 * and choose exit codes.
 */
#ifndef BUILTIN_BUILTIN_H
#define BUILTIN_BUILTIN_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/parse-options.h"

struct command;
struct command_ctx {
	struct repository *repo; /* NULL outside of a repository */
	const char *prefix;	 /* NULL at the top or outside */
	const struct command *commands; /* all that there are, by name; for help */
	size_t nr_commands;
};

#define CMD_REPO 1u	    /* needs a repository */
#define CMD_REPO_GENTLY 2u  /* opens one if there is one */
#define CMD_WORKTREE 4u	    /* needs a work tree, cwd is its top */
#define CMD_PAGER 8u	    /* output goes through the pager on a terminal */
#define CMD_PAGER_OWN 32u   /* calls setup_pager itself, where it lists something */
#define CMD_LENIENT 16u	    /* settings with bad values do not stop it (config) */

/*
 * argv[0] is the command's name. Returns the exit code. A command is added by a line in
 * the table of git.c (sorted by name) and a prototype below.
 */
typedef int (*command_fn)(int argc, const char **argv, struct command_ctx *ctx);
struct command {
	const char *name;
	command_fn run;
	unsigned flags;
};

/* "fatal: MESSAGE" on stderr; returns 128. Releases err. */
int report_fatal(struct err *err);
/* "error: MESSAGE" on stderr; returns 1. Releases err. */
int report_error(struct err *err);
void warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
int error(const char *fmt, ...) PRINTF_LIKE(1, 2); /* returns -1 */
/* "fatal: …", exit 128. Only for the body of a command, never inside loops that
 * hold locks which atexit would not clean. */
NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
NORETURN void die_err(struct err *err);
/* The code that trace2 is told at exit; git_main sets it. */
void set_exit_code(int code);
/* fflush(stdout) and check it: a full disk or closed pipe is told. */
MUST_USE int finish_stdout(void);
/* -h handling etc. is parse_options'. */
void advise(const char *fmt, ...) PRINTF_LIKE(1, 2); /* "hint: …" lines */
/* r's configuration, or that of the command's repository, or of none. */
const struct config_set *command_config(struct repository *r);
void set_command_repo(struct repository *r); /* by git_main */
bool advice_enabled(struct repository *r, const char *key); /* advice.<key> */

/* The pager of core.pager, GIT_PAGER, PAGER; on a terminal only. */
void setup_pager(struct repository *r, const char *cmd); /* cmd: for pager.<cmd>, or NULL */
void start_pager(const char *program);
const char *pager_program(struct repository *r);
/* pager.<cmd>: 1 wanted (*program if it names one), 0 not, -1 not said. */
int pager_config(struct repository *r, const char *cmd, const char **program);
bool pager_in_use(void);
/* GIT_EDITOR, core.editor, VISUAL, EDITOR, vi. */
MUST_USE int launch_editor(struct repository *r, const char *path, const char *const *env,
			   struct err *err);
const char *editor_program(struct repository *r); /* NULL: none on this terminal */
const char *sequence_editor_program(struct repository *r);
/* config_key: "color.status" or "status"; falls back on color.ui */
bool want_color(struct repository *r, const char *config_key, int fd);

int git_main(int argc, const char **argv); /* git.c; main() is in git-main.c */

int cmd_add(int argc, const char **argv, struct command_ctx *ctx);
int cmd_branch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_cat_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_attr(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_ignore(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_ref_format(int argc, const char **argv, struct command_ctx *ctx);
int cmd_commit(int argc, const char **argv, struct command_ctx *ctx);
int cmd_commit_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_config(int argc, const char **argv, struct command_ctx *ctx);
int cmd_count_objects(int argc, const char **argv, struct command_ctx *ctx);
int cmd_for_each_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fsck(int argc, const char **argv, struct command_ctx *ctx);
int cmd_hash_object(int argc, const char **argv, struct command_ctx *ctx);
int cmd_help(int argc, const char **argv, struct command_ctx *ctx);
int cmd_init(int argc, const char **argv, struct command_ctx *ctx);
int cmd_log(int argc, const char **argv, struct command_ctx *ctx);
int cmd_ls_files(int argc, const char **argv, struct command_ctx *ctx);
int cmd_ls_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mktag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mktree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_read_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_reflog(int argc, const char **argv, struct command_ctx *ctx);
int cmd_refs(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rev_parse(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rm(int argc, const char **argv, struct command_ctx *ctx);
int cmd_pack_refs(int argc, const char **argv, struct command_ctx *ctx);
int cmd_show_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_status(int argc, const char **argv, struct command_ctx *ctx);
int cmd_symbolic_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_tag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_unpack_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_update_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_update_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_var(int argc, const char **argv, struct command_ctx *ctx);
int cmd_verify_commit(int argc, const char **argv, struct command_ctx *ctx);
int cmd_verify_tag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_version(int argc, const char **argv, struct command_ctx *ctx);
int cmd_write_tree(int argc, const char **argv, struct command_ctx *ctx);

#endif
