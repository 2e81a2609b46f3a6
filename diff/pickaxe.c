/* SPDX-License-Identifier: GPL-2.0-only */
/* -S and -G, gitdiffcore(7) "diffcore-pickaxe". */
#include "compat/posix.h"
#include <regex.h>
#include "compat/regexec.h"
#include "diff/diff-internal.h"
#include "diff/external-internal.h"
#include "diff/text-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

struct pickaxe {
	const struct diff_options *o;
	regex_t regex;
	bool has_regex;
};

/* The next match at or behind `text`; its end in *match_end. NULL: none. */
static const char *find(const struct pickaxe *px, const char *text, const char *end,
			bool not_bol, const char **match_end)
{
	const char *at;
	regmatch_t m;

	if (!px->has_regex) {
		size_t len = strlen(px->o->pickaxe);

		at = memmem(text, (size_t)(end - text), px->o->pickaxe, len);
		*match_end = at ? at + len : NULL;
		return at;
	}
	if (regexec_range(&px->regex, text, (size_t)(end - text), 1, &m, not_bol ? REG_NOTBOL : 0))
		return NULL;
	*match_end = text + m.rm_eo;
	return text + m.rm_so;
}

/* The text of a file that is searched: its content, or the output of textconv. */
struct searched {
	const char *text;
	size_t len;
	bool binary;
	struct strbuf converted;
};
#define SEARCHED_INIT { NULL, 0, false, STRBUF_INIT }

static int pickaxe_load(const struct pickaxe *px, struct diff_file *f, struct searched *s,
			struct err *err)
{
	bool is_converted;
	int ret = diff_textconv(f, px->o, &s->converted, &is_converted, err);

	if (!ret && is_converted) {
		s->text = s->converted.buf;
		s->len = s->converted.len;
		return 0;
	}
	if (!ret && px->o->pickaxe_grep && !px->o->text) {
		ret = diff_file_binary(f, px->o, err);
		s->binary = f->is_binary;
	}
	if (!ret && !s->binary)
		ret = diff_file_load(f, px->o, err);
	s->text = f->content.data;
	s->len = f->content.size;
	return ret;
}

/* Matches that do not overlap. */
static size_t count(const struct pickaxe *px, const struct searched *s)
{
	const char *text = s->text, *end = text + s->len, *next;
	size_t n = 0;

	while (text < end && find(px, text, end, n > 0, &next)) {
		n++;
		text = next > text ? next : text + 1;
	}
	return n;
}

static bool side_matches(const struct pickaxe *px, const struct text_side *s, size_t first,
			 size_t nr)
{
	const char *ignored;

	for (size_t i = first; i < first + nr; i++) {
		const struct text_line *l = &s->lines[i];
		size_t len = l->len;

		if (len && l->text[len - 1] == '\n')
			len--;
		if (find(px, l->text, l->text + len, false, &ignored))
			return true;
	}
	return false;
}

/* -G: an added or deleted line matches, whatever is shown of it (-w, --patience). */
static bool changed_line_matches(const struct pickaxe *px, const struct searched side[2])
{
	const struct diff_options plain = { .context = px->o->context };
	struct text_diff d;
	bool found = false;

	text_diff(&d, side[0].text, side[0].len, side[1].text, side[1].len, &plain);
	for (size_t i = 0; i < d.nr && !found; i++) {
		const struct text_change *c = &d.changes[i];

		found = side_matches(px, &d.side[0], c->old_first, c->old_nr) ||
			side_matches(px, &d.side[1], c->new_first, c->new_nr);
	}
	text_diff_release(&d);
	return found;
}

static bool is_object(const struct diff_options *o, const struct diff_file *f)
{
	for (size_t i = 0; f->oid_valid && i < o->find_objects.nr; i++)
		if (oid_eq(&f->oid, &o->find_oids[i]))
			return true;
	return false;
}

static int text_matches(const struct pickaxe *px, struct diff_pair *p, bool *matches, struct err *err)
{
	struct searched side[2] = { SEARCHED_INIT, SEARCHED_INIT };
	int ret = pickaxe_load(px, p->old, &side[0], err);

	if (!ret)
		ret = pickaxe_load(px, p->new, &side[1], err);
	if (!ret && px->o->pickaxe_grep)
		*matches = !side[0].binary && !side[1].binary && changed_line_matches(px, side);
	else if (!ret)
		*matches = count(px, &side[0]) != count(px, &side[1]);
	strbuf_release(&side[0].converted);
	strbuf_release(&side[1].converted);
	return ret;
}

static int pair_matches(const struct pickaxe *px, struct diff_pair *p, bool *matches,
			struct err *err)
{
	*matches = false;
	if (px->o->find_objects.nr) { /* whether it has changed or not */
		*matches = is_object(px->o, p->old) || is_object(px->o, p->new);
		return 0;
	}
	if (MODE_IS_TREE(p->old->mode) || MODE_IS_TREE(p->new->mode))
		return 0;
	if (diff_pair_is_unmodified(p) || (!diff_file_exists(p->old) && !diff_file_exists(p->new)))
		return 0;
	if (!p->renamed && p->old->oid_valid && p->new->oid_valid &&
	    oid_eq(&p->old->oid, &p->new->oid))
		return 0;
	return text_matches(px, p, matches, err);
}

/* -S: the text, as a pattern that matches itself. */
static void add_escaped(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("^.[$()|*+?{\\", *text))
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
	}
}

static int pickaxe_compile(struct pickaxe *px, struct err *err)
{
	const struct diff_options *o = px->o;
	bool is_regex = o->pickaxe_grep || o->pickaxe_regex;
	struct strbuf pattern = STRBUF_INIT;
	int ret = 0, flags = REG_EXTENDED | REG_NEWLINE;
	char why[128];

	if (o->find_objects.nr || (!is_regex && !o->pickaxe_ignore_case))
		return 0;
	if (is_regex)
		strbuf_addstr(&pattern, o->pickaxe);
	else
		add_escaped(&pattern, o->pickaxe);
	ret = regcomp(&px->regex, pattern.buf, flags | (o->pickaxe_ignore_case ? REG_ICASE : 0));
	strbuf_release(&pattern);
	if (ret) {
		regerror(ret, &px->regex, why, sizeof(why));
		return err_set(err, ERR_INVALID, "invalid regex: %s", why);
	}
	px->has_regex = true;
	return 0;
}

int diff_pickaxe(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	struct pickaxe px = { .o = o };
	bool *keep, any = false;
	size_t kept = 0;
	int ret = pickaxe_compile(&px, err);

	if (ret < 0)
		return ret;
	keep = xcalloc(q->nr + 1, sizeof(*keep));
	for (size_t i = 0; !ret && i < q->nr; i++) {
		ret = pair_matches(&px, q->pairs[i], &keep[i], err);
		any |= keep[i];
	}
	for (size_t i = 0; !ret && i < q->nr; i++) {
		if (keep[i] || (any && o->pickaxe_all))
			q->pairs[kept++] = q->pairs[i];
		else
			diff_pair_free(q->pairs[i]);
	}
	if (!ret)
		q->nr = kept;
	free(keep);
	if (px.has_regex)
		regfree(&px.regex);
	return ret;
}
