/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stage-bench DIR FILES BYTES METHOD RUNS
 *
 * Measures fsync/batch alone: FILES new files of BYTES each, written to
 * temporary names in DIR and published in 16 directories, as one operation.
 * METHOD: batch, fsync, writeout-only, none, or one-by-one: each file is
 * awaited before the next one is written (a window of one), for comparison. Prints
 * "METHOD MEDIAN-MS FLUSHES WRITEOUTS". The clock runs from the first open to
 * the return of commit.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fsync/batch.h"
#include "util/alloc.h"
#include "util/trace2.h"

struct bench {
	const char *dir, *method;
	int files;
	size_t bytes;
	char *content;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static struct fsync_batch *new_batch(const struct bench *b)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	if (!strcmp(b->method, "none"))
		o.policy.components = 0;
	else if (!strcmp(b->method, "one-by-one"))
		o.window = 1;
	else if (fsync_method_parse(b->method, &o.policy.method) < 0)
		die(b->method);
	return fsync_batch_new(&o);
}

static void write_one(const struct bench *b, struct fsync_batch *batch, const char *top, int i)
{
	struct fsync_staging s = {
		.component = FSYNC_LOOSE_OBJECT,
		.order = PUBLISH_LOOSE_OBJECT,
		.how = PUBLISH_RENAME,
	};
	char tmp[PATH_MAX], final[PATH_MAX];

	snprintf(tmp, sizeof(tmp), "%s/tmp_%d", top, i);
	snprintf(final, sizeof(final), "%s/%x/%d", top, i % 16, i);
	s.fd = sys->open(tmp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
	s.tmp_path = tmp;
	s.final_path = final;
	if (s.fd < 0 || write_in_full(s.fd, b->content, b->bytes, tmp, NULL) < 0 ||
	    fsync_batch_stage(batch, &s, NULL) < 0)
		die(tmp);
}

static char *top_of(const struct bench *b, int number)
{
	return xstrfmt("%s/stage-bench-%ld-%d", b->dir, (long)getpid(), number);
}

/*
 * After the last run: ext4 without a journal passes over inodes that were
 * freed a short while ago one by one, which would be measured as our cost.
 */
static void clean_up(const struct bench *b, int runs)
{
	for (int i = 0; i < runs; i++) {
		char *top = top_of(b, i);

		if (remove_tree(top, false, NULL) < 0)
			die(top);
		free(top);
	}
}

static double run(const struct bench *b, int number)
{
	char *top = top_of(b, number);
	double start, ms;
	struct fsync_batch *batch;
	struct err err = ERR_INIT;

	for (int i = -1; i < 16; i++) {
		char *sub = i < 0 ? xstrdup(top) : xstrfmt("%s/%x", top, i);

		if (make_dir(sub, 0, NULL) < 0)
			die(sub);
		free(sub);
	}
	sync(); /* what others left dirty is not our cost */
	start = now_ms();
	batch = new_batch(b);
	for (int i = 0; i < b->files; i++)
		write_one(b, batch, top, i);
	if (fsync_batch_commit(batch, &err) < 0) {
		fprintf(stderr, "%s\n", err_message(&err));
		exit(1);
	}
	ms = now_ms() - start;
	fsync_batch_free(batch);
	free(top);
	return ms;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct bench b;
	double *ms;
	int runs;

	if (argc != 6) {
		fprintf(stderr, "usage: stage-bench DIR FILES BYTES METHOD RUNS\n");
		return 129;
	}
	b.dir = argv[1];
	b.files = atoi(argv[2]);
	b.bytes = strtoul(argv[3], NULL, 10);
	b.method = argv[4];
	b.content = xcalloc(1, b.bytes);
	runs = atoi(argv[5]);
	if (b.files < 1 || runs < 1)
		return 129;
	ALLOC_ARRAY(ms, (size_t)runs);
	for (int i = 0; i < runs; i++)
		ms[i] = run(&b, i);
	qsort(ms, (size_t)runs, sizeof(*ms), compare);
	printf("%-14s %8.1f ms (best %.1f) %8ju flushes %8ju writeouts\n", b.method,
	       ms[runs / 2], ms[0],
	       (uintmax_t)(trace2_counter_get(TRACE2_COUNTER_HARDWARE_FLUSH) / (uintmax_t)runs),
	       (uintmax_t)(trace2_counter_get(TRACE2_COUNTER_WRITEOUT_ONLY) / (uintmax_t)runs));
	clean_up(&b, runs);
	free(ms);
	free(b.content);
	return 0;
}
