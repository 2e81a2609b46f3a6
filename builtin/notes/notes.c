/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): the subcommands that need no message. */
#include "compat/posix.h"
#include "builtin/notes/notes-cmd.h"
#include "cli/stdin-lines.h"
#include "history/names/revparse.h"
#include "pretty/pretty.h"

static const char *const usage[] = {
	"git notes [--ref <notes-ref>] [list [<object>]]",
	"git notes [--ref <notes-ref>] add [-f] [--allow-empty] [--[no-]separator|--separator=<paragraph-break>] [--[no-]stripspace] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>] [-e]",
	"git notes [--ref <notes-ref>] copy [-f] <from-object> <to-object>",
	"git notes [--ref <notes-ref>] append [--allow-empty] [--[no-]separator|--separator=<paragraph-break>] [--[no-]stripspace] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>] [-e]",
	"git notes [--ref <notes-ref>] edit [--allow-empty] [<object>]",
	"git notes [--ref <notes-ref>] show [<object>]",
	"git notes [--ref <notes-ref>] merge [-v | -q] [-s <strategy>] <notes-ref>",
	"git notes merge --commit [-v | -q]",
	"git notes merge --abort [-v | -q]",
	"git notes [--ref <notes-ref>] remove [<object>...]",
	"git notes [--ref <notes-ref>] prune [-n] [-v]",
	"git notes [--ref <notes-ref>] get-ref",
	NULL
};
static const char *const list_usage[] = { "git notes [list [<object>]]", NULL };
static const char *const show_usage[] = { "git notes show [<object>]", NULL };
static const char *const remove_usage[] = { "git notes remove [<object>]", NULL };
static const char *const prune_usage[] = { "git notes prune [<options>]", NULL };
static const char *const get_ref_usage[] = { "git notes get-ref", NULL };

/* ---- list, show, get-ref ---- */

static int print_note(void *data UNUSED, const struct object_id *oid, const struct object_id *note, struct err *err UNUSED)
{
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, note);
	printf("%s %s\n", hex, oid_hex(oid));
	return 0;
}

/* Returns an exit code if there is none. */
static int find_note(struct notes_cmd *c, const char *name, struct object_id *note)
{
	const struct object_id oid = notes_cmd_object(c, name);
	struct err err = ERR_INIT;
	int rc = notes_tree_find(c->notes.tree, &oid, note, &err);

	if (rc < 0)
		return report_fatal(&err);
	if (!rc)
		error("no note found for object %s.", oid_hex(&oid));
	return !rc;
}

static int notes_list(struct notes_cmd *c, int argc, const char **argv)
{
	struct option opts[] = { OPT_END() };
	struct err err = ERR_INIT;
	struct object_id note;
	int rc;

	if (argc)
		argc = parse_options(argc, argv, opts, list_usage, 0);
	notes_cmd_check_args(argc, 1, list_usage, opts);
	if (notes_cmd_open(c, "list", NOTES_READ_ONLY, &err) < 0)
		return report_fatal(&err);
	if (!argc)
		return notes_tree_foreach(c->notes.tree, print_note, NULL, &err) < 0 ? report_fatal(&err) : 0;
	rc = find_note(c, argv[0], &note);
	if (!rc)
		printf("%s\n", oid_hex(&note));
	return rc;
}

static int notes_show(struct notes_cmd *c, int argc, const char **argv)
{
	struct option opts[] = { OPT_END() };
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	struct object_id note;
	int rc;

	argc = parse_options(argc, argv, opts, show_usage, 0);
	notes_cmd_check_args(argc, 1, show_usage, opts);
	if (notes_cmd_open(c, "show", NOTES_READ_ONLY, &err) < 0)
		return report_fatal(&err);
	rc = find_note(c, argc ? argv[0] : "HEAD", &note);
	if (rc)
		return rc;
	if (odb_read_type(c->r->odb, &note, OBJ_BLOB, &buf, &err) < 0)
		return report_fatal(&err);
	setup_pager(c->r, "show");
	fwrite(buf.data, 1, buf.size, stdout);
	object_buf_release(&buf);
	return 0;
}

static int notes_get_ref(struct notes_cmd *c, int argc, const char **argv)
{
	struct option opts[] = { OPT_END() };

	argc = parse_options(argc, argv, opts, get_ref_usage, 0);
	notes_cmd_check_args(argc, 0, get_ref_usage, opts);
	puts(c->ref);
	return 0;
}

/* ---- remove ---- */

/* *failed is set if it has no note, or is no object. < 0: a failure that ends the command. */
static int remove_note_of(struct notes_cmd *c, const char *name, bool ignore_missing, bool *failed, struct err *err)
{
	struct object_id oid;
	int rc;

	if (revparse_oid(c->r, name, &oid, NULL) < 0) {
		*failed = true;
		return error("Failed to resolve '%s' as a valid ref.", name) < 0 ? 0 : 0;
	}
	rc = notes_ref_remove(&c->notes, &oid, err);
	if (rc >= 0)
		fprintf(stderr, rc ? "Removing note for object %s\n" : "Object %s has no note\n", name);
	if (!rc && !ignore_missing)
		*failed = true;
	return rc < 0 ? rc : 0;
}

static int remove_from_stdin(struct notes_cmd *c, bool ignore_missing, bool *failed, struct err *err)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && stdin_lines_next(&in, &line)) {
		strbuf_rtrim(&line);
		rc = remove_note_of(c, line.buf, ignore_missing, failed, err);
	}
	strbuf_release(&line);
	stdin_lines_release(&in);
	return rc;
}

static int notes_remove(struct notes_cmd *c, int argc, const char **argv)
{
	int ignore_missing = 0, from_stdin = 0, rc;
	struct option opts[] = {
		OPT_BOOL(0, "ignore-missing", &ignore_missing, "attempt to remove non-existent note is not an error"),
		OPT_BOOL(0, "stdin", &from_stdin, "read object names from the standard input"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	bool failed = false;

	argc = parse_options(argc, argv, opts, remove_usage, 0);
	rc = notes_cmd_open(c, "remove", NOTES_WRITABLE, &err);
	if (!rc && !argc && !from_stdin)
		rc = remove_note_of(c, "HEAD", ignore_missing, &failed, &err);
	for (int i = 0; !rc && i < argc; i++)
		rc = remove_note_of(c, argv[i], ignore_missing, &failed, &err);
	if (!rc && from_stdin)
		rc = remove_from_stdin(c, ignore_missing, &failed, &err);
	if (!rc && failed)
		c->notes.changed = false;
	rc = notes_cmd_end(c, rc, "removed", "remove", &err);
	return rc ? rc : failed;
}

/* ---- prune ---- */

struct pruning {
	struct notes_cmd *c;
	struct oid_array gone;
};

static int add_if_gone(void *data, const struct object_id *oid, const struct object_id *note UNUSED, struct err *err UNUSED)
{
	struct pruning *p = data;

	if (!odb_has(p->c->r->odb, oid))
		oid_array_append(&p->gone, oid);
	return 0;
}

static int prune_notes(struct notes_cmd *c, bool print, bool remove, struct err *err)
{
	struct pruning p = { .c = c };
	int rc = notes_tree_foreach(c->notes.tree, add_if_gone, &p, err);

	for (size_t i = 0; rc >= 0 && i < p.gone.nr; i++) {
		if (print)
			puts(oid_hex(&p.gone.oid[i]));
		if (remove)
			rc = notes_ref_remove(&c->notes, &p.gone.oid[i], err);
	}
	oid_array_clear(&p.gone);
	return rc < 0 ? rc : 0;
}

static int notes_prune(struct notes_cmd *c, int argc, const char **argv)
{
	int dry_run = 0, verbose = 0, rc;
	struct option opts[] = {
		OPT_BOOL('n', "dry-run", &dry_run, "do not remove, show only"),
		OPT_BOOL('v', "verbose", &verbose, "report pruned notes"),
		OPT_END()
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, prune_usage, 0);
	notes_cmd_check_args(argc, 0, prune_usage, opts);
	rc = notes_cmd_open(c, "prune", dry_run ? NOTES_READ_ONLY : NOTES_WRITABLE, &err);
	if (!rc)
		rc = prune_notes(c, dry_run || verbose, !dry_run, &err);
	return notes_cmd_end(c, rc, "removed", "prune", &err);
}

/* ---- the command ---- */

struct notes_subcommand {
	const char *name;
	int (*run)(struct notes_cmd *c, int argc, const char **argv);
};

static const struct notes_subcommand subcommands[] = {
	{ "list", notes_list }, { "add", notes_add }, { "copy", notes_copy_cmd }, { "append", notes_append },
	{ "edit", notes_edit }, { "show", notes_show }, { "merge", notes_merge_cmd }, { "remove", notes_remove },
	{ "prune", notes_prune }, { "get-ref", notes_get_ref },
};

static const struct notes_subcommand *find_notes_subcommand(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	return NULL;
}

int cmd_notes(int argc, const char **argv, struct command_ctx *ctx)
{
	struct notes_cmd c = { .r = ctx->repo, .prefix = ctx->prefix };
	const struct notes_subcommand *sub = NULL;
	const char *ref = NULL;
	struct option opts[] = {
		OPT_STRING(0, "ref", &ref, "notes-ref", "use notes from <notes-ref>"),
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (argc && !(sub = find_notes_subcommand(argv[0])))
		die_no_subcommand(argv[0], usage, opts);
	c.ref = ref ? notes_expand_ref(ref) : notes_default_ref(c.r);
	code = sub ? sub->run(&c, argc, argv) : notes_list(&c, 0, argv);
	notes_ref_release(&c.notes);
	free(c.ref);
	return code ? code : finish_stdout();
}
