/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Edits of a config file's text. The text is split into tokens; everything that an edit does
 * not concern is copied unchanged.
 */
#include "compat/posix.h"
#include "config/config-internal.h"
#include "util/alloc.h"

struct token {
	enum config_token kind;
	size_t start, end;
	size_t section; /* number in tokens.sections */
	bool matched;	/* an entry that the edit is about */
};

struct section {
	char *name;    /* canonical: "core." or "remote.X." */
	char *written; /* the same in the case of the file: "Core." */
	bool dotted;   /* of the old form, [remote.X], in whose name case does not matter */
};

struct tokens {
	struct token *v;
	size_t nr, alloc;
	struct section *sections; /* one per header, after one without a name */
	size_t nr_sections, alloc_sections;
	bool open_end; /* of the scanner */
};

static void tokens_release(struct tokens *t)
{
	for (size_t i = 0; i < t->nr_sections; i++) {
		free(t->sections[i].name);
		free(t->sections[i].written);
	}
	free(t->sections);
	free(t->v);
}

/* header: behind the '['; NULL: of what comes before all headers. */
static void push_section(struct tokens *t, const struct config_scanner *s, const char *header)
{
	struct section *new;

	ALLOC_GROW(t->sections, t->nr_sections + 1, t->alloc_sections);
	new = &t->sections[t->nr_sections++];
	new->name = xstrdup(s->section.buf);
	new->written = xstrdup(s->section.buf);
	new->dotted = s->dotted;
	if (header)
		memcpy(new->written, header, strcspn(header, " \t\"]"));
}

static const char *section_of(const struct tokens *t, size_t i)
{
	return t->sections[t->v[i].section].name;
}

/* Does an entry of that canonical section belong below header i? */
static bool header_fits(const struct tokens *t, size_t i, const char *section)
{
	const struct section *there = &t->sections[t->v[i].section];

	return !(there->dotted ? strcasecmp : strcmp)(there->name, section);
}

/* key NULL: no entry is marked as matched. */
static int tokenize(struct tokens *t, const struct strbuf *text, const char *key,
		    const struct config_matcher *m, const char *name, struct err *err)
{
	struct config_scanner s;
	enum config_token kind;
	int rc = 0;

	config_scan_init(&s, text->buf, text->len);
	push_section(t, &s, NULL);
	while ((kind = config_scan(&s)) != CONFIG_TOKEN_END) {
		struct token *tok;

		if (kind == CONFIG_TOKEN_BAD) {
			rc = err_set(err, ERR_CORRUPT, "bad config line %d in file %s", s.line,
				     name);
			break;
		}
		if (kind == CONFIG_TOKEN_SECTION)
			push_section(t, &s, s.buf + s.start + 1);
		ALLOC_GROW(t->v, t->nr + 1, t->alloc);
		tok = &t->v[t->nr++];
		*tok = (struct token){ kind, s.start, s.end, t->nr_sections - 1, false };
		if (kind == CONFIG_TOKEN_ENTRY && key)
			tok->matched = !strcmp(s.key.buf, key) &&
				   config_matcher_matches(m, s.has_value ? s.value.buf : NULL);
	}
	t->open_end = s.open_end;
	config_scan_release(&s);
	return rc;
}

/* ---- entries and headers as they are written ---- */

static bool needs_quotes(const char *value)
{
	size_t len = strlen(value);

	return len && (value[0] == ' ' || value[len - 1] == ' ' || strpbrk(value, ";#\r"));
}

static void add_escaped(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '\n':
			strbuf_addstr(out, "\\n");
			break;
		case '\t':
			strbuf_addstr(out, "\\t");
			break;
		case '"':
		case '\\':
			strbuf_addch(out, '\\');
			/* fallthrough */
		default:
			strbuf_addch(out, *s);
		}
	}
}

static void add_entry(struct strbuf *out, const struct config_edit *e)
{
	const char *quote = needs_quotes(e->value) ? "\"" : "";

	strbuf_addf(out, "\t%s = %s", strrchr(e->key, '.') + 1, quote);
	add_escaped(out, e->value);
	strbuf_addf(out, "%s%s\n", quote, e->comment ? e->comment : "");
}

/* `[section "sub"]` for the first len bytes of a key or section name. */
static void add_header(struct strbuf *out, const char *name, size_t len)
{
	const char *dot = memchr(name, '.', len);
	size_t section_len = dot ? (size_t)(dot - name) : len;

	strbuf_addch(out, '[');
	strbuf_add(out, name, section_len);
	if (dot) {
		strbuf_addstr(out, " \"");
		for (const char *p = dot + 1; p < name + len; p++) {
			if (*p == '"' || *p == '\\')
				strbuf_addch(out, '\\');
			strbuf_addch(out, *p);
		}
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, "]\n");
}

int config_comment_prepare(struct strbuf *out, const char *text, struct err *err)
{
	const char *p = text + strspn(text, " \t");

	if (strchr(text, '\n'))
		return err_set(err, ERR_INVALID,
			       "invalid comment character: '\\n' in '%s'", text);
	if (*p == '#')
		strbuf_addf(out, "%s%s", p == text ? " " : "", text);
	else
		strbuf_addf(out, " # %s", text);
	return 0;
}

/* ---- copying ---- */

/* The position of the blanks before a token that starts at pos. */
static size_t start_of_indent(const struct strbuf *text, size_t pos, size_t not_before)
{
	while (pos > not_before && (text->buf[pos - 1] == ' ' || text->buf[pos - 1] == '\t'))
		pos--;
	return pos;
}

static bool ends_in_new_line(const struct strbuf *text, size_t pos)
{
	return !pos || text->buf[pos - 1] == '\n' ||
	       (pos == 3 && !memcmp(text->buf, "\xef\xbb\xbf", 3));
}

/* The start of the next line, if only blanks and a comment follow pos; else pos. */
static size_t rest_of_line(const struct strbuf *text, size_t pos)
{
	size_t p = pos;

	while (p < text->len && strchr(" \t\r", text->buf[p]))
		p++;
	if (p < text->len && (text->buf[p] == '#' || text->buf[p] == ';'))
		while (p < text->len && text->buf[p] != '\n')
			p++;
	if (p == text->len)
		return p;
	return text->buf[p] == '\n' ? p + 1 : pos;
}

/* The text is copied from front to back, with changes. */
struct copying {
	const struct strbuf *text;
	struct strbuf out;
	size_t done; /* bytes of text that are copied or left out */
	bool open_end; /* of the text */
};

static void copy_until(struct copying *c, size_t pos)
{
	if (pos > c->done)
		strbuf_add(&c->out, c->text->buf + c->done, pos - c->done);
	c->done = pos > c->done ? pos : c->done;
}

/* Make sure that the output is at the start of a line that continues no other one. */
static void start_line(struct copying *c)
{
	if (!ends_in_new_line(&c->out, c->out.len))
		strbuf_addch(&c->out, '\n');
	if (c->open_end && c->done == c->text->len)
		strbuf_addch(&c->out, '\n');
}

/* Leave out token i with the blanks before it. */
static void remove_entry(struct copying *c, const struct tokens *t, size_t i)
{
	copy_until(c, start_of_indent(c->text, t->v[i].start, i ? t->v[i - 1].end : 0));
	start_line(c);
	c->done = t->v[i].end;
}

/* ---- unset: headers that lose their last entry ---- */

static bool is_removed_or_header(const struct tokens *t, size_t i, const char *section)
{
	return t->v[i].matched || (t->v[i].kind == CONFIG_TOKEN_SECTION &&
			       !strcmp(section_of(t, i), section));
}

/*
 * Does removing the matched entries leave the section around entry i empty? Then
 * [*first, *last] are the headers and entries to remove. A header that follows a comment
 * stays, since the comment is probably about it.
 */
static bool find_emptied_section(const struct tokens *t, size_t i, size_t *first, size_t *last)
{
	const char *section = section_of(t, i);
	size_t a = i, b = i;

	while (a > 0 && is_removed_or_header(t, a - 1, section))
		a--;
	while (b + 1 < t->nr && is_removed_or_header(t, b + 1, section))
		b++;
	if (b + 1 < t->nr && t->v[b + 1].kind != CONFIG_TOKEN_SECTION)
		return false;
	if (a > 0 && t->v[a].kind == CONFIG_TOKEN_SECTION &&
	    t->v[a - 1].kind == CONFIG_TOKEN_COMMENT)
		a++;
	while (a <= b && t->v[a].kind != CONFIG_TOKEN_SECTION)
		a++;
	*first = a;
	*last = b;
	return a < i;
}

static void remove_emptied_section(struct copying *c, const struct tokens *t, size_t first,
				   size_t last)
{
	if (first)
		copy_until(c, t->v[first - 1].kind == CONFIG_TOKEN_ENTRY
			      ? t->v[first - 1].end
			      : rest_of_line(c->text, t->v[first - 1].end));
	if (c->out.len)
		start_line(c);
	c->done = last + 1 < t->nr ? start_of_indent(c->text, t->v[last + 1].start, t->v[last].end)
				   : c->text->len;
}

static void unset_matched(struct copying *c, const struct tokens *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		size_t first, last;

		if (!t->v[i].matched || t->v[i].end <= c->done)
			continue;
		if (find_emptied_section(t, i, &first, &last))
			remove_emptied_section(c, t, first, last);
		else
			remove_entry(c, t, i);
	}
}

/* ---- set ---- */

/* *pos: after the last entry or header of the section. False if there is no such section. */
static bool end_of_section(const struct copying *c, const struct tokens *t,
			   const char *section, size_t *pos)
{
	for (size_t i = t->nr; i-- > 0;) {
		const struct token *tok = &t->v[i];

		if (tok->kind == CONFIG_TOKEN_COMMENT || !header_fits(t, i, section))
			continue;
		*pos = tok->kind == CONFIG_TOKEN_ENTRY ? tok->end
						       : rest_of_line(c->text, tok->end);
		return true;
	}
	return false;
}

static void append_value(struct copying *c, const struct tokens *t, const char *key,
			 const struct config_edit *e)
{
	char *section = xmemdupz(key, strrchr(key, '.') + 1 - key);
	size_t pos;

	if (end_of_section(c, t, section, &pos)) {
		copy_until(c, pos);
		start_line(c);
	} else {
		copy_until(c, c->text->len);
		start_line(c);
		add_header(&c->out, e->key, strrchr(e->key, '.') - e->key);
	}
	add_entry(&c->out, e);
	free(section);
}

/* The last match gets the new value, the others are removed. */
static void replace_matched(struct copying *c, const struct tokens *t, size_t nr_matched,
			    const struct config_edit *e)
{
	for (size_t i = 0; nr_matched; i++) {
		if (!t->v[i].matched)
			continue;
		remove_entry(c, t, i);
		if (!--nr_matched)
			add_entry(&c->out, e);
	}
}

static int check_match_count(const struct config_edit *e, size_t nr_matched, struct err *err)
{
	if (!e->value && !nr_matched)
		return err_set(err, ERR_NOT_FOUND, "no such value: %s", e->key);
	if (nr_matched < 2 || e->multi || e->append)
		return 0;
	if (!e->value)
		return err_set(err, ERR_AMBIGUOUS, "%s has multiple values", e->key);
	return err_set(err, ERR_AMBIGUOUS,
		       "cannot overwrite multiple values with a single value\n"
		       "       Use a regexp, --add or --replace-all to change %s.", e->key);
}

int config_text_edit(struct strbuf *text, const struct config_edit *e, const char *name,
		     struct err *err)
{
	struct copying c = { .text = text, .out = STRBUF_INIT };
	struct strbuf key = STRBUF_INIT;
	struct config_matcher *m = NULL;
	struct tokens t = { 0 };
	size_t nr_matched = 0;
	int rc = config_key_parse(&key, e->key, err);

	if (!rc)
		rc = config_matcher_new(&m, e->value_pattern, e->fixed_value, err);
	if (!rc)
		rc = tokenize(&t, text, key.buf, m, name, err);
	c.open_end = t.open_end;
	for (size_t i = 0; i < t.nr; i++)
		nr_matched += t.v[i].matched;
	if (!rc)
		rc = check_match_count(e, nr_matched, err);
	if (!rc) {
		if (!e->value)
			unset_matched(&c, &t);
		else if (nr_matched && !e->append)
			replace_matched(&c, &t, nr_matched, e);
		else
			append_value(&c, &t, key.buf, e);
		copy_until(&c, text->len);
		strbuf_swap(text, &c.out);
	}
	strbuf_release(&c.out);
	config_matcher_free(m);
	tokens_release(&t);
	strbuf_release(&key);
	return rc;
}

/* ---- sections ---- */

static int check_section_name(const char *name, struct err *err)
{
	const char *p = name;

	while (config_is_name_char((unsigned char)*p))
		p++;
	if (p == name || (*p && *p != '.') || strchr(p, '\n'))
		return err_set(err, ERR_INVALID, "invalid section name: %s", name);
	return 0;
}

/* Leave out header i and everything up to the next header. */
static void remove_section(struct copying *c, const struct tokens *t, size_t i)
{
	size_t next = i + 1;

	copy_until(c, start_of_indent(c->text, t->v[i].start, i ? t->v[i - 1].end : 0));
	if (c->out.len)
		start_line(c);
	while (next < t->nr && t->v[next].kind != CONFIG_TOKEN_SECTION)
		next++;
	c->done = next < t->nr ? start_of_indent(c->text, t->v[next].start, t->v[next - 1].end)
			       : c->text->len;
}

/* Replace header i by one with new_name, on a line of its own. */
static void rename_header(struct copying *c, const struct tokens *t, size_t i,
			  const char *new_name)
{
	size_t end = t->v[i].end, p = end;

	copy_until(c, start_of_indent(c->text, t->v[i].start, i ? t->v[i - 1].end : 0));
	start_line(c);
	add_header(&c->out, new_name, strlen(new_name));
	while (p < c->text->len && strchr(" \t\r", c->text->buf[p]))
		p++;
	if (p < c->text->len && c->text->buf[p] == '\n') {
		p++;
	} else if (p < c->text->len) {
		strbuf_addch(&c->out, '\t');
	}
	c->done = p;
}

/* Copy header i and everything up to the next header, and append it again as new_name. */
static void copy_section(struct copying *c, const struct tokens *t, size_t i,
			 const char *new_name)
{
	size_t start = start_of_indent(c->text, t->v[i].start, i ? t->v[i - 1].end : 0);
	struct copying dup = { .text = c->text, .out = STRBUF_INIT, .done = start };
	size_t next = i + 1, end;

	while (next < t->nr && t->v[next].kind != CONFIG_TOKEN_SECTION)
		next++;
	end = next < t->nr ? start_of_indent(c->text, t->v[next].start, t->v[next - 1].end)
			   : c->text->len;
	rename_header(&dup, t, i, new_name);
	copy_until(&dup, end);
	copy_until(c, end);
	start_line(c);
	strbuf_addbuf(&c->out, &dup.out);
	strbuf_release(&dup.out);
}

static void edit_section(struct copying *c, const struct tokens *t, size_t i,
			 const struct config_section_edit *e)
{
	if (!e->new_name)
		remove_section(c, t, i);
	else if (e->copy)
		copy_section(c, t, i, e->new_name);
	else
		rename_header(c, t, i, e->new_name);
}

/* Map the names of sections, as they must be written, to their edits. */
static int index_section_edits(struct strmap *by_name, const struct config_section_edit *e,
			       size_t nr, struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		rc = e[i].new_name ? check_section_name(e[i].new_name, err) : 0;
		strbuf_reset(&name);
		strbuf_addf(&name, "%s.", e[i].old_name);
		strmap_put(by_name, name.buf, (void *)&e[i]);
	}
	strbuf_release(&name);
	return rc;
}

int config_text_edit_sections(struct strbuf *text, const struct config_section_edit *e,
			      size_t nr, size_t *nr_found, const char *name, struct err *err)
{
	struct copying c = { .text = text, .out = STRBUF_INIT };
	struct strmap by_name = STRMAP_INIT;
	struct tokens t = { 0 };
	size_t found = 0;
	int rc = index_section_edits(&by_name, e, nr, err);

	if (!rc)
		rc = tokenize(&t, text, NULL, NULL, name, err);
	c.open_end = t.open_end;
	for (size_t i = 0; !rc && i < t.nr; i++) {
		const struct config_section_edit *edit = NULL;

		if (t.v[i].kind == CONFIG_TOKEN_SECTION)
			edit = strmap_get(&by_name, t.sections[t.v[i].section].written);
		if (!edit)
			continue;
		found++;
		edit_section(&c, &t, i, edit);
	}
	if (!rc && found) {
		copy_until(&c, text->len);
		strbuf_swap(text, &c.out);
	}
	if (!rc)
		*nr_found = found;
	strbuf_release(&c.out);
	tokens_release(&t);
	strmap_clear(&by_name, NULL);
	return rc;
}

int config_text_rename_section(struct strbuf *text, const char *old_name, const char *new_name,
			       const char *name, struct err *err)
{
	const struct config_section_edit e = { old_name, new_name, false };
	size_t found;
	int rc = config_text_edit_sections(text, &e, 1, &found, name, err);

	if (!rc && !found)
		rc = err_set(err, ERR_NOT_FOUND, "no such section: %s", old_name);
	return rc;
}
