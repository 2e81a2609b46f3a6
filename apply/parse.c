/* SPDX-License-Identifier: GPL-2.0-only */
/* The input is cut into patches of files, and these into hunks. */
#include "compat/posix.h"
#include "apply/patch-internal.h"
#include "diff/whitespace.h"

/* ---- headers of hunks ---- */

static const char *parse_number(const char *s, const char *end, unsigned long *out)
{
	unsigned long n = 0;
	const char *at = s;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');

		if (n > (ULONG_MAX - digit) / 10)
			return NULL;
		n = n * 10 + digit;
	}
	*out = n;
	return at == s ? NULL : at;
}

/* "1,2" or "1", and `expect` behind it. NULL: malformed. */
static const char *parse_range(const char *s, const char *end, const char *expect, unsigned long *pos, unsigned long *nr)
{
	size_t n = strlen(expect);

	s = parse_number(s, end, pos);
	*nr = 1;
	if (s && s < end && *s == ',')
		s = parse_number(s + 1, end, nr);
	if (!s || (size_t)(end - s) < n || memcmp(s, expect, n))
		return NULL;
	return s + n;
}

size_t patch_parse_hunk_header(const char *line, size_t len, struct patch_hunk *h)
{
	const char *end = line + len, *s;

	if (len < 5 || memcmp(line, "@@ -", 4) || line[len - 1] != '\n')
		return 0;
	s = parse_range(line + 4, end, " +", &h->old_pos, &h->old_nr);
	if (s)
		s = parse_range(s, end, " @@", &h->new_pos, &h->new_nr);
	return s ? (size_t)(s - line) : 0;
}

/* ---- hunks ---- */

/* --recount: counts lines up to what cannot be part of the hunk. */
static void recount_hunk(struct patch_reader *r, const char *at, struct patch_hunk *h)
{
	unsigned long old_nr = 0, new_nr = 0;
	size_t len;

	for (; at < r->end; at += len) {
		bool ends = true;
		struct strbuf text = STRBUF_INIT;

		len = patch_line_len(at, r->end);
		switch (*at) {
		case ' ':
		case '\n':
			old_nr++;
			new_nr++;
			continue;
		case '-':
			old_nr++;
			continue;
		case '+':
			new_nr++;
			continue;
		case '\\':
			continue;
		case '@':
			ends = len >= 3 && !memcmp(at, "@@ ", 3);
			break;
		case 'd':
			ends = len >= 5 && !memcmp(at, "diff ", 5);
			break;
		default:
			ends = false;
		}
		if (ends)
			break;
		strbuf_addf(&text, "warning: recount: unexpected line: %.*s\n", (int)len, at);
		r->say(r->data, text.buf);
		strbuf_release(&text);
		return;
	}
	h->old_nr = old_nr;
	h->new_nr = new_nr;
}

struct hunk_counts {
	unsigned long old_nr, new_nr; /* still to come */
	size_t added, deleted;
	char last; /* the sign of the line before; 0: none */
};

static void note_crlf(struct file_patch *p, const char *line, size_t len)
{
	if (len >= 2 && line[len - 2] == '\r')
		p->has_crlf = true;
	if (p->has_crlf)
		p->ws_rule |= WS_CR_AT_EOL;
}

/* One line of a hunk. false: it cannot be one. Counts below 0 wrap, and so never end it: too many lines are a fault. */
static bool read_hunk_line(struct patch_reader *r, struct file_patch *p, struct patch_hunk *h, struct hunk_counts *c, size_t len)
{
	char sign = *r->at;
	bool old = sign == (r->reverse ? '+' : '-'), new = sign == (r->reverse ? '-' : '+');

	switch (sign) {
	case '\n':
	case ' ':
		c->old_nr--;
		c->new_nr--;
		if (!c->added && !c->deleted)
			h->leading++;
		h->trailing++;
		note_crlf(p, r->at, len);
		if (!r->reverse)
			r->on_line(r->data, p, ' ', r->at + 1, len - 1);
		return true;
	case '-':
	case '+':
		c->old_nr -= sign == '-';
		c->new_nr -= sign == '+';
		c->deleted += sign == '-';
		c->added += sign == '+';
		h->trailing = 0;
		if (old)
			note_crlf(p, r->at, len);
		if (new)
			r->on_line(r->data, p, '+', r->at + 1, len - 1);
		return true;
	case '\\':
		return patch_is_no_newline(r->at, r->end) && c->last && c->last != '\\'; /* once */
	}
	return false;
}

/* false: corrupt; r->line is that of the fault. */
static bool read_hunk(struct patch_reader *r, struct file_patch *p, struct patch_hunk *h)
{
	const char *start = r->at;
	size_t len = patch_line_len(r->at, r->end);
	struct hunk_counts c = { 0 };

	h->line = r->line;
	if (!patch_parse_hunk_header(r->at, len, h))
		return false;
	if (r->recount)
		recount_hunk(r, r->at + len, h);
	c.old_nr = h->old_nr;
	c.new_nr = h->new_nr;
	r->at += len;
	for (r->line++; r->at < r->end && (c.old_nr || c.new_nr); r->at += len, r->line++) {
		len = patch_line_len(r->at, r->end);
		if (r->at[len - 1] != '\n' || !read_hunk_line(r, p, h, &c, len))
			return false;
		c.last = *r->at;
	}
	/* the last line has no newline */
	if (c.last && r->end - r->at > 12 && !memcmp(r->at, "\\ ", 2)) {
		r->at += patch_line_len(r->at, r->end);
		r->line++;
	}
	if (c.old_nr || c.new_nr || (!r->recount && !c.added && !c.deleted))
		return false;
	h->text = start;
	h->len = (size_t)(r->at - start);
	p->added += c.added;
	p->deleted += c.deleted;
	return true;
}

/* Lines say what a file without extended header is: a creation has no old ones, a deletion no new ones. */
static int check_creation(struct file_patch *p, unsigned long old_nr, unsigned long new_nr, struct err *err)
{
	if (p->is_new < 0 && (old_nr || p->nr > 1))
		p->is_new = 0;
	if (p->is_delete < 0 && (new_nr || p->nr > 1))
		p->is_delete = 0;
	if (p->is_new > 0 && old_nr)
		return err_set(err, ERR_CORRUPT, "new file %s depends on old contents", p->new_name);
	if (p->is_delete > 0 && new_nr)
		return err_set(err, ERR_CORRUPT, "deleted file %s still has contents", p->old_name);
	return 0;
}

static int read_hunks(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	unsigned long old_nr = 0, new_nr = 0;

	while (r->end - r->at > 4 && !memcmp(r->at, "@@ -", 4)) {
		struct patch_hunk *h = file_patch_add_hunk(p);

		if (!read_hunk(r, p, h))
			return err_set(err, ERR_CORRUPT, "corrupt patch at %s:%zu", r->file, r->line);
		old_nr += h->old_nr;
		new_nr += h->new_nr;
	}
	return check_creation(p, old_nr, new_nr, err);
}

/* ---- binary patches, and changes of metadata ---- */

static bool changes_metadata(const struct file_patch *p)
{
	return p->is_rename || p->is_copy || p->is_new > 0 || p->is_delete ||
	       (p->old_mode && p->new_mode && p->old_mode != p->new_mode);
}

/* "Binary files a/x and b/x differ" */
static bool is_binary_note(const char *line, size_t len)
{
	static const char *const starts[] = { "Binary files ", "Files " };

	if (len < 8 || memcmp(line + len - 8, " differ\n", 8))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (len > strlen(starts[i]) && !memcmp(line, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static int read_other(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	static const char git_binary[] = "GIT binary patch\n";
	size_t len = patch_line_len(r->at, r->end);
	int rc = 0;

	if (len == sizeof(git_binary) - 1 && !memcmp(r->at, git_binary, len)) {
		r->at += len;
		r->line++;
		rc = patch_read_binary(r, p);
	} else if (is_binary_note(r->at, len)) {
		r->at += len;
		r->line++;
		p->is_binary = true;
	}
	if (rc == PATCH_STOP)
		return rc;
	if (r->needs_change && !p->is_binary && !changes_metadata(p))
		return err_set(err, ERR_CORRUPT, "patch with only garbage at %s:%zu", r->file, r->line);
	return 0;
}

/* ---- one file ---- */

/* "@@" without a header before it: a header was damaged. */
static int check_lone_hunk(const struct patch_reader *r, size_t len, struct err *err)
{
	struct patch_hunk h;

	if (!patch_parse_hunk_header(r->at, len, &h))
		return 0;
	return err_set(err, ERR_CORRUPT, "patch fragment without header at %s:%zu: %.*s", r->file, r->line, (int)len - 1, r->at);
}

static bool is_traditional_header(const struct patch_reader *r, size_t len)
{
	const char *second = r->at + len;
	size_t n = patch_line_len(second, r->end);

	/* As Git has it, the first line counts for the length of the hunk's header. */
	return !memcmp(r->at, "--- ", 4) && n >= 4 && !memcmp(second, "+++ ", 4) && (size_t)(r->end - r->at) >= n + 14 &&
	       (size_t)(r->end - second) >= n + 4 && !memcmp(second + n, "@@ -", 4);
}

/* 1: r->at is behind the header; 0: there is no more. */
static int find_header(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	while (r->at < r->end) {
		size_t len = patch_line_len(r->at, r->end);
		int rc = 0;

		if (len >= 6 && !memcmp(r->at, "@@ -", 4)) {
			rc = check_lone_hunk(r, len, err);
			if (rc < 0)
				return rc;
		} else if (len >= 6 && (size_t)(r->end - r->at) >= len + 6) {
			if (len > 11 && !memcmp(r->at, "diff --git ", 11)) {
				rc = patch_read_git_header(r, p, err);
				if (rc)
					return rc;
				file_patch_release(p);
				continue; /* the line is behind us */
			}
			if (is_traditional_header(r, len)) {
				rc = patch_read_traditional_header(r, p, err);
				return rc < 0 ? rc : 1;
			}
		}
		r->at += len;
		r->line++;
	}
	return 0;
}

int patch_read(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	int rc = find_header(r, p, err);

	if (rc <= 0)
		return rc;
	r->on_header(r->data, p);
	rc = read_hunks(r, p, err);
	if (!rc && !p->nr)
		rc = read_other(r, p, err);
	return rc < 0 || rc == PATCH_STOP ? rc : 1;
}
