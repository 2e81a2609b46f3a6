/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the refs that a push updates: git-push(1), <refspec>. */
#include "compat/posix.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "object/object.h"
#include "transport/push/push.h"
#include "util/alloc.h"
#include "util/map.h"

/* A ref of ours. */
struct local_ref {
	char *name;
	struct object_id oid;
};

struct matching {
	struct repository *r;
	const struct remote_refs *theirs;
	const struct refspec *specs;
	unsigned flags;
	struct push_list found;
	struct strmap by_dst; /* of `found`: its index + 1 */
	struct local_ref *locals; /* by name */
	size_t nr, alloc;
	struct strvec broken; /* local refs that cannot be read */
	struct strbuf problems;
	bool fatal; /* one of them ends Git with 128 */
};

static void complain(struct matching *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void complain(struct matching *m, const char *fmt, ...)
{
	va_list ap;

	if (m->problems.len)
		strbuf_addstr(&m->problems, "\nerror: ");
	va_start(ap, fmt);
	strbuf_vaddf(&m->problems, fmt, ap);
	va_end(ap);
}

/* ---- local refs ---- */

static int note_local(void *data, const struct ref *ref)
{
	struct matching *m = data;

	if (ref->flags & REF_IS_BROKEN) {
		strvec_push(&m->broken, ref->name);
		return 0;
	}
	ALLOC_GROW(m->locals, m->nr + 1, m->alloc);
	m->locals[m->nr++] = (struct local_ref){ xstrdup(ref->name), ref->oid };
	return 0;
}

static const struct local_ref *find_local(const struct matching *m, const char *name)
{
	size_t low = 0, high = m->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(m->locals[mid].name, name);

		if (!order)
			return &m->locals[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* ---- one update ---- */

static struct push_update *find_update(const struct matching *m, const char *dst)
{
	size_t at = (size_t)(uintptr_t)strmap_get(&m->by_dst, dst);

	return at ? &m->found.items[at - 1] : NULL;
}

/* src NULL: a deletion. */
static void add_update(struct matching *m, const char *src, const struct object_id *oid, const char *dst, bool force)
{
	const struct remote_ref *there = remote_refs_find(m->theirs, dst);
	struct push_update *u = push_list_add(&m->found, src, dst);

	u->new_oid = src ? *oid : m->r->algo->null_oid;
	u->old_oid = there ? there->oid : m->r->algo->null_oid;
	u->old_known = !there || !there->unknown;
	u->force = force || m->flags & PUSH_MATCH_FORCE;
	strmap_put(&m->by_dst, dst, (void *)(uintptr_t)m->found.nr);
}

/* ---- refspecs without patterns ---- */

/* The full names that a short name can mean, by the rules of gitrevisions(7). */
static const struct {
	const char *before, *behind;
} places[] = { { "", "" }, { "refs/", "" }, { "refs/tags/", "" }, { "refs/heads/", "" }, { "refs/remotes/", "" },
	       { "refs/remotes/", "/HEAD" } };

static char *name_in(size_t place, const char *text)
{
	return xstrfmt("%s%s%s", places[place].before, text, places[place].behind);
}

/* Names outside of branches and tags count only if nothing else does, unless they are said in full. */
static bool is_weak(const char *full, const char *text)
{
	return strcmp(full, text) != 0 && !starts_with(full, "refs/heads/") && !starts_with(full, "refs/tags/") &&
	       !starts_with(full, "refs/remotes/");
}

struct candidates {
	const char *strong, *weak;
	unsigned nr_strong, nr_weak;
};

static void consider(struct candidates *c, const char *full, const char *text)
{
	if (is_weak(full, text)) {
		c->weak = full;
		c->nr_weak++;
	} else {
		c->strong = full;
		c->nr_strong++;
	}
}

/* 0, 1, or more: ambiguous. */
static unsigned choose_candidate(const struct candidates *c, const char **out)
{
	*out = c->nr_strong ? c->strong : c->weak;
	return c->nr_strong ? c->nr_strong : c->nr_weak;
}

static unsigned find_here(const struct matching *m, const char *text, const char **out)
{
	struct candidates c = { .strong = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *full = name_in(i, text);
		const struct local_ref *ref = find_local(m, full);

		if (ref)
			consider(&c, ref->name, text);
		free(full);
	}
	return choose_candidate(&c, out);
}

static unsigned find_there(const struct matching *m, const char *text, const char **out)
{
	struct candidates c = { .strong = NULL };
	const struct remote_ref *exact = remote_refs_find(m->theirs, text);

	if (exact && starts_with(text, "refs/")) {
		*out = exact->name;
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *full = name_in(i, text);
		const struct remote_ref *ref = remote_refs_find(m->theirs, full);

		if (ref)
			consider(&c, ref->name, text);
		free(full);
	}
	return choose_candidate(&c, out);
}

/* A source: the full name of a ref, or the given text if it names no ref. */
struct source {
	char *name; /* NULL: nothing */
	struct object_id oid;
	bool is_ref;
};

static bool find_source(struct matching *m, const char *text, struct source *out)
{
	const char *full = NULL;
	unsigned nr = find_here(m, text, &full);

	if (nr > 1) {
		complain(m, "src refspec %s matches more than one", text);
		return false;
	}
	if (nr) {
		*out = (struct source){ xstrdup(full), find_local(m, full)->oid, true };
		return true;
	}
	if (revparse_oid(m->r, text, &out->oid, NULL) < 0) {
		complain(m, "src refspec %s does not match any", text);
		return false;
	}
	out->name = xstrdup(text);
	out->is_ref = false;
	return true;
}

static void complain_of_unqualified(struct matching *m, const struct source *src, const char *dst)
{
	static const char *const offers[] = {
		[OBJ_COMMIT] = "create a new branch", [OBJ_TREE] = "tag a new tree", [OBJ_BLOB] = "tag a new blob",
		[OBJ_TAG] = "create a new tag",
	};
	enum object_type type = OBJ_NONE;
	uint64_t size;

	complain(m, "The destination you provided is not a full refname (i.e.,\n"
		 "starting with \"refs/\"). We tried to guess what you meant by:\n\n"
		 "- Looking for a ref that matches '%s' on the remote side.\n"
		 "- Checking if the <src> being pushed ('%s')\n"
		 "  is a ref in \"refs/{heads,tags}/\". If so we add a corresponding\n"
		 "  refs/{heads,tags}/ prefix on the remote side.\n\n"
		 "Neither worked, so we gave up. You must fully qualify the ref.", dst, src->name);
	if (!(m->flags & PUSH_MATCH_ADVISE) || odb_type(m->r->odb, &src->oid, &type, &size, NULL) < 0)
		return;
	strbuf_addf(&m->problems, "\nhint: The <src> part of the refspec is a %s object.\n"
		    "hint: Did you mean to %s by pushing to\n"
		    "hint: '%s:refs/%s/%s'?", object_type_name(type), offers[type], src->name,
		    type == OBJ_COMMIT ? "heads" : "tags", dst);
}

static char *guess_place(struct matching *m, const struct source *src, const char *dst)
{
	char *real = NULL, *out = NULL;
	struct object_id oid;

	if (ref_resolve(m->r->refs, src->name, &oid, &real, NULL, NULL) < 0)
		FREE_AND_NULL(real); /* an unborn branch has a name, too */
	if (real && starts_with(real, "refs/heads/"))
		out = xconcat("refs/heads/", dst);
	else if (real && starts_with(real, "refs/tags/"))
		out = xconcat("refs/tags/", dst);
	else
		complain_of_unqualified(m, src, dst);
	free(real);
	return out;
}

/* Without a destination: the same name there; of HEAD, that of the branch. NULL: there is none. */
static char *own_place(struct matching *m, const struct source *src)
{
	struct object_id oid;
	char *final = NULL;
	unsigned flags = 0;

	if (ref_resolve(m->r->refs, src->name, &oid, &final, &flags, NULL) < 0 ||
	    (flags & REF_IS_SYMREF && !starts_with(final, "refs/heads/"))) {
		complain(m, "%s cannot be resolved to branch", src->name);
		m->fatal = true;
		FREE_AND_NULL(final);
	} else if (!starts_with(final, "refs/")) {
		FREE_AND_NULL(final);
		return guess_place(m, src, src->name);
	}
	return final;
}

static char *find_place(struct matching *m, const struct source *src, const char *dst)
{
	const char *there = NULL;
	unsigned nr = find_there(m, dst, &there);

	if (nr == 1)
		return xstrdup(there);
	if (nr > 1) {
		complain(m, "dst refspec %s matches more than one", dst);
		return NULL;
	}
	if (starts_with(dst, "refs/"))
		return xstrdup(dst);
	if (src)
		return guess_place(m, src, dst);
	complain(m, "unable to delete '%s': remote ref does not exist", dst);
	return NULL;
}

static void match_one(struct matching *m, const struct refspec_item *item)
{
	struct source src = { .name = NULL };
	bool deletes = item->src && !*item->src;
	char *dst;

	if (!deletes && !find_source(m, item->src, &src))
		return;
	dst = item->dst && *item->dst ? find_place(m, deletes ? NULL : &src, item->dst) : own_place(m, &src);
	if (dst && find_update(m, dst))
		complain(m, "dst ref %s receives from more than one src", dst);
	else if (dst)
		add_update(m, src.name, &src.oid, dst, item->force);
	free(dst);
	free(src.name);
}

/* ---- patterns, ":" and all that match ---- */

static bool is_mirror(const struct matching *m)
{
	return m->flags & PUSH_MATCH_MIRROR;
}

/*
 * Negative refspecs match remote refs: a ref that one of them matches is neither updated nor deleted, even if another
 * refspec or an option asks for it.
 */
static bool is_excluded(const struct matching *m, const char *dst)
{
	return refspec_excludes(m->specs, dst);
}

/* A mirror without refspecs of its own has all names as they are. */
static bool is_whole_mirror(const struct matching *m)
{
	for (size_t i = 0; i < m->specs->nr; i++)
		if (!m->specs->items[i].negative)
			return false;
	return is_mirror(m);
}

static const struct refspec_item *map(const struct matching *m, const char *name, struct strbuf *dst)
{
	static const struct refspec_item mirror = { .force = true };

	strbuf_reset(dst);
	if (is_whole_mirror(m)) {
		strbuf_addstr(dst, name);
		return &mirror;
	}
	for (size_t i = 0; i < m->specs->nr; i++) {
		const struct refspec_item *item = &m->specs->items[i];

		if (item->negative)
			continue;
		if (item->matching && starts_with(name, "refs/heads/") && remote_refs_find(m->theirs, name)) {
			strbuf_addstr(dst, name);
			return item;
		}
		if (item->pattern && refspec_item_map(item, name, dst)) {
			if (!dst->len)
				strbuf_addstr(dst, name);
			return item;
		}
	}
	return NULL;
}

/* A ref that cannot be read cannot be copied either, and its copy there must not be deleted as if it were gone here. */
static int match_all(struct matching *m, struct err *err)
{
	struct strbuf dst = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < m->broken.nr; i++)
		if (map(m, m->broken.v[i], &dst) && !is_excluded(m, dst.buf))
			rc = err_set(err, ERR_CORRUPT, "bad object %s", m->broken.v[i]);
	for (size_t i = 0; !rc && i < m->nr; i++) {
		const struct refspec_item *item = map(m, m->locals[i].name, &dst);

		if (item && !find_update(m, dst.buf))
			add_update(m, m->locals[i].name, &m->locals[i].oid, dst.buf, item->force);
	}
	strbuf_release(&dst);
	return rc;
}

/* The name of the local ref that this refspec would push to the remote name. */
static bool map_back(const struct refspec_item *item, const char *name, struct strbuf *src)
{
	bool same = item->matching ? starts_with(name, "refs/heads/") :
		    item->pattern && !item->negative && !item->dst && refspec_item_map(item, name, NULL);

	if (!same)
		return item->pattern && refspec_item_map_back(item, name, src);
	strbuf_reset(src);
	strbuf_addstr(src, name);
	return true;
}

/* Does a refspec map a local ref to this remote ref, and is that local ref gone? A mirror keeps only the refs that it updates. */
static bool is_remote_ref_stale(const struct matching *m, const char *name)
{
	struct strbuf src = STRBUF_INIT;
	bool stale = is_mirror(m);

	for (size_t i = 0; i < m->specs->nr && !stale; i++) {
		if (!map_back(&m->specs->items[i], name, &src))
			continue;
		stale = !find_local(m, src.buf);
		break;
	}
	strbuf_release(&src);
	return stale;
}

static void prune(struct matching *m)
{
	for (size_t i = 0; i < m->theirs->nr; i++) {
		const char *name = m->theirs->items[i].name;

		if (starts_with(name, "refs/") && !find_update(m, name) && is_remote_ref_stale(m, name))
			add_update(m, NULL, NULL, name, false);
	}
}

/* ---- --follow-tags ---- */

static int is_pushed(struct matching *m, struct commit_pool *pool, const struct object_id *target, size_t nr,
		     struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(m->r->odb);
	struct object_id tip;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++)
		if (!oid_is_null(&m->found.items[i].new_oid) && !is_excluded(m, m->found.items[i].dst) &&
		    !object_peel(src, &m->found.items[i].new_oid, OBJ_COMMIT, &tip, NULL, NULL))
			rc = is_ancestor(pool, commit_lookup(pool, target), commit_lookup(pool, &tip), err);
	return rc;
}

/* Add annotated tags of the pushed commits that the server does not have. */
static int follow_tags(struct matching *m, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(m->r->odb);
	struct commit_pool *pool = NULL;
	size_t nr = m->found.nr;
	int rc = commit_pool_new(&pool, m->r, err);

	for (size_t i = 0; i < m->nr && rc >= 0; i++) {
		const struct local_ref *ref = &m->locals[i];
		struct object_id target;

		if (!starts_with(ref->name, "refs/tags/") || remote_refs_find(m->theirs, ref->name) ||
		    find_update(m, ref->name) || odb_has_quick(m->r->odb, &ref->oid) == false)
			continue;
		if (object_peel(src, &ref->oid, OBJ_COMMIT, &target, NULL, NULL) < 0 || oid_eq(&target, &ref->oid))
			continue;
		rc = is_pushed(m, pool, &target, nr, err);
		if (rc > 0)
			add_update(m, ref->name, &ref->oid, ref->name, false);
	}
	commit_pool_free(pool);
	return rc < 0 ? rc : 0;
}

/* ---- all of it ---- */

static void append_update(struct push_list *out, const struct matching *m, struct push_update *u)
{
	if (is_excluded(m, u->dst))
		return;
	ALLOC_GROW(out->items, out->nr + 1, out->alloc);
	out->items[out->nr++] = *u;
	memset(u, 0, sizeof(*u));
}

/* Updates of existing remote refs come first, in the server's order; then new refs, in the order they were found. */
static void put_in_order(struct matching *m, struct push_list *out)
{
	for (size_t i = 0; i < m->theirs->nr; i++) {
		struct push_update *u = find_update(m, m->theirs->items[i].name);

		if (u)
			append_update(out, m, u);
	}
	for (size_t i = 0; i < m->found.nr; i++) {
		if (m->found.items[i].dst)
			append_update(out, m, &m->found.items[i]);
	}
}

static bool needs_all(const struct matching *m)
{
	bool any = is_mirror(m);

	for (size_t i = 0; i < m->specs->nr; i++)
		any |= m->specs->items[i].pattern || m->specs->items[i].matching;
	return any;
}

static bool is_plain(const struct refspec_item *item)
{
	return !item->pattern && !item->matching && !item->negative;
}

/* Refspecs like "main", "+HEAD:x": no patterns, no deletions. */
static bool has_source(const struct refspec_item *item)
{
	return is_plain(item) && (!item->src || *item->src);
}

/* A missing source is reported alone: a place for it cannot be guessed. */
static void check_sources(struct matching *m)
{
	for (size_t i = 0; i < m->specs->nr; i++) {
		struct source src = { .name = NULL };

		if (has_source(&m->specs->items[i]) && find_source(m, m->specs->items[i].src, &src))
			free(src.name);
	}
}

static int by_local_name(const void *a, const void *b)
{
	const struct local_ref *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* The local refs that a source can mean. */
static void note_candidates(struct matching *m, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *full = name_in(i, text);
		struct object_id oid;

		if (refname_is_safe(full) && ref_resolve(m->r->refs, full, &oid, NULL, NULL, NULL) >= 0) {
			ALLOC_GROW(m->locals, m->nr + 1, m->alloc);
			m->locals[m->nr++] = (struct local_ref){ full, oid };
		} else {
			free(full);
		}
	}
}

static int match(struct matching *m, struct err *err)
{
	int rc = refs_foreach(m->r->refs, "", REFS_NO_PEEL | REFS_ALL_ROOTS, note_local, m, err);
	bool stop;

	if (rc < 0)
		return rc;
	check_sources(m);
	stop = m->problems.len > 0;
	for (size_t i = 0; i < m->specs->nr && !stop; i++)
		if (is_plain(&m->specs->items[i]))
			match_one(m, &m->specs->items[i]);
	if (m->problems.len)
		return err_set(err, m->fatal ? ERR_NOT_FOUND : ERR_INVALID, "%s", m->problems.buf);
	if (needs_all(m))
		rc = match_all(m, err);
	if (!rc && m->flags & PUSH_MATCH_FOLLOW_TAGS)
		rc = follow_tags(m, err);
	if (!rc && m->flags & (PUSH_MATCH_PRUNE | PUSH_MATCH_MIRROR))
		prune(m);
	return rc;
}

static void release_matching(struct matching *m)
{
	for (size_t i = 0; i < m->nr; i++)
		free(m->locals[i].name);
	free(m->locals);
	strvec_clear(&m->broken);
	push_list_release(&m->found);
	strmap_clear(&m->by_dst, NULL);
	strbuf_release(&m->problems);
}

int push_check_sources(struct repository *r, const struct refspec *specs, struct err *err)
{
	struct matching m = { .r = r, .specs = specs, .broken = STRVEC_INIT, .problems = STRBUF_INIT };
	int rc = 0;

	strmap_init(&m.by_dst);
	for (size_t i = 0; i < specs->nr; i++)
		if (has_source(&specs->items[i]))
			note_candidates(&m, specs->items[i].src);
	if (m.nr)
		qsort(m.locals, m.nr, sizeof(*m.locals), by_local_name);
	check_sources(&m);
	if (m.problems.len)
		rc = err_set(err, ERR_INVALID, "%s", m.problems.buf);
	release_matching(&m);
	return rc;
}

int push_match(struct push_list *out, struct repository *r, const struct remote_refs *theirs,
	       const struct refspec *specs, unsigned flags, struct err *err)
{
	struct matching m = { .r = r, .theirs = theirs, .specs = specs, .flags = flags,
			      .broken = STRVEC_INIT, .problems = STRBUF_INIT };
	int rc;

	strmap_init(&m.by_dst);
	rc = match(&m, err);
	if (!rc)
		put_in_order(&m, out);
	release_matching(&m);
	return rc;
}
