/* SPDX-License-Identifier: GPL-2.0-only */
/* One commit of git rev-list, or what it adds to counts and sums. */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "util/alloc.h"

/* ---- counts and sums ---- */

int rev_list_note_object(struct rev_list *l, const struct object_id *oid, struct err *err)
{
	struct object_info info;

	progress_update(l->progress, ++l->progress_count);
	if (!l->disk_usage)
		return 0;
	if (odb_info_unreplaced(l->walk->repo->odb, oid, &info, err) < 0)
		return ERR_NOT_FOUND;
	l->disk_bytes += info.disk_size;
	return 0;
}

static void count_commit(struct rev_list *l, const struct commit *c)
{
	if (c->flags & REV_PATCH_SAME)
		l->nr_same++;
	else if (c->flags & REV_LEFT)
		l->nr_left++;
	else
		l->nr_right++;
}

static void print_counts(const struct rev_list *l)
{
	uint64_t left = l->nr_left, right = l->nr_right;

	if (l->walk->left_right && l->walk->cherry_mark)
		printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", left, right, l->nr_same);
	else if (l->walk->left_right)
		printf("%" PRIu64 "\t%" PRIu64 "\n", left, right);
	else if (l->walk->cherry_mark)
		printf("%" PRIu64 "\t%" PRIu64 "\n", left + right, l->nr_same);
	else
		printf("%" PRIu64 "\n", left + right + l->nr_objects);
}

void rev_list_print_sums(struct rev_list *l)
{
	struct strbuf text = STRBUF_INIT;

	if (l->count)
		print_counts(l);
	if (l->disk_usage && l->human)
		strbuf_humanise_bytes(&text, l->disk_bytes);
	else if (l->disk_usage)
		strbuf_addf(&text, "%" PRIu64, l->disk_bytes);
	if (l->disk_usage)
		printf("%s\n", text.buf);
	strbuf_release(&text);
}

/* ---- the line with its name ---- */

static void add_oids(struct strbuf *out, struct commit *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		strbuf_addch(out, ' ');
		strbuf_add_oid(out, &list[i]->oid);
	}
}

static bool has_header(const struct rev_list *l)
{
	return l->commit_header || l->log.pretty.kind != PRETTY_USER || !l->log.format_given;
}

/* --bisect-all: " (tag: v1, dist=3)" */
static void add_distance(struct rev_list *l, const struct commit *c)
{
	static const struct decoration_text text = { "", ", ", ", ", " -> ", "tag: " };
	const struct bisection *b = &l->bisection;
	size_t i = b->shown < b->best.nr && b->best.items[b->shown] == c ? b->shown : 0;

	while (i < b->best.nr && b->best.items[i] != c)
		i++;
	if (i == b->best.nr) {
		static const struct decoration_text alone = DECORATION_TEXT_INIT;

		decorations_format(&l->log.text, l->log.pretty.decorations, &c->oid, &alone, false,
				   NULL, "");
		return;
	}
	l->bisection.shown = i + 1;
	strbuf_addstr(&l->log.text, " (");
	decorations_format(&l->log.text, l->log.pretty.decorations, &c->oid, &text, false, NULL, "");
	strbuf_addf(&l->log.text, "dist=%zu)", b->distances[i]);
}

static void add_name(struct rev_list *l, const struct commit *c)
{
	struct log_options *o = &l->log;
	const struct commit_list *children = rev_children(l->walk, c);
	bool oneline = o->format_given && o->pretty.kind == PRETTY_ONELINE;
	char mark = rev_mark(l->walk, c);

	if (l->timestamp)
		strbuf_addf(&o->text, "%" PRIuMAX " ", (uintmax_t)c->date);
	if (o->format_given && !oneline && has_header(l))
		strbuf_addstr(&o->text, "commit ");
	if (has_header(l)) {
		if (mark && !o->graph && !l->nul)
			strbuf_addch(&o->text, mark);
		log_add_hash(o, &c->oid);
	}
	if (l->walk->print_parents)
		add_oids(&o->text, c->parents, c->nr_parents);
	if (children)
		add_oids(&o->text, children->items, children->nr);
	if (l->bisect & BISECT_ALL)
		add_distance(l, c);
	if (oneline)
		strbuf_addch(&o->text, ' ');
	else if (has_header(l))
		strbuf_addch(&o->text, l->nul ? '\0' : '\n');
	if (l->nul && mark == '-')
		strbuf_add(&o->text, "boundary=yes", strlen("boundary=yes") + 1);
}

/* ---- all of it ---- */

/* What the graph has left of this commit. */
static void add_rows_below(struct log_options *o)
{
	while (o->graph && graph_has_rows(o->graph)) {
		log_add_row(o);
		strbuf_addch(&o->text, '\n');
	}
}

static int add_message(struct rev_list *l, struct commit *c, struct err *err)
{
	struct log_options *o = &l->log;
	struct strbuf message = STRBUF_INIT;
	bool oneline = o->format_given && o->pretty.kind == PRETTY_ONELINE;
	int rc = pretty_commit(&o->pretty, l->walk->pool, c, &message, err);

	if (!rc && message.len) {
		if (!oneline && has_header(l))
			log_add_row(o);
		log_add_text_beside_graph(o, &message);
		if (message.buf[message.len - 1] == '\n')
			log_add_padding(o);
		strbuf_addch(&o->text, l->header && !o->format_given ? '\0' : '\n');
	} else if (!rc) {
		add_rows_below(o);
		if (oneline)
			strbuf_addch(&o->text, '\n');
	}
	strbuf_release(&message);
	return rc;
}

int rev_list_show_commit(struct rev_list *l, struct commit *c, struct err *err)
{
	struct log_options *o = &l->log;
	int rc = rev_list_note_object(l, &c->oid, err);

	if (rc < 0 || l->quiet || l->disk_usage)
		return rc;
	if (l->count) {
		count_commit(l, c);
		return 0;
	}
	strbuf_reset(&o->text);
	rc = log_begin_graph(o, c, err);
	if (rc < 0)
		return rc;
	log_add_rows_above(o);
	add_name(l, c);
	if (o->format_given || l->header)
		rc = add_message(l, c, err);
	else
		add_rows_below(o);
	if (!rc && fwrite(o->text.buf, 1, o->text.len, stdout) != o->text.len)
		rc = err_set_errno(err, "cannot write to standard output");
	return rc;
}
