/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two versions of a series of patches: git-range-diff(1).
 *
 *	range_patches_read()		patches.c: the commits of a range, each as a text with sections
 *	range_patches_match()		match.c: pairs of commits that correspond
 *	range_diff_show()		show.c: a line for each pair, and the difference between the texts
 *
 * range_diff_run() does all of it, for git range-diff and git format-patch --range-diff.
 */
#ifndef BUILTIN_RANGE_DIFF_RANGE_DIFF_H
#define BUILTIN_RANGE_DIFF_RANGE_DIFF_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/diff.h"
#include "util/strvec.h"

#define RANGE_DIFF_CREATION_FACTOR 60
#define RANGE_DIFF_SAME_SERIES 999 /* the same, of git format-patch */
#define RANGE_DIFF_MAX_MEMORY ((uint64_t)4 << 30) /* of the cost matrix */

struct range_diff_options {
	struct repository *repo;
	struct diff_options diff; /* between the texts of two patches */
	int creation_factor;	  /* percent of its size that a commit without counterpart costs */
	int left_only, right_only;
	bool dual_color;
	uint64_t max_memory;
	struct strvec log_args;	  /* options about merges and notes, then "--" and paths */
	const char *indent;	  /* before the lines of pairs */
};

/* A commit. */
struct range_patch {
	struct object_id oid;
	char *subject;
	struct strbuf text;   /* sections: "Metadata", "Commit message", "Notes", then one for each file */
	size_t diff_at;	      /* the sections of files, in text; 0: there are none, and all of the text is compared */
	int32_t diff_lines;
	uint64_t *hashes;     /* of these lines, sorted */
	size_t nr_hashes;
	ssize_t match;	      /* place of the commit in the other range that corresponds; -1: none */
	bool shown;
};

struct range_patches {
	struct range_patch *items;
	size_t nr, alloc;
};
#define RANGE_PATCHES_INIT { NULL, 0, 0 }

/* diff is set up by the configuration. */
MUST_USE int range_diff_init(struct range_diff_options *o, struct repository *r, struct err *err);
void range_diff_release(struct range_diff_options *o);

MUST_USE int range_patches_read(struct range_patches *out, const struct range_diff_options *o, const char *range,
				struct err *err);
void range_patches_release(struct range_patches *p);
const char *range_patch_diff(const struct range_patch *p, size_t *len);
/* ERR_INVALID: the cost matrix would be too large. */
MUST_USE int range_patches_match(struct range_patches *a, struct range_patches *b, const struct range_diff_options *o,
				 struct err *err);
MUST_USE int range_diff_show(struct range_patches *a, struct range_patches *b, struct range_diff_options *o, struct strbuf *out,
			     struct err *err);
/* Does the argument name commits, and exclude others? Exits if it names nothing. */
bool range_diff_is_range(struct repository *r, const char *arg);
/* *failed: the range that could not be read, NULL for other failures. */
MUST_USE int range_diff_run(struct range_diff_options *o, const char *range1, const char *range2, struct strbuf *out,
			    const char **failed, struct err *err);

#endif
