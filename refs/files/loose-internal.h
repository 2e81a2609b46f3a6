/* SPDX-License-Identifier: GPL-2.0-only */
/* Loose refs: one file each. */
#ifndef REFS_FILES_LOOSE_INTERNAL_H
#define REFS_FILES_LOOSE_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs-backend.h"

#define REF_FILE_MAX (64 * 1024) /* bytes; a longer loose ref is broken */

enum loose_kind {
	LOOSE_MISSING = REF_KIND_MISSING,
	LOOSE_OID = REF_KIND_OID,
	LOOSE_SYMREF = REF_KIND_SYMREF,
	LOOSE_BROKEN = REF_KIND_BROKEN,
	LOOSE_DIR, /* a directory: no ref */
};
static inline enum ref_kind loose_ref_kind(enum loose_kind kind)
{
	return kind == LOOSE_DIR ? REF_KIND_MISSING : (enum ref_kind)kind;
}
struct loose_value {
	enum loose_kind kind;
	struct object_id oid;
	char *target; /* owned; LOOSE_SYMREF */
};
void loose_value_release(struct loose_value *v);
/*
 * Returns < 0 only for failures of the system; v->kind describes the content of the file. st: the
 * lstat data of the file, or zeroes; may be NULL.
 */
MUST_USE int loose_read(const struct ref_store *rs, const char *name, struct loose_value *v,
			struct stat *st, struct err *err);
MUST_USE int loose_read_path(const struct ref_store *rs, const char *path, struct loose_value *v,
			     struct stat *st, struct err *err);
/*
 * Every loose ref below prefix, appended sorted by name (refs/ only). Values are
 * read here, so that a packed snapshot taken later cannot be too old.
 */
struct loose_entry {
	char *name;
	struct loose_value value;
};
struct loose_list {
	struct loose_entry *items;
	size_t nr, alloc;
	const struct strvec *except; /* of refs_foreach_in; NULL: none */
	bool clear_locks; /* P5: remove the locks of dead owners that are met on the way */
};
MUST_USE int loose_collect(const struct ref_store *rs, const char *prefix,
			   struct loose_list *out, struct err *err);
void loose_list_clear(struct loose_list *l);

#endif
