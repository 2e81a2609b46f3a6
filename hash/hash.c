/* SPDX-License-Identifier: GPL-2.0-only */
/* The hash algorithms, and running hashes. */
#include "compat/posix.h"
#include <pthread.h>
#define OPENSSL_API_COMPAT 0x10100000L /* the SHA functions, without a warning */
#include <openssl/sha.h>
#include "hash/hash.h"
#include "hash/sha1.h"
#include "util/alloc.h"
#include "util/err.h"

/* Names of the empty tree and the empty blob. */
#define EMPTY_TREE_SHA1 \
	0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, \
	0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04
#define EMPTY_BLOB_SHA1 \
	0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, \
	0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91
#define EMPTY_TREE_SHA256 \
	0x6e, 0xf1, 0x9b, 0x41, 0x22, 0x5c, 0x53, 0x69, 0xf1, 0xc1, \
	0x04, 0xd4, 0x5d, 0x8d, 0x85, 0xef, 0xa9, 0xb0, 0x57, 0xb5, \
	0x3b, 0x14, 0xb4, 0xb9, 0xb9, 0x39, 0xdd, 0x74, 0xde, 0xcc, \
	0x53, 0x21
#define EMPTY_BLOB_SHA256 \
	0x47, 0x3a, 0x0f, 0x4c, 0x3b, 0xe8, 0xa9, 0x36, 0x81, 0xa2, \
	0x67, 0xe3, 0xb1, 0xe9, 0xa7, 0xdc, 0xda, 0x11, 0x85, 0x43, \
	0x6f, 0xe1, 0x41, 0xf7, 0x74, 0x91, 0x20, 0xa3, 0x03, 0x72, \
	0x18, 0x13

static const struct hash_algo sha1 = {
	.name = "sha1",
	.id = HASH_SHA1,

	.raw_len = 20,
	.hex_len = 40,
	.null_oid = { .algo = HASH_SHA1 },
	.empty_tree = { { EMPTY_TREE_SHA1 }, HASH_SHA1 },
	.empty_blob = { { EMPTY_BLOB_SHA1 }, HASH_SHA1 },
};

static const struct hash_algo sha256 = {
	.name = "sha256",
	.id = HASH_SHA256,

	.raw_len = 32,
	.hex_len = 64,
	.null_oid = { .algo = HASH_SHA256 },
	.empty_tree = { { EMPTY_TREE_SHA256 }, HASH_SHA256 },
	.empty_blob = { { EMPTY_BLOB_SHA256 }, HASH_SHA256 },
};

const struct hash_algo *const hash_sha1 = &sha1;
const struct hash_algo *const hash_sha256 = &sha256;

const struct hash_algo *hash_algo_by_id(enum hash_id id)
{
	switch (id) {
	case HASH_SHA1:
		return &sha1;
	case HASH_SHA256:
		return &sha256;
	default:
		return NULL;
	}
}

const struct hash_algo *hash_algo_by_name(const char *name)
{
	if (!strcmp(name, sha1.name))
		return &sha1;
	if (!strcmp(name, sha256.name))
		return &sha256;
	return NULL;
}

/* ---- running hashes ---- */

/*
 * libcrypto asks the processor what it can do before main() begins, which takes a tenth of the time of a short command in a virtual
 * machine. Where it is linked as an archive, the build puts an empty function in the place of that one (LATE_CPUID), and the first
 * hash calls it.
 */
#ifdef LATE_CPUID
void __real_OPENSSL_cpuid_setup(void);
void __wrap_OPENSSL_cpuid_setup(void);

void __wrap_OPENSSL_cpuid_setup(void)
{
}

static void look_at_processor_late(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, __real_OPENSSL_cpuid_setup);
}
#else
static void look_at_processor_late(void)
{
}
#endif

/* OpenSSL's SHA functions are quicker to set up than EVP. */
struct state {
	bool checked; /* SHA-1 with collision detection */
	union {
		SHA_CTX sha1;
		SHA256_CTX sha256;
		struct sha1 checked_sha1;
	} u;
};

static void start(struct state *s, const struct hash_algo *algo, bool checked)
{
	s->checked = checked && algo->id == HASH_SHA1;
	if (s->checked) {
		sha1_init(&s->u.checked_sha1);
		return;
	}
	look_at_processor_late();
	if (algo->id == HASH_SHA1)
		SHA1_Init(&s->u.sha1);
	else
		SHA256_Init(&s->u.sha256);
}

static void update(struct state *s, const struct hash_algo *algo, const void *p, size_t len)
{
	if (s->checked)
		sha1_update(&s->u.checked_sha1, p, len);
	else if (algo->id == HASH_SHA1)
		SHA1_Update(&s->u.sha1, p, len);
	else
		SHA256_Update(&s->u.sha256, p, len);
}

static bool finish(struct state *s, const struct hash_algo *algo, struct object_id *out)
{
	struct object_id oid = { .algo = (uint8_t)algo->id };
	bool attack = false;

	if (s->checked)
		attack = sha1_final(&s->u.checked_sha1, oid.hash);
	else if (algo->id == HASH_SHA1)
		SHA1_Final(oid.hash, &s->u.sha1);
	else
		SHA256_Final(oid.hash, &s->u.sha256);
	*out = oid;
	return attack;
}

void hash_init(struct hash_ctx *ctx, const struct hash_algo *algo)
{
	ctx->algo = algo;
	ctx->state = xmalloc(sizeof(struct state));
	start(ctx->state, algo, false);
}

void hash_init_checked(struct hash_ctx *ctx, const struct hash_algo *algo)
{
	ctx->algo = algo;
	ctx->state = xmalloc(sizeof(struct state));
	start(ctx->state, algo, true);
}

void hash_update(struct hash_ctx *ctx, const void *p, size_t len)
{
	update(ctx->state, ctx->algo, p, len);
}

bool hash_final(struct hash_ctx *ctx, struct object_id *out)
{
	struct state *s = ctx->state;
	bool attack = finish(s, ctx->algo, out);

	start(s, ctx->algo, s->checked);
	return attack;
}

void hash_clone(struct hash_ctx *dst, const struct hash_ctx *src)
{
	dst->algo = src->algo;
	dst->state = xmemdup(src->state, sizeof(struct state));
}

void hash_release(struct hash_ctx *ctx)
{
	FREE_AND_NULL(ctx->state);
}

/* ---- hash of one buffer ---- */

void hash_buf(const struct hash_algo *algo, const void *p, size_t len,
	      struct object_id *out)
{
	struct state s;

	start(&s, algo, false);
	update(&s, algo, p, len);
	finish(&s, algo, out);
}

bool hash_buf_checked(const struct hash_algo *algo, const void *p, size_t len,
		      struct object_id *out)
{
	struct state s;

	start(&s, algo, true);
	update(&s, algo, p, len);
	return finish(&s, algo, out);
}

int hash_attack(const struct object_id *oid, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "SHA-1 appears to be part of a collision attack: %s",
		       oid_hex(oid));
}

int hash_object_buf(const struct hash_algo *algo, const char *type, const void *p, size_t len,
		    struct object_id *out, struct err *err)
{
	struct object_id oid;
	struct state s;
	char header[64];
	int n = snprintf(header, sizeof(header), "%s %zu", type, len);

	if (n < 0 || (size_t)n >= sizeof(header))
		BUG("object type '%s' is too long", type);
	start(&s, algo, true);
	update(&s, algo, header, (size_t)n + 1);
	update(&s, algo, p, len);
	if (finish(&s, algo, &oid))
		return hash_attack(&oid, err);
	*out = oid;
	return 0;
}
