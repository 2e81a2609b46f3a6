/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-interpret-trailers(1), and --trailer of git-commit(1) and git-tag(1), by the rules of trailer.* in git-config(1).
 */
#ifndef PORCELAIN_TRAILERS_H
#define PORCELAIN_TRAILERS_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/strvec.h"

/*
 * Put trailers ("KEY=VALUE", "KEY: VALUE" or "KEY") into the block at the end of a message,
 * or make one. trailer.KEY.command and .cmd are run for values. ERR_INVALID: an argument has
 * no key; `msg` is as it was.
 */
MUST_USE int trailers_add(struct repository *r, struct strbuf *msg, const struct strvec *args,
			  char comment_char, struct err *err);

/* What --where, --if-exists and --if-missing set. */
enum trailer_setting { TRAILER_WHERE, TRAILER_IF_EXISTS, TRAILER_IF_MISSING, TRAILER_SETTINGS };
/* The value's number, for trailer_arg; -1: there is no such value. */
int trailer_setting_parse(enum trailer_setting setting, const char *value);

struct trailer_arg {
	const char *text;	   /* of --trailer */
	int chosen[TRAILER_SETTINGS]; /* before the configuration's; -1: not set */
};
struct trailers_edit {
	const struct trailer_arg *args;
	size_t nr_args;
	bool only_trailers; /* nothing but the block stays */
	bool only_input;    /* no new trailers */
	bool trim_empty;    /* trailers without a value go */
	bool unfold;	    /* each value becomes one line */
	bool no_divider;    /* "---" is a line of the message */
};
/*
 * Edit the block of a message, or of a mail with a patch behind the line "---". An argument without a key is reported
 * as an error and ignored.
 */
void trailers_edit(const struct config_set *config, struct strbuf *msg, const struct trailers_edit *e, char comment_char);

/* Append a line to the block as it stands, unless it is the last one there: for -s. */
void trailers_add_line(struct repository *r, struct strbuf *msg, const char *line,
		       char comment_char);

#endif
