/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk goes from the tips down, the youngest commit first, and hands the tips' bits to
 * parents. A commit that all tips have is finished, and so are its ancestors; the walk ends once no
 * other commit waits.
 */
#include "compat/posix.h"
#include "history/revision/tip-bits.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"
#include "util/prio-queue.h"
#include "util/string-list.h"

#define DONE_WITH 0x80000000u /* all tips have it, or a commit above it is such a one */

struct join_node {
	uint32_t marks;	    /* bits of tips, DONE_WITH; 0: not seen */
	uint32_t queued;    /* so often */
	const char *name;   /* of the tip or the turn above; NULL: none */
	uint32_t steps;	    /* down first parents from there */
};

struct tip_bits_state {
	struct rev_walk *walk;
	struct join_node *nodes; /* by index of commits */
	size_t nr_nodes;
	struct prio_queue queue;
	size_t interesting;	 /* in the queue, not DONE_WITH */
	struct string_list names; /* of turns */
};

static struct join_node *tip_bits_node_of(struct tip_bits *j, const struct commit *c)
{
	struct tip_bits_state *s = j->state;
	size_t want = (size_t)c->index + 1, had = s->nr_nodes;

	if (want > had) {
		ALLOC_GROW(s->nodes, want, s->nr_nodes);
		memset(s->nodes + had, 0, (s->nr_nodes - had) * sizeof(*s->nodes));
	}
	return &s->nodes[c->index];
}

int tip_bits_new(struct tip_bits **out, struct repository *r, struct err *err)
{
	struct tip_bits *j;
	int rc;

	CALLOC_ARRAY(j, 1);
	CALLOC_ARRAY(j->state, 1);
	j->state->queue.compare = commit_date_cmp;
	rc = rev_walk_new(&j->state->walk, r, err);
	if (rc < 0) {
		tip_bits_free(j);
		return rc;
	}
	j->pool = j->state->walk->pool;
	*out = j;
	return 0;
}

void tip_bits_free(struct tip_bits *j)
{
	if (!j)
		return;
	rev_walk_free(j->state->walk);
	prio_queue_clear(&j->state->queue);
	string_list_clear(&j->state->names, NULL);
	free(j->state->nodes);
	free(j->state);
	commit_list_clear(&j->commits);
	free(j);
}

/* ---- the walk ---- */

static uint32_t all_tips(const struct tip_bits *j)
{
	return (uint32_t)((1u << j->nr_tips) - 1);
}

static void enqueue(struct tip_bits *j, struct commit *c)
{
	struct join_node *n = tip_bits_node_of(j, c);

	n->queued++;
	if (!(n->marks & DONE_WITH))
		j->state->interesting++;
	prio_queue_put(&j->state->queue, c);
}

static struct commit *dequeue(struct tip_bits *j)
{
	struct commit *c = prio_queue_get(&j->state->queue);
	struct join_node *n = c ? tip_bits_node_of(j, c) : NULL;

	if (n) {
		n->queued--;
		if (!(n->marks & DONE_WITH))
			j->state->interesting--;
	}
	return c;
}

static void add_marks(struct tip_bits *j, const struct commit *c, uint32_t marks)
{
	struct join_node *n = tip_bits_node_of(j, c);

	if ((marks & DONE_WITH) && !(n->marks & DONE_WITH))
		j->state->interesting -= n->queued;
	n->marks |= marks;
}

/* True: it is new. */
static bool see(struct tip_bits *j, struct commit *c)
{
	if (tip_bits_node_of(j, c)->marks)
		return false;
	commit_list_add(&j->commits, c);
	return true;
}

int tip_bits_add(struct tip_bits *j, const struct object_id *oid, struct err *err)
{
	struct commit *c = commit_lookup(j->pool, oid);
	int rc = commit_parse_node(j->pool, c, err);

	if (rc < 0)
		return rc;
	if (j->nr_tips == TIP_BITS_MAX)
		return err_set(err, ERR_TOO_BIG, "cannot handle more than %d revs",
			       TIP_BITS_MAX);
	if (see(j, c)) {
		add_marks(j, c, 1u << j->nr_tips);
		enqueue(j, c);
	} else {
		add_marks(j, c, 1u << j->nr_tips);
	}
	j->tips[j->nr_tips++] = c;
	return 0;
}

/* *more counts the new commits that are seen after all have met. */
static int visit(struct tip_bits *j, struct commit *c, uint32_t marks, bool met, int *more,
		 struct err *err)
{
	for (uint32_t i = 0; i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];
		int rc;

		if ((tip_bits_node_of(j, p)->marks & marks) == marks)
			continue;
		rc = commit_parse_node(j->pool, p, err);
		if (rc < 0)
			return rc;
		if (see(j, p) && met)
			--*more;
		add_marks(j, p, marks);
		enqueue(j, p);
	}
	return 0;
}

/*
 * Marks the ancestors of commits that all tips have as finished; the walk may have visited them
 * before.
 */
static void finish_marks(struct tip_bits *j)
{
	struct commit_list below = COMMIT_LIST_INIT;
	uint32_t all = all_tips(j);

	for (size_t i = 0; i < j->commits.nr; i++) {
		uint32_t marks = tip_bits_node_of(j, j->commits.items[i])->marks;

		if ((marks & all) == all || (marks & DONE_WITH))
			commit_list_add(&below, j->commits.items[i]);
	}
	while (below.nr) {
		struct commit *c = below.items[--below.nr];

		for (uint32_t i = 0; i < c->nr_parents; i++) {
			struct join_node *p = tip_bits_node_of(j, c->parents[i]);

			if (!p->marks || (p->marks & DONE_WITH))
				continue;
			p->marks |= DONE_WITH;
			commit_list_add(&below, c->parents[i]);
		}
	}
	commit_list_clear(&below);
}

/*
 * Sorts by date, the youngest first; of equally old commits the one that was seen last comes first.
 */
static void sort_by_date(struct tip_bits *j)
{
	struct prio_queue q = { .compare = commit_date_cmp };
	size_t nr = j->commits.nr;

	while (nr)
		prio_queue_put(&q, j->commits.items[--nr]);
	for (nr = 0; nr < j->commits.nr; nr++)
		j->commits.items[nr] = prio_queue_get(&q);
	prio_queue_clear(&q);
}

int tip_bits_walk(struct tip_bits *j, int more, struct err *err)
{
	uint32_t all = all_tips(j);
	struct commit *c;
	int rc = 0;

	while (!rc && more >= 0 && j->state->queue.nr) {
		bool met = !j->state->interesting;
		uint32_t marks;

		if (met && !more)
			break;
		c = dequeue(j);
		marks = tip_bits_node_of(j, c)->marks;
		see(j, c);
		if ((marks & all) == all)
			marks |= DONE_WITH;
		rc = visit(j, c, marks, met, &more, err);
		if (met && more < 0)
			more = 0;
	}
	if (!rc) {
		finish_marks(j);
		sort_by_date(j);
	}
	return rc;
}

/* ---- the result ---- */

uint32_t tip_bits_tips(const struct tip_bits *j, const struct commit *c)
{
	return c->index < j->state->nr_nodes ? j->state->nodes[c->index].marks & all_tips(j) : 0;
}

void tip_bits_merge_bases(struct tip_bits *j, struct commit_list *out)
{
	uint32_t all = all_tips(j);

	for (size_t i = 0; i < j->commits.nr; i++)
		if ((tip_bits_node_of(j, j->commits.items[i])->marks & (all | DONE_WITH)) == all)
			commit_list_add(out, j->commits.items[i]);
}

bool tip_bits_is_independent(const struct tip_bits *j, size_t tip)
{
	uint32_t same = 0;

	for (size_t i = 0; i < j->nr_tips; i++)
		if (j->tips[i] == j->tips[tip])
			same |= 1u << i;
	return tip_bits_tips(j, j->tips[tip]) == same;
}

void tip_bits_sort(struct tip_bits *j, bool by_date)
{
	j->state->walk->order = by_date ? REV_ORDER_DATE : REV_ORDER_TOPO;
	rev_sort_topologically(j->state->walk, &j->commits);
}

/* ---- names ---- */

static void set_name(struct tip_bits *j, const struct commit *c, const char *name,
		     uint32_t steps)
{
	struct join_node *n = tip_bits_node_of(j, c);

	n->name = name;
	n->steps = steps;
}

/* How many were named. */
static size_t name_first_parents(struct tip_bits *j, const struct commit *c)
{
	size_t nr = 0;

	for (; c->nr_parents; c = c->parents[0]) {
		const struct join_node n = *tip_bits_node_of(j, c);

		if (!n.name || tip_bits_node_of(j, c->parents[0])->name)
			break;
		set_name(j, c->parents[0], n.name, n.steps + 1);
		nr++;
	}
	return nr;
}

/* "main", "main^" or "main~3" */
static void add_steps(const struct join_node *n, struct strbuf *out)
{
	strbuf_addstr(out, n->name);
	if (n->steps == 1)
		strbuf_addch(out, '^');
	else if (n->steps)
		strbuf_addf(out, "~%" PRIu32, n->steps);
}

/* That, and then the number of the parent. */
static const char *name_of_turn(struct tip_bits *j, const struct join_node *n, uint32_t parent)
{
	struct strbuf name = STRBUF_INIT;
	const char *kept;

	add_steps(n, &name);
	if (parent == 1)
		strbuf_addch(&name, '^');
	else
		strbuf_addf(&name, "^%" PRIu32, parent);
	kept = string_list_append(&j->state->names, name.buf)->string;
	strbuf_release(&name);
	return kept;
}

static size_t name_parents(struct tip_bits *j, struct commit *c)
{
	const struct join_node n = *tip_bits_node_of(j, c);
	size_t nr = 0;

	for (uint32_t i = 0; n.name && i < c->nr_parents; i++) {
		if (tip_bits_node_of(j, c->parents[i])->name)
			continue;
		set_name(j, c->parents[i], name_of_turn(j, &n, i + 1), 0);
		name_first_parents(j, c->parents[i]);
		nr++;
	}
	return nr;
}

void tip_bits_name(struct tip_bits *j, const char *const *tip_names)
{
	size_t nr, i;

	for (i = 0; i < j->nr_tips; i++)
		if (!tip_bits_node_of(j, j->tips[i])->name)
			set_name(j, j->tips[i], tip_names[i], 0);
	do {
		for (nr = 0, i = 0; i < j->commits.nr; i++)
			nr += name_first_parents(j, j->commits.items[i]);
	} while (nr);
	do {
		for (nr = 0, i = 0; i < j->commits.nr; i++)
			nr += name_parents(j, j->commits.items[i]);
	} while (nr);
}

bool tip_bits_add_name(const struct tip_bits *j, const struct commit *c,
			  struct strbuf *out)
{
	if (c->index >= j->state->nr_nodes || !j->state->nodes[c->index].name)
		return false;
	add_steps(&j->state->nodes[c->index], out);
	return true;
}
