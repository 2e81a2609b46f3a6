/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a line from /dev/tty without echo. If a signal comes, the terminal is restored before the signal takes effect. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include <signal.h>
#include <sys/select.h>
#include <termios.h>
#include "credential/ask-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define LINE_MAX_BYTES 65536

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
#define NR_SIGNALS ARRAY_SIZE(signals)

/* Which of them came; only while we wait, on one thread. A handler can reach nothing else. */
static volatile sig_atomic_t caught;

static void note_signal(int sig)
{
	caught = sig;
}

struct terminal {
	int fd;
	bool hidden;
	struct termios shown;
	struct sigaction actions[NR_SIGNALS];
	sigset_t mask; /* that was there before */
};

/* Install our handler only for signals that have an effect: an ignored signal stays ignored. */
static void catch_signals(struct terminal *t)
{
	struct sigaction ours = { .sa_handler = note_signal };
	sigset_t block;

	sigemptyset(&ours.sa_mask);
	sigemptyset(&block);
	caught = 0;
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaddset(&block, signals[i]);
	pthread_sigmask(SIG_BLOCK, &block, &t->mask);
	for (size_t i = 0; i < NR_SIGNALS; i++) {
		sigaction(signals[i], NULL, &t->actions[i]);
		if (t->actions[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &ours, NULL);
	}
}

static void release_signals(struct terminal *t)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &t->actions[i], NULL);
	if (caught)
		raise(caught);
	pthread_sigmask(SIG_SETMASK, &t->mask, NULL);
}

static int hide(const struct terminal *t, struct err *err)
{
	struct termios hidden = t->shown;

	if (!t->hidden)
		return 0;
	hidden.c_lflag &= ~(tcflag_t)ECHO;
	if (tcsetattr(t->fd, TCSAFLUSH, &hidden) < 0)
		return err_set_errno(err, "cannot turn off the echo of the terminal");
	return 0;
}

static void show(const struct terminal *t)
{
	if (!t->hidden)
		return;
	tcsetattr(t->fd, TCSAFLUSH, &t->shown);
	(void)!write_in_full(t->fd, "\n", 1, "/dev/tty", NULL); /* the user's own was not shown */
}

/* 1: a signal came; 0: `ch` (or the end: false in *more). */
static int next_char(const struct terminal *t, char *ch, bool *more, struct err *err)
{
	fd_set in;
	ssize_t n;

	FD_ZERO(&in);
	FD_SET(t->fd, &in);
	if (caught)
		return 1;
	if (pselect(t->fd + 1, &in, NULL, NULL, NULL, &t->mask) < 0)
		return errno == EINTR ? 1 : err_set_errno(err, "cannot wait for the terminal");
	n = sys->read(t->fd, ch, 1);
	if (n < 0)
		return errno == EINTR ? 1 : err_set_errno(err, "cannot read from the terminal");
	*more = n > 0 && *ch != '\n';
	return 0;
}

/* 0: *line is an answer; 1: a signal came; < 0. */
static int read_typed_line(const struct terminal *t, struct strbuf *line, struct err *err)
{
	bool more = true;
	char ch = '\0';
	int rc;

	for (;;) {
		rc = next_char(t, &ch, &more, err);
		if (rc && !(rc > 0 && !caught))
			break;
		if (rc)
			continue;
		if (!more)
			break;
		if (line->len < LINE_MAX_BYTES)
			secret_buf_add(line, &ch, 1);
	}
	if (!rc && !line->len && ch != '\n')
		rc = err_set(err, ERR_ABORTED, "end of input");
	return rc;
}

/* After being stopped and continued, the question is asked once more. */
static int ask_once(struct terminal *t, const char *prompt, struct strbuf *line, struct err *err)
{
	int rc;

	catch_signals(t);
	rc = hide(t, err);
	if (!rc)
		rc = write_in_full(t->fd, prompt, strlen(prompt), "/dev/tty", err);
	if (!rc)
		rc = read_typed_line(t, line, err);
	show(t);
	release_signals(t);
	return rc;
}

int ask_on_terminal(char **answer, const char *prompt, bool hidden, struct err *err)
{
	struct terminal t = { .hidden = hidden };
	struct strbuf line = STRBUF_INIT;
	int rc;

	t.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY); /* check-calls: a terminal, nothing is kept there */
	if (t.fd < 0)
		return err_set(err, ERR_ABORTED, "%s", strerror(errno));
	rc = tcgetattr(t.fd, &t.shown) < 0 ? err_set_errno(err, "cannot turn off the echo of the terminal") : 0;
	while (!rc && (rc = ask_once(&t, prompt, &line, err)) > 0) {
		secret_buf_release(&line);
		rc = 0;
	}
	close(t.fd);
	if (!rc) {
		*answer = xstrdup(line.buf);
		(*answer)[strcspn(*answer, "\r")] = '\0';
	}
	secret_buf_release(&line);
	return rc;
}
