/* SPDX-License-Identifier: GPL-2.0-only */
/* A binary patch, applied: it tells by names of objects what it is for, and what it makes. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "odb/odb.h"
#include "pack/pack.h"

#define RESULT_MAX ((size_t)1 << 30)

void apply_hash_blob(const struct apply *a, const struct strbuf *content, struct object_id *oid)
{
	if (hash_object_buf(a->algo, "blob", content->buf, content->len, oid, NULL) < 0)
		*oid = a->algo->null_oid;
}

/* *result: the id of what the patch makes. A file that the patch creates begins without content. */
static bool check_ids(struct apply *a, const struct apply_patch *ap, const struct strbuf *content, struct object_id *result)
{
	const char *name = ap->p.old_name ? ap->p.old_name : ap->p.new_name;
	struct object_id oid, wanted;

	if (strlen(ap->p.old_oid) != a->algo->hex_len || strlen(ap->p.new_oid) != a->algo->hex_len ||
	    oid_from_hex(&wanted, ap->p.old_oid, a->algo) < 0 || oid_from_hex(result, ap->p.new_oid, a->algo) < 0) {
		apply_error(a, "cannot apply binary patch to '%s' without full index line", name);
		return false;
	}
	if (!ap->p.old_name)
		return true;
	apply_hash_blob(a, content, &oid);
	if (oid_eq(&oid, &wanted))
		return true;
	apply_error(a, "the patch applies to '%s' (%s), which does not match the current contents.", name, oid_hex(&oid));
	return false;
}

/* The result is an object that is here. 1: it is not. */
static int read_postimage(struct apply *a, const char *name, const struct object_id *oid, struct strbuf *content)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	if (!a->repo || odb_read_type(a->repo->odb, oid, OBJ_BLOB, &buf, NULL) < 0)
		return 1;
	(void)name;
	strbuf_reset(content);
	strbuf_add(content, buf.data, buf.size);
	object_buf_release(&buf);
	return 0;
}

static int apply_data(struct apply *a, const struct apply_patch *ap, const char *name, struct strbuf *content)
{
	const struct patch_hunk *h = ap->p.hunks;
	void *out;
	size_t size;

	if (!ap->p.nr)
		return apply_error(a, "missing binary patch data for '%s'", ap->p.new_name ? ap->p.new_name : ap->p.old_name);
	if (a->reverse && ap->p.nr < 2) {
		apply_error(a, "cannot reverse-apply a binary patch without the reverse hunk to '%s'", name);
		return -1;
	}
	h += a->reverse;
	if (h->kind == HUNK_LITERAL) {
		strbuf_reset(content);
		strbuf_add(content, h->data, h->size);
		return 0;
	}
	if (delta_apply(content->buf, content->len, h->data, h->size, RESULT_MAX, &out, &size, NULL) < 0)
		return -1;
	strbuf_release(content);
	strbuf_attach(content, out, size, size + 1);
	return 0;
}

int apply_binary(struct apply *a, struct apply_patch *ap, struct strbuf *content)
{
	const char *name = ap->p.old_name ? ap->p.old_name : ap->p.new_name;
	struct object_id wanted, oid;

	if (!check_ids(a, ap, content, &wanted))
		return -1;
	if (oid_is_null(&wanted)) {
		strbuf_reset(content);
		return 0; /* a deletion */
	}
	if (!read_postimage(a, name, &wanted, content))
		return 0;
	if (apply_data(a, ap, name, content) < 0)
		return apply_error(a, "binary patch does not apply to '%s'", name);
	apply_hash_blob(a, content, &oid);
	if (oid_eq(&oid, &wanted))
		return 0;
	return apply_error(a, "binary patch to '%s' creates incorrect result (expecting %s, got %s)", name, ap->p.new_oid,
			   oid_hex(&oid));
}
