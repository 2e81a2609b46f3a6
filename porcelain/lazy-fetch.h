/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that a partial clone lacks, fetched when they are needed: gitglossary(7), "promisor"; partial clones of
 * git-clone(1), --filter.
 *
 * A process that needs some asks the remotes that may have them, one after the other: the remotes of
 * remote.<name>.promisor in the order of the configuration, that of extensions.partialClone last. A child does it
 * (`git fetch --promised`), in an operation of its own, independent of the operation of the parent:
 * fetched objects are durable and visible before the parent goes on. Cost: one child, one connection and one flush call for all
 * objects of one request.
 */
#ifndef PORCELAIN_LAZY_FETCH_H
#define PORCELAIN_LAZY_FETCH_H

#include "transport/fetch/fetch-session.h"

/*
 * From now on reading a missing object of r (on_read), or odb_prefetch alone, asks the remotes. NULL, and nothing changes, if r has no such remote. GIT_NO_LAZY_FETCH:
 * no remote is asked; a missing promised object is then the error below. Errors of a read: ERR_IO "could not fetch OID from
 * promisor remote", if the object is promised; else the usual error for a missing object.
 */
struct promised_fetcher;
struct promised_fetcher *promised_fetcher_new(struct repository *r, bool on_read);
/* Before r is freed; NULL is fine. */
void promised_fetcher_free(struct promised_fetcher *p);

/* Is GIT_NO_LAZY_FETCH set? */
bool promised_fetch_is_forbidden(void);

/*
 * Single objects over a session, which ends with it, into the operation, with neither negotiation nor a check of what they
 * lead to: a pack with a .promisor. how: fsck, meter and quiet count. Some may not come; the caller looks. `result` is
 * initialised, and released after the end of the operation.
 */
MUST_USE int promised_get(struct fetch_session *s, struct repository *r, const struct oid_array *oids,
			  const struct fetch_wanted *how, struct repo_operation *op, struct fetch_result *result,
			  struct err *err);

#endif
