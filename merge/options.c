/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/options.h"
#include "util/strbuf.h"

static int read_renames(struct merge_trees *m, const struct config_set *c, struct err *err)
{
	static const char *const keys[] = { "diff.renames", "merge.renames" };
	static const char *const limits[] = { "diff.renamelimit", "merge.renamelimit" };
	int rc = 0, limit;

	m->renames.limit = -1;
	for (size_t i = 0; rc >= 0 && i < ARRAY_SIZE(keys); i++) {
		const struct config_entry *e = config_get(c, keys[i]);
		bool on = true;

		if (e && e->value && (!strcmp(e->value, "copies") || !strcmp(e->value, "copy")))
			rc = 0;
		else
			rc = config_get_bool(c, keys[i], &on, err);
		if (rc >= 0 && e)
			m->renames.disabled = !on;
	}
	for (size_t i = 0; rc >= 0 && i < ARRAY_SIZE(limits); i++) {
		rc = config_get_int(c, limits[i], &limit, err);
		if (rc > 0)
			m->renames.limit = limit;
	}
	return rc < 0 ? rc : 0;
}

static void read_directory_renames(struct merge_trees *m, const struct config_set *c)
{
	const struct config_entry *e = config_get(c, "merge.directoryrenames");
	int on = e ? config_parse_maybe_bool(e->value) : -1;

	if (on >= 0)
		m->renames.directories = on ? MERGE_DIR_RENAMES_APPLY : MERGE_DIR_RENAMES_NONE;
}

static int read_algorithm(struct merge_trees *m, const struct config_set *c, struct err *err)
{
	struct diff_options o = { 0 };
	const char *name;
	int rc = config_get_string(c, "diff.algorithm", &name, err);

	if (rc <= 0)
		return rc;
	if (!diff_set_algorithm(&o, name))
		return config_entry_bad(config_get(c, "diff.algorithm"), err,
					"unknown diff algorithm");
	m->rules.algorithm = o.algorithm;
	m->rules.minimal = o.minimal;
	return 0;
}

int merge_options_config(struct merge_trees *m, const struct config_set *c, struct err *err)
{
	int rc;

	m->rules.algorithm = DIFF_HISTOGRAM;
	rc = read_algorithm(m, c, err);
	if (!rc)
		rc = read_renames(m, c, err);
	read_directory_renames(m, c);
	if (!rc) {
		rc = config_get_bool(c, "merge.renormalize", &m->rules.renormalize, err);
		rc = rc < 0 ? rc : 0;
	}
	return rc ? rc : merge_config_style(&m->rules.style, c, err);
}

/* ---- -X ---- */

static bool set_score(struct merge_trees *m, const char *value)
{
	const char *end;

	m->renames.score = diff_parse_score(value, &end);
	m->renames.disabled = false;
	return *value && !*end;
}

static bool set_algorithm(struct merge_trees *m, const char *name)
{
	struct diff_options o = { 0 };

	if (!diff_set_algorithm(&o, name))
		return false;
	m->rules.algorithm = o.algorithm;
	m->rules.minimal = o.minimal;
	return true;
}

static bool set_whitespace(struct merge_trees *m, const char *option)
{
	static const struct {
		const char *name;
		unsigned flag;
	} options[] = {
		{ "ignore-space-change", DIFF_IGNORE_SPACE_CHANGE }, { "ignore-all-space", DIFF_IGNORE_ALL_SPACE },
		{ "ignore-space-at-eol", DIFF_IGNORE_SPACE_AT_EOL }, { "ignore-cr-at-eol", DIFF_IGNORE_CR_AT_EOL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strcmp(option, options[i].name))
			continue;
		m->rules.ignore |= options[i].flag;
		return true;
	}
	return false;
}

bool merge_options_strategy(struct merge_trees *m, const char *option)
{
	const char *value;

	if (!strcmp(option, "ours"))
		m->rules.favor = MERGE3_TAKE_OURS;
	else if (!strcmp(option, "theirs"))
		m->rules.favor = MERGE3_TAKE_THEIRS;
	else if (!strcmp(option, "patience") || !strcmp(option, "histogram"))
		return set_algorithm(m, option);
	else if (skip_prefix(option, "diff-algorithm=", &value))
		return set_algorithm(m, value);
	else if (!strcmp(option, "subtree"))
		m->subtree = "";
	else if (skip_prefix(option, "subtree=", &value))
		m->subtree = value;
	else if (!strcmp(option, "renormalize") || !strcmp(option, "no-renormalize"))
		m->rules.renormalize = *option == 'r';
	else if (!strcmp(option, "no-renames"))
		m->renames.disabled = true;
	else if (!strcmp(option, "find-renames"))
		m->renames.disabled = false, m->renames.score = 0;
	else if (skip_prefix(option, "find-renames=", &value) || skip_prefix(option, "rename-threshold=", &value))
		return set_score(m, value);
	else
		return set_whitespace(m, option);
	return true;
}

void merge_options_of_pick(struct merge_trees *m, const struct strvec *options)
{
	for (size_t i = 0; i < options->nr; i++)
		if (!starts_with(options->v[i], "subtree="))
			(void)merge_options_strategy(m, options->v[i]);
}

int merge_options_strategy_of_pick(struct merge_trees *m, const char *name, struct err *err)
{
	if (!name || !strcmp(name, "ort") || !strcmp(name, "recursive"))
		return 0;
	if (!strcmp(name, "resolve"))
		m->renames.disabled = true;
	else if (!strcmp(name, "subtree"))
		m->subtree = "";
	else if (strcmp(name, "ours"))
		return err_set(err, ERR_UNSUPPORTED, "the merge strategy '%s' is not available here", name);
	return *name == 'o';
}
