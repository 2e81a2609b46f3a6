/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "index/pattern.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

void path_pattern_init(struct path_pattern *p, const char *text, size_t len,
		       const char *base, size_t base_len)
{
	memset(p, 0, sizeof(*p));
	if (len && text[len - 1] == '/') {
		p->dir_only = true;
		len--;
	}
	p->basename_only = !memchr(text, '/', len);
	if (len && text[0] == '/') {
		text++;
		len--;
	}
	p->glob = xmemdupz(text, len);
	p->glob_len = len;
	p->literal_len = simple_length(p->glob);
	p->suffix_only = p->basename_only && len && text[0] == '*' &&
			 simple_length(p->glob + 1) == len - 1;
	p->base = xmemdupz(base, base_len);
	p->base_len = base_len;
}

void path_pattern_release(struct path_pattern *p)
{
	FREE_AND_NULL(p->glob);
	FREE_AND_NULL(p->base);
}

const char *pattern_basename(const char *path, size_t len)
{
	const char *slash = len ? memrchr(path, '/', len) : NULL;

	return slash ? slash + 1 : path;
}

static bool same_bytes(const char *a, const char *b, size_t len, bool icase)
{
	return icase ? !strncasecmp(a, b, len) : !memcmp(a, b, len);
}

static bool match_basename(const struct path_pattern *p, const char *name,
			   size_t len, bool icase)
{
	if (p->literal_len == p->glob_len)
		return len == p->glob_len && same_bytes(name, p->glob, len, icase);
	if (p->suffix_only) {
		size_t tail = p->glob_len - 1;

		return len >= tail &&
		       same_bytes(name + len - tail, p->glob + 1, tail, icase);
	}
	return wildmatch(p->glob, name, icase ? WM_CASEFOLD : 0);
}

static bool match_pathname(const struct path_pattern *p, const char *path,
			   size_t len, bool icase)
{
	if (!len || len < p->base_len || !same_bytes(path, p->base, p->base_len, icase))
		return false;
	path += p->base_len;
	len -= p->base_len;
	if (len < p->literal_len && p->literal_len == p->glob_len)
		return false;
	if (strncmp(path, p->glob, p->literal_len) &&
	    !(icase && !strncasecmp(path, p->glob, p->literal_len)))
		return false;
	if (p->literal_len == p->glob_len)
		return len == p->glob_len;
	return wildmatch(p->glob, path, WM_PATHNAME | (icase ? WM_CASEFOLD : 0));
}

bool path_pattern_match(const struct path_pattern *p, const char *path, size_t len,
			const char *name, bool is_dir, bool icase)
{
	if (p->dir_only && !is_dir)
		return false;
	if (p->basename_only)
		return (p->base_len == 0 ||
			(len >= p->base_len && same_bytes(path, p->base, p->base_len, icase))) &&
		       match_basename(p, name, (size_t)(path + len - name), icase);
	return match_pathname(p, path, len, icase);
}

int pattern_file_read(struct repository *r, struct strbuf *out, const char *path, size_t max)
{
	char *full = r->from_cwd ? xstrfmt("%s%s", r->from_cwd, path) : xstrdup(path);
	int rc = read_file_nofollow(out, full, max, NULL);
	struct stat st;

	if (rc < 0 && rc != ERR_NOT_FOUND && !lstat(full, &st) && S_ISLNK(st.st_mode))
		repo_warn(r, "unable to access '%s': %s", full, strerror(ELOOP));
	free(full);
	return rc;
}
