/* SPDX-License-Identifier: GPL-2.0-only */
/* The first byte selects a type; the rest is parsed and checked as an object of that type. */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/fsck.h"
#include "object/ident.h"
#include "object/tag.h"
#include "object/tree.h"
#include "t/fuzz/fuzz.h"

static int swallow(void *data UNUSED, const struct object_id *oid UNUSED,
		   enum object_type type UNUSED, enum fsck_severity severity UNUSED,
		   const char *msg_id UNUSED, const char *text UNUSED)
{
	return 0; /* continue */
}

static void check(enum object_type type, const void *p, size_t len)
{
	struct fsck_options o = { .report = swallow, .strict = true };
	struct object_id oid;

	(void)!hash_object_buf(hash_sha1, "blob", "", 0, &oid, NULL);
	oidset_insert(&o.gitmodules.found, &oid);
	oidset_insert(&o.gitattributes.found, &oid);
	fsck_object(&o, &oid, type, p, len, hash_sha1);
	fsck_options_release(&o);
}

static void parse_commit(const char *p, size_t len)
{
	struct strbuf out = STRBUF_INIT;
	struct commit_view c;

	if (!commit_parse(&c, p, len, hash_sha1, NULL)) {
		size_t body;

		commit_subject(&out, c.message, c.message_len, "\n");
		commit_body(c.message, c.message_len, &body);
		commit_view_release(&c);
	}
	commit_find_header(p, len, "gpgsig", &out);
	commit_split_signature(p, len, hash_sha1, &out, &out);
	strbuf_release(&out);
}

static void parse_tag(const char *p, size_t len)
{
	struct strbuf payload = STRBUF_INIT, signature = STRBUF_INIT;
	struct tag_view tag;

	if (tag_parse(&tag, p, len, hash_sha1, NULL) < 0)
		return;
	if (tag.signature_offset > tag.message_len)
		abort();
	tag_split_signature(&tag, p, &payload, &signature);
	if (payload.len + signature.len > len)
		abort();
	strbuf_release(&payload);
	strbuf_release(&signature);
}

static void parse_tree(const void *p, size_t len)
{
	struct tree_iter it;
	struct tree_entry e;

	tree_iter_init(&it, p, len, hash_sha1);
	while (tree_iter_next(&it, &e, NULL) > 0)
		if (strlen(e.name) != e.name_len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum object_type type;
	struct ident_split id;
	uint64_t n;

	if (!size)
		return 0;
	switch (data[0] % 5) {
	case 0:
		parse_commit((const char *)data + 1, size - 1);
		check(OBJ_COMMIT, data + 1, size - 1);
		break;
	case 1:
		parse_tag((const char *)data + 1, size - 1);
		check(OBJ_TAG, data + 1, size - 1);
		break;
	case 2:
		parse_tree(data + 1, size - 1);
		check(OBJ_TREE, data + 1, size - 1);
		break;
	case 3:
		check(OBJ_BLOB, data + 1, size - 1);
		break;
	default:
		ident_split_line(&id, (const char *)data + 1, size - 1);
		object_header_parse(data + 1, size - 1, &type, &n, NULL);
	}
	return 0;
}
