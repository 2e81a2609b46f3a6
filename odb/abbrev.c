/* SPDX-License-Identifier: GPL-2.0-only */
/* Abbreviated names: which objects they mean, and how short one may be. */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "util/strbuf.h"

/* ---- from prefixes to names ---- */

static int lookup_in_store(struct odb_store *st, const char *prefix, size_t len, struct oid_array *out,
			   struct err *err)
{
	int rc = 0;

	for (int rank = 0; !rc && rank < ODB_NR_RANKS; rank++) {
		struct odb_source *s = st->sources[rank];

		if (s)
			rc = s->ops->prefix_lookup(s, prefix, len, out, err);
	}
	return rc;
}

int odb_prefix_lookup(struct odb *odb, const char *prefix, size_t len,
		      struct oid_array *out, struct err *err)
{
	struct oid_array found = OID_ARRAY_INIT;
	int rc = 0;

	if (len < 2 || len > odb->o.algo->hex_len ||
	    strspn(prefix, "0123456789abcdef") < len)
		return err_set(err, ERR_INVALID, "'%.*s' is no object name prefix", (int)len,
			       prefix);
	if (odb->batch)
		rc = odb->batch->ops->prefix_lookup(odb->batch, prefix, len, &found, err);
	FOR_EACH_STORE(odb, st)
		if (!rc)
			rc = lookup_in_store(st, prefix, len, &found, err);
	oid_array_sort_unique(&found);
	for (size_t i = 0; !rc && i < found.nr; i++)
		oid_array_append(out, &found.oid[i]);
	oid_array_clear(&found);
	return rc;
}

/* ---- from names to prefixes ---- */

/*
 * So many objects that a chance collision is likely need digits for twice as
 * many bits as their number has; one digit is four bits.
 */
static size_t automatic_len(struct odb *odb)
{
	size_t nr = 0, bits = 0, len;

	FOR_EACH_STORE(odb, st)
		for (int rank = 0; rank < ODB_NR_RANKS; rank++) {
			struct odb_source *s = st->sources[rank];

			nr += s && s->ops->count ? s->ops->count(s) : 0;
		}
	for (; nr; nr >>= 1)
		bits++;
	len = (bits + 1) / 2;
	return len < 7 ? 7 : len;
}

static void need_more(size_t *need, struct odb_source *s, const struct object_id *oid)
{
	size_t len = s ? s->ops->unique_prefix_len(s, oid) : 0;

	if (len > *need)
		*need = len;
}

void odb_abbrev(struct odb *odb, const struct object_id *oid, int min, struct strbuf *out)
{
	size_t hex_len = odb->o.algo->hex_len;
	size_t need = min < 0 ? automatic_len(odb) : (size_t)min;
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	if (!min || need >= hex_len) {
		strbuf_add(out, hex, hex_len);
		return;
	}
	need_more(&need, odb->batch, oid);
	FOR_EACH_STORE(odb, st)
		for (int rank = 0; rank < ODB_NR_RANKS; rank++)
			need_more(&need, st->sources[rank], oid);
	strbuf_add(out, hex, need < hex_len ? need : hex_len);
}
