/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which refs of one repository become which of another: git-fetch(1), git-push(1), <refspec>.
 *
 *	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH);
 *	refspec_add(&rs, "+refs/heads/x:refs/remotes/origin/x", algo, err)
 *	refspec_release(&rs)
 */
#ifndef REFS_REFSPEC_H
#define REFS_REFSPEC_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

enum refspec_use { REFSPEC_FETCH, REFSPEC_PUSH };

struct refspec_item {
	char *text; /* as it was given */
	/* A side that was not said is NULL, one that was left empty "". "@" has become "HEAD". */
	char *src, *dst;
	bool force;	/* + */
	bool pattern;	/* one '*' on each side that is there */
	bool negative;	/* ^ */
	bool matching;	/* push: ":" */
	bool exact_oid; /* fetch: src is the full name of an object */
	struct object_id oid;
};
struct refspec {
	enum refspec_use use;
	struct refspec_item *items;
	size_t nr, alloc;
};
#define REFSPEC_INIT(use) { (use), NULL, 0, 0 }
void refspec_release(struct refspec *rs); /* rs may be used again */

/* ERR_INVALID "invalid refspec 'x'". */
MUST_USE int refspec_add(struct refspec *rs, const char *text, const struct hash_algo *algo,
			 struct err *err);
/*
 * Does the item's source say this full name? Then *out (may be NULL) is replaced by what its destination makes
 * of it; by nothing, if it has none.
 */
bool refspec_item_map(const struct refspec_item *item, const char *name, struct strbuf *out);
/* The other way round: which source has this destination? */
bool refspec_item_map_back(const struct refspec_item *item, const char *name, struct strbuf *out);
/* Does any item put a ref somewhere? */
bool refspec_has_places(const struct refspec *rs);
/* Does a negative item say that name (of the source)? */
bool refspec_excludes(const struct refspec *rs, const char *name);
/* The first item that maps the name, unless it is excluded; NULL. */
const struct refspec_item *refspec_map(const struct refspec *rs, const char *name, struct strbuf *out);
/* The first item that maps a source, which is not excluded, to that name; NULL. */
const struct refspec_item *refspec_map_back(const struct refspec *rs, const char *name, struct strbuf *out);
/*
 * Append the prefixes by which a server can limit its list of refs. If the items do not limit the
 * refs, nothing is appended and false returned.
 */
bool refspec_prefixes(const struct refspec *rs, struct strvec *out);

#endif
