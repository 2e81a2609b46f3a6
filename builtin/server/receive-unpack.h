/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two files of git-receive-pack(1) share. */
#ifndef BUILTIN_SERVER_RECEIVE_UNPACK_H
#define BUILTIN_SERVER_RECEIVE_UNPACK_H

#include "compat/posix.h"
#include "receive/receive.h"

/* receive_pack_options.take_pack */
int take_pushed_pack(struct receive_server *s, struct repository *r, struct fsync_batch *batch,
		     struct oid_array *foreign, struct err *err);

#endif
