/* SPDX-License-Identifier: GPL-2.0-only */
/* HMAC-SHA256 (RFC 2104), with the SHA-256 of OpenSSL: proof that a text was made by who has the secret. */
#ifndef HASH_HMAC_H
#define HASH_HMAC_H

#include "compat/posix.h"

#define HMAC_HEX_LEN 64
void hmac_sha256_hex(char out[HMAC_HEX_LEN + 1], const char *secret, const char *text);
/*
 * Does `given`, which another side has sent, equal our `made`? The time depends on the lengths alone: an answer that came
 * later for a longer common beginning would let the other side find an HMAC byte by byte.
 */
bool hmac_text_eq(const char *made, const char *given);

#endif
