/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "intake/process.h"
#include "write-or-die.h"

#define REASON_MAX 1000

/* Shared with the process, and not trusted. */
struct finding {
	int code;
	char reason[REASON_MAX];
};

/* ---- the process ---- */

int intake_process_answer(int input, int output, const struct strbuf *answer, struct err *err)
{
	if (input >= 0)
		close(input);
	return write_in_full(output, answer->buf, answer->len, "the answer", err);
}

NORETURN static void run_and_exit(const struct intake_process *p, struct finding *found, int input, int output)
{
	struct err err = ERR_INIT;
	int rc = p->run(p->data, input, output, &err);

	fflush(stderr);
	snprintf(found->reason, REASON_MAX, "%s", rc ? err_message(&err) : "");
	found->code = rc;
	_exit(rc ? 1 : 0);
}

/* ---- its parent ---- */

/* Kinds that callers tell apart, and cannot do harm. */
static int kind_of(int code)
{
	return code == ERR_NOT_FOUND || code == ERR_TOO_BIG || code == ERR_IO ? code : ERR_CORRUPT;
}

static int read_finding(const struct intake_process *p, const struct finding *found, int status, struct err *err)
{
	char reason[REASON_MAX];

	if (WIFEXITED(status) && !WEXITSTATUS(status) && !found->code)
		return 0;
	memcpy(reason, found->reason, REASON_MAX);
	reason[REASON_MAX - 1] = '\0';
	for (char *c = reason; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\n')
			*c = '?';
	if (WIFEXITED(status) && *reason)
		return err_set(err, kind_of(found->code), "%s", reason);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_GENERIC, "%s died of signal %d", p->name, WTERMSIG(status));
	return err_set(err, ERR_GENERIC, "%s abnormal exit", p->name);
}

static int read_answer(const struct intake_process *p, int fd, struct err *err)
{
	char piece[16384];
	ssize_t n;

	while ((n = RETRY_EINTR(read(fd, piece, sizeof(piece)))) > 0) {
		if ((size_t)n > p->answer_max - p->answer->len)
			return err_set(err, ERR_TOO_BIG, "%s answers more than %zu bytes", p->name, p->answer_max);
		strbuf_add(p->answer, piece, (size_t)n);
	}
	return n < 0 ? err_set_errno(err, "cannot read what %s answers", p->name) : 0;
}

/* The parent's end of a socket is at 0, the process's at 1. */
struct ends {
	int input[2], output[2];
};

static int make_sockets(const struct intake_process *p, struct ends *e, struct err *err)
{
	if ((p->source && os_socketpair(AF_UNIX, SOCK_STREAM, e->input) < 0) ||
	    (p->answer && os_socketpair(AF_UNIX, SOCK_STREAM, e->output) < 0))
		return err_set_errno(err, "cannot create a socket");
	return 0;
}

static void close_ends(struct ends *e, int which)
{
	if (e->input[which] >= 0)
		close(e->input[which]);
	if (e->output[which] >= 0)
		close(e->output[which]);
	e->input[which] = e->output[which] = -1;
}

static int talk(const struct intake_process *p, const struct ends *e, struct err *err)
{
	int rc = p->source ? intake_feed(p->source, e->input[0], err) : 0;

	return rc < 0 || !p->answer ? rc : read_answer(p, e->output[0], err);
}

static int run_with(const struct intake_process *p, struct finding *found, struct ends *e, struct err *err)
{
	int status, rc = make_sockets(p, e, err);
	pid_t pid = rc ? -1 : fork();

	if (!pid) {
		close_ends(e, 0);
		run_and_exit(p, found, e->input[1], e->output[1]);
	}
	if (pid < 0)
		return rc ? rc : err_set_errno(err, "cannot fork");
	close_ends(e, 1);
	rc = talk(p, e, err);
	close_ends(e, 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc < 0 ? rc : read_finding(p, found, status, err);
}

int intake_process_run(const struct intake_process *p, struct err *err)
{
	struct ends e = { { -1, -1 }, { -1, -1 } };
	struct finding *found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc;

	if (found == MAP_FAILED)
		return err_set_errno(err, "cannot make shared memory");
	found->code = ERR_GENERIC;
	fflush(stdout);
	rc = run_with(p, found, &e, err);
	close_ends(&e, 0);
	close_ends(&e, 1);
	munmap(found, sizeof(*found));
	return rc;
}

int intake_read_sandbox(enum sandbox_mode *mode, struct err *err)
{
	struct config_set *c = config_set_new();
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = sandbox_read_config(mode, c, err);
	config_set_free(c);
	return rc;
}
