/* SPDX-License-Identifier: GPL-2.0-only */
/* What a merge tells the user. The words are Git's. */
#include "compat/posix.h"
#include "merge/trees-internal.h"
#include "util/alloc.h"

static const char *const type_names[MERGE_MESSAGE_TYPES] = {
	[MERGE_AUTO_MERGING] = "Auto-merging",
	[MERGE_CONFLICT_CONTENTS] = "CONFLICT (contents)",
	[MERGE_CONFLICT_BINARY] = "CONFLICT (binary)",
	[MERGE_CONFLICT_FILE_DIRECTORY] = "CONFLICT (file/directory)",
	[MERGE_CONFLICT_DISTINCT_MODES] = "CONFLICT (distinct modes)",
	[MERGE_CONFLICT_MODIFY_DELETE] = "CONFLICT (modify/delete)",
	[MERGE_CONFLICT_RENAME_RENAME] = "CONFLICT (rename/rename)",
	[MERGE_CONFLICT_RENAME_COLLIDES] = "CONFLICT (rename involved in collision)",
	[MERGE_CONFLICT_RENAME_DELETE] = "CONFLICT (rename/delete)",
	[MERGE_CONFLICT_DIR_RENAME_SUGGESTED] = "CONFLICT (directory rename suggested)",
	[MERGE_DIR_RENAME_APPLIED] = "Path updated due to directory rename",
	[MERGE_DIR_RENAME_SKIPPED] = "Directory rename skipped since directory was renamed on both sides",
	[MERGE_CONFLICT_DIR_RENAME_FILE_IN_WAY] = "CONFLICT (file in way of directory rename)",
	[MERGE_CONFLICT_DIR_RENAME_COLLISION] = "CONFLICT(directory rename collision)",
	[MERGE_CONFLICT_DIR_RENAME_SPLIT] = "CONFLICT(directory rename unclear split)",
	[MERGE_SUBMODULE_FAST_FORWARD] = "Fast forwarding submodule",
	[MERGE_CONFLICT_SUBMODULE_FAILED] = "CONFLICT (submodule)",
	[MERGE_CONFLICT_SUBMODULE_POSSIBLE] = "CONFLICT (submodule with possible resolution)",
	[MERGE_CONFLICT_SUBMODULE_NO_HISTORY] = "CONFLICT (submodule history not available)",
	[MERGE_CONFLICT_SUBMODULE_REWINDS] = "CONFLICT (submodule may have rewinds)",
	[MERGE_CONFLICT_SUBMODULE_NO_BASE] = "CONFLICT (submodule lacks merge base)",
	[MERGE_CONFLICT_SUBMODULE_NOT_INITIALIZED] = "CONFLICT (submodule not initialized)",
};

const char *merge_message_type_name(enum merge_message_type type)
{
	return type_names[type];
}

void merge_report(struct merge_run *run, enum merge_message_type type, const char *const *paths, const char *fmt, ...)
{
	struct merge_message *m;
	va_list ap;

	ALLOC_GROW(run->messages, run->nr_messages + 1, run->alloc_messages);
	m = &run->messages[run->nr_messages++];
	*m = (struct merge_message){ .type = type, .paths = STRVEC_INIT };
	for (; *paths; paths++)
		strvec_push(&m->paths, *paths);
	va_start(ap, fmt);
	m->text = xvstrfmt(fmt, ap);
	va_end(ap);
}

struct numbered_message {
	struct merge_message m;
	size_t nr;
};

static int message_order(const void *a, const void *b)
{
	const struct numbered_message *x = a, *y = b;
	int cmp = strcmp(x->m.paths.v[0], y->m.paths.v[0]);

	return cmp ? cmp : x->nr < y->nr ? -1 : x->nr > y->nr;
}

void merge_sort_messages(struct merge_run *run)
{
	struct numbered_message *list;

	if (!run->nr_messages)
		return;
	ALLOC_ARRAY(list, run->nr_messages);
	for (size_t i = 0; i < run->nr_messages; i++)
		list[i] = (struct numbered_message){ run->messages[i], i };
	qsort(list, run->nr_messages, sizeof(*list), message_order);
	for (size_t i = 0; i < run->nr_messages; i++)
		run->messages[i] = list[i].m;
	free(list);
}
