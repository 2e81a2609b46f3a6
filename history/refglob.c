/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/revparse.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/wildmatch.h"
#include <dirent.h>

void ref_exclusions_clear(struct ref_exclusions *x)
{
	strvec_clear(&x->patterns);
	hidden_refs_release(&x->hidden);
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
	return hidden_refs_read(&x->hidden, r->config, section, err);
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
	const char *name = ref->name;
	size_t i;

	if (v->pattern && !wildmatch(v->pattern, name, 0))
		return 0;
	/* Exclusions are relative to the prefix of --branches and the like. */
	name += strlen(v->prefix);
	for (i = 0; v->x && i < v->x->patterns.nr; i++)
		if (wildmatch(v->x->patterns.v[i], name, 0))
			return 0;
	if (v->x && ref_is_hidden(&v->x->hidden, ref->name, ref->name))
		return 0;
	return v->fn(v->data, ref);
}

int refs_foreach_glob(struct repository *r, const char *prefix, const char *pattern,
		      const struct ref_exclusions *x, ref_fn fn, void *data, struct err *err)
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
	rc = refs_foreach(r->refs, prefix, REFS_NO_PEEL, visit, &v, err);
	strbuf_release(&full);
	return rc;
}

static int visit_one(struct repository *r, const char *name, ref_fn fn, void *data)
{
	struct ref ref = { .name = name, .peeled = r->algo->null_oid };

	if (ref_resolve(r->refs, name, &ref.oid, NULL, &ref.flags, NULL) < 0)
		return 0;
	return fn(data, &ref);
}

int ref_visit_head(struct repository *r, ref_fn fn, void *data)
{
	return visit_one(r, "HEAD", fn, data);
}

int ref_visit_other_heads(struct repository *r, ref_fn fn, void *data)
{
	char *path = path_join(r->commondir, "worktrees"), *common = path_real(r->commondir, 0);
	bool linked = common && strcmp(r->gitdir_abs, common);
	struct dirent *de;
	DIR *dir = opendir(path);
	int rc = 0;

	if (linked)
		rc = visit_one(r, "main-worktree/HEAD", fn, data);
	while (dir && !rc && (de = readdir(dir))) {
		char *name;

		if (de->d_name[0] == '.' ||
		    (linked && !strcmp(de->d_name, path_basename(r->gitdir_abs))))
			continue;
		name = xstrfmt("worktrees/%s/HEAD", de->d_name);
		rc = visit_one(r, name, fn, data);
		free(name);
	}
	if (dir)
		closedir(dir);
	free(common);
	free(path);
	return rc;
}
