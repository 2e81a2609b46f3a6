/* SPDX-License-Identifier: GPL-2.0-only */
/* Is there a second message with which a block collides? */
#include "compat/posix.h"
#include "hash/sha1-internal.h"
#include "hash/sha1-vectors.h"

const struct sha1_vector sha1_vectors[SHA1_NR_VECTORS] = {
#define VECTOR(step, ...) { step, { __VA_ARGS__ } },
	SHA1_VECTORS(VECTOR)
#undef VECTOR
};

/*
 * Both messages of a collision have the same state before the vector's step t. From there the other
 * message is run to its end. Both have the same output, so the difference to that output is the
 * other's input state. Run from that input, the other message has to reach the state at step t.
 * (Stevens runs it backwards to the input instead; the equation is the same.)
 */
static bool has_sibling_at(const struct sha1_kept *k, size_t n, const uint32_t w[80], int v)
{
	const int t = sha1_vectors[v].step;
	uint32_t shared[5], rest[5], other[80];

	for (int i = 0; i < 16; i++)
		other[i] = w[i] ^ sha1_vectors[v].difference[i];
	sha1_expand(other);
	memcpy(shared, k->before[n], sizeof(shared));
	sha1_steps(shared, w, 0, t);
	memcpy(rest, shared, sizeof(rest));
	sha1_steps(rest, other, t, 80);
	for (int i = 0; i < 5; i++)
		rest[i] = k->before[n + 1][i] - rest[i];
	sha1_steps(rest, other, 0, t);
	return !memcmp(rest, shared, sizeof(rest));
}

bool sha1_has_sibling_c(const struct sha1_kept *k, size_t n, uint32_t vectors)
{
	uint32_t w[80];
	bool found = false;

	sha1_kept_message(k, n, w);
	sha1_expand(w);
	for (; vectors; vectors &= vectors - 1)
		found |= has_sibling_at(k, n, w, __builtin_ctz(vectors));
	return found;
}
