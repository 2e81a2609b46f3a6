/* SPDX-License-Identifier: GPL-2.0-only */
/* --grep, --author, --committer, --grep-reflog. */
#include "compat/posix.h"
#include "grep/pattern.h"
#include "history/revision/revision-internal.h"
#include "object/commit.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/utf8.h"

struct pattern {
	enum rev_grep_field field;
	struct grep_words words; /* one */
	struct grep_matcher *matcher; /* NULL: not compiled */
};

struct rev_grep *rev_grep_of(struct rev_walk *w)
{
	if (!w->grep)
		w->grep = xcalloc(1, sizeof(*w->grep));
	return w->grep;
}

/* Lines of a pattern are patterns of their own: any may match. */
void rev_grep_add(struct rev_walk *w, enum rev_grep_field field, const char *pattern)
{
	struct rev_grep *g = rev_grep_of(w);
	const char *end;

	for (;; pattern = end + 1) {
		end = strchrnul(pattern, '\n');
		ALLOC_GROW(g->patterns, g->nr + 1, g->alloc);
		memset(&g->patterns[g->nr], 0, sizeof(*g->patterns));
		g->patterns[g->nr].field = field;
		grep_words_add(&g->patterns[g->nr++].words, GREP_PATTERN, pattern, (size_t)(end - pattern),
			       field == REV_GREP_MESSAGE ? "command line" : "header", 0);
		if (!*end)
			break;
	}
}

void rev_grep_map_idents(struct rev_walk *w, rev_ident_map_fn fn, const void *data)
{
	struct rev_grep *g = rev_grep_of(w);

	g->map_ident = fn;
	g->map_data = data;
}

void rev_grep_use_notes(struct rev_walk *w, rev_notes_fn fn, void *data)
{
	rev_grep_of(w)->add_notes = fn;
	rev_grep_of(w)->notes_data = data;
}

bool rev_grep_is_used(const struct rev_walk *w)
{
	return w->grep && w->grep->nr;
}

bool rev_grep_ignores_case(const struct rev_walk *w)
{
	return w->grep && w->grep->ignore_case;
}

void rev_grep_set_encoding(struct rev_walk *w, const char *encoding)
{
	rev_grep_of(w)->encoding = encoding;
}

void rev_grep_free(struct rev_grep *g)
{
	size_t i;

	if (!g)
		return;
	for (i = 0; i < g->nr; i++) {
		grep_matcher_free(g->patterns[i].matcher);
		grep_words_clear(&g->patterns[i].words);
	}
	free(g->patterns);
	free(g);
}

int rev_grep_config(struct rev_walk *w, const struct config_set *c, struct err *err)
{
	static const char *const names[] = { "basic", "extended", "fixed", "perl" };
	const char *name = NULL;
	bool extended = false;

	if (config_get_bool(c, "grep.extendedregexp", &extended, err) < 0 ||
	    config_get_string(c, "grep.patterntype", &name, err) < 0)
		return ERR_INVALID;
	if (!name || !strcmp(name, "default"))
		name = names[extended ? GREP_EXTENDED : GREP_BASIC];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i])) {
			rev_grep_of(w)->type = (enum grep_type)i;
			return 0;
		}
	return err_set(err, ERR_INVALID, "bad grep.patterntype argument: %s", name);
}

int rev_grep_compile(struct rev_walk *w, struct err *err)
{
	struct rev_grep *g = w->grep;
	struct grep_rules rules;
	int rc = 0;

	if (!g)
		return 0;
	rules = (struct grep_rules){ .type = g->type, .ignore_case = g->ignore_case };
	for (size_t i = 0; !rc && i < g->nr; i++)
		rc = grep_matcher_new(&g->patterns[i].matcher, &g->patterns[i].words, &rules, err);
	return rc;
}

static int report_failures(const struct rev_grep *g, struct err *err)
{
	struct strbuf why = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < g->nr; i++)
		if (grep_matcher_failed(g->patterns[i].matcher, &why))
			rc = err_set(err, ERR_GENERIC, "%s", why.buf);
	strbuf_release(&why);
	return rc;
}

/* Any pattern of a field will do; without one the field does not matter. */
static bool field_matches(const struct rev_grep *g, enum rev_grep_field field, const char *text, size_t len)
{
	bool asked = false;
	size_t i;

	for (i = 0; i < g->nr; i++) {
		if (g->patterns[i].field != field)
			continue;
		if (grep_text_matches(g->patterns[i].matcher, text, len))
			return true;
		asked = true;
	}
	return !asked;
}

static bool has_field(const struct rev_grep *g, enum rev_grep_field field)
{
	size_t i;

	for (i = 0; i < g->nr; i++)
		if (g->patterns[i].field == field)
			return true;
	return false;
}

bool rev_has_field(const struct rev_walk *w, enum rev_grep_field field)
{
	return w->grep && has_field(w->grep, field);
}

static bool message_matches(const struct rev_grep *g, const char *text, size_t len)
{
	bool found = false;
	size_t i;

	if (!has_field(g, REV_GREP_MESSAGE))
		return true;
	if (!g->all_match)
		return field_matches(g, REV_GREP_MESSAGE, text, len) != g->invert;
	for (i = 0; i < g->nr; i++) {
		if (g->patterns[i].field != REV_GREP_MESSAGE)
			continue;
		found = grep_text_matches(g->patterns[i].matcher, text, len);
		if (!found)
			break;
	}
	return found != g->invert;
}

/* The line without its date: "Name <mail>", up to the last '>', with a mapped name and mail. */
static void ident_text(const struct rev_grep *g, const char *line, size_t len, struct strbuf *out)
{
	const char *close = len ? memrchr(line, '>', len) : NULL, *rest = line;
	struct ident_split id;
	const char *name, *mail;
	size_t name_len, mail_len;

	strbuf_reset(out);
	if (close)
		len = (size_t)(close + 1 - line);
	if (g->map_ident && len && !ident_split_line(&id, line, len)) {
		name = id.name, name_len = id.name_len;
		mail = id.mail, mail_len = id.mail_len;
		g->map_ident(g->map_data, &name, &name_len, &mail, &mail_len);
		if (name != id.name || mail != id.mail) {
			strbuf_add(out, name, name_len);
			strbuf_addstr(out, " <");
			strbuf_add(out, mail, mail_len);
			rest = id.mail + id.mail_len;
		}
	}
	strbuf_add(out, rest, (size_t)(line + len - rest));
}

static bool idents_match(const struct rev_grep *g, const struct commit_view *v)
{
	struct strbuf text = STRBUF_INIT;
	bool ok = true;

	if (has_field(g, REV_GREP_AUTHOR)) {
		ident_text(g, v->author, v->author_len, &text);
		ok = field_matches(g, REV_GREP_AUTHOR, text.buf, text.len);
	}
	if (ok && has_field(g, REV_GREP_COMMITTER)) {
		ident_text(g, v->committer, v->committer_len, &text);
		ok = field_matches(g, REV_GREP_COMMITTER, text.buf, text.len);
	}
	strbuf_release(&text);
	return ok;
}

static bool commit_matches(struct rev_walk *w, const struct commit *c, const struct commit_view *v)
{
	const struct rev_grep *g = w->grep;
	struct strbuf all = STRBUF_INIT;
	char *from, *text;
	bool ok;

	if (!idents_match(g, v))
		return false;
	from = v->encoding ? xstrndup(v->encoding, v->encoding_len) : NULL;
	text = reencode_string(v->message, v->message_len,
			       g->encoding ? g->encoding : "UTF-8", from ? from : "UTF-8", NULL);
	strbuf_addstr(&all, text ? text : v->message);
	if (g->add_notes)
		g->add_notes(g->notes_data, &c->oid, &all);
	ok = message_matches(g, all.buf, all.len);
	strbuf_release(&all);
	free(text);
	free(from);
	return ok;
}

int rev_grep_matches(struct rev_walk *w, struct commit *c, struct err *err)
{
	struct rev_reflog_info info;
	struct commit_view v;
	const char *buf;
	bool matches;
	size_t len;
	int rc;

	if (!w->grep || !w->grep->nr)
		return 1;
	if (has_field(w->grep, REV_GREP_REFLOG) &&
	    (!rev_reflog_info(w, &info) || !field_matches(w->grep, REV_GREP_REFLOG, info.msg, strlen(info.msg))))
		return report_failures(w->grep, err);
	rc = commit_buffer(w->pool, c, &buf, &len, err);
	if (!rc)
		rc = commit_parse(&v, buf, len, w->repo->algo, err);
	if (rc < 0)
		return rc;
	matches = commit_matches(w, c, &v);
	commit_view_release(&v);
	rc = report_failures(w->grep, err);
	return rc ? rc : matches;
}
