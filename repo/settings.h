/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings that a repository is opened with, read once. git-config(1). */
#ifndef REPO_SETTINGS_H
#define REPO_SETTINGS_H

#include "compat/posix.h"
#include "config/config.h"
#include "refs/refs.h"
#include "write-or-die.h"

/* What a new branch tracks. */
enum branch_track {
	BRANCH_TRACK_NEVER,
	BRANCH_TRACK_REMOTE,   /* where the start is a remote-tracking branch */
	BRANCH_TRACK_ALWAYS,
	BRANCH_TRACK_EXPLICIT, /* --track */
	BRANCH_TRACK_OVERRIDE, /* --set-upstream-to */
	BRANCH_TRACK_INHERIT,
	BRANCH_TRACK_SIMPLE,
	BRANCH_TRACK_UNSET,    /* as branch.autoSetupMerge says */
};

/* Which branches with an upstream get branch.NAME.rebase: bits. */
enum push_default {
	PUSH_SIMPLE = 0,
	PUSH_NOTHING,
	PUSH_MATCHING,
	PUSH_UPSTREAM,
	PUSH_CURRENT,
};
enum branch_rebase { REBASE_NEVER = 0, REBASE_LOCAL = 1, REBASE_REMOTE = 2, REBASE_ALWAYS = 3 };

struct repo_settings {
	struct fsync_policy fsync;
	int shared_perm; /* fs/file.h */
	bool filemode, symlinks, ignorecase, precomposeunicode;
	bool trust_ctime, check_stat_default; /* core.checkStat: default or minimal */
	bool quote_path;
	enum reflog_policy reflogs; /* core.logAllRefUpdates */
	unsigned protect;	  /* PROTECT_HFS | PROTECT_NTFS, object/fsck.h */
	int abbrev;		  /* -1 auto, else digits */
	uint64_t big_file_threshold;
	bool is_bare_config;	  /* core.bare */
	int index_version;	  /* 0: not set */
	bool index_skip_hash;
	enum hash_id hash;
	char *ref_storage;	  /* "files" */
	bool worktree_config;	  /* extensions.worktreeConfig */
	/* for the object database and refs */
	int loose_level, pack_level; /* zlib's, of new objects; -1: zlib's default */
	unsigned unpack_limit;	     /* bulkCheckin.unpackLimit */
	size_t pack_size_limit;	     /* pack.packSizeLimit: bytes; 0: none */
	size_t delta_base_cache_limit, packed_git_window_size, packed_git_limit;
	bool use_multi_pack_index, use_replace_refs;
	int max_tree_depth;	     /* core.maxTreeDepth; less than 0: no directories */
	int files_lock_timeout_ms, packed_lock_timeout_ms;
	enum branch_track branch_track;	  /* branch.autoSetupMerge */
	enum branch_rebase branch_rebase; /* branch.autoSetupRebase */
	enum push_default push_default;	  /* push.default */
};

/* Receives warnings and, where the comment says so, error messages; may be NULL. */
typedef void (*repo_warn_fn)(void *data, const char *msg);

/*
 * All settings but hash, ref_storage and worktree_config, which come from the format.
 * *out is set to the defaults first. algo: for the range of core.abbrev. ERR_INVALID names
 * the bad value; settings that were read before it keep their values.
 */
MUST_USE int repo_settings_read(struct repo_settings *out, const struct config_set *c,
				const struct hash_algo *algo, repo_warn_fn warn,
				void *warn_data, struct err *err);
void repo_settings_release(struct repo_settings *s);

/* core.sharedRepository and --shared: "group", "all", "0660", … */
MUST_USE int shared_perm_parse(const char *value, int *out, struct err *err);

#endif
