/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of choosing hunks share. */
#ifndef CLI_CHOOSE_CHOOSE_INTERNAL_H
#define CLI_CHOOSE_CHOOSE_INTERNAL_H

#include "compat/posix.h"
#include "attr/convert.h"
#include "cli/choose/choose.h"
#include "cli/cli.h"
#include "diff/diff.h"
#include "hunks/hunks.h"
#include "util/color.h"

/* ---- choose-words.c ---- */

/* "Stage this hunk", "stage this hunk from worktree", "marked for staging" */
struct choose_words {
	const char *verb, *where, *gerund;
	bool index, files; /* what the hunks are applied to */
	bool reverse;	   /* the hunks are taken away there */
	bool swapped;	   /* the differences are shown from the target to the source */
	bool since_index;  /* between index and files */
	bool cached;	   /* between a tree and the index */
	bool forward;	   /* a step from the index to a tree that exists: its sides are "a/" and "b/", hunks stay as they are */
};
const struct choose_words *choose_find_words(enum choose_target target, const char *rev);

enum choose_slot { SLOT_HEADER, SLOT_HELP, SLOT_PROMPT, SLOT_ERROR, SLOT_NR };

/* Colours of color.interactive; empty without. */
struct choose_colors {
	char slot[SLOT_NR][COLOR_MAXLEN];
	const char *reset;
};
void choose_read_colors(struct choose_colors *c, struct repository *r);
/* A text, coloured up to its newline. */
void choose_print_colored(const struct choose_colors *c, enum choose_slot slot, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A line on standard error, in the colour of errors. */
void choose_print_error(const struct choose_colors *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- the session ---- */

struct chooser {
	const struct choose_request *q;
	const struct choose_words *words;
	struct repository *repo;
	struct index_state own_ix; /* used unless the request has one */
	struct index_state *ix;
	struct converter *conv;
	struct object_id tree;
	struct choose_colors colors;
	bool diff_color, single_key, told_about_keys;
	unsigned context;
	char diff_colors[DIFF_COLOR_NR][COLOR_MAXLEN];
	struct hunk_list list;
	struct strbuf answer;
	struct strbuf for_index, for_files; /* patches that are to be applied */
	bool filter_failed;
};

/* One file that the user is asked about. */
struct file_prompt {
	struct chooser *c;
	struct hunk_file *f;
	size_t at;	 /* the hunk */
	size_t shown;	 /* the hunk that stands on the screen; SIZE_MAX: none */
	ssize_t before, behind; /* the nearest undecided ones, around the ends; -1: none */
	bool has_others; /* files to go to with > and < */
};

/* What follows the answer to a prompt. */
enum choose_step { STEP_ASK_AGAIN, STEP_FILE_DONE, STEP_QUIT, STEP_NEXT_FILE, STEP_PREVIOUS_FILE };

/* ---- choose-diff.c ---- */

/* Refresh the index in memory. */
MUST_USE int choose_refresh(struct repository *r, struct index_state *ix, struct converter *conv, struct err *err);
/* "path: needs merge" */
void choose_print_conflicts(const struct index_state *ix);

struct choose_comparison {
	struct repository *repo;
	struct index_state *ix;
	struct converter *conv;
	const struct pathspec *ps;
	const struct object_id *tree; /* NULL: the index against files */
	bool cached;		      /* a tree against the index */
	bool ita_is_entry;	      /* intent-to-add: an empty file, else none */
	bool swapped;
	bool own_prefixes; /* "a/" is the old side, though the sides are swapped */
	bool for_people; /* as git diff; else as diff-files and diff-index */
	unsigned stage;	 /* that stands for an unmerged path; 0: none */
	unsigned formats;
	struct context_option context;
	char colors[DIFF_COLOR_NR][COLOR_MAXLEN]; /* result */
};
/* Append the text, plain and coloured; each may be NULL. */
MUST_USE int choose_compare(struct choose_comparison *cmp, struct strbuf *plain, struct strbuf *colored, struct err *err);
/* Compare, and parse. */
MUST_USE int choose_find_hunks(struct chooser *c, struct err *err);

/* ---- choose-file.c ---- */

enum choose_step choose_in_file(struct chooser *c, struct hunk_file *f, bool has_others);

/* ---- choose-show.c ---- */

void choose_add_hunk_text(const struct chooser *c, const struct hunk_part *h, bool colored, struct strbuf *out);
/* The end of the lines of the header that are shown once. If the file goes, the others are shown with its hunk, as in Git. */
size_t choose_end_of_header(const struct hunk_file *f);
/* The hunk that is asked about, with those lines. */
void choose_add_shown(const struct file_prompt *p, bool colored, struct strbuf *out);

/* ---- choose-keys.c ---- */

/* Do what c->answer says. */
enum choose_step choose_do_key(struct file_prompt *p);
/* Letters that the prompt offers, one character each. */
void choose_add_letters(const struct file_prompt *p, struct strbuf *out);
bool choose_permits(const struct file_prompt *p, char key);
/* No hunk of the file is undecided. */
bool choose_is_decided(const struct file_prompt *p);

/* ---- choose-edit.c ---- */

/* True: the hunk is what the user made of it. */
bool choose_edit_hunk(struct file_prompt *p);

/* ---- choose-apply.c ---- */

/* Would the patch of all hunks of the file apply? */
bool choose_check_file(struct chooser *c, const struct hunk_file *f);
/* The chosen hunks of the file are taken, if they apply; a message if not. */
void choose_take_file(struct chooser *c, const struct hunk_file *f);
/* What has been taken becomes the index and the files. */
MUST_USE int choose_apply(struct chooser *c, struct err *err);

/* ---- choose-input.c ---- */

/* A line without its end. False: the input has ended. */
bool choose_read_line(struct strbuf *out);
/* The same, or one key if interactive.singleKey says so. */
bool choose_read_key(struct chooser *c, struct strbuf *out);
/* A question until it is answered by yes or no; the end of the input is no. */
bool choose_yes_or_no(struct chooser *c, const char *question);

#endif
