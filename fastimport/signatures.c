/* SPDX-License-Identifier: GPL-2.0-only */
/* Signatures that are checked, and taken away or made anew if they are not good: the import may have changed the object. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "sign/sign.h"

static int check(const struct fast_import *fi, struct signature_check *c, enum object_type type, const struct strbuf *object,
		 const char *signature, struct err *err)
{
	if (!signature_format(signature))
		return 0;
	return type == OBJ_TAG ? signature_check_tag(c, fi->repo, object->buf, object->len, err) :
				 signature_check_commit(c, fi->repo, object->buf, object->len, err);
}

int import_check_signature(const struct fast_import *fi, const struct import_signed *s, enum object_type type,
			   const struct strbuf *object, const char *signature, struct err *err)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	int rc = check(fi, &c, type, object, signature, err);

	if (!rc && !c.good && s->mode == SIGNED_ABORT_IF_INVALID)
		rc = err_set(err, ERR_INVALID, "aborting due to invalid signature");
	else if (!rc && !c.good)
		import_warn(fi, "%s invalid signature for %s\n  allegedly by %s",
			    s->mode == SIGNED_SIGN_IF_INVALID ? "replacing" : "stripping", object_type_name(type),
			    c.signer ? c.signer : "unknown");
	if (!rc)
		rc = c.good;
	signature_check_release(&c);
	return rc;
}

int import_make_signature(const struct fast_import *fi, const struct import_signed *s, const struct strbuf *object,
			  struct strbuf *signature, struct err *err)
{
	int rc;

	strbuf_reset(signature);
	if (s->mode != SIGNED_SIGN_IF_INVALID)
		return 0;
	rc = signature_make(fi->repo, object->buf, object->len, s->key ? s->key : "", signature, err);
	if (!rc && signature->len && signature->buf[signature->len - 1] == '\n')
		strbuf_setlen(signature, signature->len - 1);
	return rc;
}
