/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of applying share. */
#ifndef APPLY_APPLY_INTERNAL_H
#define APPLY_APPLY_INTERNAL_H

#include "compat/posix.h"
#include "apply/apply.h"
#include "apply/patch.h"
#include "attr/convert.h"
#include "fs/tempfile.h"
#include "merge/contents.h"

struct apply_patch {
	struct file_patch p;
	struct strbuf result;
	bool rejected;		 /* not applied at all */
	bool conflicted;	 /* --3way left conflicts */
	bool direct_to_threeway; /* a new file that is there already */
	bool has_oid[MERGE_STAGES];
	struct object_id oid[MERGE_STAGES]; /* of a conflict */
	struct tempfile *staged; /* the new content, before it gets its name */
};

void apply_say(struct apply *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "error: …"; returns -1. */
int apply_error(struct apply *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void apply_say_name(struct apply *a, const struct apply_patch *ap, const char *before, const char *after);
/* Does the file of that path count? Not with --cached, nor if an earlier patch of a series has changed the path. */
bool apply_checks_file(const struct apply *a, const char *path);
/* The new name, or the old one of a deletion. */
const char *apply_name(const struct apply_patch *ap);

/* ---- rules.c: whitespace ---- */

unsigned apply_whitespace_rule(struct apply *a, const char *path);
void apply_note_whitespace(struct apply *a, unsigned errors, const char *line, size_t len, size_t line_nr);
/* Append the line, with its newline, without errors. */
void apply_fix_whitespace(struct strbuf *out, const char *line, size_t len, unsigned rule, size_t *fixed);

/* ---- hunks.c ---- */

/* The content becomes that after the patch. < 0: it does not apply, which has been said. */
int apply_hunks(struct apply *a, struct apply_patch *ap, struct strbuf *content);

/* ---- binary-data.c ---- */

void apply_hash_blob(const struct apply *a, const struct strbuf *content, struct object_id *oid);
int apply_binary(struct apply *a, struct apply_patch *ap, struct strbuf *content);

/* ---- preimage.c ---- */

/* Values in apply.table where a path has no patch that makes it: one will remove it, or has. Never written. */
extern char apply_to_delete, apply_was_deleted;
/* The patch of this input that made the file. *gone: one has removed it. */
struct apply_patch *apply_earlier_patch(struct apply *a, const struct apply_patch *ap, bool *gone);
/* Does the file, whose lstat is st, differ from its entry? */
bool apply_differs_from_entry(struct apply *a, struct index_entry *e, const struct stat *st);
/* --index: a file that is missing is written. */
int apply_check_out_entry(struct apply *a, struct index_entry *e, struct stat *st);
/* The content that the patch is for; a submodule without index has none. */
int apply_load_preimage(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *out);
/* The content of the file that a patch would create. */
int apply_load_current(struct apply *a, struct apply_patch *ap, struct strbuf *out);

/* ---- check.c ---- */

/* 0: ap->result is the content after the patch. < 0: it has been said why not; APPLY_FATAL: nothing can be applied. */
#define APPLY_FATAL (-128)
int apply_check_patches(struct apply *a);

/* ---- threeway.c ---- */

int apply_threeway(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *result);

/* ---- results.c ---- */

/* 0; 1: parts were rejected or left conflicts; APPLY_FATAL. */
int apply_write_results(struct apply *a);

/* ---- report.c, ancestor.c ---- */

void apply_report(struct apply *a, struct strbuf *out);
int apply_build_ancestor(struct apply *a);

#endif
