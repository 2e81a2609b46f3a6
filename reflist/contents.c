/* SPDX-License-Identifier: GPL-2.0-only */
/* Atoms that show a field or a part of a commit or tag. */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "util/alloc.h"
#include "reflist/reflist-internal.h"

/* ---- people ---- */

static const char *person_line(const struct object_facts *f, enum person_kind kind, size_t *len)
{
	const struct commit_view *c = &f->commit;
	const struct tag_view *t = &f->tag;

	if (f->info.type == OBJ_TAG) {
		*len = t->tagger_len;
		return kind == PERSON_TAGGER || kind == PERSON_CREATOR ? t->tagger : NULL;
	}
	if (f->info.type != OBJ_COMMIT || kind == PERSON_TAGGER)
		return NULL;
	*len = kind == PERSON_AUTHOR ? c->author_len : c->committer_len;
	return kind == PERSON_AUTHOR ? c->author : c->committer;
}

struct person {
	const char *name, *mail; /* without the brackets; NULL: not there */
	size_t name_len, mail_len;
};

/* As in Git, the mail may go on behind the end of the line: up to `end` of the object. */
static void split_person(struct person *p, const char *line, size_t len, const char *end)
{
	const char *open = memmem(line, len, " <", 2), *close;

	memset(p, 0, sizeof(*p));
	if (open) {
		p->name = line;
		p->name_len = open - line;
	}
	open = memchr(line, '<', (size_t)(end - line));
	close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	if (!close)
		return;
	p->mail = open + 1;
	p->mail_len = close - p->mail;
}

static const struct mailmap *mailmap_of(struct reflist *l)
{
	struct reflist_state *s = l->state;

	if (!s->mailmap && mailmap_read(&s->mailmap, l->repo, NULL) < 0)
		s->mailmap = mailmap_parse("", 0);
	return s->mailmap;
}

static void add_email(const struct ref_atom *a, const struct person *p, struct strbuf *out)
{
	const char *at;

	if (!p->mail)
		return;
	if (a->email & EMAIL_LOCALPART) {
		at = memchr(p->mail, '@', p->mail_len);
		strbuf_add(out, p->mail, at ? (size_t)(at - p->mail) : p->mail_len);
	} else if (a->email & EMAIL_TRIM) {
		strbuf_add(out, p->mail, p->mail_len);
	} else {
		strbuf_addch(out, '<');
		strbuf_add(out, p->mail, p->mail_len);
		strbuf_addch(out, '>');
	}
}

/*
 * The date begins at the first "> ", be it behind the end of the line, and is read as strtoumax(3) and strtol(3) do: "99 x" is 99 in UTC, "x" is 0.
 * Nothing is shown if a number is too large.
 */
static void add_date(const struct ref_atom *a, const char *line, const char *end_of_text,
		     struct strbuf *out, uint64_t *number)
{
	const char *after = memmem(line, (size_t)(end_of_text - line), "> ", 2);
	char *text, *end;
	uintmax_t date;
	long tz;

	*number = 0;
	if (!after)
		return;
	text = xstrndup(after + 2, (size_t)(end_of_text - after - 2));
	errno = 0;
	date = strtoumax(text, &end, 10);
	tz = strtol(end, NULL, 10);
	if (date != UINTMAX_MAX && !errno) {
		date_format(out, date, tz < -INT_MAX || tz > INT_MAX ? 0 : (int)tz, &a->date);
		*number = date;
	}
	free(text);
}

static void add_person(struct reflist *l, const struct object_facts *f,
		       const struct ref_atom *a, struct strbuf *out, uint64_t *number)
{
	struct person p;
	size_t len;
	const char *line = person_line(f, a->person, &len), *end;

	if (!line || !len)
		return;
	if (a->part == PART_ALL) {
		strbuf_add(out, line, len);
		return;
	}
	end = (const char *)f->buf.data + f->buf.size;
	end = line + strnlen(line, (size_t)(end - line));
	split_person(&p, line, len, end);
	if (a->email & EMAIL_MAILMAP && p.name && p.mail)
		mailmap_apply(mailmap_of(l), &p.name, &p.name_len, &p.mail, &p.mail_len);
	if (a->part == PART_NAME && p.name)
		strbuf_add(out, p.name, p.name_len);
	else if (a->part == PART_EMAIL)
		add_email(a, &p, out);
	else if (a->part == PART_DATE)
		add_date(a, line, end, out, number);
}

/* ---- messages ---- */

/* The lines of the subject as one. */
static void add_subject(const struct message_parts *m, bool sanitize, struct strbuf *out)
{
	const char *s = m->subject, *end = s + m->subject_len;

	if (sanitize) {
		pretty_sanitize_subject(out, s, m->subject_len);
		return;
	}
	for (; s < end; s++) {
		if (*s == '\r' && s + 1 < end && s[1] == '\n')
			continue;
		strbuf_addch(out, *s == '\n' ? ' ' : *s);
	}
}

static void add_lines(const struct message_parts *m, unsigned long lines, struct strbuf *out)
{
	const char *s = m->subject, *eol;

	for (unsigned long i = 0; i < lines && s < m->signature; i++, s = eol + 1) {
		eol = memchr(s, '\n', m->signature - s);
		if (!eol)
			eol = m->signature;
		if (i)
			strbuf_addstr(out, "\n    ");
		strbuf_add(out, s, eol - s);
		if (eol == m->signature)
			break;
	}
}

static void add_contents(const struct message_parts *m, const struct ref_atom *a,
			 struct strbuf *out, uint64_t *number)
{
	switch (a->contents) {
	case CONTENTS_ALL:
		strbuf_add(out, m->subject, m->end - m->subject);
		break;
	case CONTENTS_SUBJECT:
		add_subject(m, false, out);
		break;
	case CONTENTS_BODY:
		strbuf_add(out, m->body, m->signature - m->body);
		break;
	case CONTENTS_SIGNATURE:
		strbuf_add(out, m->signature, m->end - m->signature);
		break;
	case CONTENTS_LINES:
		add_lines(m, a->lines, out);
		break;
	case CONTENTS_SIZE:
		*number = m->end - m->subject;
		strbuf_addf(out, "%" PRIu64, *number);
		break;
	}
}

static void add_message_part(struct object_facts *f, const struct ref_atom *a,
			     struct strbuf *out, uint64_t *number)
{
	const struct message_parts *m = object_facts_message(f);

	if (!m)
		return;
	switch (a->id) {
	case ATOM_SUBJECT:
		add_subject(m, a->flag, out);
		break;
	case ATOM_BODY:
		strbuf_add(out, m->body, m->end - m->body);
		break;
	case ATOM_CONTENTS:
		add_contents(m, a, out, number);
		break;
	default:
		trailers_format(&a->trailers, m->subject, m->signature - m->subject, out);
	}
}

/* ---- header fields ---- */

static void add_oid(struct reflist *l, const struct ref_atom *a,
		    const struct object_id *oid, struct strbuf *out)
{
	if (a->abbrev)
		odb_abbrev(l->repo->odb, oid, a->abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

/* Grafts, and the boundary of a shallow clone, replace the parents of a commit. */
static int find_graft(struct reflist *l, const struct object_id *oid, const struct graft **out,
		      struct err *err)
{
	struct reflist_state *s = l->state;
	int rc = s->grafts_read ? 0 : grafts_read(&s->grafts, l->repo, err);

	if (rc < 0)
		return rc;
	s->grafts_read = true;
	*out = graft_of(&s->grafts, oid);
	return 0;
}

static int add_commit_field(struct reflist *l, const struct object_facts *f,
			    const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			    struct err *err)
{
	const struct commit_view *c = &f->commit;
	const struct graft *graft = NULL;
	const struct object_id *parents;
	size_t nr;
	int rc;

	if (a->id == ATOM_TREE)
		add_oid(l, a, &c->tree, out);
	if (a->id != ATOM_NUMPARENT && a->id != ATOM_PARENT)
		return 0;
	rc = find_graft(l, &f->oid, &graft, err);
	if (rc < 0)
		return rc;
	parents = graft ? graft->parents.oid : c->parents;
	nr = graft ? graft->parents.nr : c->nr_parents;
	if (a->id == ATOM_NUMPARENT) {
		*number = nr;
		strbuf_addf(out, "%zu", nr);
	}
	for (size_t i = 0; i < nr && a->id == ATOM_PARENT; i++) {
		if (i)
			strbuf_addch(out, ' ');
		add_oid(l, a, &parents[i], out);
	}
	return 0;
}

static void add_tag_field(const struct tag_view *t, const struct ref_atom *a,
			  struct strbuf *out)
{
	if (a->id == ATOM_OBJECT)
		strbuf_add_oid(out, &t->target);
	else if (a->id == ATOM_TYPE)
		strbuf_addstr(out, object_type_name(t->target_type));
	else if (a->id == ATOM_TAG)
		strbuf_add(out, t->name, t->name_len);
}

/* ---- signatures ---- */

static int add_signature(struct reflist *l, struct object_facts *f, const struct ref_atom *a,
			 struct strbuf *out, struct err *err)
{
	const struct signature_check *c;
	const char *text = NULL;
	int rc = object_facts_signature(f, l->repo, &c, err);

	if (rc < 0 || !c)
		return rc;
	switch (a->signature) {
	case SIGNATURE_OUTPUT: text = c->output; break;
	case SIGNATURE_GRADE: strbuf_addch(out, signature_grade(c)); break;
	case SIGNATURE_SIGNER: text = c->signer; break;
	case SIGNATURE_KEY: text = c->key; break;
	case SIGNATURE_FINGERPRINT: text = c->fingerprint; break;
	case SIGNATURE_PRIMARY: text = c->primary_fingerprint; break;
	case SIGNATURE_TRUST: text = signature_trust_name(c); break;
	}
	if (text)
		strbuf_addstr(out, text);
	return 0;
}

int ref_content_value(struct reflist *l, struct object_facts *f, const struct ref_atom *a,
		      struct strbuf *out, uint64_t *number, struct err *err)
{
	if (a->id == ATOM_SIGNATURE)
		return add_signature(l, f, a, out, err);
	if (a->id == ATOM_PERSON) {
		add_person(l, f, a, out, number);
	} else if (a->id == ATOM_RAW) {
		*number = f->buf.size;
		if (a->flag)
			strbuf_addf(out, "%zu", f->buf.size);
		else
			strbuf_add(out, f->buf.data, f->buf.size);
	} else if (a->id >= ATOM_SUBJECT && a->id <= ATOM_TRAILERS) {
		add_message_part(f, a, out, number);
	} else if (f->info.type == OBJ_COMMIT) {
		return add_commit_field(l, f, a, out, number, err);
	} else if (f->info.type == OBJ_TAG) {
		add_tag_field(&f->tag, a, out);
	}
	return 0;
}
