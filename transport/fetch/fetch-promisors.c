/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Promisor remotes that a server offers: capability "promisor-remote" of gitprotocol-v2(5), promisor.acceptFromServer and
 * promisor.checkFields of git-config(1). The client sends the names of the remotes that it accepts. The server may then
 * omit objects that these remotes have. --filter=auto combines their filters.
 */
#include "compat/posix.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"
#include "util/string-list.h"

#define OFFERS_MAX 1000
#define NOT_STORED "promisor.storeFields is not available yet: nothing is stored\n"

enum policy { ACCEPT_NONE, ACCEPT_KNOWN_URL, ACCEPT_KNOWN_NAME, ACCEPT_ALL };

static const char *const field_names[] = { "name", "url", "partialCloneFilter", "token" };
enum field { FIELD_NAME, FIELD_URL, FIELD_FILTER, FIELD_TOKEN, FIELDS };

struct offer {
	char *value[FIELDS]; /* decoded; NULL: not said */
};

/* ---- the configuration ---- */

static int read_policy(const struct config_set *c, enum policy *out, struct err *err)
{
	static const char *const words[] = { "none", "knownUrl", "knownName", "all" };
	const char *value = "none";
	int rc = config_get_string(c, "promisor.acceptfromserver", &value, err);

	for (size_t i = 0; rc >= 0 && i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(value, words[i])) {
			*out = (enum policy)i;
			return 0;
		}
	return rc < 0 ? rc : err_set(err, ERR_INVALID, "unknown '%s' value for 'promisor.acceptfromserver' config option", value);
}

/* remote.<name>.<field> here; NULL: not said, or nothing. */
static const char *own_value(const struct config_set *c, const char *name, const char *field)
{
	struct strbuf key = STRBUF_INIT;
	const struct config_entry *e;

	strbuf_addf(&key, "remote.%s.", name);
	for (const char *p = field; *p; p++)
		strbuf_addch(&key, tolower((unsigned char)*p));
	e = config_get(c, key.buf);
	strbuf_release(&key);
	return e && e->value && *e->value ? e->value : NULL;
}

static bool is_promisor_remote(const struct config_set *c, const char *name)
{
	const char *promisor = own_value(c, name, "promisor");

	return promisor && config_parse_maybe_bool(promisor) == 1;
}

/* ---- the offer ---- */

static void offer_release(struct offer *o)
{
	for (size_t i = 0; i < FIELDS; i++)
		FREE_AND_NULL(o->value[i]);
}

/* Parse "field=value,field=value"; unknown fields are ignored. False: there is no valid name of a remote. */
static bool parse_offer(struct offer *o, const char *text)
{
	struct string_list fields = STRING_LIST_INIT;

	string_list_split(&fields, text, ",");
	for (size_t i = 0; i < fields.nr; i++)
		for (size_t k = 0; k < FIELDS; k++) {
			const char *value;

			if (skip_prefix(fields.items[i].string, field_names[k], &value) && *value == '=' && !o->value[k])
				o->value[k] = url_decode(value + 1, strlen(value + 1));
		}
	string_list_clear(&fields, NULL);
	return o->value[FIELD_NAME] && *o->value[FIELD_NAME] && o->value[FIELD_URL] && *o->value[FIELD_URL];
}

/* promisor.checkFields: each field is configured here, is in the offer, and has the same value. */
static bool fields_agree(const struct config_set *c, const struct offer *o)
{
	const struct config_entry *e = config_get(c, "promisor.checkfields");
	struct string_list names = STRING_LIST_INIT;
	bool agree = true;

	if (e && e->value)
		string_list_split(&names, e->value, ", \t\n");
	for (size_t i = 0; i < names.nr; i++)
		for (size_t k = FIELD_FILTER; k < FIELDS; k++)
			if (!strcasecmp(names.items[i].string, field_names[k])) {
				const char *own = own_value(c, o->value[FIELD_NAME], field_names[k]);

				agree &= own && o->value[k] && !strcmp(own, o->value[k]);
			}
	string_list_clear(&names, NULL);
	return agree;
}

static void tell_other_url(struct fetch_session *s, const char *name, const char *own, const char *offered)
{
	char *raw = xstrfmt("known remote named '%s' but with URL '%s' instead of '%s', ignoring this remote", name, own, offered);
	char *clean = session_clean(s, raw), *line = xstrfmt("%s\n", clean);

	session_tell(s, line, strlen(line), true);
	free(raw);
	free(clean);
	free(line);
}

static bool is_accepted(struct fetch_session *s, enum policy policy, const struct offer *o)
{
	const struct config_set *c = s->o.config;
	const char *name = o->value[FIELD_NAME], *own = own_value(c, name, "url");

	if (policy == ACCEPT_NONE || (policy != ACCEPT_ALL && !is_promisor_remote(c, name)) || !fields_agree(c, o))
		return false;
	if (policy != ACCEPT_KNOWN_URL || (own && !strcmp(own, o->value[FIELD_URL])))
		return true;
	if (own)
		tell_other_url(s, name, own, o->value[FIELD_URL]);
	return false;
}

/* As it was offered, so that the server knows it again. */
static void accept_offer(struct fetch_session *s, const struct offer *o, const char *text)
{
	const char *encoded = strstr(text, "name=") + strlen("name=");

	if (s->promisors.len)
		strbuf_addch(&s->promisors, ';');
	strbuf_add(&s->promisors, encoded, strcspn(encoded, ","));
	/* Use the filter only of a remote that is configured here: other objects could not be fetched later. */
	if (is_promisor_remote(s->o.config, o->value[FIELD_NAME]) && o->value[FIELD_FILTER])
		(void)!filter_spec_parse(&s->auto_filter, o->value[FIELD_FILTER], NULL);
}

int session_take_promisors(struct fetch_session *s, const char *offered, struct err *err)
{
	struct string_list offers = STRING_LIST_INIT;
	enum policy policy = ACCEPT_NONE;
	int rc = offered && s->o.config ? read_policy(s->o.config, &policy, err) : 0;

	if (rc < 0 || policy == ACCEPT_NONE)
		return rc;
	if (config_get(s->o.config, "promisor.storefields"))
		session_tell(s, NOT_STORED, strlen(NOT_STORED), true);
	string_list_split(&offers, offered, ";");
	for (size_t i = 0; i < offers.nr && i < OFFERS_MAX; i++) {
		struct offer o = { { NULL } };

		if (parse_offer(&o, offers.items[i].string) && is_accepted(s, policy, &o))
			accept_offer(s, &o, offers.items[i].string);
		offer_release(&o);
	}
	string_list_clear(&offers, NULL);
	return 0;
}
