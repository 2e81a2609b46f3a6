/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of what a fetch has done: git-fetch(1), OUTPUT. */
#include "compat/posix.h"
#include <sys/ioctl.h>
#include "porcelain/fetch-internal.h"
#include "cli/column.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "util/utf8.h"

/*
 * Width of "FLAG SUMMARY" and " -> " of a line; a name wider than the screen does not widen the
 * column.
 */
#define FLAG_AND_SUMMARY 21
#define ARROW 4
#define MIN_COLUMN 10

struct table {
	const struct fetch_options *o;
	struct repository *r;
	const char *url;
	int summary, pruned, names; /* widths; `pruned`: the summary of deleted refs */
	bool began;
	struct strbuf line;
};

/* A name without the directory that all of its kind have. */
static const char *short_name(const char *name)
{
	if (!skip_prefix(name, "refs/heads/", &name) && !skip_prefix(name, "refs/tags/", &name))
		(void)skip_prefix(name, "refs/remotes/", &name);
	return name;
}

/* What a row calls its source, and of what kind it is where it has no place here. */
static const char *source_name(const struct fetch_row *row, const char **kind)
{
	const char *name = row->src;

	*kind = "branch";
	if (skip_prefix(name, "refs/tags/", &name))
		*kind = "tag";
	else if (skip_prefix(name, "refs/remotes/", &name))
		*kind = "remote-tracking branch";
	else
		(void)skip_prefix(name, "refs/heads/", &name);
	return name;
}

static bool is_shown(const struct table *t, const struct fetch_row *row)
{
	if (!row->dst && t->o->no_fetch_head && !t->o->dry_run)
		return false;
	return row->flag != '=' || t->o->verbosity > 0;
}

/* ---- widths ---- */

static void measure(struct table *t, const struct fetch_rows *rows)
{
	int screen = terminal_columns();

	t->names = MIN_COLUMN;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct fetch_row *row = &rows->rows[i];
		const char *kind;
		int src, dst;

		if (!row->src || !is_shown(t, row))
			continue;
		src = (int)strlen(source_name(row, &kind));
		dst = row->dst ? (int)strlen(short_name(row->dst)) : 0;
		if (t->o->compact)
			dst = 0;
		if (FLAG_AND_SUMMARY + src + ARROW + dst < screen && src > t->names)
			t->names = src;
	}
}

/* Two abbreviated names and three dots. */
static void measure_summary(struct table *t, const struct fetch_rows *rows)
{
	struct strbuf abbrev = STRBUF_INIT;

	t->summary = t->pruned = 0;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct fetch_row *row = &rows->rows[i];
		int *width = row->src ? &t->summary : &t->pruned;

		strbuf_reset(&abbrev);
		odb_abbrev(t->r->odb, row->src ? &row->new_oid : &row->old_oid, -1, &abbrev);
		if (2 * (int)abbrev.len + 3 > *width)
			*width = 2 * (int)abbrev.len + 3;
	}
	if (rows->ragged)
		t->summary = 0;
	strbuf_release(&abbrev);
}

/* ---- lines ---- */

/* What ends like the other name has a star for that. */
static void compact(struct strbuf *out, const char *name, const char *other)
{
	size_t len = strlen(name), part = strlen(other);

	if (part && part <= len && !strcmp(name + len - part, other) && (part == len || name[len - part - 1] == '/'))
		strbuf_addf(out, "%.*s*", (int)(len - part), name);
	else
		strbuf_addstr(out, name);
}

static void add_summary(struct table *t, const struct fetch_row *row)
{
	struct strbuf text = STRBUF_INIT;

	if (row->what) {
		strbuf_addstr(&text, row->what);
	} else {
		odb_abbrev(t->r->odb, &row->old_oid, -1, &text);
		strbuf_addstr(&text, row->flag == '+' ? "..." : "..");
		odb_abbrev(t->r->odb, &row->new_oid, -1, &text);
	}
	strbuf_addf(&t->line, " %c %-*s ", row->flag, row->src ? t->summary : t->pruned, text.buf);
	strbuf_release(&text);
}

static void add_names(struct table *t, const struct fetch_row *row)
{
	struct strbuf dst = STRBUF_INIT;
	const char *kind, *src = row->src ? source_name(row, &kind) : "(none)";
	const char *name = row->dst ? short_name(row->dst) : REFNAME_FETCH_HEAD;

	if (t->o->compact && row->src && row->dst)
		compact(&dst, name, src);
	else
		strbuf_addstr(&dst, name);
	if (t->o->compact && row->src && row->dst && !strcmp(dst.buf, name)) {
		struct strbuf there = STRBUF_INIT;

		compact(&there, src, name);
		strbuf_addf(&t->line, "%-*s -> %s", t->names, there.buf, dst.buf);
		strbuf_release(&there);
	} else {
		strbuf_addf(&t->line, "%-*s -> %s", t->names, src, dst.buf);
	}
	strbuf_release(&dst);
}

/* Names of refs come from the server, and may have C1 control characters. */
static void print_row(const char *text)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add_printable(&line, text, strlen(text), "");
	fprintf(stderr, "%s\n", line.buf);
	strbuf_release(&line);
}

static void show_row(struct table *t, const struct fetch_row *row)
{
	const char *kind;

	if (!t->began)
		fprintf(stderr, "From %s\n", t->url);
	t->began = true;
	strbuf_reset(&t->line);
	if (row->dst) {
		add_summary(t, row);
	} else {
		source_name(row, &kind);
		strbuf_addf(&t->line, " %c %-*s ", row->flag, t->summary, kind);
	}
	add_names(t, row);
	if (row->remark)
		strbuf_addf(&t->line, "  (%s)", row->remark);
	print_row(t->line.buf);
}

static void show_porcelain(const struct fetch_row *row)
{
	printf("%c %s", row->flag, oid_hex(&row->old_oid));
	printf(" %s %s\n", oid_hex(&row->new_oid), row->dst ? row->dst : REFNAME_FETCH_HEAD);
}

static void show_dangling(const struct table *t, const struct strvec *dangling)
{
	const char *format = t->o->dry_run ? "   %s will become dangling after %s is deleted" :
					     "   %s has become dangling after %s was deleted";

	for (size_t i = 0; i < dangling->nr; i += 2) {
		char *text = xstrfmt(format, dangling->v[i], dangling->v[i + 1]);

		print_row(text);
		free(text);
	}
}

static void show_rows(struct table *t, const struct fetch_rows *rows, bool pruned)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct fetch_row *row = &rows->rows[i];

		if (!row->src != pruned || !is_shown(t, row))
			continue;
		if (t->o->porcelain)
			show_porcelain(row);
		else
			show_row(t, row);
	}
	if (pruned)
		show_dangling(t, &rows->dangling);
}

void fetch_show(const struct fetch_rows *rows, struct repository *r, const char *url, const struct fetch_options *o,
		void (*between)(void *data), void *data)
{
	struct table t = { .o = o, .r = r, .url = url, .line = STRBUF_INIT };
	bool quiet = o->verbosity < 0;

	if (!quiet && !o->porcelain) {
		measure(&t, rows);
		measure_summary(&t, rows);
	}
	if (!quiet)
		show_rows(&t, rows, true);
	between(data);
	if (!quiet)
		show_rows(&t, rows, false);
	strbuf_release(&t.line);
}
