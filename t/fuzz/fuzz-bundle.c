/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers of bundles. The first byte says in pieces of how many bytes the rest arrives: what is
 * found does not depend on that, and a header made of it is read as the same.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "wire/bundle.h"

static int parse_in_pieces(struct bundle_header *h, const char *buf, size_t len, size_t piece)
{
	struct strbuf got = STRBUF_INIT;
	int rc = 0;

	while (!rc && got.len < len) {
		size_t n = len - got.len < piece ? len - got.len : piece;

		strbuf_add(&got, buf + got.len, n);
		rc = bundle_header_parse(h, got.buf, got.len, "x", NULL);
		if (h->size > got.len)
			abort();
	}
	strbuf_release(&got);
	return rc;
}

static void check_same(const struct bundle_refs *a, const struct bundle_refs *b)
{
	if (a->nr != b->nr)
		abort();
	for (size_t i = 0; i < a->nr; i++)
		if (!oid_eq(&a->items[i].oid, &b->items[i].oid) ||
		    (a->items[i].name && strcmp(a->items[i].name, b->items[i].name)))
			abort();
}

static void check_round_trip(const struct bundle_header *h)
{
	struct bundle_header again = BUNDLE_HEADER_INIT;
	struct strbuf out = STRBUF_INIT;

	bundle_header_format(h, &out);
	if (bundle_header_parse(&again, out.buf, out.len, "x", NULL) != 1 || again.size != out.len)
		abort();
	check_same(&h->refs, &again.refs);
	check_same(&h->prerequisites, &again.prerequisites);
	if (!h->filter != !again.filter || (h->filter && strcmp(h->filter, again.filter)))
		abort();
	bundle_header_release(&again);
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bundle_header whole = BUNDLE_HEADER_INIT, pieces = BUNDLE_HEADER_INIT;
	const char *buf = (const char *)data + 1;
	int rc;

	if (!size)
		return 0;
	rc = bundle_header_parse(&whole, buf, size - 1, "x", NULL);
	if (parse_in_pieces(&pieces, buf, size - 1, (size_t)data[0] + 1) != rc && size > 1)
		abort();
	if (rc > 0) {
		if (whole.size != pieces.size)
			abort();
		check_same(&whole.refs, &pieces.refs);
		check_round_trip(&whole);
	}
	bundle_header_release(&whole);
	bundle_header_release(&pieces);
	return 0;
}
