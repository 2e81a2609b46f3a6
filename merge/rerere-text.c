/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/rerere-text.h"

/* A conflict within a side of a conflict, and so on. Deeper ones are hostile. */
#define NESTED_MAX 100

struct conflict_reader {
	const char *p, *end;
	size_t marker_size;
};

struct text_range {
	const char *text;
	size_t len;
};

static bool next_line(struct conflict_reader *r, struct text_range *line)
{
	const char *eol;

	if (r->p == r->end)
		return false;
	eol = memchr(r->p, '\n', (size_t)(r->end - r->p));
	line->text = r->p;
	r->p = eol ? eol + 1 : r->end;
	line->len = (size_t)(r->p - line->text);
	return true;
}

/* The sign of a line of markers; 0: it is none. A label follows '<' and '>' after a space. */
static char marker_of(const struct conflict_reader *r, const struct text_range *line)
{
	char sign = line->text[0], next;

	if (!strchr("<|=>", sign) || line->len <= r->marker_size)
		return 0;
	for (size_t i = 0; i < r->marker_size; i++)
		if (line->text[i] != sign)
			return 0;
	next = line->text[r->marker_size];
	return (sign == '<' || sign == '>' ? next == ' ' : isspace((unsigned char)next)) ? sign : 0;
}

static int side_order(const struct strbuf *a, const struct strbuf *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int cmp = len ? memcmp(a->buf, b->buf, len) : 0;

	return cmp ? cmp : (a->len > b->len) - (a->len < b->len);
}

static void add_marker_line(struct strbuf *out, char sign, size_t size)
{
	strbuf_addchars(out, sign, size);
	strbuf_addch(out, '\n');
}

/* ctx NULL: the conflict is within another one, whose side it becomes a part of. */
static void add_normalized(const struct conflict_reader *r, struct strbuf side[2], struct strbuf *out, struct hash_ctx *ctx)
{
	bool swap = side_order(&side[0], &side[1]) > 0;
	const struct strbuf *one = &side[swap], *two = &side[!swap];

	add_marker_line(out, '<', r->marker_size);
	strbuf_addbuf(out, one);
	add_marker_line(out, '=', r->marker_size);
	strbuf_addbuf(out, two);
	add_marker_line(out, '>', r->marker_size);
	if (!ctx)
		return;
	hash_update(ctx, one->buf, one->len + 1);
	hash_update(ctx, two->buf, two->len + 1);
}

enum conflict_part { PART_OURS, PART_BASE, PART_THEIRS };

static int read_conflict(struct conflict_reader *r, struct strbuf *out, struct hash_ctx *ctx, unsigned depth);

/* Returns true at the end of the conflict. *bad: the marker is misplaced. */
static bool take_marker(char sign, enum conflict_part *part, bool *bad)
{
	if (sign == '|' && *part == PART_OURS)
		*part = PART_BASE;
	else if (sign == '=' && *part != PART_THEIRS)
		*part = PART_THEIRS;
	else if (sign == '>' && *part == PART_THEIRS)
		return true;
	else
		*bad = true;
	return false;
}

/* Behind its first marker. */
static int read_conflict(struct conflict_reader *r, struct strbuf *out, struct hash_ctx *ctx, unsigned depth)
{
	struct strbuf side[2] = { STRBUF_INIT, STRBUF_INIT }, base = STRBUF_INIT;
	enum conflict_part part = PART_OURS;
	struct text_range line;
	bool bad = depth > NESTED_MAX, end = false;

	while (!bad && !end && next_line(r, &line)) {
		struct strbuf *to = part == PART_BASE ? &base : &side[part == PART_THEIRS];
		char sign = marker_of(r, &line);

		if (!sign)
			strbuf_add(to, line.text, line.len);
		else if (sign == '<') /* as in Git, one within the version of the base counts for theirs */
			bad = read_conflict(r, &side[part != PART_OURS], NULL, depth + 1) < 0;
		else
			end = take_marker(sign, &part, &bad);
	}
	if (end)
		add_normalized(r, side, out, ctx);
	strbuf_release(&side[0]);
	strbuf_release(&side[1]);
	strbuf_release(&base);
	return end ? 0 : RERERE_BAD_MARKERS;
}

int rerere_normalize(const char *text, size_t len, size_t marker_size, const struct hash_algo *algo, struct strbuf *out,
		     struct object_id *id)
{
	struct conflict_reader r = { text, text + len, marker_size };
	struct hash_ctx ctx;
	struct text_range line;
	int nr = 0;

	hash_init(&ctx, algo);
	while (nr >= 0 && next_line(&r, &line)) {
		if (marker_of(&r, &line) != '<')
			strbuf_add(out, line.text, line.len);
		else
			nr = read_conflict(&r, out, &ctx, 0) < 0 ? RERERE_BAD_MARKERS : nr + 1;
	}
	hash_final(&ctx, id);
	hash_release(&ctx);
	return nr;
}
