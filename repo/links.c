/* SPDX-License-Identifier: GPL-2.0-only */
/* gitrepository-layout(5), worktrees/ID/gitdir, and the ".git" files that name worktrees/ID. */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/refs.h"
#include "repo/links-internal.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"

void repo_links_release(struct repo_links *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->v[i].id);
		free(l->v[i].dot_git);
	}
	free(l->v);
	*l = (struct repo_links){ .nr = 0 };
}

/* The only line of a small file; NULL without it. Caller frees. */
static char *links_read_line(const char *path)
{
	struct strbuf text = STRBUF_INIT;

	if (read_file(&text, path, PATH_MAX + 10, NULL) < 0) {
		strbuf_release(&text);
		return NULL;
	}
	strbuf_rtrim(&text);
	return strbuf_detach(&text, NULL);
}

/* False: the worktree is not there, or does not say that it is linked. */
static bool read_link_of(struct repo_link *l, const char *gitdir)
{
	char *file = path_join(gitdir, "gitdir"), *back = links_read_line(file), *text = NULL;
	const char *to;
	bool fine = false;

	l->relative_back = back && !is_absolute_path(back);
	if (l->relative_back) {
		char *joined = path_join(gitdir, back);

		l->dot_git = path_real(joined, 0);
		free(joined);
	} else if (back) {
		l->dot_git = xstrdup(back);
	}
	if (l->dot_git)
		text = links_read_line(l->dot_git);
	if (text && skip_prefix(text, "gitdir: ", &to)) {
		l->relative = !is_absolute_path(to);
		fine = true;
	}
	free(text);
	free(back);
	free(file);
	return fine;
}

int repo_links_read(struct repo_links *out, const char *commondir, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(commondir, &ids, err);

	for (size_t i = 0; !rc && i < ids.nr; i++) {
		const char *id = ids.items[i].string;
		char *gitdir = xstrfmt("%s/worktrees/%s", commondir, id);
		struct repo_link l = { .id = NULL };

		if (read_link_of(&l, gitdir)) {
			l.id = xstrdup(id);
			ALLOC_GROW(out->v, out->nr + 1, out->alloc);
			out->v[out->nr++] = l;
		} else {
			free(l.dot_git);
		}
		free(gitdir);
	}
	string_list_clear(&ids, NULL);
	return rc;
}
