/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include "cli/cli.h"
#include "cli/git-options.h"
#include "history/promisor.h"
#include "porcelain/lazy-fetch.h"
#include "repo/remotes.h"
#include "util/alloc.h"
#include "util/run-command.h"

struct promised_fetcher {
	struct repository *r;
	struct strvec remotes; /* names, in the order in which they are asked */
	bool forbidden, quiet, told;
	pthread_mutex_t lock; /* recursive: who reads while it asks gets no further, others wait */
	bool asking;
};

/* ---- getting them ---- */

/* Version 0 talks of its refs first. */
static int skip_refs(struct fetch_session *s, struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	int rc = fetch_session_version(s) < 2 ? fetch_session_refs(s, NULL, &refs, err) : 0;

	remote_refs_release(&refs);
	return rc;
}

int promised_get(struct fetch_session *s, struct repository *r, const struct oid_array *oids,
		 const struct fetch_wanted *how, struct repo_operation *op, struct fetch_result *result,
		 struct err *err)
{
	struct filter_spec filter = FILTER_SPEC_INIT;
	struct fetch_wanted w = { .oids = oids, .no_dependents = true, .from_promisor = true, .keep = true,
				  .filter = &filter, .fsck = how->fsck, .meter = how->meter,
				  .meter_data = how->meter_data, .quiet = how->quiet };
	/*
	 * A tree comes with its subtrees, as they are small. Blobs come only if they are requested.
	 */
	int rc = filter_spec_parse(&filter, "blob:none", err);

	if (!rc)
		rc = skip_refs(s, err);
	if (!rc)
		rc = fetch_session_get(s, &w, op, r, result, err);
	filter_spec_release(&filter);
	return fetch_session_end(s, rc, err);
}

/* ---- who may have something ---- */

static void move_to_end(struct strvec *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], name)) {
			strvec_remove(names, i);
			break;
		}
	strvec_push(names, name);
}

static int find_remotes(struct repository *r, struct strvec *names)
{
	const struct config_entry *e = config_get(r->config, "extensions.partialclone");
	struct remotes *all;
	int rc = repo_remotes(r, &all, NULL);

	for (size_t i = 0; !rc && i < remotes_nr(all); i++)
		if (remotes_at(all, i)->promisor)
			strvec_push(names, remotes_at(all, i)->name);
	if (!rc && e && e->value && *e->value)
		move_to_end(names, e->value);
	return rc;
}

/* Without looking at all remotes, which most repositories need not: is one of them a promisor? */
static bool has_promisor(struct repository *r)
{
	for (size_t i = 0; i < config_nr(r->config); i++) {
		const char *key = config_at(r->config, i)->key;

		if (!strcmp(key, "extensions.partialclone") ||
		    (starts_with(key, "remote.") && ends_with(key, ".promisor")))
			return true;
	}
	return false;
}

/* ---- asking ---- */

static int lazy_fetch_ask(struct promised_fetcher *p, const char *remote,
			  const struct oid_array *missing)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf in = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	for (size_t i = 0; i < missing->nr; i++)
		strbuf_addf(&in, "%s\n", oid_hex(&missing->oid[i]));
	push_own_command(&cp.args, "fetch");
	strvec_push(&cp.args, "--promised");
	if (p->quiet)
		strvec_push(&cp.args, "--quiet");
	strvec_pushl(&cp.args, "--", remote, NULL);
	strvec_pushf(&cp.env, "GIT_DIR=%s", p->r->gitdir);
	strvec_push(&cp.env, "GIT_NO_LAZY_FETCH=1"); /* what a fetch needs itself is not fetched */
	cp.stdout_to_stderr = true;
	rc = pipe_command(&cp, in.buf, in.len, NULL, NULL, 0, &err);
	if (rc < 0)
		report_error(&err);
	strbuf_release(&in);
	return rc;
}

static void keep_missing(struct promised_fetcher *p, struct oid_array *missing)
{
	size_t nr = 0;

	for (size_t i = 0; i < missing->nr; i++)
		if (!odb_has(p->r->odb, &missing->oid[i]))
			missing->oid[nr++] = missing->oid[i];
	missing->nr = nr;
}

static void ask_all(struct promised_fetcher *p, struct oid_array *missing)
{
	if (p->forbidden && !p->told)
		warning("lazy fetching disabled; some objects may not be available");
	p->told |= p->forbidden;
	for (size_t i = 0; i < p->remotes.nr && missing->nr && !p->forbidden; i++) {
		(void)!lazy_fetch_ask(p, p->remotes.v[i], missing); /* it has said why; the next one may have them */
		keep_missing(p, missing);
	}
}

static int check_promised(struct promised_fetcher *p, const struct oid_array *missing, struct err *err)
{
	struct promises promises = { .repo = p->r };
	int rc = 0;

	for (size_t i = 0; !rc && i < missing->nr; i++) {
		rc = promises_has(&promises, &missing->oid[i], err);
		if (rc > 0)
			rc = err_set(err, ERR_IO, "could not fetch %s from promisor remote",
				     oid_hex(&missing->oid[i]));
	}
	promises_release(&promises);
	return rc;
}

static int lazy_fetch_fetch_missing(void *data, const struct oid_array *wanted, struct err *err)
{
	struct promised_fetcher *p = data;
	struct oid_array missing = OID_ARRAY_INIT;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	if (p->asking) {
		pthread_mutex_unlock(&p->lock);
		return 0;
	}
	p->asking = true;
	for (size_t i = 0; i < wanted->nr; i++)
		oid_array_append(&missing, &wanted->oid[i]);
	keep_missing(p, &missing); /* another thread may have asked just now */
	ask_all(p, &missing);
	if (missing.nr)
		rc = check_promised(p, &missing, err);
	p->asking = false;
	pthread_mutex_unlock(&p->lock);
	oid_array_clear(&missing);
	return rc;
}

/* ---- the whole ---- */

bool promised_fetch_is_forbidden(void)
{
	const char *no = getenv("GIT_NO_LAZY_FETCH");

	return no && config_parse_maybe_bool(no) != 0;
}

struct promised_fetcher *promised_fetcher_new(struct repository *r, bool on_read)
{
	struct promised_fetcher *p;
	pthread_mutexattr_t recursive;

	if (!has_promisor(r))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->r = r;
	strvec_init(&p->remotes);
	if (find_remotes(r, &p->remotes) < 0 || !p->remotes.nr) {
		strvec_clear(&p->remotes);
		free(p);
		return NULL;
	}
	p->forbidden = promised_fetch_is_forbidden();
	(void)!config_get_bool(r->config, "promisor.quiet", &p->quiet, NULL);
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&p->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	odb_set_fetch(r->odb, lazy_fetch_fetch_missing, p, on_read);
	return p;
}

void promised_fetcher_free(struct promised_fetcher *p)
{
	if (!p)
		return;
	odb_set_fetch(p->r->odb, NULL, NULL, false);
	pthread_mutex_destroy(&p->lock);
	strvec_clear(&p->remotes);
	free(p);
}
