/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the repository each ref has its files, and what other worktrees there are. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "util/alloc.h"
#include <dirent.h>

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
		strbuf_addstr(out, files_store(rs)->commondir);
		if (id && refname_is_per_worktree(*bare)) {
			strbuf_addstr(out, "/worktrees/");
			strbuf_add(out, id, id_len);
		}
	} else if (refname_is_per_worktree(name)) {
		strbuf_addstr(out, files_store(rs)->gitdir);
	} else {
		strbuf_addstr(out, files_store(rs)->commondir);
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

	if (stat(dir, &theirs) < 0 || !S_ISDIR(theirs.st_mode) || stat(files_store(rs)->gitdir, &ours) < 0 ||
	    (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino))
		return 0;
	return fn(data, dir, prefix, err);
}

int ref_other_worktrees(const struct ref_store *rs, worktree_fn fn, void *data, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(files_store(rs)->commondir, &ids, err);

	if (!rc)
		rc = visit_worktree(rs, files_store(rs)->commondir, "main-worktree/", fn, data, err);
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", files_store(rs)->commondir, ids.items[i].string);
		char *prefix = xstrfmt("worktrees/%s/", ids.items[i].string);

		rc = visit_worktree(rs, dir, prefix, fn, data, err);
		free(prefix);
		free(dir);
	}
	string_list_clear(&ids, NULL);
	return rc;
}
