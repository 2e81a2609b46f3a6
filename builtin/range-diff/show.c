/* SPDX-License-Identifier: GPL-2.0-only */
/* Pairs of commits, and the differences between their texts. */
#include "compat/posix.h"
#include "builtin/range-diff/range-diff.h"
#include "object/tree.h"
#include "pretty/pretty.h"
#include "util/alloc.h"

#define STAT_WIDTH 80

struct range_show {
	struct range_diff_options *o;
	struct range_patches *a, *b;
	const struct range_patch *old, *new; /* of the pair whose texts are compared */
	int digits;			     /* of numbers */
	char commit_color[COLOR_MAXLEN];
	struct strbuf *out;
};

/* ---- the line of a pair ---- */

static void add_name(struct range_show *s, const struct range_patches *l, const struct range_patch *p, size_t dashes)
{
	if (!p) {
		strbuf_addf(s->out, "%*s:  ", s->digits, "-");
		strbuf_addchars(s->out, '-', dashes);
		return;
	}
	strbuf_addf(s->out, "%*zu:  ", s->digits, (size_t)(p - l->items) + 1);
	if (s->o->diff.abbrev)
		odb_abbrev(s->o->repo->odb, &p->oid, s->o->diff.abbrev, s->out);
	else
		strbuf_add_oid(s->out, &p->oid);
}

static size_t name_length(struct range_show *s, const struct range_patch *p)
{
	struct strbuf name = STRBUF_INIT;
	size_t len = s->o->repo->algo->hex_len;

	if (s->o->diff.abbrev) {
		odb_abbrev(s->o->repo->odb, &p->oid, s->o->diff.abbrev, &name);
		len = name.len;
	}
	strbuf_release(&name);
	return len;
}

static void add_paint(struct range_show *s, const char *color)
{
	if (s->o->diff.color)
		strbuf_addstr(s->out, color);
}

/* Other colours begin here. */
static void change_paint(struct range_show *s, char status, const char *color)
{
	if (status != '!')
		return;
	add_paint(s, COLOR_RESET);
	add_paint(s, color);
}

static void show_line(struct range_show *s, const struct range_patch *a, const struct range_patch *b)
{
	char status = !b ? '<' : !a ? '>' : strcmp(a->text.buf, b->text.buf) ? '!' : '=';
	const char *old = s->o->diff.colors[DIFF_COLOR_OLD], *new = s->o->diff.colors[DIFF_COLOR_NEW];
	size_t dashes = name_length(s, a ? a : b);

	strbuf_addstr(s->out, s->o->indent);
	add_paint(s, status == '<' || status == '!' ? old : status == '>' ? new : s->commit_color);
	add_name(s, s->a, a, dashes);
	strbuf_addch(s->out, ' ');
	change_paint(s, status, s->commit_color);
	strbuf_addch(s->out, status);
	change_paint(s, status, new);
	strbuf_addch(s->out, ' ');
	add_name(s, s->b, b, dashes);
	change_paint(s, status, s->commit_color);
	if (*(a ? a : b)->subject)
		strbuf_addf(s->out, " %s", (a ? a : b)->subject);
	add_paint(s, COLOR_RESET);
	strbuf_addch(s->out, '\n');
}

/* ---- the difference ---- */

/* Sections, and the headers of hunks within them, name the place of a hunk. */
static void set_driver(void *data UNUSED, const char *path UNUSED, struct diff_driver *out)
{
	out->binary = 0;
	out->funcname = "^ ## (.*) ##$\n^.?@@ (.*)$";
}

static int read_side(void *data, const struct diff_file *file, struct object_buf *out, struct err *err UNUSED)
{
	const struct range_show *s = data;
	const struct range_patch *p = !strcmp(file->path, "a") ? s->old : s->new;

	out->data = xmemdupz(p->text.buf, p->text.len);
	out->size = p->text.len;
	return 0;
}

static int show_difference(struct range_show *s, const struct range_patch *a, const struct range_patch *b, struct err *err)
{
	struct diff_options *o = &s->o->diff;
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc;

	s->old = a;
	s->new = b;
	o->read = read_side;
	o->read_data = s;
	o->driver = set_driver;
	o->no_names = o->keep_same = true;
	diff_queue_add(&q, "a", MODE_FILE, NULL, "b", MODE_FILE, NULL);
	rc = diff_process(&q, o, err);
	if (!rc)
		rc = diff_format(&q, o, s->out, err);
	diff_queue_clear(&q);
	return rc;
}

static int show_pair(struct range_show *s, struct range_patch *a, struct range_patch *b, struct err *err)
{
	show_line(s, a, b);
	a->shown = true;
	if (s->o->diff.formats == DIFF_FORMAT_NONE)
		return 0;
	return show_difference(s, a, b, err);
}

/* ---- all of them ---- */

static int number_digits(size_t a, size_t b)
{
	return snprintf(NULL, 0, "%zu", 1 + (a > b ? a : b));
}

/* In the order of the second range; a commit without counterpart stands below all of its ancestors. */
static int show_all(struct range_show *s, struct err *err)
{
	struct range_patches *a = s->a, *b = s->b;
	size_t i = 0, j = 0;
	int rc = 0;

	while (!rc && (i < a->nr || j < b->nr)) {
		while (i < a->nr && a->items[i].shown)
			i++;
		if (i < a->nr && a->items[i].match < 0) {
			if (!s->o->right_only)
				show_line(s, &a->items[i], NULL);
			i++;
			continue;
		}
		for (; j < b->nr && b->items[j].match < 0; j++)
			if (!s->o->left_only)
				show_line(s, NULL, &b->items[j]);
		if (j < b->nr) {
			rc = show_pair(s, &a->items[b->items[j].match], &b->items[j], err);
			j++;
		}
	}
	return rc;
}

int range_diff_show(struct range_patches *a, struct range_patches *b, struct range_diff_options *o, struct strbuf *out,
		    struct err *err)
{
	struct range_show s = { .o = o, .a = a, .b = b, .digits = number_digits(a->nr, b->nr), .out = out };
	struct pretty style;
	char *prefix = xstrfmt("%s    ", o->indent);
	int rc;

	pretty_init(&style, o->repo);
	pretty_read_colors(&style);
	memcpy(s.commit_color, style.commit_color, sizeof(s.commit_color));
	pretty_release(&style);
	o->diff.bare_hunks = true;
	o->diff.dual_color = o->dual_color && o->diff.color;
	o->diff.line_prefix = prefix;
	if (!o->diff.formats)
		o->diff.formats = DIFF_FORMAT_PATCH;
	if (!o->diff.stat_width) /* the terminal does not count, and the indent is beside it */
		o->diff.stat_width = STAT_WIDTH;
	rc = show_all(&s, err);
	o->diff.line_prefix = NULL;
	free(prefix);
	return rc;
}

int range_diff_init(struct range_diff_options *o, struct repository *r, struct err *err)
{
	int rc;

	*o = (struct range_diff_options){ .repo = r, .creation_factor = RANGE_DIFF_CREATION_FACTOR, .dual_color = true,
					  .max_memory = RANGE_DIFF_MAX_MEMORY, .log_args = STRVEC_INIT, .indent = "" };
	diff_options_init(&o->diff, r->odb);
	o->diff.abbrev = r->settings.abbrev;
	rc = diff_options_config(&o->diff, r->config, err);
	/* of --stat: options alone count */
	o->diff.stat_name_width = o->diff.stat_graph_width = 0;
	return rc;
}

void range_diff_release(struct range_diff_options *o)
{
	strvec_clear(&o->log_args);
	diff_options_release(&o->diff);
}

int range_diff_run(struct range_diff_options *o, const char *range1, const char *range2, struct strbuf *out,
		   const char **failed, struct err *err)
{
	struct range_patches a = RANGE_PATCHES_INIT, b = RANGE_PATCHES_INIT;
	int rc;

	*failed = range1;
	rc = range_patches_read(&a, o, range1, err);
	if (!rc) {
		*failed = range2;
		rc = range_patches_read(&b, o, range2, err);
	}
	if (!rc) {
		*failed = NULL;
		rc = range_patches_match(&a, &b, o, err);
	}
	if (!rc)
		rc = range_diff_show(&a, &b, o, out, err);
	range_patches_release(&a);
	range_patches_release(&b);
	return rc;
}
