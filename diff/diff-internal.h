/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of diff/. */
#ifndef DIFF_DIFF_INTERNAL_H
#define DIFF_DIFF_INTERNAL_H

#include "compat/posix.h"
#include "diff/diff.h"

/* Space as in Git: without vertical tab and form feed. */
static inline bool diff_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- queue.c ---- */
struct diff_file *diff_file_new(const char *path, unsigned mode, const struct object_id *oid);
struct diff_file *diff_file_share(struct diff_file *f);
void diff_file_free(struct diff_file *f); /* drops one reference */
struct diff_pair *diff_queue_append(struct diff_queue *q, struct diff_file *old,
				    struct diff_file *new);
void diff_queue_push(struct diff_queue *q, struct diff_pair *p);
/* Keep the pairs for which keep[] is set, free the others. */
void diff_queue_filter(struct diff_queue *q, const bool *keep);
void diff_pair_free(struct diff_pair *p);
static inline bool diff_file_exists(const struct diff_file *f)
{
	return f->mode != 0;
}
/* Certainly the same content and mode? */
bool diff_pair_is_unmodified(const struct diff_pair *p);
/* Both exist and are of different kinds (file, link, repository). */
bool diff_pair_changes_type(const struct diff_pair *p);

/* ---- content.c ---- */
/* Read f->content, unless it is there. For repositories: "Subproject commit …". */
MUST_USE int diff_file_load(struct diff_file *f, const struct diff_options *o,
			    struct err *err);
/* Free the content; it can be loaded again. */
void diff_file_unload(struct diff_file *f);
/* The same, and the data for similarity. */
void diff_file_drop(struct diff_file *f);
/* Set f->size, without reading the content if possible. */
MUST_USE int diff_file_size(struct diff_file *f, const struct diff_options *o,
			    struct err *err);
/* Set f->driver_binary from the attributes, once. Not from several threads. */
void diff_file_driver(struct diff_file *f, const struct diff_options *o);
/* f->is_binary, by attribute or content, whatever options.text says. */
MUST_USE int diff_file_binary(struct diff_file *f, const struct diff_options *o,
			      struct err *err);
/* f->oid of a file that was queued without one. */
MUST_USE int diff_file_hash(struct diff_file *f, const struct diff_options *o,
			    struct err *err);
/* The same, and --raw shows it. */
MUST_USE int diff_file_show_oid(struct diff_file *f, const struct diff_options *o,
				struct err *err);
/*
 * A changed file may have no difference: -w and the like, but not blank lines alone; an exit code
 * where other programs may decide.
 */
static inline bool diff_ignores(const struct diff_options *o)
{
	return o->ignore & ~DIFF_IGNORE_BLANK_LINES || o->ignore_lines ||
	       (o->exit_code && o->allow_external);
}
/*
 * Applies the text settings of the diff driver of a path: `scratch` (a copy) gets its algorithm.
 * Returns the options to use.
 */
const struct diff_options *diff_options_for(const struct diff_options *o, const char *path,
					    struct diff_options *scratch);
void diff_driver_of(const struct diff_options *o, const char *path, struct diff_driver *out);

/*
 * How many bytes of `to` come from `from`, and how many are new. Both must exist
 * and be regular files.
 */
MUST_USE int diff_count_copied(struct diff_file *from, struct diff_file *to,
			       const struct diff_options *o, uint64_t *copied,
			       uint64_t *added, struct err *err);
void diff_chunks_free(struct diff_chunks *c);

/* ---- prefetch.c ---- */
/* The file's content is about to be read, if it is an object. */
void diff_want_file(struct oid_array *wanted, const struct diff_file *f);
/*
 * Fetch the missing contents of all pairs that differ; of all items. Does nothing without a
 * promisor remote.
 */
MUST_USE int diff_prefetch(const struct diff_queue *q, const struct diff_options *o, struct err *err);
MUST_USE int diff_prefetch_combined(const struct diff_combined_list *list, const struct diff_options *o,
				    struct err *err);

/* ---- break.c, rename.c, pickaxe.c: steps of diff_process ---- */
MUST_USE int diff_break_rewrites(struct diff_queue *q, const struct diff_options *o,
				 struct err *err);
void diff_merge_broken(struct diff_queue *q);
MUST_USE int diff_detect_renames(struct diff_queue *q, const struct diff_options *o,
				 struct err *err);
MUST_USE int diff_pickaxe(struct diff_queue *q, const struct diff_options *o,
			  struct err *err);


/* ---- order.c ---- */
/* The patterns of options.order_file, unless they are there. */
MUST_USE int diff_read_order(struct diff_options *o, struct err *err);
MUST_USE int diff_order(struct diff_queue *q, const struct diff_options *o, struct err *err);

/* ---- ignore-lines.c ---- */
struct diff_regexes;
/* false: the pattern is invalid. */
bool diff_regexes_add(struct diff_regexes **r, const char *pattern);
void diff_regexes_free(struct diff_regexes *r);
bool diff_regexes_match(const struct diff_regexes *r, const char *text, size_t len);

/* ---- names.c ---- */
/* Path with core.quotePath rules and options.relative; NUL-terminated raw for -z. */
void diff_add_path(struct strbuf *out, const struct diff_options *o, const char *path);
/* "dir/{old => new}/file", with options.relative as it is. */
void diff_add_rename(struct strbuf *out, const struct diff_options *o, const char *old,
		     const char *new);
/* The path without options.relative. */
const char *diff_shown_path(const struct diff_options *o, const char *path);
/* For raw lines, with o->abbrev. */
void diff_add_raw_oid(struct strbuf *out, const struct diff_options *o, const struct object_id *oid);
/* At least `abbrev` digits, more if that is ambiguous; -1: automatic, 0: all. */
void diff_add_oid(struct strbuf *out, const struct diff_options *o,
		  const struct object_id *oid, int abbrev);

/* ---- stat.c, patch.c ---- */
MUST_USE int diff_add_stat(struct diff_queue *q, const struct diff_options *o,
			   struct strbuf *out, struct err *err);
MUST_USE int diff_add_numstat(struct diff_queue *q, const struct diff_options *o,
			      struct strbuf *out, struct err *err);
/* Both sides differ only in what the options ignore. */
MUST_USE int diff_is_ignorable(struct diff_pair *p, const struct diff_options *o,
			       bool *ignorable, struct err *err);
/* The totals of each directory; needs --dirstat's options. */
MUST_USE int diff_add_dirstat(struct diff_queue *q, const struct diff_options *o,
			      struct strbuf *out, struct err *err);
/* For each pair what --numstat counts, in bytes for binary files: caller frees *out. */
struct diff_line_count {
	const struct diff_pair *pair;
	uint64_t changed;
	bool binary;
};
MUST_USE int diff_count_lines(struct diff_queue *q, const struct diff_options *o,
			      struct diff_line_count **out, size_t *nr, struct err *err);
/* *failed is set if there is anything to complain about, else left. */
MUST_USE int diff_add_check(struct diff_pair *p, const struct diff_options *o,
			    struct strbuf *out, bool *failed, struct err *err);
/* The rules for a file with this driver. */
unsigned diff_whitespace_of(const struct diff_options *o, const struct diff_driver *driver);
/* The patch of pair number `at`; lines of its changes go to `moved`, unless that is NULL. */
struct moved_lines;
MUST_USE int diff_add_patch(const struct diff_queue *q, size_t at, const struct diff_options *o,
			    struct moved_lines *moved, struct strbuf *out, struct err *err);
/* The escape sequence, or "" without colours. */
static inline const char *diff_color_of(const struct diff_options *o, enum diff_color c)
{
	return o->color ? o->colors[c] : "";
}

#endif
