/* SPDX-License-Identifier: GPL-2.0-only */
/* --format: parsing it, and the text of one ref, with %(if) and %(align) up to %(end). */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/quote.h"
#include "util/utf8.h"
#include "reflist/reflist-internal.h"

/* ---- parsing ---- */

/* "%%" and "%0a" are decoded. */
static void add_literal(struct strbuf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int hi, lo;

		if (s[i] != '%' || i + 1 == len) {
			strbuf_addch(out, s[i]);
		} else if (s[i + 1] == '%') {
			strbuf_addch(out, '%');
			i++;
		} else if (i + 2 < len && (hi = hex_value((unsigned char)s[i + 1])) >= 0 &&
			   (lo = hex_value((unsigned char)s[i + 2])) >= 0) {
			strbuf_addch(out, hi << 4 | lo);
			i += 2;
		} else {
			strbuf_addch(out, '%');
		}
	}
}

static const char *next_atom(const char *s)
{
	while ((s = strchr(s, '%'))) {
		if (s[1] == '(')
			return s;
		s += s[1] == '%' ? 2 : 1;
	}
	return NULL;
}

static void add_piece(struct reflist_state *s, size_t atom, size_t text, size_t len)
{
	ALLOC_GROW(s->pieces, s->nr_pieces + 1, s->alloc_pieces);
	s->pieces[s->nr_pieces++] = (struct format_piece){ atom, text, len };
}

static void add_literal_piece(struct reflist_state *s, const char *text, size_t len)
{
	size_t at = s->literals.len;

	add_literal(&s->literals, text, len);
	if (s->literals.len > at)
		add_piece(s, FORMAT_LITERAL, at, s->literals.len - at);
}

static int check_atom(const struct reflist *l, const struct ref_atom *a, struct err *err)
{
	if (a->id == ATOM_RAW && !a->flag && l->quote != REFLIST_QUOTE_NONE &&
	    l->quote != REFLIST_QUOTE_PERL)
		return err_set(err, ERR_INVALID,
			       "--format=%.*s cannot be used with --python, --shell, --tcl",
			       (int)strcspn(a->text, ":"), a->text);
	return 0;
}

static int add_atom(struct reflist *l, const char *text, size_t len, struct err *err)
{
	struct reflist_state *s = l->state;
	const struct ref_atom *a;
	size_t atom;
	int rc = ref_atom_parse(l, text, len, &atom, err);

	if (rc < 0)
		return rc;
	a = s->atoms[atom];
	rc = check_atom(l, a, err);
	if (rc < 0)
		return rc;
	if (a->id == ATOM_COLOR)
		s->reset_color = strcmp(a->text, "color:reset") != 0;
	add_piece(s, atom, 0, 0);
	return 0;
}

int reflist_set_format(struct reflist *l, const char *format, struct err *err)
{
	struct reflist_state *s = l->state;
	const char *atom, *end;
	int rc = 0;

	s->nr_pieces = 0;
	strbuf_reset(&s->literals);
	s->reset_color = false;
	while (!rc && (atom = next_atom(format))) {
		add_literal_piece(s, format, atom - format);
		end = strchr(atom, ')');
		if (!end)
			return err_set(err, ERR_CORRUPT, "malformed format string %s", atom);
		rc = add_atom(l, atom + 2, end - atom - 2, err);
		format = end + 1;
	}
	add_literal_piece(s, format, strlen(format));
	return rc;
}

/* ---- quoting ---- */

static void add_quoted(const struct reflist *l, const struct strbuf *text,
		       struct strbuf *out)
{
	switch (l->quote) {
	case REFLIST_QUOTE_NONE:
		strbuf_addbuf(out, text);
		break;
	case REFLIST_QUOTE_SHELL:
		sq_quote(out, text->buf);
		break;
	case REFLIST_QUOTE_PERL:
		perl_quote_mem(out, text->buf, text->len);
		break;
	case REFLIST_QUOTE_PYTHON:
		python_quote(out, text->buf);
		break;
	case REFLIST_QUOTE_TCL:
		tcl_quote(out, text->buf);
		break;
	}
}

/* ---- %(if), %(align), %(end) ---- */

static struct format_frame *top_frame(struct reflist_state *s)
{
	return s->nr_frames ? &s->frames[s->nr_frames - 1] : NULL;
}

static void push_frame(struct reflist_state *s, const struct ref_atom *opener)
{
	static const struct format_frame blank = { .out = STRBUF_INIT };
	struct format_frame *f;
	size_t had = s->alloc_frames;

	ALLOC_GROW(s->frames, s->nr_frames + 1, s->alloc_frames);
	for (; had < s->alloc_frames; had++)
		s->frames[had] = blank;
	f = &s->frames[s->nr_frames++];
	strbuf_reset(&f->out);
	f->opener = opener;
	f->then_seen = f->else_seen = f->condition = false;
	f->then_len = 0;
}

static bool is_blank(const struct strbuf *s)
{
	for (size_t i = 0; i < s->len; i++)
		if (!isspace((unsigned char)s->buf[i]))
			return false;
	return true;
}

static bool condition_holds(const struct format_frame *f)
{
	switch (f->opener->if_form) {
	case IF_EQUALS:
		return !strcmp(f->out.buf, f->opener->arg);
	case IF_NOTEQUALS:
		return strcmp(f->out.buf, f->opener->arg) != 0;
	default:
		return !is_blank(&f->out);
	}
}

static int on_then(struct reflist_state *s, struct err *err)
{
	struct format_frame *f = top_frame(s);

	if (!f || f->opener->id != ATOM_IF)
		return err_set(err, ERR_INVALID,
			       "format: %%(then) atom used without a %%(if) atom");
	if (f->then_seen)
		return err_set(err, ERR_INVALID, "format: %%(then) atom used more than once");
	f->then_seen = true;
	f->condition = condition_holds(f);
	strbuf_reset(&f->out);
	return 0;
}

static int on_else(struct reflist_state *s, struct err *err)
{
	struct format_frame *f = top_frame(s);

	if (!f || f->opener->id != ATOM_IF)
		return err_set(err, ERR_INVALID,
			       "format: %%(else) atom used without a %%(if) atom");
	if (!f->then_seen)
		return err_set(err, ERR_INVALID,
			       "format: %%(else) atom used without a %%(then) atom");
	if (f->else_seen)
		return err_set(err, ERR_INVALID, "format: %%(else) atom used more than once");
	f->else_seen = true;
	f->then_len = f->out.len;
	return 0;
}

/* Keep the branch that the condition selects. */
static int close_if(struct format_frame *f, struct err *err)
{
	if (!f->then_seen)
		return err_set(err, ERR_INVALID,
			       "format: %%(if) atom used without a %%(then) atom");
	if (f->condition && f->else_seen)
		strbuf_setlen(&f->out, f->then_len);
	else if (!f->condition)
		strbuf_remove(&f->out, 0, f->else_seen ? f->then_len : f->out.len);
	return 0;
}

static void close_align(struct format_frame *f)
{
	int columns = utf8_width(f->out.buf, f->out.len, false);
	size_t width = f->opener->width, left, pad;
	struct strbuf text = STRBUF_INIT;

	if (columns < 0 || (size_t)columns >= width)
		return;
	pad = width - (size_t)columns;
	left = f->opener->position == POSITION_LEFT ? 0 :
	       f->opener->position == POSITION_RIGHT ? pad : pad / 2;
	strbuf_addchars(&text, ' ', left);
	strbuf_addbuf(&text, &f->out);
	strbuf_addchars(&text, ' ', pad - left);
	strbuf_swap(&text, &f->out);
	strbuf_release(&text);
}

/* Text up to the outermost %(end) is quoted as one. */
static int on_end(struct reflist *l, struct strbuf *out, struct err *err)
{
	struct reflist_state *s = l->state;
	struct format_frame *f = top_frame(s);
	int rc = 0;

	if (!f)
		return err_set(err, ERR_INVALID,
			       "format: %%(end) atom used without corresponding atom");
	if (f->opener->id == ATOM_IF)
		rc = close_if(f, err);
	else
		close_align(f);
	if (rc < 0)
		return rc;
	s->nr_frames--;
	if (s->nr_frames)
		strbuf_addbuf(&top_frame(s)->out, &f->out);
	else
		add_quoted(l, &f->out, out);
	return 0;
}

/* ---- showing ---- */

static int append_value(struct reflist *l, const struct reflist_item *item, size_t atom,
			struct strbuf *to, struct err *err)
{
	struct reflist_state *s = l->state;
	uint64_t number;

	if (atom < item->nr_values && item->values[atom].text) {
		strbuf_add(to, item->values[atom].text, item->values[atom].len);
		return 0;
	}
	return ref_atom_value(l, item, s->atoms[atom], to, &number, err);
}

static int show_atom(struct reflist *l, const struct reflist_item *item, size_t atom,
		     struct strbuf *out, struct err *err)
{
	struct reflist_state *s = l->state;
	const struct ref_atom *a = s->atoms[atom];
	int rc;

	switch (a->id) {
	case ATOM_ALIGN:
	case ATOM_IF:
		push_frame(s, a);
		return 0;
	case ATOM_THEN:
		return on_then(s, err);
	case ATOM_ELSE:
		return on_else(s, err);
	case ATOM_END:
		return on_end(l, out, err);
	default:
		break;
	}
	if (s->nr_frames)
		return append_value(l, item, atom, &top_frame(s)->out, err);
	if (l->quote == REFLIST_QUOTE_NONE)
		return append_value(l, item, atom, out, err);
	strbuf_reset(&s->value);
	rc = append_value(l, item, atom, &s->value, err);
	if (!rc)
		add_quoted(l, &s->value, out);
	return rc;
}

int reflist_show(struct reflist *l, struct reflist_item *item, struct strbuf *out,
		 struct err *err)
{
	struct reflist_state *s = l->state;
	int rc = 0;

	s->nr_frames = 0;
	for (size_t i = 0; !rc && i < s->nr_pieces; i++) {
		const struct format_piece *p = &s->pieces[i];

		if (p->atom == FORMAT_LITERAL)
			strbuf_add(s->nr_frames ? &top_frame(s)->out : out,
				   s->literals.buf + p->text, p->len);
		else
			rc = show_atom(l, item, p->atom, out, err);
	}
	if (!rc && s->nr_frames)
		rc = err_set(err, ERR_INVALID, "format: %%(end) atom missing");
	if (!rc && s->reset_color && l->color) {
		strbuf_reset(&s->value);
		strbuf_addstr(&s->value, COLOR_RESET);
		add_quoted(l, &s->value, out);
	}
	return rc;
}
