/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs on their way to a client: packets, the keepalive clock, the byte held back, failures. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "compat/writev.h"
#include "relay/relay-internal.h"
#include "t/fault.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "wire/pkt-line.h"
#include "write-or-die.h"

/* ---- a client that keeps what it gets ---- */

struct client {
	int pipe[2];
	pthread_t thread;
	size_t limit;		    /* hangs up after so many bytes; 0: never */
	unsigned pause_ms;	    /* before it reads anything */
	const atomic_size_t *waits_for; /* it reads nothing before this is */
	size_t waits_until;
	unsigned slow_us;	    /* before each read */
	const atomic_size_t *made;  /* looked at after the pause */
	size_t made_by_then;
	/*
	 * Files below $DIR that it opens for writing, so that a command that reads them goes on: before_data after an empty
	 * packet, at_data after one with data, after_data after one with data and an empty one.
	 */
	const char *before_data, *at_data, *after_data;
	struct strbuf all;	    /* as it came */
	atomic_size_t got;	    /* its length, for a source that waits */
	struct strbuf band[4];
	size_t nr_packets, nr_full, nr_empty;
	size_t lens[64];	    /* payloads of the first packets, the band not counted */
};

#define LOOKS_MAX 60000 /* for what does not come */

static void sleep_ms(unsigned ms)
{
	usleep(ms * 1000);
}

static void wait_until(const atomic_size_t *nr, size_t until)
{
	for (int i = 0; i < LOOKS_MAX && *nr < until; i++)
		sleep_ms(1);
}

static void touch(const char **name)
{
	char *path = *name ? xstrfmt("%s/%s", dir, *name) : NULL;

	if (path)
		close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	free(path);
	*name = NULL;
}

static void let_go_on(struct client *c)
{
	bool data = false, empty = false;

	for (size_t at = 0, len; at + 5 <= c->all.len; at += len) {
		len = (size_t)pkt_parse_length(c->all.buf + at);
		if (at + len > c->all.len)
			break;
		empty = len == 5;
		data |= !empty;
	}
	if (data)
		touch(&c->at_data);
	if (empty)
		touch(data ? &c->after_data : &c->before_data);
}

static void *read_all(void *data)
{
	struct client *c = data;
	char buf[10000];
	ssize_t n;

	usleep(c->pause_ms * 1000);
	if (c->waits_for)
		wait_until(c->waits_for, c->waits_until);
	if (c->made)
		c->made_by_then = *c->made;
	while ((n = read(c->pipe[0], buf, sizeof(buf))) > 0) {
		usleep(c->slow_us);
		strbuf_add(&c->all, buf, (size_t)n);
		c->got = c->all.len;
		if (c->before_data || c->at_data || c->after_data)
			let_go_on(c);
		if (c->limit && c->all.len >= c->limit)
			break;
	}
	close(c->pipe[0]);
	return NULL;
}

static void client_start_with(struct client *c, const struct client *how)
{
	*c = *how;
	strbuf_init(&c->all, 0);
	for (int i = 0; i < 4; i++)
		strbuf_init(&c->band[i], 0);
	assert_int_equal(pipe2(c->pipe, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&c->thread, NULL, read_all, c), 0);
}

static void client_start(struct client *c, size_t limit)
{
	client_start_with(c, &(struct client){ .limit = limit });
}

/* Wait for the end, then take the packets apart. */
static void client_end(struct client *c, enum sideband_mode mode)
{
	size_t at = 0;

	close(c->pipe[1]);
	pthread_join(c->thread, NULL);
	while (mode != SIDEBAND_NONE && !c->limit && at < c->all.len) {
		int len = pkt_parse_length(c->all.buf + at), band;

		assert_in_range(len, 5, 65520);
		assert_true(at + (size_t)len <= c->all.len);
		band = c->all.buf[at + 4];
		assert_in_range(band, 1, 3);
		strbuf_add(&c->band[band], c->all.buf + at + 5, (size_t)len - 5);
		if (c->nr_packets < ARRAY_SIZE(c->lens))
			c->lens[c->nr_packets] = (size_t)len - 5;
		c->nr_packets++;
		c->nr_full += (size_t)len - 5 == sideband_payload_max(mode);
		c->nr_empty += len == 5;
		at += (size_t)len;
	}
}

static void client_release(struct client *c)
{
	strbuf_release(&c->all);
	for (int i = 0; i < 4; i++)
		strbuf_release(&c->band[i]);
}

/* ---- sources ---- */

struct source {
	size_t total, piece;
	size_t stop_at;	     /* another pause after so many bytes */
	unsigned stop_ms;
	const atomic_size_t *got; /* instead of a time: the first pause lasts until it is pause_got, */
	size_t pause_got, stop_got; /* and the other one until it has grown by stop_got */
	const char *text;    /* for the user, before everything else */
	int rc;
	bool without_copy;
	bool seen_unwanted;
	atomic_size_t made;
};

static char byte_at(size_t i)
{
	return (char)(i * 7 + i / 251);
}

static int put(struct source *s, struct relay_queue *out, size_t at, size_t len, struct err *err)
{
	char *copy;
	int rc;

	if (s->without_copy && len <= RELAY_ROOM_MAX) {
		void *p;

		if ((rc = relay_queue_reserve(out, len, &p, err)) < 0)
			return rc;
		for (size_t i = 0; i < len; i++)
			((char *)p)[i] = byte_at(at + i);
		return relay_queue_write(out, p, len, err);
	}
	copy = xmalloc(len);
	for (size_t i = 0; i < len; i++)
		copy[i] = byte_at(at + i);
	rc = relay_queue_write(out, copy, len, err);
	free(copy);
	return rc;
}

static int produce(void *data, struct relay_queue *out, struct err *err)
{
	struct source *s = data;
	int rc;

	if (s->text)
		relay_queue_text(out, s->text, strlen(s->text));
	if (s->got)
		wait_until(s->got, s->pause_got);
	for (size_t at = 0; at < s->total; at += s->piece) {
		size_t n = s->total - at < s->piece ? s->total - at : s->piece;

		if ((rc = put(s, out, at, n, err)) < 0) {
			s->seen_unwanted = relay_queue_is_unwanted(out);
			return rc;
		}
		s->made += n;
		if (at + n >= s->stop_at && at < s->stop_at) {
			sleep_ms(s->stop_ms);
			if (s->got)
				wait_until(s->got, *s->got + s->stop_got);
		}
	}
	return s->rc ? err_set(err, s->rc, "it broke") : 0;
}

static void assert_bytes(const struct strbuf *got, size_t len)
{
	assert_int_equal(got->len, len);
	for (size_t i = 0; i < len; i++)
		if (got->buf[i] != byte_at(i))
			fail_msg("byte %zu", i);
}

static int serve(struct client *c, struct source *s, enum sideband_mode mode,
		 int64_t keepalive_ms, struct err *err)
{
	struct pack_relay_options o = { .mode = mode, .keepalive_ms = keepalive_ms };
	int rc;

	o.fd = c->pipe[1];
	rc = pack_relay_function(&o, produce, s, err);
	client_end(c, mode);
	return rc;
}

/* ---- a function ---- */

static void packets_are_full(void **state UNUSED)
{
	static const size_t pieces[] = { 1, 995, 8192, 65514, 65515, 65516, 5000000 };
	static const size_t totals[] = { 1, 65514, 65515, 65516, 131031, 1500000 };

	for (size_t t = 0; t < ARRAY_SIZE(totals); t++) {
		for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
			struct source s = { .total = totals[t], .piece = pieces[i],
					    .without_copy = i % 2 };
			struct client c;

			client_start(&c, 0);
			assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
			assert_bytes(&c.band[1], totals[t]);
			assert_int_equal(c.nr_packets, (totals[t] + 65514) / 65515);
			assert_int_equal(c.nr_full, totals[t] / 65515);
			client_release(&c);
		}
	}
}

static void other_bands(void **state UNUSED)
{
	struct source s = { .total = 300000, .piece = 1000 };
	struct client c;

	client_start(&c, 0);
	assert_int_equal(serve(&c, &s, SIDEBAND_SMALL, 0, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	assert_int_equal(c.nr_packets, (300000 + 994) / 995);
	client_release(&c);
	client_start(&c, 0);
	s.text = "unseen\n";
	assert_int_equal(serve(&c, &s, SIDEBAND_NONE, 1, NULL), 0);
	assert_bytes(&c.all, s.total);
	client_release(&c);
}

/*
 * Sixteen packets, 1 MiB, leave with one call if they are there. The client reads when all has been made; before, the
 * pipe takes four packets, each of which may leave alone, and a fifth call waits.
 */
static void few_calls(void **state UNUSED)
{
	struct source s = { .total = (size_t)3 << 20, .piece = RELAY_ROOM_MAX / 2, .without_copy = true };
	struct client how = { .waits_for = &s.made, .waits_until = s.total }, c;
	struct fault_plan plan = FAULT_PLAN_INIT;

	client_start_with(&c, &how);
	plan.only = "writev";
	fault_install(&plan);
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	assert_in_range(fault_counted(), 4, 9);
	fault_remove();
	client_release(&c);
}

/* A client's pipe is enlarged, and never made smaller. */
static void the_pipe_is_large(void **state UNUSED)
{
	static const int before[] = { 4096, 1 << 20 }, after[] = { 256 * 1024, 1 << 20 };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		struct source s = { .total = 10, .piece = 10 };
		struct pack_relay_options o = { .mode = SIDEBAND_LARGE };
		int ends[2];

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, before[i]), before[i]);
		o.fd = ends[1];
		assert_int_equal(pack_relay_function(&o, produce, &s, NULL), 0);
		assert_int_equal(fcntl(ends[1], F_GETPIPE_SZ), after[i]);
		close(ends[0]);
		close(ends[1]);
	}
}

/* Pieces of many sizes in the queue's own memory, of which more is asked for than used; some are copied. */
static int produce_odd_pieces(void *data, struct relay_queue *out, struct err *err)
{
	struct source *s = data;
	size_t n, at = 0;
	void *p;
	int rc = 0;

	for (unsigned i = 1; at < s->total && !rc; i++, at += n) {
		n = (size_t)i * 7919 % RELAY_ROOM_MAX + 1;
		if (n > s->total - at)
			n = s->total - at;
		s->without_copy = i % 5;
		if (i % 3 == 0)
			rc = relay_queue_reserve(out, RELAY_ROOM_MAX, &p, err);
		if (!rc)
			rc = put(s, out, at, n, err);
	}
	return rc;
}

/* The ring begins anew where a piece has no room up to its end; the client is slower, then faster. */
static void the_ring_goes_round(void **state UNUSED)
{
	for (unsigned pause_ms = 0; pause_ms <= 50; pause_ms += 50) {
		struct source s = { .total = 40000000 };
		struct client how = { .pause_ms = pause_ms }, c;
		struct pack_relay_options o;

		client_start_with(&c, &how);
		o = (struct pack_relay_options){ .fd = c.pipe[1], .mode = SIDEBAND_LARGE };
		assert_int_equal(pack_relay_function(&o, produce_odd_pieces, &s, NULL), 0);
		client_end(&c, SIDEBAND_LARGE);
		assert_bytes(&c.band[1], s.total);
		client_release(&c);
	}
}

/* Calls that do a part, or are interrupted, lose and double nothing. */
static void partial_writes(void **state UNUSED)
{
	for (size_t n = 1; n < 4; n++) {
		struct source s = { .total = 3000000, .piece = 65536 };
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct client c;

		client_start(&c, 0);
		plan.only = "writev";
		plan.fail_at = n;
		plan.short_write = n % 2;
		plan.fail_errno = n % 2 ? 0 : EINTR;
		fault_install(&plan);
		assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
		assert_true(fault_hit());
		fault_remove();
		assert_bytes(&c.band[1], s.total);
		client_release(&c);
	}
}

static void a_client_that_does_not_block(void **state UNUSED)
{
	struct source s = { .total = 3000000, .piece = 65536 };
	struct client c;

	client_start(&c, 0);
	assert_int_equal(fcntl(c.pipe[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	client_release(&c);
}

static void text_has_its_band(void **state UNUSED)
{
	struct source s = { .total = 10, .piece = 10, .text = "Counting: 5\r" };
	struct client c;

	client_start(&c, 0);
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 0, NULL), 0);
	assert_bytes(&c.band[1], 10);
	assert_string_equal(c.band[2].buf, "Counting: 5\r");
	client_release(&c);
}

static void the_last_byte_stays_until_the_end_is_good(void **state UNUSED)
{
	static const size_t totals[] = { 0, 1, 65515, 65516, 200000 };

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		struct source s = { .total = totals[i], .piece = 65536, .rc = ERR_CORRUPT };
		struct err err = ERR_INIT;
		struct client c;

		client_start(&c, 0);
		assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 0, &err), ERR_CORRUPT);
		assert_string_equal(err_message(&err), "it broke");
		assert_true(!totals[i] || c.band[1].len < totals[i]);
		assert_string_equal(c.band[3].buf, "upload-pack: it broke\n");
		client_release(&c);
		err_release(&err);
		client_start(&c, 0);
		assert_int_equal(serve(&c, &s, SIDEBAND_NONE, 0, NULL), ERR_CORRUPT);
		assert_true(!totals[i] || c.all.len < totals[i]);
		client_release(&c);
	}
}

static void a_client_that_hangs_up(void **state UNUSED)
{
	struct source s = { .total = (size_t)64 << 20, .piece = 65536 };
	struct client c;

	client_start(&c, 100000);
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 0, NULL), ERR_IO);
	assert_true(s.seen_unwanted);
	client_release(&c);
}

/* ---- clients that stop reading, or go away while nothing is sent ---- */

/* Works until its flag to stop is set. */
static int work_in_silence(void *data, struct relay_queue *out, struct err *err)
{
	unsigned *steps = data;

	for (*steps = 0; *steps < 1000 && !relay_queue_is_unwanted(out); (*steps)++)
		sleep_ms(20);
	return *steps < 1000 ? err_set(err, ERR_ABORTED, "unwanted") : 0;
}

static void a_client_that_goes_while_objects_are_found(void **state UNUSED)
{
	static const enum sideband_mode modes[] = { SIDEBAND_NONE, SIDEBAND_LARGE };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct pack_relay_options o = { .mode = modes[i], .keepalive_ms = 60000 };
		unsigned steps;
		int p[2];

		assert_int_equal(pipe2(p, O_CLOEXEC), 0);
		close(p[0]);
		o.fd = p[1];
		assert_int_equal(pack_relay_function(&o, work_in_silence, &steps, NULL), ERR_IO);
		assert_true(steps < 1000);
		close(p[1]);
	}
}

static void open_unread(int p[2], bool sockets)
{
	assert_int_equal(sockets ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p)
				 : pipe2(p, O_CLOEXEC), 0);
	assert_true(os_set_nonblocking(p[1]));
	assert_false(os_set_nonblocking(p[1]));
}

static void a_client_that_reads_nothing(void **state UNUSED)
{
	for (int k = 0; k < 4; k++) {
		struct pack_relay_options o = { .mode = k & 1 ? SIDEBAND_NONE : SIDEBAND_LARGE,
						.timeout_s = 1 };
		struct source s = { .total = (size_t)64 << 20, .piece = 65536 };
		struct err err = ERR_INIT;
		int p[2];

		open_unread(p, k & 2);
		o.fd = p[1];
		assert_int_equal(pack_relay_function(&o, produce, &s, &err), ERR_IO);
		assert_string_equal(err_message(&err), "pack data: nothing has been read for 1 seconds");
		assert_true(s.seen_unwanted);
		err_release(&err);
		close(p[0]);
		close(p[1]);
	}
}

/* One wait, not another one for the words that say why. */
static void a_command_whose_client_reads_nothing(void **state UNUSED)
{
	struct pack_relay_options o = { .mode = SIDEBAND_LARGE, .timeout_s = 1 };
	struct child_process cp = CHILD_PROCESS_INIT;
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct err err = ERR_INIT;
	static const char full[4096];
	int p[2];

	open_unread(p, false);
	os_enlarge_pipe(p[1], RELAY_PIPE_BYTES);
	while (write(p[1], full, sizeof(full)) > 0)
		;
	o.fd = p[1];
	strvec_pushl(&cp.args, "sh", "-c", "printf PACK; exec cat /dev/zero", NULL);
	cp.out = cp.err = -1;
	assert_int_equal(start_command(&cp, NULL), 0);
	plan.only = "writev";
	fault_install(&plan);
	assert_int_equal(pack_relay_command(&o, &cp, "the hook", &err), ERR_IO);
	assert_int_equal(fault_counted(), 1);
	fault_remove();
	assert_string_equal(err_message(&err), "pack data: nothing has been read for 1 seconds");
	err_release(&err);
	child_process_release(&cp);
	close(p[0]);
	close(p[1]);
}

/* Each byte that is taken begins the time anew. */
static void *read_slowly(void *data)
{
	char buf[4096];

	for (int i = 0; i < 8; i++) {
		sleep_ms(300);
		if (read(*(int *)data, buf, sizeof(buf)) <= 0)
			break;
	}
	while (read(*(int *)data, buf, sizeof(buf)) > 0)
		;
	return NULL;
}

static void a_client_that_reads_slowly(void **state UNUSED)
{
	struct pack_relay_options o = { .mode = SIDEBAND_LARGE, .timeout_s = 2 };
	struct source s = { .total = 300000, .piece = 65536 };
	pthread_t thread;
	int p[2];

	open_unread(p, false);
	o.fd = p[1];
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &p[0]), 0);
	assert_int_equal(pack_relay_function(&o, produce, &s, NULL), 0);
	close(p[1]);
	pthread_join(thread, NULL);
	close(p[0]);
}

/* ---- the clock: as many as the time allows, never more ---- */

#define EMPTY_PACKET 5 /* bytes; another one of band 1 has so many before its data */

static void silence_is_bridged(void **state UNUSED)
{
	struct source s = { .total = 1000, .piece = 1000, .pause_got = 3 * EMPTY_PACKET };
	int64_t begin = monotonic_ms();
	struct client c;

	client_start(&c, 0);
	s.got = &c.got;
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 100, NULL), 0);
	assert_in_range(c.nr_empty, 3, (size_t)(monotonic_ms() - begin) / 100);
	assert_bytes(&c.band[1], 1000);
	client_release(&c);
}

static void held_bytes_go_before_an_empty_packet(void **state UNUSED)
{
	struct source s = { .total = 66000, .piece = 1000, .stop_at = 1000 };
	struct client c;
	size_t first = 0;

	client_start(&c, 0);
	s.got = &c.got;
	s.stop_got = EMPTY_PACKET + 999 + 3 * EMPTY_PACKET;
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 100, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	while (first + 2 < ARRAY_SIZE(c.lens) && !c.lens[first]) /* the source may have been slow to begin */
		first++;
	assert_int_equal(c.lens[first], 999);
	assert_int_equal(c.lens[first + 1], 0);
	client_release(&c);
}

/* ---- something that is asked ---- */

struct well {
	size_t total, piece, at;
	unsigned pause_ms;  /* before each piece */
	size_t fails_at;    /* SIZE_MAX: never */
};

/* Waits for the given times; a pause may take several calls. */
static int draw(void *data, void *buf, size_t len, size_t *got, int64_t until_ms, struct err *err)
{
	struct well *w = data;
	int64_t left = until_ms - monotonic_ms();
	unsigned pause = w->pause_ms;

	if (w->at >= w->fails_at)
		return err_set(err, ERR_CORRUPT, "it broke");
	if (w->at == w->total)
		return 0;
	assert_true(len > 0);
	if (pause && left < (int64_t)pause) {
		if (left > 0)
			sleep_ms((unsigned)left);
		w->pause_ms = left > 0 ? pause - (unsigned)left : pause;
		return 1;
	}
	sleep_ms(pause);
	*got = w->total - w->at < w->piece ? w->total - w->at : w->piece;
	*got = *got < len ? *got : len;
	for (size_t i = 0; i < *got; i++)
		((char *)buf)[i] = byte_at(w->at + i);
	w->at += *got;
	return 1;
}

static int pull(struct client *c, struct well *w, enum sideband_mode mode, int64_t keepalive_ms,
		uint64_t *sent, struct err *err)
{
	struct pack_relay_options o = { .mode = mode, .keepalive_ms = keepalive_ms };
	int rc;

	o.fd = c->pipe[1];
	rc = pack_relay_pull(&o, draw, w, sent, err);
	client_end(c, mode);
	return rc;
}

static void pulled_packets_are_full(void **state UNUSED)
{
	static const size_t totals[] = { 0, 1, 65514, 65515, 65516, 131031, 3000000 };
	static const size_t pieces[] = { 1000, 65515, 65516, 5000000 };

	for (size_t t = 0; t < ARRAY_SIZE(totals); t++) {
		for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
			struct well w = { .total = totals[t], .piece = pieces[i],
					  .fails_at = SIZE_MAX };
			struct client c;
			uint64_t sent;

			client_start(&c, 0);
			assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 60000, &sent, NULL), 0);
			assert_bytes(&c.band[1], totals[t]);
			assert_int_equal(sent, totals[t]);
			assert_int_equal(c.nr_packets, (totals[t] + 65514) / 65515);
			client_release(&c);
			w.at = 0;
			client_start(&c, 0);
			assert_int_equal(pull(&c, &w, SIDEBAND_NONE, 0, &sent, NULL), 0);
			assert_bytes(&c.all, totals[t]);
			client_release(&c);
		}
	}
}

/* The client is not told: another source may go on. What has gone out is known, the last byte is not in it. */
static void a_pull_that_fails(void **state UNUSED)
{
	static const size_t fails_at[] = { 0, 1, 65515, 65516, 200000, 1048241, 2000000 };

	for (size_t i = 0; i < ARRAY_SIZE(fails_at); i++) {
		struct well w = { .total = 3000000, .piece = fails_at[i] ? fails_at[i] : 1,
				  .fails_at = fails_at[i] };
		struct err err = ERR_INIT;
		struct client c;
		uint64_t sent = 99;

		client_start(&c, 0);
		assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 0, &sent, &err), ERR_CORRUPT);
		assert_string_equal(err_message(&err), "it broke");
		assert_bytes(&c.band[1], sent);
		assert_int_equal(c.band[3].len, 0);
		assert_true(!fails_at[i] ? !sent : sent < w.at);
		client_release(&c);
		err_release(&err);
	}
}

static void a_pull_is_bridged_and_held_bytes_go(void **state UNUSED)
{
	struct well w = { .total = 2000, .piece = 1000, .fails_at = SIZE_MAX, .pause_ms = 350 };
	struct client c;
	uint64_t sent;

	client_start(&c, 0);
	assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 100, &sent, NULL), 0);
	assert_bytes(&c.band[1], 2000);
	assert_true(c.nr_empty >= 2);
	client_release(&c);
	w = (struct well){ .total = 2000, .piece = 2000, .fails_at = SIZE_MAX, .pause_ms = 300 };
	client_start(&c, 0);
	assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 0, &sent, NULL), 0);
	assert_int_equal(c.nr_empty, 0);
	client_release(&c);
}

static void a_client_that_hangs_up_ends_a_pull(void **state UNUSED)
{
	struct well w = { .total = (size_t)64 << 20, .piece = 65536, .fails_at = SIZE_MAX };
	struct client c;
	uint64_t sent;

	client_start(&c, 100000);
	assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 0, &sent, NULL), ERR_IO);
	assert_true(w.at < w.total);
	client_release(&c);
	/* Also while nothing comes. */
	w = (struct well){ .total = 10, .piece = 10, .fails_at = SIZE_MAX, .pause_ms = 60000 };
	client_start(&c, 1);
	assert_int_equal(write(c.pipe[1], "x", 1), 1);
	assert_int_equal(pull(&c, &w, SIDEBAND_LARGE, 50, &sent, NULL), ERR_IO);
	client_release(&c);
}

struct turn {
	int64_t ready_ms;   /* 0: at the second question */
	int nr, rc;
};

#define HOUR_MS 3600000

static int is_my_turn(void *data, int64_t until_ms, struct err *err)
{
	struct turn *t = data;
	int64_t now = monotonic_ms();

	if (t->ready_ms > now) {
		if (until_ms > now)
			sleep_ms((unsigned)((until_ms < t->ready_ms ? until_ms : t->ready_ms) - now));
		return 0;
	}
	if (!t->ready_ms && !t->nr++)
		return 0;
	return t->rc < 0 ? err_set(err, t->rc, "no room") : 1;
}

/* The clock goes on from the one to the other: the interval is an hour, which is over at the first question. */
static void a_client_is_kept_waiting(void **state UNUSED)
{
	int64_t begin = monotonic_ms();
	struct turn t = { .rc = 1 };
	struct pack_relay_options o = { .mode = SIDEBAND_LARGE, .keepalive_ms = HOUR_MS,
					.sent_ms = begin - HOUR_MS };
	struct source s = { .total = 10, .piece = 10, .pause_got = 2 * EMPTY_PACKET };
	struct client c;

	client_start(&c, 0);
	o.fd = c.pipe[1];
	assert_int_equal(pack_relay_await(&o, is_my_turn, &t, NULL), 0);
	assert_true(o.sent_ms >= begin);
	wait_until(&c.got, EMPTY_PACKET);
	assert_int_equal(c.got, EMPTY_PACKET);
	s.got = &c.got;
	o.sent_ms -= HOUR_MS;
	assert_int_equal(pack_relay_function(&o, produce, &s, NULL), 0);
	client_end(&c, SIDEBAND_LARGE);
	assert_int_equal(c.nr_empty, 2);
	assert_bytes(&c.band[1], 10);
	client_release(&c);
	t = (struct turn){ .nr = 1, .rc = ERR_LOCKED };
	client_start(&c, 0);
	o.fd = c.pipe[1];
	assert_int_equal(pack_relay_await(&o, is_my_turn, &t, NULL), ERR_LOCKED);
	client_end(&c, SIDEBAND_LARGE);
	assert_int_equal(c.all.len, 0);
	client_release(&c);
	t = (struct turn){ .ready_ms = monotonic_ms() + HOUR_MS, .rc = 1 };
	client_start(&c, 1);
	o.fd = c.pipe[1];
	o.keepalive_ms = 200;
	assert_int_equal(write(o.fd, "x", 1), 1);
	assert_int_equal(pack_relay_await(&o, is_my_turn, &t, NULL), ERR_IO);
	client_end(&c, SIDEBAND_LARGE);
	client_release(&c);
}

/* ---- another process takes it ---- */

struct taker {
	struct strbuf pack;
	atomic_size_t nr_keepalives;
	size_t nr_text, nr_errors;
};

static int take(void *data, enum sideband_band band, const struct iovec *pieces, size_t nr,
		struct err *err UNUSED)
{
	struct taker *t = data;

	t->nr_keepalives += !nr;
	t->nr_text += band == BAND_TEXT;
	t->nr_errors += band == BAND_ERROR;
	for (size_t i = 0; i < nr && band == BAND_PACK; i++)
		strbuf_add(&t->pack, pieces[i].iov_base, pieces[i].iov_len);
	return 0;
}

static void output_to_a_function(void **state UNUSED)
{
	struct taker t = { .pack = STRBUF_INIT };
	struct pack_relay_options o = { .fd = -1, .mode = SIDEBAND_NONE, .keepalive_ms = 50,
					.output = take, .output_data = &t };
	struct source s = { .total = 3000000, .piece = 65536, .got = &t.nr_keepalives, .pause_got = 2,
			    .text = "hello\n" };

	assert_int_equal(pack_relay_function(&o, produce, &s, NULL), 0);
	assert_bytes(&t.pack, s.total);
	assert_true(t.nr_keepalives >= 2);
	assert_int_equal(t.nr_text, 1);
	assert_int_equal(t.nr_errors, 0);
	s.rc = ERR_CORRUPT;
	s.got = NULL;
	assert_int_equal(pack_relay_function(&o, produce, &s, NULL), ERR_CORRUPT);
	assert_int_equal(t.nr_errors, 1);
	strbuf_release(&t.pack);
}

/* ---- a command ---- */

static int relay_to(struct client *c, enum sideband_mode mode, int64_t keepalive_ms,
		    const char *script, struct err *err)
{
	struct pack_relay_options o = { .mode = mode, .keepalive_ms = keepalive_ms };
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc;

	o.fd = c->pipe[1];
	strvec_pushl(&cp.args, "sh", "-c", script, NULL);
	cp.out = -1;
	cp.err = mode == SIDEBAND_NONE ? 0 : -1;
	cp.no_stdin = true;
	assert_int_equal(start_command(&cp, NULL), 0);
	rc = pack_relay_command(&o, &cp, "the hook", err);
	child_process_release(&cp);
	client_end(c, mode);
	return rc;
}

static int relay(struct client *c, enum sideband_mode mode, int64_t keepalive_ms,
		 const char *script, struct err *err)
{
	client_start(c, 0);
	return relay_to(c, mode, keepalive_ms, script, err);
}

/* Five bytes more than the pack for each packet, and no more calls than packets. */
static void a_command_is_relayed_in_full_packets(void **state UNUSED)
{
	static const char *const pieces[] = { "1", "8192", "65514", "65515", "65516", "1M" };
	char script[200];

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		const size_t total = i ? 500000 : 3000, packets = (total + 65514) / 65515;
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct client c;

		snprintf(script, sizeof(script),
			 "{ printf PACK; head -c %zu /dev/zero; } | dd bs=%s iflag=fullblock status=none",
			 total - 4, pieces[i]);
		plan.only = "writev";
		fault_install(&plan);
		assert_int_equal(relay(&c, SIDEBAND_LARGE, 60000, script, NULL), 0);
		assert_in_range(fault_counted(), 1, packets);
		fault_remove();
		assert_int_equal(c.band[1].len, total);
		assert_memory_equal(c.band[1].buf, "PACK\0\0", 6);
		assert_int_equal(c.nr_packets, packets);
		assert_int_equal(c.all.len, total + 5 * packets);
		client_release(&c);
	}
}

static void stderr_of_a_command_is_text(void **state UNUSED)
{
	struct client c;

	assert_int_equal(relay(&c, SIDEBAND_LARGE, 0, "echo hello >&2; printf PACKx", NULL), 0);
	assert_string_equal(c.band[2].buf, "hello\n");
	assert_string_equal(c.band[1].buf, "PACKx");
	client_release(&c);
	assert_int_equal(relay(&c, SIDEBAND_NONE, 0, "printf PACKx", NULL), 0);
	assert_string_equal(c.all.buf, "PACKx");
	client_release(&c);
}

static void make_fifo(const char *name)
{
	char *path = xstrfmt("%s/%s", dir, name);

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	free(path);
}

/* For a command that reads $DIR/before before its data, or $DIR/after after some of it. */
static void client_start_for(struct client *c, bool before, bool after)
{
	make_fifo("before");
	make_fifo("after");
	assert_int_equal(setenv("DIR", dir, 1), 0);
	client_start_with(c, &(struct client){ .before_data = before ? "before" : NULL,
					       .after_data = after ? "after" : NULL });
}

static void commands_that_fail(void **state UNUSED)
{
	static const struct {
		const char *script, *message, *sent;
		int64_t keepalive_ms;
	} cases[] = {
		{ "exit 3", "the hook failed with exit code 3", "", 0 },
		{ "printf PACKabc; exit 3", "the hook failed with exit code 3", "", 0 },
		{ "printf PACKabc; cat \"$DIR/after\"; exit 3", "the hook failed with exit code 3", "PACKab", 200 },
		{ "printf PACKabc; kill -9 $$", "the hook was ended by signal 9", "", 0 },
		{ "true", "the hook printed no pack", "", 0 },
		{ "printf PAC", "the hook printed no pack", "", 0 },
		{ "echo Welcome; sleep 60", "the hook printed something that is no pack", "", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct client c;

		client_start_for(&c, false, true);
		assert_true(relay_to(&c, SIDEBAND_LARGE, cases[i].keepalive_ms, cases[i].script,
				     &err) < 0);
		assert_string_equal(err_message(&err), cases[i].message);
		assert_string_equal(c.band[1].buf, cases[i].sent);
		strbuf_addf(&text, "upload-pack: %s\n", cases[i].message);
		assert_string_equal(c.band[3].buf, text.buf);
		strbuf_release(&text);
		client_release(&c);
		err_release(&err);
	}
}

/* It writes a byte more often than the clock fires, and stops when the client has got some. */
static void a_command_that_dribbles(void **state UNUSED)
{
	struct client c;

	assert_int_equal(setenv("DIR", dir, 1), 0);
	client_start_with(&c, &(struct client){ .at_data = "go" });
	assert_int_equal(relay_to(&c, SIDEBAND_LARGE, 250,
				  "printf PACK; i=0; until test -e \"$DIR/go\" || test $((i += 1)) = 1000; do printf 1; sleep 0.05; done; test -e \"$DIR/go\"",
				  NULL), 0);
	assert_memory_equal(c.band[1].buf, "PACK1", 5);
	assert_true(c.nr_packets >= 2);
	client_release(&c);
	client_start_for(&c, true, false);
	assert_int_equal(relay_to(&c, SIDEBAND_LARGE, 100, "cat \"$DIR/before\"; printf PACK1", NULL), 0);
	assert_true(c.nr_empty >= 1);
	assert_int_equal(c.lens[0], 0);
	assert_string_equal(c.band[1].buf, "PACK1");
	client_release(&c);
}

/* No process listens: the command ends, though it would go on for long without writing. */
static void a_command_for_nobody(void **state UNUSED)
{
	struct pack_relay_options o = { .mode = SIDEBAND_LARGE, .keepalive_ms = 60000 };
	struct child_process cp = CHILD_PROCESS_INIT;
	int64_t begin = monotonic_ms();
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	close(p[0]);
	o.fd = p[1];
	strvec_pushl(&cp.args, "sh", "-c", "exec sleep 50", NULL);
	cp.out = cp.err = -1;
	assert_int_equal(start_command(&cp, NULL), 0);
	assert_int_equal(pack_relay_command(&o, &cp, "the hook", NULL), ERR_IO);
	child_process_release(&cp);
	close(p[1]);
	assert_in_range(monotonic_ms() - begin, 0, 40000);
}

static void a_command_whose_client_hangs_up(void **state UNUSED)
{
	struct client c;

	client_start(&c, 100000);
	assert_int_equal(relay_to(&c, SIDEBAND_LARGE, 60000, "printf PACK; exec cat /dev/zero", NULL),
			 ERR_IO);
	client_release(&c);
}

/* ---- clients that take their time ---- */

static void a_slow_client_gets_everything(void **state UNUSED)
{
	static const struct client slow = { .slow_us = 1000 };
	struct source s = { .total = 1500000, .piece = 8192 };
	struct client c;

	client_start_with(&c, &slow);
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	assert_int_equal(c.nr_empty, 0);
	client_release(&c);
	client_start_with(&c, &slow);
	assert_int_equal(relay_to(&c, SIDEBAND_LARGE, 60000,
				  "printf PACK; head -c 1500000 /dev/zero", NULL), 0);
	assert_int_equal(c.band[1].len, 1500004);
	client_release(&c);
}

/* The source waits with 4 MiB made, and what a pipe holds. */
static void nothing_is_made_far_ahead(void **state UNUSED)
{
	struct source s = { .total = (size_t)32 << 20, .piece = 65536 };
	struct client c;

	client_start_with(&c, &(struct client){ .pause_ms = 300, .made = &s.made });
	assert_int_equal(serve(&c, &s, SIDEBAND_LARGE, 60000, NULL), 0);
	assert_bytes(&c.band[1], s.total);
	assert_in_range(c.made_by_then, 0, (4 << 20) + (1 << 20) + 65536);
	client_release(&c);
}

/* ---- when packets leave ---- */

static struct {
	int64_t begin_ms, end_ms;
} sends[64];
static size_t nr_sends;

static ssize_t note_writev(int fd, const struct iovec *iov, int nr)
{
	int64_t begin = monotonic_ms();
	ssize_t n = syscalls_native.writev(fd, iov, nr);

	if (nr_sends < ARRAY_SIZE(sends)) {
		sends[nr_sends].begin_ms = begin;
		sends[nr_sends++].end_ms = monotonic_ms();
	}
	return n;
}

/*
 * Silent before the pack, silent in the middle, then it breaks: empty packets, all but the last byte of what
 * is there, empty packets, the error. No empty packet leaves before the interval is over; it begins when
 * the one before has been written.
 */
static void each_packet_and_its_time(void **state UNUSED)
{
	const struct syscall_table *before = sys;
	struct syscall_table table = syscalls_native;
	int64_t begin = monotonic_ms();
	size_t i = 0, nr_before, nr_after;
	struct client c;

	table.writev = note_writev;
	nr_sends = 0;
	sys = &table;
	client_start_for(&c, true, true);
	assert_int_equal(relay_to(&c, SIDEBAND_LARGE, 200, "cat \"$DIR/before\"; printf PACKab; cat \"$DIR/after\"; exit 3", NULL),
			 ERR_GENERIC);
	sys = before;
	assert_int_equal(nr_sends, c.nr_packets); /* each left alone */
	for (; i < c.nr_packets && !c.lens[i]; i++)
		;
	nr_before = i;
	assert_int_equal(c.lens[i++], 5);
	for (; i < c.nr_packets && !c.lens[i]; i++)
		;
	nr_after = i - nr_before - 1;
	assert_int_equal(i, c.nr_packets - 1);
	assert_true(nr_before >= 1 && nr_after >= 1);
	assert_string_equal(c.band[1].buf, "PACKa");
	assert_string_equal(c.band[3].buf, "upload-pack: the hook failed with exit code 3\n");
	for (i = 0; i < c.nr_packets - 1; i++)
		if (!c.lens[i])
			assert_true(sends[i].begin_ms - (i ? sends[i - 1].end_ms : begin) >= 200);
	client_release(&c);
}

static int setup_without_writev(void **state)
{
	static struct syscall_table table;
	int rc = scratch_setup(state);

	table = syscalls_native;
	table.writev = compat_writev;
	sys = &table;
	return rc;
}

/* Data of any band count; held data have a clock of their own. */
static void the_keepalive_clock_starts_at_the_last_byte_sent(void **state UNUSED)
{
	struct pack_relay_options o = { .fd = -1, .mode = SIDEBAND_LARGE, .keepalive_ms = 500 };
	struct relay_sender s;

	relay_sender_init(&s, &o);
	s.sent_ms = 100;
	s.data_ms = 1000;
	assert_int_equal(relay_deadline_ms(&s), 600);
	s.sent_ms = 2000;
	assert_int_equal(relay_deadline_ms(&s), 1500);
	o.mode = SIDEBAND_NONE;
	relay_sender_init(&s, &o);
	s.sent_ms = 100;
	s.data_ms = 1000;
	assert_int_equal(relay_deadline_ms(&s), 1000 + RELAY_HOLD_MS);
}

/* An hour after the last byte: what is held goes first, and without an interval nothing else does. */
static void silence_without_an_interval_stays(void **state UNUSED)
{
	static const struct {
		int64_t keepalive_ms;
		size_t held;
		enum relay_due due;
	} cases[] = { { 0, 0, RELAY_NOTHING }, { 0, 2, RELAY_SEND_HELD }, { 500, 2, RELAY_SEND_HELD },
		      { 500, 1, RELAY_KEEPALIVE }, { 2 * HOUR_MS, 2, RELAY_NOTHING } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pack_relay_options o = { .fd = -1, .mode = SIDEBAND_LARGE,
						.keepalive_ms = cases[i].keepalive_ms };
		struct relay_sender s;

		relay_sender_init(&s, &o);
		s.sent_ms = s.data_ms = monotonic_ms() - HOUR_MS;
		assert_int_equal(relay_due(&s, cases[i].held), cases[i].due);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(the_keepalive_clock_starts_at_the_last_byte_sent),
		T(silence_without_an_interval_stays),
		T(packets_are_full),
		T(other_bands),
		T(few_calls),
		T(the_ring_goes_round),
		T(the_pipe_is_large),
		T(partial_writes),
		T(a_client_that_does_not_block),
		T(text_has_its_band),
		T(the_last_byte_stays_until_the_end_is_good),
		T(a_client_that_hangs_up),
		T(a_client_that_goes_while_objects_are_found),
		T(a_client_that_reads_nothing),
		T(a_command_whose_client_reads_nothing),
		T(a_client_that_reads_slowly),
		T(silence_is_bridged),
		T(held_bytes_go_before_an_empty_packet),
		T(pulled_packets_are_full),
		T(a_pull_that_fails),
		T(a_pull_is_bridged_and_held_bytes_go),
		T(a_client_that_hangs_up_ends_a_pull),
		T(a_client_is_kept_waiting),
		T(output_to_a_function),
		T(a_command_is_relayed_in_full_packets),
		T(stderr_of_a_command_is_text),
		T(commands_that_fail),
		T(a_command_that_dribbles),
		T(a_command_for_nobody),
		T(a_command_whose_client_hangs_up),
		T(a_slow_client_gets_everything),
		T(nothing_is_made_far_ahead),
		T(each_packet_and_its_time),
	};

	struct CMUnitTest twice[2 * ARRAY_SIZE(tests)];

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		twice[i] = twice[ARRAY_SIZE(tests) + i] = tests[i];
		twice[ARRAY_SIZE(tests) + i].setup_func = setup_without_writev;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("pack-relay", twice, NULL, NULL);
}
