/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a repository. git-init(1), gitrepository-layout(5). */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fsync/batch.h"
#include "repo/init.h"
#include "repo/links-internal.h"
#include "repo/ref-storage.h"
#include "repo/setup-internal.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "fs/owner.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

#define FALLBACK_BRANCH "master"
#define INIT_LOCK_TIMEOUT_MS 1000

static bool is_branch_name(const char *name)
{
	char *ref = xstrfmt("refs/heads/%s", name);
	bool ok = refname_is_valid(ref, 0);

	free(ref);
	return ok;
}

int init_default_branch(const struct config_set *c, char **out, bool *is_fallback,
			struct err *err)
{
	const char *name = getenv("GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME");
	bool fallback = false;
	int rc = 0;

	if (!name || !*name) {
		name = NULL;
		rc = config_get_string(c, "init.defaultbranch", &name, err);
		if (rc < 0)
			return rc;
	}
	if (!name || !*name) {
		name = FALLBACK_BRANCH;
		fallback = true;
	}
	if (!is_branch_name(name))
		return err_set(err, ERR_INVALID,
			       "invalid branch name: init.defaultBranch = %s", name);
	*out = xstrdup(name);
	if (is_fallback)
		*is_fallback = fallback;
	return 0;
}

/* One repo_init while it runs. */
struct init_job {
	char *gitdir;	   /* where the files go: the common directory */
	char *linked;	   /* of the worktree in which it was asked for; NULL: the main one */
	char *present;	   /* the repository that is there; NULL: none */
	struct fsync_batch *batch;
	struct config_set *config; /* outside, and of a repository that is there */
	struct repo_format format; /* .refs is set */
	struct ref_store *refs;		/* HEAD is made in it, where it is no file */
	struct ref_transaction *head;
	int shared_perm;
	bool reinit, reflogs_configured, template_has_head;
	char *template_dir;	/* NULL: the built-in one; "": none */
	struct strbuf template_config; /* "config" of the template: a new config begins with it */
	struct strvec made;  /* directories, in order of creation */
	struct strvec files; /* new files */
};

/* ---- files and directories; removed again if the repository cannot be made ---- */

/* An x bit for everybody who may read. */
static int make_executable(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 ||
	    RETRY_EINTR(sys->fchmod(fd, (st.st_mode | (st.st_mode & 0444) >> 2) & 07777)) < 0)
		return err_set_errno(err, "chmod on '%s' failed", path);
	return 0;
}

/* The directory and its missing parents. */
static int make_missing_dirs(struct init_job *j, const char *path, struct err *err)
{
	struct strbuf parent = STRBUF_INIT;
	int rc;

	if (is_directory(path))
		return 0;
	path_dirname(&parent, path);
	rc = is_directory(parent.buf) ? 0 : make_missing_dirs(j, parent.buf, err);
	if (!rc)
		rc = make_dir(path, j->shared_perm, err);
	if (!rc) {
		strvec_push(&j->made, path);
		fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	}
	strbuf_release(&parent);
	return rc;
}

#define INIT_EXECUTABLE 1u
#define INIT_REPLACE 2u /* else a file that is there stays */

/*
 * Stage a new file, under "PATH.lock" like any other change of the file: two processes
 * that make the same repository wait for each other, and a lock that is left after a kill
 * is taken over (P5).
 */
static int write_new_file(struct init_job *j, const char *path, const char *content, size_t len,
			  unsigned flags, enum publish_class order, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF, INIT_LOCK_TIMEOUT_MS, err);

	if (rc < 0)
		return rc;
	if (!file_exists(path)) {
		strvec_push(&j->files, path);
	} else if (!(flags & INIT_REPLACE)) { /* another process made it: it stays */
		lockfile_release(&lk);
		return 0;
	}
	rc = write_in_full(lk.tf->fd, content, len, lk.tf->path, err);
	if (!rc && (flags & INIT_EXECUTABLE))
		rc = make_executable(lk.tf->fd, lk.tf->path, err);
	if (!rc)
		rc = apply_shared_perm(lk.tf->path, j->shared_perm, err);
	if (!rc)
		rc = lockfile_stage(&lk, j->batch, FSYNC_OTHER, order, err);
	lockfile_release(&lk);
	return rc;
}

/* Directories that the caller made for us, from below `from` down to `dir`. */
static void record_made(struct init_job *j, const char *from, const char *dir)
{
	struct strbuf parent = STRBUF_INIT;
	const char *rest = path_inside(dir, from);

	if (!rest || !*rest)
		return;
	path_dirname(&parent, dir);
	record_made(j, from, parent.buf);
	strvec_push(&j->made, dir);
	fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	strbuf_release(&parent);
}

static int write_text(struct init_job *j, const char *name, const char *text,
		      enum publish_class order, struct err *err)
{
	char *path = path_join(j->gitdir, name);
	int rc = file_exists(path) ? 0
		: write_new_file(j, path, text, strlen(text), 0, order, err);

	free(path);
	return rc;
}

static int make_subdir(struct init_job *j, const char *name, struct err *err)
{
	char *path = path_join(j->gitdir, name);
	int rc = make_missing_dirs(j, path, err);

	free(path);
	return rc;
}

/* ---- the gitdir ---- */

/* The repository that a ".git" file or directory at `path` is now; NULL: none. */
static int existing_gitdir(char **out, const char *path, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = 0;

	*out = read_gitfile(path, &local);
	if (!*out && local.code != ERR_NOT_FOUND) {
		rc = local.code;
		err_move(err, &local);
	} else if (!*out && is_directory(path)) {
		*out = xstrdup(path);
	}
	err_release(&local);
	return rc;
}

/*
 * Finds the present repository and the place of its files. The files of a linked worktree stay as
 * they are.
 */
static int choose_gitdir(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	char *gitdir, *common = NULL;
	int rc = existing_gitdir(&gitdir, o->gitdir, err);

	if (!rc && gitdir)
		rc = setup_commondir(&common, gitdir, false, err);
	if (!rc && gitdir && strcmp(gitdir, common)) {
		j->linked = gitdir;
		gitdir = NULL;
	}
	if (!rc) {
		j->present = common;
		j->gitdir = xstrdup(o->separate_git_dir ? o->separate_git_dir :
				    common ? common : o->gitdir);
	}
	free(gitdir);
	return rc;
}

/* ---- --separate-git-dir: the repository moves, and a file says where it is ---- */

/*
 * After HEAD, which makes the directory a repository: a ".git" file that names no repository
 * would make every command there fail.
 */
static int write_link(struct init_job *j, const char *path, const char *before, const char *to,
		      struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%s%s\n", before, to);
	rc = write_new_file(j, path, text.buf, text.len, INIT_REPLACE, PUBLISH_INDEX, err);
	strbuf_release(&text);
	return rc;
}

static int move_present(struct init_job *j, struct err *err)
{
	struct strbuf parent = STRBUF_INIT;

	path_dirname(&parent, j->present);
	if (RETRY_EINTR(sys->rename(j->present, j->gitdir)) < 0)
		err_set_errno(err, "unable to move %s to %s", j->present, j->gitdir);
	else
		fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	strbuf_release(&parent);
	return err->code;
}

/* Both ways, each as it was written: by an absolute path, or a relative one. */
static int relink_worktree(struct init_job *j, const struct repo_link *l, struct err *err)
{
	char *gitdir = xstrfmt("%s/worktrees/%s", j->gitdir, l->id);
	char *back = path_join(gitdir, "gitdir");
	struct strbuf path = STRBUF_INIT, top = STRBUF_INIT;
	int rc;

	path_dirname(&top, l->dot_git);
	if (l->relative)
		strbuf_relative_path(&path, gitdir, top.buf);
	rc = write_link(j, l->dot_git, "gitdir: ", l->relative ? path.buf : gitdir, err);
	if (!rc && l->relative_back) {
		strbuf_reset(&path);
		strbuf_relative_path(&path, l->dot_git, gitdir);
		rc = write_link(j, back, "", path.buf, err);
	}
	strbuf_release(&top);
	strbuf_release(&path);
	free(back);
	free(gitdir);
	return rc;
}

/* From a linked worktree, the ".git" of the main one becomes the file. */
static int separate(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	const char *link = j->linked ? j->present : o->gitdir;
	struct repo_links links = { .nr = 0 };
	struct strbuf parent = STRBUF_INIT;
	int rc = 0;

	if (j->linked && strcmp(path_basename(link), ".git"))
		rc = err_set(err, ERR_INVALID,
			     "--separate-git-dir incompatible with bare repository");
	else if (!j->present && file_exists(j->gitdir) && !is_directory(j->gitdir))
		rc = err_set(err, ERR_EXISTS, "%s already exists", j->gitdir);
	if (!rc && j->present && strcmp(j->present, j->gitdir)) {
		rc = repo_links_read(&links, j->present, err);
		if (!rc)
			rc = move_present(j, err);
	}
	path_dirname(&parent, link);
	if (!rc)
		rc = make_missing_dirs(j, parent.buf, err);
	if (!rc)
		rc = write_link(j, link, "gitdir: ", j->gitdir, err);
	for (size_t i = 0; !rc && i < links.nr; i++)
		rc = relink_worktree(j, &links.v[i], err);
	if (!rc)
		FREE_AND_NULL(j->linked);
	repo_links_release(&links);
	strbuf_release(&parent);
	return rc;
}

/* ---- the existing repository, and the options ---- */

static void init_warn(const struct repo_init_options *o, char *msg)
{
	if (o->warn)
		o->warn(o->warn_data, msg);
	free(msg);
}

static int set_hash(struct init_job *j, const char *name, struct err *err)
{
	const struct hash_algo *algo = hash_algo_by_name(name);

	if (!algo)
		return err_set(err, ERR_INVALID, "unknown hash algorithm '%s'", name);
	j->format.hash = algo->id;
	return 0;
}

/* GIT_DEFAULT_HASH, init.defaultObjectFormat, SHA-1. */
static int default_hash(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	const char *name = getenv("GIT_DEFAULT_HASH");
	bool forced = name != NULL;

	if (!name && config_get_string(j->config, "init.defaultobjectformat", &name, err) < 0)
		return ERR_INVALID;
	if (!forced && name && !hash_algo_by_name(name)) {
		init_warn(o, xstrfmt("unknown hash algorithm '%s'", name));
		name = NULL;
	}
	return set_hash(j, name && *name ? name : "sha1", err);
}

/* init.defaultRefFormat; files. */
static int configured_refs(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	const struct ref_backend *known;
	const char *name = NULL;
	int rc = config_get_string(j->config, "init.defaultrefformat", &name, err);

	if (rc < 0)
		return rc;
	if (name && ref_storage_by_name(&known, name, NULL) == ERR_INVALID) {
		init_warn(o, xstrfmt("unknown ref storage format '%s'", name));
		name = NULL;
	}
	return ref_storage_by_name(&j->format.refs, name ? name : ref_backend_name(ref_storage_default()), err);
}

/* The option, GIT_DEFAULT_REF_FORMAT, the configuration. */
static int choose_refs(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	const char *env = getenv("GIT_DEFAULT_REF_FORMAT");
	const struct ref_backend *asked = NULL;
	int rc = 0;

	if (o->ref_format)
		rc = ref_storage_by_name(&asked, o->ref_format, err);
	if (rc < 0)
		return rc;
	if (j->reinit) {
		if (!j->format.refs)
			j->format.refs = ref_storage_default();
		return !asked || asked == j->format.refs ? 0 :
			err_set(err, ERR_INVALID, "attempt to reinitialize repository with different reference storage format");
	}
	j->format.refs = asked;
	if (!asked && env && *env)
		return ref_storage_by_name(&j->format.refs, env, err);
	return asked ? 0 : configured_refs(j, o, err);
}

/* Before templates: format and hash of a repository that exists. */
static int read_existing(struct init_job *j, const struct repo_init_options *o,
			 struct err *err)
{
	char *head = path_join(j->gitdir, "HEAD"), *config = path_join(j->gitdir, "config");
	const struct hash_algo *algo;
	int rc = 0;

	j->reinit = file_exists(head);
	if (file_exists(config))
		rc = repo_format_read(&j->format, j->gitdir, j->gitdir, err);
	free(head);
	free(config);
	if (rc < 0)
		return rc;

	rc = choose_refs(j, o, err);
	if (rc < 0)
		return rc;
	algo = o->hash_name ? hash_algo_by_name(o->hash_name) : NULL;
	if (o->hash_name && !algo)
		return err_set(err, ERR_INVALID, "unknown hash algorithm '%s'", o->hash_name);
	if (j->reinit) {
		if (algo && algo->id != j->format.hash)
			return err_set(err, ERR_INVALID, "attempt to reinitialize repository "
				       "with different hash");
		return 0;
	}
	return algo ? set_hash(j, o->hash_name, err) : default_hash(j, o, err);
}

/* core.fsync, core.sharedRepository and so on, of the user or of a repository that exists. */
static int init_read_settings(struct init_job *j, const struct repo_init_options *o,
			      struct err *err)
{
	char *real = j->present ? path_real(j->present, 0) : NULL;
	struct config_include_ctx ctx = { real, repo_branch_of, NULL };
	struct fsync_batch_options opts = { .second_name = owner_second_name };
	struct repo_settings settings;
	int rc;

	j->config = config_set_new();
	rc = config_set_read_all(j->config, j->present ? j->present : j->gitdir, NULL, false,
				 &ctx, err);
	if (!rc)
		rc = repo_settings_read(&settings, j->config, hash_sha1, o->warn, o->warn_data,
					err);
	if (!rc && o->shared)
		rc = shared_perm_parse(o->shared, &settings.shared_perm, err);
	if (!rc) {
		opts.policy = settings.fsync;
		j->shared_perm = settings.shared_perm;
		j->reflogs_configured = config_get(j->config, "core.logallrefupdates") != NULL;
		repo_settings_release(&settings);
		if (!j->batch)
			j->batch = fsync_batch_new(&opts);
	}
	free(real);
	return rc;
}

/* ---- templates: git-init(1), TEMPLATE DIRECTORY ---- */

/* Files beyond this are no templates. */
#define TEMPLATE_MAX ((size_t)64 << 20)

/* A directory that is a link leads out of the repository: nothing is copied into it. */
static bool init_is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static bool is_in_link(const struct init_job *j, const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	bool yes;

	path_dirname(&dir, path);
	yes = strcmp(dir.buf, j->gitdir) != 0 && init_is_link(dir.buf);
	strbuf_release(&dir);
	return yes;
}

static const struct {
	const char *name;
	const char *text; /* NULL: a directory */
} built_in[] = {
	{ "description",
	  "Unnamed repository; edit this file 'description' to name the repository.\n" },
	{ "hooks", NULL },
	{ "info", NULL },
	{ "info/exclude",
	  "# Patterns of files that git shall not see here, one a line, as in .gitignore,\n"
	  "# but for this repository alone. For example:\n"
	  "# *.o\n"
	  "# *~\n" },
};

static int copy_built_in(struct init_job *j, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(built_in); i++) {
		char *path = path_join(j->gitdir, built_in[i].name);
		const char *text = built_in[i].text;

		if (!text)
			rc = make_missing_dirs(j, path, err);
		else if (!file_exists(path) && !is_in_link(j, path))
			rc = write_new_file(j, path, text, strlen(text), 0, PUBLISH_FILE, err);
		free(path);
	}
	return rc;
}

/* ---- templates: a directory ---- */

static int copy_dir(struct init_job *j, const char *from, const char *to, bool top,
		    struct err *err);

static int copy_symlink(struct init_job *j, const char *from, const char *to, struct err *err)
{
	struct strbuf target = STRBUF_INIT, parent = STRBUF_INIT;
	int rc = read_link(&target, from, 0, err);

	if (!rc && RETRY_EINTR(sys->symlink(target.buf, to)) < 0)
		rc = err_set_errno(err, "cannot symlink '%s' '%s'", target.buf, to);
	if (!rc) {
		path_dirname(&parent, to);
		fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	}
	strbuf_release(&parent);
	strbuf_release(&target);
	return rc;
}

static int copy_file(struct init_job *j, const char *from, const char *to,
		     const struct stat *st, bool is_head, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc = read_file(&content, from, TEMPLATE_MAX, err);

	if (!rc)
		rc = write_new_file(j, to, content.buf, content.len,
				st->st_mode & 0100 ? INIT_EXECUTABLE : 0,
				is_head ? PUBLISH_REF : PUBLISH_FILE, err);
	strbuf_release(&content);
	return rc;
}

static int copy_one(struct init_job *j, const char *name, const char *from, const char *to,
		    bool top, struct err *err)
{
	bool is_head = top && !strcmp(name, "HEAD");
	struct stat st;

	if (lstat(from, &st) < 0)
		return err_set_errno(err, "cannot stat template '%s'", from);
	if (S_ISDIR(st.st_mode)) {
		int rc;

		if (init_is_link(to))
			return 0;
		rc = make_missing_dirs(j, to, err);
		return rc ? rc : copy_dir(j, from, to, false, err);
	}
	if (file_exists(to))
		return 0; /* what exists stays */
	if (top && !strcmp(name, "config")) /* choose_template has read it, and write_config starts with it */
		return 0;
	if (S_ISLNK(st.st_mode))
		return copy_symlink(j, from, to, err);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "ignoring template %s", from);
	if (is_head && !j->reinit)
		j->template_has_head = true;
	return copy_file(j, from, to, &st, is_head, err);
}

static int copy_dir(struct init_job *j, const char *from, const char *to, bool top,
		    struct err *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return err_set_errno(err, "cannot opendir '%s'", from);
	while (!rc && (e = readdir(d))) {
		char *a, *b;

		if (e->d_name[0] == '.')
			continue;
		a = path_join(from, e->d_name);
		b = path_join(to, e->d_name);
		rc = copy_one(j, e->d_name, a, b, top, err);
		free(a);
		free(b);
	}
	closedir(d);
	return rc;
}

/* ---- which template ---- */

/* Another user may own the present repository: its configuration does not choose the template. */
static int protected_template_dir(char **out, struct err *err)
{
	struct config_set *c = config_set_new();
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = config_get_path(c, "init.templatedir", out, err);
	config_set_free(c);
	return rc < 0 ? rc : 0;
}

static int configured_dir(char **out, const struct repo_init_options *o, struct err *err)
{
	const char *env = getenv("GIT_TEMPLATE_DIR");

	*out = NULL;
	if (o->template_dir || env) {
		*out = xstrdup(o->template_dir ? o->template_dir : env);
		return 0;
	}
	return protected_template_dir(out, err);
}

/* A template of a format that we do not know is left alone. */
static bool is_usable(const char *dir, const struct repo_init_options *o)
{
	struct repo_format f = REPO_FORMAT_INIT;
	struct err err = ERR_INIT;
	bool ok = true;

	if (!is_directory(dir)) {
		if (o->template_dir)
			init_warn(o, xstrfmt("templates not found in %s", dir));
		return false;
	}
	if (repo_format_read(&f, dir, dir, &err) < 0) {
		init_warn(o, xstrfmt("not copying templates from '%s': %s", dir,
				     err_message(&err)));
		ok = false;
	}
	err_release(&err);
	repo_format_release(&f);
	return ok;
}

/* core.sharedRepository of the template holds for the new repository, if no option says more. */
static int apply_template_config(struct init_job *j, const struct repo_init_options *o, const char *path,
				 struct err *err)
{
	static const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct config_set *c = config_set_new();
	const struct config_entry *e;
	int rc = config_set_read_buf(c, j->template_config.buf, j->template_config.len, path, CONFIG_ORIGIN_FILE,
				     CONFIG_SCOPE_LOCAL, &nowhere, err);

	e = rc ? NULL : config_get(c, "core.sharedrepository");
	if (e && !o->shared)
		rc = shared_perm_parse(e->value, &j->shared_perm, err);
	config_set_free(c);
	return rc;
}

/* --template, GIT_TEMPLATE_DIR, init.templateDir; a new repository begins with the "config" there. */
static int choose_template(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	int rc = configured_dir(&j->template_dir, o, err);
	char *from, *to;

	if (rc || !j->template_dir || !*j->template_dir)
		return rc;
	if (!is_usable(j->template_dir, o)) {
		*j->template_dir = '\0';
		return 0;
	}
	from = path_join(j->template_dir, "config");
	to = path_join(j->gitdir, "config");
	if (!file_exists(to) && file_exists(from))
		rc = read_file(&j->template_config, from, TEMPLATE_MAX, err);
	if (!rc && j->template_config.len)
		rc = apply_template_config(j, o, from, err);
	free(from);
	free(to);
	return rc;
}

/* The files that the template, or a small built-in one, has and the repository does not. */
static int copy_templates(struct init_job *j, struct err *err)
{
	if (!j->template_dir)
		return copy_built_in(j, err);
	return *j->template_dir ? copy_dir(j, j->template_dir, j->gitdir, true, err) : 0;
}

/* ---- the parts ---- */

/* All directories precede the first file, so that its owner file goes where later commands look for it (fs/owner.h). */
static int make_layout(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	const struct ref_layout *layout = refs_layout(j->format.refs);
	static const char *const object_dirs[] = { "", "pack", "info" };
	char *objdir = o->objdir ? xstrdup(o->objdir) : path_join(j->gitdir, "objects");
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(object_dirs); i++) {
		char *path = *object_dirs[i] ? path_join(objdir, object_dirs[i])
					     : xstrdup(objdir);

		rc = make_missing_dirs(j, path, err);
		free(path);
	}
	for (size_t i = 0; !rc && layout->dirs[i]; i++)
		rc = make_subdir(j, layout->dirs[i], err);
	if (!rc && layout->file)
		rc = write_text(j, layout->file, layout->file_text, PUBLISH_FILE, err);
	free(objdir);
	return rc;
}

/* The symbolic ref HEAD in a store that has it elsewhere; the transaction ends with the batch. */
static int store_head(struct init_job *j, const char *target, struct err *err)
{
	struct ref_store_options o = {
		.backend = j->format.refs, .gitdir = j->gitdir, .algo = hash_algo_by_id(j->format.hash),
		.shared_perm = j->shared_perm, .reflogs = REFLOG_NONE, .lock_timeout_ms = INIT_LOCK_TIMEOUT_MS,
	};
	int rc = ref_storage_read_options(&o, j->config, err);

	if (!rc)
		rc = ref_store_open(&j->refs, &o, err);

	if (rc < 0)
		return rc;
	j->head = ref_transaction_begin(j->refs, 0);
	rc = ref_transaction_update_symref(j->head, "HEAD", target, NULL, REF_NO_DEREF, NULL, err);
	return rc ? rc : ref_transaction_prepare(j->head, j->batch, err);
}

static int write_new_head(struct init_job *j, const char *branch, struct err *err)
{
	const char *stub = refs_layout(j->format.refs)->head_stub;
	char *target = xconcat("refs/heads/", branch), *text = xstrfmt("ref: %s\n", target);
	int rc = stub ? store_head(j, target, err) : 0;

	/* Last: the file makes the directory a repository. */
	if (!rc)
		rc = write_text(j, "HEAD", stub ? stub : text, PUBLISH_REF, err);
	free(text);
	free(target);
	return rc;
}

static int write_head(struct init_job *j, const struct repo_init_options *o,
		      struct repo_init_result *out, struct err *err)
{
	char *text;
	int rc;

	if (j->reinit || j->template_has_head) {
		if (o->initial_branch && o->warn) {
			text = xstrfmt("re-init: ignored --initial-branch=%s",
				       o->initial_branch);
			o->warn(o->warn_data, text);
			free(text);
		}
		return 0;
	}
	if (o->initial_branch) {
		if (!is_branch_name(o->initial_branch))
			return err_set(err, ERR_INVALID, "invalid initial branch name: '%s'",
				       o->initial_branch);
		out->branch = xstrdup(o->initial_branch);
	} else {
		rc = init_default_branch(j->config, &out->branch, &out->branch_is_fallback,
					 err);
		if (rc < 0)
			return rc;
	}
	return write_new_head(j, out->branch, err);
}

/* The edits of config, in the order in which a new file shows them. */
struct edits {
	struct config_edit v[12];
	size_t nr;
};

static void set(struct edits *l, const char *key, const char *value)
{
	l->v[l->nr++] = (struct config_edit){ .key = key, .value = value };
}

static const char *bool_text(bool b)
{
	return b ? "true" : "false";
}

static const char *shared_text(int perm, char buf[16])
{
	if (perm == SHARED_PERM_GROUP)
		return "1";
	if (perm == SHARED_PERM_EVERYBODY)
		return "2";
	snprintf(buf, 16, "0%o", (unsigned)(perm < 0 ? -perm : perm));
	return buf;
}

/* Must core.worktree be set? Not if .git is in the work tree. */
static bool needs_core_worktree(const struct repo_init_options *o)
{
	char *usual;
	bool needs;

	if (!o->worktree || !o->explicit_worktree)
		return false;
	usual = path_join(o->worktree, ".git");
	needs = strcmp(usual, o->gitdir) != 0;
	free(usual);
	return needs;
}

static int write_config(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	struct edits l = { .nr = 0 };
	char *path = path_join(j->gitdir, "config"), shared[16];
	const struct hash_algo *algo = hash_algo_by_id(j->format.hash);
	bool other_refs = j->format.refs != ref_storage_default();
	bool v1 = j->format.hash != HASH_SHA1 || other_refs || j->format.version >= 1;
	int rc;

	set(&l, "core.repositoryformatversion", v1 ? "1" : "0");
	set(&l, "core.filemode", bool_text(fs_trusts_executable_bit(j->gitdir)));
	set(&l, "core.bare", bool_text(!o->worktree));
	if (o->worktree && !j->reflogs_configured)
		set(&l, "core.logallrefupdates", "true");
	if (needs_core_worktree(o))
		set(&l, "core.worktree", o->worktree);
	if (!j->reinit) {
		if (!fs_has_symlinks(j->gitdir))
			set(&l, "core.symlinks", "false");
		if (fs_ignores_case(j->gitdir))
			set(&l, "core.ignorecase", "true");
	}
	if (j->format.hash != HASH_SHA1)
		set(&l, "extensions.objectformat", algo->name);
	if (other_refs && !j->reinit)
		set(&l, "extensions.refstorage", ref_backend_name(j->format.refs));
	if (j->shared_perm) {
		set(&l, "core.sharedrepository", shared_text(j->shared_perm, shared));
		set(&l, "receive.denyNonFastforwards", "true");
	}

	if (file_exists(path)) {
		rc = config_file_edit_all(path, l.v, l.nr, j->batch, err);
	} else {
		struct strbuf text = STRBUF_INIT;

		strbuf_addbuf(&text, &j->template_config);
		rc = 0;
		for (size_t i = 0; !rc && i < l.nr; i++)
			rc = config_text_edit(&text, &l.v[i], path, err);
		for (size_t i = 0; !rc && i < o->nr_config; i++)
			rc = config_text_edit(&text, &o->config[i], path, err);
		if (!rc)
			rc = write_new_file(j, path, text.buf, text.len, 0, PUBLISH_FILE, err);
		strbuf_release(&text);
	}
	free(path);
	return rc;
}

/* The store that has HEAD may have written files of its own into its new directories. */
static void undo_store(struct init_job *j)
{
	const struct ref_layout *layout = refs_layout(j->format.refs);

	for (size_t i = 0; layout->dirs[i]; i++) {
		char *dir = path_join(j->gitdir, layout->dirs[i]);
		int failed = strvec_contains(&j->made, dir) ? remove_tree(dir, true, NULL) : 0;

		(void)failed; /* then the directory stays */
		free(dir);
	}
}

/*
 * Removes the new files and directories, and then returns true. If HEAD has its name already the repository is
 * complete, though perhaps not durable: it stays.
 */
static bool undo(struct init_job *j)
{
	char *head = j->gitdir ? path_join(j->gitdir, "HEAD") : NULL;
	bool is_there = head && !j->reinit && file_exists(head);

	free(head);
	if (j->batch)
		fsync_batch_abort(j->batch);
	if (is_there)
		return false;
	if (j->refs)
		undo_store(j);
	for (size_t i = j->files.nr; i-- > 0;)
		sys->unlink(j->files.v[i]);
	for (size_t i = j->made.nr; i-- > 0;) {
		owner_leave(j->made.v[i]);
		sys->rmdir(j->made.v[i]); /* fails if the directory is not empty */
	}
	return !j->reinit;
}

static void job_release(struct init_job *j)
{
	ref_transaction_free(j->head);
	ref_store_free(j->refs);
	fsync_batch_free(j->batch);
	config_set_free(j->config);
	repo_format_release(&j->format);
	strbuf_release(&j->template_config);
	free(j->template_dir);
	strvec_clear(&j->made);
	strvec_clear(&j->files);
	free(j->present);
	free(j->linked);
	free(j->gitdir);
}

static int write_files(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < o->nr_files; i++) {
		struct strbuf dir = STRBUF_INIT;

		if (!o->files[i].text || !*o->files[i].text)
			continue;
		path_dirname(&dir, o->files[i].name);
		rc = make_subdir(j, dir.buf, err);
		if (!rc)
			rc = write_text(j, o->files[i].name, o->files[i].text, PUBLISH_FILE, err);
		strbuf_release(&dir);
	}
	return rc;
}

void repo_init_result_release(struct repo_init_result *r)
{
	free(r->gitdir);
	free(r->branch);
	fsync_batch_free(r->batch);
	*r = (struct repo_init_result){ .gitdir = NULL };
}

int repo_init(const struct repo_init_options *o, struct repo_init_result *out, struct err *err)
{
	struct init_job j = { .made = STRVEC_INIT, .files = STRVEC_INIT, .format = REPO_FORMAT_INIT,
			      .template_config = STRBUF_INIT };
	struct repo_init_result result = { .gitdir = NULL };
	struct err local = ERR_INIT;
	int rc;

	rc = choose_gitdir(&j, o, &local);
	/* Settings are needed for the batch, which is needed if the repository is moved. */
	if (!rc)
		rc = init_read_settings(&j, o, &local);
	if (!rc && o->made_from)
		record_made(&j, o->made_from, o->made_dir);
	if (!rc && o->separate_git_dir)
		rc = separate(&j, o, &local);
	if (!rc)
		rc = read_existing(&j, o, &local);
	if (!rc)
		rc = choose_template(&j, o, &local);
	if (!rc)
		rc = make_missing_dirs(&j, j.gitdir, &local);
	if (!rc) /* it may have been there, or been made by the command */
		rc = apply_shared_perm(j.gitdir, j.shared_perm, &local);
	/* First: with these, it is the home of the locks that all the rest takes (fs/owner.h). */
	if (!rc)
		rc = make_layout(&j, o, &local);
	if (!rc)
		rc = write_files(&j, o, &local);
	if (!rc)
		rc = copy_templates(&j, &local);
	if (!rc)
		rc = write_head(&j, o, &result, &local);
	if (!rc)
		rc = write_config(&j, o, &local);
	if (!rc)
		rc = o->unsealed ? fsync_batch_publish(j.batch, &local) : fsync_batch_commit(j.batch, &local);
	if (j.head)
		ref_transaction_finish(j.head, rc);
	if (rc < 0 && undo(&j) && rc == ERR_UNCERTAIN)
		rc = local.code = ERR_IO;
	if (!rc) {
		result.gitdir = path_real(j.linked ? j.linked : j.gitdir, 0);
		if (!result.gitdir)
			result.gitdir = xstrdup(j.gitdir);
		result.reinit = j.reinit;
		result.shared = j.shared_perm != 0;
		if (o->unsealed) {
			result.batch = j.batch;
			j.batch = NULL;
		}
		*out = result;
	} else {
		free(result.branch);
	}
	err_move(err, &local);
	err_release(&local);
	job_release(&j);
	return rc;
}
