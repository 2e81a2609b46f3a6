/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the user that a command changes as a whole. */
#ifndef FS_REPLACE_H
#define FS_REPLACE_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

/*
 * A new file with this text takes the place of the file at `path`, which is there, so that none of the old one is lost
 * if the new one cannot be written. The mode stays. prefix: of the temporary file beside it; name: of the file in
 * messages. A device or a pipe is written to. No flush: the file is the user's, as one that an editor writes.
 */
MUST_USE int replace_user_file(const char *path, const struct strbuf *text, const char *prefix, const char *name,
			       struct err *err);

#endif
