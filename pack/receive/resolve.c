/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolving deltas: trees of deltas are walked from their roots, bases first, by several threads,
 * without recursion.
 *
 * Each thread has a stack of bases, objects whose deltas are not all done. It takes a delta of
 * the topmost base, makes the object, and if that is a base itself, pushes it. A thread without work
 * begins with another root, and when there are none left, it takes a delta of the lowest base of
 * another thread, since that one has most below it.
 *
 * Memory: among the deltas of one base, the one with most below it comes last, and the content of
 * a base is freed when its last delta has been made. So a chain of any length needs two
 * contents at a time, and where a base has to wait, the delta it waits for has at most half
 * of the entries below it: a stack holds contents of at most log2(n) objects. (The deltas below
 * one whose base is given by name are not known before; such stacks can grow.) If a thread's contents
 * exceed its share of base_bytes, those of its lowest bases are dropped; they are made again, from
 * the nearest base that has its content, when they are needed.
 *
 * Many objects have their names already (inline-deltas.c). They are made again only if deltas below them
 * are left.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/workers.h"

#define THREADS_MAX 64

/* ---- lists of deltas ---- */

/* Is there something to do with entry i itself? Of a base by name that is known: others wait for it. */
static bool is_wanted(const struct pack_receive *rx, uint32_t i)
{
	const struct rx_entry *e = rx_entry(rx, i);

	if (!e->type)
		return !(e->flags & RX_BROKEN);
	return rx->nr_refs && rx_find_ref(rx, rx_name(rx, i)) != RX_NONE;
}

/*
 * Computes the amount of work for each entry and all below it. A base of known position comes
 * before its deltas, so one pass from the end is enough.
 */
static uint32_t *weigh(const struct pack_receive *rx)
{
	uint32_t *weight;

	CALLOC_ARRAY(weight, (size_t)rx->nr + 1);
	for (uint32_t i = rx->nr; i-- > 0;) {
		const struct rx_entry *e = rx_entry(rx, i);

		if (!rx_is_delta(e) || e->flags & RX_BROKEN)
			continue;
		weight[i] += is_wanted(rx, i);
		if (e->base != RX_NONE)
			weight[e->base] += weight[i];
	}
	return weight;
}

static void push_child(struct pack_receive *rx, uint32_t i)
{
	struct rx_entry *e = rx_entry(rx, i), *base = rx_entry(rx, e->base);

	e->sibling = base->child;
	base->child = i;
}

/* The heaviest delta of each base goes to the end of the list; what needs nothing, in none. */
void rx_link_deltas(struct pack_receive *rx)
{
	uint32_t *weight, *heaviest;

	rx_sort_refs(rx);
	weight = weigh(rx);
	ALLOC_ARRAY(heaviest, (size_t)rx->nr + 1);
	for (uint32_t i = 0; i < rx->nr; i++) {
		uint32_t base = rx_entry(rx, i)->base;

		rx_entry(rx, i)->child = rx_entry(rx, i)->sibling = RX_NONE;
		heaviest[i] = RX_NONE;
		if (base != RX_NONE && weight[i] &&
		    (heaviest[base] == RX_NONE || weight[i] > weight[heaviest[base]]))
			heaviest[base] = i;
	}
	for (uint32_t i = 0; i < rx->nr; i++)
		if (heaviest[i] != RX_NONE)
			push_child(rx, heaviest[i]);
	for (uint32_t i = rx->nr; i-- > 0;) {
		uint32_t base = rx_entry(rx, i)->base;

		if (base != RX_NONE && weight[i] && heaviest[base] != i)
			push_child(rx, i);
	}
	free(weight);
	free(heaviest);
}

/* ---- bases and stacks; all fields under the lock of `struct resolver` ---- */

struct worker;

struct base {
	struct base *parent; /* its own base; NULL: a root */
	uint32_t entry;
	uint32_t child, ref; /* the next deltas to take: by offset, by name; RX_NONE */
	unsigned refs;	     /* its stack, its users, bases that have it as parent */
	unsigned users;	     /* threads that read its content */
	bool loading, stacked;
	void *data; /* NULL: not in memory */
	size_t size;
	struct worker *owner; /* the worker whose share of memory it uses, and whose stack holds it */
	struct base *above, *below;
	uint32_t height; /* in the stack */
};

struct worker {
	struct resolver *r;
	pthread_t thread;
	struct base *top, *bottom;
	struct base *lowest; /* no base below it in the stack has its content */
	size_t held_bytes;
};

struct resolver {
	struct pack_receive *rx;
	pthread_mutex_t lock;
	pthread_cond_t news; /* new work, a loaded content, or the end */
	uint32_t next_root;
	size_t share_bytes; /* of each worker */
	unsigned nr_workers, working, waiting;
	struct worker workers[THREADS_MAX];
};

static void stack_push(struct worker *w, struct base *b)
{
	b->owner = w;
	b->stacked = true;
	b->refs++;
	b->below = w->top;
	b->above = NULL;
	b->height = w->top ? w->top->height + 1 : 0;
	if (!w->lowest)
		w->lowest = b;
	if (w->top)
		w->top->above = b;
	else
		w->bottom = b;
	w->top = b;
}

static void stack_remove(struct base *b)
{
	struct worker *w = b->owner;

	if (w->lowest == b)
		w->lowest = b->above;
	if (b->above)
		b->above->below = b->below;
	else
		w->top = b->below;
	if (b->below)
		b->below->above = b->above;
	else
		w->bottom = b->above;
	b->stacked = false;
}

static void set_data(struct base *b, void *data, size_t size)
{
	b->data = data;
	b->size = size;
	b->owner->held_bytes += size;
	if (b->stacked && (!b->owner->lowest || b->height < b->owner->lowest->height))
		b->owner->lowest = b;
}

static void drop_data(struct base *b)
{
	if (!b->data)
		return;
	b->owner->held_bytes -= b->size;
	FREE_AND_NULL(b->data);
}

/* Drop a reference; without a loop over parents a long chain would need recursion. */
static void base_put(struct base *b)
{
	while (b && !--b->refs) {
		struct base *parent = b->parent;

		drop_data(b);
		free(b);
		b = parent;
	}
}

static struct base *base_new(uint32_t entry, struct base *parent, struct worker *w,
			     uint32_t first_child, uint32_t first_ref)
{
	struct base *b;

	CALLOC_ARRAY(b, 1);
	b->entry = entry;
	b->parent = parent;
	if (parent)
		parent->refs++;
	b->child = first_child;
	b->ref = first_ref;
	b->owner = w;
	return b;
}

/* Stay within the share: drop contents of the lowest bases, which are needed last. */
static void drop_lowest(struct worker *w)
{
	struct base *b = w->lowest;
	bool in_use = false;

	for (; b && b != w->top && w->held_bytes > w->r->share_bytes; b = b->above) {
		if (!b->users && !b->loading)
			drop_data(b);
		in_use |= b->data || b->loading;
		if (!in_use)
			w->lowest = b->above;
	}
}

/* Adds the deltas that name the object i as base; only the first object of that name gets them. */
static uint32_t claim_refs(struct pack_receive *rx, uint32_t ref)
{
	if (ref == RX_NONE || rx->refs[ref].claimed)
		return RX_NONE;
	rx->refs[ref].claimed = true;
	return ref;
}

/* ---- taking work; with the lock held ---- */

/* The next delta of b; when it is the last, b leaves its stack. */
static uint32_t take_delta(struct resolver *r, struct base *b)
{
	struct pack_receive *rx = r->rx;
	uint32_t i;

	if (b->ref != RX_NONE) {
		i = rx->refs[b->ref].entry;
		b->ref = rx_next_ref(rx, b->ref);
		rx_entry(rx, i)->base = b->entry;
	} else {
		i = b->child;
		b->child = rx_entry(rx, i)->sibling;
	}
	b->refs++;
	b->users++;
	if (b->ref == RX_NONE && b->child == RX_NONE) {
		stack_remove(b);
		base_put(b);
	}
	return i;
}

static bool push_next_root(struct worker *w)
{
	struct resolver *r = w->r;
	struct pack_receive *rx = r->rx;

	while (r->next_root < rx->nr) {
		uint32_t i = r->next_root++, ref = RX_NONE;
		struct rx_entry *e = rx_entry(rx, i);

		if (rx_is_delta(e) || !e->type)
			continue;
		if (rx->nr_refs)
			ref = claim_refs(rx, rx_find_ref(rx, rx_name(rx, i)));
		if (e->child == RX_NONE && ref == RX_NONE)
			continue;
		stack_push(w, base_new(i, NULL, w, e->child, ref));
		return true;
	}
	return false;
}

/* Has it more deltas than its own thread takes next? */
static bool has_spare(const struct resolver *r, const struct worker *w)
{
	const struct base *b = w->bottom;

	if (!b)
		return false;
	if (b != w->top)
		return true;
	if (b->ref != RX_NONE)
		return b->child != RX_NONE || rx_next_ref(r->rx, b->ref) != RX_NONE;
	return rx_entry(r->rx, b->child)->sibling != RX_NONE;
}

static struct base *find_spare(struct resolver *r)
{
	for (unsigned i = 0; i < r->nr_workers; i++)
		if (has_spare(r, &r->workers[i]))
			return r->workers[i].bottom;
	return NULL;
}

/*
 * Returns a base with a delta to take. Waits while other threads may still add work. NULL: no work
 * is left.
 */
static struct base *next_base(struct worker *w)
{
	struct resolver *r = w->r;

	r->working--;
	while (!atomic_load(&r->rx->failed)) {
		struct base *b = w->top;

		if (!b && push_next_root(w))
			b = w->top;
		if (!b)
			b = find_spare(r);
		if (b) {
			r->working++;
			return b;
		}
		if (!r->working)
			break;
		r->waiting++;
		pthread_cond_wait(&r->news, &r->lock);
		r->waiting--;
	}
	pthread_cond_broadcast(&r->news);
	return NULL;
}

/* ---- contents ---- */

/*
 * Finds the path from b up to the nearest base that has its content or can be inflated. Marks all
 * on the path as being loaded, so that no two threads load the same one. A thread that has marked
 * any does not wait.
 */
static struct base **find_path(struct resolver *r, struct base *b, size_t *nr)
{
	struct base **path = NULL;
	size_t alloc = 0;

again:
	*nr = 0;
	for (struct base *x = b; x && !x->data; x = x->parent) {
		if (x->loading) {
			pthread_cond_wait(&r->news, &r->lock);
			goto again;
		}
		ALLOC_GROW(path, *nr + 1, alloc);
		path[(*nr)++] = x;
	}
	for (size_t i = 0; i < *nr; i++)
		path[i]->loading = true;
	return path;
}

/* Build the content of one base; the lock is released meanwhile. */
static int load_one(struct resolver *r, struct base *b, struct err *err)
{
	void *data = NULL;
	size_t size = 0;
	int rc;

	pthread_mutex_unlock(&r->lock);
	if (b->parent) {
		const struct base_view base = { rx_entry(r->rx, b->entry)->type, b->parent->data, b->parent->size };

		rc = rx_apply(r->rx, b->entry, &base, &data, &size, err);
	} else {
		rc = rx_inflate(r->rx, b->entry, &data, &size, err);
	}
	pthread_mutex_lock(&r->lock);
	if (!rc)
		set_data(b, data, size);
	return rc;
}

static void end_use(struct base *b)
{
	b->users--;
	if (!b->users && !b->stacked)
		drop_data(b);
	base_put(b);
}

/* Load the content of b, which the caller uses. */
static int load(struct worker *w, struct base *b, struct err *err)
{
	struct resolver *r = w->r;
	struct base **path;
	size_t nr;
	int rc = 0;

	if (b->data)
		return 0;
	path = find_path(r, b, &nr);
	/* The parent of each is used while its content is made. */
	for (size_t i = 0; i < nr; i++)
		if (path[i]->parent) {
			path[i]->parent->users++;
			path[i]->parent->refs++;
		}
	for (size_t i = nr; i-- > 0;) {
		struct base *x = path[i], *parent = x->parent;

		if (!rc && !atomic_load(&r->rx->failed))
			rc = load_one(r, x, err);
		x->loading = false;
		if (parent)
			end_use(parent);
		drop_lowest(w);
	}
	if (nr)
		pthread_cond_broadcast(&r->news);
	free(path);
	return rc;
}

/* ---- one delta ---- */

struct result {
	void *data;
	size_t size;
	uint32_t ref; /* deltas that wait for its name */
};

/* Apply the delta i and name the object, unless it has a name. Call without the lock. */
static int resolve_delta(struct pack_receive *rx, const struct base *b, uint32_t i,
			 struct result *out, struct err *err)
{
	const struct base_view base = { rx_entry(rx, b->entry)->type, b->data, b->size };
	int rc = rx_apply(rx, i, &base, &out->data, &out->size, err);

	if (rc < 0)
		return rc;
	if (!rx_entry(rx, i)->type) {
		rx_entry(rx, i)->type = rx_entry(rx, b->entry)->type;
		rc = rx_object(rx, i, out->data, out->size, err);
		if (rc < 0) {
			rx_entry(rx, i)->type = 0;
			FREE_AND_NULL(out->data);
			return rc;
		}
		atomic_fetch_add(&rx->resolved, 1);
	}
	if (rx->nr_refs)
		out->ref = rx_find_ref(rx, rx_name(rx, i));
	return 0;
}

static void push_result(struct worker *w, struct base *parent, uint32_t i, struct result *res)
{
	uint32_t child = rx_entry(w->r->rx, i)->child, ref = claim_refs(w->r->rx, res->ref);
	struct base *b;

	if (child == RX_NONE && ref == RX_NONE) {
		free(res->data);
		return;
	}
	b = base_new(i, parent, w, child, ref);
	set_data(b, res->data, res->size);
	stack_push(w, b);
	drop_lowest(w);
	if (w->r->waiting && has_spare(w->r, w))
		pthread_cond_signal(&w->r->news);
}

/* Call with the lock held; it is released during the work. */
static void work_on(struct worker *w, struct base *b)
{
	struct resolver *r = w->r;
	uint32_t i = take_delta(r, b);
	struct result res = { NULL, 0, RX_NONE };
	struct err err = ERR_INIT;
	int rc = load(w, b, &err);

	pthread_mutex_unlock(&r->lock);
	if (!rc && !atomic_load(&r->rx->failed))
		rc = resolve_delta(r->rx, b, i, &res, &err);
	if (rc < 0)
		rx_broken(r->rx, rc, &err);
	pthread_mutex_lock(&r->lock);
	if (res.data)
		push_result(w, b, i, &res);
	end_use(b);
}

static void report_progress(struct worker *w)
{
	struct pack_receive *rx = w->r->rx;

	/* The first worker is the caller's thread. */
	if (rx->o.progress && w == w->r->workers)
		rx->o.progress(rx->o.data, PACK_RECEIVE_RESOLVING, atomic_load(&rx->resolved),
			       rx->nr_deltas, rx->size);
}

static void *run_worker(void *data)
{
	struct worker *w = data;
	struct resolver *r = w->r;
	struct base *b;

	pthread_mutex_lock(&r->lock);
	while ((b = next_base(w))) {
		work_on(w, b);
		report_progress(w);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* After a failure bases remain. */
static void release_stacks(struct resolver *r)
{
	for (unsigned i = 0; i < r->nr_workers; i++)
		while (r->workers[i].top) {
			struct base *b = r->workers[i].top;

			stack_remove(b);
			base_put(b);
		}
}

static unsigned count_threads(const struct pack_receive *rx)
{
	int n = rx->o.threads > 0 ? rx->o.threads : os_cpu_count();
	uint32_t left = rx->nr_deltas - atomic_load(&rx->resolved);

	/* A thread costs more than a few deltas. */
	if ((uint32_t)n > left / 16 + 1)
		n = (int)(left / 16 + 1);
	return n < THREADS_MAX ? (unsigned)n : THREADS_MAX;
}

void rx_resolve_from(struct pack_receive *rx, uint32_t first)
{
	unsigned want = count_threads(rx), started = 1;
	struct resolver *r;

	CALLOC_ARRAY(r, 1);
	r->rx = rx;
	r->next_root = first;
	r->nr_workers = r->working = want;
	r->share_bytes = rx->base_bytes / want;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->news, NULL);
	for (unsigned i = 0; i < want; i++)
		r->workers[i].r = r;
	pthread_mutex_lock(&r->lock);
	while (started < want && start_thread(&r->workers[started].thread, run_worker,
					      &r->workers[started]))
		started++;
	r->working -= want - started;
	r->nr_workers = started;
	pthread_mutex_unlock(&r->lock);
	run_worker(&r->workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(r->workers[i].thread, NULL);
	release_stacks(r);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->news);
	free(r);
}
