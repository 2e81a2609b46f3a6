/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "hash/hash.h"
#include "util/alloc.h"
#include "util/parse-options.h"
#include "wire/filter-spec.h"

static const char *const kind_names[] = {
	[FILTER_BLOB_NONE] = "blob:none",
	[FILTER_BLOB_LIMIT] = "blob:limit",
	[FILTER_TREE_DEPTH] = "tree",
	[FILTER_OBJECT_TYPE] = "object:type",
	[FILTER_SPARSE_OID] = "sparse:oid",
};

const char *filter_kind_name(enum filter_kind kind)
{
	return kind_names[kind];
}

static void drop_parts(struct filter_spec *f, size_t keep)
{
	while (f->nr > keep)
		free(f->parts[--f->nr].name);
}

void filter_spec_release(struct filter_spec *f)
{
	drop_parts(f, 0);
	FREE_AND_NULL(f->parts);
	f->alloc = 0;
	f->combined = false;
}

static int add_part(struct filter_spec *f, struct filter_part part, struct err *err)
{
	if (f->nr == FILTER_PARTS_MAX) {
		free(part.name);
		return err_set(err, ERR_TOO_BIG, "filter-spec has more than %d parts",
			       FILTER_PARTS_MAX);
	}
	ALLOC_GROW(f->parts, f->nr + 1, f->alloc);
	f->parts[f->nr++] = part;
	return 0;
}

/* ---- one part ---- */

static int add_tree_depth(struct filter_spec *f, const char *value, struct err *err)
{
	struct filter_part part = { .kind = FILTER_TREE_DEPTH };

	if (!parse_magnitude(value, &part.number))
		return err_set(err, ERR_INVALID, "expected 'tree:<depth>'");
	return add_part(f, part, err);
}

static int add_object_type(struct filter_spec *f, const char *value, struct err *err)
{
	struct filter_part part = { .kind = FILTER_OBJECT_TYPE };

	part.type = object_type_from_name(value, strlen(value));
	if (part.type == OBJ_BAD)
		return err_set(err, ERR_INVALID, "'%s' for 'object:type=<type>' is not a valid "
			       "object type", value);
	return add_part(f, part, err);
}

static int add_simple(struct filter_spec *f, const char *text, struct err *err)
{
	struct filter_part part = { .kind = FILTER_BLOB_NONE };
	const char *value;

	if (!strcmp(text, "blob:none"))
		return add_part(f, part, err);
	if (skip_prefix(text, "tree:", &value))
		return add_tree_depth(f, value, err);
	if (skip_prefix(text, "object:type=", &value))
		return add_object_type(f, value, err);
	if (skip_prefix(text, "sparse:oid=", &value)) {
		part.kind = FILTER_SPARSE_OID;
		part.name = xstrdup(value);
		return add_part(f, part, err);
	}
	if (starts_with(text, "sparse:path="))
		return err_set(err, ERR_INVALID, "sparse:path filters support has been dropped");
	part.kind = FILTER_BLOB_LIMIT;
	if (skip_prefix(text, "blob:limit=", &value) && parse_magnitude(value, &part.number))
		return add_part(f, part, err);
	return err_set(err, ERR_INVALID, "invalid filter-spec '%s'", text);
}

/* ---- combinations ---- */

static bool is_reserved(unsigned char c)
{
	return c <= ' ' || strchr("~`!@#$^&*()[]{}\\;'\",<>?", c);
}

static int check_reserved(const char *text, size_t len, struct err *err)
{
	for (size_t i = 0; i < len; i++)
		if (is_reserved((unsigned char)text[i]))
			return err_set(err, ERR_INVALID, "must escape char in sub-filter-spec: '%c'",
				       text[i]);
	return 0;
}

/* Decodes %41 as A. %00, and text that is no such sequence, stays unchanged. */
static char *decode(const char *text, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len; i++) {
		int high = text[i] == '%' && i + 2 < len ? hex_value((unsigned char)text[i + 1]) : -1;
		int low = high < 0 ? -1 : hex_value((unsigned char)text[i + 2]);

		if (low < 0 || !(high | low)) {
			strbuf_addch(&out, text[i]);
			continue;
		}
		strbuf_addch(&out, high << 4 | low);
		i += 2;
	}
	return strbuf_detach(&out, NULL);
}

static int add_text(struct filter_spec *f, const char *text, unsigned nesting, struct err *err);

static int add_combination(struct filter_spec *f, const char *text, unsigned nesting,
			   struct err *err)
{
	size_t before = f->nr;
	int rc = 0;

	if (nesting == FILTER_NESTING_MAX)
		return err_set(err, ERR_TOO_BIG, "filter-spec has more than %d combinations "
			       "within each other", FILTER_NESTING_MAX);
	while (!rc && *text) {
		size_t len = strcspn(text, "+");
		char *part;

		if (len) {
			rc = check_reserved(text, len, err);
			part = rc ? NULL : decode(text, len);
			if (!rc)
				rc = add_text(f, part, nesting + 1, err);
			free(part);
		}
		text += len + (text[len] == '+');
	}
	if (!rc && f->nr == before)
		rc = err_set(err, ERR_INVALID, "expected something after combine:");
	return rc;
}

static int add_text(struct filter_spec *f, const char *text, unsigned nesting, struct err *err)
{
	const char *parts;

	if (!skip_prefix(text, "combine:", &parts))
		return add_simple(f, text, err);
	f->combined = true;
	return add_combination(f, parts, nesting, err);
}

int filter_spec_parse(struct filter_spec *f, const char *text, struct err *err)
{
	size_t before = f->nr;
	bool combined = f->combined;
	int rc = add_text(f, text, 0, err);

	if (rc < 0) {
		drop_parts(f, before);
		f->combined = combined;
	}
	return rc;
}

/* ---- as text ---- */

static void format_part(const struct filter_part *p, struct strbuf *out)
{
	strbuf_addstr(out, kind_names[p->kind]);
	switch (p->kind) {
	case FILTER_BLOB_NONE:
		break;
	case FILTER_BLOB_LIMIT:
		strbuf_addf(out, "=%" PRIu64, p->number);
		break;
	case FILTER_TREE_DEPTH:
		strbuf_addf(out, ":%" PRIu64, p->number);
		break;
	case FILTER_OBJECT_TYPE:
		strbuf_addf(out, "=%s", object_type_name(p->type));
		break;
	case FILTER_SPARSE_OID:
		strbuf_addf(out, "=%s", p->name);
		break;
	}
}

static void encode(const struct strbuf *text, struct strbuf *out)
{
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->buf[i];

		if (c == '%' || c == '+' || c > '~' || is_reserved(c))
			strbuf_addf(out, "%%%02x", c);
		else
			strbuf_addch(out, c);
	}
}

void filter_spec_format(const struct filter_spec *f, struct strbuf *out)
{
	struct strbuf part = STRBUF_INIT;
	bool combine = f->combined || f->nr > 1;

	if (f->nr && combine)
		strbuf_addstr(out, "combine:");
	for (size_t i = 0; i < f->nr; i++) {
		strbuf_reset(&part);
		format_part(&f->parts[i], &part);
		if (i)
			strbuf_addch(out, '+');
		if (combine)
			encode(&part, out);
		else
			strbuf_addbuf(out, &part);
	}
	strbuf_release(&part);
}
