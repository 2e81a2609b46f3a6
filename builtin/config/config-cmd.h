/* SPDX-License-Identifier: GPL-2.0-only */
/* git-config(1): what its parts share. */
#ifndef BUILTIN_CONFIG_CONFIG_CMD_H
#define BUILTIN_CONFIG_CONFIG_CMD_H

#include "compat/posix.h"
#include "builtin/builtin.h"

enum value_type {
	TYPE_NONE, TYPE_BOOL, TYPE_INT, TYPE_BOOL_OR_INT, TYPE_BOOL_OR_STR, TYPE_PATH,
	TYPE_EXPIRY_DATE, TYPE_COLOR,
};

/* Exit codes of git-config(1). */
enum {
	CONFIG_EXIT_INVALID_KEY = 1,
	CONFIG_EXIT_NO_SECTION_OR_NAME = 2,
	CONFIG_EXIT_INVALID_FILE = 3,
	CONFIG_EXIT_NO_WRITE = 4,
	CONFIG_EXIT_NOTHING_SET = 5, /* and: several match */
	CONFIG_EXIT_INVALID_PATTERN = 6,
	CONFIG_EXIT_USAGE = 129,
	CONFIG_EXIT_LOCKED = 255,
	CONFIG_EXIT_BAD_SECTION = 255, /* rename-section to a name that is none */
};

struct config_cmd {
	struct command_ctx *ctx;

	/* where: as the options say it */
	int use_global, use_system, use_local, use_worktree;
	const char *file, *blob;
	/* where: settled. All NULL and false: every file there is. */
	char *path;	  /* this file */
	bool from_stdin;
	enum config_scope scope;
	struct config_set *set; /* the values read from the file; NULL: the configuration of the repository */

	/* how values are shown */
	enum value_type type;
	bool type_said;
	int null_terminated, name_only, show_origin, show_scope, show_names;
	int includes;	  /* -1: by where */
	bool show_keys;
	char key_delim;
	const char *default_value;

	/* which values */
	int fixed_value;
	const char *value_pattern;
	int all;
};

/* ---- where (config-where.c) ---- */
void config_cmd_locate(struct config_cmd *c);
/* The entries of the place. Ends the program if it cannot be read, except that a
 * missing file is an empty set unless must_exist. Valid until config_cmd_drop. */
const struct config_set *config_cmd_read(struct config_cmd *c, bool must_exist);
void config_cmd_drop(struct config_cmd *c);
/* The file that edits go to; ends the program if there is none. */
const char *config_cmd_file_to_write(struct config_cmd *c);

/* ---- reading (config-read.c); exit codes ---- */
int config_cmd_list(struct config_cmd *c);
#define GET_ALL 1u
#define GET_KEY_REGEXP 2u
int config_cmd_get(struct config_cmd *c, const char *key, unsigned flags);
int config_cmd_get_urlmatch(struct config_cmd *c, const char *key, const char *url);
int config_cmd_get_color(struct config_cmd *c, const char *slot, const char *fallback);
int config_cmd_get_colorbool(struct config_cmd *c, const char *slot, const char *is_tty);

/* ---- values by type (config-format.c) ---- */
/* Append the entry's value as the type shows it. */
MUST_USE int config_cmd_format(struct strbuf *out, const struct config_cmd *c, const struct config_entry *e, struct err *err);
/* Returns the form in which a value of the type is written; caller frees. */
char *config_cmd_normalize(const struct config_cmd *c, const char *key, const char *value);

/* ---- writing (config-write.c) ---- */
int config_cmd_write(struct config_cmd *c, const struct config_edit *e);
/* new_name NULL: remove */
int config_cmd_rename_section(struct config_cmd *c, const char *old_name, const char *new_name);
int config_cmd_edit_file(struct config_cmd *c);

/* The list, get, set … forms (config-sub.c); false if argv[1] is none of them. */
bool config_cmd_sub(int argc, const char **argv, struct command_ctx *ctx, int *code);

/* Options that several forms have. */
#define CONFIG_LOCATION_OPTIONS(c)                                                        \
	OPT_GROUP("Config file location"),                                                \
	OPT_BOOL(0, "global", &(c)->use_global, "use global config file"),                \
	OPT_BOOL(0, "system", &(c)->use_system, "use system config file"),                \
	OPT_BOOL(0, "local", &(c)->use_local, "use repository config file"),              \
	OPT_BOOL(0, "worktree", &(c)->use_worktree, "use per-worktree config file"),      \
	OPT_STRING('f', "file", &(c)->file, "file", "use given config file"),             \
	OPT_STRING(0, "blob", &(c)->blob, "blob-id", "read config from given blob object")
#define CONFIG_TYPE_OPTIONS(c)                                                            \
	OPT_GROUP("Type"),                                                                \
	OPT_CALLBACK('t', "type", (c), "type", "value is given this type",                \
		     config_cmd_type_option),                                             \
	CONFIG_TYPE_FLAG(c, "bool", TYPE_BOOL, "value is \"true\" or \"false\""),         \
	CONFIG_TYPE_FLAG(c, "int", TYPE_INT, "value is decimal number"),                  \
	CONFIG_TYPE_FLAG(c, "bool-or-int", TYPE_BOOL_OR_INT, "value is --bool or --int"), \
	CONFIG_TYPE_FLAG(c, "bool-or-str", TYPE_BOOL_OR_STR, "value is --bool or string"), \
	CONFIG_TYPE_FLAG(c, "path", TYPE_PATH, "value is a path (file or directory name)"), \
	CONFIG_TYPE_FLAG(c, "expiry-date", TYPE_EXPIRY_DATE, "value is an expiry date")
#define CONFIG_TYPE_FLAG(c, l, t, h) \
	{ OPTION_CALLBACK, 0, (l), (c), NULL, (h), PARSE_OPT_NOARG | PARSE_OPT_NONEG, \
	  config_cmd_type_option, (t) }
#define CONFIG_DISPLAY_OPTIONS(c)                                                         \
	OPT_BOOL('z', "null", &(c)->null_terminated, "terminate values with NUL byte"),   \
	OPT_BOOL(0, "name-only", &(c)->name_only, "show variable names only"),            \
	OPT_BOOL(0, "show-origin", &(c)->show_origin,                                     \
		 "show origin of config (file, standard input, blob, command line)"),     \
	OPT_BOOL(0, "show-scope", &(c)->show_scope,                                       \
		 "show scope of config (worktree, local, global, system, command)")
int config_cmd_type_option(const struct option *opt, const char *arg, int unset);

#endif
