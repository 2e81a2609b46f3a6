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

/* ---- all of them ---- */

int diff_text_config(struct diff_options *o, const struct config_set *c, struct err *err)
{
	return config_algorithm(o, c, err);
}

const struct option_call diff_text_rows[] = {
	CALL_ROW(0, "minimal", 0, set_named_algorithm),
	CALL_ROW(0, "patience", 0, set_named_algorithm),
	CALL_ROW(0, "histogram", 0, set_named_algorithm),
	CALL_ROW(0, "diff-algorithm", NEEDED, set_algorithm),
	CALL_ROW(0, "anchored", NEEDED, set_anchor),
	END_ROW
};
