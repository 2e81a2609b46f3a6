/* SPDX-License-Identifier: GPL-2.0-only */
/* The attribute "diff" of gitattributes(5) for comparisons: "diff", "-diff", "diff=NAME". */
#ifndef WORKTREE_DIFF_ATTR_H
#define WORKTREE_DIFF_ATTR_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "repo/repo.h"
#include "attr/attr.h"
#include "attr/convert.h"

struct diff_attrs;

/*
 * Attributes of the work tree (a bare repository: info/attributes alone); or those of
 * `borrowed`, which must live longer.
 */
MUST_USE int diff_attrs_new(struct diff_attrs **out, struct repository *r,
			    struct attrs *borrowed, struct err *err);
void diff_attrs_free(struct diff_attrs *a);
/* Take the settings of drivers, diff.NAME.*, from there; it must live longer. By default they are those of r. */
void diff_attrs_set_config(struct diff_attrs *a, const struct config_set *config);
/*
 * Programs of drivers get files as a checkout would write them. This converter, which must live
 * longer, makes them so; without it one is made when the first program needs it, and the index read.
 */
void diff_attrs_lend_converter(struct diff_attrs *a, struct converter *c);
/* Let `o` use these attributes; they must live as long as it. */
void diff_attrs_use(struct diff_attrs *a, struct diff_options *o);

/*
 * The file of the work tree, as the object that it would become. flags: CONVERT_*; warnings for the
 * user go to warn.
 */
MUST_USE int worktree_read_side(struct converter *c, const char *path, unsigned flags,
				struct object_buf *out, struct strbuf *warn, struct err *err);
/*
 * The same for diff_options.read with a struct converter * as read_data, silently.
 */
MUST_USE int worktree_read_diff_side(void *converter, const struct diff_file *file,
				     struct object_buf *out, struct err *err);
/* For diff_options.measure: the file at path, if it is above core.bigFileThreshold and nothing converts it. */
MUST_USE int worktree_measure_side(struct converter *c, const char *path, uint64_t *size, struct object_id *oid, struct err *err);
/* The same, with a struct converter * as read_data. */
MUST_USE int worktree_measure_diff_side(void *converter, const struct diff_file *file, uint64_t *size, struct object_id *oid,
					struct err *err);

#endif
