/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A platform on which a call moves 1000 bytes in 3 pieces at most, and takes less than it is given when it
 * likes: the writers of packets and packs, over it, to pipes and sockets that do not wait. The functions
 * below are compiled here once more, with these limits, and used in place of the library's.
 */
#define MAX_IO_SIZE ((size_t)1000)
#define TEST_IOV_MAX 3
#include "write-or-die.c"
#include "compat/writev.c"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <sys/socket.h>
#include "relay/relay.h"
#include "sideband.h"
#include "t/unit/scratch.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"

/* ---- the platform: its mood is a sequence that is the same in each run ---- */

static struct {
	uint64_t state;
	bool moody;	     /* EINTR, EAGAIN, less than asked for */
	bool without_writev; /* compat_writev */
	size_t nr_calls, nr_eintr, nr_eagain, nr_partial;
} platform;

static unsigned dice(unsigned sides)
{
	platform.state = platform.state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(platform.state >> 33) % sides;
}

/* 0: the call is made, with at most *len bytes. */
static int interfere(size_t *len)
{
	platform.nr_calls++;
	if (!platform.moody)
		return 0;
	switch (dice(5)) {
	case 0:
		platform.nr_eintr++;
		errno = EINTR;
		return -1;
	case 1:
		platform.nr_eagain++;
		errno = EAGAIN;
		return -1;
	case 2:
		platform.nr_partial += *len > 1;
		*len = 1 + dice((unsigned)*len);
		return 0;
	default:
		return 0;
	}
}

static ssize_t small_write(int fd, const void *p, size_t len)
{
	assert_in_range(len, 1, MAX_IO_SIZE);
	return interfere(&len) ? -1 : write(fd, p, len);
}

/* So little that there are many calls, however much has come already. */
static ssize_t small_read(int fd, void *p, size_t len)
{
	if (len > 100)
		len = 100;
	return interfere(&len) ? -1 : read(fd, p, len);
}

static ssize_t small_writev(int fd, const struct iovec *iov, int nr)
{
	struct iovec part[TEST_IOV_MAX];
	size_t sum = 0, len;
	int n = 0;

	assert_in_range(nr, 1, TEST_IOV_MAX);
	for (int i = 0; i < nr; i++)
		sum += iov[i].iov_len;
	assert_in_range(sum, 1, MAX_IO_SIZE);
	len = sum;
	if (interfere(&len))
		return -1;
	for (; len; n++) {
		part[n] = iov[n];
		if (part[n].iov_len > len)
			part[n].iov_len = len;
		len -= part[n].iov_len;
	}
	return platform.without_writev ? compat_writev(fd, part, n) : writev(fd, part, n);
}

/* ---- a peer ---- */

struct peer {
	int fd[2]; /* it reads from the first */
	pthread_t thread;
	struct strbuf got;
};

static void *collect(void *data)
{
	struct peer *p = data;
	char buf[700];
	ssize_t n;

	while ((n = read(p->fd[0], buf, sizeof(buf))) > 0)
		strbuf_add(&p->got, buf, (size_t)n);
	return NULL;
}

static void peer_start(struct peer *p, bool socket)
{
	strbuf_init(&p->got, 0);
	if (socket)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->fd), 0);
	else
		assert_int_equal(pipe2(p->fd, O_CLOEXEC), 0);
	assert_int_equal(fcntl(p->fd[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&p->thread, NULL, collect, p), 0);
}

static void peer_end(struct peer *p)
{
	close(p->fd[1]);
	assert_int_equal(pthread_join(p->thread, NULL), 0);
	close(p->fd[0]);
}

/* In all eight combinations: moody or not, writev or ours, pipe or socket. */
static void in_all_ways(void (*fn)(struct peer *p))
{
	struct syscall_table table = syscalls_native;

	table.write = small_write;
	table.writev = small_writev;
	for (unsigned way = 0; way < 8; way++) {
		struct peer p;

		memset(&platform, 0, sizeof(platform));
		platform.state = way;
		platform.moody = way & 1;
		platform.without_writev = way & 2;
		peer_start(&p, way & 4);
		sys = &table;
		fn(&p);
		sys = &syscalls_native;
		assert_true(!platform.moody || (platform.nr_eintr && platform.nr_eagain && platform.nr_partial));
		strbuf_release(&p.got);
	}
}

/* ---- writers ---- */

static char byte_at(size_t i)
{
	return (char)(i * 13 + i / 253);
}

static char *make_bytes(size_t len)
{
	char *p = xmalloc(len);

	for (size_t i = 0; i < len; i++)
		p[i] = byte_at(i);
	return p;
}

static void write_buffers(struct peer *p)
{
	const size_t len = 100000;
	char *bytes = make_bytes(len);
	struct iovec iov[400];

	assert_int_equal(write_in_full(p->fd[1], bytes, len, "peer", NULL), 0);
	for (size_t i = 0, at = 0; i < ARRAY_SIZE(iov); i++) {
		size_t n = i == 200 ? 5000 : i % 7;

		iov[i] = (struct iovec){ bytes + at, n };
		at += n;
	}
	assert_int_equal(writev_in_full(p->fd[1], iov, (int)ARRAY_SIZE(iov), "peer", NULL), 0);
	peer_end(p);
	assert_true(p->got.len > len + 5000 && p->got.len < 2 * len);
	assert_memory_equal(p->got.buf, bytes, len);
	assert_memory_equal(p->got.buf + len, bytes, p->got.len - len);
	free(bytes);
}

static void buffers(void **state UNUSED)
{
	in_all_ways(write_buffers);
}

static void write_bands(struct peer *p)
{
	const size_t len = 3 * 65515 + 100;
	char *bytes = make_bytes(len);
	struct iovec pieces[] = { { bytes, 10 }, { bytes + 10, 70000 }, { bytes + 70010, len - 70010 } };
	const char *at;
	size_t left = len;

	assert_int_equal(sideband_send(p->fd[1], 0, SIDEBAND_LARGE, BAND_PACK, pieces, 3, NULL), 0);
	peer_end(p);
	assert_int_equal(p->got.len, len + 4 * 5);
	for (at = p->got.buf; left; ) {
		size_t n = left < 65515 ? left : 65515;
		char head[6];

		snprintf(head, sizeof(head), "%04x\1", (unsigned)(n + 5) & 0xffff);
		assert_memory_equal(at, head, 5);
		assert_memory_equal(at + 5, bytes + (len - left), n);
		at += 5 + n;
		left -= n;
	}
	free(bytes);
}

static void bands(void **state UNUSED)
{
	in_all_ways(write_bands);
}

static void write_packets(struct peer *p)
{
	struct pkt_writer w;
	struct strbuf expect = STRBUF_INIT;

	pkt_writer_init(&w, p->fd[1]);
	for (int i = 0; i < 20000; i++) {
		pkt_writer_addf(&w, "%020d\n", i);
		strbuf_addf(&expect, "0019%020d\n", i);
	}
	pkt_writer_flush(&w);
	strbuf_addstr(&expect, "0000");
	assert_int_equal(pkt_writer_send(&w, NULL), 0);
	pkt_writer_release(&w);
	peer_end(p);
	assert_string_equal(p->got.buf, expect.buf);
	strbuf_release(&expect);
}

static void packets(void **state UNUSED)
{
	in_all_ways(write_packets);
}

static int source(void *data UNUSED, struct relay_queue *out, struct err *err)
{
	char *bytes = make_bytes(300000);
	int rc = relay_queue_write(out, bytes, 300000, err);

	free(bytes);
	return rc;
}

static void write_pack(struct peer *p)
{
	struct pack_relay_options o = { .fd = p->fd[1], .mode = SIDEBAND_NONE };
	char *bytes = make_bytes(300000);

	assert_int_equal(pack_relay_function(&o, source, NULL, NULL), 0);
	peer_end(p);
	assert_int_equal(p->got.len, 300000);
	assert_memory_equal(p->got.buf, bytes, 300000);
	free(bytes);
}

static void packs(void **state UNUSED)
{
	in_all_ways(write_pack);
}

/* ---- reading packets, as they come ---- */

static void *write_slowly(void *data)
{
	int fd = *(int *)data;
	char line[32];

	for (int i = 0; i < 2000; i++) {
		int n = snprintf(line, sizeof(line), "%04xline %d\n", 10 + (i > 9) + (i > 99) + (i > 999) + 1, i);

		if (write(fd, line, (size_t)n) != n)
			abort();
	}
	close(fd);
	return NULL;
}

static void reading(void **state UNUSED)
{
	struct syscall_table table = syscalls_native;
	char expect[32];
	pthread_t thread;

	table.read = small_read;
	for (int socket = 0; socket <= 1; socket++) {
		struct pkt_reader r;
		int p[2];

		memset(&platform, 0, sizeof(platform));
		platform.moody = true;
		assert_int_equal(socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p)
					: pipe2(p, O_CLOEXEC), 0);
		assert_int_equal(fcntl(p[0], F_SETFL, O_NONBLOCK), 0);
		assert_int_equal(pthread_create(&thread, NULL, write_slowly, &p[1]), 0);
		sys = &table;
		pkt_reader_init(&r, p[0]);
		for (int i = 0; i < 2000; i++) {
			assert_int_equal(pkt_reader_line(&r, NULL), PKT_DATA);
			snprintf(expect, sizeof(expect), "line %d", i);
			assert_string_equal(r.line, expect);
		}
		assert_int_equal(pkt_reader_line(&r, NULL), PKT_EOF);
		sys = &syscalls_native;
		pkt_reader_release(&r);
		pthread_join(thread, NULL);
		close(p[0]);
		assert_true(platform.nr_eintr && platform.nr_eagain && platform.nr_partial);
	}
}

/* ---- our writev: what it refuses ---- */

static void our_writev(void **state UNUSED)
{
	struct iovec iov[4] = { { "abc", 3 }, { "", 0 }, { "defg", 4 }, { "", 0 } };
	int fd = new_file(at(dir, "f"), "");
	char *text;

	assert_int_equal(compat_writev(fd, iov, 3), 7);
	assert_int_equal(compat_writev(fd, iov, 4), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(compat_writev(fd, iov, -1), -1);
	iov[1].iov_len = SSIZE_MAX;
	assert_int_equal(compat_writev(fd, iov, 3), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
	text = read_text(at(dir, "f"));
	assert_string_equal(text, "abcdefg");
	free(text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(buffers), T(bands), T(packets), T(packs), T(reading), T(our_writev),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
