/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing blocks. */
#include "compat/posix.h"
#include "refs/reftable/block-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"

#define RESTARTS_MAX 0xffff

static void put_be24(char *at, uint32_t v)
{
	at[0] = (char)(v >> 16);
	at[1] = (char)(v >> 8);
	at[2] = (char)v;
}

void block_writer_start(struct block_writer *w, enum block_type type, size_t max, unsigned restart_interval,
			const void *file_header, size_t header_len)
{
	static const char header[BLOCK_HEADER_LEN];

	w->type = type;
	w->max = max;
	w->restart_interval = restart_interval;
	w->header_len = file_header ? header_len : 0;
	w->nr_restarts = w->since_restart = 0;
	w->any = false;
	strbuf_reset(&w->last_key);
	strbuf_reset(&w->buf);
	strbuf_add(&w->buf, file_header, w->header_len);
	strbuf_add(&w->buf, header, sizeof(header));
	w->buf.buf[w->header_len] = (char)type;
}

static size_t common_prefix(const struct strbuf *a, const struct strbuf *b)
{
	size_t n = 0, max = a->len < b->len ? a->len : b->len;

	while (n < max && a->buf[n] == b->buf[n])
		n++;
	return n;
}

bool block_writer_add(struct block_writer *w, const struct strbuf *key, unsigned extra, const struct strbuf *value,
		      bool oversize)
{
	bool restart = !w->any || (w->since_restart >= w->restart_interval && w->nr_restarts < RESTARTS_MAX);
	size_t before = w->buf.len, prefix = restart ? 0 : common_prefix(&w->last_key, key);
	size_t max = oversize && !w->any ? BLOCK_LEN_MAX : w->max;

	if (w->any && reftable_key_cmp(&w->last_key, key->buf, key->len) >= 0)
		BUG("records of a reftable are not in order");
	varint_add(&w->buf, prefix);
	varint_add(&w->buf, (uint64_t)(key->len - prefix) << 3 | extra);
	strbuf_add(&w->buf, key->buf + prefix, key->len - prefix);
	strbuf_addbuf(&w->buf, value);
	if (w->buf.len + 3 * (w->nr_restarts + restart) + 2 > max) {
		strbuf_setlen(&w->buf, before);
		return false;
	}
	if (restart) {
		ALLOC_GROW(w->restarts, w->nr_restarts + 1, w->alloc_restarts);
		w->restarts[w->nr_restarts++] = (uint32_t)before;
		w->since_restart = 0;
	}
	w->since_restart++;
	w->any = true;
	strbuf_setlen(&w->last_key, prefix);
	strbuf_add(&w->last_key, key->buf + prefix, key->len - prefix);
	return true;
}

void block_writer_finish(struct block_writer *w, int compression_level, struct strbuf *out)
{
	size_t head = w->header_len + BLOCK_HEADER_LEN;
	char n[3];

	for (size_t i = 0; i < w->nr_restarts; i++) {
		put_be24(n, w->restarts[i]);
		strbuf_add(&w->buf, n, 3);
	}
	put_be16(n, (uint16_t)w->nr_restarts);
	strbuf_add(&w->buf, n, 2);
	put_be24(w->buf.buf + w->header_len + 1, (uint32_t)w->buf.len);
	if (w->type == BLOCK_LOG) {
		strbuf_add(out, w->buf.buf, head);
		deflate_buf(out, w->buf.buf + head, w->buf.len - head, compression_level);
	} else {
		strbuf_addbuf(out, &w->buf);
	}
}

void block_writer_release(struct block_writer *w)
{
	strbuf_release(&w->buf);
	strbuf_release(&w->last_key);
	free(w->restarts);
}
