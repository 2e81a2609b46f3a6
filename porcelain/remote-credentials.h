/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transfer.credentialsInUrl: git-config(1). Commands call it once per remote, before they use or print a URL of it.
 */
#ifndef PORCELAIN_REMOTE_CREDENTIALS_H
#define PORCELAIN_REMOTE_CREDENTIALS_H

#include "repo/remotes.h"

/*
 * Prints a warning for each URL with a password where the setting is "warn". ERR_INVALID: the setting is "die" and a URL
 * has a password, or the setting has another value. Looks at the URLs for fetching, as Git does, and not at pushurl.
 */
MUST_USE int remote_check_credentials(const struct config_set *c, const struct remote *remote, struct err *err);

#endif
