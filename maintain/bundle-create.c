/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "maintain/bundle-create.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/tag.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/map.h"
#include "write-or-die.h"

void bundle_plan_release(struct bundle_plan *p)
{
	bundle_header_release(&p->header);
	strvec_clear(&p->revisions);
}

struct planning {
	struct bundle_plan *plan;
	struct rev_walk *w;
	struct oidset excluded;		  /* objects that were named so; tags of another time */
	struct commit_list prerequisites; /* prerequisites that this repository has */
	struct oid_array cut_off;	  /* parents that a shallow clone has not */
	struct strset names;		  /* of refs that are in it */
};

/* ---- prerequisites ---- */

static int add_prerequisite(struct planning *p, struct commit *c, struct err *err)
{
	struct strbuf subject = STRBUF_INIT;
	struct commit_view view;
	const char *buf;
	size_t len;
	int rc = commit_buffer(p->w->pool, c, &buf, &len, err);

	if (!rc)
		rc = commit_parse(&view, buf, len, p->w->repo->algo, err);
	if (rc < 0)
		return rc;
	commit_subject(&subject, view.message, view.message_len, " ");
	if (subject.len > BUNDLE_LINE_MAX / 2)
		strbuf_setlen(&subject, BUNDLE_LINE_MAX / 2);
	bundle_refs_add(&p->plan->header.prerequisites, &c->oid, subject.buf);
	commit_list_add(&p->prerequisites, c);
	strbuf_release(&subject);
	commit_view_release(&view);
	commit_release_buffer(c);
	return 0;
}

/*
 * The boundary of a shallow clone: the repository that unpacks the bundle must have the parents of
 * this commit.
 */
static int note_cut_off(struct planning *p, const struct commit *c, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_read_type(p->w->repo->odb, &c->oid, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse_links(buf.data, buf.size, p->w->repo->algo, NULL, &p->cut_off, NULL,
					err);
	object_buf_release(&buf);
	return rc;
}

static void add_cut_off(struct planning *p)
{
	struct oidset seen = OIDSET_INIT;

	for (size_t i = 0; i < p->cut_off.nr; i++) {
		const struct object_id *oid = &p->cut_off.oid[i];

		if (!(commit_lookup(p->w->pool, oid)->flags & (REV_SHOWN | REV_BOUNDARY)) &&
		    oidset_insert(&seen, oid))
			bundle_refs_add(&p->plan->header.prerequisites, oid, NULL);
	}
	oidset_clear(&seen);
}

static int bundle_create_walk(struct planning *p, struct err *err)
{
	struct commit *c;
	int rc = rev_walk_begin(p->w, err);

	while (!rc && (rc = rev_walk_next(p->w, &c, err)) > 0) {
		rc = 0;
		if (c->flags & REV_BOUNDARY)
			rc = add_prerequisite(p, c, err);
		else if (c->shallow)
			rc = note_cut_off(p, c, err);
	}
	if (!rc)
		add_cut_off(p);
	return rc;
}

/* A tag whose commit was excluded needs it, unless a prerequisite leads there. */
static int need_excluded(struct planning *p, struct commit *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->prerequisites.nr && !rc; i++)
		rc = is_ancestor(p->w->pool, c, p->prerequisites.items[i], err);
	return rc ? (rc < 0 ? rc : 0) : add_prerequisite(p, c, err);
}

/* ---- refs ---- */

/* The name of a start as a ref in the bundle; NULL: it is none, or not known for sure. Caller frees. */
static char *ref_of(const struct planning *p, const struct rev_start *s)
{
	struct object_id oid;
	char *full = NULL;

	if (s->ref)
		return starts_with(s->ref, "refs/") || !strcmp(s->ref, "HEAD") ? xstrdup(s->ref) :
										 NULL;
	if (revparse_ref(p->w->repo, s->name, strlen(s->name), &full, &oid, NULL) != 1) {
		free(full);
		return NULL;
	}
	if (!ref_exists(p->w->repo->refs, s->name))
		return full;
	free(full);
	return xstrdup(s->name);
}

/* Was it made in the time that was asked for? Of a tag without a date this cannot be said. */
static int tag_is_in_time(struct planning *p, const struct object_id *oid, struct err *err)
{
	const struct rev_walk *w = p->w;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct ident_split who = { .has_date = false };
	struct tag_view tag;
	int rc;

	if (!w->since && !w->until)
		return 1;
	rc = odb_read_type(w->repo->odb, oid, OBJ_TAG, &buf, err);
	if (!rc)
		rc = tag_parse(&tag, buf.data, buf.size, w->repo->algo, err);
	if (!rc && tag.tagger && !ident_split_line(&who, tag.tagger, tag.tagger_len) && who.has_date)
		rc = (!w->since || who.date > w->since) && (!w->until || who.date < w->until);
	else if (!rc)
		rc = 1;
	object_buf_release(&buf);
	return rc;
}

/* 1: it goes into the bundle, if it has a name; 0: not; < 0. */
static int start_belongs(struct planning *p, const struct rev_start *s, struct err *err)
{
	struct commit *c = s->commit;
	enum object_type type;
	uint64_t size;
	int rc;

	if ((s->flags & REV_UNINTERESTING) || oidset_contains(&p->excluded, &s->oid))
		return 0;
	if (c && oid_eq(&s->oid, &c->oid)) {
		if (!(c->flags & (REV_SHOWN | REV_UNINTERESTING | REV_BOUNDARY)))
			repo_warn(p->w->repo, "ref '%s' is excluded by the rev-list options", s->name);
		return (c->flags & (REV_SHOWN | REV_UNINTERESTING)) == REV_SHOWN;
	}
	rc = odb_type(p->w->repo->odb, &s->oid, &type, &size, err);
	if (!rc && type == OBJ_TAG)
		rc = tag_is_in_time(p, &s->oid, err);
	else if (!rc)
		rc = 1;
	if (!rc)
		oidset_insert(&p->excluded, &s->oid); /* not even as an object */
	return rc;
}

static int bundle_create_add_ref(struct planning *p, const struct rev_start *s, struct err *err)
{
	char *name;
	int rc = start_belongs(p, s, err);

	if (rc <= 0)
		return rc;
	rc = 0;
	name = ref_of(p, s);
	if (name && strset_add(&p->names, name)) {
		bundle_refs_add(&p->plan->header.refs, &s->oid, name);
		if (s->commit && (s->commit->flags & REV_UNINTERESTING))
			rc = need_excluded(p, s->commit, err);
	}
	free(name);
	return rc;
}

/* ---- all of it ---- */

static void list_revisions(struct planning *p)
{
	const struct rev_walk *w = p->w;
	char hex[HASH_MAX_HEX + 2] = "^";

	for (size_t i = 0; i < w->nr_starts; i++)
		if (!oidset_contains(&p->excluded, &w->starts[i].oid))
			strvec_push(&p->plan->revisions, oid_hex(&w->starts[i].oid));
	for (size_t i = 0; i < p->prerequisites.nr; i++) {
		strcpy(hex + 1, oid_hex(&p->prerequisites.items[i]->oid));
		strvec_push(&p->plan->revisions, hex);
	}
}

int bundle_plan_make(struct bundle_plan *plan, struct rev_walk *w, struct err *err)
{
	struct planning p = { .plan = plan, .w = w, .excluded = OIDSET_INIT,
			      .prerequisites = COMMIT_LIST_INIT, .cut_off = OID_ARRAY_INIT,
			      .names = STRSET_INIT };
	int rc = 0;

	w->boundary = w->objects = true;
	for (size_t i = 0; i < w->nr_starts; i++)
		if (w->starts[i].flags & REV_UNINTERESTING ||
		    (w->ignore_missing && !odb_has(w->repo->odb, &w->starts[i].oid)))
			oidset_insert(&p.excluded, &w->starts[i].oid);
	if (w->nr_starts)
		rc = bundle_create_walk(&p, err);
	for (size_t i = 0; i < w->nr_starts && !rc; i++)
		rc = bundle_create_add_ref(&p, &w->starts[i], err);
	if (!rc && !plan->header.refs.nr)
		rc = err_set(err, ERR_INVALID, "Refusing to create empty bundle.");
	if (!rc)
		list_revisions(&p);
	oidset_clear(&p.excluded);
	commit_list_clear(&p.prerequisites);
	oid_array_clear(&p.cut_off);
	strset_clear(&p.names);
	return rc;
}

/* ---- writing ---- */

struct target {
	int fd;
	const char *name;
};

static int write_piece(void *data, const void *piece, size_t len, struct err *err)
{
	const struct target *t = data;

	return write_in_full(t->fd, piece, len, t->name, err);
}

static int write_header(const struct bundle_plan *p, struct target *t, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	bundle_header_format(&p->header, &text);
	rc = write_piece(t, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

int bundle_write(const struct bundle_plan *p, struct pack_collection *c, int fd, const char *name,
		 struct err *err)
{
	struct target t = { fd, name };
	const struct pack_sink sink = { .write = write_piece, .data = &t };
	int rc = pack_collect_revisions(c, &p->revisions, err);

	progress_stop(&c->progress);
	if (!rc)
		rc = write_header(p, &t, err);
	if (!rc && c->whole)
		return pack_write_unchanged(c->whole, &sink, err);
	if (!rc)
		rc = pack_objects_prepare(c->po, err);
	return rc ? rc : pack_objects_write(c->po, &sink, err);
}
