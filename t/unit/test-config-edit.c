/* SPDX-License-Identifier: GPL-2.0-only */
/* Edits of config files: layout and comments stay. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "config/config.h"
#include "scratch.h"
#include "util/alloc.h"

static void apply(const char *before, const struct config_edit *e, int want_rc,
		  const char *after)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	strbuf_addstr(&text, before);
	rc = config_text_edit(&text, e, "f", &err);
	if (rc != want_rc)
		fail_msg("edit of '%s' gave %d (%s), not %d", before, rc, err_message(&err),
			 want_rc);
	assert_string_equal(text.buf, rc ? before : after);
	strbuf_release(&text);
	err_release(&err);
}

static void set(const char *before, const char *key, const char *value, const char *after)
{
	struct config_edit e = { .key = key, .value = value };

	apply(before, &e, 0, after);
}

static void unset(const char *before, const char *key, const char *after)
{
	struct config_edit e = { .key = key, .multi = true };

	apply(before, &e, 0, after);
}

static void test_new_values(void **state)
{
	(void)state;
	set("", "a.b", "c", "[a]\n\tb = c\n");
	set("", "A.S.bC", "c", "[A \"S\"]\n\tbC = c\n");
	set("", "a.x\"\\y.b", "c", "[a \"x\\\"\\\\y\"]\n\tb = c\n");
	set("[a]", "a.b", "c", "[a]\n\tb = c\n");
	set("[a]\n\tb = 1", "a.c", "2", "[a]\n\tb = 1\n\tc = 2\n");
	set("[a]\n\tb = 1\n\n# com\n[d]\n\te = 1\n", "a.c", "2",
	    "[a]\n\tb = 1\n\tc = 2\n\n# com\n[d]\n\te = 1\n");
	/* the last of several sections of the name */
	set("[a]\n\tb = 1\n[d]\n\te=1\n[a]\n\tf=2\n[g]\n", "a.c", "2",
	    "[a]\n\tb = 1\n[d]\n\te=1\n[a]\n\tf=2\n\tc = 2\n[g]\n");
	set("[a]\n;c0\n", "a.c", "2", "[a]\n\tc = 2\n;c0\n");
	set("[a] ; c0\n", "a.c", "2", "[a] ; c0\n\tc = 2\n");
	set("[a]b=1", "a.c", "2", "[a]b=1\n\tc = 2\n");
	set("# x", "a.c", "2", "# x\n[a]\n\tc = 2\n");
	set("[a \"X\"]\n  b = 1\n", "a.x.b", "3",
	    "[a \"X\"]\n  b = 1\n[a \"x\"]\n\tb = 3\n");
	/* a backslash at the end of the file does not continue into the new line */
	set("[a]\n\tb = 1\\\n", "a.c", "2", "[a]\n\tb = 1\\\n\n\tc = 2\n");
	set("[a]\n\tb = 1\\", "d.c", "2", "[a]\n\tb = 1\\\n\n[d]\n\tc = 2\n");
	set("[a]\n\tb = 1\\\n ", "a.c", "2", "[a]\n\tb = 1\\\n \n\tc = 2\n");
	set("[a]\n\tb = 1 # \\\n", "a.c", "2", "[a]\n\tb = 1 # \\\n\tc = 2\n");
	set("[a]\n\tb = 1\\\\\n", "a.c", "2", "[a]\n\tb = 1\\\\\n\tc = 2\n");
	set("[a]\r\n\tb = 1\r\n\tc = 2\r\n", "a.d", "3", "[a]\r\n\tb = 1\r\n\tc = 2\r\n\td = 3\n");
}

static void test_replaced_values(void **state)
{
	(void)state;
	set("[A]\n\tB = 1 ; foo\n\tc=2\n", "a.b", "2", "[A]\n\tb = 2\n\tc=2\n");
	set("[a] b = 1\n", "a.b", "2", "[a]\n\tb = 2\n");
	set("[a]\n  b = 1 \\\n  2\n  c=3\n", "a.b", "3", "[a]\n\tb = 3\n  c=3\n");
	set("[a]\n\tb\n", "a.b", "x", "[a]\n\tb = x\n");
	set("\xef\xbb\xbf[a]\n\tb=1\n", "a.b", "x", "\xef\xbb\xbf[a]\n\tb = x\n");
	set("[a]\n\n\n\tb = 1\n\n\n\tc=1\n", "a.b", "2", "[a]\n\n\n\tb = 2\n\n\n\tc=1\n");
	set("[a.x]\n  b = 1\n", "a.x.B", "3", "[a.x]\n\tB = 3\n");
}

static void test_several(void **state)
{
	static const char two[] = "[a]\n  b = 1\n  c=1\n[a]\n  b = 2\n[d]\n";
	struct config_edit e = { .key = "a.b", .value = "3" };

	(void)state;
	apply(two, &e, ERR_AMBIGUOUS, NULL);
	e.multi = true;
	apply(two, &e, 0, "[a]\n  c=1\n[a]\n\tb = 3\n[d]\n");
	e.multi = false;
	e.append = true;
	apply(two, &e, 0, "[a]\n  b = 1\n  c=1\n[a]\n  b = 2\n\tb = 3\n[d]\n");
	e.append = false;
	e.value_pattern = "^1";
	apply(two, &e, 0, "[a]\n\tb = 3\n  c=1\n[a]\n  b = 2\n[d]\n");
	e.value_pattern = "!^1";
	apply(two, &e, 0, "[a]\n  b = 1\n  c=1\n[a]\n\tb = 3\n[d]\n");
	e.value_pattern = "no";
	apply(two, &e, 0, "[a]\n  b = 1\n  c=1\n[a]\n  b = 2\n\tb = 3\n[d]\n");
	e.value_pattern = "[";
	apply(two, &e, ERR_PATTERN, NULL);
	e.fixed_value = true;
	apply(two, &e, 0, "[a]\n  b = 1\n  c=1\n[a]\n  b = 2\n\tb = 3\n[d]\n");

	e = (struct config_edit){ .key = "a.b" };
	apply(two, &e, ERR_AMBIGUOUS, NULL);
	e.key = "a.x";
	apply(two, &e, ERR_NOT_FOUND, NULL);
	e.key = "ax";
	apply(two, &e, ERR_INVALID, NULL);
	e.key = "a.b";
	apply("[a]\nb=1\n[c\n", &e, ERR_CORRUPT, NULL);
}

static void test_unset(void **state)
{
	(void)state;
	unset("[a]\n\tb = 1\n", "a.b", "");
	unset("[a]\n\tb = 1\n[c]\n\td=1\n", "a.b", "[c]\n\td=1\n");
	unset("[a]\n\tb = 1\n\tc=2\n", "a.b", "[a]\n\tc=2\n");
	unset("# x\n[a]\n\tb = 1\n[c]\nd=1\n", "a.b", "# x\n[a]\n[c]\nd=1\n");
	unset("[a]\n# x\n\tb = 1\n[c]\nd=1\n", "a.b", "[a]\n# x\n[c]\nd=1\n");
	unset("[a] # x\n\tb = 1\n[c]\nd=1\n", "a.b", "[a] # x\n[c]\nd=1\n");
	unset("[a]\n\tb = 1 # x\n[c]\nd=1\n", "a.b", "[c]\nd=1\n");
	unset("[a]\n\tb = 1\n# x\n[c]\nd=1\n", "a.b", "[a]\n# x\n[c]\nd=1\n");
	unset("[a]\n\n\n\tb = 1\n\n\n[c]\nd=1\n", "a.b", "[c]\nd=1\n");
	unset("[z]\ny=1\n\n[a]\nb=1\n[c]\nd=1\n", "a.b", "[z]\ny=1\n[c]\nd=1\n");
	unset("[z]\ny=1\n[a]\n\tb = 1\n[a]\nc=1\n", "a.b", "[z]\ny=1\n[a]\n[a]\nc=1\n");
	unset("[z]\ny=1\n[a]\n\tb = 1\n[a]\nb=1\n[q]\nz=1\n", "a.b", "[z]\ny=1\n[q]\nz=1\n");
	unset("[a]\n\tb = 1\n\tb = 2\n\tc=1\n\tb=3\n", "a.b", "[a]\n\tc=1\n");
	unset("[a]\n[a]\nb=1\n[c]\nd=1\n", "a.b", "[c]\nd=1\n");
	unset("[x]\n[a]\nb=1\n[c]\nd=1\n", "a.b", "[x]\n[c]\nd=1\n");
	unset("[a]b=1\n[c]d=1", "a.b", "[c]d=1");
	unset("[a]b=1;x\nc=1\n", "a.b", "[a]\nc=1\n");
	unset("[a]\r\n\tb = 1\r\n\tc=1\r\n", "a.b", "[a]\r\n\tc=1\r\n");
}

static void round_trip(const char *value)
{
	struct config_edit e = { .key = "a.b", .value = value };
	struct strbuf text = STRBUF_INIT;
	struct config_set *c = config_set_new();

	assert_int_equal(0, config_text_edit(&text, &e, "f", NULL));
	assert_int_equal(0, config_set_read_buf(c, text.buf, text.len, "f", CONFIG_ORIGIN_FILE,
						CONFIG_SCOPE_LOCAL, NULL, NULL));
	assert_int_equal(1, config_nr(c));
	assert_string_equal(value, config_get(c, "a.b")->value);
	config_set_free(c);
	strbuf_release(&text);
}

static void test_quoting(void **state)
{
	static const char alphabet[] = " \t\n\r\b\f\"\\;#=[]!a";
	char value[4] = "";

	(void)state;
	set("", "a.b", " x", "[a]\n\tb = \" x\"\n");
	set("", "a.b", "x ", "[a]\n\tb = \"x \"\n");
	set("", "a.b", "a;b", "[a]\n\tb = \"a;b\"\n");
	set("", "a.b", "a\"b\\c", "[a]\n\tb = a\\\"b\\\\c\n");
	set("", "a.b", "a\nb\tc", "[a]\n\tb = a\\nb\\tc\n");
	set("", "a.b", "", "[a]\n\tb = \n");
	for (const char *p = alphabet; *p; p++)
		for (const char *q = alphabet; *q; q++)
			for (const char *r = alphabet; *r; r++) {
				value[0] = *p;
				value[1] = *q;
				value[2] = *r;
				round_trip(value);
				round_trip(value + 1);
				round_trip(value + 2);
			}
}

static void test_comments(void **state)
{
	struct config_edit e = { .key = "a.b", .value = "c" };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_int_equal(0, config_comment_prepare(&sb, "why", NULL));
	assert_string_equal(" # why", sb.buf);
	e.comment = sb.buf;
	apply("", &e, 0, "[a]\n\tb = c # why\n");
	strbuf_reset(&sb);
	assert_int_equal(0, config_comment_prepare(&sb, "#why", NULL));
	assert_string_equal(" #why", sb.buf);
	strbuf_reset(&sb);
	assert_int_equal(0, config_comment_prepare(&sb, "\t# why", NULL));
	assert_string_equal("\t# why", sb.buf);
	assert_int_equal(ERR_INVALID, config_comment_prepare(&sb, "a\nb", NULL));
	strbuf_release(&sb);
}

static void sections(const char *before, const char *old_name, const char *new_name, int want_rc,
		     const char *after)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, before);
	assert_int_equal(want_rc, config_text_rename_section(&text, old_name, new_name, "f", NULL));
	assert_string_equal(text.buf, want_rc ? before : after);
	strbuf_release(&text);
}

static void test_sections(void **state)
{
	static const char sample[] = "#1\n[a]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[a]\nq=1\n[A]\nr=1\n";

	(void)state;
	sections(sample, "a", "z", 0, "#1\n[z]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[z]\nq=1\n[A]\nr=1\n");
	sections(sample, "a.s", "z.y \"t", 0, "#1\n[a]\n\tb=1\n#2\n[c]\n[z \"y \\\"t\"]\nx=1\n[a]\nq=1\n[A]\nr=1\n");
	sections(sample, "a", NULL, 0, "#1\n[c]\n[a \"s\"]\nx=1\n[A]\nr=1\n");
	sections(sample, "a.s", NULL, 0, "#1\n[a]\n\tb=1\n#2\n[c]\n[a]\nq=1\n[A]\nr=1\n");
	sections(sample, "a.S", NULL, ERR_NOT_FOUND, NULL);
	sections(sample, "c", "no_such", ERR_INVALID, NULL);
	sections("[a] b=1 # x\nc=1\n", "a", "z", 0, "[z]\n\tb=1 # x\nc=1\n");
	sections("[a]b=1", "a", "z", 0, "[z]\n\tb=1");
	/* what looks like a header but is a value */
	sections("[a]\nb=\\\n[a]\n", "a", "z", 0, "[z]\nb=\\\n[a]\n");
	sections("[a]x=1[a]\n[b][a]c=1\n", "a", NULL, 0, "[b]\n");
	/* seen with ASan: what comes before the first header has no name */
	sections("", "a", NULL, ERR_NOT_FOUND, NULL);
	sections("no-header-but-a-long-name-that-is-a-key-and-not-a-section=1\n[a]\n", "a", NULL, 0,
		 "no-header-but-a-long-name-that-is-a-key-and-not-a-section=1\n");
}

static void edit_sections(const char *before, const struct config_section_edit *e, size_t nr,
			  size_t want_found, const char *after)
{
	struct strbuf text = STRBUF_INIT;
	size_t found = 99;

	strbuf_addstr(&text, before);
	assert_int_equal(0, config_text_edit_sections(&text, e, nr, &found, "f", NULL));
	assert_int_equal(want_found, found);
	assert_string_equal(text.buf, after);
	strbuf_release(&text);
}

static void test_several_sections(void **state)
{
	static const char sample[] =
		"[b \"x\"]\n\tr = 1\n# c\n[o]\n\tq=1 # q\n[b \"y\"] z=1\n  [b \"x\"]\n\ts = 2";
	const struct config_section_edit copy = { "b.x", "b.new", true };
	const struct config_section_edit gone[] = { { "b.y", NULL, false }, { "b.x", NULL, false } };
	const struct config_section_edit mixed[] = { { "b.y", "b.\"q", false },
						     { "b.x", "B.y", true } };
	const struct config_section_edit none = { "b.z", "b.a", true };

	(void)state;
	/* each section is followed by its copy, including the comments in it */
	edit_sections(sample, &copy, 1, 2,
		      "[b \"x\"]\n\tr = 1\n# c\n[b \"new\"]\n\tr = 1\n# c\n[o]\n\tq=1 # q\n"
		      "[b \"y\"] z=1\n  [b \"x\"]\n\ts = 2\n[b \"new\"]\n\ts = 2");
	edit_sections(sample, gone, 2, 3, "[o]\n\tq=1 # q\n");
	edit_sections(sample, mixed, 2, 3,
		      "[b \"x\"]\n\tr = 1\n# c\n[B \"y\"]\n\tr = 1\n# c\n[o]\n\tq=1 # q\n"
		      "[b \"\\\"q\"]\n\tz=1\n  [b \"x\"]\n\ts = 2\n[B \"y\"]\n\ts = 2");
	edit_sections(sample, &none, 1, 0, sample);
	edit_sections("[b \"x\"]\nr=\\\n", &copy, 1, 1,
		      "[b \"x\"]\nr=\\\n\n[b \"new\"]\nr=\\\n");
}

static void test_sections_of_file(void **state)
{
	struct fsync_batch_options opts = { .policy = { FSYNC_ALL, FSYNC_METHOD_BATCH } };
	struct fsync_batch *b = fsync_batch_new(&opts);
	struct config_section_edit e = { "b.x", "b.y", false };
	char *directory = scratch_new(), *got;

	(void)state;
	write_text(at(directory, "c"), "[b \"x\"]\n");
	assert_int_equal(0, config_file_edit_sections(at(directory, "c"), &e, 1, PUBLISH_FILE_LATE, b, NULL));
	assert_int_equal(0, fsync_batch_commit(b, NULL));
	got = read_text(at(directory, "c"));
	assert_string_equal("[b \"y\"]\n", got);
	free(got);

	/* the section no longer exists: nothing is staged, and no lock is left */
	assert_int_equal(0, config_file_edit_sections(at(directory, "c"), &e, 1, PUBLISH_FILE, b, NULL));
	got = tree_of(directory);
	assert_null(strstr(got, "lock"));
	free(got);
	e.new_name = "no_such";
	assert_int_equal(ERR_INVALID,
			 config_file_edit_sections(at(directory, "c"), &e, 1, PUBLISH_FILE, b, NULL));
	fsync_batch_free(b);
	scratch_remove(directory);
}

static void test_file(void **state)
{
	struct fsync_batch_options opts = { .policy = { FSYNC_ALL, FSYNC_METHOD_BATCH } };
	struct fsync_batch *b = fsync_batch_new(&opts);
	char *directory = scratch_new(), *got;
	struct config_edit e = { .key = "a.b", .value = "c" };
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	write_text(at(directory, "real"), "[a]\n\tb = 1\n");
	assert_int_equal(0, chmod(at(directory, "real"), 0600));
	assert_int_equal(0, symlink("real", at(directory, "link")));
	assert_int_equal(0, config_file_edit(at(directory, "link"), &e, b, NULL));

	/* staged, but not visible: we hold the lock, the file is unchanged */
	got = read_text(at(directory, "real"));
	assert_string_equal("[a]\n\tb = 1\n", got);
	free(got);
	assert_int_equal(ERR_LOCKED, config_file_edit(at(directory, "real"), &e, b, &err));
	err_release(&err);

	assert_int_equal(0, fsync_batch_commit(b, NULL));
	got = read_text(at(directory, "real"));
	assert_string_equal("[a]\n\tb = c\n", got);
	free(got);
	assert_int_equal(0, stat(at(directory, "real"), &st));
	assert_int_equal(0600, st.st_mode & 0777);
	assert_int_equal(0, lstat(at(directory, "link"), &st));
	assert_true(S_ISLNK(st.st_mode));

	/* a failed edit leaves no lock */
	e = (struct config_edit){ .key = "a.none" };
	assert_int_equal(ERR_NOT_FOUND, config_file_edit(at(directory, "real"), &e, b, NULL));
	got = tree_of(directory);
	assert_null(strstr(got, "lock"));
	free(got);
	fsync_batch_free(b);
	scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_values), cmocka_unit_test(test_replaced_values),
		cmocka_unit_test(test_several), cmocka_unit_test(test_unset),
		cmocka_unit_test(test_quoting), cmocka_unit_test(test_comments),
		cmocka_unit_test(test_sections), cmocka_unit_test(test_several_sections),
		cmocka_unit_test(test_sections_of_file), cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
