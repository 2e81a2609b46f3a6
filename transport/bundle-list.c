/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config.h"
#include "transport/bundle-list.h"
#include "transport/download.h"
#include "util/alloc.h"

void bundle_list_release(struct bundle_list *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->items[i].id);
		free(l->items[i].uri);
	}
	free(l->items);
	*l = (struct bundle_list)BUNDLE_LIST_INIT;
}

/* ---- one key ---- */

/* NULL: there are too many. */
static struct bundle_list_item *item_of(struct bundle_list *l, const char *id, size_t len)
{
	for (size_t i = 0; i < l->nr; i++)
		if (strlen(l->items[i].id) == len && !strncmp(l->items[i].id, id, len))
			return &l->items[i];
	if (l->nr >= BUNDLE_LIST_ITEMS_MAX)
		return NULL;
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr] = (struct bundle_list_item){ .id = xstrndup(id, len) };
	return &l->items[l->nr++];
}

static bool parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && !*end;
}

static int take_general(struct bundle_list *l, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "version")) {
		if (strcmp(value, "1") != 0)
			return err_set(err, ERR_INVALID, "a bundle list of version '%s'", value);
		l->version = 1;
	} else if (!strcmp(name, "mode")) {
		l->mode = !strcmp(value, "all") ? BUNDLE_LIST_ALL : !strcmp(value, "any") ? BUNDLE_LIST_ANY : BUNDLE_LIST_NONE;
		if (!l->mode)
			return err_set(err, ERR_INVALID, "bad value of bundle.mode: '%s'", value);
	} else if (!strcmp(name, "heuristic")) {
		l->by_token = !strcmp(value, "creationToken");
	}
	return 0;
}

/* key: canonical, without "bundle."; others are passed over. */
static int take_key(struct bundle_list *l, const char *key, const char *value, struct err *err)
{
	const char *dot = strrchr(key, '.');
	struct bundle_list_item *item;

	if (!value)
		return 0;
	if (!dot)
		return take_general(l, key, value, err);
	item = item_of(l, key, (size_t)(dot - key));
	if (!item)
		return err_set(err, ERR_TOO_BIG, "too many bundles in a list");
	if (!strcmp(dot + 1, "uri")) {
		free(item->uri);
		item->uri = xstrdup(value);
	} else if (!strcmp(dot + 1, "creationtoken") && !parse_number(value, &item->token)) {
		return err_set(err, ERR_INVALID, "bad value of bundle.%s: '%s'", key, value);
	}
	return 0;
}

/* ---- all of it ---- */

/* Drop bundles without a URI. */
static int finish(struct bundle_list *l, const char *base, bool is_dir, struct err *err)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct bundle_list_item *item = &l->items[i];
		char *uri = item->uri && *item->uri ? uri_resolve(base, is_dir, item->uri) : NULL;

		free(item->uri);
		item->uri = uri;
		if (uri)
			l->items[nr++] = *item;
		else
			free(item->id);
	}
	l->nr = nr;
	if (l->version != 1)
		return err_set(err, ERR_INVALID, "a bundle list without a version");
	return l->mode ? 0 : err_set(err, ERR_INVALID, "a bundle list without a mode");
}

int bundle_list_read_text(struct bundle_list *l, const char *text, size_t len, const char *base, struct err *err)
{
	struct config_set *c = config_set_new();
	const char *key;
	int rc = 0;

	if (len > BUNDLE_LIST_BYTES_MAX)
		rc = err_set(err, ERR_TOO_BIG, "the list of bundles at '%s' is too long", base);
	if (!rc)
		rc = config_set_read_buf(c, text, len, base, CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL, err);
	for (size_t i = 0; !rc && i < config_nr(c); i++)
		if (skip_prefix(config_at(c, i)->key, "bundle.", &key))
			rc = take_key(l, key, config_at(c, i)->value, err);
	config_set_free(c);
	return rc ? rc : finish(l, base, false, err);
}

int bundle_list_read_lines(struct bundle_list *l, const struct strvec *lines, const char *base, struct err *err)
{
	struct strbuf key = STRBUF_INIT;
	const char *rest;
	int rc = 0;

	for (size_t i = 0; !rc && i < lines->nr; i++) {
		const char *equals = strchr(lines->v[i], '=');
		char *name = equals ? xstrndup(lines->v[i], (size_t)(equals - lines->v[i])) : NULL;

		strbuf_reset(&key);
		if (name && !config_key_parse(&key, name, NULL) && skip_prefix(key.buf, "bundle.", &rest))
			rc = take_key(l, rest, equals + 1, err);
		free(name);
	}
	strbuf_release(&key);
	return rc ? rc : finish(l, base, true, err);
}
