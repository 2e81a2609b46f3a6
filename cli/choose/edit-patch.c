/* SPDX-License-Identifier: GPL-2.0-only */
/* `git add --edit`: the user edits the whole patch, and the result is applied to the index. */
#include "compat/posix.h"
#include "apply/apply.h"
#include "cli/choose/choose-internal.h"
#include "cli/edit-text.h"
#include "compat/syscalls.h"

#define EDITED_PATCH "ADD_EDIT.patch"
#define EDITED_CONTEXT 7

struct patch_edit {
	const struct choose_request *q;
	struct repository *repo;
	struct index_state ix;
	struct converter *conv;
	struct repo_operation *op;
	struct strbuf text;
	char *path;
};

static void say_on_stderr(void *data UNUSED, const char *text)
{
	fputs(text, stderr);
}

static int read_and_compare(struct patch_edit *e, struct err *err)
{
	struct choose_comparison cmp = { .repo = e->repo, .ps = e->q->ps, .ita_is_entry = true, .formats = DIFF_FORMAT_PATCH,
					 .context = { EDITED_CONTEXT, -1 } };
	int rc = index_read_repo(&e->ix, e->repo, err);

	if (!rc)
		rc = converter_new(&e->conv, e->repo, &e->ix, ATTR_CHECKIN, err);
	if (!rc && e->q->ps) {
		e->q->ps->match_attr = attrs_match_spec;
		e->q->ps->match_attr_data = converter_attrs(e->conv);
	}
	if (!rc)
		rc = choose_refresh(e->repo, &e->ix, e->conv, err);
	cmp.ix = &e->ix;
	cmp.conv = e->conv;
	return rc ? rc : choose_compare(&cmp, &e->text, NULL, err);
}

/* Durability: the edited patch becomes objects and index entries of one operation; the file of the editor is not kept. */
static int apply_edited(struct patch_edit *e, struct err *err)
{
	struct index_state ix;
	struct apply a;
	int rc;

	apply_init(&a, e->repo, NULL);
	a.say = say_on_stderr;
	a.recount = 1;
	a.input_name = e->path;
	index_init(&ix, e->repo->algo);
	e->op = repo_operation_begin(e->repo);
	rc = apply_config(&a, e->repo->config, err);
	if (!rc)
		rc = repo_operation_lock_index(e->op, err);
	if (!rc)
		rc = index_read_repo(&ix, e->repo, err);
	if (!rc && apply_text_to_index(&a, &ix, e->op, &e->text))
		rc = err_set(err, ERR_CONFLICT, "could not apply '%s'", e->path);
	if (!rc)
		repo_operation_set_index(e->op, &ix);
	rc = repo_operation_end(e->op, rc, err);
	apply_release(&a);
	index_release(&ix);
	return rc;
}

static int edit_and_apply(struct patch_edit *e, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = read_and_compare(e, err);

	if (rc)
		return rc;
	if (edit_text(e->repo, e->path, &e->text, &why) < 0) {
		error("%s", err_message(&why));
		err_release(&why);
		return err_set(err, ERR_ABORTED, "editing patch failed");
	}
	if (!e->text.len)
		return err_set(err, ERR_ABORTED, "empty patch. aborted");
	rc = apply_edited(e, err);
	if (!rc)
		sys->unlink(e->path);
	return rc;
}

int choose_by_editor(const struct choose_request *q)
{
	struct patch_edit e = { .q = q, .repo = q->repo, .text = STRBUF_INIT, .path = repo_path(q->repo, EDITED_PATCH) };
	struct err err = ERR_INIT;
	int rc;

	index_init(&e.ix, q->repo->algo);
	rc = edit_and_apply(&e, &err);
	converter_free(e.conv);
	index_release(&e.ix);
	strbuf_release(&e.text);
	free(e.path);
	return rc ? report_fatal(&err) : 0;
}
