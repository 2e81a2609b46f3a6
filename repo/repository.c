/* SPDX-License-Identifier: GPL-2.0-only */
/* An opened repository: composes place, configuration, objects and refs. */
#include "compat/posix.h"
#include "repo/replace-internal.h"
#include "repo/ref-storage.h"
#include "repo/remotes.h"
#include "repo/repo.h"
#include "repo/setup-internal.h"
#include "fs/file.h"
#include "fs/tmp-objdir.h"
#include "util/alloc.h"
#include "util/path.h"

const char *const repo_local_env[] = {
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
	"GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
	"GIT_SHALLOW_FILE", "GIT_COMMON_DIR", NULL
};

/* ---- opening ---- */

/* The branch that HEAD names in a store where it is no file; NULL: none, or HEAD is a file. */
static char *branch_in_store(const char *gitdir, bool *is_in_store)
{
	struct ref_store_options opts = { .gitdir = NULL };
	struct repo_format format = REPO_FORMAT_INIT;
	char *common = NULL, *target = NULL, *branch = NULL, *own = NULL, *shared = NULL;
	struct ref_store *refs = NULL;
	struct object_id oid;
	const char *name;

	if (!setup_commondir(&common, gitdir, false, NULL) && !repo_format_read(&format, gitdir, common, NULL) && format.refs &&
	    refs_layout(format.refs)->head_stub) {
		*is_in_store = true;
		opts.gitdir = own = ref_storage_dir(format.refs_dir, gitdir, common, true);
		opts.commondir = shared = ref_storage_dir(format.refs_dir, gitdir, common, false);
		opts.backend = format.refs;
		opts.algo = hash_algo_by_id(format.hash);
		if (!ref_store_open(&refs, &opts, NULL) && !ref_read_raw(refs, "HEAD", &oid, &target, NULL) && target &&
		    skip_prefix(target, "refs/heads/", &name))
			branch = xstrdup(name);
	}
	ref_store_free(refs);
	repo_format_release(&format);
	free(target);
	free(shared);
	free(own);
	free(common);
	return branch;
}

char *repo_branch_of(const char *gitdir)
{
	char *path = path_join(gitdir, "HEAD"), *branch = NULL;
	struct strbuf text = STRBUF_INIT;
	const char *name;
	bool is_in_store = false;

	if (!read_link(&text, path, 0, NULL)) {
		if (skip_prefix(text.buf, "refs/heads/", &name))
			branch = xstrdup(name);
	} else {
		strbuf_reset(&text);
		if (!read_file(&text, path, 4096, NULL)) {
			strbuf_rtrim(&text);
			if (skip_prefix(text.buf, "ref:", &name) &&
			    skip_prefix(name + strspn(name, " \t"), "refs/heads/", &name))
				branch = xstrdup(name);
		}
	}
	/* The file may be a stub. After an interrupted migration it may also name a branch beside a store that has HEAD. */
	if (branch) {
		char *in_store = branch_in_store(gitdir, &is_in_store);

		if (is_in_store) {
			free(branch);
			branch = in_store;
		}
	}
	strbuf_release(&text);
	free(path);
	return branch;
}

char *repo_unresolved_gitdir(const char *gitdir)
{
	const char *pwd = getenv("PWD");
	struct stat a, b;

	if (!is_absolute_path(gitdir) && pwd && is_absolute_path(pwd) && !stat(pwd, &a) &&
	    !stat(".", &b) && is_same_file(&a, &b))
		return path_join(pwd, gitdir);
	return path_absolute(gitdir);
}

static int read_config(struct config_set **out, const char *gitdir, const char *commondir,
		       bool worktree_config, struct err *err)
{
	char *real = path_real(gitdir, 0), *unresolved = repo_unresolved_gitdir(gitdir);
	struct config_include_ctx ctx = { real, repo_branch_of, unresolved };
	struct config_set *c = config_set_new();
	int rc = config_set_read_all(c, commondir, gitdir, worktree_config, &ctx, err);

	if (rc < 0)
		config_set_free(c);
	else
		*out = c;
	free(real);
	free(unresolved);
	return rc;
}

static int repository_read_settings(struct repository *r, const struct repo_format *f,
				    const struct repo_open_options *o, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = repo_settings_read(&r->settings, r->config, r->algo, o->warn, o->warn_data,
				    &local);

	if (rc < 0 && o->lenient)
		rc = 0;
	else
		err_move(err, &local);
	err_release(&local);
	r->settings.hash = f->hash;
	r->settings.worktree_config = f->worktree_config;
	r->settings.ref_storage = xstrdup(ref_backend_name(f->refs ? f->refs : ref_storage_default()));
	return rc;
}

static int open_odb(struct repository *r, const char *alternates,
		    const struct repo_open_options *o, struct err *err)
{
	const struct repo_settings *s = &r->settings;
	struct odb_options opts = {
		.objdir = r->objdir,
		.algo = r->algo,
		.alternates_env = alternates,
		.shared_perm = s->shared_perm,
		.loose_level = s->loose_level,
		.pack_level = s->pack_level,
		.unpack_limit = s->unpack_limit,
		.pack_size_limit = s->pack_size_limit,
		.big_file_threshold = s->big_file_threshold,
		.delta_base_cache_limit = s->delta_base_cache_limit,
		.packed_git_window_size = s->packed_git_window_size,
		.packed_git_limit = s->packed_git_limit,
		.use_multi_pack_index = s->use_multi_pack_index,
		.max_tree_depth = s->max_tree_depth,
		.warn = o->warn,
		.report_error = o->report_error,
		.warn_data = o->warn_data,
	};

	return odb_open(&r->odb, &opts, err);
}

/* A work tree that is not told of here still wants its reflogs: core.bare. */
static bool has_work_tree(const struct repository *r)
{
	bool bare = r->bare;

	return config_get_bool(r->config, "core.bare", &bare, NULL) >= 0 && !bare;
}

/* As repository_read_settings does. */
static int read_ref_settings(struct ref_store_options *opts, const struct repository *r, bool lenient, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = ref_storage_read_options(opts, r->config, &local);

	if (rc < 0 && lenient)
		rc = 0;
	else
		err_move(err, &local);
	err_release(&local);
	return rc;
}

static int open_refs(struct repository *r, const struct ref_backend *backend, bool objects_elsewhere, bool lenient,
		     struct err *err)
{
	const struct repo_settings *s = &r->settings;
	struct ref_store_options opts = {
		.backend = backend ? backend : ref_storage_default(),
		.gitdir = r->refs_gitdir,
		.commondir = r->refs_commondir,
		.algo = r->algo,
		.objects = odb_source_unreplaced(r->odb),
		.objects_elsewhere = objects_elsewhere,
		.shared_perm = s->shared_perm,
		.reflogs = s->reflogs,
		.bare = r->bare && !has_work_tree(r),
		.lock_timeout_ms = s->files_lock_timeout_ms,
		.table_lock_timeout_ms = s->packed_lock_timeout_ms,
	};
	const char *base = getenv("GIT_REPLACE_REF_BASE");
	int rc = read_ref_settings(&opts, r, lenient, err);

	if (!rc)
		rc = ref_store_open(&r->refs, &opts, err);
	if (rc < 0)
		return rc;
	if (s->use_replace_refs && !getenv("GIT_NO_REPLACE_OBJECTS")) {
		r->replacements = replacements_new(&opts, base ? base : "refs/replace/");
		odb_set_replace(r->odb, replacements_find, r->replacements);
	}
	ref_store_set_warn(r->refs, r->warn, r->warn_data);
	refs_finish_interrupted(r->refs, &s->fsync);
	return 0;
}

/* Places of the stores from the environment; all NULL for other repositories. */
struct store_env {
	const char *objdir, *alternates, *index;
	bool umask_only; /* only code that publishes files applies core.sharedRepository */
};

/* Takes ownership of the contents of `p`. */
static int open_place(struct repository **out, struct repo_place *p,
		      const struct store_env *env, const struct repo_open_options *o,
		      struct err *err)
{
	struct repository *r = xcalloc(1, sizeof(*r));
	int rc = 0;

	r->gitdir = p->gitdir;
	r->commondir = p->commondir;
	r->worktree = p->worktree;
	r->prefix = p->prefix;
	r->bare = p->bare;
	r->warn = o->warn;
	r->report_error = o->report_error;
	r->note = o->note;
	r->warn_data = o->warn_data;
	r->cwd_outside = p->cwd_outside;
	p->gitdir = p->commondir = p->worktree = p->prefix = NULL;
	r->algo = hash_algo_by_id(p->format.hash);
	r->settings.worktree_config = p->format.worktree_config;
	r->refs_gitdir = ref_storage_dir(p->format.refs_dir, r->gitdir, r->commondir, true);
	r->refs_commondir = ref_storage_dir(p->format.refs_dir, r->gitdir, r->commondir, false);
	r->refs_are_outside = p->format.refs_dir != NULL;
	r->objdir = env->objdir ? xstrdup(env->objdir) : path_join(r->commondir, "objects");
	r->index_path = env->index ? xstrdup(env->index) : path_join(r->gitdir, "index");
	r->gitdir_abs = path_real(r->gitdir, 0);
	if (!r->gitdir_abs)
		rc = err_set_errno(err, "cannot use '%s'", r->gitdir);

	if (!rc)
		rc = read_config(&r->config, r->gitdir, r->commondir,
				 r->settings.worktree_config, err);
	if (!rc)
		rc = repository_read_settings(r, &p->format, o, err);
	if (env->umask_only)
		r->settings.shared_perm = 0;
	if (!rc)
		rc = open_odb(r, env->alternates, o, err);
	if (!rc)
		rc = open_refs(r, p->format.refs, env->objdir, o->lenient, err);
	repo_place_release(p);
	if (rc < 0)
		repo_free(r);
	else
		*out = r;
	return rc;
}

int repo_open(struct repository **out, const struct repo_open_options *o, struct err *err)
{
	static const struct repo_open_options none = { false };
	struct repo_place place = { .format = REPO_FORMAT_INIT };
	struct store_env env = {
		.objdir = getenv("GIT_OBJECT_DIRECTORY"),
		.alternates = getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
		.index = getenv("GIT_INDEX_FILE"),
	};
	int rc = setup_find_repository(&place, err);

	return rc ? rc : open_place(out, &place, &env, o ? o : &none, err);
}

static int open_at(struct repository **out, const char *gitdir, const char *worktree,
		   const struct store_env *env, struct err *err)
{
	static const struct repo_open_options none = { false };
	struct repo_place place = { .format = REPO_FORMAT_INIT };
	int rc;

	if (!is_git_directory(gitdir))
		return err_set(err, ERR_NOT_FOUND, "not a git repository: '%s'", gitdir);
	rc = setup_commondir(&place.commondir, gitdir, false, err);
	if (!rc)
		rc = repo_format_read(&place.format, gitdir, place.commondir, err);
	if (rc < 0) {
		repo_place_release(&place);
		return rc;
	}
	place.gitdir = xstrdup(gitdir);
	place.worktree = worktree ? xstrdup(worktree) : NULL;
	place.bare = !worktree;
	return open_place(out, &place, env, &none, err);
}

int repo_open_at(struct repository **out, const char *gitdir, const char *worktree,
		 struct err *err)
{
	static const struct store_env no_env = { 0 };

	return open_at(out, gitdir, worktree, &no_env, err);
}

int repo_open_with_objects(struct repository **out, const char *gitdir, const char *objdir,
			   const char *alternates, struct err *err)
{
	const struct store_env env = { .objdir = objdir, .alternates = alternates, .umask_only = true };

	return open_at(out, gitdir, NULL, &env, err);
}

int repo_read_early_config(struct config_set **out, char **top, char **prefix, struct err *err)
{
	static const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct repo_place p = { .format = REPO_FORMAT_INIT };
	struct err local = ERR_INIT;
	struct config_set *c = NULL;
	int rc = setup_find_repository(&p, &local);

	if (!rc) {
		rc = read_config(&c, p.gitdir, p.commondir, p.format.worktree_config, err);
		if (!rc) {
			*top = p.worktree;
			*prefix = p.prefix;
			p.worktree = p.prefix = NULL;
		}
	} else if (rc == ERR_NOT_FOUND || rc == ERR_ABORTED || rc == ERR_UNSUPPORTED) {
		c = config_set_new();
		rc = config_set_read_all(c, NULL, NULL, false, &nowhere, err);
	} else {
		err_move(err, &local);
	}
	if (!rc)
		*out = c;
	else
		config_set_free(c);
	err_release(&local);
	repo_place_release(&p);
	return rc;
}

void repo_warn(const struct repository *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(r->warn, r->warn_data, fmt, ap);
	va_end(ap);
}

void repo_note(struct repository *r, const char *key, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!r->note)
		return;
	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	if (strset_add(&r->noted, text))
		r->note(r, key, text);
	free(text);
}

/* Where a message ends; it may name a path with a newline. NULL: there is none. */
static char *end_of_message(char *text)
{
	char *nl = strchr(text, '\n');

	while (nl && nl[1] && !starts_with(nl + 1, "error: ") && !starts_with(nl + 1, "warning: "))
		nl = strchr(nl + 1, '\n');
	return nl;
}

void repo_report_lines(const struct repository *r, char *text)
{
	for (char *end; (end = end_of_message(text)); text = end + 1) {
		const char *msg;

		*end = '\0';
		if (skip_prefix(text, "error: ", &msg) && r->report_error)
			r->report_error(r->warn_data, msg);
		else if (skip_prefix(text, "warning: ", &msg))
			repo_warn(r, "%s", msg);
	}
}

void repo_ignore_replacements(struct repository *r)
{
	odb_set_replace(r->odb, NULL, NULL);
	replacements_free(r->replacements);
	r->replacements = NULL;
}

void repo_preload_replacements(struct repository *r)
{
	if (r->replacements)
		replacements_preload(r->replacements, r->refs);
}

bool repo_has_replacements(const struct repository *r)
{
	return r->replacements && replacements_any(r->replacements);
}

bool repo_ref_replaces(const struct repository *r, const char *refname, struct object_id *oid)
{
	return replacements_ref(r->replacements, refname, oid);
}

void repo_free(struct repository *r)
{
	if (!r)
		return;
	if (r->operation)
		BUG("the repository is closed while an operation is open");
	ref_store_free(r->refs);
	odb_free(r->odb);
	replacements_free(r->replacements);
	remotes_free(r->remotes);
	config_set_free(r->config);
	repo_settings_release(&r->settings);
	strset_clear(&r->noted);
	free(r->gitdir);
	free(r->gitdir_abs);
	free(r->commondir);
	free(r->objdir);
	free(r->refs_gitdir);
	free(r->refs_commondir);
	free(r->worktree);
	free(r->from_cwd);
	free(r->prefix);
	free(r->original_cwd);
	free(r->index_path);
	free(r);
}

void repo_set_original_cwd(struct repository *r, const char *cwd)
{
	const char *below;

	FREE_AND_NULL(r->original_cwd);
	if (cwd && r->worktree && skip_prefix(cwd, r->worktree, &below) && *below == '/' && below[1])
		r->original_cwd = xstrdup(below + 1);
}

int repo_enter_worktree(struct repository *r, struct err *err)
{
	if (!r->worktree)
		return err_set(err, ERR_INVALID, "this operation must be run in a work tree");
	if (r->cwd_outside) {
		if (chdir(r->worktree) < 0)
			return err_set(err, ERR_INVALID,
				       "this operation must be run in a work tree");
		r->cwd_outside = false;
	}
	return 0;
}

/* ---- the layout ---- */

/* Shared by all work trees of the repository? gitrepository-layout(5). */
static bool path_is_common(const char *path)
{
	static const char *const own[] = {
		"info/sparse-checkout", "logs/HEAD", "logs/refs/bisect", "logs/refs/rewritten",
		"logs/refs/worktree", "refs/bisect", "refs/rewritten", "refs/worktree",
	};
	static const char *const common[] = {
		"branches", "common", "config", "gc.pid", "hooks", "info", "logs",
		"lost-found", "objects", "packed-refs", "refs", "remotes", "rr-cache",
		"shallow", "svn", "worktrees",
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (path_inside(path, own[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (path_inside(path, common[i]))
			return true;
	return false;
}

/*
 * core.hooksPath, "~" expanded; NULL: the usual place. If it cannot be expanded (no HOME, no such user) it is a place
 * that cannot exist, so that neither the hooks of the repository run in its stead, nor files below a directory "~".
 */
static char *configured_hooks_dir(const struct repository *r)
{
	const char *given = "";
	char *dir = NULL;

	if (config_get_path(r->config, "core.hookspath", &dir, NULL) >= 0)
		return dir;
	config_get_string(r->config, "core.hookspath", &given, NULL);
	return path_join(REPO_NO_HOOKS_DIR, given);
}

static char *below(const char *dir, const char *path)
{
	return strcmp(dir, ".") ? path_join(dir, path) : xstrdup(path);
}

char *repo_path(const struct repository *r, const char *fmt, ...)
{
	char *path, *full, *hooks;
	const char *rest;
	va_list ap;

	va_start(ap, fmt);
	path = xvstrfmt(fmt, ap);
	va_end(ap);

	rest = path_inside(path, "hooks");
	hooks = rest ? configured_hooks_dir(r) : NULL;
	if (hooks)
		full = *rest ? path_join(hooks, rest) : xstrdup(hooks);
	else if (!strcmp(path, "index"))
		full = xstrdup(r->index_path);
	else if ((rest = path_inside(path, "objects")))
		full = *rest ? below(r->objdir, rest) : xstrdup(r->objdir);
	else
		full = below(path_is_common(path) ? r->commondir : r->gitdir, path);
	free(hooks);
	free(path);
	return full;
}

static int find_gitdir_in(char **out, const char *dot_git, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	*out = read_gitfile(dot_git, &why);
	if (!*out && is_git_directory(dot_git))
		*out = xstrdup(dot_git);
	else if (!*out && is_directory(dot_git))
		rc = err_set(err, ERR_CORRUPT, "'%s' not recognized as a git repository", dot_git);
	else if (!*out && why.code != ERR_NOT_FOUND)
		rc = err_set(err, ERR_CORRUPT, "%s", err_message(&why));
	err_release(&why);
	return rc;
}

int gitlink_find_gitdir(char **out, const char *dir, struct err *err)
{
	char *dot_git = path_join(dir, ".git");
	struct stat st;
	int rc = 0;

	*out = NULL;
	if (!lstat(dir, &st) && S_ISDIR(st.st_mode))
		rc = find_gitdir_in(out, dot_git, err);
	if (!rc && *out)
		rc = setup_check_ownership(dot_git, dir, *out, err);
	if (rc < 0)
		FREE_AND_NULL(*out);
	free(dot_git);
	return rc;
}

int gitlink_resolve_head(const char *dir, const struct hash_algo *algo, struct object_id *out,
			 struct err *err)
{
	char *dot_git = path_join(dir, ".git"), *gitdir = NULL;
	struct ref_store_options opts = { .algo = algo };
	struct repo_format format = REPO_FORMAT_INIT;
	struct ref_store *refs = NULL;
	char *common = NULL, *own = NULL, *shared = NULL;
	int rc = find_gitdir_in(&gitdir, dot_git, NULL);

	rc = !rc && gitdir ? setup_commondir(&common, gitdir, false, err)
		    : err_set(err, ERR_NOT_FOUND, "not a git repository: '%s'", dir);
	if (!rc)
		rc = repo_format_read(&format, gitdir, common, err);
	if (!rc) {
		opts.gitdir = own = ref_storage_dir(format.refs_dir, gitdir, common, true);
		opts.commondir = shared = ref_storage_dir(format.refs_dir, gitdir, common, false);
	}
	opts.backend = format.refs ? format.refs : ref_storage_default();
	if (!rc)
		rc = ref_store_open(&refs, &opts, err);
	if (!rc)
		rc = ref_resolve(refs, "HEAD", out, NULL, NULL, err);
	ref_store_free(refs);
	repo_format_release(&format);
	free(shared);
	free(own);
	free(common);
	free(gitdir);
	free(dot_git);
	return rc;
}
