/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/object.h"

static const char *const type_names[] = {
	[OBJ_COMMIT] = "commit",
	[OBJ_TREE] = "tree",
	[OBJ_BLOB] = "blob",
	[OBJ_TAG] = "tag",
};

const char *object_type_name(enum object_type type)
{
	if (type < OBJ_COMMIT || type > OBJ_TAG)
		return NULL;
	return type_names[type];
}

enum object_type object_type_from_name(const char *s, size_t len)
{
	for (int t = OBJ_COMMIT; t <= OBJ_TAG; t++)
		if (strlen(type_names[t]) == len && !memcmp(type_names[t], s, len))
			return t;
	return OBJ_BAD;
}

void object_buf_release(struct object_buf *buf)
{
	free(buf->data);
	buf->data = NULL;
	buf->size = 0;
	buf->type = OBJ_NONE;
}

int object_header_format(char out[OBJECT_HEADER_MAX], enum object_type type, uint64_t size)
{
	const char *name = object_type_name(type);

	if (!name)
		BUG("no header for object type %d", (int)type);
	return snprintf(out, OBJECT_HEADER_MAX, "%s %" PRIu64, name, size) + 1;
}

/* A decimal number up to `end`, without sign and leading zeros; -1 if malformed. */
static int parse_size(const char *p, const char *end, uint64_t *out)
{
	uint64_t n = 0;

	if (p == end || (*p == '0' && p + 1 != end))
		return -1;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9' || n > (UINT64_MAX - (unsigned)(*p - '0')) / 10)
			return -1;
		n = n * 10 + (unsigned)(*p - '0');
	}
	*out = n;
	return 0;
}

/* Errors: ERR_UNSUPPORTED an unknown type; ERR_CORRUPT no header. */
int object_header_parse(const void *buf, size_t len, enum object_type *type,
			uint64_t *size, struct err *err)
{
	const char *p = buf;
	size_t max = len < OBJECT_HEADER_MAX ? len : OBJECT_HEADER_MAX;
	const char *nul = max ? memchr(p, 0, max) : NULL;
	const char *space = nul ? memchr(p, ' ', (size_t)(nul - p)) : NULL;
	enum object_type t;
	uint64_t n;

	if (!space)
		return err_set(err, ERR_CORRUPT, "malformed object header");
	t = object_type_from_name(p, (size_t)(space - p));
	if (t == OBJ_BAD)
		return err_set(err, ERR_UNSUPPORTED, "invalid object type \"%.*s\"",
			       (int)(space - p), p);
	if (parse_size(space + 1, nul, &n) < 0)
		return err_set(err, ERR_CORRUPT, "bad size in object header");
	*type = t;
	*size = n;
	return (int)(nul - p) + 1;
}
