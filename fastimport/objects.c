/* SPDX-License-Identifier: GPL-2.0-only */
/* New objects: named, and stored as a delta to an older version where the open pack has that. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "pack/write/delta.h"
#include "util/alloc.h"
#include "util/deflate.h"

/* Larger parts of an object as a delta may be no gain: commands that copy do not deflate well, as text does. */
#define WORTHWHILE 4

void import_mark_object(struct fast_import *fi, const struct object_id *oid, enum object_type type)
{
	if (fi->next_mark)
		import_mark_set(&fi->marks, fi->next_mark, oid, type);
	fi->next_mark = 0;
}

/* The deflated delta, if it is worth while: its size before; 0: none. */
static size_t make_delta(const struct fast_import *fi, const struct strbuf *data, const struct import_base *base,
			 struct strbuf *out)
{
	struct delta_index *ix = delta_index_new(base->data, base->len);
	size_t max = data->len - fi->repo->algo->raw_len, n;
	struct strbuf whole = STRBUF_INIT;
	unsigned char *delta;

	if (!ix)
		return 0;
	delta = xmalloc(max);
	n = delta_encode(ix, data->buf, data->len, delta, max);
	delta_index_free(ix);
	if (n)
		deflate_buf(out, delta, n, fi->level);
	if (n > data->len / WORTHWHILE) {
		deflate_buf(&whole, data->buf, data->len, fi->level);
		if (whole.len <= out->len)
			n = 0;
	}
	strbuf_release(&whole);
	free(delta);
	return n;
}

int import_store(struct fast_import *fi, enum object_type type, const struct strbuf *data,
		 const struct import_base *base, struct object_id *oid, struct err *err)
{
	struct bulk_checkin *b = odb_batch(fi->repo->odb);
	struct strbuf deflated = STRBUF_INIT;
	struct pack_delta delta = { .deflated = &deflated };
	int depth, rc = hash_object_buf(fi->repo->algo, object_type_name(type), data->buf, data->len, oid, err);

	if (rc < 0)
		return rc;
	if (bulk_checkin_knows(b, oid)) {
		fi->duplicates[type]++;
		return 0;
	}
	fi->count[type]++;
	depth = base && data->len > fi->repo->algo->raw_len ? bulk_checkin_delta_depth(b, base->oid) : -1;
	if (depth >= 0 && (unsigned long)depth < fi->depth) {
		fi->attempts[type]++;
		delta.base = base->oid;
		delta.size = make_delta(fi, data, base, &deflated);
	}
	fi->deltas[type] += delta.size > 0;
	rc = bulk_checkin_add_named(b, type, oid, data->buf, data->len, delta.size ? &delta : NULL, err);
	strbuf_release(&deflated);
	return rc;
}
