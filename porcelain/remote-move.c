/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A remote gets another name, or goes: refs with their logs and the configuration are one operation. The refs are one
 * transaction (P6), the configuration comes after them, see PUBLISH_FILE_LATE.
 */
#include "compat/posix.h"
#include "porcelain/remote.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- refs ---- */

struct found_ref {
	char *name, *target; /* target NULL: not symbolic */
	struct object_id oid;
};
struct found_refs {
	struct found_ref *items;
	size_t nr, alloc;
};

static void found_refs_release(struct found_refs *refs)
{
	for (size_t i = 0; i < refs->nr; i++) {
		free(refs->items[i].name);
		free(refs->items[i].target);
	}
	free(refs->items);
}

static void push_ref(struct found_refs *refs, const struct ref *ref)
{
	ALLOC_GROW(refs->items, refs->nr + 1, refs->alloc);
	refs->items[refs->nr++] = (struct found_ref){
		xstrdup(ref->name), ref->symref_target ? xstrdup(ref->symref_target) : NULL, ref->oid };
}

static int collect(void *data, const struct ref *ref)
{
	bool unreadable = ref->flags & REF_IS_BROKEN && !ref->symref_target;

	if (!unreadable && !(ref->flags & REF_BAD_NAME))
		push_ref(data, ref);
	return 0;
}

static int queue_deletion(struct ref_transaction *t, const struct found_ref *ref, const struct hash_algo *algo,
			  unsigned flags, struct err *err)
{
	if (ref->target)
		return ref_transaction_update_symref(t, ref->name, NULL, ref->target, REF_NO_DEREF | flags, NULL, err);
	return ref_transaction_update(t, ref->name, &algo->null_oid, NULL, REF_NO_DEREF | flags, NULL, err);
}

/* ---- rename ---- */

struct rename {
	struct repository *r;
	const char *old, *new;
	char *from, *to; /* refs/remotes/OLD/, refs/remotes/NEW/ */
	struct found_refs refs;
	struct remote_edits edits;
	struct string_list branches;
	bool moves_refs;
};

static char *renamed_ref(const struct rename *m, const char *name)
{
	const char *rest;

	return skip_prefix(name, m->from, &rest) ? xconcat(m->to, rest) : xstrdup(name);
}

/* The log of a symbolic ref moves as it is; that of another one tells of the move. */
static int queue_new(const struct rename *m, struct ref_transaction *t, const struct found_ref *ref, struct err *err)
{
	char *name = renamed_ref(m, ref->name), *target, *msg;
	int rc;

	if (ref->target) {
		target = renamed_ref(m, ref->target);
		rc = ref_transaction_update_symref(t, name, target, NULL,
						   REF_NO_DEREF | REF_SKIP_REFLOG | REF_MUST_BE_NEW, NULL, err);
		free(target);
	} else {
		msg = xstrfmt("remote: renamed %s to %s", ref->name, name);
		rc = ref_transaction_update(t, name, &ref->oid, &m->r->algo->null_oid, REF_NO_DEREF | REF_SKIP_REFLOG,
					    msg, err);
		free(msg);
	}
	if (!rc)
		ref_transaction_inherit_log(t, ref->name);
	free(name);
	return rc;
}

/* The old value is the new one's, too: what has changed meanwhile is not lost. */
static int queue_old(const struct rename *m, struct ref_transaction *t, const struct found_ref *ref, struct err *err)
{
	if (ref->target)
		return queue_deletion(t, ref, m->r->algo, REF_SKIP_REFLOG, err);
	return ref_transaction_update(t, ref->name, &m->r->algo->null_oid, &ref->oid, REF_NO_DEREF | REF_SKIP_REFLOG,
				      NULL, err);
}

/* D5: what gets a value first, then what goes. */
static int queue_moves(struct rename *m, struct ref_transaction *t, struct err *err)
{
	int rc = refs_foreach(m->r->refs, m->from, REFS_NO_PEEL | REFS_INCLUDE_BROKEN, collect, &m->refs, err);

	for (size_t i = 0; !rc && i < m->refs.nr; i++)
		rc = queue_new(m, t, &m->refs.items[i], err);
	for (size_t i = 0; !rc && i < m->refs.nr; i++)
		rc = queue_old(m, t, &m->refs.items[i], err);
	return rc;
}

static void tell_kept(const char *refspec, repo_warn_fn warn, void *data)
{
	char *msg = xstrfmt("Not updating non-default fetch refspec\n\t%s\n"
			    "\tPlease update the configuration manually if necessary.", refspec);

	warn(data, msg);
	free(msg);
}

static void edit_fetch(struct rename *m, const struct refspec *fetch, repo_warn_fn warn, void *data)
{
	char *key = xstrfmt("remote.%s.fetch", m->new), *was = xstrfmt(":%s", m->from);

	remote_edits_unset(&m->edits, key, NULL);
	for (size_t i = 0; i < fetch->nr; i++) {
		const char *text = fetch->items[i].text, *at = strstr(text, was);
		char *new;

		if (at) {
			new = xstrfmt("%.*s:%s%s", (int)(at - text), text, m->to, at + strlen(was));
			m->moves_refs = true;
		} else {
			new = xstrdup(text);
			if (warn)
				tell_kept(text, warn, data);
		}
		remote_edits_add(&m->edits, key, new);
		free(new);
	}
	free(was);
	free(key);
}

static bool is_own_value(const struct config_set *c, const char *key, const char *value)
{
	size_t nr = 0;
	const struct config_entry *const *v = config_get_all(c, key, &nr);

	for (size_t i = 0; i < nr; i++)
		if (v[i]->scope == CONFIG_SCOPE_LOCAL && v[i]->value && !strcmp(v[i]->value, value))
			return true;
	return false;
}

static void edit_branches(struct rename *m)
{
	for (size_t i = 0; i < m->branches.nr; i++) {
		const struct remote_branch *b = m->branches.items[i].util;
		char *remote = xstrfmt("branch.%s.remote", b->name), *push = xstrfmt("branch.%s.pushRemote", b->name);

		if (b->remote && !strcmp(b->remote, m->old))
			remote_edits_replace(&m->edits, remote, m->old, m->new);
		if (b->push_remote && !strcmp(b->push_remote, m->old))
			remote_edits_replace(&m->edits, push, m->old, m->new);
		free(push);
		free(remote);
	}
	if (is_own_value(m->r->config, "remote.pushdefault", m->old))
		remote_edits_replace(&m->edits, "remote.pushDefault", m->old, m->new);
}

/* One of the new names cannot be there beside one that is. */
static int find_conflict(void *data, const struct ref *ref)
{
	const struct rename *m = data;

	for (size_t i = 0; i < m->refs.nr; i++) {
		char *name = renamed_ref(m, m->refs.items[i].name);
		bool conflict = paths_nest(ref->name, name);

		free(name);
		if (conflict)
			return 1;
	}
	return 0;
}

static int move(struct rename *m, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc && m->moves_refs)
		rc = queue_moves(m, t, err);
	return rc ? rc : remote_edits_stage(&m->edits, m->r, op, PUBLISH_FILE_LATE, err);
}

int remote_rename(struct repository *r, struct remote *remote, const char *new_name, repo_warn_fn warn, void *data,
		  struct remote_move *out, struct err *err)
{
	struct rename m = { .r = r, .old = remote->name, .new = new_name, .edits = REMOTE_EDITS_INIT,
			    .branches = STRING_LIST_INIT };
	struct repo_operation *op = repo_operation_begin(r);
	int rc;

	m.from = xstrfmt("refs/remotes/%s/", m.old);
	m.to = xstrfmt("refs/remotes/%s/", m.new);
	m.edits.section = xstrfmt("%s.%s", "remote", m.old);
	m.edits.new_section = xstrfmt("%s.%s", "remote", m.new);
	edit_fetch(&m, &remote->fetch, warn, data);
	remote_branches_read(&m.branches, r->config, warn, data);
	edit_branches(&m);
	rc = move(&m, op, err);
	rc = repo_operation_end(op, rc, err);
	out->nested = rc == ERR_CONFLICT && refs_foreach(r->refs, "refs/remotes/", REFS_NO_PEEL | REFS_INCLUDE_BROKEN,
							 find_conflict, &m, NULL) > 0;
	remote_branches_release(&m.branches);
	remote_edits_release(&m.edits);
	found_refs_release(&m.refs);
	free(m.from);
	free(m.to);
	return rc;
}

/* ---- files of old repositories ---- */

static void add_values(struct remote_edits *e, const struct remote *remote)
{
	char *url = xstrfmt("remote.%s.url", remote->name), *push = xstrfmt("remote.%s.push", remote->name);
	char *fetch = xstrfmt("remote.%s.fetch", remote->name);

	for (size_t i = 0; i < remote->raw_urls.nr; i++)
		remote_edits_add(e, url, remote->raw_urls.v[i]);
	for (size_t i = 0; i < remote->push.nr; i++)
		remote_edits_add(e, push, remote->push.items[i].text);
	for (size_t i = 0; i < remote->fetch.nr; i++)
		remote_edits_add(e, fetch, remote->fetch.items[i].text);
	free(fetch);
	free(push);
	free(url);
}

int remote_convert(struct repository *r, const struct remote *remote, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct remote_edits edits = REMOTE_EDITS_INIT;
	char *path = xstrfmt("%s/%s/%s", r->commondir, remote->origin == REMOTE_REMOTES_FILE ? "remotes" : "branches",
			     remote->name);
	int rc;

	add_values(&edits, remote);
	rc = remote_edits_stage(&edits, r, op, PUBLISH_FILE, err);
	if (!rc)
		rc = repo_operation_remove_file(op, path, err);
	rc = repo_operation_end(op, rc, err);
	remote_edits_release(&edits);
	free(path);
	return rc;
}

/* ---- remove ---- */

struct removal {
	struct repository *r;
	struct remotes *all;
	const struct remote *remote;
	struct found_refs refs;
	struct strvec *kept;
};

static bool is_of_another_remote(const struct removal *m, const char *name)
{
	for (size_t i = 0; i < remotes_nr(m->all); i++) {
		const struct remote *other = remotes_at(m->all, i);

		if (strcmp(other->name, m->remote->name) && refspec_map_back(&other->fetch, name, NULL))
			return true;
	}
	return false;
}

/* Its HEAD has a place of its own, which a refspec for single branches does not name. */
static bool is_head(const struct removal *m, const struct ref *ref)
{
	const char *rest;

	return ref->symref_target && skip_prefix(ref->name, "refs/remotes/", &rest) &&
	       skip_prefix(rest, m->remote->name, &rest) && !strcmp(rest, "/HEAD");
}

static int consider(void *data, const struct ref *ref)
{
	struct removal *m = data;
	const char *branch;

	if (ref->flags & REF_BAD_NAME || (!is_head(m, ref) && !refspec_map_back(&m->remote->fetch, ref->name, NULL)) ||
	    is_of_another_remote(m, ref->name))
		return 0;
	if (starts_with(ref->name, "refs/remotes/"))
		push_ref(&m->refs, ref);
	else if (skip_prefix(ref->name, "refs/heads/", &branch))
		strvec_push(m->kept, branch);
	return 0;
}

static void edit_removed(struct removal *m, struct remote_edits *edits, repo_warn_fn warn, void *data)
{
	static const char *const keys[] = { "remote", "merge" };
	struct string_list branches = STRING_LIST_INIT;
	const char *name = m->remote->name;
	char *key;

	edits->section = xstrfmt("%s.%s", "remote", name);
	remote_branches_read(&branches, m->r->config, warn, data);
	for (size_t i = 0; i < branches.nr; i++) {
		const struct remote_branch *b = branches.items[i].util;

		for (size_t k = 0; k < ARRAY_SIZE(keys) && b->remote && !strcmp(b->remote, name); k++) {
			key = xstrfmt("branch.%s.%s", b->name, keys[k]);
			remote_edits_unset(edits, key, NULL);
			free(key);
		}
		if (b->push_remote && !strcmp(b->push_remote, name)) {
			key = xstrfmt("branch.%s.pushRemote", b->name);
			remote_edits_unset(edits, key, NULL);
			free(key);
		}
	}
	if (is_own_value(m->r->config, "remote.pushdefault", name))
		remote_edits_unset(edits, "remote.pushDefault", NULL);
	remote_branches_release(&branches);
}

int remote_remove(struct repository *r, const struct remote *remote, repo_warn_fn warn, void *data,
		  struct strvec *kept, struct err *err)
{
	struct removal m = { .r = r, .remote = remote, .kept = kept };
	struct repo_operation *op = repo_operation_begin(r);
	struct remote_edits edits = REMOTE_EDITS_INIT;
	struct ref_transaction *t = NULL;
	int rc = repo_remotes(r, &m.all, err);

	edit_removed(&m, &edits, warn, data);
	if (!rc)
		rc = refs_foreach(r->refs, "", REFS_NO_PEEL | REFS_INCLUDE_BROKEN, consider, &m, err);
	if (!rc)
		rc = repo_operation_begin_refs(op, 0, &t, err);
	for (size_t i = 0; !rc && i < m.refs.nr; i++)
		rc = queue_deletion(t, &m.refs.items[i], r->algo, 0, err);
	if (!rc)
		rc = remote_edits_stage(&edits, r, op, PUBLISH_FILE_LATE, err);
	rc = repo_operation_end(op, rc, err);
	remote_edits_release(&edits);
	found_refs_release(&m.refs);
	return rc;
}
