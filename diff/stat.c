/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting lines: --stat, --numstat, --shortstat. */
#include "compat/posix.h"
#include <pthread.h>
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/text-internal.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/utf8.h"
#include "util/workers.h"

/* Counts of one pair, in bytes instead of lines if it is binary. */
struct file_stat {
	const struct diff_pair *pair;
	char *name; /* as --stat shows it */
	uint64_t added, deleted;
	bool binary;
	const char *algorithm; /* the driver's; NULL: as the options say */
	bool skipped; /* only ignored whitespace has changed */
};

/* ---- counting ---- */

static uint64_t count_lines(const char *text, size_t len)
{
	uint64_t n = 0;

	for (const char *end = text + len; text < end; n++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		text = nl ? nl + 1 : end;
	}
	return n;
}

static bool same_content(const struct diff_pair *p)
{
	return p->old->oid_valid && p->new->oid_valid && oid_eq(&p->old->oid, &p->new->oid);
}

static void count_changes(struct file_stat *s, const struct diff_options *o)
{
	const struct object_buf *a = &s->pair->old->content, *b = &s->pair->new->content;
	struct diff_options plain = *o;
	struct text_diff d;

	if (!o->algorithm_given && s->algorithm)
		diff_set_algorithm(&plain, s->algorithm);

	/* one side alone needs no comparison */
	if (!a->size || !b->size) {
		s->deleted = count_lines(a->data, a->size);
		s->added = count_lines(b->data, b->size);
		if (!(o->ignore & DIFF_IGNORE_BLANK_LINES) && !o->ignore_lines)
			return;
	}
	if (!(o->ignore & DIFF_IGNORE_BLANK_LINES) && !o->ignore_lines)
		plain.indent_heuristic = false; /* where a change lies does not matter */
	text_diff(&d, a->data, a->size, b->data, b->size, &plain);
	hunks_count(&d, o, &s->added, &s->deleted);
	text_diff_release(&d);
}

static int count_pair(struct file_stat *s, const struct diff_options *o, struct err *err)
{
	struct diff_file *a = s->pair->old, *b = s->pair->new;
	bool same = same_content(s->pair);
	int ret;

	if (s->pair->unmerged)
		return 0;
	s->skipped = MODE_IS_TREE(a->mode) || MODE_IS_TREE(b->mode); /* -t */
	if (s->skipped)
		return 0;
	ret = diff_file_binary(a, o, err);
	if (!ret)
		ret = diff_file_binary(b, o, err);
	if (ret < 0)
		return ret;
	s->binary = a->is_binary || b->is_binary;
	if (same)
		return 0;
	if (s->binary) {
		ret = diff_file_size(a, o, err);
		if (!ret)
			ret = diff_file_size(b, o, err);
		s->deleted = a->size;
		s->added = b->size;
		return ret;
	}
	ret = diff_file_load(a, o, err);
	if (!ret)
		ret = diff_file_load(b, o, err);
	if (ret < 0)
		return ret;
	if (s->pair->status == DIFF_STATUS_MODIFIED && s->pair->score) {
		s->deleted = count_lines(a->content.data, a->content.size);
		s->added = count_lines(b->content.data, b->content.size);
		return 0;
	}
	count_changes(s, o);
	s->skipped = s->pair->status == DIFF_STATUS_MODIFIED && !s->added && !s->deleted &&
		     a->mode == b->mode;
	return 0;
}

static void free_stats(struct file_stat *stats, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(stats[i].name);
	free(stats);
}

/* ---- all pairs, by several threads ---- */

struct counting {
	struct diff_queue *q;
	const struct diff_options *o;
	struct file_stat *stats;
	bool others; /* second round: pairs that are not independent */
	pthread_mutex_t lock;
	size_t failed; /* the first pair that did, and how */
	int code;
	struct err err;
};

/* May a worker thread count it? No other pair shares its files, and they are objects. */
static bool is_independent(const struct diff_pair *p)
{
	return p->old->refs == 1 && p->new->refs == 1 &&
	       (p->old->oid_valid || !diff_file_exists(p->old)) &&
	       (p->new->oid_valid || !diff_file_exists(p->new));
}

static void record_failure(struct counting *c, size_t i, int code, struct err *err)
{
	pthread_mutex_lock(&c->lock);
	if (i < c->failed) {
		c->failed = i;
		c->code = code;
		err_release(&c->err);
		err_move(&c->err, err);
	}
	pthread_mutex_unlock(&c->lock);
	err_release(err);
}

static void count_range(void *data, size_t begin, size_t end)
{
	struct counting *c = data;

	for (size_t i = begin; i < end; i++) {
		struct diff_pair *p = c->q->pairs[i];
		struct err err = ERR_INIT;
		int ret;

		if (is_independent(p) == c->others)
			continue;
		ret = count_pair(&c->stats[i], c->o, &err);
		diff_file_unload(p->old);
		diff_file_unload(p->new);
		if (ret < 0)
			record_failure(c, i, ret, &err);
	}
}

#define PAIRS_PER_THREAD 32 /* starting one costs about as much */

static const char *driver_algorithm(const struct diff_pair *p, const struct diff_options *o)
{
	struct diff_driver driver;

	diff_driver_of(o, p->old->path, &driver);
	return driver.algorithm;
}

/* *out: *nr counts, without the pairs that are skipped. */
static int count_all(struct diff_queue *q, const struct diff_options *o,
		     struct file_stat **out, size_t *nr, struct err *err)
{
	struct counting c = { .q = q, .o = o, .failed = SIZE_MAX, .err = ERR_INIT };
	size_t kept = 0;

	CALLOC_ARRAY(c.stats, q->nr + 1);
	pthread_mutex_init(&c.lock, NULL);
	for (size_t i = 0; i < q->nr; i++) {
		c.stats[i].pair = q->pairs[i];
		c.stats[i].algorithm = driver_algorithm(q->pairs[i], o);
		diff_file_driver(q->pairs[i]->old, o);
		diff_file_driver(q->pairs[i]->new, o);
	}
	workers_parallel_for(q->nr, PAIRS_PER_THREAD, 0, count_range, &c);
	c.others = true;
	count_range(&c, 0, q->nr);
	pthread_mutex_destroy(&c.lock);
	if (c.failed != SIZE_MAX) {
		free_stats(c.stats, q->nr);
		err_move(err, &c.err);
		return c.code;
	}
	for (size_t i = 0; i < q->nr; i++)
		if (!c.stats[i].skipped)
			c.stats[kept++] = c.stats[i];
	*out = c.stats;
	*nr = kept;
	return 0;
}

/* ---- totals ---- */

void diff_add_totals(struct strbuf *out, const struct diff_totals *t)
{
	if (!t->files) {
		strbuf_addstr(out, " 0 files changed\n");
		return;
	}
	strbuf_addf(out, " %zu file%s changed", t->files, t->files == 1 ? "" : "s");
	if (t->insertions || !t->deletions)
		strbuf_addf(out, ", %" PRIu64 " insertion%s(+)", t->insertions,
			    t->insertions == 1 ? "" : "s");
	if (t->deletions || !t->insertions)
		strbuf_addf(out, ", %" PRIu64 " deletion%s(-)", t->deletions,
			    t->deletions == 1 ? "" : "s");
	strbuf_addch(out, '\n');
}

static void add_up(const struct file_stat *stats, size_t nr, struct diff_totals *t)
{
	*t = (struct diff_totals){ 0, 0, 0, 0 };
	for (size_t i = 0; i < nr; i++) {
		if (stats[i].pair->unmerged) {
			t->unmerged++;
			continue;
		}
		t->files++;
		if (stats[i].binary)
			continue;
		t->insertions += stats[i].added;
		t->deletions += stats[i].deleted;
	}
}

int diff_count(struct diff_queue *q, const struct diff_options *o, struct diff_totals *out,
	       struct err *err)
{
	struct file_stat *stats;
	size_t nr;
	int ret = count_all(q, o, &stats, &nr, err);

	if (ret < 0)
		return ret;
	add_up(stats, nr, out);
	free_stats(stats, nr);
	return 0;
}

int diff_count_lines(struct diff_queue *q, const struct diff_options *o,
		     struct diff_line_count **out, size_t *nr, struct err *err)
{
	struct file_stat *stats;
	int ret = count_all(q, o, &stats, nr, err);

	if (ret < 0)
		return ret;
	ALLOC_ARRAY(*out, *nr);
	for (size_t i = 0; i < *nr; i++)
		(*out)[i] = (struct diff_line_count){ stats[i].pair,
						      stats[i].added + stats[i].deleted,
						      stats[i].binary };
	free_stats(stats, *nr);
	return 0;
}

/* ---- --numstat ---- */

static bool is_rename(const struct diff_pair *p)
{
	return strcmp(p->old->path, p->new->path) != 0; /* or two that were named */
}

int diff_add_numstat(struct diff_queue *q, const struct diff_options *o, struct strbuf *out,
		     struct err *err)
{
	struct file_stat *stats;
	size_t nr;
	int ret = count_all(q, o, &stats, &nr, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < nr; i++) {
		const struct file_stat *s = &stats[i];
		const struct diff_pair *p = s->pair;

		if (o->line_prefix)
			strbuf_addstr(out, o->line_prefix);
		if (s->binary)
			strbuf_addstr(out, "-\t-\t");
		else
			strbuf_addf(out, "%" PRIu64 "\t%" PRIu64 "\t", s->added, s->deleted);
		if (!is_rename(p) || p->unmerged) {
			diff_add_path(out, o, (p->unmerged ? p->old : p->new)->path);
		} else if (o->null_term) {
			strbuf_addch(out, '\0');
			diff_add_path(out, o, p->old->path);
			strbuf_addch(out, '\0');
			diff_add_path(out, o, p->new->path);
		} else {
			diff_add_rename(out, o, diff_shown_path(o, p->old->path),
					diff_shown_path(o, p->new->path));
		}
		strbuf_addch(out, o->null_term ? '\0' : '\n');
	}
	free_stats(stats, nr);
	return 0;
}

/* ---- --stat ---- */

/* The comment of --compact-summary. */
static const char *compact_comment(const struct diff_pair *p)
{
	unsigned a = p->old->mode, b = p->new->mode;

	if (p->status == DIFF_STATUS_ADDED)
		return MODE_IS_SYMLINK(b) ? "new +l" : b == MODE_EXEC ? "new +x" : "new";
	if (p->status == DIFF_STATUS_DELETED)
		return "gone";
	if (MODE_IS_SYMLINK(a) != MODE_IS_SYMLINK(b))
		return MODE_IS_SYMLINK(a) ? "mode -l" : "mode +l";
	if (a == MODE_FILE && b == MODE_EXEC)
		return "mode +x";
	if (a == MODE_EXEC && b == MODE_FILE)
		return "mode -x";
	return NULL;
}

static char *stat_name(const struct diff_pair *p, const struct diff_options *o)
{
	struct strbuf name = STRBUF_INIT;
	const char *comment = o->compact_summary ? compact_comment(p) : NULL;
	/* An unmerged file is shown as a whole, whatever --relative says. */
	const char *path = p->unmerged ? p->old->path : diff_shown_path(o, p->new->path);

	if (!p->unmerged && is_rename(p))
		diff_add_rename(&name, o, diff_shown_path(o, p->old->path), path);
	else
		quote_c_style(&name, path, strlen(path), o->quote_path); /* with -z as well */
	if (comment)
		strbuf_addf(&name, " (%s)", comment);
	return strbuf_detach(&name, NULL);
}

/* Columns of " NAME | NUMBER GRAPH". */
struct layout {
	int name, number, graph;
	uint64_t most; /* changes of one file */
};

static int digits(uint64_t n)
{
	int d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

static int name_width(const char *name)
{
	return utf8_width(name, strlen(name), false);
}

static int available_columns(const struct diff_options *o)
{
	const char *env = getenv("COLUMNS");
	int columns = o->stat_width;

	if (columns <= 0)
		columns = o->term_columns;
	if (columns <= 0 && env && atoi(env) > 0)
		columns = atoi(env);
	if (columns <= 0)
		columns = 80;
	if (o->line_prefix && o->stat_width <= 0)
		columns -= utf8_width(o->line_prefix, strlen(o->line_prefix), true);
	return columns;
}

/*
 * Names and graph get the columns that they need if the line has them; else the graph is cut
 * to three eighths of the line (6 columns at least), and names get the rest.
 */
static struct layout lay_out(const struct file_stat *stats, size_t nr,
			     const struct diff_options *o)
{
	struct layout l = { 0, 0, 0, 0 };
	int width = available_columns(o), longest = 0, binary = 0, wanted;

	for (size_t i = 0; i < nr; i++) {
		const struct file_stat *s = &stats[i];
		int w = name_width(s->name);

		if (w > longest)
			longest = w;
		if (s->pair->unmerged) {
			if (binary < 8)
				binary = 8; /* "Unmerged" */
		} else if (s->binary) {
			w = 14 + digits(s->added) + digits(s->deleted);
			if (w > binary)
				binary = w; /* "Bin 12 -> 34 bytes" */
			l.number = 3;
		} else if (s->added + s->deleted > l.most) {
			l.most = s->added + s->deleted;
		}
	}
	if (digits(l.most) > l.number)
		l.number = digits(l.most);
	if (width < 16 + 6 + l.number)
		width = 16 + 6 + l.number;
	wanted = l.most > 100000 ? 100000 : (int)l.most;
	l.graph = wanted + 4 > binary ? wanted : binary - 4;
	if (o->stat_graph_width > 0 && o->stat_graph_width < l.graph)
		l.graph = o->stat_graph_width;
	l.name = o->stat_name_width > 0 && o->stat_name_width < longest ? o->stat_name_width :
									  longest;
	if (l.name + l.number + 6 + l.graph > width) {
		if (l.graph > width * 3 / 8 - l.number - 6) {
			l.graph = width * 3 / 8 - l.number - 6;
			if (l.graph < 6)
				l.graph = 6;
		}
		if (o->stat_graph_width > 0 && l.graph > o->stat_graph_width)
			l.graph = o->stat_graph_width;
		if (l.name > width - l.number - 6 - l.graph)
			l.name = width - l.number - 6 - l.graph;
		else
			l.graph = width - l.number - 6 - l.name;
	}
	return l;
}

/* The name, or "..." and as much of its end as fits, from a slash on if there is one. */
static void add_name_column(struct strbuf *out, const char *name, int columns)
{
	int width = name_width(name), left = columns;

	if (width > columns) {
		const char *slash;
		size_t len = strlen(name);

		strbuf_addstr(out, "...");
		left -= 3;
		if (left < 0)
			left = 0;
		while (width > left) {
			const char *next = name;
			size_t rest = len;

			if (utf8_next(&next, &rest) < 0) {
				next = name + 1;
				rest = len - 1;
			}
			name = next;
			len = rest;
			width = name_width(name);
		}
		slash = strchr(name, '/');
		if (slash)
			name = slash;
	}
	strbuf_addstr(out, name);
	width = name_width(name);
	if (left > width)
		strbuf_addchars(out, ' ', (size_t)(left - width));
}

/* n of `most` as a part of `columns`; at least 1 for any change. */
static uint64_t scale(uint64_t n, int columns, uint64_t most)
{
	return n ? 1 + n * (uint64_t)(columns - 1) / most : 0;
}

static void add_bar(struct strbuf *out, const struct diff_options *o, int ch,
		    enum diff_color color, uint64_t n)
{
	if (!n)
		return;
	strbuf_addstr(out, diff_color_of(o, color));
	strbuf_addchars(out, ch, (size_t)n);
	strbuf_addstr(out, diff_color_of(o, DIFF_COLOR_RESET));
}

static void add_graph(struct strbuf *out, const struct diff_options *o,
		      const struct file_stat *s, const struct layout *l)
{
	uint64_t plus = s->added, minus = s->deleted;

	if ((uint64_t)l->graph <= l->most) {
		uint64_t all = scale(plus + minus, l->graph, l->most);

		if (all < 2 && plus && minus)
			all = 2; /* a column for each */
		if (plus < minus) {
			plus = scale(plus, l->graph, l->most);
			minus = all - plus;
		} else {
			minus = scale(minus, l->graph, l->most);
			plus = all - minus;
		}
	}
	add_bar(out, o, '+', DIFF_COLOR_NEW, plus);
	add_bar(out, o, '-', DIFF_COLOR_OLD, minus);
}

static void stat_add_binary(struct strbuf *out, const struct diff_options *o,
			    const struct file_stat *s, const struct layout *l)
{
	const char *reset = diff_color_of(o, DIFF_COLOR_RESET);

	strbuf_addf(out, " %*s", l->number, "Bin");
	if (!s->added && !s->deleted)
		return;
	strbuf_addf(out, " %s%" PRIu64 "%s -> %s%" PRIu64 "%s bytes",
		    diff_color_of(o, DIFF_COLOR_OLD), s->deleted, reset,
		    diff_color_of(o, DIFF_COLOR_NEW), s->added, reset);
}

static void add_stat_line(struct strbuf *out, const struct diff_options *o,
			  const struct file_stat *s, const struct layout *l)
{
	if (o->line_prefix)
		strbuf_addstr(out, o->line_prefix);
	strbuf_addch(out, ' ');
	add_name_column(out, s->name, l->name);
	strbuf_addstr(out, " |");
	if (s->pair->unmerged) {
		strbuf_addstr(out, " Unmerged");
	} else if (s->binary) {
		stat_add_binary(out, o, s, l);
	} else {
		strbuf_addf(out, " %*" PRIu64, l->number, s->added + s->deleted);
		if (s->added + s->deleted)
			strbuf_addch(out, ' ');
		add_graph(out, o, s, l);
	}
	strbuf_addch(out, '\n');
}

int diff_add_stat(struct diff_queue *q, const struct diff_options *o, struct strbuf *out,
		  struct err *err)
{
	struct diff_totals totals;
	struct file_stat *stats;
	struct layout l;
	size_t nr, shown;
	int ret = count_all(q, o, &stats, &nr, err);

	if (ret < 0)
		return ret;
	if (!nr)
		goto out;
	shown = o->stat_count > 0 && (size_t)o->stat_count < nr ? (size_t)o->stat_count : nr;
	for (size_t i = 0; i < nr; i++)
		stats[i].name = stat_name(stats[i].pair, o);
	l = lay_out(stats, shown, o);
	for (size_t i = 0; i < shown; i++)
		add_stat_line(out, o, &stats[i], &l);
	if (shown < nr)
		strbuf_addf(out, "%s ...\n", o->line_prefix ? o->line_prefix : "");
	add_up(stats, nr, &totals);
	if (o->line_prefix)
		strbuf_addstr(out, o->line_prefix);
	diff_add_totals(out, &totals);
out:
	free_stats(stats, nr);
	return 0;
}
