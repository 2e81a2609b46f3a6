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

/* The deflated delta, if it is worth while. */
static size_t make_delta(void *ctx, const struct bulk_checkin_version *v, struct strbuf *out)
{
	const struct fast_import *fi = ctx;
	struct delta_index *ix = delta_index_new(v->base_data, v->base_len);
	size_t max = v->len - fi->repo->algo->raw_len, n;
	struct strbuf whole = STRBUF_INIT;
	unsigned char *delta;

	if (!ix)
		return 0;
	delta = xmalloc(max);
	n = delta_encode(ix, v->data, v->len, delta, max);
	delta_index_free(ix);
	if (n)
		deflate_buf(out, delta, n, fi->level);
	if (n > v->len / WORTHWHILE) {
		deflate_buf(&whole, v->data, v->len, fi->level);
		if (whole.len <= out->len)
			n = 0;
	}
	strbuf_release(&whole);
	free(delta);
	return n;
}

static void count_stored(void *ctx, enum object_type type, bool tried, bool used)
{
	struct fast_import *fi = ctx;

	fi->attempts[type] += tried;
	fi->deltas[type] += used;
}

int import_store(struct fast_import *fi, enum object_type type, const struct strbuf *data,
		 const struct import_base *base, struct object_id *oid, struct err *err)
{
	struct bulk_checkin_version v = {
		.type = type, .data = data->buf, .len = data->len, .depth = fi->depth, .make_delta = make_delta,
		.stored = count_stored, .ctx = fi
	};
	int rc;

	if (base && data->len > fi->repo->algo->raw_len) {
		v.base = base->oid;
		v.base_data = base->data;
		v.base_len = base->len;
	}
	rc = bulk_checkin_add_version(odb_batch(fi->repo->odb), &v, oid, err);
	if (rc > 0)
		fi->count[type]++;
	else if (!rc)
		fi->duplicates[type]++;
	return rc < 0 ? rc : 0;
}
