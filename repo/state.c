/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- the table ---- */

static const struct state_entry {
	const char *name;
	unsigned flags;
} state_table[REPO_STATE_NR] = {
#define REPO_STATE_ENTRY(id, name, operation, flags) [STATE_##id] = { name, flags },
	REPO_STATE_FILES(REPO_STATE_ENTRY)
#undef REPO_STATE_ENTRY
};

const char *repo_state_name(enum repo_state_file f)
{
	return state_table[f].name;
}

unsigned repo_state_flags(enum repo_state_file f)
{
	return state_table[f].flags;
}

bool repo_state_is_stored_ref(const struct repository *r, enum repo_state_file f)
{
	return r->refs && !refs_root_refs_are_files(r->refs) && refname_is_root_ref(state_table[f].name);
}

/* ---- readers ---- */

/* The value of a ref as its file would have it. ERR_NOT_FOUND. */
static int read_stored_ref(const struct repository *r, enum repo_state_file f, struct strbuf *out, struct err *err)
{
	struct object_id oid;
	int rc = ref_resolve(r->refs, state_table[f].name, &oid, NULL, NULL, err);

	if (!rc)
		strbuf_addf(out, "%s\n", oid_hex(&oid));
	return rc;
}

char *repo_state_path(const struct repository *r, enum repo_state_file f)
{
	return repo_path(r, "%s", state_table[f].name);
}

bool repo_state_exists_in(const char *gitdir, enum repo_state_file f)
{
	char *path = path_join(gitdir, state_table[f].name);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

bool repo_state_exists(const struct repository *r, enum repo_state_file f)
{
	struct object_id oid;
	char *target = NULL;
	bool yes;

	if (!repo_state_is_stored_ref(r, f))
		return repo_state_exists_in(r->gitdir, f);
	yes = !ref_read_raw(r->refs, state_table[f].name, &oid, &target, NULL);
	free(target);
	return yes;
}

/* As much as a message, a line for each commit, or a few lines can take. */
static size_t max_bytes(enum repo_state_file f)
{
	unsigned flags = state_table[f].flags;

	return flags & STATE_IS_MESSAGE ? (size_t)256 << 20 : flags & STATE_IS_LIST ? (size_t)64 << 20 : (size_t)1 << 20;
}

int repo_state_read_in(const char *gitdir, enum repo_state_file f, struct strbuf *out, struct err *err)
{
	char *path = path_join(gitdir, state_table[f].name);
	int rc = read_file(out, path, max_bytes(f), err);

	free(path);
	return rc;
}

int repo_state_read(const struct repository *r, enum repo_state_file f, struct strbuf *out, struct err *err)
{
	return repo_state_is_stored_ref(r, f) ? read_stored_ref(r, f, out, err) : repo_state_read_in(r->gitdir, f, out, err);
}

static char *first_line(struct strbuf *text)
{
	strbuf_setlen(text, strcspn(text->buf, "\n"));
	strbuf_rtrim(text);
	return strbuf_detach(text, NULL);
}

char *repo_state_line_in(const char *gitdir, enum repo_state_file f)
{
	struct strbuf text = STRBUF_INIT;
	char *line = NULL;

	if (!repo_state_read_in(gitdir, f, &text, NULL))
		line = first_line(&text);
	strbuf_release(&text);
	return line;
}

char *repo_state_line(const struct repository *r, enum repo_state_file f)
{
	struct strbuf text = STRBUF_INIT;
	char *line = NULL;

	if (!repo_state_read(r, f, &text, NULL))
		line = first_line(&text);
	strbuf_release(&text);
	return line;
}

bool repo_state_oid(const struct repository *r, enum repo_state_file f, struct object_id *oid)
{
	char *line = repo_state_line(r, f);
	bool ok = line && oid_from_hex(oid, line, r->algo) >= 0;

	free(line);
	return ok;
}

int repo_state_oids(const struct repository *r, enum repo_state_file f, struct oid_array *out, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *save = NULL;
	int rc = repo_state_read(r, f, &text, err);

	for (char *line = rc < 0 ? NULL : strtok_r(text.buf, "\n", &save); !rc && line; line = strtok_r(NULL, "\n", &save)) {
		struct object_id oid;

		if (oid_from_hex(&oid, line, r->algo) < 0)
			rc = err_set(err, ERR_CORRUPT, "Corrupt %s file (%s)", state_table[f].name, line);
		else
			oid_array_append(out, &oid);
	}
	strbuf_release(&text);
	return rc;
}

int repo_state_foreach_oid(const struct hash_algo *algo, const char *text,
			   int (*fn)(void *data, const struct object_id *oid), void *data)
{
	struct object_id oid;
	int rc = 0;

	for (const char *p = text; !rc && *p; p++) {
		size_t len = strspn(p, "0123456789abcdefABCDEF");

		if (len == algo->hex_len && (p == text || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[len]) && !oid_parse_hex(&oid, p, algo, NULL))
			rc = fn(data, &oid);
		if (len)
			p += len - 1;
	}
	return rc;
}

/* ---- writers ---- */

/*
 * The lock of a file in a directory that may not be there yet stands beside that directory: until the first name is
 * published, no operation is in progress.
 */
static char *lock_base(const struct repository *r, enum repo_state_file f)
{
	char *path = repo_state_path(r, f), *slash = strrchr(path, '/');

	if (strchr(state_table[f].name, '/'))
		*slash = '.';
	return path;
}

static int stage_text(struct fsync_batch *b, const char *base, const char *path, enum publish_class order, const char *text,
		      size_t len, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, base, LOCK_NO_DEREF, 0, err);

	if (!rc)
		rc = write_in_full(lk.tf->fd, text, len, lk.tf->path, err);
	if (!rc)
		rc = tempfile_stage(&lk.tf, b, FSYNC_OTHER, order, path, true, err);
	lockfile_release(&lk);
	return rc;
}

int repo_state_stage(const struct repository *r, struct fsync_batch *b, enum repo_state_file f, const char *text,
		     size_t len, struct err *err)
{
	char *path = repo_state_path(r, f), *base = lock_base(r, f);
	const bool late = state_table[f].flags & STATE_IS_PROGRESS && file_exists(path);
	int rc;

	if (state_table[f].flags & STATE_IS_DIR)
		BUG("'%s' is a directory", state_table[f].name);
	rc = stage_text(b, base, path, late ? PUBLISH_FILE_LATE : PUBLISH_STATE, text, len, err);
	free(base);
	free(path);
	return rc;
}

int repo_state_stage_in(const struct repository *r, struct fsync_batch *b, enum repo_state_file dir, const char *name,
			const char *text, size_t len, struct err *err)
{
	char *top = repo_state_path(r, dir), *path = path_join(top, name), *base = xstrfmt("%s.%s", top, name);
	int rc = stage_text(b, base, path, PUBLISH_STATE, text, len, err);

	free(base);
	free(path);
	free(top);
	return rc;
}

struct state_removal {
	struct fsync_batch *batch;
	char *path;
};

static int remove_state_dir(void *data, struct err *err)
{
	const struct state_removal *rm = data;
	struct strbuf parent = STRBUF_INIT;
	int rc = remove_tree(rm->path, false, err);

	path_dirname(&parent, rm->path);
	fsync_batch_note_dir(rm->batch, FSYNC_OTHER, parent.buf);
	strbuf_release(&parent);
	return rc;
}

static void free_removal(void *data, bool published UNUSED)
{
	struct state_removal *rm = data;

	free(rm->path);
	free(rm);
}

static int stage_dir_removal(struct fsync_batch *b, const char *path, struct err *err)
{
	struct state_removal *rm = xmalloc(sizeof(*rm));
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE, .how = PUBLISH_CALL, .fd = -1,
				   .final_path = path, .done = free_removal, .call = remove_state_dir, .data = rm };

	*rm = (struct state_removal){ b, xstrdup(path) };
	return fsync_batch_stage(b, &s, err);
}

int repo_state_stage_removal(const struct repository *r, struct fsync_batch *b, enum repo_state_file f, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE, .how = PUBLISH_UNLINK, .fd = -1 };
	const bool is_dir = state_table[f].flags & STATE_IS_DIR;
	char *path = repo_state_path(r, f);
	struct stat st;
	int rc = 0;

	s.final_path = path;
	if (state_table[f].flags & STATE_GOES_LAST)
		s.order = PUBLISH_STATE_END;
	if (!lstat(path, &st) && S_ISDIR(st.st_mode) == is_dir) /* anything else of that name is not ours */
		rc = is_dir ? stage_dir_removal(b, path, err) : fsync_batch_stage(b, &s, err);
	free(path);
	return rc;
}
