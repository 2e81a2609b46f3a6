/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash algorithms (SHA-1 and SHA-256), object ids, and collections of object ids. Checksums
 * are made with OpenSSL's functions, names of objects with a SHA-1 that recognises collision
 * attacks (hash/sha1.h).
 */
#ifndef HASH_HASH_H
#define HASH_HASH_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

#define HASH_MAX_RAW 32
#define HASH_MAX_HEX 64

enum hash_id { HASH_UNKNOWN = 0, HASH_SHA1 = 1, HASH_SHA256 = 2 };

struct object_id {
	unsigned char hash[HASH_MAX_RAW]; /* unused tail is zero */
	uint8_t algo;			  /* enum hash_id */
};

struct hash_ctx {
	const struct hash_algo *algo;
	void *state; /* owned */
};

struct hash_algo {
	const char *name; /* "sha1", "sha256" */
	enum hash_id id;

	size_t raw_len, hex_len;
	struct object_id null_oid; /* all zeros */
	struct object_id empty_tree;
	struct object_id empty_blob;
};

/* NULL if unknown. */
const struct hash_algo *hash_algo_by_name(const char *name);
const struct hash_algo *hash_algo_by_id(enum hash_id id);
extern const struct hash_algo *const hash_sha1, *const hash_sha256;

/*
 * A running hash: init, update as often as needed, final (which starts anew), and at last
 * release, which frees. One thread at a time per context.
 *
 * hash_init is for checksums. For object names there is a check: final returns true if the input is
 * one half of a collision attack on SHA-1, so that its name must not be trusted. The caller then
 * returns the error of hash_attack.
 */
void hash_init(struct hash_ctx *ctx, const struct hash_algo *algo);
void hash_init_checked(struct hash_ctx *ctx, const struct hash_algo *algo);
void hash_update(struct hash_ctx *ctx, const void *p, size_t len);
bool hash_final(struct hash_ctx *ctx, struct object_id *out);
/* Copy the state. dst must be uninitialized or released, and needs its own hash_release. */
void hash_clone(struct hash_ctx *dst, const struct hash_ctx *src);
void hash_release(struct hash_ctx *ctx);
/* The hash of one buffer. */
void hash_buf(const struct hash_algo *algo, const void *p, size_t len,
	      struct object_id *out);
bool hash_buf_checked(const struct hash_algo *algo, const void *p, size_t len,
		      struct object_id *out);
/*
 * The object id of a buffer's content: the checked hash of "TYPE LEN\0" and the content.
 * ERR_CORRUPT: hash_attack.
 */
MUST_USE int hash_object_buf(const struct hash_algo *algo, const char *type,
			     const void *p, size_t len, struct object_id *out, struct err *err);
/* "SHA-1 appears to be part of a collision attack: OID"; returns ERR_CORRUPT. */
int hash_attack(const struct object_id *oid, struct err *err);

/* ---- object ids ---- */
static inline int oid_cmp(const struct object_id *a, const struct object_id *b)
{
	return memcmp(a->hash, b->hash, HASH_MAX_RAW);
}
/* Word by word: compilers call memcmp for so many bytes. */
static inline bool oid_eq(const struct object_id *a, const struct object_id *b)
{
	uint64_t x[HASH_MAX_RAW / 8], y[HASH_MAX_RAW / 8];

	memcpy(x, a->hash, sizeof(x));
	memcpy(y, b->hash, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]));
}
static inline bool oid_is_null(const struct object_id *oid)
{
	uint64_t x[HASH_MAX_RAW / 8];

	memcpy(x, oid->hash, sizeof(x));
	return !(x[0] | x[1] | x[2] | x[3]);
}
void oid_from_raw(struct object_id *oid, const unsigned char *raw,
		  const struct hash_algo *algo);
/* Parse the algo->hex_len bytes at s, all of which are there. -1: not all are hex digits. */
int oid_parse_digits(struct object_id *oid, const char *s, const struct hash_algo *algo);
/* Parse exactly algo->hex_len hex digits of the string s; *end (may be NULL) is after them. -1: malformed. */
int oid_parse_hex(struct object_id *oid, const char *s,
		  const struct hash_algo *algo, const char **end);
/* The same, and the string must end after them. */
int oid_from_hex(struct object_id *oid, const char *s, const struct hash_algo *algo);
void oid_to_hex_r(char out[HASH_MAX_HEX + 1], const struct object_id *oid);
/* For messages: in one of 4 rotating thread-local buffers. */
const char *oid_hex(const struct object_id *oid);
size_t oid_hex_len(const struct object_id *oid);
size_t oid_raw_len(const struct object_id *oid);
void strbuf_add_oid(struct strbuf *sb, const struct object_id *oid);
int hex_value(unsigned char c); /* -1 if no hex digit */
/*
 * For hash tables: a hash of all bytes, with a random key per process, so that a peer cannot choose ids that collide.
 * The values differ from run to run and must not influence output. oid_hash_raw: len is 20 or 32, the length of a raw id.
 */
uint32_t oid_hash(const struct object_id *oid);
uint32_t oid_hash_raw(const unsigned char *raw, size_t len);

/* ---- collections ---- */
struct oid_array {
	struct object_id *oid;
	size_t nr, alloc;
	bool sorted;
};
#define OID_ARRAY_INIT { NULL, 0, 0, false }
void oid_array_append(struct oid_array *a, const struct object_id *oid);
void oid_array_sort(struct oid_array *a);
void oid_array_sort_unique(struct oid_array *a);
bool oid_array_contains(struct oid_array *a, const struct object_id *oid); /* sorts */
void oid_array_clear(struct oid_array *a);

/* A hash table from object id to void *; values belong to the caller. */
struct oidmap {
	struct oidmap_slot *slots;
	size_t nr, mask;
};
#define OIDMAP_INIT { NULL, 0, 0 }
void *oidmap_get(const struct oidmap *m, const struct object_id *oid);
bool oidmap_contains(const struct oidmap *m, const struct object_id *oid);
void *oidmap_put(struct oidmap *m, const struct object_id *oid, void *value);
void *oidmap_remove(struct oidmap *m, const struct object_id *oid);
/* Iterate in no particular order: for (size_t i = 0; oidmap_next(m, &i, &oid, &value);) */
bool oidmap_next(const struct oidmap *m, size_t *iter,
		 const struct object_id **oid, void **value);
void oidmap_clear(struct oidmap *m, void (*free_value)(void *));

/*
 * A hash table from object id to flags, made for millions of them: 24 bytes a slot for SHA-1. Ids
 * are given as raw bytes. Nothing is ever removed.
 */
struct oid_flags {
	unsigned char *slots;
	size_t nr, mask;
	uint32_t raw_len;
};
void oid_flags_init(struct oid_flags *f, const struct hash_algo *algo);
void oid_flags_release(struct oid_flags *f);
/* The flags of that id, 0 for a new one; valid until the next call. Bit 31 is the table's. */
#define OID_FLAGS_USED 0x80000000u
uint32_t *oid_flags_at(struct oid_flags *f, const unsigned char *raw);
/* Prefetch the slot of an id that oid_flags_at will need soon. */
void oid_flags_prefetch(const struct oid_flags *f, const unsigned char *raw);
/* 0 for an unknown id, which stays unknown. */
uint32_t oid_flags_get(const struct oid_flags *f, const unsigned char *raw);
/* Iterate in no particular order: for (size_t i = 0; oid_flags_next(&f, &i, &raw, &flags);) */
bool oid_flags_next(const struct oid_flags *f, size_t *iter, const unsigned char **raw,
		    uint32_t *flags);

struct oidset {
	struct oidmap map;
};
#define OIDSET_INIT { OIDMAP_INIT }
bool oidset_insert(struct oidset *s, const struct object_id *oid); /* true if new */
bool oidset_contains(const struct oidset *s, const struct object_id *oid);
void oidset_clear(struct oidset *s);

#endif
