/* SPDX-License-Identifier: GPL-2.0-only */
/* What index-pack, unpack-objects and verify-pack share: checks, progress, statistics. */
#ifndef BUILTIN_PACK_PACK_INPUT_H
#define BUILTIN_PACK_PACK_INPUT_H

#include "compat/posix.h"
#include "object/fsck.h"
#include "pack/receive/receive.h"
#include "util/progress.h"
#include "util/strbuf.h"

/* ---- checks of content, with their messages ---- */
struct pack_checks {
	struct fsck_options fsck;
	struct oidset skip;
	struct strbuf missing; /* names of .gitmodules that are not there, one in a line */
	bool collect_missing;
};
void pack_checks_init(struct pack_checks *c, bool collect_missing);
/* "missingEmail=ignore,skipList=PATH"; dies of bad ones. */
void pack_checks_parse(struct pack_checks *c, const char *list, const struct hash_algo *algo);
void pack_checks_release(struct pack_checks *c);

/* A file must end with the pack that has been read from it; from a pipe, what follows may be somebody else's. */
MUST_USE int pack_check_end(const struct pack_receive *rx, int fd, struct err *err);

/* ---- progress ---- */
struct pack_progress {
	const char *reading, *resolving; /* titles; NULL: nothing is shown */
	const char *unpacking; /* NULL: as reading */
	bool forced;
	enum pack_receive_phase phase;
	struct progress *now;
};
/* For pack_receive_options, and fetch_wanted.meter; data: the struct pack_progress. bytes: 0: not known. */
void pack_progress_update(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes);
void pack_progress_stop(struct pack_progress *p);

/* ---- git verify-pack -v ---- */
/* The histogram of chains; with `objects`, each object before it. */
void print_pack_statistics(struct pack_receive *rx, bool objects);

#endif
