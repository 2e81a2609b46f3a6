/* SPDX-License-Identifier: GPL-2.0-only */
/* git update-ref: what its two files share. */
#ifndef BUILTIN_REFS_UPDATE_REF_H
#define BUILTIN_REFS_UPDATE_REF_H

#include "compat/posix.h"
#include "builtin/builtin.h"

struct update_ref_options {
	struct repository *repo;
	const char *msg;
	unsigned flags; /* REF_NO_DEREF, REF_FORCE_REFLOG */
	bool nul;	/* -z */
	bool batch;	/* --batch-updates: single refs may fail */
};

/* "" and 40 zeros are the null id; false if it is no object. */
bool update_ref_parse_oid(struct repository *r, const char *text, struct object_id *out);
/* The commands of --stdin until its end; the exit code. */
int update_ref_stdin(const struct update_ref_options *o);

#endif
