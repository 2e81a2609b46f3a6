/* SPDX-License-Identifier: GPL-2.0-only */
/* --format: the placeholders of "PRETTY FORMATS" in git-log(1). */
#include "compat/posix.h"
#include "pretty/pretty-internal.h"
#include "object/ident.h"
#include "sign/sign.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum alignment { ALIGN_NONE, ALIGN_LEFT, ALIGN_RIGHT, ALIGN_RIGHT_STEAL, ALIGN_CENTER };
enum truncation { TRUNCATE_NONE, TRUNCATE_START, TRUNCATE_MIDDLE, TRUNCATE_END };

struct user_format {
	struct pretty_commit *pc;
	bool auto_color;
	/* for the next placeholder */
	enum alignment align;
	enum truncation truncation;
	int pad_columns;
	bool pad_to_column; /* up to column pad_columns, instead of that many */
	/* %w: text from wrap_start on */
	size_t wrap_start;
	unsigned wrap_width, wrap_indent1, wrap_indent2;
	/* %G: checked on first use */
	struct signature_check signature;
	bool signature_checked;
};

/* ---- colours ---- */

/* "(auto)", "(red)", "(auto,red)", "(always,bold red)": bytes used, 0 if malformed. */
static size_t color_in_parentheses(struct user_format *f, const char *s, struct strbuf *out,
				   struct err *err)
{
	const char *end = strchr(s, ')'), *begin = s + 1;
	char escape[COLOR_MAXLEN], *spec;
	bool on = f->pc->p->color;

	if (!end)
		return 0;
	if (end - begin == 4 && !memcmp(begin, "auto", 4)) {
		f->auto_color = true;
		if (on && out->len)
			strbuf_addstr(out, COLOR_RESET);
		return end + 1 - s;
	}
	if (skip_prefix(begin, "always,", &begin))
		on = true;
	else
		skip_prefix(begin, "auto,", &begin);
	f->auto_color = false;
	spec = xstrndup(begin, end - begin);
	if (on && color_parse(spec, escape) < 0)
		err_set(err, ERR_INVALID, "unable to parse --pretty format: bad color '%s'", spec);
	else if (on)
		strbuf_addstr(out, escape);
	free(spec);
	return end + 1 - s;
}

/* Behind "%C". */
static size_t color(struct user_format *f, const char *s, struct strbuf *out, struct err *err)
{
	static const struct { const char *name, *spec; } names[] = {
		{ "red", "red" }, { "green", "green" }, { "blue", "blue" }, { "reset", "reset" },
	};
	char escape[COLOR_MAXLEN];
	const char *rest;
	size_t i;

	if (*s == '(')
		return color_in_parentheses(f, s, out, err);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!skip_prefix(s, names[i].name, &rest))
			continue;
		f->auto_color = false;
		if (f->pc->p->color && !color_parse(names[i].spec, escape))
			strbuf_addstr(out, escape);
		return rest - s;
	}
	return 0;
}

/* ---- people ---- */

static const struct mailmap *mailmap_of(struct pretty *p)
{
	if (!p->placeholder_mailmap &&
	    mailmap_read(&p->placeholder_mailmap, p->repo, NULL) < 0)
		p->placeholder_mailmap = mailmap_parse("", 0);
	return p->placeholder_mailmap;
}

static bool date_by_letter(struct user_format *f, char letter, const struct ident_split *id,
			   struct strbuf *out)
{
	struct pretty *p = f->pc->p;
	struct date_mode mode = DATE_MODE_INIT;
	timestamp_t date;
	int tz;

	ident_shown_date(id, &date, &tz);
	switch (letter) {
	case 't':
		strbuf_add(out, id->date_text, id->date_len);
		return true;
	case 'd':
		mode.type = DATE_SHORT;
		date_format(out, date, tz, p->reference && !p->date_explicit ? &mode : &p->date);
		return true;
	case 'D': mode.type = DATE_RFC2822; break;
	case 'r': mode.type = DATE_RELATIVE; break;
	case 'i': mode.type = DATE_ISO8601; break;
	case 'I': mode.type = DATE_ISO8601_STRICT; break;
	case 's': mode.type = DATE_SHORT; break;
	case 'h': mode.type = DATE_HUMAN; break;
	default:
		return false;
	}
	date_format(out, date, tz, &mode);
	return true;
}

static bool name_by_letter(struct user_format *f, char letter, const struct ident_split *id,
			   struct strbuf *out)
{
	const char *name = id->name, *mail = id->mail, *at;
	size_t name_len = id->name_len, mail_len = id->mail_len;

	if (isupper((unsigned char)letter))
		mailmap_apply(mailmap_of(f->pc->p), &name, &name_len, &mail, &mail_len);
	switch (tolower((unsigned char)letter)) {
	case 'n':
		strbuf_add(out, name, name_len);
		return true;
	case 'e':
		strbuf_add(out, mail, mail_len);
		return true;
	case 'l':
		at = memchr(mail, '@', mail_len);
		strbuf_add(out, mail, at ? (size_t)(at - mail) : mail_len);
		return true;
	default:
		return false;
	}
}

/* Behind "%a" or "%c". */
static size_t person(struct user_format *f, const char *line, size_t len, char letter,
		     struct strbuf *out)
{
	struct ident_split id;

	if (!letter || !strchr("nNeElLdDrtiIsh", letter))
		return 0;
	if (ident_split_line(&id, line ? line : "", len) < 0 ||
	    (!id.has_date && !strchr("nNeElL", letter)))
		/* As in Git, some placeholders stay unexpanded then. */
		return strchr("netdDri", letter) ? 2 : 0;
	if (strchr("nNeElL", letter))
		name_by_letter(f, letter, &id, out);
	else
		date_by_letter(f, letter, &id, out);
	return 2;
}

/* Behind "%g". */
static size_t reflog(struct user_format *f, const char *s, struct strbuf *out)
{
	struct rev_reflog_info info;
	struct ident_split id;
	bool any = f->pc->p->walk && rev_reflog_info(f->pc->p->walk, &info);

	switch (s[1]) {
	case 'd':
	case 'D':
		if (any)
			pretty_reflog_selector(f->pc->p, out, s[1] == 'd');
		return 2;
	case 's':
		if (any)
			strbuf_addstr(out, info.msg);
		return 2;
	case 'n':
	case 'N':
	case 'e':
	case 'E':
		if (any && !ident_split_line(&id, info.ident, strlen(info.ident)))
			name_by_letter(f, s[1], &id, out);
		return 2;
	default:
		return 0;
	}
}

/* ---- hashes ---- */

static void add_hash(struct user_format *f, const struct object_id *oid, bool abbrev,
		     struct strbuf *out)
{
	if (abbrev)
		odb_abbrev(f->pc->p->repo->odb, oid, f->pc->p->abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

static void add_parents(struct user_format *f, bool abbrev, struct strbuf *out)
{
	const struct commit *c = f->pc->c;
	uint32_t i;

	for (i = 0; i < c->nr_parents; i++) {
		if (i)
			strbuf_addch(out, ' ');
		add_hash(f, &c->parents[i]->oid, abbrev, out);
	}
}

static void add_commit_hash(struct user_format *f, bool abbrev, struct strbuf *out)
{
	/* %C(auto) colours names and hashes until another colour is chosen. */
	bool colored = f->auto_color && f->pc->p->color;

	if (colored)
		strbuf_addstr(out, f->pc->p->commit_color);
	add_hash(f, &f->pc->c->oid, abbrev, out);
	if (colored)
		strbuf_addstr(out, COLOR_RESET);
}

/* ---- names of refs ---- */

static void add_decorations(struct user_format *f, const struct decoration_text *text,
			    struct strbuf *out, struct err *err)
{
	struct pretty *p = f->pc->p;
	bool colored = f->auto_color && p->color;

	if (pretty_load_decorations(p, err) < 0)
		return;
	decorations_format(out, p->decorations, &f->pc->c->oid, text, p->decorate_full,
			   colored ? &p->decorate_colors : NULL, p->commit_color);
}

/* ---- the message ---- */

static bool is_title_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_';
}

void pretty_sanitize_subject(struct strbuf *out, const char *s, size_t len)
{
	size_t base = out->len, i;
	bool gap = false;

	for (i = 0; i < len; i++) {
		if (!is_title_char(s[i])) {
			gap = true;
			continue;
		}
		if (gap && out->len > base)
			strbuf_addch(out, '-');
		gap = false;
		strbuf_addch(out, s[i]);
		/* ".." could climb. */
		while (s[i] == '.' && i + 1 < len && s[i + 1] == '.')
			i++;
	}
	while (out->len > base && (out->buf[out->len - 1] == '.' || out->buf[out->len - 1] == '-'))
		strbuf_setlen(out, out->len - 1);
}

static void add_subject(struct user_format *f, bool sanitized, struct strbuf *out)
{
	struct strbuf subject = STRBUF_INIT;

	/* A file name is made of the first line only. */
	commit_subject(&subject, f->pc->v.message, f->pc->v.message_len, sanitized ? "\n" : " ");
	if (sanitized)
		pretty_sanitize_subject(out, subject.buf, strchrnul(subject.buf, '\n') - subject.buf);
	else
		strbuf_addbuf(out, &subject);
	strbuf_release(&subject);
}

static void add_body(struct user_format *f, struct strbuf *out)
{
	size_t len;
	const char *body = commit_body(f->pc->v.message, f->pc->v.message_len, &len);

	strbuf_add(out, body, len);
}

/* ---- signatures ---- */

/* Checks the signature of the object itself, not of its text in the encoding of the output. */
static void check_signature(struct user_format *f, struct err *err)
{
	const char *text;
	size_t len;

	if (f->signature_checked || err->code)
		return;
	if (commit_buffer(f->pc->pool, f->pc->c, &text, &len, err) >= 0 &&
	    signature_check_commit(&f->signature, f->pc->p->repo, text, len, err) >= 0)
		f->signature_checked = true;
}

static size_t signature(struct user_format *f, const char *s, struct strbuf *out, struct err *err)
{
	const struct signature_check *c = &f->signature;
	const char *text = NULL;

	if (!s[1] || !strchr("G?SKFPT", s[1]))
		return 0;
	check_signature(f, err);
	switch (s[1]) {
	case 'G': text = c->output; break;
	case '?': strbuf_addch(out, signature_grade(c)); break;
	case 'S': text = c->signer; break;
	case 'K': text = c->key; break;
	case 'F': text = c->fingerprint; break;
	case 'P': text = c->primary_fingerprint; break;
	default: text = signature_trust_name(c);
	}
	if (text)
		strbuf_addstr(out, text);
	return 2;
}

/* ---- formatting of what follows ---- */

/* Wrap what has been added since the last %w, and remember how to wrap what follows. */
static void start_wrapping(struct user_format *f, struct strbuf *out, unsigned width,
			   unsigned indent1, unsigned indent2)
{
	struct strbuf text = STRBUF_INIT;

	if (f->wrap_width == width && f->wrap_indent1 == indent1 && f->wrap_indent2 == indent2)
		return;
	if (f->wrap_start < out->len) {
		strbuf_add(&text, out->buf + f->wrap_start, out->len - f->wrap_start);
		strbuf_setlen(out, f->wrap_start);
		strbuf_add_wrapped_text(out, text.buf, f->wrap_indent1, f->wrap_indent2,
					f->wrap_width);
		strbuf_release(&text);
	}
	f->wrap_start = out->len;
	f->wrap_width = width;
	f->wrap_indent1 = indent1;
	f->wrap_indent2 = indent2;
}

/* "(76,2,4)" behind "%w": a new piece of text begins, wrapped like that. */
static size_t wrap(struct user_format *f, const char *s, struct strbuf *out)
{
	unsigned long n[3] = { 0, 0, 0 };
	const char *p = s + 2;
	char *end;
	int i;

	if (s[1] != '(')
		return 0;
	for (i = 0; i < 3 && *p != ')'; i++) {
		n[i] = *p == ',' ? 0 : strtoul(p, &end, 10);
		if (*p == ',')
			end = (char *)p;
		else if (end == p || n[i] > 16 * 1024)
			return 0;
		p = end;
		if (*p == ',')
			p++;
		else if (*p != ')')
			return 0;
	}
	if (*p != ')')
		return 0;
	start_wrapping(f, out, n[0], n[1], n[2]);
	return p + 1 - s;
}

static bool parse_truncation(struct user_format *f, const char *s, size_t len)
{
	static const struct { const char *name; enum truncation kind; } kinds[] = {
		{ "trunc", TRUNCATE_END }, { "ltrunc", TRUNCATE_START },
		{ "mtrunc", TRUNCATE_MIDDLE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len == strlen(kinds[i].name) && !memcmp(s, kinds[i].name, len)) {
			f->truncation = kinds[i].kind;
			return true;
		}
	return false;
}

/* "<(20,trunc)", ">|(40)", "><(9)", ">>(9)". */
static size_t padding(struct user_format *f, const char *s)
{
	enum alignment align = *s == '<' ? ALIGN_LEFT : ALIGN_RIGHT;
	const char *p = s + 1, *close;
	char *end;
	long n;
	bool column = false;

	if (*s == '>' && (*p == '<' || *p == '>'))
		align = *p++ == '<' ? ALIGN_CENTER : ALIGN_RIGHT_STEAL;
	if (*p == '|')
		column = true, p++;
	if (*p != '(')
		return 0;
	p++;
	close = strchr(p, ')');
	n = strtol(p, &end, 10);
	if (!close || end == p || n <= 0 || n > 16 * 1024 || end > close)
		return 0;
	f->truncation = TRUNCATE_NONE;
	if (*end == ',') {
		end++;
		if (!parse_truncation(f, end, close - end))
			return 0;
	} else if (end != close) {
		return 0;
	}
	f->align = align;
	f->pad_columns = (int)n;
	f->pad_to_column = column;
	return close + 1 - s;
}

/* ---- padding: columns, not bytes ---- */

static int columns(const char *s, size_t len)
{
	int w = utf8_width(s, len, true);

	return w < 0 ? (int)len : w;
}

/* Bytes of one character or colour sequence at s, and its columns. */
static size_t step(const char *s, size_t len, int *width)
{
	const char *p = s;
	size_t left = len, n = ansi_sequence_len(s, len);

	*width = 0;
	if (n)
		return n;
	if (utf8_next(&p, &left) < 0) {
		*width = 1;
		return 1;
	}
	*width = columns(s, p - s);
	return p - s;
}

/* Put ".." in place of the columns [from, from + width). */
static void replace_columns(struct strbuf *text, int from, int width)
{
	struct strbuf out = STRBUF_INIT;
	bool dots = false;
	int col = 0, w;
	size_t i, n;

	for (i = 0; i < text->len; i += n, col += w) {
		n = step(text->buf + i, text->len - i, &w);
		if (w && col >= from && col < from + width) {
			if (!dots)
				strbuf_addstr(&out, "..");
			dots = true;
			continue;
		}
		strbuf_add(&out, text->buf + i, n);
	}
	strbuf_swap(text, &out);
	strbuf_release(&out);
}

static void truncate_text(struct strbuf *text, enum truncation how, int width, int room)
{
	int cut = width - (room - 2);

	if (how == TRUNCATE_START)
		replace_columns(text, 0, cut);
	else if (how == TRUNCATE_MIDDLE)
		replace_columns(text, room / 2 - 1, cut);
	else if (how == TRUNCATE_END)
		replace_columns(text, room - 2, cut);
}

/* Where the last line of out ends. */
static int current_column(const struct strbuf *out)
{
	const char *start = out->buf + out->len;

	while (start > out->buf && start[-1] != '\n')
		start--;
	return columns(start, out->buf + out->len - start);
}

/* %>>: text that is too wide replaces blanks before it. */
static int steal_blanks(struct strbuf *out, int missing)
{
	int i = 0;

	while (i < missing && out->len && out->buf[out->len - 1] == ' ') {
		strbuf_setlen(out, out->len - 1);
		i++;
	}
	return i;
}

static void add_padded(const struct user_format *f, struct strbuf *text,
		       struct strbuf *out)
{
	int room = f->pad_columns, width = columns(text->buf, text->len), blanks, left = 0;

	if (f->pad_to_column)
		room -= current_column(out);
	if (f->align == ALIGN_RIGHT_STEAL && width > room)
		room += steal_blanks(out, width - room);
	if (width > room) {
		if (room >= 2 || !f->pad_to_column)
			truncate_text(text, f->truncation, width, room);
		strbuf_addbuf(out, text);
		return;
	}
	blanks = room - width;
	if (f->align == ALIGN_RIGHT || f->align == ALIGN_RIGHT_STEAL)
		left = blanks;
	else if (f->align == ALIGN_CENTER)
		left = blanks / 2;
	strbuf_addchars(out, ' ', left);
	strbuf_addbuf(out, text);
	strbuf_addchars(out, ' ', blanks - left);
}

/* ---- %(trailers), %(decorate), %(describe) ---- */

typedef bool (*option_fn)(void *data, const char *s, size_t len);

/* Behind "trailers": ")" or ":a,b=c)". Where it ends, or NULL. */
static const char *parse_options_text(const char *s, option_fn add, void *o)
{
	const char *end;

	if (*s == ')')
		return s + 1;
	if (*s++ != ':')
		return NULL;
	for (;; s = end + 1) {
		end = s + strcspn(s, ",)");
		if (!*end)
			return NULL;
		if (end != s && !add(o, s, end - s))
			return NULL;
		if (*end == ')')
			return end + 1;
	}
}

static bool add_trailer_option(void *o, const char *s, size_t len)
{
	return trailer_options_add(o, s, len);
}

static const char *add_trailers(struct user_format *f, const char *s, struct strbuf *out)
{
	struct trailer_options o = TRAILER_OPTIONS_INIT;
	const char *end = parse_options_text(s, add_trailer_option, &o);
	const char *message = f->pc->v.message, *message_end = message + f->pc->v.message_len;

	/* The subject is no trailer, even below empty lines. */
	while (message < message_end && isspace((unsigned char)*message))
		message++;
	trailer_options_read_config(&o, f->pc->p->repo->config);
	if (end)
		trailers_format(&o, message, (size_t)(message_end - message), out);
	trailer_options_release(&o);
	return end;
}

struct decoration_options {
	struct decoration_text text;
	struct strvec given; /* what of it an option has set */
};

static bool add_decoration_option(void *data, const char *s, size_t len)
{
	struct decoration_options *o = data;
	const struct { const char *name, **text; } options[] = {
		{ "prefix", &o->text.prefix },	     { "suffix", &o->text.suffix },
		{ "separator", &o->text.separator }, { "pointer", &o->text.pointer },
		{ "tag", &o->text.tag },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct strbuf expanded = STRBUF_INIT;
		const char *value;
		size_t n;

		if (!match_format_option(s, len, options[i].name, &value, &n))
			continue;
		add_format_literals(&expanded, value, n);
		strvec_push(&o->given, expanded.buf);
		*options[i].text = o->given.v[o->given.nr - 1];
		strbuf_release(&expanded);
		return true;
	}
	return false;
}

static const char *add_decoration(struct user_format *f, const char *s, struct strbuf *out,
				  struct err *err)
{
	struct decoration_options o = { DECORATION_TEXT_INIT, STRVEC_INIT };
	const char *end = parse_options_text(s, add_decoration_option, &o);

	if (end)
		add_decorations(f, &o.text, out, err);
	strvec_clear(&o.given);
	return end;
}

/* Behind "describe": ")" or ":tags,match=v*)". */
static const char *add_description(struct user_format *f, const char *s, struct strbuf *out,
				   struct err *err)
{
	const char *end = strchr(s, ')');
	struct commit_description *d;

	if (!end || (*s != ')' && *s != ':') || (f->pc->p->describe_once && f->pc->p->described))
		return NULL;
	f->pc->p->described = true; /* though it may turn out to be none, as in Git */
	s += *s == ':';
	d = format_description(f->pc->p, s, (size_t)(end - s));
	if (!d)
		return NULL;
	if (!err->code)
		(void)!commit_description_add(d, &f->pc->c->oid, out, err);
	return end + 1;
}

/* "%(trailers…)" and the others; s at the '('. Bytes used, 0: none of them. */
static size_t parenthesis(struct user_format *f, const char *s, struct strbuf *out,
			  struct err *err)
{
	const char *rest, *end = NULL;

	if (skip_prefix(s, "(describe", &rest))
		end = add_description(f, rest, out, err);
	else if (skip_prefix(s, "(trailers", &rest))
		end = add_trailers(f, rest, out);
	else if (skip_prefix(s, "(decorate", &rest))
		end = add_decoration(f, rest, out, err);
	return end ? (size_t)(end - s) : 0;
}

/* ---- one placeholder ---- */

static size_t hex_byte(const char *s, struct strbuf *out)
{
	int hi = hex_value((unsigned char)s[1]), lo = hi < 0 ? -1 : hex_value((unsigned char)s[2]);

	if (lo < 0)
		return 0;
	strbuf_addch(out, hi << 4 | lo);
	return 3;
}

static size_t simple(struct user_format *f, char letter, struct strbuf *out, struct err *err)
{
	static const struct decoration_text wrapped = DECORATION_TEXT_INIT;
	struct decoration_text bare = wrapped;
	struct pretty_commit *pc = f->pc;
	const char *source;
	char mark;

	switch (letter) {
	case 'n': strbuf_addch(out, '\n'); return 1;
	case '%': strbuf_addch(out, '%'); return 1;
	case 'H': add_commit_hash(f, false, out); return 1;
	case 'h': add_commit_hash(f, true, out); return 1;
	case 'T': add_hash(f, &pc->v.tree, false, out); return 1;
	case 't': add_hash(f, &pc->v.tree, true, out); return 1;
	case 'P': add_parents(f, false, out); return 1;
	case 'p': add_parents(f, true, out); return 1;
	case 'm':
		mark = pc->p->walk ? rev_mark(pc->p->walk, pc->c) : 0;
		if (mark == '+')
			mark = 0;
		if (!mark)
			mark = pc->c->flags & REV_LEFT ? '<' : '>';
		strbuf_addch(out, mark);
		return 1;
	case 'd': add_decorations(f, &wrapped, out, err); return 1;
	case 'D':
		bare.prefix = bare.suffix = "";
		add_decorations(f, &bare, out, err);
		return 1;
	case 'S':
		if (!pc->p->walk || !pc->p->walk->source)
			return 0;
		source = rev_source(pc->p->walk, pc->c);
		if (source)
			strbuf_addstr(out, source);
		return 1;
	case 'e':
		if (pc->encoding)
			strbuf_add(out, pc->encoding, pc->encoding_len);
		return 1;
	case 's': add_subject(f, false, out); return 1;
	case 'f': add_subject(f, true, out); return 1;
	case 'b': add_body(f, out); return 1;
	case 'B': strbuf_add(out, pc->v.message, pc->v.message_len); return 1;
	case 'N':
		if (!pc->p->notes)
			return 0;
		notes_format(pc->p->notes, &pc->c->oid, out, true);
		return 1;
	default:
		return 0;
	}
}

/* s: after the '%'. Returns how many bytes of s were used; 0: no placeholder. */
static size_t placeholder(struct user_format *f, const char *s, struct strbuf *out,
			  struct err *err)
{
	const struct commit_view *v = &f->pc->v;

	switch (*s) {
	case 'C':
		{
			size_t used = color(f, s + 1, out, err);

			return used ? used + 1 : 0;
		}
	case 'x': return hex_byte(s, out);
	case 'w': return wrap(f, s, out);
	case '<':
	case '>': return padding(f, s);
	case 'a': return person(f, v->author, v->author_len, s[1], out);
	case 'c': return person(f, v->committer, v->committer_len, s[1], out);
	case 'g': return reflog(f, s, out);
	case 'G': return signature(f, s, out, err);
	case '(': return parenthesis(f, s, out, err);
	default: return simple(f, *s, out, err);
	}
}

/* A placeholder with its padding, which includes colours directly before it. */
static size_t padded(struct user_format *f, const char *s, struct strbuf *out, struct err *err)
{
	struct strbuf local = STRBUF_INIT;
	const char *p = s;
	size_t used;

	for (;;) {
		bool is_color = *p == 'C';

		used = placeholder(f, p, &local, err);
		p += used;
		if (!used || !is_color || *p != '%')
			break;
		p++;
	}
	if (used)
		add_padded(f, &local, out);
	strbuf_release(&local);
	f->align = ALIGN_NONE;
	return used ? (size_t)(p - s) : 0;
}

/* "%+x", "%-x", "% x" */
static size_t with_magic(struct user_format *f, const char *s, struct strbuf *out, struct err *err)
{
	size_t base = out->len, used;
	char magic = 0;

	if (*s == '+' || *s == '-' || *s == ' ') {
		magic = *s++;
		/* these show nothing themselves */
		if (*s == 'w' || *s == '<' || *s == '>')
			return 0;
	}
	used = f->align != ALIGN_NONE && !magic ? padded(f, s, out, err) : placeholder(f, s, out, err);
	if (!magic)
		return used;
	if (magic == '-' && out->len == base) {
		while (out->len && out->buf[out->len - 1] == '\n')
			strbuf_setlen(out, out->len - 1);
	} else if (magic != '-' && out->len > base) {
		strbuf_insert(out, base, magic == '+' ? "\n" : " ", 1);
	}
	return used + 1;
}

int pretty_user_format(struct pretty_commit *pc, struct strbuf *out, struct err *err)
{
	struct user_format f = { .pc = pc, .signature = SIGNATURE_CHECK_INIT };
	struct strbuf text = STRBUF_INIT;
	struct err local = ERR_INIT;
	const char *s = pc->p->user_format, *percent;
	int rc;

	if (pc->p->color)
		pretty_read_colors(pc->p);
	while (*s) {
		size_t used;

		percent = strchrnul(s, '%');
		strbuf_add(&text, s, percent - s);
		if (!*percent)
			break;
		s = percent + 1;
		used = with_magic(&f, s, &text, &local);
		if (!used)
			strbuf_addch(&text, '%');
		s += used;
	}
	start_wrapping(&f, &text, 0, 0, 0);
	strbuf_addbuf(out, &text);
	strbuf_release(&text);
	signature_check_release(&f.signature);
	rc = local.code;
	err_move(err, &local);
	err_release(&local);
	return rc;
}
