/* SPDX-License-Identifier: GPL-2.0-only */
/* Edits of a config file under its lock. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "config/config-internal.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "write-or-die.h"

static int read_current(struct strbuf *text, struct stat *st, bool *exists, const char *path,
			struct err *err)
{
	struct err io = ERR_INIT;
	int rc = 0;

	*exists = !stat(path, st);
	if (*exists)
		rc = read_file(text, path, CONFIG_FILE_MAX, &io);
	else if (errno != ENOENT)
		rc = err_set_errno(&io, "unable to access '%s'", path);
	if (rc < 0)
		err_move(err, &io);
	err_release(&io);
	return rc;
}

/*
 * Lock, read, change, write, stage. The file is read under the lock, so that no concurrent
 * change is lost. The new file gets the mode of the old one.
 */
int config_file_change(const char *path, config_change_fn change, const void *data,
		       enum publish_class order, struct fsync_batch *b, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	bool exists;
	int rc = lockfile_hold(&lk, path, 0, 0, err);

	if (rc < 0) {
		err_prefix(err, "could not lock config file %s", path);
		return ERR_LOCKED; /* for whatever reason: Git's exit code is the same */
	}
	rc = read_current(&text, &st, &exists, path, err);
	if (!rc)
		rc = change(&text, path, data, err);
	if (!rc && exists && RETRY_EINTR(sys->fchmod(lk.tf->fd, st.st_mode & 07777)) < 0)
		rc = err_set_errno(err, "chmod on '%s' failed", lk.tf->path);
	if (!rc)
		rc = write_in_full(lk.tf->fd, text.buf, text.len, lk.tf->path, err);
	if (!rc) {
		/* D1: the file gets its name after its content has been written back. No
		 * command works in a repository with an incomplete config file. */
		rc = lockfile_stage(&lk, b, FSYNC_OTHER, order, err);
	}
	lockfile_release(&lk);
	strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

struct edit_list {
	const struct config_edit *e;
	size_t nr;
};

static int apply_edits(struct strbuf *text, const char *path, const void *data, struct err *err)
{
	const struct edit_list *list = data;
	int rc = 0;

	for (size_t i = 0; !rc && i < list->nr; i++)
		rc = config_text_edit(text, &list->e[i], path, err);
	return rc;
}

int config_file_edit_all(const char *path, const struct config_edit *e, size_t nr,
			 struct fsync_batch *b, struct err *err)
{
	struct edit_list list = { e, nr };
	struct strbuf key = STRBUF_INIT;
	int rc = 0;

	/* report malformed keys before taking the lock */
	for (size_t i = 0; !rc && i < nr; i++)
		rc = config_key_parse(&key, e[i].key, err);
	strbuf_release(&key);
	return rc ? rc : config_file_change(path, apply_edits, &list, PUBLISH_FILE, b, err);
}

int config_file_edit(const char *path, const struct config_edit *e, struct fsync_batch *b,
		     struct err *err)
{
	return config_file_edit_all(path, e, 1, b, err);
}

struct rename {
	const char *old_name, *new_name;
};

static int apply_rename(struct strbuf *text, const char *path, const void *data, struct err *err)
{
	const struct rename *r = data;

	return config_text_rename_section(text, r->old_name, r->new_name, path, err);
}

int config_file_rename_section(const char *path, const char *old_name, const char *new_name,
			       struct fsync_batch *b, struct err *err)
{
	struct rename r = { old_name, new_name };

	return config_file_change(path, apply_rename, &r, PUBLISH_FILE, b, err);
}

struct section_edits {
	const struct config_section_edit *e;
	size_t nr;
};

static int apply_section_edits(struct strbuf *text, const char *path, const void *data,
			       struct err *err)
{
	const struct section_edits *s = data;
	size_t found;
	int rc = config_text_edit_sections(text, s->e, s->nr, &found, path, err);

	return rc < 0 ? rc : !found;
}

/* 1: none of these sections exists, so no lock is needed. */
static int sections_are_missing(const char *path, const struct section_edits *s, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	bool exists;
	int rc = read_current(&text, &st, &exists, path, err);

	if (!rc)
		rc = apply_section_edits(&text, path, s, err);
	strbuf_release(&text);
	return rc;
}

int config_file_edit_sections(const char *path, const struct config_section_edit *e, size_t nr,
			      enum publish_class order, struct fsync_batch *b, struct err *err)
{
	struct section_edits s = { e, nr };
	int rc = sections_are_missing(path, &s, err);

	if (rc)
		return rc < 0 ? rc : 0;
	return config_file_change(path, apply_section_edits, &s, order, b, err);
}
