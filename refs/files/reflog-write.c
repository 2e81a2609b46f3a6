/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line at the end of a reflog: "OLD NEW IDENT\tMESSAGE". It is written and
 * staged before the ref moves, and cut off again if that does not happen.
 */
#include "compat/posix.h"
#include "fs/append.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/reflog-internal.h"
#include "util/alloc.h"
#include <dirent.h>

/*
 * A log may stand where we need a directory: that of a deleted ref, left by a
 * crash between the two removals. No ref has the name any more (that has been
 * checked), so nothing can use it.
 */
bool reflog_remove_orphan_above(const struct ref_store *rs, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	const char *slash;
	bool removed = false;
	struct stat st;

	for (slash = strchr(name, '/'); slash && !removed; slash = strchr(slash + 1, '/')) {
		char *prefix = xstrndup(name, slash - name);

		strbuf_reset(&path);
		reflog_path(rs, prefix, &path);
		if (!lstat(path.buf, &st) && S_ISREG(st.st_mode))
			removed = !remove_file(path.buf, NULL);
		free(prefix);
	}
	strbuf_release(&path);
	return removed;
}

static int append_line(struct ref_store *rs, const char *name, const char *path, bool create,
		       const struct strbuf *line, struct fsync_batch *b, struct err *err)
{
	struct err why = ERR_INIT;
	int rc, try;

	for (try = 0;; try++) {
		ref_dir_pause(try);
		rc = append_and_stage(path, create ? APPEND_CREATE : 0, files_store(rs)->shared_perm,
				      line->buf, line->len, b, FSYNC_REFERENCE,
				      PUBLISH_REFLOG, &why);
		/* It is not there: that is fine, unless it should be. */
		if (rc == ERR_NOT_FOUND && !create) {
			rc = 0;
			break;
		}
		if (!rc || try == REF_DIR_TRIES)
			break;
		if (rc != ERR_NOT_FOUND && why.sys_errno != ENOENT &&
		    why.sys_errno != EISDIR && why.sys_errno != ENOTDIR)
			break;
		if (why.sys_errno == EISDIR && reflog_clear_dir(path, NULL) < 0)
			break;
		if (why.sys_errno == ENOTDIR && (!create || !reflog_remove_orphan_above(rs, name))) {
			rc = create ? rc : 0;
			break;
		}
		err_release(&why);
		if (create && (rc = ref_make_parents(rs, path, b, &why)) < 0 &&
		    !reflog_remove_orphan_above(rs, name))
			break;
		err_release(&why);
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int ref_file_stage_removal(const char *path, enum publish_class order, struct fsync_batch *b,
			   struct err *err)
{
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = order,
		.how = PUBLISH_UNLINK,
		.fd = -1,
		.final_path = path,
	};

	return fsync_batch_stage(b, &s, err);
}

int reflog_stage_removal(struct ref_store *rs, const char *name, enum publish_class order,
			 struct fsync_batch *b, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	reflog_path(rs, name, &path);
	if (files_reflog_exists(rs, name))
		rc = ref_file_stage_removal(path.buf, order, b, err);
	strbuf_release(&path);
	return rc;
}

void reflog_format_entry(struct strbuf *out, const struct object_id *old_oid, const struct object_id *new_oid,
			 const char *ident, const char *msg)
{
	strbuf_addf(out, "%s %s %s", oid_hex(old_oid), oid_hex(new_oid), ident ? ident : "");
	if (msg && *msg)
		strbuf_addf(out, "\t%s", msg);
	strbuf_addch(out, '\n');
}

int reflog_stage_lines(struct ref_store *rs, const char *name, bool create, const struct strbuf *lines,
		       struct fsync_batch *b, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	reflog_path(rs, name, &path);
	rc = append_line(rs, name, path.buf, create, lines, b, err);
	strbuf_release(&path);
	return rc;
}
