/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that the user's editor is asked for: descriptions, messages of tags. */
#ifndef CLI_EDIT_TEXT_H
#define CLI_EDIT_TEXT_H

#include "cli/cli.h"
#include "util/strbuf.h"

#define EDIT_TEXT_MAX ((size_t)256 * 1024 * 1024)

/* ---- comment-char.c ---- */
/*
 * core.commentChar, '#' without it or for "auto"; dies if it is more than one character. r NULL:
 * outside of a repository.
 */
char edit_comment_char(struct repository *r);
bool edit_comment_char_is_auto(struct repository *r);
/* It is deprecated; if it comes from files, how to change them. Not if it is something else. */
void edit_warn_auto_comment_char(struct repository *r);

/* ---- edit-text.c ---- */
/* Write text to path, which is left there, and nothing else. */
MUST_USE int edit_text_write(const char *path, const struct strbuf *text, struct err *err);
/* The same, then the editor; text becomes what it left. ERR_ABORTED: it failed. */
MUST_USE int edit_text(struct repository *r, const char *path, struct strbuf *text,
		       struct err *err);

#endif
