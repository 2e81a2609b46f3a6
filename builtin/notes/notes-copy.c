/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): copy. */
#include "compat/posix.h"
#include "builtin/notes/notes-cmd.h"
#include "cli/stdin-lines.h"
#include "notes/notes-rewrite.h"
#include "util/alloc.h"
#include "util/string-list.h"

static const char *const copy_usage[] = {
	"git notes copy [<options>] <from-object> <to-object>",
	"git notes copy --stdin [<from-object> <to-object>]...",
	NULL
};

/* "FROM TO [REST]"; dies if it is something else. */
static struct notes_pair parse_pair(struct notes_cmd *c, const char *line, struct string_list *words)
{
	struct notes_pair pair;

	string_list_clear(words, NULL);
	string_list_split(words, line, " ");
	while (words->nr > 1 && !*words->items[1].string) {
		free(words->items[1].string);
		memmove(words->items + 1, words->items + 2, (--words->nr - 1) * sizeof(*words->items));
	}
	if (words->nr < 2)
		die("malformed input line: '%s'.", line);
	pair.from = notes_cmd_object(c, words->items[0].string);
	pair.to = notes_cmd_object(c, words->items[1].string);
	return pair;
}

/* *failed is set if an object has a note already. */
static int copy_unless_there(struct notes_cmd *c, const struct notes_pair *pair, bool force, const char *const *names,
			     bool *failed, struct err *err)
{
	struct object_id note;
	int found = force ? 0 : notes_tree_find(c->notes.tree, &pair->to, &note, err);

	if (found < 0)
		return found;
	if (!found)
		return notes_ref_copy(&c->notes, &pair->from, &pair->to, NOTES_OVERWRITE, err);
	error("failed to copy notes from '%s' to '%s'", names[0], names[1]);
	*failed = true;
	return 0;
}

static int copy_from_stdin(struct notes_cmd *c, bool force)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct string_list words = STRING_LIST_INIT;
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool failed = false;
	int rc = notes_cmd_open(c, "copy", NOTES_WRITABLE, &err);

	while (!rc && stdin_lines_next(&in, &line)) {
		const struct notes_pair pair = parse_pair(c, line.buf, &words);
		const char *const names[2] = { words.items[0].string, words.items[1].string };

		rc = copy_unless_there(c, &pair, force, names, &failed, &err);
	}
	string_list_clear(&words, NULL);
	strbuf_release(&line);
	stdin_lines_release(&in);
	rc = notes_cmd_end(c, rc, "added", "copy", &err);
	return rc ? rc : failed;
}

/* ---- --for-rewrite ---- */

static struct notes_pair *read_pairs(struct notes_cmd *c, size_t *nr)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct string_list words = STRING_LIST_INIT;
	struct strbuf line = STRBUF_INIT;
	struct notes_pair *pairs = NULL;
	size_t alloc = 0;

	while (stdin_lines_next(&in, &line)) {
		ALLOC_GROW(pairs, *nr + 1, alloc);
		pairs[(*nr)++] = parse_pair(c, line.buf, &words);
	}
	string_list_clear(&words, NULL);
	strbuf_release(&line);
	stdin_lines_release(&in);
	return pairs;
}

static int copy_for_rewrite(struct notes_cmd *c, const char *command)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	struct notes_rewrite *n = NULL;
	struct ref_transaction *t = NULL;
	struct notes_copy copy = { .by = "git notes copy" };
	struct notes_pair *pairs = NULL;
	struct err err = ERR_INIT;
	int rc = notes_rewrite_open(&n, c->r, command, &err);

	if (!rc && !n)
		return 0;
	c->op = repo_operation_begin(c->r);
	if (!rc) {
		copy.pairs = pairs = read_pairs(c, &copy.nr);
		rc = notes_cmd_idents(c, &author, &committer, &err);
	}
	copy.author = author.buf;
	copy.committer = committer.buf;
	if (!rc)
		rc = repo_operation_begin_refs(c->op, 0, &t, &err);
	if (!rc)
		rc = notes_rewrite_copy(n, &copy, c->op, t, &err);
	rc = repo_operation_end(c->op, rc, &err);
	notes_rewrite_free(n);
	free(pairs);
	strbuf_release(&committer);
	strbuf_release(&author);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- one pair ---- */

static int copy_pair(struct notes_cmd *c, const char *from_name, const char *to_name, bool force)
{
	const struct notes_pair pair = { notes_cmd_object(c, from_name), notes_cmd_object(c, to_name) };
	struct err err = ERR_INIT;
	struct object_id note;
	int rc = notes_cmd_open(c, "copy", NOTES_WRITABLE, &err), found = 0;

	if (!rc && (found = notes_tree_find(c->notes.tree, &pair.to, &note, &err)) < 0)
		rc = found;
	if (!rc && found && !force) {
		rc = 1;
		error("Cannot copy notes. Found existing notes for object %s. Use '-f' to overwrite existing notes", oid_hex(&pair.to));
	} else if (!rc && found) {
		fprintf(stderr, "Overwriting existing notes for object %s\n", oid_hex(&pair.to));
	}
	if (!rc && (found = notes_tree_find(c->notes.tree, &pair.from, &note, &err)) <= 0) {
		rc = found < 0 ? found : 1;
		if (!found)
			error("missing notes on source object %s. Cannot copy.", oid_hex(&pair.from));
	}
	if (!rc)
		rc = notes_ref_put(&c->notes, &pair.to, &note, &err);
	found = notes_cmd_end(c, rc > 0 ? 0 : rc, "added", "copy", &err);
	return found ? found : rc > 0;
}

int notes_copy_cmd(struct notes_cmd *c, int argc, const char **argv)
{
	int force = 0, from_stdin = 0;
	const char *command = NULL;
	struct option opts[] = {
		OPT_BOOL('f', "force", &force, "replace existing notes"),
		OPT_BOOL(0, "stdin", &from_stdin, "read objects from stdin"),
		OPT_STRING(0, "for-rewrite", &command, "command",
			   "load rewriting config for <command> (implies --stdin)"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, copy_usage, 0);
	if (from_stdin || command) {
		notes_cmd_check_args(argc, 0, copy_usage, opts);
		return command ? copy_for_rewrite(c, command) : copy_from_stdin(c, force);
	}
	if (argc < 1) {
		error("too few arguments");
		usage_with_options(copy_usage, opts);
	}
	notes_cmd_check_args(argc, 2, copy_usage, opts);
	return copy_pair(c, argv[0], argc > 1 ? argv[1] : "HEAD", force);
}
