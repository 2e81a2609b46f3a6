/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A push to a repository that is only files, over WebDAV: git-http-push(1). Its refs are those of its files; info/refs, which clients of the
 * dumb protocol read, is brought in line with them.
 *
 *	dav_push_open(&s, client, r, err)         does the server speak WebDAV? The refs of the other side
 *	push_match, push_check                    as for any push (transport/push.h)
 *	dav_push_send(s, &options, &list, err)    pack and index, under temporary names, then theirs; objects/info/packs; refs; info/refs
 *	dav_push_free(s)
 *
 * While something changes that others read, info/refs is locked, and each ref that is there; what a ref is, is looked at once
 * more under the lock. So two pushes by WebDAV do not overwrite each other; who works in the repository itself knows nothing of
 * these locks.
 *
 * Errors:     ERR_UNSUPPORTED: no DAV; those of transport/dav.h. A ref that is refused is no error: its status says so.
 * Durability: the server's: it is not known when it writes to its disk. Objects go before names, so that a push that breaks off
 *             leaves a whole repository; another one goes through.
 * Cost:       a request for each loose ref and each folder of them, before anything else.
 */
#ifndef TRANSPORT_DAV_PUSH_H
#define TRANSPORT_DAV_PUSH_H

#include "compat/posix.h"
#include "transport/http.h"
#include "transport/push.h"

struct dav_push;

MUST_USE int dav_push_open(struct dav_push **out, struct http_client *c, struct repository *r, struct err *err);
const struct remote_refs *dav_push_refs(const struct dav_push *s);

struct dav_push_options {
	bool dry_run;
	bool all; /* nothing that the server's refs lead to counts as being there */
	void (*say)(void *data, const char *line); /* each step; NULL: nobody wants to know */
	void *data;
};
MUST_USE int dav_push_send(struct dav_push *s, const struct dav_push_options *o, struct push_list *l, struct err *err);
void dav_push_free(struct dav_push *s); /* NULL is fine */

#endif
