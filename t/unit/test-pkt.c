/* SPDX-License-Identifier: GPL-2.0-only */
/* pkt-lines: buffered reading and writing; bands; writev where there is none. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "compat/writev.h"
#include "sideband.h"
#include "t/fault.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"
#include "write-or-die.h"

/* ---- reading ---- */

static void reader_on(struct pkt_reader *r, const char *text, size_t len)
{
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(write_in_full(p[1], text, len, "pipe", NULL), 0);
	close(p[1]);
	pkt_reader_init(r, p[0]);
}

static void reader_done(struct pkt_reader *r)
{
	close(r->fd);
	pkt_reader_release(r);
}

static void packets_are_read(void **state UNUSED)
{
	static const char text[] = "0006a\n0005b000000010002000400090a\0b\n0007xyz";
	struct pkt_reader r;

	reader_on(&r, text, sizeof(text) - 1);
	assert_int_equal(pkt_reader_line(&r, NULL), PKT_DATA);
	assert_string_equal(r.line, "a");
	assert_int_equal(pkt_reader_line(&r, NULL), PKT_DATA);
	assert_string_equal(r.line, "b");
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_FLUSH);
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_DELIM);
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_RESPONSE_END);
	assert_int_equal(pkt_reader_line(&r, NULL), PKT_DATA);
	assert_int_equal(r.len, 0);
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_DATA);
	assert_int_equal(r.len, 5);
	assert_memory_equal(r.line, "0a\0b\n", 6);
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_DATA);
	assert_string_equal(r.line, "xyz");
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_EOF);
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_EOF);
	reader_done(&r);
}

/* Many packets, some of them as long as can be, across the ends of the buffer. */
static void packets_across_the_buffer(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct pkt_reader r;
	int fd;

	for (int i = 0; i < 50; i++) {
		int len = i % 5 == 4 ? PKT_MAX : 1000 + i * 37;

		strbuf_addf(&text, "%04x", (unsigned)len);
		strbuf_addchars(&text, 'a' + i % 26, (size_t)len - 4);
	}
	fd = new_file(at(dir, "packets"), "");
	assert_int_equal(write_in_full(fd, text.buf, text.len, "f", NULL), 0);
	lseek(fd, 0, SEEK_SET);
	pkt_reader_init(&r, fd);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(pkt_reader_next(&r, NULL), PKT_DATA);
		assert_int_equal(r.len, (i % 5 == 4 ? PKT_MAX : 1000 + i * 37) - 4);
		assert_int_equal(r.line[0], 'a' + i % 26);
		assert_int_equal(r.line[r.len - 1], 'a' + i % 26);
		assert_int_equal(r.line[r.len], 0);
	}
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_EOF);
	reader_done(&r);
	strbuf_release(&text);
}

static void malformed_packets(void **state UNUSED)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "00", "the remote end hung up unexpectedly" },
		{ "0009abc", "the remote end hung up unexpectedly" },
		{ "0003", "protocol error: bad line length 3" },
		{ "00x0", "protocol error: bad line length character: 00x0" },
		{ "fff1", "protocol error: bad line length 65517" },
		{ "-001", "protocol error: bad line length character: -001" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct pkt_reader r;

		reader_on(&r, cases[i].text, strlen(cases[i].text));
		assert_int_equal(pkt_reader_next(&r, &err), ERR_CORRUPT);
		assert_string_equal(err_message(&err), cases[i].message);
		err_release(&err);
		reader_done(&r);
	}
}

static void a_peer_that_is_silent(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct pkt_reader r;
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pkt_reader_init(&r, p[0]);
	r.timeout_s = 1;
	assert_int_equal(pkt_reader_next(&r, &err), ERR_IO);
	assert_string_equal(err_message(&err), "the client has been silent for 1 seconds");
	err_release(&err);
	close(p[1]);
	reader_done(&r);
}

/* ---- writing ---- */

static void packets_are_written(void **state UNUSED)
{
	int fd = new_file(at(dir, "out"), "");
	struct pkt_writer w;
	struct strbuf *pieces;
	char *text;

	pkt_writer_init(&w, fd);
	pkt_writer_addf(&w, "want %d\n", 7);
	pieces = pkt_writer_begin(&w);
	strbuf_addstr(pieces, "in ");
	strbuf_addstr(pieces, "several pieces");
	pkt_writer_end(&w);
	pkt_writer_delim(&w);
	pkt_writer_add(&w, "", 0);
	w.band = 1;
	pkt_writer_addf(&w, "x");
	pkt_writer_flush(&w);
	pkt_writer_response_end(&w);
	text = read_text(at(dir, "out"));
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(pkt_writer_send(&w, NULL), 0);
	text = read_text(at(dir, "out"));
	assert_string_equal(text, "000bwant 7\n0015in several pieces000100040006\1x00000002");
	free(text);
	pkt_writer_release(&w);
	close(fd);
}

static void few_writes(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	int fd = new_file(at(dir, "out"), "");
	struct pkt_writer w;

	plan.only = "write";
	fault_install(&plan);
	pkt_writer_init(&w, fd);
	for (int i = 0; i < 100000; i++)
		pkt_writer_addf(&w, "%042d\n", i);
	assert_int_equal(pkt_writer_send(&w, NULL), 0);
	assert_int_equal(fault_counted(), 100000 * 47 / (64 * 1024) + 1);
	fault_remove();
	pkt_writer_release(&w);
	close(fd);
}

static void the_first_failure_stays(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct pkt_writer w;
	char *line = xmalloc(70000);

	memset(line, 'x', 70000);
	line[69999] = '\0';
	pkt_writer_init(&w, -1);
	pkt_writer_addf(&w, "%s", line);
	assert_true(pkt_writer_failed(&w));
	pkt_writer_addf(&w, "more");
	assert_int_equal(pkt_writer_send(&w, &err), ERR_TOO_BIG);
	assert_non_null(strstr(err_message(&err), "line of 69999 bytes does not fit in a packet: 'xxx"));
	assert_int_equal(pkt_writer_send(&w, NULL), ERR_TOO_BIG);
	err_release(&err);
	pkt_writer_release(&w);
	pkt_writer_init(&w, -1);
	pkt_writer_addf(&w, "lost");
	assert_int_equal(pkt_writer_send(&w, NULL), ERR_IO);
	pkt_writer_release(&w);
	free(line);
}

/* 65516 bytes of payload, no more; on a band one less. After a reset the reason can be sent. */
static void what_does_not_fit_can_be_told(void **state UNUSED)
{
	static char line[70000];

	memset(line, 'y', sizeof(line));
	for (unsigned char band = 0; band <= 1; band++) {
		int fd = new_file(at(dir, band ? "second" : "first"), "");
		size_t max = PKT_MAX - 4 - band;
		struct pkt_writer w;
		char *text;

		pkt_writer_init(&w, fd);
		w.band = band;
		pkt_writer_add(&w, line, max);
		assert_int_equal(pkt_writer_send(&w, NULL), 0);
		pkt_writer_add(&w, line, max + 1);
		assert_int_equal(pkt_writer_send(&w, NULL), ERR_TOO_BIG);
		pkt_writer_reset(&w);
		w.band = 0;
		pkt_writer_addf(&w, "ERR why");
		assert_int_equal(pkt_writer_send(&w, NULL), 0);
		text = read_text(at(dir, band ? "second" : "first"));
		assert_int_equal(strlen(text), PKT_MAX + 11);
		assert_string_equal(text + PKT_MAX, "000bERR why");
		free(text);
		pkt_writer_release(&w);
		close(fd);
	}
}

static void a_reset_forgives_nothing_else(void **state UNUSED)
{
	struct pkt_writer w;

	pkt_writer_init(&w, -1);
	pkt_writer_addf(&w, "lost");
	assert_int_equal(pkt_writer_send(&w, NULL), ERR_IO);
	pkt_writer_reset(&w);
	assert_true(pkt_writer_failed(&w));
	pkt_writer_release(&w);
}

/* ---- bands ---- */

/* Pieces of any sizes become the same packets. */
static void pieces_do_not_show(void **state UNUSED)
{
	static const size_t sizes[] = { 0, 1, 65514, 1, 70000, 0, 0, 131030, 3 };
	struct iovec pieces[300 + ARRAY_SIZE(sizes)];
	char *data = xmalloc(300000), *text;
	int fd = new_file(at(dir, "out"), "");
	size_t len = 0, nr = 0, at_byte = 0;
	struct pkt_reader r;

	for (size_t i = 0; i < 300000; i++)
		data[i] = (char)('a' + i % 23);
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t n = i < 300 ? 5 : sizes[i - 300];

		pieces[nr++] = (struct iovec){ data + len, n };
		len += n;
	}
	assert_int_equal(sideband_send(fd, 0, SIDEBAND_LARGE, BAND_PACK, pieces, nr, NULL), 0);
	lseek(fd, 0, SEEK_SET);
	pkt_reader_init(&r, fd);
	while (at_byte < len) {
		size_t want = len - at_byte < 65515 ? len - at_byte : 65515;

		assert_int_equal(pkt_reader_next(&r, NULL), PKT_DATA);
		assert_int_equal(r.len, want + 1);
		assert_int_equal(r.line[0], BAND_PACK);
		assert_memory_equal(r.line + 1, data + at_byte, want);
		at_byte += want;
	}
	assert_int_equal(pkt_reader_next(&r, NULL), PKT_EOF);
	reader_done(&r);
	fd = new_file(at(dir, "plain"), "");
	assert_int_equal(sideband_send(fd, 0, SIDEBAND_NONE, BAND_TEXT, pieces, nr, NULL), 0);
	assert_int_equal(sideband_send(fd, 0, SIDEBAND_NONE, BAND_PACK, pieces, nr, NULL), 0);
	text = read_text(at(dir, "plain"));
	assert_memory_equal(text, data, len);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), len);
	free(text);
	close(fd);
	free(data);
}

/* ---- writev of our own ---- */

static void a_writev_of_our_own(void **state UNUSED)
{
	struct iovec iov[3] = { { "ab", 2 }, { "", 0 }, { "cde", 3 } };
	int fd = new_file(at(dir, "out"), "");
	char *text;

	assert_int_equal(compat_writev(fd, iov, 3), 5);
	assert_int_equal(compat_writev(fd, iov, 0), 0);
	text = read_text(at(dir, "out"));
	assert_string_equal(text, "abcde");
	free(text);
	assert_int_equal(compat_writev(fd, iov, -1), -1);
	assert_int_equal(errno, EINVAL);
	iov[1].iov_len = SSIZE_MAX - 4;
	assert_int_equal(compat_writev(fd, iov, 3), -1);
	assert_int_equal(errno, EINVAL);
	iov[1].iov_len = SIZE_MAX;
	assert_int_equal(compat_writev(fd, iov, 3), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(compat_writev(-1, iov, 1), -1);
	assert_int_equal(errno, EBADF);
	close(fd);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(packets_are_read),
		T(packets_across_the_buffer),
		T(malformed_packets),
		T(a_peer_that_is_silent),
		T(packets_are_written),
		T(few_writes),
		T(the_first_failure_stays),
		T(what_does_not_fit_can_be_told),
		T(a_reset_forgives_nothing_else),
		T(pieces_do_not_show),
		T(a_writev_of_our_own),
	};

	return cmocka_run_group_tests_name("pkt", tests, NULL, NULL);
}
