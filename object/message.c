/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/message.h"

static const char scissors[] = "------------------------ >8 ------------------------";

int cleanup_mode_parse(const char *name, enum cleanup_mode *out)
{
	static const struct {
		const char *name;
		enum cleanup_mode mode;
	} modes[] = {
		{ "default", CLEANUP_DEFAULT },	  { "verbatim", CLEANUP_VERBATIM },
		{ "whitespace", CLEANUP_WHITESPACE }, { "strip", CLEANUP_STRIP },
		{ "scissors", CLEANUP_SCISSORS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(name, modes[i].name)) {
			*out = modes[i].mode;
			return 0;
		}
	}
	return -1;
}

/* ---- lines ---- */

/* Length of the line at s with its newline, if it has one. */
static size_t line_length(const char *s, size_t len)
{
	const char *nl = memchr(s, '\n', len);

	return nl ? (size_t)(nl - s) + 1 : len;
}

static size_t length_without_blanks(const char *s, size_t len)
{
	while (len && is_git_blank(s[len - 1]))
		len--;
	return len;
}

static void strip_lines(struct strbuf *msg, int comment_char)
{
	struct strbuf out = STRBUF_INIT;
	bool gap = false;

	for (size_t pos = 0, n; pos < msg->len; pos += n) {
		const char *line = msg->buf + pos;
		size_t len;

		n = line_length(line, msg->len - pos);
		len = length_without_blanks(line, n);
		if (comment_char && *line == comment_char)
			continue;
		if (!len) {
			gap = out.len > 0;
			continue;
		}
		if (gap)
			strbuf_addch(&out, '\n');
		gap = false;
		strbuf_add(&out, line, len);
		strbuf_addch(&out, '\n');
	}
	strbuf_swap(msg, &out);
	strbuf_release(&out);
}

void message_cleanup(struct strbuf *msg, enum cleanup_mode mode, char comment_char)
{
	switch (mode) {
	case CLEANUP_VERBATIM:
		return;
	case CLEANUP_SCISSORS:
		strbuf_setlen(msg, message_scissors(msg->buf, msg->len, comment_char));
		strip_lines(msg, 0);
		return;
	case CLEANUP_WHITESPACE:
		strip_lines(msg, 0);
		return;
	case CLEANUP_STRIP:
	case CLEANUP_DEFAULT:
		strip_lines(msg, (unsigned char)comment_char);
		return;
	}
}

size_t message_scissors(const char *msg, size_t len, char comment_char)
{
	for (size_t pos = 0, n; pos < len; pos += n) {
		const char *line = msg + pos;

		n = line_length(line, len - pos);
		if (n >= sizeof(scissors) + 1 && line[0] == comment_char && line[1] == ' ' &&
		    !memcmp(line + 2, scissors, sizeof(scissors) - 1))
			return pos;
	}
	return len;
}

void message_add_commented(struct strbuf *out, const char *text, size_t len,
			   char comment_char)
{
	for (size_t pos = 0, n; pos < len; pos += n) {
		n = line_length(text + pos, len - pos);
		strbuf_addch(out, comment_char);
		if (text[pos] != '\n' && text[pos] != '\t')
			strbuf_addch(out, ' ');
		strbuf_add(out, text + pos, n);
	}
	strbuf_complete_line(out);
}

void message_add_scissors(struct strbuf *out, char comment_char)
{
	static const char explain[] =
		"Do not modify or remove the line above.\n"
		"Everything below it will be ignored.\n";

	strbuf_addf(out, "%c %s\n", comment_char, scissors);
	message_add_commented(out, explain, sizeof(explain) - 1, comment_char);
}

bool message_is_empty(const char *msg, size_t len)
{
	for (size_t pos = 0, n; pos < len; pos += n) {
		n = line_length(msg + pos, len - pos);
		if (length_without_blanks(msg + pos, n) &&
		    strncmp(msg + pos, "Signed-off-by: ", 15))
			return false;
	}
	return true;
}

/* ---- trailers ---- */

/* "Key: value" with a key of letters, digits and dashes: the offset of the separator, else 0. */
static size_t trailer_key_length(const char *s, size_t len, const struct trailer_syntax *syntax)
{
	const char *separators = syntax && syntax->separators ? syntax->separators : ":";
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '-') &&
	       !strchr(separators, s[n]))
		n++;
	while (n && n < len && (s[n] == ' ' || s[n] == '\t'))
		n++;
	return n < len && s[n] && strchr(separators, s[n]) ? n : 0;
}

/* Lines that Git's own commands write. One of them makes a mixed paragraph a trailer block. */
static bool is_own_trailer(const char *s, size_t len)
{
	static const char *const own[] = { "Signed-off-by: ", "(cherry picked from commit " };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (len >= strlen(own[i]) && !memcmp(s, own[i], strlen(own[i])))
			return true;
	return false;
}

/* Are all lines trailers, or a quarter of them including one that Git wrote? */
static bool is_trailer_block(const char *s, size_t len, char comment_char,
			     const struct trailer_syntax *syntax)
{
	size_t key, trailers = 0, others = 0;
	bool own = false, after_trailer = false;

	for (size_t pos = 0, n; pos < len; pos += n) {
		const char *line = s + pos;

		n = line_length(line, len - pos);
		if (*line == comment_char) {
			after_trailer = false;
			continue;
		}
		if (is_own_trailer(line, n)) {
			own = true;
			trailers++;
			after_trailer = true;
		} else if ((key = trailer_key_length(line, n, syntax))) {
			own |= syntax && syntax->has_rule &&
			       syntax->has_rule(syntax->data, line, key);
			trailers++;
			after_trailer = true;
		} else if (!(after_trailer && isspace((unsigned char)*line))) {
			others++; /* and not the continuation line of a trailer */
			after_trailer = false;
		}
	}
	return trailers && (!others || (own && trailers * 3 >= others));
}

size_t message_text_end(const char *msg, size_t len, char comment_char)
{
	size_t end = 0;

	for (size_t pos = 0, n; pos < len; pos += n) {
		n = line_length(msg + pos, len - pos);
		if (msg[pos] != comment_char && length_without_blanks(msg + pos, n))
			end = pos + n;
	}
	return end;
}

char message_free_comment_char(const char *msg, size_t len)
{
	const char *candidates = "#;@!$%^&|:";
	size_t end = message_text_end(msg, len, '#');

	for (; *candidates; candidates++) {
		size_t pos = 0;

		while (pos < end && msg[pos] != *candidates)
			pos += line_length(msg + pos, end - pos);
		if (pos >= end)
			break;
	}
	return *candidates;
}

size_t message_trailers_start(const char *msg, size_t len, char comment_char,
			      const struct trailer_syntax *syntax)
{
	size_t end = message_text_end(msg, len, comment_char);
	size_t start = 0, block = 0, paragraphs = 0;
	bool gap = true;

	for (size_t pos = 0, n; pos < end; pos += n) {
		n = line_length(msg + pos, end - pos);
		if (!length_without_blanks(msg + pos, n)) {
			gap = true;
			block = pos + n;
			paragraphs += !paragraphs; /* an empty subject */
		} else if (gap && msg[pos] != comment_char) {
			start = block; /* comments above it included */
			paragraphs++;
			gap = false;
		}
	}
	if (paragraphs < 2 || !is_trailer_block(msg + start, end - start, comment_char, syntax))
		return len;
	return start;
}

static bool last_line_is(const char *msg, size_t end, const char *line)
{
	size_t len = strlen(line), start;

	end = length_without_blanks(msg, end);
	start = end;
	while (start && msg[start - 1] != '\n')
		start--;
	return end - start == len && !memcmp(msg + start, line, len);
}

void message_add_trailer(struct strbuf *msg, const char *trailer, char comment_char,
			 const struct trailer_syntax *syntax)
{
	size_t end = message_text_end(msg->buf, msg->len, comment_char);
	bool block = message_trailers_start(msg->buf, msg->len, comment_char, syntax) < msg->len;
	struct strbuf add = STRBUF_INIT;

	if (block && last_line_is(msg->buf, end, trailer))
		return;
	if (end && msg->buf[end - 1] != '\n')
		strbuf_addch(&add, '\n');
	if (!block)
		strbuf_addstr(&add, end ? "\n" : "\n\n");
	strbuf_addf(&add, "%s\n", trailer);
	strbuf_insert(msg, end, add.buf, add.len);
	strbuf_release(&add);
}
