/* SPDX-License-Identifier: GPL-2.0-only */
/* --raw, --name-only, --name-status, --summary, and the order of all formats. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/external-internal.h"
#include "diff/moved-internal.h"
#include "object/tree.h"
#include "util/quote.h"

/* ---- one line per file ---- */

static void add_line_prefix(struct strbuf *out, const struct diff_options *o)
{
	if (o->line_prefix)
		strbuf_addstr(out, o->line_prefix);
}

static void format_end_line(struct strbuf *out, const struct diff_options *o)
{
	strbuf_addch(out, o->null_term ? '\0' : '\n');
}

static const char *one_path(const struct diff_pair *p)
{
	return diff_file_exists(p->old) ? p->old->path : p->new->path;
}

/* Files of the work tree have no object name yet. */
static const struct object_id *raw_oid(const struct diff_file *f, const struct diff_options *o)
{
	return f->oid_valid || (f->oid_shown && !o->no_names) ? &f->oid : &o->algo->null_oid;
}

static void format_add_raw(struct strbuf *out, const struct diff_options *o,
			   const struct diff_pair *p, bool with_objects)
{
	int between = o->null_term ? '\0' : '\t';

	add_line_prefix(out, o);
	if (with_objects) {
		strbuf_addf(out, ":%06o %06o ", p->old->mode, p->new->mode);
		diff_add_raw_oid(out, o, raw_oid(p->old, o));
		strbuf_addch(out, ' ');
		diff_add_raw_oid(out, o, raw_oid(p->new, o));
		strbuf_addch(out, ' ');
	}
	strbuf_addch(out, p->status);
	if (p->score)
		strbuf_addf(out, "%03u", diff_pair_percent(p));
	strbuf_addch(out, between);
	if (p->status == DIFF_STATUS_COPIED || p->status == DIFF_STATUS_RENAMED) {
		diff_add_path(out, o, p->old->path);
		strbuf_addch(out, between);
		diff_add_path(out, o, p->new->path);
	} else {
		diff_add_path(out, o, one_path(p));
	}
	format_end_line(out, o);
}

static void add_name(struct strbuf *out, const struct diff_options *o,
		     const struct diff_pair *p)
{
	add_line_prefix(out, o);
	diff_add_path(out, o, p->new->path);
	format_end_line(out, o);
}

/* ---- --summary ---- */

static void add_mode_and_name(struct strbuf *out, const struct diff_options *o,
			      const char *what, const struct diff_file *f)
{
	add_line_prefix(out, o);
	strbuf_addf(out, " %s mode %06o ", what, f->mode);
	quote_c_style(out, f->path, strlen(f->path), o->quote_path);
	strbuf_addch(out, '\n');
}

static void add_mode_change(struct strbuf *out, const struct diff_options *o,
			    const struct diff_pair *p, bool with_name)
{
	const char *path = p->new->path;

	if (!p->old->mode || !p->new->mode || p->old->mode == p->new->mode)
		return;
	add_line_prefix(out, o);
	strbuf_addf(out, " mode change %06o => %06o", p->old->mode, p->new->mode);
	if (with_name) {
		strbuf_addch(out, ' ');
		quote_c_style(out, path, strlen(path), o->quote_path);
	}
	strbuf_addch(out, '\n');
}

static void add_rename_line(struct strbuf *out, const struct diff_options *o,
			    const char *what, const struct diff_pair *p)
{
	add_line_prefix(out, o);
	strbuf_addf(out, " %s ", what);
	diff_add_rename(out, o, p->old->path, p->new->path);
	strbuf_addf(out, " (%u%%)\n", diff_pair_percent(p));
	add_mode_change(out, o, p, false);
}

static void add_rewrite_line(struct strbuf *out, const struct diff_options *o,
			     const struct diff_pair *p)
{
	const char *path = p->new->path;

	add_line_prefix(out, o);
	strbuf_addstr(out, " rewrite ");
	quote_c_style(out, path, strlen(path), o->quote_path);
	strbuf_addf(out, " (%u%%)\n", diff_pair_percent(p));
}

static void add_summary(struct diff_queue *q, const struct diff_options *o, struct strbuf *out)
{
	for (size_t i = 0; i < q->nr; i++) {
		const struct diff_pair *p = q->pairs[i];

		switch (p->status) {
		case DIFF_STATUS_DELETED:
			add_mode_and_name(out, o, "delete", p->old);
			break;
		case DIFF_STATUS_ADDED:
			add_mode_and_name(out, o, "create", p->new);
			break;
		case DIFF_STATUS_COPIED:
			add_rename_line(out, o, "copy", p);
			break;
		case DIFF_STATUS_RENAMED:
			add_rename_line(out, o, "rename", p);
			break;
		default:
			if (p->score)
				add_rewrite_line(out, o, p);
			add_mode_change(out, o, p, !p->score);
		}
	}
}

/* ---- all formats, in the order in which they come ---- */

static int drain(const struct diff_options *o, struct strbuf *out, struct err *err)
{
	return o->drain ? o->drain(o->drain_data, out, err) : 0;
}

static int add_statistics(struct diff_queue *q, const struct diff_options *o,
			  struct strbuf *out, struct err *err)
{
	struct diff_totals totals;
	int ret = 0;

	if (o->formats & DIFF_FORMAT_NUMSTAT)
		ret = diff_add_numstat(q, o, out, err);
	if (!ret && o->formats & DIFF_FORMAT_STAT)
		ret = diff_add_stat(q, o, out, err);
	if (!ret && o->formats & DIFF_FORMAT_SHORTSTAT) {
		ret = diff_count(q, o, &totals, err);
		if (!ret && (totals.files || totals.unmerged)) {
			add_line_prefix(out, o);
			diff_add_totals(out, &totals);
		}
	}
	return ret;
}

/* Content is compared with -w and the like even where it is not shown. */
static int is_hidden(struct diff_pair *p, const struct diff_options *o, bool *hidden,
		     struct err *err)
{
	int ret;

	*hidden = false;
	if (!diff_ignores(o) || p->unmerged)
		return 0;
	if (MODE_IS_TREE(p->old->mode) || MODE_IS_TREE(p->new->mode)) {
		*hidden = true; /* its files tell */
		return 0;
	}
	ret = diff_file_show_oid(p->old, o, err);
	if (!ret)
		ret = diff_file_show_oid(p->new, o, err);
	if (ret < 0 || p->status != DIFF_STATUS_MODIFIED || p->score || p->old->mode != p->new->mode)
		return ret;
	return diff_is_ignorable(p, o, hidden, err);
}

static int add_check(struct diff_queue *q, size_t i, const struct diff_options *o,
		     struct strbuf *out, struct err *err)
{
	int ret = diff_add_check(q->pairs[i], o, out, &q->check_failed, err);

	diff_file_unload(q->pairs[i]->old);
	diff_file_unload(q->pairs[i]->new);
	return ret;
}

static int add_patches(struct diff_queue *q, const struct diff_options *o,
		       struct strbuf *out, struct err *err)
{
	struct moved_lines *moved = moved_lines_new(o, out);
	int ret = 0;

	for (size_t i = 0; !ret && i < q->nr; i++) {
		ret = diff_add_patch(q, i, o, moved, out, err);
		/* one pair in memory at a time */
		diff_file_unload(q->pairs[i]->old);
		diff_file_unload(q->pairs[i]->new);
		if (!ret && !moved)
			ret = drain(o, out, err);
	}
	if (!ret && moved)
		moved_lines_finish(moved, out);
	moved_lines_free(moved);
	return ret ? ret : drain(o, out, err);
}

/* All formats but patches. *separate: an empty line comes before a patch. */
static int format_lists(struct diff_queue *q, const struct diff_options *o, struct strbuf *out, bool *separate,
			struct err *err)
{
	const unsigned lines = DIFF_FORMAT_CHECK | DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_NAME_ONLY;
	const unsigned statistics = DIFF_FORMAT_NUMSTAT | DIFF_FORMAT_STAT | DIFF_FORMAT_SHORTSTAT;
	int ret = 0;

	if (o->formats & (statistics | DIFF_FORMAT_CHECK | DIFF_FORMAT_DIRSTAT | DIFF_FORMAT_PATCH))
		ret = diff_prefetch(q, o, err);
	if (!ret && o->formats & lines) {
		for (size_t i = 0; !ret && i < q->nr; i++) {
			bool hidden = false;

			if (!(o->formats & DIFF_FORMAT_CHECK))
				ret = is_hidden(q->pairs[i], o, &hidden, err);
			if (ret < 0 || hidden)
				continue;
			if (o->formats & DIFF_FORMAT_CHECK)
				ret = add_check(q, i, o, out, err);
			else if (o->formats & DIFF_FORMAT_NAME_ONLY)
				add_name(out, o, q->pairs[i]);
			else
				format_add_raw(out, o, q->pairs[i], o->formats & DIFF_FORMAT_RAW);
		}
		*separate = true;
	}
	if (!ret && o->formats & statistics) {
		ret = add_statistics(q, o, out, err);
		*separate = true;
	}
	if (!ret && o->formats & DIFF_FORMAT_DIRSTAT) {
		ret = diff_add_dirstat(q, o, out, err);
		*separate |= o->dirstat.by_line;
	}
	if (!ret && o->formats & DIFF_FORMAT_SUMMARY) {
		size_t before = out->len;

		add_summary(q, o, out);
		*separate |= out->len > before;
	}
	return ret;
}

/* The pairs, not owned, that are differences. */
static void list_differences(struct diff_queue *out, const struct diff_queue *q)
{
	*out = *q;
	out->nr = out->alloc = 0;
	out->pairs = NULL;
	for (size_t i = 0; i < q->nr; i++)
		if (!q->pairs[i]->header_only)
			diff_queue_push(out, q->pairs[i]);
}

int diff_format(struct diff_queue *q, const struct diff_options *o, struct strbuf *out,
		struct err *err)
{
	struct diff_queue differences;
	bool separate = false;
	int ret = 0;

	if (!q->nr || o->formats & DIFF_FORMAT_NONE)
		return 0;
	list_differences(&differences, q);
	if (differences.nr)
		ret = format_lists(&differences, o, out, &separate, err);
	q->check_failed = differences.check_failed;
	free(differences.pairs);
	if (!ret)
		ret = drain(o, out, err);
	if (!ret && o->formats & DIFF_FORMAT_PATCH) {
		if (separate) {
			add_line_prefix(out, o);
			format_end_line(out, o);
			if (o->patch_separator)
				strbuf_addstr(out, o->patch_separator);
		}
		ret = add_patches(q, o, out, err);
	}
	return ret;
}

/* Must a text be made to know whether the sides differ? Then its being empty, or the program that made it, tells. */
static bool text_decides(const struct diff_pair *p, const struct diff_options *o, bool *by_program)
{
	struct external_diff external;

	*by_program = !p->unmerged && diff_external_of(o, p->old->path, &external);
	if (*by_program)
		return external.trust_exit_code && o->formats & DIFF_FORMAT_NONE;
	return o->ignore || o->ignore_lines;
}

static int pair_differs(struct diff_queue *q, size_t at, const struct diff_options *o, bool *out, struct err *err)
{
	const unsigned counts = DIFF_FORMAT_NUMSTAT | DIFF_FORMAT_STAT | DIFF_FORMAT_SHORTSTAT;
	struct strbuf text = STRBUF_INIT;
	struct diff_pair *p = q->pairs[at];
	bool by_program;
	int rc = 0;

	if (text_decides(p, o, &by_program)) {
		rc = diff_add_patch(q, at, o, NULL, &text, err);
		*out = by_program ? !p->same : text.len > 0;
		diff_file_unload(p->old);
		diff_file_unload(p->new);
	} else {
		*out = !p->same || o->formats & counts; /* which have been shown */
	}
	strbuf_release(&text);
	return rc;
}

int diff_differs(struct diff_queue *q, const struct diff_options *o, bool *out, struct err *err)
{
	struct diff_options silent = *o;
	int rc = o->ignore || o->ignore_lines ? diff_prefetch(q, o, err) : 0;

	silent.drain = NULL;
	*out = false;
	for (size_t i = 0; !rc && !*out && i < q->nr; i++)
		rc = pair_differs(q, i, &silent, out, err);
	return rc;
}
