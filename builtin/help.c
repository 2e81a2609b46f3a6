/* SPDX-License-Identifier: GPL-2.0-only */
/* git-help(1) */
#include "compat/posix.h"
#include "build-info.h"
#include "builtin/builtin.h"
#include "cli/known-commands.h"
#include "util/alloc.h"
#include "util/run-command.h"

static const char *const usage[] = {
	"git help [-a|--all] [--[no-]external-commands] [--[no-]aliases]",
	"git help [-m|--man] [<command>|<doc>]",
	"git help [-c|--config]",
	NULL
};

/* ---- lists ---- */

static bool is_among(const char *name, const struct command *commands, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(commands[i].name, name))
			return true;
	return false;
}

static void list_commands(const struct command_ctx *ctx)
{
	puts("See 'git help <command>' to read about a specific subcommand\n\nCommands");
	for (size_t i = 0; i < ctx->nr_commands; i++) {
		const char *name = ctx->commands[i].name;
		const struct known_command *k = known_command_find(name);

		printf("   %-20s %s\n", name, k ? k->summary : "");
	}
}

static void list_missing(const struct command_ctx *ctx)
{
	int column = 0;

	puts("\nCommands of Git that are not available here yet");
	for (size_t i = 0; i < nr_known_commands; i++) {
		const char *name = known_commands[i].name;

		if (is_among(name, ctx->commands, ctx->nr_commands))
			continue;
		if (column + strlen(name) + 1 > 74) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%s", column ? " " : "   ", name);
	}
	putchar('\n');
}

static void print_group(const char *title, enum command_group group,
			const struct command *commands, size_t nr)
{
	bool any = false;

	for (size_t i = 0; i < nr_known_commands; i++) {
		const struct known_command *k = &known_commands[i];

		if (k->group != group || !is_among(k->name, commands, nr))
			continue;
		if (!any)
			printf("\n%s\n", title);
		any = true;
		printf("   %-10s%s\n", k->name, k->summary);
	}
}

void print_common_commands(const struct command *commands, size_t nr)
{
	static const struct {
		enum command_group group;
		const char *title;
	} groups[] = {
		{ GROUP_START, "start a working area" },
		{ GROUP_CHANGE, "work on the current change" },
		{ GROUP_EXAMINE, "examine the history and state" },
		{ GROUP_GROW, "grow, mark and tweak your common history" },
		{ GROUP_COLLABORATE, "collaborate" },
	};

	puts("\nThese are common Git commands used in various situations:");
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		print_group(groups[i].title, groups[i].group, commands, nr);
	puts("\n'git help -a' lists all commands. See 'git help <command>' to read about one.");
}

static void list_external(void)
{
	struct strvec found = STRVEC_INIT;
	const char *path = getenv("PATH");
	struct string_list dirs = STRING_LIST_INIT;
	bool any = false;

	string_list_split(&dirs, path ? path : "", ":");
	for (size_t i = 0; i < dirs.nr; i++)
		list_programs(&found, dirs.items[i].string, "git-");
	strvec_sort_unique(&found);
	for (size_t i = 0; i < found.nr; i++) {
		if (known_command_find(found.v[i]))
			continue;
		if (!any)
			puts("\nExternal commands");
		any = true;
		printf("   %s\n", found.v[i]);
	}
	string_list_clear(&dirs, NULL);
	strvec_clear(&found);
}

static void list_aliases(struct repository *r)
{
	const struct config_set *c = command_config(r);
	bool any = false;
	const char *name;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (!skip_prefix(e->key, "alias.", &name) || !e->value)
			continue;
		if (!any)
			puts("\nCommand aliases");
		any = true;
		printf("   %-20s %s\n", name, e->value);
	}
}

/* ---- pages ---- */

/* "git-foo" for a command, "gitfoo" for a guide. */
static char *page_of(const char *name)
{
	if (starts_with(name, "git"))
		return xstrdup(name);
	if (known_command_find(name))
		return xstrfmt("git-%s", name);
	return xstrfmt("git%s", name);
}

static const char *alias_text(struct repository *r, const char *name)
{
	char *key = xstrfmt("alias.%s", name);
	const struct config_entry *e = strchr(name, '.') ? NULL
							 : config_get(command_config(r), key);

	free(key);
	return e ? e->value : NULL;
}

/* Git lets no guide answer "git NAME --help". */
static bool is_command(const struct command_ctx *ctx, const char *name)
{
	char *program = xstrfmt("git-%s", name), *path = locate_in_path(program);
	bool found = path || known_command_find(name) || is_among(name, ctx->commands, ctx->nr_commands);

	free(path);
	free(program);
	return found;
}

static int show_page(struct repository *r, const char *name)
{
	const char *alias = known_command_find(name) ? NULL : alias_text(r, name);
	char *page, *man = locate_in_path("man");
	struct strbuf manpath = STRBUF_INIT;
	const char *old = getenv("MANPATH");

	if (alias) {
		printf("'%s' is aliased to '%s'\n", name, alias);
		free(man);
		return 0;
	}
	page = page_of(name);
	if (!man) {
		error("no program 'man' to show '%s' with", page);
		free(page);
		return 1;
	}
	strbuf_addf(&manpath, "%s:%s", SLUICE_MAN_DIR, old ? old : "");
	setenv("MANPATH", manpath.buf, 1);
	execl(man, "man", page, (char *)NULL);
	die("cannot run '%s': %s", man, strerror(errno));
}

int cmd_help(int argc, const char **argv, struct command_ctx *ctx)
{
	int all = 0, external = 1, aliases = 1, man = 0, guides = 0, config = 0, no_guides = 0;
	struct option opts[] = {
		OPT_BOOL('a', "all", &all, "print all available commands"),
		OPT_BOOL(0, "external-commands", &external, "show external commands in --all"),
		OPT_BOOL(0, "aliases", &aliases, "show aliases in --all"),
		OPT_BOOL('m', "man", &man, "show man page"),
		OPT_BOOL('g', "guides", &guides, "print list of useful guides"),
		OPT_BOOL('c', "config", &config, "print all configuration variable names"),
		{ OPTION_BOOL, 0, "exclude-guides", OPT_VALUE(int, &no_guides), NULL, NULL, PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (guides || config)
		die("option '%s' is not available here yet", guides ? "--guides" : "--config");
	if (all) {
		setup_pager(ctx->repo, "help");
		list_commands(ctx);
		list_missing(ctx);
		if (external)
			list_external();
		if (aliases)
			list_aliases(ctx->repo);
		return 0;
	}
	if (argc && no_guides && !is_command(ctx, argv[0]) && !alias_text(ctx->repo, argv[0])) {
		fprintf(stderr, "git: '%s' is not a git command. See 'git --help'.\n", argv[0]);
		return 1;
	}
	if (argc)
		return show_page(ctx->repo, argv[0]);
	puts("usage: git [-C <path>] [-c <name>=<value>] [<options>] <command> [<args>]");
	print_common_commands(ctx->commands, ctx->nr_commands);
	return 0;
}
