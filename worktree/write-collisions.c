/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries that the file system takes for the same file, or for a file and its directory. */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "worktree/write-files-internal.h"

/*
 * The inode numbers of some file systems (exfat by FUSE, SMB) change whenever a file is looked up. A file in the way is
 * then taken for the one that was written under the same name but for the case of letters.
 */
static struct write_job *job_of_name(struct writer *w, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < w->nr; i++) {
		struct write_job *j = &w->jobs[i];

		if (j->state == WRITTEN && j->e->name_len == len && !strncasecmp(j->e->name, path, len))
			return j;
	}
	return NULL;
}

static struct write_job *job_of_file(struct writer *w, const char *path, const struct stat *st)
{
	struct stat_data sd;

	stat_data_fill(&sd, st);
	for (size_t i = 0; i < w->nr; i++) {
		struct write_job *j = &w->jobs[i];

		if (j->state == WRITTEN && j->e->stat.ino == sd.ino && j->e->stat.dev == sd.dev)
			return j;
	}
	return job_of_name(w, path);
}

static void tell_collided(struct writer *w, const struct write_job *j)
{
	if (w->o && w->o->collided)
		string_list_append(w->o->collided, j->e->name);
}

static void give_up(struct writer *w, struct write_job *j)
{
	j->state = GIVEN_UP;
	memset(&j->e->stat, 0, sizeof(j->e->stat));
	j->e->flags &= ~CE_UPTODATE;
	w->ix->changed = true;
	tell_collided(w, j);
}

/* `path` is that of the job, or a directory of it, and there is something. */
static int resolve_collision(struct writer *w, struct write_job *j, const char *path, const struct stat *st,
		  struct err *err)
{
	bool whole = strlen(path) == j->e->name_len;
	struct write_job *other;

	if (S_ISDIR(st->st_mode)) {
		if (!whole || MODE_IS_GITLINK(j->e->mode))
			return 0;
		give_up(w, j);
		return 1;
	}
	other = job_of_file(w, path, st);
	if (!other)
		return 0;
	if (other > j) {
		if (whole)
			tell_collided(w, other);
		give_up(w, j);
		return 1;
	}
	give_up(w, other);
	if (whole)
		tell_collided(w, j);
	return remove_file(path, err);
}

int write_job_make_way(struct writer *w, struct write_job *j, struct err *err)
{
	const char *name = j->e->name;
	int ret = 0;

	for (size_t i = 1; i <= j->e->name_len && !ret; i++) {
		char *path;
		struct stat st;
		bool found;

		if (name[i] && name[i] != '/')
			continue;
		path = xmemdupz(name, i);
		found = !lstat(path, &st);
		if (found)
			ret = resolve_collision(w, j, path, &st, err);
		free(path);
		if (!found)
			break;
	}
	return ret;
}
