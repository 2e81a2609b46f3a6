/* SPDX-License-Identifier: GPL-2.0-only */
/* git-config(1), the options that say what to do: --get, --add, --unset … */
#include "compat/posix.h"
#include "builtin/config/config-cmd.h"
#include "util/alloc.h"

static const char *const usage[] = { "git config [<options>]", NULL };

enum {
	ACTION_GET = 1 << 0, ACTION_GET_ALL = 1 << 1, ACTION_GET_REGEXP = 1 << 2,
	ACTION_GET_URLMATCH = 1 << 3, ACTION_REPLACE_ALL = 1 << 4, ACTION_ADD = 1 << 5,
	ACTION_UNSET = 1 << 6, ACTION_UNSET_ALL = 1 << 7, ACTION_RENAME_SECTION = 1 << 8,
	ACTION_REMOVE_SECTION = 1 << 9, ACTION_LIST = 1 << 10, ACTION_EDIT = 1 << 11,
	ACTION_GET_COLOR = 1 << 12, ACTION_GET_COLORBOOL = 1 << 13,
	/* by the number of arguments */
	ACTION_SET = 1 << 14,
};

struct request {
	struct config_cmd c;
	int action;
	const char *comment;
	const struct option *opts;
	int argc;
	const char **argv;
};

static NORETURN void bad_usage(const struct request *q, const char *msg)
{
	if (msg)
		error("%s", msg);
	set_exit_code(CONFIG_EXIT_USAGE);
	usage_with_options(usage, q->opts);
}

static void want_args(const struct request *q, int min, int max)
{
	char msg[80];

	if (q->argc >= min && q->argc <= max)
		return;
	if (min == max)
		snprintf(msg, sizeof(msg), "wrong number of arguments, should be %d", min);
	else
		snprintf(msg, sizeof(msg), "wrong number of arguments, should be from %d to %d",
			 min, max);
	bad_usage(q, msg);
}

/* ---- what goes with what ---- */

static void check_locations(const struct request *q)
{
	const struct config_cmd *c = &q->c;

	if (!!c->use_global + !!c->use_system + !!c->use_local + !!c->use_worktree + !!c->file +
	    !!c->blob + (getenv("GIT_CONFIG") && (c->use_global || c->use_system ||
						  c->use_local || c->use_worktree || c->blob)) > 1)
		bad_usage(q, "only one config file at a time");
}

/* One argument: get; two: set; three: set the values that match. */
static void choose_action(struct request *q)
{
	if (q->action)
		return;
	switch (q->argc) {
	case 1:
		q->action = ACTION_GET;
		break;
	case 2:
	case 3:
		q->action = ACTION_SET;
		break;
	default:
		bad_usage(q, NULL);
	}
}

static void check_options(const struct request *q)
{
	const struct config_cmd *c = &q->c;
	const unsigned getters = ACTION_GET | ACTION_GET_ALL | ACTION_GET_REGEXP | ACTION_LIST;
	const unsigned patterned = ACTION_GET | ACTION_GET_ALL | ACTION_GET_REGEXP |
				   ACTION_UNSET | ACTION_UNSET_ALL;
	bool has_pattern;

	if (c->type_said && (q->action & (ACTION_GET_COLOR | ACTION_GET_COLORBOOL)))
		bad_usage(q, "--get-color and variable type are incoherent");
	if (c->name_only && !(q->action & (ACTION_LIST | ACTION_GET_REGEXP)))
		bad_usage(q, "--name-only is only applicable to --list or --get-regexp");
	if (c->show_origin && !(q->action & getters))
		bad_usage(q, "--show-origin is only applicable to --get, --get-all, "
			  "--get-regexp, and --list");
	if (c->default_value && q->action != ACTION_GET)
		bad_usage(q, "--default is only applicable to --get");
	if (q->comment && !(q->action & (ACTION_ADD | ACTION_SET | ACTION_REPLACE_ALL)))
		bad_usage(q, "--comment is only applicable to add/set/replace operations");
	if (c->fixed_value) {
		has_pattern = ((q->action & patterned) && q->argc > 1) ||
			      ((q->action & (ACTION_SET | ACTION_REPLACE_ALL)) && q->argc > 2);
		if (!has_pattern)
			bad_usage(q, "--fixed-value only applies with 'value-pattern'");
	}
}

/* ---- doing it ---- */

static int set_value(struct request *q)
{
	struct strbuf comment = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct config_edit e = {
		.key = q->argv[0],
		.value_pattern = q->argc > 2 ? q->argv[2] : NULL,
		.fixed_value = q->c.fixed_value,
		.multi = q->action == ACTION_REPLACE_ALL,
		.append = q->action == ACTION_ADD,
	};
	char *value;
	int code;

	config_cmd_file_to_write(&q->c);
	if (q->comment) {
		if (config_comment_prepare(&comment, q->comment, &err) < 0)
			die_err(&err);
		e.comment = comment.buf;
	}
	value = config_cmd_normalize(&q->c, q->argv[0], q->argv[1]);
	e.value = value;
	code = config_cmd_write(&q->c, &e);
	strbuf_release(&comment);
	free(value);
	return code;
}

static int unset_value(struct request *q)
{
	struct config_edit e = {
		.key = q->argv[0],
		.value_pattern = q->argc > 1 ? q->argv[1] : NULL,
		.fixed_value = q->c.fixed_value,
		.multi = q->action == ACTION_UNSET_ALL,
	};

	return config_cmd_write(&q->c, &e);
}

static int get_value(struct request *q)
{
	unsigned flags = 0;

	if (q->argc > 1)
		q->c.value_pattern = q->argv[1];
	if (q->action == ACTION_GET_ALL)
		flags = GET_ALL;
	if (q->action == ACTION_GET_REGEXP) {
		flags = GET_ALL | GET_KEY_REGEXP;
		q->c.show_keys = true;
		q->c.key_delim = ' ';
	}
	return config_cmd_get(&q->c, q->argv[0], flags);
}

static void page(const struct request *q)
{
	if (q->action & (ACTION_LIST | ACTION_GET_ALL | ACTION_GET_REGEXP | ACTION_GET_URLMATCH))
		setup_pager(q->c.ctx->repo, "config");
}

static int run(struct request *q)
{
	switch (q->action) {
	case ACTION_LIST:
		want_args(q, 0, 0);
		page(q);
		return config_cmd_list(&q->c);
	case ACTION_EDIT:
		want_args(q, 0, 0);
		return config_cmd_edit_file(&q->c);
	case ACTION_GET:
	case ACTION_GET_ALL:
	case ACTION_GET_REGEXP:
		want_args(q, 1, 2);
		page(q);
		return get_value(q);
	case ACTION_GET_URLMATCH:
		want_args(q, 2, 2);
		page(q);
		return config_cmd_get_urlmatch(&q->c, q->argv[0], q->argv[1]);
	case ACTION_SET:
		want_args(q, 2, 3);
		return set_value(q);
	case ACTION_ADD:
		want_args(q, 2, 2);
		return set_value(q);
	case ACTION_REPLACE_ALL:
		want_args(q, 2, 3);
		return set_value(q);
	case ACTION_UNSET:
	case ACTION_UNSET_ALL:
		want_args(q, 1, 2);
		return unset_value(q);
	case ACTION_RENAME_SECTION:
		want_args(q, 2, 2);
		return config_cmd_rename_section(&q->c, q->argv[0], q->argv[1]);
	case ACTION_REMOVE_SECTION:
		want_args(q, 1, 1);
		return config_cmd_rename_section(&q->c, q->argv[0], NULL);
	case ACTION_GET_COLOR:
		want_args(q, 1, 2);
		return config_cmd_get_color(&q->c, q->argv[0], q->argc > 1 ? q->argv[1] : NULL);
	default: /* ACTION_GET_COLORBOOL */
		want_args(q, 1, 2);
		return config_cmd_get_colorbool(&q->c, q->argv[0],
						q->argc > 1 ? q->argv[1] : NULL);
	}
}

int cmd_config(int argc, const char **argv, struct command_ctx *ctx)
{
	struct request q = { .c = { .ctx = ctx, .includes = -1 } };
	struct option opts[] = {
		CONFIG_LOCATION_OPTIONS(&q.c),
		OPT_GROUP("Action"),
		OPT_CMDMODE(0, "get", &q.action, "get value: name [value-pattern]", ACTION_GET),
		OPT_CMDMODE(0, "get-all", &q.action, "get all values: key [value-pattern]",
			ACTION_GET_ALL),
		OPT_CMDMODE(0, "get-regexp", &q.action,
			"get values for regexp: name-regex [value-pattern]", ACTION_GET_REGEXP),
		OPT_CMDMODE(0, "get-urlmatch", &q.action,
			"get value specific for the URL: section[.var] URL", ACTION_GET_URLMATCH),
		OPT_CMDMODE(0, "replace-all", &q.action,
			"replace all matching variables: name value [value-pattern]",
			ACTION_REPLACE_ALL),
		OPT_CMDMODE(0, "add", &q.action, "add a new variable: name value", ACTION_ADD),
		OPT_CMDMODE(0, "unset", &q.action, "remove a variable: name [value-pattern]",
			ACTION_UNSET),
		OPT_CMDMODE(0, "unset-all", &q.action, "remove all matches: name [value-pattern]",
			ACTION_UNSET_ALL),
		OPT_CMDMODE(0, "rename-section", &q.action, "rename section: old-name new-name",
			ACTION_RENAME_SECTION),
		OPT_CMDMODE(0, "remove-section", &q.action, "remove a section: name",
			ACTION_REMOVE_SECTION),
		OPT_CMDMODE('l', "list", &q.action, "list all", ACTION_LIST),
		OPT_BOOL(0, "fixed-value", &q.c.fixed_value,
			 "use string equality when comparing values to 'value-pattern'"),
		OPT_CMDMODE('e', "edit", &q.action, "open an editor", ACTION_EDIT),
		OPT_CMDMODE(0, "get-color", &q.action, "find the color configured: slot [default]",
			ACTION_GET_COLOR),
		OPT_CMDMODE(0, "get-colorbool", &q.action,
			"find the color setting: slot [stdout-is-tty]", ACTION_GET_COLORBOOL),
		CONFIG_TYPE_OPTIONS(&q.c),
		OPT_GROUP("Other"),
		CONFIG_DISPLAY_OPTIONS(&q.c),
		OPT_BOOL(0, "includes", &q.c.includes, "respect include directives on lookup"),
		OPT_STRING(0, "default", &q.c.default_value, "value",
			   "with --get, use default value when missing entry"),
		OPT_STRING(0, "comment", &q.comment, "value",
			   "human-readable comment string (# will be prepended as needed)"),
		OPT_END()
	};
	int code;

	if (config_cmd_sub(argc, argv, ctx, &code))
		return code;
	q.opts = opts;
	q.argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	q.argv = argv;
	check_locations(&q);
	config_cmd_locate(&q.c);
	choose_action(&q);
	check_options(&q);
	code = run(&q);
	free(q.c.path);
	return code;
}
