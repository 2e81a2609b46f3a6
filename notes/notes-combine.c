/* SPDX-License-Identifier: GPL-2.0-only */
/* Two notes of one object become one. */
#include "compat/posix.h"
#include "notes/notes.h"
#include "util/string-list.h"

static int add_lines_of_note(struct odb *odb, const struct object_id *note, struct strvec *lines, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct string_list split = STRING_LIST_INIT;
	int rc = note ? odb_read_type(odb, note, OBJ_BLOB, &buf, err) : 0;

	if (rc >= 0 && note && memchr(buf.data, '\0', buf.size))
		rc = err_set(err, ERR_INVALID, "note %s is no text, its lines cannot be sorted", oid_hex(note));
	if (rc >= 0 && note)
		string_list_split(&split, buf.data, "\n");
	for (size_t i = 0; i < split.nr; i++)
		if (*split.items[i].string)
			strvec_push(lines, split.items[i].string);
	string_list_clear(&split, NULL);
	object_buf_release(&buf);
	return rc;
}

int notes_sort_lines(struct odb *odb, const struct object_id *first, const struct object_id *second,
		     struct object_id *out, struct err *err)
{
	struct strvec lines = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if ((rc = add_lines_of_note(odb, first, &lines, err)) >= 0 &&
	    (rc = add_lines_of_note(odb, second, &lines, err)) >= 0) {
		strvec_sort_unique(&lines);
		for (size_t i = 0; i < lines.nr; i++)
			strbuf_addf(&text, "%s\n", lines.v[i]);
		rc = odb_write(odb, OBJ_BLOB, text.buf, text.len, out, err);
	}
	strbuf_release(&text);
	strvec_clear(&lines);
	return rc;
}

static int combine_notes(struct notes_ref *n, const struct object_id *existing, const struct object_id *added,
			 enum notes_combination how, struct object_id *out, struct err *err)
{
	*out = how == NOTES_KEEP ? *existing : *added;
	if (how == NOTES_KEEP || how == NOTES_OVERWRITE || oid_eq(existing, added))
		return 0;
	return how == NOTES_CAT_SORT_UNIQ ? notes_sort_lines(n->repo->odb, existing, added, out, err) :
		notes_concatenate(n->repo->odb, existing, added, out, err);
}

/* As Git has it, nothing is combined with the note that is there. */
static int copy_nothing(struct notes_ref *n, const struct object_id *to, const struct object_id *existing,
			enum notes_combination how, struct err *err)
{
	struct object_id note = *existing;
	int rc;

	if (how == NOTES_OVERWRITE) {
		rc = notes_ref_remove(n, to, err);
		return rc < 0 ? rc : 0;
	}
	rc = how == NOTES_CAT_SORT_UNIQ ? notes_sort_lines(n->repo->odb, existing, NULL, &note, err) : 0;
	return rc ? rc : notes_ref_put(n, to, &note, err);
}

int notes_ref_copy(struct notes_ref *n, const struct object_id *from, const struct object_id *to,
		   enum notes_combination how, struct err *err)
{
	struct object_id note, existing;
	int has_from = notes_tree_find(n->tree, from, &note, err), has_to, rc = 0;

	if (has_from < 0)
		return has_from;
	has_to = notes_tree_find(n->tree, to, &existing, err);
	if (has_to < 0)
		return has_to;
	if (!has_from && !has_to)
		return 0;
	if (!has_from)
		return copy_nothing(n, to, &existing, how, err);
	if (has_to)
		rc = combine_notes(n, &existing, &note, how, &note, err);
	return rc ? rc : notes_ref_put(n, to, &note, err);
}
