/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration: the grammar, the scopes, typed reads, and edits under lock.
 * git-config(1). Keys are "section.subsection.name": section and name are
 * compared without case and stored in lower case, the subsection as it is.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "compat/posix.h"
#include "fsync-batch.h"
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

/* One "key = value" as it was read, in order. Owned by its set. */
struct config_entry {
	char *key;	   /* canonical */
	char *value;	   /* NULL: "key" without "=", which means true */
	enum config_scope scope;
	enum config_origin origin;
	const char *file;  /* path or blob name; interned in the set; may be NULL */
	int line;
};

struct config_set; /* entries in order of precedence, last wins */

struct config_set *config_set_new(void);
void config_set_free(struct config_set *c);

/*
 * What includeIf needs to know. The callback for hasconfig is internal.
 * gitdir: absolute real path or NULL; branch: short name or NULL.
 */
struct config_include_ctx {
	const char *gitdir;
	const char *branch;
	const char *gitdir_unresolved; /* absolute, symlinks kept; may be NULL */
};

/*
 * Read a file into the set; follows include.path and includeIf if ctx is given
 * (depth at most 10, loops are an error). A syntax error names file and line:
 * "bad config line 3 in file '.git/config'". Missing file: ERR_NOT_FOUND.
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
 * All scopes in order. commondir and gitdir may be NULL outside of a repository.
 * GIT_CONFIG_NOSYSTEM, GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL, $XDG_CONFIG_HOME.
 */
MUST_USE int config_set_read_all(struct config_set *c, const char *commondir,
				 const char *gitdir, bool worktree_config,
				 const struct config_include_ctx *ctx, struct err *err);
/* Only system, global and command: for safe.directory and the like. */
MUST_USE int config_set_read_protected(struct config_set *c, struct err *err);
char *config_system_path(void);		      /* caller frees */
char *config_global_path(void);		      /* the file that edits go to; may be NULL */
size_t config_global_paths(char *out[2]);     /* those that are read; caller frees */
bool config_use_system(void);		      /* not GIT_CONFIG_NOSYSTEM */

/* A value pattern that is no regular expression. */
#define ERR_PATTERN ERR_UNSUPPORTED

/* ---- reads ---- */
size_t config_nr(const struct config_set *c);
const struct config_entry *config_at(const struct config_set *c, size_t i);
/* Last value; NULL if the key is not there. */
const struct config_entry *config_get(const struct config_set *c, const char *key);
/* All values in order; *nr; array belongs to the set. */
const struct config_entry *const *config_get_all(const struct config_set *c,
						 const char *key, size_t *nr);
/* Canonical form of a key as users type it. ERR_INVALID with Git's messages. */
MUST_USE int config_key_parse(struct strbuf *out, const char *key, struct err *err);

/*
 * Typed reads: 1 found, 0 absent (*out untouched), < 0 bad value: the message
 * names value, key, file and line as Git does.
 */
int config_get_bool(const struct config_set *c, const char *key, bool *out, struct err *err);
int config_get_int(const struct config_set *c, const char *key, int *out, struct err *err);
int config_get_ulong(const struct config_set *c, const char *key, unsigned long *out, struct err *err);
/* value NULL (no "=") is an error; the string belongs to the set */
int config_get_string(const struct config_set *c, const char *key, const char **out, struct err *err);
/* ~ and %(prefix) expanded; caller frees */
int config_get_path(const struct config_set *c, const char *key, char **out, struct err *err);

/* "true"/"false" or a number; *is_bool tells which */
int config_get_bool_or_int(const struct config_set *c, const char *key, bool *is_bool, int *out, struct err *err);

/* The same for one entry; 0 or the error. */
MUST_USE int config_entry_bool(const struct config_entry *e, bool *out, struct err *err);
MUST_USE int config_entry_int64(const struct config_entry *e, int64_t min, int64_t max,
				int64_t *out, struct err *err);
MUST_USE int config_entry_path(const struct config_entry *e, char **out, struct err *err);
MUST_USE int config_entry_expiry(const struct config_entry *e, timestamp_t *out,
				 struct err *err);
/* ERR_INVALID: the entry's value is bad, for this reason ("missing value"). */
int config_entry_bad(const struct config_entry *e, struct err *err, const char *why);

/* Values without a set, for environment variables. */
int config_parse_bool_word(const char *value);	/* as below, but numbers are -1 */
int config_parse_maybe_bool(const char *value); /* 1, 0, -1; NULL is 1, "" is 0 */
/* Decimal, 0x or 0 octal, k m g; the message is the reason alone. */
MUST_USE int config_parse_int64(const char *value, int64_t *out, struct err *err);

/* ---- edits ---- */
/*
 * All edits: take FILE.lock, copy with comments and layout kept, change, stage in
 * the batch (FSYNC_OTHER, PUBLISH_FILE). The caller commits the batch.
 */
struct config_edit {
	const char *key;	/* as typed */
	const char *value;	/* NULL: unset */
	const char *value_pattern; /* only values that match; NULL: all */
	bool fixed_value;	/* the pattern is a fixed string */
	bool multi;		/* replace/unset all; else two matches are an error */
	bool append;		/* add a further value (--add) */
	const char *comment;	/* after the value, as config_comment_prepare gives it */
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
/* Several edits, in order, as one. */
MUST_USE int config_file_edit_all(const char *path, const struct config_edit *e, size_t nr,
				  struct fsync_batch *b, struct err *err);
/* new_name NULL: remove the section. ERR_NOT_FOUND "no such section: X". */
MUST_USE int config_file_rename_section(const char *path, const char *old_name,
					const char *new_name, struct fsync_batch *b,
					struct err *err);
struct config_section_edit {
	const char *old_name; /* "branch.x", as typed */
	const char *new_name; /* NULL: remove */
	bool copy;	      /* the old one stays, the new one comes behind it */
};
/*
 * Several sections, each named once, in one pass; those that are not there are passed
 * over. The file is published in class `order`, and left alone if nothing changes.
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
/* "text" to " # text"; ERR_INVALID if it has a line feed. */
MUST_USE int config_comment_prepare(struct strbuf *out, const char *text, struct err *err);

/*
 * Patterns for values: an extended regular expression, "!" before it inverts; or a
 * fixed string. NULL pattern: everything matches.
 */
struct config_matcher;
MUST_USE int config_matcher_new(struct config_matcher **out, const char *pattern, bool fixed,
				struct err *err); /* ERR_PATTERN "invalid pattern: [" */
bool config_matcher_matches(const struct config_matcher *m, const char *value);
void config_matcher_free(struct config_matcher *m);

#endif
