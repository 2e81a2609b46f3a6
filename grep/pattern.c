/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "grep/atom.h"
#include "grep/pattern.h"
#include "util/alloc.h"

/* ---- the words of a command line ---- */

static void add_word(struct grep_words *w, enum grep_word_kind kind, const char *text, size_t len, const char *origin,
		     unsigned line)
{
	ALLOC_GROW(w->list, w->nr + 1, w->alloc);
	w->list[w->nr++] = (struct grep_word){
		.kind = kind, .text = text ? xmemdupz(text, len) : NULL, .len = len, .origin = origin ? xstrdup(origin) : NULL, .line = line
	};
}

void grep_words_add(struct grep_words *w, enum grep_word_kind kind, const char *text, size_t len, const char *origin,
		    unsigned line)
{
	const char *newline;

	w->has_operators |= kind != GREP_PATTERN;
	while (kind == GREP_PATTERN && (newline = memchr(text, '\n', len)) != NULL) {
		size_t n = (size_t)(newline - text);

		add_word(w, kind, text, n, origin, line);
		text += n + 1;
		len -= n + 1;
	}
	add_word(w, kind, text, len, origin, line);
}

void grep_words_clear(struct grep_words *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		free(w->list[i].text);
		free(w->list[i].origin);
	}
	free(w->list);
	*w = (struct grep_words)GREP_WORDS_INIT;
}

/* ---- expressions ---- */

#define DEEPEST 1000 /* they are parsed and matched by recursion */

enum node_kind { NODE_ATOM, NODE_NOT, NODE_AND, NODE_OR };

struct node {
	enum node_kind kind;
	struct grep_atom *atom;
	struct node *left, *right;
	bool matched; /* a term for --all-match */
};

struct grep_matcher {
	struct grep_atom *atoms;
	size_t nr_atoms;
	struct node *nodes; /* all of them */
	size_t nr_nodes;
	struct node *root;
	bool simple; /* one pattern or another: no operators */
};

struct parser {
	struct grep_matcher *m;
	const struct grep_words *words;
	size_t at;
	unsigned depth; /* of groups, and of --not */
	struct err *err;
};

static struct node *new_node(struct parser *p, enum node_kind kind, struct node *left, struct node *right)
{
	struct node *n = &p->m->nodes[p->m->nr_nodes++];

	*n = (struct node){ .kind = kind, .left = left, .right = right };
	return n;
}

static bool next_is(const struct parser *p, enum grep_word_kind kind)
{
	return p->at < p->words->nr && p->words->list[p->at].kind == kind;
}

static int parse_or(struct parser *p, struct node **out);

static int parse_group(struct parser *p, struct node **out)
{
	int rc;

	p->at++;
	if (++p->depth > DEEPEST)
		return err_set(p->err, ERR_INVALID, "too many groups in groups");
	rc = parse_or(p, out);
	p->depth--;
	if (rc)
		return rc;
	if (!next_is(p, GREP_CLOSE))
		return err_set(p->err, ERR_INVALID, "unmatched ( for expression group");
	p->at++;
	return 0;
}

static int parse_primary(struct parser *p, struct node **out);

static int parse_not(struct parser *p, struct node **out)
{
	struct node *inner;
	int rc;

	p->at++;
	if (p->at == p->words->nr)
		return err_set(p->err, ERR_INVALID, "--not not followed by pattern expression");
	if (++p->depth > DEEPEST)
		return err_set(p->err, ERR_INVALID, "too many groups in groups");
	rc = parse_primary(p, &inner);
	p->depth--;
	if (!rc && !inner)
		return err_set(p->err, ERR_INVALID, "--not followed by non pattern expression");
	if (!rc)
		*out = new_node(p, NODE_NOT, inner, NULL);
	return rc;
}

/* *out is NULL: no expression begins here. */
static int parse_primary(struct parser *p, struct node **out)
{
	*out = NULL;
	if (next_is(p, GREP_OPEN))
		return parse_group(p, out);
	if (next_is(p, GREP_NOT))
		return parse_not(p, out);
	if (next_is(p, GREP_PATTERN)) {
		*out = new_node(p, NODE_ATOM, NULL, NULL);
		(*out)->atom = &p->m->atoms[p->m->nr_atoms++];
		(*out)->atom->word = &p->words->list[p->at++];
	}
	return 0;
}

static int parse_and(struct parser *p, struct node **out)
{
	struct node **last = out, *right;
	int rc = parse_primary(p, out);

	if (!rc && !*out && next_is(p, GREP_AND))
		return err_set(p->err, ERR_INVALID, "--and not preceded by pattern expression");
	while (!rc && next_is(p, GREP_AND)) {
		p->at++;
		rc = parse_primary(p, &right);
		if (!rc && !right)
			return err_set(p->err, ERR_INVALID, "--and not followed by pattern expression");
		if (rc)
			break;
		*last = new_node(p, NODE_AND, *last, right);
		last = &(*last)->right;
	}
	return rc;
}

/* Expressions that stand side by side are alternatives. a OR (b OR c): a group at the end cannot be told from its parts. */
static int parse_or(struct parser *p, struct node **out)
{
	struct node **last = out, *right;
	int rc = parse_and(p, out);

	while (!rc && *out && p->at < p->words->nr && !next_is(p, GREP_CLOSE)) {
		if (next_is(p, GREP_OR))
			p->at++;
		rc = parse_and(p, &right);
		if (rc || !right) /* an --or at the end */
			break;
		*last = new_node(p, NODE_OR, *last, right);
		last = &(*last)->right;
	}
	return rc;
}

static const char *word_text(const struct parser *p)
{
	static const char *const texts[] = { "", "--and", "--or", "--not", "(", ")" };
	const struct grep_word *w = p->at < p->words->nr ? &p->words->list[p->at] : NULL;

	return !w ? "" : w->kind == GREP_PATTERN ? w->text : texts[w->kind];
}

static int parse(struct parser *p)
{
	int rc = parse_or(p, &p->m->root);

	if (rc)
		return rc;
	if (p->at == p->words->nr && p->m->root)
		return 0;
	return err_set(p->err, ERR_INVALID, "incomplete pattern expression group: %s", word_text(p));
}

int grep_matcher_new(struct grep_matcher **out, const struct grep_words *w, const struct grep_rules *rules, struct err *err)
{
	struct grep_matcher *m = xcalloc(1, sizeof(*m));
	struct parser p = { m, w, 0, 0, err };
	int rc;

	*out = m;
	m->atoms = xcalloc(w->nr + 1, sizeof(*m->atoms));
	m->nodes = xcalloc(2 * w->nr + 1, sizeof(*m->nodes));
	m->simple = !w->has_operators;
	rc = parse(&p);
	for (size_t i = 0; !rc && i < m->nr_atoms; i++)
		rc = grep_atom_compile(&m->atoms[i], m->atoms[i].word, rules, err);
	if (rc) {
		grep_matcher_free(m);
		*out = NULL;
	}
	return rc;
}

void grep_matcher_free(struct grep_matcher *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_atoms; i++)
		grep_atom_release(&m->atoms[i]);
	free(m->atoms);
	free(m->nodes);
	free(m);
}

bool grep_matcher_failed(const struct grep_matcher *m, struct strbuf *why)
{
	for (size_t i = 0; i < m->nr_atoms; i++)
		if (grep_atom_failed(&m->atoms[i], why))
			return true;
	return false;
}

/* ---- lines ---- */

static void note_column(ssize_t *column, size_t at)
{
	if (*column < 0 || (ssize_t)at < *column)
		*column = (ssize_t)at;
}

static bool matches(struct node *n, const char *line, size_t len, struct grep_column *column);

static bool misses(struct node *n, const char *line, size_t len, struct grep_column *column)
{
	struct grep_column other = { -1, -1 };
	bool yes = matches(n, line, len, column ? &other : NULL);

	if (column && other.inverted >= 0)
		note_column(&column->match, (size_t)other.inverted);
	if (column && other.match >= 0)
		note_column(&column->inverted, (size_t)other.match);
	return !yes;
}

/* --and, --or: as in Git, the column may be of a part that did not help. */
static bool all_match(struct node *n, const char *line, size_t len, struct grep_column *column)
{
	bool yes = true;

	for (; n->kind == NODE_AND && (yes || column); n = n->right)
		yes = matches(n->left, line, len, column) && yes;
	return (yes || column) && matches(n, line, len, column) && yes;
}

static bool any_matches(struct node *n, const char *line, size_t len, struct grep_column *column)
{
	bool yes = false;

	for (; n->kind == NODE_OR && (!yes || column); n = n->right)
		yes = matches(n->left, line, len, column) || yes;
	return yes && !column ? true : matches(n, line, len, column) || yes;
}

/* column: NULL if it does not matter; then alternatives are tried until one matches. */
static bool matches(struct node *n, const char *line, size_t len, struct grep_column *column)
{
	struct grep_span span;

	if (n->kind == NODE_NOT)
		return misses(n->left, line, len, column);
	if (n->kind == NODE_AND)
		return all_match(n, line, len, column);
	if (n->kind == NODE_OR)
		return any_matches(n, line, len, column);
	if (!grep_atom_search(n->atom, line, len, 0, &span))
		return false;
	if (column)
		note_column(&column->match, span.begin);
	return true;
}

bool grep_line_matches(struct grep_matcher *m, const char *line, size_t len, struct grep_column *column)
{
	if (column)
		*column = (struct grep_column){ -1, -1 };
	return matches(m->root, line, len, column);
}

bool grep_next_span(struct grep_matcher *m, const char *line, size_t len, size_t from, struct grep_span *span)
{
	struct grep_span s;
	bool found = false;

	for (size_t i = 0; from <= len && i < m->nr_atoms; i++) {
		if (!grep_atom_search(&m->atoms[i], line, len, from, &s))
			continue;
		if (!found || s.begin < span->begin || (s.begin == span->begin && s.end > span->end))
			*span = s;
		found = true;
	}
	return found;
}

size_t grep_next_candidate(struct grep_matcher *m, const char *text, size_t len, size_t from)
{
	size_t first = m->simple ? len : from;

	for (size_t i = 0; first > from && i < m->nr_atoms; i++) {
		size_t at = grep_atom_candidate(&m->atoms[i], text, len, from);

		if (at < first)
			first = at;
	}
	return first;
}

void grep_begin_text(struct grep_matcher *m)
{
	for (size_t i = 0; i < m->nr_atoms; i++)
		m->atoms[i].has_candidate = false;
	for (size_t i = 0; i < m->nr_nodes; i++)
		m->nodes[i].matched = false;
}

bool grep_text_matches(struct grep_matcher *m, const char *text, size_t len)
{
	size_t at = 0;

	grep_begin_text(m);
	while (at < len && (at = grep_next_candidate(m, text, len, at)) < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		if (grep_line_matches(m, text + at, n, NULL))
			return true;
		at += n + 1;
	}
	return (!len || text[len - 1] == '\n') && grep_line_matches(m, "", 0, NULL);
}

void grep_note_terms(struct grep_matcher *m, const char *line, size_t len)
{
	struct node *n = m->root;

	for (; n->kind == NODE_OR; n = n->right)
		n->left->matched = n->left->matched || matches(n->left, line, len, NULL);
	n->matched = n->matched || matches(n, line, len, NULL);
}

bool grep_all_terms_matched(const struct grep_matcher *m)
{
	const struct node *n = m->root;

	for (; n->kind == NODE_OR; n = n->right)
		if (!n->left->matched)
			return false;
	return n->matched;
}
