/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in the pack directory that belong to no complete pack. */
#include "compat/posix.h"
#include <dirent.h>
#include "pack/pack-internal.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/strbuf.h"
#include "util/string-list.h"

#define HAS_PACK 1u
#define HAS_IDX 2u

static const char *const extensions[] = {
	".pack", ".idx", ".rev", ".bitmap", ".mtimes", ".keep", ".promisor",
};

/* The length of the name without one of the extensions; 0 if it has none. */
static size_t stem_len(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++) {
		size_t len = strlen(name);

		if (strip_suffix(name, extensions[i], &len))
			return len;
	}
	return 0;
}

static bool is_expected(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") ||
	       starts_with(name, "multi-pack-index");
}

static const char *what_is_missing(unsigned has)
{
	if (!has)
		return "no corresponding .idx or .pack";
	if (!(has & HAS_IDX))
		return "no corresponding .idx";
	if (!(has & HAS_PACK))
		return "no corresponding .pack";
	return NULL;
}

static unsigned has_of(const struct string_list_item *names, size_t nr)
{
	unsigned has = 0;

	for (size_t i = 0; i < nr; i++) {
		if (ends_with(names[i].string, ".pack"))
			has |= HAS_PACK;
		if (ends_with(names[i].string, ".idx"))
			has |= HAS_IDX;
	}
	return has;
}

static void read_dir_names(const char *path, struct string_list *groups, struct string_list *rest)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return;
	while ((de = readdir(dir))) {
		if (is_expected(de->d_name))
			continue;
		string_list_append(stem_len(de->d_name) ? groups : rest, de->d_name);
	}
	closedir(dir);
	string_list_sort(groups);
	string_list_sort(rest);
}

/* fn: files of one stem, names[0..nr) */
static void foreach_group(const struct string_list *groups,
			  void (*fn)(void *data, const struct string_list_item *names, size_t nr),
			  void *data)
{
	for (size_t i = 0, to; i < groups->nr; i = to) {
		const char *name = groups->items[i].string;
		size_t len = stem_len(name);

		for (to = i + 1; to < groups->nr; to++) {
			const char *other = groups->items[to].string;

			if (stem_len(other) != len || memcmp(other, name, len))
				break;
		}
		fn(data, groups->items + i, to - i);
	}
}

/* ---- reporting ---- */

struct report {
	const char *dir;
	void (*fn)(void *data, const char *why, const char *path);
	void *data;
};

static void report_one(const struct report *r, const char *why, const char *name)
{
	char *path = path_join(r->dir, name);

	r->fn(r->data, why, path);
	free(path);
}

static void report_group(void *data, const struct string_list_item *names, size_t nr)
{
	const char *why = what_is_missing(has_of(names, nr));

	for (size_t i = 0; i < nr && why; i++)
		report_one(data, why, names[i].string);
}

void packs_foreach_garbage(struct packs *ps,
			   void (*fn)(void *data, const char *why, const char *path), void *data)
{
	struct string_list groups = STRING_LIST_INIT, rest = STRING_LIST_INIT;
	struct report r = { ps->dir, fn, data };

	read_dir_names(ps->dir, &groups, &rest);
	for (size_t i = 0; i < rest.nr; i++)
		report_one(&r, "garbage found", rest.items[i].string);
	foreach_group(&groups, report_group, &r);
	string_list_clear(&groups, NULL);
	string_list_clear(&rest, NULL);
}

/* ---- what a killed writer has left ---- */

/* No writer takes longer from the .pack to the .idx, nor does a user who copies both by hand. */
#define INCOMPLETE_MAX_AGE (14 * 24 * 3600)

struct removal {
	const char *dir;
	time_t now;
};

static bool is_old_file(const char *path, time_t now)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_mtime < now &&
	       now - st.st_mtime > INCOMPLETE_MAX_AGE;
}

/* If there is an .idx, the pack is complete; a .keep or .promisor file was put there on purpose. */
static bool is_of_killed_writer(const char *name)
{
	return ends_with(name, ".pack") || ends_with(name, ".rev") || ends_with(name, ".bitmap");
}

static void remove_temporary(const struct removal *r, const char *name)
{
	char *path = path_join(r->dir, name);

	if (starts_with(name, BITMAP_TMP_PREFIX) && is_old_file(path, r->now))
		(void)RETRY_EINTR(sys->unlink(path));
	free(path);
}

static void remove_group(void *data, const struct string_list_item *names, size_t nr)
{
	const struct removal *r = data;
	bool old = true;

	for (size_t i = 0; i < nr && old; i++) {
		char *path = path_join(r->dir, names[i].string);

		old = is_of_killed_writer(names[i].string) && is_old_file(path, r->now);
		free(path);
	}
	for (size_t i = 0; i < nr && old; i++) {
		char *path = path_join(r->dir, names[i].string);

		(void)RETRY_EINTR(sys->unlink(path));
		free(path);
	}
}

void packs_remove_incomplete(const char *dir)
{
	struct string_list groups = STRING_LIST_INIT, rest = STRING_LIST_INIT;
	struct removal r = { dir, time(NULL) };

	read_dir_names(dir, &groups, &rest);
	foreach_group(&groups, remove_group, &r);
	for (size_t i = 0; i < rest.nr; i++)
		remove_temporary(&r, rest.items[i].string);
	string_list_clear(&groups, NULL);
	string_list_clear(&rest, NULL);
}
