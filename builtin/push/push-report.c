/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/push/push-report.h"
#include "util/alloc.h"

#define WIDTH_LEAST 7

struct printing {
	const struct push_table *t;
	FILE *out;
	int width; /* of summaries */
	bool colors;
	size_t nr; /* lines so far */
};

/* ---- one line ---- */

static const char *pretty(const char *name)
{
	const char *rest;

	if (skip_prefix(name, "refs/heads/", &rest) || skip_prefix(name, "refs/tags/", &rest) ||
	    skip_prefix(name, "refs/remotes/", &rest))
		return rest;
	return name;
}

static void begin_line(struct printing *p)
{
	if (!p->nr++)
		fprintf(p->out, "To %s\n", p->t->url);
}

static void print_line(struct printing *p, char flag, const char *summary, const char *from, const char *to,
		       const char *why)
{
	const char *begin = p->colors ? (flag == '!' ? "\033[31m" : "") : "", *end = *begin ? "\033[m" : "";

	begin_line(p);
	if (p->t->porcelain) {
		fprintf(p->out, "%c\t%s:%s\t%s", flag, from ? from : "", to, summary);
	} else {
		fprintf(p->out, " %s%c %-*s%s ", begin, flag, p->width, summary, end);
		if (from)
			fprintf(p->out, "%s -> %s", pretty(from), pretty(to));
		else
			fputs(pretty(to), p->out);
	}
	if (why)
		fprintf(p->out, " (%s)", why);
	fputc('\n', p->out);
}

/* ---- what has been done ---- */

static const char *new_kind(const char *name)
{
	return starts_with(name, "refs/tags/") ? "[new tag]" : starts_with(name, "refs/heads/") ? "[new branch]"
										  : "[new reference]";
}

static void print_change(struct printing *p, const char *from, const char *to, const struct object_id *old_oid,
			 const struct object_id *new_oid, bool forced)
{
	struct strbuf range = STRBUF_INIT;

	if (oid_is_null(new_oid)) {
		print_line(p, '-', "[deleted]", NULL, to, NULL);
		return;
	}
	if (oid_is_null(old_oid)) {
		print_line(p, '*', new_kind(to), from, to, NULL);
		return;
	}
	odb_abbrev(p->t->r->odb, old_oid, -1, &range);
	strbuf_addstr(&range, forced ? "..." : "..");
	odb_abbrev(p->t->r->odb, new_oid, -1, &range);
	print_line(p, forced ? '+' : ' ', range.buf, from, to, forced ? "forced update" : NULL);
	strbuf_release(&range);
}

static void print_ok(struct printing *p, const struct push_update *u)
{
	if (!u->results.nr)
		print_change(p, u->src, u->dst, &u->old_oid, &u->new_oid, u->forced);
	for (size_t i = 0; i < u->results.nr; i++) {
		const struct push_report *x = &u->results.items[i];

		print_change(p, u->src, x->name ? x->name : u->dst, x->has_old ? &x->old_oid : &u->old_oid,
			     x->has_new ? &x->new_oid : &u->new_oid, x->forced || (!x->name && u->forced));
	}
}

/* ---- what has not ---- */

static void print_refused(struct printing *p, const struct push_update *u)
{
	static const char *const reasons[] = {
		[PUSH_REJECT_NON_FAST_FORWARD] = "non-fast-forward", [PUSH_REJECT_ALREADY_EXISTS] = "already exists",
		[PUSH_REJECT_FETCH_FIRST] = "fetch first", [PUSH_REJECT_NEEDS_FORCE] = "needs force",
		[PUSH_REJECT_STALE] = "stale info", [PUSH_REJECT_REMOTE_UPDATED] = "remote ref updated since checkout",
		[PUSH_REJECT_NO_DELETE] = "remote does not support deleting refs",
		[PUSH_REJECT_SHALLOW] = "new shallow roots not allowed", [PUSH_ATOMIC_FAILED] = "atomic push failed",
	};
	bool deletes = oid_is_null(&u->new_oid);

	switch (u->status) {
	case PUSH_REMOTE_REJECT:
		print_line(p, '!', "[remote rejected]", deletes ? NULL : u->src, u->dst, u->message);
		break;
	case PUSH_EXPECTING_REPORT:
		print_line(p, '!', "[remote failure]", deletes ? NULL : u->src, u->dst, "remote failed to report status");
		break;
	case PUSH_REJECT_NO_DELETE:
		print_line(p, '!', "[rejected]", NULL, u->dst, reasons[u->status]);
		break;
	default:
		print_line(p, '!', "[rejected]", u->src, u->dst, reasons[u->status]);
	}
}

/* Git's numbers of the reasons. */
void push_tell_atomic(const struct push_list *l)
{
	static const int numbers[] = {
		[PUSH_REJECT_NON_FAST_FORWARD] = 2, [PUSH_REJECT_ALREADY_EXISTS] = 3, [PUSH_REJECT_NO_DELETE] = 4,
		[PUSH_REJECT_FETCH_FIRST] = 5, [PUSH_REJECT_NEEDS_FORCE] = 6, [PUSH_REJECT_STALE] = 7,
		[PUSH_REJECT_SHALLOW] = 8, [PUSH_REJECT_REMOTE_UPDATED] = 9,
	};

	for (size_t i = 0; i < l->nr; i++) {
		enum push_status status = l->items[i].status;

		if (status >= ARRAY_SIZE(numbers) || !numbers[status])
			continue;
		error("atomic push failed for ref %s. status: %d", l->items[i].dst, numbers[status]);
		return;
	}
}

/* ---- all of them ---- */

static void measure(struct printing *p, const struct object_id *oid)
{
	struct strbuf text = STRBUF_INIT;

	if (!oid_is_null(oid))
		odb_abbrev(p->t->r->odb, oid, -1, &text);
	if (2 * (int)text.len + 3 > p->width)
		p->width = 2 * (int)text.len + 3;
	strbuf_release(&text);
}

void push_table_print(const struct push_table *t, const struct push_list *l)
{
	struct printing p = { .t = t, .out = t->porcelain ? stdout : stderr, .width = 2 * WIDTH_LEAST + 3,
			      .colors = want_color(t->r, "color.transport", 2) };

	for (size_t i = 0; i < l->nr; i++) {
		measure(&p, &l->items[i].old_oid);
		measure(&p, &l->items[i].new_oid);
	}
	for (size_t i = 0; i < l->nr && (t->verbose || t->porcelain); i++)
		if (l->items[i].status == PUSH_UP_TO_DATE)
			print_line(&p, '=', "[up to date]", l->items[i].src, l->items[i].dst, NULL);
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status == PUSH_OK)
			print_ok(&p, &l->items[i]);
	for (size_t i = 0; i < l->nr; i++)
		if (push_update_is_refused(&l->items[i]))
			print_refused(&p, &l->items[i]);
}

bool push_has_errors(const struct push_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (push_update_is_refused(&l->items[i]))
			return true;
	return false;
}
