/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees as text, a line for each entry: "MODE TYPE OID\tNAME", as git-ls-tree(1) prints them and git-mktree(1) reads them.
 */
#ifndef CLI_TREE_LISTING_H
#define CLI_TREE_LISTING_H

#include "object/object.h"
#include "util/strbuf.h"

struct repository;

struct tree_listing {
	struct repository *r;
	bool nul;     /* names are not quoted */
	bool missing; /* objects need not be there */
	struct listed_entry *v;
	size_t nr, alloc;
};

/* ERR_INVALID: not of that form; ERR_NOT_FOUND: the object is not there; or it has another type. */
MUST_USE int tree_listing_add(struct tree_listing *l, const char *line, struct err *err);
/* The tree of those entries, in the order of trees; the listing is empty again. */
void tree_listing_take(struct tree_listing *l, struct strbuf *tree);
void tree_listing_release(struct tree_listing *l); /* idempotent */

#endif
