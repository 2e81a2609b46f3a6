/* SPDX-License-Identifier: GPL-2.0-only */
/* The commit to test next. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "history/revision/bisect.h"
#include "util/alloc.h"
#include "util/run-command.h"

/* ---- merge bases ---- */

static void join_hex(const struct oid_array *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->nr; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", oid_hex(&a->oid[i]));
}

/* A commit with the old property is no ancestor, and the new property was there before. */
static enum bisect_outcome say_bad_merge_base(const struct bisect *b)
{
	struct strbuf good = STRBUF_INIT;
	struct object_id expected;
	const char *bad = b->term_bad;
	char *hex;

	if (b->forgets_expected || !repo_state_oid(b->r, STATE_BISECT_EXPECTED_REV, &expected) || !oid_eq(&expected, &b->bad)) {
		fprintf(stderr, "Some '%s' revs are not ancestors of the '%s' rev.\n"
			"git bisect cannot work properly in this case.\n"
			"Maybe you mistook '%s' and '%s' revs?\n", b->term_good, bad, b->term_good, bad);
		return BISECT_FAILED;
	}
	hex = xstrdup(oid_hex(&b->bad));
	join_hex(&b->good, &good);
	if (!strcmp(bad, "bad") && !strcmp(b->term_good, "good"))
		fprintf(stderr, "The merge base %s is bad.\nThis means the bug has been fixed between %s and [%s].\n", hex, hex, good.buf);
	else if (!strcmp(bad, "new") && !strcmp(b->term_good, "old"))
		fprintf(stderr, "The merge base %s is new.\nThe property has changed between %s and [%s].\n", hex, hex, good.buf);
	else
		fprintf(stderr, "The merge base %s is '%s'.\nThis means the first '%s' commit is between %s and [%s].\n", hex, bad,
			b->term_good, hex, good.buf);
	strbuf_release(&good);
	free(hex);
	return BISECT_BAD_MERGE_BASE;
}

static void say_skipped_merge_base(const struct bisect *b, const struct object_id *base)
{
	struct strbuf good = STRBUF_INIT;
	char *bad = xstrdup(oid_hex(&b->bad)), *hex = xstrdup(oid_hex(base));

	join_hex(&b->good, &good);
	warning("the merge base between %s and [%s] must be skipped.\n"
		"So we cannot be sure the first '%s' commit is between %s and %s.\n"
		"We continue anyway.", bad, good.buf, b->term_bad, hex, bad);
	strbuf_release(&good);
	free(hex);
	free(bad);
}

static void plan_test(struct bisect *b, const struct object_id *oid)
{
	b->next = *oid;
	b->has_next = true;
}

static enum bisect_outcome check_merge_base_list(struct bisect *b, const struct commit_list *bases)
{
	for (size_t i = 0; i < bases->nr; i++) {
		const struct object_id *base = &bases->items[i]->oid;

		if (oid_eq(base, &b->bad))
			return say_bad_merge_base(b);
		if (oid_array_contains(&b->good, base))
			continue;
		if (oid_array_contains(&b->skipped, base)) {
			say_skipped_merge_base(b, base);
			continue;
		}
		printf("Bisecting: a merge base must be tested\n");
		plan_test(b, base);
		return BISECT_TEST_MERGE_BASE;
	}
	return BISECT_OK;
}

static int check_ancestors(struct bisect *b, struct commit_pool *pool, enum bisect_outcome *out, struct err *err)
{
	struct commit_list goods = COMMIT_LIST_INIT, bases = COMMIT_LIST_INIT;
	struct commit *bad = commit_lookup(pool, &b->bad);
	int rc = 1;

	for (size_t i = 0; i < b->good.nr; i++)
		commit_list_add(&goods, commit_lookup(pool, &b->good.oid[i]));
	for (size_t i = 0; rc > 0 && i < goods.nr; i++)
		rc = is_ancestor(pool, goods.items[i], bad, err);
	if (!rc)
		rc = merge_bases(pool, bad, goods.items, goods.nr, &bases, err);
	if (rc >= 0)
		*out = check_merge_base_list(b, &bases);
	b->ancestors_ok = rc >= 0 && *out == BISECT_OK;
	commit_list_clear(&goods);
	commit_list_clear(&bases);
	return rc < 0 ? rc : 0;
}

/* ---- skipped commits ---- */

static uint32_t square_root(uint32_t n)
{
	uint32_t root = 0;

	while ((uint64_t)(root + 1) * (root + 1) <= n)
		root++;
	return root;
}

/*
 * Away from the skipped commits in the middle: a place in the list, more often near its head. As in Git, so that both
 * test the same commits: a number of the generator that POSIX shows for rand(), seeded by the number of candidates.
 */
static size_t choose_away(const struct commit_list *l, const struct object_id *bad)
{
	uint32_t random = ((uint32_t)l->nr * 1103515245u + 12345u) / 65536u % 32768u;
	size_t at = l->nr * random / 32768u * square_root(random) / square_root(32768u);

	if (at >= l->nr)
		return 0;
	return oid_eq(&l->items[at]->oid, bad) && at ? at - 1 : at;
}

/* The candidates that are not skipped; *tried are the others. If the best one is not skipped, it is the only one. */
static struct commit *choose_candidate(struct bisect *b, const struct commit_list *best, struct commit_list *tried)
{
	struct commit_list left = COMMIT_LIST_INIT;
	struct commit *chosen;

	if (!best->nr || !b->skipped.nr || !oid_array_contains(&b->skipped, &best->items[0]->oid))
		return best->nr ? best->items[0] : NULL;
	for (size_t i = 0; i < best->nr; i++)
		commit_list_add(oid_array_contains(&b->skipped, &best->items[i]->oid) ? tried : &left, best->items[i]);
	chosen = left.nr ? left.items[choose_away(&left, &b->bad)] : NULL;
	commit_list_clear(&left);
	return chosen;
}

/* ---- the outcome ---- */

static int begin_walk(struct bisect *b, struct rev_walk **out, struct err *err)
{
	struct strvec args = STRVEC_INIT;
	int rc = rev_walk_new(out, b->r, err);

	strvec_pushl(&args, "bisect", oid_hex(&b->bad), NULL);
	for (size_t i = 0; i < b->good.nr; i++)
		strvec_pushf(&args, "^%s", oid_hex(&b->good.oid[i]));
	strvec_push(&args, "--");
	strvec_pushv(&args, b->paths.v ? b->paths.v : (const char *const[]){ NULL });
	if (!rc)
		rc = rev_walk_arguments(*out, (int)args.nr, args.v, NULL, err);
	if (!rc) {
		(*out)->first_parent = b->first_parent;
		(*out)->bisect = (*out)->limited = true;
	}
	strvec_clear(&args);
	return rc ? rc : rev_walk_begin(*out, err);
}

static bool report_skipped(struct bisect *b, const struct commit_list *tried, bool with_bad)
{
	if (!tried->nr)
		return false;
	printf("There are only 'skip'ped commits left to test.\nThe first '%s' commit could be any of:\n", b->term_bad);
	for (size_t i = 0; i < tried->nr; i++)
		printf("%s\n", oid_hex(&tried->items[i]->oid));
	if (with_bad)
		printf("%s\n", oid_hex(&b->bad));
	printf("We cannot bisect more!\n");
	return true;
}

/* All commits of the range go into the log: each may be the first bad one. */
static int log_skipped(struct bisect *b, struct err *err)
{
	struct rev_walk *w = NULL;
	struct commit *c;
	struct strvec none;
	int rc;

	strvec_init(&none);
	rc = rev_walk_new(&w, b->r, err);
	strbuf_addstr(&b->log, "# only skipped commits left to test\n");
	if (!rc) {
		rev_walk_add_commit(w, &b->bad, oid_hex(&b->bad), 0);
		for (size_t i = 0; i < b->good.nr; i++)
			rev_walk_add_commit(w, &b->good.oid[i], oid_hex(&b->good.oid[i]), REV_UNINTERESTING | REV_BOTTOM);
		rc = rev_walk_begin(w, err);
	}
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		strbuf_addf(&b->log, "# possible first '%s' commit: ", b->term_bad);
		bisect_add_commit_name(b, &c->oid, &b->log);
		strbuf_addch(&b->log, '\n');
		rc = 0;
	}
	rev_walk_free(w);
	strvec_clear(&none);
	return rc;
}

static void plan_middle(struct bisect *b, const struct bisection *found, const struct object_id *oid)
{
	/* -1: the only candidate is skipped, or another commit is tested */
	long left = (long)found->all - (long)found->reaches - 1;
	unsigned steps = bisection_steps(found->all);

	printf("Bisecting: %ld revision%s left to test after this (roughly %u step%s)\n", left, left == 1 ? "" : "s", steps,
	       steps == 1 ? "" : "s");
	plan_test(b, oid);
}

static enum bisect_outcome judge(struct bisect *b, const struct bisection *found)
{
	struct commit_list tried = COMMIT_LIST_INIT;
	struct commit *c = choose_candidate(b, &found->best, &tried);
	enum bisect_outcome out = BISECT_OK;

	if (!c) {
		out = report_skipped(b, &tried, false) ? BISECT_ONLY_SKIPPED : BISECT_FAILED;
		if (out == BISECT_FAILED)
			printf("%s was both '%s' and '%s'\n", oid_hex(&b->bad), b->term_good, b->term_bad);
	} else if (!found->all) {
		fprintf(stderr, "No testable commit found.\nMaybe you started with bad path arguments?\n");
		out = BISECT_NO_COMMIT;
	} else if (oid_eq(&c->oid, &b->bad)) {
		out = report_skipped(b, &tried, true) ? BISECT_ONLY_SKIPPED : BISECT_FOUND;
	} else {
		plan_middle(b, found, &c->oid);
	}
	commit_list_clear(&tried);
	return out;
}

static int find_middle(struct bisect *b, enum bisect_outcome *out, struct err *err)
{
	struct bisection found = { 0 };
	struct rev_walk *w = NULL;
	int rc = begin_walk(b, &w, err);

	if (!rc) {
		bisection_find(w, b->skipped.nr != 0, &found);
		*out = judge(b, &found);
	}
	bisection_release(&found);
	rev_walk_free(w);
	if (!rc && *out == BISECT_ONLY_SKIPPED)
		rc = log_skipped(b, err);
	if (!rc && *out == BISECT_FOUND) {
		printf("%s is the first '%s' commit\n", oid_hex(&b->bad), b->term_bad);
		strbuf_addf(&b->log, "# first '%s' commit: ", b->term_bad);
		bisect_add_commit_name(b, &b->bad, &b->log);
		strbuf_addch(&b->log, '\n');
	}
	return rc;
}

int bisect_plan_next(struct bisect *b, enum bisect_outcome *out, struct err *err)
{
	struct commit_pool *pool = NULL;
	int rc = 0;

	*out = BISECT_OK;
	if (!b->ancestors_ok && b->good.nr) {
		rc = commit_pool_new(&pool, b->r, err);
		if (!rc)
			rc = check_ancestors(b, pool, out, err);
		commit_pool_free(pool);
	}
	return rc || *out != BISECT_OK ? rc : find_middle(b, out, err);
}

void bisect_show_found(struct bisect *b)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;

	fflush(stdout);
	strvec_pushl(&cp.args, "git", "--no-pager", "show", "--stat", "--summary", "--no-abbrev-commit", "--diff-merges=first-parent",
		     oid_hex(&b->bad), NULL);
	if (run_command(&cp, &err) < 0)
		report_error(&err);
}

/* ---- a step ---- */

/* Says for what we wait. */
static void wait_for_marks(struct bisect *b)
{
	struct strbuf line = STRBUF_INIT;

	if (!b->good.nr && !b->has_bad)
		strbuf_addf(&line, "status: waiting for both '%s' and '%s' commits\n", b->term_good, b->term_bad);
	else if (b->good.nr)
		strbuf_addf(&line, "status: waiting for '%s' commit, %zu '%s' commit%s known\n", b->term_bad, b->good.nr,
			    b->term_good, b->good.nr == 1 ? "" : "s");
	else
		strbuf_addf(&line, "status: waiting for '%s' commit(s), '%s' commit known\n", b->term_good, b->term_bad);
	fputs(line.buf, stdout);
	strbuf_addf(&b->log, "# %s", line.buf);
	strbuf_release(&line);
}

static void print_test(struct bisect *b)
{
	struct strbuf name = STRBUF_INIT;

	bisect_add_commit_name(b, &b->next, &name);
	printf("%s\n", name.buf);
	strbuf_release(&name);
}

int bisect_auto_next(struct bisect *b)
{
	return bisect_take_step(b, !b->has_bad || !b->good.nr);
}

int bisect_take_step(struct bisect *b, bool waits)
{
	enum bisect_outcome out = BISECT_OK;
	struct err err = ERR_INIT;
	int code;

	if (waits)
		wait_for_marks(b);
	else if (bisect_plan_next(b, &out, &err) < 0)
		return report_fatal(&err);
	fflush(stdout);
	/* A bisection that cannot go on does not begin. */
	if (b->is_new && out && out != BISECT_FOUND && out != BISECT_TEST_MERGE_BASE && out != BISECT_ONLY_SKIPPED)
		return (int)out;
	code = bisect_step_run(b);
	if (code)
		return code;
	if (b->has_next)
		print_test(b);
	if (out == BISECT_FOUND)
		bisect_show_found(b);
	return (int)out;
}
