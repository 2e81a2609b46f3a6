/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stores that a database reads: its own object directory and its alternates
 * (gitrepository-layout(5), objects/info/alternates), each with its sources (source.h).
 */
#ifndef ODB_STORES_H
#define ODB_STORES_H

#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "hash/hash.h"
#include "odb/source.h"
#include "pack/pack.h"
#include "util/err.h"
#include "util/map.h"

struct odb_store {
	char *objdir;
	struct odb_source *sources[ODB_NR_RANKS]; /* by rank; NULL: none of this rank */
	_Atomic(struct odb_store *) next;
};

/*
 * A list that only grows: readers walk it while alternates are added. `first` is our
 * own directory.
 */
struct odb_stores {
	struct odb_store *first, *last;
	struct strset seen; /* device and inode of each, so that a long list costs no more */
	struct packs_options pack_options; /* template; objdir is filled in */
	void (*report)(void *data, const char *msg); /* of alternates; may be NULL */
	void *report_data;
	pthread_mutex_t lock; /* for adding */
};

/*
 * own: holds our own objects, in place of loose files and packs in objdir; NULL: these do. It is owned by
 * the list from now on. `report` is called with the warn_data of the packs.
 */
void odb_stores_init(struct odb_stores *l, const char *objdir, struct odb_source *own,
		     const struct packs_options *pack_options,
		     void (*report)(void *data, const char *msg));
void odb_stores_release(struct odb_stores *l);
/*
 * Add the directories that `env` (GIT_ALTERNATE_OBJECT_DIRECTORIES, may be NULL) and the files
 * info/alternates name, unless the list has them already.
 */
void odb_stores_add_alternates(struct odb_stores *l, const char *env);

#endif
