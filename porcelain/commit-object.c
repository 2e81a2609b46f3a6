/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/commit-object.h"
#include "sign/sign.h"
#include "object/tag.h"
#include "util/utf8.h"

static void add_as_utf8(struct strbuf *out, const char *p, size_t left)
{
	while (left) {
		const char *next = p;
		size_t rest = left;

		if (utf8_next(&next, &rest) < 0) {
			utf8_append(out, (unsigned char)*p++);
			left--;
		} else {
			strbuf_add(out, p, left - rest);
			p = next;
			left = rest;
		}
	}
}

static bool is_utf8(const struct commit_draft *d)
{
	return utf8_is_valid(d->message, d->message_len) &&
	       utf8_is_valid(d->author, strlen(d->author)) &&
	       utf8_is_valid(d->committer, strlen(d->committer));
}

static int compose(struct repository *r, struct commit_draft *d, const char *key,
		   struct strbuf *out, struct err *err)
{
	struct strbuf payload = STRBUF_INIT, signature = STRBUF_INIT;
	int rc = key ? commit_compose(&payload, d, err) : 0;

	if (!rc && key) {
		rc = signature_make(r, payload.buf, payload.len, key, &signature, err);
		d->gpgsig = signature.buf;
	}
	if (!rc)
		rc = commit_compose(out, d, err);
	strbuf_release(&payload);
	strbuf_release(&signature);
	return rc;
}

int commit_object_text(struct repository *r, const struct commit_draft *draft, const char *key,
		       struct strbuf *out, struct err *err)
{
	struct commit_draft d = *draft;
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT, message = STRBUF_INIT;
	int rc;

	if (is_encoding_utf8(d.encoding) && !is_utf8(&d)) {
		fputs("Warning: commit message did not conform to UTF-8.\n"
		      "You may want to amend it after fixing the message, or set the config\n"
		      "variable i18n.commitEncoding to the encoding your project uses.\n",
		      stderr);
		add_as_utf8(&author, d.author, strlen(d.author));
		add_as_utf8(&committer, d.committer, strlen(d.committer));
		add_as_utf8(&message, d.message, d.message_len);
		d.author = author.buf;
		d.committer = committer.buf;
		d.message = message.buf;
		d.message_len = message.len;
	}
	rc = compose(r, &d, key, out, err);
	strbuf_release(&author);
	strbuf_release(&committer);
	strbuf_release(&message);
	return rc;
}

void commit_object_add_mergetag(struct strbuf *out, const char *tag, size_t len,
				const struct hash_algo *algo)
{
	struct tag_view v;

	if (!tag_parse(&v, tag, len, algo, NULL) && v.signature_offset < v.message_len)
		commit_add_header(out, "mergetag", tag, len);
}
