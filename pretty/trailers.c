/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "object/message.h"
#include "util/alloc.h"
#include "pretty/pretty-internal.h"

void trailer_options_release(struct trailer_options *o)
{
	strvec_clear(&o->keys);
	strbuf_release(&o->separator);
	strbuf_release(&o->key_value_separator);
}

/* ---- options ---- */

void trailer_options_read_config(struct trailer_options *o, const struct config_set *config)
{
	const struct config_entry *e = config_get(config, "trailer.separators");

	if (e && e->value && *e->value)
		o->key_ends = e->value;
}

void add_format_literals(struct strbuf *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		int hi, lo;

		if (s[i] != '%' || i + 1 == len) {
			strbuf_addch(out, s[i]);
		} else if (s[i + 1] == 'n') {
			strbuf_addch(out, '\n');
			i++;
		} else if (s[i + 1] == '%') {
			strbuf_addch(out, '%');
			i++;
		} else if (s[i + 1] == 'x' && i + 3 < len &&
			   (hi = hex_value((unsigned char)s[i + 2])) >= 0 &&
			   (lo = hex_value((unsigned char)s[i + 3])) >= 0) {
			strbuf_addch(out, hi << 4 | lo);
			i += 3;
		} else {
			strbuf_addch(out, s[i]);
		}
	}
}

bool match_format_option(const char *s, size_t len, const char *name, const char **value,
			 size_t *value_len)
{
	size_t n = strlen(name);

	if (len < n || memcmp(s, name, n))
		return false;
	if (len == n) {
		*value = NULL;
		*value_len = 0;
		return true;
	}
	if (s[n] != '=')
		return false;
	*value = s + n + 1;
	*value_len = len - n - 1;
	return true;
}

static bool bool_option(const char *s, size_t len, const char *name, bool *out)
{
	const char *value;
	size_t value_len;
	char *text;
	int b;

	if (!match_format_option(s, len, name, &value, &value_len))
		return false;
	text = value ? xstrndup(value, value_len) : NULL;
	b = config_parse_maybe_bool(text);
	free(text);
	if (b < 0)
		return false;
	*out = b;
	return true;
}

bool trailer_options_add(struct trailer_options *o, const char *s, size_t len)
{
	const char *value;
	size_t n;

	if (match_format_option(s, len, "key", &value, &n) && value) {
		if (n && value[n - 1] == ':')
			n--;
		s = xstrndup(value, n);
		strvec_push(&o->keys, s);
		free((char *)s);
		o->only = true;
		return true;
	}
	if (match_format_option(s, len, "separator", &value, &n)) {
		strbuf_reset(&o->separator);
		add_format_literals(&o->separator, value, n);
		return o->has_separator = true;
	}
	if (match_format_option(s, len, "key_value_separator", &value, &n)) {
		strbuf_reset(&o->key_value_separator);
		add_format_literals(&o->key_value_separator, value, n);
		return o->has_key_value_separator = true;
	}
	return bool_option(s, len, "only", &o->only) ||
	       bool_option(s, len, "unfold", &o->unfold) ||
	       bool_option(s, len, "keyonly", &o->key_only) ||
	       bool_option(s, len, "valueonly", &o->value_only);
}

/* ---- the block ---- */

/* Length of a line with its continuations, without the last newline. */
static size_t item_length(const char *s, size_t len)
{
	size_t n = 0;

	for (;;) {
		const char *eol = memchr(s + n, '\n', len - n);

		n = eol ? (size_t)(eol - s) : len;
		if (!eol || n + 1 >= len || (s[n + 1] != ' ' && s[n + 1] != '\t'))
			return n;
		n++;
	}
}

/* The separator behind the key; NULL: no trailer. */
static const char *key_end(const struct trailer_options *o, const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (isalnum((unsigned char)s[i]) || s[i] == '-'))
		i++;
	if (!i)
		return NULL;
	while (i < len && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return i < len && s[i] && strchr(o->key_ends, s[i]) ? s + i : NULL;
}

static bool key_is_wanted(const struct trailer_options *o, const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < o->keys.nr; i++)
		if (strlen(o->keys.v[i]) == len && !strncasecmp(o->keys.v[i], key, len))
			return true;
	return !o->keys.nr;
}

static void add_unfolded(struct strbuf *out, const char *s, size_t len, bool unfold)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!unfold || s[i] != '\n') {
			strbuf_addch(out, s[i]);
			continue;
		}
		while (i + 1 < len && isspace((unsigned char)s[i + 1]))
			i++;
		strbuf_addch(out, ' ');
	}
}

static bool format_item(const struct trailer_options *o, const char *s, size_t len,
			struct strbuf *out)
{
	const char *colon = key_end(o, s, len), *value;
	size_t key_len;

	if (!colon) {
		if (o->only)
			return false;
		add_unfolded(out, s, len, o->unfold);
		return true;
	}
	key_len = colon - s;
	while (key_len && isspace((unsigned char)s[key_len - 1]))
		key_len--;
	if (!key_is_wanted(o, s, key_len))
		return false;
	value = colon + 1;
	while (value < s + len && isspace((unsigned char)*value))
		value++;
	while (s + len > value && isspace((unsigned char)s[len - 1]))
		len--;
	if (!o->value_only)
		strbuf_add(out, s, key_len);
	if (!o->key_only && !o->value_only) {
		if (o->has_key_value_separator)
			strbuf_addbuf(out, &o->key_value_separator);
		else
			strbuf_addf(out, "%c ", *o->key_ends);
	}
	if (!o->key_only)
		add_unfolded(out, value, s + len - value, o->unfold);
	return true;
}

static bool is_plain(const struct trailer_options *o)
{
	return !o->keys.nr && !o->only && !o->unfold && !o->key_only && !o->value_only &&
	       !o->has_separator && !o->has_key_value_separator;
}

/* Without the comments and the empty lines at the end. Lines of blanks stay, as in Git. */
static size_t trailers_end(const char *msg, size_t len)
{
	while (len) {
		const char *lf = memrchr(msg, '\n', len - 1), *line = lf ? lf + 1 : msg;

		if (*line != '\n' && *line != '#')
			break;
		len = (size_t)(line - msg);
	}
	return len;
}

void trailers_format(const struct trailer_options *o, const char *msg, size_t msg_len,
		     struct strbuf *out)
{
	const struct trailer_syntax syntax = { .separators = o->key_ends };
	const char *end = msg + trailers_end(msg, msg_len),
		   *s = msg + message_trailers_start(msg, msg_len, '#', &syntax);
	struct strbuf item = STRBUF_INIT;
	bool first = true;
	size_t len;

	if (is_plain(o)) { /* unchanged */
		if (s < end)
			strbuf_add(out, s, end - s);
		return;
	}
	for (; s < end; s += len + 1) {
		len = item_length(s, end - s);
		strbuf_reset(&item);
		if (!len || !format_item(o, s, len, &item))
			continue;
		if (o->has_separator && !first)
			strbuf_addbuf(out, &o->separator);
		strbuf_addbuf(out, &item);
		if (!o->has_separator)
			strbuf_addch(out, '\n');
		first = false;
	}
	strbuf_release(&item);
}
