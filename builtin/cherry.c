/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/list-format.h"
#include "diff/patch-id.h"
#include "history/revision/revision.h"
#include "pretty/pretty.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git cherry [-v] [<upstream> [<head> [<limit>]]]",
	NULL
};

struct cherry {
	struct repository *repo;
	struct rev_walk *both; /* marks commits equal on both sides */
	struct rev_walk *walk; /* the listed commits */
	struct pretty pretty;
	int verbose, abbrev;
};

static void add_start(struct cherry *ch, const char *name, struct object_id *oid)
{
	struct err err = ERR_INIT;
	struct object_id at;

	if (revparse_oid(ch->repo, name, &at, NULL) < 0)
		die("unknown commit %s", name);
	if (object_peel(odb_source(ch->repo->odb), &at, OBJ_COMMIT, oid, NULL, &err) < 0) {
		error("%s", err_message(&err));
		die("unknown commit %s", name);
	}
}

/* The branch that the current one follows. */
static char *default_upstream(struct repository *r)
{
	char *final = NULL, *upstream = NULL;
	struct object_id oid;
	const char *branch;

	(void)!ref_resolve(r->refs, "HEAD", &oid, &final, NULL, NULL);
	if (final && skip_prefix(final, "refs/heads/", &branch))
		(void)!branch_upstream(r, branch, &upstream, NULL);
	free(final);
	return upstream;
}

/*
 * Excludes the bases: if clocks are wrong, a walk may not notice by itself that it has passed them.
 */
static void exclude(struct rev_walk *w, const struct commit_list *bases)
{
	for (size_t i = 0; i < bases->nr; i++)
		rev_walk_add_commit(w, &bases->items[i]->oid, "(merge base)",
				    REV_UNINTERESTING | REV_BOTTOM);
}

/* Find the changes that both sides have; what they have in common is excluded. */
static int compare_sides(struct rev_walk *w, const struct object_id *upstream,
			 const struct object_id *head, const struct commit_list *bases,
			 struct err *err)
{
	exclude(w, bases);
	rev_walk_add_commit(w, upstream, "upstream", REV_LEFT);
	rev_walk_add_commit(w, head, "head", 0);
	w->cherry_mark = true;
	rev_walk_set_patch_ids(w, patch_id);
	return rev_walk_begin(w, err);
}

static int list_side(struct rev_walk *w, const struct object_id *upstream,
		     const struct object_id *head, const struct object_id *limit,
		     const struct commit_list *bases, struct err *err)
{
	rev_walk_add_commit(w, head, "head", 0);
	rev_walk_add_commit(w, upstream, "upstream", REV_UNINTERESTING | REV_BOTTOM);
	if (limit)
		rev_walk_add_commit(w, limit, "limit", REV_UNINTERESTING | REV_BOTTOM);
	exclude(w, bases);
	w->reverse = true;
	w->max_parents = 1;
	return rev_walk_begin(w, err);
}

static int cherry_begin(struct cherry *ch, const struct object_id *upstream,
			const struct object_id *head, const struct object_id *limit, struct err *err)
{
	struct commit_pool *pool = ch->both->pool;
	struct commit *a = commit_lookup(pool, upstream), *b = commit_lookup(pool, head);
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(pool, a, &b, 1, &bases, err);

	if (!rc)
		rc = compare_sides(ch->both, upstream, head, &bases, err);
	if (!rc)
		rc = list_side(ch->walk, upstream, head, limit, &bases, err);
	commit_list_clear(&bases);
	return rc;
}

static int cherry_show(struct cherry *ch, struct commit *c, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	strbuf_addf(&line, "%c ",
		    commit_lookup(ch->both->pool, &c->oid)->flags & REV_PATCH_SAME ? '-' : '+');
	if (ch->abbrev)
		odb_abbrev(ch->repo->odb, &c->oid,
			   ch->abbrev < 0 ? ch->repo->settings.abbrev : ch->abbrev, &line);
	else
		strbuf_add_oid(&line, &c->oid);
	if (ch->verbose) {
		strbuf_addch(&line, ' ');
		rc = pretty_commit(&ch->pretty, ch->walk->pool, c, &line, err);
	}
	if (!rc)
		printf("%s\n", line.buf);
	strbuf_release(&line);
	return rc;
}

static int cherry_run(struct cherry *ch, int argc, const char **argv, struct err *err)
{
	struct object_id upstream, head, limit;
	struct commit *c;
	int rc;

	add_start(ch, argc > 1 ? argv[1] : "HEAD", &head);
	add_start(ch, argv[0], &upstream);
	if (argc > 2)
		add_start(ch, argv[2], &limit);
	if (oid_eq(&head, &upstream))
		return 0;
	rc = cherry_begin(ch, &upstream, &head, argc > 2 ? &limit : NULL, err);
	while (rc >= 0 && (rc = rev_walk_next(ch->walk, &c, err)) > 0) {
		rc = cherry_show(ch, c, err);
		commit_release_buffer(c);
	}
	return rc;
}

int cmd_cherry(int argc, const char **argv, struct command_ctx *ctx)
{
	struct cherry ch = { .repo = ctx->repo };
	struct option opts[] = {
		OPT_ABBREV(&ch.abbrev),
		OPT__VERBOSE(&ch.verbose),
		OPT_END()
	};
	struct err err = ERR_INIT;
	char *upstream = NULL;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		upstream = default_upstream(ctx->repo);
	if (argc > 3 || (!argc && !upstream)) {
		fprintf(stderr, "Could not find a tracked remote branch, please specify "
			"<upstream> manually.\n");
		usage_with_options(usage, opts);
	}
	pretty_init(&ch.pretty, ctx->repo);
	rc = pretty_set_format(&ch.pretty, "oneline", &err);
	if (!rc)
		rc = rev_walk_new(&ch.both, ctx->repo, &err);
	if (!rc)
		rc = rev_walk_new(&ch.walk, ctx->repo, &err);
	if (!rc)
		rc = cherry_run(&ch, argc ? argc : 1, argc ? argv : (const char **)&upstream, &err);
	rev_walk_free(ch.both);
	rev_walk_free(ch.walk);
	pretty_release(&ch.pretty);
	free(upstream);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout();
}
