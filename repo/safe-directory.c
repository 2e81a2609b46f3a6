/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A repository of another user could make us run that user's programs (hooks, filters):
 * it is not used unless safe.directory in protected configuration allows it.
 * git-config(1).
 */
#include "compat/posix.h"
#include "repo/setup-internal.h"
#include "config/config.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"

/* Under sudo, root counts as the user who called sudo as well. */
static bool uid_is_ours(uid_t uid)
{
	const char *sudo = getenv("SUDO_UID");
	unsigned long given;
	char *end;

	if (uid == geteuid())
		return true;
	if (geteuid() != 0 || !sudo || !*sudo)
		return false;
	errno = 0;
	given = strtoul(sudo, &end, 10);
	return !errno && !*end && (uid_t)given == given && uid == (uid_t)given;
}

static bool is_owned_by_us(const char *path)
{
	struct stat st;

	return !path || (!lstat(path, &st) && uid_is_ours(st.st_uid));
}

static char *without_trailing_slash(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && is_dir_sep(path[len - 1]))
		len--;
	return xmemdupz(path, len);
}

/* "." is the current directory; what else is relative would depend on where we are. */
static bool counts(const char *value)
{
	if (is_absolute_path(value) || !strcmp(value, "."))
		return true;
	fprintf(stderr, "warning: safe.directory '%s' not absolute\n", value);
	return false;
}

/* One value that is neither "" nor "*": a directory, or with "/" and "*" all below it. */
static bool allows(const char *value, const char *dir)
{
	char *clean, *real;
	size_t len = strlen(value);
	bool below = len > 2 && !strcmp(value + len - 2, "/*");
	bool yes;

	clean = below ? xmemdupz(value, len - 2) : without_trailing_slash(value);
	real = path_real(clean, 0);
	if (below)
		yes = path_inside(dir, clean) || (real && path_inside(dir, real));
	else
		yes = !strcmp(clean, dir) || (real && !strcmp(real, dir));
	free(real);
	free(clean);
	return yes;
}

static int is_listed_safe(const char *dir, bool *out, struct err *err)
{
	struct config_set *c = config_set_new();
	const struct config_entry *const *v;
	size_t nr = 0;
	bool safe = false;
	int rc = config_set_read_protected(c, err);

	v = rc ? NULL : config_get_all(c, "safe.directory", &nr);
	for (size_t i = 0; !rc && i < nr; i++) {
		char *path = NULL;

		if (!v[i]->value || !*v[i]->value) {
			safe = false;
		} else if (!strcmp(v[i]->value, "*")) {
			safe = true;
		} else if (!config_entry_path(v[i], &path, NULL)) {
			safe = safe || (counts(path) && allows(path, dir));
			free(path);
		}
	}
	config_set_free(c);
	if (!rc)
		*out = safe;
	return rc;
}

int setup_check_ownership(const char *gitfile, const char *worktree, const char *gitdir,
			  struct err *err)
{
	const char *pretend = getenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
	const char *dir = worktree ? worktree : gitdir;
	struct strbuf quoted = STRBUF_INIT;
	char *real;
	bool safe = false;
	int rc;

	if ((!pretend || config_parse_maybe_bool(pretend) != 1) && is_owned_by_us(gitfile) &&
	    is_owned_by_us(worktree) && is_owned_by_us(gitdir))
		return 0;
	real = path_real(dir, 0);
	if (!real)
		real = xstrdup(dir);
	rc = is_listed_safe(real, &safe, err);
	if (!rc && !safe) {
		if (strspn(real, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789/._-+:@%,=") == strlen(real))
			strbuf_addstr(&quoted, real);
		else
			sq_quote(&quoted, real);
		rc = err_set(err, ERR_ABORTED,
			     "detected dubious ownership in repository at '%s'\n"
			     "To add an exception for this directory, call:\n\n"
			     "\tgit config --global --add safe.directory %s", real, quoted.buf);
	}
	strbuf_release(&quoted);
	free(real);
	return rc;
}

int repo_check_owner(const char *gitdir, struct err *err)
{
	return setup_check_ownership(NULL, NULL, gitdir, err);
}

int setup_check_bare(const char *gitdir, struct err *err)
{
	struct config_set *c = config_set_new();
	const struct config_entry *e;
	int rc = config_set_read_protected(c, err);

	e = rc ? NULL : config_get(c, "safe.barerepository");
	if (e && e->value && !strcmp(e->value, "explicit"))
		rc = err_set(err, ERR_ABORTED, "cannot use bare repository '%s' "
			     "(safe.bareRepository is 'explicit')", gitdir);
	else if (e && (!e->value || strcmp(e->value, "all") != 0))
		rc = config_entry_bad(e, err, "neither 'all' nor 'explicit'");
	config_set_free(c);
	return rc;
}
