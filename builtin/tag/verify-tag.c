/* SPDX-License-Identifier: GPL-2.0-only */
/* git-verify-tag(1) */
#include "compat/posix.h"
#include "builtin/tag/gpg.h"
#include "util/color.h"
#include "history/names/revparse.h"

static const char *const usage[] = {
	"git verify-tag [-v | --verbose] [--format=<format>] [--raw] <tag>...",
	NULL
};

/* False: it is not good, or not there. */
static bool verify_tag_verify(struct repository *r, const char *name, unsigned flags,
			      struct reflist *l)
{
	struct err err = ERR_INIT;
	struct object_id oid;

	if (revparse_oid(r, name, &oid, NULL) < 0) {
		error("tag '%s' not found.", name);
		return false;
	}
	if (!gpg_verify_tag(r, name, &oid, flags))
		return false;
	if (l && gpg_show_tag(l, name, &oid, false, &err) < 0)
		die_err(&err);
	return true;
}

int cmd_verify_tag(int argc, const char **argv, struct command_ctx *ctx)
{
	const char *format = NULL;
	unsigned flags = 0;
	struct option opts[] = {
		OPT_BIT('v', "verbose", &flags, "print tag contents", GPG_VERIFY_VERBOSE),
		OPT_BIT(0, "raw", &flags, "print raw gpg status output", GPG_VERIFY_RAW),
		OPT_STRING(0, "format", &format, "format", "format to use for the output"),
		OPT_END()
	};
	struct reflist *l;
	bool good = true;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		usage_with_options(usage, opts);
	l = gpg_open_format(ctx->repo, format, COLOR_AUTO, usage, opts);
	if (l)
		flags |= GPG_VERIFY_OMIT_STATUS;
	for (int i = 0; i < argc; i++)
		good &= verify_tag_verify(ctx->repo, argv[i], flags, l);
	if (l)
		reflist_free(l);
	return finish_stdout() ? 128 : !good;
}
