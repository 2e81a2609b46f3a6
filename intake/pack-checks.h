/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of the content of received objects, and their settings: receive.fsck.*, fetch.fsck.*, --strict=<id>=<severity>.
 *
 *   pack_checks_init(&c, print)
 *   pack_checks_read(&c, config, "fetch.fsck.", algo, err)    or pack_checks_parse
 *   policy.fsck = &c.fsck                                     intake/policy.h
 *   pack_checks_release(&c)
 */
#ifndef INTAKE_PACK_CHECKS_H
#define INTAKE_PACK_CHECKS_H

#include "compat/posix.h"
#include "config/config.h"
#include "object/fsck.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Prints one finding, or the warning about an unknown message id. */
typedef void (*pack_checks_print_fn)(bool is_error, const char *msg);

struct pack_checks {
	struct fsck_options fsck;
	struct oidset skip;
	struct strbuf missing; /* names of .gitmodules blobs that are missing, one per line */
	bool collect_missing;  /* a missing .gitmodules is added to `missing` and not reported */
	pack_checks_print_fn print;
};
/* c must stay in its place: c->fsck points into it. */
void pack_checks_init(struct pack_checks *c, pack_checks_print_fn print);
void pack_checks_release(struct pack_checks *c);
/*
 * Read the keys that begin with prefix ("fetch.fsck."): PREFIX<msg-id>, and PREFIXskipList. An unknown message id is a
 * warning. algo: of the names in a list; NULL: their length decides. Errors: ERR_INVALID, those of reading the list.
 */
MUST_USE int pack_checks_read(struct pack_checks *c, const struct config_set *config, const char *prefix,
			      const struct hash_algo *algo, struct err *err);
/* The same for a list "missingEmail=ignore,skipList=PATH". An unknown message id is ERR_INVALID. */
MUST_USE int pack_checks_parse(struct pack_checks *c, const char *list, const struct hash_algo *algo, struct err *err);

/*
 * Add the object names of a file to out: one per line, '#' begins a comment. algo NULL: as above. Without must_exist a
 * missing file is an empty one. Errors: ERR_NOT_FOUND, ERR_IO, ERR_TOO_BIG; ERR_INVALID: a line is no name.
 */
MUST_USE int oid_list_read(struct oidset *out, const char *path, const struct hash_algo *algo, bool must_exist, struct err *err);

#endif
