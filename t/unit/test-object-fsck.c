/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of object content: message ids, texts, severities, order. t1050 compares the
 * findings with those of stock Git.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "object/fsck.h"
#include "object/tree.h"
#include "util/alloc.h"

#define T40 "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
#define TREE "tree " T40 "\n"
#define AUTHOR "author A <a@x> 1 +0000\n"
#define COMMITTER "committer C <c@x> 1 +0000\n"
#define TAG "object " T40 "\ntype tree\ntag t\n"

static struct strbuf reported = STRBUF_INIT;

static int record_finding(void *data UNUSED, const struct object_id *oid UNUSED,
		enum object_type type UNUSED, enum fsck_severity severity,
		const char *msg_id, const char *text UNUSED)
{
	strbuf_addf(&reported, "%s%s%s", reported.len ? " " : "",
		    severity == FSCK_ERROR ? "E:" : "W:", msg_id);
	return severity == FSCK_ERROR;
}

static struct object_id name(const char *type, const void *p, size_t len)
{
	struct object_id oid;

	assert_int_equal(hash_object_buf(hash_sha1, type, p, len, &oid, NULL), 0);
	return oid;
}

static void check(struct fsck_options *o, enum object_type type, const void *p, size_t len,
		  const char *want)
{
	struct object_id oid = name(object_type_name(type), p, len);
	void *exact = xmemdup(p, len);
	int failures;

	strbuf_reset(&reported);
	o->report = record_finding;
	failures = fsck_object(o, &oid, type, exact, len, hash_sha1);
	free(exact);
	if (strcmp(reported.buf, want))
		fail_msg("'%.*s': '%s' instead of '%s'", (int)len, (const char *)p, reported.buf, want);
	assert_int_equal(failures > 0, strstr(want, "E:") != NULL);
}

static void check_text(enum object_type type, const char *text, const char *want)
{
	struct fsck_options o = { 0 };

	check(&o, type, text, strlen(text), want);
	fsck_options_release(&o);
}

static void commits(void **state UNUSED)
{
	static const char nul[] = TREE AUTHOR COMMITTER "\nm\0n";
	static const char nul_header[] = TREE "author A <a\0@x> 1 +0000\n" COMMITTER "\nm";
	struct fsck_options o = { 0 };

	check_text(OBJ_COMMIT, TREE AUTHOR COMMITTER "\nm", "");
	check_text(OBJ_COMMIT, TREE AUTHOR COMMITTER, "");
	check_text(OBJ_COMMIT, "", "E:unterminatedHeader");
	check_text(OBJ_COMMIT, TREE AUTHOR COMMITTER "x", "E:unterminatedHeader");
	check_text(OBJ_COMMIT, AUTHOR COMMITTER "\nm", "E:missingTree");
	check_text(OBJ_COMMIT, "tree " T40 "0\n" AUTHOR COMMITTER "\nm", "E:badTreeSha1");
	check_text(OBJ_COMMIT, "tree 123\n" AUTHOR COMMITTER "\nm", "E:badTreeSha1");
	check_text(OBJ_COMMIT, TREE "parent 12\n" AUTHOR COMMITTER "\nm", "E:badParentSha1");
	check_text(OBJ_COMMIT, TREE COMMITTER "\nm", "E:missingAuthor");
	check_text(OBJ_COMMIT, TREE AUTHOR AUTHOR COMMITTER "\nm", "E:multipleAuthors");
	check_text(OBJ_COMMIT, TREE AUTHOR "\nm", "E:missingCommitter");
	check(&o, OBJ_COMMIT, nul, sizeof(nul) - 1, "W:nulInCommit");
	check(&o, OBJ_COMMIT, nul_header, sizeof(nul_header) - 1, "E:nulInHeader");
	fsck_options_release(&o);
}

static void idents(void **state UNUSED)
{
	static const struct {
		const char *ident, *want;
	} v[] = {
		{ "A <a@x> 1 +0000", "" },
		{ " <> 0 -9999", "" },
		{ "A <a@x>  1 +0000", "" },
		{ "<a@x> 1 +0000", "E:missingNameBeforeEmail" },
		{ "A a@x> 1 +0000", "E:badName" },
		{ "A", "E:missingEmail" },
		{ "", "E:missingEmail" },
		{ "A<a@x> 1 +0000", "E:missingSpaceBeforeEmail" },
		{ "A <a@x 1 +0000", "E:badEmail" },
		{ "A <a<b> 1 +0000", "E:badEmail" },
		{ "A <a@x>1 +0000", "E:missingSpaceBeforeDate" },
		{ "A <a@x>", "E:missingSpaceBeforeDate" },
		{ "A <a@x> ", "E:badDate" },
		{ "A <a@x> 01 +0000", "E:zeroPaddedDate" },
		{ "A <a@x> 0", "E:zeroPaddedDate" },
		{ "A <a@x> x +0000", "E:badDate" },
		{ "A <a@x> 1", "E:badDate" },
		{ "A <a@x> 9223372036854775807 +0000", "" },
		{ "A <a@x> 9223372036854775808 +0000", "E:badDateOverflow" },
		{ "A <a@x> -1 +0000", "E:badDate" },
		{ "A <a@x> 1 0000", "E:badTimezone" },
		{ "A <a@x> 1 +000", "E:badTimezone" },
		{ "A <a@x> 1 +0000 ", "E:badTimezone" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		char *c = xstrfmt(TREE "author %s\n" COMMITTER "\nm", v[i].ident);
		char *t = xstrfmt(TAG "tagger %s\n\nm", v[i].ident);

		check_text(OBJ_COMMIT, c, v[i].want);
		check_text(OBJ_TAG, t, v[i].want);
		free(c);
		free(t);
	}
}

static void tags(void **state UNUSED)
{
	struct fsck_options o = { 0 };
	struct err err = ERR_INIT;

	check_text(OBJ_TAG, TAG "tagger A <a@x> 1 +0000\n\nm", "");
	check_text(OBJ_TAG, TAG "\nm", "W:missingTaggerEntry");
	check_text(OBJ_TAG, "\n", "E:missingObject");
	check_text(OBJ_TAG, "object 12\ntype tree\ntag t\n\n", "E:badObjectSha1");
	check_text(OBJ_TAG, "object " T40 "\n\n", "E:missingTypeEntry");
	check_text(OBJ_TAG, "object " T40 "\ntype x\n\n", "E:badType");
	check_text(OBJ_TAG, "object " T40 "\ntype blob\n\n", "E:missingTagEntry");
	check_text(OBJ_TAG, "object " T40 "\ntype blob\ntag a..b\n\n",
		   "W:badTagName W:missingTaggerEntry");
	check_text(OBJ_TAG, TAG "tagger A <a@x> 1 +0000\nextra\n\nm", "");
	assert_int_equal(fsck_set_severity(&o, "EXTRAHEADERENTRY", "error", &err), 0);
	check(&o, OBJ_TAG, TAG "tagger A <a@x> 1 +0000\nextra\n\nm",
	      strlen(TAG "tagger A <a@x> 1 +0000\nextra\n\nm"), "E:extraHeaderEntry");
	fsck_options_release(&o);
}

static void tag_names(void **state UNUSED)
{
	static const char *const good[] = { "a", "v1.0", "a/b", "@", "-x", "x.y", "a@b", "\xc3\xa9" };
	static const char *const bad[] = { "", "a b", "a..b", "x.lock", "x.lock/y", ".a", "a/.b",
					   "a/", "a//b", "a.", "a~", "a^", "a:", "a?", "a*", "a[",
					   "a\\", "a@{b", "a\x7f", "a\tb" };
	for (int is_bad = 0; is_bad < 2; is_bad++)
		for (size_t i = 0; i < (is_bad ? ARRAY_SIZE(bad) : ARRAY_SIZE(good)); i++) {
			char *t = xstrfmt("object " T40 "\ntype tree\ntag %s\n"
					  "tagger A <a@x> 1 +0000\n\nm",
					  is_bad ? bad[i] : good[i]);

			check_text(OBJ_TAG, t, is_bad ? "W:badTagName" : "");
			free(t);
		}
}

/* ---- trees ---- */

static struct strbuf tree = STRBUF_INIT;

static void add(const char *mode, const char *path)
{
	strbuf_addf(&tree, "%s %s", mode, path);
	strbuf_addch(&tree, 0);
	strbuf_add(&tree, "01234567890123456789", 20);
}

static void tree_is(bool strict, const char *want)
{
	struct fsck_options o = { .strict = strict };

	check(&o, OBJ_TREE, tree.buf, tree.len, want);
	strbuf_reset(&tree);
	fsck_options_release(&o);
}

static void trees(void **state UNUSED)
{
	tree_is(false, "");
	add("100644", "a");
	tree_is(true, "");
	add("100664", "a");
	tree_is(false, "");
	add("100664", "a");
	tree_is(true, "W:badFilemode");
	add("0100644", "a");
	tree_is(false, "W:zeroPaddedFilemode");
	add("0100644", "a");
	tree_is(true, "E:zeroPaddedFilemode");
	add("100600", ".GIT");
	tree_is(false, "W:hasDotgit W:badFilemode");
	add("100644", "..");
	add("100644", "x/y");
	tree_is(false, "W:fullPathname W:hasDotdot");
	add("100644", "a");
	add("100644", "a");
	tree_is(false, "E:duplicateEntries");
	add("100644", "a");
	add("100644", "a-b");
	add("100644", "a-b-c");
	add("100644", "a.x");
	add("40000", "a");
	tree_is(false, "E:duplicateEntries");
	add("100644", "a");
	add("100644", "a.x");
	add("40000", "b");
	tree_is(false, "");
	add("40000", "a");
	add("100644", "a.x");
	tree_is(false, "E:treeNotSorted");
	add("120000", ".gitmodules");
	tree_is(false, "E:gitmodulesSymlink");
	add("120000", ".gitignore");
	tree_is(true, "W:gitignoreSymlink");
	strbuf_add(&tree, "100644 a\0short", 14);
	tree_is(false, "E:badTree");
}

/* ---- severities ---- */

static void severities(void **state UNUSED)
{
	static const char no_tree[] = AUTHOR "\n";
	static struct fsck_options o;
	struct err err = ERR_INIT;
	struct oidset skip = OIDSET_INIT;
	struct object_id oid = name("commit", no_tree, strlen(no_tree));

	assert_true(fsck_msg_id_exists("missingtree"));
	assert_false(fsck_msg_id_exists("skipList"));
	assert_int_equal(fsck_set_severity(&o, "foo", "warn", &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "Unhandled message id: foo");
	err_release(&err);
	assert_int_equal(fsck_set_severity(&o, "missingTree", "foo", &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "Unknown fsck message type: 'foo'");
	err_release(&err);
	assert_int_equal(fsck_set_severity(&o, "nulInHeader", "warn", &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "Cannot demote nulInHeader to warn");
	err_release(&err);
	assert_int_equal(fsck_set_severity(&o, "nulInHeader", "error", &err), 0);
	assert_int_equal(fsck_set_severity(&o, "missingTree", "warn", &err), 0);
	/* a finding that is not a failure does not end the check */
	check(&o, OBJ_COMMIT, no_tree, strlen(no_tree), "W:missingTree E:missingCommitter");
	assert_int_equal(fsck_set_severity(&o, "missingtree", "ignore", &err), 0);
	assert_int_equal(fsck_set_severity(&o, "missingcommitter", "ignore", &err), 0);
	check(&o, OBJ_COMMIT, no_tree, strlen(no_tree), "");
	assert_int_equal(fsck_set_severity(&o, "missingtree", "error", &err), 0);
	check(&o, OBJ_COMMIT, no_tree, strlen(no_tree), "E:missingTree");
	oidset_insert(&skip, &oid);
	o.skip = &skip;
	check(&o, OBJ_COMMIT, no_tree, strlen(no_tree), "");
	oidset_clear(&skip);
	fsck_options_release(&o);
	fsck_options_release(&o);
}

/* ---- special blobs ---- */

static const char bad_modules[] = "[submodule \"..\"]\n\turl = -x\n";

static int source_read(void *data UNUSED, const struct object_id *oid, struct object_buf *out,
		       struct err *err)
{
	struct object_id b = name("blob", bad_modules, strlen(bad_modules));
	struct object_id t = name("tree", "", 0);

	if (oid_eq(oid, &b))
		*out = (struct object_buf){ OBJ_BLOB, xstrdup(bad_modules), strlen(bad_modules) };
	else if (oid_eq(oid, &t))
		*out = (struct object_buf){ OBJ_TREE, xstrdup(""), 0 };
	else
		return err_set(err, ERR_NOT_FOUND, "no");
	return 0;
}

static void special(void **state UNUSED)
{
	struct object_source src = { .read = source_read, .algo = hash_sha1 };
	struct object_id blob = name("blob", bad_modules, strlen(bad_modules));
	struct object_id empty_tree = name("tree", "", 0);
	struct fsck_options o = { 0 };
	struct strbuf t = STRBUF_INIT;

	tree_append(&t, 0100644, ".gitmodules", 11, &blob);
	check(&o, OBJ_TREE, t.buf, t.len, "");
	check(&o, OBJ_BLOB, bad_modules, strlen(bad_modules), "E:gitmodulesName E:gitmodulesUrl");
	strbuf_reset(&reported);
	assert_int_equal(fsck_finish(&o, &src), 0);
	fsck_options_release(&o);

	/* the blob came first: it is read again at the end */
	check(&o, OBJ_BLOB, bad_modules, strlen(bad_modules), "");
	check(&o, OBJ_TREE, t.buf, t.len, "");
	strbuf_reset(&reported);
	assert_int_equal(fsck_finish(&o, &src), 2);
	assert_string_equal(reported.buf, "E:gitmodulesName E:gitmodulesUrl");
	fsck_options_release(&o);

	strbuf_reset(&t);
	tree_append(&t, 040000, ".gitattributes", 14, &empty_tree);
	check(&o, OBJ_TREE, t.buf, t.len, "");
	strbuf_reset(&reported);
	assert_int_equal(fsck_finish(&o, &src), 1);
	assert_string_equal(reported.buf, "E:gitattributesBlob");
	fsck_options_release(&o);

	strbuf_reset(&t);
	tree_append(&t, 0100644, ".gitmodules", 11, &hash_sha1->null_oid);
	check(&o, OBJ_TREE, t.buf, t.len, "W:nullSha1");
	strbuf_reset(&reported);
	assert_int_equal(fsck_finish(&o, &src), 1);
	assert_string_equal(reported.buf, "E:gitmodulesMissing");
	fsck_options_release(&o);
	strbuf_release(&t);
}

static void attributes(void **state UNUSED)
{
	char *line = xcalloc(1, 3000);
	struct fsck_options o = { 0 };
	struct object_id oid;

	memset(line, 'a', 2047);
	oid = name("blob", line, 2047);
	oidset_insert(&o.gitattributes.found, &oid);
	check(&o, OBJ_BLOB, line, 2047, "");
	line[2047] = 'a';
	oid = name("blob", line, 2048);
	oidset_insert(&o.gitattributes.found, &oid);
	check(&o, OBJ_BLOB, line, 2048, "E:gitattributesLineLength");
	fsck_options_release(&o);
	/* too large for memory */
	oidset_insert(&o.gitattributes.found, &oid);
	oidset_insert(&o.gitmodules.found, &oid);
	strbuf_reset(&reported);
	assert_int_equal(fsck_object(&o, &oid, OBJ_BLOB, NULL, 5, hash_sha1), 2);
	assert_string_equal(reported.buf, "E:gitmodulesLarge E:gitattributesLarge");
	fsck_options_release(&o);
	free(line);
}

/* ---- hostile input ---- */

static void check_mutations(enum object_type type, const char *good, size_t len)
{
	static const unsigned char bytes[] = { 0, '\n', ' ', '<', '>', '9', '"', '[', 0xff };
	struct fsck_options o = { .report = record_finding };
	struct object_id oid = name("blob", "", 0);

	for (int id = 0; id < 2; id++) { /* the second time nothing is a failure */
		for (size_t at = 0; at <= len; at++) {
			char *p = xmemdup(good, at);

			oidset_clear(&o.gitmodules.done);
			oidset_insert(&o.gitmodules.found, &oid);
			fsck_object(&o, &oid, type, p, at, hash_sha1);
			free(p);
			for (size_t i = 0; at < len && i < ARRAY_SIZE(bytes); i++) {
				p = xmemdup(good, len);
				p[at] = (char)bytes[i];
				oidset_clear(&o.gitmodules.done);
				fsck_object(&o, &oid, type, p, len, hash_sha1);
				free(p);
			}
			strbuf_reset(&reported);
		}
		o.report = NULL;
	}
	fsck_options_release(&o);
}

static void mutations(void **state UNUSED)
{
	static const char commit[] = TREE AUTHOR COMMITTER "\nm";
	static const char tag[] = TAG "tagger A <a@x> 1 +0000\n\nm";
	static const char modules[] = "[submodule \"x\"]\n\turl = ../../x\n\tpath = y\n";

	check_mutations(OBJ_COMMIT, commit, sizeof(commit) - 1);
	check_mutations(OBJ_TAG, tag, sizeof(tag) - 1);
	check_mutations(OBJ_BLOB, modules, sizeof(modules) - 1);
	add("100644", ".gitmodules");
	add("40000", "b\\c");
	check_mutations(OBJ_TREE, tree.buf, tree.len);
	strbuf_reset(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits),
		cmocka_unit_test(idents),
		cmocka_unit_test(tags),
		cmocka_unit_test(tag_names),
		cmocka_unit_test(trees),
		cmocka_unit_test(severities),
		cmocka_unit_test(special),
		cmocka_unit_test(attributes),
		cmocka_unit_test(mutations),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf_release(&reported);
	strbuf_release(&tree);
	return rc;
}
