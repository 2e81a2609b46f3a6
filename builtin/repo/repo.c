/* SPDX-License-Identifier: GPL-2.0-only */
/* git-repo(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/repo/repo.h"
#include "history/history.h"
#include "util/quote.h"

#define INFO_USAGE "git repo info [--format=(lines|nul) | -z] [--all | <key>...]"
#define KEYS_USAGE "git repo info --keys [--format=(lines|nul) | -z]"
#define STRUCTURE_USAGE "git repo structure [--format=(table|lines|nul) | -z]"

static const char *const usage[] = { INFO_USAGE, KEYS_USAGE, STRUCTURE_USAGE, NULL };

/* ---- options ---- */

static int format_option(const struct option *opt, const char *arg, int unset UNUSED)
{
	enum repo_format *f = opt->value;

	if (!arg || !strcmp(arg, "nul"))
		*f = REPO_NUL;
	else if (!strcmp(arg, "lines"))
		*f = REPO_LINES;
	else if (!strcmp(arg, "table"))
		*f = REPO_TABLE;
	else
		die("invalid format '%s'", arg);
	return 0;
}

#define FORMAT_OPTIONS(f) \
	OPT_CALLBACK_F(0, "format", (f), "format", "output format", PARSE_OPT_NONEG, format_option), \
	OPT_CALLBACK_F('z', NULL, (f), NULL, "synonym for --format=nul", PARSE_OPT_NONEG | PARSE_OPT_NOARG, format_option)

/* ---- info ---- */

static const char *yes_or_no(bool value)
{
	return value ? "true" : "false";
}

static const char *bare_value(struct repository *r)
{
	return yes_or_no(!r->worktree);
}

static const char *shallow_value(struct repository *r)
{
	return yes_or_no(repo_is_shallow(r));
}

static const char *object_format_value(struct repository *r)
{
	return r->algo->name;
}

static const char *references_format_value(struct repository *r)
{
	return r->settings.ref_storage;
}

static const struct info_key {
	const char *name;
	const char *(*value)(struct repository *r);
} info_keys[] = {
	{ "layout.bare", bare_value },
	{ "layout.shallow", shallow_value },
	{ "object.format", object_format_value },
	{ "references.format", references_format_value },
};

static void print_info(struct repository *r, const struct info_key *k, enum repo_format f)
{
	const char *value = k->value(r);
	struct strbuf quoted = STRBUF_INIT;

	if (f == REPO_NUL) {
		printf("%s\n%s%c", k->name, value, '\0');
		return;
	}
	quote_c_style(&quoted, value, strlen(value), r->settings.quote_path);
	printf("%s=%s\n", k->name, quoted.buf);
	strbuf_release(&quoted);
}

/* False: there is no such key. */
static bool print_info_of(struct repository *r, const char *name, enum repo_format f)
{
	for (size_t i = 0; i < ARRAY_SIZE(info_keys); i++) {
		if (strcmp(name, info_keys[i].name))
			continue;
		print_info(r, &info_keys[i], f);
		return true;
	}
	error("key '%s' not found", name);
	return false;
}

static int cmd_repo_info(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const info_usage[] = { INFO_USAGE, KEYS_USAGE, NULL };
	enum repo_format f = REPO_LINES;
	int all = 0, keys = 0, code = 0;
	struct option opts[] = { FORMAT_OPTIONS(&f), OPT_BOOL(0, "all", &all, "print all keys/values"),
				 OPT_BOOL(0, "keys", &keys, "show keys"), OPT_END() };

	argc = parse_options(argc, argv, opts, info_usage, 0);
	if (keys && (all || argc))
		die("--keys cannot be used with a <key> or --all");
	if (f == REPO_TABLE)
		die("unsupported output format");
	if (all && argc)
		die("--all and <key> cannot be used together");
	for (size_t i = 0; (all || keys) && i < ARRAY_SIZE(info_keys); i++) {
		if (keys)
			printf("%s%c", info_keys[i].name, f == REPO_NUL ? '\0' : '\n');
		else
			print_info(ctx->repo, &info_keys[i], f);
	}
	for (int i = 0; i < argc; i++)
		if (!print_info_of(ctx->repo, argv[i], f))
			code = 255;
	return finish_stdout() ? 128 : code;
}

/* ---- structure ---- */

static int cmd_repo_structure(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const structure_usage[] = { STRUCTURE_USAGE, NULL };
	enum repo_format f = REPO_TABLE;
	int progress = 0;
	struct option opts[] = { FORMAT_OPTIONS(&f), OPT_BOOL(0, "progress", &progress, "show progress"), OPT_END() };
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, structure_usage, 0);
	if (argc) {
		fprintf(stderr, "usage: too many arguments\n");
		return 129;
	}
	if (repo_print_structure(ctx->repo, f, &err) < 0)
		return report_fatal(&err);
	return finish_stdout();
}

int cmd_repo(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "info", cmd_repo_info },
		{ "structure", cmd_repo_structure },
	};
	const struct option none[] = { OPT_END() };
	command_fn run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, none);
	if (!run)
		die_no_subcommand(argc > 1 ? argv[1] : NULL, usage, none);
	return run(argc - 1, argv + 1, ctx);
}
