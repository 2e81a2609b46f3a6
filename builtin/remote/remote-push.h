/* SPDX-License-Identifier: GPL-2.0-only */
/* What git push would do, as git remote show tells it. */
#ifndef BUILTIN_REMOTE_REMOTE_PUSH_H
#define BUILTIN_REMOTE_REMOTE_PUSH_H

#include "repo/remotes.h"
#include "transport/remote-refs.h"

enum push_status { PUSH_CREATE, PUSH_DELETE, PUSH_UP_TO_DATE, PUSH_FORWARD, PUSH_OUT_OF_DATE };
struct push_line {
	char *src, *dst; /* matched: without refs/heads/; "(delete)": dst goes */
	bool force;
	enum push_status status;
};
struct push_lines {
	struct push_line *items;
	size_t nr, alloc;
};
#define PUSH_LINES_INIT { NULL, 0, 0 }
void push_lines_release(struct push_lines *lines);
void push_lines_sort(struct push_lines *lines);
const char *push_status_word(enum push_status status);

/* The refspecs as they are; without any all that both sides have. */
void push_lines_read(struct push_lines *lines, const struct remote *remote);
/* Find the refs that refspecs match, and the effect on the remote's refs. A refspec without a match is an error. */
MUST_USE int push_lines_match(struct push_lines *lines, struct repository *r, const struct remote *remote,
			      const struct remote_refs *refs, struct err *err);

#endif
