/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header of a bundle: what its pack needs and which refs it has. gitformat-bundle(5),
 * versions 2 and 3.
 *
 *	struct bundle_header h = BUNDLE_HEADER_INIT;
 *	bundle_header_read(&h, fd, name, err)
 *	…
 *	bundle_header_release(&h)
 */
#ifndef WIRE_BUNDLE_H
#define WIRE_BUNDLE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "wire/filter-spec.h"

#define BUNDLE_LINE_MAX 65536 /* bytes; longer ones are an error */

#define BUNDLE_REFS_MAX 20000000u /* more are an error */
#define BUNDLE_SIGNATURE_LEN 16

struct bundle_ref {
	struct object_id oid;
	char *name; /* of a prerequisite: words for people, which are written, not read; may be NULL */
};
struct bundle_refs {
	struct bundle_ref *items;
	size_t nr, alloc;
};

struct bundle_header {
	int version;		      /* 2, 3 */
	const struct hash_algo *algo; /* SHA-1 unless it says otherwise */
	char *filter;		      /* what filter_spec says; NULL: none */
	struct filter_spec filter_spec; /* what the pack leaves out */
	struct bundle_refs prerequisites, refs;
	size_t size;		      /* of the header, in bytes */
	struct strbuf rest;	      /* what has been read of the pack behind it */
};
#define BUNDLE_HEADER_INIT { 0, NULL, NULL, FILTER_SPEC_INIT, { NULL, 0, 0 }, { NULL, 0, 0 }, 0, STRBUF_INIT }
void bundle_header_release(struct bundle_header *h);
void bundle_refs_add(struct bundle_refs *l, const struct object_id *oid, const char *name);

/* Does it begin as a bundle of a known version? len >= BUNDLE_SIGNATURE_LEN. */
bool bundle_has_signature(const char *buf, size_t len);

/* `value` of a filter: several are one combination. The errors of filter_spec_parse. */
MUST_USE int bundle_header_add_filter(struct bundle_header *h, const char *value, struct err *err);

/* Append the lines of a header, which has its version, and the empty one behind them. */
void bundle_header_format(const struct bundle_header *h, struct strbuf *out);

/*
 * The part of a header that is in buf[0..len), from h->size on, which is advanced by the
 * lines that are complete. 1: the header has ended; 0: there must be more. `name` is for
 * messages. ERR_CORRUPT; ERR_UNSUPPORTED: a version, hash or capability that is not known;
 * ERR_INVALID, ERR_TOO_BIG: a filter that is none, or has too many parts.
 */
int bundle_header_parse(struct bundle_header *h, const char *buf, size_t len, const char *name,
			struct err *err);
/* The same from a file, which may be a pipe. ERR_CORRUPT also: it ends within the header. */
MUST_USE int bundle_header_read(struct bundle_header *h, int fd, const char *name,
				struct err *err);

#endif
