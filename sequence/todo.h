/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of commands: sequencer/todo of git-cherry-pick(1) and git-revert(1), rebase-merge/git-rebase-todo of git-rebase(1),
 * "INTERACTIVE MODE". One command a line:
 *
 *   pick 1234567 subject        p revert edit e reword r squash s drop d
 *   fixup [-C | -c] 1234567     f
 *   exec COMMAND                x
 *   merge [-C 1234567 | -c 1234567] LABEL... [# subject]   m
 *   label NAME                  l, also reset NAME (t), update-ref REF (u)
 *   break                       b, also noop
 *
 *   todo_init(&list)
 *   todo_parse(&list, r, text, len, "#", &errors)
 *   … list.items[list.at] …
 *   todo_format_rest(&list, &out)
 *   todo_release(&list)
 *
 * Lines are kept as they were typed, comments and empty lines too. A list may come from a careless or hostile hand:
 * every line is checked before the first command runs.
 * Tests: t/unit/test-sequence-todo.c
 */
#ifndef SEQUENCE_TODO_H
#define SEQUENCE_TODO_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* X(id, name, one-letter name or 0, what follows) */
/* clang-format off */
#define TODO_COMMANDS(X) \
	X(PICK, "pick", 'p', TODO_TAKES_COMMIT) \
	X(REVERT, "revert", 0, TODO_TAKES_COMMIT) \
	X(EDIT, "edit", 'e', TODO_TAKES_COMMIT) \
	X(REWORD, "reword", 'r', TODO_TAKES_COMMIT) \
	X(FIXUP, "fixup", 'f', TODO_TAKES_COMMIT) \
	X(SQUASH, "squash", 's', TODO_TAKES_COMMIT) \
	X(EXEC, "exec", 'x', TODO_TAKES_TEXT) \
	X(BREAK, "break", 'b', TODO_TAKES_NOTHING) \
	X(LABEL, "label", 'l', TODO_TAKES_TEXT) \
	X(RESET, "reset", 't', TODO_TAKES_TEXT) \
	X(MERGE, "merge", 'm', TODO_TAKES_TEXT) \
	X(UPDATE_REF, "update-ref", 'u', TODO_TAKES_TEXT) \
	X(NOOP, "noop", 0, TODO_TAKES_NOTHING) \
	X(DROP, "drop", 'd', TODO_TAKES_COMMIT) \
	X(COMMENT, "", 0, TODO_TAKES_NOTHING)
/* clang-format on */

#define TODO_ID(id, name, letter, takes) TODO_##id,
enum todo_command { TODO_COMMANDS(TODO_ID) TODO_COMMAND_NR };
#undef TODO_ID

enum todo_takes { TODO_TAKES_COMMIT, TODO_TAKES_TEXT, TODO_TAKES_NOTHING };
const char *todo_command_name(enum todo_command c);
/* fixup, squash: goes into the commit before it. */
bool todo_is_fixup(enum todo_command c);

#define TODO_USE_MESSAGE 1u  /* -C, -c */
#define TODO_EDIT_MESSAGE 2u /* -c */

struct todo_item {
	enum todo_command command;
	unsigned flags;
	struct object_id oid; /* the commit; of a merge that of -C; null: none */
	char *arg;	      /* what follows: subject, label, command; "" if nothing does. Owned */
	size_t offset, len;   /* the line in list.text, with its LF */
};

struct todo_list {
	struct strbuf text;
	struct todo_item *items; /* comments and empty lines are items, too */
	size_t nr, alloc;
	size_t at; /* the next one to do */
};
void todo_init(struct todo_list *l);
void todo_release(struct todo_list *l);

/*
 * Append the commands of the text to the list. `comment`: core.commentChar. Names of commits are looked up in r.
 *
 * Errors: ERR_INVALID  some lines are wrong; `errors` gets Git's messages without "error: ", two for each: the
 *                      reason, and "invalid line N: LINE". Such a line is in the list as a comment.
 */
MUST_USE int todo_parse(struct todo_list *l, struct repository *r, const char *text, size_t len, const char *comment,
			struct strvec *errors);
/* A new command at the end, with its line: "pick 1234567 subject". `oid` and `arg` may be NULL. */
void todo_append(struct todo_list *l, struct repository *r, enum todo_command command, unsigned flags,
		 const struct object_id *oid, const char *arg);

/* Append the lines from l->at on, as they are. */
void todo_format_rest(const struct todo_list *l, struct strbuf *out);

enum todo_names { TODO_NAMES_SHORT, TODO_NAMES_FULL }; /* of commits: abbreviated or not */
/* Append one line, made anew. `letters`: rebase.abbreviateCommands. */
void todo_format_item(const struct todo_item *item, struct repository *r, enum todo_names names, bool letters,
		      struct strbuf *out);
/* How many are left that are no comments. */
size_t todo_count_left(const struct todo_list *l);

#endif
