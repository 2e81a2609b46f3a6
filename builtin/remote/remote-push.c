/* SPDX-License-Identifier: GPL-2.0-only */
/* The refspecs of remote.<name>.push, and which refs they mean: git-push(1). */
#include "compat/posix.h"
#include "builtin/remote/remote-push.h"
#include "cli/cli.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

void push_lines_release(struct push_lines *lines)
{
	for (size_t i = 0; i < lines->nr; i++) {
		free(lines->items[i].src);
		free(lines->items[i].dst);
	}
	free(lines->items);
	*lines = (struct push_lines)PUSH_LINES_INIT;
}

static int by_names(const void *a, const void *b)
{
	const struct push_line *x = a, *y = b;
	int order = strcmp(x->src, y->src);

	return order ? order : strcmp(x->dst, y->dst);
}

void push_lines_sort(struct push_lines *lines)
{
	if (lines->nr)
		qsort(lines->items, lines->nr, sizeof(*lines->items), by_names);
}

const char *push_status_word(enum push_status status)
{
	static const char *const words[] = {
		[PUSH_CREATE] = "create", [PUSH_DELETE] = "delete", [PUSH_UP_TO_DATE] = "up to date",
		[PUSH_FORWARD] = "fast-forwardable", [PUSH_OUT_OF_DATE] = "local out of date",
	};

	return words[status];
}

static struct push_line *remote_push_add(struct push_lines *lines, const char *src, const char *dst,
					 bool force)
{
	ALLOC_GROW(lines->items, lines->nr + 1, lines->alloc);
	lines->items[lines->nr] = (struct push_line){ xstrdup(src), xstrdup(dst), force, PUSH_CREATE };
	return &lines->items[lines->nr++];
}

void push_lines_read(struct push_lines *lines, const struct remote *remote)
{
	if (!remote->push.nr)
		remote_push_add(lines, "(matching)", "(matching)", false);
	for (size_t i = 0; i < remote->push.nr; i++) {
		const struct refspec_item *item = &remote->push.items[i];

		if (item->matching)
			remote_push_add(lines, "(matching)", "(matching)", item->force);
		else if (item->src && !*item->src)
			remote_push_add(lines, "(delete)", item->dst, item->force);
		else
			remote_push_add(lines, item->src, item->dst &&
					*item->dst ? item->dst : item->src, item->force);
	}
}

/* ---- matching ---- */

struct matching {
	struct push_lines *lines;
	struct repository *r;
	const struct remote *remote;
	const struct remote_refs *refs;
	struct commit_pool *commits;
	const struct refspec_item *item; /* that is matched now; NULL: ":" by default */
	struct err *err;
};

static struct commit *commit_of(struct matching *m, const struct object_id *oid)
{
	struct object_id commit;

	if (object_peel(odb_source(m->r->odb), oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		return NULL;
	return commit_lookup(m->commits, &commit);
}

static int compare(struct matching *m, const struct object_id *here, const struct remote_ref *there,
		   enum push_status *out)
{
	struct commit *old, *new;
	int forward = 0;

	if (!there || oid_is_null(&there->oid)) {
		*out = PUSH_CREATE;
		return 0;
	}
	if (oid_eq(here, &there->oid)) {
		*out = PUSH_UP_TO_DATE;
		return 0;
	}
	old = commit_of(m, &there->oid);
	new = old ? commit_of(m, here) : NULL;
	if (new)
		forward = is_ancestor(m->commits, old, new, m->err);
	if (forward < 0)
		return forward;
	*out = forward ? PUSH_FORWARD : PUSH_OUT_OF_DATE;
	return 0;
}

static const char *remote_push_short_branch(const char *name)
{
	skip_prefix(name, "refs/heads/", &name);
	return name;
}

/* src: the full name, or the given text; oid NULL: dst goes. Negative refspecs name refs of the other side. */
static int match(struct matching *m, const char *src, const struct object_id *oid, const char *dst)
{
	const struct remote_ref *there = remote_refs_find(m->refs, dst);
	enum push_status status = PUSH_DELETE;
	int rc = 0;

	if (refspec_excludes(&m->remote->push, dst))
		return 0;
	for (size_t i = 0; i < m->lines->nr; i++)
		if (!strcmp(m->lines->items[i].dst, remote_push_short_branch(dst))) {
			if (strcmp(m->lines->items[i].src, remote_push_short_branch(src)) != 0)
				error("dst ref %s receives from more than one src", dst);
			return 0;
		}
	if (oid)
		rc = compare(m, oid, there, &status);
	if (!rc)
		remote_push_add(m->lines, remote_push_short_branch(src),
				remote_push_short_branch(dst), m->item && m->item->force)->status = status;
	return rc;
}

static int match_ref(void *data, const struct ref *ref)
{
	struct matching *m = data;
	struct strbuf dst = STRBUF_INIT;
	int rc = 0;

	if (!m->item || m->item->matching) {
		if (starts_with(ref->name, "refs/heads/") && remote_refs_find(m->refs, ref->name))
			rc = match(m, ref->name, &ref->oid, ref->name);
	} else if (refspec_item_map(m->item, ref->name, &dst)) {
		rc = match(m, ref->name, &ref->oid, dst.len ? dst.buf : ref->name);
	}
	strbuf_release(&dst);
	return rc;
}

/* A short name there: the ref that it means, or one of the kind that comes. NULL: neither. Caller frees. */
static char *full_place(const struct matching *m, const char *dst, const char *src)
{
	const struct remote_ref *there = remote_refs_dwim(m->refs, dst);

	if (starts_with(dst, "refs/"))
		return xstrdup(dst);
	if (there)
		return xstrdup(there->name);
	if (src && starts_with(src, "refs/heads/"))
		return xstrfmt("refs/heads/%s", dst);
	return src && starts_with(src, "refs/tags/") ? xstrfmt("refs/tags/%s", dst) : NULL;
}

static int match_deletion(struct matching *m)
{
	char *dst = full_place(m, m->item->dst, NULL);
	int rc = 0;

	if (!dst || !remote_refs_find(m->refs, dst))
		error("unable to delete '%s': remote ref does not exist", m->item->dst);
	else
		rc = match(m, "(delete)", NULL, dst);
	free(dst);
	return rc;
}

static int match_one(struct matching *m)
{
	const char *given = m->item->src;
	struct object_id oid;
	char *src = NULL, *dst = NULL;
	int rc = 0, nr = ref_dwim(m->r->refs, given, strlen(given), &src, &oid);

	if (nr > 1)
		error("src refspec %s matches more than one", given);
	else if (!nr && revparse_oid(m->r, given, &oid, NULL) < 0)
		error("src refspec %s does not match any", given);
	else
		dst = m->item->dst && *m->item->dst ? full_place(m, m->item->dst, src) : src ? xstrdup(src) : NULL;
	if (dst)
		rc = match(m, src ? src : given, &oid, dst);
	free(dst);
	free(src);
	return rc;
}

int push_lines_match(struct push_lines *lines, struct repository *r, const struct remote *remote,
		     const struct remote_refs *refs, struct err *err)
{
	struct matching m = { .lines = lines, .r = r, .remote = remote, .refs = refs, .err = err };
	int rc = commit_pool_new(&m.commits, r, err);

	if (rc < 0)
		return rc;
	if (!remote->push.nr)
		rc = refs_foreach(r->refs, "refs/heads/", REFS_NO_PEEL, match_ref, &m, err);
	for (size_t i = 0; !rc && i < remote->push.nr; i++) {
		m.item = &remote->push.items[i];
		if (m.item->negative)
			continue;
		if (m.item->pattern || m.item->matching)
			rc = refs_foreach(r->refs, "", REFS_NO_PEEL, match_ref, &m, err);
		else
			rc = m.item->src && !*m.item->src ? match_deletion(&m) : match_one(&m);
	}
	commit_pool_free(m.commits);
	return rc;
}
