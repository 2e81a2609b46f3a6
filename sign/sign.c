/* SPDX-License-Identifier: GPL-2.0-only */
/* Signing and checking: settings, choice of the format, dates. */
#include "compat/posix.h"
#include "sign/sign-internal.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/tag.h"
#include "util/alloc.h"

static const struct sign_format *const formats[] = {
	&sign_format_openpgp, &sign_format_x509, &sign_format_ssh,
};

static const char *const trust_names[] = { "undefined", "never", "marginal", "fully",
					   "ultimate" };

/* ---- settings ---- */

/* "error: invalid value for 'KEY': 'VALUE'", then its place. */
static int bad_value(const struct config_entry *e, struct err *err)
{
	char *preface = xstrfmt("error: invalid value for '%s': '%s'\n", e->key, e->value);

	if (e->origin == CONFIG_ORIGIN_FILE)
		err_set(err, ERR_INVALID, "bad config variable '%s' in file '%s' at line %d",
			e->key, e->file, e->line);
	else
		err_set(err, ERR_INVALID, "unable to parse '%s' from command-line config", e->key);
	err_set_preface(err, preface);
	free(preface);
	return ERR_INVALID;
}

static int read_format(const struct config_entry *e, struct sign_settings *s, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(e->value, formats[i]->name)) {
			s->format = formats[i];
			return 0;
		}
	return bad_value(e, err);
}

static int read_trust(const struct config_entry *e, struct sign_settings *s, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(trust_names); i++)
		if (!strcasecmp(e->value, trust_names[i])) {
			s->min_trust = (int)i;
			return 0;
		}
	return bad_value(e, err);
}

/* The field of a string setting; NULL: another key. gpg.program is gpg.openpgp.program. */
static const char **setting(struct sign_settings *s, const char *key)
{
	static const char *const programs[] = { "gpg.openpgp.program", "gpg.x509.program",
						"gpg.ssh.program" };

	if (!strcmp(key, "user.signingkey"))
		return &s->signing_key;
	if (!strcmp(key, "gpg.program"))
		return &s->programs[sign_format_openpgp.index];
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(key, programs[i]))
			return &s->programs[i];
	return NULL;
}

/* A later value replaces an earlier one. */
static int read_one(const struct config_entry *e, struct sign_settings *s, struct err *err)
{
	const char **text = setting(s, e->key);
	bool is_format = !strcmp(e->key, "gpg.format");
	bool is_trust = !strcmp(e->key, "gpg.mintrustlevel");

	if (!text && !is_format && !is_trust)
		return 0;
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (is_format)
		return read_format(e, s, err);
	if (is_trust)
		return read_trust(e, s, err);
	*text = e->value;
	return 0;
}

static int read_settings(struct repository *r, struct sign_settings *s, struct err *err)
{
	int rc = 0;

	memset(s, 0, sizeof(*s));
	s->format = &sign_format_openpgp;
	s->min_trust = SIGNATURE_TRUST_UNKNOWN;
	for (size_t i = 0; !rc && i < config_nr(r->config); i++)
		rc = read_one(config_at(r->config, i), s, err);
	return rc;
}

static void prepare(struct sign_request *q, struct repository *r, const struct sign_settings *s,
		    const struct sign_format *format)
{
	q->r = r;
	q->format = format;
	q->program = s->programs[format->index];
	if (!q->program || !*q->program)
		q->program = format->default_program;
}

/* ---- signing ---- */

int signature_make(struct repository *r, const char *payload, size_t len, const char *key,
		   struct strbuf *signature, struct err *err)
{
	struct sign_request q = { .payload = payload, .len = len };
	struct sign_settings s;
	char *chosen = NULL;
	int rc = read_settings(r, &s, err);

	if (rc < 0)
		return rc;
	prepare(&q, r, &s, s.format);
	if (*key || s.signing_key)
		chosen = xstrdup(*key ? key : s.signing_key);
	else
		rc = q.format->default_key(r, &chosen, err);
	if (!rc)
		rc = q.format->sign(&q, chosen, signature, err);
	free(chosen);
	return rc;
}

/* ---- checking ---- */

void signature_check_release(struct signature_check *c)
{
	free(c->signer);
	free(c->key);
	free(c->fingerprint);
	free(c->primary_fingerprint);
	free(c->output);
	free(c->status);
	strbuf_release(&c->payload);
	*c = (struct signature_check)SIGNATURE_CHECK_INIT;
}

static const struct sign_format *format_of(const char *signature)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		for (const char *const *p = formats[i]->begins; *p; p++)
			if (starts_with(signature, *p))
				return formats[i];
	return NULL;
}

const char *signature_format(const char *signature)
{
	const struct sign_format *format = format_of(signature);

	return format ? format->name : NULL;
}

/* False: the line is missing or malformed. */
static bool find_date(const struct strbuf *payload, const char *header, timestamp_t *date)
{
	struct strbuf line = STRBUF_INIT;
	struct ident_split id;
	bool found = commit_find_header(payload->buf, payload->len, header, &line) &&
		     !ident_split_line(&id, line.buf, line.len);

	if (found)
		*date = id.has_date ? id.date : 0;
	strbuf_release(&line);
	return found;
}

/* c->payload is set; header is that of the date to go by; without one, `otherwise`, if that is not 0. */
static int sign_check(struct signature_check *c, struct repository *r,
		      const struct strbuf *signature,
		      const char *header, timestamp_t otherwise, struct err *err)
{
	struct sign_request q = { .payload = c->payload.buf, .len = c->payload.len };
	const struct sign_format *format;
	struct sign_settings s;
	int rc = read_settings(r, &s, err);

	if (rc < 0)
		return rc;
	c->is_signed = true;
	c->trust = SIGNATURE_TRUST_UNKNOWN;
	if (!find_date(&c->payload, header, &q.date)) {
		if (!otherwise)
			return 0;
		q.date = otherwise;
	}
	format = format_of(signature->buf);
	if (!format)
		return err_set(err, ERR_INVALID, "bad/incompatible signature '%.4096s'",
			       signature->buf);
	prepare(&q, r, &s, format);
	c->good = format->check(&q, signature->buf, signature->len, c) && c->result == 'G' &&
		  (int)c->trust >= s.min_trust;
	return 0;
}

int signature_check_commit(struct signature_check *c, struct repository *r, const char *object,
			   size_t len, struct err *err)
{
	struct strbuf signature = STRBUF_INIT;
	struct commit_view v;
	int rc = commit_parse(&v, object, len, r->algo, err);

	if (rc < 0)
		return rc;
	signature_check_release(c);
	commit_view_release(&v);
	if (commit_split_signature(object, len, r->algo, &c->payload, &signature))
		rc = sign_check(c, r, &signature, "committer", 0, err);
	strbuf_release(&signature);
	return rc;
}

int signature_check_tag(struct signature_check *c, struct repository *r, const char *object,
			size_t len, struct err *err)
{
	struct strbuf signature = STRBUF_INIT;
	struct tag_view v;
	int rc = tag_parse(&v, object, len, r->algo, err);

	if (rc < 0)
		return rc;
	signature_check_release(c);
	if (tag_split_signature(&v, object, &c->payload, &signature))
		rc = sign_check(c, r, &signature, "tagger", 0, err);
	strbuf_release(&signature);
	return rc;
}

size_t signature_find(const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);

		if (format_of(text + at))
			return at;
		at = end ? (size_t)(end - text) + 1 : len;
	}
	return len;
}

/* A pusher may have named only a key: then the signature is checked as of now. */
int signature_check_push(struct signature_check *c, struct repository *r, const char *cert, size_t len, struct err *err)
{
	struct strbuf signature = STRBUF_INIT;
	size_t signed_len = signature_find(cert, len);
	int rc = 0;

	signature_check_release(c);
	strbuf_add(&c->payload, cert, signed_len);
	strbuf_add(&signature, cert + signed_len, len - signed_len);
	if (signature.len)
		rc = sign_check(c, r, &signature, "pusher", (timestamp_t)time(NULL), err);
	strbuf_release(&signature);
	return rc;
}

char signature_grade(const struct signature_check *c)
{
	if (c->result == 'G' && (c->trust == SIGNATURE_TRUST_UNDEFINED ||
				 c->trust == SIGNATURE_TRUST_NEVER))
		return 'U';
	return c->result;
}

const char *signature_trust_name(const struct signature_check *c)
{
	return trust_names[c->trust < 0 ? SIGNATURE_TRUST_UNDEFINED : c->trust];
}
