/* SPDX-License-Identifier: GPL-2.0-only */
/* Abbreviated object names, and the message if several objects match. */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/date.h"

#define ABBREV_MIN 4

/* The type that the context needs. */
enum wanted { WANT_ANY, WANT_COMMIT, WANT_COMMITTISH, WANT_TREE, WANT_TREEISH, WANT_BLOB };

static enum wanted wanted_by_config(const struct repository *r)
{
	static const struct { const char *name; enum wanted wanted; } values[] = {
		{ "none", WANT_ANY }, { "commit", WANT_COMMIT },
		{ "committish", WANT_COMMITTISH }, { "tree", WANT_TREE },
		{ "treeish", WANT_TREEISH }, { "blob", WANT_BLOB },
	};
	const char *value = NULL;
	size_t i;

	config_get_string(r->config, "core.disambiguate", &value, NULL);
	for (i = 0; value && i < ARRAY_SIZE(values); i++)
		if (!strcasecmp(value, values[i].name))
			return values[i].wanted;
	return WANT_ANY;
}

static enum wanted wanted_by(const struct repository *r, enum object_type hint)
{
	bool exact = hint & HINT_EXACT;

	switch (hint & ~HINT_EXACT) {
	case OBJ_COMMIT:
		return exact ? WANT_COMMIT : WANT_COMMITTISH;
	case OBJ_TREE:
		return exact ? WANT_TREE : WANT_TREEISH;
	case OBJ_BLOB:
		return WANT_BLOB;
	default:
		return wanted_by_config(r);
	}
}

static bool is_wanted(struct repository *r, const struct object_id *oid, enum wanted wanted)
{
	enum object_type type, peeled;
	struct object_info info;
	struct object_id at;

	if (wanted == WANT_ANY)
		return true;
	if (odb_type(r->odb, oid, &info.type, &info.size, NULL) < 0)
		return false;
	type = peeled = info.type;
	if (type == OBJ_TAG && (wanted == WANT_COMMITTISH || wanted == WANT_TREEISH) &&
	    object_peel(odb_source(r->odb), oid, OBJ_ANY, &at, &peeled, NULL) < 0)
		return false;
	switch (wanted) {
	case WANT_COMMIT:
		return type == OBJ_COMMIT;
	case WANT_COMMITTISH:
		return peeled == OBJ_COMMIT;
	case WANT_TREE:
		return type == OBJ_TREE;
	case WANT_TREEISH:
		return peeled == OBJ_COMMIT || peeled == OBJ_TREE;
	default:
		return type == OBJ_BLOB;
	}
}

/* ---- the list of candidates ---- */

struct candidate {
	struct object_id oid;
	enum object_type type;
};

/* Tags, commits, trees, blobs. */
static int type_rank(enum object_type type)
{
	switch (type) {
	case OBJ_TAG:
		return 0;
	case OBJ_COMMIT:
		return 1;
	case OBJ_TREE:
		return 2;
	case OBJ_BLOB:
		return 3;
	default:
		return 4;
	}
}

static int candidate_cmp(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;
	int c = type_rank(a->type) - type_rank(b->type);

	return c ? c : oid_cmp(&a->oid, &b->oid);
}

static void add_date(struct strbuf *out, const char *ident, size_t len)
{
	struct date_mode mode = DATE_MODE_INIT;
	struct ident_split split;

	mode.type = DATE_SHORT;
	if (ident && !ident_split_line(&split, ident, len) && split.has_date)
		date_format(out, split.date, split.tz, &mode);
}

static void describe_commit(struct repository *r, const struct object_id *oid, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view c;

	if (odb_read(r->odb, oid, &buf, NULL) < 0)
		return;
	if (!commit_parse(&c, buf.data, buf.size, r->algo, NULL)) {
		strbuf_addch(out, ' ');
		add_date(out, c.author, c.author_len);
		strbuf_addstr(out, " - ");
		commit_subject(out, c.message, c.message_len, " ");
		commit_view_release(&c);
	}
	object_buf_release(&buf);
}

static void describe_tag(struct repository *r, const struct object_id *oid, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view t;

	if (odb_read(r->odb, oid, &buf, NULL) < 0)
		return;
	if (!tag_parse(&t, buf.data, buf.size, r->algo, NULL)) {
		strbuf_addch(out, ' ');
		add_date(out, t.tagger, t.tagger_len);
		strbuf_addstr(out, " - ");
		strbuf_add(out, t.name, t.name_len);
	}
	object_buf_release(&buf);
}

static int ambiguous(struct repository *r, const char *name, size_t len,
		     const struct oid_array *oids, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct candidate *list;
	struct object_info info;
	size_t i;

	ALLOC_ARRAY(list, oids->nr);
	for (i = 0; i < oids->nr; i++) {
		list[i].oid = oids->oid[i];
		list[i].type = odb_type(r->odb, &oids->oid[i], &info.type, &info.size, NULL) < 0 ?
			OBJ_BAD : info.type;
	}
	qsort(list, oids->nr, sizeof(*list), candidate_cmp);
	strbuf_addf(&text, "short object ID %.*s is ambiguous\nhint: The candidates are:",
		    (int)len, name);
	for (i = 0; i < oids->nr; i++) {
		strbuf_addstr(&text, "\nhint:   ");
		odb_abbrev(r->odb, &list[i].oid, r->settings.abbrev, &text);
		strbuf_addf(&text, " %s", list[i].type == OBJ_BAD ? "[bad object]" :
			    object_type_name(list[i].type));
		if (list[i].type == OBJ_COMMIT)
			describe_commit(r, &list[i].oid, &text);
		else if (list[i].type == OBJ_TAG)
			describe_tag(r, &list[i].oid, &text);
	}
	err_set(err, ERR_AMBIGUOUS, "short object ID %.*s is ambiguous", (int)len, name);
	strbuf_insertstr(&text, 0, "error: ");
	strbuf_addch(&text, '\n');
	err_set_preface(err, text.buf);
	strbuf_release(&text);
	free(list);
	return ERR_AMBIGUOUS;
}

/* ---- looking up ---- */

/* Lower case; false if it is no abbreviation. */
static bool hex_prefix(char *out, const char *name, size_t len, size_t max)
{
	size_t i;

	if (len < ABBREV_MIN || len > max)
		return false;
	for (i = 0; i < len; i++) {
		if (hex_value((unsigned char)name[i]) < 0)
			return false;
		out[i] = tolower((unsigned char)name[i]);
	}
	out[len] = '\0';
	return true;
}

/* Candidates of the wanted type; if there is none, all candidates. */
static void filter(struct repository *r, const struct oid_array *all, enum wanted wanted,
		   struct oid_array *out)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (is_wanted(r, &all->oid[i], wanted))
			oid_array_append(out, &all->oid[i]);
	if (out->nr)
		return;
	for (i = 0; i < all->nr; i++)
		oid_array_append(out, &all->oid[i]);
}

int rev_parse_abbrev(struct repository *r, const char *name, size_t len,
		     enum object_type hint, struct object_id *oid, struct err *err)
{
	struct oid_array all = OID_ARRAY_INIT, fit = OID_ARRAY_INIT;
	char prefix[HASH_MAX_HEX + 1];
	int rc;

	if (!hex_prefix(prefix, name, len, r->algo->hex_len))
		return ERR_NOT_FOUND;
	rc = odb_prefix_lookup(r->odb, prefix, len, &all, err);
	if (rc < 0)
		goto out;
	if (!all.nr) {
		rc = ERR_NOT_FOUND;
	} else if (all.nr == 1) {
		*oid = all.oid[0];
	} else {
		filter(r, &all, wanted_by(r, hint), &fit);
		if (fit.nr == 1)
			*oid = fit.oid[0];
		else
			rc = ambiguous(r, prefix, len, &fit, err);
	}
out:
	oid_array_clear(&all);
	oid_array_clear(&fit);
	return rc;
}
