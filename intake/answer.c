/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/answer.h"
#include "util/bytes.h"

#define LENGTH_BYTES 4

static void add_length(struct strbuf *answer, size_t len)
{
	unsigned char raw[LENGTH_BYTES];

	if (len > UINT32_MAX)
		BUG("an answer of %zu bytes", len);
	put_be32(raw, (uint32_t)len);
	strbuf_add(answer, raw, sizeof(raw));
}

void intake_answer_add(struct strbuf *answer, const void *p, size_t len)
{
	add_length(answer, len);
	strbuf_add(answer, p, len);
}

void intake_answer_add_oids(struct strbuf *answer, const struct oid_array *oids, const struct hash_algo *algo)
{
	add_length(answer, oids->nr * algo->raw_len);
	for (size_t i = 0; i < oids->nr; i++)
		strbuf_add(answer, oids->oid[i].hash, algo->raw_len);
}

static int bad_answer(struct err *err)
{
	return err_set(err, ERR_CORRUPT, "the process that reads the pack answers nonsense");
}

int intake_answer_take(const struct strbuf *answer, size_t *at, const void **p, size_t *len, struct err *err)
{
	size_t left = answer->len - *at, n;

	if (left < LENGTH_BYTES)
		return bad_answer(err);
	n = get_be32((const unsigned char *)answer->buf + *at);
	if (n > left - LENGTH_BYTES)
		return bad_answer(err);
	*p = answer->buf + *at + LENGTH_BYTES;
	*len = n;
	*at += LENGTH_BYTES + n;
	return 0;
}

int intake_answer_take_bool(const struct strbuf *answer, size_t *at, bool *out, struct err *err)
{
	const void *p = NULL;
	size_t len = 0;
	int rc = intake_answer_take(answer, at, &p, &len, err);

	if (rc)
		return rc;
	if (len != 1 || *(const unsigned char *)p > 1)
		return bad_answer(err);
	*out = *(const unsigned char *)p;
	return 0;
}

int intake_answer_take_oids(const struct strbuf *answer, size_t *at, const struct hash_algo *algo,
			    struct oid_array *out, struct err *err)
{
	const void *p = NULL;
	size_t len = 0;
	int rc = intake_answer_take(answer, at, &p, &len, err);

	if (rc)
		return rc;
	if (len % algo->raw_len)
		return bad_answer(err);
	for (size_t i = 0; i < len; i += algo->raw_len) {
		struct object_id oid;

		oid_from_raw(&oid, (const unsigned char *)p + i, algo);
		oid_array_append(out, &oid);
	}
	return 0;
}
