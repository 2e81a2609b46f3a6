/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of merges, as git-fmt-merge-msg(1) makes them: from lines of FETCH_HEAD.
 *
 *   "<object name> TAB [not-for-merge] TAB [branch|tag|remote-tracking branch|commit '<name>' of ]<url>"
 *
 * The url "." stands for this repository, and is not named in the message.
 */
#ifndef PORCELAIN_MERGE_MESSAGE_H
#define PORCELAIN_MERGE_MESSAGE_H

#include "compat/posix.h"
#include "index/index.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

struct merge_message_options {
	const char *first;     /* takes the place of the title; NULL: none does */
	const char *into_name; /* in place of the branch of HEAD; NULL: that */
	int log;	       /* subjects of each side at most; 0: none */
	char comment_char;     /* before lines about signatures of tags */
	bool no_title;	       /* `out` has a message already */
	bool reduce;	       /* leave out lines of commits that HEAD, or another line, leads to */
	bool credits;	       /* with `log`: authors and committers of each side, as comments */
};

/*
 * Append the message to `out`. Nothing is appended if no line is for a merge and there is no `first`.
 * Errors: ERR_INVALID, "error in line 1: …"; ERR_NOT_FOUND, "No current branch" (reduce); objects and refs that cannot be
 *         read.
 */
MUST_USE int merge_message_format(struct repository *r, const char *lines, const struct merge_message_options *o,
				  struct strbuf *out, struct err *err);
/*
 * Append an empty line and, as comments, "Conflicts:" and the paths that `stages` has. scissors: below a scissors line, so
 * that the editor's text loses them (--cleanup=scissors).
 */
void merge_message_add_conflicts(struct strbuf *out, const struct index_state *stages, bool scissors, char comment_char);

#endif
