/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "util/strbuf.h"

bool refname_is_root(const char *name)
{
	const char *s;

	for (s = name; *s; s++)
		if (!(*s >= 'A' && *s <= 'Z') && *s != '-' && *s != '_')
			return false;
	return s != name;
}

bool refname_is_root_ref(const char *name)
{
	static const char *const irregular[] = {
		"HEAD",
		REFNAME_AUTO_MERGE,
		REFNAME_BISECT_EXPECTED_REV,
		REFNAME_MERGE_AUTOSTASH,
		REFNAME_NOTES_MERGE_PARTIAL,
		REFNAME_NOTES_MERGE_REF,
	};

	if (!refname_is_root(name))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(irregular); i++)
		if (!strcmp(name, irregular[i]))
			return true;
	return ends_with(name, "_HEAD") && strcmp(name, REFNAME_FETCH_HEAD) != 0 &&
	       strcmp(name, REFNAME_MERGE_HEAD) != 0;
}

void root_names_add(struct string_list *out, const char *worktree, const char *name)
{
	char *full = xconcat(worktree, name);

	if (refname_is_root_ref(name))
		string_list_append(out, full);
	free(full);
}

bool refname_is_of_layout(const char *name)
{
	static const char *const taken[] = {
		"branches", "common", "commondir", "config", "description", "gc", "gitdir",
		"hooks", "index", "info", "lfs", "locked", "logs", "lost-found", "modules",
		"objects", "packed-refs", "rebase-apply", "rebase-merge", "ref-journal", "refs",
		"reftable", "remotes", "rr-cache", "sequencer", "shallow", "svn", "worktrees",
	};
	size_t len = strcspn(name, "/."); /* also gc.pid, config.worktree */

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strncasecmp(name, taken[i], len) && !taken[i][len])
			return true;
	return false;
}
