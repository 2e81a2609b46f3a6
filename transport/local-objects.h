/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects of another repository of this machine, without a word to it: git-clone(1), --local.
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
 * All files of that object directory but info/alternates and what is being written get a place in r's, which holds
 * nothing yet. They have to be trusted: nothing is read.
 *
 * Errors:     ERR_INVALID: there are symbolic links, or other things that are no files; ERR_CONFLICT: one has been
 *             replaced meanwhile. Links that have been made stay.
 * Durability: contents and names are the operation's, copies and links alike.
 */
MUST_USE int local_objects_copy(struct repository *r, struct repo_operation *op, const char *from,
				enum local_objects_how how, struct err *err);

/* The lines of its info/alternates, if there is one, for use in another directory: absolute. Appended. */
MUST_USE int local_objects_alternates(const char *objdir, struct strbuf *out, struct err *err);

#endif
