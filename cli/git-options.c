/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "build-info.h"
#include "cli/git-options.h"
#include "cli/cli.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"

#define USAGE_EXIT 129

void git_usage(FILE *fp)
{
	fputs("usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]\n"
	      "           [--config-env=<name>=<envvar>] [--exec-path[=<path>]]\n"
	      "           [--html-path] [--man-path] [--info-path]\n"
	      "           [-p | --paginate | -P | --no-pager] [--no-replace-objects]\n"
	      "           [--no-optional-locks] [--no-advice] [--bare] [--git-dir=<path>]\n"
	      "           [--work-tree=<path>] [--attr-source=<tree-ish>]\n"
	      "           <command> [<args>]\n", fp);
}

static NORETURN void usage_error(const char *fmt, const char *arg)
{
	fprintf(stderr, fmt, arg);
	fputc('\n', stderr);
	git_usage(stderr);
	set_exit_code(USAGE_EXIT);
	exit(USAGE_EXIT);
}

const char *git_exec_path(void)
{
	static char *own;
	const char *given = getenv("GIT_EXEC_PATH");
	struct strbuf exe = STRBUF_INIT, dir = STRBUF_INIT;

	if (given && *given)
		return given;
	if (is_directory(SLUICE_EXEC_PATH))
		return SLUICE_EXEC_PATH;
	if (!own && !read_link(&exe, "/proc/self/exe", 0, NULL)) { /* it is a real path */
		path_dirname(&dir, exe.buf);
		own = strbuf_detach(&dir, NULL);
	}
	if (!own)
		own = xstrdup(SLUICE_EXEC_PATH);
	strbuf_release(&exe);
	return own;
}

void push_own_command(struct strvec *args, const char *command)
{
	strvec_pushf(args, "%s/git", git_exec_path());
	strvec_push(args, command);
}

/* ---- options that only set a variable ---- */

static const struct {
	const char *option, *variable, *value;
} flags[] = {
	{ "--no-replace-objects", "GIT_NO_REPLACE_OBJECTS", "1" },
	{ "--no-lazy-fetch", "GIT_NO_LAZY_FETCH", "1" },
	{ "--no-optional-locks", "GIT_OPTIONAL_LOCKS", "0" },
	{ "--no-advice", "GIT_ADVICE", "0" },
	{ "--literal-pathspecs", "GIT_LITERAL_PATHSPECS", "1" },
	{ "--no-literal-pathspecs", "GIT_LITERAL_PATHSPECS", "0" },
	{ "--glob-pathspecs", "GIT_GLOB_PATHSPECS", "1" },
	{ "--noglob-pathspecs", "GIT_NOGLOB_PATHSPECS", "1" },
	{ "--icase-pathspecs", "GIT_ICASE_PATHSPECS", "1" },
};

static bool parse_flag(const char *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!strcmp(arg, flags[i].option)) {
			setenv(flags[i].variable, flags[i].value, 1);
			return true;
		}
	}
	return false;
}

/* ---- options with a value ---- */

static void change_dir(const char *path)
{
	if (*path && chdir(path) < 0)
		die("cannot change to '%s': %s", path, strerror(errno));
}

static void set_config(const char *text)
{
	struct err err = ERR_INIT;

	if (config_push_parameter(text, &err) < 0)
		die_err(&err);
}

static void set_config_env(const char *text)
{
	const char *eq = strrchr(text, '=');
	struct err err = ERR_INIT;
	char *key;

	if (!eq)
		die("invalid config format: %s", text);
	key = xmemdupz(text, eq - text);
	if (config_push_env_parameter(key, eq + 1, &err) < 0)
		die_err(&err);
	free(key);
}

/*
 * "--name=value", or "--name value". Returns the words taken, 0 if arg is another
 * option.
 */
static int valued(const char *name, const char *missing, int argc, const char **argv,
		  const char **value)
{
	const char *rest;

	if (!skip_prefix(argv[0], name, &rest))
		return 0;
	if (*rest == '=') {
		*value = rest + 1;
		return 1;
	}
	if (*rest)
		return 0;
	if (argc < 2)
		usage_error(missing, name);
	*value = argv[1];
	return 2;
}

static void set_bare(void)
{
	char *cwd = xgetcwd();

	if (!cwd)
		die("unable to get current working directory: %s", strerror(errno));
	setenv("GIT_DIR", cwd, 0);
	setenv("GIT_IMPLICIT_WORK_TREE", "0", 1);
	free(cwd);
}

/* Options whose value decides where or how: an alias may use the first two. */
static int parse_valued(struct git_options *o, int argc, const char **argv)
{
	const char *value = NULL;
	int n;

	if ((n = valued("-C", "no directory given for '%s' option", argc, argv, &value))) {
		if (n == 1)
			return 0; /* "-C=dir" is no option */
		change_dir(value);
		o->env_changed = true;
	} else if (!strcmp(argv[0], "-c")) {
		if (argc < 2)
			usage_error("%s expects a configuration string", "-c");
		set_config(argv[1]);
		n = 2;
	} else if ((n = valued("--config-env", "no config key given for %s", argc, argv,
			       &value))) {
		set_config_env(value);
	} else if ((n = valued("--git-dir", "no directory given for '%s' option", argc, argv,
			       &value))) {
		setenv("GIT_DIR", value, 1);
		o->env_changed = true;
	} else if ((n = valued("--work-tree", "no directory given for '%s' option", argc, argv,
			       &value))) {
		setenv("GIT_WORK_TREE", value, 1);
		o->env_changed = true;
	} else if ((n = valued("--attr-source", "no attribute source given for '%s'", argc,
			       argv, &value))) {
		setenv("GIT_ATTR_SOURCE", value, 1);
		o->env_changed = true;
	} else if ((n = valued("--namespace", "no namespace given for %s", argc, argv,
			       &value))) {
		setenv("GIT_NAMESPACE", value, 1);
		o->env_changed = true;
	} else if ((n = valued("--super-prefix", "no prefix given for %s", argc, argv,
			       &value))) {
		die("option '--super-prefix' is not supported");
	}
	return n;
}

/* Options that ask for something and end the call. */
static bool parse_query(struct git_options *o, const char *arg)
{
	const char *answer = NULL;

	if (!strcmp(arg, "--exec-path"))
		answer = git_exec_path();
	else if (!strcmp(arg, "--html-path"))
		answer = SLUICE_DATA_DIR "/doc/git/html";
	else if (!strcmp(arg, "--man-path"))
		answer = SLUICE_MAN_DIR;
	else if (!strcmp(arg, "--info-path"))
		answer = SLUICE_DATA_DIR "/info";
	if (!answer)
		return false;
	puts(answer);
	o->end = true;
	o->code = finish_stdout();
	return true;
}

static bool parse_simple(struct git_options *o, const char *arg)
{
	const char *path;

	if (!strcmp(arg, "-p") || !strcmp(arg, "--paginate")) {
		o->use_pager = 1;
	} else if (!strcmp(arg, "-P") || !strcmp(arg, "--no-pager")) {
		o->use_pager = 0;
		setenv("GIT_PAGER", "cat", 1); /* for commands that decide late, and children */
		o->env_changed = true;
	} else if (!strcmp(arg, "--bare")) {
		set_bare();
		o->env_changed = true;
	} else if (skip_prefix(arg, "--exec-path=", &path)) {
		setenv("GIT_EXEC_PATH", path, 1);
	} else if (parse_flag(arg)) {
		o->env_changed = true;
	} else {
		return false;
	}
	return true;
}

/* These are commands in disguise; git_main sees to them. */
static bool is_command_option(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h") || !strcmp(arg, "--version") ||
	       !strcmp(arg, "-v") || starts_with(arg, "--list-cmds=");
}

int git_options_parse(struct git_options *o, int argc, const char **argv)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-' && !o->end && !is_command_option(argv[i])) {
		int n = 1;

		if (!parse_query(o, argv[i]) && !parse_simple(o, argv[i])) {
			n = parse_valued(o, argc - i, argv + i);
			if (!n)
				usage_error("unknown option: %s", argv[i]);
		}
		i += n;
	}
	return i;
}
