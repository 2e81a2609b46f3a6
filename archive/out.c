/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <zlib.h>
#include "archive/archive-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define BUFFER 65536

struct archive_out {
	int fd;
	uint64_t pos;
	bool gzip;
	z_stream z;
	gz_header head;
	unsigned char buf[BUFFER];
	size_t len; /* of buf, without gzip */
};

struct archive_out *archive_out_new(int fd, bool gzip, int level)
{
	struct archive_out *out = xcalloc(1, sizeof(*out));

	out->fd = fd;
	out->gzip = gzip;
	if (gzip) {
		if (deflateInit2(&out->z, level < 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED,
				 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
			out_of_memory();
		/* no time and no name: the same tree gives the same file */
		out->head.os = 3; /* Unix */
		deflateSetHeader(&out->z, &out->head);
		out->z.next_out = out->buf;
		out->z.avail_out = BUFFER;
	}
	return out;
}

static int flush(struct archive_out *out, size_t len, struct err *err)
{
	return write_in_full(out->fd, out->buf, len, "archive", err);
}

/* Z_FINISH: until all of it has been written. */
static int compress_some(struct archive_out *out, const void *p, size_t len, int how, struct err *err)
{
	int rc = 0, z = Z_OK;

	out->z.next_in = (unsigned char *)p;
	out->z.avail_in = (unsigned)len;
	while (!rc && (out->z.avail_in || (how == Z_FINISH && z != Z_STREAM_END))) {
		z = deflate(&out->z, how);
		if (z != Z_STREAM_END && out->z.avail_out)
			continue;
		rc = flush(out, BUFFER - out->z.avail_out, err);
		out->z.next_out = out->buf;
		out->z.avail_out = BUFFER;
	}
	return rc;
}

static int store_some(struct archive_out *out, const char *p, size_t len, struct err *err)
{
	int rc = 0;

	while (!rc && len) {
		size_t n = len < BUFFER - out->len ? len : BUFFER - out->len;

		memcpy(out->buf + out->len, p, n);
		out->len += n;
		p += n;
		len -= n;
		if (out->len == BUFFER) {
			rc = flush(out, BUFFER, err);
			out->len = 0;
		}
	}
	return rc;
}

int archive_out_write(struct archive_out *out, const void *p, size_t len, struct err *err)
{
	const char *s = p;
	int rc = 0;

	out->pos += len;
	if (!out->gzip)
		return store_some(out, s, len, err);
	while (!rc && len) {
		size_t n = len < MAX_IO_SIZE ? len : MAX_IO_SIZE; /* zlib counts by unsigned */

		rc = compress_some(out, s, n, Z_NO_FLUSH, err);
		s += n;
		len -= n;
	}
	return rc;
}

int archive_out_zeros(struct archive_out *out, size_t len, struct err *err)
{
	static const char zeros[4096];
	int rc = 0;

	while (!rc && len) {
		size_t n = len < sizeof(zeros) ? len : sizeof(zeros);

		rc = archive_out_write(out, zeros, n, err);
		len -= n;
	}
	return rc;
}

uint64_t archive_out_pos(const struct archive_out *out)
{
	return out->pos;
}

int archive_out_finish(struct archive_out *out, struct err *err)
{
	if (out->gzip)
		return compress_some(out, NULL, 0, Z_FINISH, err);
	return out->len ? flush(out, out->len, err) : 0;
}

void archive_out_free(struct archive_out *out)
{
	if (out && out->gzip)
		deflateEnd(&out->z);
	free(out);
}
