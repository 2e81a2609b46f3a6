/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/ident.h"


static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* The digits at p as a number, at most `max`. Returns their end. */
static const char *parse_digits(const char *p, const char *end, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;
	bool over = false;

	for (; p < end && isdigit((unsigned char)*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		over |= n > (max - digit) / 10;
		n = n * 10 + digit;
	}
	*out = over ? max : n;
	return p;
}

/* " 1700000000 +0100" at p; several blanks are accepted. */
static bool parse_date(struct ident_split *out, const char *p, const char *end)
{
	const char *digits = skip_blanks(p, end), *zone;
	uint64_t date, tz;

	p = parse_digits(digits, end, UINT64_MAX, &date);
	zone = skip_blanks(p, end);
	if (p == digits || zone == end || (*zone != '+' && *zone != '-') ||
	    parse_digits(zone + 1, end, INT_MAX, &tz) == zone + 1)
		return false;
	out->date = date;
	out->date_text = digits;
	out->date_len = (size_t)(p - digits);
	if (tz < INT_MAX)
		out->tz = *zone == '-' ? -(int)tz : (int)tz;
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
	*out = id;
	return 0;
}

bool ident_add_signoff(struct strbuf *out, const char *line)
{
	struct ident_split id;

	if (ident_split_line(&id, line, strlen(line)) < 0)
		return false;
	strbuf_addf(out, "Signed-off-by: %.*s <%.*s>", (int)id.name_len, id.name, (int)id.mail_len, id.mail);
	return true;
}

void ident_shown_date(const struct ident_split *id, timestamp_t *date, int *tz)
{
	bool fits = id->has_date && id->date <= TIME_MAX;

	*date = fits ? id->date : 0;
	*tz = fits ? id->tz : 0;
}

timestamp_t ident_order_date(const char *line, size_t len)
{
	const char *end = line + len, *p = len ? memrchr(line, '>', len) : NULL;
	bool negative;
	uint64_t date;

	if (!p)
		return 0;
	p = skip_blanks(p + 1, end);
	negative = p < end && *p == '-';
	parse_digits(p + negative, end, UINT64_MAX, &date);
	return negative && date < UINT64_MAX ? -date : date;
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
