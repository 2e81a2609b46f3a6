/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of one command: names, receive.deny*, hidden refs. Messages use the wording of
 * git-receive-pack(1).
 */
#include "compat/posix.h"
#include "receive/receive.h"
#include "repo/worktrees.h"
#include "util/alloc.h"

/* ---- before the objects are there ---- */

static void check_name(struct receive_server *s, struct push_command *c)
{
	const char *rest;
	unsigned flags = push_command_is_delete(c) ? REFNAME_ALLOW_ONELEVEL : 0;

	if (ref_is_hidden(&s->hidden, c->name, c->full_name))
		push_command_refuse(c, push_command_is_delete(c) ? "deny deleting a hidden ref" : "deny updating a hidden ref");
	else if (!skip_prefix(c->name, "refs/", &rest) || !refname_is_valid(rest, flags | REFNAME_ALLOW_ONELEVEL)) {
		receive_sideband_messagef(s, "error: refusing to update funny ref '%s' remotely\n", c->name);
		push_command_refuse(c, "funny refname");
	} else if (!push_command_is_delete(c) && !strchr(rest, '/')) {
		receive_sideband_messagef(s, "error: refusing to update funny ref '%s' remotely\n", c->name);
		push_command_refuse(c, "funny refname");
	}
}

/*
 * A symbolic ref is no way round a rule that holds for what it leads to. inside: the target without the prefix of the
 * namespace. Both in one push would have to agree.
 */
static void check_target(struct receive_server *s, struct strmap *by_name, struct push_command *c, const char *inside)
{
	struct push_command *other = strmap_get(by_name, c->target);

	if (ref_is_hidden(&s->hidden, inside, c->target)) {
		push_command_refuse(c, push_command_is_delete(c) ? "deny deleting a hidden ref" : "deny updating a hidden ref");
	} else if (!starts_with(inside, "refs/")) {
		receive_sideband_messagef(s, "error: refusing to update funny ref '%s' remotely\n", inside);
		push_command_refuse(c, "funny refname");
	} else if (other && (!oid_eq(&other->old_oid, &c->old_oid) || !oid_eq(&other->new_oid, &c->new_oid))) {
		receive_sideband_messagef(s, "error: refusing inconsistent update between symref '%s' and its target '%s'\n", c->name,
					  other->name);
		push_command_refuse(c, "inconsistent aliased update");
		push_command_refuse(other, "inconsistent aliased update");
	} else if (other) {
		c->skip_update = true;
	}
}

static void check_alias(struct receive_server *s, struct strmap *by_name, struct push_command *c)
{
	struct object_id oid;
	char *final = NULL;
	unsigned flags = 0;
	int rc = ref_resolve(s->repo->refs, c->full_name, &oid, &final, &flags, NULL);

	if ((!rc || rc == ERR_NOT_FOUND) && flags & REF_IS_SYMREF && final) {
		const char *inside;

		if (!skip_prefix(final, s->prefix, &inside)) {
			receive_sideband_messagef(s, "error: refusing update to broken symref '%s'\n", c->name);
			push_command_refuse(c, "broken symref");
		} else {
			c->target = final;
			final = NULL;
			check_target(s, by_name, c, inside);
		}
	}
	free(final);
}

int receive_check_names(struct receive_server *s, struct err *err)
{
	struct push_request *rq = &s->rq;
	struct strmap by_name;
	int rc = 0;

	strmap_init(&by_name);
	for (size_t i = 0; i < rq->nr && !rc; i++) {
		struct push_command *c = &rq->commands[i];

		if (strmap_get(&by_name, c->full_name))
			rc = err_set(err, ERR_INVALID, "multiple updates for ref '%.1000s' not allowed", c->name);
		strmap_put(&by_name, c->full_name, c);
		check_name(s, c);
	}
	for (size_t i = 0; i < rq->nr && !rc; i++)
		if (!rq->commands[i].error)
			check_alias(s, &by_name, &rq->commands[i]);
	strmap_clear(&by_name, NULL);
	return rc;
}

/* ---- the branch that is checked out ---- */

static const char current_advice[] =
	"error: By default, updating the current branch in a non-bare repository\n"
	"is denied, because it will make the index and work tree inconsistent\n"
	"with what you pushed, and will require 'git reset --hard' to match\n"
	"the work tree to HEAD.\n"
	"\n"
	"You can set the 'receive.denyCurrentBranch' configuration variable\n"
	"to 'ignore' or 'warn' in the remote repository to allow pushing into\n"
	"its current branch; however, this is not recommended unless you\n"
	"arranged to update its work tree to match what you pushed in some\n"
	"other way.\n"
	"\n"
	"To squelch this message and still keep the default behaviour, set\n"
	"'receive.denyCurrentBranch' configuration variable to 'refuse'.\n";

static const char delete_advice[] =
	"error: By default, deleting the current branch is denied, because the next\n"
	"'git clone' won't result in any file checked out, causing confusion.\n"
	"\n"
	"You can set 'receive.denyDeleteCurrent' configuration variable to\n"
	"'warn' or 'ignore' in the remote repository to allow deleting the\n"
	"current branch, with or without a warning message.\n"
	"\n"
	"To squelch this message, you can set it to 'refuse'.\n";

struct update_check {
	struct receive_server *s;
	struct worktree *worktrees;
	char *head; /* the branch that HEAD points to; NULL: detached */
};

static const struct worktree *used_by(const struct update_check *u, const struct push_command *c)
{
	const struct worktree *w = worktrees_find_branch(u->worktrees, push_command_changes(c));

	return w && !w->is_bare ? w : NULL;
}

/* As in Git, the name without the namespace counts, too. */
static bool is_current_outside(const struct update_check *u, const struct push_command *c)
{
	const char *name = push_command_changes(c);
	const struct worktree *w;

	if (!*u->s->prefix || !skip_prefix(name, u->s->prefix, &name))
		return false;
	w = worktrees_find_branch(u->worktrees, name);
	return w && !w->is_bare;
}

static void check_current(struct update_check *u, struct push_command *c)
{
	struct receive_server *s = u->s;

	if (!used_by(u, c) && !is_current_outside(u, c))
		return;
	switch (s->config.deny_current_branch) {
	case DENY_IGNORE:
		return;
	case DENY_WARN:
		receive_sideband_messagef(s, "warning: updating the current branch\n");
		return;
	case DENY_UPDATE_INSTEAD:
		return;
	default:
		receive_sideband_messagef(s, "error: refusing to update checked out branch: %s\n", c->name);
		if (s->config.deny_current_branch == DENY_UNCONFIGURED)
			receive_sideband_message(s, current_advice, sizeof(current_advice) - 1);
		push_command_refuse(c, "branch is currently checked out");
	}
}

/* Compares the name that clients see, and the ref that a symbolic ref points to. */
static bool is_branch(const struct receive_server *s, const struct push_command *c)
{
	return starts_with(c->name, "refs/heads/") || starts_with(push_command_changes(c) + strlen(s->prefix), "refs/heads/");
}

static void check_delete(struct update_check *u, struct push_command *c)
{
	struct receive_server *s = u->s;

	if (is_branch(s, c) && s->config.deny_deletes) {
		receive_sideband_messagef(s, "error: denying ref deletion for %s\n", c->name);
		push_command_refuse(c, "deletion prohibited");
		return;
	}
	if (!used_by(u, c) && (!u->head || strcmp(u->head, push_command_changes(c)) != 0))
		return;
	switch (s->config.deny_delete_current) {
	case DENY_IGNORE:
		return;
	case DENY_WARN:
		receive_sideband_messagef(s, "warning: deleting the current branch\n");
		return;
	default:
		if (s->config.deny_delete_current == DENY_UNCONFIGURED)
			receive_sideband_message(s, delete_advice, sizeof(delete_advice) - 1);
		receive_sideband_messagef(s, "error: refusing to delete the current branch: %s\n", c->name);
		push_command_refuse(c, "deletion of the current branch prohibited");
	}
}

static void check_forward(struct receive_server *s, struct push_command *c)
{
	if (!s->config.deny_non_fast_forwards || oid_is_null(&c->old_oid) || !is_branch(s, c) || c->is_forward)
		return;
	receive_sideband_messagef(s, "error: denying non-fast-forward %s (you should pull first)\n", c->name);
	push_command_refuse(c, "non-fast-forward");
}

/* ---- all of them ---- */

/*
 * Deleting a ref that does not exist is no failure. A broken ref exists: the transaction refuses
 * it.
 */
static void note_missing(struct receive_server *s, struct push_command *c)
{
	struct object_id oid;
	char *target = NULL;
	int rc;

	if (odb_has(s->repo->odb, &c->old_oid))
		return;
	rc = ref_read_raw(s->repo->refs, c->full_name, &oid, &target, NULL);
	free(target);
	if (!rc) {
		receive_sideband_messagef(s, "warning: allowing deletion of corrupt ref\n");
		c->old_oid = s->repo->algo->null_oid;
		return;
	}
	receive_sideband_messagef(s, "warning: deleting a non-existent ref\n");
	c->did_not_exist = rc == ERR_NOT_FOUND;
}

static int check_update(struct update_check *u, struct push_command *c, struct err *err)
{
	struct receive_server *s = u->s;
	const struct worktree *w = used_by(u, c);
	int rc = 0;

	check_current(u, c);
	if (c->error)
		return 0;
	if (push_command_is_delete(c)) {
		check_delete(u, c);
	} else if (c->type == OBJ_NONE) {
		receive_sideband_messagef(s, "error: unpack should have generated %s, but I can't find it!\n", oid_hex(&c->new_oid));
		push_command_refuse(c, "bad pack");
	} else {
		check_forward(s, c);
	}
	if (!c->error)
		rc = receive_hook_update(s, c, err);
	if (!rc && !c->error && push_command_is_delete(c))
		note_missing(s, c);
	else if (!rc && !c->error && w && s->config.deny_current_branch == DENY_UPDATE_INSTEAD)
		rc = receive_update_worktree(s, c, w, err);
	return rc;
}

/* No hook need be asked any more. */
static bool is_lost(const struct receive_server *s)
{
	return s->rq.atomic && push_request_has_errors(&s->rq);
}

static int check_updates_where(struct update_check *u, bool deletions, bool others, struct err *err)
{
	struct receive_server *s = u->s;
	int rc = 0;

	for (size_t i = 0; i < s->rq.nr && !rc && !is_lost(s); i++) {
		struct push_command *c = &s->rq.commands[i];

		if (!c->error && !c->proc_receive && !c->skip_update && (push_command_is_delete(c) ? deletions : others))
			rc = check_update(u, c, err);
	}
	return rc;
}

int receive_check_updates(struct receive_server *s, struct err *err)
{
	struct update_check u = { .s = s };
	struct object_id oid;
	int rc = worktrees_read(&u.worktrees, s->repo, err);

	if (!rc && ref_read_raw(s->repo->refs, "HEAD", &oid, &u.head, NULL) < 0)
		u.head = NULL;
	if (s->rq.atomic) {
		rc = rc ? rc : check_updates_where(&u, true, true, err);
	} else { /* deletions come first, as Git's hooks see them */
		rc = rc ? rc : check_updates_where(&u, true, false, err);
		rc = rc ? rc : check_updates_where(&u, false, true, err);
	}
	worktrees_free(u.worktrees);
	free(u.head);
	return rc;
}
