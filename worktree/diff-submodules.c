/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "submodule/changes.h"
#include "util/alloc.h"
#include "worktree/diff-submodules.h"
#include "worktree/status-internal.h"

struct diff_submodules {
	struct repository *repo;
	enum submodule_mode others; /* unless a submodule has its own */
	struct strmap by_path;	    /* enum submodule_mode + 1 */
	bool given;		    /* by an option: `others` holds for all */
};

int diff_submodules_new(struct diff_submodules **out, struct repository *r, struct err *err)
{
	struct diff_submodules *s = xcalloc(1, sizeof(*s));
	const char *word;
	int rc = config_get_string(r->config, "diff.ignoresubmodules", &word, err);

	s->by_path = (struct strmap)STRMAP_INIT;
	s->others = SUBMODULES_TRACKED;
	s->repo = r;
	if (rc > 0 && !submodule_mode_parse(word, &s->others))
		rc = err_set(err, ERR_INVALID, "bad --ignore-submodules argument: %s", word);
	if (rc >= 0 && r->worktree)
		rc = submodule_ignores_read(&s->by_path, r, err);
	if (rc < 0) {
		diff_submodules_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void diff_submodules_free(struct diff_submodules *s)
{
	if (!s)
		return;
	strmap_clear(&s->by_path, NULL);
	free(s);
}

int diff_submodules_option(const char *arg, enum submodule_mode *mode, struct err *err)
{
	enum submodule_mode given = SUBMODULES_NONE;

	if (!skip_prefix(arg, "--ignore-submodules", &arg) || (*arg && *arg != '='))
		return 0;
	if (*arg && !submodule_mode_parse(arg + 1, &given))
		return err_set(err, ERR_INVALID, "bad --ignore-submodules argument: %s", arg + 1);
	*mode = given;
	return 1;
}

void diff_submodules_set(struct diff_submodules *s, enum submodule_mode mode, bool given)
{
	s->others = mode;
	s->given = given;
}

enum submodule_mode diff_submodules_mode(const struct diff_submodules *s, const char *path)
{
	uintptr_t mode = s->given ? 0 : (uintptr_t)strmap_get(&s->by_path, path);

	return mode ? (enum submodule_mode)(mode - 1) : s->others;
}

static bool is_ignored(void *data, const char *path)
{
	return diff_submodules_mode(data, path) == SUBMODULES_NONE;
}

void diff_submodules_use(struct diff_submodules *s, struct diff_options *o)
{
	o->ignores_submodule = is_ignored;
	o->ignores_submodule_data = s;
	o->submodule_changes = submodule_add_changes;
	o->submodule_changes_data = s->repo;
}
