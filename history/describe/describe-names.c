/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that git describe may use: one for each object that refs lead to. */
#include "compat/posix.h"
#include "history/describe/describe-internal.h"
#include "object/ident.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

static bool matches_any(const struct strvec *patterns, const char *name)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (wildmatch(patterns->v[i], name, 0))
			return true;
	return false;
}

/* The name without refs/tags/ and the like; patterns are for that. */
static bool is_candidate(const struct describe_options *o, const char *refname, bool *is_tag)
{
	const char *name = NULL;
	bool has_patterns = (o->match && o->match->nr) || (o->exclude && o->exclude->nr);

	*is_tag = skip_prefix(refname, "refs/tags/", &name);
	if (!*is_tag) {
		if (!o->all)
			return false;
		if (has_patterns && !skip_prefix(refname, "refs/heads/", &name) &&
		    !skip_prefix(refname, "refs/remotes/", &name))
			return false;
	}
	if (o->exclude && o->exclude->nr && matches_any(o->exclude, name))
		return false;
	return !o->match || !o->match->nr || matches_any(o->match, name);
}

int described_tag_load(struct describer *d, struct described_name *n, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct ident_split tagger;
	struct tag_view tag;
	int rc;

	if (n->tag_name)
		return 0;
	rc = odb_read_type(d->repo->odb, &n->oid, OBJ_TAG, &buf, NULL);
	if (!rc)
		rc = tag_parse(&tag, buf.data, buf.size, d->repo->algo, NULL);
	if (rc < 0) {
		object_buf_release(&buf);
		return err_set(err, ERR_CORRUPT, "annotated tag %s not available", n->path);
	}
	n->tag_name = xmemdupz(tag.name, tag.name_len);
	n->target = tag.target;
	if (tag.tagger && !ident_split_line(&tagger, tag.tagger, tag.tagger_len) &&
	    tagger.has_date)
		n->tag_date = tagger.date;
	object_buf_release(&buf);
	return 0;
}

void described_name_free(void *data)
{
	struct described_name *n = data;

	free(n->path);
	free(n->tag_name);
	free(n);
}

/* Annotated tags win over others, tags over branches, younger annotated tags over older ones. */
static bool replaces(struct describer *d, struct described_name *old, struct described_name *new)
{
	if (!old || old->kind != new->kind)
		return !old || old->kind < new->kind;
	if (new->kind != NAME_ANNOTATED)
		return false;
	if (described_tag_load(d, old, NULL) < 0)
		return true;
	return !described_tag_load(d, new, NULL) && old->tag_date < new->tag_date;
}

static int describe_names_add_ref(void *data, const struct ref *ref)
{
	struct describer *d = data;
	struct described_name *n, *old;
	bool is_tag;

	if (!is_candidate(&d->options, ref->name, &is_tag))
		return 0;
	if (!(ref->flags & REF_PEEL_KNOWN)) {
		if (!d->options.quiet)
			repo_warn(d->repo, "ignoring broken ref %s", ref->name);
		return 0;
	}
	CALLOC_ARRAY(n, 1);
	n->oid = ref->oid;
	n->peeled = oid_is_null(&ref->peeled) ? ref->oid : ref->peeled;
	n->kind = !oid_eq(&n->oid, &n->peeled) ? NAME_ANNOTATED : is_tag ? NAME_LIGHT : NAME_OTHER;
	n->path = xstrdup(ref->name + strlen(d->options.all ? "refs/" : "refs/tags/"));
	old = oidmap_get(&d->names, &n->peeled);
	if (replaces(d, old, n)) {
		oidmap_put(&d->names, &n->peeled, n);
		n = old;
	}
	if (n)
		described_name_free(n);
	return 0;
}

int described_names_read(struct describer *d, struct err *err)
{
	return refs_foreach(d->repo->refs, d->options.all ? "" : "refs/tags/", 0,
			    describe_names_add_ref, d, err);
}
