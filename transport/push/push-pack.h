/* SPDX-License-Identifier: GPL-2.0-only */
/* The pack of a push: what the other side wants and lacks, written to a sink or to files. */
#ifndef TRANSPORT_PUSH_PUSH_PACK_H
#define TRANSPORT_PUSH_PUSH_PACK_H

#include "pack/write/pack-objects.h"
#include "transport/push/push.h"

struct push_pack {
	struct repository *r;
	const struct push_request_options *o;
	const struct oid_array *wants, *haves;
	bool ofs_delta;
};
MUST_USE int push_pack_write(const struct push_pack *p, const struct pack_sink *sink, struct err *err);
/* Stage pack-HASH.pack and .idx for dir. sums: their hashes; none if there is nothing to send. */
MUST_USE int push_pack_write_files(const struct push_pack *p, const char *dir, struct fsync_batch *b, struct oid_array *sums,
				   struct err *err);

#endif
