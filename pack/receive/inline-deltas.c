/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Applies deltas while the pack is being read, in the threads that name its objects. In most packs a delta
 * stands near its base. A delta that is applied at once is inflated only once, and these threads work
 * while another thread inflates.
 *
 * The latest objects are cached. If the base of a delta is cached, the delta is applied. If another thread
 * still works on the base, or it comes later, the delta and its content wait for it; otherwise all deltas
 * that build on it would be left, too. A delta with a base by name waits for the first object of that name.
 * An entry is `inline_done` when its object is made, or nothing more is done for it here. A delta whose base
 * is no longer cached, or that finds too many waiting, is left to resolve.c with all that build on it.
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"

/* Larger objects are not kept as bases. */
#define RECENT_BYTES_MAX ((size_t)1024 * 1024)
/* Limit for the content of waiting deltas. */
#define WAITING_BYTES_MAX ((size_t)8 * 1024 * 1024)
#define FIRST_SLOTS 1024

struct rx_waiting {
	struct rx_waiting *next;
	uint32_t entry;
	size_t size;
	unsigned char delta[];
};

/*
 * Slot of a name: the entry of an object with it, times 2 plus 1; or the first delta that waits for
 * it; 0: free.
 */
typedef uint64_t slot_t;

struct rx_inline {
	struct pack_receive *rx;
	struct base_cache *recent; /* by number of entry */
	pthread_mutex_t lock; /* guards the fields below, and `inline_done` and `waiting` of entries */
	size_t waiting_bytes;
	slot_t *slots; /* by name; NULL: no delta by name so far */
	size_t nr_slots, mask;
};

struct rx_inline *rx_inline_new(struct pack_receive *rx)
{
	struct rx_inline *e;

	CALLOC_ARRAY(e, 1);
	e->rx = rx;
	e->recent = base_cache_new(rx->base_bytes / 2);
	pthread_mutex_init(&e->lock, NULL);
	return e;
}

/* ---- names; with the lock held ---- */

static bool is_made(slot_t s)
{
	return s & 1;
}

static uint32_t entry_of(slot_t s)
{
	return (uint32_t)(s >> 1);
}

static struct rx_waiting *waiting_of(slot_t s)
{
	return (struct rx_waiting *)(uintptr_t)s;
}

/* A waiting delta holds the name of its base in the place of its own. */
static const unsigned char *slot_name(const struct rx_inline *e, slot_t s)
{
	return rx_name(e->rx, is_made(s) ? entry_of(s) : waiting_of(s)->entry);
}

static slot_t *find_name_slot(const struct rx_inline *e, const unsigned char *name)
{
	size_t i = oid_hash_raw(name, e->rx->raw_len) & e->mask;

	while (e->slots[i] && memcmp(slot_name(e, e->slots[i]), name, e->rx->raw_len))
		i = (i + 1) & e->mask;
	return &e->slots[i];
}

static void grow_slots(struct rx_inline *e)
{
	slot_t *old = e->slots;
	size_t nr = e->mask + 1;

	e->mask = 2 * e->mask + 1;
	CALLOC_ARRAY(e->slots, e->mask + 1);
	for (size_t i = 0; i < nr; i++)
		if (old[i])
			*find_name_slot(e, slot_name(e, old[i])) = old[i];
	free(old);
}

static void fill(struct rx_inline *e, slot_t *s, slot_t value)
{
	e->nr_slots += !*s;
	*s = value;
	if (e->nr_slots > e->mask / 4 * 3)
		grow_slots(e);
}

/* Records an object as a possible base by name. Returns the deltas that waited for it, or NULL. */
static struct rx_waiting *add_name(struct rx_inline *e, uint32_t i)
{
	slot_t *s = find_name_slot(e, rx_name(e->rx, i));
	struct rx_waiting *w;

	if (is_made(*s))
		return NULL;
	w = waiting_of(*s);
	fill(e, s, (slot_t)i << 1 | 1);
	return w;
}

/* Called for the first delta by name, of entry `end`: adds slots for the objects before it. */
static void begin_names(struct rx_inline *e, uint32_t end)
{
	e->mask = FIRST_SLOTS - 1;
	CALLOC_ARRAY(e->slots, FIRST_SLOTS);
	for (uint32_t i = 0; i < end; i++)
		if (rx_entry(e->rx, i)->inline_done && rx_entry(e->rx, i)->type && !rx_entry(e->rx, i)->flags)
			(void)add_name(e, i);
}

/* ---- waiting; with the lock held ---- */

static struct rx_waiting *join(struct rx_waiting *list, struct rx_waiting *rest)
{
	while (list) {
		struct rx_waiting *next = list->next;

		list->next = rest;
		rest = list;
		list = next;
	}
	return rest;
}

static struct rx_waiting *take_waiting(struct rx_inline *e, uint32_t i)
{
	struct rx_entry *entry = rx_entry(e->rx, i);
	struct rx_waiting *list = entry->waiting;

	entry->waiting = NULL;
	return list;
}

static void free_waiting(struct rx_inline *e, struct rx_waiting *w)
{
	e->waiting_bytes -= sizeof(*w) + w->size;
	free(w);
}

/* Leaves i, and the deltas that wait for it, to resolve.c. */
static void leave(struct rx_inline *e, uint32_t i)
{
	struct rx_waiting *list = take_waiting(e, i);

	rx_entry(e->rx, i)->inline_done = true;
	while (list) {
		struct rx_waiting *w = list;

		rx_entry(e->rx, w->entry)->inline_done = true;
		list = join(take_waiting(e, w->entry), w->next);
		free_waiting(e, w);
	}
}

static struct rx_waiting *wait_for(struct rx_inline *e, uint32_t i, const void *delta, size_t size,
				   struct rx_waiting *next)
{
	struct rx_waiting *w = xmalloc(sizeof(*w) + size);

	w->next = next;
	w->entry = i;
	w->size = size;
	memcpy(w->delta, delta, size);
	e->waiting_bytes += sizeof(*w) + size;
	return w;
}

/*
 * The base of the delta i, where it is known. A base by name is recorded if it comes before the delta, as bases
 * by offset do: then it is like one of them.
 */
static uint32_t find_base(struct rx_inline *e, uint32_t i, slot_t **waits)
{
	struct rx_entry *entry = rx_entry(e->rx, i);
	slot_t *s;

	*waits = NULL;
	if (entry->base != RX_NONE || entry->stored == OBJ_OFS_DELTA)
		return entry->base;
	if (!e->slots)
		begin_names(e, i);
	s = find_name_slot(e, rx_name(e->rx, i));
	if (!is_made(*s)) {
		*waits = s;
		return RX_NONE;
	}
	if (entry_of(*s) < i)
		entry->base = entry_of(*s);
	return entry_of(*s);
}

/* Returns the content of its base; NULL: the delta now waits, or is left. */
static struct base_object *take_base(struct rx_inline *e, uint32_t i, const void *delta, size_t size)
{
	struct base_object *base = NULL;
	bool room;
	uint32_t b;
	slot_t *s;

	pthread_mutex_lock(&e->lock);
	room = e->waiting_bytes + size < WAITING_BYTES_MAX;
	b = find_base(e, i, &s);
	if (b != RX_NONE)
		base = base_cache_get(e->recent, NULL, b);
	if (s && room)
		fill(e, s, (slot_t)(uintptr_t)wait_for(e, i, delta, size, waiting_of(*s)));
	else if (!base && b != RX_NONE && !rx_entry(e->rx, b)->inline_done && room)
		rx_entry(e->rx, b)->waiting = wait_for(e, i, delta, size, rx_entry(e->rx, b)->waiting);
	else if (!base)
		leave(e, i);
	pthread_mutex_unlock(&e->lock);
	return base;
}

/* ---- applying ---- */

static bool name_object(struct rx_inline *e, uint32_t i, const void *content, size_t size)
{
	struct rx_entry *entry = rx_entry(e->rx, i);
	struct err err = ERR_INIT;
	int rc = rx_object(e->rx, i, content, size, &err);

	if (rc < 0) {
		entry->type = 0;
		entry->flags |= RX_BROKEN;
		(void)rx_broken(e->rx, rc, &err);
	}
	return !rc;
}

/* The cache takes ownership of `data`. */
static void keep_recent(struct rx_inline *e, uint32_t i, void *data, size_t size)
{
	struct base_object *b = base_object_new(rx_entry(e->rx, i)->type, data, size);

	base_cache_add(e->recent, NULL, i, b);
	base_object_put(b);
}

/*
 * Marks entry i as done. If its object was made, returns the deltas that waited for it, before
 * `rest`.
 */
static struct rx_waiting *finish_entry(struct rx_inline *e, uint32_t i, bool made, struct rx_waiting *rest)
{
	pthread_mutex_lock(&e->lock);
	if (made) {
		rx_entry(e->rx, i)->inline_done = true;
		rest = join(take_waiting(e, i), rest);
		if (e->slots)
			rest = join(add_name(e, i), rest);
	} else {
		leave(e, i);
	}
	pthread_mutex_unlock(&e->lock);
	return rest;
}

/*
 * A delta beyond a limit is left to resolve.c, which reports the error when the whole pack has
 * come.
 */
static bool may_make(struct rx_inline *e, uint32_t i, enum object_type type, const void *delta, size_t delta_size)
{
	uint64_t size;

	return !delta_result_size(delta, delta_size, &size) ||
	       (rx_fits(e->rx, type, size) && rx_try_spend(e->rx, size, rx_entry(e->rx, i)->offset));
}

/* Applies a delta if its base is cached. resolve.c reports errors of the delta. */
static struct rx_waiting *make(struct rx_inline *e, uint32_t i, const void *delta, size_t delta_size,
			       struct rx_waiting *rest)
{
	struct pack_receive *rx = e->rx;
	struct base_object *base = take_base(e, i, delta, delta_size);
	bool made;
	void *data;
	size_t size;

	if (!base)
		return rest;
	made = may_make(e, i, base->type, delta, delta_size) &&
	       !delta_apply(base->data, base->size, delta, delta_size, (size_t)rx->max_object_bytes,
			    &data, &size, NULL);
	if (made)
		rx_entry(rx, i)->type = (uint8_t)base->type;
	base_object_put(base);
	if (!made)
		return finish_entry(e, i, false, rest);
	made = name_object(e, i, data, size);
	if (made) {
		atomic_fetch_add(&rx->resolved, 1);
		keep_recent(e, i, data, size);
	} else {
		free(data);
	}
	return finish_entry(e, i, made, rest);
}

/* Applies deltas whose base has been made: the latest first, since their bases are cached. */
static void make_all(struct rx_inline *e, struct rx_waiting *list)
{
	while (list) {
		struct rx_waiting *w = list;

		list = w->next;
		if (!atomic_load(&e->rx->failed))
			list = make(e, w->entry, w->delta, w->size, list);
		pthread_mutex_lock(&e->lock);
		free_waiting(e, w);
		pthread_mutex_unlock(&e->lock);
	}
}

void rx_inline_object(struct rx_inline *e, uint32_t i, const void *content, size_t size)
{
	bool made = name_object(e, i, content, size);

	if (made && size <= RECENT_BYTES_MAX)
		keep_recent(e, i, xmemdup(content, size + 1), size);
	make_all(e, finish_entry(e, i, made, NULL));
}

void rx_inline_delta(struct rx_inline *e, uint32_t i, const void *delta, size_t size)
{
	make_all(e, make(e, i, delta, size, NULL));
}

/* ---- the end ---- */

static void free_list(struct rx_waiting *list)
{
	while (list) {
		struct rx_waiting *next = list->next;

		free(list);
		list = next;
	}
}

/* Deltas by offset still wait only after a failure. */
static void free_all_waiting(struct rx_inline *e)
{
	for (uint32_t i = 0; i < e->rx->nr; i++)
		free_list(take_waiting(e, i));
	for (size_t i = 0; e->slots && i <= e->mask; i++)
		if (e->slots[i] && !is_made(e->slots[i]))
			free_list(waiting_of(e->slots[i]));
}

/* Drops deltas that have their base, or will get none, from the list of references by name. */
static void forget_refs(struct pack_receive *rx)
{
	uint32_t nr = 0;

	for (uint32_t k = 0; k < rx->nr_refs; k++) {
		uint32_t i = rx->refs[k].entry;

		if (!rx_entry(rx, i)->type)
			memset(rx_name(rx, i), 0, rx->raw_len);
		if (rx_entry(rx, i)->base == RX_NONE && !(rx_entry(rx, i)->flags & RX_BROKEN))
			rx->refs[nr++] = rx->refs[k];
	}
	rx->nr_refs = nr;
}

void rx_inline_end(struct rx_inline *e)
{
	if (!e)
		return;
	free_all_waiting(e);
	forget_refs(e->rx);
	base_cache_free(e->recent);
	pthread_mutex_destroy(&e->lock);
	free(e->slots);
	free(e);
}
