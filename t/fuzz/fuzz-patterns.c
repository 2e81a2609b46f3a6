/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns for paths. The first byte selects .gitattributes, .gitignore or a pathspec; then
 * comes a path up to the first NUL; the rest is the text.
 */
#include "compat/posix.h"
#include "index/pathspec.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "util/path.h"
#include "attr/attr.h"
#include "attr/ignore.h"

/* Listing all attributes gives the same values as asking for one. */
static void attributes(struct repository *r, const char *path, const char *text, size_t len)
{
	struct strvec names = STRVEC_INIT;
	struct attr_value *values, v;
	struct attrs *a;

	scratch_write("repo/.gitattributes", text, len);
	if (attrs_new(&a, r, NULL, ATTR_CHECKIN, NULL) < 0)
		abort();
	attrs_get_all(a, path, &names, &values);
	for (size_t i = 0; i < names.nr; i++) {
		attrs_get(a, path, &names.v[i], 1, &v);
		if (v.state != values[i].state ||
		    (v.state == ATTR_VALUE && strcmp(v.value, values[i].value)))
			abort();
	}
	attrs_match_spec(a, text, path, strlen(path));
	free(values);
	strvec_clear(&names);
	attrs_free(a);
}

static void ignores(struct repository *r, const char *path, const char *text, size_t len)
{
	const struct ignore_pattern *p;
	struct ignore *ig;

	scratch_write("repo/.gitignore", text, len);
	if (ignore_new(&ig, r, NULL, NULL) < 0)
		abort();
	p = ignore_match(ig, path, strlen(path), false);
	if (ignore_is_ignored(ig, path, strlen(path), false) != (p && !p->negated))
		abort();
	ignore_match(ig, path, strlen(path), true);
	ignore_add_pattern(ig, text);
	ignore_match_last(ig, path, strlen(path), false);
	ignore_free(ig);
}

static bool any_attr(void *data, const char *attr, const char *path, size_t len)
{
	(void)data, (void)path;
	return attr[0] && len;
}

/* A path below a directory that cannot match does not match. */
static void pathspecs(const char *path, const char *text)
{
	const char *argv[] = { text, "*.c", NULL };
	struct pathspec ps = { .match_attr = any_attr };
	char *prefix = xstrfmt("%s/", path);
	const char *slash = strrchr(path, '/');
	bool matches;

	if (!pathspec_parse(&ps, *path == '/' ? NULL : prefix, scratch_dir(), argv, 0, NULL)) {
		matches = pathspec_match(&ps, path, strlen(path), false, NULL);
		if (slash && matches &&
		    pathspec_match_dir(&ps, path, (size_t)(slash - path)) == PATHSPEC_NO_MATCH)
			abort();
		pathspec_excludes(&ps, path, strlen(path));
		pathspec_release(&ps);
	}
	free(prefix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repository *r = scratch_repo();
	char *path, *text;
	size_t len;

	if (!size)
		return 0;
	path = xmemdupz(data + 1, size - 1);
	len = strlen(path);
	text = len < size - 1 ? path + len + 1 : path + len;
	len = (size_t)(path + size - 1 - text);
	/* Callers pass normalized relative paths only. */
	if (*path && !path_normalize(path, path) && *path && *path != '/' &&
	    !starts_with(path, "../") && !ends_with(path, "/")) {
		switch (data[0] % 3) {
		case 0:
			attributes(r, path, text, len);
			break;
		case 1:
			ignores(r, path, text, len);
			break;
		default:
			pathspecs(path, text);
		}
	}
	free(path);
	return 0;
}
