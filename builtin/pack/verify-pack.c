/* SPDX-License-Identifier: GPL-2.0-only */
/* git-verify-pack(1): a pack is read as index-pack reads it, and compared with its index. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/pack/pack-input.h"
#include "intake/confined.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx...",
	NULL
};

struct verify_pack {
	const struct hash_algo *algo;
	int verbose, stat_only;
};

/* The path of a file of the pack, which is named with .idx, with .pack, or without. Caller frees. */
static char *path_of(const char *arg, const char *ext)
{
	size_t len = strlen(arg);

	if (len > 4 && !strcmp(arg + len - 4, ".idx"))
		len -= 4;
	else if (len > 5 && !strcmp(arg + len - 5, ".pack"))
		len -= 5;
	return xstrfmt("%.*s.%s", (int)len, arg, ext);
}

static int verify_pack_verify(struct verify_pack *v, const char *pack, const char *idx,
			      struct err *err)
{
	/* Without a database: each object would be compared with itself. */
	struct pack_receive_options o = { .algo = v->algo };
	struct pack_receive *rx = pack_receive_new(&o);
	int rc = 0;

	if (access(idx, R_OK) < 0)
		rc = err_set_errno(err, "Cannot open existing pack idx file for '%s'", idx);
	if (!rc)
		rc = pack_receive_file(rx, pack, err);
	if (!rc)
		rc = pack_receive_resolve(rx, err);
	if (!rc && !v->stat_only)
		rc = pack_receive_verify_idx(rx, idx, err);
	if (!rc && (v->verbose || v->stat_only))
		print_pack_statistics(rx, !v->stat_only);
	pack_receive_free(rx);
	return rc;
}

/* This process, for good: it reads the packs alone. */
static void confine(struct repository *r, int argc, const char **argv)
{
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < argc; i++) {
		char *pack = path_of(argv[i], "pack"), *idx = path_of(argv[i], "idx");

		strvec_push(&files, pack);
		strvec_push(&files, idx);
		free(pack);
		free(idx);
	}
	if (intake_confine_reader(r, files.v, &err) < 0)
		die_err(&err);
	strvec_clear(&files);
}

static int verify_one(struct verify_pack *v, const char *arg)
{
	char *pack = path_of(arg, "pack"), *idx = path_of(arg, "idx");
	struct err err = ERR_INIT;
	int rc = verify_pack_verify(v, pack, idx, &err);

	if (rc < 0)
		(void)report_fatal(&err);
	if (v->verbose && !v->stat_only)
		printf("%s: %s\n", pack, rc < 0 ? "bad" : "ok");
	free(pack);
	free(idx);
	return rc < 0;
}

int cmd_verify_pack(int argc, const char **argv, struct command_ctx *ctx)
{
	struct verify_pack v = { .algo = ctx->repo ? ctx->repo->algo : hash_sha1 };
	const char *format = NULL;
	int failures = 0;
	struct option opts[] = {
		OPT_BOOL('v', "verbose", &v.verbose, "verbose"),
		OPT_BOOL('s', "stat-only", &v.stat_only, "show statistics only"),
		OPT_STRING(0, "object-format", &format, "hash", "specify the hash algorithm to use"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		usage_with_options(usage, opts);
	if (format && !(v.algo = hash_algo_by_name(format)))
		die("unknown hash algorithm '%s'", format);
	confine(ctx->repo, argc, argv);
	for (int i = 0; i < argc; i++)
		failures |= verify_one(&v, argv[i]);
	return finish_stdout() ? 128 : failures;
}
