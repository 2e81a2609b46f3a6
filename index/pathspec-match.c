/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a path match a pathspec? */
#include "compat/posix.h"
#include "index/pathspec.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

static bool same_text(const struct pathspec_item *it, const char *a, const char *b, size_t n)
{
	return it->icase ? !strncasecmp(a, b, n) : !memcmp(a, b, n);
}

/* The part that comes from the cwd is compared exactly, even with icase. */
static bool prefix_matches(const struct pathspec_item *it, const char *path, size_t len)
{
	return len >= it->prefix_len && !memcmp(path, it->match, it->prefix_len);
}

/* Matches the path itself and all paths below it. */
static bool literal_matches(const struct pathspec_item *it, const char *path, size_t len,
			    bool is_dir)
{
	bool wants_dir = it->match[it->len - 1] == '/';

	if (it->len <= len && same_text(it, it->match, path, it->len))
		return it->len == len || wants_dir || path[it->len] == '/';
	/* "dir/" matches the directory itself */
	return is_dir && wants_dir && len == it->len - 1 && same_text(it, it->match, path, len);
}

/* wildmatch needs a NUL at the end of its text. */
static bool wild(const char *pattern, const char *text, size_t len, unsigned flags)
{
	bool found;
	char *copy;

	if (!text[len])
		return wildmatch(pattern, text, flags);
	copy = xmemdupz(text, len);
	found = wildmatch(pattern, copy, flags);
	free(copy);
	return found;
}

static bool glob_matches(const struct pathspec_item *it, const char *path, size_t len)
{
	const char *pattern = it->match + it->nowildcard_len;
	unsigned flags = (it->icase ? WM_CASEFOLD : 0) | (it->glob ? WM_PATHNAME : 0);
	size_t skip = it->nowildcard_len;

	if (skip == it->len || len < skip || !same_text(it, it->match, path, skip))
		return false;
	if (!it->glob && *pattern == '*' && !has_glob_chars(pattern + 1)) {
		size_t tail = it->len - skip - 1; /* of "*.c" */

		return len - skip >= tail && same_text(it, pattern + 1, path + len - tail, tail);
	}
	if (it->glob) /* the meaning of "**" depends on the text in front of it */
		skip = it->prefix_len;
	return wild(it->match + skip, path + skip, len - skip, flags);
}

static bool item_matches(const struct pathspec *ps, const struct pathspec_item *it,
			 const char *path, size_t len, bool is_dir)
{
	if (!prefix_matches(it, path, len)) {
		/* "dir/" as prefix: the directory itself */
		if (!(is_dir && it->len == it->prefix_len && literal_matches(it, path, len, true)))
			return false;
	}
	if (it->attr && !(ps->match_attr && ps->match_attr(ps->match_attr_data, it->attr, path, len)))
		return false;
	if (!it->len)
		return true;
	return literal_matches(it, path, len, is_dir) || glob_matches(it, path, len);
}

static bool any_matches(const struct pathspec *ps, bool exclude, const char *path, size_t len,
			bool is_dir, char *seen)
{
	bool found = false;

	for (size_t i = 0; i < ps->nr; i++) {
		const struct pathspec_item *it = &ps->items[i];

		if (seen && it->exclude)
			seen[i] = 1; /* an exclusion need not match anything */
		if (it->exclude != exclude || (found && (!seen || seen[i])))
			continue;
		if (!item_matches(ps, it, path, len, is_dir))
			continue;
		found = true;
		if (!seen)
			return true;
		seen[i] = 1;
	}
	return found;
}

bool pathspec_match(const struct pathspec *ps, const char *path, size_t len, bool is_dir,
		    char *seen)
{
	bool found;

	if (!ps->nr)
		return true;
	while (is_dir && len && path[len - 1] == '/')
		len--;
	found = any_matches(ps, false, path, len, is_dir, seen);
	return found && !(ps->has_exclude && any_matches(ps, true, path, len, is_dir, NULL));
}

bool pathspec_excludes(const struct pathspec *ps, const char *path, size_t len)
{
	return ps->has_exclude && any_matches(ps, true, path, len, false, NULL);
}

/* ---- directories ---- */

/* Can something below "dir/" match the item, or does all of it match? */
static enum pathspec_match item_match_dir(const struct pathspec *ps, const struct pathspec_item *it,
					  const char *dir, size_t len)
{
	size_t lit = it->nowildcard_len;
	size_t n;

	if (!it->attr && prefix_matches(it, dir, len) &&
	    (!it->len || literal_matches(it, dir, len, true)))
		return PATHSPEC_MATCH;
	if (it->attr && item_matches(ps, it, dir, len, true))
		return PATHSPEC_MATCH_BELOW;
	/* the literal part and "dir/" must agree as far as both go */
	n = lit < len ? lit : len;
	if (!same_text(it, it->match, dir, n))
		return PATHSPEC_NO_MATCH;
	if (lit > len)
		return it->match[len] == '/' ? PATHSPEC_MATCH_BELOW : PATHSPEC_NO_MATCH;
	/* the directory goes beyond the literal part: a glob decides, or it is "dir" + more */
	if (lit < it->len)
		return PATHSPEC_MATCH_BELOW;
	return it->attr && (!lit || it->match[lit - 1] == '/' || lit == len || dir[lit] == '/') ?
		PATHSPEC_MATCH_BELOW : PATHSPEC_NO_MATCH;
}

enum pathspec_match pathspec_match_dir(const struct pathspec *ps, const char *dir, size_t len)
{
	enum pathspec_match best = PATHSPEC_NO_MATCH;

	if (!ps->nr)
		return PATHSPEC_MATCH;
	while (len && dir[len - 1] == '/')
		len--;
	if (!len) /* the top */
		best = PATHSPEC_MATCH_BELOW;
	for (size_t i = 0; i < ps->nr && best != PATHSPEC_MATCH; i++) {
		enum pathspec_match m;

		if (ps->items[i].exclude)
			continue;
		m = item_match_dir(ps, &ps->items[i], dir, len);
		if (m == PATHSPEC_MATCH || best == PATHSPEC_NO_MATCH)
			best = m;
	}
	if (!ps->has_exclude || best == PATHSPEC_NO_MATCH)
		return best;
	for (size_t i = 0; i < ps->nr; i++)
		if (ps->items[i].exclude &&
		    item_match_dir(ps, &ps->items[i], dir, len) == PATHSPEC_MATCH)
			return PATHSPEC_NO_MATCH;
	return PATHSPEC_MATCH_BELOW;
}
