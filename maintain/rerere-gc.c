/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rr-cache/ID/ has a conflict ("preimage") and its resolution ("postimage"); conflicts that look the
 * same have numbers behind these names: "preimage.1".
 */
#include "compat/posix.h"
#include "maintain/rerere-gc.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fs/lockfile.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"

#define DAY ((timestamp_t)24 * 60 * 60)
#define DAYS_MAX 1000000

struct rerere_gc {
	struct repo_operation *op;
	char *top; /* rr-cache */
	struct lockfile lock;
	timestamp_t resolved_before, unresolved_before;
};

/* A number of days, or a date. */
static int read_limit(const struct config_set *c, const char *key, int days, timestamp_t *before,
		      struct err *err)
{
	const struct config_entry *e = config_get(c, key);
	int64_t n = days;

	if (e && (!e->value || config_entry_int64(e, -DAYS_MAX, DAYS_MAX, &n, NULL) < 0))
		return config_entry_expiry(e, before, err);
	*before = date_now(NULL) - (timestamp_t)(n < 0 ? 0 : n) * DAY;
	return 0;
}

static bool file_time(const char *dir, const char *name, const char *suffix, timestamp_t *out)
{
	char *path = xstrfmt("%s/%s%s", dir, name, suffix);
	struct stat st;
	bool there = !stat(path, &st);

	if (there)
		*out = st.st_mtime < 0 ? 0 : (timestamp_t)st.st_mtime;
	free(path);
	return there;
}

static void expire_variant(const struct rerere_gc *g, const char *dir, const char *suffix)
{
	static const char *const names[] = { "thisimage", "postimage", "preimage" };
	timestamp_t when;
	bool expired = file_time(dir, "postimage", suffix, &when) ? when < g->resolved_before :
		       file_time(dir, "preimage", suffix, &when) && when < g->unresolved_before;

	for (size_t i = 0; expired && i < ARRAY_SIZE(names); i++) {
		char *path = xstrfmt("%s/%s%s", dir, names[i], suffix);

		(void)RETRY_EINTR(sys->unlink(path));
		free(path);
	}
}

/* The suffixes of the files of the conflict: "", ".1". */
static void expire_conflict(const struct rerere_gc *g, const char *path)
{
	struct string_list suffixes = STRING_LIST_INIT;
	DIR *dir = opendir(path);
	struct dirent *de;
	const char *rest;

	while (dir && (de = readdir(dir)))
		if ((skip_prefix(de->d_name, "preimage", &rest) ||
		     skip_prefix(de->d_name, "postimage", &rest)) && (!*rest || *rest == '.'))
			string_list_append(&suffixes, rest);
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < suffixes.nr; i++)
		expire_variant(g, path, suffixes.items[i].string);
	string_list_clear(&suffixes, NULL);
	(void)RETRY_EINTR(sys->rmdir(path)); /* if nothing is left */
}

static int expire_all(void *data, struct err *err UNUSED)
{
	struct rerere_gc *g = data;
	DIR *dir = opendir(g->top);
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		char *path = path_join(g->top, de->d_name);

		if (de->d_name[0] != '.')
			expire_conflict(g, path);
		free(path);
	}
	if (dir)
		closedir(dir);
	fsync_batch_note_dir(repo_operation_batch(g->op), FSYNC_OTHER, g->top);
	return 0;
}

static void rerere_gc_free(void *data, bool published UNUSED)
{
	struct rerere_gc *g = data;

	lockfile_release(&g->lock);
	free(g->top);
	free(g);
}

int rerere_gc_run(struct repo_operation *op, struct repository *r, struct err *err)
{
	struct rerere_gc *g = xcalloc(1, sizeof(*g));
	struct fsync_staging s = {
		.component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE, .how = PUBLISH_CALL,
		.fd = -1, .done = rerere_gc_free, .call = expire_all, .data = g,
	};
	char *lock = repo_state_path(r, STATE_MERGE_RR);
	struct stat st;
	int rc;

	*g = (struct rerere_gc){ .op = op, .top = repo_path(r, "rr-cache"), .lock = LOCKFILE_INIT };
	s.final_path = g->top;
	rc = read_limit(r->config, "gc.rerereresolved", 60, &g->resolved_before, err);
	if (!rc)
		rc = read_limit(r->config, "gc.rerereunresolved", 15, &g->unresolved_before, err);
	if (rc < 0 || stat(g->top, &st) < 0 || lockfile_hold(&g->lock, lock, 0, 0, NULL) < 0)
		rerere_gc_free(g, false);
	else
		rc = fsync_batch_stage(repo_operation_batch(op), &s, err);
	free(lock);
	return rc;
}
