/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/tag.h"
#include "object/commit.h"

/* The value of "KEY VALUE\n" at *pos, which is advanced. NULL if another line is there. */
static const char *parse_header(const char **pos, const char *end, const char *key, size_t *len)
{
	size_t klen = strlen(key);
	const char *value, *lf;

	if ((size_t)(end - *pos) <= klen || memcmp(*pos, key, klen) || (*pos)[klen] != ' ')
		return NULL;
	value = *pos + klen + 1;
	lf = memchr(value, '\n', (size_t)(end - value));
	if (!lf)
		return NULL;
	*len = (size_t)(lf - value);
	*pos = lf + 1;
	return value;
}

size_t message_signature(const char *msg, size_t len)
{
	static const char *const begins[] = {
		"-----BEGIN PGP SIGNATURE-----",
		"-----BEGIN PGP MESSAGE-----",
		"-----BEGIN SIGNED MESSAGE-----",
		"-----BEGIN SSH SIGNATURE-----",
	};
	size_t found = len, at = 0;

	while (at < len) {
		const char *lf = memchr(msg + at, '\n', len - at);

		for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
			size_t n = strlen(begins[i]);

			if (len - at >= n && !memcmp(msg + at, begins[i], n))
				found = at;
		}
		if (!lf)
			break;
		at = (size_t)(lf - msg) + 1;
	}
	return found;
}

/* Skip further headers; the message starts after the empty line. */
static const char *skip_headers(const char *p, const char *end)
{
	while (p < end && *p != '\n') {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		p = lf ? lf + 1 : end;
	}
	return p < end ? p + 1 : p;
}

int tag_parse(struct tag_view *out, const void *buf, size_t size,
	      const struct hash_algo *algo, struct err *err)
{
	struct tag_view v = { 0 };
	const char *p = buf, *end = p + size, *value, *after;
	size_t len;

	value = parse_header(&p, end, "object", &len);
	if (!value || len != algo->hex_len || oid_parse_hex(&v.target, value, algo, &after) < 0)
		return err_set(err, ERR_CORRUPT, "bad tag object: no valid object line");
	value = parse_header(&p, end, "type", &len);
	v.target_type = value ? object_type_from_name(value, len) : OBJ_BAD;
	if (v.target_type == OBJ_BAD)
		return err_set(err, ERR_CORRUPT, "bad tag object: no valid type line");
	v.name = parse_header(&p, end, "tag", &v.name_len);
	if (!v.name)
		return err_set(err, ERR_CORRUPT, "bad tag object: no tag line");
	v.tagger = parse_header(&p, end, "tagger", &v.tagger_len);
	v.message = skip_headers(p, end);
	v.message_len = (size_t)(end - v.message);
	v.signature_offset = message_signature(v.message, v.message_len);
	*out = v;
	return 0;
}

bool tag_split_signature(const struct tag_view *t, const char *object, struct strbuf *payload,
			 struct strbuf *signature)
{
	const char *at = t->message + t->signature_offset;

	commit_split_signature(object, (size_t)(at - object), NULL, payload, NULL);
	strbuf_add(signature, at, t->message_len - t->signature_offset);
	return t->signature_offset < t->message_len;
}
