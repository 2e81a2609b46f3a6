/* SPDX-License-Identifier: GPL-2.0-only */
/* Typed reads. A bad value is told with its key and where it stands. */
#include "compat/posix.h"
#include "build-info.h"
#include "config/config-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* " in file x at line 3"; nothing for the command line. */
static void add_place(struct strbuf *out, const struct config_entry *e)
{
	if (e->origin == CONFIG_ORIGIN_CMDLINE)
		return;
	strbuf_addstr(out, " in ");
	config_describe_origin(out, e->origin, e->file);
	strbuf_addf(out, " at line %d", e->line);
}

int config_entry_bad(const struct config_entry *e, struct err *err, const char *why)
{
	int rc;

	if (e->origin == CONFIG_ORIGIN_CMDLINE)
		return err_set(err, ERR_INVALID,
			       "unable to parse '%s' from command-line config: %s", e->key, why);
	if (e->origin == CONFIG_ORIGIN_FILE)
		return err_set(err, ERR_INVALID,
			       "bad config variable '%s' in file '%s' at line %d: %s", e->key,
			       e->file, e->line, why);
	{
		struct strbuf place = STRBUF_INIT;

		add_place(&place, e);
		rc = err_set(err, ERR_INVALID, "bad config variable '%s'%s: %s", e->key,
			     place.buf, why);
		strbuf_release(&place);
	}
	return rc;
}

static int bad_number(const struct config_entry *e, struct err *err, const char *why)
{
	struct strbuf place = STRBUF_INIT;
	int rc;

	if (e->origin != CONFIG_ORIGIN_CMDLINE) {
		strbuf_addstr(&place, " in ");
		config_describe_origin(&place, e->origin, e->file);
	}
	rc = err_set(err, ERR_INVALID, "bad numeric config value '%s' for '%s'%s: %s",
		     e->value ? e->value : "", e->key, place.buf, why);
	strbuf_release(&place);
	return rc;
}

int config_entry_int64(const struct config_entry *e, int64_t min, int64_t max, int64_t *out,
		       struct err *err)
{
	struct err why = ERR_INIT;
	int64_t n;
	int rc = config_parse_int64(e->value, &n, &why);

	if (!rc && (n < min || n > max))
		rc = err_set(&why, ERR_TOO_BIG, "out of range");
	if (rc < 0)
		rc = bad_number(e, err, err_message(&why));
	else
		*out = n;
	err_release(&why);
	return rc;
}

int config_entry_bool(const struct config_entry *e, bool *out, struct err *err)
{
	int v = config_parse_maybe_bool(e->value);
	struct strbuf place = STRBUF_INIT;
	int rc = 0;

	if (v >= 0) {
		*out = v;
	} else {
		add_place(&place, e);
		rc = err_set(err, ERR_INVALID, "bad boolean config value '%s' for '%s'%s",
			     e->value, e->key, place.buf);
	}
	strbuf_release(&place);
	return rc;
}

int config_entry_path(const struct config_entry *e, char **out, struct err *err)
{
	static const char prefix[] = "%(prefix)/";
	char *path;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (starts_with(e->value, prefix))
		path = path_join(SLUICE_PREFIX, e->value + strlen(prefix));
	else
		path = path_expand_user(e->value);
	if (!path)
		return err_set(err, ERR_INVALID, "failed to expand user dir in: '%s'", e->value);
	*out = path;
	return 0;
}

int config_entry_expiry(const struct config_entry *e, timestamp_t *out, struct err *err)
{
	char *why;
	int rc;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (!date_parse_expiry(e->value, out))
		return 0;
	why = xstrfmt("'%s' is not a valid timestamp", e->value);
	rc = config_entry_bad(e, err, why);
	free(why);
	return rc;
}

/* 1, with the entry in *e; 0 if there is none. */
static int last(const struct config_set *c, const char *key, const struct config_entry **e)
{
	*e = config_get(c, key);
	return *e != NULL;
}

int config_get_bool(const struct config_set *c, const char *key, bool *out, struct err *err)
{
	const struct config_entry *e;
	int rc;

	if (!last(c, key, &e))
		return 0;
	rc = config_entry_bool(e, out, err);
	return rc < 0 ? rc : 1;
}

int config_get_int(const struct config_set *c, const char *key, int *out, struct err *err)
{
	const struct config_entry *e;
	int64_t n = 0;
	int rc;

	if (!last(c, key, &e))
		return 0;
	rc = config_entry_int64(e, INT_MIN, INT_MAX, &n, err);
	if (rc < 0)
		return rc;
	*out = (int)n;
	return 1;
}

int config_get_ulong(const struct config_set *c, const char *key, unsigned long *out,
		     struct err *err)
{
	const struct config_entry *e;
	int64_t n = 0;
	int rc;

	if (!last(c, key, &e))
		return 0;
	rc = config_entry_int64(e, 0, LONG_MAX, &n, err);
	if (rc < 0)
		return rc;
	*out = (unsigned long)n;
	return 1;
}

int config_get_string(const struct config_set *c, const char *key, const char **out,
		      struct err *err)
{
	const struct config_entry *e;

	if (!last(c, key, &e))
		return 0;
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	*out = e->value;
	return 1;
}

int config_get_path(const struct config_set *c, const char *key, char **out, struct err *err)
{
	const struct config_entry *e;
	int rc;

	if (!last(c, key, &e))
		return 0;
	rc = config_entry_path(e, out, err);
	return rc < 0 ? rc : 1;
}


int config_get_bool_or_int(const struct config_set *c, const char *key, bool *is_bool, int *out,
			   struct err *err)
{
	const struct config_entry *e;
	int word;

	if (!last(c, key, &e))
		return 0;
	word = config_parse_bool_word(e->value);
	*is_bool = word >= 0;
	if (word < 0)
		return config_get_int(c, key, out, err);
	*out = word;
	return 1;
}
