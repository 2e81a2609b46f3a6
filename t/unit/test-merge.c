/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges of trees and files in memory, in an object database that has nothing but what the test writes. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "merge/trees.h"
#include "object/tree.h"
#include "t/unit/batch-aux.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct odb *odb;
static struct fsync_batch *fsync_b;

static int setup(void **state)
{
	struct odb_options o = { .algo = hash_sha1, .loose_level = 1, .pack_level = 1, .unpack_limit = 100 };
	struct err err = ERR_INIT;

	scratch_setup(state);
	mkdir(at(dir, "objects"), 0777);
	mkdir(at(dir, "objects/pack"), 0777);
	o.objdir = at(dir, "objects");
	MUST(odb_open(&odb, &o, &err));
	fsync_b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	MUST(odb_begin_batch(odb, fsync_b, &err));
	return 0;
}

static int teardown(void **state)
{
	odb_abort_batch(odb);
	fsync_batch_free(fsync_b);
	odb_free(odb);
	return scratch_teardown(state);
}

static struct object_id blob(const char *text)
{
	struct err err = ERR_INIT;
	struct object_id oid;

	MUST(odb_write(odb, OBJ_BLOB, text, strlen(text), &oid, &err));
	return oid;
}

/* An id that no object has. */
static struct object_id missing(unsigned char n)
{
	struct object_id oid = hash_sha1->null_oid;

	oid.hash[0] = n;
	return oid;
}

struct item {
	unsigned mode;
	const char *name;
	struct object_id oid;
};

static struct object_id tree(const struct item *items)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;

	for (; items->name; items++)
		tree_append(&text, items->mode, items->name, strlen(items->name), &items->oid);
	MUST(odb_write(odb, OBJ_TREE, text.buf, text.len, &oid, &err));
	strbuf_release(&text);
	return oid;
}
#define TREE(...) tree((const struct item[]){ __VA_ARGS__, { 0, NULL, { { 0 }, 0 } } })

static int run_merge(struct object_id base, struct object_id ours, struct object_id theirs, struct merge_result *result)
{
	struct merge_trees m = { .odb = odb, .tree = { &base, &ours, &theirs }, .label = { "base", "ours", "theirs" },
				 .renames = { .limit = -1 } };

	return merge_trees(&m, result, NULL);
}

static void assert_oid(struct object_id a, struct object_id b)
{
	if (!oid_eq(&a, &b))
		fail_msg("%s is not %s", oid_hex(&a), oid_hex(&b));
}

/* Directories whose trees do not exist: a merge that reads one of them fails. */
static void unchanged_directories_are_not_read(void **state UNUSED)
{
	struct object_id a = blob("a"), b = blob("b");
	struct merge_result r;

	assert_int_equal(run_merge(TREE({ MODE_TREE, "d", missing(1) }, { MODE_TREE, "e", missing(2) }, { MODE_FILE, "f", a }),
				   TREE({ MODE_TREE, "d", missing(3) }, { MODE_TREE, "e", missing(2) }, { MODE_FILE, "f", a }),
				   TREE({ MODE_TREE, "d", missing(1) }, { MODE_TREE, "e", missing(2) }, { MODE_FILE, "f", b }), &r), 0);
	assert_true(r.clean);
	assert_oid(r.tree, TREE({ MODE_TREE, "d", missing(3) }, { MODE_TREE, "e", missing(2) }, { MODE_FILE, "f", b }));
	merge_result_release(&r);
	assert_int_equal(run_merge(TREE({ MODE_TREE, "d", missing(1) }), TREE({ MODE_TREE, "d", missing(2) }),
				   TREE({ MODE_TREE, "d", missing(3) }), &r), ERR_NOT_FOUND);
}

/* Stages by name, then by number; messages by path. */
static void conflicts_come_in_order(void **state UNUSED)
{
	struct object_id a = blob("a\n"), b = blob("b\n"), c = blob("c\n");
	struct object_id base = TREE({ MODE_FILE, "x", a }, { MODE_FILE, "y", a });
	struct merge_result r;

	assert_int_equal(run_merge(TREE({ MODE_TREE, "d", base }, { MODE_FILE, "d.c", a }),
				   TREE({ MODE_TREE, "d", TREE({ MODE_FILE, "x", b }, { MODE_FILE, "y", b }) }, { MODE_FILE, "d.c", b }),
				   TREE({ MODE_TREE, "d", TREE({ MODE_FILE, "x", c }) }, { MODE_FILE, "d.c", c }), &r), 0);
	assert_false(r.clean);
	assert_int_equal(r.stages.nr, 8);
	assert_string_equal(r.stages.entries[0]->name, "d.c");
	assert_string_equal(r.stages.entries[3]->name, "d/x");
	assert_int_equal(r.stages.entries[5]->stage, 3);
	assert_string_equal(r.stages.entries[7]->name, "d/y");
	assert_int_equal(r.stages.entries[7]->stage, 2);
	assert_int_equal(r.nr_messages, 5);
	assert_string_equal(r.messages[0].text, "Auto-merging d.c");
	assert_string_equal(merge_message_type_name(r.messages[4].type), "CONFLICT (modify/delete)");
	merge_result_release(&r);
}

static struct merge_file_outcome merge_three(unsigned base, const char *b, unsigned ours, const char *o, unsigned theirs,
					     const char *t, const struct merge_rules *rules)
{
	struct merge_file f = { .path = "f", .label = { "base", "ours", "theirs" } };
	struct merge_file_outcome outcome;
	struct err err = ERR_INIT;

	if (base)
		f.version[MERGE_BASE] = (struct merge_version){ base, blob(b) };
	f.version[MERGE_OURS] = (struct merge_version){ ours, blob(o) };
	f.version[MERGE_THEIRS] = (struct merge_version){ theirs, blob(t) };
	MUST(merge_file(&f, rules, odb, &outcome, &err));
	return outcome;
}

static void modes(void **state UNUSED)
{
	struct merge_rules rules = MERGE_RULES_INIT;
	struct merge_file_outcome o = merge_three(MODE_FILE, "1", MODE_EXEC, "1", MODE_FILE, "2", &rules);

	assert_true(o.clean && !o.merged && o.result.mode == MODE_EXEC);
	assert_oid(o.result.oid, blob("2"));
	o = merge_three(MODE_EXEC, "1", MODE_EXEC, "2", MODE_FILE, "1", &rules);
	assert_true(o.clean && o.result.mode == MODE_FILE);
	assert_oid(o.result.oid, blob("2"));
	o = merge_three(0, NULL, MODE_EXEC, "1", MODE_FILE, "1", &rules);
	assert_true(!o.clean && o.result.mode == MODE_EXEC);
}

static void one_version_is_taken(void **state UNUSED)
{
	struct merge_rules rules = { .favor = MERGE3_TAKE_THEIRS };
	struct merge_file_outcome o = merge_three(MODE_SYMLINK, "1", MODE_SYMLINK, "2", MODE_SYMLINK, "3", &rules);

	assert_true(o.clean && !o.merged);
	assert_oid(o.result.oid, blob("3"));
	rules.depth = 1;
	o = merge_three(MODE_SYMLINK, "1", MODE_SYMLINK, "2", MODE_SYMLINK, "3", &rules);
	assert_false(o.clean);
	assert_oid(o.result.oid, blob("1"));
	o = merge_three(0, NULL, MODE_SYMLINK, "2", MODE_SYMLINK, "3", &rules);
	assert_true(!o.clean && !o.result.mode);
}

static int as_union(void *data UNUSED, const char *path UNUSED, bool internal UNUSED, struct merge_attributes *out,
		    struct err *err UNUSED)
{
	out->kind = MERGE_KIND_UNION;
	return 0;
}

static int failing(void *data UNUSED, const char *path, bool internal UNUSED, struct merge_attributes *out UNUSED, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "no driver for '%s'", path);
}

static void attributes(void **state UNUSED)
{
	struct merge_rules rules = { .attributes = as_union };
	struct merge_file_outcome o = merge_three(MODE_FILE, "1\n", MODE_FILE, "2\n", MODE_FILE, "3\n", &rules);
	struct object_id a = blob("a"), b = blob("b"), c = blob("c");
	struct object_id tree_of[] = { TREE({ MODE_FILE, "f", a }), TREE({ MODE_FILE, "f", b }), TREE({ MODE_FILE, "f", c }) };
	struct merge_trees m = { .odb = odb, .tree = { &tree_of[0], &tree_of[1], &tree_of[2] },
				 .label = { "base", "ours", "theirs" }, .rules = { .attributes = failing } };
	struct merge_result r;
	struct err err = ERR_INIT;

	assert_true(o.clean && o.merged);
	assert_oid(o.result.oid, blob("2\n3\n"));
	assert_int_equal(merge_trees(&m, &r, &err), ERR_UNSUPPORTED);
	assert_string_equal(err_message(&err), "no driver for 'f'");
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unchanged_directories_are_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(conflicts_come_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(modes, setup, teardown),
		cmocka_unit_test_setup_teardown(one_version_is_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(attributes, setup, teardown),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
