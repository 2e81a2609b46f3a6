/* SPDX-License-Identifier: GPL-2.0-only */
/* The grammar of config files, keys, typed reads, includes; hostile files. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "config/config.h"
#include "config/urlmatch.h"
#include "scratch.h"
#include "util/alloc.h"

/* "key=value" or "key" a line; or the message. Caller frees. */
static char *dump(const char *text, size_t len)
{
	struct config_set *c = config_set_new();
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (config_set_read_buf(c, text, len, "f", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL,
				&err) < 0) {
		strbuf_addf(&out, "! %s", err_message(&err));
	} else {
		for (size_t i = 0; i < config_nr(c); i++) {
			const struct config_entry *e = config_at(c, i);

			strbuf_addf(&out, "%s%s%s\n", e->key, e->value ? "=" : "",
				    e->value ? e->value : "");
		}
	}
	err_release(&err);
	config_set_free(c);
	return strbuf_detach(&out, NULL);
}

static void check(const char *text, const char *expected)
{
	char *got = dump(text, strlen(text));

	assert_string_equal(got, expected);
	free(got);
}

static void test_sections(void **state)
{
	(void)state;
	check("", "");
	check("[a]\nb=c\n", "a.b=c\n");
	check("[a]b=c", "a.b=c\n");
	check("[A.B]C=d\n", "a.b.c=d\n");
	check("[A \"B.c\"]D\n", "a.B.c.d\n");
	check("[a \"x\\qy\\\"\\\\\"]b=1", "a.xqy\"\\.b=1\n");
	check("[a \"\"]b=1", "a..b=1\n");
	check("[a\t\"x\"]b=1", "a.x.b=1\n");
	check("[a] [b] c=1 [d]", "b.c=1 [d]\n");
	check("\xef\xbb\xbf[a]b=1", "a.b=1\n");
	check("[a]#c\nb=1#c\n;d\n", "a.b=1\n");
	check("[a-b.c-d]x", "a-b.c-d.x\n");

	check("[]\nb=1", "! bad config line 1 in file f");
	check("[ a]b=1", "! bad config line 1 in file f");
	check("[a ]b=1", "! bad config line 1 in file f");
	check("[a \"b\" ]\n x=1", "! bad config line 1 in file f");
	check("[a \"b\n\"]x", "! bad config line 1 in file f");
	check("[a \"b\\\n\"]x", "! bad config line 1 in file f");
	check("\n\n\n[a\n", "! bad config line 4 in file f");
	check("[a", "! bad config line 1 in file f");
	check("[a \"", "! bad config line 1 in file f");
}

static void test_values(void **state)
{
	(void)state;
	check("[a]\nb = \"x y\"  z  ; c\n", "a.b=x y  z\n");
	check("[a]\nb = x\\\n   y\n", "a.b=x   y\n");
	check("[a]\nb = \"x\\\n  y\"\n", "a.b=x  y\n");
	check("[a]b=x\\\r\ny\n", "a.b=xy\n");
	check("[a]b=1 \r\nc=2\r\n", "a.b=1\na.c=2\n");
	check("[a]\nb=  \"  \" x  \n", "a.b=   x\n");
	check("[a]\nb=\nc=\"\"\nd", "a.b=\na.c=\na.d\n");
	check("[a]b = \"a\\tb\\n\\b\\\\\\\"\"\n", "a.b=a\tb\n\b\\\"\n");
	check("[a]b=1\\", "a.b=1\n");
	check("[a]b=a\tb  c\t;\n", "a.b=a\tb  c\n");
	check("[a]b=\"#;\" # x\n", "a.b=#;\n");
	check("[a]b=c;d\\\ne=f\n", "a.b=c\na.e=f\n"); /* no continuation in a comment */
	check("[a]x\t=1", "a.x=1\n");

	check("[a]\nb = \"x\n", "! bad config line 2 in file f");
	check("[a]\nb = \"x", "! bad config line 2 in file f");
	check("[a]\nb=\\q", "! bad config line 2 in file f");
	check("[a]\nb c=2", "! bad config line 2 in file f");
	check("[a]\nb ;c\n", "! bad config line 2 in file f");
	check("[a]\nb_c=2", "! bad config line 2 in file f");
	check("[a]\n1b=2", "! bad config line 2 in file f");
	check("[a]\nx=1\n\f", "! bad config line 3 in file f");
	check("[a]\n;c\n  ! \n", "! bad config line 3 in file f");
}

static void check_key(const char *typed, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = config_key_parse(&sb, typed, &err);

	assert_string_equal(rc ? err_message(&err) : sb.buf, expected);
	err_release(&err);
	strbuf_release(&sb);
}

static void test_keys(void **state)
{
	(void)state;
	check_key("A.B.C", "a.B.c");
	check_key("a.b c.d", "a.b c.d");
	check_key("a..b", "a..b");
	check_key("a.b.c.D-1", "a.b.c.d-1");
	check_key("nodot", "key does not contain a section: nodot");
	check_key(".x", "key does not contain a section: .x");
	check_key("x.", "key does not contain variable name: x.");
	check_key("a.1", "invalid key: a.1");
	check_key("a.b_c", "invalid key: a.b_c");
	check_key("a b.c", "invalid key: a b.c");
	check_key("a.\n.c", "invalid key (newline): a.\n.c");
}

static struct config_set *parse(const char *text)
{
	struct config_set *c = config_set_new();

	assert_int_equal(0, config_set_read_buf(c, text, strlen(text), "f", CONFIG_ORIGIN_FILE,
						CONFIG_SCOPE_LOCAL, NULL, NULL));
	return c;
}

static void check_int(const struct config_set *c, const char *key, const char *expected)
{
	struct err err = ERR_INIT;
	char buf[32];
	int n = 0, rc = config_get_int(c, key, &n, &err);

	snprintf(buf, sizeof(buf), "%d", n);
	assert_string_equal(rc < 0 ? err_message(&err) : rc ? buf : "absent", expected);
	err_release(&err);
}

static void test_numbers(void **state)
{
	struct config_set *c = parse("[i]\na=1k\nb=-2M\nc=0x10\nd=010\ne=1x\nf=\ng\nh=3g\nj= 7\n");
	unsigned long n = 0;

	(void)state;
	check_int(c, "i.a", "1024");
	check_int(c, "i.b", "-2097152");
	check_int(c, "i.c", "16");
	check_int(c, "i.d", "8");
	check_int(c, "i.e", "bad numeric config value '1x' for 'i.e' in file f: invalid unit");
	check_int(c, "i.f", "bad numeric config value '' for 'i.f' in file f: invalid unit");
	check_int(c, "i.g", "bad numeric config value '' for 'i.g' in file f: invalid unit");
	check_int(c, "i.h", "bad numeric config value '3g' for 'i.h' in file f: out of range");
	check_int(c, "i.j", "7");
	check_int(c, "i.none", "absent");
	assert_int_equal(1, config_get_ulong(c, "i.h", &n, NULL));
	assert_int_equal(3UL << 30, n);
	assert_true(config_get_ulong(c, "i.b", &n, NULL) < 0);
	config_set_free(c);
}

static void test_bools(void **state)
{
	struct config_set *c = parse("[b]\na=tRuE\nb=off\nc\nd=\ne=2\nf=0\ng=maybe\n");
	struct err err = ERR_INIT;
	bool b = false, is_bool = false;
	int n = 0;

	(void)state;
	assert_true(config_get_bool(c, "b.a", &b, NULL) == 1 && b);
	assert_true(config_get_bool(c, "b.b", &b, NULL) == 1 && !b);
	assert_true(config_get_bool(c, "b.c", &b, NULL) == 1 && b);
	assert_true(config_get_bool(c, "b.d", &b, NULL) == 1 && !b);
	assert_true(config_get_bool(c, "B.E", &b, NULL) == 1 && b);
	assert_true(config_get_bool(c, "b.f", &b, NULL) == 1 && !b);
	assert_true(config_get_bool(c, "b.none", &b, NULL) == 0);
	assert_int_equal(ERR_INVALID, config_get_bool(c, "b.g", &b, &err));
	assert_string_equal("bad boolean config value 'maybe' for 'b.g' in file f at line 8",
			    err_message(&err));
	assert_true(config_get_bool_or_int(c, "b.e", &is_bool, &n, NULL) == 1 && !is_bool && n == 2);
	assert_true(config_get_bool_or_int(c, "b.a", &is_bool, &n, NULL) == 1 && is_bool && n == 1);
	err_release(&err);
	config_set_free(c);
}

static void test_lookup(void **state)
{
	struct config_set *c = parse("[a]x=1\n[a \"S\"]x=2\n[a]x=3\ny\n");
	const struct config_entry *const *v;
	const char *s = "untouched";
	struct err err = ERR_INIT;
	size_t nr;

	(void)state;
	assert_string_equal("3", config_get(c, "a.x")->value);
	assert_int_equal(3, config_get(c, "A.X")->line);
	assert_string_equal("2", config_get(c, "a.S.x")->value);
	assert_null(config_get(c, "a.s.x"));
	v = config_get_all(c, "a.x", &nr);
	assert_int_equal(2, nr);
	assert_string_equal("1", v[0]->value);
	assert_int_equal(ERR_INVALID, config_get_string(c, "a.y", &s, &err));
	assert_string_equal("untouched", s);
	assert_string_equal("bad config variable 'a.y' in file 'f' at line 4: missing value",
			    err_message(&err));
	err_release(&err);
	config_set_free(c);
}

/* ---- includes ---- */

static int read_with(const char *path, const struct config_include_ctx *ctx, char **value,
		     struct err *err)
{
	struct config_set *c = config_set_new();
	int rc = config_set_read_file(c, path, CONFIG_SCOPE_LOCAL, ctx, err);
	const struct config_entry *e = config_get(c, "x.y");

	*value = !rc && e && e->value ? xstrdup(e->value) : NULL;
	config_set_free(c);
	return rc;
}

static const char *branch_there;

static char *give_branch(const char *gitdir UNUSED)
{
	return branch_there ? xstrdup(branch_there) : NULL;
}

static void check_condition(const char *directory, const char *cond, const char *gitdir,
			    const char *branch, bool holds)
{
	struct config_include_ctx ctx = { gitdir, give_branch, NULL };
	char *text = xstrfmt("[includeIf \"%s\"]\npath=inc\n", cond), *value;

	branch_there = branch;
	write_text(at(directory, "main"), text);
	assert_int_equal(0, read_with(at(directory, "main"), &ctx, &value, NULL));
	if ((value != NULL) != holds)
		fail_msg("condition '%s' for '%s'", cond, gitdir ? gitdir : branch);
	free(value);
	free(text);
}

static void test_conditions(void **state)
{
	char *directory = scratch_new(), *own = xstrfmt("%s/r/.git", directory);

	(void)state;
	write_text(at(directory, "inc"), "[x]y=1\n");
	check_condition(directory, "gitdir:/w/r/.git", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:/w/", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:/W/", "/w/r/.git", NULL, false);
	check_condition(directory, "gitdir/i:/W/", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:r/.git", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:r/", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:/w/*/.git", "/w/r/.git", NULL, true);
	check_condition(directory, "gitdir:/w/*/.git", "/w/r/s/.git", NULL, false);
	check_condition(directory, "gitdir:/w/**/.git", "/w/r/s/.git", NULL, true);
	check_condition(directory, "gitdir:./r/", own, NULL, true);
	check_condition(directory, "gitdir:./r/", "/elsewhere/r/.git", NULL, false);
	check_condition(directory, "gitdir:/w/", NULL, NULL, false);
	check_condition(directory, "onbranch:main", "/w", "main", true);
	check_condition(directory, "onbranch:ma*", "/w", "main", true);
	check_condition(directory, "onbranch:a/", "/w", "a/b/c", true);
	check_condition(directory, "onbranch:a/*", "/w", "a/b/c", false);
	check_condition(directory, "onbranch:main", "/w", NULL, false);
	check_condition(directory, "onbranch:main", NULL, "main", false); /* no repository */
	check_condition(directory, "unknown:x", "/w", "main", false);
	free(own);
	scratch_remove(directory);
}

static void test_include_loop(void **state)
{
	static const struct config_include_ctx ctx = { NULL, NULL, NULL };
	char *directory = scratch_new(), *value;
	struct err err = ERR_INIT;

	(void)state;
	write_text(at(directory, "a"), "[include]path=b\n");
	write_text(at(directory, "b"), "[x]y=1\n[include]path=./a\n");
	assert_true(read_with(at(directory, "a"), &ctx, &value, &err) < 0);
	assert_true(starts_with(err_message(&err), "exceeded maximum include depth (10)"));
	err_release(&err);
	/* not followed without a context, a missing file is no error */
	assert_int_equal(0, read_with(at(directory, "a"), NULL, &value, NULL));
	write_text(at(directory, "a"), "[include]path=missing\n[x]y=1\n");
	assert_int_equal(0, read_with(at(directory, "a"), &ctx, &value, NULL));
	free(value);
	assert_int_equal(ERR_NOT_FOUND, read_with(at(directory, "none"), &ctx, &value, NULL));
	/* a bad file is named, not the one that includes it */
	write_text(at(directory, "b"), "[x\n");
	write_text(at(directory, "a"), "[include]path=b\n");
	assert_true(read_with(at(directory, "a"), &ctx, &value, &err) < 0);
	assert_non_null(strstr(err_message(&err), "/b"));
	err_release(&err);
	scratch_remove(directory);
}

static void test_hasconfig(void **state)
{
	static const struct config_include_ctx ctx = { NULL, NULL, NULL };
	char *directory = scratch_new(), *value;
	struct err err = ERR_INIT;

	(void)state;
	write_text(at(directory, "inc"), "[x]y=1\n");
	write_text(at(directory, "a"), "[includeIf \"hasconfig:remote.*.url:https://h/**\"]path=inc\n"
				 "[remote \"o\"]url=https://h/a/b\n");
	assert_int_equal(0, read_with(at(directory, "a"), &ctx, &value, NULL));
	assert_string_equal("1", value);
	free(value);
	write_text(at(directory, "a"), "[includeIf \"hasconfig:remote.*.url:https://g/**\"]path=inc\n"
				 "[remote \"o\"]url=https://h/a/b\n");
	assert_int_equal(0, read_with(at(directory, "a"), &ctx, &value, NULL));
	assert_null(value);
	write_text(at(directory, "inc"), "[remote \"p\"]url=x\n");
	write_text(at(directory, "a"), "[includeIf \"hasconfig:remote.*.url:https://h/**\"]path=inc\n"
				 "[remote \"o\"]url=https://h/a/b\n");
	assert_true(read_with(at(directory, "a"), &ctx, &value, &err) < 0);
	assert_true(starts_with(err_message(&err), "remote URLs cannot be configured"));
	err_release(&err);
	scratch_remove(directory);
}

/* ---- the environment ---- */

static char *from_environment(void)
{
	struct config_set *c = config_set_new();
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CONFIG_GLOBAL", "", 1);
	if (config_set_read_all(c, NULL, NULL, false, NULL, &err) < 0)
		strbuf_addf(&out, "! %s%s", err.preface ? err.preface : "", err_message(&err));
	for (size_t i = 0; !err.code && i < config_nr(c); i++)
		strbuf_addf(&out, "%s=%s|", config_at(c, i)->key,
			    config_at(c, i)->value ? config_at(c, i)->value : "(none)");
	err_release(&err);
	config_set_free(c);
	return strbuf_detach(&out, NULL);
}

static void check_environment(const char *parameters, const char *expected)
{
	char *got;

	setenv("GIT_CONFIG_PARAMETERS", parameters, 1);
	got = from_environment();
	assert_string_equal(got, expected);
	free(got);
	unsetenv("GIT_CONFIG_PARAMETERS");
}

static void test_environment(void **state)
{
	char *got;

	(void)state;
	check_environment("'a.b=c'", "a.b=c|");
	check_environment("'a.b=c=d' 'e.f'", "a.b=c=d|e.f=(none)|");
	check_environment("'a.b'='c'  'd.e'=", "a.b=c|d.e=(none)|");
	check_environment("'a.b'='it'\\''s'", "a.b=it's|");
	check_environment("a.b", "! error: bogus format in GIT_CONFIG_PARAMETERS\n"
			  "unable to parse command-line config");
	check_environment("'a.b'='c", "! error: bogus format in GIT_CONFIG_PARAMETERS\n"
			  "unable to parse command-line config");
	check_environment("'ab'='c'", "! error: key does not contain a section: ab\n"
			  "unable to parse command-line config");

	assert_int_equal(0, config_push_parameter("a.x=y=z'", NULL));
	assert_int_equal(0, config_push_parameter("a.flag", NULL));
	got = from_environment();
	assert_string_equal(got, "a.x=y=z'|a.flag=(none)|");
	free(got);
	unsetenv("GIT_CONFIG_PARAMETERS");
}

/* ---- hostile ---- */

/*
 * Every prefix of a file with all kinds of lines, and every byte of it changed: the parser
 * returns, and sanitizers report nothing.
 */
static void test_hostile(void **state)
{
	static const char sample[] = "\xef\xbb\xbf[a]\r\n b = \"x\\ty\" ; c\n[a \"s\\\"\"] d\n"
				     "e=1\\\n 2 # z\n[include]path=x\n";
	static const char bytes[] = { 0, '\n', '\r', '"', '\\', '[', ']', '#', '=', ' ', (char)0xff };
	size_t len = sizeof(sample) - 1;
	char *copy = xmemdup(sample, len);

	(void)state;
	for (size_t n = 0; n <= len; n++) {
		char *exact = xmemdup(sample, n + !n);

		free(dump(exact, n));
		free(exact);
	}
	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k < sizeof(bytes); k++) {
			copy[i] = bytes[k];
			free(dump(copy, len));
		}
		copy[i] = sample[i];
	}
	free(copy);
}

/* The number of variables that http.<pattern> gives for the URL, or the error. */
static int match_url(const char *pattern, const char *url)
{
	char *text = xstrfmt("[http \"%s\"]\n\tkey = value\n", pattern);
	struct config_set *c = config_set_new();
	struct url_config_result *found;
	size_t nr;
	int rc;

	assert_int_equal(0, config_set_read_buf(c, text, strlen(text), "text", CONFIG_ORIGIN_BLOB,
						CONFIG_SCOPE_LOCAL, NULL, NULL));
	rc = url_config_match(c, "http", NULL, url, &found, &nr, NULL);
	if (!rc) {
		rc = (int)nr;
		url_config_result_free(found, nr);
	}
	config_set_free(c);
	free(text);
	return rc;
}

static void test_urls(void **state)
{
	static const char url[] = "HTTPS://U:p@Ho%73t.Com:443/a/./b/../%41?q";

	(void)state;
	assert_int_equal(1, match_url("https://U@host.com/a/A", url));
	assert_int_equal(1, match_url("https://host.com:443", url));
	assert_int_equal(0, match_url("http://host.com", url));
	assert_int_equal(0, match_url("https://u@host.com", url));
	assert_int_equal(0, match_url("https://host.com:444", url));
	assert_int_equal(0, match_url("https://host.com/a/B", url));
	assert_int_equal(ERR_INVALID, match_url("https://host.com", "foo"));
	assert_int_equal(ERR_INVALID, match_url("https://host.com", "http:///x"));
	assert_int_equal(ERR_INVALID, match_url("https://host.com", "http://h:99999x/"));
	assert_int_equal(ERR_INVALID, match_url("https://host.com", "http://h/../x"));
	assert_int_equal(ERR_INVALID, match_url("https://host.com", "http://h/%4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sections), cmocka_unit_test(test_values),
		cmocka_unit_test(test_keys), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bools), cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_include_loop),
		cmocka_unit_test(test_hasconfig), cmocka_unit_test(test_environment),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
