/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes into an archive: the entries of a tree that are wanted, their content, extra files. */
#include "compat/posix.h"
#include "archive/archive-internal.h"
#include "fs/file.h"
#include "index/pathspec.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/run-command.h"
#include "attr/attr.h"

#define TEXT_LOOK_BYTES 8000 /* how far one looks for a NUL */

struct walk {
	struct archive_context c;
	const struct archive_writer *format;
	void *writer;
	struct index_state ix; /* the .gitattributes of the tree */
	struct converter *converter;
	struct attrs *attrs;
	struct archive_subst *subst; /* made when it is needed */
	struct pathspec ps;  /* relative to the root, as full_path */
	struct strbuf full;
	const char *outside; /* an argument that matches something above cwd; NULL: none does */
	char *seen;	     /* which pathspecs have matched */
	struct strbuf path;  /* with the prefix */
	/* directories on the way whose entries wait for something to be in them */
	struct strvec waiting;
	struct oid_array waiting_oids;
	struct oid_array wanted; /* objects that a partial clone may lack */
};

/* ---- attributes ---- */

/*
 * A name that a checkout refuses is refused here too: who unpacks the archive must not get a file outside of
 * the directory, or a .git. Every entry of the tree is looked at, before the first byte is written.
 */
static int check_name(const struct walk *w, const char *path, unsigned mode, struct err *err)
{
	const struct repository *r = w->c.o->repo;
	struct strbuf line = STRBUF_INIT;

	if (path_is_safe(path, mode, r->settings.protect))
		return 0;
	strbuf_addf(&line, "error: invalid path '%s'\n", path);
	err_set(err, ERR_INVALID, "failed to unpack tree object %s", oid_hex(&w->c.o->tree));
	err_set_preface(err, line.buf);
	strbuf_release(&line);
	return ERR_INVALID;
}

static int check_entry(void *data, const char *path, size_t len, const struct tree_entry *e, struct err *err)
{
	struct walk *w = data;

	if (check_name(w, path, e->mode, err) < 0)
		return ERR_INVALID;
	if (MODE_IS_TREE(e->mode))
		return TREE_WALK_DESCEND;
	if (!w->c.o->worktree_attributes && MODE_IS_FILE(e->mode) && !strcmp(e->name, ".gitattributes")) {
		struct index_entry *entry = index_entry_new(&w->ix, e->mode, &e->oid, path, len, 0);
		int rc = index_add(&w->ix, entry, INDEX_ADD_REPLACE, 0, err);

		if (rc < 0)
			return rc;
	}
	return TREE_WALK_SKIP;
}

/* In a partial clone: together. */
static int prefetch_attributes(struct walk *w, struct err *err)
{
	struct odb *odb = w->c.o->repo->odb;
	struct oid_array wanted = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(odb))
		return 0;
	for (size_t i = 0; i < w->ix.nr; i++)
		oid_array_append(&wanted, &w->ix.entries[i]->oid);
	rc = odb_prefetch(odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

static int check_names_read_attributes(struct walk *w, struct err *err)
{
	const struct archive_options *o = w->c.o;
	int rc;

	index_init(&w->ix, o->repo->algo);
	rc = tree_walk(odb_source(o->repo->odb), &o->tree, "", check_entry, w, err);
	if (!rc)
		rc = prefetch_attributes(w, err);
	if (!rc)
		rc = converter_new(&w->converter, o->repo, &w->ix,
				   o->worktree_attributes ? ATTR_CHECKIN : ATTR_INDEX, err);
	if (!rc)
		converter_set_named_origin(w->converter, o->ref, o->commit ? o->commit : &o->tree);
	if (!rc)
		w->attrs = converter_attrs(w->converter);
	return rc;
}

struct export_attrs {
	bool ignore, subst;
	enum attr_state diff; /* -diff: it is binary */
};

/* path: relative to the tree; a directory ends in '/'. */
static struct export_attrs look_up(struct walk *w, const char *path)
{
	static const char *const names[] = { "export-ignore", "export-subst", "diff" };
	struct attr_value v[ARRAY_SIZE(names)];

	attrs_get(w->attrs, path, names, ARRAY_SIZE(names), v);
	return (struct export_attrs){ v[0].state == ATTR_SET, v[1].state == ATTR_SET, v[2].state };
}

/* ---- content ---- */

static int convert(struct walk *w, const char *path, const struct object_id *oid,
		   const struct conversion *cv, struct object_buf *buf, struct err *err)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	int rc = convert_to_worktree(w->converter, path, cv, buf->data, buf->size, oid, &out, &warn,
				     err);

	repo_report_lines(w->c.o->repo, warn.buf);
	if (rc > 0) {
		free(buf->data);
		buf->data = strbuf_detach(&out, &buf->size);
	}
	strbuf_release(&out);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

static int substitute(struct walk *w, struct object_buf *buf, struct err *err)
{
	const struct archive_options *o = w->c.o;
	struct strbuf out = STRBUF_INIT;
	int rc = w->subst ? 0 : archive_subst_new(&w->subst, o->repo, o->commit, err);

	if (!rc)
		rc = archive_subst_expand(w->subst, buf->data, buf->size, &out, err);
	if (!rc) {
		free(buf->data);
		buf->data = strbuf_detach(&out, &buf->size);
	}
	strbuf_release(&out);
	return rc;
}

static bool looks_like_text(const struct object_buf *buf)
{
	size_t n = buf->size < TEXT_LOOK_BYTES ? buf->size : TEXT_LOOK_BYTES;

	return !memchr(buf->data, '\0', n);
}

/* May it be streamed? Only what leaves as it is in the repository. */
static bool stays_as_it_is(struct walk *w, const struct conversion *cv, const struct export_attrs *a)
{
	return !cv->crlf_out && !cv->ident && !cv->filter && !cv->encoding && !cv->bad_encoding &&
	       !(a->subst && w->c.o->commit);
}

static int write_file(struct walk *w, const char *path, struct archive_entry *e,
		      const struct export_attrs *a, struct err *err)
{
	struct repository *r = w->c.o->repo;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct conversion cv;
	enum object_type type;
	int rc = odb_type(r->odb, e->oid, &type, &e->size, err);

	if (!rc && type != OBJ_BLOB)
		rc = err_set(err, ERR_CORRUPT, "'%s' is no blob: %s", path, oid_hex(e->oid));
	if (rc)
		return rc;
	converter_lookup(w->converter, path, &cv);
	if (MODE_IS_FILE(e->mode) && e->size > r->settings.big_file_threshold &&
	    stays_as_it_is(w, &cv, a))
		return w->format->entry(w->writer, e, err);
	rc = odb_read_type(r->odb, e->oid, OBJ_BLOB, &buf, err);
	if (!rc && MODE_IS_FILE(e->mode))
		rc = convert(w, path, e->oid, &cv, &buf, err);
	if (!rc && MODE_IS_FILE(e->mode) && a->subst && w->c.o->commit)
		rc = substitute(w, &buf, err);
	if (!rc) {
		e->size = buf.size;
		e->data = buf.data;
		e->is_text = a->diff == ATTR_SET || (a->diff != ATTR_UNSET && looks_like_text(&buf));
		rc = w->format->entry(w->writer, e, err);
	}
	object_buf_release(&buf);
	return rc;
}

/* ---- entries ---- */

static void say(struct walk *w, const char *path)
{
	if (w->c.o->verbose)
		w->c.o->verbose(path);
}

static int write_dir(struct walk *w, const char *path, const struct object_id *oid, unsigned mode,
		     struct err *err)
{
	struct archive_entry e = { .mode = mode, .oid = oid, .data = "" };

	strbuf_reset(&w->path);
	strbuf_addf(&w->path, "%s%s", w->c.o->prefix, path);
	e.path = w->path.buf;
	say(w, e.path);
	return w->format->entry(w->writer, &e, err);
}

/*
 * Writes the waiting directories that are above `path`, in order. The walk has left the others:
 * they are dropped.
 */
static int write_waiting(struct walk *w, const char *path, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < w->waiting.nr; i++)
		if (starts_with(path, w->waiting.v[i]))
			rc = write_dir(w, w->waiting.v[i], &w->waiting_oids.oid[i], MODE_TREE, err);
	strvec_clear(&w->waiting);
	w->waiting_oids.nr = 0;
	return rc;
}

/* From the root; until the next call. */
static const char *full_path(struct walk *w, const char *path)
{
	if (!w->c.o->cwd)
		return path;
	strbuf_reset(&w->full);
	strbuf_addf(&w->full, "%s%s", w->c.o->cwd, path);
	return w->full.buf;
}

static bool is_wanted(struct walk *w, const char *path, bool is_dir)
{
	const char *full = full_path(w, path);

	return !w->ps.nr || pathspec_match(&w->ps, full, strlen(full), is_dir, w->seen);
}

/* dir: ends in '/'. Nothing below it can match. */
static bool leads_nowhere(struct walk *w, const char *dir)
{
	const char *full = full_path(w, dir);

	return w->ps.nr && pathspec_match_dir(&w->ps, full, strlen(full) - 1) == PATHSPEC_NO_MATCH;
}

/* dir: ends in '/'. */
static int visit_dir(struct walk *w, const char *dir, const struct object_id *oid, struct err *err)
{
	int rc = 0;

	if (look_up(w, dir).ignore)
		return TREE_WALK_SKIP;
	if (!w->ps.nr)
		rc = write_dir(w, dir, oid, MODE_TREE, err);
	else if (leads_nowhere(w, dir))
		return TREE_WALK_SKIP;
	if (w->ps.nr) {
		strvec_push(&w->waiting, dir);
		oid_array_append(&w->waiting_oids, oid);
	}
	return rc < 0 ? rc : TREE_WALK_DESCEND;
}

static int visit_file(struct walk *w, const char *path, const struct tree_entry *t, struct err *err)
{
	struct archive_entry e = { .mode = t->mode, .oid = &t->oid };
	struct export_attrs a = look_up(w, path);
	int rc;

	if (a.ignore || !is_wanted(w, path, false))
		return TREE_WALK_SKIP;
	rc = write_waiting(w, path, err);
	if (rc)
		return rc;
	strbuf_reset(&w->path);
	strbuf_addf(&w->path, "%s%s", w->c.o->prefix, path);
	e.path = w->path.buf;
	say(w, e.path);
	rc = write_file(w, path, &e, &a, err);
	return rc < 0 ? rc : TREE_WALK_SKIP;
}

/* A submodule becomes an empty directory: its files belong to another repository. */
static int visit_gitlink(struct walk *w, const char *dir, const struct object_id *oid,
			 struct err *err)
{
	int rc;

	if (look_up(w, dir).ignore || !is_wanted(w, dir, true))
		return TREE_WALK_SKIP;
	rc = write_waiting(w, dir, err);
	if (!rc)
		rc = write_dir(w, dir, oid, MODE_GITLINK, err);
	return rc < 0 ? rc : TREE_WALK_SKIP;
}

static int visit(void *data, const char *path, size_t len UNUSED, const struct tree_entry *t, struct err *err)
{
	struct walk *w = data;
	char *dir;
	int rc;

	if (!MODE_IS_TREE(t->mode) && !MODE_IS_GITLINK(t->mode))
		return visit_file(w, path, t, err);
	dir = xstrfmt("%s/", path);
	rc = MODE_IS_TREE(t->mode) ? visit_dir(w, dir, &t->oid, err) :
	     visit_gitlink(w, dir, &t->oid, err);
	free(dir);
	return rc;
}

/* ---- files that are not of the tree ---- */

/* An id that no object has: it keeps headers of long names distinct. */
static void make_id(struct object_id *oid, const struct hash_algo *algo, uint64_t number)
{
	unsigned char raw[64] = { 0 };

	put_be64(raw, number);
	oid_from_raw(oid, raw, algo);
}

static int write_extra(struct walk *w, const struct archive_extra *x, uint64_t number, struct err *err)
{
	struct archive_entry e = { .path = x->path, .mode = x->mode, .size = x->content_len,
				   .data = x->content };
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf content = STRBUF_INIT;
	struct object_id oid;
	int rc = x->file ? read_named_file(&content, x->file, 0, err) : 0;

	make_id(&oid, w->c.o->repo->algo, number);
	e.oid = &oid;
	if (!rc && x->file) {
		e.size = content.len;
		e.data = content.buf;
	}
	if (!rc) {
		buf.data = (void *)e.data;
		buf.size = (size_t)e.size;
		e.is_text = looks_like_text(&buf);
		say(w, e.path);
		rc = w->format->entry(w->writer, &e, err);
	}
	strbuf_release(&content);
	return rc;
}

/* ---- before anything is written ---- */

/* Files that will be read. */
static int collect(void *data, const char *path, size_t len UNUSED, const struct tree_entry *t, struct err *err UNUSED)
{
	struct walk *w = data;
	char *dir;
	bool skip;

	if (MODE_IS_GITLINK(t->mode))
		return TREE_WALK_SKIP;
	if (!MODE_IS_TREE(t->mode)) {
		if (!look_up(w, path).ignore && is_wanted(w, path, false))
			oid_array_append(&w->wanted, &t->oid);
		return TREE_WALK_SKIP;
	}
	dir = xstrfmt("%s/", path);
	skip = look_up(w, dir).ignore || leads_nowhere(w, dir);
	free(dir);
	return skip ? TREE_WALK_SKIP : TREE_WALK_DESCEND;
}

/* In a partial clone: together. */
static int prefetch(struct walk *w, struct err *err)
{
	const struct archive_options *o = w->c.o;
	int rc;

	if (!odb_can_fetch(o->repo->odb))
		return 0;
	rc = tree_walk(odb_source(o->repo->odb), &o->tree, "", collect, w, err);
	return rc ? rc : odb_prefetch(o->repo->odb, &w->wanted, err);
}

/* The attributes are those of the tree that is archived. */
static bool match_attr(void *data, const char *attr, const char *path, size_t len)
{
	const struct walk *w = data;
	size_t skip = w->c.o->cwd && starts_with(path, w->c.o->cwd) ? strlen(w->c.o->cwd) : 0;

	return attrs_match_spec(w->attrs, attr, path + skip, len - skip);
}

static int parse_paths(struct walk *w, struct err *err)
{
	const struct archive_options *o = w->c.o;
	int rc = pathspec_parse(&w->ps, o->cwd, o->worktree, o->paths, PATHSPEC_PREFER_FULL, err);

	if (rc)
		return rc;
	w->ps.match_attr = match_attr;
	w->ps.match_attr_data = w;
	w->seen = xcalloc(w->ps.nr + 1, 1);
	return 0;
}

/* cwd itself is not outside, and neither are the directories above it. */
static void look_outside(struct walk *w, const char *path, size_t len, bool is_dir)
{
	char *matched;

	if (is_dir && starts_with(w->c.o->cwd, path) && w->c.o->cwd[len] == '/')
		return;
	matched = xcalloc(w->ps.nr, 1);
	if (!w->outside && pathspec_match(&w->ps, path, len, is_dir, matched))
		for (size_t i = 0; !w->outside && i < w->ps.nr; i++)
			/* "" stands for all that is not excluded */
			if (matched[i] && !w->ps.items[i].exclude && *w->ps.items[i].original)
				w->outside = w->ps.items[i].original;
	free(matched);
}

/* Notes which pathspecs match an entry, and whether one matches an entry with export-ignore. */
static int look(void *data, const char *path, size_t len, const struct tree_entry *t,
		struct err *err UNUSED)
{
	struct walk *w = data;
	bool is_dir = MODE_IS_TREE(t->mode) || MODE_IS_GITLINK(t->mode);

	if (!w->c.o->cwd || starts_with(path, w->c.o->cwd))
		pathspec_match(&w->ps, path, len, is_dir, w->seen);
	else
		look_outside(w, path, len, is_dir);
	return MODE_IS_TREE(t->mode) ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
}

static int check_paths(struct walk *w, struct err *err)
{
	const struct archive_options *o = w->c.o;
	int rc = 0;

	if (w->ps.nr)
		rc = tree_walk(odb_source(o->repo->odb), o->cwd ? &o->root : &o->tree, "", look, w, err);
	if (!rc && w->outside)
		rc = err_set(err, ERR_INVALID, "pathspec '%s' matches files outside the current directory",
			     w->outside);
	for (size_t i = 0; !rc && i < w->ps.nr; i++)
		if (!w->seen[i] && !w->ps.items[i].exclude)
			rc = err_set(err, ERR_INVALID, "pathspec '%s' did not match any files",
				     w->ps.items[i].original);
	return rc;
}

/* "a/b/" as the prefix makes the directory itself an entry, with one slash at its end. */
static int write_prefix(struct walk *w, struct err *err)
{
	struct archive_entry e = { .mode = MODE_TREE, .oid = &w->c.o->tree, .data = "" };
	size_t len = strlen(w->c.o->prefix);

	if (!len || w->c.o->prefix[len - 1] != '/')
		return 0;
	while (len > 1 && w->c.o->prefix[len - 2] == '/')
		len--;
	strbuf_reset(&w->path);
	strbuf_add(&w->path, w->c.o->prefix, len);
	e.path = w->path.buf;
	say(w, e.path);
	return w->format->entry(w->writer, &e, err);
}

/* ---- all of it ---- */

static int write_entries(struct walk *w, struct err *err)
{
	const struct archive_options *o = w->c.o;
	int rc = w->format->begin(w->writer, err);

	if (!rc)
		rc = write_prefix(w, err);
	if (!rc)
		rc = tree_walk(odb_source(o->repo->odb), &o->tree, "", visit, w, err);
	for (size_t i = 0; !rc && i < o->nr_extras; i++)
		rc = write_extra(w, &o->extras[i], i + 1, err);
	if (!rc)
		rc = w->format->end(w->writer, err);
	return rc < 0 ? rc : 0;
}

static int write_to(const struct archive_options *o, const struct archive_format *f, int fd,
		    struct err *err)
{
	struct walk w = { .c = { .o = o }, .format = f->is_zip ? &archive_zip : &archive_tar };
	int rc;

	strbuf_init(&w.path, 0);
	strbuf_init(&w.full, 0);
	strvec_init(&w.waiting);
	rc = check_names_read_attributes(&w, err);
	if (!rc)
		rc = parse_paths(&w, err);
	if (!rc)
		rc = check_paths(&w, err);
	if (!rc)
		rc = prefetch(&w, err);
	if (!rc) {
		w.c.out = archive_out_new(fd, f->gzip, o->level);
		w.writer = w.format->new(&w.c, err);
		rc = w.writer ? write_entries(&w, err) : ERR_INVALID;
		if (!rc)
			rc = archive_out_finish(w.c.out, err);
	}
	if (w.writer)
		w.format->free(w.writer);
	archive_out_free(w.c.out);
	archive_subst_free(w.subst);
	converter_free(w.converter);
	index_release(&w.ix);
	pathspec_release(&w.ps);
	free(w.seen);
	strbuf_release(&w.path);
	strbuf_release(&w.full);
	strvec_clear(&w.waiting);
	oid_array_clear(&w.waiting_oids);
	oid_array_clear(&w.wanted);
	return rc;
}

/* Through a program, which writes to fd. */
static int write_through(const struct archive_options *o, const struct archive_format *f, int fd,
			 struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc, code;

	if (o->level >= 0)
		strvec_pushf(&cp.args, "%s -%d", f->command, o->level);
	else
		strvec_push(&cp.args, f->command);
	cp.use_shell = true;
	cp.in = -1;
	cp.out = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (cp.out < 0)
		return err_set_errno(err, "cannot start '%s'", f->command);
	rc = start_command(&cp, err);
	if (!rc) {
		rc = write_to(o, f, cp.in, err);
		close(cp.in);
		code = finish_command(&cp);
		if (!rc && code)
			rc = err_set(err, ERR_ABORTED, "'%s' filter reported error", f->command);
	}
	child_process_release(&cp);
	return rc;
}

int archive_write(const struct archive_options *o, const struct archive_format *f, int fd,
		  struct err *err)
{
	return f->command ? write_through(o, f, fd, err) : write_to(o, f, fd, err);
}
