/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/fetch-common.h"
#include "write-or-die.h"

int client_protocol_version(const struct config_set *c, int *out, struct err *err)
{
	const char *value = "2";
	int rc = config_get_string(c, "protocol.version", &value, err);

	if (rc < 0)
		return rc;
	if (strlen(value) != 1 || *value < '0' || *value > '2')
		return err_set(err, ERR_INVALID, "unknown value for config 'protocol.version': %s", value);
	*out = *value - '0';
	return 0;
}

void show_remote_words(void *data UNUSED, const char *text, size_t len)
{
	fwrite(text, 1, len, stderr);
	fflush(stderr);
}
