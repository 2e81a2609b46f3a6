/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of trees: names, modes, order. */
#include "compat/posix.h"
#include "object/dotfile.h"
#include "object/fsck-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define PROTECT_BOTH (PROTECT_HFS | PROTECT_NTFS)

/* Faults found in a tree; each kind is reported once, at the end. */
struct findings {
	bool null_oid, full_path, dot, dotdot, dotgit, zero_padded, bad_mode, duplicate,
		unsorted;
};

struct tree_check {
	struct fsck_item *it;
	struct findings seen;
	struct tree_entry prev;
	bool has_prev;
	/*
	 * A stack of files whose name a later directory may have, too: between "a" and "a/"
	 * only names can occur that begin with "a" and continue with a byte below '/'.
	 */
	struct tree_entry *files;
	size_t nr_files, alloc_files;
	int failures;
};

static bool same_name(const struct tree_entry *a, const struct tree_entry *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len);
}

/* May a directory with the name of `file` still follow after e? */
static bool may_be_followed_by_directory(const struct tree_entry *file, const struct tree_entry *e)
{
	return e->name_len > file->name_len &&
	       !memcmp(e->name, file->name, file->name_len) &&
	       (unsigned char)e->name[file->name_len] < '/';
}

static void check_duplicate(struct tree_check *c, const struct tree_entry *e)
{
	while (c->nr_files) {
		const struct tree_entry *top = &c->files[c->nr_files - 1];

		if (same_name(top, e))
			c->seen.duplicate = true;
		if (may_be_followed_by_directory(top, e))
			break;
		c->nr_files--;
	}
	if (MODE_IS_TREE(e->mode))
		return;
	ALLOC_GROW(c->files, c->nr_files + 1, c->alloc_files);
	c->files[c->nr_files++] = *e;
}

static void check_order(struct tree_check *c, const struct tree_entry *e)
{
	if (c->has_prev && same_name(&c->prev, e))
		c->seen.duplicate = true;
	else if (c->has_prev && tree_entry_cmp(c->prev.name, c->prev.name_len, c->prev.mode,
					       e->name, e->name_len, e->mode) > 0)
		c->seen.unsorted = true;
	check_duplicate(c, e);
	c->prev = *e;
	c->has_prev = true;
}

static void check_mode(struct tree_check *c, const struct tree_entry *e, bool zero_padded)
{
	c->seen.zero_padded |= zero_padded;
	switch (e->raw_mode) {
	case MODE_FILE:
	case MODE_EXEC:
	case MODE_SYMLINK:
	case MODE_TREE:
	case MODE_GITLINK:
		return;
	case 0100664: /* written by early versions of Git */
		c->seen.bad_mode |= c->it->o->strict;
		return;
	default:
		c->seen.bad_mode = true;
	}
}

/* Is the name, or with `pieces` a part between backslashes, a spelling of this file? */
static bool is_spelling_of(const struct tree_entry *e, enum dotfile which, bool pieces)
{
	const char *p = e->name, *end = p + e->name_len;

	for (;;) {
		if (dotfile_matches(which, p, (size_t)(end - p), PROTECT_BOTH))
			return true;
		p = pieces ? memchr(p, '\\', (size_t)(end - p)) : NULL;
		if (!p)
			return false;
		p++;
	}
}

/* In a malformed name, "dir/file", the directory. */
static bool has_dotgit(const struct tree_entry *e)
{
	size_t len = strcspn(e->name, "/");

	return len > strspn(e->name, ".") &&
	       !path_component_is_safe(e->name, len, MODE_FILE, PROTECT_BOTH);
}

static void check_special(struct tree_check *c, const struct tree_entry *e)
{
	struct fsck_options *o = c->it->o;
	bool link = MODE_IS_SYMLINK(e->mode);

	if (is_spelling_of(e, DOT_GITMODULES, true)) {
		if (!link)
			oidset_insert(&o->gitmodules.found, &e->oid);
		else if (fsck_found(c->it, MSG_GITMODULES_SYMLINK,
				    ".gitmodules is a symbolic link"))
			c->failures++;
	}
	if (is_spelling_of(e, DOT_GITATTRIBUTES, false)) {
		if (!link)
			oidset_insert(&o->gitattributes.found, &e->oid);
		else if (fsck_found(c->it, MSG_GITATTRIBUTES_SYMLINK,
				    ".gitattributes is a symlink"))
			c->failures++;
	}
	if (link && is_spelling_of(e, DOT_GITIGNORE, false) &&
	    fsck_found(c->it, MSG_GITIGNORE_SYMLINK, ".gitignore is a symlink"))
		c->failures++;
	if (link && is_spelling_of(e, DOT_MAILMAP, false) &&
	    fsck_found(c->it, MSG_MAILMAP_SYMLINK, ".mailmap is a symlink"))
		c->failures++;
}

static void check_name(struct tree_check *c, const struct tree_entry *e)
{
	c->seen.null_oid |= oid_is_null(&e->oid);
	c->seen.full_path |= strchr(e->name, '/') != NULL;
	c->seen.dot |= !strcmp(e->name, ".");
	c->seen.dotdot |= !strcmp(e->name, "..");
	c->seen.dotgit |= has_dotgit(e);
}

static void report_findings(struct tree_check *c)
{
	const struct findings *s = &c->seen;
	const struct {
		bool seen;
		enum fsck_msg msg;
		const char *text;
	} all[] = {
		{ s->null_oid, MSG_NULL_SHA1, "contains entries pointing to null sha1" },
		{ s->full_path, MSG_FULL_PATHNAME, "contains full pathnames" },
		{ s->dot, MSG_HAS_DOT, "contains '.'" },
		{ s->dotdot, MSG_HAS_DOTDOT, "contains '..'" },
		{ s->dotgit, MSG_HAS_DOTGIT, "contains '.git'" },
		{ s->zero_padded, MSG_ZERO_PADDED_FILEMODE,
		  "contains zero-padded file modes" },
		{ s->bad_mode, MSG_BAD_FILEMODE, "contains bad file modes" },
		{ s->duplicate, MSG_DUPLICATE_ENTRIES, "contains duplicate file entries" },
		{ s->unsorted, MSG_TREE_NOT_SORTED, "not properly sorted" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].seen && fsck_found(c->it, all[i].msg, "%s", all[i].text))
			c->failures++;
}

/* Only a tree that can be parsed to its end is checked further. */
static bool is_readable(const struct fsck_item *it, const void *buf, size_t size)
{
	struct tree_iter iter;
	struct tree_entry e;
	int rc;

	tree_iter_init(&iter, buf, size, it->algo);
	while ((rc = tree_iter_next(&iter, &e, NULL)) > 0)
		;
	return !rc;
}

int fsck_tree(struct fsck_item *it, const void *buf, size_t size)
{
	struct tree_check c = { .it = it };
	struct tree_iter iter;
	struct tree_entry e;

	if (!is_readable(it, buf, size))
		return fsck_found(it, MSG_BAD_TREE, "cannot be parsed as a tree") != 0;
	tree_iter_init(&iter, buf, size, it->algo);
	for (;;) {
		const unsigned char *start = iter.pos;

		if (tree_iter_next(&iter, &e, NULL) <= 0)
			break;
		check_name(&c, &e);
		check_mode(&c, &e, *start == '0');
		check_special(&c, &e);
		check_order(&c, &e);
	}
	report_findings(&c);
	free(c.files);
	return c.failures;
}
