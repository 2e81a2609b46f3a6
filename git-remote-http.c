/* SPDX-License-Identifier: GPL-2.0-only */
/* Only main(): see builtin/remote-http.h. */
#include "compat/posix.h"
#include "builtin/remote-http.h"

int main(int argc, const char **argv)
{
	return remote_http_main(argc, argv);
}
