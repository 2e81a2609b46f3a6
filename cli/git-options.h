/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of git itself, those before the command; git(1). */
#ifndef CLI_GIT_OPTIONS_H
#define CLI_GIT_OPTIONS_H

#include "compat/posix.h"

struct git_options {
	int use_pager;	  /* 1: -p, 0: -P, -1: not said */
	bool env_changed; /* by one that an alias may not use */
	bool end;	  /* an option answered the call (--exec-path …): exit with code */
	int code;
};

/*
 * Takes the options at the front of argv and acts on them (environment, cwd).
 * Returns how many words they took. Ends the program on bad ones.
 */
int git_options_parse(struct git_options *o, int argc, const char **argv);
/* The synopsis, on fp. */
void git_usage(FILE *fp);
/* GIT_EXEC_PATH, --exec-path=, the installed one, or where this program is. */
const char *git_exec_path(void);
/* What runs one of our own commands as a child: "EXEC-PATH/git", "COMMAND". */
struct strvec;
void push_own_command(struct strvec *args, const char *command);

#endif
