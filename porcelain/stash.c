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
	if (!ref || !strcmp(ref, "HEAD"))
		return "(no branch)";
	skip_prefix(ref, "refs/heads/", &ref);
	return ref;
}

int stash_add_place(struct repository *r, const struct object_id *head, const char *branch, struct strbuf *out,
		    struct err *err)
{
	strbuf_addf(out, "on %s: ", branch_name(branch));
	return head_describe_commit(r, head, out, err);
}

/* "WHAT on BRANCH: 1234567 subject", for the commits beside the stash. */
static int write_side_commit(struct repository *r, const struct stash_source *s, const char *what, struct index_state *ix,
			     size_t nr_parents, struct object_id *out, struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	struct object_id tree;
	int rc = cache_tree_update(ix, r, 0, &tree, err);

	strbuf_addf(&message, "%s ", what);
	if (!rc)
		rc = stash_add_place(r, s->head, s->branch, &message, err);
	strbuf_addch(&message, '\n');
	if (!rc)
		rc = stash_write_commit(r, &tree, s->head, nr_parents, &message, out, err);
	strbuf_release(&message);
	return rc;
}

int stash_create_untracked(struct repository *r, const struct stash_source *s, struct index_state *untracked,
			   struct object_id *out, struct err *err)
{
	return write_side_commit(r, s, "untracked files", untracked, 0, out, err);
}

int stash_add_message(struct repository *r, const struct stash_source *s, struct strbuf *out, struct err *err)
{
	if (s->message) {
		strbuf_addf(out, "On %s: %s", branch_name(s->branch), s->message);
		return 0;
	}
	strbuf_addstr(out, "WIP ");
	return stash_add_place(r, s->head, s->branch, out, err);
}

int stash_create(struct repository *r, const struct stash_source *s, struct object_id *out,
		 struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	struct object_id parents[3] = { *s->head };
	struct object_id tree;
	int rc = write_side_commit(r, s, "index", s->index, 1, &parents[1], err);

	if (s->untracked)
		parents[2] = *s->untracked;
	if (!rc)
		rc = stash_add_message(r, s, &message, err);
	if (!rc)
		rc = cache_tree_update(s->files, r, 0, &tree, err);
	if (!rc)
		rc = stash_write_commit(r, &tree, parents, s->untracked ? 3 : 2, &message, out, err);
	strbuf_release(&message);
	return rc;
}

int stash_queue_entry(struct ref_transaction *t, const struct object_id *stash, const char *message,
		      struct err *err)
{
	return ref_transaction_update(t, "refs/stash", stash, NULL, REF_FORCE_REFLOG, message, err);
}
