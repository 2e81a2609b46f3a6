/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --walk-reflogs: the entries of reflogs instead of the ancestry, the youngest first. The
 * entries of several logs are merged by date.
 */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"
#include "history/names/revparse.h"

struct entry {
	struct object_id oid;
	char *ident, *msg;
	timestamp_t date;
	int tz;
};

struct log {
	char *ref, *full_ref;
	struct entry *entries; /* newest first */
	size_t nr, alloc, next;
	bool by_date;
};

struct rev_reflog {
	struct log *logs;
	size_t nr;
	struct log *current;
};

void rev_reflog_free(struct rev_walk *w)
{
	size_t i, j;

	for (i = 0; w->reflog && i < w->reflog->nr; i++) {
		struct log *log = &w->reflog->logs[i];

		for (j = 0; j < log->nr; j++) {
			free(log->entries[j].ident);
			free(log->entries[j].msg);
		}
		free(log->entries);
		free(log->ref);
		free(log->full_ref);
	}
	if (w->reflog)
		free(w->reflog->logs);
	FREE_AND_NULL(w->reflog);
}

static int add_entry(void *data, const struct reflog_entry *e)
{
	struct log *log = data;
	struct entry *to;

	ALLOC_GROW(log->entries, log->nr + 1, log->alloc);
	to = &log->entries[log->nr++];
	to->oid = e->new_oid;
	to->ident = xstrdup(e->ident);
	to->msg = xstrdup(e->msg);
	to->date = e->date;
	to->tz = e->tz;
	return 0;
}

/* The name that "@{-1}", "main@{u}" and the like stand for; false: no such name. */
static bool expand_name(struct rev_walk *w, const char *name, size_t len, char **out)
{
	struct strbuf expanded = STRBUF_INIT;
	int used = revparse_branch_name(w->repo, name, len, &expanded, NULL);

	if (used > 0)
		*out = ref_shorten(w->repo->refs, expanded.buf, false);
	strbuf_release(&expanded);
	return used > 0;
}

/*
 * "main@{2}", "main@{yesterday}", "topic@{u}@{2}": the log's name, and where to begin (the
 * caller frees both); "main@{u}" is a name as a whole: *place is NULL.
 */
static char *split_place(struct rev_walk *w, const char *name, char **place)
{
	char *whole, *base;
	size_t at;

	if (!expand_name(w, name, strlen(name), &whole))
		whole = xstrdup(name);
	at = strlen(whole);
	*place = NULL;
	if (!ends_with(whole, "}"))
		return whole;
	while (at && strncmp(whole + at, "@{", 2))
		at--;
	*place = xstrndup(whole + at + 2, strlen(whole) - at - 3);
	if (!at || !expand_name(w, whole, at, &base))
		base = xstrndup(whole, at);
	free(whole);
	return base;
}

static void begin_at(struct log *log, const char *place)
{
	char *end;
	unsigned long n = strtoul(place, &end, 10);

	if (*place && !*end) {
		log->next = n;
	} else {
		timestamp_t at = date_approxidate(place, NULL);

		log->by_date = true;
		while (log->next < log->nr && log->entries[log->next].date > at)
			log->next++;
	}
}

static int open_log(struct rev_walk *w, const struct rev_start *s, struct log *log,
		    struct err *err)
{
	struct object_id oid;
	char *place, *name = split_place(w, s->name, &place);
	int nr;

	if (!*name) { /* "@{1}": the current branch */
		FREE_AND_NULL(name);
		if (ref_resolve(w->repo->refs, "HEAD", &oid, &name, NULL, NULL) < 0) {
			free(name);
			name = xstrdup("HEAD");
		}
	}
	nr = ref_dwim_log(w->repo->refs, name, strlen(name), &log->full_ref, &oid);
	if (!nr) {
		/* A ref without a log has no entries; anything else is a mistake. */
		nr = revparse_ref(w->repo, name, strlen(name), &log->full_ref, &oid, err);
		if (nr <= 0) {
			nr = err_set(err, ERR_INVALID, "cannot walk reflogs for %s", s->name);
			free(name);
			free(place);
			return nr;
		}
	}
	log->ref = name;
	nr = reflog_foreach(w->repo->refs, log->full_ref, true, add_entry, log, NULL);
	if (nr == ERR_NOT_FOUND)
		nr = 0;
	if (nr < 0)
		err_set(err, nr, "cannot read the reflog of '%s'", log->full_ref);
	else if (place)
		begin_at(log, place);
	free(place);
	return nr;
}

int rev_reflog_begin(struct rev_walk *w, struct err *err)
{
	size_t i;
	int rc = 0;

	CALLOC_ARRAY(w->reflog, 1);
	w->boundary = false; /* reflog entries have no parents */
	CALLOC_ARRAY(w->reflog->logs, w->nr_starts ? w->nr_starts : 1);
	for (i = 0; !rc && i < w->nr_starts; i++) {
		if (w->starts[i].flags & REV_UNINTERESTING)
			return err_set(err, ERR_INVALID, "cannot walk reflogs for %s",
				       w->starts[i].name);
		rc = open_log(w, &w->starts[i], &w->reflog->logs[w->reflog->nr++], err);
	}
	return rc;
}

static struct log *youngest(struct rev_reflog *r)
{
	struct log *best = NULL;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		struct log *log = &r->logs[i];

		if (log->next < log->nr &&
		    (!best || log->entries[log->next].date > best->entries[best->next].date))
			best = log;
	}
	return best;
}

int rev_reflog_next(struct rev_walk *w, struct commit **out, struct err *err)
{
	struct rev_reflog *r = w->reflog;
	struct object_info info;

	while ((r->current = youngest(r))) {
		struct entry *e = &r->current->entries[r->current->next++];

		/* A deletion, or an object that is gone. */
		if (oid_is_null(&e->oid) || odb_type(w->repo->odb, &e->oid, &info.type, &info.size, NULL) < 0 ||
		    info.type != OBJ_COMMIT)
			continue;
		*out = commit_lookup(w->pool, &e->oid);
		(*out)->flags &= ~REV_TREESAME;
		return commit_parse_node(w->pool, *out, err) < 0 ? ERR_CORRUPT : 1;
	}
	return 0;
}

bool rev_reflog_info(const struct rev_walk *w, struct rev_reflog_info *out)
{
	const struct log *log = w->reflog ? w->reflog->current : NULL;
	const struct entry *e;

	if (!log)
		return false;
	e = &log->entries[log->next - 1];
	out->ref = log->ref;
	out->full_ref = log->full_ref;
	out->number = log->next - 1;
	out->by_date = log->by_date;
	out->ident = e->ident;
	out->date = e->date;
	out->tz = e->tz;
	out->msg = e->msg;
	return true;
}
