/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration bitmapPseudoMerge.<name>.*: see git-config(1). */
#include "compat/posix.h"
#include <float.h>
#include "history/bitmap/bitmap-internal.h"
#include "util/alloc.h"

#define SECTION "bitmappseudomerge."
#define DEFAULT_DECAY 1.0
#define DEFAULT_SAMPLE_RATE 1.0
#define DEFAULT_MAX_MERGES 64
#define DEFAULT_STABLE_SIZE 512

struct reading {
	struct repository *repo;
	struct merge_rules *rules;
};

static struct merge_rule *rule_named(struct merge_rules *m, const char *name, size_t len)
{
	struct merge_rule *r;

	for (size_t i = 0; i < m->nr; i++)
		if (strlen(m->v[i].name) == len && !memcmp(m->v[i].name, name, len))
			return &m->v[i];
	ALLOC_GROW(m->v, m->nr + 1, m->alloc);
	r = &m->v[m->nr++];
	*r = (struct merge_rule){
		.name = xstrndup(name, len), .decay = DEFAULT_DECAY, .sample_rate = DEFAULT_SAMPLE_RATE,
		.max_merges = DEFAULT_MAX_MERGES, .stable_size = DEFAULT_STABLE_SIZE,
	};
	if (date_parse_expiry("1.week.ago", &r->threshold) < 0 ||
	    date_parse_expiry("1.month.ago", &r->stable_threshold) < 0)
		BUG("a date that is no date");
	return r;
}

static int read_pattern(struct merge_rule *r, const struct config_entry *e, struct err *err)
{
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (r->has_pattern)
		regfree(&r->pattern);
	r->has_pattern = !regcomp(&r->pattern, e->value, REG_EXTENDED);
	if (!r->has_pattern)
		return err_set(err, ERR_INVALID, "failed to load pseudo-merge regex for %s: '%s'",
			       r->name, e->value);
	return 0;
}

static int read_double(const struct reading *rd, const struct config_entry *e, double *out, double fallback,
		       double min, double max, const char *what, struct err *err)
{
	int rc = config_entry_double(e, out, err);

	if (!rc && (*out < min || *out > max)) {
		repo_warn(rd->repo, "%s must be %s, using default", e->key, what);
		*out = fallback;
	}
	return rc;
}

static int read_count(const struct reading *rd, const struct config_entry *e, int *out, int fallback,
		      int min, const char *what, struct err *err)
{
	int64_t n;
	int rc = config_entry_int64(e, INT_MIN, INT_MAX, &n, err);

	if (rc < 0)
		return rc;
	*out = (int)n;
	if (n < min) {
		repo_warn(rd->repo, "%s must be %s, using default", e->key, what);
		*out = fallback;
	}
	return 0;
}

static int read_value(const struct reading *rd, const struct config_entry *e, const char *dot, struct err *err)
{
	const char *name = e->key + strlen(SECTION), *key = dot + 1;
	struct merge_rule *r = rule_named(rd->rules, name, (size_t)(dot - name));

	if (!strcmp(key, "pattern"))
		return read_pattern(r, e, err);
	if (!strcmp(key, "decay"))
		return read_double(rd, e, &r->decay, DEFAULT_DECAY, 0, DBL_MAX, "non-negative", err);
	if (!strcmp(key, "samplerate"))
		return read_double(rd, e, &r->sample_rate, DEFAULT_SAMPLE_RATE, DBL_MIN, 1,
				   "between 0 (exclusive) and 1", err);
	if (!strcmp(key, "threshold"))
		return config_entry_expiry(e, &r->threshold, err);
	if (!strcmp(key, "stablethreshold"))
		return config_entry_expiry(e, &r->stable_threshold, err);
	if (!strcmp(key, "maxmerges"))
		return read_count(rd, e, &r->max_merges, DEFAULT_MAX_MERGES, 0, "non-negative", err);
	if (!strcmp(key, "stablesize"))
		return read_count(rd, e, &r->stable_size, DEFAULT_STABLE_SIZE, 1, "positive", err);
	return 0;
}

static int check_rule(const struct merge_rule *r, struct err *err)
{
	if (!r->has_pattern)
		return err_set(err, ERR_INVALID, "pseudo-merge group '%s' missing required pattern", r->name);
	if (r->threshold < r->stable_threshold)
		return err_set(err, ERR_INVALID, "pseudo-merge group '%s' has unstable threshold before stable one", r->name);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct merge_rule *)a)->name, ((const struct merge_rule *)b)->name);
}

int merge_rules_read(struct merge_rules *out, struct repository *r, struct err *err)
{
	struct merge_rules m = { 0 };
	struct reading rd = { r, &m };
	int rc = 0;

	for (size_t i = 0; i < config_nr(r->config) && !rc; i++) {
		const struct config_entry *e = config_at(r->config, i);
		const char *dot = strrchr(e->key, '.');

		if (starts_with(e->key, SECTION) && dot > e->key + strlen(SECTION))
			rc = read_value(&rd, e, dot, err);
	}
	for (size_t i = 0; i < m.nr && !rc; i++)
		rc = check_rule(&m.v[i], err);
	if (m.nr)
		qsort(m.v, m.nr, sizeof(*m.v), by_name);
	if (rc < 0)
		merge_rules_release(&m);
	else
		*out = m;
	return rc;
}

void merge_rules_release(struct merge_rules *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		if (m->v[i].has_pattern)
			regfree(&m->v[i].pattern);
		free(m->v[i].name);
	}
	free(m->v);
	memset(m, 0, sizeof(*m));
}
