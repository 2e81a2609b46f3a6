/* SPDX-License-Identifier: GPL-2.0-only */
/* packed-refs as a text, for a client that reads and replaces the file of another repository: refs_table_format. */
#include "compat/posix.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"

static int table_foreach(const struct strbuf *text, const struct hash_algo *algo,
			 void (*fn)(void *data, const char *name, const struct object_id *oid), void *data,
			 struct err *err)
{
	struct packed_refs *p;
	struct packed_cursor c;
	struct packed_entry e;
	int rc = packed_refs_parse(&p, text->buf, text->len, "packed-refs", algo, err), more = 0;

	if (rc < 0)
		return rc;
	rc = packed_cursor_start(&c, p, "", err);
	while (!rc && (more = packed_cursor_next(&c, &e, err)) > 0) {
		char *name = xstrndup(e.name, e.name_len);

		fn(data, name, &e.oid);
		free(name);
	}
	packed_refs_put(p);
	return rc < 0 ? rc : more;
}

/* The name of the ref in a line without its end; NULL: the line has no ref. */
static const char *name_in_line(const char *line, const struct hash_algo *algo)
{
	struct object_id oid;
	const char *end;

	return !oid_parse_hex(&oid, line, algo, &end) && *end == ' ' ? end + 1 : NULL;
}

static bool table_without(const struct strbuf *text, const struct hash_algo *algo,
			  bool (*drop)(void *data, const char *name), void *data, struct strbuf *out)
{
	bool dropped = false, any = false;

	for (const char *at = text->buf, *end; *at; at = *end ? end + 1 : end) {
		char *line;
		const char *name;

		end = strchrnul(at, '\n');
		line = xstrndup(at, (size_t)(end - at));
		name = name_in_line(line, algo);
		/* A line "^OID" belongs to the line before. */
		if (name || *line != '^')
			dropped = name && drop(data, name);
		any |= dropped;
		if (!dropped)
			strbuf_addf(out, "%s\n", line);
		free(line);
	}
	return any;
}

const struct ref_table_format packed_table_format = {
	.path = "packed-refs",
	.bytes_max = (size_t)512 << 20,
	.foreach = table_foreach,
	.without = table_without,
};
