/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of a push, signed by the user who pushes: gitprotocol-pack(5), "Push Certificate". */
#include "compat/posix.h"
#include "repo/ident.h"
#include "sign/sign.h"
#include "transport/push/push-internal.h"

int push_cert_make(struct push_session *s, struct repository *r, const struct push_request_options *o,
		   const char *nonce, const struct strbuf *commands, struct strbuf *out, struct err *err)
{
	struct strbuf ident = STRBUF_INIT, signature = STRBUF_INIT;
	int rc = repo_ident(r, &ident, IDENT_COMMITTER, err);

	if (rc < 0)
		return rc;
	strbuf_addf(out, "certificate version 0.1\npusher %s\n", ident.buf);
	if (s->o.url)
		strbuf_addf(out, "pushee %s\n", s->o.url);
	if (nonce && *nonce)
		strbuf_addf(out, "nonce %s\n", nonce);
	for (size_t i = 0; o->push_options && i < o->push_options->nr; i++)
		strbuf_addf(out, "push-option %s\n", o->push_options->v[i]);
	strbuf_addf(out, "\n%s", commands->buf);
	rc = signature_make(r, out->buf, out->len, "", &signature, err);
	strbuf_add(out, signature.buf, signature.len);
	strbuf_release(&signature);
	strbuf_release(&ident);
	return rc;
}
