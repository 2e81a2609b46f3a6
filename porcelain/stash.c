/* SPDX-License-Identifier: GPL-2.0-only */
/* Stashes: local changes as a commit. */
#include "compat/posix.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "index/cache-tree.h"
#include "odb/odb.h"
#include "porcelain/head.h"
#include "porcelain/stash.h"
#include "repo/ident.h"
#include "util/date.h"
#include "worktree/worktree.h"

int stash_add_changes(struct repository *r, struct index_state *ix, struct converter *conv,
		      struct err *err)
{
	struct worktree_add_options o = { .intent_to_add = false };
	struct worktree_changes changes = { NULL, 0, 0 };
	struct worktree_adder *adder;
	int rc = worktree_find_changes(r, ix, NULL, conv, 0, NULL, &changes, err);

	if (rc >= 0) {
		adder = worktree_adder_new(r, ix, conv, &o);
		rc = worktree_adder_apply(adder, &changes, false, err);
		if (rc >= 0)
			rc = worktree_adder_finish(adder, err);
		worktree_adder_free(adder);
	}
	worktree_changes_release(&changes);
	return rc < 0 ? rc : 0;
}

static int find_ident(struct repository *r, unsigned who, struct strbuf *out, struct err *err)
{
	struct err own = ERR_INIT;
	int tz, rc = repo_ident(r, out, who | IDENT_STRICT, &own);

	if (rc == ERR_NO_IDENT) {
		timestamp_t now = date_now(&tz);

		strbuf_reset(out);
		strbuf_addf(out, "git stash <git@stash> %ju %+05d", (uintmax_t)now, tz);
		rc = 0;
	} else if (rc < 0) {
		err_move(err, &own);
	}
	err_release(&own);
	return rc;
}

static int stash_write_commit(struct repository *r, const struct object_id *tree,
			      const struct object_id *parents,
			      size_t nr_parents, const struct strbuf *message, struct object_id *out,
			      struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	struct new_commit c = {
		.draft = { .tree = *tree, .parents = parents, .nr_parents = nr_parents,
			   .message = message->buf, .message_len = message->len },
		.warn_not_utf8 = warn_commit_not_utf8,
	};
	int rc = config_get_string(r->config, "i18n.commitencoding", &c.draft.encoding, err);

	if (rc >= 0)
		rc = find_ident(r, IDENT_AUTHOR, &author, err);
	if (!rc)
		rc = find_ident(r, IDENT_COMMITTER, &committer, err);
	c.draft.author = author.buf;
	c.draft.committer = committer.buf;
	if (!rc)
		rc = commit_create(r->operation, &c, out, err);
	strbuf_release(&author);
	strbuf_release(&committer);
	return rc;
}

static const char *branch_name(const char *ref)
{
	if (!ref)
		return "(no branch)";
	skip_prefix(ref, "refs/heads/", &ref);
	return ref;
}

static int write_index_commit(struct repository *r, const struct stash_source *s, struct object_id *out,
			      struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	struct object_id tree;
	int rc = cache_tree_update(s->index, r, 0, &tree, err);

	strbuf_addf(&message, "index on %s: ", branch_name(s->branch));
	if (!rc)
		rc = head_describe_commit(r, s->head, &message, err);
	strbuf_addch(&message, '\n');
	if (!rc)
		rc = stash_write_commit(r, &tree, s->head, 1, &message, out, err);
	strbuf_release(&message);
	return rc;
}

int stash_create(struct repository *r, const struct stash_source *s, struct object_id *out,
		 struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	struct object_id parents[2] = { *s->head };
	struct object_id tree;
	int rc = write_index_commit(r, s, &parents[1], err);

	strbuf_addf(&message, "On %s: %s", branch_name(s->branch), s->message);
	if (!rc)
		rc = cache_tree_update(s->files, r, 0, &tree, err);
	if (!rc)
		rc = stash_write_commit(r, &tree, parents, 2, &message, out, err);
	strbuf_release(&message);
	return rc;
}

int stash_queue_entry(struct ref_transaction *t, const struct object_id *stash, const char *message,
		      struct err *err)
{
	return ref_transaction_update(t, "refs/stash", stash, NULL, REF_FORCE_REFLOG, message, err);
}
