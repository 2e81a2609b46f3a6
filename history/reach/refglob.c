/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/reach/refglob.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

void ref_exclusions_clear(struct ref_exclusions *x)
{
	strvec_clear(&x->patterns);
	hidden_refs_release(&x->hidden);
	FREE_AND_NULL(x->namespace_prefix);
	x->hidden_configured = false;
}

void ref_exclusions_add(struct ref_exclusions *x, const char *pattern)
{
	strvec_push(&x->patterns, pattern);
}

int ref_exclusions_hide(struct ref_exclusions *x, struct repository *r, const char *section,
			struct err *err)
{
	if (strcmp(section, "receive") && strcmp(section, "uploadpack") &&
	    strcmp(section, "fetch"))
		return err_set(err, ERR_INVALID,
			       "unsupported section for hidden refs: %s", section);
	if (x->hidden_configured)
		return err_set(err, ERR_INVALID,
			       "--exclude-hidden= passed more than once");
	x->hidden_configured = true;
	if (namespace_prefix(&x->namespace_prefix, err) < 0)
		return ERR_INVALID;
	return hidden_refs_read(&x->hidden, r->config, section, err);
}

/* As the server hides it from clients of the namespace; only rules with "^" are for refs outside of it. */
static bool ref_is_hidden_away(const struct ref_exclusions *x, const char *full_name)
{
	const char *name = full_name;

	if (x->namespace_prefix && !skip_prefix(full_name, x->namespace_prefix, &name))
		name = NULL;
	return ref_is_hidden(&x->hidden, name, full_name);
}

bool ref_is_excluded(const struct ref_exclusions *x, const char *name)
{
	for (size_t i = 0; i < x->patterns.nr; i++)
		if (wildmatch(x->patterns.v[i], name, 0))
			return true;
	return false;
}

struct glob_visit {
	const char *prefix, *pattern;
	const struct ref_exclusions *x;
	ref_fn fn;
	void *data;
};

static int visit(void *data, const struct ref *ref)
{
	struct glob_visit *v = data;
	if (v->pattern && !wildmatch(v->pattern, ref->name, 0))
		return 0;
	/* Exclusions are relative to the prefix of --branches and the like. */
	if (v->x && ref_is_excluded(v->x, ref->name + strlen(v->prefix)))
		return 0;
	if (v->x && ref_is_hidden_away(v->x, ref->name))
		return 0;
	return v->fn(v->data, ref);
}

int refs_foreach_glob(struct repository *r, const char *prefix, const char *pattern,
		      const struct ref_exclusions *x, unsigned flags, ref_fn fn, void *data,
		      struct err *err)
{
	struct strbuf full = STRBUF_INIT;
	struct glob_visit v = { prefix, NULL, x, fn, data };
	int rc;

	if (pattern) {
		strbuf_addstr(&full, prefix);
		if (!*prefix && !starts_with(pattern, "refs/"))
			strbuf_addstr(&full, "refs/");
		strbuf_addstr(&full, pattern);
		if (!has_glob_chars(pattern)) {
			strbuf_complete(&full, '/');
			strbuf_addch(&full, '*');
		}
		v.pattern = full.buf;
	}
	rc = refs_foreach(r->refs, prefix, flags | REFS_NO_PEEL, visit, &v, err);
	strbuf_release(&full);
	return rc;
}

int ref_visit_root(struct repository *r, const char *name, ref_fn fn, void *data, struct err *err)
{
	struct ref ref = { .name = name, .oid = r->algo->null_oid, .peeled = r->algo->null_oid };
	struct err why = ERR_INIT;
	int rc = ref_resolve(r->refs, name, &ref.oid, NULL, &ref.flags, &why);
	bool broken = rc == ERR_CORRUPT && !(ref.flags & REF_IS_SYMREF);

	if (rc < 0 && rc != ERR_NOT_FOUND && rc != ERR_CORRUPT) {
		err_move(err, &why);
		return rc;
	}
	err_release(&why);
	return !rc || broken ? fn(data, &ref) : 0;
}

int ref_visit_head(struct repository *r, ref_fn fn, void *data, struct err *err)
{
	return ref_visit_root(r, "HEAD", fn, data, err);
}
