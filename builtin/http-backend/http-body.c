/* SPDX-License-Identifier: GPL-2.0-only */
/* The body of a request: as long as the server says, inflated if need be. */
#include "compat/posix.h"
#include <poll.h>
#include <zlib.h>
#include "builtin/http-backend/http-backend.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define PIECE 65536
#define DROPPED_MAX ((uint64_t)1 << 20)

struct http_body {
	bool limited;	    /* by CONTENT_LENGTH; else up to the end of the input */
	uint64_t left;	    /* bytes that are to come, if so */
	bool in_memory;	    /* all of it is in `whole` */
	struct strbuf whole;
	size_t pos;
	bool gzip;
	z_stream z;
};

/* ---- opening ---- */

/* "" counts as not said, as the CGI standard has it; some servers say -1 then. */
static int parse_length(struct http_body *b, const char *text, struct err *err)
{
	unsigned long long v;

	if (!text || !*text || !strcmp(text, "-1"))
		return 0;
	errno = 0;
	v = strtoull(text, NULL, 10);
	if (strspn(text, "0123456789") != strlen(text) || errno || v > INT64_MAX)
		return err_set(err, ERR_INVALID, "failed to parse CONTENT_LENGTH: %s", text);
	b->limited = true;
	b->left = v;
	return 0;
}

static int parse_encoding(struct http_body *b, const char *text, struct err *err)
{
	if (!text || !*text || !strcmp(text, "identity"))
		return 0;
	if (strcmp(text, "gzip") && strcmp(text, "x-gzip"))
		return err_set(err, ERR_UNSUPPORTED, "unsupported content encoding '%s'", text);
	if (inflateInit2(&b->z, 15 + 16) != Z_OK) /* 16: with a gzip header */
		out_of_memory();
	b->gzip = true;
	return 0;
}

int http_body_open(struct http_body **out, struct err *err)
{
	struct http_body *b = xcalloc(1, sizeof(*b));
	int rc;

	strbuf_init(&b->whole, 0);
	rc = parse_length(b, getenv("CONTENT_LENGTH"), err);
	if (!rc)
		rc = parse_encoding(b, getenv("HTTP_CONTENT_ENCODING"), err);
	if (rc)
		http_body_free(b);
	else
		*out = b;
	return rc;
}

void http_body_drop(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct http_body b = { .limited = false };
	char buf[4096];
	ssize_t got = 1;

	if (parse_length(&b, getenv("CONTENT_LENGTH"), NULL) < 0 || !b.limited)
		return;
	for (uint64_t left = b.left < DROPPED_MAX ? b.left : DROPPED_MAX; left && got > 0; left -= (uint64_t)got)
		if (poll(&in, 1, 1000) <= 0 || (got = RETRY_EINTR(read(STDIN_FILENO, buf, left < sizeof(buf) ? left : sizeof(buf)))) <= 0)
			return;
}

void http_body_free(struct http_body *b)
{
	if (!b)
		return;
	if (b->gzip)
		inflateEnd(&b->z);
	strbuf_release(&b->whole);
	free(b);
}

/* ---- what comes over the wire ---- */

/* Up to PIECE bytes; *n is 0 at the end. */
static int read_piece(struct http_body *b, char buf[PIECE], size_t *n, struct err *err)
{
	size_t want = b->limited && b->left < PIECE ? (size_t)b->left : PIECE;
	ssize_t got;

	if (b->in_memory) {
		*n = b->whole.len - b->pos < PIECE ? b->whole.len - b->pos : PIECE;
		memcpy(buf, b->whole.buf + b->pos, *n);
		b->pos += *n;
		return 0;
	}
	do
		got = want ? read(0, buf, want) : 0;
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_set_errno(err, "error reading request body");
	if (!got && want && b->limited)
		return err_set(err, ERR_CORRUPT, "the request ended %" PRIu64 " bytes too early", b->left);
	if (b->limited)
		b->left -= (uint64_t)got;
	*n = (size_t)got;
	return 0;
}

int http_body_read_all(struct http_body *b, size_t max, struct err *err)
{
	char buf[PIECE];
	size_t n = 0;
	int rc;

	if (b->limited && b->left > max)
		return err_set(err, ERR_TOO_BIG, "request was larger than our maximum size (%zu): %"
			       PRIu64 "; try setting GIT_HTTP_MAX_REQUEST_BUFFER", max, b->left);
	while (!(rc = read_piece(b, buf, &n, err)) && n) {
		if (n > max - b->whole.len)
			return err_set(err, ERR_TOO_BIG, "request was larger than our maximum size "
				       "(%zu); try setting GIT_HTTP_MAX_REQUEST_BUFFER", max);
		strbuf_add(&b->whole, buf, n);
	}
	b->in_memory = !rc;
	return rc;
}

/* ---- passing it on ---- */

/* Inflate a piece and write it; *ended: the gzip stream is complete. */
static int inflate_piece(struct http_body *b, char *in, size_t len, int fd, bool *ended,
			 struct err *err)
{
	unsigned char out[PIECE];
	int z, rc = 0;

	b->z.next_in = (unsigned char *)in;
	b->z.avail_in = (unsigned)len;
	while (!rc && b->z.avail_in && !*ended) {
		b->z.next_out = out;
		b->z.avail_out = sizeof(out);
		z = inflate(&b->z, Z_NO_FLUSH);
		if (z != Z_OK && z != Z_STREAM_END)
			return err_set(err, ERR_CORRUPT, "the request is no valid gzip stream");
		*ended = z == Z_STREAM_END;
		rc = write_in_full(fd, out, sizeof(out) - b->z.avail_out, "request", err);
	}
	return rc;
}

int http_body_copy(struct http_body *b, int fd, struct err *err)
{
	char buf[PIECE];
	size_t n = 0;
	bool ended = false;
	int rc;

	while (!(rc = read_piece(b, buf, &n, err)) && n) {
		rc = b->gzip ? inflate_piece(b, buf, n, fd, &ended, err) :
		     write_in_full(fd, buf, n, "request", err);
		if (rc)
			return rc;
	}
	if (!rc && b->gzip && !ended)
		rc = err_set(err, ERR_CORRUPT, "request ended in the middle of the gzip stream");
	return rc;
}
