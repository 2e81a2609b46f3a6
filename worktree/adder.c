/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding many paths to the index; files are read and hashed in worker threads. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/worktree.h"

struct worktree_adder {
	struct repository *repo;
	struct index_state *ix;
	struct converter *conv;
	struct worktree_add_options o;
	int failed; /* first error that on_error did not accept */
	struct err err;
};

/* One path on its way through a worker. */
struct add_job {
	struct worktree_adder *adder;
	struct conversion cv;
	struct stat st;
	unsigned mode;
	struct strbuf warn;
	char path[];
};

struct worktree_adder *worktree_adder_new(struct repository *r, struct index_state *ix,
					  struct converter *c,
					  const struct worktree_add_options *o)
{
	struct worktree_adder *a;

	CALLOC_ARRAY(a, 1);
	a->repo = r;
	a->ix = ix;
	a->conv = c;
	a->o = *o;
	return a;
}

void worktree_adder_free(struct worktree_adder *a)
{
	struct bulk_checkin *b = a ? odb_batch(a->repo->odb) : NULL;

	if (!a)
		return;
	/* After a failure jobs may remain, which refer to the adder. */
	if (b && bulk_checkin_drain(b, NULL) < 0)
		a->failed = ERR_GENERIC;
	err_release(&a->err);
	free(a);
}

/* ---- outcomes ---- */

static void fail_path(struct worktree_adder *a, const char *path, int rc, struct err *err)
{
	if (a->failed) /* report only the first: a full disk fails for every file */
		return;
	if (a->o.on_error && !a->o.on_error(a->o.data, path, err))
		return;
	a->failed = rc;
	err_move(&a->err, err);
}

static bool is_same(const struct index_entry *old, unsigned mode, const struct object_id *oid,
		    unsigned flags)
{
	return old && old->mode == mode && oid_eq(&old->oid, oid) &&
	       !((old->flags ^ flags) & CE_INTENT_TO_ADD);
}

static int put_entry(struct worktree_adder *a, const char *path, unsigned mode,
		     const struct object_id *oid, const struct stat *st, unsigned flags,
		     struct err *err)
{
	size_t len = strlen(path);
	struct index_entry *old = index_find(a->ix, path, len);
	struct index_entry *e;
	bool same = is_same(old, mode, oid, flags);

	if (!a->o.dry_run) {
		int rc;

		e = index_entry_new(a->ix, mode, oid, path, len, 0);
		e->flags |= flags | (old ? old->flags & CE_ASSUME_VALID : 0);
		if (!(flags & CE_INTENT_TO_ADD)) {
			stat_data_fill(&e->stat, st);
			e->flags |= CE_UPTODATE; /* the content has just been read */
		}
		rc = index_add(a->ix, e, INDEX_ADD_REPLACE | (same ? INDEX_ADD_KEEP_TREE : 0),
			       a->repo->settings.protect, err);
		if (rc < 0)
			return rc;
	}
	if (!same && a->o.on_added)
		a->o.on_added(a->o.data, path);
	return 0;
}

/* ---- through the workers ---- */

static int produce(void *data, struct object_buf *out, struct err *err)
{
	struct add_job *j = data;
	unsigned flags = CONVERT_WRITE_OBJECT;

	if (j->adder->o.renormalize)
		flags |= CONVERT_RENORMALIZE;
	return worktree_read_blob(j->adder->conv, &j->cv, j->path, &j->st, flags, out, &j->warn,
				  err);
}

static void job_done(void *data, int rc, const struct object_id *oid, struct err *err)
{
	struct add_job *j = data;
	struct err own = ERR_INIT;

	if (!err)
		err = &own;
	repo_report_lines(j->adder->repo, j->warn.buf);
	if (rc >= 0)
		rc = put_entry(j->adder, j->path, j->mode, oid, &j->st, 0, err);
	if (rc < 0)
		fail_path(j->adder, j->path, rc, err);
	err_release(&own);
	strbuf_release(&j->warn);
	free(j);
}

static struct add_job *job_new(struct worktree_adder *a, const char *path,
			       const struct stat *st, const struct conversion *cv,
			       unsigned mode)
{
	size_t len = strlen(path);
	struct add_job *j = xmalloc(st_add(sizeof(*j), len + 1));

	j->adder = a;
	j->cv = *cv;
	j->st = *st;
	j->mode = mode;
	strbuf_init(&j->warn, 0);
	memcpy(j->path, path, len + 1);
	return j;
}

/* Filters that are programs run here, one after the other. */
static void run_in_main_thread(struct add_job *j)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	struct err err = ERR_INIT;
	int rc = produce(j, &buf, &err);

	if (!rc)
		rc = bulk_checkin_add(odb_batch(j->adder->repo->odb), OBJ_BLOB, buf.data,
				      buf.size, &oid, &err);
	object_buf_release(&buf);
	job_done(j, rc, &oid, &err);
	err_release(&err);
}

static void submit(struct worktree_adder *a, const char *path, const struct stat *st,
		   const struct conversion *cv, unsigned mode)
{
	struct add_job *j = job_new(a, path, st, cv, mode);
	struct bulk_checkin_job job = { .produce = produce, .done = job_done, .data = j,
					.size_hint = (uint64_t)st->st_size };

	if (S_ISREG(st->st_mode) && conversion_needs_main_thread(a->conv, cv))
		run_in_main_thread(j);
	else
		bulk_checkin_submit(odb_batch(a->repo->odb), &job);
}

/* ---- one path ---- */

static int add_directly(struct worktree_adder *a, const char *path, const struct stat *st,
			unsigned mode, struct err *err)
{
	struct object_id oid;
	int rc = worktree_hash_path(a->repo, a->conv, path, st, !a->o.dry_run, &oid, NULL, err);

	return rc < 0 ? rc : put_entry(a, path, mode, &oid, st, 0, err);
}

static bool is_unchanged(const struct worktree_adder *a, const struct index_entry *e,
			 const struct stat *st)
{
	if (!e || a->o.renormalize || (e->flags & CE_INTENT_TO_ADD) ||
	    MODE_IS_GITLINK(e->mode))
		return false;
	return !index_entry_stat_match(a->ix, e, st, &a->repo->settings);
}

static bool is_big(const struct worktree_adder *a, const struct stat *st)
{
	return S_ISREG(st->st_mode) &&
	       (uint64_t)st->st_size > a->repo->settings.big_file_threshold;
}

/* The entry names the empty blob, which others read: it has to be there. */
static int add_intention(struct worktree_adder *a, const char *path, unsigned mode, const struct stat *st, struct err *err)
{
	struct object_id oid = a->repo->algo->empty_blob;
	int rc = a->o.dry_run ? 0 : odb_write(a->repo->odb, OBJ_BLOB, "", 0, &oid, err);

	return rc < 0 ? rc : put_entry(a, path, mode, &oid, st, CE_INTENT_TO_ADD, err);
}

static int add_changed(struct worktree_adder *a, const char *path, const struct stat *st,
		       struct index_entry *old, struct err *err)
{
	unsigned mode = worktree_mode(&a->repo->settings, st->st_mode,
				      old ? old : index_find_ours(a->ix, path, strlen(path)));
	struct conversion cv = { 0 };

	if (a->o.intent_to_add)
		return old ? 0 : add_intention(a, path, mode, st, err);
	if (S_ISDIR(st->st_mode) || a->o.dry_run || is_big(a, st) ||
	    !(S_ISREG(st->st_mode) || S_ISLNK(st->st_mode)))
		return add_directly(a, path, st, mode, err);
	if (S_ISREG(st->st_mode))
		converter_lookup(a->conv, path, &cv);
	submit(a, path, st, &cv, mode);
	return 0;
}

/* The entry of the file, with core.ignoreCase perhaps under another spelling. */
static struct index_entry *find_entry(const struct worktree_adder *a, const char *path)
{
	size_t len = strlen(path);
	struct index_entry *e = index_find(a->ix, path, len);

	if (!e && a->repo->settings.ignorecase)
		e = index_find_icase(a->ix, path, len);
	return e;
}

int worktree_adder_add(struct worktree_adder *a, const char *path, const struct stat *st,
		       struct err *err)
{
	struct err own = ERR_INIT;
	struct index_entry *old = find_entry(a, path);
	char *name = old ? xstrdup(old->name) : NULL; /* entries may move */
	int rc = 0;

	if (!is_unchanged(a, old, st))
		rc = add_changed(a, name ? name : path, st, old, &own);
	if (rc < 0)
		fail_path(a, path, rc, &own);
	err_release(&own);
	free(name);
	if (a->failed)
		err_move(err, &a->err);
	return a->failed;
}

int worktree_adder_finish(struct worktree_adder *a, struct err *err)
{
	int rc = 0;

	if (odb_batch(a->repo->odb))
		rc = bulk_checkin_drain(odb_batch(a->repo->odb), err);
	if (a->failed) {
		err_move(err, &a->err);
		return a->failed;
	}
	return rc;
}

/* A missing file whose conflict would be resolved by adding it; maybe there is a directory. */
static int add_missing(struct worktree_adder *a, const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_set_errno(err, "unable to stat '%s'", path);
	return worktree_adder_add(a, path, &st, err);
}

int worktree_adder_apply(struct worktree_adder *a, const struct worktree_changes *ch,
			 bool keep_missing, struct err *err)
{
	for (size_t i = 0; i < ch->nr; i++) {
		const struct worktree_changed_path *c = &ch->items[i];
		int rc = 0;

		if (!c->gone) {
			rc = worktree_adder_add(a, c->path, &c->st, err);
		} else if (keep_missing) {
			rc = c->unmerged ? add_missing(a, c->path, err) : 0;
		} else {
			if (!a->o.dry_run)
				index_remove(a->ix, c->path, strlen(c->path));
			if (a->o.on_removed)
				a->o.on_removed(a->o.data, c->path);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}
