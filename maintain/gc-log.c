/* SPDX-License-Identifier: GPL-2.0-only */
/* See gc-log.h. */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "maintain/gc-log.h"
#include "operation.h"
#include "util/alloc.h"
#include "util/date.h"
#include "write-or-die.h"

#define LOG_BYTES_MAX ((size_t)64 * 1024)
#define DEFAULT_EXPIRY "1.day.ago"

static int read_expiry(struct repository *r, timestamp_t *out, struct err *err)
{
	const struct config_entry *e = config_get(r->config, "gc.logexpiry");

	if (e)
		return config_entry_expiry(e, out, err);
	return date_parse_expiry(DEFAULT_EXPIRY, out) < 0 ? ERR_INVALID : 0;
}

int gc_log_read(struct repository *r, struct strbuf *out, bool *failed, struct err *err)
{
	char *path = xstrfmt("%s/gc.log", r->commondir);
	timestamp_t expiry = 0;
	struct stat st;
	int rc = read_expiry(r, &expiry, err);

	if (!rc) {
		*failed = !stat(path, &st) && st.st_size && (timestamp_t)st.st_mtime > expiry;
		if (*failed)
			rc = read_file(out, path, LOG_BYTES_MAX, err);
	}
	free(path);
	return rc;
}

static int stage_text(struct repo_operation *op, struct repository *r, const char *path,
		      const struct strbuf *text, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, 0, 0, err);

	if (!rc && r->settings.shared_perm)
		rc = apply_shared_perm(lk.tf->path, r->settings.shared_perm, err);
	if (!rc)
		rc = write_in_full(lk.tf->fd, text->buf,
				   text->len < LOG_BYTES_MAX ? text->len : LOG_BYTES_MAX, lk.tf->path, err);
	if (!rc)
		rc = lockfile_stage(&lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_FILE_LATE, err);
	lockfile_release(&lk);
	return rc;
}

int gc_log_write(struct repository *r, const struct strbuf *text, struct err *err)
{
	char *path = xstrfmt("%s/gc.log", r->commondir);
	struct repo_operation *op;
	int rc = 0;

	if (text->len || file_exists(path)) {
		op = repo_operation_begin(r);
		rc = text->len ? stage_text(op, r, path, text, err) :
				 repo_operation_remove_file(op, path, err);
		rc = repo_operation_end(op, rc, err);
	}
	free(path);
	return rc;
}
