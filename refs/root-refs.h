/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of refs that stand outside of refs/: gitglossary(7), "root refs" and "pseudorefs". This is
 * the one table of them. The files of operations in progress that are no refs are in repo/state.h.
 */
#ifndef REFS_ROOT_REFS_H
#define REFS_ROOT_REFS_H

#include "compat/posix.h"
#include "util/string-list.h"

/* Root refs end with "_HEAD", apart from HEAD itself and the irregular ones. */
#define REFNAME_ORIG_HEAD "ORIG_HEAD"
#define REFNAME_CHERRY_PICK_HEAD "CHERRY_PICK_HEAD"
#define REFNAME_REVERT_HEAD "REVERT_HEAD"
#define REFNAME_REBASE_HEAD "REBASE_HEAD"
#define REFNAME_BISECT_HEAD "BISECT_HEAD"
/* Irregular root refs. */
#define REFNAME_AUTO_MERGE "AUTO_MERGE"
#define REFNAME_BISECT_EXPECTED_REV "BISECT_EXPECTED_REV"
#define REFNAME_MERGE_AUTOSTASH "MERGE_AUTOSTASH"
#define REFNAME_NOTES_MERGE_PARTIAL "NOTES_MERGE_PARTIAL"
#define REFNAME_NOTES_MERGE_REF "NOTES_MERGE_REF"
/* Pseudorefs: they hold more than the name of an object, and are no refs. */
#define REFNAME_FETCH_HEAD "FETCH_HEAD"
#define REFNAME_MERGE_HEAD "MERGE_HEAD"

/* HEAD, or a name like the above that is a ref. */
bool refname_is_root_ref(const char *name);
/* Appends such a name behind the prefix of its worktree; other names are passed over. */
void root_names_add(struct string_list *out, const char *worktree, const char *name);
/*
 * Outside of refs/: does the name belong to a file or directory of the repository (gitrepository-layout(5))? A ref there
 * would be read as the configuration, as an index and so on.
 */
bool refname_is_of_layout(const char *name);

#endif
