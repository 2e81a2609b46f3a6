/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/color.h"
#include "util/strbuf.h"

/* ---- one colour ---- */

struct color {
	enum { NOT_SET, NONE, DEFAULT, BASIC, PALETTE, RGB } kind;
	unsigned value; /* BASIC 0..15, PALETTE 16..255, RGB 0xrrggbb */
};

static const char *const names[] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
};

static bool parse_rgb(const char *w, struct color *c)
{
	char *end;
	size_t n = strlen(w);

	if (w[0] != '#' || (n != 7 && n != 4) || !isxdigit((unsigned char)w[1]))
		return false;
	c->value = (unsigned)strtoul(w + 1, &end, 16);
	if (*end)
		return false;
	if (n == 4) { /* #rgb: each digit twice */
		unsigned v = c->value;

		c->value = (v & 0xf00) * 0x1100 + (v & 0xf0) * 0x110 + (v & 0xf) * 0x11;
	}
	c->kind = RGB;
	return true;
}

static bool parse_color_number(const char *w, struct color *c)
{
	char *end;
	long v = strtol(w, &end, 10);

	if (end == w || *end || v < -1 || v > 255)
		return false;
	c->kind = v < 0 ? NONE : v < 16 ? BASIC : PALETTE;
	c->value = v < 0 ? 0 : (unsigned)v;
	return true;
}

static bool parse_one_color(const char *w, struct color *c)
{
	unsigned bright = 0;

	if (!strcasecmp(w, "normal") || !strcasecmp(w, "default")) {
		c->kind = strcasecmp(w, "normal") ? DEFAULT : NONE;
		return true;
	}
	if (parse_rgb(w, c) || parse_color_number(w, c))
		return true;
	if (skip_iprefix(w, "bright", &w))
		bright = 8;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(w, names[i]))
			continue;
		c->kind = BASIC;
		c->value = i + bright;
		return true;
	}
	return false;
}

/* The SGR number of an attribute, 0 if it is none. */
static unsigned parse_attribute(const char *w)
{
	static const struct {
		const char *name;
		unsigned on, off;
	} attributes[] = {
		{ "bold", 1, 22 },  { "dim", 2, 22 },	  { "italic", 3, 23 },
		{ "ul", 4, 24 },    { "blink", 5, 25 },	  { "reverse", 7, 27 },
		{ "strike", 9, 29 },
	};
	bool off = skip_prefix(w, "no", &w);

	if (off)
		skip_prefix(w, "-", &w);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (!strcmp(w, attributes[i].name))
			return off ? attributes[i].off : attributes[i].on;
	return 0;
}

/* ---- a value of several words ---- */

struct style {
	bool reset;
	struct color color[2]; /* foreground, background */
	uint32_t attributes;   /* bit N: SGR number N */
};

static bool add_word(struct style *st, const char *w)
{
	struct color c = { NOT_SET, 0 };
	unsigned attribute;

	if (!strcasecmp(w, "reset")) {
		st->reset = true;
		return true;
	}
	if (parse_one_color(w, &c)) {
		for (int i = 0; i < 2; i++) {
			if (st->color[i].kind != NOT_SET)
				continue;
			st->color[i] = c;
			return true;
		}
		return false; /* a third colour */
	}
	attribute = parse_attribute(w);
	st->attributes |= UINT32_C(1) << attribute;
	return attribute != 0;
}

static void show_color(struct strbuf *out, const struct color *c, bool background)
{
	unsigned shift = background ? 10 : 0;

	switch (c->kind) {
	case NOT_SET:
	case NONE:
		return;
	case DEFAULT:
		strbuf_addf(out, "%u;", 39 + shift);
		return;
	case BASIC:
		strbuf_addf(out, "%u;", c->value + shift + (c->value < 8 ? 30 : 90 - 8));
		return;
	case PALETTE:
		strbuf_addf(out, "%u;5;%u;", 38 + shift, c->value);
		return;
	case RGB:
		strbuf_addf(out, "%u;2;%u;%u;%u;", 38 + shift, c->value >> 16,
			    c->value >> 8 & 255, c->value & 255);
		return;
	}
}

static void show_style(struct strbuf *out, const struct style *st)
{
	struct strbuf sgr = STRBUF_INIT;

	for (unsigned i = 1; i < 32; i++)
		if (st->attributes >> i & 1)
			strbuf_addf(&sgr, "%u;", i);
	show_color(&sgr, &st->color[0], false);
	show_color(&sgr, &st->color[1], true);
	if (sgr.len)
		strbuf_setlen(&sgr, sgr.len - 1);
	if (sgr.len || st->reset)
		strbuf_addf(out, "\033[%s%sm", st->reset && sgr.len ? ";" : "", sgr.buf);
	strbuf_release(&sgr);
}

int color_parse(const char *value, char out[COLOR_MAXLEN])
{
	static const char blank[] = " \t\n\r\f\v";
	struct style st = { 0 };
	struct strbuf sgr = STRBUF_INIT;
	int ret = -1;

	for (value += strspn(value, blank); *value; value += strspn(value, blank)) {
		size_t n = strcspn(value, blank);
		char word[32];

		if (n >= sizeof(word))
			return -1;
		memcpy(word, value, n);
		word[n] = '\0';
		if (!add_word(&st, word))
			return -1;
		value += n;
	}
	show_style(&sgr, &st);
	if (sgr.len < COLOR_MAXLEN) {
		memcpy(out, sgr.buf, sgr.len + 1);
		ret = 0;
	}
	strbuf_release(&sgr);
	return ret;
}

enum color_when color_when_parse(const char *value)
{
	if (!strcasecmp(value, "never") || !strcasecmp(value, "false"))
		return COLOR_NEVER;
	if (!strcasecmp(value, "always"))
		return COLOR_ALWAYS;
	if (!strcasecmp(value, "auto") || !strcasecmp(value, "true"))
		return COLOR_AUTO;
	return COLOR_UNSET;
}

bool color_wanted(enum color_when when, int fd, bool pager_in_use)
{
	const char *term;

	if (when == COLOR_NEVER || when == COLOR_ALWAYS)
		return when == COLOR_ALWAYS;
	if (!pager_in_use && !isatty(fd))
		return false;
	term = getenv("TERM");
	return term && strcmp(term, "dumb");
}
