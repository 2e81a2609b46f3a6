/* SPDX-License-Identifier: GPL-2.0-only */
/* git-mktree(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/stdin-lines.h"
#include "cli/tree-listing.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git mktree [-z] [--missing] [--batch]",
	NULL
};

struct mktree {
	struct repository *r;
	struct repo_operation *op;
	bool batch;
	struct tree_listing listing;
	struct strbuf names; /* written, not printed yet */
};

static void write_tree(struct mktree *m)
{
	struct strbuf tree = STRBUF_INIT;
	struct object_id oid;
	struct err err = ERR_INIT;

	tree_listing_take(&m->listing, &tree);
	if (odb_write(m->r->odb, OBJ_TREE, tree.buf, tree.len, &oid, &err) < 0)
		die_err(&err);
	strbuf_release(&tree);
	strbuf_add_oid(&m->names, &oid);
	strbuf_addch(&m->names, '\n');
}

/* Publishes the tree: the reader of its name will use it at once. */
static void mktree_publish(struct mktree *m)
{
	struct err err = ERR_INIT;

	if (repo_operation_publish(m->op, &err) < 0)
		die_err(&err);
	fwrite(m->names.buf, 1, m->names.len, stdout);
	strbuf_reset(&m->names);
	fflush(stdout);
}

static void read_trees(struct mktree *m)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	bool open = false; /* a tree has been begun */
	struct err err = ERR_INIT;

	in.term = m->listing.nul ? '\0' : '\n';
	while (stdin_lines_next(&in, &line)) {
		if (line.len) {
			if (tree_listing_add(&m->listing, line.buf, &err) < 0)
				die_err(&err);
			open = true;
			continue;
		}
		if (!m->batch)
			die("input format error: (blank line only valid in batch mode)");
		write_tree(m);
		open = false;
		if (!stdin_lines_ready(&in))
			mktree_publish(m);
	}
	if (open || !m->batch)
		write_tree(m);
	stdin_lines_release(&in);
	strbuf_release(&line);
}

int cmd_mktree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mktree m = { .r = ctx->repo, .listing = { .r = ctx->repo }, .names = STRBUF_INIT };
	struct err err = ERR_INIT;
	int nul = false, missing = false, batch = false;
	struct option opts[] = {
		OPT_BOOL('z', NULL, &nul, "input is NUL terminated"),
		OPT_BOOL(0, "missing", &missing, "allow missing objects"),
		OPT_BOOL(0, "batch", &batch, "allow creation of more than one tree"),
		OPT_END()
	};

	parse_options(argc, argv, opts, usage, 0);
	m.listing.nul = nul;
	m.listing.missing = missing;
	m.batch = batch;
	if (m.listing.missing)
		odb_set_fetch_on_read(m.r->odb, false);
	m.op = repo_operation_begin(m.r);
	if (repo_operation_open_objects(m.op, &err) < 0)
		die_err(&err);
	read_trees(&m);
	if (repo_operation_end(m.op, 0, &err) < 0)
		die_err(&err);
	fwrite(m.names.buf, 1, m.names.len, stdout);
	strbuf_release(&m.names);
	return finish_stdout() ? 128 : 0;
}
