/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A push over WebDAV to a repository that the server sees only as files: git-http-push(1). The refs are read from its files. The push also
 * updates info/refs, which clients of the dumb protocol read.
 *
 *	dav_push_open(&s, client, r, err)         does the server speak WebDAV? The refs of the other side
 *	push_match, push_check                    as for any push (transport/push/push.h)
 *	dav_push_send(s, &options, &list, err)    pack and index, under temporary names, then theirs; objects/info/packs; refs; info/refs
 *	dav_push_free(s)
 *
 * The push locks info/refs and each existing ref while it changes files that clients read. It reads each ref again under the lock. So two
 * pushes over WebDAV do not overwrite each other. A Git command in the repository itself does not see these locks.
 *
 * Errors:     ERR_UNSUPPORTED: the server has no WebDAV; errors of transport/http/dav.h. A refused ref is no error: its status has the reason.
 * Durability: the server's own: it is not known when the server writes to its disk. Objects are sent before names, so that an interrupted
 *             push leaves a complete repository, and the next push succeeds.
 * Cost:       at first one request for each loose ref and each folder of refs.
 */
#ifndef TRANSPORT_HTTP_DAV_PUSH_H
#define TRANSPORT_HTTP_DAV_PUSH_H

#include "compat/posix.h"
#include "transport/http/http.h"
#include "transport/push/push.h"

struct dav_push;

MUST_USE int dav_push_open(struct dav_push **out, struct http_client *c, struct repository *r, struct err *err);
const struct remote_refs *dav_push_refs(const struct dav_push *s);

struct dav_push_options {
	bool dry_run;
	bool all; /* do not assume that the server has the objects that its refs lead to */
	void (*say)(void *data, const char *line); /* called for each step; NULL: not needed */
	void *data;
};
MUST_USE int dav_push_send(struct dav_push *s, const struct dav_push_options *o, struct push_list *l, struct err *err);
void dav_push_free(struct dav_push *s); /* NULL is fine */

#endif
