/* SPDX-License-Identifier: GPL-2.0-only */
/* What a ref may be called: the rules of git-check-ref-format(1). */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "refs/root-refs.h"
#include "util/strbuf.h"

/* What a byte may mean; most mean nothing. Names are checked by the hundred thousand. */
enum { PLAIN, ENDS, DOT, AT, STAR, FORBIDDEN };

static const unsigned char meaning[256] = {
	['\0'] = ENDS, ['/'] = ENDS, ['.'] = DOT, ['@'] = AT, ['*'] = STAR,
	[1 ... ' '] = FORBIDDEN, ['~'] = FORBIDDEN, ['^'] = FORBIDDEN, [':'] = FORBIDDEN,
	['?'] = FORBIDDEN, ['['] = FORBIDDEN, ['\\'] = FORBIDDEN, [0x7f] = FORBIDDEN,
};

/* May *s, which is not plain, stand there? A '*' uses up *stars. */
static bool is_allowed(const char *s, int *stars)
{
	switch (meaning[(unsigned char)*s]) {
	case DOT:
		return s[1] != '.';
	case AT:
		return s[1] != '{';
	case STAR:
		return (*stars)-- > 0;
	default:
		return false;
	}
}

/* One component, up to '/' or the end. Its length; 0 if it is not allowed. */
static size_t component_length(const char *s, int *stars)
{
	unsigned m;
	size_t n = 0;

	if (*s == '.')
		return 0;
	for (;; n++) {
		while ((m = meaning[(unsigned char)s[n]]) == PLAIN)
			n++;
		if (m == ENDS)
			break;
		if (!is_allowed(s + n, stars))
			return 0;
	}
	if (n >= 5 && !memcmp(s + n - 5, ".lock", 5))
		return 0;
	return n;
}

bool refname_is_valid(const char *name, unsigned flags)
{
	int stars = flags & REFNAME_REFSPEC_PATTERN ? 1 : 0;
	size_t components = 0, n;
	const char *s = name;

	if (!strcmp(name, "@"))
		return false;
	for (;;) {
		n = component_length(s, &stars);
		if (!n)
			return false;
		components++;
		s += n;
		if (!*s)
			break;
		s++;
	}
	if (s[-1] == '.')
		return false;
	return components > 1 || (flags & REFNAME_ALLOW_ONELEVEL);
}

bool refname_is_valid_after(struct strbuf *dir, const char *name, size_t len, unsigned flags)
{
	const char *slash = memrchr(name, '/', len);
	size_t dir_len = slash ? (size_t)(slash + 1 - name) : 0;

	/* Each component is valid by itself, but for the name "@". */
	if (dir_len && dir_len == dir->len && !memcmp(name, dir->buf, dir_len) && slash[1] != '@')
		return refname_is_valid(slash + 1, flags | REFNAME_ALLOW_ONELEVEL);
	if (!refname_is_valid(name, flags))
		return false;
	strbuf_reset(dir);
	strbuf_add(dir, name, dir_len);
	return true;
}

/* A '.' at the beginning, one after another, and the end ".lock" are not allowed either. */
void ref_name_make_component(struct strbuf *name)
{
	const char *from = name->buf;
	struct strbuf out = STRBUF_INIT;

	for (const char *s = from; *s; s++) {
		const unsigned m = meaning[(unsigned char)*s];

		if (m == DOT && s > from && s[-1] == '.')
			continue;
		if (m == DOT)
			strbuf_addch(&out, s == from ? '-' : '.');
		else
			strbuf_addch(&out, (m == PLAIN || m == AT) && !(*s == '{' && s > from && s[-1] == '@') ? *s : '-');
	}
	while (out.len > 5 && ends_with(out.buf, ".lock"))
		strbuf_setlen(&out, out.len - 5);
	strbuf_swap(name, &out);
	strbuf_release(&out);
}

/* What follows "worktrees/ID/"; the name itself without it. NULL: that climbs. */
static const char *skip_worktree(const char *name)
{
	const char *id, *bare = name;
	size_t len;

	if (refname_worktree_prefix(name, &id, &len, &bare) && id &&
	    (!strncmp(id, "./", 2) || !strncmp(id, "../", 3)))
		return NULL;
	return bare;
}

bool refname_is_usable(const char *name)
{
	const char *bare = skip_worktree(name);

	return bare && refname_is_valid(bare, REFNAME_ALLOW_ONELEVEL) &&
	       (starts_with(bare, "refs/") || !refname_is_of_layout(bare));
}

bool refname_is_deletable(const char *name)
{
	const char *bare = skip_worktree(name);

	return bare && refname_is_safe(bare);
}

bool refname_normalize(struct strbuf *out, const char *name, unsigned flags)
{
	size_t base = out->len;

	while (*name == '/')
		name++;
	for (; *name; name++)
		if (*name != '/' || name[-1] != '/')
			strbuf_addch(out, *name);
	return refname_is_valid(out->buf + base, flags);
}

bool refname_is_safe(const char *name)
{
	const char *s, *end;

	if (!starts_with(name, "refs/"))
		return refname_is_root(name);
	/* Plain components only: nothing that a path would collapse or climb by. */
	for (s = name + 5;; s = end + 1) {
		end = strchrnul(s, '/');
		if (end == s || (end - s == 1 && *s == '.') ||
		    (end - s == 2 && s[0] == '.' && s[1] == '.'))
			return false;
		if (!*end)
			return true;
	}
}

bool refnames_are_neighbours(const char *a, const char *b)
{
	const char *end = strrchr(a, '/');

	return end && !strncmp(a, b, end + 1 - a) && !strchr(b + (end + 1 - a), '/');
}

int refname_tree_cmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a == *b)
		return 0;
	if (*a == '/' || *b == '/')
		return *a == '/' ? (*b ? -1 : 1) : (*a ? 1 : -1);
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

bool refname_in_private_dir(const char *name)
{
	return starts_with(name, "refs/bisect/") ||
	       starts_with(name, "refs/worktree/") ||
	       starts_with(name, "refs/rewritten/");
}

bool refname_is_pseudoref(const char *name)
{
	return !strcmp(name, REFNAME_FETCH_HEAD) || !strcmp(name, REFNAME_MERGE_HEAD);
}

bool refname_is_per_worktree(const char *name)
{
	return refname_is_root(name) || refname_in_private_dir(name);
}

bool refname_worktree_prefix(const char *name, const char **id, size_t *id_len,
			     const char **bare)
{
	const char *rest, *slash;

	if (skip_prefix(name, "main-worktree/", &rest) && *rest) {
		*id = NULL;
		*id_len = 0;
		*bare = rest;
		return true;
	}
	if (!skip_prefix(name, "worktrees/", &rest))
		return false;
	slash = strchr(rest, '/');
	if (!slash || slash == rest || !slash[1])
		return false;
	*id = rest;
	*id_len = slash - rest;
	*bare = slash + 1;
	return true;
}
