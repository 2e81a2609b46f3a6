/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry of a new worktree: worktrees/ID, the ".git" file, and the directories that they are in. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/linked/linked.h"
#include "write-or-die.h"

#define LINKED_IDS_MAX 10000

/* ---- the directories ---- */

/* The last part of the path, as far as the name of a ref may have it: worktrees/ID/HEAD is one. */
static char *base_of_id(const char *path)
{
	struct strbuf id = STRBUF_INIT;

	strbuf_addstr(&id, path_basename(path));
	ref_name_make_component(&id);
	return strbuf_detach(&id, NULL);
}

static int make_gitdir(struct linked_entry *n, struct err *err)
{
	char *top = path_join(n->r->commondir, "worktrees"), *base = base_of_id(n->place->path), *dir = path_join(top, base), *real;
	int rc = make_dir(top, n->r->settings.shared_perm, err);
	unsigned nr = 0;

	while (!rc && RETRY_EINTR(sys->mkdir(dir, 0777)) < 0) {
		if (errno != EEXIST || nr == LINKED_IDS_MAX) {
			rc = err_set_errno(err, "could not create directory of '%s'", dir);
		} else {
			free(dir);
			dir = xstrfmt("%s/%s%u", top, base, ++nr);
		}
	}
	if (!rc) {
		real = path_real(dir, 0);
		n->gitdir = real ? real : path_absolute(dir);
		n->gitdir_watch = tempfile_register_tree(n->gitdir, false, 1);
		fsync_batch_note_dir(n->batch, FSYNC_OTHER, top);
		rc = apply_shared_perm(n->gitdir, n->r->settings.shared_perm, err);
	}
	free(dir);
	free(base);
	free(top);
	return rc;
}

static int make_worktree_dir(struct linked_entry *n, struct err *err)
{
	const bool there = is_directory(n->place->path);
	struct strbuf above = STRBUF_INIT;
	unsigned nr = 0;
	int rc;

	for (path_dirname(&above, n->place->path); !file_exists(above.buf) && above.len > 1; nr++) {
		char *up = xstrdup(above.buf);

		strbuf_reset(&above);
		path_dirname(&above, up);
		free(up);
	}
	rc = make_dirs(n->place->path, SHARED_PERM_UMASK, err);
	if (!rc) {
		n->path_watch = tempfile_register_tree(n->place->path, there, there ? 0 : nr);
		n->path = path_real(n->place->path, 0);
		fsync_batch_note_dir(n->batch, FSYNC_OTHER, above.buf);
		if (!n->path)
			rc = err_set_errno(err, "cannot use '%s'", n->place->path);
	}
	strbuf_release(&above);
	return rc;
}

/* ---- what makes the directory a repository ---- */

static int stage_in_gitdir(struct linked_entry *n, const char *name, const char *text, struct err *err)
{
	char *path = path_join(n->gitdir, name);
	int rc = worktree_stage_text(n->batch, path, text, err);

	free(path);
	return rc;
}

/*
 * Until all is there, no other process may take it for a leftover. Published on its own: after a power cut the reason is there
 * if anything else is.
 */
static int write_lock(struct linked_entry *n, struct err *err)
{
	const char *reason = n->place->lock_reason ? n->place->lock_reason : "initializing";
	char *text = xstrfmt("%s%s", reason, *reason ? "\n" : "");
	int rc = stage_in_gitdir(n, "locked", text, err);

	free(text);
	return rc ? rc : fsync_batch_publish(n->batch, err);
}

/* core.bare and core.worktree are those of the main worktree. */
static int stage_config(struct linked_entry *n, struct err *err)
{
	static const struct config_edit own[] = { { .key = "core.bare", .multi = true },
						  { .key = "core.worktree", .multi = true } };
	char *path = path_join(n->r->gitdir, "config.worktree");
	struct strbuf text = STRBUF_INIT;
	int rc = n->r->settings.worktree_config && file_exists(path) ? read_file(&text, path, 0, err) : 0;

	for (size_t i = 0; !rc && text.len && i < ARRAY_SIZE(own); i++) {
		struct err why = ERR_INIT;

		rc = config_text_edit(&text, &own[i], path, &why);
		if (rc == ERR_NOT_FOUND)
			rc = 0;
		else
			err_move(err, &why);
		err_release(&why);
	}
	if (!rc && text.len)
		rc = stage_in_gitdir(n, "config.worktree", text.buf, err);
	strbuf_release(&text);
	free(path);
	return rc;
}

/* The patterns of a sparse checkout, where this worktree has one. */
static int stage_patterns(struct linked_entry *n, struct err *err)
{
	char *path = path_join(n->r->gitdir, "info/sparse-checkout"), *info = path_join(n->gitdir, "info");
	struct strbuf text = STRBUF_INIT;
	bool sparse = false;
	int rc = config_get_bool(n->r->config, "core.sparsecheckout", &sparse, err);

	rc = rc < 0 ? rc : sparse && file_exists(path) ? read_file(&text, path, 0, err) : 0;
	if (!rc && sparse && text.len)
		rc = make_dir(info, n->r->settings.shared_perm, err);
	if (!rc && sparse && text.len)
		rc = stage_in_gitdir(n, "info/sparse-checkout", text.buf, err);
	strbuf_release(&text);
	free(info);
	free(path);
	return rc;
}

static int make_ref_dirs(struct linked_entry *n, const struct ref_layout *layout, struct err *err)
{
	char *refs = path_join(n->gitdir, "refs");
	int rc = make_dir(refs, n->r->settings.shared_perm, err);

	free(refs);
	for (size_t i = 0; !rc && layout->head_stub && layout->dirs[i]; i++) {
		char *dir = path_join(n->gitdir, layout->dirs[i]);

		rc = make_dir(dir, n->r->settings.shared_perm, err);
		free(dir);
	}
	return rc;
}

/* A HEAD that points nowhere yet: the operation gives it its value. */
static int make_repository(struct linked_entry *n, struct err *err)
{
	const struct ref_layout *layout = refs_layout(refs_backend(n->r->refs));
	const struct worktree_links links = { n->gitdir, n->path, n->place->relative };
	int rc = stage_in_gitdir(n, "commondir", "../..\n", err);

	if (!rc)
		rc = make_ref_dirs(n, layout, err);
	if (!rc && layout->file)
		rc = stage_in_gitdir(n, layout->file, layout->file_text, err);
	if (!rc)
		rc = stage_in_gitdir(n, "HEAD", REF_HEAD_STUB, err);
	if (!rc)
		rc = stage_config(n, err);
	if (!rc)
		rc = stage_patterns(n, err);
	if (!rc && n->place->relative)
		rc = worktree_stage_relative_format(n->r, n->batch, err);
	if (!rc)
		rc = worktree_stage_links(n->batch, &links, err);
	return rc ? rc : fsync_batch_publish(n->batch, err);
}

/* ---- the whole ---- */

static int open_new(struct linked_entry *n, struct err *err)
{
	int rc = chdir(n->path) < 0 ? err_set_errno(err, "could not chdir to '%s'", n->path) : 0;

	if (!rc)
		rc = repo_open_at(&n->wt, n->gitdir, n->path, err);
	if (rc < 0)
		return rc;
	n->wt->warn = n->r->warn;
	n->wt->report_error = n->r->report_error;
	n->wt->note = n->r->note;
	n->wt->warn_data = n->r->warn_data;
	n->op = repo_operation_begin_with(n->wt, n->batch);
	n->batch = NULL;
	return 0;
}

/* The lock goes last of all, or stays, and is made durable then. */
static int end_lock(struct linked_entry *n, struct err *err)
{
	char *path = path_join(n->gitdir, "locked");
	int rc = n->place->lock_reason ? repo_operation_add_written_file(n->op, path, err)
				   : repo_operation_remove_file(n->op, path, err);

	free(path);
	return rc;
}

int linked_entry_make(struct linked_entry *n, struct repository *r, const struct linked_place *place, struct err *err)
{
	const struct fsync_batch_options batch = { .policy = r->settings.fsync };
	int rc;

	*n = (struct linked_entry){ .r = r, .place = place, .batch = fsync_batch_new(&batch) };
	rc = make_gitdir(n, err);
	if (!rc)
		rc = write_lock(n, err);
	if (!rc)
		rc = make_worktree_dir(n, err);
	if (!rc)
		rc = make_repository(n, err);
	if (!rc)
		rc = open_new(n, err);
	return rc ? rc : end_lock(n, err);
}

int linked_entry_end(struct linked_entry *n, int rc, struct err *err)
{
	if (n->op)
		rc = repo_operation_end(n->op, rc, err);
	fsync_batch_free(n->batch);
	if (rc < 0) {
		tempfile_delete(&n->path_watch);
		tempfile_delete(&n->gitdir_watch);
		repo_free(n->wt);
		n->wt = NULL;
	} else {
		tempfile_forget(&n->path_watch);
		tempfile_forget(&n->gitdir_watch);
	}
	free(n->gitdir);
	free(n->path);
	return rc;
}
