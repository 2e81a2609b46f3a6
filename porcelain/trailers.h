/* SPDX-License-Identifier: GPL-2.0-only */
/* --trailer of git-commit(1) and git-tag(1), by the rules of trailer.* in git-config(1). */
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
/* Append a line to the block as it stands, unless it is the last one there: for -s. */
void trailers_add_line(struct repository *r, struct strbuf *msg, const char *line,
		       char comment_char);

#endif
