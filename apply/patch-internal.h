/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the patch parser share. */
#ifndef APPLY_PATCH_INTERNAL_H
#define APPLY_PATCH_INTERNAL_H

#include "compat/posix.h"
#include "apply/patch.h"

/* Length of the line at s, with its newline. */
size_t patch_line_len(const char *s, const char *end);
/* "@@ -1,2 +3,4 @@": the length of that, or 0. */
size_t patch_parse_hunk_header(const char *line, size_t len, struct patch_hunk *h);

/* ---- names.c: the text ends in a newline ---- */

#define NAME_ENDS_AT_SPACE 1u
#define NAME_ENDS_AT_TAB 2u
/* A name at `line`, less `strip` components, with the root before it. NULL: there is none. */
char *patch_find_name(const struct patch_reader *r, const char *line, int strip, unsigned ends);
/* The same of a "---" or "+++" line, which may have a time behind the name. A shorter `other` is taken if the name begins so. */
char *patch_find_traditional_name(const struct patch_reader *r, const char *line, const char *other, int strip);
/* The one name that is twice in "a/NAME b/NAME", or NULL. */
char *patch_common_name(const struct patch_reader *r, const char *line, const char *end);
bool patch_is_dev_null(const char *s);
/* Does the line end in a tab and the time 0, as `diff -N` writes it for a file that is not there? */
bool patch_has_epoch(const char *line);

/* ---- header.c ---- */

/* "diff --git" at r->at and what follows. 1: r->at is behind it; 0: it is none, nothing is changed. */
int patch_read_git_header(struct patch_reader *r, struct file_patch *p, struct err *err);
/* "---" and "+++" at r->at. */
int patch_read_traditional_header(struct patch_reader *r, struct file_patch *p, struct err *err);

/* ---- binary.c ---- */

/* Behind "GIT binary patch". 0, or PATCH_STOP. */
int patch_read_binary(struct patch_reader *r, struct file_patch *p);

/* A hunk is appended. */
struct patch_hunk *file_patch_add_hunk(struct file_patch *p);

#endif
