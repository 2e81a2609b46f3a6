/* SPDX-License-Identifier: GPL-2.0-only */
/* credential.* and credential.<url>.*: gitcredentials(7), "CREDENTIAL CONTEXTS". */
#include "compat/posix.h"
#include "config/urlmatch.h"
#include "credential/credential-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"

/* ---- which entries are about this credential ---- */

/* The URL that patterns are compared with; without the password. */
static char *context_of(const struct credential *c)
{
	struct credential plain = *c;
	struct strbuf url = STRBUF_INIT;

	plain.raw_prompt = false; /* patterns are of URLs, whatever a prompt shows */
	credential_describe(&plain, &url);
	return strbuf_detach(&url, NULL);
}

static bool config_value_fits(const char *wanted, const char *have)
{
	return !wanted || (have && !strcmp(wanted, have));
}

/* "https://", "example.com", "me@example.com/path", "/path": a URL of which a part is left out says nothing about that. */
static bool partial_matches(const char *pattern, const struct credential *c)
{
	struct credential p;
	bool whole = strstr(pattern, "://") != NULL, ok;
	char *url = whole ? xstrdup(pattern) : xconcat("any://", pattern);

	credential_init(&p);
	ok = !credential_from_url(&p, url, NULL);
	free(url);
	ok = ok && (!whole || config_value_fits(p.protocol, c->protocol)) && (!*p.host || config_value_fits(p.host, c->host)) &&
	     config_value_fits(p.path, c->path) && config_value_fits(p.username, c->username);
	credential_release(&p);
	return ok;
}

/* The variable's name, if the entry is one of ours. */
static const char *variable_of(const struct config_entry *e, const struct credential *c, const char *context)
{
	const char *sub, *name = strrchr(e->key, '.');
	char *pattern;
	bool ours;

	if (!skip_prefix(e->key, "credential.", &sub) || !name)
		return NULL;
	if (sub > name)
		return name + 1;
	pattern = xmemdupz(sub, name - sub);
	ours = url_config_pattern_matches(pattern, context) || partial_matches(pattern, c);
	free(pattern);
	return ours ? name + 1 : NULL;
}

/* ---- what they say ---- */

static int set_inverse(const struct config_entry *e, bool *out, struct err *err)
{
	bool value = false;
	int rc = config_entry_bool(e, &value, err);

	if (!rc)
		*out = !value;
	return rc;
}

static void add_helper(struct credential *c, const char *helper)
{
	if (*helper)
		strvec_push(&c->helpers, helper);
	else
		strvec_clear(&c->helpers);
}

/* "never", or any way to say no. */
static bool forbids_questions(const char *value)
{
	return value && (!strcmp(value, "never") || !config_parse_maybe_bool(value));
}

static int apply(struct credential *c, const char *name, const struct config_entry *e, struct err *err)
{
	bool is_helper = !strcmp(name, "helper"), is_username = !strcmp(name, "username");

	if ((is_helper || is_username) && !e->value)
		return config_entry_bad(e, err, "missing value");
	if (is_helper)
		add_helper(c, e->value);
	else if (is_username)
		secret_set(&c->default_username, e->value);
	else if (!strcmp(name, "usehttppath"))
		return config_entry_bool(e, &c->use_http_path, err);
	else if (!strcmp(name, "protectprotocol"))
		return set_inverse(e, &c->allow_cr, err);
	else if (!strcmp(name, "sanitizeprompt"))
		return set_inverse(e, &c->raw_prompt, err);
	else if (!strcmp(name, "interactive"))
		c->no_questions = forbids_questions(e->value);
	return 0;
}

static int apply_all(struct credential *c, const struct config_set *config, struct err *err)
{
	char *context = context_of(c);
	int rc = 0;

	for (size_t i = 0; !rc && i < config_nr(config); i++) {
		const char *name = variable_of(config_at(config, i), c, context);

		if (name)
			rc = apply(c, name, config_at(config, i), err);
	}
	free(context);
	return rc;
}

int credential_configure(struct credential *c, const struct config_set *config, struct err *err)
{
	int rc = 0;

	if (!c->host)
		return err_set(err, ERR_INVALID, "refusing to work with credential missing host field");
	if (!c->protocol)
		return err_set(err, ERR_INVALID, "refusing to work with credential missing protocol field");
	if (c->configured)
		return 0;
	if (config)
		rc = apply_all(c, config, err);
	if (rc < 0)
		return rc;
	c->configured = true;
	if (!c->use_http_path && (!strcmp(c->protocol, "http") || !strcmp(c->protocol, "https")))
		secret_free(&c->path);
	return 0;
}
