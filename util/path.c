/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pwd.h>
#include "util/alloc.h"
#include "util/path.h"

bool is_absolute_path(const char *p)
{
	return is_dir_sep(*p);
}

/* ---- strings ---- */

int path_normalize(char *dst, const char *src)
{
	char *start, *out = dst;

	if (is_dir_sep(*src)) {
		*out++ = '/';
		while (is_dir_sep(*src))
			src++;
	}
	start = out; /* ".." must not lead above this */
	while (*src) {
		size_t n = strcspn(src, "/");

		if (n == 2 && src[0] == '.' && src[1] == '.') {
			if (out == start)
				return -1;
			/* out follows a slash: drop that and one name */
			for (out--; out > start && !is_dir_sep(out[-1]);)
				out--;
		} else if (n != 1 || src[0] != '.') {
			memmove(out, src, n);
			out += n;
			if (src[n])
				*out++ = '/';
		}
		src += n;
		while (is_dir_sep(*src))
			src++;
	}
	*out = '\0';
	return 0;
}

int strbuf_path_normalize(struct strbuf *sb)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf_grow(&clean, sb->len + 1);
	if (path_normalize(clean.buf, sb->buf) < 0) {
		strbuf_release(&clean);
		return -1;
	}
	strbuf_setlen(&clean, strlen(clean.buf));
	strbuf_swap(sb, &clean);
	strbuf_release(&clean);
	return 0;
}

bool path_is_plain(const char *p)
{
	if (is_dir_sep(*p))
		p++;
	while (*p) {
		size_t n = strcspn(p, "/");

		if (!n || (n <= 2 && strspn(p, ".") >= n))
			return false;
		p += n;
		if (*p)
			p++;
	}
	return true;
}

void strbuf_addpath(struct strbuf *sb, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	while (n > 1 && is_dir_sep(dir[n - 1]) && is_dir_sep(dir[n - 2]))
		n--;
	strbuf_add(sb, dir, n);
	if (n && !is_dir_sep(dir[n - 1]))
		strbuf_addch(sb, '/');
	while (n && is_dir_sep(*name))
		name++;
	strbuf_addstr(sb, name);
}

char *path_join(const char *dir, const char *name)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addpath(&out, dir, name);
	return strbuf_detach(&out, NULL);
}

void strbuf_relative_path(struct strbuf *out, const char *to, const char *from)
{
	size_t i = 0, common = 0;
	const char *rest;

	/* The longest prefix of both that ends at a slash or at an end. */
	for (;; i++) {
		bool end_to = !to[i] || is_dir_sep(to[i]);
		bool end_from = !from[i] || is_dir_sep(from[i]);

		if (end_to && end_from)
			common = i;
		if (!to[i] || !from[i] || to[i] != from[i])
			break;
	}
	for (rest = from + common; *rest;) {
		rest += strspn(rest, "/");
		if (!*rest)
			break;
		strbuf_addstr(out, "../");
		rest += strcspn(rest, "/");
	}
	rest = to + common;
	rest += strspn(rest, "/");
	strbuf_addstr(out, rest);
	if (!*rest && out->len && out->buf[out->len - 1] == '/')
		strbuf_setlen(out, out->len - 1);
	if (!out->len)
		strbuf_addch(out, '.');
}

void strbuf_add_from_prefix(struct strbuf *out, const char *path, const char *prefix)
{
	size_t i = 0, common = 0, before = out->len;

	if (!prefix)
		prefix = "";
	for (; path[i] && path[i] == prefix[i]; i++)
		if (path[i] == '/')
			common = i + 1;
	if (!path[i] && prefix[i] == '/')
		common = i;
	for (const char *p = prefix + common + (prefix[common] == '/'); *p; p++)
		if (*p == '/')
			strbuf_addstr(out, "../");
	strbuf_addstr(out, path + common);
	if (out->len == before)
		strbuf_addstr(out, "./");
}

const char *path_inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n && is_dir_sep(dir[n - 1]))
		n--;
	if (strncmp(path, dir, n))
		return NULL;
	path += n;
	if (*path && !is_dir_sep(*path) && n)
		return NULL;
	if (!n && *dir && !is_dir_sep(*path))
		return NULL; /* dir is the root, path is relative */
	return path + strspn(path, "/");
}

bool path_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && is_dir_sep(path[len]);
}

bool paths_nest(const char *a, const char *b)
{
	return path_is_below(a, b) || path_is_below(b, a);
}

const char *path_basename(const char *p)
{
	const char *slash = strrchr(p, '/');

	return slash ? slash + 1 : p;
}

void path_dirname(struct strbuf *out, const char *p)
{
	size_t n = (size_t)(path_basename(p) - p);

	if (!n) {
		strbuf_addch(out, '.');
		return;
	}
	while (n > 1 && is_dir_sep(p[n - 1]))
		n--;
	strbuf_add(out, p, n);
}

/* ---- with system calls ---- */

char *xgetcwd(void)
{
	return getcwd(NULL, 0);
}

char *path_absolute(const char *p)
{
	char *cwd, *out;

	if (is_absolute_path(p))
		return xstrdup(p);
	cwd = xgetcwd();
	if (!cwd)
		return NULL;
	out = *p ? path_join(cwd, p) : xstrdup(cwd);
	free(cwd);
	return out;
}

char *path_real(const char *p, int missing_ok)
{
	char *real = realpath(p, NULL), *bare;
	struct strbuf dir = STRBUF_INIT;
	const char *name;
	size_t n = strlen(p);

	if (real || errno != ENOENT || missing_ok <= 0)
		return real;
	/* The last component is missing: resolve the directory. */
	while (n > 1 && is_dir_sep(p[n - 1]))
		n--;
	bare = xstrndup(p, n);
	name = path_basename(bare);
	path_dirname(&dir, bare);
	if (*name && strcmp(name, ".") && strcmp(name, "..")) {
		char *dir_real = path_real(dir.buf, missing_ok - 1);

		if (dir_real)
			real = path_join(dir_real, name);
		free(dir_real);
	}
	strbuf_release(&dir);
	free(bare);
	return real;
}

char *path_expand_user(const char *p)
{
	size_t n;
	const char *home;

	if (*p != '~')
		return xstrdup(p);
	n = strcspn(p + 1, "/");
	if (!n) {
		home = getenv("HOME");
	} else {
		char *user = xstrndup(p + 1, n);
		struct passwd *pw = getpwnam(user);

		home = pw ? pw->pw_dir : NULL;
		free(user);
	}
	return home ? xstrfmt("%s%s", home, p + 1 + n) : NULL;
}

char *xdg_config_path(const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME");

	if (base && *base)
		return xstrfmt("%s/git/%s", base, name);
	base = getenv("HOME");
	return base ? xstrfmt("%s/.config/git/%s", base, name) : NULL;
}
