/* SPDX-License-Identifier: GPL-2.0-only */
/* Roots in files of a worktree's directory: root refs, FETCH_HEAD, and operations in progress. */
#include "compat/posix.h"
#include <dirent.h>
#include "history/reach/roots-internal.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"

struct state_visit {
	struct roots_walk *w;
	const char *worktree, *gitdir;
	const char *name; /* of the file that is being read */
};

static bool is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

static int visit_name(void *data, const struct object_id *oid)
{
	struct state_visit *v = data;
	const struct root root = { .kind = ROOT_STATE, .oid = *oid, .name = v->name, .worktree = v->worktree };

	return v->w->fn(v->w->data, &root);
}

static int visit_lines(struct state_visit *v, FILE *f)
{
	char *line = NULL;
	size_t alloc = 0;
	int rc = 0;

	while (!rc && getline(&line, &alloc, f) >= 0)
		rc = repo_state_foreach_oid(v->w->repo->algo, line, visit_name, v);
	if (!rc && ferror(f))
		rc = err_set_errno(v->w->err, "unable to read '%s/%s'", v->gitdir, v->name);
	free(line);
	return rc;
}

/* A file that is missing is fine, one that cannot be read is not. */
static int visit_file(struct state_visit *v, const char *name)
{
	char *path = path_join(v->gitdir, name);
	struct stat st;
	FILE *f = NULL;
	int rc = 0;

	if (stat(path, &st) < 0)
		rc = is_missing(errno) ? 0 : err_set_errno(v->w->err, "unable to stat '%s'", path);
	else if (S_ISREG(st.st_mode) && !(f = fopen(path, "re")))
		rc = is_missing(errno) ? 0 : err_set_errno(v->w->err, "unable to open '%s'", path);
	if (f) {
		v->name = name;
		rc = visit_lines(v, f);
		fclose(f);
	}
	free(path);
	return rc;
}

/* Any root ref or pseudoref, known to us or not; not a file that only holds a message. */
static bool may_name_objects(const char *name)
{
	return *name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0' &&
	       strcmp(name, "HEAD") != 0 && !ends_with(name, "MSG");
}

static int visit_root_files(struct state_visit *v)
{
	DIR *dir = opendir(v->gitdir);
	struct dirent *de;
	int rc = 0;

	if (!dir)
		return err_set_errno(v->w->err, "unable to open directory '%s'", v->gitdir);
	while (!rc && (errno = 0, de = readdir(dir)))
		if (may_name_objects(de->d_name))
			rc = visit_file(v, de->d_name);
	if (!rc && errno)
		rc = err_set_errno(v->w->err, "cannot read directory '%s'", v->gitdir);
	closedir(dir);
	return rc;
}

static int visit_root_ref(struct state_visit *v, const char *name)
{
	const char *bare = name + strlen(v->worktree);
	struct err why = ERR_INIT;
	struct object_id oid;
	int rc;

	if (!strcmp(bare, "HEAD"))
		return 0;
	rc = ref_resolve(v->w->repo->refs, name, &oid, NULL, NULL, &why);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(v->w->err, &why);
	err_release(&why);
	v->name = bare;
	return rc == ERR_NOT_FOUND ? 0 : rc ? rc : visit_name(v, &oid);
}

/* Root refs that are files are among the files of the directory. */
static int visit_root_refs(struct state_visit *v)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = 0;

	if (!refs_root_refs_are_files(v->w->repo->refs))
		rc = refs_root_names(v->w->repo->refs, v->worktree, &names, v->w->err);
	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = visit_root_ref(v, names.items[i].string);
	string_list_clear(&names, NULL);
	return rc;
}

/* Files of operations; those in the directory itself are among the others already. */
static int visit_operations(struct state_visit *v)
{
	int rc = 0;

	for (size_t f = 0; !rc && f < REPO_STATE_NR; f++) {
		const char *name = repo_state_name((enum repo_state_file)f);

		if (strchr(name, '/') && repo_state_flags((enum repo_state_file)f) & STATE_NAMES_OBJECTS)
			rc = visit_file(v, name);
	}
	return rc;
}

int roots_visit_state(struct roots_walk *w, const char *worktree, const char *gitdir)
{
	struct state_visit v = { w, worktree, gitdir, NULL };
	int rc = visit_root_files(&v);

	if (!rc)
		rc = visit_root_refs(&v);
	return rc ? rc : visit_operations(&v);
}
