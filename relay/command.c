/* SPDX-License-Identifier: GPL-2.0-only */
/* A pack from a command's pipe. One thread: it reads while the command produces, and sends. */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "relay/relay-internal.h"
#include "util/alloc.h"
#include "util/clock.h"

#define PIPE_BYTES ((size_t)1024 * 1024)
#define TEXT_BYTES ((size_t)8 * 1024)

struct relay {
	struct relay_sender sender;
	struct relay_pipe from;
	const char *name;
	char *buf; /* what has been read and not been sent */
	size_t len, alloc;
	bool is_pack; /* it has begun as one */
};

/* ---- sending ---- */

static int send_from_pipe(struct relay *r, size_t len, struct err *err)
{
	struct iovec piece = { r->buf, len };
	int rc = relay_send(&r->sender, BAND_PACK, &piece, 1, err);

	r->len -= len;
	memmove(r->buf, r->buf + len, r->len);
	return rc;
}

/* Nothing but a pack may reach the client: a greeting of the command's shell must not. */
static int check_beginning(struct relay *r, struct err *err)
{
	if (r->is_pack || r->len < 4)
		return 0;
	r->is_pack = !memcmp(r->buf, "PACK", 4);
	return r->is_pack ? 0
		: err_set(err, ERR_CORRUPT, "%s printed something that is no pack", r->name);
}

static int send_full(struct relay *r, struct err *err)
{
	size_t full = relay_full(&r->sender, r->len);
	int rc = check_beginning(r, err);

	return rc < 0 || !full ? rc : send_from_pipe(r, full, err);
}

static int send_due_from_pipe(struct relay *r, struct err *err)
{
	switch (relay_due(&r->sender, r->is_pack ? r->len : 0)) {
	case RELAY_SEND_HELD:
		return send_from_pipe(r, r->len - 1, err);
	case RELAY_KEEPALIVE:
		return relay_keepalive(&r->sender, err);
	default:
		return 0;
	}
}

/* ---- reading ---- */

static bool would_block(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK;
}

static void close_pipe(int *fd)
{
	sys->close(*fd);
	*fd = -1;
}

/* Read what there is. When the buffer is full, or nothing comes at the moment, full packets leave. */
static int read_pack(struct relay *r, struct err *err)
{
	ssize_t n;

	do {
		n = RETRY_EINTR(sys->read(r->from.out, r->buf + r->len, r->alloc - r->len));
		if (n > 0)
			r->len += (size_t)n;
	} while (n > 0 && r->len < r->alloc);
	if (n < 0 && !would_block())
		return err_set_errno(err, "cannot read from %s", r->name);
	if (!n)
		close_pipe(&r->from.out);
	return send_full(r, err);
}

static int read_text(struct relay *r, struct err *err)
{
	char text[TEXT_BYTES];
	ssize_t n = RETRY_EINTR(sys->read(r->from.err, text, sizeof(text)));

	if (n < 0 && would_block())
		return 0;
	if (n > 0)
		return relay_send_text(&r->sender, text, (size_t)n, err);
	close_pipe(&r->from.err);
	return 0;
}

static int timeout_ms(const struct relay *r)
{
	int64_t left = relay_deadline_ms(&r->sender) - monotonic_ms();

	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* One turn: wait for either pipe or the clock. The client's end is watched for its closing. */
static int relay_once(struct relay *r, struct err *err)
{
	struct pollfd fds[] = { { .fd = r->from.out, .events = POLLIN },
				{ .fd = r->from.err, .events = POLLIN },
				{ .fd = r->sender.o.fd, .events = 0 } };
	int rc = 0;

	if (RETRY_EINTR(poll(fds, 3, timeout_ms(r))) < 0)
		return err_set_errno(err, "cannot wait for %s", r->name);
	if (fds[2].revents)
		return relay_check_client(&r->sender, err);
	if (r->from.err >= 0 && fds[1].revents)
		rc = read_text(r, err);
	if (!rc && r->from.out >= 0 && fds[0].revents)
		rc = read_pack(r, err);
	return rc < 0 ? rc : send_due_from_pipe(r, err);
}

/* ---- from begin to end ---- */

static void prepare(struct relay *r)
{
	os_set_nonblocking(r->from.out);
	os_set_nonblocking(r->from.err);
	os_enlarge_pipe(r->from.out, PIPE_BYTES);
	r->alloc = relay_batch(&r->sender) + 1;
	r->buf = xmalloc(r->alloc);
}

/* Await the command; what it says counts only if nothing else went wrong. */
static int await_command(struct relay *r, int rc, struct err *err)
{
	int code;

	if (r->from.out >= 0)
		close_pipe(&r->from.out);
	if (r->from.err >= 0)
		close_pipe(&r->from.err);
	code = r->from.finish(r->from.data, rc < 0);
	if (rc < 0 || !code)
		return rc;
	if (code > 128)
		return err_set(err, ERR_GENERIC, "%s was ended by signal %d", r->name, code - 128);
	return err_set(err, ERR_GENERIC, "%s failed with exit code %d", r->name, code);
}

int pack_relay_pipe(const struct pack_relay_options *o, const struct relay_pipe *from,
		    const char *name, struct err *err)
{
	struct relay r = { .from = *from, .name = name };
	struct err failure = ERR_INIT;
	int rc = 0;

	relay_sender_init(&r.sender, o);
	prepare(&r);
	while (!rc && (r.from.out >= 0 || r.from.err >= 0))
		rc = relay_once(&r, &failure);
	rc = await_command(&r, rc, &failure);
	if (!rc && !r.is_pack)
		rc = err_set(&failure, ERR_CORRUPT, "%s printed no pack", name);
	if (!rc)
		rc = send_from_pipe(&r, r.len, &failure);
	else
		relay_send_error(&r.sender, &failure);
	free(r.buf);
	err_move(err, &failure);
	return rc;
}

/* ---- a child of ours ---- */

static int finish_child(void *data, bool end)
{
	struct child_process *cp = data;

	if (end && cp->pid > 0)
		kill(cp->pid, SIGTERM);
	return finish_command(cp);
}

int pack_relay_command(const struct pack_relay_options *o, struct child_process *cp,
		       const char *name, struct err *err)
{
	/* 0: its stderr is ours, there is no pipe */
	struct relay_pipe from = { cp->out, cp->err ? cp->err : -1, finish_child, cp };
	int rc = pack_relay_pipe(o, &from, name, err);

	cp->out = cp->err = -1;
	return rc;
}
