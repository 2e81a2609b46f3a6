/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): the commits that are merged. */
#include "compat/posix.h"
#include "builtin/tag/gpg.h"
#include "builtin/merge/merge-cmd.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "refs/root-refs.h"
#include "sign/sign.h"
#include "util/alloc.h"

#define FETCH_HEAD_MAX ((size_t)64 << 20)

void merge_heads_clear(struct merge_heads *h)
{
	for (size_t i = 0; i < h->nr; i++)
		free(h->items[i].name);
	free(h->items);
	*h = (struct merge_heads){ 0 };
}

const char *merge_head_label(const struct merge_head *h)
{
	return strchr(h->name, '\t') ? oid_hex(&h->commit->oid) : h->name;
}

/* 1: it is no commit. */
static int add_head(struct merge_cmd *m, const char *name, const struct object_id *named, struct err *err)
{
	struct merge_heads *h = &m->heads;
	struct object_id at;
	struct commit *c;
	int rc;

	if (object_peel(odb_source(m->r->odb), named, OBJ_COMMIT, &at, NULL, NULL) < 0)
		return 1;
	c = commit_lookup(m->pool, &at);
	rc = commit_parse_node(m->pool, c, err);
	if (rc)
		return rc;
	ALLOC_GROW(h->items, h->nr + 1, h->alloc);
	h->items[h->nr++] = (struct merge_head){ xstrdup(name), *named, c };
	return 0;
}

/* ---- FETCH_HEAD ---- */

/* The lines that are for a merge. */
static int add_fetched(struct merge_cmd *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = repo_path(m->r, REFNAME_FETCH_HEAD), *save = NULL;
	int rc = read_file(&text, path, FETCH_HEAD_MAX, err);

	for (char *line = rc ? NULL : strtok_r(text.buf, "\n", &save); !rc && line; line = strtok_r(NULL, "\n", &save)) {
		struct object_id oid;
		const char *rest;

		if (oid_parse_hex(&oid, line, m->r->algo, &rest) < 0)
			rc = 1;
		else if (rest[0] == '\t' && rest[1] == '\t')
			rc = add_head(m, line, &oid, err);
		if (rc > 0)
			rc = err_set(err, ERR_INVALID, "not something we can merge in %s: %s", path, line);
	}
	free(path);
	strbuf_release(&text);
	return rc;
}

/* ---- all ---- */

static int add_named(struct merge_cmd *m, const char *name, struct err *err)
{
	struct object_id oid;
	int rc = 1;

	if (!strcmp(name, REFNAME_FETCH_HEAD)) {
		rc = add_fetched(m, err);
		if (!rc && !m->heads.nr)
			rc = err_set(err, ERR_INVALID, "No valid object to merge: '%s'", name);
		return rc;
	}
	if (!revparse_of_type(m->r, name, OBJ_COMMIT, &oid, NULL))
		rc = add_head(m, name, &oid, err);
	if (rc > 0) {
		fprintf(stderr, "merge: %s - not something we can merge\n", name);
		return 1;
	}
	return rc;
}

/* Without names: the upstream. */
static int add_upstream(struct merge_cmd *m, struct err *err)
{
	const char *branch = m->branch;
	bool to_upstream = true;
	char *ref = NULL;
	int rc = config_get_bool(m->r->config, "merge.defaulttoupstream", &to_upstream, err);

	if (rc < 0)
		return rc;
	if (!to_upstream)
		return err_set(err, ERR_INVALID, "No commit specified and merge.defaultToUpstream not set.");
	if (!skip_prefix(branch, "refs/heads/", &branch))
		return err_set(err, ERR_INVALID, "No current branch.");
	if (!branch_remote_name(m->r, branch, false))
		return err_set(err, ERR_INVALID, "No remote for the current branch.");
	if (branch_upstream(m->r, branch, &ref, NULL) < 0 || !ref)
		return err_set(err, ERR_INVALID, "No default upstream defined for the current branch.");
	rc = add_named(m, ref, err);
	free(ref);
	return rc;
}

int merge_find_heads(struct merge_cmd *m, int argc, const char **argv, struct err *err)
{
	int rc = 0;

	if (!argc)
		return add_upstream(m, err);
	if (argc == 1 && !strcmp(argv[0], "-"))
		return add_named(m, "@{-1}", err);
	for (int i = 0; !rc && i < argc; i++)
		rc = add_named(m, argv[i], err);
	return rc;
}

/* ---- redundant heads ---- */

static bool is_listed_before(const struct merge_heads *h, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (h->items[k].commit == h->items[i].commit)
			return true;
	return false;
}

/* 1: HEAD leads to it, or another one. */
static int is_redundant(struct merge_cmd *m, size_t i, struct err *err)
{
	struct merge_heads *h = &m->heads;
	struct commit *c = h->items[i].commit;
	int rc = is_listed_before(h, i);

	if (!rc && m->head_commit)
		rc = is_ancestor(m->pool, c, m->head_commit, err);
	for (size_t k = 0; !rc && k < h->nr; k++)
		if (h->items[k].commit != c)
			rc = is_ancestor(m->pool, c, h->items[k].commit, err);
	return rc;
}

int merge_reduce_heads(struct merge_cmd *m, struct err *err)
{
	struct merge_heads kept = { 0 };
	struct merge_heads *h = &m->heads;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < h->nr; i++) {
		rc = is_redundant(m, i, err);
		if (rc)
			continue;
		ALLOC_GROW(kept.items, kept.nr + 1, kept.alloc);
		kept.items[kept.nr] = h->items[i];
		kept.items[kept.nr++].name = xstrdup(h->items[i].name);
	}
	if (rc < 0) {
		merge_heads_clear(&kept);
		return rc;
	}
	merge_heads_clear(h);
	*h = kept;
	for (size_t i = 0; !m->head_is_ancestor && m->head_commit && i < h->nr; i++) {
		rc = is_ancestor(m->pool, m->head_commit, h->items[i].commit, err);
		if (rc < 0)
			return rc;
		m->head_is_ancestor = rc;
	}
	return 0;
}

/* ---- signatures ---- */

static int verify_head(struct merge_cmd *m, struct commit *c, struct err *err)
{
	struct signature_check check = SIGNATURE_CHECK_INIT;
	struct strbuf id = STRBUF_INIT;
	const char *buf;
	size_t len;
	int rc = commit_buffer(m->pool, c, &buf, &len, err);

	if (!rc)
		rc = signature_check_commit(&check, m->r, buf, len, err);
	odb_abbrev(m->r->odb, &c->oid, m->r->settings.abbrev, &id);
	if (!rc && !check.good) {
		if (check.result == 'B')
			rc = err_set(err, ERR_INVALID, "Commit %s has a bad GPG signature allegedly by %s.", id.buf,
				     check.signer ? check.signer : "");
		else if (check.result == 'N')
			rc = err_set(err, ERR_INVALID, "Commit %s does not have a GPG signature.", id.buf);
		else
			rc = err_set(err, ERR_INVALID, "Commit %s has an untrusted GPG signature, allegedly by %s.", id.buf,
				     check.signer ? check.signer : "");
	}
	if (!rc && m->o.verbosity >= 0)
		printf("Commit %s has a good GPG signature by %s\n", id.buf, check.signer ? check.signer : "");
	signature_check_release(&check);
	strbuf_release(&id);
	return rc;
}

int merge_verify_signatures(struct merge_cmd *m, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && m->o.verify_signatures && i < m->heads.nr; i++)
		rc = verify_head(m, m->heads.items[i].commit, err);
	return rc;
}
