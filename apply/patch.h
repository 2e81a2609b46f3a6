/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A patch as text: what git-diff(1) calls "Generating patch text with -p", traditional unified diffs, and binary
 * patches. Text in, patches of single files out.
 *
 *   struct patch_reader r = PATCH_READER_INIT;
 *
 *   r.file = "x.diff"; r.at = text; r.end = text + len; r.line = 1;
 *   while ((rc = patch_read(&r, &p, err)) > 0)
 *           … file_patch_free(p);
 *
 * Ownership: hunks point into the text, which must stay.
 * Errors:    ERR_CORRUPT; the message has file and line.
 * Cost:      one pass over the text. Counts in it are compared with the lines that are there, and sizes of binary data
 *            have a cap: nothing is allocated by what the text claims.
 */
#ifndef APPLY_PATCH_H
#define APPLY_PATCH_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"

enum patch_hunk_kind { HUNK_TEXT, HUNK_LITERAL, HUNK_DELTA };

struct patch_hunk {
	enum patch_hunk_kind kind;
	const char *text; /* from "@@" on; HUNK_TEXT */
	size_t len;
	size_t line; /* of the header, in the input */
	unsigned long old_pos, old_nr, new_pos, new_nr;
	size_t leading, trailing; /* lines of context */
	char *data;		  /* inflated; owned; not of HUNK_TEXT */
	size_t size;
	bool rejected; /* set by who applies it */
};

/* is_new and is_delete are -1 if the text does not say so. */
struct file_patch {
	char *old_name, *new_name; /* NULL: no such side */
	unsigned old_mode, new_mode; /* 0: not in the patch */
	int is_new, is_delete;
	bool is_rename, is_copy, is_binary;
	bool from_top; /* names are relative to the top of the working tree, also in a subdirectory */
	bool has_crlf; /* a line of the old side ends in CRLF */
	unsigned score;
	size_t added, deleted;
	char old_oid[HASH_MAX_HEX + 1], new_oid[HASH_MAX_HEX + 1]; /* as in the text; "": none */
	unsigned ws_rule; /* set by patch_reader.on_header */
	struct patch_hunk *hunks; /* of a binary patch: forward, and perhaps backward */
	size_t nr, alloc;
};

void file_patch_init(struct file_patch *p);
void file_patch_release(struct file_patch *p);
/* Old and new change places. */
void file_patch_reverse(struct file_patch *p);

struct patch_reader {
	const char *file; /* for messages */
	const char *at, *end;
	size_t line; /* the next one */
	int strip;	   /* -p */
	bool strip_known;  /* else it is guessed from the first names without "diff --git" */
	const char *root;  /* --directory, ends in '/'; NULL */
	const char *prefix; /* the subdirectory, for guesses */
	size_t hex_len;	    /* of names of objects */
	bool reverse;	    /* the patch will be applied in reverse: for on_line */
	bool recount;
	bool needs_change; /* a patch without any change is an error */
	/* Names and modes are known. */
	void (*on_header)(void *data, struct file_patch *p);
	/* A line that the patch adds, or common (sign ' '). Without sign; with its newline. */
	void (*on_line)(void *data, struct file_patch *p, char sign, const char *line, size_t len);
	/* A message for the user: a whole line. */
	void (*say)(void *data, const char *text);
	void *data;
};
#define PATCH_READER_INIT { .strip = 1, .hex_len = 40 }

#define PATCH_STOP 2 /* what follows cannot be understood, which has been said */
/* 1: *p, which is initialised, is the next patch. 0: there are no more. */
int patch_read(struct patch_reader *r, struct file_patch *p, struct err *err);
/* Does a line begin at s that says that the one before it has no newline, in any language? */
bool patch_is_no_newline(const char *s, const char *end);

#endif
