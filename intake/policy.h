/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules for packs from one source: which checks they pass, how large they may be, and in which form their objects are
 * kept. Each way in (receive-pack, fetch, clone, bundle, unpack-objects, index-pack, packfile URIs, dumb HTTP) fills one
 * policy. intake/reader.h applies it, intake/confined.h chooses the process that does so.
 *
 *   struct intake_policy policy = { .fix_thin = true, .links = INTAKE_LINKS_CHECKED, ... };
 *   intake_read_unpack_limit(config, "fetch", &policy.unpack_limit, err);
 *   intake_read_head(&head, read, data, err);
 *   intake_policy_choose_form(&policy, head.nr_objects);
 *
 * A confined process has a copy: nothing that it changes comes back.
 */
#ifndef INTAKE_POLICY_H
#define INTAKE_POLICY_H

#include "compat/posix.h"
#include "config/config.h"
#include "pack/receive/receive.h"
#include "util/err.h"

enum intake_form {
	INTAKE_PACKED,	/* the pack is kept */
	INTAKE_LOOSE,	/* its objects are written one by one, in an open batch of the object database */
	INTAKE_NOTHING, /* it is only read */
};

enum intake_links {
	INTAKE_LINKS_IGNORED,
	INTAKE_LINKS_NOTED,   /* known afterwards: intake_reader_foreign */
	INTAKE_LINKS_CHECKED, /* noted, and each one must lead to an object: intake/missing.h */
};

/* Zero is the default of each member: no check, no limit. */
struct intake_policy {
	/* ---- checks ---- */
	struct fsck_options *fsck; /* of the contents; the caller's; NULL: none */
	bool fsck_finish_later;	   /* more packs come: the caller calls fsck_finish after the last */
	enum intake_links links;
	bool skip_bad_links;	   /* an object that cannot be parsed has no links; else, and with INTAKE_LINKS_CHECKED, an error */
	bool refuse_duplicates;	   /* no object may be in the pack twice */
	bool alone;		   /* do not compare objects with the database: the pack may be in it */
	const struct oidset *shallow; /* the new boundary: parents of these commits may be missing; NULL: none */

	/* ---- limits ---- */
	uint64_t max_input_bytes;
	struct pack_receive_limits limits; /* the process that checks a quarantine has the same */
	int threads; /* 0: pack.threads, and without it one per processor */

	/* ---- form ---- */
	enum intake_form form;
	bool keep_loose; /* objects stay loose, even if the file system makes one pack cheaper */
	bool fix_thin;	 /* append the bases that a thin pack lacks; INTAKE_PACKED */
	int64_t unpack_limit; /* for intake_policy_choose_form; < 0: not configured */
	bool zero_unpacks_all; /* a limit of 0: every pack is unpacked; else none is */
	bool never_loose;

	/* ---- files beside each new pack; NULL: none, "": empty ---- */
	const char *promisor_msg, *keep_msg;

	/* ---- a broken pack: keep the objects that can be read ---- */
	bool keep_going;
	void (*broken)(void *data, const char *msg);

	/* Called by the process that reads the pack; or NULL. INTAKE_LOOSE reads as PACK_RECEIVE_UNPACKING. */
	void (*progress)(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes);
	void *data; /* for both */
};

/* SERVICE.unpackLimit, or else transfer.unpackLimit; *out < 0: neither is set. ERR_INVALID. */
MUST_USE int intake_read_unpack_limit(const struct config_set *c, const char *service, int64_t *out, struct err *err);

#define INTAKE_HEAD_BYTES 12
struct intake_head {
	unsigned char bytes[INTAKE_HEAD_BYTES];
	size_t len;	     /* less than INTAKE_HEAD_BYTES: the input ended */
	uint32_t nr_objects; /* as the header says; nothing is allocated by it */
};
/* Reads the header of a pack. Its signature is not looked at. Errors: those of `read`. */
MUST_USE int intake_read_head(struct intake_head *h, int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err),
			      void *data, struct err *err);
/* Few objects become loose, many stay a pack: sets form and keep_loose. */
void intake_policy_choose_form(struct intake_policy *policy, uint32_t nr_objects);

#endif
