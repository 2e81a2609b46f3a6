/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/gc-files.h"
#include <signal.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/date.h"

#define PID_FILE_AGE (12 * 60 * 60) /* seconds; no gc takes longer */
#define PID_FILE_MAX 4096
#define LOG_MAX (16 * 1024 * 1024)
#define HOST_MAX 256

/* Give the lock its name, without a flush. */
static int publish(struct lockfile *lk, struct err *err)
{
	static const struct fsync_batch_options nothing; /* no component is covered */
	struct fsync_batch *b = fsync_batch_new(&nothing);
	int rc = lockfile_stage(lk, b, FSYNC_OTHER, PUBLISH_FILE, err);

	if (!rc)
		rc = fsync_batch_publish(b, err);
	fsync_batch_free(b);
	return rc;
}

/* ---- gc.pid ---- */

static void our_host(char host[HOST_MAX])
{
	if (gethostname(host, HOST_MAX - 1))
		snprintf(host, HOST_MAX, "unknown");
	host[HOST_MAX - 1] = '\0';
}

/* Is the one of whom the file speaks at work? */
static bool is_held(const char *path, const char *host, char *other, uintmax_t *pid)
{
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	bool held = false;

	if (!stat(path, &st) && time(NULL) - st.st_mtime <= PID_FILE_AGE &&
	    !read_file(&text, path, PID_FILE_MAX, NULL) &&
	    sscanf(text.buf, "%" SCNuMAX " %255s", pid, other) == 2)
		held = strcmp(host, other) != 0 || !kill((pid_t)*pid, 0) || errno == EPERM;
	strbuf_release(&text);
	return held;
}

static int write_pid(struct lockfile *lk, const char *host, struct err *err)
{
	char text[HOST_MAX + 32];
	int len = snprintf(text, sizeof(text), "%" PRIuMAX " %s", (uintmax_t)getpid(), host);

	return write_in_full(lk->tf->fd, text, (size_t)len, lk->tf->path, err);
}

int gc_lock_take(struct gc_lock *l, struct repository *r, bool force, struct err *err)
{
	char host[HOST_MAX], other[HOST_MAX];
	char *path = repo_path(r, "gc.pid");
	struct lockfile lk = LOCKFILE_INIT;
	uintmax_t pid;
	int rc;

	our_host(host);
	rc = lockfile_hold(&lk, path, 0, 0, err);
	if (!rc && !force && is_held(path, host, other, &pid))
		rc = err_set(err, ERR_LOCKED, "gc is already running on machine '%s' pid %" PRIuMAX
			     " (use --force if not)", other, pid);
	if (!rc)
		rc = write_pid(&lk, host, err);
	if (!rc)
		rc = publish(&lk, err);
	if (!rc)
		l->pid_file = tempfile_register(path);
	lockfile_release(&lk);
	free(path);
	return rc;
}

void gc_lock_release(struct gc_lock *l)
{
	tempfile_delete(&l->pid_file);
}

/* ---- gc.log ---- */

int gc_log_read(struct repository *r, struct strbuf *text, char **path, struct err *err)
{
	const struct config_entry *e = config_get(r->config, "gc.logexpiry");
	timestamp_t expire = date_approxidate("1.day.ago", NULL);
	char *name = repo_path(r, "gc.log");
	struct stat st;
	int rc = e ? config_entry_expiry(e, &expire, err) : 0;

	if (!rc && !stat(name, &st) && st.st_mtime >= 0 && (timestamp_t)st.st_mtime >= expire &&
	    !read_file(text, name, LOG_MAX, NULL) && text->len) {
		*path = name;
		return 1;
	}
	free(name);
	return rc;
}

int gc_log_open(struct lockfile *lk, struct repository *r, struct err *err)
{
	char *path = repo_path(r, "gc.log");
	int rc = lockfile_hold(lk, path, 0, 0, err);

	free(path);
	return rc;
}

void gc_log_close(struct lockfile *lk)
{
	struct stat st;

	if (!lockfile_is_held(lk))
		return;
	if (fstat(lk->tf->fd, &st) < 0 || st.st_size)
		(void)!publish(lk, NULL);
	else
		(void)RETRY_EINTR(sys->unlink(lk->target));
	lockfile_release(lk);
}

void gc_log_remove(struct repository *r)
{
	char *path = repo_path(r, "gc.log");

	(void)RETRY_EINTR(sys->unlink(path));
	free(path);
}
