/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pack/pack-internal.h"
#include "t/pack-craft.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"

void craft_init(struct craft *c, const struct hash_algo *algo)
{
	memset(c, 0, sizeof(*c));
	c->algo = algo;
	strbuf_init(&c->out, 0);
	strbuf_add(&c->out, "PACK\0\0\0\2\0\0\0\0", 12);
}

void craft_release(struct craft *c)
{
	strbuf_release(&c->out);
	FREE_AND_NULL(c->offsets);
}

void craft_header(struct craft *c, unsigned type, uint64_t size)
{
	unsigned char byte = (unsigned char)(type << 4 | (size & 15));

	ALLOC_GROW(c->offsets, (size_t)c->nr + 1, c->alloc);
	c->offsets[c->nr++] = c->out.len;
	for (size >>= 4; size; size >>= 7) {
		strbuf_addch(&c->out, (char)(byte | 0x80));
		byte = size & 0x7f;
	}
	strbuf_addch(&c->out, (char)byte);
}

void craft_distance(struct craft *c, uint64_t distance)
{
	unsigned char buf[16];
	size_t at = sizeof(buf) - 1;

	buf[at] = distance & 0x7f;
	while (distance >>= 7)
		buf[--at] = (unsigned char)(0x80 | (--distance & 0x7f));
	strbuf_add(&c->out, buf + at, sizeof(buf) - at);
}

void craft_deflated(struct craft *c, const void *p, size_t len)
{
	deflate_buf(&c->out, p, len, 6);
}

void craft_object(struct craft *c, enum object_type type, const void *p, size_t len)
{
	craft_header(c, type, len);
	craft_deflated(c, p, len);
}

void craft_ofs_delta(struct craft *c, uint32_t base, const struct strbuf *delta)
{
	uint64_t here = c->out.len;

	craft_header(c, OBJ_OFS_DELTA, delta->len);
	craft_distance(c, here - c->offsets[base]);
	craft_deflated(c, delta->buf, delta->len);
}

void craft_ref_delta(struct craft *c, const struct object_id *base, const struct strbuf *delta)
{
	craft_header(c, OBJ_REF_DELTA, delta->len);
	strbuf_add(&c->out, base->hash, c->algo->raw_len);
	craft_deflated(c, delta->buf, delta->len);
}

void craft_end_as(struct craft *c, uint32_t count)
{
	struct object_id sum;

	put_be32(c->out.buf + 8, count);
	hash_buf(c->algo, c->out.buf, c->out.len, &sum);
	strbuf_add(&c->out, sum.hash, c->algo->raw_len);
}

void craft_end(struct craft *c)
{
	craft_end_as(c, c->nr);
}

/* ---- deltas ---- */

static void add_size(struct strbuf *d, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		strbuf_addch(d, (char)(0x80 | (v & 0x7f)));
	strbuf_addch(d, (char)v);
}

void delta_begin(struct strbuf *d, uint64_t base_size, uint64_t size)
{
	strbuf_reset(d);
	add_size(d, base_size);
	add_size(d, size);
}

void delta_copy(struct strbuf *d, uint32_t from, uint32_t len)
{
	size_t op = d->len;
	unsigned char bits = 0x80;

	strbuf_addch(d, 0);
	for (unsigned i = 0; i < 4; i++)
		if (from >> (8 * i) & 0xff) {
			bits |= (unsigned char)(1u << i);
			strbuf_addch(d, (char)(from >> (8 * i)));
		}
	for (unsigned i = 0; i < 3; i++)
		if (len != 0x10000 && (len >> (8 * i) & 0xff)) {
			bits |= (unsigned char)(0x10u << i);
			strbuf_addch(d, (char)(len >> (8 * i)));
		}
	d->buf[op] = (char)bits;
}

void delta_insert(struct strbuf *d, const char *text, size_t len)
{
	while (len) {
		size_t n = len < 127 ? len : 127;

		strbuf_addch(d, (char)n);
		strbuf_add(d, text, n);
		text += n;
		len -= n;
	}
}

void delta_extend(struct strbuf *d, size_t base_size, const char *text)
{
	delta_begin(d, base_size, base_size + strlen(text));
	for (size_t at = 0; at < base_size;) {
		size_t n = base_size - at < 0xffff ? base_size - at : 0xffff;

		delta_copy(d, (uint32_t)at, (uint32_t)n);
		at += n;
	}
	delta_insert(d, text, strlen(text));
}

/* ---- bitmaps ---- */

int craft_target_init(struct craft_target *t, struct pack *p, struct err *err)
{
	int rc = pack_open_idx(p, err);
	struct object_id sum;
	char *base, *dir;

	if (rc < 0)
		return rc;
	CALLOC_ARRAY(t->entries, (size_t)p->idx.nr + 1);
	for (uint32_t i = 0; i < p->idx.nr; i++) {
		oid_from_raw(&t->entries[i].oid, idx_name(&p->idx, i), p->idx.algo);
		t->entries[i].offset = idx_offset(&p->idx, i);
	}
	oid_from_raw(&sum, p->idx.pack_sum, p->idx.algo);
	base = xstrndup(p->base, strlen(p->base) - p->idx.algo->hex_len - 1);
	dir = xstrndup(p->base, (size_t)(strrchr(p->base, '/') - p->base));
	t->target = bitmap_target_entries(t->entries, p->idx.nr, &sum, base, dir);
	free(base);
	free(dir);
	return 0;
}

void craft_target_release(struct craft_target *t)
{
	bitmap_target_free(t->target);
	FREE_AND_NULL(t->entries);
	t->target = NULL;
}
