/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs of the stream: commits carry some of them; others, and tags, come at its end. */
#include "compat/posix.h"
#include "builtin/stream/export.h"
#include "history/names/revparse.h"
#include "object/tag.h"
#include "util/alloc.h"

/* ---- before the walk ---- */

/* The full name of the ref that a start is, as --refspec has it. NULL: it is none, or could be several. */
static char *ref_of_start(struct fast_export *x, const struct rev_start *s)
{
	struct strbuf mapped = STRBUF_INIT;
	char *full = NULL;

	if (revparse_ref(x->repo, s->name, strlen(s->name), &full, NULL, NULL) != 1) {
		free(full);
		return NULL;
	}
	if (refspec_map(&x->refspec, full, &mapped) && mapped.len) {
		free(full);
		full = strbuf_detach(&mapped, NULL);
	}
	strbuf_release(&mapped);
	return full;
}

/* *oid becomes the object at the end of a chain of tags, each of which is noted. */
static int pass_tags(struct fast_export *x, const char *ref, struct object_id *oid, enum object_type *type, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;
	uint64_t size;
	int rc = odb_type(x->repo->odb, oid, type, &size, err);

	while (!rc && *type == OBJ_TAG) {
		struct object_id *copy = xmalloc(sizeof(*copy));

		*copy = *oid;
		string_list_append(&x->tags, ref)->util = copy;
		rc = odb_read_type(x->repo->odb, oid, OBJ_TAG, &buf, err);
		if (!rc)
			rc = tag_parse(&tag, buf.data, buf.size, x->repo->algo, err);
		if (!rc) {
			*oid = tag.target;
			rc = odb_type(x->repo->odb, oid, type, &size, err);
		}
		object_buf_release(&buf);
	}
	return rc;
}

/* Returns the name, which lives as long as the list. */
static const char *add_ref(struct fast_export *x, const char *name, const struct object_id *oid)
{
	size_t before = x->refs.nr;
	struct string_list_item *item = string_list_insert(&x->refs, name);

	if (x->refs.nr > before) {
		item->util = xcalloc(1, sizeof(struct export_ref));
		((struct export_ref *)item->util)->oid = *oid;
	}
	return item->string;
}

/*
 * The first ref of a commit is its source: the commit and its ancestors carry that ref. If it is a tag, the tag comes at the
 * end, as other refs do.
 */
static int collect(struct fast_export *x, const struct rev_start *s, const char *ref, struct err *err)
{
	struct object_id oid = s->oid;
	enum object_type type;
	int rc = pass_tags(x, ref, &oid, &type, err);

	if (rc < 0)
		return rc;
	if (type == OBJ_COMMIT)
		rev_set_source(x->walk, commit_lookup(x->walk->pool, &oid),
			       oid_eq(&oid, &s->oid) ? add_ref(x, ref, &oid) : x->tags.items[x->tags.nr - 1].string);
	else if (oid_eq(&oid, &s->oid))
		warning("%s: unexpected object of type %s, skipping.", s->name, object_type_name(type));
	else if (type == OBJ_BLOB)
		rc = export_blob(x, &oid, err);
	else
		warning("tag points to object of unexpected type %s, skipping.", object_type_name(type));
	return rc;
}

int export_refs_collect(struct fast_export *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < x->walk->nr_starts; i++) {
		const struct rev_start *s = &x->walk->starts[i];
		char *ref = s->flags & REV_UNINTERESTING ? NULL : ref_of_start(x, s);

		if (ref)
			rc = collect(x, s, ref, err);
		free(ref);
	}
	return rc;
}

/* ---- after it ---- */

static void print_reset(struct fast_export *x, const char *name, const struct object_id *to)
{
	uint64_t mark = to ? export_mark_of(x, to) : 0;

	printf("reset %s\nfrom ", name);
	if (mark)
		printf(":%" PRIu64 "\n\n", mark);
	else
		printf("%s\n\n", oid_hex(to ? to : &x->repo->algo->null_oid));
}

/* The nearest ancestor that changes something within the paths, or that ends the walk; NULL: there is none. */
static struct commit *nearest_exported(struct commit *c)
{
	while (c->nr_parents <= 1 && (c->flags & (REV_UNINTERESTING | REV_TREESAME)) == REV_TREESAME) {
		if (!c->nr_parents)
			return NULL;
		c = c->parents[0];
	}
	return c;
}

static void finish_ref(struct fast_export *x, const char *name, const struct object_id *oid)
{
	struct commit *c = nearest_exported(commit_lookup(x->walk->pool, oid));
	struct strbuf shown = STRBUF_INIT;

	export_ref_name(x, name, &shown);
	if (c && !export_mark_of(x, &c->oid) && !x->reference_parents)
		c = NULL;
	print_reset(x, shown.buf, c ? &c->oid : NULL);
	if (c && export_mark_of(x, &c->oid))
		export_progress(x);
	strbuf_release(&shown);
}

struct tag_text {
	struct object_buf buf;
	struct tag_view view;
	struct strbuf message;
};

static int take_tag_message(struct fast_export *x, const struct object_id *oid, struct tag_text *t, struct err *err)
{
	const char *nul = memchr(t->view.message, '\0', t->view.message_len);
	size_t len = nul ? (size_t)(nul - t->view.message) : t->view.message_len;
	size_t signature = message_signature(t->view.message, len);

	if (x->anonymous) {
		anonymize_tag_message(&x->anon, t->view.message, len, &t->message);
		return 0;
	}
	if (signature < len) {
		if (x->signed_tags == EXPORT_ABORT)
			return err_set(err, ERR_INVALID, "encountered signed tag %s; use --signed-tags=<mode> to handle it",
				       oid_hex(oid));
		if (x->signed_tags == EXPORT_WARN_VERBATIM)
			warning("exporting signed tag %s", oid_hex(oid));
		if (x->signed_tags == EXPORT_WARN_STRIP)
			warning("stripping signature from tag %s", oid_hex(oid));
		if (x->signed_tags == EXPORT_STRIP || x->signed_tags == EXPORT_WARN_STRIP)
			len = signature;
	}
	strbuf_add(&t->message, t->view.message, len);
	return 0;
}

static void print_tag(struct fast_export *x, const char *name, const struct object_id *oid, const struct object_id *target,
		      const struct tag_text *t)
{
	static const char nobody[] = "Unspecified Tagger <unspecified-tagger> 0 +0000";
	struct strbuf tagger = STRBUF_INIT;
	const char *shown = name;
	uint64_t mark = export_mark_of(x, target);

	(void)skip_prefix(name, "refs/tags/", &shown);
	printf("tag %s\n", shown);
	if (x->mark_tags)
		export_mark_next(x, oid, OBJ_TAG);
	if (mark)
		printf("from :%" PRIu64 "\n", mark);
	else
		printf("from %s\n", oid_hex(target));
	export_original_id(x, oid);
	if (t->view.tagger)
		export_add_person(x, "tagger", t->view.tagger, t->view.tagger_len, &tagger);
	else if (x->fake_missing_tagger)
		export_add_person(x, "tagger", nobody, strlen(nobody), &tagger);
	fputs(tagger.buf, stdout);
	strbuf_release(&tagger);
	export_data(t->message.buf, t->message.len);
	putchar('\n');
}

/* What to do about a tag whose object has no mark. 1: the tag has been dealt with; 0: *target may be another now. */
static int filtered_tag(struct fast_export *x, const char *name, const struct object_id *oid, enum object_type type,
			struct object_id *target, struct err *err)
{
	struct commit *c;

	if (x->filtered == EXPORT_FILTERED_ABORT)
		return err_set(err, ERR_INVALID, "tag %s tags unexported object; use --tag-of-filtered-object=<mode> to handle it",
			       oid_hex(oid));
	if (x->filtered == EXPORT_FILTERED_DROP)
		return 1;
	if (type == OBJ_TAG && !x->mark_tags)
		return err_set(err, ERR_INVALID, "cannot export nested tags unless --mark-tags is specified.");
	if (type != OBJ_COMMIT)
		return 0;
	c = nearest_exported(commit_lookup(x->walk->pool, target));
	if (!c) {
		print_reset(x, name, NULL);
		return 1;
	}
	if (export_mark_of(x, &c->oid))
		*target = c->oid;
	return 0;
}

/* 1: the stream cannot tell of it, since a tree is at the end of it. */
static int leads_to_tree(struct fast_export *x, const struct object_id *oid, struct err *err)
{
	struct object_id end;
	enum object_type type;
	int rc = object_peel(odb_source(x->repo->odb), oid, OBJ_ANY, &end, &type, err);

	if (!rc && type == OBJ_TREE) {
		warning("omitting tag %s,\nsince tags of trees (or tags of tags of trees, etc.) are not supported.", oid_hex(oid));
		return 1;
	}
	return rc;
}

static int export_tag(struct fast_export *x, const char *ref, const struct object_id *oid, struct err *err)
{
	struct tag_text t = { .message = STRBUF_INIT };
	struct strbuf name = STRBUF_INIT;
	int rc = leads_to_tree(x, oid, err);

	if (!rc)
		rc = odb_read_type(x->repo->odb, oid, OBJ_TAG, &t.buf, err);
	if (!rc)
		rc = tag_parse(&t.view, t.buf.data, t.buf.size, x->repo->algo, err);
	if (!rc) {
		export_ref_name(x, ref, &name);
		rc = take_tag_message(x, oid, &t, err);
	}
	if (!rc) {
		struct object_id target = t.view.target;

		if (!export_mark_of(x, &target))
			rc = filtered_tag(x, name.buf, oid, t.view.target_type, &target, err);
		if (!rc && t.view.target_type == OBJ_TAG) /* else the two are one tag for the importer */
			print_reset(x, name.buf, NULL);
		if (!rc)
			print_tag(x, name.buf, oid, &target, &t);
	}
	object_buf_release(&t.buf);
	strbuf_release(&t.message);
	strbuf_release(&name);
	return rc < 0 ? rc : 0;
}

int export_refs_finish(struct fast_export *x, struct err *err)
{
	int rc = 0;

	for (size_t i = x->refs.nr; i-- > 0;) {
		const struct export_ref *ref = x->refs.items[i].util;

		if (!ref->carried)
			finish_ref(x, x->refs.items[i].string, &ref->oid);
	}
	for (size_t i = x->tags.nr; !rc && i-- > 0;)
		rc = export_tag(x, x->tags.items[i].string, x->tags.items[i].util, err);
	for (size_t i = 0; !rc && i < x->refspec.nr; i++)
		if (x->refspec.items[i].src && !*x->refspec.items[i].src)
			print_reset(x, x->refspec.items[i].dst, NULL);
	return rc;
}
