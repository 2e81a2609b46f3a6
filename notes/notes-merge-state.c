/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges of notes that stopped: their state, --commit and --abort. */
#include "compat/posix.h"
#include <dirent.h>
#include "fs/file.h"
#include "history/names/revparse.h"
#include "notes/notes-merge-internal.h"
#include "object/commit.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/path.h"

#define NOTE_MAX ((size_t)256 << 20)

int notes_merge_check_worktree(const struct notes_merge *m, struct err *err)
{
	char *dir = repo_state_path(m->repo, STATE_NOTES_MERGE_WORKTREE), *files;
	int rc = 0;

	if (is_directory(dir) && !is_empty_dir(dir)) {
		files = repo_path(m->repo, "NOTES_MERGE_*");
		rc = err_set(err, ERR_EXISTS, "You have not concluded your previous notes merge (%s exists).%s", files,
			     m->advise ? "\nPlease, use 'git notes merge --commit' or 'git notes merge --abort' to "
					 "commit/abort the previous merge before you start a new notes merge." : "");
		free(files);
	}
	free(dir);
	return rc;
}

/* The ref of the merge in another worktree, whose root refs may be files or not. */
static bool merges_into(const struct notes_merge *m, const struct worktree *w, const char *ref)
{
	const char *own = repo_state_name(STATE_NOTES_MERGE_REF);
	char *name = w->is_current ? xstrdup(own) : w->id ? xstrfmt("worktrees/%s/%s", w->id, own) :
		xstrfmt("main-worktree/%s", own);
	struct object_id oid;
	char *target = NULL;
	bool yes = !ref_read_raw(m->repo->refs, name, &oid, &target, NULL) && target && !strcmp(target, ref);

	free(target);
	free(name);
	return yes;
}

int notes_merge_check_ref(const struct notes_merge *m, struct err *err)
{
	struct worktree *list = NULL;
	int rc = worktrees_read(&list, m->repo, err);

	for (const struct worktree *w = list; !rc && w; w = w->next)
		if (merges_into(m, w, m->local))
			rc = err_set(err, ERR_EXISTS, "a notes merge into %s is already in-progress at %s", m->local, w->path);
	worktrees_free(list);
	return rc;
}

int notes_merge_queue_state(const struct notes_merge *m, struct repo_operation *op, const struct object_id *partial,
			    struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc)
		rc = ref_transaction_update(t, repo_state_name(STATE_NOTES_MERGE_PARTIAL), partial, NULL,
					    REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	if (!rc)
		rc = ref_transaction_update_symref(t, repo_state_name(STATE_NOTES_MERGE_REF), m->local, NULL,
						   REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	return rc;
}

/* ---- both ends ---- */

/* Also if the ref that it names is gone. */
static bool is_there(const struct notes_merge *m, enum repo_state_file f)
{
	struct object_id oid;
	char *target = NULL;
	bool yes = !ref_read_raw(m->repo->refs, repo_state_name(f), &oid, &target, NULL);

	free(target);
	return yes;
}

static int queue_state_removal(const struct notes_merge *m, struct repo_operation *op, struct ref_transaction *t,
			       struct err *err)
{
	static const enum repo_state_file refs[] = { STATE_NOTES_MERGE_PARTIAL, STATE_NOTES_MERGE_REF };
	char *dir = repo_state_path(m->repo, STATE_NOTES_MERGE_WORKTREE);
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(refs); i++)
		if (is_there(m, refs[i]))
			rc = ref_transaction_update(t, repo_state_name(refs[i]), &m->repo->algo->null_oid, NULL,
						    REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	if (!rc && is_directory(dir))
		notes_merge_say(m, 3, "Removing notes merge worktree at %s/*", dir);
	if (!rc)
		rc = repo_operation_remove_state(op, STATE_NOTES_MERGE_WORKTREE, err);
	free(dir);
	return rc;
}

static bool is_in_progress(const struct notes_merge *m)
{
	char *dir = repo_state_path(m->repo, STATE_NOTES_MERGE_WORKTREE);
	bool yes = is_directory(dir) || is_there(m, STATE_NOTES_MERGE_PARTIAL) || is_there(m, STATE_NOTES_MERGE_REF);

	free(dir);
	return yes;
}

int notes_merge_abort(struct notes_merge *m, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = is_in_progress(m) ? 0 : err_set(err, ERR_NOT_FOUND, "failed to remove 'git notes merge' worktree");

	if (!rc)
		rc = repo_operation_begin_refs(op, 0, &t, err);
	return rc ? rc : queue_state_removal(m, op, t, err);
}

/* ---- --commit ---- */

struct conclusion {
	struct notes_merge *m;
	struct repo_operation *op;
	struct notes_ref notes;
	struct object_buf buf;
	struct commit_view view;
	char *target; /* the ref of the merge */
};

static int add_resolved(struct conclusion *c, const char *dir, const char *name, struct err *err)
{
	struct repository *r = c->m->repo;
	char *path = path_join(dir, name);
	struct strbuf text = STRBUF_INIT;
	struct object_id oid, note;
	int rc = 0;

	if (oid_from_hex(&oid, name, r->algo) < 0) {
		notes_merge_say(c->m, 3, "Skipping non-SHA1 entry '%s'", path);
		goto out;
	}
	rc = read_file_nofollow(&text, path, NOTE_MAX, err);
	if (rc >= 0)
		rc = odb_write(r->odb, OBJ_BLOB, text.buf, text.len, &note, err);
	if (rc >= 0)
		rc = notes_ref_put(&c->notes, &oid, &note, err);
	if (rc >= 0) {
		char *hex = xstrdup(oid_hex(&note));

		notes_merge_say(c->m, 4, "Added resolved note for object %s: %s", name, hex);
		free(hex);
	}
out:
	strbuf_release(&text);
	free(path);
	return rc < 0 ? rc : 0;
}

static int add_all_resolved(struct conclusion *c, struct err *err)
{
	char *path = repo_state_path(c->m->repo, STATE_NOTES_MERGE_WORKTREE);
	DIR *dir = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (!dir) {
		rc = err_set_errno(err, "could not open %s", path);
		free(path);
		return rc;
	}
	notes_merge_say(c->m, 3, "Committing notes in notes merge worktree at %s", path);
	while (!rc && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = add_resolved(c, path, e->d_name, err);
	closedir(dir);
	free(path);
	return rc;
}

static int read_partial(struct conclusion *c, struct err *err)
{
	struct repository *r = c->m->repo;
	const char *name = repo_state_name(STATE_NOTES_MERGE_PARTIAL);
	struct object_id oid;
	int rc;

	if (ref_resolve(r->refs, name, &oid, NULL, NULL, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "failed to read ref %s", name);
	if (odb_read_type(r->odb, &oid, OBJ_COMMIT, &c->buf, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "could not find commit from %s.", name);
	rc = commit_parse(&c->view, c->buf.data, c->buf.size, r->algo, err);
	if (rc < 0)
		return err_set(err, rc, "could not parse commit from %s.", name);
	if (ref_read_raw(r->refs, repo_state_name(STATE_NOTES_MERGE_REF), &oid, &c->target, NULL) < 0 || !c->target)
		return err_set(err, ERR_NOT_FOUND, "failed to resolve %s", repo_state_name(STATE_NOTES_MERGE_REF));
	return notes_ref_open(&c->notes, r, name, NOTES_WRITABLE, err);
}

static int write_conclusion(struct conclusion *c, struct object_id *out, struct err *err)
{
	char *message = xmemdupz(c->view.message, c->view.message_len);
	const struct notes_words words = { c->m->author, c->m->committer, message, NULL };
	struct object_id tree;
	int rc = notes_tree_write(c->notes.tree, &tree, err);

	if (!rc)
		rc = notes_write_commit(c->op, &tree, c->view.parents, c->view.nr_parents, &words, out, err);
	if (!rc)
		notes_merge_say(c->m, 4, "Finalized notes merge commit: %s", oid_hex(out));
	free(message);
	return rc;
}

static int queue_conclusion(struct conclusion *c, const struct object_id *commit, struct err *err)
{
	const struct object_id *old = c->view.nr_parents ? &c->view.parents[0] : &c->m->repo->algo->null_oid;
	struct ref_transaction *t = NULL;
	struct strbuf log = STRBUF_INIT;
	int rc = repo_operation_begin_refs(c->op, 0, &t, err);

	strbuf_addstr(&log, "notes: ");
	commit_subject(&log, c->view.message, c->view.message_len, " ");
	if (!rc)
		rc = ref_transaction_update(t, c->target, commit, old, 0, log.buf, err);
	if (!rc)
		rc = queue_state_removal(c->m, c->op, t, err);
	strbuf_release(&log);
	return rc;
}

int notes_merge_conclude(struct notes_merge *m, struct repo_operation *op, struct err *err)
{
	struct conclusion c = { .m = m, .op = op, .buf = OBJECT_BUF_INIT };
	struct object_id commit;
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = read_partial(&c, err);
	if (!rc)
		rc = add_all_resolved(&c, err);
	if (!rc)
		rc = write_conclusion(&c, &commit, err);
	if (!rc)
		rc = queue_conclusion(&c, &commit, err);
	if (!rc)
		rc = repo_operation_prepare(op, err);
	if (rc < 0 && rc == ERR_CONFLICT)
		err_prefix(err, "update_ref failed for ref '%s'", c.target);
	m->changed = true;
	commit_view_release(&c.view);
	object_buf_release(&c.buf);
	notes_ref_release(&c.notes);
	free(c.target);
	return rc;
}
