/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pick or revert in memory: the change of a commit is applied to a tree. No index, no working tree, no refs.
 *
 *   struct pick p = { .pool = pool, .commit = c, .onto = &head_tree, .settings = &merge };
 *
 *   rc = pick_choose_parent(&p, mainline, err)
 *   rc = pick_run(&p, &result, err)        the odb has a batch open
 *   … result.merge.tree, .clean, .stages, .messages; result.becomes_empty …
 *   pick_message(&p, &o, &message, err)
 *   pick_result_release(&result)
 *
 * Tests: t/unit/test-sequence-pick.c, t/t7610-cherry-pick.sh, t/t7611-revert.sh
 */
#ifndef SEQUENCE_PICK_H
#define SEQUENCE_PICK_H

#include "compat/posix.h"
#include "history/history.h"
#include "merge/trees.h"
#include "object/message.h"

struct pick {
	struct repository *r;
	struct commit_pool *pool;
	struct commit *commit; /* parsed */
	struct commit *parent; /* the change is that from this one; NULL: from the empty tree. pick_choose_parent */
	bool revert;
	bool keeps_onto; /* the strategy "ours": nothing changes */
	const struct object_id *onto;	    /* tree */
	const struct merge_trees *settings; /* odb, rules, renames, abbrev are taken from it */
	const char *ours_label;		    /* NULL: "HEAD" */
};

struct pick_result {
	struct merge_result merge;
	bool was_empty;	    /* the commit has no change of its own */
	bool becomes_empty; /* the result is `onto` */
};

/*
 * Set p->parent. mainline 0: not given.
 * ERR_INVALID: a merge without a mainline, or there is no such parent; Git's message.
 */
MUST_USE int pick_choose_parent(struct pick *p, int mainline, struct err *err);
/* Errors: those of merge_trees. Durability: new objects are in the odb's open batch. */
MUST_USE int pick_run(const struct pick *p, struct pick_result *result, struct err *err);
void pick_result_release(struct pick_result *result);

/* Append "1234567 (subject)", as labels of conflicts and messages have it. */
MUST_USE int pick_describe(struct pick *p, struct strbuf *out, struct err *err);
/* Append the subject, in UTF-8 or the encoding of new commits. */
MUST_USE int pick_subject(struct pick *p, struct strbuf *out, struct err *err);

struct pick_message_options {
	bool record_origin; /* -x */
	bool reference;	    /* revert --reference */
	int mainline;
	const char *signoff; /* "Signed-off-by: NAME <MAIL>"; NULL: none */
	char comment_char;
};
/*
 * The value of commit.cleanup, and its mode in *mode. A value that is no mode ("default" is none either) and a missing one:
 * CLEANUP_DEFAULT, which leaves a message as it is.
 */
const char *pick_cleanup_setting(struct repository *r, enum cleanup_mode *mode);
/* Clean a message that no editor has shown. gets_line: -x or -s; it is cleaned then even without a mode. */
void pick_clean_message(struct strbuf *message, enum cleanup_mode mode, bool gets_line, char comment_char);
/* The same for git commit --cleanup. */
const char *pick_cleanup_name(enum cleanup_mode mode, bool gets_line);
/* Append the message of the new commit, in the encoding of new commits. */
MUST_USE int pick_message(struct pick *p, const struct pick_message_options *o, struct strbuf *out, struct err *err);
/* Append the line "Name <mail> date zone" of its author, in the encoding of new commits. */
MUST_USE int pick_author(struct pick *p, struct strbuf *out, struct err *err);

#endif
