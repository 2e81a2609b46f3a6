/* SPDX-License-Identifier: GPL-2.0-only */
/* --build-fake-ancestor: an index of the blobs that the patches were made for. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "apply/apply-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

/* The commit that a submodule had, from the one hunk that its patch is. */
static bool find_submodule_commit(struct apply *a, const struct file_patch *p, struct object_id *oid)
{
	static const char head[] = "-Subproject commit ";
	const char *nl, *hex;

	if (p->nr != 1 || p->hunks[0].old_pos != 1 || p->hunks[0].old_nr != 1)
		return false;
	nl = memchr(p->hunks[0].text, '\n', p->hunks[0].len);
	return nl && skip_prefix(nl + 1, head, &hex) && !oid_parse_hex(oid, hex, a->algo, &hex) && *hex == '\n' &&
	       starts_with(oid_hex(oid), p->old_oid);
}

/* 0, or the failure has been said. */
static int find_ancestor(struct apply *a, const struct file_patch *p, struct object_id *oid)
{
	const char *name = p->old_name ? p->old_name : p->new_name;
	const struct index_entry *e;

	if (MODE_IS_GITLINK(p->old_mode))
		return find_submodule_commit(a, p, oid) ? 0 :
			apply_error(a, "sha1 information is lacking or useless for submodule %s", name);
	if (*p->old_oid && !a->resolve(a->data, p->old_oid, oid))
		return 0;
	if (p->added || p->deleted)
		return apply_error(a, "sha1 information is lacking or useless (%s).", name);
	/* only its mode changes: the blob is the present one */
	if (!a->ix.nr && index_read_repo(&a->ix, a->repo, NULL) < 0)
		return apply_error(a, "mode change for %s, which is not in current HEAD", name);
	e = index_find(&a->ix, name, strlen(name));
	if (!e)
		return apply_error(a, "mode change for %s, which is not in current HEAD", name);
	*oid = e->oid;
	return 0;
}

static int collect_ancestors(struct apply *a, struct index_state *ix)
{
	for (size_t i = 0; i < a->nr; i++) {
		const struct file_patch *p = &a->patches[i]->p;
		const char *name = p->old_name ? p->old_name : p->new_name;
		struct index_entry *e;
		struct object_id oid;

		if (p->is_new > 0)
			continue;
		if (find_ancestor(a, p, &oid) < 0)
			return -1;
		e = index_entry_new(ix, p->old_mode ? p->old_mode : MODE_FILE, &oid, name, strlen(name), 0);
		if (index_add(ix, e, INDEX_ADD_REPLACE, a->repo->settings.protect, NULL) < 0)
			return apply_error(a, "could not add %s to temporary index", name);
	}
	return 0;
}

/* A file that the user has named: as cheap as the command's other outputs, and not flushed. */
static int write_ancestors(struct apply *a, struct index_state *ix)
{
	const struct index_write_options o = { .version = 0 };
	char *lock = xstrfmt("%s.lock", a->fake_ancestor);
	struct tempfile *t = NULL;
	struct err err = ERR_INIT;
	int rc = tempfile_create(&t, lock, 0666, &err);

	if (!rc)
		rc = index_write_fd(ix, t->fd, lock, &o, &err);
	if (!rc)
		rc = tempfile_close(t, &err);
	if (!rc && sys->rename(lock, a->fake_ancestor) < 0)
		rc = -1;
	if (!rc)
		tempfile_forget(&t);
	else
		apply_error(a, "could not write temporary index to %s", a->fake_ancestor);
	tempfile_delete(&t);
	err_release(&err);
	free(lock);
	return rc;
}

int apply_build_ancestor(struct apply *a)
{
	struct index_state ix;
	int rc;

	if (!a->repo)
		return apply_error(a, "'%s' outside a repository", "--build-fake-ancestor");
	if (a->ancestor)
		return collect_ancestors(a, a->ancestor);
	index_init(&ix, a->algo);
	rc = collect_ancestors(a, &ix);
	if (!rc)
		rc = write_ancestors(a, &ix);
	index_release(&ix);
	return rc;
}
