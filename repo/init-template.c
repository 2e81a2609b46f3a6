/* SPDX-License-Identifier: GPL-2.0-only */
/* Templates of new repositories. git-init(1), TEMPLATE DIRECTORY. */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "repo/init-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"

/* Files beyond this are no templates. */
#define TEMPLATE_MAX ((size_t)64 << 20)

static const struct {
	const char *name;
	const char *text; /* NULL: a directory */
} built_in[] = {
	{ "description",
	  "Unnamed repository; edit this file 'description' to name the repository.\n" },
	{ "hooks", NULL },
	{ "info", NULL },
	{ "info/exclude",
	  "# Patterns of files that git shall not see here, one a line, as in .gitignore,\n"
	  "# but for this repository alone. For example:\n"
	  "# *.o\n"
	  "# *~\n" },
};

static int copy_built_in(struct init_job *j, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(built_in); i++) {
		char *path = path_join(j->gitdir, built_in[i].name);
		const char *text = built_in[i].text;

		if (!text)
			rc = init_mkdir(j, path, err);
		else if (!file_exists(path))
			rc = init_write(j, path, text, strlen(text), 0, PUBLISH_FILE, err);
		free(path);
	}
	return rc;
}

/* ---- a directory ---- */

static int copy_dir(struct init_job *j, const char *from, const char *to, bool top,
		    struct err *err);

static int copy_symlink(struct init_job *j, const char *from, const char *to, struct err *err)
{
	struct strbuf target = STRBUF_INIT, parent = STRBUF_INIT;
	int rc = read_link(&target, from, 0, err);

	if (!rc && RETRY_EINTR(sys->symlink(target.buf, to)) < 0)
		rc = err_set_errno(err, "cannot symlink '%s' '%s'", target.buf, to);
	if (!rc) {
		path_dirname(&parent, to);
		fsync_batch_note_dir(j->batch, FSYNC_OTHER, parent.buf);
	}
	strbuf_release(&parent);
	strbuf_release(&target);
	return rc;
}

static int copy_file(struct init_job *j, const char *from, const char *to,
		     const struct stat *st, bool is_head, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc = read_file(&content, from, TEMPLATE_MAX, err);

	if (!rc)
		rc = init_write(j, to, content.buf, content.len,
				st->st_mode & 0100 ? INIT_EXECUTABLE : 0,
				is_head ? PUBLISH_REF : PUBLISH_FILE, err);
	strbuf_release(&content);
	return rc;
}

static int copy_one(struct init_job *j, const char *name, const char *from, const char *to,
		    bool top, struct err *err)
{
	bool is_head = top && !strcmp(name, "HEAD");
	struct stat st;

	if (lstat(from, &st) < 0)
		return err_set_errno(err, "cannot stat template '%s'", from);
	if (S_ISDIR(st.st_mode)) {
		int rc = init_mkdir(j, to, err);

		return rc ? rc : copy_dir(j, from, to, false, err);
	}
	if (file_exists(to))
		return 0; /* what exists stays */
	if (top && !strcmp(name, "config")) /* write_config starts with it */
		return read_file(&j->template_config, from, TEMPLATE_MAX, err);
	if (S_ISLNK(st.st_mode))
		return copy_symlink(j, from, to, err);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "ignoring template %s", from);
	if (is_head && !j->reinit)
		j->template_has_head = true;
	return copy_file(j, from, to, &st, is_head, err);
}

static int copy_dir(struct init_job *j, const char *from, const char *to, bool top,
		    struct err *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return err_set_errno(err, "cannot opendir '%s'", from);
	while (!rc && (e = readdir(d))) {
		char *a, *b;

		if (e->d_name[0] == '.')
			continue;
		a = path_join(from, e->d_name);
		b = path_join(to, e->d_name);
		rc = copy_one(j, e->d_name, a, b, top, err);
		free(a);
		free(b);
	}
	closedir(d);
	return rc;
}

/* ---- which one ---- */

static void tell(const struct repo_init_options *o, char *msg)
{
	if (o->warn)
		o->warn(o->warn_data, msg);
	free(msg);
}

static int configured_dir(char **out, const struct init_job *j,
			  const struct repo_init_options *o, struct err *err)
{
	const char *env = getenv("GIT_TEMPLATE_DIR");
	int found;

	*out = NULL;
	if (o->template_dir || env) {
		*out = xstrdup(o->template_dir ? o->template_dir : env);
		return 0;
	}
	found = config_get_path(j->config, "init.templatedir", out, err);
	return found < 0 ? found : 0;
}

/* A template of a format that we do not know is left alone. */
static bool is_usable(const char *dir, const struct repo_init_options *o)
{
	struct repo_format f = REPO_FORMAT_INIT;
	struct err err = ERR_INIT;
	bool ok = true;

	if (!is_directory(dir)) {
		tell(o, xstrfmt("templates not found in %s", dir));
		return false;
	}
	if (repo_format_read(&f, dir, dir, &err) < 0) {
		tell(o, xstrfmt("not copying templates from '%s': %s", dir,
				err_message(&err)));
		ok = false;
	}
	err_release(&err);
	repo_format_release(&f);
	return ok;
}

int init_copy_templates(struct init_job *j, const struct repo_init_options *o, struct err *err)
{
	char *dir;
	int rc = configured_dir(&dir, j, o, err);

	if (rc < 0)
		return rc;
	if (!dir)
		rc = copy_built_in(j, err);
	else if (*dir && is_usable(dir, o))
		rc = copy_dir(j, dir, j->gitdir, true, err);
	free(dir);
	return rc;
}
