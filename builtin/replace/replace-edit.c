/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replace(1): --edit. */
#include "compat/posix.h"
#include "builtin/replace/replace-cmd.h"
#include "cli/edit-text.h"
#include "cli/tree-listing.h"
#include "history/names/revparse.h"
#include "object/tree.h"
#include "util/quote.h"
#include "util/string-list.h"

static int print_tree_text(struct replace_cmd *c, const struct object_buf *buf, struct strbuf *out, struct err *err)
{
	struct tree_iter it;
	struct tree_entry e;
	int rc;

	tree_iter_init(&it, buf->data, buf->size, c->r->algo);
	while ((rc = tree_iter_next(&it, &e, err)) > 0) {
		strbuf_addf(out, "%06o %s %s\t", e.mode, object_type_name(mode_object_type(e.mode)), oid_hex(&e.oid));
		quote_c_style(out, e.name, e.name_len, c->r->settings.quote_path);
		strbuf_addch(out, '\n');
	}
	return rc;
}

/* The listing becomes a tree. */
static int parse_tree_text(struct replace_cmd *c, struct strbuf *text, struct err *err)
{
	struct tree_listing listing = { .r = c->r };
	struct string_list lines = STRING_LIST_INIT;
	int rc = 0;

	string_list_split(&lines, text->buf, "\n");
	for (size_t i = 0; !rc && i < lines.nr; i++)
		if (*lines.items[i].string)
			rc = tree_listing_add(&listing, lines.items[i].string, err);
	strbuf_setlen(text, 0);
	if (!rc)
		tree_listing_take(&listing, text);
	tree_listing_release(&listing);
	string_list_clear(&lines, NULL);
	return rc;
}

static int edit_object(struct replace_cmd *c, enum object_type type, bool raw, const struct object_buf *buf,
		       struct strbuf *text, struct err *err)
{
	bool listed = type == OBJ_TREE && !raw;
	char *path = repo_path(c->r, "REPLACE_EDITOBJ");
	int rc = 0;

	if (listed)
		rc = print_tree_text(c, buf, text, err);
	else
		strbuf_add(text, buf->data, buf->size);
	if (!rc && (rc = edit_text(c->r, path, text, err)) == ERR_ABORTED) {
		report_error(err);
		rc = err_set(err, ERR_ABORTED, "editing object file failed");
	}
	if (!rc && listed && (rc = parse_tree_text(c, text, err)) < 0) {
		report_fatal(err);
		rc = err_set(err, ERR_INVALID, "mktree reported failure");
	}
	free(path);
	return rc;
}

static int edit_and_write(struct replace_cmd *c, struct replacement *rep, bool raw, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf text = STRBUF_INIT;
	enum object_type type = OBJ_BAD;
	int rc = replace_type(c, &rep->old_oid, &type);

	if (rc < 0)
		rc = err_set(err, rc, "unable to get object type for %s", oid_hex(&rep->old_oid));
	if (!rc)
		rc = odb_read_type(c->r->odb, &rep->old_oid, type, &buf, err);
	if (!rc)
		rc = edit_object(c, type, raw, &buf, &text, err);
	if (!rc)
		command_check_object(c->r->algo, type, text.buf, text.len);
	if (!rc)
		rc = repo_operation_open_objects(c->op, err);
	if (!rc)
		rc = odb_write(c->r->odb, type, text.buf, text.len, &rep->new_oid, err);
	strbuf_release(&text);
	object_buf_release(&buf);
	return rc;
}

int replace_by_edit(struct replace_cmd *c, const char *name, bool raw)
{
	struct replacement rep = { .old_name = name, .new_name = "replacement" };
	struct err err = ERR_INIT;
	struct object_id old;
	char *ref = NULL;
	int rc = revparse_oid(c->r, name, &rep.old_oid, NULL);

	if (rc < 0)
		rc = err_set(&err, ERR_NOT_FOUND, "not a valid object name: '%s'", name);
	else
		rc = replace_check_ref(c, ref = replace_ref(c, &rep.old_oid), &old, &err);
	c->op = repo_operation_begin(c->r);
	if (!rc)
		rc = edit_and_write(c, &rep, raw, &err);
	if (!rc)
		rc = replace_check_difference(&rep, "object", &err);
	if (!rc)
		rc = replace_queue(c, &rep, &err);
	free(ref);
	return replace_end(c, rc, &err);
}
