/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/tree.h"
#include "repo/enter.h"
#include "submodule/merge.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "util/string-list.h"

#define OUTPUT_MAX ((size_t)16 << 20)
#define CANDIDATES_MAX 100 /* merges that are looked at for an advice */

struct submodule_merger {
	struct repository *r;
	const struct merge_submodule_call *call;
	char *gitdir; /* absolute; NULL: the repository of the submodule is not there */
	char base[HASH_MAX_HEX + 1], ours[HASH_MAX_HEX + 1], theirs[HASH_MAX_HEX + 1];
};

/* The exit code of git in the submodule. */
static int run_git(const struct submodule_merger *m, struct strbuf *out, const char *const *args, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf complaints = STRBUF_INIT;
	int rc;

	for (size_t i = 0; repo_local_env[i]; i++)
		strvec_push(&cp.env, repo_local_env[i]);
	strvec_pushf(&cp.env, "GIT_DIR=%s", m->gitdir);
	strvec_push(&cp.args, "git");
	for (; *args; args++)
		strvec_push(&cp.args, *args);
	rc = pipe_command(&cp, NULL, 0, out, &complaints, OUTPUT_MAX, err);
	strbuf_release(&complaints);
	return rc;
}

/* 1: `b` contains `a`; 0: it does not; < 0. */
static int contains(const struct submodule_merger *m, const char *a, const char *b, struct err *err)
{
	const char *const args[] = { "merge-base", "--is-ancestor", a, b, NULL };
	struct strbuf none = STRBUF_INIT;
	int rc = run_git(m, &none, args, err);

	strbuf_release(&none);
	return rc < 0 ? rc : !rc;
}

static int has_commits(const struct submodule_merger *m, bool *has, struct err *err)
{
	const char *const args[] = { "rev-list", "--no-walk", "--quiet", m->base, m->ours, m->theirs, NULL };
	struct strbuf none = STRBUF_INIT;
	int rc = run_git(m, &none, args, err);

	*has = !rc;
	strbuf_release(&none);
	return rc < 0 ? rc : 0;
}

/* ---- merges that exist already ---- */

/* Merges of any ref that contain the commit, newest first. */
static int list_merges(const struct submodule_merger *m, const char *commit, struct string_list *out, struct err *err)
{
	char *not = xstrfmt("^%s", commit);
	const char *const args[] = { "rev-list", "--merges", "--ancestry-path", "--all", not, NULL };
	struct strbuf text = STRBUF_INIT;
	int rc = run_git(m, &text, args, err);

	if (!rc)
		string_list_split(out, text.buf, "\n");
	strbuf_release(&text);
	free(not);
	return rc < 0 ? rc : 0;
}

/* Does one of the other merges lead to this one? */
static int is_later_merge(const struct submodule_merger *m, const struct string_list *all, size_t i, struct err *err)
{
	int rc = 0;

	for (size_t k = 0; !rc && k < all->nr; k++)
		if (k != i)
			rc = contains(m, all->items[k].string, all->items[i].string, err);
	return rc;
}

static int add_candidate(const struct submodule_merger *m, const char *name, struct strbuf *text, struct err *err)
{
	const char *const args[] = { "log", "-1", "--format=    %h %s", name, NULL };
	int rc = run_git(m, text, args, err);

	return rc < 0 ? rc : 0;
}

/* The first merges of both commits. */
static int find_candidates(const struct submodule_merger *m, struct merge_submodule *out, struct err *err)
{
	struct string_list ours = STRING_LIST_INIT, theirs = STRING_LIST_INIT, both = STRING_LIST_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = list_merges(m, m->ours, &ours, err);

	if (!rc)
		rc = list_merges(m, m->theirs, &theirs, err);
	string_list_sort(&theirs);
	for (size_t i = 0; !rc && i < ours.nr && both.nr < CANDIDATES_MAX; i++)
		if (*ours.items[i].string && string_list_lookup(&theirs, ours.items[i].string))
			string_list_append(&both, ours.items[i].string);
	for (size_t i = 0; rc >= 0 && i < both.nr; i++) {
		rc = is_later_merge(m, &both, i, err);
		if (rc)
			continue;
		rc = add_candidate(m, both.items[i].string, &text, err);
		out->nr_candidates++;
	}
	out->candidates = strbuf_detach(&text, NULL);
	string_list_clear(&ours, NULL);
	string_list_clear(&theirs, NULL);
	string_list_clear(&both, NULL);
	return rc < 0 ? rc : 0;
}

/* ---- the decision ---- */

static int take_descendant(const struct submodule_merger *m, struct merge_submodule *out, struct err *err)
{
	int rc = contains(m, m->ours, m->theirs, err);

	out->how = MERGE_SUBMODULE_FORWARD;
	out->result = *m->call->theirs;
	if (rc)
		return rc < 0 ? rc : 0;
	rc = contains(m, m->theirs, m->ours, err);
	out->result = *m->call->ours;
	if (rc)
		return rc < 0 ? rc : 0;
	out->how = MERGE_SUBMODULE_DIVERGED;
	return m->call->search ? find_candidates(m, out, err) : 0;
}

static int decide(struct submodule_merger *m, struct merge_submodule *out, struct err *err)
{
	bool present = false;
	int rc = submodule_find_gitdir(&m->gitdir, m->r, m->call->path, err);

	out->how = MERGE_SUBMODULE_NOT_CHECKED_OUT;
	if (rc || !m->gitdir)
		return rc;
	out->how = MERGE_SUBMODULE_NO_BASE;
	if (!m->call->base)
		return 0;
	rc = has_commits(m, &present, err);
	out->how = MERGE_SUBMODULE_NO_COMMITS;
	if (rc || !present)
		return rc;
	rc = contains(m, m->base, m->ours, err);
	if (rc > 0)
		rc = contains(m, m->base, m->theirs, err);
	out->how = MERGE_SUBMODULE_REWOUND;
	return rc > 0 ? take_descendant(m, out, err) : rc;
}

int submodule_merge(void *repo, const struct merge_submodule_call *call, struct merge_submodule *out, struct err *err)
{
	struct submodule_merger m = { .r = repo, .call = call };
	int rc;

	if (call->base)
		oid_to_hex_r(m.base, call->base);
	oid_to_hex_r(m.ours, call->ours);
	oid_to_hex_r(m.theirs, call->theirs);
	rc = decide(&m, out, err);
	free(m.gitdir);
	return rc;
}
