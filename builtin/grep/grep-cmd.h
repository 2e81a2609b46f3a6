/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-grep(1): grep.c tells the story, options.c reads options and configuration, places.c finds the files,
 * repos.c knows their repositories, jobs.c searches the files in threads and prints in order.
 */
#ifndef BUILTIN_GREP_GREP_CMD_H
#define BUILTIN_GREP_GREP_CMD_H

#include "builtin/builtin.h"
#include "grep/search.h"
#include "index/pathspec.h"
#include "repo/repo.h"
#include "util/parse-options.h"
#include "worktree/diff-attr.h"

struct grep_options {
	struct grep_words words;
	struct grep_rules rules;
	struct grep_format format;
	int cached, untracked, no_index, exclude_standard; /* the last: -1 not said */
	int textconv, full_name, max_depth, recursive, recurse_submodules, threads; /* threads: -1 not said */
	bool open_in_pager;
	const char *pager; /* NULL: the default */
};

/* A repository whose files are searched: that of the command, or a submodule. */
struct grep_repo {
	struct repository *r;	  /* NULL outside of a repository */
	const char *base;	  /* its top, from that of the command's repository: "sub/"; "" */
	struct diff_options diff; /* drivers and textconv */
	struct diff_attrs *attrs;
	struct function_patterns *functions;
	unsigned depth; /* of a submodule: 1, or more; 0: r is the command's */
	size_t users;	/* searches and batches */
};

struct grep_batch;
struct grep_cmd {
	struct repository *r; /* NULL outside of a repository */
	struct grep_repo *repo; /* the same */
	struct grep_options o;
	const char **args, **rest; /* the command line; the arguments behind options and pattern */
	struct strvec spelled;	   /* options in other words */
	struct pathspec ps;
	struct attrs *ps_attrs;
	/* jobs.c */
	struct workers *workers;
	pthread_mutex_t lock;		/* of the matchers */
	struct grep_matcher **matchers; /* that no thread uses now */
	size_t nr_matchers;
	struct grep_batch *batch; /* to which texts are being added; NULL: none */
	struct strvec found; /* -O: names of files */
	bool has_printed, hit;
};

/* ---- options.c ---- */
/* Dies of bad ones. Sets c->rest, and returns how many there are: a pattern that no option gives is taken from them. */
int grep_parse_options(struct grep_cmd *c, int argc, const char **argv);

/* ---- places.c ---- */
/* Searches a blob, or the blobs of a tree or commit. `name`: as the command line has it. */
MUST_USE int grep_object(struct grep_cmd *c, const char *name, const struct object_id *oid, struct err *err);
MUST_USE int grep_index(struct grep_cmd *c, struct err *err);
MUST_USE int grep_directory(struct grep_cmd *c, struct err *err);

/* ---- repos.c ---- */
/* The repository of the command, or none. Dies of bad settings. Its only user is the caller. */
struct grep_repo *grep_repo_new(const struct grep_cmd *c);
/*
 * The submodule at `path` of the outer repository, or of its `tree` (NULL: of its index). *out NULL: it is not active, or not
 * there. A submodule that cannot be opened is reported as a warning, and not there.
 */
struct submodules;
MUST_USE int grep_repo_open(struct grep_repo **out, const struct grep_cmd *c, const struct grep_repo *outer,
			    const struct submodules *s, const char *path, struct err *err);
/* One user less: it goes with the last one. */
void grep_repo_release(struct grep_repo *repo);
/* Lines that name functions; NULL: as by default, or they do not matter. */
const struct funcname *grep_repo_functions(const struct grep_cmd *c, struct grep_repo *repo, const struct diff_driver *d);

/* ---- jobs.c ---- */
MUST_USE int grep_begin_jobs(struct grep_cmd *c, struct err *err);
/* path: from the top of the repository. size: about as much, from the index; 0: not known. Errors are reported. */
void grep_add_file(struct grep_cmd *c, struct grep_repo *repo, const char *path, uint64_t size);
/* prefix: for the name that is shown, "HEAD:". */
void grep_add_blob(struct grep_cmd *c, struct grep_repo *repo, const char *prefix, const char *path, const struct object_id *oid);
/* Waits for all of them. Also after grep_begin_jobs has failed. */
void grep_end_jobs(struct grep_cmd *c);

#endif
