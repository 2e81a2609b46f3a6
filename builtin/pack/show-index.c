/* SPDX-License-Identifier: GPL-2.0-only */
/* git-show-index(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "pack/pack.h"

static const char *const usage[] = {
	"git show-index [--object-format=<hash-algorithm>] < <pack-idx-file>",
	NULL
};

static int show_entry(void *data UNUSED, const struct object_id *oid, uint64_t offset,
		      const uint32_t *crc)
{
	printf("%" PRIu64 " %s", offset, oid_hex(oid));
	if (crc)
		printf(" (%08x)", *crc);
	putchar('\n');
	return 0;
}

int cmd_show_index(int argc, const char **argv, struct command_ctx *ctx)
{
	const struct hash_algo *algo = ctx->repo ? ctx->repo->algo : NULL;
	const char *format = NULL;
	struct strbuf in = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct option opts[] = {
		OPT_STRING(0, "object-format", &format, "hash-algorithm",
			   "specify the hash algorithm to use"),
		OPT_END()
	};

	(void)parse_options(argc, argv, opts, usage, 0);
	if (format && !(algo = hash_algo_by_name(format)))
		die("Unknown hash algorithm");
	if (!algo) {
		warning("assuming SHA-1; use --object-format to override");
		algo = hash_sha1;
	}
	if (read_fd(&in, 0, 0, "standard input", &err) < 0)
		die_err(&err);
	if (in.len < 2 * sizeof(uint32_t))
		die("unable to read header");
	if (pack_index_foreach(in.buf, in.len, "standard input", algo, show_entry, NULL, &err) < 0)
		die_err(&err);
	strbuf_release(&in);
	return finish_stdout() ? 128 : 0;
}
