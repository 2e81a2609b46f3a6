/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of stashes: refs/stash and its reflog. */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "odb/odb.h"
#include "porcelain/stash.h"
#include "util/alloc.h"
#include "util/date.h"

#define STASH_REF "refs/stash"

bool stash_list_is_empty(struct repository *r)
{
	return !ref_exists(r->refs, STASH_REF);
}

void stash_release(struct stash *s)
{
	FREE_AND_NULL(s->name);
}

/* ---- the commit ---- */

static int read_tree_of(struct repository *r, const struct object_id *commit, struct object_id *tree, struct err *err)
{
	return object_peel(odb_source(r->odb), commit, OBJ_TREE, tree, NULL, err);
}

static int read_trees(struct repository *r, struct stash *s, struct err *err)
{
	int rc = read_tree_of(r, &s->commit, &s->tree, err);

	if (!rc)
		rc = read_tree_of(r, &s->base, &s->base_tree, err);
	if (!rc)
		rc = read_tree_of(r, &s->index, &s->index_tree, err);
	if (!rc && s->has_untracked)
		rc = read_tree_of(r, &s->untracked, &s->untracked_tree, err);
	return rc;
}

static int take_parents(struct stash *s, const struct commit_view *c, const char *name, struct err *err)
{
	if (c->nr_parents < 2 || c->nr_parents > 3)
		return err_set(err, ERR_INVALID, "'%s' is not a stash-like commit", name);
	s->base = c->parents[0];
	s->index = c->parents[1];
	s->has_untracked = c->nr_parents == 3;
	if (s->has_untracked)
		s->untracked = c->parents[2];
	return 0;
}

static int read_stash(struct repository *r, struct stash *s, const char *name, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view c = { .parents = NULL };
	int rc = odb_read_type(r->odb, &s->commit, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse(&c, buf.data, buf.size, r->algo, err);
	if (!rc)
		rc = take_parents(s, &c, name, err);
	commit_view_release(&c);
	object_buf_release(&buf);
	return rc ? rc : read_trees(r, s, err);
}

int stash_read(struct repository *r, const struct object_id *commit, struct stash *out, struct err *err)
{
	struct stash s = { .commit = *commit };
	int rc = read_stash(r, &s, oid_hex(commit), err);

	if (!rc) {
		s.name = xstrdup(oid_hex(commit));
		*out = s;
	}
	return rc;
}

/* ---- the name ---- */

static char *full_name(const char *name)
{
	if (!name)
		return xstrdup(STASH_REF "@{0}");
	if (*name && strspn(name, "0123456789") == strlen(name))
		return xstrfmt(STASH_REF "@{%s}", name);
	return xstrdup(name);
}

struct by_date {
	timestamp_t before;
	size_t seen;
	bool found;
};

static int find_by_date(void *data, const struct reflog_entry *e)
{
	struct by_date *d = data;

	d->found = e->date <= d->before;
	d->seen += !d->found;
	return d->found;
}

/* "2}": the third one from the top. "yesterday}": the newest that is not younger. */
static bool find_position(struct repository *r, const char *place, size_t *out)
{
	struct by_date d = { .seen = 0 };
	char *end;
	unsigned long n = strtoul(place, &end, 10);

	if (end != place && *end == '}') {
		*out = n;
		return true;
	}
	d.before = date_approxidate(place, NULL);
	if (reflog_foreach(r->refs, STASH_REF, true, find_by_date, &d, NULL) < 0)
		return false;
	*out = d.seen;
	return d.found;
}

static void find_in_list(struct repository *r, struct stash *s)
{
	const char *at = strstr(s->name, "@{");
	struct object_id oid;
	char *full = NULL;
	size_t len = at ? (size_t)(at - s->name) : strlen(s->name);

	s->listed = ref_dwim(r->refs, s->name, len, &full, &oid) > 0 && !strcmp(full, STASH_REF) &&
		    (!at || find_position(r, at + 2, &s->position));
	free(full);
}

int stash_find(struct repository *r, const char *name, struct stash *out, struct err *err)
{
	struct stash s = { .name = full_name(name) };
	struct err why = ERR_INIT;
	int rc;

	if (!name && stash_list_is_empty(r)) {
		stash_release(&s);
		return err_set(err, ERR_NOT_FOUND, "No stash entries found.");
	}
	rc = revparse_oid(r, s.name, &s.commit, &why);
	if (rc == ERR_INVALID)
		err_move(err, &why);
	else if (rc)
		rc = err_set(err, ERR_NOT_FOUND, "%s is not a valid reference", s.name);
	else
		rc = read_stash(r, &s, s.name, err);
	err_release(&why);
	if (rc) {
		stash_release(&s);
		return rc;
	}
	find_in_list(r, &s);
	*out = s;
	return 0;
}

/* ---- removal ---- */

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	size_t *nr = data;

	++*nr;
	return 0;
}

static int keep_others(void *data, size_t i, size_t nr, const struct reflog_entry *e, struct err *err)
{
	const struct stash *s = data;
	bool is_it = i + 1 + s->position == nr;

	if (nr <= s->position || (is_it && !oid_eq(&e->new_oid, &s->commit)))
		return err_set(err, ERR_CONFLICT, "the list of stashes has just been changed");
	return !is_it;
}

int stash_drop(struct repo_operation *op, const struct stash *s, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	struct ref_transaction *t = NULL;
	struct stash copy = *s;
	size_t nr = 0;
	int rc = reflog_foreach(r->refs, STASH_REF, false, count_entry, &nr, err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (nr > 1)
		return reflog_rewrite(r->refs, STASH_REF, REFLOG_FIX_OLD | REFLOG_UPDATE_REF, keep_others, &copy,
				      repo_operation_batch(op), err);
	rc = repo_operation_begin_refs(op, 0, &t, err);
	return rc ? rc : ref_transaction_update(t, STASH_REF, &r->algo->null_oid, &s->commit, 0, NULL, err);
}
