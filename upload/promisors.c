/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability "promisor-remote" of version 2: which promisor remotes this repository has, for clients
 * that would like to use them as well (gitprotocol-v2(5); promisor.advertise, promisor.sendFields of
 * git-config(1)). We omit no objects because of what a client says to it, and fetch none.
 */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

static const char *const known_fields[] = { "partialCloneFilter", "token" };

/* Percent-encodes the separators of fields and remotes, and everything but printable ASCII. */
static void add_encoded(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c >= 0x7f || c == ',' || c == ';' || c == '%')
			strbuf_addf(out, "%%%02x", c);
		else
			strbuf_addch(out, c);
	}
}

static const char *value_of(const struct config_set *c, const char *remote, const char *name)
{
	char *key = xstrfmt("remote.%s.%s", remote, name);
	const struct config_entry *e = config_get(c, key);

	free(key);
	return e ? e->value : NULL;
}

/* The spelling that goes out; NULL: no such field. */
static const char *field_name(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_fields); i++)
		if (!strcasecmp(known_fields[i], word))
			return known_fields[i];
	return NULL;
}

static void read_fields(struct upload_server *s, struct string_list *out)
{
	const struct config_entry *e = config_get(s->repo->config, "promisor.sendfields");
	struct string_list words = STRING_LIST_INIT;

	if (e && e->value)
		string_list_split(&words, e->value, ", \t\n");
	for (size_t i = 0; i < words.nr; i++) {
		const char *word = words.items[i].string, *name = field_name(word);

		if (name && !string_list_lookup(out, name))
			string_list_insert(out, name);
		else if (*word && !name)
			repo_warn(s->repo, "unsupported field '%s' in 'promisor.sendFields' config", word);
	}
	string_list_clear(&words, NULL);
}

/* The names of remotes that promise objects, in the order in which the configuration has them. */
static void list_remotes(struct upload_server *s, struct string_list *out)
{
	const struct config_set *c = s->repo->config;
	struct strset seen = STRSET_INIT;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		const char *rest, *dot;
		bool promisor = false;
		char *name;

		if (!skip_prefix(e->key, "remote.", &rest) || !(dot = strrchr(rest, '.')))
			continue;
		if (!strcmp(dot, ".promisor") && config_entry_bool(e, &promisor, NULL) < 0)
			continue;
		if (!promisor && strcmp(dot, ".partialclonefilter") != 0)
			continue;
		name = xstrndup(rest, (size_t)(dot - rest));
		if (*name == '/')
			repo_warn(s->repo, "promisor remote name cannot begin with '/': %s", name);
		else if (strset_add(&seen, name))
			string_list_append(out, name);
		free(name);
	}
	strset_clear(&seen);
}

/* Remotes without a URL are of no use to others. */
static void add_remote(const struct config_set *c, const char *name, const struct string_list *fields,
		       struct strbuf *out)
{
	const char *url = value_of(c, name, "url");

	if (!url || !*url)
		return;
	if (out->len)
		strbuf_addch(out, ';');
	strbuf_addstr(out, "name=");
	add_encoded(out, name);
	strbuf_addstr(out, ",url=");
	add_encoded(out, url);
	for (size_t i = 0; i < fields->nr; i++) {
		const char *field = fields->items[i].string;
		char *lower = xstrdup(field);
		const char *value;

		for (char *p = lower; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		value = value_of(c, name, lower);
		free(lower);
		if (!value || !*value)
			continue;
		strbuf_addf(out, ",%s=", field);
		add_encoded(out, value);
	}
}

bool upload_offer_promisors(struct upload_server *s, struct strbuf *value)
{
	struct string_list remotes = STRING_LIST_INIT, fields = STRING_LIST_INIT;

	if (!s->config.advertise_promisors)
		return false;
	read_fields(s, &fields);
	list_remotes(s, &remotes);
	for (size_t i = 0; i < remotes.nr; i++)
		add_remote(s->repo->config, remotes.items[i].string, &fields, value);
	string_list_clear(&remotes, NULL);
	string_list_clear(&fields, NULL);
	return value->len > 0;
}
