/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines between us, helpers and callers: git-credential(1), "INPUT/OUTPUT FORMAT". */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "credential/credential-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"

/* ---- reading ---- */

/* NAME[]: an empty value begins the list anew. */
static void take_item(struct strvec *list, const char *value)
{
	if (*value)
		strvec_push(list, value);
	else
		credential_clear_list(list);
}

static void take_credential_capability(struct credential *c, const char *name, bool of_helper)
{
	struct credential_capability *capability = NULL;

	if (!strcmp(name, "authtype"))
		capability = &c->capa_authtype;
	else if (!strcmp(name, "state"))
		capability = &c->capa_state;
	if (capability && of_helper)
		capability->helper = true;
	else if (capability)
		capability->caller = true;
}

/* A value that is no valid time means no expiry. */
static timestamp_t parse_expiry(const char *value)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || !n || n > (unsigned long long)TIME_MAX)
		return TIME_MAX;
	return n;
}

static int take_bool(bool *out, const char *key, const char *value, struct err *err)
{
	int n = config_parse_maybe_bool(value);

	if (n < 0)
		return err_set(err, ERR_INVALID, "bad boolean config value '%s' for '%s'", value, key);
	*out = n;
	return 0;
}

static int take_url_attribute(struct credential *c, const char *url, struct err *err)
{
	struct credential_capability authtype = c->capa_authtype, state = c->capa_state;
	int rc = credential_from_url(c, url, err);

	c->capa_authtype = authtype;
	c->capa_state = state;
	err_prefix(err, "credential url cannot be parsed");
	return rc;
}

static char **text_of(struct credential *c, const char *key)
{
	const struct {
		const char *key;
		char **value;
	} texts[] = {
		{ "protocol", &c->protocol }, { "host", &c->host }, { "path", &c->path },
		{ "username", &c->username }, { "password", &c->password }, { "authtype", &c->authtype },
		{ "credential", &c->credential }, { "oauth_refresh_token", &c->oauth_refresh_token },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].key, key))
			return texts[i].value;
	return NULL;
}

static int take_pair(struct credential *c, const char *key, const char *value, bool of_helper, struct err *err)
{
	char **text = text_of(c, key);

	if (text)
		secret_set(text, value);
	else if (!strcmp(key, "capability[]"))
		take_credential_capability(c, value, of_helper);
	else if (!strcmp(key, "wwwauth[]") && !of_helper)
		take_item(&c->wwwauth, value);
	else if (!strcmp(key, "state[]"))
		take_item(&c->state, value);
	else if (!strcmp(key, "password_expiry_utc"))
		c->password_expiry = parse_expiry(value);
	else if (!strcmp(key, "ephemeral"))
		return take_bool(&c->ephemeral, key, value, err);
	else if (!strcmp(key, "continue") && of_helper)
		return take_bool(&c->multistage, key, value, err);
	else if (!strcmp(key, "quit"))
		return take_bool(&c->quit, key, value, err);
	else if (!strcmp(key, "url"))
		return take_url_attribute(c, value, err);
	return 0;
}

/* `line` is changed. */
static int take_credential_line(struct credential *c, char *line, size_t len, bool of_helper, struct err *err)
{
	char *value;

	if (strlen(line) != len)
		return err_set(err, ERR_INVALID, "a credential line holds a NUL");
	value = strchr(line, '=');
	if (!value)
		return err_set(err, ERR_INVALID, "invalid credential line: %s", line);
	*value++ = '\0';
	return take_pair(c, line, value, of_helper, err);
}

int credential_parse_lines(struct credential *c, const char *text, size_t len, bool of_helper, struct err *err)
{
	const char *end = text + len;
	int rc = 0;

	while (!rc && text < end) {
		const char *eol = memchr(text, '\n', end - text);
		size_t n = (eol ? eol : end) - text;
		char *line;

		if (n && text[n - 1] == '\r') /* written by a system that ends lines so */
			n--;
		if (!n)
			break;
		line = xmemdupz(text, n);
		rc = take_credential_line(c, line, n, of_helper, err);
		secret_wipe(line, n);
		free(line);
		text = eol ? eol + 1 : end;
	}
	return rc;
}

int credential_parse(struct credential *c, const char *text, size_t len, struct err *err)
{
	return credential_parse_lines(c, text, len, false, err);
}

/* An empty line ends the credential. The sender may continue with other lines after it. */
static bool has_end(const struct strbuf *text, size_t from)
{
	for (size_t i = from; i < text->len; i++) {
		size_t before = i;

		if (text->buf[i] != '\n')
			continue;
		if (before && text->buf[before - 1] == '\r')
			before--;
		if (!before || text->buf[before - 1] == '\n')
			return true;
	}
	return false;
}

int credential_read(struct credential *c, int fd, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char piece[4096];
	ssize_t n = 1;
	int rc = 0;

	while (!rc && n > 0) {
		size_t before = text.len;

		n = RETRY_EINTR(sys->read(fd, piece, sizeof(piece)));
		if (n < 0)
			rc = err_set_errno(err, "cannot read a credential");
		else if (text.len + n > CREDENTIAL_MAX_BYTES)
			rc = err_set(err, ERR_TOO_BIG, "a credential of more than %u bytes", CREDENTIAL_MAX_BYTES);
		if (!rc)
			secret_buf_add(&text, piece, n);
		if (has_end(&text, before))
			break;
	}
	if (!rc)
		rc = credential_parse(c, text.buf, text.len, err);
	secret_wipe(piece, sizeof(piece));
	secret_buf_release(&text);
	return rc;
}

/* ---- writing ---- */

struct writer {
	struct strbuf *out;
	bool allow_cr;
	struct err *err;
	int rc;
};

/* A line feed would begin a line of its own, in which a host that was asked for could be another one. */
static void write_line(struct writer *w, const char *key, const char *value)
{
	if (w->rc || !value)
		return;
	if (strchr(value, '\n')) {
		w->rc = err_set(w->err, ERR_INVALID, "credential value for %s contains newline", key);
		return;
	}
	if (!w->allow_cr && strchr(value, '\r')) {
		w->rc = err_set(w->err, ERR_INVALID, "credential value for %s contains carriage return\n"
				"If this is intended, set `credential.protectProtocol=false`", key);
		return;
	}
	secret_buf_addstr(w->out, key);
	secret_buf_add(w->out, "=", 1);
	secret_buf_addstr(w->out, value);
	secret_buf_add(w->out, "\n", 1);
}

static void write_list(struct writer *w, const char *key, const struct strvec *list)
{
	for (size_t i = 0; i < list->nr; i++)
		write_line(w, key, list->v[i]);
}

/* A program gets values that need a capability only if it has that capability. */
static bool may_get(const struct credential_capability *capability, enum credential_audience whom)
{
	return capability->caller && (whom == CREDENTIAL_FOR_HELPER || capability->helper);
}

static void write_expiry(struct writer *w, timestamp_t expiry)
{
	char text[32];

	if (expiry == TIME_MAX)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, expiry);
	write_line(w, "password_expiry_utc", text);
}

int credential_write(const struct credential *c, enum credential_audience whom, struct strbuf *out,
		     struct err *err)
{
	struct writer w = { out, c->allow_cr, err, 0 };
	bool authtype = may_get(&c->capa_authtype, whom), state = may_get(&c->capa_state, whom);
	size_t before = out->len;

	if (authtype)
		write_line(&w, "capability[]", "authtype");
	if (state)
		write_line(&w, "capability[]", "state");
	if (authtype) {
		write_line(&w, "authtype", c->authtype);
		write_line(&w, "credential", c->credential);
		write_line(&w, "ephemeral", c->ephemeral ? "1" : NULL);
	}
	write_line(&w, "protocol", c->protocol);
	write_line(&w, "host", c->host);
	write_line(&w, "path", c->path);
	write_line(&w, "username", c->username);
	write_line(&w, "password", c->password);
	write_line(&w, "oauth_refresh_token", c->oauth_refresh_token);
	write_expiry(&w, c->password_expiry);
	write_list(&w, "wwwauth[]", &c->wwwauth);
	if (state) {
		write_line(&w, "continue", c->multistage && whom == CREDENTIAL_FOR_CALLER ? "1" : NULL);
		write_list(&w, "state[]", &c->state);
	}
	if (w.rc)
		strbuf_setlen(out, before);
	return w.rc;
}
