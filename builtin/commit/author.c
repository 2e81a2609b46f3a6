/* SPDX-License-Identifier: GPL-2.0-only */
/* git commit --author=PATTERN: finds the author of an earlier commit. */
#include "compat/posix.h"
#include "builtin/commit/commit-run.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "pretty/pretty.h"
#include "history/revision/revision.h"

/* "Name <mail>" as the mailmap has it. */
static int add_author(struct strbuf *out, struct commit_pool *pool, struct commit *c,
		      const struct mailmap *map, const struct hash_algo *algo, struct err *err)
{
	struct commit_view v = { 0 };
	struct ident_split split;
	const char *buf, *name, *mail;
	size_t len, name_len, mail_len;
	int rc = commit_buffer(pool, c, &buf, &len, err);

	if (rc >= 0)
		rc = commit_parse(&v, buf, len, algo, err);
	if (rc >= 0 && ident_split_line(&split, v.author, v.author_len) < 0)
		rc = err_set(err, ERR_CORRUPT, "commit has malformed author line");
	if (rc >= 0) {
		name = split.name;
		name_len = split.name_len;
		mail = split.mail;
		mail_len = split.mail_len;
		mailmap_apply(map, &name, &name_len, &mail, &mail_len);
		strbuf_addf(out, "%.*s <%.*s>", (int)name_len, name, (int)mail_len, mail);
	}
	commit_view_release(&v);
	return rc;
}

int commit_find_author(struct repository *r, const char *pattern, char **out, struct err *err)
{
	char *author = xstrfmt("--author=%s", pattern);
	const char *argv[] = { "commit", "--all", "-i", author, NULL };
	const struct rev_hooks hooks = { NULL, NULL };
	struct strbuf line = STRBUF_INIT;
	struct mailmap *map = NULL;
	struct rev_walk *w = NULL;
	struct commit *c;
	int rc;

	*out = NULL;
	if ((rc = rev_walk_new(&w, r, err)) >= 0 && (rc = mailmap_read(&map, r, err)) >= 0 &&
	    (rc = rev_walk_arguments(w, 4, argv, &hooks, err)) >= 0) {
		mailmap_use_for_walk(map, w);
		rc = rev_walk_begin(w, err);
	}
	if (rc >= 0)
		rc = rev_walk_next(w, &c, err);
	if (rc > 0)
		rc = add_author(&line, w->pool, c, map, r->algo, err);
	if (rc >= 0 && line.len)
		*out = strbuf_detach(&line, NULL);
	strbuf_release(&line);
	rev_walk_free(w);
	mailmap_free(map);
	free(author);
	return rc < 0 ? rc : 0;
}
