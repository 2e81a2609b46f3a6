/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of commits and tags: cleaning up what an editor leaves
 * (git-commit(1), --cleanup), and trailers (git-interpret-trailers(1)).
 */
#ifndef OBJECT_MESSAGE_H
#define OBJECT_MESSAGE_H

#include "compat/posix.h"
#include "util/strbuf.h"

enum cleanup_mode {
	CLEANUP_DEFAULT, /* the caller decides: strip if edited, else whitespace */
	CLEANUP_VERBATIM,
	CLEANUP_WHITESPACE,
	CLEANUP_STRIP,
	CLEANUP_SCISSORS, /* cut at the scissors line, then whitespace */
};
/* -1 if the name is unknown. */
int cleanup_mode_parse(const char *name, enum cleanup_mode *out);

/*
 * Clean up in place. Empty lines at both ends go, runs of them become one, white
 * space at line ends goes, the last line gets its newline; STRIP drops lines that
 * start with comment_char, too.
 */
void message_cleanup(struct strbuf *msg, enum cleanup_mode mode, char comment_char);
/* Where the scissors line begins, or len. */
size_t message_scissors(const char *msg, size_t len, char comment_char);
/* "# ---- >8 ----" and the two lines that explain it. */
void message_add_scissors(struct strbuf *out, char comment_char);
/* Every line of text with the comment character in front. */
void message_add_commented(struct strbuf *out, const char *text, size_t len,
			   char comment_char);
/* Does it hold nothing but Signed-off-by lines and white space? */
bool message_is_empty(const char *msg, size_t len);

/*
 * Where the trailer block at the end begins, or len if there is none. The subject
 * is never one; comment lines at the end are passed over.
 */
size_t message_trailers_start(const char *msg, size_t len, char comment_char);
/*
 * Append "Key: value": to the block if there is one, else after an empty line.
 * What the last trailer says already is not said again.
 */
void message_add_trailer(struct strbuf *msg, const char *trailer, char comment_char);
/* "Key: value" out of "key=value", "key: value" or "key". False without a key. */
bool trailer_from_argument(struct strbuf *out, const char *arg, const char *separators);

#endif
