/* SPDX-License-Identifier: GPL-2.0-only */
/* The pool of threads. To be run under ThreadSanitizer, too. */
#include "compat/posix.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <cmocka.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "hash/hash.h"
#include "util/alloc.h"
#include "util/workers.h"

struct job {
	int number;
	uint64_t result;
	pthread_t ran_in;
};

static int next_done; /* by done(): in the submitting thread alone */
static pthread_t submitter;

static void run_job(void *arg)
{
	struct job *job = arg;
	uint64_t x = (uint64_t)job->number + 1;

	/* Jobs of different length, so that they end out of order. */
	for (int i = 0; i < (job->number * 7919) % 3000; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
	job->result = x | 1;
	job->ran_in = pthread_self();
}

static void done_job(void *arg)
{
	struct job *job = arg;

	assert_true(pthread_equal(pthread_self(), submitter));
	assert_int_equal(job->number, next_done);
	assert_true(job->result & 1);
	next_done++;
}

static void check_pool(int threads, size_t bound, int jobs)
{
	struct workers *w = workers_new(threads, bound);
	struct job *job = xcalloc((size_t)jobs + 1, sizeof(*job));

	next_done = 0;
	submitter = pthread_self();
	for (int i = 0; i < jobs; i++) {
		job[i].number = i;
		workers_submit(w, run_job, done_job, &job[i]);
		assert_true(i + 1 - next_done <= (int)bound);
	}
	workers_drain(w);
	assert_int_equal(next_done, jobs);
	workers_drain(w);
	workers_free(w);
	free(job);
}

static void test_order(void **state)
{
	(void)state;
	check_pool(1, 4, 100);
	check_pool(2, 1, 200);
	check_pool(4, 3, 2000);
	check_pool(3, 64, 2000);
	check_pool(0, 16, 500);
	check_pool(4, 16, 0);
	check_pool(4, 16, 1);
}

static void test_free_drains(void **state)
{
	struct workers *w = workers_new(3, 8);
	struct job job[8] = { { 0 } };

	(void)state;
	next_done = 0;
	submitter = pthread_self();
	for (int i = 0; i < 8; i++) {
		job[i].number = i;
		workers_submit(w, run_job, done_job, &job[i]);
	}
	workers_free(w);
	assert_int_equal(next_done, 8);
	workers_free(NULL);
}

/* A single job runs in the caller's thread, because starting a thread costs more. */
static void test_single_job_needs_no_thread(void **state)
{
	struct workers *w = workers_new(4, 8);
	struct job job = { 0 };

	(void)state;
	next_done = 0;
	submitter = pthread_self();
	workers_submit(w, run_job, done_job, &job);
	workers_drain(w);
	assert_true(pthread_equal(job.ran_in, submitter));
	workers_submit(w, run_job, NULL, &job);
	workers_free(w);
}

static atomic_int signals_open;

static void look_at_mask(void *arg)
{
	sigset_t now;

	(void)arg;
	if (pthread_equal(pthread_self(), submitter))
		return;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	if (!sigismember(&now, SIGTERM) || !sigismember(&now, SIGINT))
		signals_open++;
}

static void test_threads_take_no_signals(void **state)
{
	struct workers *w = workers_new(2, 64);
	sigset_t now;

	(void)state;
	submitter = pthread_self();
	for (int i = 0; i < 100; i++)
		workers_submit(w, look_at_mask, NULL, NULL);
	workers_free(w);
	assert_int_equal(signals_open, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_false(sigismember(&now, SIGTERM));
}

#ifdef __linux__
static long descriptor_table_size(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long size = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "FDSize: %ld", &size) == 1)
			break;
	fclose(f);
	return size;
}

static void *do_nothing(void *arg)
{
	return arg;
}

/* In a process of its own: the table never shrinks, and others here have started threads. */
static void test_descriptors_are_reserved(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		pthread_t thread;

		if (descriptor_table_size() >= 512 || !start_thread(&thread, do_nothing, NULL))
			_exit(2);
		pthread_join(thread, NULL);
		_exit(descriptor_table_size() < 512);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
#endif

static void add_up(void *data, size_t begin, size_t end)
{
	unsigned char *seen = data;

	for (size_t i = begin; i < end; i++)
		seen[i]++;
}

static void test_parallel_for(void **state)
{
	static const struct {
		size_t nr, min_chunk;
		int threads;
	} cases[] = {
		{ 0, 1, 2 },   { 1, 1, 4 },	  { 1000, 1, 4 },  { 1000, 0, 2 },
		{ 1000, 999, 4 }, { 7, 1000, 4 }, { 12345, 10, 0 }, { 500, 1, 500 },
	};
	unsigned char *seen = xmalloc(12345);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(seen, 0, 12345);
		workers_parallel_for(cases[i].nr, cases[i].min_chunk, cases[i].threads,
				     add_up, seen);
		for (size_t n = 0; n < 12345; n++)
			assert_int_equal(seen[n], n < cases[i].nr);
	}
	free(seen);
	assert_true(os_cpu_count() >= 1);
}

/* hash_buf uses a context of its own in each thread. */
static void hash_range(void *data, size_t begin, size_t end)
{
	struct object_id *oid = data;

	for (size_t i = begin; i < end; i++)
		assert_int_equal(hash_object_buf(i % 2 ? hash_sha1 : hash_sha256, "blob", &i,
						 sizeof(i), &oid[i], NULL), 0);
}

static void test_hashing_in_threads(void **state)
{
	struct object_id *one = xcalloc(4000, sizeof(*one));
	struct object_id *many = xcalloc(4000, sizeof(*many));

	(void)state;
	hash_range(one, 0, 4000);
	workers_parallel_for(4000, 1, 4, hash_range, many);
	assert_memory_equal(one, many, 4000 * sizeof(*one));
	free(one);
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __linux__
		cmocka_unit_test(test_descriptors_are_reserved), /* before any other thread */
#endif
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_free_drains),
		cmocka_unit_test(test_single_job_needs_no_thread),
		cmocka_unit_test(test_threads_take_no_signals),
		cmocka_unit_test(test_parallel_for),
		cmocka_unit_test(test_hashing_in_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
