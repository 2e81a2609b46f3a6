/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-one-file(1): the usual program for git-merge-index(1). */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "compat/syscalls.h"
#include "history/names/revparse.h"
#include "merge/texts.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "operation/operation.h"
#include "util/path.h"
#include "worktree/worktree.h"

#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a file binary */

static const char usage_text[] =
	"usage: git merge-one-file <orig blob> <our blob> <their blob> <path> <orig mode> <our mode> <their mode>\n\n"
	"Blob ids and modes should be empty for missing files.\n";

struct one_version {
	const char *name, *mode_name; /* the arguments; "": it is missing */
	struct object_id oid;
	unsigned mode;
};

struct one_file {
	struct repository *r;
	struct repo_operation *op;
	struct index_state ix;
	struct converter *conv;
	const char *path;
	struct one_version base, ours, theirs;
};

static bool has(const struct one_version *v)
{
	return *v->name;
}

static bool same(const struct one_version *a, const struct one_version *b)
{
	return has(a) && has(b) && oid_eq(&a->oid, &b->oid);
}

/* ---- index and file ---- */

static int put_entry(struct one_file *f, struct index_entry *e, struct err *err)
{
	f->ix.changed = true;
	return index_add(&f->ix, e, INDEX_ADD_REPLACE, f->r->settings.protect, err);
}

static struct index_entry *entry_of(struct one_file *f, const struct one_version *v)
{
	return index_entry_new(&f->ix, v->mode, &v->oid, f->path, strlen(f->path), 0);
}

/* 1: a directory with files in it stays, and the reason has been printed. */
static int make_room_for_file(struct one_file *f, const struct index_entry *e, struct err *err)
{
	struct stat st;

	if (lstat(f->path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode) && MODE_IS_GITLINK(e->mode))
		return 0;
	if (S_ISDIR(st.st_mode) && sys->rmdir(f->path) < 0) {
		fprintf(stderr, "ERROR: untracked %s is overwritten by the merge.\n", f->path);
		return 1;
	}
	return worktree_clear_place(e, err);
}

/* The file gets the content of an entry, which the index does not need to have. */
static int write_one_file(struct one_file *f, struct index_entry *e, struct err *err)
{
	const struct checkout_options o = { .batch = repo_operation_batch(f->op) };
	int rc = make_room_for_file(f, e, err);

	return rc ? rc : worktree_checkout_entry(f->r, &f->ix, e, f->conv, &o, err);
}

static int write_and_put(struct one_file *f, const struct one_version *v, struct err *err)
{
	struct index_entry *e = entry_of(f, v);
	int rc = write_one_file(f, e, err);

	return rc ? rc : put_entry(f, e, err);
}

/* The index gets the file, or loses the path if there is none. */
static int put_file_as_it_is(struct one_file *f, struct err *err)
{
	struct one_version v = { 0 };
	struct stat st;
	int rc;

	if (lstat(f->path, &st) < 0) {
		index_remove(&f->ix, f->path, strlen(f->path));
		f->ix.changed = true;
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_INVALID, "%s: is a directory - add files inside instead", f->path);
	rc = worktree_hash_path(f->r, f->conv, f->path, &st, true, &v.oid, NULL, err);
	v.mode = worktree_mode(&f->r->settings, st.st_mode, index_find_ours(&f->ix, f->path, strlen(f->path)));
	return rc ? rc : put_entry(f, entry_of(f, &v), err);
}

/* ---- the cases: 0 resolved, 1 not (the reason has been printed) ---- */

static int merge_deletion(struct one_file *f, struct err *err)
{
	if ((!*f->ours.mode_name && f->base.mode != f->theirs.mode) ||
	    (!*f->theirs.mode_name && f->base.mode != f->ours.mode)) {
		fprintf(stderr, "ERROR: File %s deleted on one branch but had its\n"
				"ERROR: permissions changed on the other.\n", f->path);
		return 1;
	}
	if (!has(&f->ours))
		return put_file_as_it_is(f, err);
	printf("Removing %s\n", f->path);
	index_remove(&f->ix, f->path, strlen(f->path));
	f->ix.changed = true;
	return worktree_remove_entry(f->r, f->path, err);
}

static int add_theirs(struct one_file *f, struct err *err)
{
	struct stat st;

	printf("Adding %s\n", f->path);
	fflush(stdout);
	if (!stat(f->path, &st) && !S_ISDIR(st.st_mode)) {
		fprintf(stderr, "ERROR: untracked %s is overwritten by the merge.\n", f->path);
		return 1;
	}
	return write_and_put(f, &f->theirs, err);
}

static int add_same(struct one_file *f, struct err *err)
{
	if (f->ours.mode != f->theirs.mode) {
		fprintf(stderr, "ERROR: File %s added identically in both branches,\n"
				"ERROR: but permissions conflict %s->%s.\n", f->path, f->ours.mode_name, f->theirs.mode_name);
		return 1;
	}
	printf("Adding %s\n", f->path);
	return write_and_put(f, &f->ours, err);
}

/* ---- both have changed it ---- */

static int read_text(struct one_file *f, const struct one_version *v, struct object_buf *out, struct merge3_text *text,
		     struct err *err)
{
	int rc = has(v) ? odb_read_type(f->r->odb, &v->oid, OBJ_BLOB, out, err) : 0;

	text->text = out->data;
	text->len = out->size;
	return rc;
}

static bool is_binary(const struct merge3_text *t)
{
	return t->len && memchr(t->text, 0, t->len < BINARY_CHECK_BYTES ? t->len : BINARY_CHECK_BYTES);
}

static int read_style(struct one_file *f, struct merge3 *m, struct err *err)
{
	const char *style = NULL;
	int rc = config_get_string(f->r->config, "merge.conflictstyle", &style, err);

	if (rc > 0 && !merge3_parse_style(&m->style, style))
		return config_entry_bad(config_get(f->r->config, "merge.conflictstyle"), err, "unknown conflict style");
	return rc < 0 ? rc : 0;
}

/* 1: with conflicts. `out` is the text, or, of binary files, ours. */
static int merge_contents(struct one_file *f, struct strbuf *out, struct err *err)
{
	struct object_buf bufs[3] = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT };
	struct merge3 m = MERGE3_INIT;
	int rc = read_style(f, &m, err);

	m.join_over_blank = true;
	if (!rc)
		rc = read_text(f, &f->ours, &bufs[0], &m.side[MERGE3_OURS], err);
	if (!rc)
		rc = read_text(f, &f->base, &bufs[1], &m.side[MERGE3_BASE], err);
	if (!rc)
		rc = read_text(f, &f->theirs, &bufs[2], &m.side[MERGE3_THEIRS], err);
	m.side[MERGE3_OURS].label = "ours";
	m.side[MERGE3_BASE].label = "base";
	m.side[MERGE3_THEIRS].label = "theirs";
	if (!rc && (is_binary(&m.side[MERGE3_OURS]) || is_binary(&m.side[MERGE3_BASE]) || is_binary(&m.side[MERGE3_THEIRS]))) {
		error("Cannot merge binary files: %s", f->path);
		strbuf_add(out, m.side[MERGE3_OURS].text, m.side[MERGE3_OURS].len);
		rc = 1;
	} else if (!rc) {
		rc = merge3_texts(&m, out) > 0;
	}
	for (int i = 0; i < 3; i++)
		object_buf_release(&bufs[i]);
	return rc;
}

/* The file gets the text, the index only if nothing is left to resolve. */
static int write_merged(struct one_file *f, const struct strbuf *text, bool resolved, struct err *err)
{
	struct one_version v = { .mode = f->ours.mode };
	int rc = odb_write(f->r->odb, OBJ_BLOB, text->buf, text->len, &v.oid, err);

	if (rc)
		return rc;
	return resolved ? write_and_put(f, &v, err) : write_one_file(f, entry_of(f, &v), err);
}

static int merge_both(struct one_file *f, struct err *err)
{
	bool modes_differ = f->ours.mode != f->theirs.mode, conflict;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (S_ISLNK(f->ours.mode) || S_ISLNK(f->theirs.mode)) {
		fprintf(stderr, "ERROR: %s: Not merging symbolic link changes.\n", f->path);
		return 1;
	}
	if (MODE_IS_GITLINK(f->ours.mode) || MODE_IS_GITLINK(f->theirs.mode)) {
		fprintf(stderr, "ERROR: %s: Not merging conflicting submodule changes.\n", f->path);
		return 1;
	}
	printf(has(&f->base) ? "Auto-merging %s\n" : "Added %s in both, but differently.\n", f->path);
	fflush(stdout);
	rc = merge_contents(f, &text, err);
	conflict = rc > 0 || !has(&f->base);
	if (rc >= 0)
		rc = write_merged(f, &text, !conflict && !modes_differ, err);
	strbuf_release(&text);
	if (rc || (!conflict && !modes_differ))
		return rc;
	fprintf(stderr, "ERROR: %s%s", conflict ? "content conflict" : "", conflict && modes_differ ? ", " : "");
	if (modes_differ)
		fprintf(stderr, "permissions conflict: %s->%s,%s", f->base.mode_name, f->ours.mode_name, f->theirs.mode_name);
	fprintf(stderr, " in %s\n", f->path);
	return 1;
}

static int merge_by_case(struct one_file *f, struct err *err)
{
	bool base = has(&f->base), ours = has(&f->ours), theirs = has(&f->theirs);

	if (base && (!ours || same(&f->base, &f->ours)) && (!theirs || same(&f->base, &f->theirs)) && !(ours && theirs))
		return merge_deletion(f, err);
	if (!base && ours && !theirs)
		return put_entry(f, entry_of(f, &f->ours), err);
	if (!base && !ours && theirs)
		return add_theirs(f, err);
	if (!base && same(&f->ours, &f->theirs))
		return add_same(f, err);
	if (ours && theirs)
		return merge_both(f, err);
	fprintf(stderr, "ERROR: %s: Not handling case %s -> %s -> %s\n", f->path, f->base.name, f->ours.name, f->theirs.name);
	return 1;
}

/* ---- the command ---- */

static int parse_version(struct one_file *f, struct one_version *v, const char *name, const char *mode, struct err *err)
{
	char *end;

	v->name = name;
	v->mode_name = mode;
	v->mode = *mode ? canonical_mode((unsigned)strtoul(mode, &end, 8)) : 0;
	if (*name && revparse_oid(f->r, name, &v->oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "Not a valid object name %s", name);
	return 0;
}

/* In a partial clone: together. */
static int prefetch_versions(struct one_file *f, struct err *err)
{
	const struct one_version *all[] = { &f->base, &f->ours, &f->theirs };
	struct oid_array wanted = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(f->r->odb))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (has(all[i]) && !MODE_IS_GITLINK(all[i]->mode))
			oid_array_append(&wanted, &all[i]->oid);
	rc = odb_prefetch(f->r->odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

static int begin_one_file(struct one_file *f, const char **argv, struct err *err)
{
	int rc = parse_version(f, &f->base, argv[1], argv[5], err);

	f->path = argv[4];
	if (!rc)
		rc = parse_version(f, &f->ours, argv[2], argv[6], err);
	if (!rc)
		rc = parse_version(f, &f->theirs, argv[3], argv[7], err);
	if (!rc && !path_is_safe(f->path, has(&f->ours) ? f->ours.mode : f->theirs.mode, f->r->settings.protect))
		rc = err_set(err, ERR_INVALID, "Invalid path '%s'", f->path);
	if (!rc)
		rc = prefetch_versions(f, err);
	if (!rc)
		rc = repo_operation_lock_index(f->op, err);
	if (!rc)
		rc = repo_operation_open_objects(f->op, err);
	if (!rc)
		rc = index_read_repo(&f->ix, f->r, err);
	return rc ? rc : converter_new(&f->conv, f->r, &f->ix, ATTR_CHECKIN, err);
}

int cmd_merge_one_file(int argc, const char **argv, struct command_ctx *ctx)
{
	struct one_file f = { .r = ctx->repo };
	struct err err = ERR_INIT;
	int code = 0, rc;

	if (argc != 8) {
		bool help = argc == 2 && !strcmp(argv[1], "-h");

		fputs(usage_text, help ? stdout : stderr);
		return help ? finish_stdout() : 1;
	}
	index_init(&f.ix, f.r->algo);
	f.op = repo_operation_begin(f.r);
	rc = begin_one_file(&f, argv, &err);
	if (!rc)
		rc = merge_by_case(&f, &err);
	if (rc > 0) {
		code = rc;
		rc = 0;
	} else if (!rc && f.ix.changed) {
		repo_operation_set_index(f.op, &f.ix);
	}
	rc = repo_operation_end(f.op, rc, &err);
	if (rc < 0) {
		report_error(&err);
		code = 1;
	}
	converter_free(f.conv);
	index_release(&f.ix);
	return finish_stdout() ? 1 : code;
}
