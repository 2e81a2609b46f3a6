/* SPDX-License-Identifier: GPL-2.0-only */
/* FETCH_HEAD: what git pull and git fmt-merge-msg read. git-fetch(1). */
#include "compat/posix.h"
#include "fs/file.h"
#include "porcelain/fetch-internal.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* Fetches of several remotes add to it, each until its refs are durable. */
#define LOCK_TIMEOUT_MS 10000

char *fetch_display_url(const char *url)
{
	char *shown = url_for_display(url);
	size_t len = strlen(shown);

	while (len && shown[len - 1] == '/')
		len--;
	if (len > 4 && !strncmp(shown + len - 4, ".git", 4))
		len -= 4;
	shown[len] = '\0';
	return shown;
}

static void add_line(struct strbuf *out, const struct fetch_item *item, const char *url)
{
	const char *what = item->src, *kind = "";

	if (!strcmp(what, "HEAD"))
		what = "";
	else if (skip_prefix(what, "refs/heads/", &what))
		kind = "branch ";
	else if (skip_prefix(what, "refs/tags/", &what))
		kind = "tag ";
	else if (skip_prefix(what, "refs/remotes/", &what))
		kind = "remote-tracking branch ";
	strbuf_addf(out, "%s\t%s\t", oid_hex(&item->oid), item->status == FETCH_HEAD_MERGE ? "" : "not-for-merge");
	if (*what)
		strbuf_addf(out, "%s'%s' of ", kind, what);
	for (; *url; url++)
		if (*url == '\n')
			strbuf_addstr(out, "\\n");
		else
			strbuf_addch(out, *url);
	strbuf_addch(out, '\n');
}

int fetch_stage_head(struct repo_operation *op, struct repository *r, const struct fetch_map *map, const char *url,
		     bool append, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = xstrfmt("%s/FETCH_HEAD", r->gitdir);
	int rc = lockfile_hold(&lk, path, 0, LOCK_TIMEOUT_MS, err);

	if (!rc && append) {
		rc = read_file(&text, path, SIZE_MAX, err);
		if (rc == ERR_NOT_FOUND) {
			err_release(err);
			rc = 0;
		}
	}
	for (int status = 0; status < FETCH_HEAD_IGNORE; status++)
		for (size_t i = 0; i < map->nr; i++)
			if (map->items[i].status == (enum fetch_head_status)status)
				add_line(&text, &map->items[i], url);
	if (!rc)
		rc = write_in_full(lk.tf->fd, text.buf, text.len, lk.target, err);
	if (!rc)
		rc = lockfile_stage(&lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_FILE_LATE, err);
	lockfile_release(&lk);
	strbuf_release(&text);
	free(path);
	return rc;
}
