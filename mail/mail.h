/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mails as carriers of patches: mailboxes and maildirs (git-mailsplit(1)), and what a mail says (git-mailinfo(1)).
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
/*
 * The mails of a maildir, in "cur/" and "new/", in the order of their names; numbers in names are compared as numbers.
 * Each file is one mail of at most `max` bytes (o->bare and o->single are ignored); an empty one is ERR_NOT_FOUND.
 */
MUST_USE int maildir_split(const char *path, size_t max, const struct mailbox_options *o, mail_fn fn, void *data,
			   struct err *err);

/* ---- info.c ---- */

enum quoted_cr { QUOTED_CR_NOWARN, QUOTED_CR_WARN, QUOTED_CR_STRIP };
/* False: there is no such action. */
bool quoted_cr_parse(const char *name, enum quoted_cr *out);

struct mail_options {
	bool keep_subject;	  /* as it is */
	bool keep_brackets;	  /* "[...]" goes only if it has "PATCH" in it */
	bool add_message_id;	  /* at the end of the message */
	bool scissors;		  /* drop the text above a line "-- >8 --" */
	enum quoted_cr quoted_cr; /* CRLF in base64 or quoted-printable */
	const char *charset;	  /* of the results; NULL: as they are */
	void (*warn)(const char *message);
	void (*report_error)(const char *message);
};

struct mail_info {
	/* has_*: the mail says it */
	bool has_author, has_subject, has_date;
	struct strbuf author, email, subject, date;
	struct strbuf message, patch;
	bool flowed; /* format=flowed: spaces at the ends of lines do not count */
	bool faulty; /* the text cannot be all right; report_error has been called */
};

void mail_info_init(struct mail_info *m);
void mail_info_release(struct mail_info *m);
/* Append what git-mailinfo(1) prints: "Author: …" and so on, and an empty line. */
void mail_format_info(const struct mail_info *m, struct strbuf *out);
/* Fills `m`, which mail_info_init made. */
void mail_read(const char *text, size_t len, const struct mail_options *o, struct mail_info *m);

#endif
