/* SPDX-License-Identifier: GPL-2.0-only */
/* The text that an atom stands for, for one ref. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "history/names/revparse.h"
#include "reflist/reflist-internal.h"

/* ---- names ---- */

/* Without the first n components (n < 0: leave -n of them). */
static const char *strip_left(const char *name, int n)
{
	long remaining = n;

	if (n < 0) {
		remaining = n + 1;
		for (const char *s = name; *s; s++)
			remaining += *s == '/';
	}
	for (; remaining > 0; remaining--, name++) {
		name = strchr(name, '/');
		if (!name)
			return "";
	}
	return name;
}

static size_t strip_right(const char *name, int n)
{
	size_t len = strlen(name);
	long remaining = n;

	if (n < 0) {
		remaining = n + 1;
		for (const char *s = name; *s; s++)
			remaining += *s == '/';
	}
	for (; remaining > 0; remaining--) {
		const char *slash = memrchr(name, '/', len);

		if (!slash)
			return 0;
		len = slash - name;
	}
	return len;
}

static char *shorten(struct reflist *l, const char *name)
{
	struct reflist_state *s = l->state;
	bool strict = true;

	if (!s->shortener) {
		config_get_bool(l->repo->config, "core.warnambiguousrefs", &strict, NULL);
		s->shortener = ref_shortener_new(l->repo->refs, strict);
	}
	return ref_shortener_name(s->shortener, name);
}

/* A ref's name as :short, :lstrip=N, :rstrip=N ask for. */
static void add_name(struct reflist *l, const struct ref_atom *a, const char *name,
		     struct strbuf *out)
{
	char *shortened;

	switch (a->name_form) {
	case NAME_SHORT:
		shortened = shorten(l, name);
		strbuf_addstr(out, shortened);
		free(shortened);
		break;
	case NAME_LSTRIP:
		strbuf_addstr(out, strip_left(name, a->strip));
		break;
	case NAME_RSTRIP:
		strbuf_add(out, name, strip_right(name, a->strip));
		break;
	default:
		strbuf_addstr(out, name);
	}
}

static void add_refname(struct reflist *l, const struct reflist_item *item,
			const struct ref_atom *a, struct strbuf *out)
{
	if (item->kind == REFLIST_DETACHED_HEAD && l->head_description)
		strbuf_addstr(out, l->head_description);
	else
		add_name(l, a, item->refname, out);
}

/* ---- %(upstream), %(push), %(ahead-behind) ---- */

/* 1: counted, 0: one of the two is gone, < 0: failure. */
static int count_tracking(struct reflist *l, const struct reflist_item *item, const char *ref,
			  size_t *ahead, size_t *behind, struct err *err)
{
	struct commit_pool *pool;
	struct object_id theirs;
	int rc;

	if (!tracked_commit(l->repo, ref, &theirs))
		return 0;
	*ahead = *behind = 0;
	if (oid_eq(&theirs, &item->oid))
		return 1;
	rc = reflist_pool(l, &pool, err);
	if (rc < 0)
		return rc;
	return ahead_behind_in(pool, &item->oid, &theirs, ahead, behind, NULL) < 0 ? 0 : 1;
}

static int add_track(struct reflist *l, const struct reflist_item *item,
		     const struct ref_atom *a, const char *ref, struct strbuf *out,
		     struct err *err)
{
	const char *open = a->nobracket ? "" : "[", *close = a->nobracket ? "" : "]";
	size_t ahead, behind;
	int rc = count_tracking(l, item, ref, &ahead, &behind, err);

	if (rc < 0)
		return rc;
	if (!rc)
		strbuf_addf(out, "%sgone%s", open, close);
	else if (ahead && behind)
		strbuf_addf(out, "%sahead %zu, behind %zu%s", open, ahead, behind, close);
	else if (ahead)
		strbuf_addf(out, "%sahead %zu%s", open, ahead, close);
	else if (behind)
		strbuf_addf(out, "%sbehind %zu%s", open, behind, close);
	return 0;
}

static int add_trackshort(struct reflist *l, const struct reflist_item *item, const char *ref,
			  struct strbuf *out, struct err *err)
{
	size_t ahead, behind;
	int rc = count_tracking(l, item, ref, &ahead, &behind, err);

	if (rc <= 0)
		return rc;
	strbuf_addstr(out, ahead ? (behind ? "<>" : ">") : behind ? "<" : "=");
	return 0;
}

/* :remotename and :remoteref, from the configuration. */
static void add_configured(struct reflist *l, const struct ref_atom *a, const char *branch,
			   struct strbuf *out)
{
	const char *remote;
	char *ref;

	if (a->remote_form == REMOTE_NAME) {
		remote = branch_remote_name(l->repo, branch, a->id == ATOM_PUSH);
		if (remote)
			strbuf_addstr(out, remote);
		return;
	}
	ref = branch_remote_ref(l->repo, branch, a->id == ATOM_PUSH);
	if (ref)
		strbuf_addstr(out, ref);
	free(ref);
}

static int add_branch(struct reflist *l, const struct reflist_item *item,
		      const struct ref_atom *a, const char *branch, struct strbuf *out,
		      struct err *err)
{
	bool configured = a->remote_form == REMOTE_NAME || a->remote_form == REMOTE_THEIR_REF;
	struct err local = ERR_INIT;
	char *ref = NULL;
	int rc = 0;

	if (a->id == ATOM_UPSTREAM)
		rc = branch_upstream(l->repo, branch, &ref, &local);
	else if (!configured)
		rc = branch_push_target(l->repo, branch, &ref, &local);
	err_release(&local); /* without an upstream nothing is shown */
	if (rc < 0)
		return 0;
	if (configured)
		add_configured(l, a, branch, out);
	else if (a->remote_form == REMOTE_TRACK)
		rc = add_track(l, item, a, ref, out, err);
	else if (a->remote_form == REMOTE_TRACKSHORT)
		rc = add_trackshort(l, item, ref, out, err);
	else
		add_name(l, a, ref, out);
	free(ref);
	return rc;
}

static int add_ahead_behind(struct reflist *l, const struct reflist_item *item,
			    const struct ref_atom *a, struct strbuf *out, struct err *err)
{
	struct commit_pool *pool;
	struct object_id oid;
	size_t ahead, behind;
	int rc = reflist_pool(l, &pool, err);

	if (rc < 0 || object_peel(odb_source(l->repo->odb), &item->oid, OBJ_COMMIT, &oid, NULL,
				  NULL) < 0)
		return rc;
	rc = ahead_behind_in(pool, &oid, &a->oid, &ahead, &behind, err);
	if (!rc)
		strbuf_addf(out, "%zu %zu", ahead, behind);
	return rc;
}

static int add_remote(struct reflist *l, const struct reflist_item *item,
		      const struct ref_atom *a, struct strbuf *out, struct err *err)
{
	const char *branch;

	if (a->id == ATOM_AHEAD_BEHIND)
		return add_ahead_behind(l, item, a, out, err);
	if (!skip_prefix(item->refname, "refs/heads/", &branch))
		return 0;
	return add_branch(l, item, a, branch, out, err);
}

/* ---- %(HEAD), %(worktreepath), %(flag) ---- */

static bool is_head(struct reflist *l, const struct reflist_item *item)
{
	struct reflist_state *s = l->state;
	struct object_id oid;

	if (!s->head_read) {
		if (ref_resolve(l->repo->refs, "HEAD", &oid, &s->head, NULL, NULL) < 0)
			FREE_AND_NULL(s->head);
		s->head_read = true;
	}
	return s->head && !strcmp(s->head, item->refname);
}

static int add_worktree_path(struct reflist *l, const struct reflist_item *item,
			     struct strbuf *out, struct err *err)
{
	struct reflist_state *s = l->state;
	struct worktree *w;
	int rc;

	if (!s->worktrees_read) {
		rc = worktrees_read(&s->worktrees, l->repo, err);
		if (rc < 0)
			return rc;
		for (w = s->worktrees; w; w = w->next)
			if (w->head && !strmap_contains(&s->worktree_of, w->head))
				strmap_put(&s->worktree_of, w->head, w);
		s->worktrees_read = true;
	}
	w = strmap_get(&s->worktree_of, item->refname);
	if (w)
		strbuf_addstr(out, w->path);
	return 0;
}

static void add_flags(const struct reflist_item *item, struct strbuf *out)
{
	if (item->flags & REF_IS_SYMREF)
		strbuf_addstr(out, item->flags & REF_IS_PACKED ? "symref,packed" : "symref");
	else if (item->flags & REF_IS_PACKED)
		strbuf_addstr(out, "packed");
}

/* ---- the object ---- */

/* The ref's object, or with "*" the one its tags lead to. NULL: it is no tag. */
static int find_object(struct reflist *l, const struct reflist_item *item,
		       const struct ref_atom *a, struct object_facts **out, struct err *err)
{
	struct object_facts *f = &l->state->object;
	struct object_id end;
	int rc;

	*out = NULL;
	object_facts_select(f, &item->oid);
	if (!a->deref) {
		*out = f;
		return 0;
	}
	/* packed-refs records that it is no tag. In tables, a branch has no such record: its object may be missing. */
	if (item->flags & REF_PEEL_KNOWN && item->flags & REF_IS_PACKED && oid_is_null(&item->peeled))
		return 0;
	rc = object_facts_type(f, l->repo, item->refname, err);
	if (rc < 0 || f->info.type != OBJ_TAG)
		return rc;
	rc = object_facts_content(f, l->repo, item->refname, err);
	if (rc < 0)
		return rc;
	if (object_peel(odb_source(l->repo->odb), &item->oid, OBJ_ANY, &end, NULL, NULL) < 0)
		return err_set(err, ERR_CORRUPT, "bad tag");
	object_facts_select(&l->state->target, &end);
	*out = &l->state->target;
	return 0;
}

/* Is the content of the ref's object, or with `deref` of the one its tag names, in the output? */
static bool shows_content(const struct reflist *l, bool deref)
{
	const struct reflist_state *s = l->state;

	for (size_t i = 0; i < s->nr_atoms; i++) {
		const struct ref_atom *a = s->atoms[i];

		if (a->deref && !deref) /* what a tag names stands in its content */
			return true;
		if (a->deref == deref && a->id >= ATOM_TREE && a->id <= ATOM_RAW)
			return true;
	}
	return false;
}

static int header_value(struct reflist *l, const struct reflist_item *item,
			struct object_facts *f, const struct ref_atom *a, struct strbuf *out,
			uint64_t *number, struct err *err)
{
	bool place = a->id == ATOM_DELTABASE || (a->id == ATOM_OBJECTSIZE && a->flag);
	int rc = place ? object_facts_place(f, l->repo, item->refname, err) :
			 object_facts_type(f, l->repo, item->refname, err);

	if (rc < 0)
		return rc;
	if (a->id == ATOM_OBJECTTYPE)
		strbuf_addstr(out, object_type_name(f->info.type));
	else if (a->id == ATOM_OBJECTSIZE)
		strbuf_addf(out, "%" PRIu64, *number = a->flag ? f->info.disk_size : f->info.size);
	else if (oid_is_null(&f->info.delta_base) || shows_content(l, a->deref))
		strbuf_add_oid(out, &l->repo->algo->null_oid); /* Git has read it whole, then */
	else
		strbuf_add_oid(out, &f->info.delta_base);
	return 0;
}

/* Adds the description of a commit, or of the commit that a tag names. */
static int add_description(struct reflist *l, const struct object_facts *f,
			   const struct ref_atom *a, struct strbuf *out, struct err *err)
{
	struct object_id commit;

	if (object_peel(odb_source(l->repo->odb), &f->oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		return 0;
	return commit_description_add(a->description, &commit, out, err);
}

static int object_value(struct reflist *l, const struct reflist_item *item,
			const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			struct err *err)
{
	struct object_facts *f;
	int rc = find_object(l, item, a, &f, err);

	if (rc < 0 || !f)
		return rc;
	if (a->id == ATOM_OBJECTNAME) {
		if (a->abbrev)
			odb_abbrev(l->repo->odb, &f->oid, a->abbrev, out);
		else
			strbuf_add_oid(out, &f->oid);
		return 0;
	}
	if (a->id == ATOM_DESCRIBE)
		return add_description(l, f, a, out, err);
	if (a->id <= ATOM_DELTABASE)
		return header_value(l, item, f, a, out, number, err);
	rc = object_facts_content(f, l->repo, item->refname, err);
	if (!rc)
		rc = ref_content_value(l, f, a, out, number, err);
	return rc;
}

/* The ref at the end of the chain of symbolic refs. */
static void add_symref(struct reflist *l, const struct reflist_item *item,
		       const struct ref_atom *a, struct strbuf *out)
{
	struct object_id oid;
	char *target = NULL;

	if (!item->symref)
		return;
	if (ref_resolve(l->repo->refs, item->refname, &oid, &target, NULL, NULL) < 0)
		add_name(l, a, item->symref, out);
	else
		add_name(l, a, target, out);
	free(target);
}

int ref_atom_value(struct reflist *l, const struct reflist_item *item, const struct ref_atom *a,
		   struct strbuf *out, uint64_t *number, struct err *err)
{
	*number = 0;
	switch (a->id) {
	case ATOM_REFNAME:
		add_refname(l, item, a, out);
		break;
	case ATOM_SYMREF:
		add_symref(l, item, a, out);
		break;
	case ATOM_FLAG:
		add_flags(item, out);
		return 0;
	case ATOM_HEAD:
		strbuf_addch(out, is_head(l, item) ? '*' : ' ');
		return 0;
	case ATOM_WORKTREEPATH:
		return add_worktree_path(l, item, out, err);
	case ATOM_UPSTREAM:
	case ATOM_PUSH:
	case ATOM_AHEAD_BEHIND:
		return add_remote(l, item, a, out, err);
	case ATOM_COLOR:
		if (l->color)
			strbuf_addstr(out, a->arg);
		return 0;
	case ATOM_ALIGN:
	case ATOM_IF:
	case ATOM_THEN:
	case ATOM_ELSE:
	case ATOM_END:
		return 0;
	default:
		return object_value(l, item, a, out, number, err);
	}
	if (a->deref)
		strbuf_addstr(out, "^{}");
	return 0;
}
