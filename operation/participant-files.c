/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are neither objects, index nor refs: configuration, lists. State: participant-state.c.
 * The functions that write them stage them in the batch at once.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "operation/operation-internal.h"
#include "util/path.h"

int repo_operation_remove_file(struct repo_operation *op, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };
	struct stat st;

	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	/* A directory of that name is not ours: its removal would fail when all is published. */
	return !lstat(path, &st) && !S_ISDIR(st.st_mode) ? fsync_batch_stage(op->batch, &s, err) : 0;
}

/* Written in place or as a new file: both are covered. A missing file is fine. */
static int stage_written(struct fsync_batch *b, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE,
				   .how = PUBLISH_IN_PLACE, .final_path = path };
	struct strbuf dir = STRBUF_INIT;

	s.fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0));
	if (s.fd < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "unable to open '%s'", path);
	path_dirname(&dir, path);
	fsync_batch_note_dir(b, FSYNC_OTHER, dir.buf);
	strbuf_release(&dir);
	return fsync_batch_stage(b, &s, err);
}

int repo_operation_add_written_file(struct repo_operation *op, const char *path,
				    struct err *err)
{
	char *real = path_real(path, 1);
	int rc;

	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	rc = real ? stage_written(op->batch, real, err) : err_set_errno(err, "unable to open '%s'", path);
	free(real);
	return rc;
}

/* ---- the steps ---- */

static bool files_are_pending(const struct repo_operation *op)
{
	return !fsync_batch_is_empty(op->batch);
}

static void abort_files(struct repo_operation *op)
{
	fsync_batch_abort(op->batch);
}

const struct operation_participant operation_files = {
	.without_repository = true,
	.is_pending = files_are_pending,
	.abort = abort_files,
};
