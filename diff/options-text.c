/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that say how two texts are compared. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/options-internal.h"

/* ---- algorithms ---- */

bool diff_set_algorithm(struct diff_options *o, const char *name)
{
	static const struct {
		const char *name;
		enum diff_algorithm algorithm;
		bool minimal;
	} names[] = {
		{ "myers", DIFF_MYERS, false },	      { "default", DIFF_MYERS, false },
		{ "minimal", DIFF_MYERS, true },      { "patience", DIFF_PATIENCE, false },
		{ "histogram", DIFF_HISTOGRAM, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(name, names[i].name))
			continue;
		o->algorithm = names[i].algorithm;
		o->minimal = names[i].minimal;
		return true;
	}
	return false;
}

static int set_algorithm(struct diff_options *o, const struct option_row *r UNUSED,
			 const char *value, struct err *err)
{
	if (!diff_set_algorithm(o, value))
		return err_set(err, ERR_INVALID, "option diff-algorithm accepts \"myers\", "
			       "\"minimal\", \"patience\" and \"histogram\"");
	o->algorithm_given = true;
	return 0;
}

/* --minimal, --patience, --histogram */
static int set_named_algorithm(struct diff_options *o, const struct option_row *r,
			       const char *value UNUSED, struct err *err)
{
	strvec_clear(&o->anchors);
	return set_algorithm(o, r, r->name, err);
}

static int set_anchor(struct diff_options *o, const struct option_row *r UNUSED,
		      const char *value, struct err *err UNUSED)
{
	o->algorithm = DIFF_PATIENCE;
	o->algorithm_given = true;
	strvec_push(&o->anchors, value);
	return 0;
}

static int config_algorithm(struct diff_options *o, const struct config_set *c,
			    struct err *err)
{
	const char *name;
	int ret = config_get_string(c, "diff.algorithm", &name, err);

	if (ret <= 0)
		return ret;
	if (!diff_set_algorithm(o, name))
		return err_set(err, ERR_INVALID, "unknown value for config 'diff.algorithm': %s",
			       name);
	return 0;
}

/* ---- words ---- */

static int set_words(struct diff_options *o, const struct option_row *r UNUSED,
		     const char *value, struct err *err)
{
	if (!value)
		o->word_diff = o->word_diff ? o->word_diff : DIFF_WORDS_PLAIN;
	else if (!strcmp(value, "plain"))
		o->word_diff = DIFF_WORDS_PLAIN;
	else if (!strcmp(value, "porcelain"))
		o->word_diff = DIFF_WORDS_PORCELAIN;
	else if (!strcmp(value, "none"))
		o->word_diff = DIFF_WORDS_NONE;
	else if (strcmp(value, "color"))
		return err_set(err, ERR_INVALID, "bad --word-diff argument: %s", value);
	else
		o->word_diff = DIFF_WORDS_COLOR;
	o->color |= value && *value == 'c';
	return 0;
}

static int set_word_regex(struct diff_options *o, const struct option_row *r UNUSED,
			  const char *value, struct err *err UNUSED)
{
	o->word_diff = o->word_diff ? o->word_diff : DIFF_WORDS_PLAIN;
	o->word_regex = value;
	return 0;
}

static int set_color_words(struct diff_options *o, const struct option_row *r UNUSED,
			   const char *value, struct err *err UNUSED)
{
	o->color = true;
	o->word_diff = DIFF_WORDS_COLOR;
	if (value)
		o->word_regex = value;
	return 0;
}

/* ---- all of them ---- */

int diff_text_config(struct diff_options *o, const struct config_set *c, struct err *err)
{
	int ret = config_algorithm(o, c, err);

	if (!ret)
		ret = config_get_string(c, "diff.wordregex", &o->word_regex_default, err);
	return ret < 0 ? ret : 0;
}

const struct option_call diff_text_rows[] = {
	CALL_ROW(0, "minimal", 0, set_named_algorithm),
	CALL_ROW(0, "patience", 0, set_named_algorithm),
	CALL_ROW(0, "histogram", 0, set_named_algorithm),
	CALL_ROW(0, "diff-algorithm", NEEDED, set_algorithm),
	CALL_ROW(0, "anchored", NEEDED, set_anchor),
	CALL_ROW(0, "word-diff", OPTIONAL, set_words),
	CALL_ROW(0, "word-diff-regex", NEEDED, set_word_regex),
	CALL_ROW(0, "color-words", OPTIONAL, set_color_words),
	END_ROW
};
