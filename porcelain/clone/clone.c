/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of a clone: what the other side has and what of it comes; then a repository for it, the objects, the refs,
 * the files, and the end of the one operation. The repository is made when everything is known that its
 * configuration says, so that it is written once.
 */
#include "compat/posix.h"
#include "porcelain/clone/clone-internal.h"
#include "porcelain/head.h"
#include "porcelain/lazy-fetch.h"
#include "repo/hook.h"
#include "repo/init.h"
#include "util/alloc.h"

/* ---- the other side ---- */

static int open_session(struct clone *c, const struct remote *from, struct err *err)
{
	struct connect_options co = c->o->connect;
	struct fetch_session_options so = c->o->session;

	if (!co.program || from != c->remote)
		co.program = from->upload_pack;
	co.remote_name = from->name;
	co.gitdir = c->r ? c->r->gitdir : NULL;
	co.vcs = from->vcs;
	if (from != c->remote)
		so.server_options = NULL;
	so.configured_options = &from->server_options;
	so.url = c->local ? c->o->source : from->urls.v[0];
	return fetch_session_open_url(&c->session, so.url, &co, &so, err);
}

static int clone_end_session(struct clone *c, int rc, struct err *err)
{
	struct fetch_session *s = c->session;

	c->session = NULL;
	return fetch_session_end(s, rc, err);
}

static int clone_list_refs(struct clone *c, struct err *err)
{
	struct strvec prefixes = STRVEC_INIT;
	int rc;

	c->algo = fetch_session_algo(c->session);
	clone_add_prefixes(c, &prefixes);
	strvec_sort_prefixes(&prefixes);
	rc = fetch_session_refs(c->session, &prefixes, &c->refs, err);
	strvec_clear(&prefixes);
	/* A remote helper lists them as it likes. */
	if (!rc && fetch_session_is_helper(c->session))
		remote_refs_sort(&c->refs);
	return rc ? rc : fetch_session_check_fetch(c->session, err);
}

static int clone_ask(struct clone *c, struct err *err)
{
	int rc = clone_make_remote(c, err);

	if (!rc && c->local)
		rc = repo_check_owner(c->o->source_common, err);
	if (!rc)
		rc = open_session(c, c->remote, err);
	if (!rc && fetch_session_bundle(c->session) && fetch_session_bundle(c->session)->filter)
		rc = err_set(err, ERR_UNSUPPORTED, "cannot clone from filtered bundle");
	if (!rc)
		rc = clone_list_refs(c, err);
	if (!rc)
		rc = clone_choose(c, err);
	return rc;
}

/* ---- our side ---- */

static int open_made(struct clone *c, struct repo_init_result *made, struct err *err)
{
	int rc = repo_open_at(&c->r, made->gitdir, c->o->place.worktree, err);

	if (rc < 0)
		return rc;
	c->r->warn = c->o->warn;
	c->r->report_error = c->o->report_error;
	c->r->warn_data = c->o->data;
	c->op = repo_operation_begin_with(c->r, made->batch);
	made->batch = NULL;
	return 0;
}

/* git-sparse-checkout(1), cone mode: the files of the top, and no directory. */
#define SPARSE_CONFIG "[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n"
#define SPARSE_TOP "/*\n!/*/\n"

static int make_repository(struct clone *c, struct err *err)
{
	const struct clone_place *p = &c->o->place;
	struct clone_config cc = CLONE_CONFIG_INIT;
	struct strbuf alternates = STRBUF_INIT;
	struct repo_init_file files[] = {
		{ "objects/info/alternates", NULL },
		{ "config.worktree", c->o->sparse ? SPARSE_CONFIG : NULL },
		{ "info/sparse-checkout", c->o->sparse ? SPARSE_TOP : NULL },
	};
	struct repo_init_options io = {
		.gitdir = p->gitdir, .worktree = p->worktree, .separate_git_dir = p->separate_git_dir,
		.template_dir = c->o->template_dir, .ref_format = c->o->ref_format, .hash_name = c->algo->name, .unsealed = true,
		.made_from = p->made_from, .made_dir = p->made_dir, .explicit_worktree = p->explicit_worktree,
		.warn = c->o->warn, .warn_data = c->o->data,
	};
	struct repo_init_result made = { .gitdir = NULL };
	int rc = clone_alternates(c, &alternates, err);

	clone_config_make(&cc, c);
	io.config = cc.edits;
	io.nr_config = cc.nr;
	files[0].text = alternates.buf;
	io.files = files;
	io.nr_files = ARRAY_SIZE(files);
	if (c->branch)
		(void)skip_prefix(c->branch, "refs/heads/", &io.initial_branch);
	if (!rc)
		rc = repo_init(&io, &made, err);
	if (!rc)
		rc = open_made(c, &made, err);
	repo_init_result_release(&made);
	clone_config_release(&cc);
	strbuf_release(&alternates);
	return rc;
}

/* ---- the objects ---- */

static void collect_wants(struct clone *c, struct oid_array *wants, struct remote_refs *sought)
{
	bool head_comes = !oid_is_null(&c->head) && (c->detached || !c->o->branch);

	if (head_comes)
		remote_refs_add(sought, "HEAD")->oid = c->head;
	for (size_t i = 0; i < c->map.nr; i++)
		remote_refs_add(sought, c->map.items[i].src)->oid = c->map.items[i].oid;
	for (size_t i = 0; i < sought->nr; i++) {
		const struct object_id *oid = &sought->items[i].oid;

		if (fetch_wanted_deepens(&c->o->wanted) || !oid_array_contains(&c->borrowed, oid) ||
		    !odb_has(c->r->odb, oid))
			oid_array_append(wants, oid);
	}
	oid_array_sort_unique(wants);
}

static int fetch_objects(struct clone *c, struct err *err)
{
	struct fetch_wanted w = c->o->wanted;
	struct remote_refs sought = REMOTE_REFS_INIT;
	struct oid_array wants = OID_ARRAY_INIT;
	int rc = clone_find_borrowed(c, err);

	/* A remote helper fetches into a repository, which was not there yet: other helpers than our own are started anew. */
	if (!rc && fetch_session_is_helper(c->session) && !fetch_session_use_gitdir(c->session, c->r->gitdir))
		rc = clone_end_session(c, 0, err);
	if (!rc)
		rc = clone_get_bundles(c, err);
	if (!rc)
		collect_wants(c, &wants, &sought);
	w.borrowed = &c->borrowed;
	w.oids = &wants;
	w.sought = &sought;
	w.update_shallow = true;
	w.keep = w.thin = true; /* there are servers that insist on the latter, and then send whole packs */
	w.from_promisor = c->o->filter != NULL;
	w.cloning = true;
	w.include_tag = clone_follows_tags(c);
	if (!rc && wants.nr && !c->session)
		rc = open_session(c, c->remote, err);
	if (!rc && wants.nr)
		rc = fetch_session_get(c->session, &w, c->op, c->r, &c->result, err);
	rc = clone_end_session(c, rc, err);
	oid_array_clear(&wants);
	remote_refs_release(&sought);
	return rc;
}

static int clone_get_objects(struct clone *c, struct err *err)
{
	int rc = 0;

	/* All objects are at hand then, but later fetches use the refs of bundles, too. */
	if (c->local && c->o->bundle_uri)
		rc = clone_get_bundles(c, err);
	if (!c->local)
		rc = fetch_objects(c, err);
	else
		rc = clone_end_session(c, rc ||
				       c->o->objects == CLONE_SHARED ? rc : clone_copy_objects(c,
											       err), err);
	if (!rc && !c->map.nr && oid_is_null(&c->head))
		c->o->warn(c->o->data, "You appear to have cloned an empty repository.");
	if (!rc && c->local && c->o->verbosity >= 0)
		c->o->say(c->o->data, "done.\n");
	/* They can be read from now on. */
	return rc ? rc : repo_operation_show_objects(c->op, err);
}

/* ---- the files ---- */

static void advise_detached(struct clone *c)
{
	char *text;

	if (!advice_enabled(c->r, "detachedHead"))
		return;
	text = head_detached_advice(oid_hex(&c->head));
	c->o->say(c->o->data, text);
	free(text);
}

/* Into the same operation. */
static int get_from(struct clone *c, const struct remote *from, const struct oid_array *missing, struct err *err)
{
	int rc = open_session(c, from, err);

	if (rc < 0)
		return rc;
	ALLOC_GROW(c->more, c->nr_more + 1, c->alloc_more);
	c->more[c->nr_more] = xmalloc(sizeof(**c->more));
	fetch_result_init(c->more[c->nr_more]);
	rc = promised_get(c->session, c->r, missing, &c->o->wanted, c->op, c->more[c->nr_more++], err);
	c->session = NULL;
	return rc ? rc : repo_operation_show_objects(c->op, err);
}

static void drop_present(const struct clone *c, struct oid_array *oids)
{
	size_t nr = 0;

	for (size_t i = 0; i < oids->nr; i++)
		if (!odb_has(c->r->odb, &oids->oid[i]))
			oids->oid[nr++] = oids->oid[i];
	oids->nr = nr;
}

/* Other promisor remotes of the configuration may have what this one has not. */
static void ask_others(struct clone *c, struct oid_array *missing)
{
	for (size_t i = 0; i < remotes_nr(c->remotes) && missing->nr; i++) {
		const struct remote *m = remotes_at(c->remotes, i);

		if (!m->promisor || !m->urls.nr || !strcmp(m->name, c->o->origin))
			continue;
		(void)!get_from(c, m, missing, NULL);
		drop_present(c, missing);
	}
}

/* What the files of a partial clone need. */
static int clone_fetch_missing(void *data, const struct oid_array *wanted, struct err *err)
{
	struct oid_array missing = OID_ARRAY_INIT;
	struct err why = ERR_INIT;
	struct clone *c = data;
	int rc;

	if (c->session || !pthread_equal(c->thread, pthread_self()))
		return 0;
	for (size_t i = 0; i < wanted->nr; i++)
		oid_array_append(&missing, &wanted->oid[i]);
	rc = get_from(c, c->remote, &missing, &why);
	drop_present(c, &missing);
	ask_others(c, &missing);
	if (missing.nr && rc < 0)
		err_move(err, &why);
	else if (missing.nr)
		rc = err_set(err, ERR_IO, "could not fetch %s from promisor remote", oid_hex(&missing.oid[0]));
	else
		rc = 0;
	err_release(&why);
	oid_array_clear(&missing);
	return rc;
}

static int clone_write_files(struct clone *c, struct err *err)
{
	int rc;

	c->thread = pthread_self();
	if (c->o->filter && !promised_fetch_is_forbidden())
		odb_set_fetch(c->r->odb, clone_fetch_missing, c, true);
	rc = clone_checkout(c, err);
	odb_set_fetch(c->r->odb, NULL, NULL, false);
	return rc;
}

/* 1: the files have been written; 0: there are none to be. < 0 leaves the operation as it was. */
static int check_out(struct clone *c, struct err *err)
{
	if (c->bare || c->o->no_checkout)
		return 0;
	if (oid_is_null(&c->head)) {
		if (c->map.nr)
			c->o->warn(c->o->data, "remote HEAD refers to nonexistent ref, unable to checkout");
		return 0;
	}
	if (c->detached)
		advise_detached(c);
	return clone_write_files(c, err) < 0 ? ERR_IO : 1;
}

static int run_hook(struct clone *c, struct err *err)
{
	char *none = xstrdup(oid_hex(&c->algo->null_oid));
	const char *args[] = { none, oid_hex(&c->head), "1", NULL };
	int rc;

	rc = repo_run_hook(c->r, "post-checkout", NULL, args, NULL, err);
	free(none);
	return rc;
}

/* ---- all of it ---- */

static int clone_fill(struct clone *c, struct err *err)
{
	struct err why = ERR_INIT;
	int files, rc = clone_get_objects(c, err);

	if (!rc)
		rc = clone_stage_bundles(c, err);
	if (!rc)
		rc = clone_stage_refs(c, err);
	if (rc < 0)
		return rc;
	files = check_out(c, &why);
	rc = repo_operation_commit(c->op, err);
	if (!rc && c->o->dissociate)
		rc = clone_dissociate(c, err);
	if (!rc && files > 0)
		rc = run_hook(c, err);
	if (!rc && files < 0) {
		err_move(err, &why);
		rc = CLONE_NO_CHECKOUT;
	}
	err_release(&why);
	return rc;
}

static void release(struct clone *c)
{
	if (c->op)
		repo_operation_abort(c->op);
	repo_operation_free(c->op);
	fetch_result_release(&c->result);
	for (size_t i = 0; i < c->nr_more; i++) {
		fetch_result_release(c->more[i]);
		free(c->more[i]);
	}
	free(c->more);
	bundle_uri_result_release(&c->bundles);
	if (c->has_index)
		index_release(&c->ix);
	repo_free(c->r);
	oid_array_clear(&c->borrowed);
	fetch_map_release(&c->map);
	remote_refs_release(&c->refs);
	remotes_free(c->remotes);
	free(c->default_branch);
}

int clone_repository(const struct clone_options *o, struct err *err)
{
	struct clone c = { .o = o, .bare = !o->place.worktree, .local = o->objects != CLONE_BY_TRANSPORT,
			   .refs = REMOTE_REFS_INIT, .map = FETCH_MAP_INIT, .none = REFSPEC_INIT(REFSPEC_FETCH) };
	int rc;

	fetch_result_init(&c.result);
	rc = clone_ask(&c, err);
	if (!rc)
		rc = make_repository(&c, err);
	if (!rc)
		rc = clone_fill(&c, err);
	if (c.session)
		rc = clone_end_session(&c, rc ? rc : ERR_ABORTED, err);
	release(&c);
	return rc;
}
