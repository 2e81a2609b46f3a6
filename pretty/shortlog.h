/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commits grouped by people, trailers or whatever a format says. git-shortlog(1).
 *
 *	shortlog_new(&s, repo, &options, err)
 *	shortlog_add_commit(s, pool, commit, err)    or shortlog_add_line, of a log as text
 *	shortlog_format(s, &out)
 *	shortlog_free(s)
 *
 * Memory: a line of each commit; with `summary` only a number for each group.
 */
#ifndef PRETTY_SHORTLOG_H
#define PRETTY_SHORTLOG_H

#include "compat/posix.h"
#include "pretty/pretty.h"

#define SHORTLOG_AUTHOR 1u
#define SHORTLOG_COMMITTER 2u

struct shortlog_options {
	unsigned people;	/* SHORTLOG_… */
	struct strvec trailers; /* keys */
	struct strvec formats;
	bool numbered;		/* sort by number */
	bool summary;		/* numbers alone */
	bool email;
	bool wrap;
	int width, indent1, indent2; /* columns; width 0: only indent */
	/*
	 * What formats take their settings from (dates, abbreviations, the walk); its own format
	 * makes the lines if it is a user's, else they are subjects. NULL: defaults.
	 */
	const struct pretty *style;
};
#define SHORTLOG_OPTIONS_INIT { 0, STRVEC_INIT, STRVEC_INIT, false, false, false, false, \
	76, 6, 9, NULL }
void shortlog_options_release(struct shortlog_options *o);

struct shortlog;
/* r NULL: outside of a repository; then there are only lines of text. Options are not copied. */
MUST_USE int shortlog_new(struct shortlog **out, struct repository *r,
			  const struct shortlog_options *o, struct err *err);
void shortlog_free(struct shortlog *s);

MUST_USE int shortlog_add_commit(struct shortlog *s, struct commit_pool *pool,
				 struct commit *c, struct err *err);
/*
 * The next line of "git log", without its newline; NULL at the end. People are found behind
 * "Author: " and "author ", or "Commit: " and "committer ".
 */
void shortlog_add_line(struct shortlog *s, const char *line);
/* Append everything. */
void shortlog_format(struct shortlog *s, struct strbuf *out);

#endif
