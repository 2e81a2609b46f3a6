/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block is a run of lines, removed or added, that stands in the same order among lines of the
 * other kind. From each line the longest block is taken; what has less than BLOCK_MIN letters and
 * digits is none, and the search goes on with the next line.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/moved-internal.h"
#include "diff/text-internal.h"
#include "util/alloc.h"
#include "util/map.h"

#define BLOCK_MIN 20
#define NONE SIZE_MAX
#define BLANK INT_MIN /* the indentation of a line without text */

struct moved_line {
	size_t place;	   /* in the text, without the kept lines */
	size_t text, len;  /* in moved_lines.texts */
	struct ws_line ws; /* without its text */
	unsigned whitespace;
	bool joined;	   /* nothing stands between it and the line before, which is of its kind */
	bool moved, alternative, dimmed;
	int indent;
	size_t id;	   /* equal lines have equal ones */
	size_t next;	   /* equal line of the same kind, further down */
};

struct moved_lines {
	const struct diff_options *o;
	struct strbuf texts;
	struct moved_line *lines;
	size_t nr, alloc;
	size_t *first[2]; /* by id: the first removed, the first added line */
	size_t start;	  /* where in `out` it begins */
	/* the places at which the block that is looked at goes on */
	struct candidate {
		size_t at;
		int shift; /* of the indentation; BLANK: not known yet */
	} *candidates;
	size_t nr_candidates, alloc_candidates;
};

struct moved_lines *moved_lines_new(const struct diff_options *o, const struct strbuf *out)
{
	struct moved_lines *m;

	if (!o->color || !o->color_moved || o->word_diff)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	m->o = o;
	m->texts = (struct strbuf)STRBUF_INIT;
	m->start = out->len;
	return m;
}

void moved_lines_free(struct moved_lines *m)
{
	if (!m)
		return;
	strbuf_release(&m->texts);
	free(m->lines);
	free(m->first[0]);
	free(m->first[1]);
	free(m->candidates);
	free(m);
}

static bool moved_is_new(const struct moved_line *l)
{
	return l->ws.color == DIFF_COLOR_NEW;
}

void moved_lines_add(struct moved_lines *m, const struct strbuf *out, const struct ws_line *line,
		     unsigned whitespace)
{
	struct moved_line *l;

	ALLOC_GROW(m->lines, m->nr + 1, m->alloc);
	l = &m->lines[m->nr++];
	*l = (struct moved_line){ .place = out->len, .text = m->texts.len, .len = line->len,
				  .ws = *line, .whitespace = whitespace };
	l->joined = m->nr > 1 && l[-1].place == l->place && moved_is_new(l - 1) == moved_is_new(l);
	strbuf_add(&m->texts, line->text, line->len);
}

/* ---- equal lines ---- */

/* Columns before the text; *from: where it begins. */
static int moved_indent_of(const char *text, size_t len, unsigned tab, size_t *from)
{
	int width = 0;
	size_t i = 0;

	for (; i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' ||
			   text[i] == '\f' || text[i] == '\v'); i++) {
		if (text[i] == ' ')
			width++;
		else if (text[i] == '\t' && tab)
			width += (int)tab - width % (int)tab;
		else if (text[i] == '\t')
			width++;
	}
	*from = i;
	return i == len ? BLANK : width;
}

/* What lines must have in common. */
static void add_key(struct moved_lines *m, struct moved_line *l, struct strbuf *key)
{
	struct text_line line = { m->texts.buf + l->text, l->len };
	size_t from;

	if (m->o->color_moved_indent) {
		l->indent = moved_indent_of(line.text, line.len, l->whitespace & WS_TAB_WIDTH,
					    &from);
		strbuf_add(key, line.text + from, line.len - from);
	} else {
		/* _canonical looks at the character behind a space */
		strbuf_addch(&m->texts, '\n');
		line.text = m->texts.buf + l->text;
		text_add_canonical(key, &line, m->o->color_moved_ignore);
		strbuf_setlen(&m->texts, m->texts.len - 1);
	}
}

/* Texts may hold NULs, names of a map may not: \1 begins what stands for them. */
static void add_without_nul(struct strbuf *out, const struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		char c = text->buf[i];

		if (c == '\0' || c == '\1')
			strbuf_addch(out, '\1');
		strbuf_addch(out, c ? c : '\2');
	}
}

/* Numbers lines, and makes lists of equal ones. */
static void group_lines(struct moved_lines *m)
{
	struct strmap ids = STRMAP_INIT;
	struct strbuf key = STRBUF_INIT, name = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < m->nr; i++) {
		uintptr_t id;

		strbuf_reset(&key);
		add_key(m, &m->lines[i], &key);
		strbuf_reset(&name);
		add_without_nul(&name, &key);
		id = (uintptr_t)strmap_get(&ids, name.buf);
		if (!id) {
			id = ++nr;
			strmap_put(&ids, name.buf, (void *)id);
		}
		m->lines[i].id = id - 1;
	}
	for (int side = 0; side < 2; side++) {
		ALLOC_ARRAY(m->first[side], nr + 1);
		for (size_t k = 0; k < nr; k++)
			m->first[side][k] = NONE;
	}
	for (size_t i = m->nr; i-- > 0;) {
		struct moved_line *l = &m->lines[i];
		size_t *first = &m->first[moved_is_new(l)][l->id];

		l->next = *first;
		*first = i;
	}
	strbuf_release(&key);
	strbuf_release(&name);
	strmap_clear(&ids, NULL);
}

/* ---- blocks ---- */

/* Can the two be the same line? *shift: by how much the indentation of the block differs. */
static bool is_match(const struct moved_lines *m, size_t a, size_t b, int *shift)
{
	const struct moved_line *x = &m->lines[a], *y = &m->lines[b];

	if (x->id != y->id)
		return false;
	if (!m->o->color_moved_indent || x->indent == BLANK)
		return true;
	if (*shift == BLANK)
		*shift = x->indent - y->indent;
	return *shift == x->indent - y->indent;
}

static void start_block(struct moved_lines *m, size_t i)
{
	const struct moved_line *l = &m->lines[i];

	m->nr_candidates = 0;
	for (size_t at = m->first[!moved_is_new(l)][l->id]; at != NONE; at = m->lines[at].next) {
		struct candidate c = { at, BLANK };

		is_match(m, i, at, &c.shift);
		ALLOC_GROW(m->candidates, m->nr_candidates + 1, m->alloc_candidates);
		m->candidates[m->nr_candidates++] = c;
	}
}

/* Keep the places where line i comes next; false: there are none. */
static bool extend_block(struct moved_lines *m, size_t i)
{
	size_t kept = 0;

	for (size_t k = 0; k < m->nr_candidates; k++) {
		struct candidate c = m->candidates[k];

		if (++c.at < m->nr && m->lines[c.at].joined && is_match(m, i, c.at, &c.shift))
			m->candidates[kept++] = c;
	}
	m->nr_candidates = kept;
	return kept > 0;
}

/* How many lines from i on are a block. */
static size_t block_length(struct moved_lines *m, size_t i)
{
	size_t end = i + 1;

	start_block(m, i);
	if (!m->nr_candidates)
		return 0;
	while (end < m->nr && m->lines[end].joined && extend_block(m, end))
		end++;
	return end - i;
}

static bool is_long_enough(const struct moved_lines *m, size_t i, size_t nr)
{
	size_t found = 0;

	for (size_t k = i; k < i + nr; k++) {
		const char *text = m->texts.buf + m->lines[k].text;

		for (size_t n = 0; n < m->lines[k].len && found < BLOCK_MIN; n++)
			found += isalnum((unsigned char)text[n]) && !(text[n] & 0x80);
	}
	return found >= BLOCK_MIN;
}

static void mark_blocks(struct moved_lines *m)
{
	size_t end = NONE; /* of the last block */

	for (size_t i = 0; i < m->nr;) {
		size_t nr = block_length(m, i);

		if (!nr || !is_long_enough(m, i, nr)) {
			i++;
			continue;
		}
		bool alternative = i && i == end && m->lines[i].joined && !m->lines[i - 1].alternative;

		for (size_t k = i; k < i + nr; k++) {
			m->lines[k].moved = true;
			m->lines[k].alternative = alternative;
		}
		i = end = i + nr;
	}
}

/* Every line for itself. */
static void mark_lines(struct moved_lines *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		struct moved_line *l = &m->lines[i];

		l->moved = m->first[!moved_is_new(l)][l->id] != NONE;
	}
}

/* The line is where one block ends and another begins. */
static bool is_border(const struct moved_lines *m, size_t i, size_t neighbour)
{
	const struct moved_line *l = &m->lines[i], *other = &m->lines[neighbour];

	return l->place == other->place && other->moved && l->alternative != other->alternative;
}

static void dim(struct moved_lines *m)
{
	for (size_t i = 0; i < m->nr; i++)
		m->lines[i].dimmed = m->lines[i].moved && !(i && is_border(m, i, i - 1)) &&
				     !(i + 1 < m->nr && is_border(m, i, i + 1));
}

/* ---- output ---- */

static enum diff_color color_of(const struct moved_lines *m, const struct moved_line *l)
{
	bool alternative = l->alternative && m->o->color_moved != DIFF_MOVED_BLOCKS;

	if (!l->moved)
		return l->ws.color;
	if (moved_is_new(l))
		return l->dimmed ? (alternative ? DIFF_COLOR_NEW_MOVED_ALT_DIM : DIFF_COLOR_NEW_MOVED_DIM) :
				   (alternative ? DIFF_COLOR_NEW_MOVED_ALT : DIFF_COLOR_NEW_MOVED);
	return l->dimmed ? (alternative ? DIFF_COLOR_OLD_MOVED_ALT_DIM : DIFF_COLOR_OLD_MOVED_DIM) :
			   (alternative ? DIFF_COLOR_OLD_MOVED_ALT : DIFF_COLOR_OLD_MOVED);
}

void moved_lines_finish(struct moved_lines *m, struct strbuf *out)
{
	struct strbuf whole = STRBUF_INIT;
	size_t done = m->start;

	group_lines(m);
	if (m->o->color_moved == DIFF_MOVED_PLAIN)
		mark_lines(m);
	else
		mark_blocks(m);
	if (m->o->color_moved == DIFF_MOVED_DIMMED)
		dim(m);
	for (size_t i = 0; i < m->nr; i++) {
		struct moved_line *l = &m->lines[i];

		strbuf_add(&whole, out->buf + done, l->place - done);
		done = l->place;
		l->ws.text = m->texts.buf + l->text;
		if (!m->o->dual_color)
			l->ws.paint = color_of(m, l);
		if (m->o->line_prefix)
			strbuf_addstr(&whole, m->o->line_prefix);
		whitespace_add_line(&whole, m->o, l->whitespace, &l->ws);
		strbuf_addch(&whole, '\n');
	}
	strbuf_add(&whole, out->buf + done, out->len - done);
	strbuf_setlen(out, m->start);
	strbuf_addbuf(out, &whole);
	strbuf_release(&whole);
}

/* ---- options ---- */

bool moved_parse_mode(struct diff_options *o, const char *value)
{
	static const struct {
		const char *name;
		enum diff_moved mode;
	} modes[] = {
		{ "plain", DIFF_MOVED_PLAIN }, { "blocks", DIFF_MOVED_BLOCKS },
		{ "zebra", DIFF_MOVED_ZEBRA }, { "default", DIFF_MOVED_ZEBRA },
		{ "dimmed-zebra", DIFF_MOVED_DIMMED }, { "dimmed_zebra", DIFF_MOVED_DIMMED },
	};
	int wanted = config_parse_maybe_bool(value);

	if (wanted >= 0) {
		o->color_moved = wanted ? DIFF_MOVED_ZEBRA : DIFF_MOVED_NONE;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(value, modes[i].name))
			continue;
		o->color_moved = modes[i].mode;
		return true;
	}
	return false;
}

static int add_whitespace_word(const char *word, size_t len, unsigned *ignore, bool *indent,
			       struct err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} words[] = {
		{ "ignore-space-change", DIFF_IGNORE_SPACE_CHANGE },
		{ "ignore-space-at-eol", DIFF_IGNORE_SPACE_AT_EOL },
		{ "ignore-all-space", DIFF_IGNORE_ALL_SPACE },
	};

	if (len == 2 && !memcmp(word, "no", 2)) {
		*ignore = 0;
		*indent = false;
		return 0;
	}
	if (len == strlen("allow-indentation-change") && !memcmp(word, "allow-indentation-change", len)) {
		*indent = true;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].name) != len || memcmp(word, words[i].name, len))
			continue;
		*ignore |= words[i].bits;
		return 0;
	}
	return err_set(err, ERR_INVALID, "unknown color-moved-ws mode '%.*s', possible values are "
		       "'ignore-space-change', 'ignore-space-at-eol', 'ignore-all-space', "
		       "'allow-indentation-change'", (int)len, word);
}

int moved_parse_whitespace(struct diff_options *o, const char *value, struct err *err)
{
	unsigned ignore = 0;
	bool indent = false;
	int ret = 0;

	while (!ret) {
		const char *word = value + strspn(value, " \t");
		size_t len = strcspn(word, ",");

		value = word + len;
		while (len && (word[len - 1] == ' ' || word[len - 1] == '\t'))
			len--;
		ret = add_whitespace_word(word, len, &ignore, &indent, err);
		if (!*value)
			break;
		value++;
	}
	if (!ret && indent && ignore)
		ret = err_set(err, ERR_INVALID, "color-moved-ws: allow-indentation-change cannot be "
			      "combined with other whitespace modes");
	if (ret < 0)
		return ret;
	o->color_moved_ignore = ignore;
	o->color_moved_indent = indent;
	return 0;
}
