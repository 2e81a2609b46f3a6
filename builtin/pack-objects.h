/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pack-objects(1): what its parts share. */
#ifndef BUILTIN_PACK_OBJECTS_H
#define BUILTIN_PACK_OBJECTS_H

#include "compat/posix.h"
#include "history/revision.h"
#include "index/index.h"
#include "pack/write/pack-objects.h"
#include "repo/repo.h"
#include "util/strvec.h"
#include "wire/filter-spec.h"
#include "worktree/attr.h"

enum missing_action { MISSING_ERROR, MISSING_ALLOW_ANY };

struct idx_entry;

struct pack_command {
	struct repository *r;
	struct pack_objects *po;
	struct pack_objects_options o;
	/* ---- options ---- */
	bool revs, all, reflog, indexed_objects, unpacked;
	bool include_tag, shallow;
	bool keep_unreachable, pack_loose_unreachable;
	const char *packdir;	/* where the packs go */
	struct fsync_batch *batch; /* while files are written */
	bool use_bitmaps;	/* where they lead to the same objects */
	struct filter_spec filter;
	enum missing_action missing;
	/* ---- while objects are added ---- */
	struct index_state ix;
	struct attrs *attrs;
	struct oid_array preferred_trees; /* "-OID": of commits that the other side has */
	struct oidmap mtimes; /* --cruft: seconds, plus one */
	struct pack *whole; /* it is what is asked for, object by object; then nothing is added */
	struct progress *progress;
	uint64_t nr_enumerated;
};

/* ---- pack-objects-add.c ---- */
/* An object that is to be packed. With the attribute -delta its path gets none. */
MUST_USE int pack_command_add(struct pack_command *c, const struct object_id *oid,
			      enum object_type type, const char *path, unsigned flags,
			      struct err *err);

/* "pack-HASH.pack" */
const char *pack_command_name_of(const struct pack *p);

/* ---- pack-objects-input.c: what stdin says ---- */
/* Names of objects, with paths; "-NAME" for what the other side has. */
MUST_USE int pack_read_object_list(struct pack_command *c, struct err *err);
/* Names of packs; "^NAME": its objects are left out. */
MUST_USE int pack_read_pack_list(struct pack_command *c, struct err *err);
/* Objects of these packs, by name without directory, are left out; honor: of all with a .keep. */
MUST_USE int pack_exclude_kept(struct pack_command *c, const struct strvec *names, bool honor,
			       struct err *err);

/* ---- pack-objects-revs.c: what can be reached ---- */
/* Revisions on stdin, and what the options add. */
MUST_USE int pack_read_revisions(struct pack_command *c, struct err *err);

/* ---- pack-objects-cruft.c ---- */
/* Objects that no pack that stays has; those older than expiry (0: none are left out) only if needed. */
MUST_USE int pack_read_cruft(struct pack_command *c, timestamp_t expiry, struct err *err);
/* For pack_files_options.mtime_of; data: the struct pack_command. */
uint32_t pack_cruft_mtime(void *data, const struct object_id *oid);

/* ---- pack-objects-bitmap.c ---- */
/* The same by bitmaps. False: they cannot be used, and nothing has been added. < 0: failure. */
MUST_USE int pack_read_bitmaps(struct pack_command *c, const struct rev_walk *w, struct err *err);
/* --write-bitmap-index, for pack_files_options.before_idx; data: the struct pack_command. */
MUST_USE int pack_write_bitmap(void *data, const struct idx_entry *v, uint32_t nr,
			       const struct object_id *sum, struct err *err);

#endif
