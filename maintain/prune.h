/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removing loose objects that nothing needs, and temporary files of dead processes. git-prune(1).
 */
#ifndef MAINTAIN_PRUNE_H
#define MAINTAIN_PRUNE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "util/date.h"

struct prune_options {
	timestamp_t expire_before; /* only objects that are not younger; TIME_MAX: all, 0: none */
	bool dry_run;
	const struct oid_array *heads; /* kept with all that they lead to; may be NULL */
	/* A line for each object and file that goes, without LF; may be NULL. */
	void (*report)(void *data, const char *line);
	void (*complain)(void *data, const char *line); /* of files that do not belong there */
	void (*progress)(void *data, uint64_t nr);	/* objects that have been reached so far */
	void *data;
};

/*
 * Files are removed at publication, after all other changes of the operation
 * (PUBLISH_OBJECT_DELETE): loose objects that are neither reachable nor recent, temporary files of
 * the dead, lines of the file "shallow" whose commits are not reachable. Nothing is staged if the
 * history is not complete.
 *
 * Other processes: objects that a live process has written or touched since it has an owner file
 * (fs/owner.h) stay, regardless of expire_before. Each object is looked at again when it has been moved
 * aside: if another process has touched it meanwhile, it is moved back.
 *
 * Errors: ERR_UNSUPPORTED, extensions.preciousObjects; those of reachable_mark; ERR_LOCKED.
 * Cost:   see maintain/reachable.h; nothing but a list of files if no loose object is old enough.
 */
MUST_USE int prune_run(struct repo_operation *op, struct repository *r,
		       const struct prune_options *o, struct err *err);

/* Stage a file "shallow" without the commits that are missing. For `repack -d`, which may have dropped them. */
MUST_USE int prune_shallow_missing(struct repo_operation *op, struct repository *r, struct err *err);

/* ERR_UNSUPPORTED: extensions.preciousObjects forbids it. `what`: "prune". */
MUST_USE int prune_is_allowed(const struct repository *r, const char *what, struct err *err);

#endif
