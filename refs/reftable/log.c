/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading reflogs: entries of one ref are neighbours, the newest first. */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/reftable/reftable-internal.h"
#include "util/alloc.h"

/* A log without entries is there by one that has no ids: reflog_append and Git write it. */
static bool marks_existence(const struct ref_store *rs, const struct log_record *r)
{
	return !memcmp(r->old_oid, rs->algo->null_oid.hash, rs->algo->raw_len) &&
	       !memcmp(r->new_oid, rs->algo->null_oid.hash, rs->algo->raw_len);
}

static int seek_log(struct merged_iter *m, const char *name, struct err *err)
{
	/* The NUL is part of the key: only entries of that name begin so. */
	return merged_iter_seek(m, name, strlen(name) + 1, err);
}

static bool is_of(const struct reftable_record *rec, const char *name)
{
	return !strcmp(rec->key.buf, name);
}

bool reftable_log_exists(const struct reftable_stack *s, const char *name)
{
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	bool yes;

	merged_iter_start(&m, BLOCK_LOG, s->tables, s->nr);
	yes = !seek_log(&m, name, NULL) && merged_iter_next(&m, &rec, NULL) > 0 && is_of(rec, name);
	merged_iter_release(&m);
	return yes;
}

bool reftable_reflog_exists(struct ref_store *rs, const char *name)
{
	struct reftable_stack *s;
	const char *bare;

	return !reftable_fresh_stack_of(&s, rs, name, &bare, NULL) && reftable_log_exists(s, bare);
}

/* ---- one log ---- */

struct log_reading {
	struct ref_store *rs;
	struct strbuf ident, msg;
	struct log_entries *kept; /* NULL: none */
	bool found, marked;
};

/* A damaged table may have anything in a text. One that is read is a line, and a string. */
static void add_line_text(struct strbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len && p[i]; i++)
		strbuf_addch(out, p[i] == '\n' ? ' ' : p[i]);
}

/* Without the end of the line. */
static size_t line_len(const char *p, size_t len)
{
	if (!len || p[len - 1] != '\n')
		return len;
	len--;
	return len && p[len - 1] == '\r' ? len - 1 : len;
}

static void take_entry(struct log_reading *l, const struct log_record *r, struct reflog_entry *e)
{
	oid_from_raw(&e->old_oid, r->old_oid, l->rs->algo);
	oid_from_raw(&e->new_oid, r->new_oid, l->rs->algo);
	strbuf_reset(&l->ident);
	add_line_text(&l->ident, r->name, r->name_len);
	strbuf_addstr(&l->ident, " <");
	add_line_text(&l->ident, r->mail, r->mail_len);
	strbuf_addch(&l->ident, '>');
	strbuf_reset(&l->msg);
	add_line_text(&l->msg, r->msg, line_len(r->msg, r->msg_len));
	e->ident = l->ident.buf;
	e->msg = l->msg.buf;
	e->date = r->date;
	e->tz = r->tz;
}

static void keep_entry(struct log_entries *out, const struct reflog_entry *e, uint64_t index)
{
	struct log_entry *k;

	ALLOC_GROW(out->items, out->nr + 1, out->alloc);
	k = &out->items[out->nr++];
	*k = (struct log_entry){ .e = *e, .index = index };
	k->e.ident = k->ident = xstrdup(e->ident);
	k->e.msg = k->msg = xstrdup(e->msg);
}

void log_entries_release(struct log_entries *l)
{
	while (l->nr) {
		struct log_entry *k = &l->items[--l->nr];

		free(k->ident);
		free(k->msg);
	}
	FREE_AND_NULL(l->items);
	l->alloc = 0;
}

static int visit_entry(struct log_reading *l, const struct reftable_record *rec, reflog_fn fn, void *data)
{
	struct reflog_entry e;
	size_t name_len;
	uint64_t index;

	l->found = true;
	if (marks_existence(l->rs, &rec->log)) {
		l->marked = true;
		return 0;
	}
	if (!log_key_parse(&rec->key, &name_len, &index))
		return 0;
	take_entry(l, &rec->log, &e);
	if (!l->kept)
		return fn(data, &e);
	keep_entry(l->kept, &e, index);
	return 0;
}

static int read_entries(struct log_reading *l, const struct reftable_stack *s, const char *name, reflog_fn fn, void *data,
			struct err *err)
{
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	int rc;

	merged_iter_start(&m, BLOCK_LOG, s->tables, s->nr);
	rc = seek_log(&m, name, err);
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		if (!is_of(rec, name)) {
			rc = 0;
			break;
		}
		rc = visit_entry(l, rec, fn, data);
	}
	merged_iter_release(&m);
	strbuf_release(&l->ident);
	strbuf_release(&l->msg);
	if (!rc && !l->found)
		rc = err_set(err, ERR_NOT_FOUND, "no reflog for '%s'", name);
	return rc;
}

int reftable_log_read(struct ref_store *rs, const struct reftable_stack *s, const char *name, struct log_entries *out,
		      struct err *err)
{
	struct log_reading l = { .rs = rs, .ident = STRBUF_INIT, .msg = STRBUF_INIT, .kept = out };
	int rc = read_entries(&l, s, name, NULL, NULL, err);

	for (size_t i = 0; i < out->nr / 2; i++) {
		struct log_entry newer = out->items[i];

		out->items[i] = out->items[out->nr - 1 - i];
		out->items[out->nr - 1 - i] = newer;
	}
	out->is_marked = l.marked;
	return rc;
}

static int visit_oldest_first(struct ref_store *rs, const struct reftable_stack *s, const char *name, reflog_fn fn, void *data,
			      struct err *err)
{
	struct log_entries all = LOG_ENTRIES_INIT;
	int rc = reftable_log_read(rs, s, name, &all, err);

	for (size_t i = 0; !rc && i < all.nr; i++)
		rc = fn(data, &all.items[i].e);
	log_entries_release(&all);
	return rc;
}

int reftable_reflog_foreach(struct ref_store *rs, const char *name, bool newest_first, reflog_fn fn, void *data,
			    struct err *err)
{
	struct log_reading l = { .rs = rs, .ident = STRBUF_INIT, .msg = STRBUF_INIT };
	struct reftable_stack *s;
	const char *bare;
	int rc = reftable_fresh_stack_of(&s, rs, name, &bare, err);

	if (rc < 0)
		return rc;
	return newest_first ? read_entries(&l, s, bare, fn, data, err) : visit_oldest_first(rs, s, bare, fn, data, err);
}

/* ---- which refs have one ---- */

enum which_logs { LOGS_ALL, LOGS_SHARED, LOGS_PRIVATE };

/* The entries of one name are passed over one by one; beyond so many, by a look at the index. */
#define ENTRIES_BY_STEPS 64

static int skip_log(struct merged_iter *m, const struct strbuf *name, struct err *err)
{
	struct strbuf behind = STRBUF_INIT;
	int rc;

	strbuf_add(&behind, name->buf, name->len);
	strbuf_addch(&behind, 1); /* where the NUL of the key is */
	rc = merged_iter_seek(m, behind.buf, behind.len, err);
	strbuf_release(&behind);
	return rc;
}

static int collect_logs(struct reftable_stack *s, enum which_logs which, const char *prefix, struct string_list *out,
			struct err *err)
{
	struct merged_iter m = MERGED_ITER_INIT;
	struct strbuf last = STRBUF_INIT;
	const struct reftable_record *rec;
	size_t steps = 0;
	int rc = reftable_stack_reload(s, err);

	merged_iter_start(&m, BLOCK_LOG, s->tables, s->nr);
	if (!rc)
		rc = merged_iter_seek(&m, NULL, 0, err);
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		rc = 0;
		if (steps && is_of(rec, last.buf)) {
			if (++steps > ENTRIES_BY_STEPS)
				rc = skip_log(&m, &last, err);
			continue;
		}
		steps = 1;
		strbuf_reset(&last);
		strbuf_addstr(&last, rec->key.buf);
		if (which == LOGS_ALL || refname_is_per_worktree(last.buf) == (which == LOGS_PRIVATE)) {
			char *name = xconcat(prefix, last.buf);

			string_list_append(out, name);
			free(name);
		}
	}
	merged_iter_release(&m);
	strbuf_release(&last);
	return rc;
}

static int collect_of_worktree(struct reftable_store *st, const char *id, struct string_list *out, struct err *err)
{
	char *name = xstrfmt("worktrees/%s/HEAD", id), *prefix = xstrfmt("worktrees/%s/", id);
	const char *bare;
	struct reftable_stack *s = reftable_stack_of(&st->base, name, &bare);
	int rc = s == st->own ? 0 : collect_logs(s, LOGS_PRIVATE, prefix, out, err);

	free(name);
	free(prefix);
	return rc;
}

static int collect_elsewhere(struct reftable_store *st, struct string_list *out, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(st->commondir, &ids, err);

	if (!rc && st->own != st->shared)
		rc = collect_logs(st->shared, LOGS_PRIVATE, "main-worktree/", out, err);
	for (size_t i = 0; !rc && i < ids.nr; i++)
		rc = collect_of_worktree(st, ids.items[i].string, out, err);
	string_list_clear(&ids, NULL);
	return rc;
}

int reftable_reflogs_foreach(struct ref_store *rs, bool everywhere, int (*fn)(void *data, const char *name),
			     void *data, struct err *err)
{
	struct reftable_store *st = reftable_store(rs);
	struct string_list names = STRING_LIST_INIT;
	bool is_main = st->own == st->shared;
	int rc = collect_logs(st->shared, is_main ? LOGS_ALL : LOGS_SHARED, "", &names, err);

	if (!rc && !is_main)
		rc = collect_logs(st->own, LOGS_PRIVATE, "", &names, err);
	if (!rc && everywhere)
		rc = collect_elsewhere(st, &names, err);
	string_list_sort(&names);
	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = fn(data, names.items[i].string);
	string_list_clear(&names, NULL);
	return rc;
}
