/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches of new objects: what becomes loose and what a pack, order, duplicates,
 * reading back at every stage, streams, bounded memory, and every failing call.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include "bulk-checkin.h"
#include "t/fault.h"
#include "fs/file.h"
#include "object-file.h"
#include "pack/pack.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct fsync_batch *fb;
static struct bulk_checkin *bulk;

static int setup(void **state UNUSED)
{
	scratch_setup(NULL);
	assert_int_equal(make_dirs(at(dir, "o/pack"), 0, NULL), 0);
	return 0;
}

static bool (*exists)(void *data, const struct object_id *oid);
static void *exists_data;

static void begin(unsigned limit)
{
	struct fsync_batch_options fo = { .policy = FSYNC_POLICY_DEFAULT };
	struct object_stage_options o = {
		.objdir = at(dir, "o"),
		.algo = hash_sha1,
		.loose_level = 1,
		.pack_level = 1,
		.unpack_limit = limit,
		.big_file_threshold = 1 << 20,
		.exists = exists,
		.exists_data = exists_data,
	};

	o.batch = fb = fsync_batch_new(&fo);
	bulk = bulk_checkin_new(&o);
}

static void end(void)
{
	bulk_checkin_abort(bulk);
	fsync_batch_free(fb);
	bulk = NULL;
	fb = NULL;
	exists = NULL;
}

static void publish(void)
{
	struct err err = ERR_INIT;

	MUST(bulk_checkin_finish(bulk, &err));
	MUST(fsync_batch_commit(fb, &err));
}

static struct object_id add(const char *text)
{
	struct object_id oid, want;
	struct err err = ERR_INIT;

	MUST(bulk_checkin_add(bulk, OBJ_BLOB, text, strlen(text), &oid, &err));
	assert_int_equal(hash_object_buf(hash_sha1, "blob", text, strlen(text), &want, NULL), 0);
	assert_true(oid_eq(&oid, &want));
	return oid;
}

static void expect_text(const struct object_id *oid, const char *text)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct err err = ERR_INIT;

	assert_true(bulk_checkin_has(bulk, oid));
	MUST(bulk_checkin_read(bulk, oid, &buf, &err));
	assert_int_equal(buf.type, OBJ_BLOB);
	assert_int_equal(buf.size, strlen(text));
	assert_string_equal(buf.data, text);
	MUST(bulk_checkin_info(bulk, oid, &info, &err));
	assert_int_equal(info.type, OBJ_BLOB);
	assert_int_equal(info.size, buf.size);
	object_buf_release(&buf);
}

static size_t count_lines(const char *text, const char *needle)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, needle)); p++)
		n++;
	return n;
}

/* Files below o/: loose objects, packs; staging directories must be gone. */
static void expect_files(size_t loose, size_t packs)
{
	char *tree = tree_of(dir);
	size_t all = count_lines(tree, "\nf o/") + !strncmp(tree, "f o/", 4);

	assert_int_equal(count_lines(tree, ".pack "), packs);
	assert_int_equal(count_lines(tree, ".idx "), packs);
	assert_int_equal(count_lines(tree, ".rev "), packs);
	assert_int_equal(all - 3 * packs, loose);
	assert_null(strstr(tree, "tmp_"));
	free(tree);
}

/* ---- loose ---- */

static void few_are_loose(void **state UNUSED)
{
	struct object_id a, b, empty;
	struct stat st;
	struct strbuf path = STRBUF_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	begin(100);
	a = add("a\n");
	b = add("b\n");
	empty = add("");
	assert_int_equal(bulk_checkin_count(bulk), 3);
	expect_text(&a, "a\n");
	expect_text(&empty, "");
	expect_files(0, 0);
	MUST(bulk_checkin_finish(bulk, &err));
	expect_text(&a, "a\n"); /* from the staging directory */
	MUST(fsync_batch_publish(fb, &err));
	expect_text(&b, "b\n"); /* from its place */
	MUST(fsync_batch_commit(fb, &err));
	assert_false(bulk_checkin_has_pack(bulk));
	end();
	expect_files(3, 0);
	loose_object_path(&path, at(dir, "o"), &a);
	assert_int_equal(stat(path.buf, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0444);
	MUST(loose_object_read(at(dir, "o"), &empty, hash_sha1, 0, &buf, &err));
	assert_int_equal(buf.size, 0);
	object_buf_release(&buf);
	strbuf_release(&path);
}

static void empty_batch_leaves_nothing(void **state UNUSED)
{
	begin(100);
	publish();
	end();
	expect_files(0, 0);
	begin(100);
	add("given up");
	end();
	expect_files(0, 0);
}

static void aborted_after_staging(void **state UNUSED)
{
	struct err err = ERR_INIT;

	begin(2);
	add("x");
	add("y");
	add("z");
	MUST(bulk_checkin_finish(bulk, &err));
	fsync_batch_abort(fb);
	end();
	expect_files(0, 0);
}

static void duplicates_once(void **state UNUSED)
{
	begin(4);
	add("same");
	add("same");
	add("same");
	add("other");
	add("same");
	assert_int_equal(bulk_checkin_count(bulk), 2);
	publish();
	end();
	expect_files(2, 0);
}

static bool always(void *data, const struct object_id *oid UNUSED)
{
	(*(atomic_int *)data)++;
	return true;
}

static void known_is_not_written(void **state UNUSED)
{
	atomic_int asked = 0;

	exists = always;
	exists_data = &asked;
	begin(100);
	add("known");
	assert_int_equal(asked, 1);
	assert_int_equal(bulk_checkin_count(bulk), 0);
	publish();
	end();
	expect_files(0, 0);
}

static void shared_permissions(void **state UNUSED)
{
	struct fsync_batch_options fo = { .policy = FSYNC_POLICY_DEFAULT };
	struct object_stage_options o = { .objdir = at(dir, "o"), .algo = hash_sha1,
					  .shared_perm = SHARED_PERM_GROUP, .unpack_limit = 100 };
	struct strbuf path = STRBUF_INIT;
	struct object_id oid;
	struct stat st;
	mode_t before = umask(077);

	o.batch = fb = fsync_batch_new(&fo);
	bulk = bulk_checkin_new(&o);
	oid = add("shared");
	publish();
	end();
	umask(before);
	loose_object_path(&path, at(dir, "o"), &oid);
	assert_int_equal(stat(path.buf, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0440);
	strbuf_release(&path);
}

/* ---- packs ---- */

static const char *text_of(int i)
{
	static _Thread_local char text[64];

	snprintf(text, sizeof(text), "object number %d\n", i);
	return text;
}

static void many_are_a_pack(void **state UNUSED)
{
	struct object_id first, last;

	begin(10);
	first = add(text_of(0));
	for (int i = 1; i < 9; i++)
		add(text_of(i));
	assert_false(bulk_checkin_has_pack(bulk));
	last = add(text_of(9)); /* the tenth */
	assert_true(bulk_checkin_has_pack(bulk));
	add(text_of(0));
	assert_int_equal(bulk_checkin_count(bulk), 10);
	expect_text(&first, text_of(0));
	expect_text(&last, text_of(9));
	publish();
	expect_text(&first, text_of(0));
	end();
	expect_files(0, 1);
}

static void limit_0_is_never(void **state UNUSED)
{
	begin(0);
	for (int i = 0; i < 300; i++)
		add(text_of(i));
	publish();
	end();
	expect_files(300, 0);
}

static void continues_after_finish(void **state UNUSED)
{
	struct object_id a, b, c;
	struct err err = ERR_INIT;

	begin(2);
	a = add("a");
	add("a2");
	MUST(bulk_checkin_finish(bulk, &err));
	MUST(fsync_batch_publish(fb, &err));
	b = add("b"); /* counted anew: loose */
	assert_int_equal(bulk_checkin_count(bulk), 3);
	publish();
	add("a");
	c = add("c");
	add("c2");
	publish();
	expect_text(&a, "a");
	expect_text(&b, "b");
	expect_text(&c, "c");
	end();
	expect_files(1, 2);
}

/* ---- jobs ---- */

struct job {
	int number;
	size_t size;   /* of content, if not 0 */
	int fail_with; /* instead of producing */
};

static int next_done;
static int nr_failed;
static atomic_int threads_seen;

static int produce(void *data, struct object_buf *out, struct err *err)
{
	struct job *j = data;

	if (j->fail_with)
		return err_set(err, j->fail_with, "cannot read 'file %d'", j->number);
	out->type = OBJ_BLOB;
	out->size = j->size ? j->size : strlen(text_of(j->number));
	out->data = xcalloc(1, out->size + 1);
	memcpy(out->data, text_of(j->number), strlen(text_of(j->number)));
	threads_seen++;
	return 0;
}

static void done(void *data, int rc, const struct object_id *oid, struct err *err)
{
	struct job *j = data;

	assert_int_equal(j->number, next_done);
	next_done++;
	if (rc < 0) {
		assert_null(oid);
		assert_non_null(err->msg);
		nr_failed++;
	} else if (!j->size) {
		struct object_id want;
		const char *text = text_of(j->number);

		assert_int_equal(hash_object_buf(hash_sha1, "blob", text, strlen(text), &want,
						 NULL), 0);
		assert_true(oid_eq(oid, &want));
	}
	free(j);
}

static void submit(int number, size_t size, int fail_with)
{
	struct job *j = xcalloc(1, sizeof(*j));
	struct bulk_checkin_job job = { produce, done, j, size };

	j->number = number;
	j->size = size;
	j->fail_with = fail_with;
	bulk_checkin_submit(bulk, &job);
}

static int collect(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

static void jobs_keep_their_order(void **state UNUSED)
{
	struct oid_array all = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	int nr = 3000;

	next_done = nr_failed = 0;
	begin(50);
	for (int i = 0; i < nr; i++)
		submit(i, 0, i % 500 == 499 ? ERR_IO : 0);
	MUST(bulk_checkin_drain(bulk, &err));
	assert_int_equal(next_done, nr);
	assert_int_equal(nr_failed, 6);
	bulk_checkin_foreach(bulk, collect, &all);
	assert_int_equal(all.nr, nr - 6);
	for (int i = 0, n = 0; i < nr; i++) {
		struct object_id want;

		if (i % 500 == 499)
			continue;
		assert_int_equal(hash_object_buf(hash_sha1, "blob", text_of(i), strlen(text_of(i)),
						 &want, NULL), 0);
		assert_true(oid_eq(&all.oid[n++], &want));
	}
	oid_array_clear(&all);
	publish();
	end();
	expect_files(0, 1);
}

/* Reading checks the hash of a loose object. */
static int read_one(void *data UNUSED, const struct object_id *oid)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	MUST(bulk_checkin_read(bulk, oid, &buf, &err));
	assert_int_equal(buf.size, (size_t)20 << 20);
	object_buf_release(&buf);
	return 0;
}

/* Many more jobs than may be in flight at once; and more bytes than may be held. */
static void big_jobs(void **state UNUSED)
{
	struct err err = ERR_INIT;

	for (int limit = 0; limit <= 4; limit += 4) {
		next_done = nr_failed = 0;
		begin((unsigned)limit);
		for (int i = 0; i < 6; i++)
			submit(i, (size_t)20 << 20, 0);
		MUST(bulk_checkin_drain(bulk, &err));
		assert_int_equal(next_done, 6);
		assert_int_equal(nr_failed, 0);
		assert_int_equal(bulk_checkin_count(bulk), 6);
		publish();
		bulk_checkin_foreach(bulk, read_one, NULL);
		end();
	}
	/* the second time two or three were loose before the limit was reached */
}

static void *read_all_the_time(void *stop)
{
	struct object_id oid;

	while (!atomic_load((atomic_bool *)stop)) {
		struct object_buf buf = OBJECT_BUF_INIT;

		(void)!hash_object_buf(hash_sha1, "blob", text_of(7), strlen(text_of(7)), &oid, NULL);
		if (!bulk_checkin_read(bulk, &oid, &buf, NULL) &&
		    strcmp(buf.data, text_of(7)))
			return (void *)"wrong content";
		if (!buf.data && bulk_checkin_has(bulk, &oid) &&
		    bulk_checkin_read(bulk, &oid, &buf, NULL) < 0)
			return (void *)"there, then not";
		object_buf_release(&buf);
	}
	return NULL;
}

static void concurrent_readers(void **state UNUSED)
{
	atomic_bool stop = false;
	pthread_t reader;
	void *complaint;
	struct err err = ERR_INIT;

	next_done = nr_failed = 0;
	begin(60);
	pthread_create(&reader, NULL, read_all_the_time, &stop);
	for (int i = 0; i < 1000; i++)
		submit(i, 0, 0);
	MUST(bulk_checkin_drain(bulk, &err));
	publish();
	atomic_store(&stop, true);
	pthread_join(reader, &complaint);
	if (complaint)
		fail_msg("%s", (const char *)complaint);
	end();
}

/* ---- streams ---- */

static int file_of(const char *name, size_t size, int seed)
{
	int fd = open(at(dir, "%s", name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	char *p = xmalloc(size);

	for (size_t i = 0; i < size; i++)
		p[i] = (char)(i * (i >> 7) + (size_t)seed);
	assert_int_equal(write(fd, p, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	free(p);
	return fd;
}

static void streams_into_the_pack(void **state UNUSED)
{
	size_t size = 3 << 20;
	int fd = file_of("big", size, 1);
	struct object_id oid, again, small;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	begin(100);
	small = add("small");
	MUST(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size, "big", &oid, &err));
	/* the same once more: cut off again */
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	MUST(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size, "big", &again, &err));
	assert_true(oid_eq(&oid, &again));
	assert_int_equal(bulk_checkin_count(bulk), 2);
	MUST(bulk_checkin_read(bulk, &oid, &buf, &err));
	assert_int_equal(buf.size, size);
	assert_int_equal(hash_object_buf(hash_sha1, "blob", buf.data, buf.size, &again, NULL), 0);
	assert_true(oid_eq(&oid, &again));
	object_buf_release(&buf);
	publish();
	expect_text(&small, "small");
	end();
	close(fd);
	unlink(at(dir, "big"));
	expect_files(1, 1);
}

static void stream_of_known_leaves_no_pack(void **state UNUSED)
{
	size_t size = 2 << 20;
	int fd = file_of("big", size, 2);
	atomic_int asked = 0;
	struct object_id oid;
	struct err err = ERR_INIT;

	exists = always;
	exists_data = &asked;
	begin(100);
	MUST(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size, "big", &oid, &err));
	assert_int_equal(asked, 1);
	publish();
	end();
	close(fd);
	unlink(at(dir, "big"));
	expect_files(0, 0);
}

static void stream_of_other_length(void **state UNUSED)
{
	size_t size = 1 << 20;
	int fd = file_of("big", size, 3);
	struct object_id oid = { .algo = 9 };
	struct err err = ERR_INIT;

	begin(100);
	assert_int_equal(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size + 1, "big", &oid, &err),
			 ERR_IO);
	assert_string_equal(err_message(&err), "'big' became shorter while it was read");
	err_release(&err);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size - 1, "big", &oid, &err),
			 ERR_IO);
	assert_string_equal(err_message(&err), "'big' became longer while it was read");
	err_release(&err);
	assert_int_equal(oid.algo, 9);
	/* the batch can still be used */
	lseek(fd, 0, SEEK_SET);
	MUST(bulk_checkin_stream(bulk, OBJ_BLOB, fd, size, "big", &oid, &err));
	assert_int_equal(bulk_checkin_count(bulk), 1);
	publish();
	end();
	close(fd);
	unlink(at(dir, "big"));
	expect_files(0, 1);
}

/* ---- faults ---- */

/* Everything that a batch can do; the first failure, or 0. */
static int run_batch(unsigned limit, struct err *err)
{
	int fd = file_of("big", 1 << 20, 4);
	struct object_id oid;
	int rc = 0;

	begin(limit);
	next_done = nr_failed = 0;
	for (int i = 0; i < 12; i++)
		submit(i, 0, 0);
	rc = bulk_checkin_drain(bulk, err);
	assert_int_equal(next_done, 12);
	assert_int_equal(nr_failed > 0, rc < 0);
	if (!rc)
		rc = bulk_checkin_stream(bulk, OBJ_BLOB, fd, 1 << 20, "big", &oid, err);
	if (!rc)
		rc = bulk_checkin_add(bulk, OBJ_BLOB, "last", 4, &oid, err);
	if (!rc)
		rc = bulk_checkin_finish(bulk, err);
	if (!rc)
		rc = fsync_batch_commit(fb, err);
	end();
	close(fd);
	unlink(at(dir, "big"));
	return rc;
}

/* Was the call that was made to fail one that removes something? */
static bool removal_failed(void)
{
	const char *hit = strstr(fault_text(), "(injected)");

	while (hit && hit > fault_text() && hit[-1] != '\n')
		hit--;
	return hit && (starts_with(hit, "rmdir ") || starts_with(hit, "unlink "));
}

static void sweep(unsigned limit, int fail_errno, bool short_write)
{
	size_t n = 0;
	bool more = true;

	while (more) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct err err = ERR_INIT;
		int rc;

		plan.fail_at = ++n;
		plan.fail_errno = fail_errno;
		plan.short_write = short_write;
		fault_install(&plan);
		rc = run_batch(limit, &err);
		more = fault_counted() >= n;
		if (removal_failed()) {
			/* a file that cannot be removed is not a failure */
			assert_int_equal(rc, 0);
			fault_remove();
		} else if (rc < 0) {
			char *tree;

			assert_non_null(err.msg);
			fault_remove();
			tree = tree_of(dir);
			if (strstr(tree, "tmp_"))
				fail_msg("call %zu, %s: litter:\n%s", n, err.msg, tree);
			/* ERR_UNCERTAIN: names may be there */
			if (rc != ERR_UNCERTAIN && strstr(tree, "\nf "))
				fail_msg("call %zu, %s: published:\n%s", n, err.msg, tree);
			free(tree);
		} else {
			fault_remove();
			if (limit)
				expect_files(0, 1);
			else
				expect_files(13, 1);
		}
		err_release(&err);
		assert_int_equal(remove_tree(at(dir, "o"), false, NULL), 0);
		assert_int_equal(make_dirs(at(dir, "o/pack"), 0, NULL), 0);
	}
	assert_true(n > 10);
}

static void every_call_fails_packed(void **state UNUSED)
{
	sweep(10, ENOSPC, false);
	sweep(10, 0, true);
}

static void every_call_fails_loose(void **state UNUSED)
{
	sweep(0, ENOSPC, false);
	sweep(0, EINTR, false);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(few_are_loose),
		T(empty_batch_leaves_nothing),
		T(aborted_after_staging),
		T(duplicates_once),
		T(known_is_not_written),
		T(shared_permissions),
		T(many_are_a_pack),
		T(limit_0_is_never),
		T(continues_after_finish),
		T(jobs_keep_their_order),
		T(big_jobs),
		T(concurrent_readers),
		T(streams_into_the_pack),
		T(stream_of_known_leaves_no_pack),
		T(stream_of_other_length),
		T(every_call_fails_packed),
		T(every_call_fails_loose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
