/* SPDX-License-Identifier: GPL-2.0-only */
/* git-verify-commit(1) */
#include "compat/posix.h"
#include "builtin/tag/gpg.h"
#include "history/names/revparse.h"

static const char *const usage[] = {
	"git verify-commit [-v | --verbose] [--raw] <commit>...",
	NULL
};

static bool read_commit(struct repository *r, const char *name, struct object_buf *buf)
{
	struct object_id oid;

	if (revparse_oid(r, name, &oid, NULL) < 0) {
		error("commit '%s' not found.", name);
		return false;
	}
	if (odb_read(r->odb, &oid, buf, NULL) < 0) {
		error("%s: unable to read file.", name);
		return false;
	}
	if (buf->type == OBJ_COMMIT)
		return true;
	error("%s: cannot verify a non-commit object of type %s.", name,
	      object_type_name(buf->type));
	object_buf_release(buf);
	return false;
}

/* False: it is not good, or not there. */
static bool verify_commit_verify(struct repository *r, const char *name, unsigned flags)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	bool good;
	int rc;

	if (!read_commit(r, name, &buf))
		return false;
	rc = signature_check_commit(&c, r, buf.data, buf.size, &err);
	if (rc == ERR_INVALID)
		die_err(&err);
	if (rc < 0)
		report_error(&err);
	else
		gpg_show_check(&c, c.is_signed ? flags : 0);
	good = c.good;
	signature_check_release(&c);
	object_buf_release(&buf);
	return good;
}

int cmd_verify_commit(int argc, const char **argv, struct command_ctx *ctx)
{
	unsigned flags = 0;
	struct option opts[] = {
		OPT_BIT('v', "verbose", &flags, "print commit contents", GPG_VERIFY_VERBOSE),
		OPT_BIT(0, "raw", &flags, "print raw gpg status output", GPG_VERIFY_RAW),
		OPT_END()
	};
	bool good = true;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		usage_with_options(usage, opts);
	for (int i = 0; i < argc; i++)
		good &= verify_commit_verify(ctx->repo, argv[i], flags);
	return finish_stdout() ? 128 : !good;
}
