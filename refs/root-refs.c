/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "refs/root-refs.h"
#include "util/strbuf.h"

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
