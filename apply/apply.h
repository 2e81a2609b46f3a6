/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Applying patches: git-apply(1). Each input is read (apply/patch.h) and applied in memory to all of its files; only if all
 * of that succeeds are files and index changed.
 *
 *   struct apply a;
 *
 *   apply_init(&a, repo, prefix);
 *   … options …
 *   rc = apply_run(&a, names, nr)      0; 1: refused or in parts; 128: the input cannot be used
 *   apply_release(&a);
 *
 * Durability: contents are written to temporary files first, so a full disk leaves all files as they were. If there is an index,
 *             objects and index belong to one operation, which awaits the contents before the index names them. Otherwise
 *             files of the working tree are not flushed, as those of checkout are not.
 * Errors:     messages go to `say`, since most of them come in numbers.
 * Cost:       one flush with an index, none without. Each file of an input is in memory.
 * Tests:      t/t4100-apply.sh and those after it; t/interop/apply.py
 */
#ifndef APPLY_APPLY_H
#define APPLY_APPLY_H

#include "compat/posix.h"
#include "apply/patch.h"
#include "index/index.h"
#include "merge/texts.h"
#include "operation/operation.h"
#include "repo/repo.h"
#include "util/map.h"
#include "util/strvec.h"

enum apply_whitespace { APPLY_WS_DEFAULT, APPLY_WS_NOWARN, APPLY_WS_WARN, APPLY_WS_ERROR, APPLY_WS_FIX };

struct apply_patch;
struct converter;

struct apply {
	struct repository *repo; /* NULL: outside of one */
	const char *prefix;	 /* NULL at the top */

	/* options */
	int apply, check, stat, numstat, summary, force_apply;
	int index, cached, threeway, intent_to_add;
	int reverse, reject, no_add, allow_overlap, unidiff_zero, unsafe_paths, allow_empty, inaccurate_eof, recount;
	int null_term, verbosity;
	int favor;	 /* enum merge3_favor */
	unsigned long context; /* -C */
	int strip;
	bool strip_known;
	const char *root, *fake_ancestor;
	const char *input_name; /* of a text in memory, for messages; NULL: "<stdin>" */
	struct strvec limits; /* "+PATTERN" of --include, "-PATTERN" of --exclude */
	bool has_include;
	enum apply_whitespace ws;
	size_t ws_most; /* errors to show; 0: all */
	bool ignore_space;

	void (*say)(void *data, const char *text); /* whole lines, for standard error */
	int (*print)(void *data, struct strbuf *out, struct err *err); /* for standard output; empties it */
	int (*resolve)(void *data, const char *name, struct object_id *out); /* a name of an object */
	void *data;

	/* internal */
	struct patch_reader reader;
	struct apply_patch **patches; /* of one input */
	size_t nr, alloc, skipped;
	struct strmap table; /* path => patch that made it, or a mark */
	struct strset links, links_gone; /* symbolic links after the patches, and links that the patches remove */
	struct repo_operation *op;
	bool in_series; /* of am: stale stat data do not matter */
	struct apply_series *series; /* NULL: files and the repository's index change */
	bool writes_begun;
	bool index_with_files;	     /* series: --index, not --cached */
	struct index_state *ancestor; /* for apply_find_ancestor */
	struct index_state ix;
	bool has_index, update_index, locked;
	struct converter *conv;
	size_t ws_errors, ws_fixed;
	unsigned ws_rule; /* core.whitespace */
	const struct hash_algo *algo;
};

/*
 * A series of patches in memory, git-am(1): the index is that after the patches so far, and files follow later. A path that
 * none of them has changed has its file, which is checked as with --index.
 */
struct apply_series {
	struct repo_operation *op; /* with open objects */
	struct index_state ix;	   /* in memory; not that of the operation */
	struct strset changed;	   /* paths that ix has for the first time, or no longer, or with other contents */
};

void apply_init(struct apply *a, struct repository *r, const char *prefix);
/* The directory in which patches apply, made simpler. ERR_INVALID: it is not below the present one. */
MUST_USE int apply_set_root(struct apply *a, const char *directory);
void apply_release(struct apply *a);
/* "warn", "fix" and the like. false: unknown. */
bool apply_set_whitespace(struct apply *a, const char *value);
/* -C, with a suffix k, m or g; -p. false: no such number. */
#define APPLY_CONTEXT_VALUES "a non-negative integer value with an optional k/m/g suffix"
bool apply_set_context(struct apply *a, const char *value);
bool apply_set_strip(struct apply *a, const char *value);
/* apply.whitespace, apply.ignoreWhitespace, core.whitespace. */
MUST_USE int apply_config(struct apply *a, const struct config_set *c, struct err *err);
/* names: of files, "-" is standard input; none: standard input. Returns the exit code. */
int apply_run(struct apply *a, const char *const *names, size_t nr);
/* The options as apply_run checks them. < 0: they do not go together, which has been said. */
MUST_USE int apply_check_options(struct apply *a);
/*
 * Apply a text to s->ix, with --index or --cached. Returns the exit code; unless it is 0 s->ix is as it was.
 * APPLY_SERIES_BROKEN: it was changed in part, and cannot be used.
 */
#define APPLY_SERIES_BROKEN 256
int apply_to_series(struct apply *a, struct apply_series *s, const struct strbuf *patch, const char *name);
/* --build-fake-ancestor in memory: `out` gets the blobs that the patch was made for. */
int apply_find_ancestor(struct apply *a, struct apply_series *s, const struct strbuf *patch, const char *name,
			struct index_state *out);

/* The same with one patch that is in memory, to files alone; `check` writes nothing. */
int apply_text_to_files(struct apply *a, const struct strbuf *text);
/* To the entries of an index that the caller has read, and writes. Its objects are those of `op`, which may be NULL to check. */
int apply_text_to_index(struct apply *a, struct index_state *ix, struct repo_operation *op, const struct strbuf *text);

#endif
