/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "upload/broker.h"
#include "upload/broker-message.h"
#include "upload/broker-request.h"
#include "util/alloc.h"
#include "util/detach.h"

/* ---- the broker's answers ---- */

struct answer {
	int32_t code; /* 0; an enum err_code, followed by its text; or, for "end", the exit code */
	char text[1000];
};

/* `fds`: the hook's pipes (stdout, and stderr if there is a sideband), or the socket of another broker. */
static int send_answer(int fd, const struct answer *a, const struct broker_fds *fds, struct err *err)
{
	return broker_message_send(fd, a, sizeof(*a), fds, err);
}

static int receive_answer(int fd, struct answer *a, struct broker_fds *fds, struct err *err)
{
	int n = broker_message_receive(fd, a, sizeof(*a), fds, err);

	if (n < 0)
		return n;
	if ((size_t)n != sizeof(*a))
		return err_set(err, ERR_GENERIC, "the process that runs hooks has gone");
	a->text[sizeof(a->text) - 1] = '\0';
	return 0;
}

/* ---- the broker ---- */

/* Requests of a server. 0 means that it has exited. */
enum wish { WISH_HOOK = 1, WISH_CONNECT };

/* enum wish, 0 or < 0. */
static int receive_request(int fd, struct broker_request *b, struct err *err)
{
	unsigned char message[BROKER_MESSAGE_MAX];
	const struct upload_config *u = &b->s->config;
	bool may_connect = u->share_s && u->share_dir;
	int rc = 0;

	while (!rc) {
		int n = broker_message_receive(fd, message, sizeof(message), NULL, err);

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
	unsigned char end[2];
	int n = broker_message_receive(fd, end, sizeof(end), NULL, err);
	bool proper = n == 2 && end[0] == BROKER_END;

	if (!proper || end[1])
		kill(cp->pid, SIGTERM);
	a.code = finish_command(cp);
	if (n < 0)
		return n;
	if (!proper)
		return n ? err_set(err, ERR_INVALID, "broker: unexpected message")
			 : err_set(err, ERR_IO, "the server has gone");
	return send_answer(fd, &a, NULL, err);
}

static int run_hook(int fd, const struct broker_request *b, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct answer a = { 0, "" };
	struct err why = ERR_INIT;
	int rc;

	a.code = upload_hook_start(b->s->config.pack_objects_hook, &b->q, b->bands, &cp, &why);
	if (!a.code) {
		const struct broker_fds pipes = { { cp.out, cp.err }, b->bands ? 2 : 1 };

		rc = send_answer(fd, &a, &pipes, err);
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
		rc = send_answer(fd, &a, NULL, err);
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
	int pair[2], rc = broker_message_pair(pair, err);

	if (rc < 0)
		return rc;
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
	struct broker_fds socket = { { -1 }, 1 };
	struct err why = ERR_INIT;
	int rc;

	a.code = start_other(s, &socket.fd[0], &why);
	if (a.code)
		snprintf(a.text, sizeof(a.text), "%s", err_message(&why));
	rc = send_answer(s->broker.fd, &a, a.code ? NULL : &socket, err);
	if (!a.code)
		close(socket.fd[0]);
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
	int pair[2], rc = broker_message_pair(pair, err);
	pid_t pid;

	if (rc < 0)
		return rc;
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
	const unsigned char message[2] = { BROKER_END, end };
	struct answer a;

	if (broker_message_send(b->fd, message, sizeof(message), NULL, NULL) < 0 ||
	    receive_answer(b->fd, &a, NULL, NULL) < 0)
		return -1;
	return a.code;
}

/* The answer to a request, which comes with `nr` descriptors if it is no error. */
static int await_answer(int fd, struct broker_fds *fds, size_t nr, struct err *err)
{
	struct answer a = { 0, "" };
	int rc = receive_answer(fd, &a, fds, err);

	if (rc < 0)
		return rc;
	if (a.code)
		return err_set(err, (enum err_code)a.code, "%s", a.text);
	if (fds->nr == nr)
		return 0;
	broker_fds_close(fds);
	return err_set(err, ERR_INVALID, "broker: a wrong number of descriptors");
}

int broker_start_hook(struct upload_broker *b, const struct fetch_request *q, bool bands,
		      struct relay_pipe *out, struct err *err)
{
	struct broker_fds pipes = { { -1, -1 }, 0 };
	int rc = broker_request_send(b->fd, q, bands, err);

	if (!rc)
		rc = await_answer(b->fd, &pipes, bands ? 2 : 1, err);
	if (rc < 0)
		return rc;
	*out = (struct relay_pipe){ pipes.fd[0], bands ? pipes.fd[1] : -1, finish_hook, b };
	return 0;
}

int broker_connect(const struct upload_broker *b, int *out, struct err *err)
{
	const unsigned char message[1] = { BROKER_CONNECT };
	struct broker_fds socket = { { -1 }, 0 };
	int rc = broker_message_send(b->fd, message, sizeof(message), NULL, err);

	if (!rc)
		rc = await_answer(b->fd, &socket, 1, err);
	if (!rc)
		*out = socket.fd[0];
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
