/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scanner under reading and editing: it cuts the bytes of a config file into
 * tokens with their places, so that both sides agree on the grammar, and an
 * edit can leave all other bytes alone.
 */
#ifndef CONFIG_CONFIG_INTERNAL_H
#define CONFIG_CONFIG_INTERNAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/map.h"

/* No config file is larger; a bigger one is refused. */
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
	bool open_end; /* the last line ends in a backslash: it would take in one behind it */
	/* "core." or "remote.Origin.", "" before the first header */
	struct strbuf section;
	/* what the last token was */
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

/* ---- sources: what one reading reads ---- */
struct config_source {
	enum config_scope scope;
	enum config_origin origin; /* CMDLINE: the environment */
	const char *path;	   /* file, or name of the buffer */
	const char *buf;	   /* NULL: read the file */
	size_t len;
	bool optional;		   /* missing is fine */
	bool unreadable_ok;	   /* so is EACCES */
};
/*
 * Read the sources in order. ctx NULL: includes are entries like others. All of
 * them are looked at for includeIf "hasconfig:remote.*.url:…".
 */
MUST_USE int config_sources_read(struct config_set *c, const struct config_source *src,
				 size_t nr, const struct config_include_ctx *ctx,
				 struct err *err);

/* ---- the environment ---- */
typedef int (*config_pair_fn)(void *data, const char *key, const char *value, struct err *err);
/* Every pair of GIT_CONFIG_COUNT, then of GIT_CONFIG_PARAMETERS; key canonical. */
MUST_USE int config_environment_foreach(config_pair_fn fn, void *data, struct err *err);

#endif
