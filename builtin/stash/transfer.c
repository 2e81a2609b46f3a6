/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-stash(1): export, import. The list becomes a chain of commits: each has the next older one as its first parent, and a
 * stash as its second; the last one has no parent.
 */
#include "compat/posix.h"
#include "builtin/stash/stash.h"
#include "commit/commit.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

#define CHAIN_IDENT "git stash <git@stash> 1000684800 +0000"
#define CHAIN_PREFIX "git stash: "

/* ---- export ---- */

static int write_chain_end(struct repo_operation *op, struct object_id *out, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	struct new_commit c = { .draft = { .author = CHAIN_IDENT, .committer = CHAIN_IDENT, .message = "" } };
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = odb_write(r->odb, OBJ_TREE, "", 0, &c.draft.tree, err);
	return rc ? rc : commit_create(op, &c, out, err);
}

/* *last is the next older link; it becomes the new one. */
static int write_link(struct repo_operation *op, const struct object_id *stash, struct object_id *last, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	const struct object_id parents[] = { *last, *stash };
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view v = { .parents = NULL };
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT, message = STRBUF_INIT;
	struct new_commit c = { .draft = { .tree = r->algo->empty_tree, .parents = parents, .nr_parents = 2 } };
	int rc = odb_read_type(r->odb, stash, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse(&v, buf.data, buf.size, r->algo, err);
	if (!rc) {
		strbuf_add(&author, v.author, v.author_len);
		strbuf_add(&committer, v.committer, v.committer_len);
		strbuf_addstr(&message, CHAIN_PREFIX);
		strbuf_add(&message, v.message, v.message_len);
		if (message.buf[message.len - 1] != '\n')
			strbuf_addch(&message, '\n');
		c.draft.author = author.buf;
		c.draft.committer = committer.buf;
		c.draft.message = message.buf;
		c.draft.message_len = message.len;
		rc = commit_create(op, &c, last, err);
	}
	strbuf_release(&author);
	strbuf_release(&committer);
	strbuf_release(&message);
	commit_view_release(&v);
	object_buf_release(&buf);
	return rc;
}

static int add_listed(void *data, const struct reflog_entry *e)
{
	oid_array_append(data, &e->new_oid);
	return 0;
}

/* Newest first. > 0: an exit code. */
static int find_exported(struct repository *r, int argc, const char **argv, struct oid_array *out, struct err *err)
{
	int rc = 0;

	if (!argc && !stash_list_is_empty(r))
		return reflog_foreach(r->refs, "refs/stash", true, add_listed, out, err);
	for (int i = 0; i < argc && !rc; i++) {
		struct stash s;

		rc = stash_find(r, argv[i], &s, NULL);
		if (rc) {
			error("unable to find stash entry %s", argv[i]);
			return 1;
		}
		oid_array_append(out, &s.commit);
		stash_release(&s);
	}
	return rc;
}

static int write_chain(struct repo_operation *op, const struct oid_array *stashes, struct object_id *out, struct err *err)
{
	int rc = write_chain_end(op, out, err);

	for (size_t i = stashes->nr; i-- > 0 && !rc;)
		rc = write_link(op, &stashes->oid[i], out, err);
	return rc;
}

static int export_chain(struct repository *r, const struct oid_array *stashes, const char *ref, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct ref_transaction *t = NULL;
	struct object_id tip;
	int rc = write_chain(op, stashes, &tip, err);

	if (!rc && ref) {
		rc = repo_operation_begin_refs(op, 0, &t, err);
		if (!rc)
			rc = ref_transaction_update(t, ref, &tip, NULL, 0, "export", err);
	}
	rc = repo_operation_end(op, rc, err);
	if (!rc && !ref)
		puts(oid_hex(&tip));
	return rc;
}

int stash_cmd_export(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const export_usage[] = { STASH_USAGE_EXPORT, NULL };
	struct oid_array stashes = OID_ARRAY_INIT;
	const char *ref = NULL;
	int print = 0, rc;
	struct option opts[] = {
		OPT_BOOL(0, "print", &print, "print the object ID instead of writing it to a ref"),
		OPT_STRING(0, "to-ref", &ref, "ref", "save the data to the given ref"),
		OPT_END()
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, export_usage, 0);
	if (!print == !ref) {
		error("exactly one of --print and --to-ref is required");
		return 1;
	}
	rc = find_exported(ctx->repo, argc, argv, &stashes, &err);
	if (!rc)
		rc = export_chain(ctx->repo, &stashes, ref, &err);
	oid_array_clear(&stashes);
	if (rc < 0)
		return report_fatal(&err);
	return rc ? rc : finish_stdout();
}

/* ---- import ---- */

struct imported {
	struct oid_array stashes; /* newest first */
	struct strvec messages;
};

static int refuse_link(const struct object_id *link, struct err *err)
{
	return err_set(err, ERR_INVALID, "%s is not a valid exported stash commit", oid_hex(link));
}

/* One link. Returns 1, and *link is the next older one; 0: this is the end. */
static int take_link(struct repository *r, const struct commit_view *c, struct object_id *link, struct imported *im,
		     struct err *err)
{
	struct stash s;

	if (!oid_eq(&c->tree, &r->algo->empty_tree))
		return refuse_link(link, err);
	if (!c->nr_parents)
		return c->author_len == strlen(CHAIN_IDENT) && !memcmp(c->author, CHAIN_IDENT, c->author_len) ? 0 : refuse_link(link, err);
	if (c->nr_parents != 2 || c->message_len < strlen(CHAIN_PREFIX) || !starts_with(c->message, CHAIN_PREFIX))
		return refuse_link(link, err);
	if (stash_read(r, &c->parents[1], &s, err))
		return ERR_INVALID;
	stash_release(&s);
	oid_array_append(&im->stashes, &c->parents[1]);
	strvec_pushf(&im->messages, "%.*s", (int)(c->message_len - strlen(CHAIN_PREFIX)), c->message + strlen(CHAIN_PREFIX));
	*link = c->parents[0];
	return 1;
}

static int read_link(struct repository *r, struct object_id *link, struct imported *im, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view v = { .parents = NULL };
	int rc = odb_read_type(r->odb, link, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse(&v, buf.data, buf.size, r->algo, err);
	if (!rc)
		rc = take_link(r, &v, link, im, err);
	commit_view_release(&v);
	object_buf_release(&buf);
	return rc;
}

/* Each entry has a line of its own in the log: they are published one after the other, and sealed together. */
static int add_entries(struct repository *r, const struct imported *im, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct ref_transaction *t = NULL;
	int rc = 0;

	for (size_t i = im->stashes.nr; i-- > 0 && !rc;) {
		rc = repo_operation_begin_refs(op, 0, &t, err);
		if (!rc)
			rc = stash_queue_entry(t, &im->stashes.oid[i], im->messages.v[i], err);
		if (!rc)
			rc = repo_operation_publish(op, err);
	}
	return repo_operation_end(op, rc, err);
}

int stash_cmd_import(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const import_usage[] = { STASH_USAGE_IMPORT, NULL };
	struct imported im = { .stashes = OID_ARRAY_INIT, .messages = STRVEC_INIT };
	struct option opts[] = { OPT_END() };
	struct object_id link;
	struct err err = ERR_INIT;
	int rc = 1;

	argc = parse_options(argc, argv, opts, import_usage, 0);
	if (argc != 1)
		usage_msg_opt("a revision is required", import_usage, opts);
	if (revparse_oid(ctx->repo, argv[0], &link, NULL)) {
		error("not a valid revision: %s", argv[0]);
		return 1;
	}
	while (rc > 0)
		rc = read_link(ctx->repo, &link, &im, &err);
	if (rc) {
		report_error(&err);
		err_release(&err);
		rc = 1;
	} else {
		rc = add_entries(ctx->repo, &im, &err) ? report_fatal(&err) : 0;
	}
	oid_array_clear(&im.stashes);
	strvec_clear(&im.messages);
	return rc;
}
