/* SPDX-License-Identifier: GPL-2.0-only */
/* git-var(1) */
#include "compat/posix.h"
#include "repo/ident.h"
#include "build-info.h"
#include "builtin/builtin.h"
#include "repo/init.h"
#include "util/alloc.h"
#include "util/path.h"

/* Each gives the value (caller frees), or NULL with or without an error. */
typedef char *(*read_fn)(struct repository *r, unsigned flags, struct err *err);

static char *ident(struct repository *r, unsigned flags, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	if (ident_from_config(command_config(r), &sb, flags, err) < 0) {
		strbuf_release(&sb);
		return NULL;
	}
	return strbuf_detach(&sb, NULL);
}

static char *author(struct repository *r, unsigned flags, struct err *err)
{
	return ident(r, flags | IDENT_AUTHOR, err);
}

static char *committer(struct repository *r, unsigned flags, struct err *err)
{
	return ident(r, flags | IDENT_COMMITTER, err);
}

static char *copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static char *editor(struct repository *r, unsigned flags, struct err *err)
{
	const char *s = editor_program(r);

	if (!s && (flags & IDENT_STRICT))
		err_set(err, ERR_NOT_FOUND, "Terminal is dumb, but EDITOR unset");
	return copy(s);
}

static char *sequence_editor(struct repository *r, unsigned flags, struct err *err)
{
	const char *s = sequence_editor_program(r);

	if (!s && (flags & IDENT_STRICT))
		err_set(err, ERR_NOT_FOUND, "Terminal is dumb, but EDITOR unset");
	return copy(s);
}

static char *pager(struct repository *r, unsigned flags UNUSED, struct err *err UNUSED)
{
	const char *s = pager_program(r);

	return xstrdup(*s ? s : "cat");
}

static char *default_branch(struct repository *r, unsigned flags UNUSED, struct err *err)
{
	char *name = NULL;

	return init_default_branch(command_config(r), &name, NULL, err) < 0 ? NULL : name;
}

static char *shell_path(struct repository *r UNUSED, unsigned flags UNUSED,
			struct err *err UNUSED)
{
	return xstrdup("/bin/sh");
}

static char *attr_system(struct repository *r UNUSED, unsigned flags UNUSED,
			 struct err *err UNUSED)
{
	const char *no = getenv("GIT_ATTR_NOSYSTEM");

	return no && config_parse_maybe_bool(no) == 1 ? NULL
		: xstrdup(SLUICE_SYSCONF_DIR "/gitattributes");
}

static char *attr_global(struct repository *r, unsigned flags UNUSED, struct err *err)
{
	char *path = NULL;

	if (config_get_path(command_config(r), "core.attributesfile", &path, err) == 0)
		path = xdg_config_path("attributes");
	return path;
}

static char *config_system(struct repository *r UNUSED, unsigned flags UNUSED,
			   struct err *err UNUSED)
{
	return config_use_system() ? config_system_path() : NULL;
}

/* One path a line. */
static char *config_global(struct repository *r UNUSED, unsigned flags UNUSED,
			   struct err *err UNUSED)
{
	struct strbuf sb = STRBUF_INIT;
	char *paths[2];
	size_t nr = config_global_paths(paths);

	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(&sb, "%s%s", i ? "\n" : "", paths[i]);
		free(paths[i]);
	}
	return nr ? strbuf_detach(&sb, NULL) : NULL;
}

static const struct {
	const char *name;
	read_fn read;
	bool multi;
} vars[] = {
	{ "GIT_COMMITTER_IDENT", committer, false },
	{ "GIT_AUTHOR_IDENT", author, false },
	{ "GIT_EDITOR", editor, false },
	{ "GIT_SEQUENCE_EDITOR", sequence_editor, false },
	{ "GIT_PAGER", pager, false },
	{ "GIT_DEFAULT_BRANCH", default_branch, false },
	{ "GIT_SHELL_PATH", shell_path, false },
	{ "GIT_ATTR_SYSTEM", attr_system, false },
	{ "GIT_ATTR_GLOBAL", attr_global, false },
	{ "GIT_CONFIG_SYSTEM", config_system, false },
	{ "GIT_CONFIG_GLOBAL", config_global, true },
};

static void list_one(const char *name, const char *value, bool multi)
{
	const char *end;

	for (; multi && (end = strchr(value, '\n')); value = end + 1)
		printf("%s=%.*s\n", name, (int)(end - value), value);
	printf("%s=%s\n", name, value);
}

static int list(struct repository *r)
{
	const struct config_set *c = command_config(r);

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (e->value)
			printf("%s=%s\n", e->key, e->value);
		else
			puts(e->key);
	}
	for (size_t i = 0; i < ARRAY_SIZE(vars); i++) {
		char *value = vars[i].read(r, 0, NULL);

		if (value)
			list_one(vars[i].name, value, vars[i].multi);
		free(value);
	}
	return 0;
}

static NORETURN void usage_exit(FILE *fp)
{
	fputs("usage: git var (-l | <variable>)\n", fp);
	set_exit_code(129);
	exit(129);
}

int cmd_var(int argc, const char **argv, struct command_ctx *ctx)
{
	struct err err = ERR_INIT;
	char *value;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_exit(stdout);
	if (argc != 2)
		usage_exit(stderr);
	if (!strcmp(argv[1], "-l"))
		return list(ctx->repo);
	for (size_t i = 0; i < ARRAY_SIZE(vars); i++) {
		if (strcmp(vars[i].name, argv[1]))
			continue;
		value = vars[i].read(ctx->repo, IDENT_STRICT, &err);
		if (err.code)
			return report_fatal(&err);
		if (!value)
			return 1;
		puts(value);
		free(value);
		return 0;
	}
	usage_exit(stderr);
}
