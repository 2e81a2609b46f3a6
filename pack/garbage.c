/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in the pack directory that belong to no complete pack. */
#include "compat/posix.h"
#include <dirent.h>
#include "pack/pack-internal.h"
#include "util/alloc.h"
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

/* Files of one stem, names[0..nr). */
static void report_group(struct packs *ps, const struct string_list_item *names, size_t nr,
			 void (*fn)(void *data, const char *why, const char *path), void *data)
{
	unsigned has = 0;
	const char *why;

	for (size_t i = 0; i < nr; i++) {
		if (ends_with(names[i].string, ".pack"))
			has |= HAS_PACK;
		if (ends_with(names[i].string, ".idx"))
			has |= HAS_IDX;
	}
	why = what_is_missing(has);
	for (size_t i = 0; i < nr && why; i++) {
		char *path = xstrfmt("%s/%s", ps->dir, names[i].string);

		fn(data, why, path);
		free(path);
	}
}

static void read_names(struct packs *ps, struct string_list *groups, struct string_list *rest)
{
	DIR *dir = opendir(ps->dir);
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

void packs_foreach_garbage(struct packs *ps,
			   void (*fn)(void *data, const char *why, const char *path), void *data)
{
	struct string_list groups = STRING_LIST_INIT, rest = STRING_LIST_INIT;

	read_names(ps, &groups, &rest);
	for (size_t i = 0; i < rest.nr; i++) {
		char *path = xstrfmt("%s/%s", ps->dir, rest.items[i].string);

		fn(data, "garbage found", path);
		free(path);
	}
	for (size_t i = 0, to; i < groups.nr; i = to) {
		const char *name = groups.items[i].string;
		size_t len = stem_len(name);

		for (to = i + 1; to < groups.nr; to++) {
			const char *other = groups.items[to].string;

			if (stem_len(other) != len || memcmp(other, name, len))
				break;
		}
		report_group(ps, groups.items + i, to - i, fn, data);
	}
	string_list_clear(&groups, NULL);
	string_list_clear(&rest, NULL);
}
