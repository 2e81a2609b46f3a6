/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration (git-config(1)): files of all scopes read into a set, typed access to the
 * values, and edits of files under their lock. Keys are "section.subsection.name"; section
 * and name are stored in lower case, the subsection keeps its case.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"

enum config_scope {
	CONFIG_SCOPE_UNKNOWN, CONFIG_SCOPE_SYSTEM, CONFIG_SCOPE_GLOBAL,
	CONFIG_SCOPE_LOCAL, CONFIG_SCOPE_WORKTREE, CONFIG_SCOPE_COMMAND,
};
const char *config_scope_name(enum config_scope s);

enum config_origin { CONFIG_ORIGIN_FILE, CONFIG_ORIGIN_STDIN, CONFIG_ORIGIN_BLOB,
		     CONFIG_ORIGIN_CMDLINE };

/* One "key = value" in the order of reading. Owned by its set. */
struct config_entry {
	char *key;	   /* canonical */
	char *value;	   /* NULL: "key" without "=", which means true */
	enum config_scope scope;
	enum config_origin origin;
	const char *file;  /* path or blob name; interned in the set; may be NULL */
	int line;
};

struct config_set; /* entries in order of precedence: the last one wins */

struct config_set *config_set_new(void);
void config_set_free(struct config_set *c);

/*
 * Input of the conditions of includeIf. gitdir: absolute real path, or NULL outside of a
 * repository. branch: returns the short name of the branch checked out there, or NULL; the
 * caller frees it. It is called only if a condition needs the branch.
 */
struct config_include_ctx {
	const char *gitdir;
	char *(*branch)(const char *gitdir);
	const char *gitdir_unresolved; /* absolute, with symlinks; may be NULL */
};

/*
 * Read a file and append its entries to the set. If ctx is not NULL, include.path and includeIf
 * are followed (at most 10 levels, so loops are an error). A syntax error is ERR_CORRUPT and
 * names the line: "bad config line 3 in file .git/config". Missing file: ERR_NOT_FOUND.
 */
MUST_USE int config_set_read_file(struct config_set *c, const char *path,
				  enum config_scope scope,
				  const struct config_include_ctx *ctx, struct err *err);
MUST_USE int config_set_read_buf(struct config_set *c, const char *buf, size_t len,
				 const char *name, enum config_origin origin,
				 enum config_scope scope,
				 const struct config_include_ctx *ctx, struct err *err);

/* Append "-c key=value" to GIT_CONFIG_PARAMETERS for ourselves and children. */
MUST_USE int config_push_parameter(const char *text, struct err *err);
MUST_USE int config_push_env_parameter(const char *key, const char *env_name, struct err *err);

/*
 * Read all scopes: system, global, local, worktree and command (-c, GIT_CONFIG_COUNT).
 * commondir and gitdir are NULL outside of a repository. Honours GIT_CONFIG_NOSYSTEM,
 * GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL and $XDG_CONFIG_HOME.
 */
MUST_USE int config_set_read_all(struct config_set *c, const char *commondir,
				 const char *gitdir, bool worktree_config,
				 const struct config_include_ctx *ctx, struct err *err);
/* Only system, global and command: "protected configuration", for safe.directory. */
MUST_USE int config_set_read_protected(struct config_set *c, struct err *err);
char *config_system_path(void);		      /* caller frees */
char *config_global_path(void);		      /* the file to edit; NULL without a home */
size_t config_global_paths(char *out[2]);     /* the files to read; caller frees */
bool config_use_system(void);		      /* false with GIT_CONFIG_NOSYSTEM */

/* A value pattern that is not a valid regular expression. */
#define ERR_PATTERN ERR_UNSUPPORTED

/* ---- reads ---- */
size_t config_nr(const struct config_set *c);
const struct config_entry *config_at(const struct config_set *c, size_t i);
/* The value that counts, that is the last one; NULL if the key is absent. */
const struct config_entry *config_get(const struct config_set *c, const char *key);
/* The same for a setting that has several keys. */
const struct config_entry *config_get_last(const struct config_set *c, const char *const *keys, size_t nr);
/* All *nr values in order; the array belongs to the set. */
const struct config_entry *const *config_get_all(const struct config_set *c,
						 const char *key, size_t *nr);
/* The canonical form of a key that a user typed. ERR_INVALID with Git's messages. */
MUST_USE int config_key_parse(struct strbuf *out, const char *key, struct err *err);

/*
 * Typed reads: 1 found, 0 absent (*out untouched), < 0 bad value; the message names the
 * value, key, file and line as Git does.
 */
int config_get_bool(const struct config_set *c, const char *key, bool *out, struct err *err);
int config_get_int(const struct config_set *c, const char *key, int *out, struct err *err);
int config_get_ulong(const struct config_set *c, const char *key, unsigned long *out, struct err *err);
/* A key without "=" is an error here. The string belongs to the set. */
int config_get_string(const struct config_set *c, const char *key, const char **out, struct err *err);
/* The value as a path, with ~ and %(prefix) expanded; caller frees. */
int config_get_path(const struct config_set *c, const char *key, char **out, struct err *err);

/* "true"/"false" (*is_bool) or a number. */
int config_get_bool_or_int(const struct config_set *c, const char *key, bool *is_bool, int *out, struct err *err);

/* The same for one entry; 0 or the error. */
MUST_USE int config_entry_bool(const struct config_entry *e, bool *out, struct err *err);
MUST_USE int config_entry_int64(const struct config_entry *e, int64_t min, int64_t max,
				int64_t *out, struct err *err);
/* A finite number in decimal notation. */
MUST_USE int config_entry_double(const struct config_entry *e, double *out, struct err *err);
/* CONFIG_PATH_OPTIONAL: ":(optional)path", and there is no such file: as if the key were not set. */
enum { CONFIG_PATH_OPTIONAL = 1 };
MUST_USE int config_entry_path(const struct config_entry *e, char **out, struct err *err);
MUST_USE int config_entry_expiry(const struct config_entry *e, timestamp_t *out,
				 struct err *err);
/*
 * The same for a date before which data is deleted: "now", "never" or a date in the past. A mistyped date is an
 * error, so that it does not delete everything.
 */
MUST_USE int config_entry_past(const struct config_entry *e, timestamp_t *out, struct err *err);
/* Set and return ERR_INVALID: the entry's value is bad, `why` ("missing value"). */
int config_entry_bad(const struct config_entry *e, struct err *err, const char *why);

/* Parse a value that is in no set, such as an environment variable. */
int config_parse_bool_word(const char *value);	/* like the next one, but -1 for numbers */
int config_parse_maybe_bool(const char *value); /* 1, 0 or -1 (neither); NULL is 1, "" is 0 */
/* Decimal, 0x hexadecimal or 0 octal, with a suffix k, m or g. The message is the reason only. */
MUST_USE int config_parse_int64(const char *value, int64_t *out, struct err *err);

/* ---- edits ---- */
/*
 * Edits of files. Each edit takes FILE.lock, reads the file, changes only the requested
 * entries (comments and layout stay), and stages the new file in the batch (FSYNC_OTHER,
 * PUBLISH_FILE). The caller commits the batch.
 */
struct config_edit {
	const char *key;	/* as typed */
	const char *value;	/* NULL: unset */
	const char *value_pattern; /* limits the edit to values that match; NULL: all */
	bool fixed_value;	/* value_pattern is a string, not an expression */
	bool multi;		/* replace or unset all; otherwise two matches are an error */
	bool append;		/* add a further value (--add) */
	const char *comment;	/* put after the value; made by config_comment_prepare */
};
/*
 * Errors: ERR_INVALID    bad key
 *         ERR_PATTERN    bad value_pattern
 *         ERR_NOT_FOUND  nothing to unset
 *         ERR_AMBIGUOUS  several values match
 *         ERR_CORRUPT    the file has a syntax error
 *         ERR_LOCKED, ERR_IO
 */
MUST_USE int config_file_edit(const char *path, const struct config_edit *e,
			      struct fsync_batch *b, struct err *err);
/* Several edits of one file, in order. */
MUST_USE int config_file_edit_all(const char *path, const struct config_edit *e, size_t nr,
				  struct fsync_batch *b, struct err *err);
/*
 * Change the text of a file under its lock, with several kinds of edits: `change` calls the functions on text below.
 * It returns 0, an error, or 1: the text stays as it is. The file is published in class `order`.
 */
typedef int (*config_change_fn)(struct strbuf *text, const char *path, const void *data,
				struct err *err);
MUST_USE int config_file_change(const char *path, config_change_fn change, const void *data,
				enum publish_class order, struct fsync_batch *b, struct err *err);
/* new_name NULL: remove the section. ERR_NOT_FOUND "no such section: X". */
MUST_USE int config_file_rename_section(const char *path, const char *old_name,
					const char *new_name, struct fsync_batch *b,
					struct err *err);
struct config_section_edit {
	const char *old_name; /* "branch.x", in the case of the file */
	const char *new_name; /* NULL: remove */
	bool copy;	      /* keep the old section, put the new one after it */
};
/*
 * Edit several sections, each given once, in one pass; missing ones are skipped. The file is
 * published in class `order`. If none of the sections exists, no lock is taken.
 */
MUST_USE int config_file_edit_sections(const char *path, const struct config_section_edit *e,
				       size_t nr, enum publish_class order,
				       struct fsync_batch *b, struct err *err);
/* The same on text in memory; `name` is for messages. */
MUST_USE int config_text_edit_sections(struct strbuf *text, const struct config_section_edit *e,
				       size_t nr, size_t *nr_found, const char *name,
				       struct err *err);
MUST_USE int config_text_edit(struct strbuf *text, const struct config_edit *e,
			      const char *name, struct err *err);
MUST_USE int config_text_rename_section(struct strbuf *text, const char *old_name,
					const char *new_name, const char *name,
					struct err *err);
/* Turn "text" into " # text". ERR_INVALID if it has a line feed. */
MUST_USE int config_comment_prepare(struct strbuf *out, const char *text, struct err *err);

/*
 * Patterns for values: an extended regular expression (inverted by a leading "!"), or a fixed
 * string. A NULL pattern gives a NULL matcher, which matches everything.
 */
struct config_matcher;
MUST_USE int config_matcher_new(struct config_matcher **out, const char *pattern, bool fixed,
				struct err *err); /* ERR_PATTERN "invalid pattern: [" */
bool config_matcher_matches(const struct config_matcher *m, const char *value);
void config_matcher_free(struct config_matcher *m);

#endif
