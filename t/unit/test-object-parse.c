/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsers of object/: valid input, malformed objects of old history, hostile input. */
#include "compat/posix.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "object/commit.h"
#include "object/dotfile.h"
#include "object/ident.h"
#include "object/object.h"
#include "object/tag.h"
#include "object/tree-new.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/err.h"

#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B40 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C40 "cccccccccccccccccccccccccccccccccccccccc"

static struct object_id oid_of(const char *hex)
{
	struct object_id oid;

	assert_int_equal(oid_from_hex(&oid, hex, hash_sha1), 0);
	return oid;
}

static void assert_mem(const char *p, size_t len, const char *want)
{
	assert_int_equal(len, strlen(want));
	assert_memory_equal(p, want, len);
}

/* Parse every prefix of `good`, and it with each byte replaced: no crash, and no read beyond
 * the end (the copies have the exact size, so that sanitizers detect it). */
static void parse_mutations(const void *good, size_t len, void (*parse)(const void *, size_t))
{
	static const unsigned char bytes[] = { 0, '\n', ' ', '<', '9', 0xff };

	for (size_t cut = 0; cut <= len; cut++) {
		void *p = xmemdup(good, cut);

		parse(p, cut);
		free(p);
	}
	for (size_t at = 0; at < len; at++)
		for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
			unsigned char *p = xmemdup(good, len);

			p[at] = bytes[i];
			parse(p, len);
			free(p);
		}
}

/* ---- headers ---- */

static void header_round_trip(void **state)
{
	char buf[OBJECT_HEADER_MAX];
	enum object_type type;
	uint64_t size;
	int n = object_header_format(buf, OBJ_COMMIT, UINT64_MAX);

	(void)state;
	assert_string_equal(buf, "commit 18446744073709551615");
	assert_int_equal(n, 28);
	assert_int_equal(object_header_parse(buf, (size_t)n, &type, &size, NULL), 28);
	assert_int_equal(type, OBJ_COMMIT);
	assert_true(size == UINT64_MAX);
}

static void header_refuses(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *msg;
	} bad[] = {
		{ "", 0, "malformed object header" },
		{ "blob 12", 7, "malformed object header" },
		{ "blob\0", 5, "malformed object header" },
		{ "blob \0", 6, "bad size in object header" },
		{ "blob 012\0", 9, "bad size in object header" },
		{ "blob -1\0", 8, "bad size in object header" },
		{ "blob 1 \0", 8, "bad size in object header" },
		{ "blob 18446744073709551616\0", 26, "bad size in object header" },
		{ "blub 1\0", 7, "invalid object type \"blub\"" },
		{ " 1\0", 3, "invalid object type \"\"" },
		{ "blob 1111111111111111111111111111111111111111\0", 46,
		  "malformed object header" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = ERR_INIT;
		enum object_type type = OBJ_NONE;
		uint64_t size = 7;

		assert_int_equal(object_header_parse(bad[i].bytes, bad[i].len, &type, &size, &err),
				 starts_with(bad[i].msg, "invalid") ? ERR_UNSUPPORTED : ERR_CORRUPT);
		assert_string_equal(err_message(&err), bad[i].msg);
		assert_int_equal(type, OBJ_NONE);
		assert_int_equal(size, 7);
		err_release(&err);
	}
}

/* ---- idents ---- */

static void ident_splits(void **state)
{
	static const char line[] = "A U Thor <author@example.com> 1112912053 -0730";
	struct ident_split id;

	(void)state;
	assert_int_equal(ident_split_line(&id, line, strlen(line)), 0);
	assert_mem(id.name, id.name_len, "A U Thor");
	assert_mem(id.mail, id.mail_len, "author@example.com");
	assert_true(id.has_date);
	assert_int_equal(id.date, 1112912053);
	assert_int_equal(id.tz, -730);
}

static void ident_accepts_malformed(void **state)
{
	static const struct {
		const char *line, *name, *mail;
		bool has_date;
		timestamp_t date;
		int tz;
	} v[] = {
		{ "<a@b> 1 +0000", "", "a@b", true, 1, 0 },
		{ "  x  <> 5 -0", "  x", "", true, 5, 0 },
		{ "   <a@b> 5", "", "a@b", false, 0, 0 },
		{ "x<y>12 +0100", "x", "y", true, 12, 100 },
		{ "x\v <y>12\t-0100 z", "x\v", "y", true, 12, -100 },
		{ "x <y> ", "x", "y", false, 0, 0 },
		{ "x <y> z", "x", "y", false, 0, 0 },
		{ "x <y> 12 0130", "x", "y", false, 0, 0 },
		{ "x <y> 12 +", "x", "y", false, 0, 0 },
		{ "x <y> z> 12 +0130", "x", "y", true, 12, 130 },
		{ "x <y> 18446744073709551614 +0000", "x", "y", true, UINT64_MAX - 1, 0 },
		{ "x <y> 99999999999999999999 +0000", "x", "y", true, UINT64_MAX, 0 },
		{ "x <y> 1 +2147483646", "x", "y", true, 1, INT_MAX - 1 },
		{ "x <y> 9223372036854775 -99999999999", "x", "y", true, 9223372036854775, 0 },
		{ "x <y> -5 +0000", "x", "y", false, 0, 0 },
	};
	struct ident_split id;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(ident_split_line(&id, v[i].line, strlen(v[i].line)), 0);
		assert_mem(id.name, id.name_len, v[i].name);
		assert_mem(id.mail, id.mail_len, v[i].mail);
		assert_int_equal(id.has_date, v[i].has_date);
		assert_int_equal(id.date, v[i].date);
		assert_int_equal(id.tz, v[i].tz);
	}
	assert_int_equal(ident_split_line(&id, "no mail 12 +0000", 16), -1);
	assert_int_equal(ident_split_line(&id, "> < 12", 6), -1);
	assert_int_equal(ident_split_line(&id, "", 0), -1);
}

static void ident_formats(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(ident_format(&out, " ,\"A <U>\nThor.;,", "<a@b.>", 12, -130, true, &err), 0);
	assert_string_equal(out.buf, "A UThor. <a@b.> 12 -0130");
	strbuf_reset(&out);
	assert_int_equal(ident_format(&out, "", "m", 0, 0, false, &err), 0);
	assert_string_equal(out.buf, " <m> 0 +0000");
	strbuf_reset(&out);
	assert_int_equal(ident_format(&out, "", "m", 0, 0, true, &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "empty ident name (for <m>) not allowed");
	err_release(&err);
	assert_int_equal(ident_format(&out, " <,>", "m", 0, 0, true, &err), ERR_INVALID);
	assert_string_equal(err_message(&err),
			    "name consists only of disallowed characters:  <,>");
	assert_int_equal(out.len, 0);
	err_release(&err);
	strbuf_release(&out);
}

/* ---- commits ---- */

static const char good_commit[] =
	"tree " A40 "\nparent " B40 "\nparent " C40 "\n"
	"author A <a@x> 100 +0100\ncommitter C <c@x> 200 -0200\n"
	"encoding ISO-8859-1\n"
	"gpgsig -----BEGIN\n line 2\n  line 3\nmergetag object " A40 "\n type commit\n"
	"\nsubject\ngoes on\n\nbody\n";

static void commit_parses(void **state)
{
	struct commit_view c;
	struct object_id a = oid_of(A40), b = oid_of(B40), cc = oid_of(C40);

	(void)state;
	assert_int_equal(commit_parse(&c, good_commit, strlen(good_commit), hash_sha1, NULL), 0);
	assert_true(oid_eq(&c.tree, &a));
	assert_int_equal(c.nr_parents, 2);
	assert_true(oid_eq(&c.parents[0], &b));
	assert_true(oid_eq(&c.parents[1], &cc));
	assert_mem(c.author, c.author_len, "A <a@x> 100 +0100");
	assert_mem(c.committer, c.committer_len, "C <c@x> 200 -0200");
	assert_mem(c.encoding, c.encoding_len, "ISO-8859-1");
	assert_mem(c.message, c.message_len, "subject\ngoes on\n\nbody\n");
	assert_int_equal(c.date, 200);
	commit_view_release(&c);
	commit_view_release(&c);
}

static void commit_links(void **state)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree, a = oid_of(A40);
	timestamp_t date;
	char *bad = xstrdup(good_commit);

	(void)state;
	assert_int_equal(commit_parse_links(good_commit, strlen(good_commit), hash_sha1,
					    &tree, &parents, &date, NULL), 0);
	assert_true(oid_eq(&tree, &a));
	assert_int_equal(parents.nr, 2);
	assert_int_equal(date, 200);
	/* the second parent broken: nothing is appended */
	memcpy(strstr(bad, C40), "zz", 2);
	assert_int_equal(commit_parse_links(bad, strlen(bad), hash_sha1, &tree, &parents,
					    &date, NULL), ERR_CORRUPT);
	assert_int_equal(parents.nr, 2);
	oid_array_clear(&parents);
	free(bad);
}

static void commit_headers(void **state)
{
	struct strbuf out = STRBUF_INIT;
	size_t len = strlen(good_commit);

	(void)state;
	assert_true(commit_find_header(good_commit, len, "gpgsig", &out));
	assert_string_equal(out.buf, "-----BEGIN\nline 2\n line 3");
	strbuf_reset(&out);
	assert_true(commit_find_header(good_commit, len, "mergetag", &out));
	assert_string_equal(out.buf, "object " A40 "\ntype commit");
	assert_false(commit_find_header(good_commit, len, "subject", &out));
	assert_false(commit_find_header(good_commit, len, "gpg", &out));
	strbuf_release(&out);
}

static void commit_signatures(void **state)
{
	static const char text[] = "tree x\ngpgsig one\n  two\n\ngpgsig-sha256 t\n u\n", odd[] =
		"gpgsig a\nx y\n z\ngpgsig-sha256 b\n c\ngpgsig d\n\n\ngpgsig e\n";
	struct strbuf payload = STRBUF_INIT, sig = STRBUF_INIT;

	(void)state;
	assert_true(commit_split_signature(text, strlen(text), hash_sha1, &payload, &sig));
	assert_string_equal(payload.buf, "tree x\n\ngpgsig-sha256 t\n u\n");
	assert_string_equal(sig.buf, "one\n two\n");
	strbuf_reset(&payload);
	strbuf_reset(&sig);
	assert_true(commit_split_signature(odd, strlen(odd), hash_sha1, &payload, &sig));
	assert_string_equal(payload.buf, "x y\n z\n\n\ngpgsig e\n");
	assert_string_equal(sig.buf, "a\nd\n");
	strbuf_reset(&sig);
	assert_true(commit_split_signature(odd, strlen(odd), hash_sha256, &payload, &sig));
	assert_string_equal(sig.buf, "b\nc\n");
	strbuf_reset(&payload);
	strbuf_reset(&sig);
	/* An end in the middle of the header, a message without an end */
	assert_true(commit_split_signature(text, 13, hash_sha1, &payload, &sig));
	assert_string_equal(payload.buf, "tree x\n");
	assert_string_equal(sig.buf, "\n");
	assert_false(commit_split_signature("a b\n\nc", 6, hash_sha1, &payload, &sig));
	assert_string_equal(payload.buf, "tree x\na b\n\nc");
	strbuf_release(&payload);
	strbuf_release(&sig);
}

static void commit_repeated_headers(void **state)
{
	static const char text[] = "m 1\nn 2\nm 3\n 4\n\nm 5\n";
	struct strbuf out = STRBUF_INIT;
	size_t at = 0;

	(void)state;
	while (commit_next_header(text, strlen(text), &at, "m", &out))
		strbuf_addch(&out, ';');
	assert_string_equal(out.buf, "1;3\n4;");
	strbuf_release(&out);
}

static void commit_without_message(void **state)
{
	static const char bare[] = "tree " A40 "\n";
	struct commit_view c;

	(void)state;
	assert_int_equal(commit_parse(&c, bare, strlen(bare), hash_sha1, NULL), 0);
	assert_int_equal(c.nr_parents, 0);
	assert_int_equal(c.message_len, 0);
	assert_int_equal(c.author_len, 0);
	assert_int_equal(c.date, 0);
	commit_view_release(&c);
}

static void commit_composes(void **state)
{
	struct object_id parents[] = { oid_of(B40), oid_of(C40) };
	struct commit_draft d = {
		.tree = oid_of(A40), .parents = parents, .nr_parents = 2,
		.author = "A <a@x> 100 +0100", .committer = "C <c@x> 200 -0200",
		.encoding = "ISO-8859-1", .extra_headers = "x-y 1",
		.gpgsig = "-----BEGIN\nline 2\n", .message = "m\0n", .message_len = 1,
	};
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(commit_compose(&out, &d, &err), 0);
	assert_string_equal(out.buf,
		"tree " A40 "\nparent " B40 "\nparent " C40 "\n"
		"author A <a@x> 100 +0100\ncommitter C <c@x> 200 -0200\n"
		"encoding ISO-8859-1\nx-y 1\ngpgsig -----BEGIN\n line 2\n\nm");
	strbuf_reset(&out);
	d.message_len = 3;
	assert_int_equal(commit_compose(&out, &d, &err), ERR_CORRUPT);
	assert_string_equal(err_message(&err),
			    "a NUL byte in commit log message not allowed");
	assert_int_equal(out.len, 0);
	err_release(&err);
	d.message_len = 1;
	d.encoding = "utf-8";
	assert_int_equal(commit_compose(&out, &d, &err), 0);
	assert_null(strstr(out.buf, "encoding"));
	strbuf_release(&out);
}

static void subject_and_body(void **state)
{
	static const char m[] = "\n  \nfirst  \nsecond\n \n\nbody 1\n\nbody 2\n";
	struct strbuf s = STRBUF_INIT;
	const char *body;
	size_t len;

	(void)state;
	commit_subject(&s, m, strlen(m), " ");
	assert_string_equal(s.buf, "first second");
	body = commit_body(m, strlen(m), &len);
	assert_mem(body, len, "body 1\n\nbody 2\n");
	strbuf_reset(&s);
	commit_subject(&s, "", 0, " ");
	assert_int_equal(s.len, 0);
	commit_body("x", 1, &len);
	assert_int_equal(len, 0);
	strbuf_release(&s);
}

static void parse_any_commit(const void *p, size_t len)
{
	struct commit_view c;
	struct strbuf out = STRBUF_INIT;

	if (!commit_parse(&c, p, len, hash_sha1, NULL)) {
		size_t n;

		commit_subject(&out, c.message, c.message_len, " ");
		commit_body(c.message, c.message_len, &n);
		commit_view_release(&c);
	}
	commit_find_header(p, len, "mergetag", &out);
	strbuf_reset(&out);
	commit_split_signature(p, len, hash_sha1, &out, &out);
	assert_true(out.len <= len);
	strbuf_release(&out);
}

static void commit_mutations(void **state)
{
	(void)state;
	parse_mutations(good_commit, strlen(good_commit), parse_any_commit);
}

/* ---- tags ---- */

static const char good_tag[] =
	"object " A40 "\ntype commit\ntag v1.0\ntagger T <t@x> 1 +0000\n"
	"\nmessage\n-----BEGIN PGP SIGNATURE-----\nquoted\n"
	"-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----\n";

static void tag_parses(void **state)
{
	struct object_id a = oid_of(A40);
	struct tag_view t;

	(void)state;
	assert_int_equal(tag_parse(&t, good_tag, strlen(good_tag), hash_sha1, NULL), 0);
	assert_true(oid_eq(&t.target, &a));
	assert_int_equal(t.target_type, OBJ_COMMIT);
	assert_mem(t.name, t.name_len, "v1.0");
	assert_mem(t.tagger, t.tagger_len, "T <t@x> 1 +0000");
	assert_int_equal(strncmp(t.message, "message\n", 8), 0);
	assert_int_equal(strncmp(t.message + t.signature_offset, "-----BEGIN SSH", 14), 0);
}

static void tag_signatures(void **state)
{
	static const char plain[] = "object " A40 "\ntype blob\ntag t\ngpgsig x\n y\n\nm\n";
	struct strbuf payload = STRBUF_INIT, sig = STRBUF_INIT;
	struct tag_view t;

	(void)state;
	assert_int_equal(tag_parse(&t, good_tag, strlen(good_tag), hash_sha1, NULL), 0);
	assert_true(tag_split_signature(&t, good_tag, &payload, &sig));
	assert_string_equal(sig.buf,
			    "-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----\n");
	assert_int_equal(payload.len + sig.len, strlen(good_tag));
	assert_memory_equal(payload.buf, good_tag, payload.len);
	strbuf_reset(&payload);
	strbuf_reset(&sig);
	assert_int_equal(tag_parse(&t, plain, strlen(plain), hash_sha1, NULL), 0);
	assert_false(tag_split_signature(&t, plain, &payload, &sig));
	assert_string_equal(payload.buf, "object " A40 "\ntype blob\ntag t\n\nm\n");
	assert_int_equal(sig.len, 0);
	strbuf_release(&payload);
	strbuf_release(&sig);
}

static void tag_refuses(void **state)
{
	static const char *const bad[] = {
		"", "object " A40, "object " A40 "\n", "object aa\ntype commit\ntag x\n\n",
		"object " A40 "\ntype\ntag x\n\n", "object " A40 "\ntype foo\ntag x\n\n",
		"object " A40 "\ntype blob\n\nx", "object " A40 "\ntype blob\ntag x",
	};
	struct tag_view t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tag_parse(&t, bad[i], strlen(bad[i]), hash_sha1, NULL),
				 ERR_CORRUPT);
}

static void parse_any_tag(const void *p, size_t len)
{
	struct tag_view t;

	if (!tag_parse(&t, p, len, hash_sha1, NULL))
		assert_true(t.signature_offset <= t.message_len);
}

static void tag_mutations(void **state)
{
	(void)state;
	parse_mutations(good_tag, strlen(good_tag), parse_any_tag);
}

/* ---- trees ---- */

static void add_entry(struct strbuf *t, unsigned mode, const char *name)
{
	struct object_id a = oid_of(A40);

	tree_append(t, mode, name, strlen(name), &a);
}

static void tree_iterates(void **state)
{
	struct strbuf t = STRBUF_INIT;
	struct tree_iter it;
	struct tree_entry e;

	(void)state;
	add_entry(&t, 0100664, "a");
	add_entry(&t, MODE_TREE, "b");
	add_entry(&t, MODE_GITLINK, "c");
	tree_iter_init(&it, t.buf, t.len, hash_sha1);
	assert_int_equal(tree_iter_next(&it, &e, NULL), 1);
	assert_int_equal(e.mode, MODE_FILE);
	assert_int_equal(e.raw_mode, 0100664);
	assert_string_equal(e.name, "a");
	assert_int_equal(tree_iter_next(&it, &e, NULL), 1);
	assert_int_equal(mode_object_type(e.mode), OBJ_TREE);
	assert_int_equal(tree_iter_next(&it, &e, NULL), 1);
	assert_int_equal(mode_object_type(e.mode), OBJ_COMMIT);
	assert_int_equal(tree_iter_next(&it, &e, NULL), 0);
	assert_int_equal(tree_iter_next(&it, &e, NULL), 0);
	strbuf_release(&t);
}

static void parse_any_tree(const void *p, size_t len)
{
	struct tree_iter it;
	struct tree_entry e;

	tree_iter_init(&it, p, len, hash_sha1);
	while (tree_iter_next(&it, &e, NULL) > 0)
		assert_int_equal(strlen(e.name), e.name_len);
}

static void tree_mutations(void **state)
{
	struct strbuf t = STRBUF_INIT;

	(void)state;
	add_entry(&t, MODE_FILE, "name");
	add_entry(&t, MODE_TREE, "other");
	parse_mutations(t.buf, t.len, parse_any_tree);
	strbuf_release(&t);
}

static void tree_refuses(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *msg;
	} bad[] = {
		{ "100644", 6, "too-short tree object" },
		{ "10x644 a\0aaaaaaaaaaaaaaaaaaa", 28, "too-short tree object" },
		{ " a\0aaaaaaaaaaaaaaaaaaaa", 23, "malformed mode in tree entry" },
		{ "10x644 a\0aaaaaaaaaaaaaaaaaaaa", 29, "malformed mode in tree entry" },
		{ "7777777777777 a\0aaaaaaaaaaaaaaaaaaaa", 36, "malformed mode in tree entry" },
		{ "100644 a\0aaaaaaaaaaaaaaaaaaa", 28, "too-short tree object" },
		{ "100644 abc", 10, "too-short tree object" },
		{ "100644 \0aaaaaaaaaaaaaaaaaaaa", 28, "empty filename in tree entry" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = ERR_INIT;
		struct tree_iter it;
		struct tree_entry e;

		tree_iter_init(&it, bad[i].bytes, bad[i].len, hash_sha1);
		assert_int_equal(tree_iter_next(&it, &e, &err), ERR_CORRUPT);
		assert_string_equal(err_message(&err), bad[i].msg);
		err_release(&err);
	}
}

static void tree_order(void **state)
{
	(void)state;
	/* as bytes "a" < "a-b" < "a.c", but a directory "a" comes after both */
	assert_true(tree_entry_cmp("a", 1, MODE_FILE, "a-b", 3, MODE_FILE) < 0);
	assert_true(tree_entry_cmp("a", 1, MODE_TREE, "a-b", 3, MODE_FILE) > 0);
	assert_true(tree_entry_cmp("a", 1, MODE_TREE, "a.c", 3, MODE_TREE) > 0);
	assert_true(tree_entry_cmp("a", 1, MODE_TREE, "a0", 2, MODE_FILE) < 0);
	assert_int_equal(tree_entry_cmp("a", 1, MODE_TREE, "a", 1, MODE_TREE), 0);
	assert_true(tree_entry_cmp("\xff", 1, MODE_FILE, "a", 1, MODE_FILE) > 0);
}

/* ---- a source of objects in memory ---- */

struct shelf {
	struct {
		struct object_id oid;
		enum object_type type;
		const char *data;
		size_t size;
	} v[16];
	size_t nr;
};

static void put(struct shelf *s, const char *hex, enum object_type type,
		const char *data, size_t size)
{
	s->v[s->nr].oid = oid_of(hex);
	s->v[s->nr].type = type;
	s->v[s->nr].data = data;
	s->v[s->nr++].size = size;
}

static int shelf_read(void *data, const struct object_id *oid, struct object_buf *out,
		      struct err *err)
{
	struct shelf *s = data;

	for (size_t i = 0; i < s->nr; i++)
		if (oid_eq(&s->v[i].oid, oid)) {
			*out = (struct object_buf){ s->v[i].type,
				xmemdupz(s->v[i].data, s->v[i].size), s->v[i].size };
			return 0;
		}
	return err_set(err, ERR_NOT_FOUND, "no %s", oid_hex(oid));
}

static int shelf_info(void *data, const struct object_id *oid, struct object_info *out,
		      struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = shelf_read(data, oid, &buf, err);

	out->type = buf.type;
	out->size = buf.size;
	object_buf_release(&buf);
	return rc;
}

static void peels(void **state)
{
	static const char tag1[] = "object " B40 "\ntype tag\ntag t\n\n";
	static const char tag2[] = "object " C40 "\ntype commit\ntag t\n\n";
	static const char commit[] = "tree " A40 "\n\n";
	static const char hex[] = "dddddddddddddddddddddddddddddddddddddddd";
	struct shelf s = { .nr = 0 };
	struct object_source src = { shelf_read, shelf_info, NULL, &s, hash_sha1, 0, NULL };
	struct object_id out, start = oid_of(hex), c = oid_of(C40), a = oid_of(A40);
	struct err err = ERR_INIT;
	enum object_type type;

	(void)state;
	put(&s, hex, OBJ_TAG, tag1, strlen(tag1));
	put(&s, B40, OBJ_TAG, tag2, strlen(tag2));
	put(&s, C40, OBJ_COMMIT, commit, strlen(commit));
	put(&s, A40, OBJ_TREE, "", 0);
	assert_int_equal(object_peel(&src, &start, OBJ_ANY, &out, &type, NULL), 0);
	assert_true(oid_eq(&out, &c));
	assert_int_equal(type, OBJ_COMMIT);
	assert_int_equal(object_peel(&src, &start, OBJ_TREE, &out, &type, NULL), 0);
	assert_true(oid_eq(&out, &a));
	assert_int_equal(object_peel(&src, &start, OBJ_TAG, &out, &type, NULL), 0);
	assert_true(oid_eq(&out, &start));
	assert_int_equal(object_peel(&src, &start, OBJ_BLOB, &out, NULL, &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "object " C40 " is a commit, not a blob");
	err_release(&err);
}

/* Tag n is of tag n - 1, and so on; number 0 is a blob. Readings are counted. */
static void numbered_tag(struct object_id *oid, uint32_t n)
{
	*oid = hash_sha1->null_oid;
	oid->algo = HASH_SHA1;
	memcpy(oid->hash, &n, sizeof(n));
}

static int chain_info(void *data UNUSED, const struct object_id *oid, struct object_info *out, struct err *err UNUSED)
{
	uint32_t n;

	memcpy(&n, oid->hash, sizeof(n));
	*out = (struct object_info){ .type = n ? OBJ_TAG : OBJ_BLOB };
	return 0;
}

static int chain_read(void *data, const struct object_id *oid, struct object_buf *out, struct err *err UNUSED)
{
	struct strbuf sb = STRBUF_INIT;
	struct object_id target;
	uint32_t n;

	++*(size_t *)data;
	memcpy(&n, oid->hash, sizeof(n));
	numbered_tag(&target, n - 1);
	strbuf_addf(&sb, "object %s\ntype %s\ntag t\n\n", oid_hex(&target), n > 1 ? "tag" : "blob");
	*out = (struct object_buf){ .type = OBJ_TAG, .size = sb.len };
	out->data = strbuf_detach(&sb, NULL);
	return 0;
}

/* Each tag of a chain is peeled: from the first, from the last, and with a stride. */
static void peels_chains(void **state UNUSED)
{
	enum { N = 500 };
	static const uint32_t steps[] = { 1, N, 211 };

	for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
		size_t readings = 0;
		struct object_source src = { chain_read, chain_info, NULL, &readings, hash_sha1, 0, peel_memo_new() };
		struct object_id tag, end, out;
		enum object_type type;

		numbered_tag(&end, 0);
		for (uint32_t i = 0; i < N; i++) {
			numbered_tag(&tag, 1 + i * steps[k] % (N + 1));
			assert_int_equal(object_peel(&src, &tag, OBJ_ANY, &out, &type, NULL), 0);
			assert_true(oid_eq(&out, &end));
			assert_int_equal(type, OBJ_BLOB);
		}
		assert_in_range(readings, N, 10 * N);
		peel_memo_free(src.peeled);
	}
}

static int note_path(void *data, const char *path, size_t len, const struct tree_entry *e,
		     struct err *err)
{
	(void)err;
	strbuf_add(data, path, len);
	strbuf_addch(data, MODE_IS_TREE(e->mode) ? '/' : ' ');
	if (!strcmp(path, "p/skip"))
		return TREE_WALK_SKIP;
	return TREE_WALK_DESCEND;
}

static void tree_paths(void **state)
{
	struct strbuf top = STRBUF_INIT, sub = STRBUF_INIT, seen = STRBUF_INIT;
	struct object_id oid, root = oid_of(C40), b = oid_of(B40);
	struct shelf s = { .nr = 0 };
	struct object_source src = { shelf_read, shelf_info, NULL, &s, hash_sha1, 0, NULL };
	unsigned mode;

	(void)state;
	add_entry(&top, MODE_FILE, "f");
	tree_append(&top, MODE_TREE, "skip", 4, &b);
	tree_append(&top, MODE_TREE, "sub", 3, &b);
	add_entry(&sub, MODE_EXEC, "x");
	put(&s, C40, OBJ_TREE, top.buf, top.len);
	put(&s, B40, OBJ_TREE, sub.buf, sub.len);
	assert_int_equal(tree_walk(&src, &root, "p/", note_path, &seen, NULL), 0);
	assert_string_equal(seen.buf, "p/f p/skip/p/sub/p/sub/x ");

	assert_int_equal(tree_lookup_path(&src, &root, "sub/x", &mode, &oid, NULL), 0);
	assert_int_equal(mode, MODE_EXEC);
	assert_int_equal(tree_lookup_path(&src, &root, "sub/", &mode, &oid, NULL), 0);
	assert_true(oid_eq(&oid, &b));
	assert_int_equal(tree_lookup_path(&src, &root, "", &mode, &oid, NULL), 0);
	assert_true(oid_eq(&oid, &root));
	assert_int_equal(tree_lookup_path(&src, &root, "f/", &mode, &oid, NULL), ERR_NOT_FOUND);
	assert_int_equal(tree_lookup_path(&src, &root, "f/x", &mode, &oid, NULL), ERR_NOT_FOUND);
	assert_int_equal(tree_lookup_path(&src, &root, "su", &mode, &oid, NULL), ERR_NOT_FOUND);
	strbuf_release(&top);
	strbuf_release(&sub);
	strbuf_release(&seen);
}

/* A tree that contains itself (as a faulty source can make it seem): the depth is limited. */
static void tree_without_end(void **state)
{
	struct strbuf t = STRBUF_INIT, seen = STRBUF_INIT;
	struct object_id a = oid_of(A40);
	struct shelf s = { .nr = 0 };
	struct object_source src = { shelf_read, shelf_info, NULL, &s, hash_sha1, 0, NULL };
	struct err err = ERR_INIT;

	(void)state;
	add_entry(&t, MODE_TREE, "d");
	put(&s, A40, OBJ_TREE, t.buf, t.len);
	assert_int_equal(tree_walk(&src, &a, "", note_path, &seen, &err), ERR_TOO_BIG);
	err_release(&err);
	strbuf_release(&t);
	strbuf_release(&seen);
}

/* ---- names ---- */

static void safe_names(void **state)
{
	static const struct {
		const char *name;
		unsigned mode, protect;
		bool safe;
	} v[] = {
		{ "a", MODE_FILE, 3, true },
		{ "", MODE_FILE, 0, false },
		{ ".", MODE_FILE, 0, false },
		{ "..", MODE_FILE, 0, false },
		{ "...", MODE_FILE, 3, true },
		{ ".git", MODE_TREE, 0, false },
		{ ".GiT", MODE_TREE, 0, false },
		{ ".gitx", MODE_TREE, 3, true },
		{ ".gitmodules", MODE_FILE, 3, true },
		{ ".gitmodules", MODE_SYMLINK, 0, false },
		{ ".git ", MODE_TREE, 0, true },
		{ ".git ", MODE_TREE, PROTECT_NTFS, false },
		{ ".git. . ", MODE_TREE, PROTECT_NTFS, false },
		{ ".git. .x", MODE_TREE, PROTECT_NTFS, true },
		{ ".git:x", MODE_TREE, PROTECT_NTFS, false },
		{ ".git::$INDEX_ALLOCATION", MODE_TREE, PROTECT_NTFS, false },
		{ "GIT~1", MODE_TREE, PROTECT_NTFS, false },
		{ "git~1 .", MODE_TREE, PROTECT_NTFS, false },
		{ "git~2", MODE_TREE, PROTECT_NTFS, true },
		{ "x\\.git", MODE_FILE, PROTECT_NTFS, false },
		{ "x\\.git\\y", MODE_FILE, PROTECT_NTFS, false },
		{ "x\\.git", MODE_FILE, PROTECT_HFS, true },
		{ "x\\y", MODE_FILE, PROTECT_NTFS, true },
		{ ".g\xe2\x80\x8cit", MODE_TREE, PROTECT_HFS, false },
		{ ".g\xe2\x80\x8cit", MODE_TREE, PROTECT_NTFS, true },
		{ "\xef\xbb\xbf.GIT\xe2\x80\xae", MODE_TREE, PROTECT_HFS, false },
		{ ".g\xe2\x80\xbait", MODE_TREE, PROTECT_HFS, true },
		{ ".g\xe2\x80", MODE_TREE, PROTECT_HFS, true },
		{ "gitmod~1", MODE_SYMLINK, PROTECT_NTFS, false },
		{ "gitmod~5", MODE_SYMLINK, PROTECT_NTFS, true },
		{ "GI7EBA~1", MODE_SYMLINK, PROTECT_NTFS, false },
		{ "gi7eb~12", MODE_SYMLINK, PROTECT_NTFS, false },
		{ "~1000000", MODE_SYMLINK, PROTECT_NTFS, false },
		{ "~0000000", MODE_SYMLINK, PROTECT_NTFS, true },
		{ "gi7eba~1x", MODE_SYMLINK, PROTECT_NTFS, true },
		{ "gi7eba~1 .", MODE_SYMLINK, PROTECT_NTFS, false },
		{ "gi7eba~", MODE_SYMLINK, PROTECT_NTFS, true },
		{ "gi7ebaxx", MODE_SYMLINK, PROTECT_NTFS, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		size_t len = strlen(v[i].name);
		char *exact = xmemdup(v[i].name, len);

		if (path_component_is_safe(exact, len, v[i].mode, v[i].protect) != v[i].safe)
			fail_msg("'%s' should be %s", v[i].name, v[i].safe ? "safe" : "unsafe");
		free(exact);
	}
	assert_true(path_is_safe("a/b/.gitmodules", MODE_FILE, 3));
	assert_false(path_is_safe("a/b/.gitmodules", MODE_SYMLINK, 0));
	assert_false(path_is_safe("a/../b", MODE_FILE, 0));
	assert_false(path_is_safe("a//b", MODE_FILE, 0));
	assert_false(path_is_safe("/a", MODE_FILE, 0));
	assert_false(path_is_safe("a/", MODE_FILE, 0));
	assert_false(path_is_safe("a/.git/b", MODE_FILE, 0));
	assert_false(path_is_safe("", MODE_FILE, 0));
}

/* ---- entries that another tree has not ---- */

#define NAMES 60

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* versions[i]: 0: no such entry; else what its id is made of. */
static void make_tree(struct strbuf *out, const unsigned *versions)
{
	struct object_id oid;
	char name[40];

	strbuf_reset(out);
	for (unsigned i = 0; i < NAMES; i++) {
		memset(&oid, 0, sizeof(oid));
		oid.algo = HASH_SHA1;
		memset(oid.hash, (int)versions[i], 19); /* the last byte differs alone */
		oid.hash[19] = (unsigned char)(versions[i] * 7 + i);
		snprintf(name, sizeof(name), "entry-%02u%.*s", i, (int)(i % 9), "-lengthy");
		if (versions[i])
			tree_append(out, i % 5 ? MODE_FILE : MODE_EXEC, name, strlen(name), &oid);
	}
}

static void assert_news(const unsigned *old, const unsigned *new)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct tree_new_iter it;
	struct raw_tree_entry e;

	make_tree(&a, old);
	make_tree(&b, new);
	tree_new_iter_init(&it, b.buf, b.len, a.buf, a.len, hash_sha1);
	for (unsigned i = 0; i < NAMES; i++) {
		if (!new[i] || new[i] == old[i])
			continue;
		assert_int_equal(tree_new_iter_next(&it, &e, NULL), 1);
		assert_int_equal(atoi(e.name + 6), i);
		assert_int_equal(e.oid[19], (unsigned char)(new[i] * 7 + i));
	}
	assert_int_equal(tree_new_iter_next(&it, &e, NULL), 0);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void tree_news(void **state UNUSED)
{
	unsigned old[NAMES], new[NAMES];
	uint32_t seed = 1;

	for (int round = 0; round < 2000; round++) {
		unsigned rate = 1 + next_random(&seed) % 30;

		for (unsigned i = 0; i < NAMES; i++) {
			old[i] = next_random(&seed) % 3;
			new[i] = next_random(&seed) % rate ? old[i] : next_random(&seed) % 3;
		}
		assert_news(old, new);
	}
}

/* A tree that is cut, or has other bytes, is as malformed beside another one as alone. */
static void tree_news_of_malformed(void **state UNUSED)
{
	unsigned versions[NAMES];
	struct strbuf a = STRBUF_INIT;

	for (unsigned i = 0; i < NAMES; i++)
		versions[i] = 1 + i % 2;
	make_tree(&a, versions);
	for (size_t len = 0; len <= a.len; len++) {
		for (size_t change = 0; change < 2; change++) {
			char *b = xmemdupz(a.buf, len);
			struct tree_new_iter n;
			struct raw_tree_entry e;
			struct tree_iter it;
			int want, got;

			if (change && len)
				b[len * 5 / 7] = 'x';
			tree_iter_init(&it, b, len, hash_sha1);
			while ((want = tree_iter_next_raw(&it, &e, NULL)) > 0)
				;
			tree_new_iter_init(&n, b, len, a.buf, a.len, hash_sha1);
			while ((got = tree_new_iter_next(&n, &e, NULL)) > 0)
				;
			assert_int_equal(got, want);
			free(b);
		}
	}
	strbuf_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_round_trip),
		cmocka_unit_test(header_refuses),
		cmocka_unit_test(ident_splits),
		cmocka_unit_test(ident_accepts_malformed),
		cmocka_unit_test(ident_formats),
		cmocka_unit_test(commit_parses),
		cmocka_unit_test(commit_links),
		cmocka_unit_test(commit_headers),
		cmocka_unit_test(commit_signatures),
		cmocka_unit_test(commit_repeated_headers),
		cmocka_unit_test(commit_without_message),
		cmocka_unit_test(commit_composes),
		cmocka_unit_test(subject_and_body),
		cmocka_unit_test(commit_mutations),
		cmocka_unit_test(tag_parses),
		cmocka_unit_test(tag_signatures),
		cmocka_unit_test(tag_refuses),
		cmocka_unit_test(tag_mutations),
		cmocka_unit_test(tree_iterates),
		cmocka_unit_test(tree_mutations),
		cmocka_unit_test(tree_refuses),
		cmocka_unit_test(tree_order),
		cmocka_unit_test(tree_news),
		cmocka_unit_test(tree_news_of_malformed),
		cmocka_unit_test(peels),
		cmocka_unit_test(peels_chains),
		cmocka_unit_test(tree_paths),
		cmocka_unit_test(tree_without_end),
		cmocka_unit_test(safe_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
