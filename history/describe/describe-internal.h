/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of describe share. */
#ifndef HISTORY_DESCRIBE_DESCRIBE_INTERNAL_H
#define HISTORY_DESCRIBE_DESCRIBE_INTERNAL_H

#include "compat/posix.h"
#include "history/describe/describe.h"

enum described_kind { NAME_OTHER, NAME_LIGHT, NAME_ANNOTATED }; /* worst first */

struct described_name {
	char *path;	 /* of the ref, without "refs/tags/"; with --all without "refs/" */
	struct object_id oid, peeled;
	enum described_kind kind;
	/* of annotated tags, once loaded */
	char *tag_name;	 /* NULL: not loaded */
	timestamp_t tag_date;
	struct object_id target;
	bool misnamed, checked;
};

struct describer {
	struct repository *repo;
	struct commit_pool *pool;
	struct describe_options options;
	struct oidmap names; /* by peeled, to struct described_name */
	/* of the walk */
	uint32_t *marks;     /* by index of commits */
	size_t nr_marks;
};

/* ---- describe-names.c ---- */
MUST_USE int described_names_read(struct describer *d, struct err *err);
/* The tag object, once. ERR_CORRUPT "annotated tag x not available". */
MUST_USE int described_tag_load(struct describer *d, struct described_name *n, struct err *err);
void described_name_free(void *name);

#endif
