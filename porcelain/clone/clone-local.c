/* SPDX-License-Identifier: GPL-2.0-only */
/* Cloning from a repository of this machine, and borrowing objects. */
#include "compat/posix.h"
#include "cli/git-options.h"
#include "fs/file.h"
#include "history/alternate-refs.h"
#include "porcelain/clone/clone-internal.h"
#include "transport/local-objects.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

int clone_copy_objects(struct clone *c, struct err *err)
{
	static const enum local_objects_how how[] = {
		[CLONE_BY_LINKS] = LOCAL_OBJECTS_LINKS,
		[CLONE_LINKS_ONLY] = LOCAL_OBJECTS_LINKS_ONLY,
		[CLONE_BY_COPIES] = LOCAL_OBJECTS_COPIES,
	};
	char *from = path_join(c->o->source_common, "objects");
	int rc = local_objects_copy(c->r, c->op, from, how[c->o->objects], err);

	free(from);
	return rc;
}

int clone_alternates(const struct clone *c, struct strbuf *out, struct err *err)
{
	const struct clone_options *o = c->o;
	char *objdir;
	int rc = 0;

	for (size_t i = 0; o->references && i < o->references->nr; i++)
		strbuf_addf(out, "%s\n", o->references->v[i]);
	if (!c->local)
		return 0;
	objdir = path_join(o->source_common, "objects");
	if (o->objects == CLONE_SHARED && !(o->references && strvec_contains(o->references, objdir)))
		strbuf_addf(out, "%s\n", objdir);
	else if (o->objects != CLONE_SHARED)
		rc = local_objects_alternates(objdir, out, err);
	free(objdir);
	return rc;
}

/* ---- the refs of --reference ---- */

static int note_borrowed(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

int clone_find_borrowed(struct clone *c, struct err *err)
{
	const struct strvec *dirs = c->o->references;
	int rc = 0;

	/* > 0: their command has failed; that costs more objects, no more. */
	for (size_t i = 0; rc >= 0 && dirs && i < dirs->nr; i++)
		rc = alternate_refs_list(c->r, dirs->v[i], note_borrowed, &c->borrowed, err);
	oid_array_sort_unique(&c->borrowed);
	return rc < 0 ? rc : 0;
}

/* ---- --dissociate ---- */

int clone_dissociate(struct clone *c, struct err *err)
{
	char *path = path_join(c->r->objdir, "info/alternates");
	struct child_process cp = CHILD_PROCESS_INIT;
	int code, rc;

	if (!file_exists(path)) {
		free(path);
		return 0;
	}
	push_own_command(&cp.args, "repack");
	strvec_pushl(&cp.args, "-a", "-d", "-q", NULL);
	strvec_pushf(&cp.env, "GIT_DIR=%s", c->r->gitdir);
	code = run_command(&cp, err);
	rc = code <= 0 ? code : err_set(err, ERR_IO, "cannot repack to clean up");
	if (!rc)
		rc = repo_operation_remove_file(c->op, path, err);
	if (!rc)
		rc = repo_operation_commit(c->op, err);
	free(path);
	return rc;
}
