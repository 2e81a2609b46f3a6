/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing files in threads. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fsync/batch.h"
#include "util/workers.h"
#include "worktree/write-files-internal.h"
#include "write-or-die.h"

/* ---- places ---- */

static void set_kind(const struct writer *w, struct write_job *j)
{
	if (MODE_IS_GITLINK(j->e->mode)) {
		j->kind = BY_GITLINK;
	} else if (MODE_IS_SYMLINK(j->e->mode)) {
		j->kind = BY_LINK;
	} else {
		converter_lookup(w->c, j->e->name, &j->cv);
		/* drivers are looked up, and run, by one thread */
		j->kind = j->cv.filter ? BY_FILTER : BY_THREAD;
	}
}

static void clear_range(void *data, size_t begin, size_t end)
{
	struct writer *w = data;

	for (size_t i = begin; i < end; i++) {
		struct write_job *j = &w->jobs[i];

		if (j->state != TO_CLEAR)
			continue;
		set_kind(w, j);
		if (j->kind != BY_GITLINK &&
		    (!sys->unlink(j->e->name) || errno == ENOENT))
			j->state = TO_WRITE;
	}
}

void write_clear_places(struct writer *w, int threads)
{
	workers_parallel_for(w->nr, 32, threads, clear_range, w);
}

/* ---- files ---- */

/* data: NULL: the blob is streamed. */
static int fill_new_file(const struct writer *w, struct write_job *j, const void *data, size_t len)
{
	mode_t mode = j->e->mode == MODE_EXEC ? 0777 : 0666;
	int fd = (int)RETRY_EINTR(sys->open(j->e->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
					    O_NOFOLLOW, mode));
	struct stat st;
	int rc;

	if (fd < 0)
		return -1;
	rc = data ? write_in_full(fd, data, len, j->e->name, NULL) :
		worktree_checkout_stream(w->r, &j->e->oid, fd, j->e->name, NULL);
	if (!rc && fstat(fd, &st) < 0)
		rc = -1;
	if (!rc && w->batch)
		fsync_batch_await(w->batch, j->e->name, fd);
	else if (sys->close(fd) < 0)
		rc = -1;
	if (rc < 0)
		sys->unlink(j->e->name);
	else
		stat_data_fill(&j->stat, &st);
	return rc;
}

/* What does not go smoothly here is left to the main thread, which can tell why. */
static void write_job(const struct writer *w, struct write_job *j)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf out = STRBUF_INIT;
	int rc = worktree_checkout_read(w->r, &j->e->oid, &j->cv, &buf, NULL);
	const bool streamed = rc == ERR_TOO_BIG && conversion_is_noop_to_worktree(&j->cv);

	if (!rc)
		rc = convert_to_worktree(w->c, j->e->name, &j->cv, buf.data, buf.size, &j->e->oid, &out,
					 &j->warn, NULL);
	if (streamed)
		rc = fill_new_file(w, j, NULL, 0);
	else if (rc > 0)
		rc = fill_new_file(w, j, out.buf, out.len);
	else if (!rc)
		rc = fill_new_file(w, j, buf.data ? buf.data : "", buf.size);
	if (!rc)
		j->state = WRITTEN;
	else
		strbuf_reset(&j->warn);
	strbuf_release(&out);
	object_buf_release(&buf);
}

/* Jobs of one round. */
struct round {
	struct writer *w;
	struct write_job **jobs;
};

static void write_range(void *data, size_t begin, size_t end)
{
	struct round *r = data;

	for (size_t i = begin; i < end; i++) {
		write_job(r->w, r->jobs[i]);
		r->w->written += r->jobs[i]->state == WRITTEN;
	}
}

int write_thread_count(const struct repository *r, size_t nr, int *threads, struct err *err)
{
	int workers = 0, threshold = 100;

	if (config_get_int(r->config, "checkout.workers", &workers, err) < 0 ||
	    config_get_int(r->config, "checkout.thresholdforparallelism", &threshold, err) < 0)
		return ERR_INVALID;
	*threads = workers < 1 ? 0 : workers > 64 ? 64 : workers;
	if (threshold > 0 && nr < (size_t)threshold)
		*threads = 1;
	return 0;
}

/* So many at a time: progress is shown in between. */
#define ROUND 2048

static void write_rounds(struct writer *w, int threads, bool tell)
{
	for (size_t i = 0; i < w->nr_threaded; i += ROUND) {
		struct round r = { w, w->threaded + i };
		size_t left = w->nr_threaded - i;

		workers_parallel_for(left < ROUND ? left : ROUND, 32, threads, write_range, &r);
		if (tell)
			progress_update(w->progress, w->done + w->written);
	}
}

struct background {
	struct writer *w;
	int threads;
};

static void *write_in_background(void *data)
{
	struct background *b = data;

	write_rounds(b->w, b->threads, false);
	return NULL;
}

static void take_results(struct writer *w)
{
	for (size_t i = 0; i < w->nr_threaded; i++) {
		struct write_job *j = w->threaded[i];

		if (j->state != WRITTEN)
			continue;
		repo_report_lines(w->r, j->warn.buf);
		j->e->stat = j->stat;
		j->e->flags |= CE_UPTODATE;
		w->ix->changed = true;
	}
}

int write_jobs(struct writer *w, void (*meanwhile)(void *data), void *data, struct err *err)
{
	struct background b = { w, 1 };
	pthread_t thread;
	int ret = write_thread_count(w->r, w->nr_threaded, &b.threads, err);
	bool apart;

	if (ret < 0)
		return ret;
	apart = meanwhile && w->nr_threaded && start_thread(&thread, write_in_background, &b);
	if (!apart)
		write_rounds(w, b.threads, true);
	if (meanwhile)
		meanwhile(data);
	if (apart)
		pthread_join(thread, NULL);
	take_results(w);
	return 0;
}
