/* SPDX-License-Identifier: GPL-2.0-only */
/* A new commit: its text, its signature, its object. */
#include "compat/posix.h"
#include "commit/commit.h"
#include "config/config.h"
#include "object/tag.h"
#include "sign/sign.h"
#include "util/utf8.h"

/* ---- UTF-8 ---- */

const char *commit_encoding(const struct repository *r)
{
	const struct config_entry *e = config_get(r->config, "i18n.commitencoding");

	return e && e->value && !is_encoding_utf8(e->value) ? e->value : NULL;
}

static void add_latin1_as_utf8(struct strbuf *out, const char *p, size_t left)
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

static bool draft_is_utf8(const struct commit_draft *d)
{
	return utf8_is_valid(d->message, d->message_len) &&
	       utf8_is_valid(d->author, strlen(d->author)) &&
	       utf8_is_valid(d->committer, strlen(d->committer));
}

/* ---- the text ---- */

static int compose_signed(struct repository *r, struct commit_draft *d, const char *key,
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

static int compose_text(struct repository *r, const struct new_commit *c, struct strbuf *out, struct err *err)
{
	struct commit_draft d = c->draft;
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT, message = STRBUF_INIT;
	int rc;

	d.gpgsig = NULL;
	if (is_encoding_utf8(d.encoding) && !draft_is_utf8(&d)) {
		if (c->warn_not_utf8)
			c->warn_not_utf8();
		add_latin1_as_utf8(&author, d.author, strlen(d.author));
		add_latin1_as_utf8(&committer, d.committer, strlen(d.committer));
		add_latin1_as_utf8(&message, d.message, d.message_len);
		d.author = author.buf;
		d.committer = committer.buf;
		d.message = message.buf;
		d.message_len = message.len;
	}
	rc = compose_signed(r, &d, c->sign_key, out, err);
	strbuf_release(&author);
	strbuf_release(&committer);
	strbuf_release(&message);
	return rc;
}

/* ---- the object ---- */

int commit_create(struct repo_operation *op, const struct new_commit *c, struct object_id *out, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	struct strbuf text = STRBUF_INIT;
	int rc = compose_text(r, c, &text, err);

	if (rc < 0 && rc != ERR_INVALID) {
		rc = ERR_GENERIC;
		if (err)
			err->code = rc;
	}
	if (!rc)
		rc = repo_operation_open_objects(op, err);
	if (!rc)
		rc = odb_write(r->odb, OBJ_COMMIT, text.buf, text.len, out, err);
	strbuf_release(&text);
	return rc;
}

void commit_add_mergetag(struct strbuf *out, const char *tag, size_t len, const struct hash_algo *algo)
{
	struct tag_view v;

	if (!tag_parse(&v, tag, len, algo, NULL) && v.signature_offset < v.message_len)
		commit_add_header(out, "mergetag", tag, len);
}
