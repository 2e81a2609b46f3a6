/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/lines/line-tracks.h"
#include "util/alloc.h"

/* ---- sets of paths ---- */

static void free_set(struct path_set *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->paths[i]);
	free(s->paths);
	pathspec_release(&s->spec);
	changed_paths_free(s->filters);
	free(s);
}

static int new_set(struct path_sets *sets, const char *const *paths, size_t nr, struct path_set **out,
		   struct err *err)
{
	struct pathspec spec;
	struct path_set *s;
	int rc = pathspec_parse(&spec, NULL, NULL, paths, PATHSPEC_LITERAL, err);

	if (rc < 0)
		return rc;
	s = xcalloc(1, sizeof(*s));
	s->spec = spec;
	s->nr = nr;
	ALLOC_ARRAY(s->paths, nr);
	for (size_t i = 0; i < nr; i++)
		s->paths[i] = xstrdup(paths[i]);
	s->filters = sets->graph ? changed_paths_new(sets->graph, &s->spec) : NULL;
	ALLOC_GROW(sets->items, sets->nr + 1, sets->alloc);
	*out = sets->items[sets->nr++] = s;
	return 0;
}

static bool is_set_of(const struct path_set *s, const char *const *paths, size_t nr)
{
	if (s->nr != nr)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (strcmp(s->paths[i], paths[i]))
			return false;
	return true;
}

/* paths: sorted, NULL behind the last. */
static int find_set(struct path_sets *sets, const char *const *paths, size_t nr, struct path_set **out,
		    struct err *err)
{
	for (size_t i = sets->nr; i-- > 0;)
		if (is_set_of(sets->items[i], paths, nr)) {
			*out = sets->items[i];
			return 0;
		}
	return new_set(sets, paths, nr, out, err);
}

void path_sets_release(struct path_sets *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free_set(s->items[i]);
	free(s->items);
}

bool path_set_has(const struct path_set *set, const char *path)
{
	for (size_t i = 0; i < set->nr; i++)
		if (!strcmp(set->paths[i], path))
			return true;
	return false;
}

/* ---- tracks ---- */

void tracks_release(struct tracks *t)
{
	for (size_t i = 0; t->set && i < t->set->nr; i++)
		line_ranges_release(&t->lines[i]);
	free(t->lines);
	*t = (struct tracks)TRACKS_INIT;
}

void gather(struct gathering *g, const char *path, const struct line_ranges *lines)
{
	size_t i = 0;

	if (!lines->nr)
		return;
	while (i < g->nr && strcmp(g->items[i].path, path) < 0)
		i++;
	if (i == g->nr || strcmp(g->items[i].path, path)) {
		ALLOC_GROW(g->items, g->nr + 1, g->alloc);
		memmove(g->items + i + 1, g->items + i, (g->nr - i) * sizeof(*g->items));
		g->items[i] = (struct gathered){ path, LINE_RANGES_INIT };
		g->nr++;
	}
	line_ranges_add_all(&g->items[i].lines, lines);
}

void gather_tracks(struct gathering *g, const struct tracks *t)
{
	for (size_t i = 0; t->set && i < t->set->nr; i++)
		gather(g, t->set->paths[i], &t->lines[i]);
}

int gathering_end(struct gathering *g, struct path_sets *sets, struct tracks *out, struct err *err)
{
	struct path_set *set = NULL;
	const char **paths;
	int rc = 0;

	ALLOC_ARRAY(paths, g->nr + 1);
	for (size_t i = 0; i < g->nr; i++)
		paths[i] = g->items[i].path;
	paths[g->nr] = NULL;
	if (g->nr)
		rc = find_set(sets, paths, g->nr, &set, err);
	*out = (struct tracks){ set, NULL };
	if (set)
		ALLOC_ARRAY(out->lines, g->nr);
	for (size_t i = 0; i < g->nr; i++) {
		if (set)
			out->lines[i] = g->items[i].lines;
		else
			line_ranges_release(&g->items[i].lines);
	}
	free(paths);
	free(g->items);
	return rc;
}

int tracks_join(struct path_sets *sets, struct tracks *to, struct tracks *from, struct err *err)
{
	struct gathering g = GATHERING_INIT;
	struct tracks both;
	int rc;

	if (!from->set)
		return 0;
	if (!to->set) {
		*to = *from;
		*from = (struct tracks)TRACKS_INIT;
		return 0;
	}
	gather_tracks(&g, to);
	gather_tracks(&g, from);
	rc = gathering_end(&g, sets, &both, err);
	if (rc < 0)
		return rc;
	tracks_release(to);
	tracks_release(from);
	*to = both;
	return 0;
}
