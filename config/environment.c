/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration from the environment: GIT_CONFIG_COUNT with its numbered keys and values,
 * and GIT_CONFIG_PARAMETERS, which "git -c" sets: shell-quoted words 'key'='value', 'key'=
 * (without a value), or, from old versions of Git, 'key=value'.
 */
#include "compat/posix.h"
#include "config/config-internal.h"
#include "util/alloc.h"
#include "util/quote.h"

#define PARAMETERS "GIT_CONFIG_PARAMETERS"

static int call_with_pair(config_pair_fn fn, void *data, const char *key, const char *value,
			  struct err *err)
{
	struct strbuf canonical = STRBUF_INIT;
	int rc;

	if (!*key)
		return err_set(err, ERR_INVALID, "empty config key");
	rc = config_key_parse(&canonical, key, err);
	if (!rc)
		rc = fn(data, canonical.buf, value, err);
	strbuf_release(&canonical);
	return rc;
}

static int read_numbered_pair(int i, config_pair_fn fn, void *data, struct err *err)
{
	char name[40];
	const char *key, *value;

	snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%d", i);
	key = getenv(name);
	if (!key)
		return err_set(err, ERR_INVALID, "missing config key %s", name);
	snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%d", i);
	value = getenv(name);
	if (!value)
		return err_set(err, ERR_INVALID, "missing config value %s", name);
	return call_with_pair(fn, data, key, value, err);
}

static int read_numbered_pairs(config_pair_fn fn, void *data, struct err *err)
{
	const char *text = getenv("GIT_CONFIG_COUNT");
	unsigned long count;
	char *end;
	int rc = 0;

	if (!text)
		return 0;
	count = strtoul(text, &end, 10);
	if (*end)
		return err_set(err, ERR_INVALID, "bogus count in GIT_CONFIG_COUNT");
	if (count > INT_MAX)
		return err_set(err, ERR_TOO_BIG, "too many entries in GIT_CONFIG_COUNT");
	for (int i = 0; !rc && i < (int)count; i++)
		rc = read_numbered_pair(i, fn, data, err);
	return rc;
}

static int bogus_format(struct err *err)
{
	return err_set(err, ERR_INVALID, "bogus format in " PARAMETERS);
}

/* One word of the list at *p; advances *p. */
static int parse_parameter(const char **p, config_pair_fn fn, void *data, struct err *err)
{
	char *word = sq_dequote_step(*p, p), *value = NULL, *eq;
	int rc;

	if (!word)
		return bogus_format(err);
	if (!**p || config_is_space((unsigned char)**p)) { /* 'key=value' */
		eq = strchr(word, '=');
		if (eq)
			*eq = '\0';
		rc = call_with_pair(fn, data, word, eq ? eq + 1 : NULL, err);
	} else if (**p != '=') {
		rc = bogus_format(err);
	} else if (!*++*p || config_is_space((unsigned char)**p)) { /* 'key'= */
		rc = call_with_pair(fn, data, word, NULL, err);
	} else {
		value = sq_dequote_step(*p, p);
		if (!value || (**p && !config_is_space((unsigned char)**p)))
			rc = bogus_format(err);
		else
			rc = call_with_pair(fn, data, word, value, err);
	}
	free(word);
	free(value);
	return rc;
}

static int parse_parameters(config_pair_fn fn, void *data, struct err *err)
{
	const char *p = getenv(PARAMETERS);
	int rc = 0;

	while (p && !rc) {
		while (config_is_space((unsigned char)*p))
			p++;
		if (!*p)
			break;
		rc = parse_parameter(&p, fn, data, err);
	}
	return rc;
}

/* No file is to blame: the reason in a line of its own, as in Git. */
static void explain(struct err *err)
{
	char *why = err ? xstrfmt("error: %s\n", err_message(err)) : NULL;

	if (why)
		err_set_preface(err, why);
	err_reword(err, "unable to parse command-line config");
	free(why);
}

int config_environment_foreach(config_pair_fn fn, void *data, struct err *err)
{
	int rc = read_numbered_pairs(fn, data, err);

	if (!rc)
		rc = parse_parameters(fn, data, err);
	if (rc < 0 && rc != ERR_CORRUPT) /* ERR_CORRUPT is about a file, and names its line already */
		explain(err);
	return rc;
}

/* ---- what -c and --config-env append ---- */

static int push_pair(const char *key, const char *value, struct err *err)
{
	const char *old = getenv(PARAMETERS);
	struct strbuf sb = STRBUF_INIT;
	int rc = 0;

	if (old && *old)
		strbuf_addf(&sb, "%s ", old);
	sq_quote(&sb, key);
	strbuf_addch(&sb, '=');
	if (value)
		sq_quote(&sb, value);
	if (setenv(PARAMETERS, sb.buf, 1))
		rc = err_set_errno(err, "cannot set " PARAMETERS);
	strbuf_release(&sb);
	return rc;
}

int config_push_parameter(const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');
	char *key;
	int rc;

	if (!eq)
		return push_pair(text, NULL, err);
	key = xmemdupz(text, eq - text);
	rc = push_pair(key, eq + 1, err);
	free(key);
	return rc;
}

int config_push_env_parameter(const char *key, const char *env_name, struct err *err)
{
	const char *value;

	if (!*env_name)
		return err_set(err, ERR_INVALID,
			       "missing environment variable name for configuration '%s'", key);
	value = getenv(env_name);
	if (!value)
		return err_set(err, ERR_NOT_FOUND,
			       "missing environment variable '%s' for configuration '%s'",
			       env_name, key);
	return push_pair(key, value, err);
}
