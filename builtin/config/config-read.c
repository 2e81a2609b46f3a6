/* SPDX-License-Identifier: GPL-2.0-only */
/* git config: list and get. */
#include "compat/posix.h"
#include <regex.h>
#include "builtin/config/config-cmd.h"
#include "config/urlmatch.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/quote.h"

/* ---- one entry ---- */

static void add_origin(struct strbuf *out, const struct config_cmd *c,
		       const struct config_entry *e)
{
	static const char *const names[] = {
		[CONFIG_ORIGIN_FILE] = "file", [CONFIG_ORIGIN_STDIN] = "standard input",
		[CONFIG_ORIGIN_BLOB] = "blob", [CONFIG_ORIGIN_CMDLINE] = "command line",
	};
	const char *file = e->file ? e->file : "";

	strbuf_addf(out, "%s:", names[e->origin]);
	if (c->null_terminated)
		strbuf_addstr(out, file);
	else
		quote_c_style(out, file, strlen(file), true);
	strbuf_addch(out, c->null_terminated ? '\0' : '\t');
}

/* < 0: the value is of another type, or CONFIG_PATH_OPTIONAL; out is as before then. */
static int try_entry(struct strbuf *out, const struct config_cmd *c, const struct config_entry *e, struct err *err)
{
	size_t before = out->len;
	int rc = 0;

	if (c->show_scope) {
		strbuf_addstr(out, config_scope_name(e->scope));
		strbuf_addch(out, c->null_terminated ? '\0' : '\t');
	}
	if (c->show_origin)
		add_origin(out, c, e);
	if (c->show_keys)
		strbuf_addstr(out, e->key);
	if (!c->name_only) {
		/* "key" alone stands for a value that is not there */
		if (c->show_keys && (e->value || c->type != TYPE_NONE))
			strbuf_addch(out, c->null_terminated ? '\n' : c->key_delim);
		rc = config_cmd_format(out, c, e, err);
	}
	strbuf_addch(out, c->null_terminated ? '\0' : '\n');
	if (rc < 0 || rc == CONFIG_PATH_OPTIONAL)
		strbuf_setlen(out, before);
	return rc;
}

static void add_entry(struct strbuf *out, const struct config_cmd *c, const struct config_entry *e)
{
	struct err err = ERR_INIT;

	if (try_entry(out, c, e, &err) < 0)
		die_err(&err);
}

/* Lists by type like Git: values of another type are left out, with an error for paths. */
static void list_entry(struct strbuf *out, const struct config_cmd *c, const struct config_entry *e)
{
	struct err err = ERR_INIT;

	if (try_entry(out, c, e, &err) >= 0)
		return;
	if (c->type == TYPE_PATH)
		report_error(&err);
	err_release(&err);
}

static void print(const struct strbuf *out)
{
	fwrite(out->buf, 1, out->len, stdout);
}

int config_cmd_list(struct config_cmd *c)
{
	struct strbuf out = STRBUF_INIT;
	const struct config_set *set = config_cmd_read(c, true);

	c->show_keys = true;
	c->key_delim = '=';
	for (size_t i = 0; i < config_nr(set); i++)
		list_entry(&out, c, config_at(set, i));
	print(&out);
	strbuf_release(&out);
	config_cmd_drop(c);
	return 0;
}

/* ---- get ---- */

struct key_matcher {
	struct strbuf exact;
	bool by_regex;
	regex_t regex;
};

/* Section and name are lower case in the canonical keys that the pattern meets. */
static char *lower_pattern(const char *pattern)
{
	char *copy = xstrdup(pattern), *p;

	for (p = copy + strlen(copy); p > copy && p[-1] != '.'; p--)
		p[-1] = (char)tolower((unsigned char)p[-1]);
	for (p = copy; *p && *p != '.'; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* 0, or the exit code after a message. */
static int key_matcher_init(struct key_matcher *m, const char *key, bool by_regex)
{
	struct err err = ERR_INIT;
	char *pattern;
	int rc;

	strbuf_init(&m->exact, 0);
	m->by_regex = by_regex;
	if (!by_regex) {
		if (config_key_parse(&m->exact, key, &err) < 0) {
			report_error(&err);
			return CONFIG_EXIT_INVALID_KEY;
		}
		return 0;
	}
	pattern = lower_pattern(key);
	rc = regcomp(&m->regex, pattern, REG_EXTENDED | REG_NOSUB);
	free(pattern);
	if (!rc)
		return 0;
	m->by_regex = false;
	error("invalid key pattern: %s", key);
	return CONFIG_EXIT_INVALID_PATTERN;
}

static bool key_matches(const struct key_matcher *m, const char *key)
{
	return m->by_regex ? !regexec(&m->regex, key, 0, NULL, 0) : !strcmp(m->exact.buf, key);
}

static void key_matcher_release(struct key_matcher *m)
{
	strbuf_release(&m->exact);
	if (m->by_regex)
		regfree(&m->regex);
}

/* The matching entries, or the last of them, into out. */
static void collect(struct strbuf *out, const struct config_cmd *c,
		      const struct config_set *set, const struct key_matcher *keys,
		      const struct config_matcher *values, bool all)
{
	const struct config_entry *last = NULL;

	for (size_t i = 0; i < config_nr(set); i++) {
		const struct config_entry *e = config_at(set, i);

		if (!key_matches(keys, e->key) ||
		    !config_matcher_matches(values, e->value ? e->value : ""))
			continue;
		if (all)
			add_entry(out, c, e);
		last = e;
	}
	if (!all && last)
		add_entry(out, c, last);
}

static void add_default(struct strbuf *out, const struct config_cmd *c, const char *key)
{
	struct config_entry e = { .key = (char *)key, .value = (char *)c->default_value,
				  .scope = CONFIG_SCOPE_COMMAND,
				  .origin = CONFIG_ORIGIN_CMDLINE };

	add_entry(out, c, &e);
}

int config_cmd_get(struct config_cmd *c, const char *key, unsigned flags)
{
	struct key_matcher keys;
	struct config_matcher *values = NULL;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	const struct config_set *set;
	int code = key_matcher_init(&keys, key, (flags & GET_KEY_REGEXP) != 0);

	if (!code && config_matcher_new(&values, c->value_pattern, c->fixed_value, &err) < 0) {
		report_error(&err);
		code = CONFIG_EXIT_INVALID_PATTERN;
	}
	if (!code) {
		set = config_cmd_read(c, false);
		collect(&out, c, set, &keys, values, (flags & GET_ALL) != 0);
		if (!out.len && c->default_value)
			add_default(&out, c, keys.exact.len ? keys.exact.buf : key);
		code = out.len ? 0 : 1; /* An optional path that is missing has no line. */
		print(&out);
		config_cmd_drop(c);
	}
	config_matcher_free(values);
	key_matcher_release(&keys);
	strbuf_release(&out);
	return code;
}

/* ---- by URL ---- */

/* "http.sslVerify" of the section's name and a variable, or of all of them. */
int config_cmd_get_urlmatch(struct config_cmd *c, const char *key, const char *url)
{
	struct url_config_result *found;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *section = xstrdup(key), *dot = strchr(section, '.');
	const struct config_set *set;
	size_t nr;

	if (dot)
		*dot++ = '\0';
	c->show_keys = !dot;
	c->key_delim = ' ';
	set = config_cmd_read(c, false);
	if (url_config_match(set, section, dot, url, &found, &nr, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < nr; i++) {
		struct config_entry shown = *found[i].entry;

		shown.key = found[i].key;
		add_entry(&out, c, &shown);
	}
	print(&out);
	url_config_result_free(found, nr);
	config_cmd_drop(c);
	strbuf_release(&out);
	free(section);
	return nr ? 0 : 1;
}

/* ---- colours ---- */

int config_cmd_get_color(struct config_cmd *c, const char *slot, const char *fallback)
{
	const struct config_set *set = config_cmd_read(c, false);
	const struct config_entry *e = *slot ? config_get(set, slot) : NULL;
	char color[COLOR_MAXLEN] = "";
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (e) {
		c->type = TYPE_COLOR;
		if (config_cmd_format(&out, c, e, &err) < 0)
			die_err(&err);
		fputs(out.buf, stdout);
	} else if (fallback) {
		if (color_parse(fallback, color) < 0) {
			error("invalid color value: %s", fallback);
			die("unable to parse default color value");
		}
		fputs(color, stdout);
	}
	strbuf_release(&out);
	config_cmd_drop(c);
	return 0;
}

static enum color_when color_setting(const struct config_set *set, const char *key)
{
	const struct config_entry *e = config_get(set, key);

	if (!e)
		return COLOR_UNSET;
	return e->value ? color_when_parse(e->value) : COLOR_AUTO;
}

int config_cmd_get_colorbool(struct config_cmd *c, const char *slot, const char *is_tty)
{
	const struct config_set *set = config_cmd_read(c, false);
	enum color_when when = color_setting(set, slot);
	const char *term = getenv("TERM");
	bool want;

	if (when == COLOR_UNSET && !strcmp(slot, "color.diff"))
		when = color_setting(set, "diff.color");
	if (when == COLOR_UNSET)
		when = color_setting(set, "color.ui");
	if (when == COLOR_UNSET)
		when = COLOR_AUTO;
	if (is_tty) {
		int tty = config_parse_maybe_bool(is_tty);

		if (tty < 0)
			die("bad boolean config value '%s' for 'command line'", is_tty);
		want = when == COLOR_ALWAYS || (when == COLOR_AUTO && tty && term && strcmp(term, "dumb"));
	} else {
		want = color_wanted(when, STDOUT_FILENO, pager_in_use());
	}
	config_cmd_drop(c);
	if (!is_tty)
		return want ? 0 : 1;
	puts(want ? "true" : "false");
	return 0;
}
