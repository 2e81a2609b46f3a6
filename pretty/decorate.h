/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of refs beside commits: git log --decorate, %d, %D. */
#ifndef PRETTY_DECORATE_H
#define PRETTY_DECORATE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/color.h"
#include "util/strvec.h"

enum decoration_kind {
	DECORATION_BRANCH, DECORATION_REMOTE, DECORATION_TAG, DECORATION_STASH,
	DECORATION_HEAD, DECORATION_GRAFT, DECORATION_OTHER, DECORATION_NR
};

struct decoration {
	struct decoration *next;
	enum decoration_kind kind;
	char name[]; /* full ref name; "grafted" */
};

struct decorations;

struct decorate_options {
	struct strvec include, exclude; /* --decorate-refs, --decorate-refs-exclude */
	struct strvec exclude_config;	/* log.excludeDecoration; an include overrides it */
	bool all_refs;			/* --clear-decorations; else only the usual ones */
};
#define DECORATE_OPTIONS_INIT { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, false }
void decorate_options_release(struct decorate_options *o);

/* Reads every ref once; tags are peeled. */
MUST_USE int decorations_load(struct decorations **out, struct repository *r,
			      const struct decorate_options *o, struct err *err);
void decorations_free(struct decorations *d);
const struct decoration *decorations_of(const struct decorations *d, const struct object_id *oid);

/* Escape sequences: color.decorate.<slot>; [DECORATION_NR] is that of the punctuation. */
struct decorate_colors {
	char slot[DECORATION_NR][COLOR_MAXLEN];
};
void decorate_colors_read(struct decorate_colors *c, const struct config_set *config);

/*
 * Append "prefix" "HEAD -> main, tag: v1" "suffix"; nothing if there is none. colors
 * NULL: without; base: the colour of the punctuation.
 */
void decorations_format(struct strbuf *out, struct decorations *d, const struct object_id *oid,
			const char *prefix, const char *separator, const char *suffix,
			bool full_names, const struct decorate_colors *colors, const char *base);

#endif
