/* SPDX-License-Identifier: GPL-2.0-only */
/* One commit of git log: separator, header, message, diff. */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "util/alloc.h"

static const char *paint(const struct log_options *o, const char *color)
{
	return o->color ? color : "";
}

/* A format that shows nothing is no header either. */
static bool is_silent(const struct log_options *o)
{
	return o->pretty.kind == PRETTY_USER && !*o->pretty.user_format;
}

/* Does each entry end in a line end of its own, or do they stand between entries? */
static bool has_terminator(const struct log_options *o)
{
	return o->pretty.kind == PRETTY_ONELINE ||
	       (o->pretty.kind == PRETTY_USER && o->pretty.terminator);
}

/* ---- the line above ---- */

void log_add_hash(struct log_options *o, const struct object_id *oid)
{
	if (o->abbrev_commit && o->pretty.abbrev)
		odb_abbrev(o->repo->odb, oid, o->pretty.abbrev, &o->text);
	else
		strbuf_add_oid(&o->text, oid);
}

static void add_decorations(struct log_options *o, const struct commit *c)
{
	static const struct decoration_text text = DECORATION_TEXT_INIT;
	const char *source;

	if (o->walk->source && (source = rev_source(o->walk, c)))
		strbuf_addf(&o->text, "\t%s", source);
	if (o->decorate != DECORATE_NO)
		decorations_format(&o->text, o->pretty.decorations, &c->oid, &text,
				   o->decorate == DECORATE_FULL,
				   o->color ? &o->pretty.decorate_colors : NULL,
				   o->pretty.commit_color);
}

/* As a mailbox has it. The date is the one by which file(1) and others know such a file. */
static void add_mailbox_line(struct log_options *o, const struct commit *c)
{
	strbuf_addstr(&o->text, "From ");
	if (o->zero_ids)
		strbuf_addchars(&o->text, '0', o->repo->algo->hex_len);
	else
		strbuf_add_oid(&o->text, &c->oid);
	strbuf_addstr(&o->text, " Mon Sep 17 00:00:00 2001\n");
	if (o->mail_headers)
		strbuf_addstr(&o->text, o->mail_headers);
}

static void add_commit_line(struct log_options *o, const struct commit *c,
			    const struct commit *from)
{
	bool oneline = o->pretty.kind == PRETTY_ONELINE;
	const struct commit_list *children = rev_children(o->walk, c);
	char mark = rev_mark(o->walk, c);
	size_t i;

	if (pretty_is_email(&o->pretty)) {
		add_mailbox_line(o, c);
		return;
	}
	strbuf_addstr(&o->text, paint(o, o->pretty.commit_color));
	if (!oneline)
		strbuf_addstr(&o->text, "commit ");
	if (mark && !o->graph)
		strbuf_addf(&o->text, "%c ", mark);
	log_add_hash(o, &c->oid);
	for (i = 0; o->walk->print_parents && i < c->nr_parents; i++) {
		strbuf_addch(&o->text, ' ');
		log_add_hash(o, &c->parents[i]->oid);
	}
	for (i = 0; children && i < children->nr; i++) {
		strbuf_addch(&o->text, ' ');
		log_add_hash(o, &children->items[i]->oid);
	}
	if (from) {
		strbuf_addstr(&o->text, " (from ");
		log_add_hash(o, &from->oid);
		strbuf_addch(&o->text, ')');
	}
	strbuf_addstr(&o->text, paint(o, COLOR_RESET));
	add_decorations(o, c);
	strbuf_addch(&o->text, oneline ? ' ' : '\n');
}

/* Adds the reflog entry, with -g. True: it replaces the message. */
static bool add_reflog(struct log_options *o)
{
	struct rev_reflog_info info;

	if (pretty_is_email(&o->pretty) || !rev_reflog_info(o->walk, &info))
		return false;
	if (o->pretty.kind == PRETTY_ONELINE) {
		pretty_reflog_selector(&o->pretty, &o->text, false);
		strbuf_addf(&o->text, ": %s", info.msg);
		return true;
	}
	strbuf_addstr(&o->text, "Reflog: ");
	pretty_reflog_selector(&o->pretty, &o->text, false);
	strbuf_addf(&o->text, " (%s)\nReflog message: %s\n", info.ident, info.msg);
	return false;
}

/* ---- beside the graph ---- */

bool log_add_row(struct log_options *o)
{
	strbuf_addstr(&o->text, o->line_prefix);
	return o->graph && graph_next_row(o->graph, &o->text);
}

void log_add_padding(struct log_options *o)
{
	strbuf_addstr(&o->text, o->line_prefix);
	if (o->graph)
		graph_padding(o->graph, &o->text);
}

void log_add_rows_above(struct log_options *o)
{
	if (!o->graph)
		log_add_row(o);
	else if (!graph_has_rows(o->graph))
		log_add_padding(o); /* a second header (-m) */
	else
		while (!log_add_row(o))
			strbuf_addch(&o->text, '\n');
}

void log_add_text_beside_graph(struct log_options *o, const struct strbuf *text)
{
	const char *s = text->buf, *end = s + text->len, *eol;
	bool terminated = text->len && end[-1] == '\n';

	for (; s < end; s = eol + 1) {
		eol = memchr(s, '\n', end - s);
		if (!eol) {
			strbuf_add(&o->text, s, end - s);
			break;
		}
		strbuf_add(&o->text, s, eol + 1 - s);
		if (eol + 1 < end)
			log_add_row(o);
	}
	if (!o->graph || !graph_has_rows(o->graph))
		return;
	if (!terminated)
		strbuf_addch(&o->text, '\n');
	for (;;) {
		log_add_row(o);
		if (!graph_has_rows(o->graph))
			break;
		strbuf_addch(&o->text, '\n');
	}
	if (terminated)
		strbuf_addch(&o->text, '\n');
}

/* The parents that lines are drawn to. */
int log_begin_graph(struct log_options *o, struct commit *c, struct err *err)
{
	struct commit **parents;
	char mark = rev_mark(o->walk, c);
	size_t nr = 0;
	uint32_t i;
	int rc = 0;

	if (!o->graph)
		return 0;
	ALLOC_ARRAY(parents, c->nr_parents + 1);
	for (i = 0; rc >= 0 && i < c->nr_parents; i++) {
		rc = rev_will_show(o->walk, c->parents[i], err);
		if (rc > 0)
			parents[nr++] = c->parents[i];
		if (o->walk->first_parent)
			break;
	}
	free(o->graph_parents);
	o->graph_parents = parents;
	if (rc >= 0)
		graph_begin_commit(o->graph, c, parents, nr,
				   mark == '-' ? 'o' : mark && mark != '+' ? mark : '*');
	return rc < 0 ? rc : 0;
}

/* Each line is followed by a row of the graph. */
static int add_signatures(struct log_options *o, struct commit *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *line, *end;
	int rc = log_add_signatures(o, c, &text, err);

	for (line = text.buf; !rc && *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		strbuf_add(&o->text, line, end - line);
		log_add_row(o);
	}
	strbuf_release(&text);
	return rc;
}

/* ---- all of the header ---- */

/* The name of the commit; with --parents, those of its parents. */
static int add_id(struct log_options *o, const struct commit *c)
{
	log_add_rows_above(o);
	log_add_hash(o, &c->oid);
	for (uint32_t i = 0; o->walk->print_parents && i < c->nr_parents; i++) {
		strbuf_addch(&o->text, ' ');
		log_add_hash(o, &c->parents[i]->oid);
	}
	strbuf_addch(&o->text, o->line_end);
	return 0;
}

static int add_header(struct log_options *o, struct commit *c, const struct commit *from,
		      struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	bool user = o->pretty.kind == PRETTY_USER, skip_message = false;
	int rc = 0;

	if (o->ids_only)
		return add_id(o, c);
	if (o->shown_one && !has_terminator(o)) {
		if (o->line_end == '\n' && !o->open_line)
			log_add_padding(o);
		strbuf_addch(&o->text, o->line_end);
	}
	o->shown_one = true;
	log_add_rows_above(o);
	if (!user) {
		add_commit_line(o, c, from);
		if (o->pretty.kind != PRETTY_ONELINE)
			log_add_row(o);
		skip_message = add_reflog(o);
	}
	if (!skip_message && o->show_signature)
		rc = add_signatures(o, c, err);
	if (!rc && !skip_message)
		rc = pretty_commit(&o->pretty, o->walk->pool, c, &message, err);
	if (!rc && o->log_size) {
		strbuf_addf(&o->text, "log size %zu\n", message.len);
		log_add_row(o);
	}
	o->open_line = !message.len || message.buf[message.len - 1] != '\n';
	log_add_text_beside_graph(o, &message);
	if (has_terminator(o) && !is_silent(o)) {
		if (!o->open_line)
			log_add_padding(o);
		strbuf_addch(&o->text, o->line_end);
	}
	strbuf_release(&message);
	return rc;
}

/* ---- the diff ---- */

static int add_header_of_diff(struct log_options *o, struct commit *c, const struct commit *from, bool *added,
			      struct err *err)
{
	*added = true;
	return o->no_header ? 0 : add_header(o, c, from, err);
}

/* What stands in front of each line of a diff. */
static void set_line_prefix(struct log_options *o)
{
	strbuf_reset(&o->graph_prefix);
	strbuf_addstr(&o->graph_prefix, o->line_prefix);
	if (o->graph)
		graph_padding(o->graph, &o->graph_prefix);
	o->diff.line_prefix = o->graph_prefix.buf;
}

/* Between message and diff. */
static void add_gap(struct log_options *o)
{
	const unsigned both = DIFF_FORMAT_STAT | DIFF_FORMAT_PATCH;

	set_line_prefix(o);
	if (o->pretty.kind == PRETTY_ONELINE || is_silent(o) || o->ids_only || o->no_header)
		return;
	strbuf_addbuf(&o->text, &o->graph_prefix);
	if ((o->diff.formats & both) == both && !o->pretty.email_has_dashes)
		strbuf_addstr(&o->text, "---");
	strbuf_addch(&o->text, '\n');
}

static void set_drain(struct log_options *o)
{
	o->diff.drain = o->emit ? o->emit : print_and_clear;
	o->diff.drain_data = o->emit_data;
}

static bool shows_diffs(const struct log_options *o)
{
	return o->diff.formats && o->diff.formats != DIFF_FORMAT_NONE;
}

int log_note_differences(struct log_options *o, struct diff_queue *q, struct err *err)
{
	bool any = false;
	int rc;

	if (!o->diff.exit_code || o->has_differences)
		return 0;
	rc = diff_differs(q, &o->diff, &any, err);
	o->has_differences |= any;
	return rc;
}

/* What there is in the queue, which is cleared. *header: it has been shown. */
static int show_queue(struct log_options *o, struct commit *c, struct diff_queue *q,
		      const struct commit *from, bool *header, struct err *err)
{
	int rc = 0;

	if (q->nr) {
		rc = add_header_of_diff(o, c, from, header, err);
		if (!rc && shows_diffs(o)) {
			add_gap(o);
			set_drain(o);
			rc = diff_format(q, &o->diff, &o->text, err);
			o->check_failed |= q->check_failed;
		}
	}
	if (!rc)
		rc = log_note_differences(o, q, err);
	diff_queue_clear(q);
	return rc;
}

static int show_diff(struct log_options *o, struct commit *c, const struct object_id *old_tree,
		     const struct commit *from, bool *header, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc;

	if (o->follow_path)
		rc = diff_follow(&q, &o->diff, old_tree, &c->tree, &o->follow_path, err);
	else
		rc = diff_trees(&q, &o->diff, old_tree, &c->tree, err);
	if (!rc && !o->follow_path)
		rc = diff_process(&q, &o->diff, err);
	if (!rc)
		return show_queue(o, c, &q, from, header, err);
	diff_queue_clear(&q);
	return rc;
}

static int show_lines(struct log_options *o, struct commit *c, bool *header, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc = log_lines_changes(o, c, &q, err);

	if (!rc)
		return show_queue(o, c, &q, NULL, header, err);
	diff_queue_clear(&q);
	return rc;
}

/* ---- merges with all parents at once ---- */

static void end_line(struct log_options *o)
{
	strbuf_addbuf(&o->text, &o->graph_prefix);
	strbuf_addch(&o->text, o->line_end);
}

static int show_combined(struct log_options *o, struct commit *c, bool *header, struct err *err)
{
	struct diff_combined_list list = DIFF_COMBINED_LIST_INIT;
	struct diff_queue first = DIFF_QUEUE_INIT;
	struct object_id *trees = xcalloc(c->nr_parents, sizeof(*trees));
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->nr_parents; i++) {
		rc = commit_parse_node(o->walk->pool, c->parents[i], err);
		trees[i] = c->parents[i]->tree;
	}
	if (!rc)
		rc = diff_trees_combined(&list, &first, &o->diff, &c->tree, trees, c->nr_parents, err);
	o->has_differences |= list.nr != 0;
	if (!rc) { /* also if -S and the like leave nothing of it */
		rc = add_header_of_diff(o, c, NULL, header, err);
		set_line_prefix(o);
		if (!rc && shows_diffs(o) && !is_silent(o) && !o->ids_only && !o->no_header)
			end_line(o);
	}
	if (!rc && *header && shows_diffs(o)) {
		set_drain(o);
		rc = diff_format_merge(&list, &first, &o->diff, &o->text, err);
	}
	diff_combined_clear(&list);
	diff_queue_clear(&first);
	free(trees);
	return rc;
}

/* ---- merges made again ---- */

static int skip_octopus(struct log_options *o, struct commit *c, bool *header, struct err *err)
{
	int rc = add_header_of_diff(o, c, NULL, header, err);

	strbuf_addstr(&o->text, "diff: warning: Skipping remerge-diff for octopus merges.\n");
	return rc;
}

static int show_remerge(struct log_options *o, struct commit *c, bool *header, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct log_remerge *g;
	int rc;

	if (c->nr_parents > 2)
		return skip_octopus(o, c, header, err);
	rc = log_remerge_begin(&g, o, c, &q, err);
	if (!rc)
		rc = show_queue(o, c, &q, NULL, header, err);
	log_remerge_end(g);
	diff_queue_clear(&q);
	return rc;
}

static int show_diffs(struct log_options *o, struct commit *c, bool *header, struct err *err)
{
	uint32_t nr = c->nr_parents, i;
	int rc = 0;

	if (!o->diff_asked && (nr < 2 || !o->merges_need_diff))
		return 0;
	if (!nr)
		return o->show_root ? show_diff(o, c, NULL, NULL, header, err) : 0;
	if (nr > 1 && o->merge_diff == MERGE_DIFF_OFF)
		return 0;
	if (nr > 1 && o->merge_diff == MERGE_DIFF_REMERGE)
		return show_remerge(o, c, header, err);
	if (nr > 1 && o->merge_diff == MERGE_DIFF_COMBINED)
		return show_combined(o, c, header, err);
	if (o->merge_diff == MERGE_DIFF_FIRST)
		nr = 1;
	for (i = 0; !rc && i < nr; i++) {
		struct commit *p = c->parents[i];

		rc = commit_parse_node(o->walk->pool, p, err);
		if (!rc)
			rc = show_diff(o, c, &p->tree, nr > 1 ? p : NULL, header, err);
	}
	return rc;
}

int log_show_commit(struct log_options *o, struct commit *c, struct err *err)
{
	bool header = false;
	int rc;

	strbuf_reset(&o->text);
	rc = log_begin_graph(o, c, err);
	if (!rc)
		rc = o->lines ? show_lines(o, c, &header, err) : show_diffs(o, c, &header, err);
	if (!rc && !header && !log_diff_decides(o) && !o->only_changes)
		rc = add_header(o, c, NULL, err);
	if (!rc)
		rc = (o->emit ? o->emit : print_and_clear)(o->emit_data, &o->text, err);
	return rc ? rc : header || !(log_diff_decides(o) || o->only_changes);
}
