/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of transport/credential*.c share. */
#ifndef CREDENTIAL_CREDENTIAL_INTERNAL_H
#define CREDENTIAL_CREDENTIAL_INTERNAL_H

#include "credential/credential.h"

/* All lines of one credential together. */
#define CREDENTIAL_MAX_BYTES (1u << 20)

/* Take what credential.* and credential.<url>.* say, once. ERR_INVALID; also without host or protocol. */
MUST_USE int credential_configure(struct credential *c, const struct config_set *config, struct err *err);
/* credential_parse; of_helper: capabilities in the text are the helper's, and wwwauth in it is ignored. */
MUST_USE int credential_parse_lines(struct credential *c, const char *text, size_t len, bool of_helper,
				    struct err *err);
/* Is there a username with a password, or an authtype with a credential? */
bool credential_is_complete(const struct credential *c);
/* Forget an expired password. */
void credential_drop_expired(struct credential *c);
void credential_clear_list(struct strvec *list);

#endif
