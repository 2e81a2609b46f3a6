/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of commits and tags: header lines and idents. A check ends at the first failure,
 * because what follows a malformed line cannot be interpreted. If a finding is not a failure
 * (severity "warn"), the check continues with the next line.
 */
#include "compat/posix.h"
#include "object/fsck-internal.h"
#include "util/date.h"

struct text {
	struct fsck_item *it;
	const char *pos, *end; /* the rest of the text */
};

/* Every line of the header has an LF and no NUL. */
static int check_headers(struct fsck_item *it, const char *buf, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!buf[i])
			return fsck_found(it, MSG_NUL_IN_HEADER,
					  "unterminated header: NUL at offset %zu", i);
		if (buf[i] == '\n' && i + 1 < size && buf[i + 1] == '\n')
			return 0;
	}
	/* Without a body there is no empty line; then the last line must have its LF. */
	if (size && buf[size - 1] == '\n')
		return 0;
	return fsck_found(it, MSG_UNTERMINATED_HEADER, "unterminated header");
}

static bool parse_key(struct text *t, const char *key)
{
	size_t len = strlen(key);

	if ((size_t)(t->end - t->pos) < len || memcmp(t->pos, key, len))
		return false;
	t->pos += len;
	return true;
}

/* The rest of the line; returns its length and moves to the next line. */
static size_t next_text_line(struct text *t, const char **line)
{
	const char *lf = memchr(t->pos, '\n', (size_t)(t->end - t->pos));
	size_t len = (size_t)((lf ? lf : t->end) - t->pos);

	*line = t->pos;
	t->pos = lf ? lf + 1 : t->end;
	return len;
}

static bool is_oid(const struct fsck_item *it, const char *line, size_t len)
{
	struct object_id oid;
	const char *end;

	return len == it->algo->hex_len && !oid_parse_hex(&oid, line, it->algo, &end);
}

/* ---- idents ---- */

#define WRONG(msg, what) \
	fsck_found(it, (msg), "invalid author/committer line - " what)

/* The first of these characters; `end` if there is none. */
static const char *find_any(const char *p, const char *end, const char *any)
{
	while (p < end && (!*p || !strchr(any, *p)))
		p++;
	return p;
}

/* The digits at p; *next is behind them. */
static bool date_overflows(const char *p, const char *end, const char **next)
{
	uint64_t n = 0;
	bool over = false;

	for (; p < end && isdigit((unsigned char)*p); p++) {
		if (n > ((uint64_t)TIME_MAX - (unsigned)(*p - '0')) / 10)
			over = true;
		else
			n = n * 10 + (unsigned)(*p - '0');
	}
	*next = p;
	return over;
}

static bool is_zone(const char *p, const char *end)
{
	if (end - p != 5 || (*p != '+' && *p != '-'))
		return false;
	for (p++; p < end; p++)
		if (!isdigit((unsigned char)*p))
			return false;
	return true;
}

static int check_date(struct fsck_item *it, const char *p, const char *end)
{
	const char *next;
	bool over;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p < end && p[0] == '0' && (p + 1 == end || p[1] != ' '))
		return WRONG(MSG_ZERO_PADDED_DATE, "zero-padded date");
	over = date_overflows(p, end, &next);
	if (over)
		return WRONG(MSG_BAD_DATE_OVERFLOW, "date causes integer overflow");
	if (next == p || next == end || *next != ' ')
		return WRONG(MSG_BAD_DATE, "bad date");
	if (!is_zone(next + 1, end))
		return WRONG(MSG_BAD_TIMEZONE, "bad time zone");
	return 0;
}

static int check_ident(struct text *t)
{
	struct fsck_item *it = t->it;
	const char *line, *p, *end;
	size_t len = next_text_line(t, &line);

	end = line + len;
	if (line < end && *line == '<')
		return WRONG(MSG_MISSING_NAME_BEFORE_EMAIL, "missing space before email");
	p = find_any(line, end, "<>");
	if (p < end && *p == '>')
		return WRONG(MSG_BAD_NAME, "bad name");
	if (p == end)
		return WRONG(MSG_MISSING_EMAIL, "missing email");
	if (p[-1] != ' ')
		return WRONG(MSG_MISSING_SPACE_BEFORE_EMAIL, "missing space before email");
	p = find_any(p + 1, end, "<>");
	if (p == end || *p != '>')
		return WRONG(MSG_BAD_EMAIL, "bad email");
	p++;
	if (p == end || *p != ' ')
		return WRONG(MSG_MISSING_SPACE_BEFORE_DATE, "missing space before date");
	return check_date(it, p + 1, end);
}

/* ---- commits ---- */

static int check_commit_links(struct text *t)
{
	const char *line;
	size_t len;
	int rc;

	if (!parse_key(t, "tree "))
		return fsck_found(t->it, MSG_MISSING_TREE, "invalid format - expected 'tree' line");
	len = next_text_line(t, &line);
	if (!is_oid(t->it, line, len)) {
		rc = fsck_found(t->it, MSG_BAD_TREE_SHA1, "invalid 'tree' line format - bad sha1");
		if (rc)
			return rc;
	}
	while (parse_key(t, "parent ")) {
		len = next_text_line(t, &line);
		if (is_oid(t->it, line, len))
			continue;
		rc = fsck_found(t->it, MSG_BAD_PARENT_SHA1,
				"invalid 'parent' line format - bad sha1");
		if (rc)
			return rc;
	}
	return 0;
}

static int check_idents(struct text *t)
{
	int authors = 0, rc = 0;

	for (; !rc && parse_key(t, "author "); authors++)
		rc = check_ident(t);
	if (!rc && !authors)
		rc = fsck_found(t->it, MSG_MISSING_AUTHOR, "invalid format - expected 'author' line");
	else if (!rc && authors > 1)
		rc = fsck_found(t->it, MSG_MULTIPLE_AUTHORS,
				"invalid format - multiple 'author' lines");
	if (rc)
		return rc;
	if (!parse_key(t, "committer "))
		return fsck_found(t->it, MSG_MISSING_COMMITTER,
				  "invalid format - expected 'committer' line");
	return check_ident(t);
}

int fsck_commit(struct fsck_item *it, const char *buf, size_t size)
{
	struct text t = { it, buf, buf + size };

	if (check_headers(it, buf, size) || check_commit_links(&t) || check_idents(&t))
		return 1;
	if (size && memchr(buf, 0, size))
		return fsck_found(it, MSG_NUL_IN_COMMIT,
				  "NUL byte in the commit object body") != 0;
	return 0;
}

/* ---- tags ---- */

/* The rules of git-check-ref-format(1) for refs/tags/NAME. */
static bool is_tag_name(const char *p, size_t len)
{
	const char *end = p + len, *part = p;

	if (!len || end[-1] == '/' || end[-1] == '.')
		return false;
	for (; p <= end; p++) {
		if (p == end || *p == '/') {
			if (p == part || *part == '.' ||
			    (p - part >= 5 && !memcmp(p - 5, ".lock", 5)))
				return false;
			part = p + 1;
			continue;
		}
		if ((unsigned char)*p < 32 || *p == 127 || strchr(" ~^:?*[\\", *p))
			return false;
		if (p + 1 < end && ((p[0] == '.' && p[1] == '.') || (p[0] == '@' && p[1] == '{')))
			return false;
	}
	return true;
}

static int check_target(struct text *t)
{
	const char *line;
	size_t len;
	int rc;

	if (!parse_key(t, "object "))
		return fsck_found(t->it, MSG_MISSING_OBJECT,
				  "invalid format - expected 'object' line");
	len = next_text_line(t, &line);
	if (!is_oid(t->it, line, len)) {
		rc = fsck_found(t->it, MSG_BAD_OBJECT_SHA1,
				"invalid 'object' line format - bad sha1");
		if (rc)
			return rc;
	}
	if (!parse_key(t, "type "))
		return fsck_found(t->it, MSG_MISSING_TYPE_ENTRY,
				  "invalid format - expected 'type' line");
	len = next_text_line(t, &line);
	if (object_type_from_name(line, len) == OBJ_BAD)
		return fsck_found(t->it, MSG_BAD_TYPE, "invalid 'type' value");
	return 0;
}

static int check_tag_name(struct text *t)
{
	const char *line;
	size_t len;

	if (!parse_key(t, "tag "))
		return fsck_found(t->it, MSG_MISSING_TAG_ENTRY,
				  "invalid format - expected 'tag' line");
	len = next_text_line(t, &line);
	if (is_tag_name(line, len))
		return 0;
	return fsck_found(t->it, MSG_BAD_TAG_NAME, "invalid 'tag' name: %.*s", (int)len, line);
}

static int check_tagger(struct text *t)
{
	if (parse_key(t, "tagger "))
		return check_ident(t);
	return fsck_found(t->it, MSG_MISSING_TAGGER_ENTRY,
			  "invalid format - expected 'tagger' line");
}

int fsck_tag(struct fsck_item *it, const char *buf, size_t size)
{
	struct text t = { it, buf, buf + size };

	if (check_headers(it, buf, size) || check_target(&t) || check_tag_name(&t) ||
	    check_tagger(&t))
		return 1;
	if (t.pos < t.end && *t.pos != '\n')
		return fsck_found(it, MSG_EXTRA_HEADER_ENTRY,
				  "invalid format - extra header(s) after 'tagger'") != 0;
	return 0;
}
