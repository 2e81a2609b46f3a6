/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-last-modified(1). Each commit of the walk has the set of paths that no younger commit on the way has changed. It gives
 * each path to the first parent that has the same content there; the rest was modified by the commit itself.
 *
 * Cost: a commit that has paths is compared with its parents, unless changed-path filters say that none of the paths differs.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/diff.h"
#include "history/changed-paths.h"
#include "history/revision/revision.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/quote.h"

static const char *const usage[] = {
	"git last-modified [--recursive] [--show-trees] [--max-depth=<depth>] [-z]\n[<revision-range>] [[--] <pathspec>...]",
	NULL
};

struct tracked_path {
	char *path;
	struct pathspec spec;
	struct changed_paths *filter; /* NULL: none */
};

struct last_modified {
	bool limited; /* by paths, which the walk does not know */
	struct repository *repo;
	struct rev_walk *walk;
	struct diff_options diff;
	struct strmap index; /* path => its place in paths, plus 1 */
	struct tracked_path *paths;
	size_t nr, alloc, left;
	bool **sets; /* by the index of commits: the paths of a commit; NULL: none */
	size_t alloc_sets;
	struct strbuf out;
	int show_trees, max_depth, null_term;
};

/* ---- paths ---- */

static int track_path(struct last_modified *l, const char *path, struct err *err)
{
	struct commit_graph *graph = commit_pool_graph(l->walk->pool);
	const char *const names[] = { path, NULL };
	struct tracked_path *t;

	ALLOC_GROW(l->paths, l->nr + 1, l->alloc);
	t = &l->paths[l->nr++];
	*t = (struct tracked_path){ .path = xstrdup(path) };
	strmap_put(&l->index, path, (void *)(uintptr_t)l->nr);
	if (pathspec_parse(&t->spec, NULL, NULL, names, PATHSPEC_LITERAL, err) < 0)
		return ERR_INVALID;
	t->filter = graph ? changed_paths_new(graph, &t->spec) : NULL;
	return 0;
}

static int find_paths(struct last_modified *l, const struct commit *c, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc = diff_trees(&q, &l->diff, NULL, &c->tree, err);

	for (size_t i = 0; !rc && i < q.nr; i++)
		rc = track_path(l, q.pairs[i]->new->path, err);
	diff_queue_clear(&q);
	l->left = l->nr;
	return rc;
}

/* ---- sets ---- */

/* Paths of a commit; NULL: it has none. */
static bool **set_of(struct last_modified *l, const struct commit *c)
{
	size_t old = l->alloc_sets;

	if (c->index >= old) {
		ALLOC_GROW(l->sets, (size_t)c->index + 1, l->alloc_sets);
		memset(l->sets + old, 0, (l->alloc_sets - old) * sizeof(*l->sets));
	}
	return &l->sets[c->index];
}

static void print_path(struct last_modified *l, size_t i, const struct commit *c, bool boundary)
{
	const char *path = l->paths[i].path;

	if (boundary)
		strbuf_addch(&l->out, '^');
	strbuf_add_oid(&l->out, &c->oid);
	strbuf_addch(&l->out, '\t');
	if (l->null_term)
		strbuf_addstr(&l->out, path);
	else
		quote_c_style(&l->out, path, strlen(path), l->repo->settings.quote_path);
	strbuf_addch(&l->out, l->null_term ? '\0' : '\n');
	l->left--;
}

/* The path goes to the parent. An excluded one is the end of the range. */
static void give_path(struct last_modified *l, size_t i, struct commit *parent)
{
	bool **set;

	if (parent->flags & REV_UNINTERESTING) {
		print_path(l, i, parent, true);
		return;
	}
	set = set_of(l, parent);
	if (!*set)
		*set = xcalloc(l->nr, sizeof(**set));
	(*set)[i] = true;
}

/* ---- a commit ---- */

static bool perhaps_changed(const struct last_modified *l, const struct commit *c, const bool *set)
{
	for (size_t i = 0; i < l->nr; i++)
		if (set[i] && (c->graph_pos == GRAPH_POS_NONE || !l->paths[i].filter ||
			       changed_paths_perhaps(l->paths[i].filter, c->graph_pos)))
			return true;
	return false;
}

/* Mark the paths that differ between parent and commit. */
static int mark_changed(struct last_modified *l, const struct commit *parent, const struct commit *c, bool *changed, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc = diff_trees(&q, &l->diff, &parent->tree, &c->tree, err);

	for (size_t i = 0; !rc && i < q.nr; i++) {
		uintptr_t at = (uintptr_t)strmap_get(&l->index, q.pairs[i]->new->path);

		if (at && q.pairs[i]->new->mode)
			changed[at - 1] = true;
	}
	diff_queue_clear(&q);
	return rc;
}

static int give_same(struct last_modified *l, struct commit *c, struct commit *parent, bool first, bool *set, struct err *err)
{
	bool *changed = xcalloc(l->nr + 1, sizeof(*changed));
	int rc = commit_parse_node(l->walk->pool, parent, err);

	if (!rc && (!first || perhaps_changed(l, c, set)))
		rc = mark_changed(l, parent, c, changed, err);
	for (size_t i = 0; !rc && i < l->nr; i++) {
		if (!set[i] || changed[i])
			continue;
		give_path(l, i, parent);
		set[i] = false;
	}
	free(changed);
	return rc;
}

static int last_modified_commit(struct last_modified *l, struct commit *c, struct err *err)
{
	bool *set = *set_of(l, c);
	int rc = 0;

	if (!set)
		return 0;
	*set_of(l, c) = NULL;
	for (uint32_t i = 0; !rc && i < c->nr_parents; i++)
		rc = give_same(l, c, c->parents[i], i == 0, set, err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		if (set[i])
			print_path(l, i, c, false);
	free(set);
	return rc ? rc : print_and_clear(NULL, &l->out, err);
}

/* ---- the walk ---- */

/* The one commit where it starts. NULL: there is none. */
static int find_start(struct last_modified *l, struct commit **start, struct err *err)
{
	struct object_id oid;
	int rc;

	*start = NULL;
	for (size_t i = 0; i < l->walk->nr_starts; i++) {
		const struct rev_start *s = &l->walk->starts[i];

		if (s->flags & REV_UNINTERESTING)
			continue;
		if (*start) {
			error("last-modified can only operate on one commit at a time");
			exit(255);
		}
		rc = revparse_commit(l->repo, oid_hex(&s->oid), &oid, err);
		if (rc < 0)
			return rc;
		*start = commit_lookup(l->walk->pool, &oid);
	}
	return *start ? commit_parse_node(l->walk->pool, *start, err) : 0;
}

static int walk_commits(struct last_modified *l, struct err *err)
{
	struct commit *c, *start;
	int rc = rev_walk_check_starts(l->walk, err);

	if (!rc)
		rc = find_start(l, &start, err);
	if (rc < 0 || !start)
		return rc;
	if (l->walk->has_pathspec)
		l->diff.pathspec = &l->walk->pathspec;
	rc = find_paths(l, start, err);
	if (rc < 0)
		return rc;
	l->walk->order = REV_ORDER_TOPO;
	l->limited = l->walk->has_pathspec;
	l->walk->has_pathspec = false; /* each commit counts */
	for (size_t i = 0; i < l->nr; i++)
		give_path(l, i, start);
	rc = rev_walk_begin(l->walk, err);
	while (rc >= 0 && l->left && (rc = rev_walk_next(l->walk, &c, err)) > 0)
		rc = last_modified_commit(l, c, err);
	return rc < 0 ? rc : print_and_clear(NULL, &l->out, err);
}

static int start_at_head(struct last_modified *l, struct err *err)
{
	struct object_id oid;
	int rc = revparse_commit(l->repo, "HEAD", &oid, err);

	if (!rc)
		rev_walk_add_commit(l->walk, &oid, "HEAD", 0);
	return rc;
}

NORETURN static void unknown_argument(const char *arg, const struct option *opts)
{
	error("unknown last-modified argument: %s", arg);
	usage_with_options(usage, opts);
}

static int last_modified_run(struct last_modified *l, int argc, const char **argv, const struct option *opts, struct err *err)
{
	const char *option;
	int rc = rev_walk_new(&l->walk, l->repo, err);

	if (rc < 0)
		return rc;
	rc = rev_walk_arguments(l->walk, argc, argv, NULL, err);
	if (rc == ERR_INVALID && skip_prefix(err_message(err), "unrecognized argument: ", &option))
		unknown_argument(option, opts);
	if (!rc && !l->walk->nr_starts)
		rc = start_at_head(l, err);
	return rc ? rc : walk_commits(l, err);
}

static void last_modified_release(struct last_modified *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->paths[i].path);
		pathspec_release(&l->paths[i].spec);
		changed_paths_free(l->paths[i].filter);
	}
	for (size_t i = 0; i < l->alloc_sets; i++)
		free(l->sets[i]);
	free(l->paths);
	free(l->sets);
	strmap_clear(&l->index, NULL);
	diff_options_release(&l->diff);
	strbuf_release(&l->out);
	if (l->limited)
		l->walk->has_pathspec = true;
	rev_walk_free(l->walk);
}

int cmd_last_modified(int argc, const char **argv, struct command_ctx *ctx)
{
	struct last_modified l = { .repo = ctx->repo, .out = STRBUF_INIT };
	const struct option opts[] = {
		OPT_SET_INT('r', "recursive", &l.max_depth, "recurse into subtrees", -1),
		OPT_BOOL('t', "show-trees", &l.show_trees, "show tree entries when recursing into subtrees"),
		OPT_INTEGER(0, "max-depth", &l.max_depth, "maximum tree depth to recurse"),
		OPT_BOOL('z', NULL, &l.null_term, "lines are separated with NUL character"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_NO_ABBREV |
			     PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_ARGV0);
	strmap_init(&l.index);
	diff_options_init(&l.diff, l.repo->odb);
	l.diff.max_depth = l.max_depth;
	l.diff.show_trees = l.show_trees;
	rc = last_modified_run(&l, argc, argv, opts, &err);
	last_modified_release(&l);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}
