/* SPDX-License-Identifier: GPL-2.0-only */
/* One object: its header, content and parsed parts, each read on first use. */
#include "compat/posix.h"
#include "reflist/reflist-internal.h"

static void release_content(struct object_facts *f)
{
	object_buf_release(&f->buf);
	if (f->parsed && f->info.type == OBJ_COMMIT)
		commit_view_release(&f->commit);
	if (f->have_signature)
		signature_check_release(&f->signature);
}

void object_facts_clear(struct object_facts *f)
{
	release_content(f);
	memset(f, 0, sizeof(*f));
}

void object_facts_select(struct object_facts *f, const struct object_id *oid)
{
	if (f->have_type && oid_eq(&f->oid, oid))
		return;
	object_facts_clear(f);
	f->oid = *oid;
}

/* Names the ref whose object is missing. */
static int read_error(const struct object_facts *f, int rc, const char *refname,
		      struct err *local, struct err *err)
{
	if (rc == ERR_NOT_FOUND) {
		err_release(local);
		return err_set(err, rc, "missing object %s for %s", oid_hex(&f->oid), refname);
	}
	err_move(err, local);
	return rc;
}

int object_facts_type(struct object_facts *f, struct repository *r, const char *refname,
		      struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	if (f->have_type)
		return 0;
	rc = odb_type(r->odb, &f->oid, &f->info.type, &f->info.size, &local);
	if (rc < 0)
		return read_error(f, rc, refname, &local, err);
	f->have_type = true;
	return 0;
}

int object_facts_place(struct object_facts *f, struct repository *r, const char *refname,
		       struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	if (f->have_place)
		return 0;
	rc = odb_info(r->odb, &f->oid, &f->info, &local);
	if (rc < 0)
		return read_error(f, rc, refname, &local, err);
	f->have_type = f->have_place = true;
	return 0;
}

static int parse_content(struct object_facts *f, struct repository *r, const char *refname,
			 struct err *err)
{
	int rc = 0;

	if (f->info.type == OBJ_COMMIT)
		rc = commit_parse(&f->commit, f->buf.data, f->buf.size, r->algo, NULL);
	else if (f->info.type == OBJ_TAG)
		rc = tag_parse(&f->tag, f->buf.data, f->buf.size, r->algo, NULL);
	if (rc < 0)
		return err_set(err, rc, "parse_object_buffer failed on %s for %s",
			       oid_hex(&f->oid), refname);
	f->parsed = true;
	return 0;
}

int object_facts_content(struct object_facts *f, struct repository *r, const char *refname,
			 struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	if (f->have_content)
		return 0;
	rc = odb_read(r->odb, &f->oid, &f->buf, &local);
	if (rc < 0)
		return read_error(f, rc, refname, &local, err);
	f->info.type = f->buf.type;
	f->info.size = f->buf.size;
	rc = parse_content(f, r, refname, err);
	if (rc < 0) {
		object_buf_release(&f->buf);
		return rc;
	}
	f->have_type = f->have_content = true;
	return 0;
}

int object_facts_signature(struct object_facts *f, struct repository *r,
			   const struct signature_check **out, struct err *err)
{
	int rc;

	*out = NULL;
	if (f->info.type != OBJ_COMMIT)
		return 0;
	if (!f->have_signature) {
		f->signature = (struct signature_check)SIGNATURE_CHECK_INIT;
		rc = signature_check_commit(&f->signature, r, f->buf.data, f->buf.size, err);
		if (rc < 0)
			return rc;
		f->have_signature = true;
	}
	*out = &f->signature;
	return 0;
}

/* ---- messages ---- */

/* Where the paragraph at s ends: at its last newline, or at end. Only without two LF do two CR LF end it. */
static const char *paragraph_end(const char *s, const char *end)
{
	const char *lf = memmem(s, (size_t)(end - s), "\n\n", 2);
	const char *cr = lf ? NULL : memmem(s, (size_t)(end - s), "\r\n\r\n", 4);

	return lf ? lf : cr ? cr + 1 : end;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* Subject, body, and the signature at the end. A NUL ends the message. */
static void find_parts(struct message_parts *m, const char *msg, size_t len)
{
	const char *end = msg + strnlen(msg, len), *s = msg, *stop;

	while (s < end && *s == '\n')
		s++;
	m->end = end;
	m->signature = s + message_signature(s, end - s);
	m->subject = s;
	stop = paragraph_end(s, m->signature);
	s = stop;
	while (stop > m->subject && is_line_end(stop[-1]))
		stop--;
	m->subject_len = stop - m->subject;
	while (s < end && is_line_end(*s))
		s++;
	m->body = s;
	if (m->signature < m->body)
		m->signature = m->body;
}

const struct message_parts *object_facts_message(struct object_facts *f)
{
	if (f->info.type != OBJ_COMMIT && f->info.type != OBJ_TAG)
		return NULL;
	if (!f->have_message) {
		if (f->info.type == OBJ_COMMIT)
			find_parts(&f->message, f->commit.message, f->commit.message_len);
		else
			find_parts(&f->message, f->tag.message, f->tag.message_len);
		f->have_message = true;
	}
	return &f->message;
}
