/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <sys/utsname.h>
#include "build-info.h"
#include "builtin/builtin.h"
#include "wire/version.h"

static const char *const usage[] = { "git version [--build-options]", NULL };

static void print_build_options(void)
{
	struct utsname machine;

	printf("sluice: %s\n", SLUICE_VERSION);
	printf("cpu: %s\n", uname(&machine) < 0 ? "unknown" : machine.machine);
	printf("sizeof-long: %zu\n", sizeof(long));
	printf("sizeof-size_t: %zu\n", sizeof(size_t));
	puts("shell-path: /bin/sh");
	puts("default-hash: sha1");
	puts("default-ref-format: files");
	printf("prefix: %s\n", SLUICE_PREFIX);
	printf("exec-path: %s\n", SLUICE_EXEC_PATH);
}

int cmd_version(int argc, const char **argv, struct command_ctx *ctx)
{
	int build_options = 0;
	struct option opts[] = {
		OPT_BOOL(0, "build-options", &build_options, "also print build options"),
		OPT_END()
	};

	(void)ctx;
	parse_options(argc, argv, opts, usage, 0);
	printf("git version " GIT_COMPATIBLE_VERSION ".sluice.%s\n", SLUICE_VERSION);
	if (build_options)
		print_build_options();
	return 0;
}
