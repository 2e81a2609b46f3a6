/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other programs speak to the client: their words go out on band 2. While they are silent, an empty packet now and then keeps
 * the connection alive; its clock starts at the last byte that was sent.
 */
#include "compat/posix.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "receive/receive.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/workers.h"
#include "write-or-die.h"

#define PIECE_BYTES ((size_t)65515)

/* ---- to the client ---- */

static void send_text(struct receive_server *s, const char *text, size_t len)
{
	struct iovec piece = { (void *)text, len };

	if (s->client_gone)
		return;
	if (sideband_send(s->o.out, 0, s->rq.mode, BAND_TEXT, &piece, 1, NULL) < 0)
		s->client_gone = true;
	s->sent_ms = monotonic_ms();
}

void receive_sideband_message(struct receive_server *s, const char *text, size_t len)
{
	if (!len)
		return;
	if (s->rq.mode != SIDEBAND_NONE)
		send_text(s, text, len);
	else if (write_in_full(STDERR_FILENO, text, len, "standard error", NULL) < 0)
		return; /* our standard error is closed */
}

void receive_sideband_messagef(struct receive_server *s, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	receive_sideband_message(s, text.buf, text.len);
	strbuf_release(&text);
}

/* Time until the client must get a packet, in ms; -1: no limit. */
static int patience(const struct receive_server *s)
{
	int64_t left;

	if (!s->config.keepalive_ms || s->rq.mode == SIDEBAND_NONE || s->client_gone)
		return -1;
	left = s->sent_ms + s->config.keepalive_ms - monotonic_ms();
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* ---- from a program ---- */

/* One relay: its input, and the descriptor that ends it. */
struct relay {
	struct receive_server *s;
	int words; /* -1: at its end */
	int feed;  /* standard input of the child; -1: all was written, or the child closed it */
	const char *in;
	size_t in_len;
	int until; /* ends the relay when readable; -1: the relay ends with `words` */
	bool over;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void pass_on(struct relay *r)
{
	char buf[PIECE_BYTES];
	ssize_t n = RETRY_EINTR(read(r->words, buf, sizeof(buf)));

	if (n > 0)
		receive_sideband_message(r->s, buf, (size_t)n);
	else if (n == 0 || errno != EAGAIN)
		close_fd(&r->words);
}

/* The child need not read its input. */
static void feed(struct relay *r)
{
	ssize_t n = RETRY_EINTR(write(r->feed, r->in, r->in_len));

	if (n > 0) {
		r->in += n;
		r->in_len -= (size_t)n;
	}
	if (!r->in_len || (n < 0 && errno != EAGAIN))
		close_fd(&r->feed);
}

/* Another process may hold the pipe open for ever: send only the bytes that are in it now. */
static void drain(struct relay *r)
{
	struct pollfd p = { .fd = r->words, .events = POLLIN };

	while (r->words >= 0 && poll(&p, 1, 0) > 0) {
		pass_on(r);
		p.fd = r->words;
	}
}

static void wait_for_something(struct relay *r)
{
	struct pollfd p[3] = { { .fd = r->words, .events = POLLIN }, { .fd = r->feed, .events = POLLOUT },
			       { .fd = r->until, .events = POLLIN } };
	int n = poll(p, ARRAY_SIZE(p), patience(r->s));

	if (!n)
		send_text(r->s, "", 0);
	if (n <= 0)
		return;
	if (p[0].revents)
		pass_on(r);
	if (p[1].revents)
		feed(r);
	r->over = r->until >= 0 ? p[2].revents != 0 : r->words < 0 && r->feed < 0;
}

static void run_relay(struct relay *r)
{
	if (!r->s->sent_ms)
		r->s->sent_ms = monotonic_ms();
	if (r->until < 0 && r->words < 0 && r->feed < 0)
		return;
	while (!r->over)
		wait_for_something(r);
	if (r->until >= 0)
		drain(r);
	close_fd(&r->words);
	close_fd(&r->feed);
}

int receive_relay(struct receive_server *s, int fd, int until, struct err *err UNUSED)
{
	struct relay r = { .s = s, .words = fd, .feed = -1, .until = until };

	run_relay(&r);
	return 0;
}

/* ---- a program from its start to its end ---- */

/*
 * An exit code of 128 or more means a signal. Signals that users send (such as an interrupt) are
 * not reported.
 */
static int end_child(struct receive_server *s, struct child_process *cp)
{
	const int code = finish_command(cp), sig = code - 128;

	if (sig > 0 && sig < 128 && sig != SIGINT && sig != SIGQUIT && sig != SIGPIPE)
		receive_sideband_messagef(s, "error: %s died of signal %d\n", cp->args.v[0], sig);
	return code;
}

static int relay_child(struct receive_server *s, struct child_process *cp, const char *in, size_t in_len)
{
	struct relay r = { .s = s, .words = cp->err, .feed = in ? cp->in : -1, .in = in, .in_len = in_len };
	int process = os_open_process(cp->pid);

	(void)os_set_nonblocking(r.words);
	if (r.feed >= 0)
		(void)os_set_nonblocking(r.feed);
	r.until = process;
	run_relay(&r);
	close_fd(&process);
	return end_child(s, cp);
}

int receive_run(struct receive_server *s, struct child_process *cp, const char *in, size_t in_len, struct err *err)
{
	int rc;

	cp->stdout_to_stderr = true;
	cp->err = -1;
	cp->in = in ? -1 : 0;
	cp->no_stdin = !in;
	rc = start_command(cp, err);
	if (!rc)
		rc = relay_child(s, cp, in, in_len);
	child_process_release(cp);
	return rc;
}

/* ---- a program that is talked with ---- */

struct receive_talk {
	struct receive_server *s;
	struct child_process *cp;
	pthread_t thread;
	int process;
};

static void *relay_words(void *data)
{
	struct receive_talk *t = data;
	struct relay r = { .s = t->s, .words = t->cp->err, .feed = -1, .until = t->process };

	run_relay(&r);
	return NULL;
}

static int end_talk(struct receive_talk *t)
{
	int code;

	close_fd(&t->process);
	code = end_child(t->s, t->cp);
	child_process_release(t->cp);
	free(t);
	return code;
}

int receive_talk_begin(struct receive_server *s, struct child_process *cp, struct receive_talk **out, struct err *err)
{
	struct receive_talk *t;
	int rc;

	cp->in = cp->out = cp->err = -1;
	rc = start_command(cp, err);
	if (rc < 0) {
		child_process_release(cp);
		return rc;
	}
	CALLOC_ARRAY(t, 1);
	t->s = s;
	t->cp = cp;
	t->process = os_open_process(cp->pid);
	(void)os_set_nonblocking(cp->err);
	if (start_thread(&t->thread, relay_words, t)) {
		*out = t;
		return 0;
	}
	close_fd(&cp->in);
	close_fd(&cp->out);
	close_fd(&cp->err);
	end_talk(t);
	return err_set(err, ERR_GENERIC, "cannot start a thread");
}

int receive_talk_end(struct receive_talk *t)
{
	close_fd(&t->cp->in);
	close_fd(&t->cp->out);
	pthread_join(t->thread, NULL);
	return end_talk(t);
}
