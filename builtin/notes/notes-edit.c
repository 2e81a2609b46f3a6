/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): add, append and edit. */
#include "compat/posix.h"
#include "builtin/notes/notes-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "object/message.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

enum strip_choice { STRIP_BY_SOURCE = -1, STRIP_NOT, STRIP };

/* A paragraph of the note. Texts of -m and -F are cleaned up unless an option says otherwise, those of -C are not. */
struct paragraph {
	struct strbuf text;
	bool strip;
};

struct note_text {
	struct notes_cmd *c;
	struct paragraph *parts;
	size_t nr, alloc;
	int force, edit, allow_empty;
	int strip; /* enum strip_choice */
	const char *separator; /* NULL: none */
	struct strbuf text;
	char *edited; /* the file that the editor had; NULL: none */
};

static const char *const add_usage[] = { "git notes add [<options>] [<object>]", NULL };
static const char *const append_usage[] = { "git notes append [<options>] [<object>]", NULL };
static const char *const edit_usage[] = { "git notes edit [<object>]", NULL };

/* ---- options ---- */

static struct strbuf *add_paragraph(struct note_text *n, bool strip)
{
	ALLOC_GROW(n->parts, n->nr + 1, n->alloc);
	n->parts[n->nr] = (struct paragraph){ .text = STRBUF_INIT, .strip = strip };
	return &n->parts[n->nr++].text;
}

static int message_option(const struct option *opt, const char *arg, int unset UNUSED)
{
	strbuf_addstr(add_paragraph(opt->value, true), arg);
	return 0;
}

static int file_option(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct note_text *n = opt->value;
	struct strbuf *text = add_paragraph(n, true);
	struct err err = ERR_INIT;
	char *path = NULL;
	int rc;

	if (!strcmp(arg, "-")) {
		rc = read_fd(text, 0, EDIT_TEXT_MAX, "standard input", &err);
	} else {
		path = is_absolute_path(arg) || !n->c->prefix ? xstrdup(arg) : xstrfmt("%s%s", n->c->prefix, arg);
		rc = read_named_file(text, path, EDIT_TEXT_MAX, &err);
	}
	free(path);
	if (rc < 0)
		die("could not open or read '%s': %s", arg, strerror(err.sys_errno ? err.sys_errno : ENOENT));
	return 0;
}

static int reuse_option(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct note_text *n = opt->value;
	const struct object_id oid = notes_cmd_object(n->c, arg);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	enum object_type type;
	uint64_t size;

	if (odb_type(n->c->r->odb, &oid, &type, &size, NULL) < 0)
		die("failed to read object '%s'.", arg);
	if (type != OBJ_BLOB)
		die("cannot read note data from non-blob object '%s'.", arg);
	if (odb_read_type(n->c->r->odb, &oid, OBJ_BLOB, &buf, &err) < 0)
		die_err(&err);
	strbuf_add(add_paragraph(n, false), buf.data, buf.size);
	object_buf_release(&buf);
	return 0;
}

static int reedit_option(const struct option *opt, const char *arg, int unset)
{
	struct note_text *n = opt->value;

	n->edit = 1;
	return reuse_option(opt, arg, unset);
}

static int separator_option(const struct option *opt, const char *arg, int unset)
{
	struct note_text *n = opt->value;

	n->separator = unset ? NULL : arg ? arg : "\n";
	return 0;
}

#define TEXT_OPTIONS(n) \
	OPT_CALLBACK_F('m', "message", (n), "message", "note contents as a string", PARSE_OPT_NONEG, message_option), \
	OPT_CALLBACK_F('F', "file", (n), "file", "note contents in a file", PARSE_OPT_NONEG, file_option), \
	OPT_CALLBACK_F('c', "reedit-message", (n), "object", "reuse and edit specified note object", PARSE_OPT_NONEG, \
		       reedit_option)
#define REUSE_OPTION(n) \
	OPT_CALLBACK_F('C', "reuse-message", (n), "object", "reuse specified note object", PARSE_OPT_NONEG, reuse_option)
#define EDIT_OPTION(n) OPT_BOOL('e', "edit", &(n)->edit, "edit note message in editor")
#define EMPTY_OPTION(n) OPT_BOOL(0, "allow-empty", &(n)->allow_empty, "allow storing empty note")
#define FORM_OPTIONS(n) \
	OPT_CALLBACK_F(0, "separator", (n), "paragraph-break", "insert <paragraph-break> between paragraphs", \
		       PARSE_OPT_OPTARG, separator_option), \
	OPT_BOOL(0, "stripspace", &(n)->strip, "remove unnecessary whitespace")

static void begin_note(struct note_text *n, struct notes_cmd *c)
{
	*n = (struct note_text){ .c = c, .strip = STRIP_BY_SOURCE, .separator = "\n", .text = STRBUF_INIT };
}

static void note_text_release(struct note_text *n)
{
	for (size_t i = 0; i < n->nr; i++)
		strbuf_release(&n->parts[i].text);
	free(n->parts);
	strbuf_release(&n->text);
	free(n->edited);
}

/* ---- the text ---- */

static void add_separator(const struct note_text *n, struct strbuf *out)
{
	if (!n->separator)
		return;
	strbuf_addstr(out, n->separator);
	if (!ends_with(n->separator, "\n"))
		strbuf_addch(out, '\n');
}

static void join_paragraphs(struct note_text *n)
{
	for (size_t i = 0; i < n->nr; i++) {
		if (n->text.len)
			add_separator(n, &n->text);
		strbuf_addbuf(&n->text, &n->parts[i].text);
		if (n->strip == STRIP_BY_SOURCE ? n->parts[i].strip : n->strip == STRIP)
			message_cleanup(&n->text, CLEANUP_WHITESPACE, '#');
	}
}

/* The object, as `git show --stat` shows it. */
static int add_shown_object(const struct object_id *oid, struct strbuf *out, char comment, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf shown = STRBUF_INIT;
	int rc;

	strvec_pushl(&cp.args, "git", "show", "--stat", "--no-notes", oid_hex(oid), NULL);
	rc = pipe_command(&cp, NULL, 0, &shown, NULL, EDIT_TEXT_MAX, err);
	if (rc > 0)
		rc = err_set(err, ERR_GENERIC, "failed to finish 'show' for object '%s'", oid_hex(oid));
	if (!rc)
		message_add_commented(out, shown.buf, shown.len, comment);
	strbuf_release(&shown);
	return rc;
}

static int add_template_of_note(const struct object_id *oid, struct strbuf *out, char comment, struct err *err)
{
	static const char hint[] = "\nWrite/edit the notes for the following object:\n\n";

	strbuf_addch(out, '\n');
	message_add_commented(out, hint, strlen(hint), comment);
	return add_shown_object(oid, out, comment, err);
}

static int add_old_note(struct note_text *n, const struct object_id *old, struct strbuf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_read_type(n->c->r->odb, old, OBJ_BLOB, &buf, err);

	if (rc >= 0)
		strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return rc < 0 ? rc : 0;
}

/* old: shown if no text is given; NULL: none. */
static int edit_note_text(struct note_text *n, const struct object_id *oid, const struct object_id *old, struct err *err)
{
	char comment = edit_comment_char(n->c->r);
	int rc = !n->nr && old ? add_old_note(n, old, &n->text, err) : 0;

	if (!rc)
		rc = add_template_of_note(oid, &n->text, comment, err);
	if (rc)
		return rc;
	n->edited = repo_path(n->c->r, "NOTES_EDITMSG");
	rc = edit_text(n->c->r, n->edited, &n->text, err);
	if (rc == ERR_ABORTED) {
		report_error(err);
		return err_set(err, ERR_ABORTED, "please supply the note contents using either -m or -F option");
	}
	if (n->strip != STRIP_NOT)
		message_cleanup(&n->text, CLEANUP_STRIP, comment);
	return rc;
}

/* ---- the note ---- */

/* *verb: for the message of the commit. */
static int store_note(struct note_text *n, const struct object_id *oid, const char **verb, struct err *err)
{
	struct object_id note;
	int rc;

	*verb = "removed";
	if (!n->text.len && !n->allow_empty) {
		fprintf(stderr, "Removing note for object %s\n", oid_hex(oid));
		rc = notes_ref_remove(&n->c->notes, oid, err);
		return rc < 0 ? rc : 0;
	}
	*verb = "added";
	rc = odb_write(n->c->r->odb, OBJ_BLOB, n->text.buf, n->text.len, &note, err);
	return rc ? rc : notes_ref_put(&n->c->notes, oid, &note, err);
}

static int end_note(struct note_text *n, const struct object_id *oid, const char *by, int rc, struct err *err)
{
	const char *verb = NULL;

	if (!rc)
		rc = store_note(n, oid, &verb, err);
	rc = notes_cmd_end(n->c, rc, verb, by, err);
	if (rc && n->edited && verb)
		fprintf(stderr, "The note contents have been left in %s\n", n->edited);
	else if (!rc && n->edited && remove_file(n->edited, NULL) < 0)
		warning("unable to unlink '%s'", n->edited);
	return rc;
}

/* The text of the options, or of the editor. */
static int find_text(struct note_text *n, const struct object_id *oid, const struct object_id *old, struct err *err)
{
	join_paragraphs(n);
	return n->nr && !n->edit ? 0 : edit_note_text(n, oid, old, err);
}

/* The new text below the note that is there. */
static int prepend_old_note(struct note_text *n, const struct object_id *old, struct err *err)
{
	struct strbuf whole = STRBUF_INIT;
	int rc = add_old_note(n, old, &whole, err);

	if (!rc && n->text.len && whole.len)
		add_separator(n, &whole);
	if (!rc) {
		strbuf_addbuf(&whole, &n->text);
		strbuf_swap(&whole, &n->text);
	}
	strbuf_release(&whole);
	return rc;
}

static int change_note(struct note_text *n, const char *name, const char *by, bool append)
{
	const struct object_id oid = notes_cmd_object(n->c, name);
	struct err err = ERR_INIT;
	struct object_id old;
	int rc = notes_cmd_open(n->c, by, NOTES_WRITABLE, &err), found = 0;

	if (!rc && (found = notes_tree_find(n->c->notes.tree, &oid, &old, &err)) < 0)
		rc = found;
	if (!rc)
		rc = find_text(n, &oid, found > 0 && !append ? &old : NULL, &err);
	if (!rc && found > 0 && append)
		rc = prepend_old_note(n, &old, &err);
	return end_note(n, &oid, by, rc, &err);
}

/* ---- the subcommands ---- */

/* Does the object have a note that `add` must not overwrite? Says so. */
static bool refuse_existing(struct note_text *n, const struct object_id *oid, bool found)
{
	if (!found)
		return false;
	if (n->force) {
		fprintf(stderr, "Overwriting existing notes for object %s\n", oid_hex(oid));
		return false;
	}
	error("Cannot add notes. Found existing notes for object %s. Use '-f' to overwrite existing notes", oid_hex(oid));
	return true;
}

static int add_or_edit(struct note_text *n, const char *name)
{
	const struct object_id oid = notes_cmd_object(n->c, name);
	struct err err = ERR_INIT;
	struct object_id old;
	int rc = notes_cmd_open(n->c, "add", NOTES_WRITABLE, &err), found = 0;
	const char *by = "add";

	if (!rc && (found = notes_tree_find(n->c->notes.tree, &oid, &old, &err)) < 0)
		rc = found;
	if (!rc && found && !n->force && !n->nr) {
		/* As if this had been asked for, without options. */
		by = "edit";
		n->strip = STRIP_BY_SOURCE;
		n->allow_empty = 0;
	} else if (!rc && refuse_existing(n, &oid, found)) {
		(void)notes_cmd_end(n->c, 0, NULL, NULL, &err);
		return 1;
	}
	if (!rc)
		rc = find_text(n, &oid, found > 0 ? &old : NULL, &err);
	return end_note(n, &oid, by, rc, &err);
}

int notes_add(struct notes_cmd *c, int argc, const char **argv)
{
	struct note_text n;
	struct option opts[] = {
		TEXT_OPTIONS(&n), EDIT_OPTION(&n), REUSE_OPTION(&n), EMPTY_OPTION(&n),
		OPT_BOOL('f', "force", &n.force, "replace existing notes"), FORM_OPTIONS(&n), OPT_END()
	};
	int code;

	begin_note(&n, c);
	argc = parse_options(argc, argv, opts, add_usage, 0);
	notes_cmd_check_args(argc, 1, add_usage, opts);
	code = add_or_edit(&n, argc ? argv[0] : "HEAD");
	note_text_release(&n);
	return code;
}

static int append_or_edit(struct notes_cmd *c, int argc, const char **argv, const char *const *usage_text, bool append)
{
	struct note_text n;
	struct option opts[] = {
		TEXT_OPTIONS(&n), REUSE_OPTION(&n), EDIT_OPTION(&n), EMPTY_OPTION(&n), FORM_OPTIONS(&n), OPT_END()
	};
	int code;

	begin_note(&n, c);
	argc = parse_options(argc, argv, opts, usage_text, 0);
	notes_cmd_check_args(argc, 1, usage_text, opts);
	if (!append && n.nr)
		fprintf(stderr, "The -m/-F/-c/-C options have been deprecated for the 'edit' subcommand.\n"
			"Please use 'git notes add -f -m/-F/-c/-C' instead.\n");
	code = change_note(&n, argc ? argv[0] : "HEAD", append ? "append" : "edit", append);
	note_text_release(&n);
	return code;
}

int notes_append(struct notes_cmd *c, int argc, const char **argv)
{
	return append_or_edit(c, argc, argv, append_usage, true);
}

int notes_edit(struct notes_cmd *c, int argc, const char **argv)
{
	return append_or_edit(c, argc, argv, edit_usage, false);
}
