/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which objects go into a new pack: what git-pack-objects(1) and git-repack(1) share.
 *
 *   struct pack_collection c = { .r = r, ... };
 *   pack_objects_options_init(&c.o, r->odb);            and set the wanted options in c.o
 *   rc = pack_collection_begin(&c, err)
 *   rc = pack_collection_exclude_kept(&c, &names, true, err)
 *   rc = pack_collect_revisions(&c, &lines, err)        or _packs, _cruft, _loose; several add up
 *   rc = pack_objects_prepare(c.po, err)                and so on, see pack/write/pack-objects.h
 *   pack_collection_end(&c)
 *
 * Replacements must be off (repo_ignore_replacements): the objects themselves count.
 */
#ifndef PACKING_PACK_COLLECTION_H
#define PACKING_PACK_COLLECTION_H

#include "compat/posix.h"
#include "history/promisor.h"
#include "history/revision/revision.h"
#include "index/index.h"
#include "packing/delta-islands.h"
#include "operation/operation.h"
#include "pack/write/pack-objects.h"
#include "repo/repo.h"
#include "util/map.h"
#include "util/progress.h"
#include "util/strvec.h"
#include "wire/filter-spec.h"
#include "attr/attr.h"

enum missing_action { MISSING_ERROR, MISSING_ALLOW_ANY, MISSING_ALLOW_PROMISOR };

struct idx_entry;

struct pack_collection {
	struct repository *r;
	struct pack_objects_options o;
	/* ---- options ---- */
	bool all, reflog, indexed_objects, unpacked;
	bool not_all;		/* --not --all, behind the lines */
	bool include_tag, shallow;
	bool keep_unreachable, pack_loose_unreachable;
	bool use_bitmaps;	/* where they lead to the same objects */
	bool islands;		/* pack_collection_set_islands() will be called */
	bool keep_true_parents;	/* parents that grafts hide count, too */
	const struct filter_spec *filter; /* NULL: none */
	enum missing_action missing;
	bool exclude_promisor;	/* what came from promisor remotes is left out, and not walked through */
	struct progress *progress; /* counts added objects; may be NULL */
	void (*warn)(void *data, const char *msg); /* may be NULL */
	void *warn_data;
	/* ---- for pack_collection_write_bitmap ---- */
	const char *base_name;	/* of the packs: "DIR/pack" */
	struct fsync_batch *batch;
	bool bitmap_quiet;	/* warn is not told if it cannot be made */
	void (*bitmap_progress)(void *data, size_t done, size_t total); /* may be NULL */
	void *bitmap_data;
	/* ---- the result ---- */
	struct pack_objects *po;
	struct pack *whole; /* the pack that the request asks for, object by object; then nothing is added */
	/* ---- internal ---- */
	struct index_state ix;
	struct attrs *attrs;
	struct promises promises;
	struct oidset promisor; /* with exclude_promisor */
	struct oidmap mtimes; /* of cruft: seconds, plus one */
	struct oidmap kept_mtimes; /* the same of packs of cruft that stay */
	struct delta_islands delta_islands;
	uint64_t nr_enumerated;
};

/* ---- pack-collection.c ---- */
MUST_USE int pack_collection_begin(struct pack_collection *c, struct err *err);
void pack_collection_end(struct pack_collection *c); /* idempotent; the progress is the caller's */

/* Adds an object to pack. If its path has the attribute -delta, it gets no delta. */
MUST_USE int pack_collection_add(struct pack_collection *c, const struct object_id *oid,
				 enum object_type type, const char *path, unsigned flags,
				 struct err *err);
/* Loose objects of ours that no pack of ours has. */
MUST_USE int pack_collect_loose(struct pack_collection *c, struct err *err);
/*
 * If c->islands is set: find the islands of the objects, after the last one (delta-islands.h). They
 * count from now on.
 */
MUST_USE int pack_collection_set_islands(struct pack_collection *c, struct err *err);
/* Objects of these packs, by name without directory, are left out; honor: of all with a .keep. */
void pack_collection_exclude_kept(struct pack_collection *c, const struct strvec *names, bool honor);

/* "pack-HASH.pack" */
const char *pack_file_name(const struct pack *p);

/* ---- pack-collection-revs.c: what can be reached ---- */
/*
 * Revisions, as lines of the standard input of git-pack-objects(1): "OID", "^OID", "--not", "--shallow
 * OID"; and what the options add.
 */
MUST_USE int pack_collect_revisions(struct pack_collection *c, const struct strvec *lines,
				    struct err *err);

/* ---- pack-collection-packs.c ---- */
struct pack_choice {
	struct pack **v;
	size_t nr, alloc;
};
struct pack_choices {
	struct pack_choice included;
	/* Their objects are left out; closed: the caller states that all objects that they lead to are
	 * in closed ones. */
	struct pack_choice closed, open;
	/*
	 * What commits of included and open packs lead to is added, too, wherever it is; missing
	 * objects are skipped. If there are open packs, the walk stops at objects of closed ones.
	 */
	bool follow;
};
/* --stdin-packs of git-pack-objects(1). If c->unpacked is set, loose objects are added as well, as if they were an included pack. */
MUST_USE int pack_collect_packs(struct pack_collection *c, const struct pack_choices *p, struct err *err);

/* ---- pack-collection-cruft.c ---- */
struct cruft_options {
	const struct strset *discarded; /* names of packs that will be deleted; all others stay */
	/*
	 * Names of packs of cruft that stay, too: an object that has been of use since goes into the new
	 * pack all the same, with the later time. May be NULL; not with an expiry.
	 */
	const struct strset *kept_cruft;
	timestamp_t expiry;	/* older objects only if something younger leads to them; 0: all */
	const struct oidset *recent; /* these count as young; may be NULL */
};
/* Objects that no pack that stays has, and no list that is excluded (pack_objects_exclude_list). */
MUST_USE int pack_collect_cruft(struct pack_collection *c, const struct cruft_options *o,
				struct err *err);
/* For pack_files_options.mtime_of; data: the struct pack_collection. */
uint32_t pack_collection_mtime(void *data, const struct object_id *oid);

/* ---- pack-collection-loosen.c ---- */
/*
 * Objects of our packs that are neither in the new pack nor in one that stays (a .keep, or it was excluded by name) become
 * loose ones, as old as their pack: see loosen.h. since: skip older ones, unless a younger object leads
 * to them; 0: all. Before the new pack is written.
 */
MUST_USE int pack_collection_loosen(struct pack_collection *c, struct repo_operation *op, timestamp_t since,
				    struct err *err);

/* ---- pack-collection-bitmap.c ---- */
/* The same as a walk, by bitmaps. 0: they cannot be used, and nothing has been added; 1; < 0: failure. */
MUST_USE int pack_collect_by_bitmaps(struct pack_collection *c, const struct rev_walk *w,
				     struct err *err);
/*
 * For pack_files_options.before_idx; data: the struct pack_collection. A pack that is not closed under
 * reachability gets no bitmap, with a call of `warn`.
 */
MUST_USE int pack_collection_write_bitmap(void *data, const char *tmp_dir, const struct idx_entry *v,
					  uint32_t nr, const struct object_id *sum, struct err *err);

#endif
