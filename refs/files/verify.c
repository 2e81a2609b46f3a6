/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checks of git refs verify and git fsck: every file that could be a loose ref, and the
 * lines of packed-refs. Readers skip many faults; here they are reported.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "object/fsck.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "util/path.h"
#include <dirent.h>

struct verify {
	struct ref_verify base;
	struct ref_store *rs;
	const char *prefix; /* of names: "", "worktrees/ID/" */
	enum { VERIFY_ALL, VERIFY_SHARED, VERIFY_PRIVATE } which;
	char *real_dir;	    /* of the common directory */
};

/* As much of a line as a message may have. */
static int shown(size_t len)
{
	return len < 1000 ? (int)len : 1000;
}

/* ---- symbolic refs ---- */

static void check_target(struct verify *v, const char *where, const char *target)
{
	ref_verify_target(&v->base, where, where + strlen(v->prefix), target);
}

static void check_symref(struct verify *v, const char *where, const char *text, size_t len)
{
	struct strbuf target = STRBUF_INIT;

	while (len && isspace((unsigned char)*text))
		text++, len--;
	strbuf_add(&target, text, len);
	strbuf_rtrim(&target);
	if (target.len == len || text[len - 1] != '\n')
		ref_verify_report(&v->base, where, "refMissingNewline", "misses LF at the end");
	if (target.len + 1 < len)
		ref_verify_report(&v->base, where, "trailingRefContent", "has trailing whitespaces or newlines");
	check_target(v, where, target.buf);
	strbuf_release(&target);
}

/* A symbolic link: the ref that it leads to, or else the path. */
static int check_link(struct verify *v, const char *where, const char *path, struct err *err)
{
	struct strbuf target = STRBUF_INIT, dir = STRBUF_INIT;
	int rc = read_link(&target, path, 0, err);

	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		rc = 0;
	} else if (!rc) {
		char *joined, *full;
		const char *inside = NULL;

		ref_verify_report(&v->base, where, "symlinkRef", "use deprecated symbolic link for symref");
		path_dirname(&dir, path);
		joined = is_absolute_path(target.buf) ? xstrdup(target.buf) :
							path_join(dir.buf, target.buf);
		full = path_real(joined, 1);
		if (full && v->real_dir)
			inside = path_inside(full, v->real_dir);
		check_target(v, where, inside ? inside : target.buf);
		free(full);
		free(joined);
	}
	strbuf_release(&dir);
	strbuf_release(&target);
	return rc;
}

/* ---- object names ---- */

static void check_oid(struct verify *v, const char *where, const struct strbuf *text)
{
	struct object_id oid;
	const char *end;

	if (strlen(text->buf) != text->len || text->len < v->rs->algo->hex_len ||
	    oid_parse_hex(&oid, text->buf, v->rs->algo, &end) ||
	    (*end && !isspace((unsigned char)*end))) {
		ref_verify_report(&v->base, where, "badRefContent", "%.*s", shown(strcspn(text->buf, "\n")), text->buf);
		return;
	}
	if (!*end)
		ref_verify_report(&v->base, where, "refMissingNewline", "misses LF at the end");
	else if (strcmp(end, "\n"))
		ref_verify_report(&v->base, where, "trailingRefContent", "has trailing garbage: '%s'", end);
	if (oid_is_null(&oid))
		ref_verify_report(&v->base, where, "badRefOid", "points to invalid object ID '%s'", oid_hex(&oid));
}

/* Nothing has given the HEAD of that worktree a value: `git worktree add` was interrupted, and has left it locked. */
static bool is_unfinished_head(const struct verify *v, const char *path, const struct strbuf *text)
{
	char *lock;
	bool locked;

	if (!*v->prefix || strcmp(text->buf, REF_HEAD_STUB) != 0)
		return false;
	lock = xstrfmt("%.*slocked", (int)(strrchr(path, '/') + 1 - path), path);
	locked = !access(lock, F_OK);
	free(lock);
	return locked;
}

static int check_content(struct verify *v, const char *where, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc = read_file(&text, path, REF_FILE_MAX, &why);

	if (rc == ERR_TOO_BIG) {
		ref_verify_report(&v->base, where, "badRefContent", "longer than any ref");
		rc = 0;
	} else if (rc == ERR_NOT_FOUND) {
		rc = 0; /* deleted or packed meanwhile */
	} else if (rc < 0) {
		err_move(err, &why);
	} else if (is_unfinished_head(v, path, &text)) {
		rc = 0;
	} else if (starts_with(text.buf, "ref:") && strlen(text.buf) == text.len) {
		check_symref(v, where, text.buf + 4, text.len - 4);
	} else {
		check_oid(v, where, &text);
	}
	err_release(&why);
	strbuf_release(&text);
	return rc;
}

/* ---- one file, all files ---- */

static int check_file(struct verify *v, const char *where, const char *path, struct err *err)
{
	const char *bare = where + strlen(v->prefix);
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "unable to look at '%s'", path);
	ref_verify_checking(&v->base, where);
	if (!refname_is_root_ref(bare) && !refname_is_valid(bare, 0))
		ref_verify_report(&v->base, where, "badRefName", "invalid refname format");
	if (S_ISLNK(st.st_mode))
		return check_link(v, where, path, err);
	if (S_ISREG(st.st_mode))
		return check_content(v, where, path, err);
	ref_verify_report(&v->base, where, "badRefFiletype", "unexpected file type");
	return 0;
}

static int item_cmp(const void *a, const void *b)
{
	return strcmp(((const struct string_list_item *)a)->string,
		      ((const struct string_list_item *)b)->string);
}

/* Names in a directory, sorted; no locks. A directory that is gone is an empty one. */
static int sorted_names(const char *path, struct string_list *names, struct err *err)
{
	DIR *d = opendir(path);
	struct dirent *de;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
			err_set_errno(err, "cannot open directory '%s'", path);
	while ((errno = 0, de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, "..") &&
		    (de->d_name[0] == '.' || !ends_with(de->d_name, ".lock")))
			string_list_append(names, de->d_name);
	if (errno)
		err_set_errno(err, "cannot read directory '%s'", path);
	closedir(d);
	if (names->nr)
		qsort(names->items, names->nr, sizeof(*names->items), item_cmp);
	return 0;
}

/* Is the name in the part that this run verifies? A problem of another worktree is reported once. */
static bool belongs_to_worktree(const struct verify *v, const char *name)
{
	return v->which == VERIFY_ALL ||
	       refname_in_private_dir(name) == (v->which == VERIFY_PRIVATE);
}

/* Both end in '/'. */
static int check_dir(struct verify *v, struct strbuf *where, struct strbuf *path, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	size_t where_len = where->len, path_len = path->len;
	struct stat st;
	int rc = sorted_names(path->buf, &names, err);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		strbuf_addstr(where, names.items[i].string);
		strbuf_addstr(path, names.items[i].string);
		if (lstat(path->buf, &st) < 0 || !S_ISDIR(st.st_mode)) {
			if (belongs_to_worktree(v, where->buf + strlen(v->prefix)))
				rc = check_file(v, where->buf, path->buf, err);
		} else {
			strbuf_addch(where, '/');
			strbuf_addch(path, '/');
			rc = check_dir(v, where, path, err);
		}
		strbuf_setlen(where, where_len);
		strbuf_setlen(path, path_len);
	}
	string_list_clear(&names, NULL);
	return rc;
}

/* refs/, then HEAD and its like, of the worktree whose directory is gitdir. */
static int check_worktree(struct verify *v, const char *gitdir, struct err *err)
{
	struct strbuf where = STRBUF_INIT, path = STRBUF_INIT;
	struct string_list names = STRING_LIST_INIT;
	int rc;

	strbuf_addf(&where, "%srefs/", v->prefix);
	strbuf_addf(&path, "%s/refs/", gitdir);
	rc = check_dir(v, &where, &path, err);
	if (!rc)
		rc = sorted_names(gitdir, &names, err);
	for (size_t i = 0; !rc && i < names.nr; i++) {
		const char *name = names.items[i].string;

		if (!refname_is_root_ref(name))
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", gitdir, name);
		strbuf_reset(&where);
		strbuf_addf(&where, "%s%s", v->prefix, name);
		rc = check_file(v, where.buf, path.buf, err);
	}
	string_list_clear(&names, NULL);
	strbuf_release(&where);
	strbuf_release(&path);
	return rc;
}

static int check_other(void *data, const char *gitdir, const char *prefix, struct err *err)
{
	struct verify *v = data;

	v->prefix = prefix;
	v->which = VERIFY_PRIVATE;
	return check_worktree(v, gitdir, err);
}

/* ---- packed-refs ---- */

static void check_header(struct verify *v, const char *line, size_t len, bool *sorted)
{
	static const char head[] = "# pack-refs with: ";

	if (len < sizeof(head) - 1 || memcmp(line, head, sizeof(head) - 1)) {
		ref_verify_report(&v->base, "packed-refs.header", "badPackedRefHeader",
		       "'%.*s' does not start with '%s'", shown(len), line, head);
		return;
	}
	for (size_t i = sizeof(head) - 2; i + 7 <= len; i++)
		if (!memcmp(line + i, " sorted", 7) && (i + 7 == len || line[i + 7] == ' '))
			*sorted = true;
}

static void check_peeled(struct verify *v, const char *where, const char *line, size_t len)
{
	struct object_id oid;
	const char *end;

	if (len < 1 + v->rs->algo->hex_len || oid_parse_hex(&oid, line + 1, v->rs->algo, &end))
		ref_verify_report(&v->base, where, "badPackedRefEntry", "'%.*s' has invalid peeled oid",
		       shown(len - 1), line + 1);
	else if (end != line + len)
		ref_verify_report(&v->base, where, "badPackedRefEntry", "has trailing garbage after peeled oid '%.*s'",
		       shown(line + len - end), end);
}

/* *name: where the name begins; NULL if there is none. */
static void check_entry(struct verify *v, const char *where, const char *line, size_t len,
			const char **name)
{
	struct object_id oid;
	const char *end;
	char *copy;

	*name = NULL;
	if (len < v->rs->algo->hex_len || oid_parse_hex(&oid, line, v->rs->algo, &end)) {
		ref_verify_report(&v->base, where, "badPackedRefEntry", "'%.*s' has invalid oid", shown(len), line);
		return;
	}
	if (end == line + len || !isspace((unsigned char)*end)) {
		ref_verify_report(&v->base, where, "badPackedRefEntry", "has no space after oid '%s' but with '%.*s'",
		       oid_hex(&oid), shown(line + len - end), end);
		return;
	}
	*name = ++end;
	copy = xmemdupz(end, line + len - end);
	if (strlen(copy) != (size_t)(line + len - end) || !refname_is_valid(copy, 0))
		ref_verify_report(&v->base, where, "badRefName", "has bad refname '%s'", copy);
	if (oid_is_null(&oid))
		ref_verify_report(&v->base, where, "badRefOid", "'%s' points to invalid object ID '%s'", copy,
		       oid_hex(&oid));
	free(copy);
}

struct packed_check {
	bool sorted;
	const char *last; /* name of the entry before */
	size_t last_len;
};

static void check_order(struct verify *v, struct packed_check *p, const char *where,
			const char *name, size_t len)
{
	size_t common = len < p->last_len ? len : p->last_len;
	int c = p->last ? memcmp(name, p->last, common) : 1;

	if (p->sorted && (c < 0 || (!c && len <= p->last_len))) {
		ref_verify_report(&v->base, where, "packedRefUnsorted", "refname '%.*s' is less than previous "
		       "refname '%.*s'", shown(len), name, shown(p->last_len), p->last);
		p->sorted = false; /* once is enough */
	}
	p->last = name;
	p->last_len = len;
}

static void check_packed_lines(struct verify *v, const char *text, size_t size)
{
	struct packed_check p = { false, NULL, 0 };
	const char *line = text, *end = text + size, *eol, *name;
	struct strbuf where = STRBUF_INIT;

	for (size_t nr = 1; line < end; nr++, line = eol + 1) {
		eol = memchr(line, '\n', end - line);
		strbuf_reset(&where);
		strbuf_addf(&where, "packed-refs line %zu", nr);
		if (!eol) {
			ref_verify_report(&v->base, where.buf, "packedRefEntryNotTerminated",
			       "'%.*s' is not terminated with a newline", shown(end - line), line);
			break;
		}
		if (nr == 1 && *line == '#') {
			check_header(v, line, eol - line, &p.sorted);
		} else if (*line == '^' && p.last) {
			check_peeled(v, where.buf, line, eol - line);
		} else {
			check_entry(v, where.buf, line, eol - line, &name);
			if (name)
				check_order(v, &p, where.buf, name, eol - name);
		}
	}
	strbuf_release(&where);
}

static int check_packed(struct verify *v, struct err *err)
{
	char *path = xstrfmt("%s/packed-refs", files_store(v->rs)->commondir);
	char *what = xstrfmt("packed-refs file %s", path);
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	int rc = 0;

	ref_verify_checking(&v->base, what);
	if (lstat(path, &st) < 0) {
		if (errno != ENOENT)
			rc = err_set_errno(err, "unable to look at '%s'", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		ref_verify_report(&v->base, "packed-refs", "badRefFiletype", "%s", S_ISLNK(st.st_mode) ?
		       "not a regular file but a symlink" : "not a regular file");
		goto out;
	}
	rc = read_file(&text, path, 0, err);
	if (!rc && !text.len)
		ref_verify_report(&v->base, "packed-refs", "emptyPackedRefsFile", "file is empty");
	else if (!rc)
		check_packed_lines(v, text.buf, text.len);
out:
	strbuf_release(&text);
	free(what);
	free(path);
	return rc;
}

/* ---- transactions that could not be finished ---- */

static void check_journal(struct verify *v)
{
	char *path = path_join(files_store(v->rs)->commondir, "ref-journal");
	struct dirent *de;
	DIR *d = opendir(path);

	while (d && (de = readdir(d))) {
		char *where = path_join("ref-journal", de->d_name);

		if (ends_with(de->d_name, JOURNAL_SET_ASIDE))
			ref_verify_report(&v->base, where, "refTransactionSetAside",
			       "an interrupted transaction was not finished: a ref has changed since");
		free(where);
	}
	if (d)
		closedir(d);
	free(path);
}

/* A linked worktree's directory has none of the shared refs. */
static int check_shared(struct verify *v, struct err *err)
{
	struct strbuf where = STRBUF_INIT, path = STRBUF_INIT;
	int rc;

	v->which = VERIFY_SHARED;
	strbuf_addstr(&where, "refs/");
	strbuf_addf(&path, "%s/refs/", files_store(v->rs)->commondir);
	rc = check_dir(v, &where, &path, err);
	strbuf_release(&where);
	strbuf_release(&path);
	return rc;
}

int files_verify(struct ref_store *rs, const struct ref_verify_options *o, size_t *errors,
		struct err *err)
{
	struct verify v = { .base = { .o = o }, .rs = rs, .prefix = "", .which = VERIFY_ALL };
	bool linked = strcmp(files_store(rs)->gitdir, files_store(rs)->commondir) != 0;
	int rc;

	v.real_dir = path_real(files_store(rs)->commondir, 0);
	if (linked)
		v.which = VERIFY_PRIVATE;
	rc = check_worktree(&v, files_store(rs)->gitdir, err);
	if (!rc && linked)
		rc = check_shared(&v, err);
	if (!rc)
		rc = check_packed(&v, err);
	if (!rc)
		check_journal(&v);
	if (!rc)
		rc = ref_other_worktrees(rs, check_other, &v, err);
	free(v.real_dir);
	if (!rc)
		*errors = v.base.errors;
	return rc;
}
