/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/cli.h"
#include "cli/submodule-conflicts.h"

#define ABBREV 7

/* *merged_by_hand: its commits are there, so that a user can merge them. */
static bool is_submodule_conflict(enum merge_message_type type, bool *merged_by_hand)
{
	*merged_by_hand = type == MERGE_CONFLICT_SUBMODULE_FAILED || type == MERGE_CONFLICT_SUBMODULE_POSSIBLE ||
			  type == MERGE_CONFLICT_SUBMODULE_REWINDS || type == MERGE_CONFLICT_SUBMODULE_NO_BASE;
	return *merged_by_hand || type == MERGE_CONFLICT_SUBMODULE_NOT_INITIALIZED || type == MERGE_CONFLICT_SUBMODULE_NO_HISTORY;
}

static const char *commit_of_theirs(const struct merge_result *result, const char *path)
{
	ssize_t at = index_pos(&result->stages, path, strlen(path), MERGE_THEIRS + 1);

	return at < 0 ? "" : oid_hex(&result->stages.entries[at]->oid);
}

void advise_on_submodule_conflicts(struct repository *r, const struct merge_result *result)
{
	struct strbuf steps = STRBUF_INIT, paths = STRBUF_INIT;

	for (size_t i = result->nr_messages; i-- > 0;) {
		const char *path = result->messages[i].paths.v[0];
		bool by_hand;

		if (!is_submodule_conflict(result->messages[i].type, &by_hand))
			continue;
		strbuf_addf(&paths, " %s", path);
		if (by_hand)
			strbuf_addf(&steps, " - go to submodule (%s), and either merge commit %.*s\n"
				    "   or update to an existing commit which has merged those changes\n", path, ABBREV,
				    commit_of_theirs(result, path));
	}
	if (paths.len)
		advise_if_enabled(r, "submoduleMergeConflict",
				  "Recursive merging with submodules currently only supports trivial cases.\n"
				  "Please manually handle the merging of each conflicted submodule.\n"
				  "This can be accomplished with the following steps:\n"
				  "%s - come back to superproject and run:\n\n"
				  "      git add%s\n\n"
				  "   to record the above merge or update\n"
				  " - resolve any other conflicts in the superproject\n"
				  " - commit the resulting index in the superproject\n", steps.buf, paths.buf);
	strbuf_release(&steps);
	strbuf_release(&paths);
}
