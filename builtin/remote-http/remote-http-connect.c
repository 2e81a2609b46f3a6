/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "stateless-connect" of gitremote-helpers(7): the advertisement, then requests and their answers.
 *
 * "option stateless-rpc-any true" is ours alone: versions 0 and 1 are served, too, and each request ends with a
 * response-end packet, which is not sent, instead of its flush packet. Only so there is git-receive-pack: its request
 * ends in a pack, which is no packets, so the packets of the parent are only a frame: their content is
 * sent.
 */
#include "compat/posix.h"
#include "builtin/remote-http/remote-http.h"
#include "util/alloc.h"
#include "wire/http-framing.h"
#include "wire/pkt-reader.h"
#include "wire/version.h"
#include "write-or-die.h"

#define PIPE_BYTES (1024 * 1024)

static int give_answer(void *data, const void *p, size_t len, struct err *err)
{
	int rc = pkt_framing_follow(data, p, len, err);

	return rc ? rc : write_in_full(STDOUT_FILENO, p, len, "the answer", err);
}

/* What comes from the parent: packets, up to the end of a request. */
struct request {
	struct pkt_reader in;
	bool framed; /* the end is a response-end packet */
	bool raw;    /* what the packets carry is sent, without their lengths */
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
		if (!rq->raw)
			strbuf_addf(&rq->held, "%04zx", rq->in.len + 4);
		strbuf_add(&rq->held, rq->in.line, rq->in.len);
		return 1;
	}
	if (rq->raw && kind != PKT_RESPONSE_END)
		return err_set(err, ERR_CORRUPT, "a request has a packet '%s' in its frame", marks[kind]);
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
static int serve_request(struct http_helper *h, struct request *rq, const char *service, const char *protocol,
			 struct err *err)
{
	struct http_body body = { .packed = rq->raw };
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
		rc = remote_http_answer("0002", err);
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

static bool is_push(const char *service)
{
	return !strcmp(service, "git-receive-pack");
}

static int serve(struct http_helper *h, const char *service, const char *protocol, struct err *err)
{
	struct request rq = { .framed = h->any_version, .raw = is_push(service) };
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

/* The version that the parent asks for; without a word for 0. There is no push in version 2. */
static char *protocol_header(const char *service)
{
	int version = protocol_version_requested();

	if (is_push(service) && version == 2)
		version = 0;
	return version ? xstrfmt("version=%d", version) : NULL;
}

int remote_http_connect(struct http_helper *h, const char *service, struct err *err)
{
	struct strbuf advertisement = STRBUF_INIT;
	char *protocol;
	bool fits;
	int rc;

	if (strcmp(service, "git-upload-pack") && !(is_push(service) && h->any_version))
		return remote_http_answer("fallback\n", err);
	protocol = protocol_header(service);
	rc = remote_http_discover(h, service, protocol, &advertisement, err);
	if (!rc && !h->dumb)
		rc = check_advertisement(&advertisement, err);
	fits = !rc && !h->dumb && (h->any_version || is_version_2(&advertisement));
	if (!rc)
		rc = remote_http_answer(fits ? "\n" : "fallback\n", err);
	if (!rc && fits)
		rc = write_in_full(STDOUT_FILENO, advertisement.buf, advertisement.len, "the advertisement", err);
	if (!rc && fits)
		rc = serve(h, service, protocol, err);
	strbuf_release(&advertisement);
	free(protocol);
	return rc < 0 ? rc : fits; /* 1: this was the last command */
}
