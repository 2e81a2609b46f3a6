/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Only main(): see builtin/remote-http/remote-http.h. What needs libcurl is one program under several names, so that no other command pays for
 * that.
 */
#include "compat/posix.h"
#include "builtin/remote-http/remote-http.h"

static const struct {
	const char *name;
	int (*main)(int argc, const char **argv);
} programs[] = {
	{ "git-http-fetch", http_fetch_main },
	{ "git-http-push", http_push_main },
};

int main(int argc, const char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argc ? argv[0] : "";

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(name, programs[i].name))
			return programs[i].main(argc, argv);
	return remote_http_main(argc, argv);
}
