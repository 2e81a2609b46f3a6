/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys as users type them. */
#include "compat/posix.h"
#include "config/config-internal.h"

static int ascii_lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int bad_key(struct strbuf *sb, struct err *err, const char *key)
{
	strbuf_release(sb);
	return err_set(err, ERR_INVALID, "invalid key: %s", key);
}

int config_key_parse(struct strbuf *out, const char *key, struct err *err)
{
	const char *first = strchr(key, '.'), *last = strrchr(key, '.'), *p;
	struct strbuf sb = STRBUF_INIT;

	if (!last || last == key)
		return err_set(err, ERR_INVALID, "key does not contain a section: %s", key);
	if (!last[1])
		return err_set(err, ERR_INVALID, "key does not contain variable name: %s", key);

	for (p = key; p < first; p++) {
		if (!config_is_name_char((unsigned char)*p))
			return bad_key(&sb, err, key);
		strbuf_addch(&sb, ascii_lower(*p));
	}
	if (memchr(first, '\n', last - first)) {
		strbuf_release(&sb);
		return err_set(err, ERR_INVALID, "invalid key (newline): %s", key);
	}
	strbuf_add(&sb, first, last + 1 - first);
	if (!config_is_alpha((unsigned char)last[1]))
		return bad_key(&sb, err, key);
	for (p = last + 1; *p; p++) {
		if (!config_is_name_char((unsigned char)*p))
			return bad_key(&sb, err, key);
		strbuf_addch(&sb, ascii_lower(*p));
	}
	strbuf_swap(out, &sb);
	strbuf_release(&sb);
	return 0;
}
