/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object directories that a database reads: its own and its alternates
 * (gitrepository-layout(5), objects/info/alternates), each with its packs and
 * with what is known about its loose objects.
 */
#ifndef ODB_STORES_H
#define ODB_STORES_H

#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "hash/hash.h"
#include "pack/pack.h"
#include "util/err.h"
#include "util/map.h"

/* Names in one fan-out directory, read when single questions get dearer. */
struct loose_fanout {
	unsigned asked;
	bool loaded;
	struct oid_array oids; /* sorted */
};

struct odb_store {
	char *objdir;
	struct packs *packs;
	const struct hash_algo *algo;
	pthread_mutex_t lock; /* for loose */
	struct loose_fanout *loose; /* 256, from the first question on */
	_Atomic(struct odb_store *) next;
};

/*
 * Does it have a loose object of that name? After a few questions in one directory the answer
 * "no" comes from a list of it, which may be stale; "yes" is always looked at, since an empty
 * file is no object. Thread-safe.
 */
bool odb_store_has_loose(struct odb_store *s, const struct object_id *oid);
/* Append all in one fan-out directory; from the list. Thread-safe. */
MUST_USE int odb_store_list_loose(struct odb_store *s, unsigned fanout,
				  struct oid_array *out, struct err *err);
void odb_store_forget_loose(struct odb_store *s); /* the list is stale */

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

/* report is called with the warn_data of the packs. */
void odb_stores_init(struct odb_stores *l, const char *objdir,
		     const struct packs_options *pack_options,
		     void (*report)(void *data, const char *msg));
void odb_stores_release(struct odb_stores *l);
/* What `env` (GIT_ALTERNATE_OBJECT_DIRECTORIES, may be NULL) and the files
 * info/alternates name, those already there left out. */
void odb_stores_add_alternates(struct odb_stores *l, const char *env);

#endif
