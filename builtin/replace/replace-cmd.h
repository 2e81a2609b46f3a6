/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replace(1). Each function that changes something is one operation, and returns the exit code. */
#ifndef BUILTIN_REPLACE_REPLACE_CMD_H
#define BUILTIN_REPLACE_REPLACE_CMD_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "operation/operation.h"
#include "util/map.h"

#define REPLACE_FAILED 255 /* exit code of most failures */

struct replace_cmd {
	struct repository *r; /* without replacements */
	char *base;	      /* "refs/replace/" */
	bool force;
	struct repo_operation *op;
	struct strmap queued; /* refs, to their new values (struct object_id, owned) */
};

/* ---- replace-ref.c ---- */
/* The ref for that object. Caller frees. */
char *replace_ref(const struct replace_cmd *c, const struct object_id *oid);
MUST_USE int replace_type(struct replace_cmd *c, const struct object_id *oid, enum object_type *type);

struct replacement {
	const char *old_name, *new_name;
	struct object_id old_oid, new_oid;
};
/* The value that the ref has; an error if there is one, unless it is forced. */
MUST_USE int replace_check_ref(struct replace_cmd *c, const char *ref, struct object_id *old, struct err *err);
/* The ref changes with the others when the operation ends; with force, a later value counts. */
MUST_USE int replace_queue(struct replace_cmd *c, const struct replacement *rep, struct err *err);
MUST_USE int replace_check_difference(const struct replacement *rep, const char *kind, struct err *err);
/* Ends the operation: changes all refs that are queued, unless rc < 0. */
MUST_USE int replace_publish(struct replace_cmd *c, int rc, struct err *err);
/* The same; reports an error, and returns the exit code. */
int replace_end(struct replace_cmd *c, int rc, struct err *err);
int replace_object(struct replace_cmd *c, const char *old_name, const char *new_name);
/* ---- replace-edit.c, replace-graft.c ---- */
int replace_by_edit(struct replace_cmd *c, const char *name, bool raw);
int replace_by_graft(struct replace_cmd *c, int argc, const char **argv);
int replace_convert_grafts(struct replace_cmd *c);

#endif
