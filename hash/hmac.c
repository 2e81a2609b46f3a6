/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include "hash/hmac.h"
#include "util/err.h"

void hmac_sha256_hex(char out[HMAC_HEX_LEN + 1], const char *secret, const char *text)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)text, strlen(text), raw, &len) ||
	    len != HMAC_HEX_LEN / 2)
		BUG("HMAC-SHA256 is not available");
	for (unsigned i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", raw[i]);
}

bool hmac_text_eq(const char *made, const char *given)
{
	size_t len = strlen(made);

	return len == strlen(given) && !CRYPTO_memcmp(made, given, len);
}
