/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the files of many index entries: directories, then files in threads, then the rest. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "util/workers.h"
#include "worktree/write-files.h"
#include "write-or-die.h"

enum outcome { LEFT_OVER, WRITTEN };

struct job {
	struct index_entry *e;
	enum outcome outcome;
	struct strbuf warn;
	struct stat_data stat;
};

struct writer {
	struct repository *r;
	struct index_state *ix;
	struct converter *c;
	struct progress *progress;
	struct job *jobs;
	size_t nr, done;
	struct strbuf dir; /* "a/b/": known to be a directory; empty: none */
};

/* ---- directories ---- */

/* Removes files and links in place of directories; it has been checked that they may go. */
static int clear_parents(const char *path, struct err *err)
{
	for (size_t i = 1; path[i]; i++) {
		char *parent;
		struct stat st;
		int ret = 0;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		if (!lstat(parent, &st) && !S_ISDIR(st.st_mode))
			ret = remove_file(parent, err);
		free(parent);
		if (ret)
			return ret;
	}
	return 0;
}

/* The directories of a path; neighbours in the index mostly share them. */
static int make_parents(struct writer *w, const struct index_entry *e, struct err *err)
{
	const char *slash = strrchr(e->name, '/');
	size_t len = slash ? (size_t)(slash - e->name) + 1 : 0;
	int ret;

	if (len == w->dir.len && !memcmp(w->dir.buf, e->name, len))
		return 0;
	ret = clear_parents(e->name, err);
	if (ret >= 0)
		ret = make_leading_dirs(e->name, 0, err);
	strbuf_reset(&w->dir);
	if (ret >= 0)
		strbuf_add(&w->dir, e->name, len);
	return ret < 0 ? ret : 0;
}

/* ---- in threads ---- */

static int fill_new_file(struct job *j, const void *data, size_t len)
{
	mode_t mode = j->e->mode == MODE_EXEC ? 0777 : 0666;
	int fd = (int)RETRY_EINTR(sys->open(j->e->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
					    O_NOFOLLOW, mode));
	struct stat st;
	int rc;

	if (fd < 0)
		return -1;
	rc = write_in_full(fd, data, len, j->e->name, NULL);
	if (!rc && fstat(fd, &st) < 0)
		rc = -1;
	if (sys->close(fd) < 0)
		rc = -1;
	if (rc < 0)
		sys->unlink(j->e->name);
	else
		stat_data_fill(&j->stat, &st);
	return rc;
}

/* What does not go smoothly here is left to the main thread, which can tell why. */
static void write_job(const struct writer *w, struct job *j)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf out = STRBUF_INIT;
	struct conversion cv;
	int rc;

	if (odb_read_type(w->r->odb, &j->e->oid, OBJ_BLOB, &buf, NULL) < 0)
		return;
	converter_lookup(w->c, j->e->name, &cv);
	rc = convert_to_worktree(w->c, j->e->name, &cv, buf.data, buf.size, &j->e->oid, &out,
				 &j->warn, NULL);
	if (rc > 0)
		rc = fill_new_file(j, out.buf, out.len);
	else if (!rc)
		rc = fill_new_file(j, buf.data, buf.size);
	if (!rc)
		j->outcome = WRITTEN;
	else
		strbuf_reset(&j->warn);
	strbuf_release(&out);
	object_buf_release(&buf);
}

static void write_range(void *data, size_t begin, size_t end)
{
	struct writer *w = data;

	for (size_t i = begin; i < end; i++)
		write_job(w, &w->jobs[i]);
}

/* ---- the main thread ---- */

static bool suits_threads(struct writer *w, const struct index_entry *e)
{
	struct conversion cv;

	if (!MODE_IS_FILE(e->mode) || !path_is_safe(e->name, e->mode, w->r->settings.protect))
		return false;
	converter_lookup(w->c, e->name, &cv);
	return !cv.filter; /* drivers are looked up, and run, by one thread */
}

/* A file in the way goes; a directory, where nothing was expected, is for the main thread. */
static void clear_place(const struct index_entry *e)
{
	sys->unlink(e->name);
}

static int write_alone(struct writer *w, struct index_entry *e, struct err *err)
{
	const struct checkout_options o = { .force = true, .prefix = "" };
	int ret = clear_parents(e->name, err);

	if (ret >= 0)
		ret = worktree_checkout_entry(w->r, w->ix, e, w->c, &o, err);
	progress_update(w->progress, ++w->done);
	return ret < 0 ? ret : 0;
}

static void take_result(struct writer *w, struct job *j)
{
	if (j->outcome != WRITTEN)
		return;
	repo_report_lines(w->r, j->warn.buf);
	j->e->stat = j->stat;
	j->e->flags |= CE_UPTODATE;
	w->ix->changed = true;
	progress_update(w->progress, ++w->done);
}

static int thread_count(const struct writer *w, int *threads, struct err *err)
{
	int workers = 0, threshold = 100;

	if (config_get_int(w->r->config, "checkout.workers", &workers, err) < 0 ||
	    config_get_int(w->r->config, "checkout.thresholdforparallelism", &threshold, err) < 0)
		return ERR_INVALID;
	*threads = workers < 1 ? 0 : workers > 64 ? 64 : workers;
	if (threshold > 0 && w->nr < (size_t)threshold)
		*threads = 1;
	return 0;
}

/* So many at a time: results are taken, and progress is told, in between. */
#define ROUND 2048

static int write_in_threads(struct writer *w, struct err *err)
{
	int threads = 1, ret = thread_count(w, &threads, err);

	for (size_t i = 0; i < w->nr && ret >= 0; i += ROUND) {
		struct writer part = *w;

		part.jobs = w->jobs + i;
		part.nr = w->nr - i < ROUND ? w->nr - i : ROUND;
		workers_parallel_for(part.nr, 32, threads, write_range, &part);
		for (size_t k = 0; k < part.nr; k++)
			take_result(w, &part.jobs[k]);
	}
	return ret;
}

static int collect(struct writer *w, const struct string_list *paths, struct index_entry **rest,
		   size_t *nr_rest, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		struct index_entry *e = index_find(w->ix, path, strlen(path));
		int rc;

		if (!e)
			continue;
		if (!suits_threads(w, e)) {
			rest[(*nr_rest)++] = e;
			continue;
		}
		rc = make_parents(w, e, err);
		if (rc < 0) {
			ret = ret ? ret : rc;
			continue;
		}
		clear_place(e);
		w->jobs[w->nr++] = (struct job){ .e = e, .warn = STRBUF_INIT };
	}
	return ret;
}

static int write_rest(struct writer *w, struct index_entry **rest, size_t nr, bool links,
		      struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		int rc = MODE_IS_SYMLINK(rest[i]->mode) == links ? write_alone(w, rest[i], err) : 0;

		ret = ret ? ret : rc;
	}
	return ret;
}

static int write_left_over(struct writer *w, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < w->nr; i++) {
		int rc = w->jobs[i].outcome == LEFT_OVER ? write_alone(w, w->jobs[i].e, err) : 0;

		ret = ret ? ret : rc;
		strbuf_release(&w->jobs[i].warn);
	}
	return ret;
}

int worktree_prefetch(struct repository *r, struct index_state *ix, const struct string_list *paths,
		      struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(r->odb))
		return 0;
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

int worktree_write_files(struct repository *r, struct index_state *ix,
			 const struct string_list *paths, struct converter *c,
			 struct progress *progress, struct err *err)
{
	struct writer w = { .r = r, .ix = ix, .c = c, .progress = progress, .dir = STRBUF_INIT };
	struct index_entry **rest;
	size_t nr_rest = 0;
	int ret = worktree_prefetch(r, ix, paths, err), rc;

	if (ret < 0)
		return ret;
	CALLOC_ARRAY(w.jobs, paths->nr + 1);
	CALLOC_ARRAY(rest, paths->nr + 1);
	ret = collect(&w, paths, rest, &nr_rest, err);
	rc = write_in_threads(&w, err);
	ret = ret ? ret : rc;
	rc = write_left_over(&w, err);
	ret = ret ? ret : rc;
	rc = write_rest(&w, rest, nr_rest, false, err);
	ret = ret ? ret : rc;
	rc = write_rest(&w, rest, nr_rest, true, err);
	ret = ret ? ret : rc;
	strbuf_release(&w.dir);
	free(rest);
	free(w.jobs);
	return ret;
}
