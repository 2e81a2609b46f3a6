/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the files of many index entries: places are cleared, then threads and filters, then the rest. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "worktree/write-files-internal.h"

/* ---- places ---- */

static void count_done(struct writer *w)
{
	progress_update(w->progress, ++w->done + w->written);
}

/* The directories of a path; neighbours in the index mostly share them. */
static int make_parents(struct writer *w, const struct index_entry *e, struct err *err)
{
	const char *slash = strrchr(e->name, '/');
	size_t len = slash ? (size_t)(slash - e->name) + 1 : 0, known = 0;
	int rc;

	if (!path_is_safe(e->name, e->mode, w->r->settings.protect))
		return err_set(err, ERR_INVALID, "invalid path '%s'", e->name);
	if (len == w->dir.len && !memcmp(w->dir.buf, e->name, len))
		return 0;
	for (size_t i = 0; i < len && i < w->dir.len && w->dir.buf[i] == e->name[i]; i++)
		if (e->name[i] == '/')
			known = i + 1;
	strbuf_reset(&w->dir);
	rc = worktree_clear_parents(e->name, known, err);
	if (rc >= 0)
		rc = make_leading_dirs(e->name, 0, err);
	if (rc >= 0)
		strbuf_add(&w->dir, e->name, len);
	return rc < 0 ? rc : 0;
}

/* What threads have not removed. */
static int clear_rest(struct writer *w, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct write_job *j = &w->jobs[i];
		int rc = j->state == TO_CLEAR ? worktree_clear_place(j->e, err) : 0;

		ret = ret ? ret : rc;
		if (rc)
			count_done(w);
		if (j->state == TO_CLEAR)
			j->state = rc ? GIVEN_UP : TO_WRITE;
		if (j->kind == BY_THREAD && j->state == TO_WRITE)
			w->threaded[w->nr_threaded++] = j;
		else if (j->kind == BY_FILTER && j->state == TO_WRITE)
			w->filtered[w->nr_filtered++] = j;
	}
	return ret;
}

/* All jobs; those whose places cannot be cleared are given up. */
static int collect(struct writer *w, const struct string_list *paths, struct err *err)
{
	int ret = 0, threads = 1, rc;

	CALLOC_ARRAY(w->jobs, paths->nr + 1);
	CALLOC_ARRAY(w->threaded, paths->nr + 1);
	CALLOC_ARRAY(w->filtered, paths->nr + 1);
	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		struct index_entry *e = index_find(w->ix, path, strlen(path));
		struct write_job *j = &w->jobs[w->nr];

		if (!e)
			continue;
		w->nr++;
		*j = (struct write_job){ .e = e, .warn = STRBUF_INIT };
		rc = make_parents(w, e, err);
		if (rc < 0) {
			j->state = GIVEN_UP;
			count_done(w);
			ret = ret ? ret : rc;
		}
	}
	rc = write_thread_count(w->r, w->nr, &threads, err);
	write_clear_places(w, threads);
	ret = ret ? ret : rc;
	rc = clear_rest(w, err);
	return ret ? ret : rc;
}

/* ---- the main thread ---- */

static int write_alone(struct writer *w, struct write_job *j, const struct checkout_options *o,
		       struct err *err)
{
	int rc = worktree_checkout_entry(w->r, w->ix, j->e, w->c, o, err);

	j->state = rc > 0 ? DELAYED : rc ? GIVEN_UP : WRITTEN;
	if (rc > 0)
		string_list_append(&w->delayed, j->e->name)->util = j;
	return rc < 0 ? rc : 0;
}

/* Those with filters, at the same time as threads write the others. */
struct filtered {
	struct writer *w;
	int ret;
	struct err err;
};

static bool is_taken(const char *path)
{
	struct stat st;

	return !lstat(path, &st) || errno == ENOTDIR;
}

/* A place that is taken, if by a thread just now: afterwards, when it is known by whom. */
static void write_filtered(void *data)
{
	struct filtered *f = data;
	const struct checkout_options o = { .may_delay = true, .batch = f->w->batch };

	for (size_t i = 0; i < f->w->nr_filtered; i++) {
		struct write_job *j = f->w->filtered[i];
		struct err err = ERR_INIT;
		int rc;

		if (is_taken(j->e->name))
			continue;
		rc = write_alone(f->w, j, &o, &err);
		if (rc && is_taken(j->e->name)) {
			j->state = TO_WRITE;
			err_release(&err);
			continue;
		}
		if (rc && !f->ret) {
			f->ret = rc;
			err_move(&f->err, &err);
		}
		err_release(&err);
		count_done(f->w);
	}
}

static int write_rest(struct writer *w, bool links, struct err *err)
{
	const struct checkout_options o = { .may_delay = true, .batch = w->batch };
	int ret = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct write_job *j = &w->jobs[i];
		int rc;

		if (j->state != TO_WRITE || (j->kind == BY_LINK) != links)
			continue;
		rc = write_job_make_way(w, j, err);
		if (!rc)
			rc = write_alone(w, j, &o, err);
		ret = ret ? ret : rc < 0 ? rc : 0;
		count_done(w);
	}
	return ret;
}

/* All that does not wait for a filter. */
static int write_first(struct writer *w, const struct string_list *paths, struct err *err)
{
	struct filtered f = { .w = w, .err = ERR_INIT };
	int ret = collect(w, paths, err), rc;

	rc = write_jobs(w, w->nr_filtered ? write_filtered : NULL, &f, err);
	ret = ret ? ret : rc;
	if (f.ret)
		err_move(err, &f.err);
	err_release(&f.err);
	ret = ret ? ret : f.ret;
	rc = write_rest(w, false, err);
	ret = ret ? ret : rc;
	rc = write_rest(w, true, err);
	return ret ? ret : rc;
}

/* ---- delayed files ---- */

/* The name of a file that is offered is one of those in w->delayed, which are sorted. */
static int write_offered(struct writer *w, const struct string_list *ready, uint64_t *bytes,
			 struct err *err)
{
	const struct checkout_options o = { .delayed = true, .written = bytes, .batch = w->batch };
	int ret = 0;

	for (size_t i = 0; i < ready->nr; i++) {
		struct string_list_item *it = string_list_lookup(&w->delayed, ready->items[i].string);
		int rc = write_job_make_way(w, it->util, err);

		if (!rc)
			rc = write_alone(w, it->util, &o, err);
		it->util = NULL;
		ret = ret ? ret : rc < 0 ? rc : 0;
		progress_update_bytes(w->progress, ++w->done, *bytes);
	}
	return ret;
}

static int tell_missing(struct writer *w, struct err *err)
{
	size_t missing = 0;

	for (size_t i = 0; i < w->delayed.nr; i++) {
		char *text;

		if (!w->delayed.items[i].util)
			continue;
		missing++;
		text = xstrfmt("error: '%s' was not filtered properly\n", w->delayed.items[i].string);
		repo_report_lines(w->r, text);
		free(text);
	}
	return missing ? err_set(err, ERR_ABORTED, "%zu delayed file%s did not come from the filter",
				 missing, missing == 1 ? "" : "s") : 0;
}

static int write_files_write_delayed(struct writer *w, struct err *err)
{
	struct string_list ready = STRING_LIST_INIT;
	struct strbuf warn = STRBUF_INIT;
	uint64_t bytes = 0;
	bool more = true;
	int ret = 0, rc;

	string_list_sort(&w->delayed);
	w->done = 0;
	if (w->o && w->o->filtering)
		w->progress = w->o->filtering("Filtering content", w->delayed.nr);
	while (more) {
		more = converter_await(w->c, &ready, &warn);
		repo_report_lines(w->r, warn.buf);
		strbuf_reset(&warn);
		rc = write_offered(w, &ready, &bytes, err);
		ret = ret ? ret : rc;
		string_list_clear(&ready, NULL);
	}
	progress_stop(&w->progress);
	strbuf_release(&warn);
	rc = tell_missing(w, err);
	return ret ? ret : rc;
}

int worktree_write_prepare(struct repository *r, struct index_state *ix,
			   const struct string_list *paths, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	int threads, rc = write_thread_count(r, paths->nr, &threads, err);

	if (rc < 0 || !odb_can_fetch(r->odb))
		return rc;
	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		const struct index_entry *e = index_find(ix, path, strlen(path));

		if (e && !MODE_IS_GITLINK(e->mode))
			oid_array_append(&oids, &e->oid);
	}
	rc = odb_prefetch(r->odb, &oids, err);
	oid_array_clear(&oids);
	return rc;
}

static struct fsync_batch *awaiting_batch(const struct repository *r)
{
	struct fsync_batch *b = r->operation ? repo_operation_batch(r->operation) : NULL;

	return b && fsync_batch_awaits(b, FSYNC_WORKTREE, r->worktree) ? b : NULL;
}

bool worktree_files_are_sealed(const struct repository *r)
{
	struct stat tree, own;

	return awaiting_batch(r) && !stat(r->worktree, &tree) && !stat(r->gitdir, &own) && tree.st_dev == own.st_dev;
}

int worktree_write_files(struct repository *r, struct index_state *ix,
			 const struct string_list *paths, struct converter *c,
			 const struct write_files_options *o, struct err *err)
{
	struct writer w = { .r = r, .ix = ix, .c = c, .o = o, .batch = awaiting_batch(r), .dir = STRBUF_INIT };
	int ret = worktree_write_prepare(r, ix, paths, err), rc;

	if (ret < 0)
		return ret;
	if (o && o->files && paths->nr)
		w.progress = o->files("Updating files", paths->nr);
	ret = write_first(&w, paths, err);
	progress_stop(&w.progress);
	if (w.delayed.nr) {
		rc = write_files_write_delayed(&w, err);
		ret = ret ? ret : rc;
	}
	if (w.batch && !ret)
		ret = fsync_batch_check(w.batch, err);
	for (size_t i = 0; i < w.nr; i++)
		strbuf_release(&w.jobs[i].warn);
	free(w.jobs);
	free(w.threaded);
	free(w.filtered);
	string_list_clear(&w.delayed, NULL);
	strbuf_release(&w.dir);
	return ret;
}
