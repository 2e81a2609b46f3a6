/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replace(1): --graft and --convert-graft-file. */
#include "compat/posix.h"
#include "builtin/replace/replace-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/string-list.h"

static int find_commit(struct replace_cmd *c, const char *name, bool is_parent, struct object_id *out, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id oid;

	if (revparse_oid(c->r, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "not a valid object name: '%s'", name);
	if (object_peel(odb_source(c->r->odb), &oid, OBJ_COMMIT, out, NULL, &why) >= 0)
		return 0;
	report_error(&why);
	return err_set(err, ERR_INVALID, is_parent ? "could not parse %s as a commit" : "could not parse %s", name);
}

/* The text after the lines "tree" and "parent". */
static const char *after_parents(const char *text, const char **parents)
{
	const char *at = strchr(text, '\n');

	*parents = at ? ++at : text;
	while (at && starts_with(at, "parent ") && strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	return at ? at : text;
}

static bool has_parent(const struct oid_array *parents, const struct object_id *oid)
{
	for (size_t i = 0; i < parents->nr; i++)
		if (oid_eq(&parents->oid[i], oid))
			return true;
	return false;
}

/* A merged tag that is kept in the commit must be one of a parent. */
static int check_mergetags(struct replace_cmd *c, const struct object_id *commit, const struct strbuf *text,
			   const struct oid_array *parents, struct err *err)
{
	struct strbuf tag = STRBUF_INIT;
	struct tag_view view;
	size_t pos = 0;
	int rc = 0;

	while (!rc && commit_next_header(text->buf, text->len, &pos, "mergetag", &tag)) {
		struct object_id oid;

		strbuf_complete_line(&tag);
		if (tag_parse(&view, tag.buf, tag.len, c->r->algo, NULL) < 0) {
			rc = err_set(err, ERR_CORRUPT, "bad mergetag in commit '%s'", oid_hex(commit));
		} else if (!has_parent(parents, &view.target)) {
			rc = hash_object_buf(c->r->algo, "tag", tag.buf, tag.len, &oid, err);
			rc = rc ? rc : err_set(err, ERR_CONFLICT, "original commit '%s' contains mergetag '%s' that is discarded; "
				     "use --edit instead of --graft", oid_hex(commit), oid_hex(&oid));
		}
		strbuf_reset(&tag);
	}
	strbuf_release(&tag);
	return rc;
}

static void drop_signature(const char *name, struct strbuf *text)
{
	struct strbuf plain = STRBUF_INIT;

	(void)commit_split_signature(text->buf, text->len, NULL, &plain, NULL);
	if (plain.len != text->len) {
		warning("the original commit '%s' has a gpg signature", name);
		warning("the signature will be removed in the replacement commit!");
		strbuf_swap(&plain, text);
	}
	strbuf_release(&plain);
}

/* words: the commit and its new parents. */
static int queue_graft(struct replace_cmd *c, size_t nr, const char *const *words, bool gently, struct err *err)
{
	struct replacement rep = { .old_name = words[0], .new_name = "replacement" };
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf text = STRBUF_INIT;
	struct object_id oid;
	const char *from, *rest;
	int rc = find_commit(c, words[0], false, &rep.old_oid, err);

	for (size_t i = 1; !rc && i < nr; i++) {
		rc = find_commit(c, words[i], true, &oid, err);
		oid_array_append(&parents, &oid);
	}
	if (!rc)
		rc = odb_read_type(c->r->odb, &rep.old_oid, OBJ_COMMIT, &buf, err);
	if (rc < 0)
		goto out;
	rest = after_parents(buf.data, &from);
	strbuf_add(&text, buf.data, (size_t)(from - (const char *)buf.data));
	for (size_t i = 0; i < parents.nr; i++)
		strbuf_addf(&text, "parent %s\n", oid_hex(&parents.oid[i]));
	strbuf_add(&text, rest, buf.size - (size_t)(rest - (const char *)buf.data));
	drop_signature(words[0], &text);
	rc = check_mergetags(c, &rep.old_oid, &text, &parents, err);
	if (!rc)
		rc = repo_operation_open_objects(c->op, err);
	if (!rc)
		rc = odb_write(c->r->odb, OBJ_COMMIT, text.buf, text.len, &rep.new_oid, err);
	if (!rc && oid_eq(&rep.old_oid, &rep.new_oid) && gently)
		warning("graft for '%s' unnecessary", oid_hex(&rep.old_oid));
	else if (!rc && !(rc = replace_check_difference(&rep, "commit", err)))
		rc = replace_queue(c, &rep, err);
out:
	strbuf_release(&text);
	object_buf_release(&buf);
	oid_array_clear(&parents);
	return rc;
}

int replace_by_graft(struct replace_cmd *c, int argc, const char **argv)
{
	struct err err = ERR_INIT;
	int rc;

	c->op = repo_operation_begin(c->r);
	rc = queue_graft(c, (size_t)argc, argv, false, &err);
	return replace_end(c, rc, &err);
}

/* ---- --convert-graft-file ---- */

static void convert_line(struct replace_cmd *c, const char *line, struct strbuf *failed)
{
	struct string_list split = STRING_LIST_INIT;
	struct strvec words = STRVEC_INIT;
	struct err err = ERR_INIT;

	string_list_split(&split, line, " ");
	for (size_t i = 0; i < split.nr; i++)
		if (*split.items[i].string)
			strvec_push(&words, split.items[i].string);
	if (words.nr && queue_graft(c, words.nr, words.v, true, &err) < 0) {
		report_error(&err);
		strbuf_addf(failed, "\n\t%s", line);
	}
	strvec_clear(&words);
	string_list_clear(&split, NULL);
}

/* All refs change in one transaction, and the file goes after them, if all lines could be converted. */
int replace_convert_grafts(struct replace_cmd *c)
{
	char *path = repo_path(c->r, "info/grafts");
	struct strbuf text = STRBUF_INIT, failed = STRBUF_INIT;
	struct string_list lines = STRING_LIST_INIT;
	struct err err = ERR_INIT;
	int rc = read_file(&text, path, EDIT_TEXT_MAX, &err);

	if (rc == ERR_NOT_FOUND) {
		err_release(&err);
		free(path);
		return 1;
	}
	c->op = repo_operation_begin(c->r);
	if (!rc)
		string_list_split(&lines, text.buf, "\n");
	for (size_t i = 0; !rc && i < lines.nr; i++)
		if (*lines.items[i].string && *lines.items[i].string != '#')
			convert_line(c, lines.items[i].string, &failed);
	if (!rc && !failed.len)
		rc = repo_operation_remove_file(c->op, path, &err);
	rc = replace_publish(c, rc, &err);
	if (rc < 0)
		report_error(&err);
	else if (failed.len)
		warning("could not convert the following graft(s):\n%s", failed.buf);
	rc = rc < 0 || failed.len;
	string_list_clear(&lines, NULL);
	strbuf_release(&failed);
	strbuf_release(&text);
	free(path);
	return rc;
}
