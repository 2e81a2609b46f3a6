/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <dirent.h>
#include "fs/file.h"
#include "fs/tmp-objdir.h"
#include "compat/syscalls.h"
#include "maintain/prune-internal.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/path.h"

/* The last change of a directory and of all that is in it. */
static time_t last_change(const char *path, int depth)
{
	DIR *dir = depth ? opendir(path) : NULL;
	struct dirent *de;
	struct stat st;
	time_t last = 0;

	if (!lstat(path, &st))
		last = st.st_mtime;
	while (dir && (de = readdir(dir))) {
		char *below;
		time_t t;

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		below = path_join(path, de->d_name);
		t = last_change(below, depth - 1);
		last = t > last ? t : last;
		free(below);
	}
	if (dir)
		closedir(dir);
	return last;
}

void prune_temporary_file(const struct prune_options *o, const char *path, time_t before)
{
	struct stat st;

	if (lstat(path, &st) < 0 || S_ISDIR(st.st_mode) || st.st_mtime > before)
		return;
	prune_report(o, "Removing stale temporary file %s", path);
	if (!o->dry_run)
		(void)RETRY_EINTR(sys->unlink(path));
}

/*
 * If a name holds its owner (fs/tmp-objdir.h), only the owner's death counts: tmp_objdir_reap removes
 * it. The others are those of another Git: "tmp_objdir-PREFIX-RANDOM".
 */
static void prune_directory(const struct prune_options *o, const char *path, time_t before)
{
	if (tmp_objdir_has_owner(path_basename(path)) || last_change(path, 3) > before)
		return;
	prune_report(o, "Removing stale temporary directory %s", path);
	if (!o->dry_run && !remove_tree(path, true, NULL))
		(void)RETRY_EINTR(sys->rmdir(path));
}

static int prune_names(const struct prune_options *o, const char *path, time_t before,
		       struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return errno == ENOENT ? 0 : err_set_errno(err, "unable to open directory '%s'", path);
	while ((de = readdir(dir))) {
		struct stat st;
		char *name;

		if (!starts_with(de->d_name, "tmp_"))
			continue;
		name = path_join(path, de->d_name);
		if (!lstat(name, &st) && S_ISDIR(st.st_mode))
			prune_directory(o, name, before);
		else
			prune_temporary_file(o, name, before);
		free(name);
	}
	closedir(dir);
	return 0;
}

int prune_temporary(struct repository *r, const struct prune_options *o, time_t before,
		    struct err *err)
{
	const char *objdir = odb_objdir(r->odb);
	char *packdir = path_join(objdir, "pack");
	int rc;

	if (!o->dry_run) {
		tmp_objdir_reap(objdir);
		tmp_objdir_reap(packdir);
	}
	rc = prune_names(o, objdir, before, err);
	if (!rc)
		rc = prune_names(o, packdir, before, err);
	free(packdir);
	return rc;
}
