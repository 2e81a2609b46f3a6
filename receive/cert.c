/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signed pushes: gitprotocol-pack(5), "Push Certificate"; git-receive-pack(1). A nonce is "TIME-HMAC": only who has
 * receive.certNonceSeed can make it, for this repository and that second.
 */
#include "compat/posix.h"
#include <time.h>
#include "hash/hmac.h"
#include "object/commit.h"
#include "receive/receive.h"
#include "sign/sign.h"
#include "util/alloc.h"

static char *make_nonce(const struct receive_server *s, int64_t time)
{
	char hmac[HMAC_HEX_LEN + 1], *text = xstrfmt("%s:%" PRId64, s->repo->gitdir_abs, time), *nonce;

	hmac_sha256_hex(hmac, s->config.cert_nonce_seed, text);
	nonce = xstrfmt("%" PRId64 "-%.40s", time, hmac);
	free(text);
	return nonce;
}

void cert_make_nonce(struct receive_server *s)
{
	if (s->config.cert_nonce_seed && !s->nonce)
		s->nonce = make_nonce(s, (int64_t)time(NULL));
}

/* ---- the nonce of a certificate ---- */

/* Did a process of this server make the nonce, perhaps another one (HTTP)? *age_s: its age. */
static bool is_own_nonce(const struct receive_server *s, const char *nonce, int64_t *age_s)
{
	int64_t then = strtoll(nonce, NULL, 10);
	char *made = make_nonce(s, then);
	bool ours = hmac_text_eq(made, nonce);

	*age_s = (int64_t)time(NULL) - then;
	free(made);
	return ours;
}

static const char *check_nonce(struct receive_server *s, const char *nonce, int64_t *age_s)
{
	*age_s = 0;
	if (!s->config.cert_nonce_seed)
		return *nonce ? "UNSOLICITED" : "";
	if (!*nonce)
		return "MISSING";
	if (s->nonce)
		return hmac_text_eq(s->nonce, nonce) ? "OK" : "BAD";
	if (!s->o.stateless_rpc || !is_own_nonce(s, nonce, age_s) || *age_s < 0)
		return "BAD";
	return *age_s <= s->config.cert_nonce_slop_s ? "OK" : "SLOP";
}

/* ---- for the hooks: githooks(5), git-receive-pack(1) ---- */

static void export_nonce(struct receive_server *s)
{
	struct strbuf nonce = STRBUF_INIT;
	const struct strbuf *cert = &s->rq.cert;
	const char *verdict;
	int64_t age_s;

	if (!commit_find_header(cert->buf, signature_find(cert->buf, cert->len), "nonce", &nonce))
		strbuf_reset(&nonce);
	verdict = check_nonce(s, nonce.buf, &age_s);
	if (s->config.cert_nonce_seed) {
		strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_NONCE=%s", nonce.buf);
		strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_NONCE_STATUS=%s", verdict);
	}
	if (age_s > s->config.cert_nonce_slop_s)
		strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_NONCE_SLOP=%" PRId64, age_s);
	strbuf_release(&nonce);
}

static void export_check(struct receive_server *s, const struct object_id *blob, const struct signature_check *c)
{
	strvec_pushf(&s->hook_env, "GIT_PUSH_CERT=%s", oid_hex(blob));
	strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_SIGNER=%s", c->signer ? c->signer : "");
	strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_KEY=%s", c->key ? c->key : "");
	strvec_pushf(&s->hook_env, "GIT_PUSH_CERT_STATUS=%c", signature_grade(c));
}

/* ---- push options ---- */

/*
 * Returns the next signed option from *at on, and moves *at behind it; the caller frees it. NULL:
 * the header has no further one.
 */
static char *next_signed_option(const char **at)
{
	while (**at && **at != '\n') {
		const char *line = *at, *value, *end = strchrnul(line, '\n');

		*at = end + (*end == '\n');
		if (skip_prefix(line, "push-option ", &value))
			return xmemdupz(value, (size_t)(end - value));
	}
	return NULL;
}

static bool options_agree(const struct push_request *rq)
{
	const char *at = rq->cert.buf;
	bool agree = true;
	char *one;

	for (size_t i = 0; i < rq->push_options.nr && agree; i++) {
		one = next_signed_option(&at);
		agree = one && !strcmp(one, rq->push_options.v[i]);
		free(one);
	}
	one = agree ? next_signed_option(&at) : NULL;
	agree &= !one;
	free(one);
	return agree;
}

void cert_check_options(struct receive_server *s)
{
	if (s->rq.cert.len && !options_agree(&s->rq))
		push_request_refuse_all(&s->rq, "inconsistent push options");
}

int cert_check(struct receive_server *s, struct repo_operation *op, struct err *err)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	struct object_id blob;
	struct err why = ERR_INIT;
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = odb_write(s->repo->odb, OBJ_BLOB, s->rq.cert.buf, s->rq.cert.len, &blob, err);
	if (!rc)
		rc = repo_operation_show_objects(op, err);
	if (rc < 0)
		return rc;
	/* A certificate that cannot be verified counts as bad. */
	if (signature_check_push(&c, s->repo, s->rq.cert.buf, s->rq.cert.len, &why) < 0)
		receive_sideband_messagef(s, "warning: push certificate: %s\n", err_message(&why));
	export_check(s, &blob, &c);
	export_nonce(s);
	signature_check_release(&c);
	err_release(&why);
	return 0;
}
