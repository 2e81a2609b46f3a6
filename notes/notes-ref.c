/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "notes/notes.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "util/alloc.h"

/* The message that scripts know, below the reason. */
static int cannot_read_notes(const struct notes_ref *n, struct err *why, struct err *err)
{
	char *reason = xstrfmt("error: %s\n", err_message(why));
	int rc = err_set(err, ERR_INVALID, "Failed to read notes tree referenced by %s (%s)", n->name,
			 oid_hex(&n->tip));

	err_set_preface(err, reason);
	err_release(why);
	free(reason);
	return rc;
}

int notes_ref_open(struct notes_ref *n, struct repository *r, const char *name, enum notes_access access,
		   struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id tree;
	int rc;

	*n = (struct notes_ref){ .repo = r, .name = xstrdup(name), .tip = r->algo->null_oid };
	rc = refname_is_valid(name, REFNAME_ALLOW_ONELEVEL) ? ref_resolve(r->refs, name, &n->tip, NULL, NULL, &why) : ERR_NOT_FOUND;
	if (rc == ERR_NOT_FOUND) {
		err_release(&why);
		n->tip = r->algo->null_oid;
		n->tree = notes_tree_new(r->odb, NULL, access);
		return 0;
	}
	if (!rc)
		rc = object_peel(odb_source(r->odb), &n->tip, OBJ_TREE, &tree, NULL, &why);
	if (!rc)
		n->tree = notes_tree_new(r->odb, &tree, access);
	if (!rc)
		rc = notes_tree_read(n->tree, &why);
	return rc ? cannot_read_notes(n, &why, err) : 0;
}

void notes_ref_release(struct notes_ref *n)
{
	notes_tree_free(n->tree);
	free(n->name);
	n->tree = NULL;
	n->name = NULL;
}

int notes_ref_put(struct notes_ref *n, const struct object_id *oid, const struct object_id *note, struct err *err)
{
	n->changed = true;
	return notes_tree_put(n->tree, oid, note, err);
}

int notes_ref_remove(struct notes_ref *n, const struct object_id *oid, struct err *err)
{
	struct object_id note;
	int rc = notes_tree_find(n->tree, oid, &note, err);

	if (rc <= 0)
		return rc;
	n->changed = true;
	rc = notes_tree_remove(n->tree, oid, err);
	return rc ? rc : 1;
}

int notes_write_commit(struct repo_operation *op, const struct object_id *tree, const struct object_id *parents,
		       size_t nr_parents, const struct notes_words *words, struct object_id *out, struct err *err)
{
	const struct new_commit c = {
		.draft = {
			.tree = *tree,
			.parents = parents,
			.nr_parents = nr_parents,
			.author = words->author,
			.committer = words->committer,
			.encoding = commit_encoding(repo_operation_repository(op)),
			.message = words->message,
			.message_len = strlen(words->message),
		},
		.warn_not_utf8 = warn_commit_not_utf8,
	};

	return commit_create(op, &c, out, err);
}

static int check_tip_is_commit(const struct notes_ref *n, struct err *err)
{
	enum object_type type;
	uint64_t size;
	int rc = oid_is_null(&n->tip) ? 0 : odb_type(n->repo->odb, &n->tip, &type, &size, err);

	if (rc || oid_is_null(&n->tip) || type == OBJ_COMMIT)
		return rc;
	rc = err_set(err, ERR_INVALID, "Failed to find/parse commit %s", n->name);
	return rc;
}

static int write_notes_tree(struct notes_ref *n, struct object_id *tree, struct err *err)
{
	int rc = notes_tree_write(n->tree, tree, err);

	if (rc < 0)
		err_prefix(err, "cannot write notes in '%s'", n->name);
	return rc;
}

int notes_ref_queue(struct notes_ref *n, struct repo_operation *op, struct ref_transaction *t,
		    const struct notes_words *words, struct err *err)
{
	struct object_id tree, commit;
	char *log = NULL;
	int rc = 0;

	if (!n->changed)
		return 0;
	if ((rc = check_tip_is_commit(n, err)) < 0 || (rc = write_notes_tree(n, &tree, err)) < 0 ||
	    (rc = notes_write_commit(op, &tree, &n->tip, !oid_is_null(&n->tip), words, &commit, err)) < 0)
		return rc;
	log = xstrfmt("notes: %s", words->reflog);
	rc = ref_transaction_update(t, n->name, &commit, &n->tip, 0, log, err);
	if (rc)
		err_prefix(err, "update_ref failed for ref '%s'", n->name);
	free(log);
	return rc;
}
