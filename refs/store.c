/* SPDX-License-Identifier: GPL-2.0-only */
/* A store, wherever its refs live: what it was opened with, and the way to its backend. */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "util/alloc.h"
#include <dirent.h>

int ref_store_open(struct ref_store **out, const struct ref_store_options *o, struct err *err)
{
	struct ref_store *rs;
	int rc;

	if (!o->algo)
		return err_set(err, ERR_INVALID, "ref store without a hash algorithm");
	rs = xcalloc(1, o->backend->store_size);
	rs->backend = o->backend;
	rs->algo = o->algo;
	rs->objects = o->objects;
	rs->reflogs = o->reflogs;
	if (rs->reflogs == REFLOG_UNSET)
		rs->reflogs = o->bare ? REFLOG_NONE : REFLOG_NORMAL;
	rc = rs->backend->open(rs, o, err);
	if (rc < 0)
		ref_store_free(rs);
	else
		*out = rs;
	return rc;
}

void ref_store_free(struct ref_store *rs)
{
	if (!rs)
		return;
	rs->backend->close(rs);
	free(rs);
}

const struct ref_path *refs_paths(const struct ref_store *rs)
{
	return rs->backend->paths;
}

const struct ref_layout *refs_layout(const struct ref_backend *backend)
{
	return backend->layout;
}

const struct ref_backend *refs_backend(const struct ref_store *rs)
{
	return rs->backend;
}

const char *ref_backend_name(const struct ref_backend *backend)
{
	return backend->name;
}

const struct ref_table_format *refs_table_format(const struct ref_backend *backend)
{
	return backend->table;
}

void ref_store_set_warn(struct ref_store *rs, void (*warn)(void *data, const char *msg),
			void *data)
{
	rs->warn = warn;
	rs->warn_data = data;
}

void ref_store_set_hook(struct ref_store *rs, const struct ref_hook *hook)
{
	rs->hook = *hook;
}

void ref_store_warn(const struct ref_store *rs, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(rs->warn, rs->warn_data, fmt, ap);
	va_end(ap);
}

void refs_finish_interrupted(struct ref_store *rs, const struct fsync_policy *policy)
{
	struct err ignored = ERR_INIT;

	if (rs->backend->recover && rs->backend->recover(rs, policy, &ignored) < 0)
		err_release(&ignored);
}

int refs_pack(struct ref_store *rs, const struct refs_pack_options *o,
	      struct fsync_batch *b, struct err *err)
{
	bool due = true;
	int rc = o->if_many ? refs_pack_is_due(rs, &due, err) : 0;

	/* As ref_transaction_prepare(). */
	if (!rc && due && getenv("GIT_QUARANTINE_PATH"))
		return err_set(err, ERR_INVALID, "unable to write new packed-refs: ref updates forbidden inside quarantine environment");
	if (rc < 0)
		return rc;
	return rs->backend->pack ? rs->backend->pack(rs, o, b, err) : 0;
}

int refs_pack_is_due(struct ref_store *rs, bool *due, struct err *err)
{
	if (rs->backend->pack_is_due)
		return rs->backend->pack_is_due(rs, due, err);
	*due = false;
	return 0;
}

int refs_verify(struct ref_store *rs, const struct ref_verify_options *o, size_t *errors,
		struct err *err)
{
	if (rs->backend->verify)
		return rs->backend->verify(rs, o, errors, err);
	*errors = 0;
	return 0;
}

bool refs_root_refs_are_files(const struct ref_store *rs)
{
	return rs->backend->root_refs_are_files;
}

int refs_root_names(struct ref_store *rs, const char *worktree, struct string_list *out, struct err *err)
{
	int rc = rs->backend->root_names(rs, worktree, out, err);

	string_list_sort(out);
	return rc;
}

int worktree_ids(const char *commondir, struct string_list *out, struct err *err)
{
	char *path = xstrfmt("%s/worktrees", commondir);
	DIR *d = opendir(path);
	struct dirent *de;
	int rc = 0;

	if (!d && errno != ENOENT)
		rc = err_set_errno(err, "cannot open directory '%s'", path);
	while (d && (errno = 0, de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			string_list_append(out, de->d_name);
	if (d && errno)
		rc = err_set_errno(err, "cannot read directory '%s'", path);
	if (d)
		closedir(d);
	string_list_sort(out);
	free(path);
	return rc;
}

/* ---- reflogs ---- */

bool reflog_is_wanted(const struct ref_store *rs, const char *name)
{
	const char *id, *bare;
	size_t id_len;

	switch (rs->reflogs) {
	case REFLOG_ALWAYS:
		return true;
	case REFLOG_NORMAL:
		if (refname_worktree_prefix(name, &id, &id_len, &bare))
			name = bare;
		return starts_with(name, "refs/heads/") || starts_with(name, "refs/remotes/") ||
		       starts_with(name, "refs/notes/") || !strcmp(name, "HEAD");
	default:
		return false;
	}
}

bool reflog_exists(struct ref_store *rs, const char *name)
{
	return rs->backend->reflog_exists(rs, name);
}

int reflog_foreach(struct ref_store *rs, const char *name, bool newest_first,
		   reflog_fn fn, void *data, struct err *err)
{
	return rs->backend->reflog_foreach(rs, name, newest_first, fn, data, err);
}

int reflogs_foreach(struct ref_store *rs, int (*fn)(void *data, const char *name),
		    void *data, struct err *err)
{
	return rs->backend->reflogs_foreach(rs, false, fn, data, err);
}

int reflogs_foreach_everywhere(struct ref_store *rs, int (*fn)(void *data, const char *name),
			       void *data, struct err *err)
{
	return rs->backend->reflogs_foreach(rs, true, fn, data, err);
}

int reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags,
		   reflog_keep_fn keep, void *data, struct fsync_batch *b, struct err *err)
{
	if (!rs->backend->reflog_rewrite)
		return err_set(err, ERR_INVALID, "reflogs of %s refs cannot be rewritten",
			       rs->backend->name);
	return rs->backend->reflog_rewrite(rs, name, flags, keep, data, b, err);
}

int reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b,
		  struct err *err)
{
	if (!rs->backend->reflog_remove)
		return err_set(err, ERR_INVALID, "reflogs of %s refs cannot be removed",
			       rs->backend->name);
	return rs->backend->reflog_remove(rs, name, b, err);
}

int reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e, struct fsync_batch *b,
		  struct err *err)
{
	struct reflog_entry clean = *e;
	char *msg;
	int rc;

	if (!rs->backend->reflog_append)
		return err_set(err, ERR_INVALID, "reflogs of %s refs cannot be written", rs->backend->name);
	clean.msg = msg = reflog_clean_message(e->msg);
	rc = rs->backend->reflog_append(rs, name, &clean, b, err);
	free(msg);
	return rc;
}
