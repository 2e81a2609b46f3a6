/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A patch as a list of hunks of which some are chosen: text in, text of the chosen hunks out. What `add -p` and its like
 * work on; there are no files, no index and no terminal here.
 *
 *   struct hunk_list l = HUNK_LIST_INIT;
 *
 *   hunk_list_parse(&l, &plain, &colored, true, err)   both texts become the list's
 *   h = &l.files[0].hunks[0];
 *   h->choice = HUNK_CHOSEN;                        or hunk_split(), hunk_replace()
 *   hunk_file_add_patch(&l.files[0], &l, false, &out)
 *   hunk_list_release(&l);
 *
 * A hunk is a range of lines of the text. Parts of a split hunk share the context between them, so ranges may overlap;
 * hunk_file_add_patch joins such hunks again. A change of the mode is a hunk of its own, the first one.
 *
 * Errors: ERR_CORRUPT: the text is no patch; ERR_INVALID: the coloured text has another number of lines.
 * Cost:   one pass over the text; memory for an offset per line.
 * Tests:  t/t3701-add-patch.sh
 */
#ifndef HUNKS_HUNKS_H
#define HUNKS_HUNKS_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

/* A text and where its lines begin. Line i is at[i] .. at[i + 1] - 1, with its newline. */
struct hunk_text {
	struct strbuf text;
	size_t *at;
	size_t nr, alloc;
};

/* The text becomes *t's own. */
void hunk_text_attach(struct hunk_text *t, struct strbuf *text);
void hunk_text_release(struct hunk_text *t);
static inline const char *hunk_text_line(const struct hunk_text *t, size_t i)
{
	return t->text.buf + t->at[i];
}
static inline size_t hunk_text_len(const struct hunk_text *t, size_t i)
{
	return t->at[i + 1] - t->at[i];
}

enum hunk_choice { HUNK_UNDECIDED, HUNK_SKIPPED, HUNK_CHOSEN };

/* "@@ -pos,nr +pos,nr @@heading" */
struct hunk_header {
	unsigned long old_pos, old_nr, new_pos, new_nr;
	const char *heading; /* with the space before it, without newline; in the text */
	size_t heading_len;
};

struct hunk_part {
	const struct hunk_text *plain; /* the list's, or one of its edits */
	size_t from, to;	       /* its lines, without header */
	size_t header_line;	       /* of the list's texts */
	bool is_first_part;	       /* of what has that header: not split, or the first of its parts */
	bool is_mode;		       /* "old mode", "new mode" */
	struct hunk_header header;
	long grown;   /* by edits: lines added less lines removed */
	size_t parts; /* that a split would make of it */
	enum hunk_choice choice;
};

struct hunk_file {
	size_t from, to; /* lines of the header of the file */
	size_t mode_line; /* of "old mode"; used if there is a hunk is_mode */
	bool added, deleted, binary;
	struct hunk_part *hunks;
	size_t nr, alloc;
	enum hunk_choice choice; /* of a file that is added, and empty: it has no hunk */
};

struct hunk_list {
	struct hunk_text plain, colored; /* colored.nr is 0 without colours */
	struct hunk_file *files;
	size_t nr, alloc;
	size_t nr_unmerged; /* files in conflict, which have no hunks */
	struct hunk_text **edits; /* lines of hunks that were edited */
	size_t nr_edits, alloc_edits;
};
#define HUNK_LIST_INIT { .plain = { .text = STRBUF_INIT }, .colored = { .text = STRBUF_INIT } }

/* Both texts become the list's. is_colored: `colored` has the same lines for the eye. */
MUST_USE int hunk_list_parse(struct hunk_list *l, struct strbuf *plain, struct strbuf *colored, bool is_colored, struct err *err);
void hunk_list_release(struct hunk_list *l);

/* "@@ -1,2 +3 @@ f()\n". False: it is none. */
bool hunk_header_parse(struct hunk_header *h, const char *line, size_t len);
/* The same text, without heading and newline. */
void hunk_header_add(struct strbuf *out, const struct hunk_header *h);

/* ---- split.c ---- */

/* How many parts do its lines have? Groups of changes with context between them. */
size_t hunk_count_parts(const struct hunk_part *h);
/* Replace hunk i by its parts, which are undecided. */
void hunk_split(struct hunk_file *f, size_t i);

/* ---- edit.c ---- */

/*
 * The lines of the hunk become `text`, which becomes the list's; a first line "@@ …" gives positions, numbers of lines are
 * counted. A copy of *h that was made before takes it back. *empty: the text has no line, and nothing has been done.
 * Errors: ERR_INVALID: the header cannot be understood.
 */
MUST_USE int hunk_replace(struct hunk_list *l, struct hunk_part *h, struct strbuf *text, bool *empty, struct err *err);

/* ---- assemble.c ---- */

#define HUNKS_ALL 1u	 /* as if all were chosen */
#define HUNKS_REVERSE 2u /* the patch will be applied in reverse */
/* Append the patch of the chosen hunks. False: none is chosen. */
bool hunk_file_add_patch(const struct hunk_file *f, const struct hunk_list *l, unsigned flags, struct strbuf *out);

#endif
