/* SPDX-License-Identifier: GPL-2.0-only */
/* Credentials as a client uses them: asked for, refused by the server, asked for anew, told to helpers once. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/unit/scratch.h"
#include "credential/credential.h"
#include "credential/secret.h"
#include "util/alloc.h"

/* A configuration with this helper, which finds the directory of the test in $dir. */
static struct config_set *with_helper(const char *script)
{
	struct config_set *c = config_set_new();
	char *text = xstrfmt("[credential]\n\thelper = \"!%s\"\n", script);

	setenv("dir", dir, 1);
	assert_int_equal(config_set_read_buf(c, text, strlen(text), "test", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_GLOBAL, NULL, NULL), 0);
	free(text);
	return c;
}

static void begin(struct credential *c)
{
	credential_init(c);
	assert_int_equal(credential_from_url(c, "https://example.com/a", NULL), 0);
	c->capa_authtype.caller = c->capa_state.caller = true;
	assert_int_equal(setenv("GIT_TERMINAL_PROMPT", "0", 1), 0);
}

static void what_was_refused_is_asked_for_anew(void **state UNUSED)
{
	struct config_set *config = with_helper("f() { echo $1 >>$dir/said; test $1 != get || { echo username=u; "
						"echo password=$(wc -l <$dir/said); }; }; f");
	struct credential c;
	char *said;

	begin(&c);
	assert_int_equal(credential_fill(&c, config, NULL), 0);
	assert_string_equal(c.password, "1");
	assert_int_equal(credential_fill(&c, config, NULL), 0);
	assert_string_equal(c.password, "1");
	assert_int_equal(credential_reject(&c, config, NULL), 0);
	assert_null(c.username);
	assert_null(c.password);
	assert_int_equal(credential_fill(&c, config, NULL), 0);
	assert_string_equal(c.password, "3");
	assert_int_equal(credential_approve(&c, config, NULL), 0);
	assert_int_equal(credential_approve(&c, config, NULL), 0);
	said = read_text(at(dir, "said"));
	assert_string_equal(said, "get\nerase\nget\nstore\n");
	free(said);
	credential_release(&c);
	config_set_free(config);
}

static void a_user_of_the_configuration_is_there_again(void **state UNUSED)
{
	struct config_set *config = with_helper("echo password=p;:");
	const char *more = "[credential]\n\tusername = me\n";
	struct credential c;

	assert_int_equal(config_set_read_buf(config, more, strlen(more), "test", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_GLOBAL, NULL, NULL), 0);
	begin(&c);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(credential_fill(&c, config, NULL), 0);
		assert_string_equal(c.username, "me");
		assert_int_equal(credential_reject(&c, config, NULL), 0);
	}
	credential_release(&c);
	config_set_free(config);
}

/* The helper gets its state back, and what the server has said. */
static void several_rounds(void **state UNUSED)
{
	struct config_set *config = with_helper(
		"f() { test $1 = get || exit 0; echo capability[]=authtype; echo capability[]=state; echo authtype=NTLM; "
		"if grep -q state..=x:1; then echo credential=two; echo state[]=x:2; "
		"else echo credential=one; echo state[]=x:1; echo continue=1; fi; }; f");
	struct credential c;

	begin(&c);
	assert_int_equal(credential_fill(&c, config, NULL), 0);
	assert_string_equal(c.credential, "one");
	assert_true(c.multistage);
	assert_int_equal(credential_fill(&c, config, NULL), 0);
	assert_string_equal(c.credential, "two");
	assert_string_equal(c.authtype, "NTLM");
	assert_false(c.multistage);
	assert_int_equal(c.state.nr, 1);
	assert_string_equal(c.state.v[0], "x:2");
	credential_release(&c);
	config_set_free(config);
}

static void secrets_grow_and_go(void **state UNUSED)
{
	struct strbuf sb = STRBUF_INIT;
	char text[] = "secret", *copy = NULL;

	for (int i = 0; i < 10000; i++)
		secret_buf_add(&sb, "ab", 2);
	assert_int_equal(sb.len, 20000);
	assert_int_equal(strspn(sb.buf, "ab"), 20000);
	secret_buf_release(&sb);
	assert_int_equal(sb.len, 0);
	secret_wipe(text, sizeof(text) - 1);
	assert_memory_equal(text, "\0\0\0\0\0\0", sizeof(text));
	secret_set(&copy, "x");
	secret_set(&copy, copy);
	assert_string_equal(copy, "x");
	secret_free(&copy);
	assert_null(copy);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_refused_is_asked_for_anew),
		TEST(a_user_of_the_configuration_is_there_again),
		TEST(several_rounds),
		TEST(secrets_grow_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
