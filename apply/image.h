/* SPDX-License-Identifier: GPL-2.0-only */
/* A text as lines, and the place in it that a hunk describes. */
#ifndef APPLY_IMAGE_H
#define APPLY_IMAGE_H

#include "compat/posix.h"
#include "util/strbuf.h"

struct image_line {
	const char *s; /* not owned */
	size_t len;    /* with the newline, if it has one */
	uint32_t hash; /* of all but white space */
	bool common;   /* of a hunk: context */
	bool patched;  /* an earlier hunk has written it */
};

struct image {
	struct image_line *lines;
	size_t nr, alloc;
};
#define IMAGE_INIT { NULL, 0, 0 }

void image_add(struct image *m, const char *s, size_t len, bool common);
void image_add_text(struct image *m, const char *s, size_t len);
void image_drop_first(struct image *m);
/* Lines at .. at+nr are replaced by those of `by`. */
void image_splice(struct image *m, size_t at, size_t nr, const struct image *by);
void image_release(struct image *m);
uint32_t image_hash(const char *s, size_t len);

struct image_search {
	const struct image *in;
	struct image *old, *new; /* the hunk's; context lines may be replaced by the lines that were found */
	unsigned ws_rule;
	bool ignore_space; /* differences in the amount of white space do not count */
	bool fix_space;	   /* nor do such that are errors by ws_rule */
	bool at_start, at_end;
	bool allow_overlap;
	/* Keeps a string that lines point to. */
	const char *(*keep)(void *data, const char *s, size_t len);
	void *data;
};
/* The line nearest to `line` where the old lines are; -1: nowhere. */
ssize_t image_find(struct image_search *s, size_t line);

#endif
