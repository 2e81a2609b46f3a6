/* SPDX-License-Identifier: GPL-2.0-only */
/* A branch that some remote has. */
#include "compat/posix.h"
#include "porcelain/branch.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/string-list.h"

struct guess {
	struct repository *r;
	char *wanted;	       /* refs/heads/NAME, there */
	struct string_list found; /* refs; util: the name of the remote, owned */
};

static int guess_by_ref(void *data, const struct ref *ref)
{
	struct guess *g = data;
	struct string_list remotes = STRING_LIST_INIT;
	const char *name = g->wanted + strlen("refs/heads/");

	if (!ends_with(ref->name, name) || starts_with(ref->name, "refs/heads/"))
		return 0;
	remotes_fetching_into(g->r, ref->name, &remotes);
	for (size_t i = 0; i < remotes.nr; i++)
		if (remotes.items[i].util && !strcmp(remotes.items[i].util, g->wanted))
			string_list_append(&g->found, ref->name)->util =
				xstrdup(remotes.items[i].string);
	string_list_clear(&remotes, free);
	return 0;
}

int branch_guess_remote(struct repository *r, const char *name, char **ref, size_t *nr, struct err *err)
{
	struct guess g = { r, xstrfmt("refs/heads/%s", name), STRING_LIST_INIT };
	const struct config_entry *e = config_get(r->config, "checkout.defaultremote");
	int rc = refs_foreach(r->refs, "refs/", REFS_NO_PEEL, guess_by_ref, &g, err);

	if (!rc) {
		*ref = g.found.nr == 1 ? xstrdup(g.found.items[0].string) : NULL;
		*nr = g.found.nr;
		for (size_t i = 0; i < g.found.nr && !*ref; i++)
			if (e && e->value && !strcmp(e->value, g.found.items[i].util))
				*ref = xstrdup(g.found.items[i].string);
	}
	string_list_clear(&g.found, free);
	free(g.wanted);
	return rc;
}
