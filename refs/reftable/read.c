/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading one ref, and all of them. */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/reftable/reftable-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

/* ---- one ref ---- */

/* The first id counts; what follows belongs to the command that wrote the file. */
static int read_pseudoref(const struct ref_store *rs, const char *gitdir, const char *name, struct ref_value *out,
			  struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = xstrfmt("%s/%s", gitdir, name);
	int rc = read_file(&text, path, 0, err);

	*out = (struct ref_value){ .kind = REF_KIND_BROKEN };
	if (rc == ERR_NOT_FOUND)
		out->kind = REF_KIND_MISSING;
	else if (!rc && text.len >= rs->algo->hex_len && !oid_parse_hex(&out->oid, text.buf, rs->algo, NULL))
		out->kind = REF_KIND_OID;
	strbuf_release(&text);
	free(path);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static void take_value(const struct ref_store *rs, const struct ref_record *r, struct ref_value *out)
{
	*out = (struct ref_value){ .kind = REF_KIND_OID };
	if (r->type == REF_VALUE_SYMREF) {
		out->kind = memchr(r->target, '\0', r->target_len) ? REF_KIND_BROKEN : REF_KIND_SYMREF;
		if (out->kind == REF_KIND_SYMREF)
			out->target = xmemdupz(r->target, r->target_len);
	} else {
		oid_from_raw(&out->oid, r->oid, rs->algo);
	}
}

int reftable_lookup(const struct ref_store *rs, const struct reftable_stack *s, const char *name, struct ref_value *out,
		    struct err *err)
{
	struct table_iter it = TABLE_ITER_INIT;
	size_t len = strlen(name);
	int rc = 0;

	*out = (struct ref_value){ .kind = REF_KIND_MISSING };
	for (size_t i = s->nr; !rc && i-- > 0;) {
		rc = table_iter_seek(&it, s->tables[i], BLOCK_REF, name, len, err);
		if (!rc)
			rc = table_iter_next(&it, err);
		if (rc > 0 && reftable_key_cmp(&it.cursor.rec.key, name, len))
			rc = 0; /* an older table may have it */
	}
	if (rc > 0 && it.cursor.rec.ref.type != REF_VALUE_DELETED)
		take_value(rs, &it.cursor.rec.ref, out);
	table_iter_release(&it);
	return rc < 0 ? rc : 0;
}

int reftable_read_ref(struct ref_store *rs, const char *name, struct ref_value *out, struct err *err)
{
	struct reftable_stack *s;
	const char *bare;
	int rc;

	s = reftable_stack_of(rs, name, &bare);
	if (refname_is_pseudoref(bare)) {
		size_t len = strlen(s->dir) - strlen("/reftable");
		char *gitdir = xmemdupz(s->dir, len);

		rc = read_pseudoref(rs, gitdir, bare, out, err);
		free(gitdir);
		return rc;
	}
	rc = reftable_stack_reload(s, err);
	return rc ? rc : reftable_lookup(rs, s, bare, out, err);
}

/* ---- all of them ---- */

/* The shared refs of a worktree, or its own. */
struct ref_source {
	struct merged_iter it;
	const struct reftable_record *rec; /* NULL: no more */
	bool skips_private, skips_shared;
};

struct ref_walk {
	struct ref_store *rs;
	const char *prefix, *after;
	size_t prefix_len;
	const struct strvec *except;
	struct ref_source sources[2]; /* the second wins */
	size_t nr;
	ref_raw_fn fn;
	void *data;
};

/* The directory that is left out and has the ref; NULL: there is none. They are sorted, and none is in another. */
static const char *left_out(const struct ref_walk *w, const char *name)
{
	size_t lo = 0, hi = w->except->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(w->except->v[mid], name) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && starts_with(name, w->except->v[lo - 1]) ? w->except->v[lo - 1] : NULL;
}

/* To the first name that does not begin with dir, which ends in '/'. */
static int skip_left_out(struct ref_source *s, const char *dir, struct err *err)
{
	char *behind = xstrdup(dir);
	int rc;

	behind[strlen(behind) - 1]++;
	rc = merged_iter_seek(&s->it, behind, strlen(behind), err);
	free(behind);
	return rc;
}

static int next_ref(const struct ref_walk *w, struct ref_source *s, struct err *err)
{
	const char *dir;
	int rc;

	for (;;) {
		rc = merged_iter_next(&s->it, &s->rec, err);
		if (rc <= 0 || strncmp(s->rec->key.buf, w->prefix, w->prefix_len)) {
			s->rec = NULL;
			return rc < 0 ? rc : 0;
		}
		dir = w->except->nr ? left_out(w, s->rec->key.buf) : NULL;
		if (dir) {
			rc = skip_left_out(s, dir, err);
			if (rc < 0)
				return rc;
		} else if ((!w->after || strcmp(s->rec->key.buf, w->after)) &&
			   !(s->skips_private && refname_in_private_dir(s->rec->key.buf)) &&
			   !(s->skips_shared && !refname_in_private_dir(s->rec->key.buf))) {
			return 0;
		}
	}
}

/*
 * Annotated tags are stored with what they lead to, but not by a migration of Git 2.55. A branch leads to a commit.
 */
static int deliver(const struct ref_walk *w, const struct reftable_record *rec)
{
	const struct ref_record *r = &rec->ref;
	struct object_id oid, peeled;
	struct ref_raw raw = { .name = rec->key.buf, .kind = REF_KIND_OID, .oid = &oid };
	char *target = NULL;
	int rc;

	oid = w->rs->algo->null_oid;
	if (r->type == REF_VALUE_SYMREF) {
		target = xmemdupz(r->target, r->target_len);
		raw.kind = REF_KIND_SYMREF;
		raw.target = target;
	} else {
		oid_from_raw(&oid, r->oid, w->rs->algo);
		raw.peel_known = r->type == REF_VALUE_PEELED || starts_with(raw.name, "refs/heads/");
	}
	if (r->type == REF_VALUE_PEELED) {
		oid_from_raw(&peeled, r->peeled, w->rs->algo);
		raw.peeled = &peeled;
	}
	rc = w->fn(w->data, &raw);
	free(target);
	return rc;
}

static int walk_refs(struct ref_walk *w, struct err *err)
{
	const char *first = w->after && strcmp(w->after, w->prefix) > 0 ? w->after : w->prefix;
	int rc = 0;

	for (size_t i = 0; !rc && i < w->nr; i++) {
		rc = merged_iter_seek(&w->sources[i].it, first, strlen(first), err);
		if (!rc)
			rc = next_ref(w, &w->sources[i], err);
	}
	while (!rc) {
		struct ref_source *s = &w->sources[0];

		if (w->nr > 1 && w->sources[1].rec &&
		    (!s->rec || strcmp(w->sources[1].rec->key.buf, s->rec->key.buf) < 0))
			s = &w->sources[1];
		if (!s->rec)
			break;
		rc = deliver(w, s->rec);
		if (!rc)
			rc = next_ref(w, s, err);
	}
	return rc;
}

static int add_source(struct ref_walk *w, struct reftable_stack *s, struct err *err)
{
	int rc = reftable_stack_reload(s, err);

	if (rc < 0)
		return rc;
	w->sources[w->nr].it = (struct merged_iter)MERGED_ITER_INIT;
	merged_iter_start(&w->sources[w->nr++].it, BLOCK_REF, s->tables, s->nr);
	return 0;
}

int reftable_foreach(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data, struct err *err)
{
	struct reftable_store *st = reftable_store(rs);
	struct ref_walk w = { .rs = rs, .prefix = range->prefix, .after = range->after, .except = range->except,
			      .fn = fn, .data = data };
	int rc;

	/* Refs outside of refs/ are no part of this. */
	if (!starts_with(range->prefix, "refs/"))
		w.prefix = starts_with("refs/", range->prefix) ? "refs/" : NULL;
	if (!w.prefix)
		return 0;
	w.prefix_len = strlen(w.prefix);
	rc = add_source(&w, st->shared, err);
	if (!rc && st->own != st->shared) {
		w.sources[0].skips_private = w.sources[1].skips_shared = true;
		rc = add_source(&w, st->own, err);
	}
	if (!rc)
		rc = walk_refs(&w, err);
	for (size_t i = 0; i < w.nr; i++)
		merged_iter_release(&w.sources[i].it);
	return rc;
}

/* ---- root refs ---- */

/* They come before "refs/". */
int reftable_root_names(struct ref_store *rs, const char *worktree, struct string_list *out, struct err *err)
{
	char *head = xconcat(worktree, "HEAD");
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	struct reftable_stack *s;
	const char *bare;
	int rc = reftable_fresh_stack_of(&s, rs, head, &bare, err);

	if (!rc) {
		merged_iter_start(&m, BLOCK_REF, s->tables, s->nr);
		rc = merged_iter_seek(&m, NULL, 0, err);
	}
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		rc = 0;
		if (strcmp(rec->key.buf, "refs/") >= 0)
			break;
		root_names_add(out, worktree, rec->key.buf);
	}
	merged_iter_release(&m);
	free(head);
	return rc;
}
