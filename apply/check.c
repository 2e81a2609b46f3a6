/* SPDX-License-Identifier: GPL-2.0-only */
/* May a patch be applied, and what would its result be? */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "worktree/worktree.h"

static bool goes_away(const struct file_patch *p)
{
	return p->old_name && (!p->new_name || p->is_rename);
}

static void note_result(struct apply *a, struct apply_patch *ap)
{
	if (ap->p.new_name)
		strmap_put(&a->table, ap->p.new_name, ap);
	if (goes_away(&ap->p))
		strmap_put(&a->table, ap->p.old_name, &apply_was_deleted);
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
			strmap_put(&a->table, p->old_name, &apply_to_delete);
	}
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
	const bool with_file = apply_checks_file(a, name);
	int code = 0;

	if (with_file && lstat(name, &o->st) < 0) {
		code = errno;
		o->missing = true;
		if (code != ENOENT)
			return say_missing(a, name, code);
	}
	if (a->has_index) {
		o->e = index_find(&a->ix, name, strlen(name));
		if (!o->e)
			return ap->p.is_new < 0 ? 1 : apply_error(a, "%s: does not exist in index", name);
		if (o->missing && apply_check_out_entry(a, o->e, &o->st) < 0)
			return -1;
		if (with_file && apply_differs_from_entry(a, o->e, &o->st))
			return apply_error(a, "%s: does not match index", name);
	} else if (o->missing) {
		return ap->p.is_new < 0 ? 1 : say_missing(a, name, code);
	}
	o->mode = with_file ? mode_of_file(a, ap, o) : o->e->mode;
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
	earlier = apply_earlier_patch(a, ap, &gone);
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

/* Another patch of the input removes the file of that name. */
static bool place_gets_free(struct apply *a, const char *name)
{
	void *v = strmap_get(&a->table, name);

	return v == &apply_to_delete || v == &apply_was_deleted;
}

/* Why a file cannot be created; NULL: it can. *code: the errno that says why, or 0. */
static const char *why_not_create(struct apply *a, const char *name, int *code)
{
	bool may_exist = place_gets_free(a, name);
	const bool with_file = apply_checks_file(a, name);
	struct stat st;

	*code = 0;
	if (a->has_index && (!may_exist || with_file)) {
		const struct index_entry *e = index_find(&a->ix, name, strlen(name));
		bool intended = e && e->flags & CE_INTENT_TO_ADD;

		if (e && !may_exist && !intended)
			return "already exists in index";
		if (intended && with_file)
			return "does not match index";
	}
	if (!with_file)
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
		if (why && (code || !a->threeway))
			apply_error(a, "%s: %s", p->new_name, why);
		if (why && !a->threeway)
			return -1;
		ap->direct_to_threeway |= why != NULL;
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
		if (rc < 0 && !ap->direct_to_threeway)
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
