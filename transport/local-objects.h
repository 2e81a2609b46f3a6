/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the objects of another repository on this machine directly from its files: git-clone(1), --local.
 *
 *	local_objects_copy(r, op, "/srv/x.git/objects", LOCAL_OBJECTS_LINKS, err)
 */
#ifndef TRANSPORT_LOCAL_OBJECTS_H
#define TRANSPORT_LOCAL_OBJECTS_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "util/strbuf.h"

enum local_objects_how {
	LOCAL_OBJECTS_LINKS, /* hard links; copies, where the first cannot be made */
	LOCAL_OBJECTS_LINKS_ONLY,
	LOCAL_OBJECTS_COPIES,
};

/*
 * Link or copy all files of that object directory into the object directory of r, which must be empty. info/alternates,
 * temporary files and locks are left out. The caller must trust the files: their contents are not checked.
 *
 * Errors:     ERR_INVALID: an entry is a symbolic link, or no plain file; ERR_CONFLICT: a file was replaced meanwhile.
 *             Links that have been made stay.
 * Durability: the operation settles and seals contents and names, for copies and links alike.
 */
MUST_USE int local_objects_copy(struct repository *r, struct repo_operation *op, const char *from,
				enum local_objects_how how, struct err *err);

/* Append the lines of its info/alternates, if it exists, as absolute paths. */
MUST_USE int local_objects_alternates(const char *objdir, struct strbuf *out, struct err *err);

#endif
