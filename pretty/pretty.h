/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Showing commits as git log does: the formats of "PRETTY FORMATS" in git-log(1), and
 * what they are made of: mailmaps, trailers, decorations (names of refs beside commits),
 * notes; and the graph beside them.
 *
 *	pretty_init(&p, repo)
 *	pretty_config(&p, repo->config, err)
 *	pretty_set_format(&p, "%h %s", err)
 *	for each commit: pretty_commit(&p, pool, commit, &out, err)
 *	pretty_release(&p)
 *
 * The line "commit …" above a commit, separators and diffs are the command's.
 */
#ifndef PRETTY_PRETTY_H
#define PRETTY_PRETTY_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "history/history.h"
#include "history/revision/revision.h"
#include "repo/repo.h"
#include "util/color.h"
#include "util/date.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- mailmaps: gitmailmap(5) ---- */

struct mailmap;
/*
 * .mailmap at the top of the work tree (in a bare repository HEAD:.mailmap), then
 * mailmap.blob, then mailmap.file; later ones win. Missing ones are fine. r NULL, outside of a
 * repository: .mailmap of the current directory.
 */
MUST_USE int mailmap_read(struct mailmap **out, struct repository *r, struct err *err);
/* From memory. */
struct mailmap *mailmap_parse(const char *text, size_t len);
/*
 * More entries, which win over the present ones: from a file that the user names, from the blob
 * that a revision names. A missing one is fine.
 */
MUST_USE int mailmap_add_file(struct mailmap *m, const char *path, struct err *err);
MUST_USE int mailmap_add_blob(struct mailmap *m, struct repository *r, const char *name,
			      struct err *err);
void mailmap_free(struct mailmap *m);
/* Replaces a name and address that are mapped; the new texts belong to the map. */
void mailmap_apply(const struct mailmap *m, const char **name, size_t *name_len,
		   const char **mail, size_t *mail_len);
/* Append a commit or tag; its author, committer and tagger are as the map has them. */
void mailmap_apply_to_object(const struct mailmap *m, const char *data, size_t size, struct strbuf *out);
/* --author and --committer match mapped identities. The map must outlive the walk. */
void mailmap_use_for_walk(const struct mailmap *m, struct rev_walk *w);

/* ---- trailers: %(trailers:…) of git-log(1) and git-for-each-ref(1) ---- */

struct trailer_options {
	struct strvec keys;
	bool only, unfold, key_only, value_only;
	struct strbuf separator, key_value_separator;
	bool has_separator, has_key_value_separator;
	const char *key_ends; /* trailer.separators; the configuration's */
};
#define TRAILER_OPTIONS_INIT { STRVEC_INIT, false, false, false, false, STRBUF_INIT, \
	STRBUF_INIT, false, false, ":" }
void trailer_options_read_config(struct trailer_options *o, const struct config_set *config);
void trailer_options_release(struct trailer_options *o);

/* One option, s[0..len): "key=Acked-by", "only", "separator=%x2C". False: unknown. */
bool trailer_options_add(struct trailer_options *o, const char *s, size_t len);
/* Append the trailers of a message; without any option, the block unchanged. */
void trailers_format(const struct trailer_options *o, const char *msg, size_t msg_len,
		     struct strbuf *out);

/* ---- decorations: git log --decorate, %d, %D ---- */

enum decoration_kind {
	DECORATION_BRANCH, DECORATION_REMOTE, DECORATION_TAG, DECORATION_STASH,
	DECORATION_HEAD, DECORATION_GRAFT, DECORATION_OTHER, DECORATION_NR
};

struct commit_view;
struct decorations;

struct decorate_options {
	struct strvec include, exclude; /* --decorate-refs, --decorate-refs-exclude */
	struct strvec exclude_config;	/* log.excludeDecoration; an include overrides it */
	bool all_refs;			/* --clear-decorations; else only the usual ones */
};
#define DECORATE_OPTIONS_INIT { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, false }
void decorate_options_release(struct decorate_options *o);

/* Reads every ref once; tags are peeled. */
MUST_USE int decorations_load(struct decorations **out, struct repository *r,
			      const struct decorate_options *o, struct err *err);
void decorations_free(struct decorations *d);
bool decorations_has(const struct decorations *d, const struct object_id *oid);

/* Escape sequences of color.decorate.<slot>. */
struct decorate_colors {
	char slot[DECORATION_NR][COLOR_MAXLEN];
};
void decorate_colors_read(struct decorate_colors *c, const struct config_set *config);

/* What stands around the names: " (HEAD -> main, tag: v1)" */
struct decoration_text {
	const char *prefix, *suffix, *separator, *pointer, *tag;
};
#define DECORATION_TEXT_INIT { " (", ")", ", ", " -> ", "tag: " }

/*
 * Append the names, or nothing for a commit without refs. colors NULL: no colours; base: the
 * escape sequence of the punctuation.
 */
void decorations_format(struct strbuf *out, struct decorations *d, const struct object_id *oid,
			const struct decoration_text *text, bool full_names,
			const struct decorate_colors *colors, const char *base);

/* ---- descriptions: %(describe) of git-log(1) and git-for-each-ref(1); history/describe/describe.h ---- */

struct commit_description;
/*
 * options: "tags,abbrev=8,match=v*", or "". ERR_INVALID with the messages of for-each-ref;
 * lenient: as git log, where odd values of "tags" and "abbrev" mean something.
 */
MUST_USE int commit_description_new(struct commit_description **out, struct repository *r,
				    const char *options, bool lenient, struct err *err);
void commit_description_free(struct commit_description *d);
/* Append nothing if there is no tag that could be used. Refs are read on first use. */
MUST_USE int commit_description_add(struct commit_description *d, const struct object_id *oid,
				    struct strbuf *out, struct err *err);

/* ---- notes as they are shown: git-notes(1); their trees are read by history/notes.h ---- */

struct notes;
/* GIT_NOTES_REF, core.notesRef or refs/notes/commits. Caller frees. */
char *notes_default_ref(struct repository *r);
/* "x" and "notes/x" to "refs/notes/x". Caller frees. */
char *notes_expand_ref(const char *name);
/*
 * GIT_NOTES_REF, core.notesRef or refs/notes/commits, and those of GIT_NOTES_DISPLAY_REF or
 * notes.displayRef.
 */
MUST_USE int notes_display_refs(struct repository *r, struct strvec *out, struct err *err);
/* refs: full names, or short ones ("build" is refs/notes/build). Missing ones are skipped, and added to `missing`. */
MUST_USE int notes_open(struct notes **out, struct repository *r, const struct strvec *refs, struct strvec *missing,
			struct err *err);
void notes_free(struct notes *n);
/* raw: just the text, else "\nNotes:\n    text\n". Nothing if there is no note. */
void notes_format(struct notes *n, const struct object_id *oid, struct strbuf *out, bool raw);

/* ---- formats ---- */

enum pretty_kind {
	PRETTY_MEDIUM, PRETTY_RAW, PRETTY_SHORT, PRETTY_FULL, PRETTY_FULLER,
	PRETTY_EMAIL, PRETTY_MBOXRD, PRETTY_ONELINE, PRETTY_USER
};

/* Mails as git-format-patch(1) makes them. Nothing is owned. */
struct email_style {
	bool keep_subject;     /* the lines of a subject stay apart */
	bool is_8bit;	       /* the MIME headers say so, whatever the message has */
	bool force_in_body_from;
	const char *headers;   /* complete lines below Subject: */
	const char *multipart; /* headers, and the beginning of the first part, in their place; NULL: there are no parts */
	const char *from;      /* "NAME <MAIL>": the sender; other authors get a line in the body. NULL: authors send */
	void (*sign_off)(void *data, struct strbuf *mail); /* once the message ends in `mail`; NULL: not wanted */
	void *sign_off_data;
};

struct pretty {
	struct repository *repo;
	enum pretty_kind kind;
	char *user_format;  /* owned; of PRETTY_USER */
	bool terminator;    /* tformat: a newline after each commit, not between two */
	int abbrev;	    /* digits of %h, Merge: …; -1 automatic */
	struct date_mode date;
	bool date_explicit; /* by --date */
	bool reference;	    /* --pretty=reference: short dates unless --date is given */
	const char *encoding; /* of the output; NULL: UTF-8 */
	const char *email_prefix; /* "PATCH": in brackets before a Subject:; NULL or "": none */
	bool email_encode; /* headers that are not ASCII: as RFC 2047 wants them, else as they are */
	bool email_has_dashes; /* result: the last mail has "---" and notes after its message */
	const struct email_style *email; /* what git format-patch adds to mails; NULL: nothing */
	int expand_tabs;    /* -1: depends on the format; 0: no; else columns */
	const struct mailmap *mailmap;	   /* for Author: and the like; may be NULL */
	struct mailmap *placeholder_mailmap; /* for %aN; read on first use; owned */
	/* names of refs for %d, %D; loaded on first use if NULL */
	struct decorations *decorations;
	bool decorations_owned;
	const struct decorate_options *decorate_options;
	bool decorate_full;
	bool color;
	struct decorate_colors decorate_colors;
	char commit_color[COLOR_MAXLEN];
	bool colors_read;
	const struct rev_walk *walk; /* for %m, %S, %g*; may be NULL */
	struct notes *notes;	     /* under the message, and %N; may be NULL; not owned */
	struct format_description *descriptions; /* for %(describe); made on first use; owned */
	bool describe_once; /* only the first %(describe) is expanded, of all texts together */
	bool described;
};

void pretty_init(struct pretty *p, struct repository *r);
void pretty_release(struct pretty *p);
/* i18n.logOutputEncoding, log.date, core.abbrev … ERR_INVALID names the bad value. */
MUST_USE int pretty_config(struct pretty *p, const struct config_set *c, struct err *err);
/* i18n.* alone: for commands whose output is for programs. */
void pretty_config_encoding(struct pretty *p, const struct config_set *c);
/*
 * The commit in that encoding ("": as it is). NULL: there is nothing to convert, or some character cannot be converted.
 * Caller frees.
 */
char *pretty_reencode(const char *to, const struct commit_view *v, const char *raw, size_t len, size_t *out_len);
/*
 * "medium", "format:%h", "%h %s", a name of pretty.<name>. ERR_INVALID: "invalid
 * --pretty format: x".
 */
MUST_USE int pretty_set_format(struct pretty *p, const char *format, struct err *err);
void pretty_read_colors(struct pretty *p);
MUST_USE int pretty_load_decorations(struct pretty *p, struct err *err); /* once */

/* email or mboxrd? The command's line above such a commit is "From <oid> Mon Sep 17 00:00:00 2001". */
bool pretty_is_email(const struct pretty *p);
/* PATCH or format.subjectPrefix before subjects; format.encodeEmailHeaders. ERR_INVALID names the bad value. */
MUST_USE int pretty_config_email(struct pretty *p, const struct config_set *c, struct err *err);

/*
 * "Author: NAME <MAIL>" and, if there is a label for it, a line with the date. In the formats of mails the labels
 * are From: and Date:.
 */
void pretty_person(const struct pretty *p, const char *label, const char *date_label,
		   const char *line, size_t len, struct strbuf *out);
/*
 * Append the commit's text, without the "commit …" line. It names the parents that the walk kept. Medium and
 * similar formats end with a newline, oneline and user formats do not. email and mboxrd end with their empty line
 * if the message has nothing but a subject.
 */
MUST_USE int pretty_commit(struct pretty *p, struct commit_pool *pool, struct commit *c,
			   struct strbuf *out, struct err *err);
/*
 * Append a mail that is no commit's, without its "From …" line: `sender` ("NAME <MAIL> DATE") writes `subject` and
 * `body`. is_8bit: what comes below it is not ASCII.
 */
void pretty_letter(const struct pretty *p, const char *sender, const char *subject, const char *body, bool is_8bit,
		   struct strbuf *out);
/* "HEAD@{0}": for -g; shortened drops refs/heads/ and the like. */
void pretty_reflog_selector(const struct pretty *p, struct strbuf *out, bool shortened);
/* A subject for file names: runs of other characters become one '-'. */
void pretty_sanitize_subject(struct strbuf *out, const char *s, size_t len);
/* Does the format show the source of a commit (%S)? */
bool pretty_needs_source(const struct pretty *p);

/* ---- the graph ---- */

/*
 * The picture of the history on the left of git log --graph.
 *
 * Every line of history that is still open is a lane, two cells wide, that leads to a
 * commit which has not been shown. A commit takes its lane, its parents get lanes in
 * its place, and the lanes to the right move over to where they belong.
 *
 *	graph_begin_commit(g, c, parents, nr)
 *	while (!graph_next_row(g, out))  out is a row above the commit's own
 *	…                                then a row for each line of text
 *	while (graph_has_rows(g))        rows that must be drawn before the next commit
 */
struct graph;
/* colors: escape sequences, cycled through; nr_colors 0: none. They are not copied. */
struct graph *graph_new(const char (*colors)[COLOR_MAXLEN], size_t nr_colors);
void graph_free(struct graph *g);

/* parents: the parents that will be shown. mark: '*', or '<', '>', 'o', … */
void graph_begin_commit(struct graph *g, struct commit *c, struct commit *const *parents,
			size_t nr, char mark);
/* Append the next row, padded to its width. True: it was the commit's own. */
bool graph_next_row(struct graph *g, struct strbuf *out);
/* Are there more rows of this commit to be drawn? */
bool graph_has_rows(const struct graph *g);
/* For a line of text before the commit's row: a row that leads to it. */
void graph_padding(struct graph *g, struct strbuf *out);

#endif
