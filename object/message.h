/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of commits and tags: clean-up after editing (git-commit(1), --cleanup) and
 * trailers (git-interpret-trailers(1)).
 */
#ifndef OBJECT_MESSAGE_H
#define OBJECT_MESSAGE_H

#include "compat/posix.h"
#include "util/strbuf.h"

enum cleanup_mode {
	CLEANUP_DEFAULT, /* for the caller: strip if edited, else whitespace */
	CLEANUP_VERBATIM,
	CLEANUP_WHITESPACE,
	CLEANUP_STRIP,
	CLEANUP_SCISSORS, /* cut at the scissors line, then whitespace */
};
/* -1 if the name is unknown. */
int cleanup_mode_parse(const char *name, enum cleanup_mode *out);

/*
 * Clean up in place: remove white space at the ends of lines and empty lines at both ends,
 * collapse runs of empty lines, terminate the last line. STRIP also removes lines that start
 * with comment_char.
 */
void message_cleanup(struct strbuf *msg, enum cleanup_mode mode, char comment_char);
/* Offset of the scissors line, or len. */
size_t message_scissors(const char *msg, size_t len, char comment_char);
/* Append "# ---- >8 ----" and two lines of explanation. */
void message_add_scissors(struct strbuf *out, char comment_char);
/* Append text with the comment character before each line. */
void message_add_commented(struct strbuf *out, const char *text, size_t len,
			   char comment_char);
/*
 * A comment character that starts no line of the message: '#' if it can, else one of
 * ";@!$%^&|:"; NUL if all are taken. Comment lines at the end do not count.
 */
char message_free_comment_char(const char *msg, size_t len);
/* Does it consist of Signed-off-by lines and white space only? */
bool message_is_empty(const char *msg, size_t len);

/* The length without comment lines and empty lines at the end. */
size_t message_text_end(const char *msg, size_t len, char comment_char);
/* The settings trailer.* of git-config(1). */
struct trailer_syntax {
	const char *separators; /* that end a key; NULL: ":" */
	/* Is there a rule for this key (len: up to the separator)? Such a line counts as one that Git wrote. May be NULL. */
	bool (*has_rule)(const void *data, const char *key, size_t len);
	const void *data;
};
/*
 * Offset of the trailer block at the end, or len if there is none. The first paragraph is
 * never one; comment lines at the end are ignored. syntax may be NULL.
 */
size_t message_trailers_start(const char *msg, size_t len, char comment_char,
			      const struct trailer_syntax *syntax);
/*
 * Append the line "Key: value" to the trailer block, or after an empty line if there is none.
 * If it is the last trailer already, nothing is added.
 */
void message_add_trailer(struct strbuf *msg, const char *trailer, char comment_char,
			 const struct trailer_syntax *syntax);

#endif
