/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local changes as a commit, in the form of git-stash(1): its tree is that of the tracked files as
 * they are, its first parent HEAD, its second one a commit of the index.
 */
#ifndef PORCELAIN_STASH_H
#define PORCELAIN_STASH_H

#include "operation/operation.h"
#include "attr/convert.h"

struct stash_source {
	const struct object_id *head;
	const char *branch;	   /* HEAD's, in full; NULL: detached */
	struct index_state *index; /* as it was read; its cached trees are brought up to date */
	struct index_state *files; /* the same with all changes of files: stash_add_changes */
	const char *message;
};

/* The changes of tracked files go into ix, their contents into the open batch of the odb. */
MUST_USE int stash_add_changes(struct repository *r, struct index_state *ix, struct converter *conv,
			       struct err *err);
/*
 * Write the commit and the objects that it needs as a part of the open operation of r. A user without a
 * configured name is "git stash".
 */
MUST_USE int stash_create(struct repository *r, const struct stash_source *s, struct object_id *out,
			  struct err *err);
/* Queue it as the newest entry of the list: refs/stash and its log. */
MUST_USE int stash_queue_entry(struct ref_transaction *t, const struct object_id *stash,
			       const char *message, struct err *err);

#endif
