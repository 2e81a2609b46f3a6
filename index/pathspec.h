/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pathspecs with magic: :(top,literal,icase,glob,exclude,attr:…), :/, :!, :^;
 * gitglossary(7). Paths are matched relative to the top of the work tree.
 */
#ifndef INDEX_PATHSPEC_H
#define INDEX_PATHSPEC_H

#include "compat/posix.h"
#include "util/err.h"

struct pathspec_item {
	char *original; /* as typed, for messages */
	char *match;	/* with prefix, relative to the top */
	size_t len;
	size_t nowildcard_len; /* literal part in front of the first glob */
	size_t prefix_len;     /* part that comes from the cwd: never folded */
	bool literal, icase, glob, exclude, top;
	char *attr; /* text of attr:, NULL if none */
};
struct pathspec {
	struct pathspec_item *items;
	size_t nr;
	bool has_wildcard, has_exclude, has_attr;
	/* Set by users of attr/: does path satisfy attr text? NULL: attr magic is refused */
	bool (*match_attr)(void *data, const char *attr, const char *path, size_t len);
	void *match_attr_data;
};

#define PATHSPEC_PREFER_CWD 1u	 /* no arguments: everything below prefix */
#define PATHSPEC_PREFER_FULL 2u  /* no arguments: everything */
#define PATHSPEC_NO_ATTR 4u
#define PATHSPEC_LITERAL 8u	 /* paths, not patterns; the environment does not count */
/*
 * argv: NULL-terminated. GIT_LITERAL_PATHSPECS, GIT_GLOB_PATHSPECS,
 * GIT_NOGLOB_PATHSPECS, GIT_ICASE_PATHSPECS are honoured.
 * ERR_INVALID: "'../x' is outside repository at '/…'", unknown magic.
 * worktree: absolute top, for absolute arguments.
 */
MUST_USE int pathspec_parse(struct pathspec *ps, const char *prefix, const char *worktree,
			    const char *const *argv, unsigned flags, struct err *err);
void pathspec_release(struct pathspec *ps);
/*
 * An argument that could be a revision or a path, without "--" to tell. Does it name a file that is there,
 * so that a revision of that name is ambiguous? ":/x" counts from the top; ":!x" and ":^x" are x.
 */
bool path_arg_exists(const char *prefix, const char *arg);
/* A pathspec, whatever it matches: it has long magic or wildcards, or it is ":/". */
bool path_arg_is_pattern(const char *arg);
/* Read pathspecs from a file (or "-"), separated by LF or NUL; quoted ones are unquoted. */
struct strvec;
MUST_USE int pathspec_read_file(struct strvec *out, const char *file, bool nul, struct err *err);

enum pathspec_match { PATHSPEC_NO_MATCH, PATHSPEC_MATCH, PATHSPEC_MATCH_BELOW };
/*
 * Does `path` match? An empty pathspec matches everything. seen (may be NULL, nr
 * bytes) gets 1 for each item that matched, for errors about the others. is_dir:
 * path is a directory ("dir" or "dir/"). path[len] is readable.
 */
bool pathspec_match(const struct pathspec *ps, const char *path, size_t len, bool is_dir,
		    char *seen);
/* Does an exclude item match? path may be a directory, "dir/". */
bool pathspec_excludes(const struct pathspec *ps, const char *path, size_t len);
/* For a directory: does everything below match, may something match, or nothing? */
enum pathspec_match pathspec_match_dir(const struct pathspec *ps, const char *dir, size_t len);

#endif
