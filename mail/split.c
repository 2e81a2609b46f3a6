/* SPDX-License-Identifier: GPL-2.0-only */
/* mbox(5), in the variants mboxo and mboxrd; maildir(5). */
#include "compat/posix.h"
#include "fs/file.h"
#include <dirent.h>
#include "mail/mail.h"
#include "util/alloc.h"

#define FROM_LINE_MIN 20 /* bytes, with the line break */
#define YEAR_MIN 91	 /* years of two digits, too */

static size_t mbox_line_length(const char *s, size_t len)
{
	const char *eol = memchr(s, '\n', len);

	return eol ? (size_t)(eol - s) + 1 : len;
}

static bool is_digit_at(const char *s, size_t len, ssize_t at)
{
	return at >= 0 && (size_t)at < len && isdigit((unsigned char)s[at]);
}

static bool has_year(const char *s, size_t len)
{
	long year = 0;

	while (len && isspace((unsigned char)*s)) {
		s++;
		len--;
	}
	if (len && *s == '+') { /* a zone: Git takes it for the year */
		s++;
		len--;
	}
	for (; len && isdigit((unsigned char)*s) && year < 10000; s++, len--)
		year = year * 10 + (*s - '0');
	return year >= YEAR_MIN;
}

/* "From ", something, a time as "10:11:12" that the last colon belongs to, and a year. */
static bool is_from_line(const char *s, size_t len)
{
	const char *colon;
	ssize_t at;

	if (len < FROM_LINE_MIN || memcmp(s, "From ", 5))
		return false;
	colon = memrchr(s + 5, ':', len - 1 - 5);
	if (!colon)
		return false;
	at = colon - s;
	if (!is_digit_at(s, len, at - 4) || !is_digit_at(s, len, at - 2) || !is_digit_at(s, len, at - 1) ||
	    !is_digit_at(s, len, at + 1) || !is_digit_at(s, len, at + 2))
		return false;
	return has_year(s + at + 3, len - (size_t)at - 3);
}

/* ">From ", ">>From " and so on. */
static bool is_quoted_from(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] == '>')
		n++;
	return n && len - n >= 5 && !memcmp(s + n, "From ", 5);
}

static void add_mail_line(struct strbuf *mail, const char *s, size_t len, const struct mailbox_options *o)
{
	if (o->mboxrd && is_quoted_from(s, len)) {
		s++;
		len--;
	}
	strbuf_add(mail, s, len);
	if (!o->keep_cr && len > 1 && s[len - 1] == '\n' && s[len - 2] == '\r') {
		strbuf_setlen(mail, mail->len - 2);
		strbuf_addch(mail, '\n');
	}
}

/* The first mail of a text; returns its length there. */
static size_t take_mail(struct strbuf *mail, const char *s, size_t len, bool bare, const struct mailbox_options *o)
{
	size_t pos = 0;

	strbuf_reset(mail);
	while (pos < len) {
		size_t n = mbox_line_length(s + pos, len - pos);

		if (pos && !bare && is_from_line(s + pos, n))
			break;
		add_mail_line(mail, s + pos, n, o);
		pos += n;
	}
	return pos;
}

int mailbox_split(const char *text, size_t len, const struct mailbox_options *o, mail_fn fn, void *data, struct err *err)
{
	struct strbuf mail = STRBUF_INIT;
	bool bare;
	int rc = 0;

	while (!o->single && len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	bare = !is_from_line(text, mbox_line_length(text, len));
	if (len && bare && !o->bare)
		return err_set(err, ERR_INVALID, "corrupt mailbox");
	while (!rc && len) {
		size_t n = take_mail(&mail, text, len, bare, o);

		rc = fn(data, &mail, err);
		text += n;
		len -= n;
		if (o->single)
			break;
	}
	strbuf_release(&mail);
	return rc;
}

/* ---- maildirs ---- */

static int compare_maildir_names(const void *va, const void *vb)
{
	const char *a = *(const char *const *)va, *b = *(const char *const *)vb;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *end_a, *end_b;
			long na = strtol(a, &end_a, 10), nb = strtol(b, &end_b, 10);

			if (na != nb)
				return na < nb ? -1 : 1;
			a = end_a;
			b = end_b;
		} else {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++;
			b++;
		}
	}
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int list_maildir_part(const char *path, const char *part, struct strvec *out, struct err *err)
{
	char *full = xstrfmt("%s/%s", path, part);
	DIR *dir = opendir(full);
	struct dirent *e;
	int rc = 0;

	if (!dir && errno != ENOENT)
		rc = err_set_errno(err, "cannot opendir %s", full);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			strvec_pushf(out, "%s/%s", part, e->d_name);
	if (dir)
		closedir(dir);
	free(full);
	return rc;
}

static int list_maildir(const char *path, struct strvec *out, struct err *err)
{
	int rc = list_maildir_part(path, "cur", out, err);

	if (!rc)
		rc = list_maildir_part(path, "new", out, err);
	if (!rc && out->nr)
		qsort(out->v, out->nr, sizeof(*out->v), compare_maildir_names);
	return rc;
}

int maildir_split(const char *path, size_t max, const struct mailbox_options *o, mail_fn fn, void *data, struct err *err)
{
	struct mailbox_options one = *o;
	struct strvec names = STRVEC_INIT;
	int rc = list_maildir(path, &names, err);

	one.bare = one.single = true;
	for (size_t i = 0; !rc && i < names.nr; i++) {
		char *full = xstrfmt("%s/%s", path, names.v[i]);
		struct strbuf text = STRBUF_INIT;

		rc = read_named_file(&text, full, max, err);
		if (!rc && !text.len)
			rc = err_set(err, ERR_NOT_FOUND, "cannot read mail %s: it is empty", full);
		if (!rc)
			rc = mailbox_split(text.buf, text.len, &one, fn, data, err);
		strbuf_release(&text);
		free(full);
	}
	strvec_clear(&names);
	return rc;
}
