/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of each scope: system, global, local, worktree; and the command line. */
#include "compat/posix.h"
#include "build-info.h"
#include "config/config-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"

char *config_system_path(void)
{
	const char *given = getenv("GIT_CONFIG_SYSTEM");

	return xstrdup(given ? given : SLUICE_SYSCONF_DIR "/gitconfig");
}

bool config_use_system(void)
{
	const char *no = getenv("GIT_CONFIG_NOSYSTEM");

	return !no || config_parse_maybe_bool(no) != 1;
}

/* If HOME is empty, the path is /.gitconfig: a relative path could name a file of a cloned repository. */
static char *home_config(void)
{
	return path_expand_user("~/.gitconfig");
}

size_t config_global_paths(char *out[2])
{
	const char *given = getenv("GIT_CONFIG_GLOBAL");
	size_t nr = 0;

	if (given) {
		if (*given)
			out[nr++] = xstrdup(given);
		return nr;
	}
	out[nr] = xdg_config_path("config");
	if (out[nr])
		nr++;
	out[nr] = home_config();
	if (out[nr])
		nr++;
	return nr;
}

/* ~/.gitconfig, unless only $XDG_CONFIG_HOME/git/config exists. */
char *config_global_path(void)
{
	const char *given = getenv("GIT_CONFIG_GLOBAL");
	char *home, *xdg;

	if (given)
		return xstrdup(given);
	home = home_config();
	xdg = xdg_config_path("config");
	if (xdg && file_exists(xdg) && !(home && file_exists(home))) {
		free(home);
		return xdg;
	}
	free(xdg);
	return home;
}

struct source_list {
	struct config_source v[6];
	char *owned[6];
	size_t nr;
};

/* `path` is freed by read_list; NULL is skipped. */
static void add_file(struct source_list *l, enum config_scope scope, char *path,
		     bool unreadable_ok)
{
	if (!path)
		return;
	l->owned[l->nr] = path;
	l->v[l->nr++] = (struct config_source){
		.scope = scope, .origin = CONFIG_ORIGIN_FILE, .path = path,
		.optional = true, .unreadable_ok = unreadable_ok,
	};
}

static void add_system_and_global(struct source_list *l)
{
	char *global[2];
	size_t nr = config_global_paths(global);

	if (config_use_system())
		add_file(l, CONFIG_SCOPE_SYSTEM, config_system_path(), true);
	for (size_t i = 0; i < nr; i++)
		add_file(l, CONFIG_SCOPE_GLOBAL, global[i], true);
}

static int read_list(struct source_list *l, struct config_set *c,
		     const struct config_include_ctx *ctx, struct err *err)
{
	int rc;

	l->v[l->nr] = (struct config_source){ .scope = CONFIG_SCOPE_COMMAND,
					      .origin = CONFIG_ORIGIN_CMDLINE };
	rc = config_sources_read(c, l->v, l->nr + 1, ctx, err);
	for (size_t i = 0; i < l->nr; i++)
		free(l->owned[i]);
	return rc;
}

int config_set_read_all(struct config_set *c, const char *commondir, const char *gitdir,
			bool worktree_config, const struct config_include_ctx *ctx,
			struct err *err)
{
	struct source_list l = { .nr = 0 };

	add_system_and_global(&l);
	if (commondir)
		add_file(&l, CONFIG_SCOPE_LOCAL, path_join(commondir, "config"), false);
	if (gitdir && worktree_config)
		add_file(&l, CONFIG_SCOPE_WORKTREE, path_join(gitdir, "config.worktree"), false);
	return read_list(&l, c, ctx, err);
}

int config_set_read_protected(struct config_set *c, struct err *err)
{
	static const struct config_include_ctx nowhere = { 0 };
	struct source_list l = { .nr = 0 };

	add_system_and_global(&l);
	return read_list(&l, c, &nowhere, err);
}
