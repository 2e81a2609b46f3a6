/* SPDX-License-Identifier: GPL-2.0-only */
/* May a patch be applied? The content that it is for, and what its result would be. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "worktree/worktree.h"

#define CONTENT_MAX ((size_t)1 << 31)

/* Values in apply.table, where a path has no patch that makes it. */
static char to_delete, was_deleted;

const char *apply_name(const struct apply_patch *ap)
{
	return ap->p.new_name ? ap->p.new_name : ap->p.old_name;
}

static bool goes_away(const struct file_patch *p)
{
	return p->old_name && (!p->new_name || p->is_rename);
}

/* The patch of this input that made the file. *gone: one has removed it. */
static struct apply_patch *earlier_patch(struct apply *a, const struct apply_patch *ap, bool *gone)
{
	void *v;

	*gone = false;
	if (ap->p.is_copy || ap->p.is_rename || !ap->p.old_name)
		return NULL; /* "git diff" means all old sides at once */
	v = strmap_get(&a->table, ap->p.old_name);
	*gone = v == &was_deleted;
	return v == &to_delete || v == &was_deleted ? NULL : v;
}

static void note_result(struct apply *a, struct apply_patch *ap)
{
	if (ap->p.new_name)
		strmap_put(&a->table, ap->p.new_name, ap);
	if (goes_away(&ap->p))
		strmap_put(&a->table, ap->p.old_name, &was_deleted);
}

/* ---- symbolic links ---- */

static bool is_link_now(struct apply *a, const char *dir)
{
	struct stat st;
	struct index_entry *e;

	if (a->has_index) {
		e = index_find(&a->ix, dir, strlen(dir));
		return e && MODE_IS_SYMLINK(e->mode);
	}
	return !lstat(dir, &st) && S_ISLNK(st.st_mode);
}

/* Would a directory of the path be a symbolic link? */
static bool is_beyond_link(struct apply *a, const char *path)
{
	char *dir = xstrdup(path), *slash;
	bool yes = false;

	while (!yes && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (strset_contains(&a->links, dir))
			yes = true;
		else if (!strset_contains(&a->links_gone, dir))
			yes = is_link_now(a, dir);
	}
	free(dir);
	return yes;
}

static void find_links(struct apply *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		const struct file_patch *p = &a->patches[i]->p;

		if (p->old_name && MODE_IS_SYMLINK(p->old_mode) && (p->is_rename || p->is_delete > 0))
			strset_add(&a->links_gone, p->old_name);
		if (p->new_name && MODE_IS_SYMLINK(p->new_mode))
			strset_add(&a->links, p->new_name);
		if (goes_away(p))
			strmap_put(&a->table, p->old_name, &to_delete);
	}
}

/* ---- contents ---- */

/* As a commit would have the file; of one whose patch has CRLF, lines end as they do. */
static int read_worktree(struct apply *a, const struct apply_patch *ap, const char *name, const struct stat *st,
			 struct strbuf *out)
{
	struct conversion cv;
	struct strbuf converted = STRBUF_INIT, warn = STRBUF_INIT;
	int rc;

	if (S_ISLNK(st->st_mode))
		return read_link(out, name, (size_t)st->st_size, NULL);
	if (!S_ISREG(st->st_mode) || read_file(out, name, CONTENT_MAX, NULL) < 0)
		return -1;
	if (!a->conv)
		return 0;
	converter_lookup(a->conv, name, &cv);
	if (ap->p.has_crlf)
		cv.text = TEXT_NO;
	rc = convert_to_git(a->conv, name, &cv, out->buf, out->len, &converted, ap->p.has_crlf ? 0 : CONVERT_RENORMALIZE, &warn,
			    NULL);
	if (rc > 0)
		strbuf_swap(out, &converted);
	if (warn.len)
		apply_say(a, "%s", warn.buf);
	strbuf_release(&converted);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

static int read_entry(struct apply *a, const struct index_entry *e, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	if (MODE_IS_GITLINK(e->mode)) {
		strbuf_addf(out, "Subproject commit %s\n", oid_hex(&e->oid));
		return 0;
	}
	if (odb_read_type(a->repo->odb, &e->oid, OBJ_BLOB, &buf, NULL) < 0)
		return -1;
	strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return 0;
}

/* From the index, if it counts, or the file. 1: a submodule without index. */
static int read_target(struct apply *a, const struct apply_patch *ap, const struct index_entry *e, const char *name,
		       unsigned mode, struct strbuf *out)
{
	struct stat st;
	int rc = 0;

	if (a->has_index) {
		if (e)
			rc = read_entry(a, e, out);
	} else if (name) {
		if (MODE_IS_GITLINK(mode))
			return 1;
		if (worktree_leading_symlink(name, strlen(name)))
			return apply_error(a, "reading from '%s' beyond a symbolic link", name);
		rc = lstat(name, &st) < 0 ? -1 : read_worktree(a, ap, name, &st, out);
	}
	return rc < 0 ? apply_error(a, "failed to read %s", name) : 0;
}

int apply_load_preimage(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *out)
{
	bool gone;
	struct apply_patch *earlier = earlier_patch(a, ap, &gone);
	int rc;

	if (gone)
		return apply_error(a, "path %s has been renamed/deleted", ap->p.old_name);
	if (earlier) {
		strbuf_addbuf(out, &earlier->result);
		return 0;
	}
	rc = read_target(a, ap, e, ap->p.old_name, ap->p.old_mode, out);
	if (rc == 1) /* a submodule, about which only the index knows */
		ap->p.nr = 0;
	return rc < 0 ? rc : 0;
}

/* ---- the index against the file ---- */

static bool differs_from_entry(struct apply *a, struct index_entry *e, const struct stat *st)
{
	enum worktree_change change = WT_UNCHANGED;
	unsigned match, mode;
	struct stat again;

	if (MODE_IS_GITLINK(e->mode))
		return !S_ISDIR(st->st_mode);
	match = index_entry_stat_match(&a->ix, e, st, &a->repo->settings);
	if (match & ~MATCH_RACY)
		return true;
	if (!match)
		return false;
	return worktree_entry_changed(a->repo, &a->ix, e, a->conv, &change, &again, &mode, NULL) < 0 || change != WT_UNCHANGED;
}

/* --index: a file that is missing is written. */
static int check_out_entry(struct apply *a, struct index_entry *e, struct stat *st)
{
	const struct checkout_options o = { 0 };

	if (worktree_checkout_entry(a->repo, &a->ix, e, a->conv, &o, NULL) < 0 || lstat(e->name, st) < 0)
		return apply_error(a, "cannot checkout %s", e->name);
	return 0;
}

int apply_load_current(struct apply *a, struct apply_patch *ap, struct strbuf *out)
{
	const char *name = ap->p.new_name;
	struct index_entry *e = index_find(&a->ix, name, strlen(name));
	struct stat st;

	if (!e)
		return apply_error(a, "%s: does not exist in index", name);
	if (lstat(name, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -1;
		if (check_out_entry(a, e, &st) < 0)
			return -1;
	}
	if (differs_from_entry(a, e, &st))
		return apply_error(a, "%s: does not match index", name);
	return read_target(a, ap, e, name, ap->p.new_mode, out) < 0 ? -1 : 0;
}

/* ---- the old side ---- */

struct old_side {
	struct index_entry *e;
	struct stat st;
	bool missing; /* no such file */
	unsigned mode;
};

static int say_missing(struct apply *a, const char *name, int code)
{
	return apply_error(a, "%s: %s", name, strerror(code));
}

/* A traditional patch may create the file without saying so. */
static int becomes_new(struct apply_patch *ap)
{
	ap->p.is_new = 1;
	ap->p.is_delete = 0;
	free(ap->p.old_name);
	ap->p.old_name = NULL;
	return 0;
}

static unsigned mode_of_file(const struct apply *a, const struct apply_patch *ap, const struct old_side *o)
{
	mode_t mode = o->st.st_mode;

	if (a->repo && S_ISREG(mode) && !a->repo->settings.filemode)
		return o->e ? o->e->mode : ap->p.old_mode;
	if (a->repo)
		return worktree_mode(&a->repo->settings, mode, o->e);
	if (S_ISREG(mode))
		return mode & 0100 ? MODE_EXEC : MODE_FILE;
	return S_ISLNK(mode) ? MODE_SYMLINK : MODE_GITLINK;
}

/* Index and file of the old name. 1: there is none, and the patch creates it. */
static int find_old_side(struct apply *a, struct apply_patch *ap, struct old_side *o)
{
	const char *name = ap->p.old_name;
	int code = 0;

	if (!a->cached && lstat(name, &o->st) < 0) {
		code = errno;
		o->missing = true;
		if (code != ENOENT && code != ENOTDIR)
			return say_missing(a, name, code);
	}
	if (a->has_index) {
		o->e = index_find(&a->ix, name, strlen(name));
		if (!o->e)
			return ap->p.is_new < 0 ? 1 : apply_error(a, "%s: does not exist in index", name);
		if (o->missing && check_out_entry(a, o->e, &o->st) < 0)
			return -1;
		if (!a->cached && differs_from_entry(a, o->e, &o->st))
			return apply_error(a, "%s: does not match index", name);
	} else if (o->missing) {
		return ap->p.is_new < 0 ? 1 : say_missing(a, name, code);
	}
	o->mode = a->cached ? o->e->mode : mode_of_file(a, ap, o);
	return 0;
}

static int check_old_side(struct apply *a, struct apply_patch *ap, struct old_side *o)
{
	struct file_patch *p = &ap->p;
	struct apply_patch *earlier;
	bool gone;
	int rc = 0;

	if (!p->old_name)
		return 0;
	earlier = earlier_patch(a, ap, &gone);
	if (gone)
		return apply_error(a, "path %s has been renamed/deleted", p->old_name);
	if (earlier)
		o->mode = earlier->p.new_mode;
	else
		rc = find_old_side(a, ap, o);
	if (rc)
		return rc < 0 ? rc : becomes_new(ap);
	if (p->is_new < 0)
		p->is_new = 0;
	if (!p->old_mode)
		p->old_mode = o->mode;
	if ((o->mode ^ p->old_mode) & S_IFMT)
		return apply_error(a, "%s: wrong type", p->old_name);
	if (o->mode != p->old_mode)
		apply_say(a, "warning: %s has type %o, expected %o\n", p->old_name, o->mode, p->old_mode);
	if (!p->new_mode && p->is_delete <= 0)
		p->new_mode = o->mode;
	return 0;
}

/* ---- the new side ---- */

/* Another patch of the input removes what is there. */
static bool place_gets_free(struct apply *a, const char *name)
{
	void *v = strmap_get(&a->table, name);

	return v == &to_delete || v == &was_deleted;
}

/* Why a file cannot be created, with %s for its name; NULL: it can. *code: or an errno. */
static const char *why_not_create(struct apply *a, const char *name, int *code)
{
	bool may_exist = place_gets_free(a, name);
	struct stat st;

	*code = 0;
	if (a->has_index && (!may_exist || !a->cached)) {
		const struct index_entry *e = index_find(&a->ix, name, strlen(name));
		bool intended = e && e->flags & CE_INTENT_TO_ADD;

		if (e && !may_exist && !intended)
			return "already exists in index";
		if (intended && !a->cached)
			return "does not match index";
	}
	if (a->cached)
		return NULL;
	if (lstat(name, &st) < 0) {
		*code = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
		return *code ? strerror(*code) : NULL;
	}
	if (S_ISDIR(st.st_mode) || may_exist || worktree_leading_symlink(name, strlen(name)))
		return NULL;
	return "already exists in working directory";
}

static int check_new_side(struct apply *a, struct apply_patch *ap)
{
	struct file_patch *p = &ap->p;
	const char *why;
	int code;

	if (p->new_name && (p->is_new > 0 || p->is_rename || p->is_copy)) {
		why = why_not_create(a, p->new_name, &code);
		if (why && a->threeway)
			ap->direct_to_threeway = true;
		else if (why)
			return apply_error(a, "%s: %s", p->new_name, why);
		if (!p->new_mode)
			p->new_mode = p->is_new > 0 ? MODE_FILE : p->old_mode;
	}
	if (p->new_name && p->old_name) {
		bool same = !strcmp(p->old_name, p->new_name);

		if (!p->new_mode)
			p->new_mode = p->old_mode;
		if ((p->old_mode ^ p->new_mode) & S_IFMT)
			return apply_error(a, "new mode (%o) of %s does not match old mode (%o)%s%s", p->new_mode, p->new_name,
					   p->old_mode, same ? "" : " of ", same ? "" : p->old_name);
	}
	return 0;
}

/* ".git/config", "../x", "/x" */
static bool has_unsafe_path(struct apply *a, const struct file_patch *p)
{
	unsigned protect = a->repo ? a->repo->settings.protect : PROTECT_NTFS;
	const char *old = p->is_delete > 0 || (p->is_new <= 0 && !p->is_copy) ? p->old_name : NULL;
	const char *new = p->is_delete > 0 ? NULL : p->new_name, *bad = NULL;

	if (old && !path_is_safe(old, p->old_mode, protect))
		bad = old;
	else if (new && !path_is_safe(new, p->new_mode, protect))
		bad = new;
	if (bad)
		apply_error(a, "invalid path '%s'", bad);
	return bad;
}

/* ---- all of a patch ---- */

static int make_result(struct apply *a, struct apply_patch *ap, struct index_entry *e)
{
	struct strbuf *out = &ap->result;
	int rc = -1;

	if (apply_load_preimage(a, ap, e, out) < 0)
		return -1;
	if (a->threeway) {
		rc = apply_threeway(a, ap, e, out);
		if (rc < 0)
			apply_say(a, "Falling back to direct application...\n");
	}
	if (rc < 0)
		rc = ap->direct_to_threeway ? -1 : apply_hunks(a, ap, out);
	if (rc < 0)
		return rc;
	note_result(a, ap);
	if (ap->p.is_delete > 0 && out->len)
		return apply_error(a, "removal patch leaves file contents");
	return 0;
}

static int check_one_patch(struct apply *a, struct apply_patch *ap)
{
	struct old_side o = { 0 };
	const char *name;
	int rc;

	ap->rejected = true;
	rc = check_old_side(a, ap, &o);
	if (rc < 0)
		return rc;
	name = ap->p.old_name ? ap->p.old_name : ap->p.new_name;
	rc = check_new_side(a, ap);
	if (rc < 0)
		return rc;
	if (!a->unsafe_paths && has_unsafe_path(a, &ap->p))
		return APPLY_FATAL;
	if (ap->p.is_delete <= 0 && is_beyond_link(a, ap->p.new_name))
		return apply_error(a, "affected file '%s' is beyond a symbolic link", ap->p.new_name);
	if (make_result(a, ap, o.e) < 0)
		return apply_error(a, "%s: patch does not apply", name);
	ap->rejected = false;
	return 0;
}

int apply_check_patches(struct apply *a)
{
	int ret = 0;

	find_links(a);
	for (size_t i = 0; i < a->nr; i++) {
		int rc;

		if (a->verbosity > 0)
			apply_say_name(a, a->patches[i], "Checking patch ", "...");
		rc = check_one_patch(a, a->patches[i]);
		if (rc == APPLY_FATAL)
			return rc;
		ret = rc < 0 ? rc : ret;
	}
	return ret;
}
