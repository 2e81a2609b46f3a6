/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a partial clone a delta of a received pack may have a base that is missing, and that a promisor remote has. A confined process
 * cannot fetch it. It asks this one, which is not confined, and reads none of what comes: it gets ids of objects.
 *
 *   rc = intake_fetcher_start(&f, r, err);     before the confined process
 *   intake_fetcher_use(f.fd, algo, odb);       in that process
 *   intake_fetcher_end(&f);
 *
 * A process that was taken over could tell a server what is in this repository, by the ids that it asks for. So only what a promisor
 * remote has promised is asked for (history/promisor.h); the rest is not found.
 */
#ifndef INTAKE_FETCHER_H
#define INTAKE_FETCHER_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"

struct intake_fetcher {
	int fd; /* the confined process's end; -1: there is none */
	pid_t pid;
};
#define INTAKE_FETCHER_INIT { -1, 0 }

/*
 * Where r cannot fetch, there is no such process. Errors: ERR_GENERIC. Cost: a process; for the first object that is asked for,
 * promises_has. Durability: what is fetched is published by the process that fetches it.
 */
MUST_USE int intake_fetcher_start(struct intake_fetcher *f, struct repository *r, struct err *err);
/* Before other threads. fd is used until the process ends. Cost: for each object that is missing, two messages. */
void intake_fetcher_use(int fd, const struct hash_algo *algo, struct odb *odb);
/* Ends and awaits it; f->fd is closed. Idempotent. */
void intake_fetcher_end(struct intake_fetcher *f);

#endif
