/* SPDX-License-Identifier: GPL-2.0-only */
/* git-patch-id(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/patch-id.h"

static const char *const usage[] = { "git patch-id [--stable | --unstable | --verbatim]", NULL };

static void print_patch_id(void *data UNUSED, const struct object_id *id, const struct object_id *commit)
{
	printf("%s ", oid_hex(id));
	printf("%s\n", oid_hex(commit));
}

static int configured_kind(const struct config_set *c)
{
	bool stable = false, verbatim = false;
	struct err err = ERR_INIT;

	if (config_get_bool(c, "patchid.stable", &stable, &err) < 0 || config_get_bool(c, "patchid.verbatim", &verbatim, &err) < 0)
		die_err(&err);
	return verbatim ? PATCH_ID_VERBATIM : stable ? PATCH_ID_STABLE : PATCH_ID_UNSTABLE;
}

int cmd_patch_id(int argc, const char **argv, struct command_ctx *ctx)
{
	int mode = 0, kind; /* mode: one more than the kind; 0: not chosen */
	struct option opts[] = {
		OPT_CMDMODE(0, "unstable", &mode, "use the unstable patch ID algorithm", 1 + PATCH_ID_UNSTABLE),
		OPT_CMDMODE(0, "stable", &mode, "use the stable patch ID algorithm", 1 + PATCH_ID_STABLE),
		OPT_CMDMODE(0, "verbatim", &mode, "don't strip whitespace from the patch", 1 + PATCH_ID_VERBATIM),
		OPT_END(),
	};
	struct patch_ids *ids;
	char *line = NULL;
	size_t size = 0;

	parse_options(argc, argv, opts, usage, 0);
	kind = mode ? mode - 1 : configured_kind(command_config(ctx->repo));
	ids = patch_ids_new(ctx->repo ? ctx->repo->algo : hash_sha1, (enum patch_id_kind)kind, print_patch_id, NULL);
	while (getline(&line, &size, stdin) >= 0)
		patch_ids_line(ids, line);
	patch_ids_end(ids);
	free(line);
	if (ferror(stdin))
		die("could not read the input: %s", strerror(errno));
	return finish_stdout();
}
