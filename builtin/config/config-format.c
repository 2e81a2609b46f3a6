/* SPDX-License-Identifier: GPL-2.0-only */
/* Values by --type. */
#include "compat/posix.h"
#include "builtin/config/config-cmd.h"
#include "util/alloc.h"
#include "util/color.h"

static const struct {
	const char *name;
	enum value_type type;
} types[] = {
	{ "bool", TYPE_BOOL }, { "int", TYPE_INT }, { "bool-or-int", TYPE_BOOL_OR_INT },
	{ "bool-or-str", TYPE_BOOL_OR_STR }, { "path", TYPE_PATH },
	{ "expiry-date", TYPE_EXPIRY_DATE }, { "color", TYPE_COLOR },
};

int config_cmd_type_option(const struct option *opt, const char *arg, int unset)
{
	struct config_cmd *c = opt->value;
	enum value_type type = (enum value_type)opt->defval;

	if (unset) {
		c->type = TYPE_NONE;
		c->type_said = false;
		return 0;
	}
	if (type == TYPE_NONE) {
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			if (!strcmp(arg, types[i].name))
				type = types[i].type;
		if (type == TYPE_NONE)
			die("unrecognized --type argument, %s", arg);
	}
	if (c->type_said && c->type != type)
		return error("only one type at a time");
	c->type = type;
	c->type_said = true;
	return 0;
}

/* ---- shown ---- */

static int add_int(struct strbuf *out, const struct config_entry *e, struct err *err)
{
	int64_t n = 0;
	int rc = config_entry_int64(e, INT64_MIN, INT64_MAX, &n, err);

	if (rc >= 0)
		strbuf_addf(out, "%" PRId64, n);
	return rc;
}

static int add_bool(struct strbuf *out, const struct config_entry *e, struct err *err)
{
	bool b = false;
	int rc = config_entry_bool(e, &b, err);

	if (rc >= 0)
		strbuf_addstr(out, b ? "true" : "false");
	return rc;
}

static int add_path(struct strbuf *out, const struct config_entry *e, struct err *err)
{
	char *path = NULL;
	int rc = config_entry_path(e, &path, err);

	if (!rc)
		strbuf_addstr(out, path);
	free(path);
	return rc;
}

static int add_color(struct strbuf *out, const struct config_entry *e, struct err *err)
{
	char color[COLOR_MAXLEN], *why;
	int rc;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (color_parse(e->value, color) < 0) {
		why = xstrfmt("invalid color value: %s", e->value);
		rc = config_entry_bad(e, err, why);
		free(why);
		return rc;
	}
	strbuf_addstr(out, color);
	return 0;
}

static int add_expiry(struct strbuf *out, const struct config_entry *e, struct err *err)
{
	timestamp_t t = 0;
	int rc = config_entry_expiry(e, &t, err);

	if (rc >= 0)
		strbuf_addf(out, "%" PRIu64, t == TIME_MAX ? UINT64_MAX : t); /* "now", "all": Git's largest date */
	return rc;
}

int config_cmd_format(struct strbuf *out, const struct config_cmd *c, const struct config_entry *e, struct err *err)
{
	int word;

	switch (c->type) {
	case TYPE_NONE:
		strbuf_addstr(out, e->value ? e->value : "");
		return 0;
	case TYPE_BOOL:
		return add_bool(out, e, err);
	case TYPE_INT:
		return add_int(out, e, err);
	case TYPE_BOOL_OR_INT:
		word = config_parse_bool_word(e->value);
		if (word < 0)
			return add_int(out, e, err);
		strbuf_addstr(out, word ? "true" : "false");
		return 0;
	case TYPE_BOOL_OR_STR:
		word = config_parse_maybe_bool(e->value);
		strbuf_addstr(out, word < 0 ? e->value : word ? "true" : "false");
		return 0;
	case TYPE_PATH:
		return add_path(out, e, err);
	case TYPE_EXPIRY_DATE:
		return add_expiry(out, e, err);
	case TYPE_COLOR:
		return add_color(out, e, err);
	}
	return 0;
}

/* ---- written ---- */

char *config_cmd_normalize(const struct config_cmd *c, const char *key, const char *value)
{
	/* an entry of nowhere, for the messages */
	struct config_entry e = { .key = (char *)key, .value = (char *)value,
				  .origin = CONFIG_ORIGIN_CMDLINE };
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	char color[COLOR_MAXLEN];

	switch (c->type) {
	case TYPE_NONE:
	case TYPE_PATH: /* "~" is expanded where it is read */
	case TYPE_EXPIRY_DATE:
		return xstrdup(value);
	case TYPE_COLOR:
		if (color_parse(value, color) < 0) {
			error("invalid color value: %s", value);
			die("cannot parse color '%s'", value);
		}
		return xstrdup(value);
	default:
		if (config_cmd_format(&sb, c, &e, &err) < 0)
			die_err(&err);
		return strbuf_detach(&sb, NULL);
	}
}
