/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_UTF8_WARNING_H
#define CLI_UTF8_WARNING_H

/* On stderr, as Git words it: a new commit was not UTF-8. For struct new_commit of commit/commit.h. */
void warn_commit_not_utf8(void);

#endif
