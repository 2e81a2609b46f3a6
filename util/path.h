/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths as strings. The file system is not accessed, except where it says so. */
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include "compat/posix.h"
#include "util/strbuf.h"

static inline bool is_dir_sep(int c) { return c == '/'; }
bool is_absolute_path(const char *p);
/*
 * Resolve "//", "." and ".." textually. A slash at either end stays. -1 if ".." leads above
 * the start. `dst` may equal src.
 */
int path_normalize(char *dst, const char *src);
int strbuf_path_normalize(struct strbuf *sb);
/*
 * Is every component a name: none empty, "." or ".."? A slash at either end is fine. What a client
 * of a server names must be so: there is one text for one place.
 */
bool path_is_plain(const char *p);
/* dir + "/" + name, one slash between. */
void strbuf_addpath(struct strbuf *sb, const char *dir, const char *name);
char *path_join(const char *dir, const char *name); /* caller frees */
/* Absolute, without resolving symlinks; asks for the working directory. NULL: errno. */
char *path_absolute(const char *p);
/* realpath(3), but the last `missing_ok` components may not exist. NULL: errno. */
char *path_real(const char *p, int missing_ok);
/* `to` relative to the directory `from`, both absolute and normalized; "." if equal. */
void strbuf_relative_path(struct strbuf *out, const char *to, const char *from);
/*
 * A path of the work tree relative to its directory `prefix` ("a/b/"; NULL or "": the top):
 * "../x". The directory itself is "./".
 */
void strbuf_add_from_prefix(struct strbuf *out, const char *path, const char *prefix);
/* The part of path below dir, without a leading slash; "" if equal, NULL if not inside. */
const char *path_inside(const char *path, const char *dir);
/* Is path strictly below dir? Also for refnames. dir has no slash at its end. */
bool path_is_below(const char *path, const char *dir);
/* Is one below the other? As a file or a ref neither can exist beside the other. */
bool paths_nest(const char *a, const char *b);
const char *path_basename(const char *p);
void path_dirname(struct strbuf *out, const char *p); /* "." if none */
/*
 * "~", "~user", "~/x" expanded, anything else copied; NULL if there is no such
 * user or no $HOME. Caller frees.
 */
char *path_expand_user(const char *p);
char *xgetcwd(void); /* NULL: errno */
/* $XDG_CONFIG_HOME/git/name or ~/.config/git/name; NULL without a home. */
char *xdg_config_path(const char *name);

#endif
