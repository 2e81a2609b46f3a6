/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints text of the server for the user. Control characters could move the cursor over other lines of the terminal, or do
 * more harm; sideband.allowControlCharacters of git-config(1) names the sequences that stay.
 */
#include "compat/posix.h"
#include <ctype.h>
#include "config/urlmatch.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define COLOR 1u
#define CURSOR 2u
#define ERASE 4u
#define ALL 8u

#define WITHIN_TEXT "\n\t\r"

/* ---- allowed control characters ---- */

static int parse_words(const char *value, unsigned *out, struct err *err)
{
	static const struct {
		const char *word;
		unsigned kinds;
	} known[] = { { "color", COLOR }, { "cursor", CURSOR }, { "erase", ERASE }, { "false", 0 }, { "true", ALL } };
	int truth = config_parse_maybe_bool(value);
	unsigned kinds = 0;

	if (truth >= 0) {
		*out = truth ? ALL : 0;
		return 0;
	}
	while (*value) {
		size_t len = strcspn(value, ", "), i = 0;

		while (i < ARRAY_SIZE(known) && (strlen(known[i].word) != len || strncmp(known[i].word, value, len)))
			i++;
		if (len && i == ARRAY_SIZE(known))
			return err_set(err, ERR_INVALID,
				       "unrecognized value for 'sideband.allowcontrolcharacters': '%.*s'",
				       (int)len, value);
		if (len)
			kinds = known[i].kinds ? kinds | known[i].kinds : 0;
		value += len + !!value[len];
	}
	*out = kinds;
	return 0;
}

int session_read_words_allowed(struct fetch_session *s, struct err *err)
{
	static const char *const key = "allowcontrolcharacters";
	struct url_config_result *best = NULL;
	size_t nr = 0;
	int rc = 0;

	s->words_allowed = COLOR;
	if (!s->o.config)
		return 0;
	/* A path of this machine matches no URL. */
	if (!s->o.url || url_config_match(s->o.config, "sideband", key, s->o.url, &best, &nr, NULL) < 0) {
		rc = url_config_match(s->o.config, "sideband", key, "file:///", &best, &nr, err);
		if (rc < 0)
			return rc;
	}
	s->words_configured = nr > 0;
	if (nr)
		rc = parse_words(best->entry->value, &s->words_allowed, err);
	url_config_result_free(best, nr);
	return rc;
}

/* ---- keywords in colour: color.remote ---- */

static const struct {
	const char *word, *color;
} keywords[WORD_COLORS] = {
	{ "hint", "yellow" }, { "warning", "bold yellow" }, { "success", "bold green" }, { "error", "bold red" },
};

static enum color_when color_setting(const struct config_set *c, const char *key)
{
	const struct config_entry *e = config_get(c, key);

	if (!e)
		return COLOR_UNSET;
	return e->value ? color_when_parse(e->value) : COLOR_AUTO;
}

void session_read_word_colors(struct fetch_session *s)
{
	enum color_when when = s->o.config ? color_setting(s->o.config, "color.remote") : COLOR_NEVER;

	if (when == COLOR_UNSET)
		when = color_setting(s->o.config, "color.ui");
	s->words_colored = color_wanted(when == COLOR_UNSET ? COLOR_AUTO : when, STDERR_FILENO, false);
	for (size_t i = 0; s->words_colored && i < WORD_COLORS; i++) {
		char *key = xstrfmt("color.remote.%s", keywords[i].word);
		const struct config_entry *e = config_get(s->o.config, key);

		if (!e || !e->value || color_parse(e->value, s->word_colors[i]) < 0)
			color_parse(keywords[i].color, s->word_colors[i]);
		free(key);
	}
}

/* The keyword at the beginning of a line, with blanks before it: bytes of both that have been written. */
static size_t add_keyword(const struct fetch_session *s, struct strbuf *out, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && (text[at] == ' ' || text[at] == '\t'))
		at++;
	for (size_t i = 0; s->words_colored && i < WORD_COLORS; i++) {
		size_t n = strlen(keywords[i].word);

		if (len - at < n || strncasecmp(text + at, keywords[i].word, n) ||
		    (len - at > n && isalnum((unsigned char)text[at + n])))
			continue;
		strbuf_add(out, text, at);
		strbuf_addstr(out, s->word_colors[i]);
		strbuf_add(out, text + at, n);
		strbuf_addstr(out, *s->word_colors[i] ? COLOR_RESET : "");
		return at + n;
	}
	return 0;
}

/* ---- text ---- */

/* A sequence "ESC [ numbers letter" of a kind that is allowed: its length; or 0. */
static size_t allowed_sequence(unsigned allowed, const char *text, size_t len)
{
	static const struct {
		unsigned kind;
		const char *ends;
	} kinds[] = { { COLOR, "m" }, { CURSOR, "ABCDEFGHf" }, { ERASE, "JKMPX" } };
	size_t n = 2;

	if (len < 3 || text[0] != 27 || text[1] != '[')
		return 0;
	while (n < len && (isdigit((unsigned char)text[n]) || text[n] == ';'))
		n++;
	for (size_t i = 0; n < len && text[n] && i < ARRAY_SIZE(kinds); i++)
		if (allowed & kinds[i].kind && strchr(kinds[i].ends, text[n]))
			return n + 1;
	return 0;
}

/* "^X"; one of C1, of one byte or two, is ESC and a letter to a terminal, and shown so. */
static void add_masked(struct strbuf *out, const char *text, size_t n)
{
	unsigned char ch = text[n - 1];

	if (ch & 0x80)
		strbuf_addf(out, "^[%c", ch - 64);
	else
		strbuf_addf(out, "^%c", ch ^ 64);
}

/* Control characters that are neither in `keep` nor of an allowed sequence are shown as "^X". */
static void add_clean(unsigned allowed, struct strbuf *out, const char *text, size_t len, const char *keep)
{
	for (size_t n; len; text += n, len -= n) {
		bool control = false;

		n = allowed & ALL ? len : allowed_sequence(allowed, text, len);
		if (!n)
			n = text_char_len(text, len, &control);
		if (control && (n > 1 || !*text || !strchr(keep, *text)))
			add_masked(out, text, n);
		else
			strbuf_add(out, text, n);
	}
}

char *session_clean(const struct fetch_session *s, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	add_clean(s->words_allowed, &out, text, strlen(text), WITHIN_TEXT);
	strbuf_rtrim(&out);
	return strbuf_detach(&out, NULL);
}

char *session_clean_field(const struct fetch_session *s, const char *text)
{
	unsigned allowed = s->words_configured ? s->words_allowed : 0;
	struct strbuf out = STRBUF_INIT;

	for (size_t len; *text; text += len) {
		len = strcspn(text, WITHIN_TEXT);
		add_clean(allowed, &out, text, len, "");
		if (text[len])
			add_masked(&out, text + len++, 1);
	}
	return strbuf_detach(&out, NULL);
}

/* A progress line replaces the last one: the rest of the old line is erased, or covered by blanks. */
static void print_progress_line(struct fetch_session *s, const char *text, size_t len)
{
	char end = text[len - 1];
	bool ended = end == '\n' || end == '\r';
	const char *term = getenv("TERM");
	bool erases = isatty(2) && term && *term && strcmp(term, "dumb");
	struct strbuf line = STRBUF_INIT;
	size_t done;

	strbuf_addstr(&line, erases ? "\033[Kremote: " : "remote: ");
	done = add_keyword(s, &line, text, len - ended);
	add_clean(s->words_allowed, &line, text + done, len - ended - done, WITHIN_TEXT);
	if (!erases && ended && len > 1)
		strbuf_addstr(&line, "        ");
	strbuf_addch(&line, ended ? end : '\n');
	s->o.tell(s->o.data, line.buf, line.len);
	strbuf_release(&line);
}

void session_tell(struct fetch_session *s, const char *text, size_t len, bool all)
{
	size_t at = 0;

	if (!s->o.tell)
		return;
	strbuf_add(&s->words, text, len);
	for (size_t i = 0; i < s->words.len; i++)
		if (s->words.buf[i] == '\n' || s->words.buf[i] == '\r') {
			print_progress_line(s, s->words.buf + at, i + 1 - at);
			at = i + 1;
		}
	if ((all || s->words.len - at > PKT_MAX) && s->words.len > at) {
		print_progress_line(s, s->words.buf + at, s->words.len - at);
		at = s->words.len;
	}
	strbuf_remove(&s->words, 0, at);
}
