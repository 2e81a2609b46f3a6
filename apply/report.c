/* SPDX-License-Identifier: GPL-2.0-only */
/* --stat, --numstat and --summary, by what the patch says alone. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "diff/diff.h"
#include "util/quote.h"

#define STAT_NAME_MAX 50
#define STAT_WIDTH 70

static void add_quoted(const struct apply *a, struct strbuf *out, const char *name)
{
	quote_c_style(out, name, strlen(name), a->repo ? a->repo->settings.quote_path : true);
}

/* ---- --stat ---- */

static void add_stat_line(struct apply *a, struct strbuf *out, const struct apply_patch *ap, size_t width, size_t most)
{
	struct strbuf name = STRBUF_INIT;
	size_t max = most, added = ap->p.added, deleted = ap->p.deleted, total;

	add_quoted(a, &name, apply_name(ap));
	if (name.len > width) {
		const char *from = name.buf + name.len + 3 - width, *slash = strchr(from, '/');

		strbuf_remove(&name, 0, (size_t)((slash ? slash : from) - name.buf));
		strbuf_insertstr(&name, 0, "...");
	}
	if (ap->p.is_binary) {
		strbuf_addf(out, " %-*s |  Bin\n", (int)width, name.buf);
		strbuf_release(&name);
		return;
	}
	if (width + max > STAT_WIDTH)
		max = STAT_WIDTH - width;
	if (most) {
		total = ((added + deleted) * max + most / 2) / most;
		added = (added * max + most / 2) / most;
		deleted = total - added;
	}
	strbuf_addf(out, " %-*s |%5zu ", (int)width, name.buf, ap->p.added + ap->p.deleted);
	strbuf_addchars(out, '+', added);
	strbuf_addchars(out, '-', deleted);
	strbuf_addch(out, '\n');
	strbuf_release(&name);
}

static size_t quoted_width(const struct apply *a, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	size_t width;

	if (name)
		add_quoted(a, &out, name);
	width = out.len;
	strbuf_release(&out);
	return width;
}

static void add_stat(struct apply *a, struct strbuf *out)
{
	struct diff_totals totals = { 0 };
	size_t width = 0, most = 0;

	for (size_t i = 0; i < a->nr; i++) {
		const struct file_patch *p = &a->patches[i]->p;
		size_t old = quoted_width(a, p->old_name), new = quoted_width(a, p->new_name);

		width = old > width ? old : width; /* also of a file that is renamed, as in Git */
		width = new > width ? new : width;
		most = p->added + p->deleted > most ? p->added + p->deleted : most;
		totals.files++;
		totals.insertions += p->added;
		totals.deletions += p->deleted;
	}
	if (width > STAT_NAME_MAX)
		width = STAT_NAME_MAX;
	for (size_t i = 0; i < a->nr; i++)
		add_stat_line(a, out, a->patches[i], width, most);
	diff_add_totals(out, &totals);
}

/* ---- --numstat ---- */

static void add_numstat(struct apply *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->nr; i++) {
		const struct apply_patch *ap = a->patches[i];

		if (ap->p.is_binary)
			strbuf_addstr(out, "-\t-\t");
		else
			strbuf_addf(out, "%zu\t%zu\t", ap->p.added, ap->p.deleted);
		if (a->null_term)
			strbuf_addstr(out, apply_name(ap));
		else
			add_quoted(a, out, apply_name(ap));
		strbuf_addch(out, a->null_term ? '\0' : '\n');
	}
}

/* ---- --summary ---- */

static void add_mode_and_name(struct strbuf *out, const char *what, unsigned mode, const char *name)
{
	if (mode)
		strbuf_addf(out, " %s mode %06o %s\n", what, mode, name);
	else
		strbuf_addf(out, " %s %s\n", what, name);
}

static void add_mode_change(struct strbuf *out, const struct file_patch *p, bool with_name)
{
	if (!p->old_mode || !p->new_mode || p->old_mode == p->new_mode)
		return;
	strbuf_addf(out, " mode change %06o => %06o%s%s\n", p->old_mode, p->new_mode, with_name ? " " : "",
		    with_name ? p->new_name : "");
}

static void add_rename(struct strbuf *out, const struct file_patch *p)
{
	const char *old = p->old_name, *new = p->new_name;
	size_t common = 0;

	for (size_t i = 0; old[i] && old[i] == new[i]; i++)
		if (old[i] == '/')
			common = i + 1;
	strbuf_addf(out, " %s ", p->is_rename ? "rename" : "copy");
	if (common)
		strbuf_addf(out, "%.*s{%s => %s}", (int)common, old, old + common, new + common);
	else
		strbuf_addf(out, "%s => %s", old, new);
	strbuf_addf(out, " (%u%%)\n", p->score);
	add_mode_change(out, p, false);
}

static void add_summary(struct apply *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->nr; i++) {
		const struct file_patch *p = &a->patches[i]->p;

		/* As in Git, also where it is only possible. */
		if (p->is_new && p->new_name) {
			add_mode_and_name(out, "create", p->new_mode, p->new_name);
		} else if (p->is_delete && p->old_name) {
			add_mode_and_name(out, "delete", p->old_mode, p->old_name);
		} else if (p->is_rename || p->is_copy) {
			add_rename(out, p);
		} else {
			if (p->score)
				strbuf_addf(out, " rewrite %s (%u%%)\n", p->new_name, p->score);
			add_mode_change(out, p, !p->score);
		}
	}
}

void apply_report(struct apply *a, struct strbuf *out)
{
	if (a->stat)
		add_stat(a, out);
	if (a->numstat)
		add_numstat(a, out);
	if (a->summary)
		add_summary(a, out);
}
