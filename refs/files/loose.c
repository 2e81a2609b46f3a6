/* SPDX-License-Identifier: GPL-2.0-only */
/* Loose refs: one file each, gitrepository-layout(5). */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"
#include <dirent.h>

void loose_value_release(struct loose_value *v)
{
	FREE_AND_NULL(v->target);
	v->kind = LOOSE_MISSING;
}

/* ---- what a file says ---- */

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* "ref: NAME": the rest of the file without white space at its ends. */
static void parse_symref(struct loose_value *v, const char *s, size_t len)
{
	while (len && is_space((unsigned char)*s))
		s++, len--;
	while (len && is_space((unsigned char)s[len - 1]))
		len--;
	if (!len || memchr(s, '\0', len)) {
		v->kind = LOOSE_BROKEN;
		return;
	}
	v->kind = LOOSE_SYMREF;
	v->target = xmemdupz(s, len);
}

/* buf[len] is a NUL. */
static void parse_loose(const struct ref_store *rs, const char *buf, size_t len,
			struct loose_value *v)
{
	const char *end;

	if (len >= 4 && !memcmp(buf, "ref:", 4)) {
		parse_symref(v, buf + 4, len - 4);
		return;
	}
	v->kind = LOOSE_BROKEN;
	if (len < rs->algo->hex_len || oid_parse_hex(&v->oid, buf, rs->algo, &end))
		return;
	if (end == buf + len || is_space((unsigned char)*end))
		v->kind = LOOSE_OID;
}

/* A symbolic link is a symbolic ref if it leads to something below refs/. */
static int read_symlink_ref(const char *path, struct loose_value *v, bool *follow,
			    struct err *err)
{
	struct strbuf target = STRBUF_INIT;
	int rc = read_link(&target, path, 0, err);

	*follow = false;
	if (rc == ERR_NOT_FOUND) {
		v->kind = LOOSE_MISSING;
		rc = 0;
	} else if (!rc && starts_with(target.buf, "refs/") &&
		   refname_is_valid(target.buf, 0)) {
		v->kind = LOOSE_SYMREF;
		v->target = strbuf_detach(&target, NULL);
	} else if (!rc) {
		*follow = true;
	}
	strbuf_release(&target);
	return rc;
}

/*
 * 0 and an open descriptor, or an errno.
 * O_NONBLOCK: a FIFO at this path must not block us.
 */
static int open_loose(const char *path, bool nofollow, int *fd)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (nofollow ? O_NOFOLLOW : 0));
	return *fd < 0 ? errno : 0;
}

/* Written in one piece: what ends in a newline is all, without another read to see the end. */
static ssize_t read_short(int fd, char *buf, size_t size)
{
	ssize_t n = RETRY_EINTR(read(fd, buf, size)), more;

	if (n <= 0 || n == (ssize_t)size || buf[n - 1] == '\n')
		return n;
	more = read_in_full(fd, buf + n, size - n);
	return more < 0 ? more : n + more;
}

int loose_read_path(const struct ref_store *rs, const char *path, struct loose_value *v,
		    struct stat *st, struct err *err)
{
	char small[512], *buf = small;
	bool follow;
	ssize_t n;
	int fd, e, rc;

	v->kind = LOOSE_MISSING;
	v->target = NULL;
	v->oid = rs->algo->null_oid;
	e = open_loose(path, true, &fd);
	if (st && (!e ? fstat(fd, st) : os_is_nofollow_error(e) ? lstat(path, st) : -1))
		memset(st, 0, sizeof(*st));
	if (os_is_nofollow_error(e)) {
		rc = read_symlink_ref(path, v, &follow, err);
		if (rc < 0 || !follow)
			return rc;
		e = open_loose(path, false, &fd);
		if (e == ELOOP) {
			v->kind = LOOSE_BROKEN;
			return 0;
		}
	}
	if (e == ENOENT || e == ENOTDIR || e == ENAMETOOLONG)
		return 0;
	if (e) {
		errno = e;
		return err_set_errno(err, "unable to read ref file '%s'", path);
	}

	n = read_short(fd, small, sizeof(small) - 1);
	if (n == (ssize_t)sizeof(small) - 1) {
		/* Longer than any id: a symref with a long name, or no ref at all. */
		ssize_t more;

		buf = xmalloc(REF_FILE_MAX + 1);
		memcpy(buf, small, n);
		more = read_in_full(fd, buf + n, REF_FILE_MAX - n);
		n = more < 0 ? more : n + more;
	}
	e = errno;
	close(fd);
	rc = 0;
	if (n < 0 && e == EISDIR) {
		v->kind = LOOSE_DIR;
	} else if (n < 0) {
		errno = e;
		rc = err_set_errno(err, "unable to read ref file '%s'", path);
	} else if (n == REF_FILE_MAX) {
		v->kind = LOOSE_BROKEN;
	} else {
		buf[n] = '\0';
		parse_loose(rs, buf, n, v);
	}
	if (buf != small)
		free(buf);
	return rc;
}

int loose_read(const struct ref_store *rs, const char *name, struct loose_value *v,
	       struct stat *st, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	ref_path(rs, name, &path);
	rc = loose_read_path(rs, path.buf, v, st, err);
	strbuf_release(&path);
	return rc;
}

/* ---- all files below a directory ---- */

struct walk {
	const struct ref_store *rs;
	const char *prefix;
	struct loose_list *out;
	struct strbuf path; /* of the directory, or of the current entry */
	struct strbuf name; /* the same as a ref name */
	bool private_dirs;  /* in the worktree's own directory: only its own refs */
};

/* A directory entry; `name` ends in '/' for directories, which gives the
 * order that whole names have. */
static int entry_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool entry_is_dir(const struct dirent *de, const char *path)
{
	return de->d_type == DT_DIR || (de->d_type != DT_REG && ref_dir_is_walked(path));
}

static int list_dir(struct walk *w, char ***out, size_t *nr, struct err *err)
{
	size_t alloc = 0, base;
	struct dirent *de;
	DIR *dir = opendir(w->path.buf);

	*out = NULL;
	*nr = 0;
	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!dir)
		return err_set_errno(err, "cannot open directory '%s'", w->path.buf);
	base = w->path.len;
	while ((errno = 0, de = readdir(dir))) {
		/* Hidden names and locks are no refs. */
		if (de->d_name[0] == '.')
			continue;
		strbuf_addstr(&w->path, de->d_name);
		if (ends_with(de->d_name, ".lock")) {
			if (w->out->clear_locks)
				(void)lockfile_remove_stale(w->path.buf);
			strbuf_setlen(&w->path, base);
			continue;
		}
		ALLOC_GROW(*out, *nr + 1, alloc);
		(*out)[(*nr)++] = entry_is_dir(de, w->path.buf) ?
			xstrfmt("%s/", de->d_name) : xstrdup(de->d_name);
		strbuf_setlen(&w->path, base);
	}
	if (errno) {
		int rc = err_set_errno(err, "cannot read directory '%s'", w->path.buf);

		closedir(dir);
		while (*nr)
			free((*out)[--*nr]);
		FREE_AND_NULL(*out);
		return rc;
	}
	closedir(dir);
	if (*nr)
		qsort(*out, *nr, sizeof(**out), entry_cmp);
	return 0;
}

/* Can anything below directory name (with '/') start with prefix? */
static bool may_hold(const char *name, size_t len, const char *prefix)
{
	size_t plen = strlen(prefix);

	return !memcmp(name, prefix, len < plen ? len : plen);
}

/* The directory w->name is not to be read. */
static bool is_left_out(const struct walk *w)
{
	const struct strvec *except = w->out->except;

	for (size_t i = 0; except && i < except->nr; i++)
		if (starts_with(w->name.buf, except->v[i]))
			return true;
	return false;
}

static int add_file(struct walk *w, struct err *err)
{
	struct loose_entry e;
	int rc;

	if (!starts_with(w->name.buf, w->prefix))
		return 0;
	rc = loose_read_path(w->rs, w->path.buf, &e.value, NULL, err);
	if (rc < 0)
		return rc;
	/* Gone since the directory was read: packed or deleted. */
	if (e.value.kind == LOOSE_MISSING || e.value.kind == LOOSE_DIR) {
		loose_value_release(&e.value);
		return 0;
	}
	e.name = xmemdupz(w->name.buf, w->name.len);
	ALLOC_GROW(w->out->items, w->out->nr + 1, w->out->alloc);
	w->out->items[w->out->nr++] = e;
	return 0;
}

/* w->path and w->name end in '/'. */
static int walk_dir(struct walk *w, int depth, struct err *err)
{
	size_t path_len = w->path.len, name_len = w->name.len, nr, i;
	char **entries;
	int rc;

	if (depth > PATH_MAX / 2)
		return err_set(err, ERR_CORRUPT, "directories too deep at '%s'", w->path.buf);
	rc = list_dir(w, &entries, &nr, err);
	for (i = 0; !rc && i < nr; i++) {
		strbuf_addstr(&w->path, entries[i]);
		strbuf_addstr(&w->name, entries[i]);
		if (!ends_with(entries[i], "/"))
			rc = add_file(w, err);
		else if (may_hold(w->name.buf, w->name.len, w->prefix) && !is_left_out(w) &&
			 (w->private_dirs || !refname_in_private_dir(w->name.buf)))
			rc = walk_dir(w, depth + 1, err);
		strbuf_setlen(&w->path, path_len);
		strbuf_setlen(&w->name, name_len);
	}
	for (i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return rc;
}

/* One tree: `top` ("refs/" or "refs/bisect/") in directory `dir`. */
static int collect_tree(struct walk *w, const char *dir, const char *top, struct err *err)
{
	const char *slash;

	if (!may_hold(top, strlen(top), w->prefix))
		return 0;
	strbuf_reset(&w->name);
	strbuf_addstr(&w->name, top);
	/* Begin as deep as the prefix allows. */
	slash = strrchr(w->prefix, '/');
	if (slash && (size_t)(slash + 1 - w->prefix) > w->name.len) {
		strbuf_reset(&w->name);
		strbuf_add(&w->name, w->prefix, slash + 1 - w->prefix);
	}
	strbuf_reset(&w->path);
	strbuf_addf(&w->path, "%s/%s", dir, w->name.buf);
	return walk_dir(w, 0, err);
}

static int loose_entry_cmp(const void *a, const void *b)
{
	return strcmp(((const struct loose_entry *)a)->name,
		      ((const struct loose_entry *)b)->name);
}

int loose_collect(const struct ref_store *rs, const char *prefix,
		  struct loose_list *out, struct err *err)
{
	static const char *const private_dirs[] = {
		"refs/bisect/", "refs/rewritten/", "refs/worktree/",
	};
	struct walk w = { .rs = rs, .prefix = prefix, .out = out,
			  .path = STRBUF_INIT, .name = STRBUF_INIT };
	size_t i, shared;
	int rc = 0;

	if (strstr(prefix, "..")) /* no ref is called so; a path would climb */
		return 0;
	w.private_dirs = refname_in_private_dir(prefix);
	if (!w.private_dirs)
		rc = collect_tree(&w, files_store(rs)->commondir, "refs/", err);
	shared = out->nr;
	w.private_dirs = true;
	for (i = 0; !rc && i < ARRAY_SIZE(private_dirs); i++)
		rc = collect_tree(&w, files_store(rs)->gitdir, private_dirs[i], err);
	if (!rc && shared && out->nr > shared)
		qsort(out->items, out->nr, sizeof(*out->items), loose_entry_cmp);
	strbuf_release(&w.path);
	strbuf_release(&w.name);
	return rc;
}

void loose_list_clear(struct loose_list *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++) {
		free(l->items[i].name);
		loose_value_release(&l->items[i].value);
	}
	free(l->items);
	memset(l, 0, sizeof(*l));
}
