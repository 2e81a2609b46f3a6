/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The remote helper for http and https: gitremote-helpers(7). It carries requests and answers and keeps nothing; what
 * they mean is its parent's business.
 *
 * "option stateless-rpc-any true" is ours alone: stateless-connect then serves versions 0 and 1, too, and each
 * request ends with a response-end packet, which is not sent, instead of its flush packet.
 */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include <sys/statvfs.h>
#include "builtin/builtin.h"
#include "builtin/fetch-common.h"
#include "builtin/remote-http.h"
#include "compat/syscalls.h"
#include "repo/remotes.h"
#include "transport/http.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "util/trace2.h"
#include "wire/http-framing.h"
#include "wire/pkt-reader.h"
#include "wire/version.h"
#include "write-or-die.h"

#define PIPE_BYTES (1024 * 1024)
#define COMMAND_LINES_MAX 20000000u

struct helper {
	struct repository *r;
	const struct config_set *config;
	const char *name; /* of the remote; NULL: only a URL */
	const char *url;
	struct http_client *client;
	int verbosity;
	bool ipv4, ipv6, any_version, progress, object_format;
	bool serving; /* the parent will miss the end of an answer, and say so */
	struct strvec fetch_options; /* of git fetch-pack */
};

static void show_warning(void *data UNUSED, const char *msg)
{
	warning("%s", msg);
}

static void show_line(void *data UNUSED, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

/* The parent is not there any more: what still comes is for nobody. */
static bool is_unwanted(void *data UNUSED)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP));
}

static int open_client(struct helper *h, const char *url, struct err *err)
{
	struct http_client_options o = {
		.config = h->config, .url = url, .remote_name = h->name, .verbosity = h->verbosity,
		.ipv4 = h->ipv4, .ipv6 = h->ipv6, .warn = show_warning, .tell = show_line, .unwanted = is_unwanted,
	};

	return h->client ? 0 : http_client_new(&h->client, &o, err);
}

static int answer(const char *text, struct err *err)
{
	return write_in_full(STDOUT_FILENO, text, strlen(text), "the answer", err);
}

/* ---- option ---- */

static bool set_flag(bool *flag, const char *value)
{
	int truth = config_parse_maybe_bool(value);

	if (truth >= 0)
		*flag = truth;
	return truth >= 0;
}

/* Those of a fetch, for gitremote-helpers(7), "fetch". */
static bool set_fetch_option(struct helper *h, const char *name, const char *value)
{
	static const struct {
		const char *name, *option;
		bool flag;
	} options[] = {
		{ "depth", "--depth", false }, { "deepen-since", "--shallow-since", false },
		{ "deepen-not", "--shallow-exclude", false }, { "deepen-relative", "--deepen-relative", true },
		{ "cloning", "--cloning", true }, { "update-shallow", "--update-shallow", true },
		{ "followtags", "--include-tag", true }, { "from-promisor", "--from-promisor", true },
		{ "refetch", "--refetch", true }, { "filter", "--filter", false },
		{ "check-connectivity", "--check-self-contained-and-connected", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strcmp(options[i].name, name))
			continue;
		if (!options[i].flag)
			strvec_pushf(&h->fetch_options, "%s=%s", options[i].option, value);
		else if (!strcmp(value, "true"))
			strvec_push(&h->fetch_options, options[i].option);
		return !options[i].flag || config_parse_maybe_bool(value) >= 0;
	}
	return false;
}

static int take_option(struct helper *h, const char *text, struct err *err)
{
	char *name = xstrndup(text, strcspn(text, " "));
	const char *value = text + strlen(name) + (text[strlen(name)] == ' ');
	bool done = false;
	int64_t number;

	if (!strcmp(name, "verbosity")) {
		done = !config_parse_int64(value, &number, NULL);
		h->verbosity = done ? (int)number - 1 : h->verbosity;
	} else if (!strcmp(name, "family")) {
		h->ipv4 = !strcmp(value, "ipv4");
		h->ipv6 = !strcmp(value, "ipv6");
		done = h->ipv4 || h->ipv6 || !strcmp(value, "all");
	} else if (!strcmp(name, "progress")) {
		done = set_flag(&h->progress, value);
	} else if (!strcmp(name, "object-format")) {
		h->object_format = !strcmp(value, "true");
		done = h->object_format;
	} else if (!strcmp(name, "stateless-rpc-any")) {
		done = set_flag(&h->any_version, value);
	} else {
		done = set_fetch_option(h, name, value);
	}
	free(name);
	return answer(done ? "ok\n" : "unsupported\n", err);
}

/* ---- stateless-connect ---- */

static int give_answer(void *data, const void *p, size_t len, struct err *err)
{
	int rc = pkt_framing_follow(data, p, len, err);

	return rc ? rc : write_in_full(STDOUT_FILENO, p, len, "the answer", err);
}

/* What comes from the parent: packets, up to the end of a request. */
struct request {
	struct pkt_reader in;
	bool framed; /* the end is a response-end packet */
	bool ended;
	struct strbuf held; /* not sent yet */
	size_t at;
};

/* 1: something has come; 0: the parent has gone, between requests. */
static int read_packet(struct request *rq, struct err *err)
{
	static const char *const marks[] = { [PKT_FLUSH] = "0000", [PKT_DELIM] = "0001",
					     [PKT_RESPONSE_END] = "0002" };
	int kind = pkt_reader_next(&rq->in, err);

	if (kind < 0 || kind == PKT_EOF)
		return kind < 0 ? kind : 0;
	if (kind == PKT_DATA) {
		strbuf_addf(&rq->held, "%04zx", rq->in.len + 4);
		strbuf_add(&rq->held, rq->in.line, rq->in.len);
		return 1;
	}
	rq->ended = kind == (rq->framed ? PKT_RESPONSE_END : PKT_FLUSH);
	if (!rq->framed || kind != PKT_RESPONSE_END)
		strbuf_addstr(&rq->held, marks[kind]);
	return 1;
}

/* For http_body. */
static int read_more(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct request *rq = data;
	int rc = 1;

	while (rc > 0 && rq->at == rq->held.len && !rq->ended) {
		strbuf_reset(&rq->held);
		rq->at = 0;
		rc = read_packet(rq, err);
		if (!rc)
			rc = err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	}
	*got = 0;
	if (rc < 0)
		return rc;
	*got = rq->held.len - rq->at < len ? rq->held.len - rq->at : len;
	memcpy(buf, rq->held.buf + rq->at, *got);
	rq->at += *got;
	return 0;
}

/* 1: a request was served; 0: there are no more. */
static int serve_request(struct helper *h, struct request *rq, const char *service, const char *protocol,
			 struct err *err)
{
	struct http_body body = { 0 };
	struct pkt_framing framing = { .flushed = false };
	struct strbuf first = STRBUF_INIT;
	int rc = 1;

	strbuf_reset(&rq->held);
	rq->at = 0;
	rq->ended = false;
	while (rc > 0 && !rq->ended && rq->held.len <= http_post_buffer(h->client))
		rc = read_packet(rq, err);
	if (rc == 0 && rq->held.len)
		return err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	if (rc <= 0)
		return rc;
	strbuf_swap(&first, &rq->held);
	body.buf = first.buf;
	body.len = first.len;
	if (!rq->ended) {
		body.more = read_more;
		body.data = rq;
	}
	rc = http_smart_post(h->client, service, protocol, &body, give_answer, &framing, err);
	strbuf_release(&first);
	/* The parent would wait for the rest. */
	if (!rc && !pkt_framing_is_whole(&framing))
		rc = err_set(err, ERR_CORRUPT, "RPC failed; the answer ends inside of a packet");
	if (!rc)
		rc = answer("0002", err);
	return rc < 0 ? rc : 1;
}

/* The parent would wait for the rest of it. */
static int check_advertisement(const struct strbuf *a, struct err *err)
{
	struct pkt_framing f = { .flushed = false };
	int rc = pkt_framing_follow(&f, a->buf, a->len, err);

	if (!rc && (!pkt_framing_is_whole(&f) || !f.flushed))
		rc = err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	return rc;
}

static bool is_version_2(const struct strbuf *advertisement)
{
	return starts_with(advertisement->buf, "000eversion 2\n") || starts_with(advertisement->buf, "000dversion 2");
}

static int serve(struct helper *h, const char *service, const char *protocol, struct err *err)
{
	struct request rq = { .framed = h->any_version };
	int rc = 1;

#ifdef F_SETPIPE_SZ
	(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
#endif
	h->serving = true;
	pkt_reader_init(&rq.in, STDIN_FILENO);
	while (rc > 0)
		rc = serve_request(h, &rq, service, protocol, err);
	pkt_reader_release(&rq.in);
	strbuf_release(&rq.held);
	return rc;
}

/* The version that the parent asks for; without a word for 0. */
static char *protocol_header(void)
{
	int version = protocol_version_requested();

	return version ? xstrfmt("version=%d", version) : NULL;
}

static int connect_stateless(struct helper *h, const char *service, struct err *err)
{
	struct strbuf advertisement = STRBUF_INIT;
	char *protocol = protocol_header();
	bool fits;
	int rc = 0;

	if (strcmp(service, "git-upload-pack")) {
		free(protocol);
		return answer("fallback\n", err);
	}
	rc = open_client(h, h->url, err);
	if (!rc)
		rc = http_smart_discover(h->client, service, protocol, &advertisement, err);
	if (!rc)
		rc = check_advertisement(&advertisement, err);
	fits = !rc && (h->any_version || is_version_2(&advertisement));
	if (!rc)
		rc = answer(fits ? "\n" : "fallback\n", err);
	if (!rc && fits)
		rc = write_in_full(STDOUT_FILENO, advertisement.buf, advertisement.len, "the advertisement", err);
	if (!rc && fits)
		rc = serve(h, service, protocol, err);
	strbuf_release(&advertisement);
	free(protocol);
	return rc < 0 ? rc : fits; /* 1: this was the last command */
}

/* ---- list, fetch: for parents that do not take what stateless-connect offers ---- */

static int find_remote(struct helper *h, struct remotes **own, struct remote **out, struct err *err)
{
	int rc = remotes_read(own, h->config, hash_sha1, NULL, NULL, err);

	return rc ? rc : remotes_get(*own, h->url, out, err);
}

static int list(struct helper *h, struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct refs_query q = { .config = h->config, .verbosity = h->verbosity };
	struct strbuf out = STRBUF_INIT;
	struct remotes *own = NULL;
	struct remote *remote = NULL;
	int rc = find_remote(h, &own, &remote, err);

	if (!rc)
		rc = list_remote_refs(remote, &q, &refs, err);
	if (!rc && h->object_format && refs.nr)
		strbuf_addf(&out, ":object-format %s\n", hash_algo_by_id(refs.items[0].oid.algo)->name);
	for (size_t i = 0; !rc && i < refs.nr; i++) {
		const struct remote_ref *ref = &refs.items[i];

		if (ref->symref_target)
			strbuf_addf(&out, "@%s %s\n", ref->symref_target, ref->name);
		else if (!oid_is_null(&ref->oid))
			strbuf_addf(&out, "%s %s\n", oid_hex(&ref->oid), ref->name);
	}
	strbuf_addch(&out, '\n');
	if (!rc)
		rc = answer(out.buf, err);
	strbuf_release(&out);
	remote_refs_release(&refs);
	remotes_free(own);
	return rc;
}

static int run_fetch_pack(const struct helper *h, const struct strbuf *names, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int code;

	strvec_pushl(&cp.args, "git", "fetch-pack", "--stdin", "--thin", "--lock-pack", NULL);
	if (h->verbosity < 0)
		strvec_push(&cp.args, "--quiet");
	if (!h->progress)
		strvec_push(&cp.args, "--no-progress");
	strvec_pushv(&cp.args, h->fetch_options.v);
	strvec_push(&cp.args, h->url);
	code = pipe_command(&cp, names->buf, names->len, NULL, NULL, 0, err);
	if (code > 0)
		return err_set(err, ERR_ABORTED, "fetch failed.");
	return code;
}

/* "fetch OID NAME", up to an empty line. */
static int fetch(struct helper *h, const char *line, struct err *err)
{
	struct strbuf names = STRBUF_INIT, next = STRBUF_INIT;
	size_t nr = 0;
	int rc = 0;

	strbuf_addstr(&next, line);
	do {
		const char *rest, *name;

		if (!skip_prefix(next.buf, "fetch ", &rest) || !(name = strchr(rest, ' ')) ||
		    ++nr > COMMAND_LINES_MAX) {
			rc = err_set(err, ERR_INVALID, "http transport does not support %s", next.buf);
			break;
		}
		strbuf_addf(&names, "%s\n", name + 1);
	} while (!strbuf_getline_lf(&next, stdin) && next.len);
	if (!rc)
		rc = run_fetch_pack(h, &names, err);
	if (!rc)
		rc = answer("\n", err);
	strbuf_release(&names);
	strbuf_release(&next);
	return rc;
}

/* ---- get ---- */

/*
 * Half of what is free there: the file is a bundle or a pack, which is copied while it is checked. So a server that sends
 * without end fills no disk. 0: not known.
 */
static uint64_t most_bytes(int fd)
{
	struct statvfs fs;
	uint64_t half;

	if (fstatvfs(fd, &fs) < 0)
		return 0;
	half = (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return half ? half : 1;
}

/* "get URL PATH": into PATH.temp, which goes on if it is there, and then into place. */
static int get(struct helper *h, const char *text, struct err *err)
{
	const char *space = strchr(text, ' ');
	char *url, *temp = NULL;
	struct stat st;
	uint64_t got;
	int fd = -1, rc;

	if (!space || !space[1])
		return err_set(err, ERR_INVALID, "protocol error: expected '<url> <path>', missing space");
	url = xstrndup(text, space - text);
	temp = xconcat(space + 1, ".temp");
	rc = open_client(h, url, err);
	if (!rc)
		fd = RETRY_EINTR(sys->open(temp, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
	if (!rc && (fd < 0 || fstat(fd, &st) < 0))
		rc = err_set_errno(err, "cannot open '%s'", temp);
	if (!rc)
		rc = http_get_to_fd(h->client, url, fd, (uint64_t)st.st_size, most_bytes(fd), &got, err);
	if (fd >= 0 && sys->close(fd) < 0 && !rc)
		rc = err_set_errno(err, "cannot close '%s'", temp);
	if (!rc && sys->rename(temp, space + 1) < 0)
		rc = err_set_errno(err, "cannot rename '%s'", temp);
	if (!rc)
		rc = answer("\n", err);
	free(url);
	free(temp);
	return rc;
}

/* ---- commands ---- */

/* 0; 1: it was the last one. */
static int run_command_line(struct helper *h, const char *line, struct err *err)
{
	const char *rest;

	if (!*line)
		return 1;
	if (!strcmp(line, "capabilities"))
		return answer("stateless-connect\nfetch\nget\noption\nobject-format\n\n", err);
	if (skip_prefix(line, "option ", &rest))
		return take_option(h, rest, err);
	if (skip_prefix(line, "stateless-connect ", &rest))
		return connect_stateless(h, rest, err);
	if (!strcmp(line, "list"))
		return list(h, err);
	if (starts_with(line, "fetch "))
		return fetch(h, line, err);
	if (skip_prefix(line, "get ", &rest))
		return get(h, rest, err);
	return err_set(err, ERR_INVALID, "unknown command '%s' from git", line);
}

static int run(struct helper *h, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = run_command_line(h, line.buf, err);
	strbuf_release(&line);
	return rc < 0 ? rc : 0;
}

static int open_repository(struct repository **out, struct err *err)
{
	struct repo_open_options o = { .lenient = false };
	struct err why = ERR_INIT;
	int rc = repo_open(out, &o, &why);

	/* Outside of one, "git ls-remote" works as well. */
	if (rc == ERR_NOT_FOUND) {
		*out = NULL;
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int remote_http_main(int argc, const char **argv)
{
	struct helper h = { .fetch_options = STRVEC_INIT };
	struct err err = ERR_INIT;
	int rc;

	if (argc < 2)
		die("remote-curl: usage: git remote-curl <remote> [<url>]");
	trace2_start(argv);
	trace2_cmd_name("remote-curl");
	h.url = argc > 2 ? argv[2] : argv[1];
	h.name = argc > 2 && strcmp(argv[1], argv[2]) ? argv[1] : NULL;
	signal(SIGPIPE, SIG_DFL);
	/* What follows a command is not for stdio. */
	setvbuf(stdin, NULL, _IONBF, 0);
	rc = open_repository(&h.r, &err);
	if (!rc) {
		set_command_repo(h.r);
		h.config = command_config(h.r);
		rc = run(&h, &err);
	}
	http_client_free(h.client);
	strvec_clear(&h.fetch_options);
	if (rc < 0)
		rc = h.serving ? report_error(&err) : report_fatal(&err);
	set_command_repo(NULL);
	repo_free(h.r);
	trace2_exit(rc);
	return rc;
}
