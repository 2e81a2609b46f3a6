/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of a branch that gets another name. It is written anew and renamed into
 * place before the refs change; that of the old name goes with its ref (D5), so
 * that one of the two is there at every moment.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/files/files-internal.h"
#include "refs/files/reflog-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define TRIES 4

/* Whole lines only: a crash may have left half of one. */
static int read_log(struct ref_store *rs, const char *name, struct strbuf *out, bool *exists,
		    struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	*exists = files_reflog_exists(rs, name);
	reflog_path(rs, name, &path);
	if (*exists)
		rc = read_file(out, path.buf, 0, err);
	while (!rc && out->len && out->buf[out->len - 1] != '\n')
		strbuf_setlen(out, out->len - 1);
	strbuf_release(&path);
	return rc;
}

/* Others make and remove directories at the same time, as they change refs. */
static int lock_log(struct ref_store *rs, const char *name, const char *path,
		    struct lockfile *lk, struct fsync_batch *b, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	for (int try = 0; try < TRIES; try++) {
		err_release(&why);
		rc = ref_make_parents(rs, path, b, &why);
		if (rc < 0 && !reflog_remove_orphan_above(rs, name))
			break;
		if (rc < 0)
			continue;
		rc = is_directory(path) ? reflog_clear_dir(path, &why) : 0;
		if (!rc)
			rc = lockfile_hold(lk, path, LOCK_NO_DEREF, files_store(rs)->lock_timeout_ms, &why);
		if (rc >= 0 || why.sys_errno != ENOENT)
			break;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int stage_moved_log(struct ref_store *rs, const char *name, const struct strbuf *text,
		     struct fsync_batch *b, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf path = STRBUF_INIT;
	int rc;

	reflog_path(rs, name, &path);
	rc = lock_log(rs, name, path.buf, &lk, b, err);
	if (!rc)
		rc = apply_shared_perm(lk.tf->path, files_store(rs)->shared_perm, err);
	if (!rc)
		rc = write_in_full(lk.tf->fd, text->buf, text->len, lk.tf->path, err);
	if (!rc)
		rc = lockfile_stage(&lk, b, FSYNC_REFERENCE, PUBLISH_REFLOG, err);
	lockfile_release(&lk);
	strbuf_release(&path);
	return rc;
}

int reflog_stage_renamed(struct ref_store *rs, const char *from, const char *to,
			 const struct object_id *oid, const char *ident, const char *msg,
			 struct fsync_batch *b, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	bool exists;
	int rc = read_log(rs, from, &text, &exists, err);

	if (rc < 0)
		goto out;
	if (!exists && (!msg || !reflog_is_wanted(rs, to))) {
		/* There is no log to continue. */
		rc = reflog_stage_removal(rs, to, PUBLISH_REFLOG, b, err);
		goto out;
	}
	if (msg)
		strbuf_addf(&text, "%s %s %s\t%s\n", oid_hex(oid), oid_hex(oid), ident,
			    msg);
	rc = stage_moved_log(rs, to, &text, b, err);
out:
	if (rc < 0)
		err_prefix(err, "cannot move the reflog of '%s'", from);
	strbuf_release(&text);
	return rc;
}
