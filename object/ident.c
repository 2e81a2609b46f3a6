/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/ident.h"


/* " 1700000000 +0100" at p; several blanks are accepted. */
static bool parse_date(struct ident_split *out, const char *p, const char *end)
{
	timestamp_t t = 0;
	int tz = 0, sign = 1, digits = 0;

	while (p < end && isspace((unsigned char)*p))
		p++;
	for (; p < end && isdigit((unsigned char)*p); p++, digits++) {
		if (t > (TIME_MAX - 9) / 10)
			return false;
		t = t * 10 + (timestamp_t)(*p - '0');
	}
	if (!digits)
		return false;
	out->date = t;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p < end && (*p == '+' || *p == '-'))
		sign = *p++ == '-' ? -1 : 1;
	else
		return true; /* no zone: UTC */
	for (; p < end && isdigit((unsigned char)*p) && tz < 100000; p++)
		tz = tz * 10 + (*p - '0');
	out->tz = sign * tz;
	return true;
}

/*
 * The mail ends at the first '>' after '<', but the date begins after the last one: there
 * are lines with an extra '>' in the mail, whose dates are valid.
 */
int ident_split_line(struct ident_split *out, const char *line, size_t len)
{
	struct ident_split id = { 0 };
	const char *end = line + len;
	const char *lt = len ? memchr(line, '<', len) : NULL;
	const char *gt = lt ? memchr(lt, '>', (size_t)(end - lt)) : NULL;

	if (!gt)
		return -1;
	id.name = line;
	id.name_len = (size_t)(lt - line);
	/* Blanks before the name belong to it, as everywhere in Git. */
	while (id.name_len && isspace((unsigned char)id.name[id.name_len - 1]))
		id.name_len--;
	id.mail = lt + 1;
	id.mail_len = (size_t)(gt - id.mail);
	id.has_date = parse_date(&id, (const char *)memrchr(line, '>', len) + 1, end);
	if (!id.has_date)
		id.date = 0;
	*out = id;
	return 0;
}

bool ident_split_eq(const struct ident_split *a, const struct ident_split *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len) &&
	       a->mail_len == b->mail_len && !memcmp(a->mail, b->mail, a->mail_len);
}

/* Removed at both ends of a name or mail. A full stop is not: "Ann Doe Jr.", ".NET". */
static bool is_stripped_at_ends(unsigned char c)
{
	return c <= 32 || c == ',' || c == ':' || c == ';' || c == '<' ||
	       c == '>' || c == '"' || c == '\\' || c == '\'';
}

bool ident_is_empty(const char *s)
{
	while (*s && is_stripped_at_ends((unsigned char)*s))
		s++;
	return !*s;
}

static size_t add_cleaned(struct strbuf *out, const char *s)
{
	size_t len = strlen(s), before = out->len;

	while (len && is_stripped_at_ends((unsigned char)*s)) {
		s++;
		len--;
	}
	while (len && is_stripped_at_ends((unsigned char)s[len - 1]))
		len--;
	for (; len; s++, len--)
		if (*s != '\n' && *s != '<' && *s != '>')
			strbuf_addch(out, (unsigned char)*s);
	return out->len - before;
}

int ident_format(struct strbuf *out, const char *name, const char *mail,
		 timestamp_t date, int tz, bool strict, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	if (!add_cleaned(&line, name) && strict)
		rc = *name ? err_set(err, ERR_INVALID,
				     "name consists only of disallowed characters: %s", name)
			   : err_set(err, ERR_INVALID,
				     "empty ident name (for <%s>) not allowed", mail);
	if (!rc) {
		strbuf_addstr(&line, " <");
		add_cleaned(&line, mail);
		strbuf_addf(&line, "> %" PRIu64 " %c%04d", date, tz < 0 ? '-' : '+', abs(tz));
		strbuf_addbuf(out, &line);
	}
	strbuf_release(&line);
	return rc;
}
