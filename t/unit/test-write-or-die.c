/* SPDX-License-Identifier: GPL-2.0-only */
/* Full reads and writes; what the values of core.fsync mean. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include "t/fault.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "write-or-die.h"


/* ---- core.fsync ---- */

#define GITS_DEFAULT (FSYNC_PACK | FSYNC_PACK_METADATA | FSYNC_COMMIT_GRAPH)

static char unknown[100];

static void remember(void *data UNUSED, const char *word)
{
	strcat(unknown, word);
	strcat(unknown, ";");
}

static unsigned components(const char *value)
{
	unsigned set = 0;

	*unknown = '\0';
	fsync_components_parse(value, &set, remember, NULL);
	return set;
}

static void components_of_core_fsync(void **state UNUSED)
{
	const unsigned other = FSYNC_OTHER;

	assert_int_equal(components("none"), 0);
	assert_int_equal(components(""), FSYNC_ALL);
	assert_int_equal(components("all"), FSYNC_ALL);
	assert_int_equal(components("none,loose-object"), FSYNC_LOOSE_OBJECT | other);
	assert_int_equal(components("none,objects"), FSYNC_LOOSE_OBJECT | FSYNC_PACK | other);
	assert_int_equal(components("none,derived-metadata"),
			 FSYNC_PACK_METADATA | FSYNC_COMMIT_GRAPH | other);
	assert_int_equal(components("none,committed"), FSYNC_LOOSE_OBJECT | FSYNC_PACK | other);
	assert_int_equal(components("none,added"),
			 FSYNC_LOOSE_OBJECT | FSYNC_PACK | FSYNC_INDEX | other);
	assert_int_equal(components("none,index,reference,object-map"),
			 FSYNC_INDEX | FSYNC_REFERENCE | FSYNC_OBJECT_MAP | other);
	assert_int_equal(components("none,pack,pack-metadata,commit-graph"),
			 GITS_DEFAULT | other);
	/* As in Git a value adds to, and takes from, Git's default. */
	assert_int_equal(components("default"), GITS_DEFAULT | other);
	assert_int_equal(components("reference"), GITS_DEFAULT | FSYNC_REFERENCE | other);
	assert_int_equal(components("-pack"), (GITS_DEFAULT & ~FSYNC_PACK) | other);
	assert_int_equal(components("all,-loose-object"), FSYNC_ALL & ~FSYNC_LOOSE_OBJECT);
	assert_int_equal(components("index,none"), 0);
	assert_int_equal(components("all , -index\t,-reference"),
			 FSYNC_ALL & ~(FSYNC_INDEX | FSYNC_REFERENCE));
	assert_string_equal(unknown, "");
}

static void unknown_components_are_told(void **state UNUSED)
{
	assert_int_equal(components("none,indexx,index,-packs,,pac"), FSYNC_INDEX | FSYNC_OTHER);
	assert_string_equal(unknown, "indexx;packs;pac;");
	assert_int_equal(components("Index"), GITS_DEFAULT | FSYNC_OTHER);
	assert_string_equal(unknown, "Index;");
}

static void methods(void **state UNUSED)
{
	enum fsync_method m = FSYNC_METHOD_FSYNC;

	assert_int_equal(fsync_method_parse("batch", &m), 0);
	assert_int_equal(m, FSYNC_METHOD_BATCH);
	assert_int_equal(fsync_method_parse("writeout-only", &m), 0);
	assert_int_equal(m, FSYNC_METHOD_WRITEOUT_ONLY);
	assert_int_equal(fsync_method_parse("nonsense", &m), -1);
	assert_int_equal(m, FSYNC_METHOD_WRITEOUT_ONLY);
	assert_int_equal(fsync_method_parse("fsync", &m), 0);
	assert_int_equal(m, FSYNC_METHOD_FSYNC);
}

/* ---- full writes ---- */

static void short_and_interrupted_writes(void **state UNUSED)
{
	static const int errnos[] = { 0, EINTR };

	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		int fd = new_file(at(dir, "f"), "");
		struct iovec iov[4] = { { "abc", 3 }, { "", 0 }, { "defghi", 6 }, { "none of it", 10 } };
		char *text;

		plan.fail_at = 1;
		plan.short_write = !errnos[i];
		plan.fail_errno = errnos[i];
		fault_install(&plan);
		assert_int_equal(write_in_full(fd, "0123456789", 10, "f", NULL), 0);
		assert_true(fault_hit());
		fault_install(&plan);
		assert_int_equal(writev_in_full(fd, iov, 3, "f", NULL), 0);
		assert_true(fault_hit());
		fault_remove();
		close(fd);
		text = read_text(at(dir, "f"));
		assert_string_equal(text, "0123456789abcdefghi");
		free(text);
		unlink(at(dir, "f"));
	}
}

static void failed_writes(void **state UNUSED)
{
	struct iovec iov = { "x", 1 };
	struct err err = ERR_INIT;
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		skip();
	assert_int_equal(write_in_full(fd, "x", 1, "the/path", &err), ERR_IO);
	assert_string_equal(err.msg, "unable to write 'the/path': No space left on device");
	assert_int_equal(err.sys_errno, ENOSPC);
	err_release(&err);
	assert_int_equal(writev_in_full(fd, &iov, 1, "the/path", &err), ERR_IO);
	err_release(&err);
	close(fd);
}

/* More elements than one call takes, more bytes than one call moves. */
static void long_vectors(void **state UNUSED)
{
	const size_t nr = 3000, big = 2 * MAX_IO_SIZE + 5;
	struct iovec *iov = xcalloc(nr, sizeof(*iov));
	char *data = xcalloc(1, big);
	int fd = new_file(at(dir, "f"), "");
	struct stat st;

	for (size_t i = 0; i < nr; i++)
		iov[i] = (struct iovec){ "ab", i % 3 };
	iov[1500] = (struct iovec){ data, big };
	assert_int_equal(writev_in_full(fd, iov, (int)nr, "f", NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal((size_t)st.st_size, nr + big); /* 1500 had none */
	close(fd);
	free(data);
	free(iov);
}

static void *drain(void *data)
{
	int fd = *(int *)data;
	char buf[5000];
	size_t *sum = xcalloc(1, sizeof(*sum));
	ssize_t n;

	while ((n = read_in_full(fd, buf, sizeof(buf))) > 0)
		*sum += (size_t)n;
	return sum;
}

/* A pipe that does not block is waited for, at both ends. */
static void pipes_that_do_not_block(void **state UNUSED)
{
	const size_t len = 1 << 20;
	char *data = xcalloc(1, len);
	pthread_t thread;
	void *sum;
	int p[2];

	assert_int_equal(pipe2(p, O_NONBLOCK | O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, drain, &p[0]), 0);
	assert_int_equal(write_in_full(p[1], data, len, "pipe", NULL), 0);
	close(p[1]);
	assert_int_equal(pthread_join(thread, &sum), 0);
	assert_int_equal(*(size_t *)sum, len);
	close(p[0]);
	free(sum);
	free(data);
}

static void reads(void **state UNUSED)
{
	int fd = new_file(at(dir, "f"), "0123456789");
	char buf[20] = "";

	assert_int_equal(pread_in_full(fd, buf, sizeof(buf), 4), 6);
	assert_memory_equal(buf, "456789", 6);
	assert_int_equal(pread_in_full(fd, buf, 3, 2), 3);
	assert_memory_equal(buf, "234", 3);
	assert_int_equal(pread_in_full(fd, buf, 3, 100), 0);
	assert_int_equal(read_in_full(-1, buf, 3), -1);
	close(fd);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(components_of_core_fsync),
		T(unknown_components_are_told),
		T(methods),
		T(short_and_interrupted_writes),
		T(failed_writes),
		T(long_vectors),
		T(pipes_that_do_not_block),
		T(reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
