/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/map.h"

/* ---- hashes ---- */

/* Set before main and const after that. */
static uint64_t hash_key[2];

__attribute__((constructor)) static void choose_hash_key(void)
{
	os_random64_fill(hash_key, ARRAY_SIZE(hash_key));
	hash_key[0] |= 1;
	hash_key[1] |= 1;
}

/* The two halves of the 128-bit product, xored: every input bit affects every output bit. */
#ifdef __SIZEOF_INT128__
static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}
#else
/* In halves of 32 bits, as on paper. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	const uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	const uint64_t carry = ((low >> 32) + (uint32_t)mid1 + (uint32_t)mid2) >> 32;

	return a * b ^ (ah * bh + (mid1 >> 32) + (mid2 >> 32) + carry);
}
#endif

/* Eight bytes at once in lower case: sets bit 5 of each byte in 'A'..'Z'. */
static uint64_t fold_case64(uint64_t w)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t low = w & (ones * 0x7f);
	uint64_t from_a = low + ones * (0x80 - 'A');
	uint64_t past_z = low + ones * (0x80 - 'Z' - 1);

	return w | (((from_a & ~past_z & ~w & (ones * 0x80))) >> 2);
}

static inline uint32_t hash_bytes(const void *p, size_t len, bool icase)
{
	const unsigned char *s = p;
	uint64_t h = hash_key[0] ^ len, w;

	for (; len > 8; s += 8, len -= 8) {
		memcpy(&w, s, sizeof(w));
		h = fold(h ^ (icase ? fold_case64(w) : w), hash_key[1]);
	}
	w = 0;
	if (len)
		memcpy(&w, s, len);
	h = fold(h ^ (icase ? fold_case64(w) : w), hash_key[1]);
	/* Once more, by a good factor: one key in some hundred leaves small numbers close together. */
	h = fold(h, UINT64_C(0x9e3779b97f4a7c15));
	return (uint32_t)(h ^ (h >> 32));
}

uint32_t mem_hash(const void *p, size_t len)
{
	return hash_bytes(p, len, false);
}

uint32_t mem_ihash(const void *p, size_t len)
{
	return hash_bytes(p, len, true);
}

/* ---- strmap: linear probing; keys are never removed one by one ---- */

struct strmap_slot {
	struct strmap_entry e; /* key NULL: free */
	uint32_t hash;
	uint32_t len;
};

#define MIN_SLOTS 16

void strmap_init(struct strmap *m)
{
	m->slots = NULL;
	m->nr = m->mask = 0;
	m->icase = false;
}

static bool same_key(const struct strmap *m, const struct strmap_slot *s,
		     const char *key, size_t len)
{
	if (s->len != len)
		return false;
	return m->icase ? !strncasecmp(s->e.key, key, len) :
			  !memcmp(s->e.key, key, len);
}

static uint32_t key_hash(const struct strmap *m, const char *key, size_t len)
{
	return m->icase ? mem_ihash(key, len) : mem_hash(key, len);
}

/* The key's slot, or the free one where it belongs. m->slots must not be NULL. */
static struct strmap_slot *probe(const struct strmap *m, const char *key,
				 size_t len, uint32_t hash)
{
	size_t i = hash & m->mask;

	for (;; i = (i + 1) & m->mask) {
		struct strmap_slot *s = &m->slots[i];

		if (!s->e.key || (s->hash == hash && same_key(m, s, key, len)))
			return s;
	}
}

static struct strmap_slot *find(const struct strmap *m, const char *key, size_t len)
{
	struct strmap_slot *s;

	if (!m->nr)
		return NULL;
	s = probe(m, key, len, key_hash(m, key, len));
	return s->e.key ? s : NULL;
}

/* Make room for one more; the table doubles when three quarters are full. */
static void strmap_make_room(struct strmap *m)
{
	struct strmap_slot *old = m->slots;
	size_t old_size = old ? m->mask + 1 : 0;
	size_t size = old_size ? st_mult(old_size, 2) : MIN_SLOTS;

	if (old && m->nr + 1 <= old_size / 4 * 3)
		return;
	m->slots = xcalloc(size, sizeof(*m->slots));
	m->mask = size - 1;
	for (size_t i = 0; i < old_size; i++) {
		size_t at = old[i].hash & m->mask;

		if (!old[i].e.key)
			continue;
		while (m->slots[at].e.key)
			at = (at + 1) & m->mask;
		m->slots[at] = old[i];
	}
	free(old);
}

void *strmap_get_mem(const struct strmap *m, const char *key, size_t len)
{
	struct strmap_slot *s = find(m, key, len);

	return s ? s->e.value : NULL;
}

void *strmap_get(const struct strmap *m, const char *key)
{
	return strmap_get_mem(m, key, strlen(key));
}

bool strmap_contains(const struct strmap *m, const char *key)
{
	return find(m, key, strlen(key)) != NULL;
}

/* The key's entry, created if absent (*is_new). */
static struct strmap_slot *find_or_add(struct strmap *m, const char *key, bool *is_new)
{
	size_t len = strlen(key);
	uint32_t hash = key_hash(m, key, len);
	struct strmap_slot *s;

	if (len > UINT32_MAX)
		BUG("map key of %zu bytes", len);
	strmap_make_room(m);
	s = probe(m, key, len, hash);
	*is_new = !s->e.key;
	if (*is_new) {
		s->e.key = xmemdupz(key, len);
		s->e.value = NULL;
		s->hash = hash;
		s->len = (uint32_t)len;
		m->nr++;
	}
	return s;
}

void *strmap_put(struct strmap *m, const char *key, void *value)
{
	bool is_new;
	struct strmap_slot *s = find_or_add(m, key, &is_new);
	void *old = s->e.value;

	s->e.value = value;
	return old;
}


void strmap_clear(struct strmap *m, void (*free_value)(void *))
{
	for (size_t i = 0; m->slots && i <= m->mask; i++) {
		if (!m->slots[i].e.key)
			continue;
		free(m->slots[i].e.key);
		if (free_value)
			free_value(m->slots[i].e.value);
	}
	free(m->slots);
	m->slots = NULL;
	m->nr = m->mask = 0;
}


static int entry_cmp(const void *a, const void *b)
{
	const struct strmap_entry *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

struct strmap_entry **strmap_sorted(const struct strmap *m)
{
	struct strmap_entry **out;
	size_t n = 0;

	ALLOC_ARRAY(out, m->nr);
	for (size_t i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].e.key)
			out[n++] = &m->slots[i].e;
	if (n)
		qsort(out, n, sizeof(*out), entry_cmp);
	return out;
}

/* ---- strset ---- */

bool strset_add(struct strset *s, const char *key)
{
	bool is_new;

	find_or_add(&s->map, key, &is_new);
	return is_new;
}

bool strset_contains(const struct strset *s, const char *key)
{
	return strmap_contains(&s->map, key);
}


void strset_clear(struct strset *s)
{
	strmap_clear(&s->map, NULL);
}
