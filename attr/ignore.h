/* SPDX-License-Identifier: GPL-2.0-only */
/* gitignore(5): all sources, in their order of precedence. */
#ifndef ATTR_IGNORE_H
#define ATTR_IGNORE_H

#include "compat/posix.h"
#include "index/index.h"
#include "index/pattern-list.h"
#include "repo/repo.h"
#include "util/err.h"

struct ignore; /* caches parsed files per directory */

/*
 * .gitignore of every directory, info/exclude, core.excludesFile. ix may be NULL;
 * else .gitignore is read from the index where the file is missing (sparse).
 */
MUST_USE int ignore_new(struct ignore **out, struct repository *r,
			const struct index_state *ix, struct err *err);
void ignore_free(struct ignore *ig);
/*
 * Without the standard sources: only added patterns, and files called per_dir unless NULL.
 * Precedence: single patterns, then files of directories, then added files, the last one first.
 */
struct ignore *ignore_new_empty(struct repository *r, const char *per_dir);
void ignore_add_pattern(struct ignore *ig, const char *pattern); /* --exclude */
MUST_USE int ignore_add_file(struct ignore *ig, const char *path, struct err *err); /* --exclude-from */
/* core.excludesFile, then info/exclude; ix as for ignore_new. */
MUST_USE int ignore_add_standard(struct ignore *ig, const struct index_state *ix, struct err *err);

/*
 * The pattern that decides about path (parents included: a path below an
 * ignored directory is ignored), or NULL. Negated: not ignored.
 */
const struct ignore_pattern *ignore_match(struct ignore *ig, const char *path, size_t len,
					  bool is_dir);
bool ignore_is_ignored(struct ignore *ig, const char *path, size_t len, bool is_dir);
/* The same for a caller that knows that no parent is ignored. */
const struct ignore_pattern *ignore_match_last(struct ignore *ig, const char *path, size_t len,
					       bool is_dir);

#endif
