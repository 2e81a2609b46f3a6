/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two trees. It walks both side by side in the order of their entries, and reports
 * each entry that differs. Subtrees with the same object name are not read.
 */
#ifndef OBJECT_TREE_COMPARE_H
#define OBJECT_TREE_COMPARE_H

#include "compat/posix.h"
#include "object/object.h"
#include "object/tree.h"
#include "util/strbuf.h"

/* The content of a tree while it is being compared. */
struct compared_tree {
	struct object_buf buf;
	void *owner; /* for `open` and `close` */
};

/* What to do after a difference. */
#define TREE_COMPARE_NEXT 0
#define TREE_COMPARE_DESCEND 1 /* into the directory that differs */
#define TREE_COMPARE_STOP 2

struct tree_comparer {
	const struct hash_algo *algo;
	/* Read a tree; its content must stay until `close`. */
	int (*open)(void *data, const struct object_id *oid, struct compared_tree *out,
		    struct err *err);
	void (*close)(void *data, struct compared_tree *t);
	/*
	 * An entry that differs; old or new is NULL if that side has none. A directory and
	 * a file of the same name are two differences. path: from the top, without a slash
	 * at its end. Returns TREE_COMPARE_…, or < 0 for a failure.
	 */
	int (*differ)(void *data, const struct strbuf *path, const struct tree_entry *old,
		      const struct tree_entry *new, struct err *err);
	void *data;
	unsigned max_depth; /* object_max_tree_depth */
	bool report_equal; /* equal entries are reported as well */
};

/*
 * NULL means the empty tree. 0: the whole trees were compared; 1: stopped; < 0: an error of
 * the functions above, or ERR_TOO_BIG (directories nested too deep).
 */
MUST_USE int tree_compare(const struct tree_comparer *c, const struct object_id *old,
			  const struct object_id *new, struct err *err);

#endif
