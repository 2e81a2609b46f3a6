/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk-objects <arguments of git-rev-list>
 *
 * What object_walk() delivers to those who make packs: "commit OID", "edge-commit OID",
 * "TYPE OID PATH" and "base TYPE OID PATH", in that order of calls.
 */
#include "compat/posix.h"
#include "history/revision/objects.h"
#include "repo/repo.h"

static int on_commit(void *data UNUSED, struct commit *c, struct err *err UNUSED)
{
	printf("commit %s\n", oid_hex(&c->oid));
	return 0;
}

static int on_edge(void *data UNUSED, struct commit *c, struct err *err UNUSED)
{
	printf("edge-commit %s\n", oid_hex(&c->oid));
	return 0;
}

static int on_object(void *data UNUSED, const struct walked_object *o, struct err *err UNUSED)
{
	printf("%s%s %s %s\n", o->edge ? "base " : "", object_type_name(o->type), oid_hex(o->oid),
	       o->path);
	return 0;
}

static int run(struct repository *r, int argc, const char **argv, struct err *err)
{
	const struct object_walk_options o = {
		.edges = true, .commit = on_commit, .object = on_object, .edge_commit = on_edge,
	};
	struct rev_walk *w = NULL;
	int rc = rev_walk_new(&w, r, err);

	if (!rc) {
		w->objects = true;
		rc = rev_walk_arguments(w, argc, argv, NULL, err);
	}
	if (!rc)
		rc = rev_walk_begin(w, err);
	if (!rc)
		rc = object_walk(w, &o, err);
	rev_walk_free(w);
	return rc;
}

int main(int argc, const char **argv)
{
	struct repo_open_options options = { 0 };
	struct repository *r;
	struct err err = ERR_INIT;

	if (repo_open(&r, &options, &err) < 0 || run(r, argc, argv, &err) < 0) {
		fprintf(stderr, "fatal: %s\n", err_message(&err));
		return 128;
	}
	repo_free(r);
	return 0;
}
