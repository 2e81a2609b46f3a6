/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-upload-archive(1): the server of git archive --remote. The client sends its arguments; what comes
 * of them goes to the client: the archive on band 1, words on band 2, and on band 3 that it has failed.
 *
 * Two processes. The archiver is a child that reads the client's bytes and the repository; it gives up
 * everything else (core.sandbox). Its parent frames what the archiver writes, which it does not
 * look at, and starts the program of a format (tar.<format>.command) if the archiver asks for
 * one: by its number, never by what a client has written.
 */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include "archive/archive.h"
#include "builtin/archive.h"
#include "compat/iconv.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "repo/confine.h"
#include "repo/enter.h"
#include "repo/repo.h"
#include "sideband.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include "util/trace2.h"
#include "wire/pkt-line.h"

#define NR_ARGS_MAX 64
#define BAND_MAX (PKT_PAYLOAD_MAX - 1)
#define PIPE_BYTES (1 << 20)

static const char *const usage[] = { "git upload-archive <repository>", NULL };

/* What the archiver says to its parent. */
enum order_kind { ORDER_ACCEPTED = 1, ORDER_FILTER = 2 };
struct order {
	int32_t kind, format, level;
};

struct pipes {
	int out[2];    /* the archive */
	int words[2];  /* standard error */
	int tar[2];    /* from the archiver to a program */
	int orders[2]; /* from the archiver to us */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- the archiver ---- */

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
		else if (kind == PKT_EOF)
			rc = err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
		else if (kind != PKT_DATA || strlen(line.buf) != line.len ||
			 !skip_prefix(line.buf, "argument ", &arg))
			rc = err_set(err, ERR_CORRUPT, "'argument' token or flush expected");
		else if (args->nr > NR_ARGS_MAX)
			rc = err_set(err, ERR_TOO_BIG, "Too many options (>%d)", NR_ARGS_MAX - 1);
		else
			strvec_push(args, arg);
	}
	strbuf_release(&line);
	return rc;
}

static bool is_program_of_filter(const char *key)
{
	return starts_with(key, "filter.") && (ends_with(key, ".smudge") || ends_with(key, ".process"));
}

/* Contents may have to go through programs of the host (filter.<driver>.smudge): not from in there. */
static bool needs_programs(const struct config_set *c)
{
	for (size_t i = 0; i < config_nr(c); i++)
		if (is_program_of_filter(config_at(c, i)->key))
			return true;
	return false;
}

static int choose_sandbox(struct repository *r, struct sandbox *s, struct err *err)
{
	struct config_set *c = config_set_new();
	enum sandbox_mode mode;
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = sandbox_read_config(&mode, c, err);
	config_set_free(c);
	if (rc < 0)
		return rc;
	if (mode == SANDBOX_AUTO && needs_programs(r->config)) {
		trace2_data_string("sandbox", "state", "off (filter.*.smudge)");
		return 0;
	}
	return sandbox_probe(s, mode, err);
}

/*
 * A confined process cannot load modules of the C library. So those of the encodings that attributes use are
 * loaded before, and stay loaded while a conversion is open.
 */
static const char *const encodings[] = { "UTF-16", "UTF-16LE", "UTF-32", "ISO-8859-1" };
static iconv_t open_conversions[ARRAY_SIZE(encodings)];

static void load_encodings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++)
		open_conversions[i] = iconv_open("UTF-8", encodings[i]);
}

static int confine(struct repository *r, struct err *err)
{
	char *attributes = NULL, *mailmap = NULL;
	const char *files[4] = { "/etc/gitattributes" };
	size_t nr = 1;
	struct sandbox s;
	int rc = choose_sandbox(r, &s, err);

	if (rc <= 0)
		return rc;
	if (!config_get_path(r->config, "core.attributesfile", &attributes, NULL))
		attributes = xdg_config_path("attributes");
	if (attributes)
		files[nr++] = attributes;
	if (config_get_path(r->config, "mailmap.file", &mailmap, NULL) > 0)
		files[nr++] = mailmap;
	load_encodings();
	s.files = files;
	rc = repo_confine(r, &s, -1, err);
	free(attributes);
	free(mailmap);
	return rc;
}

struct archiver {
	int client; /* standard output as it was */
	int tar, orders;
};

static int send_order(struct archiver *a, struct order o)
{
	return write_in_full(a->orders, &o, sizeof(o), "pipe", NULL);
}

static int ask_for_filter(void *data, size_t format, int level)
{
	struct archiver *a = data;
	int rc = send_order(a, (struct order){ ORDER_FILTER, (int32_t)format, level });

	close_fd(&a->orders);
	return rc < 0 ? -1 : a->tar;
}

/* Our streams are pipes; standard output is kept aside for the answer. */
static int take_streams(struct archiver *a, struct pipes *p)
{
	a->client = fcntl(1, F_DUPFD_CLOEXEC, 3);
	a->tar = p->tar[1];
	a->orders = p->orders[1];
	if (a->client < 0 || dup2(p->out[1], 1) < 0 || dup2(p->words[1], 2) < 0)
		return -1;
	/* When our parent goes, writing must fail. */
	for (int i = 0; i < 2; i++) {
		close(p->out[i]);
		close(p->words[i]);
	}
	close(p->tar[0]);
	close(p->orders[0]);
	return 0;
}

/* A line of words is one write, and so at most one packet; unless it is very long. */
static void buffer_words(void)
{
	static char buf[4096];

	setvbuf(stderr, buf, _IOLBF, sizeof(buf));
}

static int answer(struct archiver *a, const struct err *why)
{
	int rc;

	if (why->code)
		return pkt_writef(a->client, NULL, "NACK %s\n", err_message(why));
	rc = pkt_writef(a->client, NULL, "ACK\n");
	if (!rc)
		rc = pkt_flush(a->client, NULL);
	close_fd(&a->client);
	return rc < 0 ? rc : send_order(a, (struct order){ .kind = ORDER_ACCEPTED });
}

NORETURN static void run_archiver(struct repository *r, struct pipes *p)
{
	struct archiver a;
	const struct archive_client client = { ask_for_filter, &a };
	struct strvec args = STRVEC_INIT;
	struct err err = ERR_INIT;
	const char **argv;
	int code;

	if (take_streams(&a, p) < 0)
		_exit(128);
	buffer_words();
	signal(SIGPIPE, SIG_IGN);
	if (confine(r, &err) < 0)
		die_err(&err);
	if (read_arguments(&args, &err) < 0) {
		if (answer(&a, &err) < 0)
			error("the client has gone");
		die_err(&err);
	}
	close(0);
	if (answer(&a, &err) < 0)
		die("the client has gone");
	argv = xmemdup(args.v, (args.nr + 1) * sizeof(*argv)); /* which is put into another order */
	code = archive_command((int)args.nr, argv, r, NULL, &client);
	fflush(NULL);
	_exit(code);
}

/* ---- its parent ---- */

struct service {
	pid_t archiver;
	struct archive_formats formats;
	struct pipes pipes; /* what we still need of them */
	bool accepted;
	struct child_process filter;
	bool filter_runs;
};

static int send_band(enum sideband_band band, const void *p, size_t len, struct err *err)
{
	struct iovec piece = { (void *)p, len };

	return sideband_send(1, 0, SIDEBAND_LARGE, band, &piece, 1, err);
}

static int start_archiver(struct service *s, struct repository *r, struct err *err)
{
	struct pipes *p = &s->pipes;

	if (os_pipe(p->out) < 0 || os_pipe(p->words) < 0 || os_pipe(p->tar) < 0 ||
	    os_pipe(p->orders) < 0)
		return err_set_errno(err, "cannot create a pipe");
	s->archiver = fork();
	if (s->archiver < 0)
		return err_set_errno(err, "unable to spawn subprocess");
	if (!s->archiver)
		run_archiver(r, p);
	close_fd(&p->tar[1]);
	close_fd(&p->orders[1]);
	os_set_nonblocking(p->out[0]);
	os_set_nonblocking(p->words[0]);
#ifdef F_SETPIPE_SZ
	fcntl(p->out[0], F_SETPIPE_SZ, PIPE_BYTES); /* so that there is enough for full packets */
#endif
	return 0;
}

/* What the archiver says is checked as if a client had said it. */
static int start_filter(struct service *s, const struct order *o, struct err *err)
{
	const struct archive_format *f;

	if (o->format < 0 || (size_t)o->format >= s->formats.nr || s->filter_runs)
		return err_set(err, ERR_INVALID, "there is no such format");
	f = &s->formats.items[o->format];
	if (!f->command || !f->remote)
		return err_set(err, ERR_INVALID, "format '%s' is not for clients", f->name);
	if (o->level >= 0)
		strvec_pushf(&s->filter.args, "%s -%d", f->command, (int)o->level);
	else
		strvec_push(&s->filter.args, f->command);
	s->filter.use_shell = true;
	s->filter.in = s->pipes.tar[0];
	s->filter.out = s->pipes.out[1];
	s->filter.err = s->pipes.words[1];
	s->pipes.tar[0] = s->pipes.out[1] = s->pipes.words[1] = -1; /* they are the child's now */
	s->filter_runs = !start_command(&s->filter, err);
	return s->filter_runs ? 0 : err->code;
}

/* Our ends for a program, once it is clear that there will be none besides. */
static void close_ends(struct pipes *p)
{
	close_fd(&p->tar[0]);
	close_fd(&p->out[1]);
	close_fd(&p->words[1]);
}

/* kind: "error" or "fatal". */
static int say(const char *kind, const struct err *why, struct err *err)
{
	char *line = xstrfmt("%s: %s\n", kind, err_message(why));
	int rc = send_band(BAND_TEXT, line, strlen(line), err);

	free(line);
	return rc;
}

/* If the filter cannot be started, the client gets an error, and the archiver has no reader. */
static int try_filter(struct service *s, const struct order *o, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	if (start_filter(s, o, &why) < 0) {
		rc = say("error", &why, err);
		close_ends(&s->pipes);
	}
	err_release(&why);
	return rc;
}

/* Reads an order: pipes do not split such a short message. */
static int read_order(struct service *s, struct err *err)
{
	struct order o;
	ssize_t n = read(s->pipes.orders[0], &o, sizeof(o));

	if (n < 0 && errno == EINTR)
		return 0;
	if (n != sizeof(o)) {
		close_fd(&s->pipes.orders[0]);
		close_ends(&s->pipes);
		return 0;
	}
	if (o.kind == ORDER_ACCEPTED)
		s->accepted = true;
	return o.kind == ORDER_FILTER && s->accepted ? try_filter(s, &o, err) : 0;
}

/* What there is on band 1 or 2, in one packet; closes it at the end. */
static int pass_on(int *fd, enum sideband_band band, bool accepted, struct err *err)
{
	char buf[BAND_MAX];
	size_t len = 0;
	ssize_t n;

	do {
		n = read(*fd, buf + len, sizeof(buf) - len);
		if (n > 0)
			len += (size_t)n;
	} while ((n > 0 && len < sizeof(buf)) || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EAGAIN)
		return err_set_errno(err, "cannot read from the archiver");
	if (!n)
		close_fd(fd);
	if (!len)
		return 0;
	if (!accepted) /* there are no bands: words are for us */
		return band == BAND_TEXT ? write_in_full(2, buf, len, "standard error", err) : 0;
	return send_band(band, buf, len, err);
}

static int pass_all_on(struct service *s, struct err *err)
{
	struct pipes *p = &s->pipes;
	int rc = 0;

	while (!rc && (p->out[0] >= 0 || p->words[0] >= 0)) {
		/* Until the client has got an answer nothing else may be sent. */
		bool open = s->accepted || p->orders[0] < 0;
		struct pollfd fds[3] = { { .fd = p->orders[0], .events = POLLIN },
					 { .fd = open ? p->words[0] : -1, .events = POLLIN },
					 { .fd = open ? p->out[0] : -1, .events = POLLIN } };

		if (poll(fds, 3, -1) < 0) {
			if (errno != EINTR)
				return err_set_errno(err, "poll failed");
			continue;
		}
		if (fds[0].revents)
			rc = read_order(s, err);
		if (!rc && fds[1].revents)
			rc = pass_on(&p->words[0], BAND_TEXT, s->accepted, err);
		if (!rc && fds[2].revents)
			rc = pass_on(&p->out[0], BAND_PACK, s->accepted, err);
	}
	return rc;
}

/* Waits for all; what goes on gets SIGPIPE. ERR_ABORTED: one has failed. */
static int finish(struct service *s, struct err *err)
{
	int status = 0, code = 0, rc = 0;

	close_ends(&s->pipes);
	close_fd(&s->pipes.orders[0]);
	close_fd(&s->pipes.out[0]);
	close_fd(&s->pipes.words[0]);
	if (s->filter_runs)
		code = finish_command(&s->filter);
	while (waitpid(s->archiver, &status, 0) < 0 && errno == EINTR)
		;
	if (code)
		rc = err_set(err, ERR_ABORTED, "'%s' filter reported error", s->filter.args.v[0]);
	return status ? ERR_ABORTED : rc;
}

/* why: may be none, if others have told it. */
static int tell_failure(const char *kind, const struct err *why, struct err *err)
{
	static const char failed[] = "git upload-archive: archiver died with error";
	int rc = why->code ? say(kind, why, err) : 0;

	if (!rc)
		rc = send_band(BAND_ERROR, failed, sizeof(failed) - 1, err);
	return rc ? rc : err_set(err, ERR_ABORTED, "sent error to the client: %s", failed);
}

static int serve(struct service *s, struct repository *r, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = start_archiver(s, r, err), failed;

	if (rc < 0)
		return rc;
	rc = pass_all_on(s, err);
	failed = finish(s, &why);
	if (!rc && !failed)
		rc = pkt_flush(1, err);
	else if (!rc)
		rc = s->accepted ? tell_failure("error", &why, err) : failed;
	err_release(&why);
	return rc;
}

/* No repository: clients show what comes after an ACK, not what comes instead of one. */
static int refuse(const struct err *why, struct err *err)
{
	int rc = pkt_writef(1, err, "ACK\n");

	if (!rc)
		rc = pkt_flush(1, err);
	return rc ? rc : tell_failure("fatal", why, err);
}

int cmd_upload_archive(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct option opts[] = { OPT_END() };
	struct service s = { .pipes = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } },
			     .filter = CHILD_PROCESS_INIT };
	struct repository *r = NULL;
	struct err err = ERR_INIT, why = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	signal(SIGPIPE, SIG_IGN);
	if (repo_enter(argv[0], 0, NULL, &why) < 0 || repo_open_at(&r, ".", NULL, &why) < 0 ||
	    archive_formats_read(&s.formats, r->config, &why) < 0)
		rc = refuse(&why, &err);
	else
		rc = serve(&s, r, &err);
	err_release(&why);
	archive_formats_release(&s.formats);
	child_process_release(&s.filter);
	repo_free(r);
	if (rc && !err.code)
		return 128; /* the reason has been printed */
	return rc ? report_fatal(&err) : 0;
}
