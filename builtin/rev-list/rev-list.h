/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rev-list(1): what its files share. */
#ifndef BUILTIN_REV_LIST_REV_LIST_H
#define BUILTIN_REV_LIST_REV_LIST_H

#include "compat/posix.h"
#include "builtin/log/log.h"
#include "history/revision/bisect.h"
#include "history/revision/objects.h"
#include "history/promisor.h"
#include "util/progress.h"

enum missing_action { MISSING_ERROR, MISSING_ALLOW, MISSING_ALLOW_PROMISOR, MISSING_PRINT,
		      MISSING_PRINT_INFO };

enum bisect_mode { BISECT_NONE = 0, BISECT_ONE = 1, BISECT_VARS = 2, BISECT_ALL = 4 };

struct rev_list {
	struct log_options log; /* formats and graph; log.walk */
	struct rev_walk *walk;	/* the same */
	/* parts of a commit to show */
	bool header, timestamp, quiet, nul;
	bool commit_header; /* the line with its name */
	/* instead of showing it */
	bool count, disk_usage, human;
	uint64_t nr_left, nr_right, nr_same, nr_objects, disk_bytes;
	unsigned bisect; /* enum bisect_mode */
	struct bisection bisection;
	/* objects */
	struct filter_spec filter;
	struct object_walk_options objects;
	bool edges, print_omitted, no_names, use_bitmaps, test_bitmap;
	enum missing_action missing;
	struct promises promises; /* for MISSING_ALLOW_PROMISOR */
	bool exclude_promisor;
	struct oidset excluded;	  /* then: what came from promisor remotes */
	struct strbuf missing_text, omitted_text; /* printed at the end */
	const char *progress_title;
	struct progress *progress;
	uint64_t progress_count;
};

/* rev-list-options.c: argv[1..). */
MUST_USE int rev_list_parse(struct rev_list *l, int argc, const char **argv, struct err *err);
/* Which options do not go together. */
MUST_USE int rev_list_check(struct rev_list *l, struct err *err);
NORETURN void rev_list_usage(void); /* on standard error */
NORETURN void rev_list_help(void);  /* on standard output */

/* rev-list-show.c */
MUST_USE int rev_list_show_commit(struct rev_list *l, struct commit *c, struct err *err);
/* Counts, sizes, progress: 0, < 0. */
MUST_USE int rev_list_note_object(struct rev_list *l, const struct object_id *oid, struct err *err);
void rev_list_print_sums(struct rev_list *l);

/* rev-list-objects.c: walk and show with --objects. */
MUST_USE int rev_list_objects(struct rev_list *l, struct err *err);
/* rev-list-bitmap.c: 1: all is shown; 0: bitmaps cannot tell, and the walk has to; < 0. */
int rev_list_by_bitmap(struct rev_list *l, struct err *err);
/* rev-list-test-bitmap.c. ERR_CORRUPT: "mismatch in bitmap results" */
MUST_USE int rev_list_test_bitmap(struct rev_list *l, struct err *err);
/* An object is not there; type OBJ_NONE: a start of which nothing is known. */
MUST_USE int rev_list_miss(struct rev_list *l, const struct object_id *oid, enum object_type type,
			   const char *path, struct err *err);
void rev_list_print_missing(struct rev_list *l);

#endif
