/* SPDX-License-Identifier: GPL-2.0-only */
/* Two refs of notes are merged: the commits, the strategies, the result. */
#include "compat/posix.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "notes/notes-merge-internal.h"
#include "util/alloc.h"

struct merge_run {
	struct notes_merge *m;
	struct repo_operation *op;
	struct notes_ref into; /* the local notes, which become the result */
	struct object_id local, remote, base; /* commits; null: none */
	struct strbuf listed; /* names of objects with conflicts, for the message */
};

bool notes_strategy_parse(const char *name, enum notes_strategy *out)
{
	static const char *const names[] = {
		[NOTES_MANUAL] = "manual", [NOTES_OURS] = "ours", [NOTES_THEIRS] = "theirs", [NOTES_UNION] = "union",
		[NOTES_MERGE_CAT_SORT_UNIQ] = "cat_sort_uniq",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*out = (enum notes_strategy)i;
		return true;
	}
	return false;
}

/* ---- one object ---- */

static int put_or_remove(struct merge_run *run, const struct object_id *oid, const struct object_id *note, struct err *err)
{
	int rc = oid_is_null(note) ? notes_ref_remove(&run->into, oid, err) :
		notes_ref_put(&run->into, oid, note, err);

	return rc < 0 ? rc : 0;
}

static int take_both(struct merge_run *run, const struct notes_change *c, struct object_id *out, struct err *err)
{
	struct odb *odb = run->m->repo->odb;
	const struct object_id *ours = oid_is_null(&c->local) ? NULL : &c->local;
	const struct object_id *theirs = oid_is_null(&c->remote) ? NULL : &c->remote;

	if (run->m->strategy == NOTES_MERGE_CAT_SORT_UNIQ)
		return notes_sort_lines(odb, ours, theirs, out, err);
	*out = ours ? *ours : *theirs;
	return ours && theirs ? notes_concatenate(odb, ours, theirs, out, err) : 0;
}

static void say_conflict(const struct notes_merge *m, const struct notes_change *c)
{
	const char *gone = m->remote, *there = m->local, *kind = oid_is_null(&c->base) ? "add/add" : "content";

	if (!oid_is_null(&c->local) && !oid_is_null(&c->remote)) {
		notes_merge_say(m, 1, "CONFLICT (%s): Merge conflict in notes for object %s", kind, oid_hex(&c->oid));
		return;
	}
	if (oid_is_null(&c->local)) {
		gone = m->local;
		there = m->remote;
	}
	notes_merge_say(m, 1, "CONFLICT (delete/modify): Notes for object %s deleted in %s and modified in %s. "
			"Version from %s left in tree.", oid_hex(&c->oid), gone, there, there);
}

static int conflict_text(const struct notes_merge *m, const struct notes_change *c, struct strbuf *out, struct err *err)
{
	const struct object_id *one = oid_is_null(&c->local) ? &c->remote : &c->local;
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc;

	if (!oid_is_null(&c->local) && !oid_is_null(&c->remote))
		return notes_merge_text(m, c, out, err);
	rc = odb_read_type(m->repo->odb, one, OBJ_BLOB, &buf, err);
	if (rc >= 0)
		strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return rc < 0 ? rc : 0;
}

static int leave_conflict(struct merge_run *run, const struct notes_change *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	notes_merge_say(run->m, 2, "Auto-merging notes for %s", oid_hex(&c->oid));
	rc = run->m->conflicts ? 0 : notes_merge_check_worktree(run->m, err);
	if (!rc) {
		say_conflict(run->m, c);
		rc = conflict_text(run->m, c, &text, err);
	}
	run->m->conflicts++;
	strbuf_addf(&run->listed, "\t%s\n", oid_hex(&c->oid));
	if (!rc)
		rc = repo_operation_write_state_in(run->op, STATE_NOTES_MERGE_WORKTREE, oid_hex(&c->oid), text.buf,
						   text.len, err);
	if (!rc)
		rc = notes_ref_remove(&run->into, &c->oid, err);
	strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

static int merge_change(struct merge_run *run, const struct notes_change *c, struct err *err)
{
	const char *hex = oid_hex(&c->oid);
	struct object_id note;
	int rc;

	if (oid_eq(&c->local, &c->base))
		return put_or_remove(run, &c->oid, &c->remote, err);
	switch (run->m->strategy) {
	case NOTES_MANUAL:
		return leave_conflict(run, c, err);
	case NOTES_OURS:
		notes_merge_say(run->m, 2, "Using local notes for %s", hex);
		return 0;
	case NOTES_THEIRS:
		notes_merge_say(run->m, 2, "Using remote notes for %s", hex);
		return put_or_remove(run, &c->oid, &c->remote, err);
	case NOTES_UNION:
		notes_merge_say(run->m, 2, "Concatenating local and remote notes for %s", hex);
		break;
	case NOTES_MERGE_CAT_SORT_UNIQ:
		notes_merge_say(run->m, 2, "Concatenating unique lines in local and remote notes for %s", hex);
		break;
	}
	rc = take_both(run, c, &note, err);
	return rc ? rc : put_or_remove(run, &c->oid, &note, err);
}

/* ---- the trees ---- */

/* *out is NULL without a commit. */
static int tree_of(struct merge_run *run, const struct object_id *commit, struct object_id *tree,
		   const struct object_id **out, struct err *err)
{
	*out = oid_is_null(commit) ? NULL : tree;
	return *out ? object_peel(odb_source(run->m->repo->odb), commit, OBJ_TREE, tree, NULL, err) : 0;
}

static int merge_trees_of_notes(struct merge_run *run, struct err *err)
{
	const struct object_id *const commits[3] = { &run->base, &run->local, &run->remote }, *trees[3];
	struct object_id oids[3];
	struct notes_change *changes = NULL;
	size_t nr = 0;
	int rc = 0;

	for (int i = 0; !rc && i < 3; i++)
		rc = tree_of(run, commits[i], &oids[i], &trees[i], err);
	if (!rc)
		rc = notes_merge_changes(run->m->repo->odb, trees[0], trees[1], trees[2], &changes, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++)
		rc = merge_change(run, &changes[i], err);
	notes_merge_say(run->m, 4, "Merge result: %zu unmerged notes and a %s notes tree", run->m->conflicts,
			run->into.changed ? "dirty" : "clean");
	free(changes);
	return rc;
}

/* The commit of the result, with both as its parents. */
static int write_merge_commit(struct merge_run *run, struct object_id *out, struct err *err)
{
	const struct object_id parents[2] = { run->local, run->remote };
	struct strbuf message = STRBUF_INIT;
	struct object_id tree;
	struct notes_words words = { run->m->author, run->m->committer, NULL, NULL };
	int rc = notes_tree_write(run->into.tree, &tree, err);

	strbuf_addf(&message, "Merged notes from %s into %s", run->m->remote, run->m->local);
	if (run->m->conflicts)
		strbuf_addf(&message, "\n\nConflicts:\n%s", run->listed.buf);
	words.message = message.buf;
	if (!rc)
		rc = notes_write_commit(run->op, &tree, parents, 2, &words, out, err);
	strbuf_release(&message);
	return rc;
}

/* ---- the commits ---- */

static int update_local_ref(struct merge_run *run, const struct object_id *to, struct err *err)
{
	char *log = xstrfmt("notes: Merged notes from %s into %s", run->m->remote, run->m->local);
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(run->op, 0, &t, err);

	run->m->changed = true;
	if (!rc)
		rc = ref_transaction_update(t, run->m->local, to, &run->local, 0, log, err);
	if (rc < 0)
		err_prefix(err, "update_ref failed for ref '%s'", run->m->local);
	free(log);
	return rc;
}

static int find_merge_base(struct merge_run *run, struct err *err)
{
	struct commit_pool *pool = NULL;
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit *remote;
	int rc = commit_pool_new(&pool, run->m->repo, err);

	if (!rc) {
		remote = commit_lookup(pool, &run->remote);
		rc = merge_bases(pool, commit_lookup(pool, &run->local), &remote, 1, &bases, err);
	}
	if (!rc && bases.nr)
		run->base = bases.items[0]->oid;
	if (!rc && !bases.nr)
		notes_merge_say(run->m, 4, "No merge base found; doing history-less merge");
	else if (!rc && bases.nr == 1)
		notes_merge_say(run->m, 4, "One merge base found (%.7s)", oid_hex(&run->base));
	else if (!rc)
		notes_merge_say(run->m, 3, "Multiple merge bases found. Using the first (%.7s)", oid_hex(&run->base));
	commit_list_clear(&bases);
	commit_pool_free(pool);
	return rc;
}

static int merge_commits(struct merge_run *run, struct err *err)
{
	struct object_id result;
	int rc = notes_ref_open(&run->into, run->m->repo, run->m->local, NOTES_WRITABLE, err);

	if (!rc)
		rc = merge_trees_of_notes(run, err);
	if (!rc && run->m->conflicts)
		rc = notes_merge_check_ref(run->m, err);
	if (!rc)
		rc = write_merge_commit(run, &result, err);
	if (!rc)
		rc = run->m->conflicts ? notes_merge_queue_state(run->m, run->op, &result, err) :
			update_local_ref(run, &result, err);
	return rc;
}

static int merge_by_base(struct merge_run *run, struct err *err)
{
	char base[HASH_MAX_HEX + 1], remote[HASH_MAX_HEX + 1];
	int rc = find_merge_base(run, err);

	if (rc)
		return rc;
	oid_to_hex_r(base, &run->base);
	oid_to_hex_r(remote, &run->remote);
	notes_merge_say(run->m, 4, "Merging remote commit %.7s into local commit %.7s with merge-base %.7s", remote,
			oid_hex(&run->local), base);
	if (oid_eq(&run->base, &run->remote)) {
		notes_merge_say(run->m, 2, "Already up to date.");
		return 0;
	}
	if (oid_eq(&run->base, &run->local)) {
		notes_merge_say(run->m, 2, "Fast-forward");
		return update_local_ref(run, &run->remote, err);
	}
	return merge_commits(run, err);
}

/* A commit; null if the name does not resolve. */
static int find_side(struct repository *r, const char *name, const char *side, struct object_id *out, struct err *err)
{
	struct object_id oid;

	*out = r->algo->null_oid;
	if (revparse_oid(r, name, &oid, NULL) < 0)
		return 0;
	if (object_peel(odb_source(r->odb), &oid, OBJ_COMMIT, out, NULL, NULL) >= 0)
		return 0;
	return err_set(err, ERR_INVALID, "Could not parse %s commit %s (%s)", side, oid_hex(&oid), name);
}

static int merge_sides(struct merge_run *run, struct err *err)
{
	struct notes_merge *m = run->m;
	int rc = find_side(m->repo, m->local, "local", &run->local, err);

	run->base = m->repo->algo->null_oid;
	if (!rc)
		rc = find_side(m->repo, m->remote, "remote", &run->remote, err);
	if (rc)
		return rc;
	if (oid_is_null(&run->local) && oid_is_null(&run->remote))
		return err_set(err, ERR_NOT_FOUND, "Cannot merge empty notes ref (%s) into empty notes ref (%s)", m->remote,
			       m->local);
	if (oid_is_null(&run->remote))
		return 0;
	return oid_is_null(&run->local) ? update_local_ref(run, &run->remote, err) : merge_by_base(run, err);
}

int notes_merge_run(struct notes_merge *m, struct repo_operation *op, struct err *err)
{
	struct merge_run run = { .m = m, .op = op, .listed = STRBUF_INIT };
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = merge_sides(&run, err);
	notes_ref_release(&run.into);
	strbuf_release(&run.listed);
	return rc;
}
