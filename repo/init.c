/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a repository. git-init(1), gitrepository-layout(5). */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "repo/init-internal.h"
#include "fs/file.h"
#include "fs/lockfile.h"
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

/* ---- files and directories, undone if it does not come about ---- */

/* An x bit for everybody who may read. */
static int make_executable(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 ||
	    RETRY_EINTR(sys->fchmod(fd, (st.st_mode | (st.st_mode & 0444) >> 2) & 07777)) < 0)
		return err_set_errno(err, "chmod on '%s' failed", path);
	return 0;
}

int init_mkdir(struct init_job *j, const char *path, struct err *err)
{
	struct strbuf parent = STRBUF_INIT;
	int rc;

	if (is_directory(path))
		return 0;
	path_dirname(&parent, path);
	rc = is_directory(parent.buf) ? 0 : init_mkdir(j, parent.buf, err);
	if (!rc)
		rc = make_dir(path, j->shared_perm, err);
	if (!rc) {
		strvec_push(&j->made, path);
		fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	}
	strbuf_release(&parent);
	return rc;
}

/*
 * Under "PATH.lock" like any other change of the file: two who make the same
 * repository wait for each other, and what is left after a kill is taken over (P5).
 */
int init_write(struct init_job *j, const char *path, const char *content, size_t len,
	       unsigned flags, enum publish_class order, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF, INIT_LOCK_TIMEOUT_MS, err);

	if (rc < 0)
		return rc;
	if (!file_exists(path)) {
		strvec_push(&j->files, path);
	} else if (!(flags & INIT_REPLACE)) { /* somebody was faster: what exists stays */
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
static void note_made(struct init_job *j, const char *from, const char *dir)
{
	struct strbuf parent = STRBUF_INIT;
	const char *rest = path_inside(dir, from);

	if (!rest || !*rest)
		return;
	path_dirname(&parent, dir);
	note_made(j, from, parent.buf);
	strvec_push(&j->made, dir);
	fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	strbuf_release(&parent);
}

static int write_text(struct init_job *j, const char *name, const char *text,
		      enum publish_class order, struct err *err)
{
	char *path = path_join(j->gitdir, name);
	int rc = file_exists(path) ? 0
		: init_write(j, path, text, strlen(text), 0, order, err);

	free(path);
	return rc;
}

static int make_subdir(struct init_job *j, const char *name, struct err *err)
{
	char *path = path_join(j->gitdir, name);
	int rc = init_mkdir(j, path, err);

	free(path);
	return rc;
}

/* ---- where it goes ---- */

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

/* --separate-git-dir: what is there moves, and gitdir becomes a file. */
static int separate(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	char *old = NULL;
	struct strbuf text = STRBUF_INIT, parent = STRBUF_INIT;
	int rc = existing_gitdir(&old, o->gitdir, err);

	if (!rc && !old && file_exists(o->separate_git_dir) &&
	    !is_directory(o->separate_git_dir))
		rc = err_set(err, ERR_EXISTS, "%s already exists", o->separate_git_dir);
	if (!rc && old && strcmp(old, o->separate_git_dir)) {
		path_dirname(&parent, old);
		if (RETRY_EINTR(sys->rename(old, o->separate_git_dir)) < 0)
			rc = err_set_errno(err, "unable to move %s to %s", old,
					   o->separate_git_dir);
		else
			fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	}
	if (!rc) {
		strbuf_reset(&parent);
		path_dirname(&parent, o->gitdir);
		rc = init_mkdir(j, parent.buf, err);
	}
	if (!rc) {
		/*
		 * After HEAD, which makes the place a repository: a ".git" file that
		 * names none would stop every command here.
		 */
		strbuf_addf(&text, "gitdir: %s\n", o->separate_git_dir);
		rc = init_write(j, o->gitdir, text.buf, text.len, INIT_REPLACE, PUBLISH_INDEX, err);
	}
	strbuf_release(&parent);
	strbuf_release(&text);
	free(old);
	return rc;
}

static int choose_gitdir(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	char *linked;
	int rc;

	if (o->separate_git_dir) {
		j->gitdir = xstrdup(o->separate_git_dir);
		return separate(j, o, err);
	}
	rc = existing_gitdir(&linked, o->gitdir, err);
	if (!rc)
		j->gitdir = linked ? linked : xstrdup(o->gitdir);
	return rc;
}

/* ---- what was there, what is asked for ---- */

static int take_hash(struct init_job *j, const char *name, struct err *err)
{
	const struct hash_algo *algo = hash_algo_by_name(name);

	if (!algo)
		return err_set(err, ERR_INVALID, "unknown hash algorithm '%s'", name);
	j->format.hash = algo->id;
	return 0;
}

/* GIT_DEFAULT_HASH, init.defaultObjectFormat, SHA-1. */
static int default_hash(struct init_job *j, struct err *err)
{
	const char *name = getenv("GIT_DEFAULT_HASH");

	if (!name && config_get_string(j->config, "init.defaultobjectformat", &name, err) < 0)
		return ERR_INVALID;
	return take_hash(j, name && *name ? name : "sha1", err);
}

/* Before templates: format, hash and settings of a repository that is there. */
static int look_at_existing(struct init_job *j, const struct repo_init_options *o,
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

	algo = o->hash_name ? hash_algo_by_name(o->hash_name) : NULL;
	if (o->hash_name && !algo)
		return err_set(err, ERR_INVALID, "unknown hash algorithm '%s'", o->hash_name);
	if (j->reinit) {
		if (algo && algo->id != j->format.hash)
			return err_set(err, ERR_INVALID, "attempt to reinitialize repository "
				       "with different hash");
		return 0;
	}
	return algo ? take_hash(j, o->hash_name, err) : default_hash(j, err);
}

/* core.fsync and core.sharedRepository of the outside, or of the repository here. */
static int read_settings(struct init_job *j, const struct repo_init_options *o,
			 struct err *err)
{
	static const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct fsync_batch_options opts = { .policy = FSYNC_POLICY_DEFAULT };
	struct repo_settings settings;
	int rc;

	j->config = config_set_new();
	rc = config_set_read_all(j->config, j->gitdir, NULL, false, &nowhere, err);
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
	return rc;
}

/* ---- the parts ---- */

static int make_layout(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	static const char *const dirs[] = { "refs", "refs/heads", "refs/tags" };
	static const char *const object_dirs[] = { "", "pack", "info" };
	char *objdir = o->objdir ? xstrdup(o->objdir) : path_join(j->gitdir, "objects");
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(dirs); i++)
		rc = make_subdir(j, dirs[i], err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(object_dirs); i++) {
		char *path = *object_dirs[i] ? path_join(objdir, object_dirs[i])
					     : xstrdup(objdir);

		rc = init_mkdir(j, path, err);
		free(path);
	}
	free(objdir);
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
	text = xstrfmt("ref: refs/heads/%s\n", out->branch);
	rc = write_text(j, "HEAD", text, PUBLISH_REF, err);
	free(text);
	return rc;
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

static const char *yes_no(bool b)
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

/* Must core.worktree say where the work tree is? Not if .git is in it. */
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
	bool v1 = j->format.hash != HASH_SHA1 || j->format.version >= 1;
	int rc;

	set(&l, "core.repositoryformatversion", v1 ? "1" : "0");
	set(&l, "core.filemode", yes_no(fs_trusts_executable_bit(j->gitdir)));
	set(&l, "core.bare", yes_no(!o->worktree));
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
		if (!rc)
			rc = init_write(j, path, text.buf, text.len, 0, PUBLISH_FILE, err);
		strbuf_release(&text);
	}
	free(path);
	return rc;
}

/*
 * Back to what was there. If HEAD has got its name the repository is whole, though
 * perhaps not durable: it stays.
 */
static void undo(struct init_job *j)
{
	char *head = j->gitdir ? path_join(j->gitdir, "HEAD") : NULL;
	bool is_there = head && !j->reinit && file_exists(head);

	free(head);
	if (j->batch)
		fsync_batch_abort(j->batch);
	if (is_there)
		return;
	for (size_t i = j->files.nr; i-- > 0;)
		sys->unlink(j->files.v[i]);
	for (size_t i = j->made.nr; i-- > 0;)
		sys->rmdir(j->made.v[i]); /* only if nobody put anything there */
}

static void job_release(struct init_job *j)
{
	fsync_batch_free(j->batch);
	config_set_free(j->config);
	repo_format_release(&j->format);
	strbuf_release(&j->template_config);
	strvec_clear(&j->made);
	strvec_clear(&j->files);
	free(j->gitdir);
}

int repo_init(const struct repo_init_options *o, struct repo_init_result *out, struct err *err)
{
	struct init_job j = { .made = STRVEC_INIT, .files = STRVEC_INIT, .format = REPO_FORMAT_INIT,
			      .template_config = STRBUF_INIT };
	struct repo_init_result result = { .gitdir = NULL };
	struct err local = ERR_INIT;
	int rc;

	/* the batch needs settings, which need the place, which may need to be moved */
	j.gitdir = xstrdup(o->separate_git_dir ? o->separate_git_dir : o->gitdir);
	rc = read_settings(&j, o, &local);
	FREE_AND_NULL(j.gitdir);
	if (!rc && o->made_from)
		note_made(&j, o->made_from, o->made_dir);
	if (!rc)
		rc = choose_gitdir(&j, o, &local);
	if (!rc)
		rc = look_at_existing(&j, o, &local);
	if (!rc)
		rc = init_mkdir(&j, j.gitdir, &local);
	if (!rc)
		rc = init_copy_templates(&j, o, &local);
	if (!rc)
		rc = make_layout(&j, o, &local);
	if (!rc)
		rc = write_head(&j, o, &result, &local);
	if (!rc)
		rc = write_config(&j, o, &local);
	if (!rc)
		rc = fsync_batch_commit(j.batch, &local);
	if (rc < 0)
		undo(&j);
	if (!rc) {
		result.gitdir = path_real(j.gitdir, 0);
		if (!result.gitdir)
			result.gitdir = xstrdup(j.gitdir);
		result.reinit = j.reinit;
		result.shared = j.shared_perm != 0;
		*out = result;
	} else {
		free(result.branch);
	}
	err_move(err, &local);
	err_release(&local);
	job_release(&j);
	return rc;
}
