/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bodies of http. Packets that come in pieces are followed as if they came at once; what is skipped before an
 * advertisement is whole packets, of which the last is a flush packet.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "wire/http-framing.h"

/* The same bytes, in pieces of one to seven. */
static int follow_in_pieces(struct pkt_framing *f, const char *text, size_t size)
{
	int rc = 0;

	for (size_t at = 0, n = 1; !rc && at < size; at += n, n = n % 7 + 1) {
		if (n > size - at)
			n = size - at;
		rc = pkt_framing_follow(f, text + at, n, NULL);
	}
	return rc;
}

static void check_service(const char *text, size_t size)
{
	struct pkt_framing f = { .flushed = false };
	size_t skip;

	if (http_service_lines(text, size, "git-upload-pack", &skip, NULL) < 0)
		return;
	if (skip > size)
		abort();
	if (skip && (pkt_framing_follow(&f, text, skip, NULL) < 0 || !pkt_framing_is_whole(&f) || !f.flushed))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pkt_framing whole = { .flushed = false }, pieces = { .flushed = false };
	const char *text = (const char *)data;
	int rc = pkt_framing_follow(&whole, text, size, NULL);

	if (rc != follow_in_pieces(&pieces, text, size))
		abort();
	if (!rc && (whole.left != pieces.left || whole.have != pieces.have || whole.flushed != pieces.flushed))
		abort();
	check_service(text, size);
	return 0;
}
