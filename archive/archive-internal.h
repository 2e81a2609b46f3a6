/* SPDX-License-Identifier: GPL-2.0-only */
/* What the writers of formats get, and what they write with. */
#ifndef ARCHIVE_ARCHIVE_INTERNAL_H
#define ARCHIVE_ARCHIVE_INTERNAL_H

#include "compat/posix.h"
#include "archive/archive.h"
#include "object/tree.h"
#include "util/strbuf.h"
#include "attr/convert.h"

/* ---- out.c: bytes, buffered, compressed if it is a gzip ---- */

struct archive_out;
struct archive_out *archive_out_new(int fd, bool gzip, int level);
MUST_USE int archive_out_write(struct archive_out *out, const void *p, size_t len, struct err *err);
MUST_USE int archive_out_zeros(struct archive_out *out, size_t len, struct err *err);
uint64_t archive_out_pos(const struct archive_out *out); /* bytes written, before compression */
/* Compress the rest of the buffer and write it. The disk is not flushed. */
MUST_USE int archive_out_finish(struct archive_out *out, struct err *err);
void archive_out_free(struct archive_out *out);

/* ---- entries ---- */

struct archive_entry {
	const char *path; /* that of a directory ends in '/' */
	unsigned mode;	  /* MODE_TREE, MODE_GITLINK (an empty directory), MODE_SYMLINK, … */
	const struct object_id *oid; /* names the headers of long paths */
	uint64_t size;
	const void *data; /* NULL: it is streamed from the object oid */
	bool is_text;	  /* by the bytes read so far */
};

typedef int (*archive_sink)(void *data, const void *p, size_t len, struct err *err);

struct archive_context {
	const struct archive_options *o;
	struct archive_out *out;
};

/* A format. begin is called before the first entry, end after the last one. */
struct archive_writer {
	void *(*new)(struct archive_context *c, struct err *err); /* NULL: err */
	int (*begin)(void *w, struct err *err);
	int (*entry)(void *w, const struct archive_entry *e, struct err *err);
	int (*end)(void *w, struct err *err);
	void (*free)(void *w);
};
extern const struct archive_writer archive_tar, archive_zip;

/* ---- subst.c: the attribute export-subst ---- */

struct archive_subst;
MUST_USE int archive_subst_new(struct archive_subst **out, struct repository *r,
			       const struct object_id *commit, struct err *err);
void archive_subst_free(struct archive_subst *s);
/*
 * Append in[0..len) to out with each $Format:…$ expanded for the commit; of all %(describe) that s
 * meets only the first one.
 */
MUST_USE int archive_subst_expand(struct archive_subst *s, const char *in, size_t len,
				  struct strbuf *out, struct err *err);

#endif
