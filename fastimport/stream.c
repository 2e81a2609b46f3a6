/* SPDX-License-Identifier: GPL-2.0-only */
/* The stream as bytes and lines, and the commands that were read last. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fastimport/fastimport-internal.h"
#include "util/alloc.h"

#define INPUT_BYTES ((size_t)128 * 1024)

void import_input_init(struct import_input *in, int fd)
{
	*in = (struct import_input){ .fd = fd, .line = STRBUF_INIT };
	in->buf = xmalloc(INPUT_BYTES);
}

void import_input_release(struct import_input *in)
{
	for (size_t i = 0; i < RECENT_COMMANDS; i++)
		free(in->recent[i]);
	strbuf_release(&in->line);
	free(in->buf);
}

static int fill_input(struct import_input *in, struct err *err)
{
	ssize_t n;

	if (in->eof || in->pos < in->len)
		return 0;
	n = RETRY_EINTR(read(in->fd, in->buf, INPUT_BYTES));
	if (n < 0)
		return err_set_errno(err, "cannot read the stream");
	in->pos = 0;
	in->len = (size_t)n;
	in->eof = !n;
	return 0;
}

/* 1: a line, without its LF; 0: the end of the stream. */
int import_input_text(struct import_input *in, struct strbuf *line, struct err *err)
{
	strbuf_reset(line);
	for (;;) {
		const unsigned char *lf;
		int rc = fill_input(in, err);

		if (rc < 0 || in->eof)
			return rc < 0 ? rc : line->len > 0;
		lf = memchr(in->buf + in->pos, '\n', in->len - in->pos);
		strbuf_add(line, in->buf + in->pos, (lf ? (size_t)(lf - in->buf) : in->len) - in->pos);
		in->pos = lf ? (size_t)(lf - in->buf) + 1 : in->len;
		if (lf)
			return 1;
	}
}

int import_input_line(struct import_input *in, struct err *err)
{
	int rc = import_input_text(in, &in->line, err);
	char **slot = &in->recent[in->nr_lines % RECENT_COMMANDS];

	if (rc > 0) {
		free(*slot);
		*slot = xstrdup(in->line.buf);
		in->nr_lines++;
	}
	return rc;
}

int import_input_read(struct import_input *in, void *p, size_t len, size_t *got, struct err *err)
{
	int rc = fill_input(in, err);

	if (rc < 0)
		return rc;
	*got = len < in->len - in->pos ? len : in->len - in->pos;
	memcpy(p, in->buf + in->pos, *got);
	in->pos += *got;
	return 0;
}

int import_input_skip_lf(struct import_input *in, struct err *err)
{
	int rc = fill_input(in, err);

	if (!rc && in->pos < in->len && in->buf[in->pos] == '\n')
		in->pos++;
	return rc;
}
