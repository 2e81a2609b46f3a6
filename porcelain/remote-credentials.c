/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/remote-credentials.h"
#include "cli/cli.h"
#include "transport/url.h"

int remote_check_credentials(const struct config_set *c, const struct remote *remote, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < remote->urls.nr; i++) {
		char *message = NULL;

		rc = url_check_credentials(c, remote->urls.v[i], &message, err);
		if (message)
			warning("%s", message);
		free(message);
	}
	return rc;
}
