/* SPDX-License-Identifier: GPL-2.0-only */
/* git-config(1), the forms with a subcommand: list, get, set, unset … */
#include "compat/posix.h"
#include "builtin/config/config-cmd.h"
#include "util/alloc.h"

static int locations(const struct config_cmd *c)
{
	return !!c->use_global + !!c->use_system + !!c->use_local + !!c->use_worktree +
	       !!c->file + !!c->blob;
}

/*
 * Parse, check the number of arguments, settle the place. Options end at the first argument,
 * so that a value may begin with a dash.
 */
static void config_sub_begin(struct config_cmd *c, int *argc, const char **argv,
			     const struct option *opts, const char *const *usage, int min, int max)
{
	*argc = parse_options(*argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (locations(c) > 1) {
		error("only one config file at a time");
		usage_with_options(usage, opts);
	}
	if (*argc < min || *argc > max) {
		error("wrong number of arguments, should be %d", max);
		exit(129);
	}
	config_cmd_locate(c);
}

static int sub_list(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config list [<file-option>] [<display-option>] [--includes]", NULL
	};
	struct config_cmd c = { .ctx = ctx, .includes = -1 };
	struct option opts[] = {
		CONFIG_LOCATION_OPTIONS(&c),
		CONFIG_TYPE_OPTIONS(&c),
		OPT_GROUP("Display options"),
		CONFIG_DISPLAY_OPTIONS(&c),
		OPT_BOOL(0, "show-names", &c.show_names, "show config keys in addition to values"),
		OPT_GROUP("Other"),
		OPT_BOOL(0, "includes", &c.includes, "respect include directives on lookup"),
		OPT_END()
	};
	int code;

	config_sub_begin(&c, &argc, argv, opts, usage, 0, 0);
	setup_pager(ctx->repo, "config");
	code = config_cmd_list(&c);
	free(c.path);
	return code;
}

static int sub_get(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config get [<file-option>] [<display-option>] [--includes] [--all]\n"
		"  [--regexp] [--value=<pattern>] [--fixed-value] [--default=<default>]\n"
		"  [--url=<url>] <name>", NULL
	};
	struct config_cmd c = { .ctx = ctx, .includes = -1, .key_delim = ' ' };
	const char *url = NULL;
	int regexp = 0, code;
	struct option opts[] = {
		CONFIG_LOCATION_OPTIONS(&c),
		CONFIG_TYPE_OPTIONS(&c),
		OPT_GROUP("Filter options"),
		OPT_BOOL(0, "all", &c.all, "return all values for multi-valued config options"),
		OPT_BOOL(0, "regexp", &regexp, "interpret the name as a regular expression"),
		OPT_STRING(0, "value", &c.value_pattern, "pattern",
			   "show config with values matching the pattern"),
		OPT_BOOL(0, "fixed-value", &c.fixed_value,
			 "use string equality when comparing values to value pattern"),
		OPT_STRING(0, "url", &url, "URL", "show config matching the given URL"),
		OPT_GROUP("Display options"),
		CONFIG_DISPLAY_OPTIONS(&c),
		OPT_BOOL(0, "show-names", &c.show_names, "show config keys in addition to values"),
		OPT_GROUP("Other"),
		OPT_BOOL(0, "includes", &c.includes, "respect include directives on lookup"),
		OPT_STRING(0, "default", &c.default_value, "value",
			   "use default value when missing entry"),
		OPT_END()
	};

	config_sub_begin(&c, &argc, argv, opts, usage, 1, 1);
	if (c.fixed_value && !c.value_pattern)
		die("--fixed-value only applies with --value=<pattern>");
	if (c.default_value && (c.all || url))
		die("--default= cannot be used with --all or --url=");
	if (url && (c.all || regexp || c.value_pattern))
		die("--url= cannot be used with --all, --regexp or --value");
	c.show_keys = c.show_names || c.name_only;
	if (c.all || regexp)
		setup_pager(ctx->repo, "config");
	if (url)
		code = config_cmd_get_urlmatch(&c, argv[0], url);
	else
		code = config_cmd_get(&c, argv[0], (c.all ? GET_ALL : 0) |
				      (regexp ? GET_KEY_REGEXP : 0));
	free(c.path);
	return code;
}

static int sub_set(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config set [<file-option>] [--type=<type>] [--comment=<message>] [--all]\n"
		"  [--append] [--value=<pattern>] [--fixed-value] <name> <value>", NULL
	};
	struct config_cmd c = { .ctx = ctx, .includes = -1 };
	struct strbuf prepared = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *comment = NULL;
	char *value;
	int append = 0, code;
	struct option opts[] = {
		CONFIG_LOCATION_OPTIONS(&c),
		CONFIG_TYPE_OPTIONS(&c),
		OPT_GROUP("Filter"),
		OPT_BOOL(0, "all", &c.all, "replace multi-valued config option with new value"),
		OPT_STRING(0, "value", &c.value_pattern, "pattern",
			   "show config with values matching the pattern"),
		OPT_BOOL(0, "fixed-value", &c.fixed_value,
			 "use string equality when comparing values to value pattern"),
		OPT_GROUP("Other"),
		OPT_STRING(0, "comment", &comment, "value",
			   "human-readable comment string (# will be prepended as needed)"),
		OPT_BOOL(0, "append", &append, "add a new line without altering any existing values"),
		OPT_END()
	};
	struct config_edit e = { .key = NULL };

	config_sub_begin(&c, &argc, argv, opts, usage, 1, 2);
	if (argc == 1) {
		error(strchr(argv[0], '.') ? "missing value to set to the variable '%s'" :
					     "missing value to set to a variable with an invalid name '%s'", argv[0]);
		exit(129);
	}
	if (c.fixed_value && !c.value_pattern)
		die("--fixed-value only applies with --value=<pattern>");
	if (append && c.value_pattern)
		die("--append cannot be used with --value=<pattern>");
	if (comment && config_comment_prepare(&prepared, comment, &err) < 0)
		die_err(&err);
	config_cmd_file_to_write(&c);
	value = config_cmd_normalize(&c, argv[0], argv[1]);
	e = (struct config_edit){
		.key = argv[0], .value = value, .value_pattern = c.value_pattern,
		.fixed_value = c.fixed_value, .multi = c.all, .append = append,
		.comment = comment ? prepared.buf : NULL,
	};
	code = config_cmd_write(&c, &e);
	strbuf_release(&prepared);
	free(value);
	free(c.path);
	return code;
}

static int sub_unset(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config unset [<file-option>] [--all] [--value=<pattern>] [--fixed-value] <name>",
		NULL
	};
	struct config_cmd c = { .ctx = ctx, .includes = -1 };
	struct option opts[] = {
		CONFIG_LOCATION_OPTIONS(&c),
		OPT_GROUP("Filter"),
		OPT_BOOL(0, "all", &c.all, "replace multi-valued config option with new value"),
		OPT_STRING(0, "value", &c.value_pattern, "pattern",
			   "show config with values matching the pattern"),
		OPT_BOOL(0, "fixed-value", &c.fixed_value,
			 "use string equality when comparing values to value pattern"),
		OPT_END()
	};
	struct config_edit e = { .key = NULL };
	int code;

	config_sub_begin(&c, &argc, argv, opts, usage, 1, 1);
	if (c.fixed_value && !c.value_pattern)
		die("--fixed-value only applies with --value=<pattern>");
	e.key = argv[0];
	e.value_pattern = c.value_pattern;
	e.fixed_value = c.fixed_value;
	e.multi = c.all;
	code = config_cmd_write(&c, &e);
	free(c.path);
	return code;
}

/* <old-name> <new-name>, or the name of what goes. */
static int edit_section(int argc, const char **argv, struct command_ctx *ctx,
			const char *const *usage, int nr_names)
{
	struct config_cmd c = { .ctx = ctx, .includes = -1 };
	struct option opts[] = { CONFIG_LOCATION_OPTIONS(&c), OPT_END() };
	int code;

	config_sub_begin(&c, &argc, argv, opts, usage, nr_names, nr_names);
	code = config_cmd_rename_section(&c, argv[0], nr_names > 1 ? argv[1] : NULL);
	free(c.path);
	return code;
}

static int sub_rename_section(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config rename-section [<file-option>] <old-name> <new-name>", NULL
	};

	return edit_section(argc, argv, ctx, usage, 2);
}

static int sub_remove_section(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git config remove-section [<file-option>] <name>", NULL
	};

	return edit_section(argc, argv, ctx, usage, 1);
}

static int sub_edit(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { "git config edit [<file-option>]", NULL };
	struct config_cmd c = { .ctx = ctx, .includes = -1 };
	struct option opts[] = { CONFIG_LOCATION_OPTIONS(&c), OPT_END() };
	int code;

	config_sub_begin(&c, &argc, argv, opts, usage, 0, 0);
	code = config_cmd_edit_file(&c);
	free(c.path);
	return code;
}

bool config_cmd_sub(int argc, const char **argv, struct command_ctx *ctx, int *code)
{
	static const struct subcommand subs[] = {
		{ "list", sub_list }, { "get", sub_get }, { "set", sub_set },
		{ "unset", sub_unset }, { "rename-section", sub_rename_section },
		{ "remove-section", sub_remove_section }, { "edit", sub_edit },
	};
	command_fn run;

	run = find_subcommand(subs, ARRAY_SIZE(subs), argc, argv);
	if (run)
		*code = run(argc - 1, argv + 1, ctx);
	return run != NULL;
}
