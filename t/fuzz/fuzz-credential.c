/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptions of credentials, as helpers and scripts send them, and URLs: what is written of them is read as the
 * same, has no value that ends its line, and a prompt has no control characters.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "credential/credential.h"
#include "credential/secret.h"

static void check_prompt(const struct credential *c)
{
	struct strbuf shown = STRBUF_INIT;

	credential_describe(c, &shown);
	for (size_t i = 0; i < shown.len; i++)
		if ((unsigned char)shown.buf[i] < 0x20 || (unsigned char)shown.buf[i] >= 0x7f)
			abort();
	strbuf_release(&shown);
}

static void check_same(const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b)))
		abort();
}

static void check_round_trip(const struct credential *c)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct credential again;

	credential_init(&again);
	if (!credential_write(c, CREDENTIAL_FOR_HELPER, &first, NULL)) {
		if (memchr(first.buf, '\r', first.len) || strlen(first.buf) != first.len)
			abort();
		if (credential_parse(&again, first.buf, first.len, NULL) < 0 ||
		    credential_write(&again, CREDENTIAL_FOR_HELPER, &second, NULL) < 0)
			abort();
		check_same(first.buf, second.buf);
		check_same(c->protocol, again.protocol);
		check_same(c->host, again.host);
		check_same(c->path, again.path);
		check_same(c->username, again.username);
		check_same(c->password, again.password);
		if (!credential_matches(c, &again, true) || c->password_expiry != again.password_expiry)
			abort();
	}
	secret_buf_release(&first);
	secret_buf_release(&second);
	credential_release(&again);
}

static void check_url(const char *text, size_t len)
{
	char *url = strndup(text, len);
	struct credential c;

	credential_init(&c);
	if (!credential_from_url(&c, url, NULL)) {
		if (!c.protocol || !c.host || (c.password && !c.username))
			abort();
		check_prompt(&c);
		check_round_trip(&c);
	}
	credential_release(&c);
	free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct credential c;

	credential_init(&c);
	if (!credential_parse(&c, text, size, NULL)) {
		check_prompt(&c);
		check_round_trip(&c);
	}
	credential_release(&c);
	check_url(text, size);
	return 0;
}
