/* SPDX-License-Identifier: GPL-2.0-only */
/* URLs of remotes, and what may be connected to. */
#include "compat/posix.h"
#include "transport/url.h"
#include "util/alloc.h"
#include <setjmp.h>
#include <cmocka.h>

/* What git fetch-pack --diag-url says of each. No scheme: there is no path in it. */
static const struct {
	const char *text, *scheme, *host, *port, *path;
} forms[] = {
	{ "ssh://host/path", "ssh", "host", NULL, "/path" },
	{ "ssh://host:22/path", "ssh", "host", "22", "/path" },
	{ "ssh://user@host:22/~me/x", "ssh", "user@host", "22", "~me/x" },
	{ "ssh://host", NULL, NULL, NULL, NULL },
	{ "ssh://host/", "ssh", "host", NULL, "/" },
	{ "git://host/x", "git", "host", NULL, "/x" },
	{ "git://host:9419/x", "git", "host:9419", NULL, "/x" },
	{ "git://[::1]:9419/x", "git", "[::1]:9419", NULL, "/x" },
	{ "git://[::1]/x", "git", "[::1]", NULL, "/x" },
	{ "ssh://[::1]/x", "ssh", "::1", NULL, "/x" },
	{ "ssh://[::1]:22/x", "ssh", "::1", "22", "/x" },
	{ "ssh://[user@::1]/x", "ssh", "user@::1", NULL, "/x" },
	{ "ssh://user@[::1]:22/x", "ssh", "user@::1", "22", "/x" },
	{ "ssh://[user@host:22]/x", "ssh", "user@host", "22", "/x" },
	{ "host:path", "ssh", "host", NULL, "path" },
	{ "host:/path", "ssh", "host", NULL, "/path" },
	{ "host:~/path", "ssh", "host", NULL, "~/path" },
	{ "host:/~path", "ssh", "host", NULL, "~path" },
	{ "user@host:path", "ssh", "user@host", NULL, "path" },
	{ "[::1]:path", "ssh", "::1", NULL, "path" },
	{ "user@[::1]:path", "ssh", "user@::1", NULL, "path" },
	{ "[user@::1]:path", "ssh", "user@::1", NULL, "path" },
	{ "[host:22]:path", "ssh", "host", "22", "path" },
	{ "[user@host:22]:x", "ssh", "user@host", "22", "x" },
	{ "[host]:x", "ssh", "host", NULL, "x" },
	{ "host:22:x", "ssh", "host", NULL, "22:x" },
	{ "[::1]:22:x", "ssh", "::1", NULL, "22:x" },
	{ "[host:]:x", "ssh", "host:", NULL, "x" },
	{ "./a:b", "file", "", NULL, "./a:b" },
	{ "/a:b", "file", "", NULL, "/a:b" },
	{ "a/b", "file", "", NULL, "a/b" },
	{ "file:///x", "file", "", NULL, "/x" },
	{ "file://host/x", "file", "host", NULL, "/x" },
	{ "file://x", NULL, NULL, NULL, NULL },
	{ "file:///a%20b", "file", "", NULL, "/a b" },
	{ "ssh://host/a%20b", "ssh", "host", NULL, "/a b" },
	{ "ssh://ho%20st/x", "ssh", "ho st", NULL, "/x" },
	{ "ssh://us%40er@host/x", "ssh", "us@er@host", NULL, "/x" },
	{ "git+ssh://h/x", "ssh", "h", NULL, "/x" },
	{ "ssh+git://h/x", "ssh", "h", NULL, "/x" },
	{ "ssh://-oX/x", "ssh", "-oX", NULL, "/x" },
	{ "ssh://h/-x", "ssh", "h", NULL, "/-x" },
	{ "ssh://h:-1/x", "ssh", "h:-1", NULL, "/x" },
	{ "git://-h/x", "git", "-h", NULL, "/x" },
	{ "git://h:99999999/x", "git", "h:99999999", NULL, "/x" },
	{ "git://h:/x", "git", "h:", NULL, "/x" },
	{ "ssh://h:/x", "ssh", "h", NULL, "/x" },
	{ "ssh://h:abc/x", "ssh", "h:abc", NULL, "/x" },
	{ "ssh://h/~x", "ssh", "h", NULL, "~x" },
	{ "git://h/~x/y", "git", "h", NULL, "~x/y" },
	{ "ssh://h//x", "ssh", "h", NULL, "//x" },
	{ ":x", "ssh", "", NULL, "x" },
	{ "ssh:///x", "ssh", "", NULL, "/x" },
	{ "git:///x", "git", "", NULL, "/x" },
	{ "a b:c", "ssh", "a b", NULL, "c" },
	{ "ssh://h/a%zz", "ssh", "h", NULL, "/a%zz" },
	{ "ssh://h%00x/y", "ssh", "h%00x", NULL, "/y" },
	{ "file://", NULL, NULL, NULL, NULL },
	{ "x:", "ssh", "x", NULL, "" },
	{ "ssh:h/x", "ssh", "ssh", NULL, "h/x" },
	{ "[::1", "ssh", "[", NULL, ":1" },
	{ "[]:x", "ssh", "", NULL, "x" },
	{ "ssh://[::1/x", "ssh", "[::1", NULL, "/x" },
	{ "ssh://user@[::1]x/y", "ssh", "user@::1", NULL, "/y" },
	{ "h:x:y", "ssh", "h", NULL, "x:y" },
};

static void same(const char *what, const char *text, const char *is, const char *want)
{
	if (!is != !want || (want && strcmp(is, want)))
		fail_msg("%s of '%s' is '%s', not '%s'", what, text, is ? is : "(none)", want ? want : "(none)");
}

static void test_forms(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct remote_url u = REMOTE_URL_INIT;
		int rc = remote_url_parse(&u, forms[i].text, NULL);

		if (!forms[i].scheme) {
			assert_int_equal(rc, ERR_INVALID);
			continue;
		}
		assert_int_equal(rc, 0);
		same("scheme", forms[i].text, u.scheme, forms[i].scheme);
		same("host", forms[i].text, u.kind == URL_SSH ? u.user_host : u.host_port, forms[i].host);
		if (u.kind == URL_SSH)
			same("port", forms[i].text, u.port, forms[i].port);
		same("path", forms[i].text, u.path, forms[i].path);
		remote_url_release(&u);
	}
}

static void test_git_host(void **state UNUSED)
{
	struct remote_url u = REMOTE_URL_INIT;

	assert_int_equal(remote_url_parse(&u, "git://[::1]:9419/x", NULL), 0);
	assert_string_equal(u.user_host, "::1");
	assert_string_equal(u.port, "9419");
	remote_url_release(&u);
	assert_int_equal(remote_url_parse(&u, "git://host/x", NULL), 0);
	assert_string_equal(u.user_host, "host");
	assert_null(u.port);
	remote_url_release(&u);
}

static void test_helpers(void **state UNUSED)
{
	static const struct {
		const char *text, *scheme, *address;
	} helpers[] = {
		{ "ext::sh -c x", "ext", "sh -c x" },
		{ "https://me@host/x", "https", "https://me@host/x" },
		{ "a.b-c+d::y", "a.b-c+d", "y" },
		{ "SSH://h/x", "SSH", "SSH://h/x" },
		{ "h::", "h", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++) {
		struct remote_url u = REMOTE_URL_INIT;

		assert_int_equal(remote_url_parse(&u, helpers[i].text, NULL), 0);
		assert_int_equal(u.kind, URL_HELPER);
		assert_string_equal(u.scheme, helpers[i].scheme);
		assert_string_equal(u.address, helpers[i].address);
		remote_url_release(&u);
	}
}

static void test_blocked(void **state UNUSED)
{
	static const struct {
		const char *text, *message; /* NULL: it may be connected to */
	} all[] = {
		{ "-h:x", "strange hostname '-h' blocked" },
		{ "ssh://-oProxyCommand=x/y", "strange hostname '-oProxyCommand=x' blocked" },
		{ "git://-h/y", "strange hostname '-h' blocked" },
		{ "ssh://[-h]/y", "strange hostname '-h' blocked" },
		{ "h:-x", "strange pathname '-x' blocked" },
		{ "ssh://h/-x", NULL },
		{ "git://h/a%0ab", "newline is forbidden in git:// hosts and repo paths" },
		{ "git://h%0ab/x", "newline is forbidden in git:// hosts and repo paths" },
		{ "./-x", NULL },
		{ "host:x", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct remote_url u = REMOTE_URL_INIT;
		struct err err = ERR_INIT;
		int rc;

		assert_int_equal(remote_url_parse(&u, all[i].text, NULL), 0);
		rc = remote_url_check(&u, &err);
		assert_int_equal(rc, all[i].message ? ERR_INVALID : 0);
		if (all[i].message)
			assert_string_equal(err_message(&err), all[i].message);
		err_release(&err);
		remote_url_release(&u);
	}
}

static void test_secrets(void **state UNUSED)
{
	static const char *const shown[][2] = {
		{ "https://me:secret@host/x", "https://host/x" },
		{ "https://token@host/x", "https://host/x" },
		{ "https://a@b:c@host/x@y", "https://host/x@y" },
		{ "https://host/x@y", "https://host/x@y" },
		{ "me@host:x", "me@host:x" },
		{ "/a@b", "/a@b" },
	};
	struct config_set *c = config_set_new();
	struct err err = ERR_INIT;
	char *warning = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		char *s = url_for_display(shown[i][0]);

		assert_string_equal(s, shown[i][1]);
		free(s);
	}
	assert_int_equal(url_check_credentials(c, "https://me:secret@host/x", &warning, NULL), 0);
	assert_null(warning);
	assert_int_equal(config_set_read_buf(c, "[transfer]credentialsInUrl=warn", 31, "x", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_LOCAL, NULL, NULL), 0);
	assert_int_equal(url_check_credentials(c, "https://me@host/x", &warning, NULL), 0);
	assert_null(warning);
	assert_int_equal(url_check_credentials(c, "https://me:secret@host/x", &warning, NULL), 0);
	assert_string_equal(warning, "URL 'https://me:<redacted>@host/x' uses plaintext credentials");
	free(warning);
	assert_int_equal(config_set_read_buf(c, "[transfer]credentialsInUrl=die", 30, "x", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_LOCAL, NULL, NULL), 0);
	assert_int_equal(url_check_credentials(c, "https://me:secret@host/x", &warning, &err), ERR_INVALID);
	assert_null(strstr(err_message(&err), "secret"));
	err_release(&err);
	assert_int_equal(config_set_read_buf(c, "[transfer]credentialsInUrl=Die", 30, "x", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_LOCAL, NULL, NULL), 0);
	assert_int_equal(url_check_credentials(c, "../x", &warning, &err), ERR_INVALID);
	assert_string_equal(err_message(&err), "unrecognized value transfer.credentialsInUrl: 'Die'");
	err_release(&err);
	config_set_free(c);
}

static bool allowed(const char *config, const char *scheme, int from_user)
{
	struct config_set *c = config_set_new();
	bool is;

	assert_int_equal(config_set_read_buf(c, config, strlen(config), "x", CONFIG_ORIGIN_FILE,
					     CONFIG_SCOPE_LOCAL, NULL, NULL), 0);
	is = !transport_check_allowed(c, scheme, from_user, NULL);
	config_set_free(c);
	return is;
}

static void test_allowed(void **state UNUSED)
{
	unsetenv("GIT_ALLOW_PROTOCOL");
	unsetenv("GIT_PROTOCOL_FROM_USER");
	assert_true(allowed("", "https", 0));
	assert_false(allowed("", "ext", 1));
	assert_true(allowed("", "file", -1));
	assert_false(allowed("", "file", 0));
	setenv("GIT_PROTOCOL_FROM_USER", "0", 1);
	assert_false(allowed("", "file", -1));
	unsetenv("GIT_PROTOCOL_FROM_USER");
	assert_true(allowed("[protocol \"ext\"]allow=always", "ext", 0));
	assert_false(allowed("[protocol]allow=never", "https", 1));
	assert_true(allowed("[protocol]allow=never\n[protocol \"https\"]allow=user", "https", 1));
	assert_false(allowed("[protocol]allow=sometimes", "https", 1));
	setenv("GIT_ALLOW_PROTOCOL", "ssh:ext", 1);
	assert_true(allowed("[protocol]allow=never", "ext", 0));
	assert_false(allowed("", "https", 1));
	assert_false(allowed("", "ss", 1));
	unsetenv("GIT_ALLOW_PROTOCOL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_git_host),
		cmocka_unit_test(test_helpers), cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_secrets), cmocka_unit_test(test_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
