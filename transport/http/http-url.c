/* SPDX-License-Identifier: GPL-2.0-only */
/* Do two URLs lead to the same server? */
#include "compat/posix.h"
#include "transport/http/http-internal.h"

static char *url_part(CURLU *u, CURLUPart part, unsigned flags)
{
	char *value = NULL;

	return u && !curl_url_get(u, part, &value, flags) ? value : NULL;
}

bool http_url_leads_away(const char *from, const char *to)
{
	CURLU *u = curl_url();
	char *whole = NULL;
	bool away;

	if (u && !curl_url_set(u, CURLUPART_URL, from, 0) && !curl_url_set(u, CURLUPART_URL, to, CURLU_NON_SUPPORT_SCHEME))
		whole = url_part(u, CURLUPART_URL, 0);
	away = !whole || !http_url_same_origin(from, whole);
	curl_free(whole);
	curl_url_cleanup(u);
	return away;
}

bool http_url_same_origin(const char *a, const char *b)
{
	static const CURLUPart parts[] = { CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT };
	CURLU *x = curl_url(), *y = curl_url();
	bool same = x && y && !curl_url_set(x, CURLUPART_URL, a, 0) && !curl_url_set(y, CURLUPART_URL, b, 0);

	for (size_t i = 0; same && i < ARRAY_SIZE(parts); i++) {
		char *p = url_part(x, parts[i], CURLU_DEFAULT_PORT), *q = url_part(y, parts[i], CURLU_DEFAULT_PORT);

		same = p && q && !strcasecmp(p, q);
		curl_free(p);
		curl_free(q);
	}
	curl_url_cleanup(x);
	curl_url_cleanup(y);
	return same;
}
