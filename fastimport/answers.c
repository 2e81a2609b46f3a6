/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that the frontend reads answers of: cat-blob, get-mark, ls. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "object/tree.h"
#include "util/quote.h"

static int send_piece(void *data, const void *p, size_t len, struct err *err)
{
	const struct fast_import *fi = data;

	return import_answer(fi, fi->answer_fd, p, len, err);
}

static int send_blob(struct fast_import *fi, const struct object_id *oid, struct err *err)
{
	struct strbuf head = STRBUF_INIT;
	enum object_type type;
	uint64_t size;
	int rc;

	if (odb_type(fi->repo->odb, oid, &type, &size, NULL) < 0)
		strbuf_addf(&head, "%s missing\n", oid_hex(oid));
	else if (type != OBJ_BLOB)
		return err_set(err, ERR_INVALID, "object %s is a %s but a blob was expected.", oid_hex(oid),
			       object_type_name(type));
	else
		strbuf_addf(&head, "%s blob %" PRIu64 "\n", oid_hex(oid), size);
	rc = send_piece(fi, head.buf, head.len, err);
	if (!rc && !ends_with(head.buf, " missing\n")) {
		rc = odb_stream(fi->repo->odb, oid, send_piece, fi, err);
		if (!rc)
			rc = send_piece(fi, "\n", 1, err);
	}
	strbuf_release(&head);
	return rc;
}

int import_cat_blob(struct fast_import *fi, const char *arg, struct err *err)
{
	struct import_mark *m;
	struct object_id oid;
	const char *end;
	int rc;

	if (*arg == ':') {
		rc = import_parse_mark(fi, &arg, '\0', &m, err);
		return rc < 0 ? rc : send_blob(fi, &m->oid, err);
	}
	if (oid_parse_hex(&oid, arg, fi->repo->algo, &end) < 0)
		return err_set(err, ERR_INVALID, "invalid dataref: %s", fi->in.line.buf);
	if (*end)
		return err_set(err, ERR_INVALID, "garbage after SHA1: %s", fi->in.line.buf);
	return send_blob(fi, &oid, err);
}

int import_get_mark(struct fast_import *fi, const char *arg, struct err *err)
{
	struct import_mark *m;
	char out[HASH_MAX_HEX + 2];
	int rc;

	if (*arg != ':')
		return err_set(err, ERR_INVALID, "not a mark: %s", arg);
	rc = import_parse_mark(fi, &arg, '\0', &m, err);
	if (rc < 0)
		return rc;
	oid_to_hex_r(out, &m->oid);
	strcat(out, "\n");
	return import_answer(fi, fi->answer_fd, out, strlen(out), err);
}

static int print_leaf(struct fast_import *fi, const struct import_leaf *leaf, const char *path, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc;

	if (leaf->mode)
		strbuf_addf(&out, "%06o %s %s\t", leaf->mode, object_type_name(mode_object_type(leaf->mode)),
			    oid_hex(&leaf->oid));
	else
		strbuf_addstr(&out, "missing ");
	quote_c_style(&out, path, strlen(path), true);
	strbuf_addch(&out, '\n');
	rc = import_answer(fi, fi->answer_fd, out.buf, out.len, err);
	strbuf_release(&out);
	return rc;
}

/* "DATAREF PATH": the tree that the object is or leads to. */
static int named_tree(struct fast_import *fi, const char **p, struct object_id *tree, struct err *err)
{
	struct object_id oid;
	struct import_mark *m;
	enum object_type type;
	int rc;

	if (**p == ':') {
		rc = import_parse_mark(fi, p, ' ', &m, err);
		if (rc < 0)
			return rc;
		oid = m->oid;
	} else if (oid_parse_hex(&oid, *p, fi->repo->algo, p) < 0) {
		return err_set(err, ERR_INVALID, "invalid dataref: %s", fi->in.line.buf);
	}
	rc = object_peel(odb_source(fi->repo->odb), &oid, OBJ_TREE, tree, &type, NULL);
	if (rc < 0)
		return err_set(err, ERR_INVALID, "not a tree-ish: %s", fi->in.line.buf);
	if (**p != ' ')
		return err_set(err, ERR_INVALID, "missing space after tree-ish: %s", fi->in.line.buf);
	++*p;
	return 0;
}

/* A directory of the commit is written first, so that its name is known. */
static int find_leaf(struct fast_import *fi, struct import_entry *root, const char *path, struct import_leaf *leaf,
		     struct err *err)
{
	struct import_entry *dir = import_root_new(fi->repo->algo);
	int rc = import_tree_get(fi, root, path, leaf, err);

	if (rc > 0 && MODE_IS_TREE(leaf->mode) && (leaf->tree || oid_is_null(&leaf->oid))) {
		import_root_set(dir, &leaf->oid);
		dir->tree = leaf->tree;
		dir->dirty = true;
		rc = import_tree_store(fi, dir, err);
		leaf->oid = dir->oid;
		leaf->tree = NULL;
	}
	import_root_free(dir);
	return rc < 0 ? rc : 0;
}

int import_ls(struct fast_import *fi, const char *p, struct import_branch *b, struct err *err)
{
	struct import_entry *root = import_root_new(fi->repo->algo);
	struct import_leaf leaf = { 0 };
	struct strbuf path = STRBUF_INIT;
	struct object_id tree;
	int rc = 0;

	if (*p == '"') {
		if (!b)
			rc = err_set(err, ERR_INVALID, "not in a commit: %s", fi->in.line.buf);
	} else {
		b = NULL;
		rc = named_tree(fi, &p, &tree, err);
		if (!rc)
			import_root_set(root, &tree);
	}
	if (!rc)
		rc = import_path_eol(fi, p, "path", &path, err);
	if (!rc)
		rc = find_leaf(fi, b ? b->root : root, path.buf, &leaf, err);
	if (!rc)
		rc = print_leaf(fi, &leaf, path.buf, err);
	import_tree_free(leaf.tree);
	import_root_free(root);
	strbuf_release(&path);
	return rc;
}
