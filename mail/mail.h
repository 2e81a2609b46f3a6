/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mails as carriers of patches: mailboxes and maildirs (git-mailsplit(1)).
 * Texts are held in memory; the caller reads them, with a limit. No bytes of a mail are trusted.
 */
#ifndef MAIL_MAIL_H
#define MAIL_MAIL_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- split.c ---- */

struct mailbox_options {
	bool bare;    /* a text without a "From " line is one mail; else ERR_INVALID */
	bool keep_cr; /* CR stays at the ends of lines */
	bool mboxrd;  /* ">From " is "From ", ">>From " is ">From " and so on */
	bool single;  /* only the first mail counts, and white space before it: a file of a maildir */
};
/* Takes a mail; not 0 ends the work with that result. */
typedef int (*mail_fn)(void *data, const struct strbuf *mail, struct err *err);
MUST_USE int mailbox_split(const char *text, size_t len, const struct mailbox_options *o, mail_fn fn, void *data,
			   struct err *err);
/* Append "cur/NAME" and "new/NAME" of a maildir; numbers in names are compared as numbers. */
MUST_USE int maildir_list(const char *path, struct strvec *out, struct err *err);

#endif
