/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of Git's commands, whether they are here or not. */
#ifndef CLI_KNOWN_COMMANDS_H
#define CLI_KNOWN_COMMANDS_H

#include "compat/posix.h"
#include "util/strvec.h"

enum command_group {
	GROUP_NONE, GROUP_START, GROUP_CHANGE, GROUP_EXAMINE, GROUP_GROW, GROUP_COLLABORATE,
};
struct known_command {
	const char *name;
	enum command_group group;
	const char *summary;
};
extern const struct known_command known_commands[]; /* sorted by name */
extern const size_t nr_known_commands;
const struct known_command *known_command_find(const char *name); /* NULL: none */

/* Push NAME for every program PREFIX-NAME (prefix "git-") in dir. */
void list_programs(struct strvec *out, const char *dir, const char *prefix);

#endif
