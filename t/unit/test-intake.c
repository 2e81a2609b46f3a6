/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that reads packs, and the one that passes them on: each of them can end first, and neither waits for the other then. Without
 * that these tests hang.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "intake/confined.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
/* More than both sockets hold. */
#define ANSWER_BYTES ((size_t)4 << 20)

static struct repository *repo;
static struct err err;

static int setup(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	err_init(&err);
	return 0;
}

static int teardown(void **state UNUSED)
{
	err_release(&err);
	return scratch_repo_teardown(&repo);
}

/* ---- the sources ---- */

static int read_for_ever(void *data, void *buf, size_t len, size_t *got, struct err *e UNUSED)
{
	size_t *pieces = data;

	memset(buf, 'x', len);
	*got = len;
	++*pieces;
	return 0;
}

static bool is_never_ready(void *data UNUSED)
{
	return false;
}

static bool is_ready_once(void *data)
{
	return !*(size_t *)data;
}

/* ---- the process ---- */

static int answer_after(const struct intake_place *place, size_t len, struct err *e)
{
	char buf[1000];
	size_t got;
	int rc = len ? intake_input_next(place->input, e) : 0;

	if (rc > 0)
		rc = intake_input_read(place->input, buf, len, &got, e);
	for (size_t i = 0; i < ANSWER_BYTES; i++)
		strbuf_addch(place->answer, (char)('a' + i % 26));
	return rc;
}

static int answer_at_once(void *data UNUSED, const struct intake_place *place, struct err *e)
{
	return answer_after(place, 0, e);
}

static int answer_after_some(void *data UNUSED, const struct intake_place *place, struct err *e)
{
	return answer_after(place, 1000, e);
}

static int fail_at_once(void *data UNUSED, const struct intake_place *place UNUSED, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "no pack");
}

/* ---- both ---- */

static int receive_from(const struct intake_source *source, int (*fn)(void *data, const struct intake_place *place, struct err *e),
			struct intake_result *result)
{
	const struct intake_policy policy = { .form = INTAKE_PACKED };
	const struct intake in = { .receive = fn, .source = source, .policy = &policy, .fd = -1, .name = "reader", .answer_max = ANSWER_BYTES };
	struct repo_operation *op = repo_operation_begin(repo);
	int rc = intake_receive(repo, op, &in, result, &err);

	return repo_operation_end(op, rc, &err);
}

static void assert_answer(const struct intake_source *source, int (*fn)(void *data, const struct intake_place *place, struct err *e))
{
	struct intake_result result;

	MUST(receive_from(source, fn, &result));
	assert_int_equal(result.answer.len, ANSWER_BYTES);
	assert_int_equal(result.answer.buf[ANSWER_BYTES - 1], 'a' + (ANSWER_BYTES - 1) % 26);
	intake_result_release(&result);
}

/* It sends, while the process answers: each would wait for the other to read. */
static void test_source_goes_on(void **state UNUSED)
{
	size_t pieces = 0;
	const struct intake_source source = { .read = read_for_ever, .fd = -1, .data = &pieces };

	assert_answer(&source, answer_after_some);
	assert_true(pieces > 0);
	assert_answer(&source, answer_at_once);
}

/* The session, or the file, that it waits for says nothing more. */
static void test_source_waits(void **state UNUSED)
{
	size_t pieces = 0;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_answer(&(struct intake_source){ .read = read_for_ever, .ready = is_never_ready, .fd = fds[0], .data = &pieces },
		      answer_at_once);
	assert_int_equal(pieces, 0);
	assert_answer(&(struct intake_source){ .read = read_for_ever, .ready = is_ready_once, .fd = fds[0], .data = &pieces },
		      answer_after_some);
	assert_int_equal(pieces, 1);
	close(fds[0]);
	close(fds[1]);
}

static void test_process_fails(void **state UNUSED)
{
	size_t pieces = 0;
	const struct intake_source source = { .read = read_for_ever, .fd = -1, .data = &pieces };
	struct intake_result result;

	assert_int_equal(receive_from(&source, fail_at_once, &result), ERR_CORRUPT);
	assert_string_equal(err_message(&err), "no pack");
	intake_result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_source_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(test_source_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_process_fails, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
