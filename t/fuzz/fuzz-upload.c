/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client sends to upload-pack. The first byte chooses the version of the protocol and whether
 * the rest is sent as it is, or is lines of which packets are made (scratch_packets).
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "upload-pack.h"

#define VERSION_2 1u
#define STATELESS 2u
#define RAW 4u

#define EMPTY_BLOB_HEX "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
static const char config[] =
	"[uploadpack]\n\tallowFilter\n\tallowRefInWant\n\tallowSidebandAll\n"
	"\tallowReachableSHA1InWant\n\tadvertiseBundleURIs\n\thideRefs = refs/remotes\n"
	"\tblobPackfileUri = " EMPTY_BLOB_HEX " " EMPTY_BLOB_HEX " https://host/pack\n"
	"[transfer]\n\tadvertiseObjectInfo\n[bundle]\n\tversion = 1\n"
	"[promisor]\n\tadvertise\n[remote \"o\"]\n\tpromisor\n\turl = https://host/o\n";

/* ---- the answer ---- */

/* It consists of packets; without bands a pack of version 0 is none. */
static void check_answer(int fd, bool v2)
{
	char head[8];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, head, sizeof(head), at)) > 0) {
		int len = n < 4 ? -1 : pkt_parse_length(head);

		if (!v2 && n >= 4 && !memcmp(head, "PACK", 4))
			return;
		if (len < 0 || len == 3 || len > PKT_MAX)
			abort();
		at += len < 4 ? 4 : len;
	}
	if (n < 0 || at != lseek(fd, 0, SEEK_END))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upload_pack_options o = { 0 };
	static bool ready;

	if (!size)
		return 0;
	if (!ready)
		scratch_write(".gitconfig", config, sizeof(config) - 1);
	ready = true;
	scratch_repo();
	o.version = data[0] & VERSION_2 ? 2 : 0;
	o.stateless_rpc = data[0] & STATELESS;
	o.in = scratch_packets(data + 1, size - 1, data[0] & RAW);
	o.out = os_unnamed_file();
	if (o.out < 0)
		abort();
	(void)!upload_pack_serve(scratch_repo(), &o, NULL);
	check_answer(o.out, o.version == 2);
	close(o.in);
	close(o.out);
	return 0;
}
