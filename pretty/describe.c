/* SPDX-License-Identifier: GPL-2.0-only */
/* %(describe) of git-log(1) and git-for-each-ref(1). */
#include "compat/posix.h"
#include "history/describe/describe.h"
#include "pretty/pretty-internal.h"
#include "util/alloc.h"

struct commit_description {
	struct repository *repo;
	struct strvec match, exclude;
	bool tags;
	int abbrev;
	/* once used */
	struct commit_pool *pool; /* of its own: walks change the parents in theirs */
	struct describer *describer;
};

/* ---- options ---- */

static int parse_bool(struct commit_description *d, const char *option, const char *value,
		      size_t len, bool lenient, struct err *err)
{
	char *word = value ? xmemdupz(value, len) : NULL;
	int on = value ? config_parse_maybe_bool(word) : 1;

	if (value && on < 0) {
		char *end;
		long n = strtol(word, &end, 10);

		on = end == word ? -1 : n != 0;
	}
	free(word);
	if (on < 0 && !lenient)
		return err_set(err, ERR_INVALID, "unrecognized %%(describe) argument: %s", option);
	d->tags = on > 0;
	return 0;
}

static int parse_abbrev(struct commit_description *d, const char *value, size_t len, bool lenient,
			struct err *err)
{
	char *word = xmemdupz(value ? value : "", len), *end;
	long n = strtol(word, &end, 10);
	int rc = 0;

	if (!len)
		rc = err_set(err, ERR_INVALID, "argument expected for describe:abbrev");
	else if (*end || end == word)
		rc = err_set(err, ERR_INVALID, "cannot fully parse describe:abbrev=%s", word);
	else if (n < 0 && !lenient)
		rc = err_set(err, ERR_INVALID, "positive value expected describe:abbrev=%s", word);
	free(word);
	if (n && n < 4)
		n = 4;
	if (n > (long)d->repo->algo->hex_len)
		n = (long)d->repo->algo->hex_len;
	if (!rc)
		d->abbrev = (int)n;
	return rc;
}

static int parse_pattern(struct strvec *list, const char *name, const char *value, size_t len,
			 struct err *err)
{
	char *word;

	if (!len)
		return err_set(err, ERR_INVALID, "value expected describe:%s=", name);
	word = xmemdupz(value, len);
	strvec_push(list, word);
	free(word);
	return 0;
}

static int parse_option(struct commit_description *d, const char *s, size_t len, bool lenient,
			struct err *err)
{
	const char *value;
	size_t n;

	if (match_format_option(s, len, "tags", &value, &n))
		return parse_bool(d, s, value, n, lenient, err);
	if (match_format_option(s, len, "abbrev", &value, &n))
		return parse_abbrev(d, value, n, lenient, err);
	if (match_format_option(s, len, "match", &value, &n))
		return parse_pattern(&d->match, "match", value, n, err);
	if (match_format_option(s, len, "exclude", &value, &n))
		return parse_pattern(&d->exclude, "exclude", value, n, err);
	return err_set(err, ERR_INVALID, "unrecognized %%(describe) argument: %s", s);
}

int commit_description_new(struct commit_description **out, struct repository *r,
			   const char *options, bool lenient, struct err *err)
{
	struct commit_description *d;
	const char *s = options;
	int rc = 0;

	CALLOC_ARRAY(d, 1);
	d->repo = r;
	strvec_init(&d->match);
	strvec_init(&d->exclude);
	d->abbrev = r->settings.abbrev;
	while (!rc && *s) {
		size_t len = strcspn(s, ",");

		rc = parse_option(d, s, len, lenient, err);
		s += len + (s[len] == ',');
	}
	if (rc < 0)
		commit_description_free(d);
	else
		*out = d;
	return rc;
}

void commit_description_free(struct commit_description *d)
{
	if (!d)
		return;
	describer_free(d->describer);
	commit_pool_free(d->pool);
	strvec_clear(&d->match);
	strvec_clear(&d->exclude);
	free(d);
}

/* ---- use ---- */

static int prepare(struct commit_description *d, struct err *err)
{
	const struct describe_options o = {
		.tags = d->tags, .abbrev = d->abbrev, .candidates = DESCRIBE_CANDIDATES,
		.match = &d->match, .exclude = &d->exclude, .quiet = true,
	};
	int rc = 0;

	if (!d->pool)
		rc = commit_pool_new(&d->pool, d->repo, err);
	if (!rc && !d->describer)
		rc = describer_new(&d->describer, d->pool, d->repo, &o, err);
	return rc;
}

int commit_description_add(struct commit_description *d, const struct object_id *oid,
			   struct strbuf *out, struct err *err)
{
	struct err local = ERR_INIT;
	struct commit *c;
	int rc = prepare(d, err);

	if (rc < 0)
		return rc;
	c = commit_lookup(d->pool, oid);
	rc = commit_parse_node(d->pool, c, &local);
	if (!rc)
		rc = describe_commit(d->describer, c, out, &local);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &local);
	err_release(&local);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* ---- of a format ---- */

struct format_description {
	struct format_description *next;
	char *options;
	struct commit_description *description; /* NULL: not valid */
};

void format_descriptions_free(struct format_description *list)
{
	while (list) {
		struct format_description *next = list->next;

		commit_description_free(list->description);
		free(list->options);
		free(list);
		list = next;
	}
}

struct commit_description *format_description(struct pretty *p, const char *options, size_t len)
{
	struct format_description *f = p->descriptions;

	while (f && (strlen(f->options) != len || memcmp(f->options, options, len)))
		f = f->next;
	if (!f) {
		CALLOC_ARRAY(f, 1);
		f->options = xmemdupz(options, len);
		(void)!commit_description_new(&f->description, p->repo, f->options, true, NULL);
		f->next = p->descriptions;
		p->descriptions = f;
	}
	return f->description;
}
