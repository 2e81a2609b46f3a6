/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The working tree: finding untracked files, comparing files with the index, adding them to
 * the index, and writing files from it. Paths are relative to the top, which is the cwd.
 */
#ifndef WORKTREE_WORKTREE_H
#define WORKTREE_WORKTREE_H

#include "compat/posix.h"
#include "index/index.h"
#include "index/pathspec.h"
#include "repo/repo.h"
#include "util/err.h"
#include "attr/convert.h"
#include "attr/ignore.h"
#include "worktree/lstat-cursor.h"

/* ---- untracked and ignored files ---- */
enum untracked_mode { UNTRACKED_NO, UNTRACKED_NORMAL, UNTRACKED_ALL };
#define DIRWALK_IGNORED 1u	     /* report ignored files as well */
#define DIRWALK_IGNORED_MATCHING 2u  /* --ignored=matching */
#define DIRWALK_EMPTY_DIRS 4u	     /* ls-files --directory without --no-empty-directory */
#define DIRWALK_REPORT_UNREADABLE 8u   /* else unreadable directories count as empty */
#define DIRWALK_IGNORED_ONLY 16u     /* with _IGNORED: ignored files as ls-files -i shows them */
enum dirwalk_kind { DIRWALK_UNTRACKED, DIRWALK_IS_IGNORED, DIRWALK_UNREADABLE /* errno says why */ };
typedef int (*dirwalk_fn)(void *data, const char *path, size_t len, bool is_dir,
			  enum dirwalk_kind kind);
/*
 * Call fn for every file that the index does not know, in index order; directories without
 * any tracked file are reported as "dir/" in NORMAL mode, nested repositories as one
 * directory ("sub/"). Ignored files are reported in between, in no particular order.
 * _IGNORED_ONLY in NORMAL mode: ignored files in an untracked directory are reported only with
 * _EMPTY_DIRS, and then all of them, as well as each directory that holds nothing else.
 * A non-zero return of fn ends the walk and is returned. Only names of index entries are
 * read, so that another thread may change their flags and stat data; ig must not be shared.
 */
MUST_USE int worktree_walk_untracked(struct repository *r, const struct index_state *ix,
				     struct ignore *ig, const struct pathspec *ps,
				     enum untracked_mode mode, unsigned flags,
				     dirwalk_fn fn, void *data, struct err *err);

/*
 * The same with the standard ignore rules; if there are many entries, in a thread of its own while the
 * caller compares them with files, which may change their flags and stat data; ix must not gain or lose
 * entries meanwhile. finish waits, passes the files found to fn (unless it is NULL), and frees.
 */
struct untracked_scan;
MUST_USE int untracked_scan_start(struct untracked_scan **out, struct repository *r,
				  const struct index_state *ix, const struct pathspec *ps,
				  enum untracked_mode mode, unsigned flags, struct err *err);
MUST_USE int untracked_scan_finish(struct untracked_scan *s, dirwalk_fn fn, void *data,
				   struct err *err);

/* ---- comparing ---- */
enum worktree_change { WT_UNCHANGED, WT_MODIFIED, WT_TYPE_CHANGED, WT_DELETED };
/*
 * Compare the file of entry e with it. Reads and hashes content only if stat data are not
 * enough. st (may be NULL) gets the lstat result; actual mode in *mode.
 */
MUST_USE int worktree_entry_changed(struct repository *r, struct index_state *ix,
				    struct index_entry *e, struct converter *c,
				    enum worktree_change *out, struct stat *st,
				    unsigned *mode, struct err *err);
/*
 * As worktree_entry_changed. *mode: that of the file, 0 if there is none.
 * c NULL: content that would have to be read counts as changed.
 */
enum worktree_change worktree_compare(struct repository *r, const struct index_state *ix,
				      struct index_entry *e, struct lstat_cursor *cur,
				      struct converter *c, struct stat *st, unsigned *mode);
/*
 * lstat all entries in parallel; certainly unchanged entries get CE_UPTODATE. Cheap preparation for status, add -u, commit -a.
 */
void worktree_preload_index(struct repository *r, struct index_state *ix,
			    const struct pathspec *ps);
/*
 * Refresh stat data of entries whose content is unchanged; the other paths are passed to
 * needs_update ("path: needs update"). ix->changed is set if any entry was refreshed.
 */
MUST_USE int worktree_refresh_index(struct repository *r, struct index_state *ix,
				    const struct pathspec *ps, struct converter *c,
				    void (*needs_update)(void *data, const struct index_entry *e,
							 enum worktree_change why),
				    void *data, struct err *err);
/* worktree_refresh_index; really: entries that are assumed to be unchanged as well. */
MUST_USE int worktree_refresh(struct repository *r, struct index_state *ix,
			      const struct pathspec *ps, struct converter *c, bool really,
			      void (*needs_update)(void *data, const struct index_entry *e,
						   enum worktree_change why),
			      void *data, struct err *err);

/* For struct repository, smudge_racy. Cost: reads the files whose entries are doubtful. */
void worktree_smudge_racy(struct repository *r, struct index_state *ix);

/* Is "a" or "a/b" of "a/b/c" a symlink? Its length, or 0. */
size_t worktree_leading_symlink(const char *path, size_t len);

/* ---- adding ---- */
/*
 * Hash (and write, if an odb batch is open) the file, symlink or gitlink at path. A file that changes or vanishes while being read is ERR_IO.
 */
MUST_USE int worktree_hash_path(struct repository *r, struct converter *c, const char *path,
				const struct stat *st, bool write, struct object_id *oid,
				unsigned *mode, struct err *err);

/*
 * Content of the file or link at path, converted, as the object that it
 * becomes. Messages for the user are appended to warn. Thread-safe unless
 * conversion_needs_main_thread.
 */
MUST_USE int worktree_read_blob(struct converter *c, const struct conversion *cv,
				const char *path, const struct stat *st, unsigned flags,
				struct object_buf *out, struct strbuf *warn, struct err *err);
/*
 * The name of the object that a file above core.bigFileThreshold becomes (oid NULL: not wanted), without holding or writing it:
 * 1. 0: the file is not as large, or is converted; worktree_read_blob reads it.
 */
MUST_USE int worktree_hash_large(struct converter *c, const struct conversion *cv, const char *path, const struct stat *st,
				 struct object_id *oid, struct err *err);
/*
 * The mode for the index; without core.fileMode or core.symlinks, that of the old entry
 * (index_find_ours).
 */
unsigned worktree_mode(const struct repo_settings *s, unsigned st_mode,
		       const struct index_entry *old);

/*
 * Adds many paths through the worker threads of bulk-checkin: an entry is added to the index
 * when its object has been written. Errors of single paths are passed to on_error.
 */
struct worktree_adder;
struct worktree_add_options {
	bool intent_to_add, verbose, dry_run, renormalize, ignore_errors;
	/* the path is new in the index, or its entry has changed */
	void (*on_added)(void *data, const char *path);
	void (*on_removed)(void *data, const char *path);
	/* 0: skip this path and continue (--ignore-errors); else adder_add and _finish fail */
	int (*on_error)(void *data, const char *path, struct err *err);
	void *data;
};
/* Unless dry_run, a batch of r->odb must be open until after finish. */
struct worktree_adder *worktree_adder_new(struct repository *r, struct index_state *ix,
					  struct converter *c,
					  const struct worktree_add_options *o);
MUST_USE int worktree_adder_add(struct worktree_adder *a, const char *path,
				const struct stat *st, struct err *err);
MUST_USE int worktree_adder_finish(struct worktree_adder *a, struct err *err);
void worktree_adder_free(struct worktree_adder *a);

/*
 * Tracked paths whose files have changed. They are collected first and applied later,
 * because entries move when the index changes.
 */
struct worktree_changes {
	struct worktree_changed_path {
		char *path;
		struct stat st; /* unless gone */
		bool gone, unmerged;
	} *items;
	size_t nr, alloc;
};
#define CHANGES_EVERY_FILE 1u /* every existing file, changed or not; no conflict, no submodule */
#define CHANGES_SPARSE 2u     /* skip-worktree entries as well */
/* seen: per item of ps, as for pathspec_match; may be NULL. */
MUST_USE int worktree_find_changes(struct repository *r, struct index_state *ix,
				   const struct pathspec *ps, struct converter *c,
				   unsigned flags, char *seen,
				   struct worktree_changes *out, struct err *err);
void worktree_changes_release(struct worktree_changes *ch);
/*
 * keep_missing: entries of missing files stay; that of an unmerged one, which is neither to be
 * removed nor can be added, is an error.
 */
MUST_USE int worktree_adder_apply(struct worktree_adder *a, const struct worktree_changes *ch,
				  bool keep_missing, struct err *err);

/* ---- writing ---- */
/*
 * Remove the file of an entry that leaves the index, and the directories that are empty then. A
 * directory in its place, or what lies behind a symbolic link, is not that file and stays. An
 * index can name anything: ERR_INVALID for paths that no entry may have (".git/config",
 * "../x").
 */
MUST_USE int worktree_remove_entry(const struct repository *r, const char *path, struct err *err);
/*
 * Remove files and links that are in the place of the directories of a path (which is safe). Its
 * first `known` bytes, "a/b/", are known to be directories.
 */
MUST_USE int worktree_clear_parents(const char *path, size_t known, struct err *err);
/*
 * For a directory in the place of a file. ERR_EXISTS: there is a repository in it, bare or not; one that a .git file names is
 * elsewhere. Cost: the names of all files are read.
 */
MUST_USE int worktree_refuse_repository(const char *dir, struct err *err);
/* Remove the directory, but not if there is a repository in it. */
MUST_USE int worktree_remove_directory(const char *path, struct err *err);
/* Remove files and directories in the place of an entry; the directory of a submodule stays. */
MUST_USE int worktree_clear_place(const struct index_entry *e, struct err *err);
/*
 * The blob of a file; one above core.bigFileThreshold only if a conversion needs it whole. Else ERR_TOO_BIG:
 * worktree_checkout_stream writes it to fd, in pieces. Errors: those of odb_read and odb_stream; the
 * content of fd is wrong then.
 */
MUST_USE int worktree_checkout_read(const struct repository *r, const struct object_id *oid, const struct conversion *cv,
				struct object_buf *out, struct err *err);
MUST_USE int worktree_checkout_stream(const struct repository *r, const struct object_id *oid, int fd, const char *path,
				  struct err *err);
struct checkout_options {
	const char *prefix; /* checkout-index --prefix; NULL or "": none. Symbolic links in it are followed */
	bool may_delay; /* convert_to_worktree: 1 is returned if nothing is written yet */
	bool delayed;	/* that is over: the filter has the content */
	uint64_t *written; /* NULL, or the file's bytes are added */
	struct fsync_batch *batch; /* awaits the content (fsync_batch_await); NULL: nothing does */
};
/*
 * Write the content of an entry to the work tree and fill in its stat data. ERR_EXISTS: there is
 * something in its place. ERR_INVALID: it is beyond a symbolic link, or no entry may have such a path.
 */
MUST_USE int worktree_checkout_entry(struct repository *r, struct index_state *ix,
				     struct index_entry *e, struct converter *c,
				     const struct checkout_options *o, struct err *err);
/*
 * Write the content to a new file at the top of the work tree (mode 0600, also for a symbolic link: its
 * target). Its name is appended to `name`. The file stays.
 */
MUST_USE int worktree_checkout_temp(struct repository *r, const struct index_entry *e, struct converter *c,
				    struct strbuf *name, struct err *err);

#endif
