/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submodule.<name>.ignore: which changes of a submodule are reported. The configuration
 * overrides .gitmodules.
 */
#include "compat/posix.h"
#include "config/config.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/map.h"
#include "worktree/status-internal.h"

bool submodule_mode_parse(const char *word, enum submodule_mode *out)
{
	if (!strcmp(word, "none") || !strcmp(word, "no"))
		*out = SUBMODULES_ALL;
	else if (!strcmp(word, "untracked"))
		*out = SUBMODULES_TRACKED;
	else if (!strcmp(word, "dirty"))
		*out = SUBMODULES_COMMITS;
	else if (!strcmp(word, "all"))
		*out = SUBMODULES_NONE;
	else
		return false;
	return true;
}

/* A bad value is an error in the configuration (strict) and ignored in .gitmodules. */
static int collect_ignores(const struct config_set *c, struct strmap *by_name, bool strict,
			   struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		char *name = submodule_of_key(e->key, "ignore");
		enum submodule_mode mode;

		if (name && e->value && submodule_mode_parse(e->value, &mode))
			strmap_put(by_name, name, (void *)(uintptr_t)(mode + 1));
		else if (name && e->value && strict)
			rc = err_set(err, ERR_INVALID, "bad --ignore-submodules argument: %s",
				     e->value);
		free(name);
	}
	return rc;
}

/* Paths of submodules are in .gitmodules only. */
static void map_paths(const struct config_set *modules, const struct strmap *by_name,
		      struct strmap *by_path)
{
	for (size_t i = 0; i < config_nr(modules); i++) {
		const struct config_entry *e = config_at(modules, i);
		char *name = submodule_of_key(e->key, "path");
		void *mode = name ? strmap_get(by_name, name) : NULL;

		if (mode && e->value)
			strmap_put(by_path, e->value, mode);
		free(name);
	}
}

/* Without a submodule the file does not matter. Conflict markers are no mistake of the user's. */
static bool can_go_without(struct repository *r)
{
	struct index_state ix;
	struct err why = ERR_INIT;
	bool yes = false, submodules = false;

	index_init(&ix, r->algo);
	if (!index_read_repo(&ix, r, &why)) {
		yes = gitmodules_is_unmerged(&ix);
		for (size_t i = 0; i < ix.nr && !submodules; i++)
			submodules = MODE_IS_GITLINK(ix.entries[i]->mode);
		yes |= !submodules;
	}
	index_release(&ix);
	err_release(&why);
	return yes;
}

int submodule_ignores_read(struct strmap *by_path, struct repository *r, struct err *err)
{
	struct config_set *modules = config_set_new();
	struct strmap by_name = STRMAP_INIT;
	struct err why = ERR_INIT;
	int rc = config_set_read_file(modules, ".gitmodules", CONFIG_SCOPE_UNKNOWN, NULL, &why);

	if (!rc) {
		rc = collect_ignores(modules, &by_name, false, err);
		if (!rc)
			rc = collect_ignores(r->config, &by_name, true, err);
		map_paths(modules, &by_name, by_path);
	} else if (rc == ERR_NOT_FOUND || can_go_without(r)) {
		rc = 0;
	} else {
		err_move(err, &why);
	}
	err_release(&why);
	strmap_clear(&by_name, NULL);
	config_set_free(modules);
	return rc;
}

enum submodule_mode status_mode_of(const struct collector *c, const char *path)
{
	uintptr_t mode = (uintptr_t)strmap_get(&c->submodule_modes, path);

	return mode ? (enum submodule_mode)(mode - 1) : c->o->submodules;
}
