/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading reflogs: one file per ref below logs/, a line per change. Lines that are
 * no such lines (half of one at the end, after a crash) are passed over.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "object/ident.h"
#include "refs/files/files-internal.h"
#include "refs/files/reflog-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include <dirent.h>

bool files_reflog_exists(struct ref_store *rs, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool exists;

	reflog_path(rs, name, &path);
	exists = !lstat(path.buf, &st) && S_ISREG(st.st_mode);
	strbuf_release(&path);
	return exists;
}

/* The length of "Name <mail> date tz"; 0: it is none. A message may follow without a tab. */
static size_t ident_length(const char *line, size_t len)
{
	const char *end = line + len, *p = memchr(line, '>', len);
	const char *digits;

	if (!p || end - p < 2 || p[1] != ' ')
		return 0;
	for (digits = p += 2; p < end && isdigit((unsigned char)*p); p++)
		;
	if (p == digits || end - p < 6 || *p++ != ' ' || (*p != '+' && *p != '-'))
		return 0;
	for (digits = ++p; p < digits + 4; p++)
		if (!isdigit((unsigned char)*p))
			return 0;
	return p - line;
}

bool reflog_parse_line(const struct ref_store *rs, char *line, size_t len,
		       struct reflog_entry *e, struct strbuf *ident)
{
	const size_t hex = rs->algo->hex_len;
	struct ident_split split;
	const char *end;
	size_t ident_len;

	line[len] = '\0';
	if (len < 2 * hex + 2 || line[hex] != ' ' || line[2 * hex + 1] != ' ' ||
	    oid_parse_hex(&e->old_oid, line, rs->algo, &end) ||
	    oid_parse_hex(&e->new_oid, line + hex + 1, rs->algo, &end))
		return false;
	line += 2 * hex + 2;
	len -= 2 * hex + 2;
	ident_len = ident_length(line, len);
	if (!ident_len || ident_split_line(&split, line, ident_len) < 0 || !split.has_date ||
	    split.date > TIME_MAX)
		return false;
	e->msg = line + ident_len + (line[ident_len] == '\t');
	strbuf_reset(ident);
	strbuf_add(ident, line, split.mail + split.mail_len + 1 - line);
	e->ident = ident->buf;
	e->date = split.date;
	e->tz = split.tz;
	return true;
}

static int visit(const struct ref_store *rs, char *buf, size_t from, size_t to,
		 struct strbuf *ident, reflog_fn fn, void *data)
{
	struct reflog_entry e;

	if (!reflog_parse_line(rs, buf + from, to - from, &e, ident))
		return 0;
	return fn(data, &e);
}

/* buf is text that ends in LF. */
static int each_line(const struct ref_store *rs, char *buf, size_t len, bool newest_first,
		     reflog_fn fn, void *data)
{
	struct strbuf ident = STRBUF_INIT;
	size_t pos, end;
	int rc = 0;

	if (newest_first) {
		for (end = len; !rc && end; end = pos) {
			for (pos = end - 1; pos && buf[pos - 1] != '\n'; pos--)
				;
			rc = visit(rs, buf, pos, end - 1, &ident, fn, data);
		}
	} else {
		for (pos = 0; !rc && pos < len; pos = end + 1) {
			end = (char *)memchr(buf + pos, '\n', len - pos) - buf;
			rc = visit(rs, buf, pos, end, &ident, fn, data);
		}
	}
	strbuf_release(&ident);
	return rc;
}

int reflog_read(const struct ref_store *rs, const char *name, struct strbuf *out,
		struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	size_t before = out->len;
	int rc;

	reflog_path(rs, name, &path);
	rc = is_directory(path.buf) ?
		err_set(err, ERR_NOT_FOUND, "no reflog for '%s'", name) :
		read_file(out, path.buf, 0, err);
	while (!rc && out->len > before && out->buf[out->len - 1] != '\n')
		strbuf_setlen(out, out->len - 1); /* a line that was never finished */
	strbuf_release(&path);
	return rc;
}

int files_reflog_foreach(struct ref_store *rs, const char *name, bool newest_first,
			 reflog_fn fn, void *data, struct err *err)
{
	struct strbuf buf = STRBUF_INIT;
	int rc = reflog_read(rs, name, &buf, err);

	if (!rc)
		rc = each_line(rs, buf.buf, buf.len, newest_first, fn, data);
	strbuf_release(&buf);
	return rc;
}

/* ---- which refs have one ---- */

enum which_logs { LOGS_ALL, LOGS_SHARED, LOGS_PRIVATE };

struct log_walk {
	struct strbuf path;
	size_t root; /* length of ".../logs/" in path */
	enum which_logs which;
	const char *prefix; /* of the names */
	char **names;
	size_t nr, alloc;
};

static void add_log(struct log_walk *w, const char *name)
{
	if (w->which != LOGS_ALL && refname_is_per_worktree(name) != (w->which == LOGS_PRIVATE))
		return;
	ALLOC_GROW(w->names, w->nr + 1, w->alloc);
	w->names[w->nr++] = xstrfmt("%s%s", w->prefix, name);
}

static int walk_logs(struct log_walk *w, struct err *err)
{
	size_t base = w->path.len;
	struct dirent *de;
	struct stat st;
	DIR *dir = opendir(w->path.buf);
	int rc = 0;

	if (!dir)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
			err_set_errno(err, "cannot open directory '%s'", w->path.buf);
	while (!rc && (errno = 0, de = readdir(dir))) {
		if (de->d_name[0] == '.' || ends_with(de->d_name, ".lock"))
			continue;
		strbuf_addstr(&w->path, de->d_name);
		if (stat(w->path.buf, &st) < 0) {
			if (errno != ENOENT && errno != ELOOP) /* gone already, or a link to nothing */
				rc = err_set_errno(err, "cannot stat '%s'", w->path.buf);
		} else if (S_ISREG(st.st_mode)) {
			add_log(w, w->path.buf + w->root);
		} else if (ref_dir_is_walked(w->path.buf)) {
			strbuf_addch(&w->path, '/');
			rc = walk_logs(w, err);
		}
		strbuf_setlen(&w->path, base);
	}
	if (!rc && errno)
		rc = err_set_errno(err, "cannot read directory '%s'", w->path.buf);
	closedir(dir);
	return rc;
}

static int walk_root(struct log_walk *w, const char *dir, enum which_logs which,
		     const char *prefix, struct err *err)
{
	strbuf_reset(&w->path);
	strbuf_addf(&w->path, "%s/logs/", dir);
	w->root = w->path.len;
	w->which = which;
	w->prefix = prefix;
	return walk_logs(w, err);
}

static int walk_own(struct log_walk *w, const struct ref_store *rs, struct err *err)
{
	int rc;

	if (!strcmp(files_store(rs)->gitdir, files_store(rs)->commondir))
		return walk_root(w, files_store(rs)->commondir, LOGS_ALL, "", err);
	rc = walk_root(w, files_store(rs)->commondir, LOGS_SHARED, "", err);
	return rc ? rc : walk_root(w, files_store(rs)->gitdir, LOGS_PRIVATE, "", err);
}

static int walk_other(void *data, const char *gitdir, const char *prefix, struct err *err)
{
	return walk_root(data, gitdir, LOGS_PRIVATE, prefix, err);
}

static int log_name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int visit_logs(struct log_walk *w, int (*fn)(void *data, const char *name), void *data,
		      int rc)
{
	if (w->nr)
		qsort(w->names, w->nr, sizeof(*w->names), log_name_cmp);
	for (size_t i = 0; i < w->nr; i++) {
		if (!rc)
			rc = fn(data, w->names[i]);
		free(w->names[i]);
	}
	free(w->names);
	strbuf_release(&w->path);
	return rc;
}

int files_reflogs_foreach(struct ref_store *rs, bool everywhere,
			  int (*fn)(void *data, const char *name), void *data, struct err *err)
{
	struct log_walk w = { .path = STRBUF_INIT };
	int rc = walk_own(&w, rs, err);

	if (!rc && everywhere)
		rc = ref_other_worktrees(rs, walk_other, &w, err);
	return visit_logs(&w, fn, data, rc);
}
