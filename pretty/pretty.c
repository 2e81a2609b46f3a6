/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of an output of commits: which format, what it needs. */
#include "compat/posix.h"
#include "pretty/pretty-internal.h"
#include "util/alloc.h"

void pretty_init(struct pretty *p, struct repository *r)
{
	memset(p, 0, sizeof(*p));
	p->repo = r;
	p->abbrev = r->settings.abbrev;
	p->expand_tabs = -1;
	p->terminator = true;
}

void pretty_release(struct pretty *p)
{
	FREE_AND_NULL(p->user_format);
	date_mode_release(&p->date);
	if (p->decorations_owned)
		decorations_free(p->decorations);
	mailmap_free(p->placeholder_mailmap);
	format_descriptions_free(p->descriptions);
	p->descriptions = NULL;
	p->decorations = NULL;
	p->placeholder_mailmap = NULL;
}

void pretty_config_encoding(struct pretty *p, const struct config_set *c)
{
	config_get_string(c, "i18n.commitencoding", &p->encoding, NULL);
	config_get_string(c, "i18n.logoutputencoding", &p->encoding, NULL);
}

int pretty_config(struct pretty *p, const struct config_set *c, struct err *err)
{
	const char *value = NULL;

	pretty_config_encoding(p, c);
	if (config_get_string(c, "log.date", &value, err) < 0)
		return ERR_INVALID;
	if (value && date_mode_parse(&p->date, value) < 0)
		return err_set(err, ERR_INVALID, "unknown date format %s", value);
	return 0;
}

bool pretty_is_email(const struct pretty *p)
{
	return p->kind == PRETTY_EMAIL || p->kind == PRETTY_MBOXRD;
}

int pretty_config_email(struct pretty *p, const struct config_set *c, struct err *err)
{
	p->email_prefix = "PATCH";
	p->email_encode = true;
	if (config_get_string(c, "format.subjectprefix", &p->email_prefix, err) < 0 ||
	    config_get_bool(c, "format.encodeemailheaders", &p->email_encode, err) < 0)
		return ERR_INVALID;
	return 0;
}

int pretty_load_decorations(struct pretty *p, struct err *err)
{
	static const struct decorate_options defaults = DECORATE_OPTIONS_INIT;
	int rc;

	if (p->decorations)
		return 0;
	rc = decorations_load(&p->decorations, p->repo,
			      p->decorate_options ? p->decorate_options : &defaults, err);
	p->decorations_owned = !rc;
	return rc;
}

void pretty_read_colors(struct pretty *p)
{
	static const char *const keys[] = { "color.diff.commit", "diff.color.commit" };
	const struct config_entry *e;

	if (p->colors_read)
		return;
	p->colors_read = true;
	decorate_colors_read(&p->decorate_colors, p->repo->config);
	e = config_get_last(p->repo->config, keys, ARRAY_SIZE(keys));
	if (!e || !e->value || color_parse(e->value, p->commit_color) < 0)
		color_parse("yellow", p->commit_color);
}

/* ---- the choice of a format ---- */

static const struct {
	const char *name;
	enum pretty_kind kind;
	const char *user_format;
} formats[] = {
	{ "raw", PRETTY_RAW, NULL },
	{ "medium", PRETTY_MEDIUM, NULL },
	{ "short", PRETTY_SHORT, NULL },
	{ "full", PRETTY_FULL, NULL },
	{ "fuller", PRETTY_FULLER, NULL },
	{ "email", PRETTY_EMAIL, NULL },
	{ "mboxrd", PRETTY_MBOXRD, NULL },
	{ "oneline", PRETTY_ONELINE, NULL },
	{ "reference", PRETTY_USER, "%C(auto)%h (%s, %ad)" },
};

static void set_user_format(struct pretty *p, const char *text, bool terminator)
{
	char *copy = xstrdup(text); /* which may be the present one */

	free(p->user_format);
	p->user_format = copy;
	p->reference = false;
	p->kind = PRETTY_USER;
	p->terminator = terminator;
}

/* A whole name, or the beginning of one: "--pretty=ful" is "full", the first that fits. */
static bool set_builtin(struct pretty *p, const char *name)
{
	size_t i, len = strlen(name), best = ARRAY_SIZE(formats);

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strncmp(formats[i].name, name, len) &&
		    (best == ARRAY_SIZE(formats) ||
		     strlen(formats[i].name) < strlen(formats[best].name)))
			best = i;
	if (best == ARRAY_SIZE(formats))
		return false;
	if (!formats[best].user_format) {
		p->kind = formats[best].kind;
		p->terminator = true;
		return true;
	}
	set_user_format(p, formats[best].user_format, true);
	p->reference = true;
	return true;
}

static int set_format(struct pretty *p, const char *format, int depth, struct err *err)
{
	const char *rest, *value = NULL;
	char *key;
	int rc;

	if (skip_prefix(format, "format:", &rest)) {
		set_user_format(p, rest, false);
		return 0;
	}
	if (!*format || skip_prefix(format, "tformat:", &rest) || strchr(format, '%')) {
		set_user_format(p, starts_with(format, "tformat:") ? rest : format, true);
		return 0;
	}
	if (depth > 10)
		return err_set(err, ERR_INVALID, "invalid --pretty format: '%s' references an "
			       "alias which points to itself", format);
	/* The built-in ones cannot be redefined. */
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, format))
			return set_builtin(p, format) ? 0 : ERR_INVALID;
	key = xstrfmt("pretty.%s", format);
	rc = config_get_string(p->repo->config, key, &value, NULL);
	free(key);
	if (rc > 0)
		return set_format(p, value, depth + 1, err);
	if (set_builtin(p, format))
		return 0;
	return err_set(err, ERR_INVALID, "invalid --pretty format: %s", format);
}

int pretty_set_format(struct pretty *p, const char *format, struct err *err)
{
	return set_format(p, format, 0, err);
}

bool pretty_needs_source(const struct pretty *p)
{
	return p->kind == PRETTY_USER && strstr(p->user_format, "%S");
}

/* ---- reflogs ---- */

void pretty_reflog_selector(const struct pretty *p, struct strbuf *out, bool shortened)
{
	struct rev_reflog_info info;
	char *name;

	if (!p->walk || !rev_reflog_info(p->walk, &info))
		return;
	name = shortened ? ref_shorten(p->repo->refs, info.ref, false) : xstrdup(info.ref);
	strbuf_addf(out, "%s@{", name);
	free(name);
	/* By date if the log or --date was given by date. */
	if (info.by_date || p->date_explicit)
		date_format(out, info.date, info.tz, &p->date);
	else
		strbuf_addf(out, "%u", info.number);
	strbuf_addch(out, '}');
}
