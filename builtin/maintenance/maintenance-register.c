/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1), register and unregister: the list of repositories for the schedule. */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"

#define LIST_KEY "maintenance.repo"

/* What stands in the list: the top of the work tree, or the repository if it has none. Caller frees. */
static char *place_of(const struct repository *r)
{
	char *path = path_real(r->worktree ? r->worktree : r->gitdir_abs, 0);

	if (!path)
		die("cannot find the path of the repository");
	return path;
}

static bool is_listed_in(const struct config_set *c, const char *place)
{
	size_t nr;
	const struct config_entry *const *v = config_get_all(c, LIST_KEY, &nr);

	for (size_t i = 0; i < nr; i++)
		if (v[i]->value && !strcmp(v[i]->value, place))
			return true;
	return false;
}

/* In that file, or (NULL) in any that is read. */
static bool is_listed(struct repository *r, const char *file, const char *place)
{
	struct config_set *c;
	struct err err = ERR_INIT;
	bool listed;
	int rc;

	if (!file)
		return is_listed_in(r->config, place);
	c = config_set_new();
	rc = config_set_read_file(c, file, CONFIG_SCOPE_GLOBAL, NULL, &err);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		die_err(&err);
	err_release(&err);
	listed = is_listed_in(c, place);
	config_set_free(c);
	return listed;
}

static char *list_file(const char *given)
{
	char *path = given ? xstrdup(given) : config_global_path();

	if (!path)
		die("$HOME not set");
	return path;
}

void maintenance_enlist(struct repository *r, const char *config_file)
{
	const struct config_edit local[] = {
		{ .key = "maintenance.auto", .value = "false" },
		{ .key = "maintenance.strategy", .value = "incremental" },
	};
	bool has_strategy = config_get(r->config, "maintenance.strategy") != NULL;
	char *place = place_of(r), *own = xstrfmt("%s/config", r->commondir);
	struct repo_operation *op = repo_operation_begin(r);
	struct fsync_batch *b = repo_operation_batch(op);
	struct err err = ERR_INIT;
	int rc = config_file_edit_all(own, local, has_strategy ? 1 : 2, b, &err);

	if (!rc && !is_listed(r, config_file, place)) {
		const struct config_edit add = { .key = LIST_KEY, .value = place, .append = true };
		char *file = list_file(config_file);

		rc = config_file_edit(file, &add, b, &err);
		free(file);
	}
	rc = repo_operation_end(op, rc, &err);
	if (rc < 0)
		die_err(&err);
	free(place);
	free(own);
}

/* From where the command was started. Caller frees. */
static char *from_prefix(const struct command_ctx *ctx, const char *path)
{
	if (!path)
		return NULL;
	return ctx->prefix && !is_absolute_path(path) ? xconcat(ctx->prefix, path) : xstrdup(path);
}

int maintenance_register(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { "git maintenance register [--config-file <path>]", NULL };
	const char *given = NULL;
	struct option options[] = {
		OPT_STRING(0, "config-file", &given, "file", "use given config file"),
		OPT_END()
	};
	char *file;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	file = from_prefix(ctx, given);
	maintenance_enlist(ctx->repo, file);
	free(file);
	return 0;
}

static void delist(struct repository *r, const char *config_file, const char *place, bool force)
{
	const struct config_edit remove = { .key = LIST_KEY, .value_pattern = place,
					    .fixed_value = true, .multi = true };
	struct repo_operation *op = repo_operation_begin(r);
	char *file = list_file(config_file);
	struct err err = ERR_INIT;
	int rc = config_file_edit(file, &remove, repo_operation_batch(op), &err);

	/* It is in another file, of the system perhaps. */
	if (rc == ERR_NOT_FOUND)
		err_reword(&err, "repository '%s' is not registered in '%s'", place, file);
	rc = repo_operation_end(op, rc, &err);
	if (rc < 0 && !(force && rc == ERR_NOT_FOUND))
		die_err(&err);
	err_release(&err);
	free(file);
}

int maintenance_unregister(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = {
		"git maintenance unregister [--config-file <path>] [--force]", NULL
	};
	const char *given = NULL;
	int force = 0;
	struct option options[] = {
		OPT_STRING(0, "config-file", &given, "file", "use given config file"),
		OPT__FORCE(&force, "return success even if repository was not registered"),
		OPT_END()
	};
	char *place, *file;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	place = place_of(ctx->repo);
	file = from_prefix(ctx, given);
	if (is_listed(ctx->repo, file, place))
		delist(ctx->repo, file, place, force);
	else if (!force)
		die("repository '%s' is not registered", place);
	free(place);
	free(file);
	return 0;
}
