/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): the list of commands is made, and edited by the user. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "object/message.h"
#include "repo/state.h"
#include "util/alloc.h"

#define LIST_MAX ((size_t)64 << 20)

/* ---- making it ---- */

static const char *config_text(struct rebase_cmd *c, const char *key)
{
	const struct config_entry *e = config_get(c->r->config, key);

	return e ? e->value : NULL;
}

static void report_skipped(struct rebase_cmd *c, const struct oid_array *skipped)
{
	for (size_t i = 0; i < skipped->nr && !c->state.quiet; i++) {
		struct strbuf id = STRBUF_INIT;

		odb_abbrev(c->r->odb, &skipped->oid[i], c->r->settings.abbrev, &id);
		warning("skipped previously applied commit %s", id.buf);
		strbuf_release(&id);
	}
	if (skipped->nr)
		advise_if_enabled(c->r, "skippedCherryPicks", "use --reapply-cherry-picks to include skipped commits");
}

int rebase_make_picks(struct rebase_cmd *c, struct err *err)
{
	struct rebase_list_options o = {
		.r = c->r, .onto = &c->state.onto, .head = &c->state.orig_head,
		.upstream = c->has_upstream ? &c->upstream : NULL,
		.fork_point = c->has_fork_point ? &c->fork_point : NULL,
		.format = config_text(c, "rebase.instructionformat"),
		.reapply_cherry_picks = c->o.reapply, .drop_empty = !c->o.keep_empty, .empty_is_same = c->state.applies,
		.rebase_merges = c->o.rebase_merges > 0, .rebase_cousins = c->o.rebase_cousins,
		.roots_onto = c->o.root && c->o.onto,
	};
	struct oid_array skipped = OID_ARRAY_INIT;
	int rc = rebase_list_make(&c->list, &o, &skipped, err);

	if (!rc && !c->state.applies)
		report_skipped(c, &skipped);
	oid_array_clear(&skipped);
	return rc;
}

static int generate(struct rebase_cmd *c, struct err *err)
{
	int rc = rebase_make_picks(c, err);

	if (!rc && !c->list.nr)
		todo_append(&c->list, c->r, TODO_NOOP, 0, NULL, NULL);
	if (!rc && c->o.update_refs > 0)
		rc = rebase_list_update_refs(&c->list, c->r, c->state.head_name, err);
	if (!rc && c->o.autosquash > 0)
		rc = rebase_list_autosquash(&c->list, c->r, err);
	if (!rc && c->o.exec.nr)
		rebase_list_exec(&c->list, c->r, &c->o.exec);
	return rc;
}

/* ---- the editor ---- */

int rebase_report_errors(const struct strvec *errors)
{
	for (size_t i = 0; i < errors->nr; i++)
		error("%s", errors->v[i]);
	return 1;
}

void rebase_print_how_to_fix(void)
{
	fputs("You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\n"
	      "Or you can abort the rebase with 'git rebase --abort'.\n", stderr);
}

bool rebase_check_missing(struct rebase_cmd *c, const struct todo_list *before, const struct todo_list *after)
{
	struct strvec lines = STRVEC_INIT;
	bool found;

	if (c->missing == REBASE_MISSING_IGNORE)
		return false;
	rebase_list_missing(before, after, c->r, &lines);
	found = lines.nr;
	if (found) {
		fputs("Warning: some commits may have been dropped accidentally.\nDropped commits (newer to older):\n", stderr);
		for (size_t i = 0; i < lines.nr; i++)
			fprintf(stderr, " - %s\n", lines.v[i]);
		fputs("To avoid this message, use \"drop\" to explicitly remove a commit.\n\n"
		      "Use 'git config rebase.missingCommitsCheck' to change the level of warnings.\n"
		      "The possible behaviours are: ignore, warn, error.\n\n", stderr);
	}
	if (found)
		rebase_print_how_to_fix();
	strvec_clear(&lines);
	return found && c->missing == REBASE_MISSING_ERROR;
}

void rebase_format_list(struct rebase_cmd *c, const struct todo_list *list, enum todo_names names, struct strbuf *out)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct todo_item *item = &list->items[i];

		if (item->command == TODO_COMMENT)
			strbuf_add(out, list->text.buf + item->offset, item->len);
		else
			todo_format_item(item, c->r, names, names == TODO_NAMES_SHORT && c->abbreviates, out);
	}
}

/* A fixup needs a commit before it, in the list or done. */
static int check_first(struct rebase_cmd *c, const struct todo_list *list, struct strvec *errors)
{
	size_t i = 0;

	while (i < list->nr && (list->items[i].command == TODO_COMMENT || list->items[i].command == TODO_NOOP ||
				list->items[i].command == TODO_DROP))
		i++;
	if (i == list->nr || !todo_is_fixup(list->items[i].command) || repo_state_exists(c->r, STATE_REBASE_MERGE_DONE))
		return 0;
	strvec_pushf(errors, "cannot '%s' without a previous commit", todo_command_name(list->items[i].command));
	return -1;
}

int rebase_parse_list(struct rebase_cmd *c, const struct strbuf *text, struct todo_list *out, struct strvec *errors)
{
	const char comment[2] = { c->comment_char, '\0' };

	if (todo_parse(out, c->r, text->buf, text->len, comment, errors))
		return -1;
	return check_first(c, out, errors);
}

/* Write the text as rebase-merge/git-rebase-todo, start the editor, read it again. */
int rebase_edit_text(struct rebase_cmd *c, struct strbuf *text, struct err *err)
{
	char *path = repo_state_path(c->r, STATE_REBASE_MERGE_TODO);
	int rc = edit_text_write(path, text, err);

	if (!rc)
		rc = launch_sequence_editor(c->r, path, err);
	strbuf_reset(text);
	if (!rc)
		rc = read_file(text, path, LIST_MAX, err);
	free(path);
	return rc;
}

/* ---- at the start ---- */

static void add_help(struct rebase_cmd *c, struct strbuf *out)
{
	struct strbuf range = STRBUF_INIT, onto = STRBUF_INIT;
	struct rebase_help help = { .comment_char = c->comment_char, .nr_commands = todo_count_left(&c->list),
				    .lines_must_stay = c->missing == REBASE_MISSING_ERROR };

	if (c->has_upstream || c->o.onto) {
		odb_abbrev(c->r->odb, c->has_upstream ? &c->upstream : &c->state.onto, c->r->settings.abbrev, &range);
		strbuf_addstr(&range, "..");
	}
	odb_abbrev(c->r->odb, &c->state.orig_head, c->r->settings.abbrev, &range);
	odb_abbrev(c->r->odb, &c->state.onto, c->r->settings.abbrev, &onto);
	help.shown_range = range.buf;
	help.shown_onto = onto.buf;
	rebase_list_help(out, &help);
	strbuf_release(&range);
	strbuf_release(&onto);
}

/* The state of the rebase is there while the user edits: rebase-merge/ is where editors and scripts expect the list. */
static int publish_for_editor(struct rebase_cmd *c, struct err *err)
{
	struct repo_operation *op = rebase_take_operation(c);
	int rc = rebase_state_write(&c->state, op, err);

	if (!rc)
		rc = repo_operation_write_state(op, STATE_REBASE_MERGE_TODO_BACKUP, c->backup.buf, c->backup.len, err);
	return rebase_leave_operation(c, op, rc, err);
}

static int forget_state(struct rebase_cmd *c, struct err *err)
{
	struct repo_operation *op = rebase_take_operation(c);
	int rc = rebase_end_state(c, op, REBASE_STASH_APPLY, err);

	return rebase_leave_operation(c, op, rc, err);
}

static int give_up(struct rebase_cmd *c, struct err *err)
{
	report_error(err);
	return forget_state(c, err) ? err->code : 1;
}

/* What the user made of it. An invalid list stays, for --edit-todo. */
static int take_edited(struct rebase_cmd *c, struct strbuf *text, struct err *err)
{
	struct strvec errors = STRVEC_INIT;
	struct todo_list list;
	int rc = 0;

	todo_init(&list);
	strbuf_addbuf(&c->raw_list, text);
	message_cleanup(text, CLEANUP_STRIP, c->comment_char);
	if (rebase_parse_list(c, text, &list, &errors)) {
		rebase_report_errors(&errors);
		rebase_print_how_to_fix();
		c->list_is_broken = true;
	} else if (!todo_count_left(&list)) {
		rc = err_set(err, ERR_ABORTED, "nothing to do");
	} else if (rebase_check_missing(c, &c->list, &list)) {
		c->list_is_broken = true;
		c->has_missing = true;
	}
	rebase_list_set(&c->list, &list);
	todo_release(&list);
	strvec_clear(&errors);
	return rc;
}

static int edit_at_start(struct rebase_cmd *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = publish_for_editor(c, err);

	rebase_format_list(c, &c->list, TODO_NAMES_SHORT, &text);
	add_help(c, &text);
	if (!rc)
		rc = rebase_edit_text(c, &text, err);
	if (!rc)
		rc = take_edited(c, &text, err);
	if (rc == ERR_ABORTED)
		rc = give_up(c, err);
	strbuf_release(&text);
	return rc;
}

/* As if an editor had left the list as it was. */
static void strip_comments(struct rebase_cmd *c)
{
	struct strvec errors = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct todo_list list;

	todo_init(&list);
	rebase_format_list(c, &c->list, TODO_NAMES_FULL, &text);
	message_cleanup(&text, CLEANUP_STRIP, c->comment_char);
	if (!rebase_parse_list(c, &text, &list, &errors))
		rebase_list_set(&c->list, &list);
	todo_release(&list);
	strbuf_release(&text);
	strvec_clear(&errors);
}

int rebase_make_list(struct rebase_cmd *c, struct err *err)
{
	int rc = generate(c, err);

	if (rc)
		return rc;
	rebase_format_list(c, &c->list, TODO_NAMES_FULL, &c->backup);
	add_help(c, &c->backup);
	if (c->o.interactive)
		return edit_at_start(c, err);
	if (c->o.rebase_merges > 0 || c->o.update_refs > 0)
		strip_comments(c);
	return 0;
}

/* ---- later ---- */

int rebase_read_list(struct rebase_cmd *c, struct err *err)
{
	struct strvec errors = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = repo_state_read(c->r, STATE_REBASE_MERGE_TODO, &text, err);

	todo_release(&c->list);
	todo_init(&c->list);
	if (!rc && rebase_parse_list(c, &text, &c->list, &errors)) {
		rebase_report_errors(&errors);
		error("please fix this using 'git rebase --edit-todo'.");
		rc = 1;
	}
	strbuf_release(&text);
	strvec_clear(&errors);
	return rc;
}
