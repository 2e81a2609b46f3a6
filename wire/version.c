/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "build-info.h"
#include "wire/version.h"

int protocol_version_requested(void)
{
	const char *at = getenv("GIT_PROTOCOL");
	int version = 0;

	for (; at && *at; at += strcspn(at, ":")) {
		const char *value;

		at += strspn(at, ":");
		if (skip_prefix(at, "version=", &value) && *value >= '0' && *value <= '2' &&
		    (value[1] == ':' || !value[1]) && *value - '0' > version)
			version = *value - '0';
	}
	return version;
}

void append_agent(struct strbuf *out)
{
	const char *env = getenv("GIT_USER_AGENT");

	if (!env)
		env = "git/" GIT_COMPATIBLE_VERSION ".sluice." SLUICE_VERSION;
	for (; *env; env++)
		strbuf_addch(out, *env > 32 && *env < 127 ? *env : '.');
}
