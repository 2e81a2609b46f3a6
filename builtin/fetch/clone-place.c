/* SPDX-License-Identifier: GPL-2.0-only */
/* git clone: where the source is, what the new directory is called, and making it. */
#include "compat/posix.h"
#include <unistd.h>
#include "builtin/fetch/clone.h"
#include "cli/cli.h"
#include "fs/file.h"
#include "repo/enter.h"
#include "util/alloc.h"
#include "util/path.h"

const char *clone_keep(struct clone_cmd *cc, char *owned)
{
	const char *copy = owned ? strvec_push(&cc->kept, owned) : NULL;

	free(owned);
	return copy;
}

const char *clone_absolute(struct clone_cmd *cc, const char *path)
{
	char *abs = path_absolute(path);

	if (!abs)
		die("unable to get current working directory: %s", strerror(errno));
	path_normalize(abs, abs);
	return clone_keep(cc, abs);
}

/* ---- the source ---- */

/* "x" stands for "x.bundle", too. */
static const char *find_bundle(struct clone_cmd *cc)
{
	static const char *const ends[] = { ".bundle", "" };
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *path = xstrfmt("%s%s", cc->name, ends[i]);
		bool found = !stat(path, &st) && S_ISREG(st.st_mode);
		char *abs = found ? path_absolute(path) : NULL;

		free(path);
		if (abs)
			return clone_keep(cc, abs);
	}
	return NULL;
}

void clone_find_source(struct clone_cmd *cc)
{
	char *gitdir = NULL, *commondir = NULL;
	struct err err = ERR_INIT;
	int rc;

	if (!*cc->name)
		die("The empty string is not a valid path");
	rc = url_has_scheme(cc->name) ? 0 : repo_locate(cc->name, &gitdir, &commondir, &err);

	if (rc < 0)
		die_err(&err);
	if (rc) {
		cc->o.url = clone_keep(cc, path_absolute(cc->name));
		cc->o.source = clone_keep(cc, gitdir);
		cc->o.source_common = clone_keep(cc, commondir);
		return;
	}
	cc->o.url = url_has_scheme(cc->name) ? NULL : find_bundle(cc);
	cc->is_bundle = cc->o.url != NULL;
	if (!cc->o.url && strchr(cc->name, ':'))
		cc->o.url = cc->name;
	if (!cc->o.url)
		die("repository '%s' does not exist", cc->name);
}

/* ---- the name of the new directory ---- */

static void drop_end(struct strbuf *s, const char *end)
{
	size_t len = strlen(end);

	if (s->len >= len && !strcmp(s->buf + s->len - len, end))
		strbuf_setlen(s, s->len - len);
}

static void drop_slashes(struct strbuf *s)
{
	while (s->len && (is_dir_sep(s->buf[s->len - 1]) || isspace((unsigned char)s->buf[s->len - 1])))
		strbuf_setlen(s, s->len - 1);
}

/* Without a path there is only "user@host:port" to name it by. */
static void keep_host(struct strbuf *s)
{
	char *at = strrchr(s->buf, '@'), *colon;
	size_t digits;

	if (at)
		strbuf_remove(s, 0, (size_t)(at + 1 - s->buf));
	colon = strrchr(s->buf, ':');
	digits = colon ? strspn(colon + 1, "0123456789") : 0;
	if (colon && !colon[1 + digits])
		strbuf_setlen(s, (size_t)(colon - s->buf));
}

/* Blanks and control characters make one blank between words. */
static void squeeze(struct strbuf *s)
{
	size_t to = 0;
	bool blank = true;

	for (size_t i = 0; i < s->len; i++) {
		unsigned char ch = s->buf[i];
		bool is_blank = ch <= ' ' || ch == 127;

		if (!is_blank)
			s->buf[to++] = (char)ch;
		else if (!blank)
			s->buf[to++] = ' ';
		blank = is_blank;
	}
	while (to && s->buf[to - 1] == ' ')
		to--;
	strbuf_setlen(s, to);
}

void clone_guess_dir(struct clone_cmd *cc)
{
	const char *scheme = strstr(cc->name, "://");
	struct strbuf s = STRBUF_INIT;
	size_t from;

	strbuf_addstr(&s, scheme ? scheme + 3 : cc->name);
	drop_slashes(&s);
	if (s.len > 5 && is_dir_sep(s.buf[s.len - 5]))
		drop_end(&s, ".git");
	drop_slashes(&s);
	if (!strchr(s.buf, '/'))
		keep_host(&s);
	for (from = s.len; from && !is_dir_sep(s.buf[from - 1]) && s.buf[from - 1] != ':';)
		from--;
	strbuf_remove(&s, 0, from);
	drop_end(&s, cc->is_bundle ? ".bundle" : ".git");
	squeeze(&s);
	if (!s.len || !strcmp(s.buf, "/"))
		die("No directory name could be guessed.\nPlease specify a directory on the command line");
	if (!cc->o.place.worktree)
		strbuf_addstr(&s, ".git");
	cc->dir = clone_keep(cc, strbuf_detach(&s, NULL));
}

/* ---- making it ---- */

/* Nothing is there, or an empty directory. */
static bool is_free(const char *path)
{
	return !file_exists(path) || is_empty_dir(path);
}

static void check_places(struct clone_cmd *cc, const char *dir)
{
	const struct clone_place *p = &cc->o.place;

	if (!is_free(dir))
		die("destination path '%s' already exists and is not an empty directory.", cc->dir);
	if (p->separate_git_dir && !is_free(p->separate_git_dir))
		die("repository path '%s' already exists and is not an empty directory.", cc->separate);
	if (p->explicit_worktree && file_exists(p->worktree))
		die("working tree '%s' already exists.", p->worktree);
}

/* Makes it, unless it is there, with all that is missing above it; *made_from: the deepest that was there. */
static struct tempfile *make_and_watch(struct clone_cmd *cc, const char *path, const char **made_from)
{
	bool is_there = is_directory(path);
	struct strbuf dir = STRBUF_INIT, up = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct tempfile *t;
	unsigned parents = 0;

	strbuf_addstr(&dir, path);
	for (;; parents++) {
		strbuf_reset(&up);
		path_dirname(&up, dir.buf);
		strbuf_swap(&dir, &up);
		if (is_directory(dir.buf) || dir.len <= 1)
			break;
	}
	*made_from = is_there ? NULL : clone_keep(cc, path_real(dir.buf, 0));
	if (!is_there && make_leading_dirs(path, SHARED_PERM_UMASK, &err) < 0)
		die("could not create leading directories of '%s': %s", path, strerror(err.sys_errno));
	if (!is_there && make_dir(path, SHARED_PERM_UMASK, &err) < 0)
		die("could not create work tree dir '%s': %s", path, strerror(err.sys_errno));
	t = tempfile_register_tree(path, is_there, is_there ? 0 : parents);
	strbuf_release(&dir);
	strbuf_release(&up);
	return t;
}

void clone_make_places(struct clone_cmd *cc)
{
	struct clone_place *p = &cc->o.place;
	const char *work_tree = p->worktree ? getenv("GIT_WORK_TREE") : NULL;
	const char *dir, *from;
	size_t len = strlen(cc->dir);

	while (len > 1 && is_dir_sep(cc->dir[len - 1]))
		len--;
	cc->dir = clone_keep(cc, xmemdupz(cc->dir, len));
	dir = clone_absolute(cc, cc->dir);
	if (work_tree) {
		p->worktree = clone_absolute(cc, work_tree);
		p->explicit_worktree = true;
		p->gitdir = dir;
	} else if (p->worktree) {
		p->worktree = dir;
		p->gitdir = clone_keep(cc, path_join(dir, ".git"));
	} else {
		p->gitdir = dir;
	}
	if (cc->separate)
		p->separate_git_dir = clone_absolute(cc, cc->separate);
	check_places(cc, dir);
	cc->trees[0] = make_and_watch(cc, dir, &p->made_from);
	if (p->made_from)
		p->made_dir = clone_keep(cc, path_real(dir, 0));
	if (p->explicit_worktree)
		cc->trees[1] = make_and_watch(cc, p->worktree, &from);
	else if (p->separate_git_dir)
		cc->trees[1] = make_and_watch(cc, p->separate_git_dir, &from);
}

void clone_leave_places(struct clone_cmd *cc, bool done)
{
	for (size_t i = 0; i < ARRAY_SIZE(cc->trees); i++)
		if (done)
			tempfile_forget(&cc->trees[i]);
		else
			tempfile_delete(&cc->trees[i]);
}

/* ---- repositories to borrow from ---- */

/* NULL, and why not. */
static const char *objdir_of(struct clone_cmd *cc, const char *name, struct err *err)
{
	char *gitdir = NULL, *commondir = NULL, *objdir = NULL, *shallow;
	int rc = repo_locate(name, &gitdir, &commondir, err);

	if (!rc)
		rc = err_set(err, ERR_NOT_FOUND, "reference repository '%s' is not a local repository.", name);
	if (rc > 0) {
		shallow = path_join(commondir, "shallow");
		objdir = path_join(commondir, "objects");
		if (file_exists(shallow)) {
			(void)!err_set(err, ERR_INVALID, "reference repository '%s' is shallow", name);
			FREE_AND_NULL(objdir);
		}
		free(shallow);
	}
	free(gitdir);
	free(commondir);
	return clone_keep(cc, objdir);
}

static void add_reference(struct clone_cmd *cc, const char *name, bool needed)
{
	struct err err = ERR_INIT;
	const char *objdir = objdir_of(cc, name, &err);

	if (objdir && !strvec_contains(&cc->objdirs, objdir))
		strvec_push(&cc->objdirs, objdir);
	else if (objdir)
		; /* once is enough */
	else if (needed)
		die_err(&err);
	else
		fprintf(stderr, "info: Could not add alternate for '%s': %s\n", name, err_message(&err));
	err_release(&err);
}

void clone_add_references(struct clone_cmd *cc)
{
	for (size_t i = 0; i < cc->references.nr; i++)
		add_reference(cc, cc->references.v[i], true);
	for (size_t i = 0; i < cc->optional_references.nr; i++)
		add_reference(cc, cc->optional_references.v[i], false);
	cc->o.references = &cc->objdirs;
}
