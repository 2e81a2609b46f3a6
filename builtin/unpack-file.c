/* SPDX-License-Identifier: GPL-2.0-only */
/* git-unpack-file(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fs/tempfile.h"
#include "util/path.h"
#include "history/names/revparse.h"
#include "write-or-die.h"

static const char *const usage[] = { "git unpack-file <blob>", NULL };

int cmd_unpack_file(int argc, const char **argv, struct command_ctx *ctx)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	struct tempfile *t;
	struct option opts[] = { OPT_END() };

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (revparse_oid(ctx->repo, argv[0], &oid, &err) < 0)
		die("Not a valid object name %s", argv[0]);
	if (odb_read(ctx->repo->odb, &oid, &buf, &err) < 0 || buf.type != OBJ_BLOB)
		die("unable to read blob object %s", oid_hex(&oid));
	if (tempfile_create_in(&t, ".", ".merge_file_", 0600, &err) < 0 ||
	    write_in_full(t->fd, buf.data, buf.size, t->path, &err) < 0 ||
	    tempfile_close(t, &err) < 0)
		die_err(&err);
	puts(path_basename(t->path));
	tempfile_forget(&t);
	object_buf_release(&buf);
	return finish_stdout() ? 128 : 0;
}
