/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of commands: each command, its short name, its arguments; lines that are wrong; lists that are written anew. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "operation/operation.h"
#include "sequence/todo.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
#define COMMIT "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@x> 1 +0000\ncommitter C <c@x> 2 +0000\n\n"

static struct repository *repo;
static struct err err;
static struct object_id commit, blob;
static char name[HASH_MAX_HEX + 1], short_name[8];
static struct todo_list list;
static struct strvec errors;

static int setup(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	err_init(&err);
	MUST(repo_operation_write_object(repo, OBJ_COMMIT, COMMIT "s\n", strlen(COMMIT "s\n"), &commit, &err));
	MUST(repo_operation_write_object(repo, OBJ_BLOB, "x", 1, &blob, &err));
	oid_to_hex_r(name, &commit);
	snprintf(short_name, sizeof(short_name), "%.7s", name);
	todo_init(&list);
	strvec_init(&errors);
	return 0;
}

static int teardown(void **state UNUSED)
{
	todo_release(&list);
	strvec_clear(&errors);
	err_release(&err);
	return scratch_repo_teardown(&repo);
}

static int parse(const char *text)
{
	return todo_parse(&list, repo, text, strlen(text), "#", &errors);
}

/* "COMMAND NAME REST", with NAME in it. */
static const char *with_name(const char *before, const char *after)
{
	static char text[200];

	snprintf(text, sizeof(text), "%s%s%s", before, name, after);
	return text;
}

static void assert_item(size_t i, enum todo_command command, bool has_commit, const char *arg)
{
	assert_true(i < list.nr);
	assert_int_equal(list.items[i].command, command);
	assert_int_equal(!oid_is_null(&list.items[i].oid), has_commit);
	if (has_commit)
		assert_true(oid_eq(&list.items[i].oid, &commit));
	assert_string_equal(list.items[i].arg, arg);
}

/* ---- lines that are right ---- */

static void each_command_has_its_names(void **state UNUSED)
{
	static const char *const takes_commit[] = { "pick", "p", "revert", "edit", "e", "reword", "r", "fixup", "f", "squash",
						    "s", "drop", "d" };
	static const enum todo_command expect[] = { TODO_PICK, TODO_PICK, TODO_REVERT, TODO_EDIT, TODO_EDIT, TODO_REWORD,
						    TODO_REWORD, TODO_FIXUP, TODO_FIXUP, TODO_SQUASH, TODO_SQUASH, TODO_DROP,
						    TODO_DROP };

	for (size_t i = 0; i < ARRAY_SIZE(expect); i++) {
		char before[20];

		snprintf(before, sizeof(before), "%s ", takes_commit[i]);
		assert_int_equal(parse(with_name(before, " a subject\n")), 0);
		assert_item(i, expect[i], true, "a subject");
	}
}

static void commands_without_a_commit(void **state UNUSED)
{
	assert_int_equal(parse("exec make  test \nx a\nbreak\nb\nlabel one\nl two\nreset three\nt [new root]\nnoop\n"
			       "update-ref refs/heads/a\nu refs/heads/b\nmerge topic # Merge\nm topic\n"), 0);
	assert_item(0, TODO_EXEC, false, "make  test ");
	assert_item(1, TODO_EXEC, false, "a");
	assert_item(2, TODO_BREAK, false, "");
	assert_item(3, TODO_BREAK, false, "");
	assert_item(4, TODO_LABEL, false, "one");
	assert_item(5, TODO_LABEL, false, "two");
	assert_item(6, TODO_RESET, false, "three");
	assert_item(7, TODO_RESET, false, "[new root]");
	assert_item(8, TODO_NOOP, false, "");
	assert_item(9, TODO_UPDATE_REF, false, "refs/heads/a");
	assert_item(10, TODO_UPDATE_REF, false, "refs/heads/b");
	assert_item(11, TODO_MERGE, false, "topic # Merge");
	assert_item(12, TODO_MERGE, false, "topic");
}

static void messages_of_fixups_and_merges(void **state UNUSED)
{
	assert_int_equal(parse(with_name("fixup -C ", " s\n")), 0);
	assert_int_equal(parse(with_name("f -c", "\n")), 0);
	assert_int_equal(parse(with_name("merge -C ", " topic # s\n")), 0);
	assert_int_equal(parse(with_name("m -c ", " topic\n")), 0);
	assert_item(0, TODO_FIXUP, true, "s");
	assert_int_equal(list.items[0].flags, TODO_USE_MESSAGE);
	assert_item(1, TODO_FIXUP, true, "");
	assert_int_equal(list.items[1].flags, TODO_USE_MESSAGE | TODO_EDIT_MESSAGE);
	assert_item(2, TODO_MERGE, true, "topic # s");
	assert_int_equal(list.items[2].flags, TODO_USE_MESSAGE);
	assert_item(3, TODO_MERGE, true, "topic");
	assert_int_equal(list.items[3].flags, TODO_USE_MESSAGE | TODO_EDIT_MESSAGE);
}

static void blanks_comments_and_line_ends(void **state UNUSED)
{
	assert_int_equal(parse("# a comment\n\n \t# another\n\r\nbreak\r\n  noop"), 0);
	assert_int_equal(parse(with_name("\tp\t", "\ts\r\n")), 0);
	assert_int_equal(list.nr, 7);
	for (size_t i = 0; i < 4; i++)
		assert_item(i, TODO_COMMENT, false, "");
	assert_item(4, TODO_BREAK, false, "");
	assert_item(5, TODO_NOOP, false, "");
	assert_item(6, TODO_PICK, true, "s");
	assert_int_equal(todo_count_left(&list), 3);
	list.at = 5;
	assert_int_equal(todo_count_left(&list), 2);
}

static void another_comment_character(void **state UNUSED)
{
	assert_int_equal(todo_parse(&list, repo, ";; no\nnoop\n", 11, ";;", &errors), 0);
	assert_item(0, TODO_COMMENT, false, "");
	assert_int_equal(todo_parse(&list, repo, "# no\n", 5, ";", &errors), ERR_INVALID);
	assert_string_equal(errors.v[0], "invalid command '#'");
}

/* ---- lines that are wrong ---- */

static void wrong_lines_have_their_numbers(void **state UNUSED)
{
	static const char *const expect[] = {
		"invalid command 'foo'", "invalid line 1: foo bar",
		"missing arguments for pick", "invalid line 2: pick",
		"could not parse 'nosuch'", "invalid line 4: pick nosuch x",
		"missing arguments for exec", "invalid line 5: x ",
		"break does not accept arguments: '# foo\n'", "invalid line 6: break # foo",
		"'a b' is not a valid label", "invalid line 7: label a b",
		"'#' is not a valid label", "invalid line 8: label #",
		"update-ref requires a fully qualified refname e.g. refs/heads/x", "invalid line 9: u x",
		"'refs/heads/a..b' is not a valid refname", "invalid line 10: u refs/heads/a..b",
		"could not parse ''", "invalid line 11: fixup -C",
		"invalid command 'PICK'", "invalid line 12: PICK HEAD",
		"could not parse '-c'", "invalid line 13: pick -c HEAD",
	};

	assert_int_equal(parse("foo bar\npick\n#\npick nosuch x\nx \nbreak # foo\nlabel a b\nlabel #\nu x\n"
			       "u refs/heads/a..b\nfixup -C\nPICK HEAD\npick -c HEAD\n"), ERR_INVALID);
	assert_int_equal(errors.nr, ARRAY_SIZE(expect));
	for (size_t i = 0; i < ARRAY_SIZE(expect); i++)
		assert_string_equal(errors.v[i], expect[i]);
	assert_int_equal(todo_count_left(&list), 0);
}

static void an_object_that_is_no_commit(void **state UNUSED)
{
	char text[100], expect[100];

	snprintf(text, sizeof(text), "pick %s x\n", oid_hex(&blob));
	snprintf(expect, sizeof(expect), "object %s is a blob, not a commit", oid_hex(&blob));
	assert_int_equal(parse(text), ERR_INVALID);
	assert_string_equal(errors.v[0], expect);
}

static void a_nul_ends_its_line(void **state UNUSED)
{
	assert_int_equal(todo_parse(&list, repo, "noop\0x\nbreak\n", 13, "#", &errors), 0);
	assert_item(0, TODO_NOOP, false, "");
	assert_item(1, TODO_BREAK, false, "");
}

/* ---- written again ---- */

static void the_rest_is_as_it_was_typed(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(parse("noop\n# x\n  b\nx  a "), 0);
	list.at = 1;
	todo_format_rest(&list, &out);
	assert_string_equal(out.buf, "# x\n  b\nx  a \n");
	list.at = 4;
	strbuf_reset(&out);
	todo_format_rest(&list, &out);
	assert_string_equal(out.buf, "");
	strbuf_release(&out);
}

static void new_lines(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;
	char expect[200];

	todo_append(&list, repo, TODO_PICK, 0, &commit, "s");
	todo_append(&list, repo, TODO_FIXUP, TODO_USE_MESSAGE, &commit, "s");
	todo_append(&list, repo, TODO_NOOP, 0, NULL, NULL);
	todo_format_rest(&list, &out);
	snprintf(expect, sizeof(expect), "pick %s s\nfixup -C %s s\nnoop\n", short_name, short_name);
	assert_string_equal(out.buf, expect);

	strbuf_reset(&out);
	todo_format_item(&list.items[1], repo, TODO_NAMES_FULL, true, &out);
	todo_format_item(&list.items[2], repo, TODO_NAMES_FULL, true, &out);
	snprintf(expect, sizeof(expect), "f -C %s s\nnoop\n", name);
	assert_string_equal(out.buf, expect);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(each_command_has_its_names),
		T(commands_without_a_commit),
		T(messages_of_fixups_and_merges),
		T(blanks_comments_and_line_ends),
		T(another_comment_character),
		T(wrong_lines_have_their_numbers),
		T(an_object_that_is_no_commit),
		T(a_nul_ends_its_line),
		T(the_rest_is_as_it_was_typed),
		T(new_lines),
#undef T
	};

	return cmocka_run_group_tests_name("sequence-todo", tests, NULL, NULL);
}
