/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rev-list(1) */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "util/alloc.h"

static int init(struct rev_list *l, struct repository *r, struct err *err)
{
	int rc;

	memset(l, 0, sizeof(*l));
	l->commit_header = true;
	l->missing_text = l->omitted_text = (struct strbuf)STRBUF_INIT;
	rc = log_options_init_plumbing(&l->log, r, err);
	l->walk = l->log.walk;
	l->promises.repo = r;
	return rc;
}

static void release(struct rev_list *l)
{
	filter_spec_release(&l->filter);
	bisection_release(&l->bisection);
	promises_release(&l->promises);
	oidset_clear(&l->excluded);
	strbuf_release(&l->missing_text);
	strbuf_release(&l->omitted_text);
	log_options_release(&l->log);
}

static int list_commits(struct rev_list *l, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = rev_walk_next(l->walk, &c, err)) > 0) {
		rc = rev_list_show_commit(l, c, err);
		commit_release_buffer(c);
		if (rc < 0)
			return rc;
		if (ferror(stdout))
			break;
	}
	for (size_t i = 0; !rc && i < l->walk->missing.nr; i++)
		rc = rev_list_miss(l, &l->walk->missing.oid[i],
				   i < l->walk->nr_missing_starts ? OBJ_NONE : OBJ_COMMIT, "",
				   err);
	return rc < 0 ? rc : 0;
}

static void print_bisect_vars(const struct bisection *b)
{
	size_t rest = b->all - b->reaches, left = rest > b->reaches ? rest : b->reaches;

	printf("bisect_rev='%s'\nbisect_nr=%d\nbisect_good=%d\nbisect_bad=%d\n"
	       "bisect_all=%d\nbisect_steps=%u\n",
	       b->best.nr ? oid_hex(&b->best.items[0]->oid) : "", (int)left - 1, (int)rest - 1,
	       (int)b->reaches - 1, (int)b->all, bisection_steps(b->all));
}

/* Before the output: reduces the commits to the best one, or ranks all of them. */
static int bisect(void *data, struct err *err)
{
	struct rev_list *l = data;
	bool ranked = l->bisect & BISECT_ALL;

	bisection_find(l->walk, ranked, &l->bisection);
	rev_walk_keep_only(l->walk, &l->bisection.best);
	if ((l->bisect & BISECT_VARS) && (!ranked || !l->bisection.best.nr))
		return 1; /* nothing of it is shown */
	return ranked ? pretty_load_decorations(&l->log.pretty, err) : 0;
}

/* After all is shown: the exit code. */
static int finish_bisect(struct rev_list *l)
{
	if (!(l->bisect & BISECT_VARS))
		return 0;
	if (!l->bisection.best.nr)
		return 1;
	if (l->bisect & BISECT_ALL)
		printf("------\n");
	print_bisect_vars(&l->bisection);
	return 0;
}

/* What came from promisor remotes is left out; what they have promised may be missing. */
static int exclude_promisor_objects(struct rev_list *l, struct err *err)
{
	int rc = promisor_pack_objects(&l->excluded, l->walk->repo, err);

	if (rc < 0)
		return rc;
	l->walk->excluded = &l->excluded;
	l->walk->missing_ok = true;
	if (l->missing == MISSING_ERROR)
		l->missing = MISSING_ALLOW_PROMISOR;
	return 0;
}

/* Asked before any object is read: a request for missing objects must not fetch them. */
static bool asks_for_missing(int argc, const char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--exclude-promisor-objects") ||
		    (starts_with(argv[i], "--missing=") && strcmp(argv[i], "--missing=error") != 0))
			return true;
	return false;
}

static int run(struct rev_list *l, int argc, const char **argv, struct err *err)
{
	struct rev_walk *w = l->walk;
	int rc;

	if (asks_for_missing(argc, argv))
		odb_set_fetch_on_read(w->repo->odb, false);
	rc = rev_list_parse(l, argc, argv, err);
	if (!rc)
		rc = rev_list_check(l, err);
	if (!rc)
		rc = log_options_resolve(&l->log, err);
	if (rc < 0)
		return rc;
	if (l->header && !l->log.format_given)
		rc = pretty_set_format(&l->log.pretty, "raw", err);
	if (l->test_bitmap && rc >= 0)
		return rev_list_test_bitmap(l, err);
	if (!w->nr_starts && !w->input_given && !w->read_stdin && !w->default_rev)
		rev_list_usage();
	if (l->exclude_promisor && (rc = exclude_promisor_objects(l, err)) < 0)
		return rc;
	if (l->use_bitmaps && (rc = rev_list_by_bitmap(l, err)))
		return rc < 0 ? rc : 0;
	w->bisect = l->bisect != 0;
	w->limited |= w->bisect;
	if (l->log.format_given || l->header)
		commit_pool_keep_buffers(w->pool, true);
	if (!rc)
		rc = rev_walk_begin(w, err);
	if (rc < 0)
		return rc;
	l->objects.begun = l->bisect ? bisect : NULL;
	if (l->bisect && !w->objects)
		rc = bisect(l, err);
	if (rc < 0)
		return rc;
	if (l->progress_title)
		l->progress = progress_start(l->progress_title, 0);
	if (!rc)
		rc = w->objects ? rev_list_objects(l, err) : list_commits(l, err);
	progress_stop(&l->progress);
	if (rc < 0)
		return rc;
	if (l->bisect & BISECT_VARS)
		return finish_bisect(l);
	rev_list_print_missing(l);
	rev_list_print_sums(l);
	return 0;
}

int cmd_rev_list(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rev_list l;
	struct err err = ERR_INIT;
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		rev_list_help();
	rc = init(&l, ctx->repo, &err);
	if (!rc)
		rc = run(&l, argc, argv, &err);
	release(&l);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : rc;
}
