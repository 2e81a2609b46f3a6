/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gc.log in the repository: what was wrong when maintenance ran in the background, where nobody
 * could see it. git-gc(1), gc.logExpiry.
 */
#ifndef MAINTAIN_GC_LOG_H
#define MAINTAIN_GC_LOG_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/strbuf.h"

/*
 * *failed: is there one that is not older than gc.logExpiry (a day)? Then its text is appended to out.
 * ERR_INVALID: the setting is bad.
 */
MUST_USE int gc_log_read(struct repository *r, struct strbuf *out, bool *failed, struct err *err);
/*
 * It has this text from now on; without text, there is none. An operation of its own; nothing is done, and
 * nothing flushed, if there is neither.
 */
MUST_USE int gc_log_write(struct repository *r, const struct strbuf *text, struct err *err);

#endif
