/* SPDX-License-Identifier: GPL-2.0-only */
/* The conditions of includeIf; git-config(1), Conditional includes. */
#include "compat/posix.h"
#include "config/include.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/wildmatch.h"

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
 * The pattern in full. *literal: so many bytes at its start are the directory of
 * the config file, not a glob.
 */
static int gitdir_pattern(struct strbuf *out, const char *text, const char *file,
			  size_t *literal, struct err *err)
{
	char *path;

	*literal = 0;
	if (text[0] == '~') {
		path = expand_real_home(text);
		if (!path)
			return err_set(err, ERR_INVALID, "could not expand include path '%s'",
				       text);
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

static int by_gitdir(const struct include_state *st, const char *text, bool icase,
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
	return rc;
}

static bool by_branch(const struct include_state *st, const char *text)
{
	struct strbuf pattern = STRBUF_INIT;
	bool holds;

	if (!st->ctx->branch)
		return false;
	strbuf_addstr(&pattern, text);
	if (ends_with(text, "/"))
		strbuf_addstr(&pattern, "**");
	holds = wildmatch(pattern.buf, st->ctx->branch, WM_PATHNAME);
	strbuf_release(&pattern);
	return holds;
}

static int by_remote(struct include_state *st, const char *text, bool *holds, struct err *err)
{
	int rc = 0;

	*holds = false;
	if (st->collecting)
		return 0;
	if (!st->have_remote_urls)
		rc = include_collect_remote_urls(st, err);
	for (size_t i = 0; !rc && !*holds && i < st->remote_urls.nr; i++)
		*holds = wildmatch(text, st->remote_urls.items[i].string, WM_PATHNAME);
	return rc;
}

int include_condition(struct include_state *st, const char *cond, const char *file,
		      bool *holds, bool *by_remote_url, struct err *err)
{
	const char *text;

	*by_remote_url = false;
	if (skip_prefix(cond, "gitdir:", &text))
		return by_gitdir(st, text, false, file, holds, err);
	if (skip_prefix(cond, "gitdir/i:", &text))
		return by_gitdir(st, text, true, file, holds, err);
	if (skip_prefix(cond, "hasconfig:remote.*.url:", &text)) {
		*by_remote_url = true;
		return by_remote(st, text, holds, err);
	}
	*holds = skip_prefix(cond, "onbranch:", &text) && by_branch(st, text);
	return 0;
}
