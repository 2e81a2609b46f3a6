/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commits as text: "PRETTY FORMATS" of git-log(1). The line "commit …" above them,
 * separators and diffs are the command's.
 */
#ifndef PRETTY_PRETTY_H
#define PRETTY_PRETTY_H

#include "compat/posix.h"
#include "object/commit.h"
#include "util/color.h"
#include "util/date.h"
#include "history/commits.h"
#include "pretty/decorate.h"
#include "history/mailmap.h"
#include "pretty/notes.h"
#include "history/revision.h"

enum pretty_kind {
	PRETTY_MEDIUM, PRETTY_RAW, PRETTY_SHORT, PRETTY_FULL, PRETTY_FULLER,
	PRETTY_ONELINE, PRETTY_USER
};

struct pretty {
	struct repository *repo;
	enum pretty_kind kind;
	char *user_format;  /* owned; of PRETTY_USER */
	bool terminator;    /* tformat: a newline behind each, not between them */
	int abbrev;	    /* digits of %h, Merge: …; -1 automatic */
	struct date_mode date;
	bool date_explicit; /* by --date */
	bool reference;	    /* --pretty=reference: short dates unless --date says other */
	const char *encoding; /* of the output; NULL: UTF-8 */
	int expand_tabs;    /* -1: as the format has it; 0: not; else columns */
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
};

void pretty_init(struct pretty *p, struct repository *r);
void pretty_release(struct pretty *p);
/* i18n.logOutputEncoding, log.date, core.abbrev … ERR_INVALID names the bad value. */
MUST_USE int pretty_config(struct pretty *p, const struct config_set *c, struct err *err);
/*
 * "medium", "format:%h", "%h %s", a name of pretty.<name>. ERR_INVALID: "invalid
 * --pretty format: x".
 */
MUST_USE int pretty_set_format(struct pretty *p, const char *format, struct err *err);
void pretty_read_colors(struct pretty *p);
MUST_USE int pretty_load_decorations(struct pretty *p, struct err *err); /* once */

/*
 * The commit's text, without the "commit …" line. parents: of merges, as the walk has
 * them. Medium and the like end with a newline, oneline and user formats do not.
 */
MUST_USE int pretty_commit(struct pretty *p, struct commit_pool *pool, struct commit *c,
			   struct strbuf *out, struct err *err);
/* "HEAD@{0}": for -g; shortened drops refs/heads/ and the like. */
void pretty_reflog_selector(const struct pretty *p, struct strbuf *out, bool shortened);
/* A subject for file names: runs of other characters become one '-'. */
void pretty_sanitize_subject(struct strbuf *out, const char *s, size_t len);
/* Does the format ask for names of refs or sources? */
bool pretty_needs_source(const struct pretty *p);

/* ---- within pretty*.c ---- */
struct pretty_commit {
	struct pretty *p;
	struct commit_pool *pool;
	struct commit *c;
	/* The object, as a whole in the output's encoding, where that is possible. */
	const char *text;
	size_t text_len;
	struct commit_view v;	 /* of it */
	const char *encoding;	 /* what the object says; NULL: nothing */
	size_t encoding_len;
	bool converted;
};
MUST_USE int pretty_user_format(struct pretty_commit *pc, struct strbuf *out, struct err *err);

#endif
