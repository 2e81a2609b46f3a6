/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sparse checkouts: patterns with the syntax of gitignore(5), which choose the files to check out.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "attr/ignore.h"
#include "worktree/sparse.h"

struct sparse {
	struct ignore *patterns;
};

int sparse_new(struct sparse **out, struct repository *r, struct err *err)
{
	struct sparse s = { NULL };
	char *path = NULL;
	bool on = false;
	int rc = config_get_bool(r->config, "core.sparsecheckout", &on, err);

	*out = NULL;
	if (rc < 0 || !on)
		return rc < 0 ? rc : 0;
	rc = 0;
	path = repo_path(r, "info/sparse-checkout");
	if (file_exists(path)) {
		s.patterns = ignore_new_empty(r, NULL);
		rc = ignore_add_file(s.patterns, path, err);
		if (rc >= 0) {
			*out = xmalloc(sizeof(s));
			**out = s;
		} else {
			ignore_free(s.patterns);
		}
	}
	free(path);
	return rc < 0 ? rc : 0;
}

bool sparse_has(struct sparse *s, const char *path, size_t len)
{
	bool is_dir = false;

	while (len) {
		char *part = xmemdupz(path, len);
		const struct ignore_pattern *p = ignore_match_last(s->patterns, part, len, is_dir);

		free(part);
		if (p)
			return !p->negated;
		while (len && path[len - 1] != '/')
			len--;
		if (len)
			len--;
		is_dir = true;
	}
	return false;
}

void sparse_free(struct sparse *s)
{
	if (!s)
		return;
	ignore_free(s->patterns);
	free(s);
}
