/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a ref store, and where in the repository each ref has its files. */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"
#include <dirent.h>

int ref_store_open(struct ref_store **out, const struct ref_store_options *o, struct err *err)
{
	struct ref_store *rs;

	if (!o->algo)
		return err_set(err, ERR_INVALID, "ref store without a hash algorithm");
	CALLOC_ARRAY(rs, 1);
	rs->gitdir = xstrdup(o->gitdir);
	rs->commondir = xstrdup(o->commondir ? o->commondir : o->gitdir);
	rs->algo = o->algo;
	rs->objects = o->objects;
	rs->objects_elsewhere = o->objects_elsewhere;
	rs->shared_perm = o->shared_perm;
	rs->reflogs = o->reflogs;
	if (rs->reflogs == REFLOG_UNSET)
		rs->reflogs = o->bare ? REFLOG_NONE : REFLOG_NORMAL;
	rs->lock_timeout_ms = o->lock_timeout_ms;
	rs->packed_lock_timeout_ms = o->packed_lock_timeout_ms;
	*out = rs;
	return 0;
}

void ref_store_free(struct ref_store *rs)
{
	if (!rs)
		return;
	packed_refs_put(rs->packed);
	free(rs->gitdir);
	free(rs->commondir);
	free(rs);
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
	vtell(rs->warn, rs->warn_data, fmt, ap);
	va_end(ap);
}

/*
 * The directory that a name belongs to: the worktree's own, the shared one, or
 * that of another worktree. *bare is the name within it.
 */
static void add_ref_dir(const struct ref_store *rs, const char *name,
			struct strbuf *out, const char **bare)
{
	const char *id;
	size_t id_len;

	*bare = name;
	if (refname_worktree_prefix(name, &id, &id_len, bare)) {
		strbuf_addstr(out, rs->commondir);
		if (id && refname_is_per_worktree(*bare)) {
			strbuf_addstr(out, "/worktrees/");
			strbuf_add(out, id, id_len);
		}
	} else if (refname_is_per_worktree(name)) {
		strbuf_addstr(out, rs->gitdir);
	} else {
		strbuf_addstr(out, rs->commondir);
	}
}

void ref_path(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	const char *bare;

	add_ref_dir(rs, name, out, &bare);
	strbuf_addch(out, '/');
	strbuf_addstr(out, bare);
}

void reflog_path(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	const char *bare;

	add_ref_dir(rs, name, out, &bare);
	strbuf_addstr(out, "/logs/");
	strbuf_addstr(out, bare);
}

bool ref_may_be_packed(const struct ref_store *rs UNUSED, const char *name)
{
	return starts_with(name, "refs/") && !refname_in_private_dir(name);
}

static int visit_worktree(const struct ref_store *rs, const char *dir, const char *prefix,
			  worktree_fn fn, void *data, struct err *err)
{
	struct stat ours, theirs;

	if (stat(dir, &theirs) < 0 || !S_ISDIR(theirs.st_mode) || stat(rs->gitdir, &ours) < 0 ||
	    (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino))
		return 0;
	return fn(data, dir, prefix, err);
}

int worktree_ids(const char *commondir, struct string_list *out, struct err *err)
{
	char *path = xstrfmt("%s/worktrees", commondir);
	DIR *d = opendir(path);
	struct dirent *de;
	int rc = 0;

	if (!d && errno != ENOENT)
		rc = err_set_errno(err, "cannot open directory '%s'", path);
	while (d && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			string_list_append(out, de->d_name);
	if (d)
		closedir(d);
	string_list_sort(out);
	free(path);
	return rc;
}

int ref_other_worktrees(const struct ref_store *rs, worktree_fn fn, void *data, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(rs->commondir, &ids, err);

	if (!rc)
		rc = visit_worktree(rs, rs->commondir, "main-worktree/", fn, data, err);
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", rs->commondir, ids.items[i].string);
		char *prefix = xstrfmt("worktrees/%s/", ids.items[i].string);

		rc = visit_worktree(rs, dir, prefix, fn, data, err);
		free(prefix);
		free(dir);
	}
	string_list_clear(&ids, NULL);
	return rc;
}
