/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): parts that its subcommands share. */
#ifndef BUILTIN_NOTES_NOTES_CMD_H
#define BUILTIN_NOTES_NOTES_CMD_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "notes/notes.h"

struct notes_cmd {
	struct repository *r;
	const char *prefix;
	char *ref;
	struct repo_operation *op; /* NULL: nothing is to be changed */
	struct notes_ref notes;
};

/* ---- notes-shared.c ---- */
/* Opens the notes of the ref. `doing` ("add") is for the message that refuses a ref outside of refs/notes/. */
MUST_USE int notes_cmd_open(struct notes_cmd *c, const char *doing, enum notes_access access, struct err *err);
/* The object of that name; dies if there is none. */
struct object_id notes_cmd_object(struct notes_cmd *c, const char *name);
/* Ends the operation: the changes as a commit "Notes added by 'git notes add'". Returns the exit code. */
int notes_cmd_end(struct notes_cmd *c, int rc, const char *verb, const char *by, struct err *err);
/* Adds the identities of the user, and runs the rest of a merge or a change. */
MUST_USE int notes_cmd_idents(struct notes_cmd *c, struct strbuf *author, struct strbuf *committer, struct err *err);
/* After options: refuses more than `max` arguments. */
void notes_cmd_check_args(int argc, int max, const char *const *usage, const struct option *opts);

/* Subcommands. argv[0] is the name. */
int notes_add(struct notes_cmd *c, int argc, const char **argv);
int notes_append(struct notes_cmd *c, int argc, const char **argv);
int notes_edit(struct notes_cmd *c, int argc, const char **argv);
int notes_copy_cmd(struct notes_cmd *c, int argc, const char **argv);
int notes_merge_cmd(struct notes_cmd *c, int argc, const char **argv);

#endif
