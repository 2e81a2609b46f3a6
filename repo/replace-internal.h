/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that are read instead of others: refs/replace/OID, or below GIT_REPLACE_REF_BASE.
 * git-replace(1). Walks by reachability (fsck) do without.
 */
#ifndef REPO_REPLACE_INTERNAL_H
#define REPO_REPLACE_INTERNAL_H

#include "refs/refs.h"

struct replacements;

/* Nothing is read yet. refs: gitdir, commondir and algo of the repository; copied. */
struct replacements *replacements_new(const struct ref_store_options *refs, const char *base);
/* Is the ref (by its full name) a replacement for *oid? r may be NULL. */
bool replacements_ref(const struct replacements *r, const char *name, struct object_id *oid);
void replacements_free(struct replacements *r);
/* Read the refs now, through a store that is open. After a failure, the first use reads them. */
void replacements_preload(struct replacements *r, struct ref_store *rs);
/* Is any object replaced? Also if the refs cannot be read. As replacements_find. */
bool replacements_any(struct replacements *r);
/*
 * 1: *out is read instead of oid; 0: oid itself; ERR_CORRUPT: too long a chain, perhaps a
 * circle; others: the refs cannot be read. Any thread may call it; the first call reads the
 * refs.
 */
int replacements_find(void *replacements, const struct object_id *oid, struct object_id *out,
		      struct err *err);

#endif
