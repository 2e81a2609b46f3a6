/* SPDX-License-Identifier: GPL-2.0-only */
/* The repositories whose files are searched: attributes, drivers, and submodules that are opened. */
#include "compat/posix.h"
#include "builtin/grep/grep-cmd.h"
#include "diff/funcname.h"
#include "submodule/submodules.h"
#include "util/alloc.h"

/* Lines that name functions, by the pattern of the driver. */
struct function_patterns {
	struct function_patterns *next;
	const char *pattern;
	bool icase, basic;
	struct funcname *compiled;
};

static struct grep_repo *new_repo(const struct grep_cmd *c, struct repository *r)
{
	struct grep_repo *repo = xcalloc(1, sizeof(*repo));
	struct err err = ERR_INIT;

	repo->r = r;
	repo->base = r && r->from_cwd ? r->from_cwd : "";
	repo->users = 1;
	diff_options_init(&repo->diff, r ? r->odb : NULL);
	repo->diff.textconv = c->o.textconv;
	if (!r)
		return repo;
	if (diff_attrs_new(&repo->attrs, r, NULL, &err) < 0)
		die_err(&err);
	diff_attrs_set_config(repo->attrs, c->r->config);
	diff_attrs_use(repo->attrs, &repo->diff);
	return repo;
}

struct grep_repo *grep_repo_new(const struct grep_cmd *c)
{
	return new_repo(c, c->r);
}

int grep_repo_open(struct grep_repo **out, const struct grep_cmd *c, const struct grep_repo *outer, const struct submodules *s,
		   const char *path, struct err *err)
{
	struct err why = ERR_INIT;
	struct repository *r = NULL;
	bool active = false;
	int rc = submodules_is_active(s, path, &active, err);

	*out = NULL;
	if (rc || !active)
		return rc;
	if (outer->depth == SUBMODULE_DEPTH_MAX)
		return err_set(err, ERR_CORRUPT, "submodule '%s%s' is more than %d levels deep", outer->base, path, SUBMODULE_DEPTH_MAX);
	if (submodules_open(&r, s, path, &why) < 0)
		repo_warn(outer->r, "not looking into submodule '%s%s': %s", outer->base, path, err_message(&why));
	err_release(&why);
	if (r) {
		*out = new_repo(c, r);
		(*out)->depth = outer->depth + 1;
	}
	return 0;
}

void grep_repo_release(struct grep_repo *repo)
{
	struct function_patterns *next;

	if (--repo->users)
		return;
	for (struct function_patterns *p = repo->functions; p; p = next) {
		next = p->next;
		funcname_free(p->compiled);
		free(p);
	}
	diff_options_release(&repo->diff);
	diff_attrs_free(repo->attrs);
	if (repo->depth)
		repo_free(repo->r);
	free(repo);
}

const struct funcname *grep_repo_functions(const struct grep_cmd *c, struct grep_repo *repo, const struct diff_driver *d)
{
	struct function_patterns *p = repo->functions;
	struct err err = ERR_INIT;

	if (!d->funcname || !(c->o.format.function_name || c->o.format.function_body))
		return NULL;
	while (p && (strcmp(p->pattern, d->funcname) || p->icase != d->funcname_icase || p->basic != d->funcname_basic))
		p = p->next;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		*p = (struct function_patterns){ repo->functions, d->funcname, d->funcname_icase, d->funcname_basic, NULL };
		if (funcname_new(&p->compiled, d, &err) < 0)
			die_err(&err);
		repo->functions = p;
	}
	return p->compiled;
}
