/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of files in a commit: M, D, C, R, N, deleteall. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "util/alloc.h"

static int check_new_path(const struct fast_import *fi, const char *path, unsigned mode, struct err *err)
{
	if (*path && !path_is_safe(path, mode, fi->repo->settings.protect))
		return err_set(err, ERR_INVALID, "invalid path '%s'", path);
	return 0;
}

/* ---- what a change names ---- */

struct file_ref {
	bool is_inline;
	struct import_mark *mark;
	struct object_id oid;
};

static int parse_dataref(struct fast_import *fi, const char **p, struct file_ref *ref, struct err *err)
{
	int rc;

	*ref = (struct file_ref){ 0 };
	if (**p == ':') {
		rc = import_parse_mark(fi, p, ' ', &ref->mark, err);
		if (rc < 0)
			return rc;
		ref->oid = ref->mark->oid;
		++*p;
		return 0;
	}
	if (skip_prefix(*p, "inline ", p)) {
		ref->is_inline = true;
		return 0;
	}
	if (oid_parse_hex(&ref->oid, *p, fi->repo->algo, p) < 0) {
		const struct hash_algo *other = fi->repo->algo == hash_sha1 ? hash_sha256 : hash_sha1;

		if (!fi->sub_map.nr || oid_parse_hex(&ref->oid, *p, other, p) < 0)
			return err_set(err, ERR_INVALID, "invalid dataref: %s", fi->in.line.buf);
	}
	if (**p != ' ')
		return err_set(err, ERR_INVALID, "missing space after SHA1: %s", fi->in.line.buf);
	++*p;
	return 0;
}

/* Reads the data of an inline file; `cat-blob` may come before it. */
static int read_inline(struct fast_import *fi, struct object_id *oid, struct err *err)
{
	const char *v;
	int rc;

	while ((rc = import_next(fi, err)) > 0 && skip_prefix(fi->in.line.buf, "cat-blob ", &v)) {
		rc = import_cat_blob(fi, v, err);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : import_read_blob(fi, oid, err);
}

static int check_type(struct fast_import *fi, const struct file_ref *ref, enum object_type want, const char *line,
		      struct err *err)
{
	enum object_type type;
	uint64_t size;

	if (ref->mark)
		type = ref->mark->type;
	else if (odb_type(fi->repo->odb, &ref->oid, &type, &size, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "%s not found: %s", want == OBJ_TREE ? "tree" : "blob", line);
	if (type != want)
		return err_set(err, ERR_INVALID, "not a %s (actually a %s): %s", object_type_name(want),
			       object_type_name(type), line);
	return 0;
}

/* ---- M ---- */

static bool parse_file_mode(const char **p, unsigned *mode)
{
	char *end;
	unsigned long m;

	if (**p < '0' || **p > '7')
		return false;
	m = strtoul(*p, &end, 8);
	*p = end + 1;
	*mode = (unsigned)(m == 0644 || m == 0755 ? m | 0100000 : m);
	return *end == ' ' && (*mode == MODE_FILE || *mode == MODE_EXEC || *mode == MODE_SYMLINK || *mode == MODE_TREE ||
			       *mode == MODE_GITLINK);
}

static int check_modified(struct fast_import *fi, struct file_ref *ref, unsigned mode, const char *line, struct err *err)
{
	const struct object_id *mapped;

	if (MODE_IS_GITLINK(mode)) {
		if (ref->is_inline)
			return err_set(err, ERR_INVALID, "Git links cannot be specified 'inline': %s", line);
		mapped = oidmap_get(&fi->sub_map, &ref->oid);
		if (mapped)
			ref->oid = *mapped;
		return ref->mark ? check_type(fi, ref, OBJ_COMMIT, line, err) : 0;
	}
	if (!ref->is_inline)
		return check_type(fi, ref, MODE_IS_TREE(mode) ? OBJ_TREE : OBJ_BLOB, line, err);
	if (MODE_IS_TREE(mode))
		return err_set(err, ERR_INVALID, "directories cannot be specified 'inline': %s", line);
	return read_inline(fi, &ref->oid, err);
}

static int modify_file(struct fast_import *fi, struct import_branch *b, const char *p, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct import_leaf leaf = { 0 };
	struct file_ref ref;
	int rc;

	if (!parse_file_mode(&p, &leaf.mode))
		return err_set(err, ERR_INVALID, "corrupt mode: %s", fi->in.line.buf);
	rc = parse_dataref(fi, &p, &ref, err);
	if (!rc)
		rc = import_path_eol(fi, p, "path", &path, err);
	if (!rc && MODE_IS_TREE(leaf.mode) && path.len && oid_eq(&ref.oid, &fi->repo->algo->empty_tree)) {
		rc = import_tree_remove(fi, b->root, path.buf, NULL, err);
		strbuf_release(&path);
		return rc < 0 ? rc : 1;
	}
	if (!rc) {
		char *line = strbuf_detach(&fi->in.line, NULL);

		rc = check_modified(fi, &ref, leaf.mode, line, err);
		free(line);
	}
	if (!rc)
		rc = check_new_path(fi, path.buf, leaf.mode, err);
	leaf.oid = ref.oid;
	if (!rc)
		rc = import_tree_set(fi, b->root, path.buf, &leaf, err);
	strbuf_release(&path);
	return rc < 0 ? rc : 1;
}

/* ---- D, C, R ---- */

static int delete_file(struct fast_import *fi, struct import_branch *b, const char *p, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = import_path_eol(fi, p, "path", &path, err);

	if (!rc)
		rc = import_tree_remove(fi, b->root, path.buf, NULL, err);
	strbuf_release(&path);
	return rc < 0 ? rc : 1;
}

static int move_file(struct fast_import *fi, struct import_branch *b, const char *p, bool copy, struct err *err)
{
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;
	struct import_leaf leaf = { 0 };
	int rc = import_path_space(fi, &p, "source", &from, err);

	if (!rc)
		rc = import_path_eol(fi, p, "dest", &to, err);
	if (!rc)
		rc = copy ? import_tree_get(fi, b->root, from.buf, &leaf, err) :
			    import_tree_remove(fi, b->root, from.buf, &leaf, err);
	if (!rc)
		rc = err_set(err, ERR_NOT_FOUND, "path %s not in branch", from.buf);
	if (rc > 0)
		rc = check_new_path(fi, to.buf, leaf.mode, err);
	if (!rc)
		rc = import_tree_set(fi, b->root, to.buf, &leaf, err);
	import_tree_free(leaf.tree);
	strbuf_release(&from);
	strbuf_release(&to);
	return rc < 0 ? rc : 1;
}

/* ---- N ---- */

static int change_note(struct fast_import *fi, struct import_branch *b, const char *p, struct err *err)
{
	struct import_branch *s;
	struct file_ref ref;
	struct object_id commit;
	char *line = xstrdup(fi->in.line.buf);
	int rc = parse_dataref(fi, &p, &ref, err);

	s = rc ? NULL : import_branch_get(fi, p);
	if (s && oid_is_null(&s->tip))
		rc = err_set(err, ERR_INVALID, "can't add a note on empty branch.");
	if (!rc)
		rc = import_commit_of(fi, p, &commit, err);
	if (!rc && ref.is_inline)
		rc = read_inline(fi, &ref.oid, err);
	else if (!rc && (ref.mark || !oid_is_null(&ref.oid)))
		rc = check_type(fi, &ref, OBJ_BLOB, line, err);
	if (!rc)
		rc = import_note_put(fi, b, &commit, &ref.oid, err);
	free(line);
	return rc < 0 ? rc : 1;
}

static int delete_all(struct fast_import *fi, struct import_branch *b)
{
	import_root_set(b->root, &fi->repo->algo->null_oid);
	b->root->dirty = true;
	b->nr_notes = 0;
	return 1;
}

int import_file_change(struct fast_import *fi, struct import_branch *b, struct err *err)
{
	const char *line = fi->in.line.buf, *v;
	int rc;

	if (skip_prefix(line, "M ", &v))
		return modify_file(fi, b, v, err);
	if (skip_prefix(line, "D ", &v))
		return delete_file(fi, b, v, err);
	if (skip_prefix(line, "R ", &v) || skip_prefix(line, "C ", &v))
		return move_file(fi, b, v, *line == 'C', err);
	if (skip_prefix(line, "N ", &v))
		return change_note(fi, b, v, err);
	if (!strcmp(line, "deleteall"))
		return delete_all(fi, b);
	if (skip_prefix(line, "ls ", &v))
		rc = import_ls(fi, v, b, err);
	else if (skip_prefix(line, "cat-blob ", &v))
		rc = import_cat_blob(fi, v, err);
	else
		return 0;
	return rc < 0 ? rc : 1;
}
