/* SPDX-License-Identifier: GPL-2.0-only */
/* Where do the old lines of a hunk stand in a text? */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "apply/image.h"
#include "apply/space.h"
#include "diff/whitespace.h"
#include "util/alloc.h"

uint32_t image_hash(const char *s, size_t len)
{
	uint32_t h = 0;

	for (size_t i = 0; i < len; i++)
		if (!patch_is_space(s[i]))
			h = h * 31 + (unsigned char)s[i];
	return h;
}

void image_add(struct image *m, const char *s, size_t len, bool common)
{
	ALLOC_GROW(m->lines, m->nr + 1, m->alloc);
	m->lines[m->nr++] = (struct image_line){ .s = s, .len = len, .hash = image_hash(s, len), .common = common };
}

void image_add_text(struct image *m, const char *s, size_t len)
{
	for (const char *end = s + len; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t n = nl ? (size_t)(nl + 1 - s) : (size_t)(end - s);

		image_add(m, s, n, false);
		s += n;
	}
}

void image_drop_first(struct image *m)
{
	if (m->nr)
		memmove(m->lines, m->lines + 1, --m->nr * sizeof(*m->lines));
}

void image_splice(struct image *m, size_t at, size_t nr, const struct image *by)
{
	ALLOC_GROW(m->lines, m->nr - nr + by->nr + 1, m->alloc);
	memmove(m->lines + at + by->nr, m->lines + at + nr, (m->nr - at - nr) * sizeof(*m->lines));
	if (by->nr)
		memcpy(m->lines + at, by->lines, by->nr * sizeof(*m->lines));
	m->nr = m->nr - nr + by->nr;
}

void image_release(struct image *m)
{
	free(m->lines);
	*m = (struct image)IMAGE_INIT;
}

/* ---- one place ---- */

static bool same_lines(const struct image_search *s, size_t at)
{
	for (size_t i = 0; i < s->old->nr; i++) {
		const struct image_line *a = &s->in->lines[at + i], *b = &s->old->lines[i];
		bool last = i + 1 == s->old->nr;

		if (last && !s->at_end ? b->len > a->len : b->len != a->len)
			return false;
		if (memcmp(a->s, b->s, b->len) != 0)
			return false;
	}
	return true;
}

static size_t without_line_end(const char *s, size_t len)
{
	while (len && (s[len - 1] == '\n' || s[len - 1] == '\r'))
		len--;
	return len;
}

/* White space may be longer or shorter; it must be there or not be there on both sides. */
static bool same_but_space(const struct image_line *a, const struct image_line *b)
{
	size_t i = 0, j = 0, n = without_line_end(a->s, a->len), m = without_line_end(b->s, b->len);

	while (i < n && j < m) {
		if (patch_is_space(a->s[i])) {
			if (!patch_is_space(b->s[j]))
				return false;
			while (i < n && patch_is_space(a->s[i]))
				i++;
			while (j < m && patch_is_space(b->s[j]))
				j++;
		} else if (a->s[i++] != b->s[j++]) {
			return false;
		}
	}
	return i == n && j == m;
}

/* `found` replaces the old lines; context of the new ones becomes that, too. */
static void adopt_lines(struct image_search *s, struct image *found)
{
	size_t context = 0, kept = 0;

	for (size_t i = 0; i < s->old->nr && i < found->nr; i++)
		found->lines[i].common = s->old->lines[i].common;
	for (size_t i = 0; i < s->new->nr; i++) {
		struct image_line l = s->new->lines[i];

		if (l.common) {
			while (context < found->nr && !found->lines[context].common)
				context++;
			if (context >= found->nr)
				continue; /* behind the end of the file */
			l = found->lines[context++];
		}
		s->new->lines[kept++] = l;
	}
	s->new->nr = kept;
	image_release(s->old);
	*s->old = *found;
}

static bool match_but_space(struct image_search *s, size_t at, size_t limit)
{
	struct image found = IMAGE_INIT;

	for (size_t i = 0; i < limit; i++)
		if (!same_but_space(&s->in->lines[at + i], &s->old->lines[i]))
			return false;
	for (size_t i = limit; i < s->old->nr; i++)
		if (!patch_is_blank(s->old->lines[i].s, s->old->lines[i].len))
			return false;
	for (size_t i = 0; i < s->old->nr; i++) {
		const struct image_line *l = i < limit ? &s->in->lines[at + i] : &s->old->lines[i];

		image_add(&found, l->s, l->len, false);
	}
	adopt_lines(s, &found);
	return true;
}

/* Are both the same once their whitespace errors are fixed? */
static bool match_fixed(struct image_search *s, size_t at, size_t limit)
{
	struct image found = IMAGE_INIT;
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	bool same = true;

	for (size_t i = 0; same && i < s->old->nr; i++) {
		const struct image_line *l = &s->old->lines[i];

		strbuf_reset(&a);
		strbuf_reset(&b);
		apply_fix_whitespace(&a, l->s, l->len, s->ws_rule, NULL);
		if (i < limit) {
			apply_fix_whitespace(&b, s->in->lines[at + i].s, s->in->lines[at + i].len, s->ws_rule, NULL);
			same = a.len == b.len && !memcmp(a.buf, b.buf, a.len);
		} else {
			same = patch_is_blank(a.buf, a.len);
		}
		if (same && a.len)
			image_add(&found, s->keep(s->data, a.buf, a.len), a.len, false);
	}
	strbuf_release(&a);
	strbuf_release(&b);
	if (same)
		adopt_lines(s, &found);
	else
		image_release(&found);
	return same;
}

static bool has_text(const struct image *m, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!patch_is_blank(m->lines[i].s, m->lines[i].len))
			return true;
	return false;
}

static bool match_at(struct image_search *s, size_t at)
{
	size_t limit = s->old->nr;

	if (s->at_start && at)
		return false;
	if (at + limit <= s->in->nr) {
		if (s->at_end && at + limit != s->in->nr)
			return false;
	} else if (s->fix_space && s->ws_rule & WS_BLANK_AT_EOF) {
		/* blank lines at the end, which have been removed since */
		limit = s->in->nr - at;
	} else {
		return false;
	}
	for (size_t i = 0; i < limit; i++)
		if (s->in->lines[at + i].patched || s->in->lines[at + i].hash != s->old->lines[i].hash)
			return false;
	if (limit == s->old->nr) {
		if (same_lines(s, at))
			return true;
	} else if (!has_text(s->old, limit)) {
		return false;
	}
	if (s->ignore_space)
		return match_but_space(s, at, limit);
	return s->fix_space && match_fixed(s, at, limit);
}

/* ---- all places ---- */

ssize_t image_find(struct image_search *s, size_t line)
{
	size_t back, forth, at;

	if (s->allow_overlap && s->at_start && s->at_end && s->in->nr != s->old->nr)
		s->at_start = false;
	if (s->at_start)
		line = 0;
	else if (s->at_end)
		line = s->in->nr - s->old->nr; /* wraps: too large */
	if (line > s->in->nr)
		line = s->in->nr;
	back = forth = at = line;
	for (unsigned turn = 0;; turn++) {
		if (match_at(s, at))
			return (ssize_t)at;
		if (!back && forth == s->in->nr)
			return -1;
		if (turn & 1 ? !back : forth == s->in->nr)
			turn++;
		at = turn & 1 ? --back : ++forth;
	}
}
