/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-base(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/merge-heads.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git merge-base [-a | --all] <commit> <commit>...",
	"git merge-base [-a | --all] --octopus <commit>...",
	"git merge-base --is-ancestor <commit> <commit>",
	"git merge-base --independent <commit>...",
	"git merge-base --fork-point <ref> [<commit>]",
	NULL
};

struct merge_base {
	struct repository *repo;
	struct commit_pool *pool;
	struct commit_list heads;
	int all;
};

static int print_list(const struct merge_base *m, const struct commit_list *l)
{
	for (size_t i = 0; i < l->nr && (!i || m->all); i++)
		printf("%s\n", oid_hex(&l->items[i]->oid));
	return !l->nr;
}

/* ---- commits by name ---- */

static struct commit *commit_of(struct merge_base *m, const struct object_id *oid, const char *name)
{
	struct err err = ERR_INIT;
	struct object_id at;
	struct commit *c;

	if (object_peel(odb_source(m->repo->odb), oid, OBJ_COMMIT, &at, NULL, &err) < 0) {
		error("%s", err_message(&err));
		die("Not a valid commit name %s", name);
	}
	c = commit_lookup(m->pool, &at);
	if (commit_parse_node(m->pool, c, &err) < 0)
		die_err(&err);
	return c;
}

static void add_heads(struct merge_base *m, int argc, const char **argv)
{
	struct object_id oid;

	for (int i = 0; i < argc; i++) {
		if (revparse_oid(m->repo, argv[i], &oid, NULL) < 0)
			die("Not a valid object name %s", argv[i]);
		commit_list_add(&m->heads, commit_of(m, &oid, argv[i]));
	}
}

/* ---- --fork-point ---- */

static int fork_point(struct merge_base *m, int argc, const char **argv, struct commit_list *out,
		      struct err *err)
{
	const char *name = argc > 1 ? argv[1] : "HEAD";
	struct commit *found = NULL;
	struct object_id oid;
	int rc;

	if (revparse_oid(m->repo, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "Not a valid object name: '%s'", name);
	rc = fork_point_of(m->pool, m->repo, argv[0], commit_of(m, &oid, name), &found, err);
	if (found)
		commit_list_add(out, found);
	return rc;
}

/* ---- the command ---- */

static int run(struct merge_base *m, int mode, int argc, const char **argv, struct err *err)
{
	struct commit_list found = COMMIT_LIST_INIT;
	int rc, exit_code = 0;

	if (mode != 'f')
		add_heads(m, argc, argv);
	if (mode == 'a') {
		rc = is_ancestor(m->pool, m->heads.items[0], m->heads.items[1], err);
		return rc < 0 ? rc : !rc;
	}
	if (mode == 'f') {
		rc = fork_point(m, argc, argv, &found, err);
	} else if (mode == 'o') {
		rc = merge_bases_of_all(m->pool, &m->heads, &found, err);
	} else if (mode == 'i') {
		m->all = 1;
		rc = commits_reduce(m->pool, &m->heads, err);
		for (size_t i = 0; !rc && i < m->heads.nr; i++)
			commit_list_add(&found, m->heads.items[i]);
	} else {
		rc = merge_bases(m->pool, m->heads.items[0], m->heads.items + 1,
				 m->heads.nr - 1, &found, err);
	}
	if (!rc)
		exit_code = print_list(m, &found);
	commit_list_clear(&found);
	return rc < 0 ? rc : exit_code;
}

int cmd_merge_base(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_base m = { .repo = ctx->repo };
	struct err err = ERR_INIT;
	int mode = 0, rc;
	struct option opts[] = {
		OPT_BOOL('a', "all", &m.all, "output all common ancestors"),
		OPT_CMDMODE(0, "octopus", &mode, "find ancestors for a single n-way merge", 'o'),
		OPT_CMDMODE(0, "independent", &mode, "list revs not reachable from others", 'i'),
		OPT_CMDMODE(0, "is-ancestor", &mode, "is the first one ancestor of the other?", 'a'),
		OPT_CMDMODE(0, "fork-point", &mode, "find where <commit> forked from reflog of <ref>", 'f'),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if ((mode == 'a' && argc < 2) || (mode == 'f' && (argc < 1 || argc > 2)) ||
	    (!mode && argc < 2))
		usage_with_options(usage, opts);
	if (m.all && mode && mode != 'o' && mode != 'f')
		die("options '%s' and '%s' cannot be used together",
		    mode == 'a' ? "--is-ancestor" : "--independent", "--all");
	if (mode == 'a' && argc > 2)
		die("--is-ancestor takes exactly two commits");
	rc = commit_pool_new(&m.pool, m.repo, &err);
	if (!rc)
		rc = run(&m, mode, argc, argv, &err);
	commit_list_clear(&m.heads);
	commit_pool_free(m.pool);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : rc;
}
