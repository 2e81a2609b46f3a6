/* SPDX-License-Identifier: GPL-2.0-only */
/* core.repositoryformatversion and extensions.*, git-config(1). */
#include "compat/posix.h"
#include "repo/ref-storage.h"
#include "repo/setup-internal.h"
#include "config/config.h"
#include "util/alloc.h"
#include "util/path.h"

#define FORMAT_MAX 1

void repo_format_release(struct repo_format *f)
{
	FREE_AND_NULL(f->worktree);
	FREE_AND_NULL(f->refs_dir);
}

/* What one file has, before it is checked. */
struct reading {
	struct repo_format *f;
	struct strbuf unknown;	 /* "\n\tname" each, not known in version 1 */
	int nr_unknown;
	struct strbuf v1_only;	 /* known, but not in version 0 */
	int nr_v1_only;
};

static void note(struct strbuf *list, int *nr, const char *name)
{
	strbuf_addf(list, "\n\t%s", name);
	(*nr)++;
}

static int read_hash(struct reading *r, const struct config_entry *e, struct err *err)
{
	const struct hash_algo *algo;
	struct strbuf why = STRBUF_INIT;
	int rc = 0;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	algo = hash_algo_by_name(e->value);
	if (algo) {
		r->f->hash = algo->id;
	} else {
		strbuf_addf(&why, "invalid value for 'extensions.objectformat': '%s'", e->value);
		rc = config_entry_bad(e, err, why.buf);
	}
	strbuf_release(&why);
	return rc;
}

/* A format that does not exist here counts as an unknown extension. */
static int read_ref_storage(struct reading *r, const struct config_entry *e, struct err *err)
{
	struct strbuf why = STRBUF_INIT;
	struct err local = ERR_INIT;
	int rc;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	FREE_AND_NULL(r->f->refs_dir);
	rc = ref_storage_find(&r->f->refs, &r->f->refs_dir, e->value, &local);
	if (rc == ERR_INVALID) {
		strbuf_addf(&why, "invalid value for 'extensions.refstorage': '%s'", e->value);
		rc = config_entry_bad(e, err, why.buf);
	} else {
		note(&r->v1_only, &r->nr_v1_only, "refstorage");
		if (rc == ERR_UNSUPPORTED)
			note(&r->unknown, &r->nr_unknown, "refstorage");
		rc = 0;
	}
	err_release(&local);
	strbuf_release(&why);
	return rc;
}

/*
 * One extension. Those of the first group have a meaning with every version, those of the
 * second only with version 1. All others are refused with version 1 and ignored with
 * version 0.
 */
static int read_extension(struct reading *r, const struct config_entry *e, const char *name,
			  struct err *err)
{
	if (!strcmp(name, "noop") || !strcmp(name, "preciousobjects"))
		return 0;
	if (!strcmp(name, "worktreeconfig"))
		return config_entry_bool(e, &r->f->worktree_config, err);
	if (!strcmp(name, "partialclone")) /* missing objects may be promised: history/promisor.h */
		return e->value ? 0 : config_entry_bad(e, err, "missing value");
	if (!strcmp(name, "noop-v1") || !strcmp(name, "relativeworktrees")) {
		note(&r->v1_only, &r->nr_v1_only, name);
		return 0;
	}
	if (!strcmp(name, "objectformat")) {
		note(&r->v1_only, &r->nr_v1_only, name);
		return read_hash(r, e, err);
	}
	if (!strcmp(name, "refstorage"))
		return read_ref_storage(r, e, err);
	note(&r->unknown, &r->nr_unknown, name);
	return 0;
}

static int read_entry(struct reading *r, const struct config_entry *e, struct err *err)
{
	const char *name;
	int64_t n;
	bool b;
	int rc = 0;

	if (!strcmp(e->key, "core.repositoryformatversion")) {
		rc = config_entry_int64(e, INT_MIN, INT_MAX, &n, err);
		if (!rc)
			r->f->version = (int)n;
	} else if (!strcmp(e->key, "core.bare")) {
		rc = config_entry_bool(e, &b, err);
		if (!rc)
			r->f->bare = b;
	} else if (!strcmp(e->key, "core.worktree")) {
		if (!e->value)
			return config_entry_bad(e, err, "missing value");
		free(r->f->worktree);
		r->f->worktree = xstrdup(e->value);
	} else if (skip_prefix(e->key, "extensions.", &name)) {
		rc = read_extension(r, e, name, err);
	}
	return rc;
}

static int check_format(const struct reading *r, struct err *err)
{
	int version = r->f->version;

	if (version > FORMAT_MAX)
		return err_set(err, ERR_UNSUPPORTED,
			       "Expected git repo version <= %d, found %d", FORMAT_MAX, version);
	if (version >= 1 && r->nr_unknown)
		return err_set(err, ERR_UNSUPPORTED, "unknown repository extension%s found:%s",
			       r->nr_unknown > 1 ? "s" : "", r->unknown.buf);
	if (version < 1 && r->nr_v1_only)
		return err_set(err, ERR_UNSUPPORTED,
			       "repo version is 0, but v1-only extension%s found:%s",
			       r->nr_v1_only > 1 ? "s" : "", r->v1_only.buf);
	return 0;
}

/* Each entry of the file; includes are not followed here. */
static int read_format_file(struct reading *r, const char *path, struct err *err)
{
	struct config_set *c = config_set_new();
	struct err local = ERR_INIT;
	int rc = config_set_read_file(c, path, CONFIG_SCOPE_LOCAL, NULL, &local);

	for (size_t i = 0; !rc && i < config_nr(c); i++)
		rc = read_entry(r, config_at(c, i), &local);
	if (rc == ERR_NOT_FOUND)
		rc = 0;
	else
		err_move(err, &local);
	err_release(&local);
	config_set_free(c);
	return rc;
}

/* config.worktree overrides core.bare and core.worktree only. */
static int read_worktree_file(struct repo_format *f, const char *path, struct err *err)
{
	struct repo_format mine = REPO_FORMAT_INIT;
	struct reading r = { &mine, STRBUF_INIT, 0, STRBUF_INIT, 0 };
	int rc = read_format_file(&r, path, err);

	if (!rc) {
		if (mine.bare >= 0)
			f->bare = mine.bare;
		if (mine.worktree) {
			free(f->worktree);
			f->worktree = mine.worktree;
			mine.worktree = NULL;
		}
	}
	strbuf_release(&r.unknown);
	strbuf_release(&r.v1_only);
	repo_format_release(&mine);
	return rc;
}

int repo_format_read(struct repo_format *out, const char *gitdir, const char *commondir,
		     struct err *err)
{
	struct repo_format f = REPO_FORMAT_INIT;
	struct reading r = { &f, STRBUF_INIT, 0, STRBUF_INIT, 0 };
	char *path = path_join(commondir, "config");
	int rc = read_format_file(&r, path, err);

	free(path);
	if (!rc)
		rc = check_format(&r, err);
	/* These two describe the main work tree. Where work trees have files of their own, core.bare counts for all, as in Git. */
	if (!rc && strcmp(gitdir, commondir)) {
		if (!f.worktree_config)
			f.bare = -1;
		FREE_AND_NULL(f.worktree);
	}
	if (!rc && f.worktree_config) {
		path = path_join(gitdir, "config.worktree");
		rc = read_worktree_file(&f, path, err);
		free(path);
	}
	if (!rc) {
		repo_format_release(out);
		*out = f;
	} else {
		repo_format_release(&f);
	}
	strbuf_release(&r.unknown);
	strbuf_release(&r.v1_only);
	return rc;
}
