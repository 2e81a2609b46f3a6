/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Versions follow renames: the base and the other side's version of a renamed file move to its new path, where they are merged
 * as if all had always been there. Contradictions between both sides are reported here.
 */
#include "compat/posix.h"
#include "merge/renames.h"
#include "object/tree.h"
#include "util/alloc.h"

static const struct merge_version none;

static const char *label_of_side(const struct merge_run *run, enum merge_stage s)
{
	return run->m->label[s];
}

static void move_version(struct merge_path *to, struct merge_path *from, enum merge_stage s)
{
	to->version[s] = from->version[s];
	to->from[s] = from->path;
	from->version[s] = none;
}

/* A path that was resolved as a whole, or did not exist, gets versions: it must be decided. */
static void touch(struct merge_path *p)
{
	p->state = PATH_OPEN;
	p->result = none;
}

/* The three versions of a renamed file, under the names that they have. */
static int merge_renamed(struct merge_run *run, const struct merge_path *old, const struct merge_path *ours,
			 const struct merge_path *theirs, struct merge_file_outcome *outcome)
{
	struct merge_path p = { .path = old->path };

	p.version[MERGE_BASE] = old->version[MERGE_BASE];
	p.version[MERGE_OURS] = ours->version[MERGE_OURS];
	p.version[MERGE_THEIRS] = theirs->version[MERGE_THEIRS];
	p.from[MERGE_BASE] = old->path;
	p.from[MERGE_OURS] = ours->path;
	p.from[MERGE_THEIRS] = theirs->path;
	return merge_path_contents(run, &p, true, outcome);
}

/* Called before a version at a new path changes. */
static void note_same_sides(struct merge_path *to)
{
	if (!to->followed)
		to->sides_were_same = !to->moved_by_directory && merge_has(to, MERGE_OURS) &&
				      merge_version_eq(&to->version[MERGE_OURS], &to->version[MERGE_THEIRS]);
	to->followed = true;
}

/* ---- both sides have renamed the file ---- */

static int follow_two_ways(struct merge_run *run, struct merge_path *old, struct merge_path *ours, struct merge_path *theirs)
{
	struct merge_file_outcome outcome;
	int rc = merge_renamed(run, old, ours, theirs, &outcome);

	if (rc < 0)
		return rc;
	note_same_sides(ours);
	note_same_sides(theirs);
	/* ours as a whole, in conflict, is a binary file: each side keeps its own */
	if (outcome.clean || !merge_version_eq(&outcome.result, &ours->version[MERGE_OURS]))
		ours->version[MERGE_OURS] = theirs->version[MERGE_THEIRS] = outcome.result;
	touch(old);
	touch(ours);
	touch(theirs);
	old->rename_conflict = ours->rename_conflict = theirs->rename_conflict = true;
	merge_report(run, MERGE_CONFLICT_RENAME_RENAME, (const char *[]){ old->path, ours->path, theirs->path, NULL },
		     "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.", old->path, ours->path,
		     label_of_side(run, MERGE_OURS), theirs->path, label_of_side(run, MERGE_THEIRS));
	return 0;
}

static int follow_both(struct merge_run *run, const struct merge_rename *ours, const struct merge_rename *theirs)
{
	if (ours->to != theirs->to)
		return follow_two_ways(run, ours->from, ours->to, theirs->to);
	touch(ours->from);
	touch(ours->to);
	move_version(ours->to, ours->from, MERGE_BASE);
	ours->to->from[MERGE_BASE] = ours->to->path;
	return 0;
}

/* ---- one side has ---- */

/* The other side has another file at the new path. */
static int follow_to_taken(struct merge_run *run, const struct merge_rename *r)
{
	enum merge_stage other = merge_other_side(r->side);
	struct merge_file_outcome outcome;
	int rc = r->side == MERGE_OURS ? merge_renamed(run, r->from, r->to, r->from, &outcome) :
		 merge_renamed(run, r->from, r->from, r->to, &outcome);

	if (rc < 0)
		return rc;
	if (!outcome.clean)
		merge_report(run, MERGE_CONFLICT_RENAME_COLLIDES, (const char *[]){ r->to->path, r->from->path, NULL },
			     "CONFLICT (rename involved in collision): rename of %s -> %s has content conflicts AND collides "
			     "with another path; this may result in nested conflict markers.", r->from->path, r->to->path);
	r->to->version[r->side] = outcome.result;
	r->from->version[MERGE_BASE] = r->from->version[other] = none;
	return 0;
}

static void follow_deleted(struct merge_run *run, const struct merge_rename *r, bool taken)
{
	if (taken)
		r->from->version[MERGE_BASE] = none;
	else
		move_version(r->to, r->from, MERGE_BASE);
	r->to->rename_conflict = true;
	merge_report(run, MERGE_CONFLICT_RENAME_DELETE, (const char *[]){ r->to->path, r->from->path, NULL },
		     "CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.", r->from->path, r->to->path,
		     label_of_side(run, r->side), label_of_side(run, merge_other_side(r->side)));
}

static int follow_one(struct merge_run *run, const struct merge_rename *r)
{
	enum merge_stage other = merge_other_side(r->side);
	bool taken = merge_has(r->to, other);

	touch(r->from);
	touch(r->to);
	note_same_sides(r->to);
	if (!merge_has(r->from, other)) {
		follow_deleted(run, r, taken);
	} else if (MODE_IS_FILE(r->from->version[MERGE_BASE].mode) != MODE_IS_FILE(r->from->version[other].mode)) {
		/* as if the other side had deleted the file */
		move_version(r->to, r->from, MERGE_BASE);
	} else if (taken) {
		return follow_to_taken(run, r);
	} else {
		move_version(r->to, r->from, MERGE_BASE);
		move_version(r->to, r->from, other);
	}
	return 0;
}

static int by_source(const void *a, const void *b)
{
	const struct merge_rename *x = a, *y = b;
	int cmp = strcmp(x->from->path, y->from->path);

	return cmp ? cmp : (int)x->side - (int)y->side;
}

int merge_follow_renames(struct merge_run *run, struct merge_renames *r)
{
	int rc = 0;

	if (r->nr)
		qsort(r->list, r->nr, sizeof(*r->list), by_source);
	for (size_t i = 0; !rc && i < r->nr; i++) {
		bool both;

		if (r->list[i].from == r->list[i].to) /* its directory was renamed back: there is nothing to follow */
			continue;
		both = i + 1 < r->nr && r->list[i].from == r->list[i + 1].from;
		rc = both ? follow_both(run, &r->list[i], &r->list[i + 1]) : follow_one(run, &r->list[i]);
		i += both;
	}
	return rc;
}
