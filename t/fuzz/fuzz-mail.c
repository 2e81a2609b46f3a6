/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mailboxes and mails. The first byte selects which; its remaining bits are options. All bytes of a mailbox are in its
 * mails if none are to be changed.
 */
#include "compat/posix.h"
#include "mail/mail.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"

static int count_bytes(void *data, const struct strbuf *mail, struct err *err)
{
	(void)err;
	*(size_t *)data += mail->len;
	return 0;
}

static void split(const char *s, size_t len, unsigned bits)
{
	struct mailbox_options o = { .bare = true, .keep_cr = bits & 1, .mboxrd = bits & 2 };
	size_t total = 0, blanks = 0;

	while (blanks < len && isspace((unsigned char)s[blanks]))
		blanks++;
	if (mailbox_split(s, len, &o, count_bytes, &total, NULL) < 0 || total > len - blanks ||
	    (o.keep_cr && !o.mboxrd && total != len - blanks))
		abort();
}

static void ignore_message(const char *message)
{
	if (!*message)
		abort();
}

static void read_one(const char *s, size_t len, unsigned bits)
{
	struct mail_options o = { .keep_subject = bits & 1, .keep_brackets = bits & 2, .add_message_id = bits & 4, .scissors = bits & 8,
				  .quoted_cr = bits & 16 ? QUOTED_CR_STRIP : QUOTED_CR_WARN, .charset = bits & 32 ? NULL : "UTF-8",
				  .warn = ignore_message, .report_error = ignore_message };
	struct mail_info m;

	mail_info_init(&m);
	mail_read(s, len, &o, &m);
	if (!m.has_author && (m.author.len || m.email.len))
		abort();
	mail_info_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s;

	if (!size)
		return 0;
	s = xmemdupz(data + 1, size - 1);
	if (data[0] & 128)
		split(s, size - 1, data[0]);
	else
		read_one(s, size - 1, data[0]);
	free(s);
	return 0;
}
