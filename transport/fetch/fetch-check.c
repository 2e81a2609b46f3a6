/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks a pack before it gets a name: are all objects here that it leads to, and which of them may refs name? If a history
 * ends at the server's own boundary, it is complete only if that boundary becomes ours, too.
 */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/tag.h"
#include "intake/missing.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"

struct pack_check {
	struct fetch_task *t;
	struct pack_receive *rx;
	struct oid_array foreign; /* objects that the pack depends on and does not have */
};

/* ---- what the pack rests on ---- */

static int note_foreign(void *data, const struct object_id *oid, enum object_type type UNUSED,
			struct err *err UNUSED)
{
	oid_array_append(data, oid);
	return 0;
}

static void note_unless_sent(struct pack_check *p, const struct object_id *oid)
{
	if (!pack_receive_has(p->rx, oid) && !fetch_uris_have(p->t->result, oid))
		oid_array_append(&p->foreign, oid);
}

/* Objects that one pack depends on may be in another one. */
static void drop_sent(struct pack_check *p)
{
	struct oid_array *all = &p->foreign;
	size_t nr = 0;

	for (size_t i = 0; i < all->nr; i++)
		if (!pack_receive_has(p->rx, &all->oid[i]) && !fetch_uris_have(p->t->result, &all->oid[i]))
			all->oid[nr++] = all->oid[i];
	all->nr = nr;
}

/* A commit that leaves our boundary is here; its parents have to be from now on. */
static int note_parents(struct pack_check *p, const struct object_id *oid, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(p->t->r->odb);
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc;

	/* Stale, or sent anew: then it was looked at like all of the pack. */
	if (!odb_has(p->t->r->odb, oid))
		return 0;
	rc = src->read(src->data, oid, &buf, err);
	if (!rc)
		rc = commit_parse_links(buf.data, buf.size, src->algo, NULL, &parents, NULL, err);
	for (size_t i = 0; !rc && i < parents.nr; i++)
		note_unless_sent(p, &parents.oid[i]);
	object_buf_release(&buf);
	oid_array_clear(&parents);
	return rc;
}

static int find_foreign(struct pack_check *p, struct err *err)
{
	struct fetch_task *t = p->t;
	int rc = pack_receive_foreach_foreign(p->rx, note_foreign, &p->foreign, err);

	for (size_t i = 0; !rc && i < t->result->nr_others; i++)
		rc = pack_receive_foreach_foreign(t->result->others[i], note_foreign, &p->foreign, err);
	if (t->result->nr_others)
		drop_sent(p);
	/* Wanted, and not in the pack: the server found that we have it. */
	for (size_t i = 0; i < t->w->oids->nr; i++)
		note_unless_sent(p, &t->w->oids->oid[i]);
	for (size_t i = 0; i < t->result->wanted_refs.nr; i++)
		note_unless_sent(p, &t->result->wanted_refs.items[i].oid);
	for (size_t i = 0; !rc && i < t->unshallow.nr; i++)
		rc = note_parents(p, &t->unshallow.oid[i], err);
	oid_array_sort_unique(&p->foreign);
	return rc;
}

/* We sent only haves that our refs lead to, and their history ends at our own boundary only. */
static int check_foreign(struct pack_check *p, struct err *err)
{
	const struct connected_options o = { .shallow = &p->t->result->shallow,
					     .complete = p->t->w->borrowed,
					     .promised = p->t->w->from_promisor };
	struct object_id missing;
	int rc = intake_check_tips(p->t->r, &p->foreign, &o, &missing, err);

	if (!rc)
		return err_set(err, ERR_NOT_FOUND, "remote did not send all necessary objects: %s is missing",
			       oid_hex(&missing));
	return rc < 0 ? rc : 0;
}

/* ---- the server's boundary ---- */

/* ---- marks: first the roots, then the wanted ids ---- */

static const struct object_id *wanted(const struct fetch_task *t, size_t i)
{
	const struct oid_array *oids = t->w->oids;

	return i < oids->nr ? &oids->oid[i] : &t->result->wanted_refs.items[i - oids->nr].oid;
}

size_t fetch_count_marks(const struct fetch_task *t)
{
	return t->roots.nr + t->w->oids->nr + t->result->wanted_refs.nr;
}

void fetch_take_marks(struct fetch_task *t, const unsigned char *marks)
{
	const size_t nr_roots = t->roots.nr;

	for (size_t i = 0; i < nr_roots; i++)
		if (marks[i])
			oid_array_append(&t->result->shallow, &t->roots.oid[i]);
	for (size_t i = nr_roots; i < fetch_count_marks(t); i++)
		if (marks[i])
			oid_array_append(&t->result->rejected, wanted(t, i - nr_roots));
	oid_array_sort_unique(&t->result->rejected);
}

/* The roots at which the pack ends. */
static void mark_sent_roots(const struct pack_check *p, unsigned char *marks)
{
	const struct oid_array *roots = &p->t->roots;

	for (size_t i = 0; i < roots->nr; i++)
		marks[i] = pack_receive_has(p->rx, &roots->oid[i]);
}

/* From a commit or tag of the pack to what it rests on. */
struct step {
	struct object_id to, from;
};
struct steps {
	struct pack_check *p;
	struct err *err;
	struct step *items;
	size_t nr, alloc;
};

static void add_step(struct steps *s, const struct object_id *from, const struct object_id *to)
{
	ALLOC_GROW(s->items, s->nr + 1, s->alloc);
	s->items[s->nr++] = (struct step){ *to, *from };
}

static int note_steps(void *data, const struct received_object *o)
{
	struct steps *s = data;
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	const struct hash_algo *algo = s->p->t->r->algo;
	struct tag_view tag;
	int rc;

	if (o->type != OBJ_COMMIT && o->type != OBJ_TAG)
		return 0;
	rc = pack_receive_object(s->p->rx, &o->oid, &buf, s->err);
	if (!rc && o->type == OBJ_COMMIT)
		rc = commit_parse_links(buf.data, buf.size, algo, NULL, &parents, NULL, s->err);
	else if (!rc)
		rc = tag_parse(&tag, buf.data, buf.size, algo, s->err);
	if (!rc && o->type == OBJ_TAG)
		add_step(s, &o->oid, &tag.target);
	for (size_t i = 0; !rc && i < parents.nr; i++)
		add_step(s, &o->oid, &parents.oid[i]);
	oid_array_clear(&parents);
	object_buf_release(&buf);
	return rc;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return oid_cmp(&x->to, &y->to);
}

static size_t first_step(const struct steps *s, const struct object_id *to)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (oid_cmp(&s->items[mid].to, to) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* All of the pack that leads to one of these; queue is used up. */
static void spread(const struct steps *s, struct oid_array *queue, struct oidset *out)
{
	while (queue->nr) {
		struct object_id oid = queue->oid[--queue->nr];

		if (!oidset_insert(out, &oid))
			continue;
		for (size_t i = first_step(s, &oid); i < s->nr && oid_eq(&s->items[i].to, &oid); i++)
			oid_array_append(queue, &s->items[i].from);
	}
}

static void find_sent_roots(const struct pack_check *p, struct oid_array *out)
{
	const struct oid_array *roots = &p->t->roots;

	for (size_t i = 0; i < roots->nr; i++)
		if (pack_receive_has(p->rx, &roots->oid[i]))
			oid_array_append(out, &roots->oid[i]);
}

static int mark_rejected(struct pack_check *p, unsigned char *marks, struct err *err)
{
	struct steps s = { .p = p, .err = err };
	struct oid_array queue = OID_ARRAY_INIT;
	struct oidset ended = OIDSET_INIT;
	const struct fetch_task *t = p->t;
	int rc;

	find_sent_roots(p, &queue);
	if (!queue.nr)
		return 0;
	rc = pack_receive_foreach(p->rx, note_steps, &s, err);
	if (!rc) {
		if (s.nr)
			qsort(s.items, s.nr, sizeof(*s.items), compare_steps);
		spread(&s, &queue, &ended);
		for (size_t i = t->roots.nr; i < fetch_count_marks(t); i++)
			marks[i] = oidset_contains(&ended, wanted(t, i - t->roots.nr));
	}
	free(s.items);
	oid_array_clear(&queue);
	oidset_clear(&ended);
	return rc;
}

int fetch_check_pack(struct fetch_task *t, struct pack_receive *rx, unsigned char *marks, struct oid_array *foreign,
		     struct err *err)
{
	struct pack_check p = { .t = t, .rx = rx };
	int rc = find_foreign(&p, err);

	if (!rc && p.foreign.nr)
		rc = check_foreign(&p, err);
	if (!rc && t->w->update_shallow)
		mark_sent_roots(&p, marks);
	else if (!rc)
		rc = mark_rejected(&p, marks, err);
	for (size_t i = 0; !rc && i < p.foreign.nr; i++)
		oid_array_append(foreign, &p.foreign.oid[i]);
	oid_array_clear(&p.foreign);
	return rc;
}
