/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of a stack that killed processes left: tables that no list names, locks without an owner. */
#include "compat/posix.h"
#include "refs/reftable/change-internal.h"
#include "util/alloc.h"
#include <dirent.h>

#define LOCK_SUFFIX ".lock"

/* "0x000000000001-0x000000000002-0123abcd.ref", as new_table_name and Git give it. */
static bool is_name_of_table(const char *name)
{
	return starts_with(name, "0x") && strspn(name, "0123456789abcdefx-") + strlen(".ref") == strlen(name) &&
	       ends_with(name, ".ref");
}

/* ours: the table that this process writes, or NULL. */
static bool is_lock_of_another(const char *name, const char *ours)
{
	char *table;
	bool yes;

	if (!ends_with(name, LOCK_SUFFIX))
		return false;
	table = xmemdupz(name, strlen(name) - strlen(LOCK_SUFFIX));
	yes = is_name_of_table(table) && (!ours || strcmp(table, ours));
	free(table);
	return yes;
}

static bool is_listed(const struct reftable_stack *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->tables[i]->name, name))
			return true;
	return false;
}

/* `fn` for each file that is not listed, until it returns true. */
static bool any_stray(const struct reftable_stack *s, const char *ours,
		      bool (*fn)(void *data, const char *path, bool is_table), void *data)
{
	DIR *d = opendir(s->dir);
	struct dirent *de;
	bool found = false;

	while (d && !found && (de = readdir(d))) {
		bool is_table = is_name_of_table(de->d_name);
		char *path;

		if (is_table ? is_listed(s, de->d_name) : !is_lock_of_another(de->d_name, ours))
			continue;
		path = xstrfmt("%s/%s", s->dir, de->d_name);
		found = fn(data, path, is_table);
		free(path);
	}
	if (d)
		closedir(d);
	return found;
}

static bool sweep_stray(void *data, const char *path, bool is_table)
{
	if (is_table)
		fsync_batch_remove_after_seal(data, path);
	else
		(void)lockfile_remove_stale(path);
	return false;
}

void change_sweep(const struct reftable_change *c, const char *ours, struct fsync_batch *b)
{
	(void)any_stray(c->stack, ours, sweep_stray, b);
}

static bool is_sweepable(void *data UNUSED, const char *path, bool is_table)
{
	return is_table || lock_owner_of(path, NULL) == LOCK_OWNER_GONE;
}

bool reftable_has_strays(const struct reftable_stack *s)
{
	return any_stray(s, NULL, is_sweepable, NULL);
}
