/* SPDX-License-Identifier: GPL-2.0-only */
/* --follow-symlinks: "TREE:path" with the links that are in the tree resolved. */
#include "compat/posix.h"
#include "builtin/cat-file/cat-file.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "history/names/revparse.h"

#define MAX_LINKS 40

struct follow {
	struct repository *r;
	struct oid_array dirs; /* from the top down to where we are */
	struct strbuf rest;    /* still to go */
	int links;
	struct object_id *oid;
	unsigned *mode;
	struct strbuf *target;
};

/* The ':' of "TREE:path"; not one in braces, not ":path". */
static const char *find_colon(const char *name)
{
	int depth = 0;

	for (const char *p = name; *p; p++) {
		if (*p == '{')
			depth++;
		else if (*p == '}' && depth)
			depth--;
		else if (*p == ':' && !depth)
			return p > name ? p : NULL;
	}
	return NULL;
}

static enum link_result not_there(const struct follow *f)
{
	return f->links ? LINK_DANGLING : LINK_MISSING;
}

static struct object_id *top(struct follow *f)
{
	return &f->dirs.oid[f->dirs.nr - 1];
}

/* Puts the target of the link before the rest of the path. */
static int read_link_target(struct follow *f, const struct object_id *oid)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	if (odb_read_type(f->r->odb, oid, OBJ_BLOB, &buf, NULL) < 0)
		return -1;
	if (buf.size && *(char *)buf.data == '/')
		strbuf_reset(&f->rest);
	else if (f->rest.len)
		strbuf_insertstr(&f->rest, 0, "/");
	strbuf_insert(&f->rest, 0, buf.data, strlen(buf.data));
	object_buf_release(&buf);
	return 0;
}

static enum link_result lead_outside(struct follow *f)
{
	strbuf_addbuf(f->target, &f->rest);
	return LINK_OUTSIDE;
}

/* One component; LINK_PLAIN: go on. */
static enum link_result step(struct follow *f)
{
	struct strbuf name = STRBUF_INIT;
	struct object_id oid;
	unsigned mode = 0;
	size_t len = strcspn(f->rest.buf, "/");
	bool up = len == 2 && !memcmp(f->rest.buf, "..", 2);
	int rc = 0;

	if (up && f->dirs.nr == 1)
		return lead_outside(f);
	strbuf_add(&name, f->rest.buf, len);
	while (f->rest.buf[len] == '/')
		len++;
	strbuf_remove(&f->rest, 0, len);
	if (up)
		f->dirs.nr--;
	else if (strcmp(name.buf, "."))
		rc = tree_lookup_path(odb_source(f->r->odb), top(f), name.buf, &mode, &oid, NULL);
	strbuf_release(&name);
	if (rc < 0)
		return not_there(f);
	if (!mode)
		return LINK_PLAIN;
	if (MODE_IS_TREE(mode)) {
		oid_array_append(&f->dirs, &oid);
		return LINK_PLAIN;
	}
	if (MODE_IS_SYMLINK(mode)) {
		if (++f->links > MAX_LINKS)
			return LINK_LOOP;
		return read_link_target(f, &oid) < 0 ? not_there(f) : LINK_PLAIN;
	}
	if (f->rest.len)
		return LINK_NOTDIR;
	*f->oid = oid;
	*f->mode = MODE_IS_GITLINK(mode) ? 0 : mode; /* as in Git, it is just missing here */
	return LINK_FOUND;
}

enum link_result cat_file_follow(struct repository *r, const char *name,
				 struct object_id *oid, unsigned *mode, struct strbuf *target)
{
	struct follow f = { .r = r, .dirs = OID_ARRAY_INIT, .rest = STRBUF_INIT,
			    .oid = oid, .mode = mode, .target = target };
	const char *colon = find_colon(name);
	enum link_result res = LINK_PLAIN;
	struct object_id root;
	char *tree;

	if (!colon)
		return LINK_PLAIN;
	tree = xstrndup(name, (size_t)(colon - name));
	if (revparse_tree(r, tree, &root, NULL) < 0)
		res = LINK_MISSING;
	free(tree);
	oid_array_append(&f.dirs, &root);
	strbuf_addstr(&f.rest, colon + 1 + strspn(colon + 1, "/"));
	while (res == LINK_PLAIN) {
		if (!f.rest.len) {
			*oid = *top(&f);
			*mode = f.dirs.nr > 1 ? S_IFDIR : 0;
			res = LINK_FOUND;
		} else if (*f.rest.buf == '/') {
			res = lead_outside(&f);
		} else {
			res = step(&f);
		}
	}
	oid_array_clear(&f.dirs);
	strbuf_release(&f.rest);
	return res;
}
