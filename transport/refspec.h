/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which refs of one repository become which of another: git-fetch(1), git-push(1), <refspec>.
 *
 *	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH);
 *	refspec_add(&rs, "+refs/heads/<star>:refs/remotes/origin/<star>", algo, err)
 *	refspec_release(&rs)
 */
#ifndef TRANSPORT_REFSPEC_H
#define TRANSPORT_REFSPEC_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

enum refspec_use { REFSPEC_FETCH, REFSPEC_PUSH };

struct refspec_item {
	char *text;	/* as it was given */
	char *src, *dst; /* NULL: that side was not said; "" stays "" */
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
void refspec_release(struct refspec *rs);

/* ERR_INVALID "invalid refspec 'x'". */
MUST_USE int refspec_add(struct refspec *rs, const char *text, const struct hash_algo *algo,
			 struct err *err);
/* Does the item's source say this full name? Then *out (may be NULL) is what its destination makes of it. */
bool refspec_item_map(const struct refspec_item *item, const char *name, struct strbuf *out);
/* The other way round: whose destination it is. */
bool refspec_item_map_back(const struct refspec_item *item, const char *name, struct strbuf *out);
/* A negative item says that name (of the source). */
bool refspec_excludes(const struct refspec *rs, const char *name);
/* The first item that maps the name, negative ones heeded; NULL. */
const struct refspec_item *refspec_map(const struct refspec *rs, const char *name, struct strbuf *out);
/* What a server that lists refs by prefix has to be asked for; appended. Empty: all. */
void refspec_prefixes(const struct refspec *rs, struct strvec *out);

#endif
