/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-upload-archive(1): the server of git archive --remote. The client sends its arguments; a
 * child makes the archive, and what it writes goes to the client: the archive on band 1, words on
 * band 2, and on band 3 that it has failed.
 */
#include "compat/posix.h"
#include <poll.h>
#include <sys/wait.h>
#include "builtin/archive.h"
#include "compat/os.h"
#include "repo/enter.h"
#include "repo/repo.h"
#include "sideband.h"
#include "util/alloc.h"
#include "wire/pkt-line.h"

#define NR_ARGS_MAX 64
#define BAND_MAX (PKT_PAYLOAD_MAX - 1)
#define PIPE_BYTES (1 << 20)

static const char *const usage[] = { "git upload-archive <repository>", NULL };

/* ---- the client ---- */

/* "argument X", up to a flush packet. */
static int read_arguments(struct strvec *args, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *arg;
	int kind, rc = 0;

	strvec_push(args, "git-upload-archive");
	while (!rc && (kind = pkt_read(0, &line, err)) != PKT_FLUSH) {
		strbuf_trim_trailing_newline(&line);
		if (kind < 0)
			rc = kind;
		else if (kind != PKT_DATA || strlen(line.buf) != line.len ||
			 !skip_prefix(line.buf, "argument ", &arg))
			rc = err_set(err, ERR_CORRUPT, "'argument' token or flush expected");
		else if (args->nr > NR_ARGS_MAX)
			rc = err_set(err, ERR_TOO_BIG, "Too many options (>%d)", NR_ARGS_MAX);
		else
			strvec_push(args, arg);
	}
	strbuf_release(&line);
	return rc;
}

static int send_band(enum sideband_band band, const void *p, size_t len, struct err *err)
{
	struct iovec piece = { (void *)p, len };

	return sideband_send(1, 0, SIDEBAND_LARGE, band, &piece, 1, err);
}

/* ---- the child ---- */

/* out, words: pipes. Our parent's ends are closed: when it goes, writing must fail. */
NORETURN static void make_archive(const struct strvec *args, struct repository *r, const int out[2],
				  const int words[2])
{
	const char **argv = xmemdup(args->v, (args->nr + 1) * sizeof(*argv));
	int code;

	if (dup2(out[1], 1) < 0 || dup2(words[1], 2) < 0)
		_exit(128);
	close(0);
	for (int i = 0; i < 2; i++) {
		close(out[i]);
		close(words[i]);
	}
	code = archive_command((int)args->nr, argv, r, NULL, true);
	fflush(NULL);
	_exit(code);
}

struct writer {
	pid_t pid;
	int fd[2]; /* what it writes to standard output and error; -1: ended */
};

static int start_writer(struct writer *w, const struct strvec *args, struct repository *r,
			struct err *err)
{
	int out[2], words[2];

	if (os_pipe(out) < 0 || os_pipe(words) < 0)
		return err_set_errno(err, "cannot create a pipe");
	w->pid = fork();
	if (!w->pid)
		make_archive(args, r, out, words);
	close(out[1]);
	close(words[1]);
	w->fd[0] = out[0];
	w->fd[1] = words[0];
	for (int i = 0; i < 2; i++)
		fcntl(w->fd[i], F_SETFL, fcntl(w->fd[i], F_GETFL) | O_NONBLOCK);
#ifdef F_SETPIPE_SZ
	fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES); /* so that there is enough for full packets */
#endif
	return w->pid < 0 ? err_set_errno(err, "unable to spawn subprocess") : 0;
}

/* What there is on band 1 or 2, in one packet; closes it at the end. */
static int pass_on(struct writer *w, int i, struct err *err)
{
	char buf[BAND_MAX];
	size_t len = 0;
	ssize_t n;

	do {
		n = read(w->fd[i], buf + len, sizeof(buf) - len);
		if (n > 0)
			len += (size_t)n;
	} while ((n > 0 && len < sizeof(buf)) || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EAGAIN)
		return err_set_errno(err, "cannot read from the archiver");
	if (!n) {
		close(w->fd[i]);
		w->fd[i] = -1;
	}
	return len ? send_band(i ? BAND_TEXT : BAND_PACK, buf, len, err) : 0;
}

static int pass_all_on(struct writer *w, struct err *err)
{
	int rc = 0;

	while (!rc && (w->fd[0] >= 0 || w->fd[1] >= 0)) {
		struct pollfd p[2] = { { .fd = w->fd[0], .events = POLLIN },
				       { .fd = w->fd[1], .events = POLLIN } };

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return err_set_errno(err, "poll failed");
		for (int i = 1; !rc && i >= 0; i--) /* words first */
			if (p[i].revents)
				rc = pass_on(w, i, err);
	}
	return rc;
}

static int serve(struct repository *r, const struct strvec *args, struct err *err)
{
	static const char failed[] = "git upload-archive: archiver died with error";
	struct writer w;
	int status = 0, rc = start_writer(&w, args, r, err);

	if (rc)
		return rc;
	rc = pkt_writef(1, err, "ACK\n");
	if (!rc)
		rc = pkt_flush(1, err);
	if (!rc)
		rc = pass_all_on(&w, err);
	for (int i = 0; i < 2; i++)
		if (w.fd[i] >= 0)
			close(w.fd[i]); /* a writer that goes on gets SIGPIPE */
	while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rc)
		return rc;
	if (!status)
		return pkt_flush(1, err);
	rc = send_band(BAND_ERROR, failed, sizeof(failed) - 1, err);
	return rc ? rc : err_set(err, ERR_ABORTED, "sent error to the client: %s", failed);
}

int cmd_upload_archive(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct option opts[] = { OPT_END() };
	struct repository *r = NULL;
	struct strvec args = STRVEC_INIT;
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (repo_enter(argv[0], 0, NULL, &err) < 0 || repo_open_at(&r, ".", NULL, &err) < 0)
		die_err(&err);
	rc = read_arguments(&args, &err);
	if (rc) {
		if (pkt_writef(1, NULL, "NACK %s\n", err_message(&err)) < 0)
			error("the client has gone");
	} else {
		rc = serve(r, &args, &err);
	}
	strvec_clear(&args);
	repo_free(r);
	return rc ? report_fatal(&err) : 0;
}
