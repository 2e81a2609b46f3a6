/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of refs/ share. A ref lives in one of two places: a loose
 * file, which wins, or a line of packed-refs. Whoever reads both reads the loose
 * file first and then a packed-refs that is at least as new: a ref that is
 * being packed meanwhile is then seen in one of the two, always.
 */
#ifndef REFS_INTERNAL_H
#define REFS_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "refs/refs.h"

#define SYMREF_MAX_DEPTH 5
#define REF_FILE_MAX (64 * 1024) /* bytes; a longer loose ref is broken */

struct packed_refs;

struct ref_store {
	char *gitdir, *commondir;
	const struct hash_algo *algo;
	const struct object_source *objects;
	int shared_perm;
	enum reflog_policy reflogs;
	long lock_timeout_ms, packed_lock_timeout_ms;
	struct packed_refs *packed; /* last snapshot; see packed_refs_get */
};

/* ---- places (store.c) ---- */
/* The file of a ref, and of its log, with worktree prefixes understood. */
void ref_path(const struct ref_store *rs, const char *name, struct strbuf *out);
void reflog_path(const struct ref_store *rs, const char *name, struct strbuf *out);
/* Only shared refs can be packed. */
bool ref_may_be_packed(const struct ref_store *rs, const char *name);
/*
 * "worktrees/ID/NAME", "main-worktree/NAME": *bare = NAME, *id (NULL for the
 * main worktree) and its length. False: an ordinary name.
 */
bool refname_worktree_prefix(const char *name, const char **id, size_t *id_len,
			     const char **bare);
/* HEAD, ORIG_HEAD, …: capitals, '-' and '_' only. */
bool refname_is_root(const char *name);
/* refs/bisect/, refs/worktree/, refs/rewritten/ */
bool refname_in_private_dir(const char *name);

/* ---- one loose file (loose.c) ---- */
enum loose_kind { LOOSE_MISSING, LOOSE_OID, LOOSE_SYMREF, LOOSE_BROKEN, LOOSE_DIR };
struct loose_value {
	enum loose_kind kind;
	struct object_id oid;
	char *target; /* owned; LOOSE_SYMREF */
};
void loose_value_release(struct loose_value *v);
/* < 0 only for failures of the system; what the file says is in v->kind. */
MUST_USE int loose_read(const struct ref_store *rs, const char *name,
			struct loose_value *v, struct err *err);
MUST_USE int loose_read_path(const struct ref_store *rs, const char *path,
			     struct loose_value *v, struct err *err);
/*
 * Every loose ref below prefix, appended sorted by name (refs/ only). Values are
 * read here, so that a packed snapshot taken later cannot be too old.
 */
struct loose_entry {
	char *name;
	struct loose_value value;
};
struct loose_list {
	struct loose_entry *items;
	size_t nr, alloc;
};
MUST_USE int loose_collect(const struct ref_store *rs, const char *prefix,
			   struct loose_list *out, struct err *err);
void loose_list_clear(struct loose_list *l);
/* Is there anything but (nested) empty directories at path? */
bool dir_holds_files(const char *path);

/* ---- packed-refs (packed.c) ---- */
struct packed_entry {
	const char *name; /* not NUL-terminated */
	size_t name_len;
	struct object_id oid;
	struct object_id peeled; /* null: none */
	bool peel_known;	 /* peeled is all that there is to say */
};
struct packed_cursor {
	const struct packed_refs *p;
	size_t pos, end; /* bytes, or places in the order of an unsorted file */
};
/*
 * The present packed-refs, as one reader sees it; looked at again (stat) each
 * time. A missing file is an empty one. Give it back with packed_refs_put.
 */
MUST_USE int packed_refs_get(struct ref_store *rs, struct packed_refs **out, struct err *err);
void packed_refs_put(struct packed_refs *p);
/* 1 found, 0 not there, < 0 corrupt. Cost: a binary search. */
int packed_refs_lookup(const struct packed_refs *p, const char *name,
		       struct packed_entry *out, struct err *err);
/* The first entry at or after `from`. */
MUST_USE int packed_cursor_start(struct packed_cursor *c, const struct packed_refs *p,
				 const char *from, struct err *err);
/* 1 entry, 0 end, < 0 corrupt */
int packed_cursor_next(struct packed_cursor *c, struct packed_entry *out, struct err *err);
/* From memory, for tests; buf is copied. */
MUST_USE int packed_refs_parse(struct packed_refs **out, const char *buf, size_t len,
			       const char *path, const struct hash_algo *algo,
			       struct err *err);

/* One change of packed-refs; sorted by name in an array. */
struct packed_change {
	const char *name;
	struct object_id oid; /* null: take it out */
	struct object_id peeled; /* null: none, or unknown */
};
/*
 * Write the new packed-refs to fd: what the present one has, with the changes
 * merged in. The caller holds packed-refs.lock. Cost: one pass, no flush.
 */
MUST_USE int packed_refs_write(const struct packed_refs *p,
			       const struct packed_change *changes, size_t nr,
			       int fd, const char *what, struct err *err);

/* ---- both (resolve.c) ---- */
/*
 * One step, loose then packed. kind LOOSE_MISSING: in neither; LOOSE_DIR is never
 * given. *packed tells where it was.
 */
MUST_USE int ref_read_step(struct ref_store *rs, const char *name,
			   struct loose_value *v, bool *packed, struct err *err);

/* ---- reflogs (reflog.c) ---- */
bool reflog_is_wanted(const struct ref_store *rs, const char *name);

#endif
