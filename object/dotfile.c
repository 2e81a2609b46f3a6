/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "util/utf8.h"

static const struct {
	const char *name;
	/* The first characters of its 8.3 short names on NTFS, without and with a hash. */
	const char *short_name;
	const char *hash_name;
} files[] = {
	[DOT_GIT] = { ".git", NULL, NULL },
	[DOT_GITMODULES] = { ".gitmodules", "gitmod", "gi7eba" },
	[DOT_GITATTRIBUTES] = { ".gitattributes", "gitatt", "gi7d29" },
	[DOT_GITIGNORE] = { ".gitignore", "gitign", "gi250a" },
	[DOT_MAILMAP] = { ".mailmap", "mailma", "maba30" },
};


/* ---- HFS+ ---- */

/* Code points that HFS+ ignores when it compares names. */
static bool hfs_ignores(int32_t c)
{
	return (c >= 0x200c && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x206a && c <= 0x206f) || c == 0xfeff;
}

static bool hfs_equal(const char *name, size_t len, const char *want)
{
	while (len) {
		int32_t c = utf8_next(&name, &len);

		if (c < 0)
			return false;
		if (hfs_ignores(c))
			continue;
		if (!*want || c > 127 || tolower((int)c) != *want)
			return false;
		want++;
	}
	return !*want;
}

/* ---- NTFS ---- */

/* Does NTFS ignore the rest: blanks and dots, and possibly a stream (":...")? */
static bool is_ntfs_end(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '.'))
		p++;
	return p == end || *p == ':';
}

/* "gitmod~1" to "gitmod~4", then "gi7eba~1" or, with more of them, "gi7e~123". */
static bool ntfs_short_name(enum dotfile which, const char *name, size_t len)
{
	const char *hash = files[which].hash_name;
	size_t i = 0;

	if (len < 8)
		return false;
	if (!strncasecmp(name, files[which].short_name, 6) && name[6] == '~' &&
	    name[7] >= '1' && name[7] <= '4')
		return is_ntfs_end(name + 8, name + len);
	while (i < 6 && tolower((unsigned char)name[i]) == hash[i])
		i++;
	if (name[i++] != '~' || name[i] < '1' || name[i] > '9')
		return false;
	for (i++; i < 8; i++)
		if (!isdigit((unsigned char)name[i]))
			return false;
	return is_ntfs_end(name + 8, name + len);
}

static bool ntfs_equal(enum dotfile which, const char *name, size_t len)
{
	const char *want = files[which].name;
	size_t n = strlen(want);

	if (len >= n && !strncasecmp(name, want, n) && is_ntfs_end(name + n, name + len))
		return true;
	if (which == DOT_GIT)
		return len >= 5 && !strncasecmp(name, "git~1", 5) &&
		       is_ntfs_end(name + 5, name + len);
	return ntfs_short_name(which, name, len);
}

/* Most names can be told by their first byte: '.', that of a short name, or one that HFS+ may ignore. */
static bool may_match(const char *name, size_t len)
{
	return len && (*name == '.' || (unsigned char)*name > 127 || strchr("gGmM~", *name));
}

bool dotfile_matches(enum dotfile which, const char *name, size_t len, unsigned protect)
{
	const char *want = files[which].name;

	if (!may_match(name, len))
		return false;
	if (len == strlen(want) && !strncasecmp(name, want, len))
		return true;
	if ((protect & PROTECT_HFS) && hfs_equal(name, len, want))
		return true;
	return (protect & PROTECT_NTFS) && ntfs_equal(which, name, len);
}

/* ---- paths ---- */

/* One part between separators; with PROTECT_NTFS "dir\.git" has two parts. */
static bool piece_is_safe(const char *p, size_t len, unsigned mode, unsigned protect)
{
	if (dotfile_matches(DOT_GIT, p, len, protect))
		return false;
	return !MODE_IS_SYMLINK(mode) || !dotfile_matches(DOT_GITMODULES, p, len, protect);
}

bool path_component_is_safe(const char *name, size_t len, unsigned mode, unsigned protect)
{
	const char *end = name + len, *p = name;

	if (!len || (len == 1 && *name == '.') || (len == 2 && !memcmp(name, "..", 2)))
		return false;
	if (memchr(name, '/', len) || memchr(name, 0, len))
		return false;
	for (;;) {
		const char *sep = protect & PROTECT_NTFS ? memchr(p, '\\', (size_t)(end - p))
							 : NULL;

		if (!piece_is_safe(p, (size_t)((sep ? sep : end) - p), mode, protect))
			return false;
		if (!sep)
			return true;
		p = sep + 1;
	}
}

bool path_is_safe(const char *path, unsigned mode, unsigned protect)
{
	for (;;) {
		const char *slash = strchrnul(path, '/');
		unsigned m = *slash ? MODE_TREE : mode;

		if (!path_component_is_safe(path, (size_t)(slash - path), m, protect))
			return false;
		if (!*slash)
			return true;
		path = slash + 1;
	}
}

bool submodule_name_is_safe(const char *name)
{
	if (!*name)
		return false;
	for (;;) {
		size_t len = strcspn(name, "/\\");

		if (len == 2 && name[0] == '.' && name[1] == '.')
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}
