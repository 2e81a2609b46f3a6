/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <openssl/crypto.h>
#include "hash/hash.h"
#include "hash/hmac.h"

#define BLOCK_BYTES 64 /* of SHA-256 */
#define RAW_BYTES (HMAC_HEX_LEN / 2)

static void sha256(unsigned char out[RAW_BYTES], const void *a, size_t a_len, const void *b, size_t b_len)
{
	struct object_id sum;
	struct hash_ctx ctx;

	hash_init(&ctx, hash_sha256);
	hash_update(&ctx, a, a_len);
	hash_update(&ctx, b, b_len);
	(void)hash_final(&ctx, &sum);
	hash_release(&ctx);
	memcpy(out, sum.hash, RAW_BYTES);
}

/* One of the two hashes of RFC 2104: of the secret, each byte changed by `pad`, and then of p. */
static void hash_with_secret(unsigned char out[RAW_BYTES], const unsigned char secret[BLOCK_BYTES], unsigned char pad,
			     const void *p, size_t len)
{
	unsigned char block[BLOCK_BYTES];

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = secret[i] ^ pad;
	sha256(out, block, sizeof(block), p, len);
}

/* OpenSSL's HMAC() would bring most of libcrypto into every program, with 15,000 addresses to relocate at its start. */
void hmac_sha256_hex(char out[HMAC_HEX_LEN + 1], const char *secret, const char *text)
{
	unsigned char block[BLOCK_BYTES] = { 0 }, raw[RAW_BYTES];
	const size_t len = strlen(secret);

	if (len > sizeof(block))
		sha256(block, secret, len, "", 0);
	else
		memcpy(block, secret, len);
	hash_with_secret(raw, block, 0x36, text, strlen(text));
	hash_with_secret(raw, block, 0x5c, raw, sizeof(raw));
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(out + 2 * i, 3, "%02x", raw[i]);
}

bool hmac_text_eq(const char *made, const char *given)
{
	size_t len = strlen(made);

	return len == strlen(given) && !CRYPTO_memcmp(made, given, len);
}
