/* SPDX-License-Identifier: GPL-2.0-only */
/* Abbreviated names: which objects they mean, and how short one may be. */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "util/strbuf.h"

/* ---- from prefixes to names ---- */

struct prefix {
	const char *hex;
	size_t len;
	struct oid_array *out;
};

static bool has_prefix(const struct object_id *oid, const struct prefix *p)
{
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	return !memcmp(hex, p->hex, p->len);
}

static int add_if_prefix(void *data, const struct object_id *oid)
{
	struct prefix *p = data;

	if (has_prefix(oid, p))
		oid_array_append(p->out, oid);
	return 0;
}

static int add_loose_with_prefix(struct odb_store *s, struct prefix *p, struct err *err)
{
	unsigned fanout = (unsigned)(hex_value((unsigned char)p->hex[0]) << 4 |
				     hex_value((unsigned char)p->hex[1]));
	struct oid_array all = OID_ARRAY_INIT;
	int rc = odb_store_list_loose(s, fanout, &all, err);

	for (size_t i = 0; i < all.nr; i++)
		add_if_prefix(p, &all.oid[i]);
	oid_array_clear(&all);
	return rc;
}

int odb_prefix_lookup(struct odb *odb, const char *prefix, size_t len,
		      struct oid_array *out, struct err *err)
{
	struct oid_array found = OID_ARRAY_INIT;
	struct prefix p = { prefix, len, &found };
	int rc = 0;

	if (len < 2 || len > odb->o.algo->hex_len ||
	    strspn(prefix, "0123456789abcdef") < len)
		return err_set(err, ERR_INVALID, "'%.*s' is no object name prefix", (int)len,
			       prefix);
	if (odb->batch)
		bulk_checkin_foreach(odb->batch, add_if_prefix, &p);
	FOR_EACH_STORE(odb, s) {
		if (!rc)
			rc = packs_prefix_lookup(s->packs, prefix, len, &found, err);
		if (!rc)
			rc = add_loose_with_prefix(s, &p, err);
	}
	oid_array_sort_unique(&found);
	for (size_t i = 0; !rc && i < found.nr; i++)
		oid_array_append(out, &found.oid[i]);
	oid_array_clear(&found);
	return rc;
}

/* ---- from names to prefixes ---- */

/* Hex digits that both have in common from the start. */
static size_t common_digits(const struct object_id *a, const struct object_id *b)
{
	size_t i = 0, len = oid_raw_len(a);

	while (i < len && a->hash[i] == b->hash[i])
		i++;
	if (i == len)
		return 2 * len;
	return 2 * i + ((a->hash[i] ^ b->hash[i]) < 16);
}

struct neighbour {
	const struct object_id *oid;
	size_t need;
};

static int compare_neighbour(void *data, const struct object_id *oid)
{
	struct neighbour *n = data;
	size_t same = common_digits(oid, n->oid);

	if (same < oid_hex_len(oid) && same + 1 > n->need)
		n->need = same + 1;
	return 0;
}

/*
 * So many objects that a chance collision is likely need digits for twice as
 * many bits as their number has; one digit is four bits.
 */
static size_t automatic_len(struct odb *odb)
{
	size_t nr = 0, bits = 0, len;

	FOR_EACH_STORE(odb, s)
		nr += packs_object_count(s->packs);
	for (; nr; nr >>= 1)
		bits++;
	len = (bits + 1) / 2;
	return len < 7 ? 7 : len;
}

void odb_abbrev(struct odb *odb, const struct object_id *oid, int min, struct strbuf *out)
{
	size_t hex_len = odb->o.algo->hex_len;
	struct neighbour n = { oid, min < 0 ? automatic_len(odb) : (size_t)min };
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	if (!min || n.need >= hex_len) {
		strbuf_add(out, hex, hex_len);
		return;
	}
	if (odb->batch)
		bulk_checkin_foreach(odb->batch, compare_neighbour, &n);
	FOR_EACH_STORE(odb, s) {
		size_t len = packs_unique_prefix_len(s->packs, oid);
		struct oid_array loose = OID_ARRAY_INIT;

		if (len > n.need)
			n.need = len;
		if (!odb_store_list_loose(s, oid->hash[0], &loose, NULL))
			for (size_t i = 0; i < loose.nr; i++)
				compare_neighbour(&n, &loose.oid[i]);
		oid_array_clear(&loose);
	}
	strbuf_add(out, hex, n.need < hex_len ? n.need : hex_len);
}
