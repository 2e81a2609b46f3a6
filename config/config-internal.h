/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of config/ share. The scanner splits the text of a config file into tokens
 * with their positions. Reading and editing both use it, so they agree on the grammar, and
 * an edit leaves all other bytes unchanged.
 */
#ifndef CONFIG_CONFIG_INTERNAL_H
#define CONFIG_CONFIG_INTERNAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/map.h"

/* Larger config files are refused. */
#define CONFIG_FILE_MAX ((size_t)128 << 20)

enum config_token {
	CONFIG_TOKEN_BAD = -1, /* syntax error at `line` */
	CONFIG_TOKEN_END,
	CONFIG_TOKEN_SECTION,  /* "[...]": section is set */
	CONFIG_TOKEN_ENTRY,    /* key, value; ends after its LF */
	CONFIG_TOKEN_COMMENT,  /* "# ..." or "; ..."; ends before its LF */
};

struct config_scanner {
	const char *buf;
	size_t len, pos;
	int line;
	bool eof;
	bool open_end; /* the text ends in a backslash, which would join a line appended to it */
	/* "core." or "remote.Origin.", "" before the first header */
	struct strbuf section;
	bool dotted; /* its header is of the old form, [remote.origin]: no case in its name */
	/* the last token */
	size_t start, end;  /* its bytes in buf */
	int token_line;
	struct strbuf key;  /* canonical, with the section */
	struct strbuf value;
	bool has_value;
};

void config_scan_init(struct config_scanner *s, const char *buf, size_t len);
enum config_token config_scan(struct config_scanner *s);
void config_scan_release(struct config_scanner *s);

/* White space of the grammar: blank, tab, CR, LF; no locale. */
static inline bool config_is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool config_is_name_char(int c); /* letter, digit, '-' */
bool config_is_alpha(int c);

/* ---- the set ---- */
/* A copy of `name` that lives as long as the set; NULL stays NULL. */
const char *config_set_intern(struct config_set *c, const char *name);
void config_set_add(struct config_set *c, const char *key, const char *value,
		    enum config_scope scope, enum config_origin origin,
		    const char *interned_file, int line);

/* "file .git/config", "standard input", "blob x:y", "command line". */
void config_describe_origin(struct strbuf *out, enum config_origin origin, const char *file);

/* ---- sources: the files, buffers and environment to read, in order ---- */
struct config_source {
	enum config_scope scope;
	enum config_origin origin; /* CMDLINE: the environment */
	const char *path;	   /* file, or name of the buffer */
	const char *buf;	   /* NULL: read the file */
	size_t len;
	bool optional;		   /* it may be missing */
	bool unreadable_ok;	   /* EACCES is not an error */
};
/*
 * Read the sources in order. ctx NULL: includes are not followed. For the condition
 * "hasconfig:remote.*.url:..." all of them are searched.
 */
MUST_USE int config_sources_read(struct config_set *c, const struct config_source *src,
				 size_t nr, const struct config_include_ctx *ctx,
				 struct err *err);

/* ---- the environment ---- */
typedef int (*config_pair_fn)(void *data, const char *key, const char *value, struct err *err);
/* Every pair of GIT_CONFIG_COUNT, then of GIT_CONFIG_PARAMETERS; key canonical. */
MUST_USE int config_environment_foreach(config_pair_fn fn, void *data, struct err *err);

#endif
