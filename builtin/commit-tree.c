/* SPDX-License-Identifier: GPL-2.0-only */
/* git-commit-tree(1) */
#include "compat/posix.h"
#include "repo/ident.h"
#include "builtin/builtin.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/names/revparse.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git commit-tree <tree> [(-p <parent>)...]",
	"git commit-tree [(-p <parent>)...] [-S[<keyid>]] [(-m <message>)...]\n"
	"                [(-F <file>)...] <tree>",
	NULL
};

struct commit_tree {
	struct repository *r;
	const char *prefix;
	struct oid_array parents;
	struct strbuf message;
	bool has_message;
	const char *sign_key; /* NULL: not signed */
};

/* ---- options, in their order ---- */

static void resolve(struct repository *r, const char *name, enum object_type want,
		    struct object_id *oid)
{
	struct object_info info;
	struct err err = ERR_INIT;

	if (revparse_of_type(r, name, want, oid, &err) < 0) {
		report_preface(&err);
		die("not a valid object name %s", name);
	}
	if (odb_type(r->odb, oid, &info.type, &info.size, &err) < 0)
		die("%s is not a valid object", oid_hex(oid));
	if (info.type != want)
		die("%s is not a valid '%s' object", oid_hex(oid), object_type_name(want));
}

static int add_parent(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct commit_tree *c = opt->value;
	struct object_id oid;

	resolve(c->r, arg, OBJ_COMMIT, &oid);
	for (size_t i = 0; i < c->parents.nr; i++)
		if (oid_eq(&c->parents.oid[i], &oid)) {
			error("duplicate parent %s ignored", oid_hex(&oid));
			return 0;
		}
	oid_array_append(&c->parents, &oid);
	return 0;
}

static void begin_paragraph(struct commit_tree *c)
{
	if (c->message.len)
		strbuf_addch(&c->message, '\n');
	c->has_message = true;
}

static int add_message(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct commit_tree *c = opt->value;

	begin_paragraph(c);
	strbuf_addstr(&c->message, arg);
	strbuf_complete_line(&c->message);
	return 0;
}

static int commit_tree_add_file(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct commit_tree *c = opt->value;
	struct err err = ERR_INIT;
	char *path = is_absolute_path(arg) ? xstrdup(arg)
					   : path_join(c->prefix ? c->prefix : ".", arg);
	int fd = strcmp(arg, "-") ? open(path, O_RDONLY | O_CLOEXEC) : 0;

	begin_paragraph(c);
	if (fd < 0)
		die("could not open '%s' for reading: %s", arg, strerror(errno));
	if (read_fd(&c->message, fd, 0, arg, &err) < 0)
		die_err(&err);
	if (fd)
		close(fd);
	free(path);
	return 0;
}

static int set_key(const struct option *opt, const char *arg, int unset)
{
	struct commit_tree *c = opt->value;

	c->sign_key = unset ? NULL : arg ? arg : "";
	return 0;
}

/* ---- the commit ---- */

static int write_commit(struct commit_tree *c, const struct object_id *tree,
			struct object_id *oid)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	struct new_commit new = {
		.draft = {
			.tree = *tree,
			.parents = c->parents.oid,
			.nr_parents = c->parents.nr,
			.message = c->message.buf,
			.message_len = c->message.len,
		},
		.sign_key = c->sign_key,
		.warn_not_utf8 = warn_commit_not_utf8,
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (config_get_string(c->r->config, "i18n.commitencoding", &new.draft.encoding, &err) < 0 ||
	    repo_ident(c->r, &author, IDENT_AUTHOR | IDENT_STRICT, &err) < 0 ||
	    repo_ident(c->r, &committer, IDENT_COMMITTER | IDENT_STRICT, &err) < 0)
		die_err(&err);
	new.draft.author = author.buf;
	new.draft.committer = committer.buf;
	op = repo_operation_begin(c->r);
	rc = repo_operation_end(op, commit_create(op, &new, oid, &err), &err);
	if (rc == ERR_GENERIC) /* the commit could not be composed or signed */
		rc = report_error(&err);
	else if (rc < 0)
		die_err(&err);
	strbuf_release(&author);
	strbuf_release(&committer);
	return rc;
}

int cmd_commit_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct commit_tree c = { .r = ctx->repo, .prefix = ctx->prefix,
				 .message = STRBUF_INIT };
	struct err err = ERR_INIT;
	struct object_id tree, oid;
	int rc;
	struct option opts[] = {
		OPT_CALLBACK_F('p', NULL, &c, "parent", "id of a parent commit object",
			       PARSE_OPT_NONEG, add_parent),
		OPT_CALLBACK_F('m', NULL, &c, "message", "commit message", PARSE_OPT_NONEG,
			       add_message),
		OPT_CALLBACK_F('F', NULL, &c, "file", "read commit log message from file",
			       PARSE_OPT_NONEG, commit_tree_add_file),
		OPT_CALLBACK_F('S', "gpg-sign", &c, "key-id", "GPG sign commit",
			       PARSE_OPT_OPTARG, set_key),
		OPT_END()
	};

	if (argc < 2)
		usage_with_options(usage, opts);
	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		die("must give exactly one tree");
	resolve(c.r, argv[0], OBJ_TREE, &tree);
	if (!c.has_message && read_fd(&c.message, 0, 0, "standard input", &err) < 0)
		die_err(&err);
	rc = write_commit(&c, &tree, &oid);
	oid_array_clear(&c.parents);
	strbuf_release(&c.message);
	if (rc)
		return rc;
	puts(oid_hex(&oid));
	return finish_stdout() ? 128 : 0;
}
