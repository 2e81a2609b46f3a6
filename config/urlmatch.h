/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration per URL: "section.<url>.variable" (git-config(1), http.<url>.*). If
 * several entries have a matching URL pattern, the most specific one counts.
 */
#ifndef CONFIG_URLMATCH_H
#define CONFIG_URLMATCH_H

#include "compat/posix.h"
#include "config/config.h"


struct url_config_result {
	const struct config_entry *entry; /* belongs to the set */
	char *key;			  /* "section.variable" */
};
/*
 * The best match for `url` of `variable` in `section`, or of every variable (NULL), sorted.
 * "section.variable" without a URL matches every URL, as the least specific one. ERR_INVALID
 * if `url` is malformed. Free *out by url_config_result_free.
 */
MUST_USE int url_config_match(const struct config_set *c, const char *section,
			      const char *variable, const char *url,
			      struct url_config_result **out, size_t *nr, struct err *err);
/*
 * Does the pattern of "section.<pattern>.variable" fit this URL? Both are normalized first; what cannot be parsed
 * fits nothing.
 */
bool url_config_pattern_matches(const char *pattern, const char *url);
/*
 * All matching values of a variable that may have several, in order; an entry that is less specific than one
 * before it is left out. section and variable are in lower case. The caller frees *out; the set owns the entries.
 */
MUST_USE int url_config_match_all(const struct config_set *c, const char *section, const char *variable,
				  const char *url, const struct config_entry ***out, size_t *nr, struct err *err);
void url_config_result_free(struct url_config_result *r, size_t nr);

#endif
