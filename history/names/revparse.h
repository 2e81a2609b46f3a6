/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gitrevisions(7): the object that a user's text names; upstream and push destination of a
 * branch. Which refs options like --all mean: history/reach/refglob.h.
 */
#ifndef HISTORY_NAMES_REVPARSE_H
#define HISTORY_NAMES_REVPARSE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "repo/repo.h"
#include "util/strbuf.h"
#include "util/string-list.h"
#include "util/strvec.h"

struct revparse_result {
	struct object_id oid;
	unsigned mode;	    /* of a "TREE:path", ":path" result; 0 otherwise */
	char *path;	    /* that path; NULL otherwise; owned */
};
void revparse_result_release(struct revparse_result *r);

/*
 * "HEAD~3^{tree}", "main@{yesterday}", "@{u}", ":/text", "v1.0:path", ":2:path",
 * abbreviations (`hint` OBJ_COMMIT, OBJ_TREE, OBJ_BLOB or OBJ_ANY disambiguates,
 * core.disambiguate), full hex names (which need not exist). Warnings (an ambiguous
 * refname, a reflog that does not go back far enough) go to r->warn.
 *
 * Errors: ERR_NOT_FOUND  nothing has that name. Git's messages: "ambiguous argument 'x':
 *                        unknown revision or path …" or what exactly is missing ("path
 *                        'x' does not exist in 'HEAD'")
 *         ERR_AMBIGUOUS  the same message; "short object ID x is ambiguous" and the
 *                        candidates are its preface
 *         ERR_INVALID    it can only be a revision, but there is none ("log for 'x' only
 *                        has 3 entries", "no upstream …")
 *         others         objects or refs could not be read
 */
MUST_USE int revparse(struct repository *r, const char *name, enum object_type hint,
		      struct revparse_result *out, struct err *err);
/*
 * The same for arguments that may be paths as well: ERR_NOT_FOUND comes without a message,
 * and nothing is read just to explain it.
 */
MUST_USE int revparse_quietly(struct repository *r, const char *name, enum object_type hint,
			      struct revparse_result *out, struct err *err);
/*
 * Explain why `name` names no object: with the exact reason for "REV:path" and ":path",
 * else with "ambiguous argument …", or "bad revision 'x'" if it cannot be a path. That
 * takes the place of a message in err; its preface stays. Returns ERR_NOT_FOUND.
 */
int revparse_explain(struct repository *r, const char *name, bool never_a_path,
		     struct err *err);
/* Only the oid. */
MUST_USE int revparse_oid(struct repository *r, const char *name, struct object_id *oid,
			  struct err *err);
/* The same where only an object of that very type will do: a short name means the one there is. */
MUST_USE int revparse_of_type(struct repository *r, const char *name, enum object_type type,
			      struct object_id *oid, struct err *err);
/* Then peel to a commit or tree. */
MUST_USE int revparse_commit(struct repository *r, const char *name, struct object_id *oid,
			     struct err *err);
MUST_USE int revparse_tree(struct repository *r, const char *name, struct object_id *oid,
			   struct err *err);

/*
 * A short ref name, with "@", "@{-N}", "@{u}", "@{push}" understood: how many
 * refs it can mean; *full (the first; caller frees) and *oid if any. ERR_INVALID as
 * above.
 */
int revparse_ref(struct repository *r, const char *name, size_t len, char **full,
		 struct object_id *oid, struct err *err);
/*
 * "@{-1}", "@{u}", "main@{push}", "@" as branch arguments: append the name that is meant
 * ("topic", "refs/remotes/o/main"), or `name` unchanged. Returns the number of bytes of
 * name that were replaced; 0: none; ERR_INVALID.
 */
int revparse_branch_name(struct repository *r, const char *name, size_t len,
			 struct strbuf *out, struct err *err);

/* ---- upstream and push destination of branches ---- */
/* The ref that `branch` (a short name) follows. ERR_INVALID with Git's messages. */
MUST_USE int branch_upstream(struct repository *r, const char *branch, char **ref,
			     struct err *err);
/* The commit that a ref names, tags peeled. False: there is none. */
bool tracked_commit(struct repository *r, const char *ref, struct object_id *oid);
/*
 * The remotes whose refspecs fetch into `ref`: their names, and in util (owned) the ref that they
 * fetch.
 */
void remotes_fetching_into(struct repository *r, const char *ref, struct string_list *out);
/* The remote-tracking ref of the branch that `branch` is pushed to. */
MUST_USE int branch_push_target(struct repository *r, const char *branch, char **ref,
				struct err *err);
/* The configured remote; NULL: none. Belongs to the configuration. */
const char *branch_remote_name(struct repository *r, const char *branch, bool push);
/* The remote's ref that it follows or is pushed to. NULL: not configured. Caller frees. */
char *branch_remote_ref(struct repository *r, const char *branch, bool push);

#endif
