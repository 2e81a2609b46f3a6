/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <poll.h>
#include "cli/cli.h"
#include "cli/stdin-lines.h"

#define READ_BYTES 8192

static const char *find_end(const struct stdin_lines *in)
{
	return memchr(in->buf.buf + in->at, in->term, in->buf.len - in->at);
}

bool stdin_lines_buffered(const struct stdin_lines *in)
{
	return find_end(in) != NULL;
}

bool stdin_lines_ready(const struct stdin_lines *in)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };

	return find_end(in) || in->eof || poll(&p, 1, 0) > 0;
}

static void read_more(struct stdin_lines *in)
{
	ssize_t got;

	strbuf_remove(&in->buf, 0, in->at);
	in->at = 0;
	strbuf_grow(&in->buf, READ_BYTES);
	do
		got = read(0, in->buf.buf + in->buf.len, READ_BYTES);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		die("unable to read standard input: %s", strerror(errno));
	strbuf_setlen(&in->buf, in->buf.len + (size_t)got);
	in->eof = !got;
}

bool stdin_lines_next(struct stdin_lines *in, struct strbuf *line)
{
	const char *end;
	size_t len;

	while (!(end = find_end(in)) && !in->eof)
		read_more(in);
	len = end ? (size_t)(end - in->buf.buf) - in->at : in->buf.len - in->at;
	if (!end && !len)
		return false;
	strbuf_reset(line);
	strbuf_add(line, in->buf.buf + in->at, len);
	in->at += len + (end != NULL);
	return true;
}

void stdin_lines_release(struct stdin_lines *in)
{
	strbuf_release(&in->buf);
}
