/* SPDX-License-Identifier: GPL-2.0-only */
/* gitrevisions(7): from what a user types to an object. */
#ifndef WALK_REVPARSE_H
#define WALK_REVPARSE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "repository.h"

struct revparse_result {
	struct object_id oid;
	unsigned mode;	    /* of a "TREE:path", ":path" result; 0 otherwise */
	char *path;	    /* that path; NULL otherwise; owned */
};
void revparse_result_release(struct revparse_result *r);

/*
 * "HEAD~3^{tree}", "main@{yesterday}", "@{u}", ":/text", "v1.0:path", ":2:path",
 * abbreviations (`hint` OBJ_COMMIT, OBJ_TREE, OBJ_BLOB or OBJ_ANY disambiguates,
 * core.disambiguate), full hex names (which need not exist). ERR_NOT_FOUND, ERR_AMBIGUOUS with the
 * messages that users know.
 */
MUST_USE int revparse(struct repository *r, const char *name, enum object_type hint,
		      struct revparse_result *out, struct err *err);
/* Only the oid. */
MUST_USE int revparse_oid(struct repository *r, const char *name, struct object_id *oid,
			  struct err *err);
/* Then peel to a commit or tree. */
MUST_USE int revparse_commit(struct repository *r, const char *name, struct object_id *oid,
			     struct err *err);
MUST_USE int revparse_tree(struct repository *r, const char *name, struct object_id *oid,
			   struct err *err);

#endif
