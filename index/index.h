/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The index: gitformat-index(5), versions 2, 3 and 4. Entries are sorted by
 * name and stage. Checksum verified on read (unless it is all zero:
 * index.skipHash); sizes are checked against the file.
 */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "hash/hash.h"
#include "object/tree.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/map.h"
#include "util/strbuf.h"
#include "util/string-list.h"

struct stat_data {
	uint32_t ctime_sec, ctime_nsec, mtime_sec, mtime_nsec;
	uint32_t dev, ino, uid, gid, size;
};

#define CE_ASSUME_VALID 1u
#define CE_SKIP_WORKTREE 2u
#define CE_INTENT_TO_ADD 4u
#define CE_FSMONITOR_VALID 8u
#define CE_UPTODATE 16u	 /* in memory: known to equal its file */
#define CE_REMOVE 32u	 /* in memory: dropped when written */
#define CE_MATCHED 64u	 /* in memory: for the command's own marks */
#define CE_MODIFIED 128u /* in memory: its file has other content, seen by a refresh */
#define CE_NEW 256u	 /* in memory: it was not read from the file */

struct index_entry {
	struct stat_data stat;
	unsigned mode;
	unsigned flags; /* CE_* */
	uint8_t stage;	/* 0..3 */
	struct object_id oid;
	uint32_t name_len;
	char name[]; /* NUL-terminated */
};

struct cache_tree; /* cached tree ids, index/cache-tree.h */

struct index_state {
	const struct hash_algo *algo;
	struct index_entry **entries; /* sorted */
	size_t nr, alloc;
	unsigned version; /* as read; 0: new */
	/* mtime of the file when it was read: entries not older than it are racy */
	uint32_t timestamp_sec, timestamp_nsec;
	bool changed;	  /* must be written */
	struct object_id checksum;
	/* Which file was read: has another taken its place since? size 0: none */
	struct stat_data file;
	struct cache_tree *cache_tree;	 /* NULL if unknown */
	struct resolve_undo *resolve_undo;
	struct strbuf *untracked_ext, *fsmonitor_ext; /* as read; never written */
	struct strbuf *link_ext; /* as read from a split index; never written */
	bool sparse_dirs; /* there may be entries of sparse directories: MODE_IS_TREE, "dir/" */
	struct mem_arena *arena;	 /* memory of the entries */
	struct index_name_hash *name_hash; /* for ignorecase look-ups; lazily made */
};

void index_init(struct index_state *ix, const struct hash_algo *algo);
void index_release(struct index_state *ix);
/* Was it read from a split index with a shared one? *shared: its hash. */
bool index_is_split(const struct index_state *ix, struct object_id *shared);

/* Where the parts of an index are that its file only names. */
struct index_places {
	const char *gitdir; /* of shared index files, where an index is split */
	/* Trees of sparse directories. NULL: those stay as they are (index_state.sparse_dirs), for callers that want ids. */
	const struct object_source *objects;
};
/*
 * Missing file: an empty index, 0. ERR_CORRUPT names the file ("index file
 * corrupt", bad signature, bad checksum); ERR_UNSUPPORTED: unknown version or
 * required extension ("index uses XXXX extension, which we do not understand").
 * A split index is merged with its shared one; the shared file's time is renewed, as Git does. The files of sparse
 * directories take their places. The errors of both name the file or the tree.
 */
MUST_USE int index_read(struct index_state *ix, const char *path, const struct hash_algo *algo,
			const struct index_places *places, struct err *err);
/*
 * repo->index_path with the repository's settings: in a sparse checkout, entries whose files are
 * there count as checked out.
 */
MUST_USE int index_read_repo(struct index_state *ix, struct repository *r, struct err *err);

struct index_write_options {
	int version;	/* 0: as read; 4 only on request */
	bool skip_hash;
	struct repository *repo; /* its smudge_racy is used; NULL: none */
};
/*
 * Write to an open descriptor. Entries that are racily clean, but whose files have changed, get
 * size 0, as in Git, so that these are compared again next time; without a smudge_racy, all
 * that are racily clean.
 */
MUST_USE int index_write_fd(struct index_state *ix, int fd, const char *what,
			    const struct index_write_options *o, struct err *err);
/* Lock; write into the lock and stage it. A command does both through its operation. */
MUST_USE int index_lock(struct repository *r, struct lockfile *lk, struct err *err);
MUST_USE int index_write_locked(struct index_state *ix, struct repository *r,
				struct lockfile *lk, struct fsync_batch *b, struct err *err);
/* Run the hook post-index-change (githooks(5)). The file is in its place, and not locked. */
#define INDEX_CHANGED_WORKTREE 1u      /* together with files of the work tree */
#define INDEX_CHANGED_SKIP_WORKTREE 2u /* bits "skip-worktree" may have changed */
void index_tell_change(struct repository *r, unsigned effects);
/*
 * Write refreshed stat data, for status and the like; does nothing if the lock is taken.
 * Not durable on purpose: losing them costs a refresh.
 */
void index_update_if_able(struct index_state *ix, struct repository *r);

/* Position of name+stage, or -1 - (where it would go). */
ssize_t index_pos(const struct index_state *ix, const char *name, size_t len, unsigned stage);
/* Stage 0 entry or NULL. */
struct index_entry *index_find(const struct index_state *ix, const char *name, size_t len);
/* The entry that describes the checked-out file: of stage 0, else 2, else the first; or NULL. */
struct index_entry *index_find_ours(const struct index_state *ix, const char *name, size_t len);
/* Finds an entry whose name differs in case only, if core.ignorecase is set. */
struct index_entry *index_find_icase(struct index_state *ix, const char *name, size_t len);
/* Is there an entry below the directory, without regard to case? len: without a slash at the end. */
bool index_has_dir_icase(struct index_state *ix, const char *name, size_t len);
/* Is there any entry below "name/"? */
bool index_has_dir(const struct index_state *ix, const char *name, size_t len);
/* The gitlink that has the path below it, or NULL. */
const struct index_entry *index_gitlink_above(const struct index_state *ix, const char *path,
					      size_t len);
/* Position of the first entry that does not sort before "name/". */
size_t index_dir_start(const struct index_state *ix, const char *name, size_t len);

struct index_entry *index_entry_new(struct index_state *ix, unsigned mode,
				    const struct object_id *oid, const char *name,
				    size_t len, unsigned stage);
#define INDEX_ADD_REPLACE 1u	 /* remove entries that conflict (file against directory) */
#define INDEX_ADD_APPEND 2u	 /* caller adds in sorted order (read-tree) */
#define INDEX_ADD_KEEP_TREE 4u	 /* do not invalidate the cache-tree */
/* Stage 0 replaces stages 1..3. ERR_CONFLICT, ERR_INVALID (bad path). */
MUST_USE int index_add(struct index_state *ix, struct index_entry *e, unsigned flags,
		       unsigned protect, struct err *err);
/* The objects of all entries that were not there when the index was read; appended to out. */
void index_collect_new(const struct index_state *ix, struct oid_array *out);
void index_remove_at(struct index_state *ix, size_t pos);
/* All stages of name; how many. */
size_t index_remove(struct index_state *ix, const char *name, size_t len);
void index_remove_marked(struct index_state *ix); /* CE_REMOVE */
bool index_has_unmerged(const struct index_state *ix);

/* ---- resolved conflicts (the REUC extension) ---- */

struct resolve_undo_info {
	unsigned mode[3]; /* of stages 1 to 3; 0: there was none */
	struct object_id oid[3];
};
/* Forget all of them. */
void resolve_undo_clear(struct index_state *ix);
/* Sorted by path; util is a struct resolve_undo_info. */
struct resolve_undo {
	struct string_list paths;
};
/*
 * Bring the stages of a resolved conflict back, in place of the entry. ERR_NOT_FOUND if
 * none is recorded for the path.
 */
MUST_USE int index_unresolve(struct index_state *ix, const char *path, struct err *err);

/* ---- a tree against the index: staged changes ---- */

/*
 * One path that differs. old_mode 0: not in the tree. e NULL: not in the index;
 * e->stage > 0: unmerged, e is the first of its entries. Intent-to-add entries count
 * as not in the index. A negative return stops and is returned.
 */
typedef int (*tree_index_diff_fn)(void *data, const char *path, unsigned old_mode,
				  const struct object_id *old_oid,
				  const struct index_entry *e, struct err *err);

/*
 * In index order. tree NULL: nothing (before the first commit).
 * Cost: directories whose cached tree id is that of the tree are not opened.
 */
MUST_USE int index_diff_tree(const struct index_state *ix, const struct object_source *src,
			     const struct object_id *tree, tree_index_diff_fn fn, void *data,
			     struct err *err);

/* ---- comparing with files ---- */
void stat_data_fill(struct stat_data *sd, const struct stat *st);
#define MATCH_MTIME 1u
#define MATCH_CTIME 2u
#define MATCH_OWNER 4u
#define MATCH_MODE 8u
#define MATCH_INODE 16u
#define MATCH_SIZE 32u
#define MATCH_TYPE 64u
#define MATCH_RACY 128u /* equal, but written within the index's own tick */
/* 0: certainly unchanged. Honours core.fileMode, symlinks, trustctime, checkStat. */
unsigned index_entry_stat_match(const struct index_state *ix, const struct index_entry *e,
				const struct stat *st, const struct repo_settings *s);
/* Racy, and its file has not been compared in this process. */
bool index_entry_is_doubtful(const struct index_state *ix, const struct index_entry *e);

#endif
