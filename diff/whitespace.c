/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/whitespace-internal.h"

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
static size_t add_indent(struct strbuf *out, const struct diff_options *o, const char *text,
			 size_t end)
{
	size_t done = 0, i;

	for (i = 0; i < end && (text[i] == ' ' || text[i] == '\t'); i++) {
		if (text[i] == ' ')
			continue;
		if (o->whitespace & WS_SPACE_BEFORE_TAB && done < i) {
			add_colored(out, o, DIFF_COLOR_WHITESPACE, text + done, i - done);
			strbuf_addch(out, '\t');
		} else if (o->whitespace & WS_TAB_IN_INDENT) {
			strbuf_add(out, text + done, i - done);
			add_colored(out, o, DIFF_COLOR_WHITESPACE, text + i, 1);
		} else {
			strbuf_add(out, text + done, i - done + 1);
		}
		done = i + 1;
	}
	if (o->whitespace & WS_INDENT_WITH_NON_TAB &&
	    i - done >= (o->whitespace & WS_TAB_WIDTH)) {
		add_colored(out, o, DIFF_COLOR_WHITESPACE, text + done, i - done);
		done = i;
	}
	return done;
}

void whitespace_add_new_line(struct strbuf *out, const struct diff_options *o,
			     const char *text, size_t len, bool blank_at_eof)
{
	bool cr = o->whitespace & WS_CR_AT_EOL && len && text[len - 1] == '\r';
	size_t end, done;

	if (blank_at_eof && o->whitespace & WS_BLANK_AT_EOF) {
		strbuf_addf(out, "%s+", diff_color_of(o, DIFF_COLOR_WHITESPACE));
		strbuf_add(out, text, len);
		strbuf_addstr(out, diff_color_of(o, DIFF_COLOR_RESET));
		return;
	}
	strbuf_addf(out, "%s+%s", diff_color_of(o, DIFF_COLOR_NEW),
		    diff_color_of(o, DIFF_COLOR_RESET));
	len -= cr;
	end = len;
	while (o->whitespace & WS_BLANK_AT_EOL && end && diff_is_space(text[end - 1]))
		end--;
	done = add_indent(out, o, text, end);
	add_colored(out, o, DIFF_COLOR_NEW, text + done, end - done);
	add_colored(out, o, DIFF_COLOR_WHITESPACE, text + end, len - end);
	if (cr)
		strbuf_addch(out, '\r');
}
