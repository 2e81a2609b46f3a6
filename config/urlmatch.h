/* SPDX-License-Identifier: GPL-2.0-only */
/* section.<url>.variable: which value is for this URL. git-config(1), http.<url>.*. */
#ifndef CONFIG_URLMATCH_H
#define CONFIG_URLMATCH_H

#include "compat/posix.h"
#include "config/config.h"


struct url_config_result {
	const struct config_entry *entry; /* belongs to the set */
	char *key;			  /* "section.variable" */
};
/*
 * For `variable` of `section`, or each of its variables if NULL, sorted: the value
 * that fits the URL best; "section.variable" without URL fits worst.
 */
MUST_USE int url_config_match(const struct config_set *c, const char *section,
			      const char *variable, const char *url,
			      struct url_config_result **out, size_t *nr, struct err *err);
void url_config_result_free(struct url_config_result *r, size_t nr);

#endif
