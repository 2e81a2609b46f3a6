/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that are read in the place of others: refs/replace/<name of the other>, or below
 * GIT_REPLACE_REF_BASE. git-replace(1). What goes by reachability (fsck) does without.
 */
#ifndef REPO_REPLACE_H
#define REPO_REPLACE_H

#include "refs/refs.h"

struct replacements;

/* Nothing is read yet. refs: gitdir, commondir and algo of the repository; copied. */
struct replacements *replacements_new(const struct ref_store_options *refs, const char *base);
/* True: the ref (by its full name) says what stands for *oid. r may be NULL. */
bool replacements_ref(const struct replacements *r, const char *name, struct object_id *oid);
void replacements_free(struct replacements *r);
/*
 * 1: *out is read instead of oid; 0: oid is; ERR_CORRUPT: replaced too often, in a circle
 * perhaps; others: the refs cannot be read. Any thread may ask; the first one reads the refs.
 */
int replacements_find(void *replacements, const struct object_id *oid, struct object_id *out,
		      struct err *err);

#endif
