/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One path pattern of a gitignore or gitattributes file: gitignore(5),
 * PATTERN FORMAT, without the leading "!", which the callers handle.
 */
#ifndef INDEX_PATTERN_H
#define INDEX_PATTERN_H

#include "compat/posix.h"
#include "repo/repo.h"

struct path_pattern {
	char *glob;	    /* owned; no leading or trailing '/' */
	size_t glob_len;
	size_t literal_len; /* part of glob before the first wildcard */
	char *base;	    /* owned; directory of the file: "" or "a/b/" */
	size_t base_len;
	bool dir_only;	    /* ended in '/' */
	bool basename_only; /* no '/' inside: matches at any depth */
	bool suffix_only;   /* "*" and then no wildcard */
};

/* text: without "!" and without line end. base: "" or "dir/". */
void path_pattern_init(struct path_pattern *p, const char *text, size_t len,
		       const char *base, size_t base_len);
void path_pattern_release(struct path_pattern *p);

/*
 * Does a path (relative to the top, basename at `name`) match? Cost: at most one
 * wildmatch; none if comparing the literal part is enough.
 */
bool path_pattern_match(const struct path_pattern *p, const char *path, size_t len,
			const char *name, bool is_dir, bool icase);

/*
 * Read a .gitignore or .gitattributes file of the work tree; path: from its top. A symbolic link is not followed:
 * a warning, and ERR_IO as for all that cannot be read; ERR_NOT_FOUND: there is none.
 */
MUST_USE int pattern_file_read(struct repository *r, struct strbuf *out, const char *path,
			       size_t max);

/* The basename of path[0..len). */
const char *pattern_basename(const char *path, size_t len);

#endif
