/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gitattributes(5): macros, all sources, builtin_objectmode. Files are read when a directory is first
 * met. Look-ups are thread-safe.
 */
#ifndef ATTR_ATTR_H
#define ATTR_ATTR_H

#include "compat/posix.h"
#include "index/index.h"
#include "index/pathspec.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strvec.h"

struct attrs;

enum attr_state { ATTR_UNSPECIFIED, ATTR_SET, ATTR_UNSET, ATTR_VALUE };
struct attr_value {
	enum attr_state state;
	const char *value; /* ATTR_VALUE only; belongs to the attrs */
};

enum attr_direction {
	ATTR_CHECKIN,  /* files in the work tree first, index where missing; also checkout of paths */
	ATTR_CHECKOUT, /* index first: a whole tree is checked out */
	ATTR_INDEX,    /* only the index (--cached, bare) */
};
MUST_USE int attrs_new(struct attrs **out, struct repository *r, const struct index_state *ix,
		       enum attr_direction dir, struct err *err);
void attrs_free(struct attrs *a);
/*
 * Read .gitattributes of that tree in place of the work tree's and the index's, as attrs_new does by
 * itself for GIT_ATTR_SOURCE and attr.tree. Before the first look-up.
 */
void attrs_use_tree(struct attrs *a, const struct object_id *tree);
bool attr_name_is_valid(const char *name, size_t len);
/* Values of nr named attributes for a path relative to the top. */
void attrs_get(struct attrs *a, const char *path, const char *const *names, size_t nr,
	       struct attr_value *out);
/* Every attribute that is not unspecified. *values: caller frees. */
void attrs_get_all(struct attrs *a, const char *path, struct strvec *names,
		   struct attr_value **values);
/*
 * Let ps, which must stay where it is, find what its attr: texts mean. *out serves it, and is NULL
 * if it has none.
 */
MUST_USE int attrs_new_for_pathspec(struct attrs **out, struct pathspec *ps, struct repository *r,
				    const struct index_state *ix, struct err *err);
/* For pathspec.match_attr: attr text "text -diff merge=union !x". */
bool attrs_match_spec(void *attrs, const char *spec, const char *path, size_t len);

#endif
