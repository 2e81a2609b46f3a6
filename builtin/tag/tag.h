/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git-tag(1): tag.c parses, lists, deletes and verifies; tag-create.c makes. */
#ifndef BUILTIN_TAG_TAG_H
#define BUILTIN_TAG_TAG_H

#include "builtin/builtin.h"
#include "util/strvec.h"

struct tag_create_options {
	struct repository *repo;
	const char *prefix;
	bool annotate, sign, force, reflog;
	bool edit; /* also a message given by -m or -F */
	const struct strvec *messages; /* -m */
	const char *file;	       /* -F; NULL: not given */
	const struct strvec *trailers;
	const char *cleanup;	       /* --cleanup; NULL: strip */
	const char *key;	       /* to sign with; "": the default */
};
/*
 * Tag object, ref and log in one batch, one flush. Returns the exit code; dies if the request is not
 * valid.
 */
int tag_create(const struct tag_create_options *o, const char *name, const char *target);

#endif
