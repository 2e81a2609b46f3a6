/* SPDX-License-Identifier: GPL-2.0-only */
/* rr-cache and MERGE_RR. */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/rerere-internal.h"
#include "write-or-die.h"

#define VARIANT_MAX 1000000
#define LOCK_TIMEOUT_MS 1000 /* another worktree records the same conflict */

int rerere_is_enabled(const struct repository *r, bool *enabled, struct err *err)
{
	char *dir;
	int rc = config_get_bool(r->config, "rerere.enabled", enabled, err);

	if (rc)
		return rc < 0 ? rc : 0;
	dir = repo_path(r, "rr-cache");
	*enabled = is_directory(dir);
	free(dir);
	return 0;
}

/* ---- MERGE_RR ---- */

/* The first item whose path is not before that one. */
static size_t item_position(const struct rerere_list *l, const char *path)
{
	size_t lo = 0, hi = l->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(l->items[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct rerere_item *rerere_list_find(const struct rerere_list *l, const char *path)
{
	size_t i = item_position(l, path);

	return i < l->nr && !strcmp(l->items[i].path, path) ? &l->items[i] : NULL;
}

struct rerere_item *rerere_list_put(struct rerere_list *l, const char *path, const struct object_id *id, int variant)
{
	size_t i = item_position(l, path);

	if (i == l->nr || strcmp(l->items[i].path, path)) {
		ALLOC_GROW(l->items, l->nr + 1, l->alloc);
		memmove(l->items + i + 1, l->items + i, (l->nr - i) * sizeof(*l->items));
		l->items[i] = (struct rerere_item){ .path = xstrdup(path) };
		l->nr++;
	}
	l->items[i].id = *id;
	l->items[i].variant = variant;
	l->items[i].done = false;
	return &l->items[i];
}

void rerere_list_remove(struct rerere_list *l, struct rerere_item *item)
{
	size_t i = (size_t)(item - l->items);

	free(item->path);
	memmove(item, item + 1, (l->nr - i - 1) * sizeof(*l->items));
	l->nr--;
}

void rerere_list_release(struct rerere_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].path);
	free(l->items);
	*l = (struct rerere_list)RERERE_LIST_INIT;
}

/* "ID TAB path", "ID.3 TAB path". */
static bool parse_item(struct rerere_list *l, const char *line, const struct hash_algo *algo)
{
	struct object_id id;
	const char *p;
	char *end;
	long variant = 0;

	if (oid_parse_hex(&id, line, algo, &p) < 0)
		return false;
	if (*p == '.') {
		if (!isdigit((unsigned char)p[1]))
			return false;
		errno = 0;
		variant = strtol(p + 1, &end, 10);
		p = end;
		if (errno || variant > VARIANT_MAX)
			return false;
	}
	if (*p != '\t' || !p[1])
		return false;
	rerere_list_put(l, p + 1, &id, (int)variant);
	return true;
}

int rerere_list_read(struct rerere_list *l, const struct repository *r, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = repo_state_exists(r, STATE_MERGE_RR) ? repo_state_read(r, STATE_MERGE_RR, &text, err) : 0;

	for (size_t at = 0; !rc && at < text.len; at += strlen(text.buf + at) + 1)
		if (!memchr(text.buf + at, 0, text.len - at) || !parse_item(l, text.buf + at, r->algo))
			rc = err_set(err, ERR_CORRUPT, "corrupt MERGE_RR");
	strbuf_release(&text);
	return rc;
}

int rerere_list_write(const struct rerere_list *l, struct repo_operation *op, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	struct strbuf text = STRBUF_INIT, old = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const struct rerere_item *item = &l->items[i];

		if (item->done || item->variant < 0)
			continue;
		strbuf_add_oid(&text, &item->id);
		if (item->variant)
			strbuf_addf(&text, ".%d", item->variant);
		strbuf_addf(&text, "\t%s", item->path);
		strbuf_addch(&text, 0);
	}
	if (repo_state_exists(r, STATE_MERGE_RR))
		rc = repo_state_read(r, STATE_MERGE_RR, &old, err);
	if (!rc && (text.len != old.len || (text.len && memcmp(text.buf, old.buf, text.len))))
		rc = repo_operation_write_state(op, STATE_MERGE_RR, text.buf, text.len, err);
	strbuf_release(&text);
	strbuf_release(&old);
	return rc;
}

/* ---- rr-cache ---- */

static const char *const image_names[RERERE_IMAGES] = { "preimage", "postimage", "thisimage" };

char *rerere_image_path(const struct repository *r, const struct rerere_item *item, enum rerere_image image)
{
	char *dir = repo_path(r, "rr-cache/%s", oid_hex(&item->id));
	char *path = item->variant > 0 ? xstrfmt("%s/%s.%d", dir, image_names[image], item->variant) :
					 xstrfmt("%s/%s", dir, image_names[image]);

	free(dir);
	return path;
}

bool rerere_has_image(const struct repository *r, const struct rerere_item *item, enum rerere_image image)
{
	char *path = rerere_image_path(r, item, image);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

int rerere_image_read(const struct repository *r, const struct rerere_item *item, enum rerere_image image,
		      struct strbuf *out, struct err *err)
{
	char *path = rerere_image_path(r, item, image);
	int rc = read_file(out, path, RERERE_FILE_MAX, err);

	free(path);
	return rc;
}

/* D4 in small: the images are staged before MERGE_RR, which names them, and in the same class. */
int rerere_image_stage(struct repo_operation *op, const struct rerere_item *item, enum rerere_image image,
		       const struct strbuf *text, struct err *err)
{
	char *path = rerere_image_path(repo_operation_repository(op), item, image);
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF | LOCK_MAKE_DIRS, LOCK_TIMEOUT_MS, err);

	if (!rc)
		rc = write_in_full(lk.tf->fd, text->buf, text->len, lk.tf->path, err);
	if (!rc)
		rc = tempfile_stage(&lk.tf, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_STATE, path, true, err);
	lockfile_release(&lk);
	free(path);
	return rc;
}

void rerere_variant_remove(const struct repository *r, const struct rerere_item *item)
{
	char *dir = repo_path(r, "rr-cache/%s", oid_hex(&item->id));

	for (int i = 0; i < RERERE_IMAGES; i++) {
		char *path = rerere_image_path(r, item, (enum rerere_image)i);

		(void)RETRY_EINTR(sys->unlink(path));
		free(path);
	}
	(void)RETRY_EINTR(sys->rmdir(dir)); /* if nothing is left */
	free(dir);
}

/* The number behind the name of a preimage or postimage; -1: it is no such name. */
static int variant_of_name(const char *name)
{
	const char *rest;
	char *end;
	long n;

	if (!skip_prefix(name, "preimage", &rest) && !skip_prefix(name, "postimage", &rest))
		return -1;
	if (!*rest)
		return 0;
	if (*rest != '.' || !isdigit((unsigned char)rest[1]))
		return -1;
	errno = 0;
	n = strtol(rest + 1, &end, 10);
	return errno || *end || n > VARIANT_MAX ? -1 : (int)n;
}

int rerere_variants_end(const struct repository *r, const struct object_id *id)
{
	char *path = repo_path(r, "rr-cache/%s", oid_hex(id));
	DIR *dir = opendir(path);
	struct dirent *de;
	int end = 0;

	while (dir && (de = readdir(dir))) {
		int n = variant_of_name(de->d_name);

		if (n >= end)
			end = n + 1;
	}
	if (dir)
		closedir(dir);
	free(path);
	return end;
}
