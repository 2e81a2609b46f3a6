/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a multi-pack-index, gitformat-pack(5). */
#include "compat/posix.h"
#include "csum-file.h"
#include "pack/midx-internal.h"
#include "util/bytes.h"

struct writing {
	const struct midx_content *c;
	struct csum_file *f;
	size_t name_bytes; /* of the pack names, padded */
	uint32_t nr_wide;  /* offsets in the table of large ones */
};

/* If any offset needs more than 32 bits, all that need 32 go to the table. */
static void count_wide(struct writing *w)
{
	bool any = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->c->nr; i++) {
		any |= w->c->v[i].offset > UINT32_MAX;
		n += w->c->v[i].offset >= MIDX_MSB;
	}
	w->nr_wide = any ? n : 0;
}

static int write_pack_names(struct writing *w, struct err *err)
{
	size_t bytes = 0;
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr_packs && !rc; i++) {
		size_t len = strlen(w->c->packs[i].name) + 1;

		rc = csum_write(w->f, w->c->packs[i].name, len, err);
		bytes += len;
	}
	return rc < 0 ? rc : csum_write(w->f, "\0\0\0", w->name_bytes - bytes, err);
}

static int write_midx_fanout(struct writing *w, struct err *err)
{
	uint32_t n = 0;
	int rc = 0;

	for (unsigned first = 0; first < 256 && !rc; first++) {
		while (n < w->c->nr && w->c->v[n].name[0] <= first)
			n++;
		rc = csum_write_be32(w->f, n, err);
	}
	return rc;
}

static int write_names(struct writing *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr && !rc; i++)
		rc = csum_write(w->f, w->c->v[i].name, w->c->algo->raw_len, err);
	return rc;
}

static int write_locations(struct writing *w, struct err *err)
{
	uint32_t wide = 0;
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr && !rc; i++) {
		const struct midx_object *o = &w->c->v[i];

		rc = csum_write_be32(w->f, o->pack, err);
		if (!rc)
			rc = csum_write_be32(w->f, w->nr_wide && o->offset >= MIDX_MSB ?
					     MIDX_MSB | wide++ : (uint32_t)o->offset, err);
	}
	return rc;
}

static int write_wide(struct writing *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr && !rc; i++)
		if (w->c->v[i].offset >= MIDX_MSB)
			rc = csum_write_be64(w->f, w->c->v[i].offset, err);
	return rc;
}

static int write_order(struct writing *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr && !rc; i++)
		rc = csum_write_be32(w->f, w->c->first + w->c->order[i], err);
	return rc;
}

static int write_ranges(struct writing *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->c->nr_packs && !rc; i++) {
		const struct midx_pack *p = &w->c->packs[i];

		rc = csum_write_be32(w->f, p->nr ? w->c->first + p->first_bit : 0, err);
		if (!rc)
			rc = csum_write_be32(w->f, p->nr, err);
	}
	return rc;
}

struct part {
	uint32_t id;
	uint64_t bytes;
	int (*write)(struct writing *w, struct err *err);
};

static unsigned list_parts(const struct writing *w, struct part *v)
{
	const struct midx_content *c = w->c;
	unsigned n = 0;

	v[n++] = (struct part){ MIDX_PACK_NAMES, w->name_bytes, write_pack_names };
	v[n++] = (struct part){ MIDX_FANOUT, 1024, write_midx_fanout };
	v[n++] = (struct part){ MIDX_NAMES, (uint64_t)c->nr * c->algo->raw_len, write_names };
	v[n++] = (struct part){ MIDX_LOCATIONS, (uint64_t)c->nr * 8, write_locations };
	if (w->nr_wide)
		v[n++] = (struct part){ MIDX_WIDE, (uint64_t)w->nr_wide * 8, write_wide };
	if (c->order) {
		v[n++] = (struct part){ MIDX_ORDER, (uint64_t)c->nr * 4, write_order };
		v[n++] = (struct part){ MIDX_RANGES, (uint64_t)c->nr_packs * 8, write_ranges };
	}
	return n;
}

static int write_head(struct writing *w, const struct part *v, unsigned nr, struct err *err)
{
	unsigned char head[MIDX_HEADER_BYTES] = { 0 };
	uint64_t at = MIDX_HEADER_BYTES + ((uint64_t)nr + 1) * MIDX_CHUNK_ENTRY_BYTES;
	int rc;

	put_be32(head, MIDX_SIGNATURE);
	head[4] = (unsigned char)w->c->version;
	head[5] = (unsigned char)w->c->algo->id;
	head[6] = (unsigned char)nr;
	put_be32(head + 8, w->c->nr_packs);
	rc = csum_write(w->f, head, sizeof(head), err);
	for (unsigned i = 0; i <= nr && !rc; i++) {
		rc = csum_write_be32(w->f, i < nr ? v[i].id : 0, err);
		if (!rc)
			rc = csum_write_be64(w->f, at, err);
		at += i < nr ? v[i].bytes : 0;
	}
	return rc;
}

int midx_content_write(const struct midx_content *c, int fd, const char *name,
		       struct object_id *checksum, struct err *err)
{
	struct writing w = { .c = c };
	struct part parts[8];
	unsigned nr;
	int rc;

	for (uint32_t i = 0; i < c->nr_packs; i++)
		w.name_bytes += strlen(c->packs[i].name) + 1;
	w.name_bytes = (w.name_bytes + 3) / 4 * 4;
	count_wide(&w);
	nr = list_parts(&w, parts);
	w.f = csum_file_new(fd, name, c->algo, false, 0);
	rc = write_head(&w, parts, nr, err);
	for (unsigned i = 0; i < nr && !rc; i++)
		rc = parts[i].write(&w, err);
	if (!rc)
		rc = csum_finish(w.f, checksum, err);
	csum_file_free(w.f);
	return rc;
}
