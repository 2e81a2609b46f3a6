/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The chosen hunks become a change of the index and of files. Each file's patch is tried when the user leaves the file; all of
 * them are applied at the end, as one operation.
 */
#include "compat/posix.h"
#include "apply/apply.h"
#include "cli/choose/choose-internal.h"
#include "odb/odb.h"

/* Errors, and warnings of white space that a patch adds: each is printed for the file, before the next one is asked about. */
static void collect(void *data, const char *text)
{
	strbuf_addstr(data, text);
}

static void print_and_release(struct strbuf *said, bool print)
{
	if (print) {
		fflush(stdout);
		fwrite(said->buf, 1, said->len, stderr);
	}
	strbuf_release(said);
}

static int prepare_apply(const struct chooser *c, struct apply *a, struct strbuf *said, struct err *err)
{
	apply_init(a, c->repo, NULL);
	a->say = collect;
	a->data = said;
	a->reverse = c->words->reverse;
	a->unidiff_zero = !c->context;
	return apply_config(a, c->repo->config, err);
}

/* The exit code of trying the patch on the index or on files. quiet: nothing is printed if it does not apply. */
static int try_patch(struct chooser *c, const struct strbuf *patch, bool to_index, bool quiet)
{
	struct apply a;
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code = 128;

	if (prepare_apply(c, &a, &said, &err) < 0) {
		report_error(&err);
	} else {
		a.check = 1;
		if (quiet && a.ws == APPLY_WS_DEFAULT) /* the later, real one is silent */
			a.ws = APPLY_WS_WARN;
		code = to_index ? apply_text_to_index(&a, c->ix, NULL, patch) : apply_text_to_files(&a, patch);
	}
	apply_release(&a);
	print_and_release(&said, !code || !quiet);
	return code;
}

static unsigned flags_of(const struct chooser *c)
{
	return c->words->reverse ? HUNKS_REVERSE : 0;
}

bool choose_check_file(struct chooser *c, const struct hunk_file *f)
{
	struct strbuf patch = STRBUF_INIT;
	int code;

	hunk_file_add_patch(f, &c->list, flags_of(c) | HUNKS_ALL, &patch);
	code = try_patch(c, &patch, !c->words->files, false);
	strbuf_release(&patch);
	if (code)
		error("'git apply --cached' failed"); /* also for files, as in Git */
	return !code;
}

/*
 * The same for a patch that comes behind other taken ones: a file whose type changes is one that goes, and one that
 * comes, and both have the same name.
 */
static int try_next_patch(struct chooser *c, const struct strbuf *patch, bool to_index)
{
	struct strbuf all = STRBUF_INIT;
	int code = try_patch(c, patch, to_index, true);

	if (!code)
		return 0;
	strbuf_addbuf(&all, to_index ? &c->for_index : &c->for_files);
	if (all.len) {
		strbuf_addbuf(&all, patch);
		code = try_patch(c, &all, to_index, true);
	}
	strbuf_release(&all);
	return code ? try_patch(c, patch, to_index, false) : 0;
}

/* What applying the patch will say, which comes before the user is asked about the next file. */
static void tell_warnings(struct chooser *c, const struct strbuf *patch, bool of_index)
{
	(void)try_patch(c, patch, of_index, true);
}

/* The hunks are for both. Where the index cannot take them, the user may want them in files alone; where files cannot, they are shown. */
static void take_for_both(struct chooser *c, const struct strbuf *patch)
{
	bool index = !try_patch(c, patch, true, false), files = !try_patch(c, patch, false, false);

	if (index && files) {
		tell_warnings(c, patch, true);
		tell_warnings(c, patch, false);
		strbuf_addbuf(&c->for_index, patch);
		strbuf_addbuf(&c->for_files, patch);
	} else if (index) {
		fwrite(patch->buf, 1, patch->len, stdout);
	} else {
		choose_print_colored(&c->colors, SLOT_ERROR, "The selected hunks do not apply to the index!\n");
		if (!choose_yes_or_no(c, "Apply them to the worktree anyway? ")) {
			choose_print_colored(&c->colors, SLOT_ERROR, "Nothing was applied.\n\n");
		} else if (files) {
			tell_warnings(c, patch, false);
			strbuf_addbuf(&c->for_files, patch);
		} else {
			(void)try_patch(c, patch, false, false);
		}
	}
}

void choose_take_file(struct chooser *c, const struct hunk_file *f)
{
	struct strbuf patch = STRBUF_INIT;
	bool any = hunk_file_add_patch(f, &c->list, flags_of(c), &patch);

	if (any && c->words->index && c->words->files)
		take_for_both(c, &patch);
	else if (any && try_next_patch(c, &patch, c->words->index))
		error("'git apply' failed");
	else if (any)
		strbuf_addbuf(c->words->index ? &c->for_index : &c->for_files, &patch);
	if (any)
		choose_print_conflicts(c->ix);
	strbuf_release(&patch);
}

/* ---- all files ---- */

static int apply_index_patch(struct chooser *c, struct index_state *ix, struct repo_operation *op, struct err *err)
{
	struct apply a;
	struct strbuf said = STRBUF_INIT;
	int rc = prepare_apply(c, &a, &said, err);

	if (!rc && apply_text_to_index(&a, ix, op, &c->for_index))
		rc = err_set(err, ERR_CONFLICT, "'git apply' failed");
	apply_release(&a);
	print_and_release(&said, rc < 0);
	return rc;
}

/* The index may have changed since the user was asked: its lock is taken now. */
static int apply_to_own_index(struct chooser *c, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(c->repo);
	struct index_state ix;
	int rc;

	index_init(&ix, c->repo->algo);
	rc = repo_operation_lock_index(op, err);
	if (!rc)
		rc = index_read_repo(&ix, c->repo, err);
	if (!rc)
		rc = apply_index_patch(c, &ix, op, err);
	if (!rc)
		repo_operation_set_index(op, &ix);
	rc = repo_operation_end(op, rc, err);
	index_release(&ix);
	return rc;
}

static int apply_to_files(struct chooser *c, struct err *err)
{
	struct apply a;
	struct strbuf said = STRBUF_INIT;
	int rc = prepare_apply(c, &a, &said, err);

	if (!rc && apply_text_to_files(&a, &c->for_files))
		rc = err_set(err, ERR_CONFLICT, "'git apply' failed");
	apply_release(&a);
	print_and_release(&said, rc < 0);
	return rc;
}

int choose_apply(struct chooser *c, struct err *err)
{
	int rc = 0;

	if (c->for_index.len && c->q->into)
		rc = apply_index_patch(c, c->q->into, c->q->op, err);
	else if (c->for_index.len)
		rc = apply_to_own_index(c, err);
	if (!rc && c->for_files.len)
		rc = apply_to_files(c, err);
	return rc;
}
