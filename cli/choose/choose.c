/* SPDX-License-Identifier: GPL-2.0-only */
/* Choosing hunks: from the differences to their application, file by file. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"
#include "history/names/revparse.h"
#include "refs/refs.h"

/* A HEAD without a commit is the empty tree. */
static int find_tree(struct chooser *c, struct err *err)
{
	const char *rev = c->q->rev ? c->q->rev : "HEAD";
	struct object_id head;

	if (c->words->since_index)
		return 0;
	if (c->q->tree) {
		c->tree = *c->q->tree;
		return 0;
	}
	if (c->words->reverse && ref_resolve(c->repo->refs, "HEAD", &head, NULL, NULL, NULL) == ERR_NOT_FOUND) {
		c->tree = c->repo->algo->empty_tree;
		return 0;
	}
	return revparse_tree(c->repo, rev, &c->tree, err);
}

static int open_index(struct chooser *c, struct err *err)
{
	int rc = 0;

	index_init(&c->own_ix, c->repo->algo);
	c->ix = c->q->into ? c->q->into : &c->own_ix;
	if (!c->q->into)
		rc = index_read_repo(c->ix, c->repo, err);
	if (!rc)
		rc = converter_new(&c->conv, c->repo, c->ix, ATTR_CHECKIN, err);
	if (!rc && c->q->ps) {
		c->q->ps->match_attr = attrs_match_spec;
		c->q->ps->match_attr_data = converter_attrs(c->conv);
	}
	return rc;
}

static int chooser_begin(struct chooser *c, struct err *err)
{
	int rc = config_get_bool(c->repo->config, "interactive.singlekey", &c->single_key, err);

	if (rc < 0)
		return rc;
	choose_read_colors(&c->colors, c->repo);
	c->diff_color = want_color(c->repo, "color.diff", STDOUT_FILENO);
	rc = find_tree(c, err);
	if (!rc)
		rc = open_index(c, err);
	if (!rc && !c->words->cached) {
		choose_print_conflicts(c->ix);
		rc = choose_refresh(c->repo, c->ix, c->conv, err);
	}
	return rc ? rc : choose_find_hunks(c, err);
}

static void chooser_release(struct chooser *c)
{
	hunk_list_release(&c->list);
	converter_free(c->conv);
	index_release(&c->own_ix);
	strbuf_release(&c->answer);
	strbuf_release(&c->for_index);
	strbuf_release(&c->for_files);
}

/* ---- the files ---- */

static bool has_hunks(const struct hunk_file *f)
{
	return !f->binary && (f->nr || f->added);
}

/* The next file with hunks, around the ends; `at` if there is no other one. */
static size_t next_file(const struct chooser *c, size_t at, bool forward)
{
	size_t nr = c->list.nr;

	for (size_t step = 1; step < nr; step++) {
		size_t i = (at + (forward ? step : nr - step)) % nr;

		if (has_hunks(&c->list.files[i]))
			return i;
	}
	return at;
}

static size_t count_files(const struct chooser *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->list.nr; i++)
		nr += has_hunks(&c->list.files[i]);
	return nr;
}

static void ask_one_after_another(struct chooser *c)
{
	enum choose_step step = STEP_FILE_DONE;

	for (size_t i = 0; step != STEP_QUIT && i < c->list.nr; i++) {
		if (!has_hunks(&c->list.files[i]))
			continue;
		step = choose_in_file(c, &c->list.files[i], false);
		choose_take_file(c, &c->list.files[i]);
		putchar('\n');
	}
}

static void ask_to_and_fro(struct chooser *c)
{
	size_t at = has_hunks(&c->list.files[0]) ? 0 : next_file(c, 0, true);
	enum choose_step step = STEP_FILE_DONE;

	while (step != STEP_QUIT) {
		step = choose_in_file(c, &c->list.files[at], count_files(c) > 1);
		putchar('\n');
		if (step != STEP_QUIT)
			at = next_file(c, at, step == STEP_NEXT_FILE);
	}
	for (size_t i = 0; i < c->list.nr; i++)
		if (has_hunks(&c->list.files[i]))
			choose_take_file(c, &c->list.files[i]);
}

static int ask_and_apply(struct chooser *c, struct err *err)
{
	size_t binary = 0;

	for (size_t i = 0; i < c->list.nr; i++)
		binary += c->list.files[i].binary;
	if ((!c->list.nr && !c->list.nr_unmerged) || (c->list.nr && binary == c->list.nr)) {
		choose_print_colored(&c->colors, SLOT_ERROR, "%s\n", c->list.nr ? "Only binary files changed." : "No changes.");
		return 0;
	}
	if (!count_files(c))
		return 0;
	if (c->q->auto_advance)
		ask_one_after_another(c);
	else
		ask_to_and_fro(c);
	return choose_apply(c, err);
}

static int report_filter(struct err *err)
{
	report_error(err);
	advise("Your filter must maintain a one-to-one correspondence\n"
	       "between its input and output lines.");
	return 1;
}

int choose_hunks(const struct choose_request *q)
{
	struct chooser c = { .q = q, .repo = q->repo, .words = choose_find_words(q->target, q->rev), .list = HUNK_LIST_INIT,
			     .answer = STRBUF_INIT, .for_index = STRBUF_INIT, .for_files = STRBUF_INIT };
	struct err err = ERR_INIT;
	int rc = chooser_begin(&c, &err);

	if (!rc)
		rc = ask_and_apply(&c, &err);
	if (!rc && q->patch)
		strbuf_addbuf(q->patch, &c.for_index);
	chooser_release(&c);
	fflush(stdout);
	if (rc == ERR_INVALID && c.filter_failed)
		return report_filter(&err);
	return rc ? report_fatal(&err) : 0;
}
