/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which objects a partial clone leaves out: --filter of git-rev-list(1), the line "filter" of
 * gitprotocol-v2(5).
 */
#ifndef WIRE_FILTER_SPEC_H
#define WIRE_FILTER_SPEC_H

#include "compat/posix.h"
#include "object/object.h"
#include "util/err.h"
#include "util/strbuf.h"

enum filter_kind {
	FILTER_BLOB_NONE,
	FILTER_BLOB_LIMIT,  /* blobs of `number` bytes and more are left out */
	FILTER_TREE_DEPTH,  /* trees and blobs at depth `number` and deeper are left out */
	FILTER_OBJECT_TYPE, /* only `type` stays */
	FILTER_SPARSE_OID,  /* blobs outside of the sparse specification in the blob `name` */
};

struct filter_part {
	enum filter_kind kind;
	uint64_t number;
	enum object_type type;
	char *name; /* owned; "HEAD:spec", an oid */
};

/* An object stays if each part lets it stay. Without parts everything stays. */
struct filter_spec {
	struct filter_part *parts;
	size_t nr, alloc;
	bool combined; /* "combine:" was there, even with a single part */
};
#define FILTER_SPEC_INIT { NULL, 0, 0, false }
void filter_spec_release(struct filter_spec *f);

/* Specifications come from the wire: so many parts and combinations within combinations. */
#define FILTER_PARTS_MAX 1024
#define FILTER_NESTING_MAX 32

/*
 * Add what `text` leaves out to what f does: "blob:none", "blob:limit=1k", "tree:2",
 * "object:type=blob", "sparse:oid=HEAD:x", "combine:tree:2+blob:none". Combinations within
 * combinations become one list. ERR_INVALID, ERR_TOO_BIG; f is then as it was.
 */
MUST_USE int filter_spec_parse(struct filter_spec *f, const char *text, struct err *err);
/* Append it as one specification, numbers in plain digits; nothing if there are no parts. */
void filter_spec_format(const struct filter_spec *f, struct strbuf *out);
/* One part: as the key of uploadpackfilter.<filter>: "blob:none", "tree", … */
const char *filter_kind_name(enum filter_kind kind);

#endif
