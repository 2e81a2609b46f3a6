/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cat-file(1): what its files share. */
#ifndef BUILTIN_CAT_FILE_H
#define BUILTIN_CAT_FILE_H

#include "builtin/builtin.h"
#include "index/index.h"
#include "worktree/convert.h"

enum batch_mode { BATCH_NONE, BATCH_CONTENTS, BATCH_INFO, BATCH_COMMAND };

struct cat_file {
	struct repository *r;
	enum batch_mode mode;
	const char *format;	/* NULL: the default */
	bool contents;		/* for the line at hand */
	int buffered, all_objects, unordered, follow_symlinks, nul_input;
	int filters;
	const char *path;	/* --path */
	struct index_state ix;
	struct converter *conv;
};

/* ---- cat-file-content.c ---- */
/* In place: the content as the work tree would have it at `path`. */
void cat_file_filter(struct cat_file *c, const char *path, const struct object_id *oid,
		     struct object_buf *buf);
/* Content that is in memory, to stdout. */
MUST_USE int cat_file_write(const struct object_buf *buf, struct err *err);
/* The whole object to stdout; large blobs in pieces. */
MUST_USE int cat_file_stream(struct cat_file *c, const struct object_id *oid, struct err *err);

/* ---- cat-file-batch.c ---- */
/* Exit code. */
int cat_file_batch(struct cat_file *c);

/* ---- cat-file-links.c ---- */
enum link_result {
	LINK_FOUND,    /* *oid */
	LINK_MISSING,  /* the name itself */
	LINK_DANGLING, /* something behind a link */
	LINK_LOOP, LINK_NOTDIR,
	LINK_OUTSIDE,  /* *target: where it leads */
	LINK_PLAIN,    /* not TREE:PATH: resolve it as any name */
};
enum link_result cat_file_follow(struct repository *r, const char *name,
				 struct object_id *oid, struct strbuf *target);

#endif
