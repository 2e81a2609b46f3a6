/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands `commit` and `tag`, and the people in them. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "object/commit.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/date.h"

/* ---- people ---- */

/* "SECONDS +ZZZZ"; the strict form bounds the zone. */
static bool is_raw_date(const char *s, bool strict)
{
	char *end;
	unsigned long zone;

	errno = 0;
	strtoull(s, &end, 10);
	if (errno || end == s || *end != ' ' || *s == '-' || *s == '+' || (end[1] != '+' && end[1] != '-'))
		return false;
	s = end + 2;
	zone = strtoul(s, &end, 10);
	return !errno && end != s && !*end && !(strict && zone > 1400);
}

static int add_when(const struct fast_import *fi, const char *when, const char *line, struct strbuf *out,
		    struct err *err)
{
	timestamp_t t;
	int tz;

	if (fi->date == IMPORT_DATE_RAW || fi->date == IMPORT_DATE_PERMISSIVE) {
		if (!is_raw_date(when, fi->date == IMPORT_DATE_RAW))
			return err_set(err, ERR_INVALID, "invalid raw date \"%s\" in ident: %s", when, line);
		strbuf_addstr(out, when);
		return 0;
	}
	if (fi->date == IMPORT_DATE_NOW) {
		if (strcmp(when, "now"))
			return err_set(err, ERR_INVALID, "date in ident must be 'now': %s", line);
		t = date_now(&tz);
	} else if (date_parse(when, &t, &tz) < 0) {
		return err_set(err, ERR_INVALID, "invalid rfc2822 date \"%s\" in ident: %s", when, line);
	}
	strbuf_addf(out, "%" PRIu64 " %c%04d", t, tz < 0 ? '-' : '+', abs(tz));
	return 0;
}

/* A line without a name keeps the space before its "<", as in Git. */
int import_ident(struct fast_import *fi, const char *text, struct strbuf *out, struct err *err)
{
	const char *start = *text == '<' ? text - 1 : text, *p = start + strcspn(start, "<>");

	if (*p != '<')
		return err_set(err, ERR_INVALID, "missing < in ident string: %s", text);
	if (p != start && p[-1] != ' ')
		return err_set(err, ERR_INVALID, "missing space before < in ident string: %s", text);
	p++;
	p += strcspn(p, "<>");
	if (*p != '>')
		return err_set(err, ERR_INVALID, "missing > in ident string: %s", text);
	if (p[1] != ' ')
		return err_set(err, ERR_INVALID, "missing space after > in ident string: %s", text);
	strbuf_add(out, start, (size_t)(p + 2 - start));
	return add_when(fi, p + 2, start, out, err);
}

static int ident_line(struct fast_import *fi, const char *prefix, struct strbuf *out, struct err *err)
{
	const char *v;
	int rc;

	if (!skip_prefix(fi->in.line.buf, prefix, &v))
		return 0;
	rc = import_ident(fi, v, out, err);
	return rc < 0 ? rc : import_next(fi, err);
}

/* ---- signatures ---- */

static int signature_mode(struct fast_import *fi, bool *keep, struct err *err)
{
	enum import_signed_mode mode = fi->signed_commits.mode;

	*keep = mode != SIGNED_STRIP && mode != SIGNED_WARN_STRIP;
	if (mode == SIGNED_ABORT)
		return err_set(err, ERR_INVALID, "encountered signed commit; use --signed-commits=<mode> to handle it");
	if (mode == SIGNED_WARN_VERBATIM)
		import_warn(fi, "importing a commit signature verbatim");
	if (mode == SIGNED_WARN_STRIP)
		import_warn(fi, "stripping a commit signature");
	return 0;
}

/* "gpgsig ALGO FORMAT" and its data: one header for each hash algorithm, sha1 first. */
static int read_signature(struct fast_import *fi, const char *args, struct strbuf sigs[2], struct err *err)
{
	const char *space = strchr(args, ' ');
	bool sha256, keep;
	struct strbuf data = STRBUF_INIT;
	int rc;

	if (!space)
		return err_set(err, ERR_INVALID, "expected gpgsig format: 'gpgsig <hash-algo> <signature-format>', got 'gpgsig %s'", args);
	sha256 = starts_with(args, "sha256 ");
	if (!sha256 && !starts_with(args, "sha1 "))
		return err_set(err, ERR_INVALID, "unknown git hash algorithm in gpgsig: '%.*s'", (int)(space - args), args);
	space++;
	if (!strcmp(space, "unknown"))
		import_warn(fi, "'unknown' signature format in gpgsig");
	else if (strcmp(space, "openpgp") && strcmp(space, "x509") && strcmp(space, "ssh"))
		return err_set(err, ERR_INVALID, "invalid signature format in gpgsig: '%s'", space);
	rc = import_next(fi, err);
	if (rc >= 0)
		rc = import_read_data(fi, &data, err);
	if (!rc)
		rc = signature_mode(fi, &keep, err);
	if (!rc && keep && sigs[sha256].len)
		import_warn(fi, "multiple %s signatures found, ignoring additional signature", sha256 ? "SHA-256" : "SHA-1");
	else if (!rc && keep)
		strbuf_swap(&sigs[sha256], &data);
	strbuf_release(&data);
	return rc < 0 ? rc : import_next(fi, err);
}

static void add_signature(struct strbuf *out, const char *name, const struct strbuf *sig)
{
	const char *p = sig->buf, *end = sig->buf + sig->len;

	if (!sig->len)
		return;
	strbuf_addstr(out, name);
	for (;;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((lf ? lf : end) - p);

		strbuf_addch(out, ' ');
		strbuf_add(out, p, len);
		strbuf_addch(out, '\n');
		if (!lf)
			return;
		p = lf + 1;
	}
}

/* ---- commit ---- */

struct commit_input {
	struct strbuf author, committer, encoding, msg, sigs[2];
	struct oid_array merges;
	uint64_t mark;
};

static int read_merges(struct fast_import *fi, struct commit_input *c, struct err *err)
{
	const char *from;
	int rc = 0;

	while (rc >= 0 && skip_prefix(fi->in.line.buf, "merge ", &from)) {
		struct object_id oid;

		rc = import_commit_of(fi, from, &oid, err);
		if (!rc) {
			oid_array_append(&c->merges, &oid);
			rc = import_next(fi, err);
		}
		if (!rc)
			break;
	}
	return rc < 0 ? rc : 0;
}

static int read_commit_head(struct fast_import *fi, struct commit_input *c, struct err *err)
{
	const char *v;
	int rc = import_next(fi, err);

	if (rc >= 0)
		rc = import_parse_mark_line(fi, err);
	c->mark = fi->next_mark;
	fi->next_mark = 0;
	if (rc >= 0)
		rc = import_skip_original_oid(fi, err);
	if (rc >= 0)
		rc = ident_line(fi, "author ", &c->author, err);
	if (rc >= 0)
		rc = ident_line(fi, "committer ", &c->committer, err);
	if (rc >= 0 && !c->committer.len)
		rc = err_set(err, ERR_INVALID, "expected committer but didn't get one");
	while (rc >= 0 && skip_prefix(fi->in.line.buf, "gpgsig ", &v))
		rc = read_signature(fi, v, c->sigs, err);
	if (rc >= 0 && skip_prefix(fi->in.line.buf, "encoding ", &v)) {
		strbuf_addstr(&c->encoding, v);
		rc = import_next(fi, err);
	}
	if (rc >= 0)
		rc = import_read_data(fi, &c->msg, err);
	return rc < 0 ? rc : import_next(fi, err);
}

static int read_changes(struct fast_import *fi, struct import_branch *b, struct err *err)
{
	int rc = 1;

	while (rc > 0 && fi->in.line.len) {
		rc = import_file_change(fi, b, err);
		if (!rc)
			fi->in.unread = true;
		if (rc > 0)
			rc = import_next(fi, err);
	}
	return rc < 0 ? rc : 0;
}

static void commit_text(const struct import_branch *b, const struct commit_input *c, struct strbuf *out)
{
	strbuf_addf(out, "tree %s\n", oid_hex(&b->root->oid));
	if (!oid_is_null(&b->tip))
		strbuf_addf(out, "parent %s\n", oid_hex(&b->tip));
	for (size_t i = 0; i < c->merges.nr; i++)
		strbuf_addf(out, "parent %s\n", oid_hex(&c->merges.oid[i]));
	strbuf_addf(out, "author %s\ncommitter %s\n", c->author.len ? c->author.buf : c->committer.buf, c->committer.buf);
	if (c->encoding.len)
		strbuf_addf(out, "encoding %s\n", c->encoding.buf);
	add_signature(out, "gpgsig", &c->sigs[0]);
	add_signature(out, "gpgsig-sha256", &c->sigs[1]);
	strbuf_addch(out, '\n');
	strbuf_addbuf(out, &c->msg);
}

/* Checks the signatures of the commit, if the mode says so. Its text changes if they are not good. */
static int settle_signatures(struct fast_import *fi, const struct import_branch *b, struct commit_input *c, struct strbuf *text,
			     struct err *err)
{
	struct strbuf *own = &c->sigs[fi->repo->algo == hash_sha256];
	int rc;

	if (fi->signed_commits.mode < SIGNED_STRIP_IF_INVALID || (!c->sigs[0].len && !c->sigs[1].len))
		return 0;
	rc = import_check_signature(fi, &fi->signed_commits, OBJ_COMMIT, text, own->buf, err);
	if (rc)
		return rc < 0 ? rc : 0;
	strbuf_reset(&c->sigs[0]);
	strbuf_reset(&c->sigs[1]);
	strbuf_reset(text);
	commit_text(b, c, text);
	rc = import_make_signature(fi, &fi->signed_commits, text, own, err);
	if (!rc && own->len) {
		strbuf_reset(text);
		commit_text(b, c, text);
	}
	return rc;
}

static int write_commit(struct fast_import *fi, struct import_branch *b, struct commit_input *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct object_id oid;
	int rc = import_notes_settle_fanout(fi, b, err);

	if (!rc)
		rc = import_tree_store(fi, b->root, err);
	if (rc < 0)
		return rc;
	commit_text(b, c, &text);
	rc = settle_signatures(fi, b, c, &text, err);
	if (!rc)
		rc = import_store(fi, OBJ_COMMIT, &text, NULL, &oid, err);
	strbuf_release(&text);
	if (rc < 0)
		return rc;
	b->tip = oid;
	b->tree = b->root->oid;
	b->deleted = false;
	b->has_commit = true;
	b->last_commit = fi->count[OBJ_COMMIT];
	fi->next_mark = c->mark;
	import_mark_object(fi, &oid, OBJ_COMMIT);
	return 0;
}

int import_commit(struct fast_import *fi, const char *name, struct err *err)
{
	struct commit_input c = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, { STRBUF_INIT, STRBUF_INIT },
				  OID_ARRAY_INIT, 0 };
	struct import_branch *b = import_branch_get(fi, name);
	int rc = b ? 0 : import_branch_new(fi, name, &b, err);

	if (!rc)
		rc = read_commit_head(fi, &c, err);
	if (rc >= 0)
		rc = import_parse_from(fi, b, err);
	if (!rc)
		rc = read_merges(fi, &c, err);
	if (!rc) {
		import_branch_activate(fi, b);
		rc = read_changes(fi, b, err);
	}
	if (!rc)
		rc = write_commit(fi, b, &c, err);
	strbuf_release(&c.author);
	strbuf_release(&c.committer);
	strbuf_release(&c.encoding);
	strbuf_release(&c.msg);
	strbuf_release(&c.sigs[0]);
	strbuf_release(&c.sigs[1]);
	oid_array_clear(&c.merges);
	return rc;
}

/* ---- tag ---- */

static int tag_target(struct fast_import *fi, const char *from, struct object_id *oid, enum object_type *type,
		      struct err *err)
{
	const struct import_branch *s = import_branch_get(fi, from);
	struct import_mark *m;
	uint64_t size;
	int rc;

	if (s) {
		*oid = s->tip;
		*type = OBJ_COMMIT;
		return oid_is_null(oid) ? err_set(err, ERR_INVALID, "can't tag an empty branch.") : 0;
	}
	if (*from == ':') {
		rc = import_parse_mark(fi, &from, '\0', &m, err);
		if (!rc) {
			*oid = m->oid;
			*type = m->type;
		}
		return rc;
	}
	rc = import_commit_of(fi, from, oid, err);
	if (rc < 0)
		return rc;
	rc = odb_type(fi->repo->odb, oid, type, &size, NULL);
	return rc < 0 ? err_set(err, ERR_INVALID, "not a valid object: %s", from) : 0;
}

static int tag_signature(struct fast_import *fi, const char *name, struct strbuf *msg, struct err *err)
{
	size_t at = message_signature(msg->buf, msg->len);

	enum import_signed_mode mode = fi->signed_tags.mode;

	if (at == msg->len)
		return 0;
	if (mode == SIGNED_ABORT)
		return err_set(err, ERR_INVALID, "encountered signed tag; use --signed-tags=<mode> to handle it");
	if (mode == SIGNED_WARN_VERBATIM)
		import_warn(fi, "importing a tag signature verbatim for tag '%s'", name);
	if (mode == SIGNED_WARN_STRIP)
		import_warn(fi, "stripping a tag signature for tag '%s'", name);
	if (mode == SIGNED_STRIP || mode == SIGNED_WARN_STRIP)
		strbuf_setlen(msg, at);
	return 0;
}

/* Checks the signature at the end of the tag, as settle_signatures does. */
static int settle_tag_signature(struct fast_import *fi, const struct strbuf *msg, struct strbuf *text, struct err *err)
{
	size_t at = message_signature(msg->buf, msg->len), unsigned_len = text->len - msg->len + at;
	struct strbuf sig = STRBUF_INIT;
	int rc;

	if (fi->signed_tags.mode < SIGNED_STRIP_IF_INVALID || at == msg->len)
		return 0;
	rc = import_check_signature(fi, &fi->signed_tags, OBJ_TAG, text, msg->buf + at, err);
	if (rc)
		return rc < 0 ? rc : 0;
	strbuf_setlen(text, unsigned_len);
	rc = import_make_signature(fi, &fi->signed_tags, text, &sig, err);
	if (!rc && sig.len) {
		strbuf_addbuf(text, &sig);
		strbuf_addch(text, '\n');
	}
	strbuf_release(&sig);
	return rc;
}

static int write_tag(struct fast_import *fi, size_t i, const struct object_id *target, enum object_type type,
		     const struct strbuf *tagger, const struct strbuf *msg, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "object %s\ntype %s\ntag %s\n", oid_hex(target), object_type_name(type), fi->tags[i].name);
	if (tagger->len)
		strbuf_addf(&text, "tagger %s\n", tagger->buf);
	strbuf_addch(&text, '\n');
	strbuf_addbuf(&text, msg);
	rc = settle_tag_signature(fi, msg, &text, err);
	if (!rc)
		rc = import_store(fi, OBJ_TAG, &text, NULL, &fi->tags[i].oid, err);
	strbuf_release(&text);
	if (!rc)
		import_mark_object(fi, &fi->tags[i].oid, OBJ_TAG);
	return rc;
}

static size_t add_tag(struct fast_import *fi, const char *name)
{
	for (size_t i = 0; i < fi->nr_tags; i++)
		if (!strcmp(fi->tags[i].name, name))
			return i;
	ALLOC_GROW(fi->tags, fi->nr_tags + 1, fi->alloc_tags);
	fi->tags[fi->nr_tags] = (struct import_tag){ xstrdup(name), fi->repo->algo->null_oid };
	return fi->nr_tags++;
}

int import_tag(struct fast_import *fi, const char *name, struct err *err)
{
	size_t i = add_tag(fi, name);
	struct strbuf tagger = STRBUF_INIT, msg = STRBUF_INIT;
	struct object_id target;
	enum object_type type = OBJ_NONE;
	const char *from;
	int rc = import_next(fi, err);

	if (rc >= 0)
		rc = import_parse_mark_line(fi, err);
	if (rc >= 0 && !skip_prefix(fi->in.line.buf, "from ", &from))
		rc = err_set(err, ERR_INVALID, "expected 'from' command, got '%s'", fi->in.line.buf);
	if (rc >= 0)
		rc = tag_target(fi, from, &target, &type, err);
	if (rc >= 0)
		rc = import_next(fi, err);
	if (rc >= 0)
		rc = import_skip_original_oid(fi, err);
	if (rc >= 0)
		rc = ident_line(fi, "tagger ", &tagger, err);
	if (rc >= 0)
		rc = import_read_data(fi, &msg, err);
	if (!rc)
		rc = tag_signature(fi, fi->tags[i].name, &msg, err);
	if (!rc)
		rc = write_tag(fi, i, &target, type, &tagger, &msg, err);
	strbuf_release(&tagger);
	strbuf_release(&msg);
	return rc;
}
