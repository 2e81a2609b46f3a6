/* SPDX-License-Identifier: GPL-2.0-only */
/* Whitespace errors: which rules a path has, what to say about errors, and how they are fixed. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "apply/space.h"
#include "diff/whitespace.h"

/* core.whitespace, or the attribute "whitespace" of the path. */
unsigned apply_whitespace_rule(struct apply *a, const char *path)
{
	static const char *const names[] = { "whitespace" };
	const unsigned all = WS_BLANK_AT_EOL | WS_BLANK_AT_EOF | WS_SPACE_BEFORE_TAB | WS_INDENT_WITH_NON_TAB;
	unsigned width = a->ws_rule & WS_TAB_WIDTH, rule = 0;
	struct attr_value v = { ATTR_UNSPECIFIED, NULL };

	if (a->conv)
		attrs_get(converter_attrs(a->conv), path, names, 1, &v);
	switch (v.state) {
	case ATTR_SET:
		return all | width;
	case ATTR_UNSET:
		return width;
	case ATTR_VALUE:
		return whitespace_parse(&rule, v.value, NULL) < 0 ? a->ws_rule : rule;
	default:
		return a->ws_rule;
	}
}

void apply_note_whitespace(struct apply *a, unsigned errors, const char *line, size_t len, size_t line_nr)
{
	struct strbuf what = STRBUF_INIT;

	if (!errors)
		return;
	a->ws_errors++;
	if (a->ws_most && a->ws_errors > a->ws_most)
		return;
	whitespace_describe(&what, errors);
	apply_say(a, "%s:%zu: %s.\n%.*s\n", a->reader.file, line_nr, what.buf, (int)len, line);
	strbuf_release(&what);
}

/* ---- fixing ---- */

/* What the indent of a line looks like. */
struct indent {
	ssize_t last_tab, last_space; /* -1: none */
	bool wrong;		      /* blanks before a tab, or instead of one */
};

static struct indent measure_indent(const char *s, size_t len, unsigned rule)
{
	struct indent in = { -1, -1, false };

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\t') {
			in.last_tab = (ssize_t)i;
			if (rule & WS_SPACE_BEFORE_TAB && in.last_space >= 0)
				in.wrong = true;
		} else if (s[i] == ' ') {
			in.last_space = (ssize_t)i;
			if (rule & WS_INDENT_WITH_NON_TAB && (ssize_t)(rule & WS_TAB_WIDTH) <= (ssize_t)i - in.last_tab)
				in.wrong = true;
		} else {
			break;
		}
	}
	return in;
}

/* Blanks become tabs where they are enough for one, and go before a tab. Returns the length of the indent. */
static size_t fix_blanks(struct strbuf *out, const char *s, const struct indent *in, unsigned rule)
{
	size_t end = (size_t)(in->last_tab + 1), blanks = 0;

	if (rule & WS_INDENT_WITH_NON_TAB && in->last_space > in->last_tab)
		end = (size_t)(in->last_space + 1);
	for (size_t i = 0; i < end; i++) {
		if (s[i] != ' ') {
			blanks = 0;
			strbuf_addch(out, s[i]);
		} else if (++blanks == (rule & WS_TAB_WIDTH)) {
			strbuf_addch(out, '\t');
			blanks = 0;
		}
	}
	strbuf_addchars(out, ' ', blanks);
	return end;
}

static size_t expand_tabs(struct strbuf *out, const char *s, const struct indent *in, unsigned rule)
{
	size_t start = out->len, end = (size_t)(in->last_tab + 1), width = rule & WS_TAB_WIDTH;

	for (size_t i = 0; i < end; i++) {
		strbuf_addch(out, ' ');
		while (s[i] == '\t' && (out->len - start) % width)
			strbuf_addch(out, ' ');
	}
	return end;
}

void apply_fix_whitespace(struct strbuf *out, const char *line, size_t len, unsigned rule, size_t *fixed)
{
	bool newline = false, cr = false, changed = false;
	struct indent in;
	size_t done = 0;

	if (rule & WS_BLANK_AT_EOL) {
		if (len && line[len - 1] == '\n') {
			newline = true;
			len--;
			if (len && line[len - 1] == '\r') {
				cr = rule & WS_CR_AT_EOL;
				len--;
			}
		}
		for (; len && patch_is_space(line[len - 1]); len--)
			changed = true;
	}
	in = measure_indent(line, len, rule);
	if (in.wrong) {
		done = fix_blanks(out, line, &in, rule);
		changed = true;
	} else if (rule & WS_TAB_IN_INDENT && in.last_tab >= 0) {
		done = expand_tabs(out, line, &in, rule);
		changed = true;
	}
	strbuf_add(out, line + done, len - done);
	if (cr)
		strbuf_addch(out, '\r');
	if (newline)
		strbuf_addch(out, '\n');
	if (changed && fixed)
		++*fixed;
}
