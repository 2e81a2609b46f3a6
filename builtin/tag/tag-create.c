/* SPDX-License-Identifier: GPL-2.0-only */
/* New tags: lightweight ones, and objects with a message and perhaps a signature. */
#include "compat/posix.h"
#include "repo/ident.h"
#include "cli/edit-text.h"
#include "builtin/tag/gpg.h"
#include "builtin/tag/tag.h"
#include "porcelain/trailers.h"
#include "fs/file.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/message.h"
#include "object/tag.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/names/revparse.h"

struct creation {
	const struct tag_create_options *o;
	struct repository *repo;
	struct repo_operation *op;
	const char *name, *target_name;
	struct strbuf ref;
	struct object_id target, oid, prev; /* prev: null if the tag is new */
	enum object_type type;		    /* of the target */
	enum cleanup_mode cleanup;
	char comment;
	struct strbuf message;
	char *edited; /* the file that the editor had; NULL: none */
};

static bool full_name(const char *name, struct strbuf *ref)
{
	strbuf_addf(ref, "refs/tags/%s", name);
	return *name && *name != '-' && refname_is_valid(ref->buf, 0);
}

/* ---- the message ---- */

static void add_given_messages(struct creation *c)
{
	const struct strvec *m = c->o->messages;

	for (size_t i = 0; i < m->nr; i++)
		strbuf_addf(&c->message, "%s%s", i ? "\n\n" : "", m->v[i]);
}

static void read_message_file(struct creation *c)
{
	const char *file = c->o->file;
	struct err err = ERR_INIT;
	char *path;
	int rc;

	if (!strcmp(file, "-")) {
		rc = read_fd(&c->message, 0, EDIT_TEXT_MAX, "standard input", &err);
		path = NULL;
	} else {
		path = is_absolute_path(file) || !c->o->prefix ?
			xstrdup(file) : xstrfmt("%s%s", c->o->prefix, file);
		rc = read_named_file(&c->message, path, EDIT_TEXT_MAX, &err);
	}
	free(path);
	if (rc < 0)
		die("could not open or read '%s': %s", file,
		    strerror(err.sys_errno ? err.sys_errno : ENOENT));
}

static void choose_cleanup(struct creation *c)
{
	const char *name = c->o->cleanup;

	c->cleanup = CLEANUP_STRIP;
	if (!name || !strcmp(name, "strip"))
		return;
	if (!strcmp(name, "verbatim"))
		c->cleanup = CLEANUP_VERBATIM;
	else if (!strcmp(name, "whitespace"))
		c->cleanup = CLEANUP_WHITESPACE;
	else
		die("Invalid cleanup mode %s", name);
}

/* The words of the tag that is replaced, without its signature. */
static bool add_former_message(struct creation *c)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;
	bool found;

	if (oid_is_null(&c->prev))
		return false;
	found = odb_read_type(c->repo->odb, &c->prev, OBJ_TAG, &buf, NULL) >= 0 &&
		tag_parse(&tag, buf.data, buf.size, c->repo->algo, NULL) >= 0;
	if (found)
		strbuf_add(&c->message, tag.message, tag.signature_offset);
	object_buf_release(&buf);
	return !oid_is_null(&c->prev);
}

static void add_template(struct creation *c)
{
	struct strbuf hint = STRBUF_INIT;

	strbuf_addf(&hint, "\nWrite a message for tag:\n  %s\nLines starting with '%c' will be %s\n",
		    c->name, c->comment,
		    c->cleanup == CLEANUP_STRIP ?
			    "ignored." :
			    "kept; you may remove them yourself if you want to.");
	strbuf_addch(&c->message, '\n');
	message_add_commented(&c->message, hint.buf, hint.len, c->comment);
	strbuf_release(&hint);
}

static void add_trailers(struct creation *c)
{
	struct err err = ERR_INIT;

	if (c->o->trailers->nr)
		strbuf_complete_line(&c->message);
	if (trailers_add(c->repo, &c->message, c->o->trailers, c->comment, &err) < 0)
		die_err(&err);
}

/* Leaves with code 1 if the editor fails. */
static void edit_message(struct creation *c)
{
	struct err err = ERR_INIT;

	c->edited = repo_path(c->repo, "TAG_EDITMSG");
	if (edit_text(c->repo, c->edited, &c->message, &err) >= 0)
		return;
	report_error(&err);
	fprintf(stderr, "Please supply the message using either -m or -F option.\n");
	set_exit_code(1);
	exit(1);
}

static void find_message(struct creation *c)
{
	bool given = c->o->messages->nr || c->o->file;

	if (c->o->messages->nr)
		add_given_messages(c);
	else if (c->o->file)
		read_message_file(c);
	else if (!add_former_message(c))
		add_template(c);
	add_trailers(c);
	if (!given || c->o->edit)
		edit_message(c);
	if (c->cleanup != CLEANUP_VERBATIM)
		message_cleanup(&c->message, c->cleanup, c->comment);
	if (!given && !c->message.len)
		die("no tag message?");
}

/* ---- the object ---- */

static void advise_nested(struct creation *c)
{
	if (c->type == OBJ_TAG)
		advise_if_enabled(c->repo, "nestedTag",
		       "You have created a nested tag. The object referred to by your new tag is\n"
		       "already a tag. If you meant to tag the object that it points to, use:\n"
		       "\n"
		       "\tgit tag -f %s %s^{}",
		       c->name, c->target_name);
}

static int compose(struct creation *c, struct strbuf *out, struct err *err)
{
	struct strbuf tagger = STRBUF_INIT;
	int rc = repo_ident(c->repo, &tagger, IDENT_COMMITTER | IDENT_STRICT, err);

	strbuf_addf(out, "object %s\ntype %s\ntag %s\ntagger %s\n\n", oid_hex(&c->target),
		    object_type_name(c->type), c->name, tagger.buf);
	strbuf_addbuf(out, &c->message);
	if (!rc && c->o->sign) {
		rc = signature_make(c->repo, out->buf, out->len, c->o->key, out, err);
		if (rc == ERR_INVALID)
			die_err(err); /* a bad setting */
		if (rc < 0) {
			report_error(err);
			error("unable to sign the tag");
		}
	}
	strbuf_release(&tagger);
	return rc;
}

/* In the same operation as the ref, and named before it (D4). */
static int write_object(struct creation *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = compose(c, &text, err);

	if (!rc && (rc = repo_operation_open_objects(c->op, err)) >= 0)
		rc = odb_write(c->repo->odb, OBJ_TAG, text.buf, text.len, &c->oid, err);
	strbuf_release(&text);
	return rc;
}

/* ---- the ref ---- */

static size_t first_line(const char *text, size_t len)
{
	const char *lf = memchr(text, '\n', len);

	return lf ? (size_t)(lf - text) : len;
}

static void add_commit_words(struct creation *c, struct strbuf *out)
{
	struct date_mode mode = DATE_MODE_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view v;
	struct ident_split id;

	mode.type = DATE_SHORT;
	if (odb_read_type(c->repo->odb, &c->target, OBJ_COMMIT, &buf, NULL) < 0 ||
	    commit_parse(&v, buf.data, buf.size, c->repo->algo, NULL) < 0) {
		strbuf_addstr(out, "commit object");
		object_buf_release(&buf);
		return;
	}
	while (v.message_len && *v.message == '\n')
		v.message++, v.message_len--;
	strbuf_add(out, v.message, first_line(v.message, v.message_len));
	if (ident_split_line(&id, v.committer, v.committer_len) >= 0) {
		strbuf_addstr(out, ", ");
		date_format(out, id.date, 0, &mode);
	}
	commit_view_release(&v);
	object_buf_release(&buf);
}

/* "tag: tagging 1234567 (subject, 2023-11-14)" */
static void compose_log_message(struct creation *c, struct strbuf *out)
{
	const char *action = getenv("GIT_REFLOG_ACTION");

	if (action) {
		strbuf_addstr(out, action);
	} else {
		strbuf_addstr(out, "tag: tagging ");
		odb_abbrev(c->repo->odb, &c->target, c->repo->settings.abbrev, out);
	}
	strbuf_addstr(out, " (");
	if (c->type == OBJ_COMMIT)
		add_commit_words(c, out);
	else if (c->type == OBJ_TAG)
		strbuf_addstr(out, "other tag object");
	else
		strbuf_addf(out, "%s object", object_type_name(c->type));
	strbuf_addch(out, ')');
}

static int write_ref(struct creation *c, struct err *err)
{
	struct ref_transaction *t = NULL;
	struct strbuf log = STRBUF_INIT;
	int rc = repo_operation_begin_refs(c->op, 0, &t, err);

	compose_log_message(c, &log);
	if (!rc)
		rc = ref_transaction_update(t, c->ref.buf, &c->oid, &c->prev,
					    c->o->reflog ? REF_FORCE_REFLOG : 0, log.buf, err);
	strbuf_release(&log);
	return rc;
}

/* ---- all ---- */

static void check_request(struct creation *c)
{
	struct revparse_result target = { .path = NULL };
	struct object_info info;
	struct err err = ERR_INIT;
	int rc;

	if (revparse(c->repo, c->target_name, OBJ_ANY, &target, &err) < 0) {
		report_preface(&err);
		die("Failed to resolve '%s' as a valid ref.", c->target_name);
	}
	c->target = target.oid;
	revparse_result_release(&target);
	if (!full_name(c->name, &c->ref))
		die("'%s' is not a valid tag name.", c->name);
	rc = ref_resolve(c->repo->refs, c->ref.buf, &c->prev, NULL, NULL, NULL);
	if (rc < 0)
		c->prev = c->repo->algo->null_oid;
	else if (!c->o->force)
		die("tag '%s' already exists", c->name);
	choose_cleanup(c);
	if (odb_type(c->repo->odb, &c->target, &info.type, &info.size, NULL) >= 0)
		c->type = info.type;
}

static void report_left_message(const struct creation *c)
{
	if (c->edited)
		fprintf(stderr, "The tag message has been left in %s\n", c->edited);
}

static int tag_create_run(struct creation *c, struct err *err)
{
	int rc = 0;

	c->oid = c->target;
	c->op = repo_operation_begin(c->repo);
	if (c->o->annotate) {
		if (c->type == OBJ_NONE)
			die("bad object type.");
		advise_nested(c);
		find_message(c);
		rc = write_object(c, err);
		if (rc < 0) {
			rc = repo_operation_end(c->op, rc, err);
			if (err->code) {
				report_error(err);
				error("unable to write tag file");
			}
			report_left_message(c);
			return 128;
		}
	}
	rc = repo_operation_end(c->op, write_ref(c, err), err);
	if (rc < 0) {
		rc = report_fatal(err);
		report_left_message(c);
	}
	return rc;
}

int tag_create(const struct tag_create_options *o, const char *name, const char *target)
{
	struct creation c = { .o = o, .repo = o->repo, .name = name, .target_name = target,
			      .ref = STRBUF_INIT,
			      .message = STRBUF_INIT, .type = OBJ_NONE };
	struct strbuf was = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code;

	c.comment = edit_comment_char(o->repo);
	check_request(&c);
	code = tag_create_run(&c, &err);
	if (!code && c.edited && remove_file(c.edited, NULL) < 0)
		warning("unable to unlink '%s'", c.edited);
	if (!code && o->force && !oid_is_null(&c.prev) && !oid_eq(&c.prev, &c.oid)) {
		odb_abbrev(o->repo->odb, &c.prev, o->repo->settings.abbrev, &was);
		printf("Updated tag '%s' (was %s)\n", name, was.buf);
	}
	strbuf_release(&was);
	strbuf_release(&c.ref);
	strbuf_release(&c.message);
	free(c.edited);
	return code;
}
