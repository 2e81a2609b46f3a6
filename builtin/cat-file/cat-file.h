/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cat-file(1): what its files share. */
#ifndef BUILTIN_CAT_FILE_CAT_FILE_H
#define BUILTIN_CAT_FILE_CAT_FILE_H

#include "builtin/builtin.h"
#include "diff/diff.h"
#include "index/index.h"
#include "pretty/pretty.h"
#include "wire/filter-spec.h"
#include "attr/convert.h"
#include "worktree/diff-attr.h"

enum batch_mode { BATCH_NONE, BATCH_CONTENTS, BATCH_INFO, BATCH_COMMAND };

struct cat_file {
	struct repository *r;
	enum batch_mode mode;
	const char *format;	/* NULL: the default */
	bool contents;		/* for the line at hand */
	int buffered, all_objects, unordered, follow_symlinks, nul_input, nul_output;
	int filters, textconv;
	int use_mailmap;
	struct mailmap *map;	/* NULL: not read yet */
	struct filter_spec filter; /* at most one part */
	const char *path;	/* --path */
	struct index_state ix;
	struct converter *conv; /* NULL: not needed yet, as the next two */
	struct diff_attrs *attrs;
	struct diff_options diff;
};

/* ---- cat-file-content.c ---- */
/* Blobs are shown as the work tree or a diff would have them. */
bool cat_file_converts(const struct cat_file *c);
/*
 * In place: the content as the work tree would have it at `path` (a blob), or as its textconv
 * prints it. False: it has no textconv, and is as it was.
 */
bool cat_file_convert(struct cat_file *c, const char *path, const struct object_id *oid,
		      struct object_buf *buf);
void cat_file_release_converters(struct cat_file *c);
/*
 * --use-mailmap, for commits and tags: the whole object with idents replaced: 1.
 * 0: it is of another type, or no mailmap is asked for.
 */
MUST_USE int cat_file_mapped(struct cat_file *c, const struct object_id *oid, enum object_type type,
			     struct strbuf *out, struct err *err);
/* Content that is in memory, to stdout. */
MUST_USE int cat_file_write(const struct object_buf *buf, struct err *err);
/* The whole object to stdout; large blobs in pieces. */
MUST_USE int cat_file_stream(struct cat_file *c, const struct object_id *oid, struct err *err);

/* ---- cat-file-batch.c ---- */
/* Exit code. */
int cat_file_batch(struct cat_file *c);

/* ---- cat-file-links.c ---- */
enum link_result {
	LINK_FOUND,    /* *oid, *mode: 0 for the tree itself */
	LINK_MISSING,  /* the name itself */
	LINK_DANGLING, /* something behind a link */
	LINK_LOOP, LINK_NOTDIR,
	LINK_OUTSIDE,  /* *target: where it leads */
	LINK_PLAIN,    /* not TREE:PATH: resolve it as any name */
};
enum link_result cat_file_follow(struct repository *r, const char *name,
				 struct object_id *oid, unsigned *mode, struct strbuf *target);

#endif
