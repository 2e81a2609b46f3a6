/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An opened repository: where it is, how it is configured, and the stores that
 * it owns. gitrepository-layout(5).
 */
#ifndef REPO_REPO_H
#define REPO_REPO_H

#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "odb/odb.h"
#include "refs/refs.h"
#include "repo/settings.h"
#include "util/err.h"
#include "util/map.h"

struct index_state;
struct remotes;
struct replacements;
struct repository;

/* key: a hint that advice.<key> turns off; NULL: a line that is shown as it is. */
typedef void (*repo_note_fn)(struct repository *r, const char *key, const char *text);

/*
 * Lets a server cancel work whose result is no longer wanted. Walks over history and trees (history/) call `fn` after
 * every REPO_STEPS_PER_CHECK commits and trees that they read. If `fn` returns < 0, the walk ends and returns that.
 * `fn` may be NULL: walks then run to their end. If it is set, only one thread at a time may walk.
 */
#define REPO_STEPS_PER_CHECK 1024u
struct cancel_token {
	int (*fn)(void *data, struct err *err);
	void *data;
	unsigned nr_steps;
};

/*
 * Runs hooks for the repository: set by a server that passes on their output. The program's exit code as of finish_command, or
 * < 0: it could not be started. cp has arguments and environment, and is released.
 */
struct child_process;
struct repo_hook_runner {
	int (*fn)(void *data, struct child_process *cp, const char *in, size_t in_len, struct err *err);
	void *data;
};

struct repository {
	char *gitdir;	  /* absolute or as git rev-parse --git-dir prints it */
	char *gitdir_abs; /* absolute, real path */
	char *commondir;  /* == gitdir unless this is a linked worktree */
	char *objdir;
	char *refs_gitdir, *refs_commondir; /* where refs are: gitdir and commondir, unless extensions.refStorage names a place */
	bool refs_are_outside;
	char *worktree;	  /* absolute; NULL if bare */
	char *from_cwd;	  /* the top of the work tree, from the cwd: "sub/"; NULL: it is the cwd */
	char *prefix;	  /* cwd below worktree with trailing '/', NULL at top */
	/*
	 * Directory of the work tree in which the process was started (before -C), most likely that of the caller's
	 * shell; NULL: the top, or elsewhere. It is not removed when its files go.
	 */
	char *original_cwd;
	char *index_path;
	bool bare;
	const struct hash_algo *algo;
	struct config_set *config;
	struct repo_settings settings;
	struct odb *odb;
	struct ref_store *refs;
	struct replacements *replacements; /* refs/replace/; NULL: not used */
	struct remotes *remotes; /* repo_remotes */
	struct repo_operation *operation; /* the one that is open, see operation.h; or NULL */
	repo_warn_fn warn, report_error; /* as in repo_open_options; may be NULL */
	repo_note_fn note;
	struct strset noted; /* what repo_note has said */
	void *warn_data;
	/*
	 * Before an index is written: gives size 0 to the entries that are racily clean and whose
	 * files have changed. NULL: all that are racily clean get it.
	 */
	void (*smudge_racy)(struct repository *r, struct index_state *ix);
	bool cwd_outside; /* there is a work tree but the cwd is not in it */
	struct cancel_token cancel;
	struct repo_hook_runner hook_runner; /* fn NULL: standard output and error are ours */
};

static inline int repo_check_canceled(struct repository *r, struct err *err)
{
	return r->cancel.fn ? r->cancel.fn(r->cancel.data, err) : 0;
}

/* Counts one step of a walk, and checks for cancellation now and then. */
static inline int repo_step(struct repository *r, struct err *err)
{
	if (!r->cancel.fn || ++r->cancel.nr_steps % REPO_STEPS_PER_CHECK)
		return 0;
	return repo_check_canceled(r, err);
}

struct repo_open_options {
	bool lenient;	     /* accept settings with bad values: for git config */
	repo_warn_fn warn;   /* odd settings, corrupt copies of objects; may be NULL */
	repo_warn_fn report_error; /* failures that do not end the command; may be NULL */
	repo_note_fn note;	   /* hints and plain lines; may be NULL */
	void *warn_data;
};

/*
 * Find and open the repository of the current directory and environment
 * (GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, GIT_OBJECT_DIRECTORY,
 * GIT_ALTERNATE_OBJECT_DIRECTORIES, GIT_INDEX_FILE, GIT_CEILING_DIRECTORIES,
 * GIT_DISCOVERY_ACROSS_FILESYSTEM, .git files, linked worktrees, bare).
 * Checks ownership (safe.directory), repositoryformatversion and extensions.
 * If there is a work tree, the cwd becomes its top and prefix is set.
 * Errors carry Git's messages ("not a git repository (or any of the parent
 * directories): .git", "detected dubious ownership …") and the codes of
 * setup_find_repository.
 */
MUST_USE int repo_open(struct repository **out, const struct repo_open_options *o,
		       struct err *err);
/* A repository at a known place (for gitlinks and tests); no chdir. */
MUST_USE int repo_open_at(struct repository **out, const char *gitdir,
			  const char *worktree, struct err *err);
/*
 * The same with other places for objects: objdir, and alternates as GIT_ALTERNATE_OBJECT_DIRECTORIES has them. For new
 * objects that are in quarantine.
 */
MUST_USE int repo_open_with_objects(struct repository **out, const char *gitdir, const char *objdir,
				    const char *alternates, struct err *err);
/*
 * Only the configuration, of the repository that is found here or without one: for aliases,
 * before it is known what a command needs. *top and *prefix are worktree and prefix of the
 * repository, if any; the cwd may have changed. Caller frees.
 */
MUST_USE int repo_read_early_config(struct config_set **out, char **top, char **prefix,
				    struct err *err);
/* The branch that HEAD names in that directory, short; NULL: none. Caller frees. */
char *repo_branch_of(const char *gitdir);
/* The absolute gitdir with symlinks kept, as far as PWD knows them; for includeIf. */
char *repo_unresolved_gitdir(const char *gitdir);
/* Format a warning and pass it to r->warn. */
void repo_warn(const struct repository *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same text once. */
void repo_note(struct repository *r, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Passes messages "error: …\n" and "warning: …\n" to report_error and warn; text is cut up. */
void repo_report_lines(const struct repository *r, char *text);
/* From now on refs/replace/ has no effect (git-replace(1)). */
void repo_ignore_replacements(struct repository *r);
/*
 * Read refs/replace/ now, through r->refs: for a command that reads objects while it reads refs. Otherwise the first object
 * opens the files of the refs once more, because any thread may read it.
 */
void repo_preload_replacements(struct repository *r);
/* Does any object stand for another one (refs/replace/)? */
bool repo_has_replacements(const struct repository *r);
/* Is the ref (by its full name) a replacement for *oid? */
bool repo_ref_replaces(const struct repository *r, const char *refname, struct object_id *oid);
void repo_free(struct repository *r);
/* If the cwd is outside the work tree, change to its top. */
MUST_USE int repo_enter_worktree(struct repository *r, struct err *err);
/* cwd: absolute, without symlinks; NULL is allowed. Sets r->original_cwd. */
void repo_set_original_cwd(struct repository *r, const char *cwd);

/* A path below gitdir or commondir, as gitrepository-layout(5) has it. Caller frees. */
char *repo_path(const struct repository *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Below it are hooks/ if core.hooksPath cannot be expanded: no file can be there. */
#define REPO_NO_HOOKS_DIR "/dev/null"
/*
 * Environment variables that describe this repository: they must be unset for commands that
 * run in another one. NULL-terminated.
 */
extern const char *const repo_local_env[];
/* Is this directory the gitdir of a repository: does it have HEAD, objects, refs? */
bool is_git_directory(const char *path);
/* ERR_ABORTED: another user owns it, and safe.directory does not list it. */
MUST_USE int repo_check_owner(const char *gitdir, struct err *err);
/*
 * The real path of the gitdir that a ".git" file names. Caller frees. NULL: it is no such
 * file (ERR_NOT_FOUND), or a broken one.
 */
char *read_gitfile(const char *path, struct err *err);
/* Is the directory a repository of its own, or the work tree of one? r's own gitdir is none. */
bool repo_has_nested(const struct repository *r, const char *dir);
/*
 * The gitdir of the repository that is checked out in `dir`, where the index has a gitlink; NULL: there
 * is none, or dir is a symbolic link. It is never looked for above dir. ERR_CORRUPT: there is one that is no
 * repository. ERR_ABORTED: another user owns it (safe.directory). Caller frees.
 */
MUST_USE int gitlink_find_gitdir(char **out, const char *dir, struct err *err);
/* HEAD of the repository that is checked out in `dir`, for gitlinks. */
MUST_USE int gitlink_resolve_head(const char *dir, const struct hash_algo *algo,
				  struct object_id *out, struct err *err);

#endif
