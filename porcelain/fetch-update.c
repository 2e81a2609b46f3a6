/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of each ref: git-fetch(1), OUTPUT, and gitrevisions of <refspec>. */
#include "compat/posix.h"
#include "history/history.h"
#include "porcelain/fetch-internal.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/map.h"

int fetch_check_places(struct repository *r, const struct fetch_map *map, struct err *err)
{
	struct worktree *list = NULL;
	int rc = worktrees_read(&list, r, err);

	for (size_t i = 0; !rc && i < map->nr; i++) {
		const char *dst = map->items[i].dst;
		const struct worktree *w;

		if (!dst || !starts_with(dst, "refs/heads/"))
			continue;
		w = worktrees_find_branch(list, dst);
		if (w && !w->is_bare)
			rc = err_set(err, ERR_CONFLICT, "refusing to fetch into branch '%s' checked out at '%s'", dst,
				     w->path);
	}
	worktrees_free(list);
	return rc;
}

/* ---- one ref ---- */

struct deciding {
	struct fetch_rows *out;
	struct repository *r;
	const struct fetch_options *o;
	struct commit_pool *commits;
};

static struct fetch_row *add_row(struct fetch_rows *rows)
{
	ALLOC_GROW(rows->rows, rows->nr + 1, rows->alloc);
	rows->rows[rows->nr] = (struct fetch_row){ .flag = '*', .queued = -1 };
	return &rows->rows[rows->nr++];
}

static void reject(struct fetch_rows *rows, struct fetch_row *row, const char *why)
{
	row->flag = '!';
	row->what = "[rejected]";
	row->remark = why;
	row->queued = -1;
	rows->any_rejected = rows->ragged = true;
}

static void name_new(struct fetch_row *row)
{
	bool tag = starts_with(row->src, "refs/tags/"), branch = starts_with(row->src, "refs/heads/");

	row->what = tag ? "[new tag]" : branch ? "[new branch]" : "[new ref]";
	row->log = tag ? "storing tag" : branch ? "storing head" : "storing ref";
}

static struct commit *commit_of(struct deciding *d, const struct object_id *oid)
{
	struct object_id commit;

	if (object_peel(odb_source(d->r->odb), oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		return NULL;
	return commit_lookup(d->commits, &commit);
}

/* The value changes: is it a step forward? */
static int judge_change(struct deciding *d, struct fetch_row *row, bool force, struct err *err)
{
	struct commit *was = commit_of(d, &row->old_oid), *is = was ? commit_of(d, &row->new_oid) : NULL;
	int forward = 1;

	if (!is) {
		name_new(row);
		return 0;
	}
	if (!d->o->no_forced_check)
		forward = is_ancestor(d->commits, was, is, err);
	if (forward < 0)
		return forward;
	if (forward) {
		row->flag = ' ';
		row->log = "fast-forward";
	} else if (force) {
		row->flag = '+';
		row->remark = "forced update";
		row->log = "forced-update";
	} else {
		reject(d->out, row, "non-fast-forward");
	}
	return 0;
}

static int judge(struct deciding *d, struct fetch_row *row, bool force, struct err *err)
{
	if (oid_eq(&row->old_oid, &row->new_oid)) {
		row->flag = '=';
		row->what = "[up to date]";
		return 0;
	}
	if (oid_is_null(&row->old_oid)) {
		name_new(row);
		return 0;
	}
	if (!starts_with(row->dst, "refs/tags/"))
		return judge_change(d, row, force, err);
	if (!force) {
		reject(d->out, row, "would clobber existing tag");
		return 0;
	}
	row->flag = 't';
	row->what = "[tag update]";
	row->log = "updating tag";
	return 0;
}

static int decide_one(struct deciding *d, const struct fetch_item *item, struct err *err)
{
	struct fetch_row *row = add_row(d->out);
	int rc;

	row->src = item->src;
	row->dst = item->dst;
	row->new_oid = item->oid;
	row->old_oid = d->r->algo->null_oid;
	if (!item->dst)
		return 0;
	rc = ref_resolve(d->r->refs, item->dst, &row->old_oid, NULL, NULL, NULL);
	if (rc < 0)
		row->old_oid = d->r->algo->null_oid;
	rc = judge(d, row, item->force || d->o->force, err);
	if (!rc && row->flag != '!' && row->flag != '=')
		row->queued = 0;
	return rc;
}

int fetch_decide(struct fetch_rows *out, struct repository *r, const struct fetch_map *map, size_t first,
		 const struct fetch_options *o, struct err *err)
{
	struct deciding d = { out, r, o, NULL };
	int rc = commit_pool_new(&d.commits, r, err);

	for (int status = 0; !rc && status < FETCH_HEAD_STATUS_NR; status++)
		for (size_t i = first; !rc && i < map->nr; i++)
			if (map->items[i].status == (enum fetch_head_status)status)
				rc = decide_one(&d, &map->items[i], err);
	if (!rc || d.commits)
		commit_pool_free(d.commits);
	return rc;
}

/* ---- refs that no longer exist in the remote ---- */

struct pruning {
	struct fetch_rows *out;
	const struct refspec *rs;
	const struct remote_refs *refs;
	struct strvec *names;
	struct strbuf src;
};

/* Is there no source any more that would come here? A source that is excluded may still be there. */
static bool is_stale(struct pruning *p, const char *name)
{
	bool mapped = false;

	for (size_t i = 0; i < p->rs->nr; i++) {
		strbuf_reset(&p->src);
		if (!refspec_item_map_back(&p->rs->items[i], name, &p->src))
			continue;
		mapped = true;
		if (refspec_excludes(p->rs, p->src.buf) || remote_refs_dwim(p->refs, p->src.buf))
			return false;
	}
	return mapped;
}

static int note_stale(void *data, const struct ref *ref)
{
	struct pruning *p = data;

	if (!ref->symref_target && is_stale(p, ref->name)) {
		struct fetch_row *row = add_row(p->out);

		row->flag = '-';
		row->what = "[deleted]";
		row->old_oid = ref->oid;
		row->queued = 0;
		strvec_push(p->names, ref->name);
	}
	return 0;
}

int fetch_decide_pruned(struct fetch_rows *out, struct repository *r, const struct refspec *rs,
			const struct remote_refs *refs, struct strvec *names, struct err *err)
{
	struct pruning p = { out, rs, refs, names, STRBUF_INIT };
	size_t first = out->nr;
	int rc = refs_foreach(r->refs, "", REFS_NO_PEEL | REFS_INCLUDE_BROKEN, note_stale, &p, err);

	for (size_t i = first; i < out->nr; i++) {
		out->rows[i].dst = names->v[i - first];
		out->rows[i].new_oid = r->algo->null_oid;
	}
	strbuf_release(&p.src);
	return rc;
}

/* ---- the transaction ---- */

int fetch_queue(struct fetch_rows *rows, struct ref_transaction *t, const char *action, struct err *err)
{
	struct strbuf msg = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < rows->nr; i++) {
		struct fetch_row *row = &rows->rows[i];

		if (row->queued < 0)
			continue;
		strbuf_reset(&msg);
		strbuf_addf(&msg, "%s%s%s", action, row->log ? ": " : "", row->log ? row->log : "");
		row->queued = (ssize_t)ref_transaction_nr(t);
		rc = ref_transaction_update(t, row->dst, &row->new_oid, &row->old_oid, 0, msg.buf, err);
	}
	strbuf_release(&msg);
	return rc;
}

void fetch_note_results(struct fetch_rows *rows, const struct ref_transaction *t, const struct fetch_options *o)
{
	struct ref_rejection why;

	for (size_t i = 0; i < rows->nr; i++) {
		struct fetch_row *row = &rows->rows[i];

		if (row->queued < 0 || !ref_transaction_rejection(t, (size_t)row->queued, &why))
			continue;
		row->flag = '!';
		row->remark = "unable to update local ref";
		rows->any_rejected = true;
		rows->any_conflict |= why.failure == REF_FAILURE_NAME_CONFLICT;
		rows->ragged |= why.failure == REF_FAILURE_NEW_VALUE;
		if (why.failure != REF_FAILURE_NAME_CONFLICT && o->say_error)
			o->say_error(o->data, why.msg);
	}
}
