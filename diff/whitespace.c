/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/whitespace.h"
#include "util/color.h"

int whitespace_parse(unsigned *rule, const char *value, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {
		{ "trailing-space", WS_BLANK_AT_EOL | WS_BLANK_AT_EOF },
		{ "blank-at-eol", WS_BLANK_AT_EOL },
		{ "blank-at-eof", WS_BLANK_AT_EOF },
		{ "space-before-tab", WS_SPACE_BEFORE_TAB },
		{ "indent-with-non-tab", WS_INDENT_WITH_NON_TAB },
		{ "cr-at-eol", WS_CR_AT_EOL },
		{ "tab-in-indent", WS_TAB_IN_INDENT },
	};
	unsigned r = WS_DEFAULT;

	for (;;) {
		size_t len;
		bool off;
		const char *digits;

		value += strspn(value, ", \t\n\r");
		if (!*value)
			break;
		off = *value == '-';
		value += off;
		len = strcspn(value, ", \t\n\r");
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			if (strlen(names[i].name) != len || memcmp(names[i].name, value, len))
				continue;
			r = off ? r & ~names[i].bits : r | names[i].bits;
		}
		if (skip_prefix(value, "tabwidth=", &digits)) {
			long width = strtol(digits, NULL, 10);

			if (width > 0 && width < (long)WS_TAB_WIDTH + 1)
				r = (r & ~WS_TAB_WIDTH) | (unsigned)width;
		}
		value += len;
	}
	if (r & WS_TAB_IN_INDENT && r & WS_INDENT_WITH_NON_TAB)
		return err_set(err, ERR_INVALID,
			       "cannot enforce both tab-in-indent and indent-with-non-tab");
	*rule = r;
	return 0;
}

unsigned diff_whitespace_of(const struct diff_options *o, const struct diff_driver *driver)
{
	const unsigned all = WS_BLANK_AT_EOL | WS_BLANK_AT_EOF | WS_SPACE_BEFORE_TAB |
			     WS_INDENT_WITH_NON_TAB;
	unsigned width = o->whitespace & WS_TAB_WIDTH, rule = 0;

	if (driver->no_whitespace)
		return width;
	if (!driver->whitespace)
		return o->whitespace;
	if (!*driver->whitespace)
		return all | width;
	return whitespace_parse(&rule, driver->whitespace, NULL) < 0 ? o->whitespace : rule;
}

static void add_colored(struct strbuf *out, const struct diff_options *o, enum diff_color c,
			const char *text, size_t len)
{
	if (!len)
		return;
	strbuf_addstr(out, diff_color_of(o, c));
	strbuf_add(out, text, len);
	strbuf_addstr(out, diff_color_of(o, DIFF_COLOR_RESET));
}

/* The indent: good parts as they are, errors in their colour. Returns its end. */
static size_t add_indent(struct strbuf *out, const struct diff_options *o, unsigned rule,
			 const char *text, size_t end)
{
	size_t done = 0, i;

	for (i = 0; i < end && (text[i] == ' ' || text[i] == '\t'); i++) {
		if (text[i] == ' ')
			continue;
		if (rule & WS_SPACE_BEFORE_TAB && done < i) {
			add_colored(out, o, DIFF_COLOR_WHITESPACE, text + done, i - done);
			strbuf_addch(out, '\t');
		} else if (rule & WS_TAB_IN_INDENT) {
			strbuf_add(out, text + done, i - done);
			add_colored(out, o, DIFF_COLOR_WHITESPACE, text + i, 1);
		} else {
			strbuf_add(out, text + done, i - done + 1);
		}
		done = i + 1;
	}
	if (rule & WS_INDENT_WITH_NON_TAB &&
	    i - done >= (rule & WS_TAB_WIDTH)) {
		add_colored(out, o, DIFF_COLOR_WHITESPACE, text + done, i - done);
		done = i;
	}
	return done;
}

static void add_reverse_sign(struct strbuf *out, const struct diff_options *o, const struct ws_line *l)
{
	strbuf_addf(out, "%s%s%c%s", o->color ? COLOR_REVERSE : "", diff_color_of(o, l->color), l->sign,
		    diff_color_of(o, DIFF_COLOR_RESET));
}

/* In one piece; a carriage return at the end stays behind the colour. */
static void add_plain(struct strbuf *out, const struct diff_options *o, const struct ws_line *l)
{
	bool cr = l->len && l->text[l->len - 1] == '\r';

	if (l->reverse_sign) {
		add_reverse_sign(out, o, l);
		if (!l->len)
			return;
	}
	strbuf_addstr(out, diff_color_of(o, l->paint));
	if (l->sign && !l->reverse_sign)
		strbuf_addch(out, l->sign);
	strbuf_add(out, l->text, l->len - cr);
	strbuf_addstr(out, diff_color_of(o, DIFF_COLOR_RESET));
	if (cr)
		strbuf_addch(out, '\r');
}

static bool shows_errors(const struct diff_options *o, enum diff_color c)
{
	return o->color && o->ws_highlight & (c == DIFF_COLOR_NEW ? WS_SHOW_NEW :
					      c == DIFF_COLOR_OLD ? WS_SHOW_OLD : WS_SHOW_CONTEXT);
}

void whitespace_add_text(struct strbuf *out, const struct diff_options *o, unsigned rule,
			 enum diff_color color, const char *text, size_t len)
{
	bool cr = rule & WS_CR_AT_EOL && len && text[len - 1] == '\r';
	size_t end, done;

	len -= cr;
	end = len;
	while (rule & WS_BLANK_AT_EOL && end && diff_is_space(text[end - 1]))
		end--;
	done = add_indent(out, o, rule, text, end);
	add_colored(out, o, color, text + done, end - done);
	add_colored(out, o, DIFF_COLOR_WHITESPACE, text + end, len - end);
	if (cr)
		strbuf_addch(out, '\r');
}

void whitespace_add_line(struct strbuf *out, const struct diff_options *o, unsigned rule,
			 const struct ws_line *l)
{
	/* A new line in dual colours shows no errors, as in Git. */
	if (!shows_errors(o, l->color) || (l->reverse_sign && l->color == DIFF_COLOR_NEW)) {
		add_plain(out, o, l);
	} else if (l->reverse_sign) {
		add_reverse_sign(out, o, l);
		whitespace_add_text(out, o, rule, l->paint, l->text, l->len);
	} else if (l->blank_at_eof && rule & WS_BLANK_AT_EOF) {
		bool cr = l->len && l->text[l->len - 1] == '\r';

		strbuf_addf(out, "%s%c", diff_color_of(o, DIFF_COLOR_WHITESPACE), l->sign);
		strbuf_add(out, l->text, l->len - cr);
		strbuf_addf(out, "%s%s", diff_color_of(o, DIFF_COLOR_RESET), cr ? "\r" : "");
	} else {
		strbuf_addstr(out, diff_color_of(o, l->paint));
		if (l->sign)
			strbuf_addch(out, l->sign);
		strbuf_addstr(out, diff_color_of(o, DIFF_COLOR_RESET));
		whitespace_add_text(out, o, rule, l->paint, l->text, l->len);
	}
}

/* ---- faults of a line ---- */

static unsigned indent_errors(const char *text, size_t end, unsigned rule)
{
	unsigned found = 0;
	size_t done = 0, i;

	for (i = 0; i < end && (text[i] == ' ' || text[i] == '\t'); i++) {
		if (text[i] == ' ')
			continue;
		if (rule & WS_SPACE_BEFORE_TAB && done < i)
			found |= WS_SPACE_BEFORE_TAB;
		else if (rule & WS_TAB_IN_INDENT)
			found |= WS_TAB_IN_INDENT;
		done = i + 1;
	}
	if (rule & WS_INDENT_WITH_NON_TAB && i - done >= (rule & WS_TAB_WIDTH))
		found |= WS_INDENT_WITH_NON_TAB;
	return found;
}

unsigned whitespace_errors(unsigned rule, const char *text, size_t len)
{
	unsigned found = 0;
	size_t end = len;

	if (rule & WS_CR_AT_EOL && end && text[end - 1] == '\r')
		len = --end;
	while (rule & WS_BLANK_AT_EOL && end && diff_is_space(text[end - 1]))
		end--;
	if (end < len)
		found |= WS_BLANK_AT_EOL;
	return found | indent_errors(text, end, rule);
}

void whitespace_describe(struct strbuf *out, unsigned errors)
{
	static const struct {
		unsigned bit;
		const char *text;
	} names[] = {
		{ WS_BLANK_AT_EOL, "trailing whitespace" },
		{ WS_BLANK_AT_EOF, "new blank line at EOF" },
		{ WS_SPACE_BEFORE_TAB, "space before tab in indent" },
		{ WS_INDENT_WITH_NON_TAB, "indent with spaces" },
		{ WS_TAB_IN_INDENT, "tab in indent" },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(errors & names[i].bit))
			continue;
		strbuf_addf(out, "%s%s", any ? ", " : "", names[i].text);
		any = true;
	}
}

/* ---- --ws-error-highlight ---- */

bool whitespace_parse_highlight(unsigned *out, const char *value)
{
	static const struct {
		const char *name;
		unsigned bits;
		bool alone; /* forgets what stood before */
	} names[] = {
		{ "none", 0, true }, { "default", WS_SHOW_NEW, true },
		{ "all", WS_SHOW_NEW | WS_SHOW_OLD | WS_SHOW_CONTEXT, true },
		{ "new", WS_SHOW_NEW, false }, { "old", WS_SHOW_OLD, false },
		{ "context", WS_SHOW_CONTEXT, false },
	};
	unsigned bits = 0;

	while (*value) {
		size_t len = strcspn(value, ","), i;

		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (strlen(names[i].name) == len && !memcmp(names[i].name, value, len))
				break;
		if (i == ARRAY_SIZE(names))
			return false;
		bits = names[i].alone ? names[i].bits : bits | names[i].bits;
		value += len;
		value += *value == ',';
	}
	*out = bits;
	return true;
}
