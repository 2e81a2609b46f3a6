/* SPDX-License-Identifier: GPL-2.0-only */
/* git show-branch: which commits are shown side by side. */
#include "compat/posix.h"
#include "builtin/refs/show-branch.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/versioncmp.h"
#include "util/wildmatch.h"

void shown_refs_release(struct shown_refs *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->items[i].name);
		free(l->items[i].log);
	}
	l->nr = 0;
}

/* Nothing happens if it leads to no commit. log: owned by the list, may be NULL. */
static void add(struct shown_refs *l, const char *name, const struct object_id *oid, char *log)
{
	struct object_id commit;

	if (object_peel(odb_source(l->repo->odb), oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		goto drop;
	for (size_t i = 0; !log && i < l->nr; i++)
		if (!strcmp(l->items[i].name, name))
			goto drop;
	if (l->nr == TIP_BITS_MAX) {
		warning("ignoring %s; cannot handle more than %d refs", name, TIP_BITS_MAX);
		goto drop;
	}
	l->items[l->nr++] = (struct shown_ref){ xstrdup(name), log, commit };
	return;
drop:
	free(log);
}

static int compare_names(const void *a, const void *b)
{
	return version_cmp(((const struct shown_ref *)a)->name, ((const struct shown_ref *)b)->name,
			   NULL, 0);
}

static void sort_from(struct shown_refs *l, size_t from)
{
	qsort(l->items + from, l->nr - from, sizeof(l->items[0]), compare_names);
}

/* The short name, if it means the same. */
static void add_branch(struct shown_refs *l, const struct ref *ref, const char *short_name)
{
	struct object_id oid;

	if (revparse_oid(l->repo, short_name, &oid, NULL) < 0 || !oid_eq(&oid, &ref->oid))
		short_name = ref->name + strlen("refs/");
	add(l, short_name, &ref->oid, NULL);
}

static int add_ref(void *data, const struct ref *ref)
{
	const char *rest;

	if (skip_prefix(ref->name, "refs/heads/", &rest) ||
	    skip_prefix(ref->name, "refs/remotes/", &rest))
		add_branch(data, ref, rest);
	return 0;
}

int shown_refs_add_below(struct shown_refs *l, const char *prefix, struct err *err)
{
	size_t from = l->nr;
	int rc = refs_foreach(l->repo->refs, prefix, REFS_NO_PEEL, add_ref, l, err);

	sort_from(l, from);
	return rc;
}

/* ---- patterns ---- */

struct glob {
	struct shown_refs *refs;
	const char *pattern;
	size_t slashes;
};

static size_t count_slashes(const char *s)
{
	size_t nr = 0;

	while ((s = strchr(s, '/'))) {
		s++;
		nr++;
	}
	return nr;
}

/* The pattern is for as many components from the end as it has itself. */
static int match_ref(void *data, const struct ref *ref)
{
	struct glob *g = data;
	size_t slashes = count_slashes(ref->name);
	const char *tail = ref->name, *rest;

	for (; slashes > g->slashes; slashes--)
		tail = strchr(tail, '/') + 1;
	if (!wildmatch(g->pattern, tail, 0))
		return 0;
	if (skip_prefix(ref->name, "refs/heads/", &rest))
		add_branch(g->refs, ref, rest);
	else if (starts_with(ref->name, "refs/tags/"))
		add(g->refs, ref->name + strlen("refs/"), &ref->oid, NULL);
	else
		add(g->refs, ref->name, &ref->oid, NULL);
	return 0;
}

int shown_refs_add(struct shown_refs *l, const char *arg, struct err *err)
{
	struct glob g = { l, arg, count_slashes(arg) };
	struct object_id oid;
	size_t from = l->nr;
	int rc;

	if (!revparse_oid(l->repo, arg, &oid, NULL)) {
		add(l, arg, &oid, NULL);
		return 0;
	}
	if (!strpbrk(arg, "*?["))
		return err_set(err, ERR_NOT_FOUND, "bad sha1 reference %s", arg);
	rc = refs_foreach(l->repo->refs, "", REFS_NO_PEEL, match_ref, &g, err);
	if (!rc && l->nr == from && l->nr < TIP_BITS_MAX)
		error("no matching refs with %s", arg);
	sort_from(l, from);
	return rc;
}

/* ---- HEAD ---- */

/* The ref that HEAD is; NULL: none. */
static char *current_ref(struct repository *r, struct object_id *oid)
{
	char *name = NULL;

	if (ref_resolve(r->refs, "HEAD", oid, &name, NULL, NULL) < 0) {
		free(name);
		return NULL;
	}
	return name;
}

static bool is_named(const char *name, const char *head)
{
	const char *rest = name;

	skip_prefix(head, "refs/heads/", &head);
	if (!skip_prefix(name, "refs/heads/", &rest))
		skip_prefix(name, "heads/", &rest);
	return !strcmp(head, rest);
}

bool shown_ref_is_head(const struct shown_refs *l, size_t i)
{
	struct object_id oid;
	char *head = current_ref(l->repo, &oid);
	bool yes = head && is_named(l->items[i].name, head) && oid_eq(&oid, &l->items[i].oid);

	free(head);
	return yes;
}

int shown_refs_add_current(struct shown_refs *l, struct err *err)
{
	struct object_id oid;
	char *head = current_ref(l->repo, &oid);
	const char *name = head;
	int rc = 0;

	for (size_t i = 0; head && i < l->nr; i++)
		if (is_named(l->items[i].name, head))
			name = NULL;
	if (name) {
		skip_prefix(name, "refs/heads/", &name);
		rc = shown_refs_add(l, name, err);
	}
	free(head);
	return rc;
}

/* ---- reflogs ---- */

struct log_reader {
	struct shown_refs *refs;
	const char *name; /* as it was typed */
	long base;	  /* the first entry that is wanted; < 0: by date */
	timestamp_t date;
	size_t nr;	  /* entries that are wanted */
	size_t at;
};

static void add_entry(struct log_reader *r, const struct object_id *oid, const char *msg,
		      timestamp_t date, int tz)
{
	const struct date_mode relative = { .type = DATE_RELATIVE };
	struct strbuf log = STRBUF_INIT;
	char *name = xstrfmt("%s@{%zu}", r->name, r->at);

	strbuf_addch(&log, '(');
	date_format(&log, date, tz, &relative);
	strbuf_addf(&log, ") %s", *msg ? msg : "(none)");
	add(r->refs, name, oid, strbuf_detach(&log, NULL));
	free(name);
}

static int read_entry(void *data, const struct reflog_entry *e)
{
	struct log_reader *r = data;

	if (r->base < 0 && e->date <= r->date)
		r->base = (long)r->at;
	if (r->base >= 0 && r->at >= (size_t)r->base) {
		if (r->at - (size_t)r->base >= r->nr)
			return 1;
		add_entry(r, &e->new_oid, e->msg, e->date, e->tz);
	}
	r->at++;
	return 0;
}

int shown_refs_add_log(struct shown_refs *l, int argc, const char **argv, int nr,
		       const char *base, struct err *err)
{
	struct log_reader r = { .refs = l, .nr = (size_t)nr };
	struct object_id oid;
	char *head = NULL, *ref = NULL, *end;
	int rc = 0;

	if (!argc) {
		head = current_ref(l->repo, &oid);
		if (!head)
			return err_set(err, ERR_NOT_FOUND,
				       "no branches given, and HEAD is not valid");
	} else if (argc > 1) {
		return err_set(err, ERR_INVALID, "--reflog option needs one branch name");
	}
	r.name = head ? head : argv[0];
	if (nr > TIP_BITS_MAX)
		rc = err_set(err, ERR_INVALID, "only %d entries can be shown at one time.",
			     TIP_BITS_MAX);
	else if (ref_dwim(l->repo->refs, r.name, strlen(r.name), &ref, &oid) < 1)
		rc = err_set(err, ERR_NOT_FOUND, "no such ref %s", r.name);
	if (!rc && base) {
		r.base = strtol(base, &end, 10);
		if (*end) {
			r.date = date_approxidate(base, NULL);
			r.base = -1;
		}
	}
	if (!rc) {
		rc = reflog_foreach(l->repo->refs, ref, true, read_entry, &r, err);
		if (rc == ERR_NOT_FOUND)
			err_release(err);
		if (rc == ERR_NOT_FOUND || rc > 0)
			rc = 0;
	}
	free(head);
	free(ref);
	return rc;
}
