/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading files, buffers and the environment into a set. include.path and includeIf are
 * followed where they occur (git-config(1), Includes, Conditional includes).
 */
#include "compat/posix.h"
#include "config/config-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"
#include "util/wildmatch.h"

#define MAX_INCLUDE_DEPTH 10

struct include_state {
	struct config_set *set;
	const struct config_include_ctx *ctx; /* NULL: includes are not followed */
	const struct config_source *sources;
	size_t nr_sources;
	int depth;
	int below_remote_url; /* > 0 inside of a file that a hasconfig condition included */
	/* for hasconfig: all remote.*.url, collected when first needed */
	bool collecting, have_remote_urls;
	struct string_list remote_urls;
};

/* The file, buffer or environment that is being read. */
struct source_place {
	enum config_scope scope;
	enum config_origin origin;
	const char *name; /* interned */
};

static int read_from_file(struct include_state *st, const char *path, enum config_scope scope,
			  struct err *err);
static int read_sources(struct include_state *st, struct err *err);

static bool is_remote_url(const char *key)
{
	return starts_with(key, "remote.") && strchr(key + 7, '.') && ends_with(key, ".url");
}

/* ---- conditions ---- */

/*
 * Read all sources once in advance to find their remote URLs. The answer of hasconfig conditions is not known yet: all
 * their files are read in this pass, since none of them may have a remote URL, whether its condition holds or not.
 */
static int collect_remote_urls(struct include_state *st, struct err *err)
{
	struct config_set *scratch = config_set_new();
	struct include_state first = *st;
	int rc;

	first.set = scratch;
	first.collecting = true;
	first.depth = 0;
	rc = read_sources(&first, err);
	for (size_t i = 0; !rc && i < config_nr(scratch); i++) {
		const struct config_entry *e = config_at(scratch, i);

		if (e->value && is_remote_url(e->key))
			string_list_append(&st->remote_urls, e->value);
	}
	st->have_remote_urls = !rc;
	config_set_free(scratch);
	return rc;
}

/* "~/x" with the real path of the home directory; NULL: no such user. */
static char *expand_real_home(const char *pattern)
{
	size_t len = strcspn(pattern, "/");
	char *user = xmemdupz(pattern, len), *home = path_expand_user(user), *real, *out;

	free(user);
	if (!home)
		return NULL;
	real = path_real(home, 0);
	out = xstrfmt("%s%s", real ? real : home, pattern + len);
	free(home);
	free(real);
	return out;
}

/*
 * The complete pattern. Its first *literal bytes are the directory of the config file, and
 * not a glob. ERR_NOT_FOUND: there is no such home directory.
 */
static int gitdir_pattern(struct strbuf *out, const char *text, const char *file,
			  size_t *literal, struct err *err)
{
	char *path;

	*literal = 0;
	if (text[0] == '~') {
		path = expand_real_home(text);
		if (!path)
			return ERR_NOT_FOUND;
		strbuf_addstr(out, path);
		free(path);
	} else if (text[0] == '.' && is_dir_sep(text[1])) {
		if (!file)
			return err_set(err, ERR_INVALID, "relative config include conditionals "
				       "must come from files");
		path = path_real(file, 1);
		if (!path)
			return err_set_errno(err, "cannot resolve '%s'", file);
		path_dirname(out, path);
		strbuf_complete(out, '/');
		*literal = out->len;
		strbuf_addstr(out, text + 2);
		free(path);
	} else {
		if (!is_absolute_path(text))
			strbuf_addstr(out, "**/");
		strbuf_addstr(out, text);
	}
	if (out->len && is_dir_sep(out->buf[out->len - 1]))
		strbuf_addstr(out, "**");
	return 0;
}

static bool gitdir_matches(const struct strbuf *pattern, size_t literal, bool icase,
			   const char *gitdir)
{
	int (*compare)(const char *, const char *, size_t) = icase ? strncasecmp : strncmp;

	if (!gitdir || compare(pattern->buf, gitdir, literal) != 0)
		return false;
	return wildmatch(pattern->buf + literal, gitdir + literal,
			 WM_PATHNAME | (icase ? WM_CASEFOLD : 0));
}

static int match_gitdir(const struct include_state *st, const char *text, bool icase,
			const char *file, bool *holds, struct err *err)
{
	struct strbuf pattern = STRBUF_INIT;
	size_t literal;
	int rc = 0;

	*holds = false;
	if (st->ctx->gitdir) {
		rc = gitdir_pattern(&pattern, text, file, &literal, err);
		if (!rc)
			*holds = gitdir_matches(&pattern, literal, icase, st->ctx->gitdir) ||
				 gitdir_matches(&pattern, literal, icase,
						st->ctx->gitdir_unresolved);
	}
	strbuf_release(&pattern);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static bool match_branch(const struct include_state *st, const char *text)
{
	char *branch = st->ctx->gitdir ? st->ctx->branch(st->ctx->gitdir) : NULL;
	struct strbuf pattern = STRBUF_INIT;
	bool holds;

	strbuf_addstr(&pattern, text);
	if (ends_with(text, "/"))
		strbuf_addstr(&pattern, "**");
	holds = branch && wildmatch(pattern.buf, branch, WM_PATHNAME);
	strbuf_release(&pattern);
	free(branch);
	return holds;
}

static int match_remote_url(struct include_state *st, const char *text, bool *holds,
			    struct err *err)
{
	int rc = 0;

	*holds = st->collecting;
	if (st->collecting)
		return 0;
	if (!st->have_remote_urls)
		rc = collect_remote_urls(st, err);
	for (size_t i = 0; !rc && !*holds && i < st->remote_urls.nr; i++)
		*holds = wildmatch(text, st->remote_urls.items[i].string, WM_PATHNAME);
	return rc;
}

/*
 * Does the condition ("gitdir:~/work/", "onbranch:main", ...) hold? Unknown ones do not.
 * file: the config file that contains it, or NULL. *by_remote_url: it is a hasconfig one.
 */
static int include_condition(struct include_state *st, const char *cond, const char *file,
			     bool *holds, bool *by_remote_url, struct err *err)
{
	const char *text;

	*by_remote_url = false;
	if (skip_prefix(cond, "gitdir:", &text))
		return match_gitdir(st, text, false, file, holds, err);
	if (skip_prefix(cond, "gitdir/i:", &text))
		return match_gitdir(st, text, true, file, holds, err);
	if (skip_prefix(cond, "hasconfig:remote.*.url:", &text)) {
		*by_remote_url = true;
		return match_remote_url(st, text, holds, err);
	}
	*holds = skip_prefix(cond, "onbranch:", &text) && match_branch(st, text);
	return 0;
}

/* ---- including ---- */

static bool is_include(const struct include_state *st, const char *key)
{
	return st->ctx && (!strcmp(key, "include.path") ||
			   (starts_with(key, "includeif.") && ends_with(key, ".path") &&
			    strlen(key) > strlen("includeif..path")));
}

/* The path of include.path, relative ones seen from the including file. NULL: error set. */
static char *include_target(const char *value, const struct source_place *at, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	char *path;

	if (!value) {
		err_set(err, ERR_INVALID, "missing value for 'include.path'");
		return NULL;
	}
	path = path_expand_user(value);
	if (!path) {
		err_set(err, ERR_INVALID, "could not expand include path '%s'", value);
		return NULL;
	}
	if (is_absolute_path(path))
		return path;
	if (at->origin != CONFIG_ORIGIN_FILE) {
		err_set(err, ERR_INVALID, "relative config includes must come from files");
		free(path);
		return NULL;
	}
	if (strchr(at->name, '/')) {
		path_dirname(&sb, at->name);
		strbuf_complete(&sb, '/');
	}
	strbuf_addstr(&sb, path);
	free(path);
	return strbuf_detach(&sb, NULL);
}

static int read_included(struct include_state *st, const char *target,
			 const struct source_place *at, bool by_remote_url, struct err *err)
{
	struct err sub = ERR_INIT;
	int rc;

	if (st->depth >= MAX_INCLUDE_DEPTH)
		return err_set(err, ERR_INVALID,
			       "exceeded maximum include depth (%d) while including\n\t%s\n"
			       "from\n\t%s\nThis might be due to circular includes.",
			       MAX_INCLUDE_DEPTH, target, at->name ? at->name : "command line");
	st->depth++;
	st->below_remote_url += by_remote_url;
	rc = read_from_file(st, target, at->scope, &sub);
	st->below_remote_url -= by_remote_url;
	st->depth--;
	if (rc == ERR_NOT_FOUND)
		rc = 0; /* a missing file is no error */
	else
		err_move(err, &sub);
	err_release(&sub);
	return rc;
}

/* Follow the include that entry `key` asks for, if its condition holds. */
static int include(struct include_state *st, const char *key, const char *value,
		   const struct source_place *at, int line, struct err *err)
{
	struct err local = ERR_INIT;
	bool holds = true, by_url = false, has_place = false;
	char *target = NULL;
	int rc = 0;

	if (starts_with(key, "includeif.")) {
		const char *cond = key + strlen("includeif.");
		char *text = xmemdupz(cond, strlen(cond) - strlen(".path"));
		const char *file = at->origin == CONFIG_ORIGIN_FILE ? at->name : NULL;

		rc = include_condition(st, text, file, &holds, &by_url, &local);
		has_place = by_url && rc < 0; /* what the pass over all files has found */
		free(text);
	}
	if (!rc && holds) {
		target = include_target(value, at, &local);
		if (!target)
			rc = local.code;
	}
	if (rc < 0 && at->origin != CONFIG_ORIGIN_CMDLINE && !has_place) {
		struct strbuf where = STRBUF_INIT;

		config_describe_origin(&where, at->origin, at->name);
		err_prefix(&local, "bad config line %d in %s", line, where.buf);
		strbuf_release(&where);
	}
	if (!rc && target)
		rc = read_included(st, target, at, by_url, &local);
	free(target);
	err_move(err, &local);
	err_release(&local);
	return rc;
}

static int add_and_include(struct include_state *st, const char *key, const char *value,
			   const struct source_place *at, int line, struct err *err)
{
	if (st->below_remote_url && is_remote_url(key))
		return err_set(err, ERR_INVALID,
			       "remote URLs cannot be configured in file directly or indirectly "
			       "included by includeIf.hasconfig:remote.*.url");
	config_set_add(st->set, key, value, at->scope, at->origin, at->name, line);
	return is_include(st, key) ? include(st, key, value, at, line, err) : 0;
}

static int read_from_buf(struct include_state *st, const char *buf, size_t len,
			 const struct source_place *at, struct err *err)
{
	struct config_scanner s;
	enum config_token token;
	struct strbuf where = STRBUF_INIT;
	int rc = 0;

	config_scan_init(&s, buf, len);
	while (!rc && (token = config_scan(&s)) != CONFIG_TOKEN_END) {
		if (token == CONFIG_TOKEN_ENTRY) {
			rc = add_and_include(st, s.key.buf, s.has_value ? s.value.buf : NULL, at,
					     s.token_line, err);
		} else if (token == CONFIG_TOKEN_BAD) {
			config_describe_origin(&where, at->origin, at->name);
			rc = err_set(err, ERR_CORRUPT, "bad config line %d in %s", s.line,
				     where.buf);
		}
	}
	strbuf_release(&where);
	config_scan_release(&s);
	return rc;
}

static int read_from_file(struct include_state *st, const char *path, enum config_scope scope,
			  struct err *err)
{
	struct source_place at = { scope, CONFIG_ORIGIN_FILE, config_set_intern(st->set, path) };
	struct strbuf content = STRBUF_INIT;
	struct err io = ERR_INIT;
	int rc = read_file(&content, path, CONFIG_FILE_MAX, &io);

	if (rc == ERR_NOT_FOUND || io.sys_errno == ENOENT || io.sys_errno == ENOTDIR)
		rc = err_set(err, ERR_NOT_FOUND, "unable to read config file '%s': %s", path,
			     strerror(ENOENT));
	else if (rc < 0 && io.sys_errno)
		rc = err_set(err, ERR_IO, "unable to access '%s': %s", path,
			     strerror(io.sys_errno));
	else if (rc < 0)
		err_move(err, &io);
	else
		rc = read_from_buf(st, content.buf, content.len, &at, err);
	/* callers look at errno: an unreadable global file is skipped */
	if (rc == ERR_IO && err && !err->sys_errno)
		err->sys_errno = io.sys_errno;
	err_release(&io);
	strbuf_release(&content);
	return rc;
}

struct from_environment {
	struct include_state *st;
	struct source_place at;
};

static int add_pair(void *data, const char *key, const char *value, struct err *err)
{
	struct from_environment *e = data;

	return add_and_include(e->st, key, value, &e->at, 0, err);
}

static int read_source(struct include_state *st, const struct config_source *src,
		       struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	if (src->origin == CONFIG_ORIGIN_CMDLINE) {
		struct from_environment e = { st, { src->scope, src->origin, NULL } };

		rc = config_environment_foreach(add_pair, &e, &local);
	} else if (src->buf) {
		struct source_place at = { src->scope, src->origin,
				    config_set_intern(st->set, src->path) };

		rc = read_from_buf(st, src->buf, src->len, &at, &local);
	} else {
		rc = read_from_file(st, src->path, src->scope, &local);
		if ((rc == ERR_NOT_FOUND && src->optional) ||
		    (rc == ERR_IO && local.sys_errno == EACCES && src->unreadable_ok))
			rc = 0;
	}
	if (rc < 0)
		err_move(err, &local);
	err_release(&local);
	return rc;
}

static int read_sources(struct include_state *st, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < st->nr_sources; i++)
		rc = read_source(st, &st->sources[i], err);
	return rc;
}

int config_sources_read(struct config_set *c, const struct config_source *src, size_t nr,
			const struct config_include_ctx *ctx, struct err *err)
{
	struct include_state st = { .set = c, .ctx = ctx, .sources = src, .nr_sources = nr };
	int rc = read_sources(&st, err);

	string_list_clear(&st.remote_urls, NULL);
	return rc;
}

int config_set_read_file(struct config_set *c, const char *path, enum config_scope scope,
			 const struct config_include_ctx *ctx, struct err *err)
{
	struct config_source src = { .scope = scope, .origin = CONFIG_ORIGIN_FILE, .path = path };

	return config_sources_read(c, &src, 1, ctx, err);
}

int config_set_read_buf(struct config_set *c, const char *buf, size_t len, const char *name,
			enum config_origin origin, enum config_scope scope,
			const struct config_include_ctx *ctx, struct err *err)
{
	struct config_source src = { .scope = scope, .origin = origin, .path = name,
				     .buf = buf, .len = len };

	return config_sources_read(c, &src, 1, ctx, err);
}
