/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a new pack on their way to the sink: collected into large pieces, hashed. */
#include "compat/posix.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

/* Memory of the sink for what comes next. */
static int take_room(struct pack_output *out, struct err *err)
{
	void *p;
	int rc;

	if (!out->sink.room)
		return 0;
	rc = out->sink.room(out->sink.data, OUTPUT_BYTES, &p, err);
	if (rc < 0)
		return rc;
	out->buf = p;
	return 0;
}

int pack_output_init(struct pack_output *out, const struct hash_algo *algo,
		     const struct pack_sink *sink, struct err *err)
{
	memset(out, 0, sizeof(*out));
	out->sink = *sink;
	if (!sink->room)
		out->buf = xmalloc(OUTPUT_BYTES);
	hash_init(&out->hash, algo);
	return take_room(out, err);
}

void pack_output_release(struct pack_output *out)
{
	hash_release(&out->hash);
	if (!out->sink.room)
		free(out->buf);
	out->buf = NULL;
}

static int send_output(struct pack_output *out, const void *p, size_t len, bool hashed,
		       struct err *err)
{
	int rc;

	if (!len)
		return 0;
	if (!hashed)
		hash_update(&out->hash, p, len);
	rc = out->sink.write(out->sink.data, p, len, err);
	if (rc < 0)
		return rc;
	out->flushed += len;
	return 0;
}

static int flush(struct pack_output *out, struct err *err)
{
	int rc = send_output(out, out->buf, out->len, false, err);

	if (rc < 0)
		return rc;
	out->len = 0;
	return take_room(out, err);
}

int pack_output_room(struct pack_output *out, size_t len, unsigned char **at, struct err *err)
{
	int rc = 0;

	if (len > OUTPUT_ENTRY_MAX)
		BUG("%zu bytes of room in a buffer of packs", len);
	/* Each flush writes at least half of the buffer. */
	if (len > OUTPUT_BYTES - out->len)
		rc = flush(out, err);
	*at = out->buf + out->len;
	return rc;
}

int pack_output_add(struct pack_output *out, const void *p, size_t len, struct err *err)
{
	const unsigned char *at = p;
	int rc = 0;

	while (len && !rc) {
		size_t n = OUTPUT_BYTES - out->len;

		if (!out->len && len >= OUTPUT_BYTES) {
			n = len < MAX_IO_SIZE ? len : MAX_IO_SIZE;
			if (len - n && len - n < OUTPUT_BYTES)
				n = len;
			rc = send_output(out, at, n, false, err);
			/* The sink has put it where there was room. */
			if (!rc)
				rc = take_room(out, err);
		} else {
			if (n > len)
				n = len;
			memcpy(out->buf + out->len, at, n);
			out->len += n;
			if (out->len == OUTPUT_BYTES)
				rc = flush(out, err);
		}
		at += n;
		len -= n;
	}
	return rc;
}

int pack_output_finish(struct pack_output *out, struct object_id *sum, struct err *err)
{
	size_t raw = out->hash.algo->raw_len;
	int rc = 0;

	/* Together with the last bytes, so that it is no piece of its own. */
	if (OUTPUT_BYTES - out->len < raw)
		rc = flush(out, err);
	if (rc < 0)
		return rc;
	hash_update(&out->hash, out->buf, out->len);
	hash_final(&out->hash, sum);
	memcpy(out->buf + out->len, sum->hash, raw);
	out->len += raw;
	rc = send_output(out, out->buf, out->len, true, err);
	if (!rc)
		out->len = 0;
	return rc;
}
