/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "upload/broker.h"
#include "upload/broker-request.h"
#include "util/alloc.h"
#include "util/detach.h"

/* ---- the broker's answers ---- */

struct answer {
	int32_t code; /* 0; an enum err_code, followed by its text; or, for "end", the exit code */
	char text[1000];
};
/* The hook's pipes: stdout, and stderr if there is a sideband. */
#define PIPES_MAX 2

union pipe_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(PIPES_MAX * sizeof(int))];
};

static int send_answer(int fd, struct answer *a, const int *pipes, size_t nr, struct err *err)
{
	union pipe_control control = { .bytes = { 0 } };
	struct iovec piece = { a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (nr) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), pipes, nr * sizeof(int));
	}
	if (RETRY_EINTR(sendmsg(fd, &m, MSG_NOSIGNAL)) < 0)
		return err_set_errno(err, "the server has gone");
	return 0;
}

static int receive_answer(int fd, struct answer *a, int *pipes, size_t *nr, struct err *err)
{
	union pipe_control control;
	struct iovec piece = { a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	ssize_t n = RETRY_EINTR(os_recvmsg(fd, &m));
	struct cmsghdr *c = n == (ssize_t)sizeof(*a) ? CMSG_FIRSTHDR(&m) : NULL;

	if (n < 0)
		return err_set_errno(err, "cannot listen to the process that runs hooks");
	if (n != (ssize_t)sizeof(*a))
		return err_set(err, ERR_GENERIC, "the process that runs hooks has gone");
	*nr = 0;
	if (c && c->cmsg_type == SCM_RIGHTS) {
		*nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(pipes, CMSG_DATA(c), *nr * sizeof(int));
	}
	a->text[sizeof(a->text) - 1] = '\0';
	return 0;
}

/* ---- the broker ---- */

/* Returns the length of a message; 0: the server has exited. */
static int receive(int fd, void *message, size_t size, struct err *err)
{
	ssize_t n = RETRY_EINTR(recv(fd, message, size, 0));

	if (n < 0 && errno != ECONNRESET)
		return err_set_errno(err, "broker: cannot receive");
	return n < 0 ? 0 : (int)n;
}

/* Requests of a server. 0 means that it has exited. */
enum wish { WISH_HOOK = 1, WISH_CONNECT };

/* enum wish, 0 or < 0. */
static int receive_request(int fd, struct broker_request *b, struct err *err)
{
	unsigned char message[BROKER_MESSAGE_MAX + 1]; /* one byte more, to detect a message that is too long */
	const struct upload_config *u = &b->s->config;
	bool may_connect = u->share_s && u->share_dir;
	int rc = 0;

	while (!rc) {
		int n = receive(fd, message, sizeof(message), err);

		if (n <= 0)
			return n;
		if (may_connect && n == 1 && *message == BROKER_CONNECT)
			return WISH_CONNECT;
		may_connect = false; /* a request has begun */
		rc = broker_request_take(b, message, (size_t)n, err);
	}
	return rc;
}

/* Wait until the hook exits, or the server, which ends the hook. */
static int await_hook(int fd, struct child_process *cp, struct err *err)
{
	struct answer a = { 0, "" };
	unsigned char end[3];
	int n = receive(fd, end, sizeof(end), err);
	bool proper = n == 2 && end[0] == BROKER_END;

	if (!proper || end[1])
		kill(cp->pid, SIGTERM);
	a.code = finish_command(cp);
	if (n < 0)
		return n;
	if (!proper)
		return n ? err_set(err, ERR_INVALID, "broker: unexpected message")
			 : err_set(err, ERR_IO, "the server has gone");
	return send_answer(fd, &a, NULL, 0, err);
}

static int run_hook(int fd, const struct broker_request *b, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct answer a = { 0, "" };
	struct err why = ERR_INIT;
	int rc;

	a.code = upload_hook_start(b->s->config.pack_objects_hook, &b->q, b->bands, &cp, &why);
	if (!a.code) {
		const int pipes[PIPES_MAX] = { cp.out, cp.err };

		rc = send_answer(fd, &a, pipes, b->bands ? 2 : 1, err);
		close(cp.out);
		if (b->bands)
			close(cp.err);
		if (!rc)
			rc = await_hook(fd, &cp, err);
		else
			kill(cp.pid, SIGTERM);
		if (cp.pid > 0)
			(void)finish_command(&cp);
	} else {
		snprintf(a.text, sizeof(a.text), "%s", err_message(&why));
		rc = send_answer(fd, &a, NULL, 0, err);
	}
	child_process_release(&cp);
	err_release(&why);
	return rc;
}

static int listen_to(struct upload_server *s, struct err *err);

/*
 * Start a second broker. It is not a child of this process, and exits when the other end of its
 * socket is closed by all who hold it.
 */
static int start_other(struct upload_server *s, int *out, struct err *err)
{
	int pair[2], rc;

	if (os_socketpair(AF_UNIX, SOCK_SEQPACKET, pair) < 0)
		return err_set_errno(err, "cannot create a socket pair");
	rc = process_detach(err);
	if (!rc) {
		close(pair[0]);
		close(s->broker.fd);
		s->broker = (struct upload_broker){ .fd = pair[1] };
		_exit(listen_to(s, NULL) < 0);
	}
	close(pair[1]);
	if (rc < 0)
		close(pair[0]);
	else
		*out = pair[0];
	return rc < 0 ? rc : 0;
}

static int answer_connect(struct upload_server *s, struct err *err)
{
	struct answer a = { 0, "" };
	struct err why = ERR_INIT;
	int socket = -1, rc;

	a.code = start_other(s, &socket, &why);
	if (a.code)
		snprintf(a.text, sizeof(a.text), "%s", err_message(&why));
	rc = send_answer(s->broker.fd, &a, &socket, a.code ? 0 : 1, err);
	if (socket >= 0)
		close(socket);
	err_release(&why);
	return rc;
}

static int listen_to(struct upload_server *s, struct err *err)
{
	int rc, wish;

	do {
		struct broker_request b;

		broker_request_init(&b, s);
		rc = wish = receive_request(s->broker.fd, &b, err);
		if (wish == WISH_HOOK)
			rc = run_hook(s->broker.fd, &b, err);
		else if (wish == WISH_CONNECT)
			rc = answer_connect(s, err);
		broker_request_release(&b);
	} while (wish > 0 && rc >= 0);
	return rc;
}

int broker_run(struct upload_server *s, struct err *err)
{
	/* the client sees the end of the server, not ours */
	if (os_redirect_to_null(s->o.in) < 0 || os_redirect_to_null(s->o.out) < 0)
		return err_set_errno(err, "cannot open '/dev/null'");
	return listen_to(s, err);
}

int broker_fork(struct upload_broker *b, struct err *err)
{
	int pair[2];
	pid_t pid;

	if (os_socketpair(AF_UNIX, SOCK_SEQPACKET, pair) < 0)
		return err_set_errno(err, "cannot create a socket pair");
	pid = fork();
	if (pid < 0) {
		err_set_errno(err, "cannot start a process for hooks");
		close(pair[0]);
		close(pair[1]);
		return ERR_IO;
	}
	b->pid = pid;
	b->fd = pair[pid ? 0 : 1];
	close(pair[pid ? 1 : 0]);
	return !pid;
}

/* ---- the server ---- */

static int finish_hook(void *data, bool end)
{
	const struct upload_broker *b = data;
	unsigned char message[2] = { BROKER_END, end };
	struct iovec piece = { message, sizeof(message) };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
	struct answer a;
	int pipes[PIPES_MAX];
	size_t nr;

	if (RETRY_EINTR(sendmsg(b->fd, &m, MSG_NOSIGNAL)) < 0 ||
	    receive_answer(b->fd, &a, pipes, &nr, NULL) < 0)
		return -1;
	return a.code;
}

int broker_start_hook(struct upload_broker *b, const struct fetch_request *q, bool bands,
		      struct relay_pipe *out, struct err *err)
{
	struct answer a = { 0, "" };
	int pipes[PIPES_MAX] = { -1, -1 };
	size_t nr;
	int rc = broker_request_send(b->fd, q, bands, err);

	if (!rc)
		rc = receive_answer(b->fd, &a, pipes, &nr, err);
	if (rc < 0)
		return rc;
	if (a.code)
		return err_set(err, (enum err_code)a.code, "%s", a.text);
	*out = (struct relay_pipe){ pipes[0], pipes[1], finish_hook, b };
	return 0;
}

int broker_connect(const struct upload_broker *b, int *out, struct err *err)
{
	unsigned char message[1] = { BROKER_CONNECT };
	struct iovec piece = { message, sizeof(message) };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
	struct answer a = { 0, "" };
	int pipes[PIPES_MAX] = { -1, -1 }, rc;
	size_t nr;

	if (RETRY_EINTR(sendmsg(b->fd, &m, MSG_NOSIGNAL)) < 0)
		return err_set_errno(err, "cannot talk to the process that runs hooks");
	rc = receive_answer(b->fd, &a, pipes, &nr, err);
	if (!rc && a.code)
		rc = err_set(err, (enum err_code)a.code, "%s", a.text);
	if (!rc)
		*out = pipes[0];
	return rc;
}

/* By its number: messages may be sent on this one alone. */
int broker_replace(struct upload_broker *b, int socket, struct err *err)
{
	if (dup2(socket, b->fd) < 0 || fcntl(b->fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_set_errno(err, "cannot replace a socket");
	close(socket);
	b->pid = 0;
	return 0;
}

void broker_release(struct upload_broker *b)
{
	if (b->fd < 0)
		return;
	close(b->fd);
	if (b->pid > 0)
		while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
			;
	b->fd = -1;
}
