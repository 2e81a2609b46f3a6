/* SPDX-License-Identifier: GPL-2.0-only */
/* Which config file, or all of them. */
#include "compat/posix.h"
#include "builtin/config/config-cmd.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/names/revparse.h"

#define STDIN_MAX ((size_t)128 << 20)

/* A file the user named, as seen from where we are now. */
static char *from_prefix(const struct config_cmd *c, const char *path)
{
	if (is_absolute_path(path) || !c->ctx->prefix)
		return xstrdup(path);
	return path_join(c->ctx->prefix, path);
}

static char *worktree_config_path(const struct config_cmd *c)
{
	struct repository *r = c->ctx->repo;
	char *dir;
	bool others;

	if (r->settings.worktree_config)
		return path_join(r->gitdir, "config.worktree");
	dir = path_join(r->commondir, "worktrees");
	others = is_directory(dir) && !is_empty_dir(dir);
	free(dir);
	if (others)
		die("--worktree cannot be used with multiple working trees unless the config\n"
		    "extension worktreeConfig is enabled. Please read \"CONFIGURATION FILE\"\n"
		    "section in \"git help worktree\" for details");
	return path_join(r->commondir, "config");
}

static void need_repository(const struct config_cmd *c, int used, const char *option)
{
	if (used && !c->ctx->repo)
		die("%s can only be used inside a git repository", option);
}

void config_cmd_locate(struct config_cmd *c)
{
	const char *env = getenv("GIT_CONFIG");

	need_repository(c, c->use_local, "--local");
	need_repository(c, c->blob != NULL, "--blob");
	need_repository(c, c->use_worktree, "--worktree");

	c->scope = CONFIG_SCOPE_COMMAND;
	if (!c->file && env && !c->use_global && !c->use_system && !c->use_local &&
	    !c->use_worktree && !c->blob)
		c->file = env;
	if (c->file && !strcmp(c->file, "-")) {
		c->from_stdin = true;
	} else if (c->file) {
		c->path = from_prefix(c, c->file);
	} else if (c->use_global) {
		c->path = config_global_path();
		c->scope = CONFIG_SCOPE_GLOBAL;
		if (!c->path)
			die("$HOME not set");
	} else if (c->use_system) {
		c->path = config_system_path();
		c->scope = CONFIG_SCOPE_SYSTEM;
	} else if (c->use_local) {
		c->path = path_join(c->ctx->repo->commondir, "config");
		c->scope = CONFIG_SCOPE_LOCAL;
	} else if (c->use_worktree) {
		c->path = worktree_config_path(c);
		c->scope = CONFIG_SCOPE_WORKTREE;
	}
	if (c->path && is_absolute_path(c->path) == false && !strncmp(c->path, "./", 2))
		memmove(c->path, c->path + 2, strlen(c->path) - 1);
}

/* ---- reading ---- */

static int read_blob(struct config_set *set, struct config_cmd *c,
		     const struct config_include_ctx *ctx, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	int rc;

	if (revparse_oid(c->ctx->repo, c->blob, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "unable to resolve config blob '%s'", c->blob);
	rc = odb_read(c->ctx->repo->odb, &oid, &buf, err);
	if (!rc && buf.type != OBJ_BLOB)
		rc = err_set(err, ERR_INVALID, "reference '%s' does not point to a blob",
			     c->blob);
	if (!rc)
		rc = config_set_read_buf(set, buf.data, buf.size, c->blob, CONFIG_ORIGIN_BLOB,
					 c->scope, ctx, err);
	object_buf_release(&buf);
	return rc;
}

static int read_stdin(struct config_set *set, struct config_cmd *c,
		      const struct config_include_ctx *ctx, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = read_fd(&text, STDIN_FILENO, STDIN_MAX, "standard input", err);

	if (!rc)
		rc = config_set_read_buf(set, text.buf, text.len, NULL, CONFIG_ORIGIN_STDIN,
					 c->scope, ctx, err);
	strbuf_release(&text);
	return rc;
}

const struct config_set *config_cmd_read(struct config_cmd *c, bool must_exist)
{
	struct repository *r = c->ctx->repo;
	/* a blob and standard input include, as in Git */
	bool given = c->path || c->blob || c->from_stdin, includes = c->includes > 0 || (c->includes < 0 && !c->path);
	struct config_include_ctx inc = { r ? r->gitdir_abs : NULL, repo_branch_of, NULL };
	const struct config_include_ctx *ctx = includes ? &inc : NULL;
	struct config_set *set;
	char *unresolved;
	struct err err = ERR_INIT;
	int rc;

	if (r && !given && includes) /* every file there is: the repository has read them */
		return r->config;
	unresolved = r ? repo_unresolved_gitdir(r->gitdir) : NULL;
	inc.gitdir_unresolved = unresolved;
	set = c->set = config_set_new();
	if (c->from_stdin)
		rc = read_stdin(set, c, ctx, &err);
	else if (c->blob)
		rc = read_blob(set, c, ctx, &err);
	else if (c->path)
		rc = config_set_read_file(set, c->path, c->scope, ctx, &err);
	else
		rc = config_set_read_all(set, r ? r->commondir : NULL, r ? r->gitdir : NULL,
					 r && r->settings.worktree_config, ctx, &err);
	if (rc == ERR_NOT_FOUND && c->path && !must_exist) {
		err_release(&err);
		rc = 0;
	}
	if (rc == ERR_NOT_FOUND && c->blob) {
		set_exit_code(report_error(&err));
		if (must_exist)
			die("error processing config file(s)");
		exit(1);
	}
	if (rc < 0)
		die_err(&err);
	free(unresolved);
	return set;
}

void config_cmd_drop(struct config_cmd *c)
{
	config_set_free(c->set);
	c->set = NULL;
}

/* ---- writing ---- */

const char *config_cmd_file_to_write(struct config_cmd *c)
{
	if (c->from_stdin)
		die("writing to stdin is not supported");
	if (c->blob)
		die("writing config blobs is not supported");
	if (!c->path && !c->ctx->repo)
		die("not in a git directory");
	if (!c->path)
		c->path = path_join(c->ctx->repo->commondir, "config");
	return c->path;
}
