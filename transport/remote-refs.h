/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs of another repository, as it has sent them. Their form was checked; their values are not trusted. */
#ifndef TRANSPORT_REMOTE_REFS_H
#define TRANSPORT_REMOTE_REFS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"

struct remote_ref {
	char *name; /* owned; valid as a ref's name, or "HEAD" */
	struct object_id oid;	 /* null: unborn, or broken */
	struct object_id peeled; /* null: not told, or no tag */
	bool unknown;		 /* the other side, a remote helper, does not say its value: oid is null */
	char *symref_target;	 /* NULL: it is not symbolic, or that was not told */
};
struct remote_refs {
	struct remote_ref *items; /* in the order in which they came: sorted, HEAD first */
	size_t nr, alloc;
	size_t sorted_from; /* from there on they are in the order of strcmp; internal */
};
#define REMOTE_REFS_INIT { NULL, 0, 0, 0 }
/*
 * The server has such a ref, but cannot read it, and shows it with a null value: a copy of its refs is not whole without
 * it. An unborn HEAD and a symbolic ref that leads nowhere are not broken.
 */
bool remote_ref_is_broken(const struct remote_ref *ref);
/* Names that are not valid are skipped: they could do harm. */
bool remote_ref_name_is_valid(const char *name);
void remote_refs_release(struct remote_refs *refs);
/* Append a ref with null oids. The name is copied. */
struct remote_ref *remote_refs_add(struct remote_refs *refs, const char *name);
/* Sort them into the order in which servers send them: HEAD, then by name. */
void remote_refs_sort(struct remote_refs *refs);
/* NULL: there is no such ref. Cost: a binary search if the refs are in the order in which servers send them. */
const struct remote_ref *remote_refs_find(const struct remote_refs *refs, const char *name);
/* By the rules of gitrevisions(7) for a short name: the first that is there. */
const struct remote_ref *remote_refs_dwim(const struct remote_refs *refs, const char *name);

#endif
