/* SPDX-License-Identifier: GPL-2.0-only */
/* Branches and tags of the import: their tips, the trees that are loaded, and how they become refs. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "util/alloc.h"

struct import_branch *import_branch_get(const struct fast_import *fi, const char *name)
{
	return strmap_get(&fi->branches, name);
}

int import_branch_new(struct fast_import *fi, const char *name, struct import_branch **out, struct err *err)
{
	struct import_branch *b;

	if (!refname_is_valid(name, REFNAME_ALLOW_ONELEVEL))
		return err_set(err, ERR_INVALID, "branch name doesn't conform to Git standards: %s", name);
	b = xcalloc(1, sizeof(*b));
	b->name = xstrdup(name);
	b->root = import_root_new(fi->repo->algo);
	b->tip = b->tree = fi->repo->algo->null_oid;
	strmap_put(&fi->branches, name, b);
	ALLOC_GROW(fi->branch_list, fi->nr_branches + 1, fi->alloc_branches);
	fi->branch_list[fi->nr_branches++] = b;
	*out = b;
	return 0;
}

/* The branch that was used least recently forgets its trees, once more are active than --active-branches says. */
void import_branch_activate(struct fast_import *fi, struct import_branch *b)
{
	struct import_branch *oldest = NULL;

	if (b->active)
		return;
	for (size_t i = 0; i < fi->nr_branches && fi->nr_active && fi->nr_active >= fi->max_active; i++) {
		struct import_branch *x = fi->branch_list[i];

		if (x->active && (!oldest || x->last_commit < oldest->last_commit))
			oldest = x;
	}
	if (oldest) {
		import_root_set(oldest->root, &oldest->tree);
		oldest->active = false;
		fi->nr_active--;
	}
	b->active = true;
	fi->nr_active++;
	fi->loads++;
}

/* ---- names of commits ---- */

static int mark_of_commit(struct fast_import *fi, const char *name, struct object_id *oid, struct err *err)
{
	const char *p = name;
	struct import_mark *m;
	int rc = import_parse_mark(fi, &p, '\0', &m, err);

	if (rc < 0)
		return rc;
	if (m->type != OBJ_COMMIT)
		return err_set(err, ERR_INVALID, "mark :%" PRIu64 " not a commit", m->id);
	*oid = m->oid;
	return 0;
}

static int expression(struct fast_import *fi, const char *name, struct object_id *oid)
{
	struct err ignored = ERR_INIT;
	int rc = revparse_oid(fi->repo, name, oid, &ignored);

	err_release(&ignored);
	return rc;
}

int import_commit_of(struct fast_import *fi, const char *name, struct object_id *oid, struct err *err)
{
	const struct import_branch *s = import_branch_get(fi, name);
	enum object_type type;
	struct object_id found;
	int rc;

	if (s) {
		*oid = s->tip;
		return 0;
	}
	if (*name == ':')
		return mark_of_commit(fi, name, oid, err);
	if (expression(fi, name, &found) < 0)
		return err_set(err, ERR_NOT_FOUND, "invalid ref name or SHA1 expression: %s", name);
	*oid = found;
	if (oid_is_null(&found))
		return 0;
	rc = object_peel(odb_source(fi->repo->odb), &found, OBJ_COMMIT, oid, &type, NULL);
	return rc < 0 ? err_set(err, ERR_INVALID, "not a valid commit: %s", name) : 0;
}

static int set_tip(struct fast_import *fi, struct import_branch *b, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc;

	b->tip = *oid;
	b->fanout_known = false;
	b->tree = fi->repo->algo->null_oid;
	if (!oid_is_null(oid)) {
		rc = odb_read_type(fi->repo->odb, oid, OBJ_COMMIT, &buf, err);
		if (!rc)
			rc = commit_parse_links(buf.data, buf.size, fi->repo->algo, &b->tree, NULL, NULL, err);
		object_buf_release(&buf);
		if (rc < 0)
			return rc;
	}
	import_root_set(b->root, &b->tree);
	return 0;
}

int import_parse_from(struct fast_import *fi, struct import_branch *b, struct err *err)
{
	const struct import_branch *s;
	struct object_id oid;
	const char *from;
	int rc;

	if (!skip_prefix(fi->in.line.buf, "from ", &from))
		return 0;
	s = import_branch_get(fi, from);
	if (s == b)
		return err_set(err, ERR_INVALID, "can't create a branch from itself: %s", b->name);
	rc = import_commit_of(fi, from, &oid, err);
	if (rc < 0)
		return rc;
	b->deleted = !s && *from != ':' && oid_is_null(&oid);
	if (s || !oid_eq(&oid, &b->tip) || oid_is_null(&oid))
		rc = set_tip(fi, b, &oid, err);
	if (rc < 0)
		return rc;
	rc = import_next(fi, err);
	return rc < 0 ? rc : 0;
}

/* ---- refs ---- */

static void report_missing(const struct fast_import *fi, const char *name)
{
	char *msg = xstrfmt("branch %s is missing commits.", name);

	fi->o.report_error(fi->o.data, msg);
	free(msg);
}

/* 1: the ref may have that value; 0: not, which has been reported. */
static int may_update(struct fast_import *fi, const struct import_branch *b, const struct object_id *old,
		      struct err *err)
{
	struct commit_pool *pool;
	struct commit *a, *z;
	int rc;

	if (fi->force || oid_is_null(old) || oid_eq(old, &b->tip))
		return 1;
	rc = commit_pool_new(&pool, fi->repo, err);
	if (rc < 0)
		return rc;
	a = commit_lookup(pool, old);
	z = commit_lookup(pool, &b->tip);
	rc = is_ancestor(pool, a, z, err);
	commit_pool_free(pool);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID) {
		err_release(err);
		report_missing(fi, b->name);
		return 0;
	}
	if (!rc)
		import_warn(fi, "not updating %s (new tip %s does not contain %s)", b->name, oid_hex(&b->tip), oid_hex(old));
	return rc;
}

static int queue_branch(struct fast_import *fi, struct ref_transaction *t, const struct import_branch *b, struct err *err)
{
	struct object_id old;
	struct err none = ERR_INIT;
	int rc;

	if (oid_is_null(&b->tip) && !b->deleted)
		return 0;
	if (ref_resolve(fi->repo->refs, b->name, &old, NULL, NULL, &none) < 0)
		old = fi->repo->algo->null_oid;
	err_release(&none);
	if (oid_is_null(&b->tip))
		return oid_is_null(&old) ? 0 : ref_transaction_update(t, b->name, &b->tip, NULL, 0, NULL, err);
	rc = may_update(fi, b, &old, err);
	if (rc <= 0) {
		fi->failed_refs |= !rc;
		return rc;
	}
	return ref_transaction_update(t, b->name, &b->tip, &old, 0, "fast-import", err);
}

/* Does a tag of the stream have the name of that branch? Its commits went to a tag, then. */
static bool is_tag(const struct fast_import *fi, const struct import_branch *b)
{
	const char *name;

	if (!skip_prefix(b->name, "refs/tags/", &name))
		return false;
	for (size_t i = 0; i < fi->nr_tags; i++)
		if (!strcmp(fi->tags[i].name, name))
			return !oid_is_null(&fi->tags[i].oid);
	return false;
}

static int queue_refs(struct fast_import *fi, struct ref_transaction **t, struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	int rc = repo_operation_begin_refs(fi->op, REF_TRANSACTION_ALLOW_FAILURE, t, err);

	for (size_t i = 0; i < fi->nr_branches && !rc; i++)
		rc = is_tag(fi, fi->branch_list[i]) ? 0 : queue_branch(fi, *t, fi->branch_list[i], err);
	for (size_t i = 0; i < fi->nr_tags && !rc; i++) {
		strbuf_reset(&name);
		strbuf_addf(&name, "refs/tags/%s", fi->tags[i].name);
		if (!oid_is_null(&fi->tags[i].oid))
			rc = ref_transaction_update(*t, name.buf, &fi->tags[i].oid, NULL, 0, "fast-import", err);
	}
	strbuf_release(&name);
	return rc;
}

static void report_refs(struct fast_import *fi, const struct ref_transaction *t)
{
	struct ref_rejection r;

	for (size_t i = 0; t && i < ref_transaction_nr(t); i++)
		if (ref_transaction_rejection(t, i, &r)) {
			fi->o.report_error(fi->o.data, r.msg);
			fi->failed_refs = true;
		}
}

/* The end, or a checkpoint: objects, refs and marks get their names together, and are sealed once. */
int import_publish(struct fast_import *fi, bool with_refs, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = with_refs && (fi->nr_branches || fi->nr_tags) ? queue_refs(fi, &t, err) : 0;

	if (!rc)
		rc = import_marks_stage(fi, err);
	if (!rc && fi->pack_edges) { /* new packs must have names, which the commit seals with this file */
		rc = repo_operation_publish(fi->op, err);
		if (!rc)
			report_refs(fi, t);
		t = NULL;
		if (!rc)
			rc = import_edges_stage(fi, err);
	}
	if (!rc)
		rc = repo_operation_commit(fi->op, err);
	if (!rc)
		report_refs(fi, t);
	return rc;
}
