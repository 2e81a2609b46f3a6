/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/roots.h"
#include <dirent.h>
#include "fs/file.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/path.h"

struct collector {
	struct roots *out;
	struct repository *repo; /* whose files are read: of one worktree */
	const char *prefix;	 /* of its own refs in messages: "worktrees/ID/" */
	struct odb *odb;	 /* who is asked what is there */
	struct err *err;
};

static void add_weak(struct collector *c, const struct object_id *oid)
{
	if (!oid_is_null(oid) && odb_has(c->odb, oid))
		oid_array_append(&c->out->weak, oid);
}

void roots_sort(struct roots *roots)
{
	oid_array_sort_unique(&roots->strong);
	oid_array_sort_unique(&roots->weak);
}

void roots_release(struct roots *roots)
{
	oid_array_clear(&roots->strong);
	oid_array_clear(&roots->weak);
}

/* ---- refs ---- */

static int add_ref(void *data, const struct ref *ref)
{
	struct collector *c = data;

	if (ref->flags & REF_IS_BROKEN)
		return err_set(c->err, ERR_CORRUPT, "bad object %s%s", c->prefix, ref->name);
	oid_array_append(&c->out->strong, &ref->oid);
	return 0;
}

static int add_refs(struct collector *c, const char *prefix)
{
	return refs_foreach(c->repo->refs, prefix, REFS_ALL_ROOTS | REFS_NO_PEEL, add_ref, c, c->err);
}

/* HEAD, or the branch that it leads to. */
static int report_broken_head(struct collector *c, const char *head)
{
	struct object_id oid;
	char *target = NULL;

	(void)!ref_read_raw(c->repo->refs, head, &oid, &target, NULL);
	err_set(c->err, ERR_CORRUPT, "bad object %s", target ? target : head);
	free(target);
	return ERR_CORRUPT;
}

/*
 * The HEAD of the worktree whose prefix is given. An unborn one holds nothing. One that leads to a bad name, or in a
 * circle, has been damaged.
 */
static int add_head(struct collector *c, const char *prefix)
{
	struct err why = ERR_INIT;
	struct object_id oid;
	char *head = xconcat(prefix, "HEAD");
	int rc = ref_resolve(c->repo->refs, head, &oid, NULL, NULL, &why);

	if (!rc)
		oid_array_append(&c->out->strong, &oid);
	else if (rc == ERR_CORRUPT)
		(void)report_broken_head(c, head);
	else if (rc != ERR_NOT_FOUND)
		err_move(c->err, &why);
	err_release(&why);
	free(head);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* ---- reflogs ---- */

/* Entries can be older than what has been pruned. */
static void add_logged(struct collector *c, const struct object_id *oid)
{
	struct oid_array *strong = &c->out->strong;
	bool same = strong->nr && oid_eq(&strong->oid[strong->nr - 1], oid);

	if (!same && !oid_is_null(oid) && odb_has(c->odb, oid))
		oid_array_append(strong, oid);
}

static int add_entry(void *data, const struct reflog_entry *e)
{
	add_logged(data, &e->old_oid);
	add_logged(data, &e->new_oid);
	return 0;
}

static int add_log(void *data, const char *name)
{
	struct collector *c = data;
	struct err why = ERR_INIT;
	int rc = reflog_foreach(c->repo->refs, name, false, add_entry, c, &why);

	if (rc < 0 && rc != ERR_NOT_FOUND) /* it may go meanwhile */
		err_move(c->err, &why);
	err_release(&why);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* ---- indexes ---- */

static int add_cached_tree(void *data, const char *path UNUSED, const struct object_id *oid)
{
	add_weak(data, oid);
	return 0;
}

static void add_resolved(struct collector *c, const struct resolve_undo *ru)
{
	for (size_t i = 0; ru && i < ru->paths.nr; i++) {
		const struct resolve_undo_info *info = ru->paths.items[i].util;

		for (int stage = 0; stage < 3; stage++)
			if (info->mode[stage] && !MODE_IS_GITLINK(info->mode[stage]))
				add_weak(c, &info->oid[stage]);
	}
}

static int add_index(struct collector *c, const char *path)
{
	const struct index_places places = { .gitdir = c->repo->gitdir };
	struct index_state ix;
	int rc;

	index_init(&ix, c->repo->algo);
	rc = index_read(&ix, path, c->repo->algo, &places, c->err);
	for (size_t i = 0; !rc && i < ix.nr; i++)
		if (!MODE_IS_GITLINK(ix.entries[i]->mode))
			add_weak(c, &ix.entries[i]->oid);
	if (!rc && ix.cache_tree)
		rc = cache_tree_foreach(ix.cache_tree, add_cached_tree, c);
	if (!rc)
		add_resolved(c, ix.resolve_undo);
	index_release(&ix);
	return rc;
}

/* ---- files that name objects ---- */

static bool is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

/* Every word of the file that is a full object name. A file that is missing is fine, one that cannot be read is not. */
static int add_file(struct collector *c, const char *path)
{
	const struct hash_algo *algo = c->repo->algo;
	struct object_id oid;
	char *line = NULL;
	size_t alloc = 0;
	struct stat st;
	FILE *f;
	int failed;

	if (stat(path, &st) < 0)
		return is_missing(errno) ? 0 : err_set_errno(c->err, "unable to stat '%s'", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (!(f = fopen(path, "re")))
		return is_missing(errno) ? 0 : err_set_errno(c->err, "unable to open '%s'", path);
	while (getline(&line, &alloc, f) >= 0) {
		for (const char *p = line; *p; p++) {
			size_t len = strspn(p, "0123456789abcdefABCDEF");

			if (len == algo->hex_len && (p == line || !isalnum((unsigned char)p[-1])) &&
			    !isalnum((unsigned char)p[len]) && !oid_parse_hex(&oid, p, algo, NULL))
				add_weak(c, &oid);
			if (len)
				p += len - 1;
		}
	}
	failed = ferror(f) ? err_set_errno(c->err, "unable to read '%s'", path) : 0;
	fclose(f);
	free(line);
	return failed;
}

/* FETCH_HEAD, MERGE_HEAD, AUTO_MERGE, BISECT_EXPECTED_REV …; not what only holds a message. */
static bool may_name_objects(const char *name)
{
	return *name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0' &&
	       strcmp(name, "HEAD") != 0 && !ends_with(name, "MSG");
}

static int add_pseudo_refs(struct collector *c)
{
	DIR *dir = opendir(c->repo->gitdir);
	struct dirent *de;
	int rc = 0;

	if (!dir)
		return err_set_errno(c->err, "unable to open directory '%s'", c->repo->gitdir);
	while (!rc && (errno = 0, de = readdir(dir))) {
		if (may_name_objects(de->d_name)) {
			char *path = path_join(c->repo->gitdir, de->d_name);

			rc = add_file(c, path);
			free(path);
		}
	}
	if (!rc && errno)
		rc = err_set_errno(c->err, "cannot read directory '%s'", c->repo->gitdir);
	closedir(dir);
	return rc;
}

/* What is under way: rebase, am, cherry-pick, revert. */
static int add_state(struct collector *c)
{
	static const char *const files[] = {
		"rebase-merge/autostash", "rebase-merge/orig-head", "rebase-merge/onto",
		"rebase-merge/stopped-sha", "rebase-merge/squash-onto", "rebase-merge/amend",
		"rebase-merge/git-rebase-todo", "rebase-merge/git-rebase-todo.backup",
		"rebase-merge/done", "rebase-merge/rewritten-list",
		"rebase-merge/rewritten-pending", "rebase-merge/update-refs",
		"rebase-apply/autostash", "rebase-apply/orig-head", "rebase-apply/onto",
		"rebase-apply/abort-safety", "rebase-apply/original-commit",
		"rebase-apply/rewritten", "sequencer/head", "sequencer/todo",
		"sequencer/abort-safety",
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(files); i++) {
		char *path = path_join(c->repo->gitdir, files[i]);

		rc = add_file(c, path);
		free(path);
	}
	return rc;
}

/* ---- worktrees ---- */

static int add_indexes(struct collector *c)
{
	char *index = path_join(c->repo->gitdir, "index");
	int rc = add_index(c, index);

	if (!rc && strcmp(index, c->repo->index_path) != 0) /* GIT_INDEX_FILE */
		rc = add_index(c, c->repo->index_path);
	free(index);
	return rc;
}

/* What a worktree has for itself, beside its refs. */
static int add_private(struct collector *c, bool with_indexes)
{
	int rc = with_indexes ? add_indexes(c) : 0;

	if (!rc)
		rc = add_pseudo_refs(c);
	return rc ? rc : add_state(c);
}

static int add_other_worktree(struct collector *here, const char *gitdir, const char *prefix, bool with_indexes)
{
	static const char *const prefixes[] = { "refs/bisect/", "refs/worktree/", "refs/rewritten/" };
	struct collector c = *here;
	int rc = add_head(here, prefix); /* it may be so damaged that the worktree cannot be opened */

	c.prefix = prefix;
	if (!rc)
		rc = repo_open_at(&c.repo, gitdir, NULL, c.err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(prefixes); i++)
		rc = add_refs(&c, prefixes[i]);
	if (!rc)
		rc = add_private(&c, with_indexes);
	if (c.repo != here->repo)
		repo_free(c.repo);
	return rc;
}

/* Without these files it is just being made, or removed: see worktree-prune.c. */
static bool is_worktree(const char *gitdir)
{
	char *head = path_join(gitdir, "HEAD"), *link = path_join(gitdir, "gitdir");
	bool yes = file_exists(head) && file_exists(link);

	free(head);
	free(link);
	return yes;
}

/* The main one and the linked ones, apart from that of c->repo. */
static int add_other_worktrees(struct collector *c, bool with_indexes)
{
	struct repository *r = c->repo;
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(r->commondir, &ids, c->err);
	struct stat own, other;

	if (!rc && stat(r->gitdir, &own) < 0)
		rc = err_set_errno(c->err, "unable to stat '%s'", r->gitdir);
	if (!rc && !stat(r->commondir, &other) && !is_same_file(&other, &own))
		rc = add_other_worktree(c, r->commondir, "main-worktree/", with_indexes);
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *prefix = xstrfmt("worktrees/%s/", ids.items[i].string);
		char *gitdir = xstrfmt("%s/worktrees/%s", r->commondir, ids.items[i].string);

		if (!stat(gitdir, &other) && !is_same_file(&other, &own) && is_worktree(gitdir))
			rc = add_other_worktree(c, gitdir, prefix, with_indexes);
		free(gitdir);
		free(prefix);
	}
	string_list_clear(&ids, NULL);
	return rc;
}

int roots_collect(struct roots *out, struct repository *r, struct odb *odb, struct err *err)
{
	struct collector c = { .out = out, .repo = r, .prefix = "", .odb = odb, .err = err };
	int rc = add_refs(&c, "");

	if (!rc)
		rc = reflogs_foreach_everywhere(r->refs, add_log, &c, err);
	if (!rc)
		rc = add_head(&c, "");
	if (!rc)
		rc = add_private(&c, true);
	return rc ? rc : add_other_worktrees(&c, true);
}

int roots_collect_worktrees(struct roots *out, struct repository *r, struct odb *odb, struct err *err)
{
	struct collector c = { .out = out, .repo = r, .prefix = "", .odb = odb, .err = err };
	int rc = add_head(&c, "");

	if (!rc)
		rc = add_private(&c, false);
	return rc ? rc : add_other_worktrees(&c, false);
}
