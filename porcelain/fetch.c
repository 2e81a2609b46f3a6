/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of a fetch: the refs of the other side, what of them is wanted, the objects, what becomes of each ref, and
 * all of it at once.
 *
 * The objects get their names before the refs are judged, since whether a ref moves forward is a question to them;
 * the seal comes with the refs. A fetch that fails in between leaves objects that nothing names.
 */
#include "compat/posix.h"
#include "cli/cli.h"
#include "history/alternate-refs.h"
#include "history/revision/connected.h"
#include "porcelain/fetch-internal.h"
#include "porcelain/remote.h"
#include "util/alloc.h"
#include "util/path.h"

struct fetch_run {
	struct repository *r;
	struct remote *remote;
	struct fetch_options *o;
	char *url; /* as users see it */
	struct strvec merge; /* branch.<name>.merge, if the current branch's remote is this one */
	bool merges_elsewhere; /* it has some, and another remote */
	struct fetch_choice choice;
	struct remote_refs refs;
	struct fetch_map map;
	struct fetch_rows rows;
	struct strvec pruned;
	struct fetch_session *session;
	struct bundle_uri_result bundles;
	struct oid_array checked; /* what a helper has brought */
	struct fetch_result results[2]; /* the second: of tags that did not come with the first */
	size_t nr_results;
	struct repo_operation *op;
	struct fetch_head head;
	bool refused;  /* the transaction of --atomic met a name in the way, or a lock */
	char *warning; /* why --set-upstream had no effect; NULL */
};

/* ---- the other side ---- */

static int fetch_end_session(struct fetch_run *f, int rc, struct err *err)
{
	struct fetch_session *s = f->session;

	f->session = NULL;
	return fetch_session_end(s, rc, err);
}

static int fetch_list_refs(struct fetch_run *f, struct err *err)
{
	struct strvec prefixes = STRVEC_INIT;
	int rc;

	fetch_choice_prefixes(&f->choice, &prefixes);
	rc = fetch_session_refs(f->session, &prefixes, &f->refs, err);
	strvec_clear(&prefixes);
	/* A remote helper lists them as it likes. */
	if (!rc && fetch_session_is_helper(f->session))
		remote_refs_sort(&f->refs);
	return rc ? rc : fetch_session_check_fetch(f->session, err);
}

/* A bundle has what it has. */
static void warn_ignored(const struct fetch_run *f)
{
	const struct fetch_wanted *w = &f->o->wanted;
	const struct { bool given; const char *name; } options[] = {
		{ w->depth != 0, "depth" }, { w->deepen_since != 0, "deepen-since" },
		{ w->deepen_not && w->deepen_not->nr, "deepen-not" }, { w->deepen_relative, "deepen-relative" },
		{ w->update_shallow, "updateshallow" }, { w->filter && w->filter->nr, "filter" },
		{ w->from_promisor, "from-promisor" }, { w->refetch, "refetch" },
	};

	if (!fetch_session_bundle(f->session) || !f->o->warn)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given) {
			char *text = xstrfmt("option \"%s\" is ignored for %s", options[i].name,
					     f->remote->urls.v[0]);

			f->o->warn(f->o->data, text);
			free(text);
		}
}

/* ---- wanted refs and objects ---- */

static void find_merges(struct fetch_run *f)
{
	const struct config_entry *const *values;
	const struct config_entry *e;
	struct object_id oid;
	char *target = NULL, *key;
	const char *branch;
	size_t nr = 0;

	if (ref_read_raw(f->r->refs, "HEAD", &oid, &target, NULL) < 0 || !target ||
	    !skip_prefix(target, "refs/heads/", &branch)) {
		free(target);
		return;
	}
	key = xstrfmt("branch.%s.remote", branch);
	e = config_get(f->r->config, key);
	free(key);
	if (e && e->value) {
		key = xstrfmt("branch.%s.merge", branch);
		values = config_get_all(f->r->config, key, &nr);
		f->merges_elsewhere = nr && strcmp(e->value, f->remote->name) != 0;
		for (size_t i = 0; i < nr && !f->merges_elsewhere; i++)
			if (values[i]->value)
				strvec_push(&f->merge, values[i]->value);
		free(key);
	}
	free(target);
}

/* With --prune-tags it is as if the remote had a refspec for them; with a URL, as if the command line had it. */
static int add_tags_to_prune(struct fetch_run *f, struct err *err)
{
	bool is_url = f->remote->origin == REMOTE_UNCONFIGURED;

	if (f->o->prune_tags <= 0 || f->o->given.nr)
		return 0;
	return refspec_add(is_url ? &f->o->given : &f->remote->fetch, "refs/tags/*:refs/tags/*", f->r->algo, err);
}

static int fetch_choose(struct fetch_run *f, struct err *err)
{
	find_merges(f);
	f->choice = (struct fetch_choice){
		.remote = f->remote, .given = &f->o->given, .refmap = f->o->has_refmap ? &f->o->refmap : NULL,
		.merge = &f->merge, .tags = f->o->tags != REMOTE_TAGS_DEFAULT ? f->o->tags : f->remote->tags,
		.merges_elsewhere = f->merges_elsewhere, .prefetch = f->o->prefetch, .follow = f->r, .here = f->r,
	};
	return add_tags_to_prune(f, err);
}

/* A destination as --prefetch has it; of one that is not fetched there is nothing to prune. */
static int add_pruning(struct refspec *rs, const struct refspec_item *item, const struct fetch_run *f, struct err *err)
{
	const char *rest;
	char *text;
	int rc;

	if (!f->o->prefetch || !item->dst)
		return refspec_add(rs, item->text, f->r->algo, err);
	if (!skip_prefix(item->dst, "refs/", &rest) || starts_with(rest, "tags/"))
		return 0;
	text = xstrfmt("%s:refs/prefetch/%s", item->src, rest);
	rc = refspec_add(rs, text, f->r->algo, err);
	free(text);
	return rc;
}

/* Only what the refspecs say is pruned. */
static int decide_pruned(struct fetch_run *f, struct err *err)
{
	const struct refspec *from = f->o->given.nr ? &f->o->given : &f->remote->fetch;
	struct refspec rs = REFSPEC_INIT(REFSPEC_FETCH);
	int rc = 0;

	if (f->o->prune <= 0)
		return 0;
	for (size_t i = 0; !rc && i < from->nr; i++)
		rc = add_pruning(&rs, &from->items[i], f, err);
	if (!rc)
		rc = fetch_decide_pruned(&f->rows, f->r, &rs, &f->refs, &f->pruned, err);
	if (!rc)
		rc = remote_find_dangling(f->r, &f->pruned, &f->rows.dangling, err);
	refspec_release(&rs);
	return rc;
}

/* ---- the objects ---- */

static int drop_known(struct fetch_run *f, struct oid_array *wants, struct err *err)
{
	size_t nr = 0;
	int rc;

	if (!fetch_session_is_helper(f->session))
		return fetch_drop_present(f->r, f->o->wanted.from_promisor, &f->bundles.tips, wants, err);
	rc = fetch_drop_named(f->r, wants, err);
	for (size_t i = 0; !rc && i < wants->nr; i++)
		if (!oid_array_contains(&f->checked, &wants->oid[i]))
			wants->oid[nr++] = wants->oid[i];
	if (!rc)
		wants->nr = nr;
	return rc;
}

static void say_incomplete(struct fetch_run *f, const struct err *why)
{
	char *text = xstrfmt("%s did not send all necessary objects", f->url);

	if (f->o->say_error) {
		f->o->say_error(f->o->data, err_message(why));
		f->o->say_error(f->o->data, text);
	}
	free(text);
}

/* What our refs lead to counts as complete, and is not asked for. 1: one of them cannot be read, which has been said. */
static int check_own_refs(struct fetch_run *f, struct err *err)
{
	struct hidden_refs hidden = HIDDEN_REFS_INIT;
	struct err why = ERR_INIT;
	int rc = hidden_refs_read(&hidden, f->r->config, "fetch", &why);

	if (!rc)
		rc = refs_check_readable(f->r, &hidden, "", &why);
	if (rc > 0)
		say_incomplete(f, &why);
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	hidden_refs_release(&hidden);
	return rc;
}

/* What bundles have brought, and what our alternates have. */
static int find_borrowed(struct fetch_run *f, struct oid_array *out, struct err *err)
{
	for (size_t i = 0; i < f->bundles.tips.nr; i++)
		oid_array_append(out, &f->bundles.tips.oid[i]);
	return alternate_refs_collect(f->r, out, err);
}

/* Sends one request for the missing objects of the map. *asked: there were some. */
static int fetch_get_objects(struct fetch_run *f, bool *asked, struct err *err)
{
	struct fetch_wanted w = f->o->wanted;
	struct fetch_result *result = &f->results[f->nr_results];
	struct remote_refs sought = REMOTE_REFS_INIT;
	struct oid_array wants = OID_ARRAY_INIT, borrowed = OID_ARRAY_INIT;
	int rc = 0;

	fetch_map_wants(&f->map, &wants);
	if (!w.refetch && !fetch_wanted_deepens(&w))
		rc = drop_known(f, &wants, err);
	*asked = !rc && wants.nr;
	if (*asked)
		rc = find_borrowed(f, &borrowed, err);
	if (*asked && !rc) {
		for (size_t i = 0; w.from_promisor && i < f->map.nr; i++)
			remote_refs_add(&sought, f->map.items[i].src)->oid = f->map.items[i].oid;
		w.oids = &wants;
		w.sought = &sought;
		w.borrowed = &borrowed;
		w.thin = true;
		w.include_tag = fetch_choice_follows_tags(&f->choice);
		fetch_result_init(result);
		f->nr_results++;
		rc = fetch_session_get(f->session, &w, f->op, f->r, result, err);
		for (size_t i = 0; i < wants.nr; i++)
			oid_array_append(&f->checked, &wants.oid[i]);
	}
	oid_array_clear(&borrowed);
	oid_array_clear(&wants);
	remote_refs_release(&sought);
	return rc;
}

/* They can be read from now on. */
static int get_and_show(struct fetch_run *f, struct err *err)
{
	bool asked = false;
	int rc = fetch_get_objects(f, &asked, err);

	rc = fetch_end_session(f, rc, err);
	return rc || !asked ? rc : repo_operation_show_objects(f->op, err);
}

/* Tags of what has come that are not here themselves: the server cannot send tags by itself. */
static int get_tags(struct fetch_run *f, struct err *err)
{
	size_t first = f->map.nr;
	bool missing = false;
	int rc = 0;

	if (!fetch_choice_follows_tags(&f->choice))
		return 0;
	/* It is asked about each tag there, and does not look again for each: a pack that has come must be known. */
	if (f->nr_results)
		(void)odb_refresh(f->r->odb, ODB_OWN);
	fetch_map_backfill_tags(&f->map, &f->refs, f->r);
	for (size_t i = first; i < f->map.nr; i++)
		missing |= !odb_has(f->r->odb, &f->map.items[i].oid);
	if (missing) {
		f->o->wanted.depth = 0;
		f->o->wanted.deepen_since = 0;
		f->o->wanted.deepen_not = NULL;
		rc = fetch_open_session(&f->session, f->remote, f->o, err);
		if (!rc)
			rc = get_and_show(f, err);
	}
	return rc ? rc : fetch_decide(&f->rows, f->r, &f->map, first, f->o, err);
}

/* Refs that would need the other side's own boundary do not move. */
static void drop_rejected(struct fetch_run *f)
{
	struct oid_array *rejected = f->nr_results ? &f->results[0].rejected : NULL;
	size_t nr = 0;

	if (!rejected || !rejected->nr)
		return;
	for (size_t i = 0; i < f->map.nr; i++) {
		struct fetch_item *item = &f->map.items[i];

		if (!oid_array_contains(rejected, &item->oid)) {
			f->map.items[nr++] = *item;
			continue;
		}
		if (f->o->warn) {
			char *text = xstrfmt("rejected %s because shallow roots are not allowed to be updated",
					     item->src);

			f->o->warn(f->o->data, text);
			free(text);
		}
		f->rows.any_rejected = true;
		free(item->src);
		free(item->dst);
	}
	f->map.nr = nr;
}

/* Marks refs that lead to no commit as not for merge. */
static void keep_from_merging(struct fetch_run *f)
{
	for (size_t i = 0; i < f->map.nr; i++) {
		struct fetch_item *item = &f->map.items[i];
		struct object_id oid;
		struct err why = ERR_INIT;

		if (item->status == FETCH_HEAD_MERGE &&
		    object_peel(odb_source(f->r->odb), &item->oid, OBJ_COMMIT, &oid, NULL, &why) < 0)
			item->status = FETCH_HEAD_NOT_FOR_MERGE;
		err_release(&why);
	}
}

/* ---- the refs ---- */

/* From now on the remote owes us what it has left out; and which bundles are here. */
static int fetch_stage_config(struct fetch_run *f, struct err *err)
{
	char *promisor = xstrfmt("remote.%s.promisor", f->remote->name);
	char *filter = xstrfmt("remote.%s.partialclonefilter", f->remote->name);
	char *token = xstrfmt("%" PRIu64, f->bundles.token);
	char *path = xstrfmt("%s/config", f->r->commondir);
	const struct config_edit edits[] = {
		{ .key = "fetch.bundlecreationtoken", .value = token, .multi = true },
		{ .key = "core.repositoryformatversion", .value = "1", .multi = true },
		{ .key = promisor, .value = "true", .multi = true },
		{ .key = filter, .value = f->o->new_filter, .multi = true },
	};
	/* Bundles whose refs are not kept count as not fetched. */
	bool has_bundles = f->bundles.token > f->o->bundle_token && !f->o->atomic;
	size_t from = has_bundles ? 0 : 1, to = f->o->new_filter ? ARRAY_SIZE(edits) : 1;
	int rc = from == to ? 0 :
		config_file_edit_all(path, edits + from, to - from, repo_operation_batch(f->op), err);

	free(path);
	free(token);
	free(filter);
	free(promisor);
	return rc;
}

/* As in Git, neither HEAD of the remote nor the upstream follows a fetch of which a ref was rejected. */
static bool follows_head(const struct fetch_run *f)
{
	return !f->o->given.nr && f->remote->fetch.nr && f->remote->origin != REMOTE_UNCONFIGURED && !f->o->prefetch && !f->rows.any_rejected;
}

static int follow_upstream(struct fetch_run *f, struct repo_operation *op, struct err *err)
{
	if (!f->o->set_upstream || f->rows.any_rejected)
		return 0;
	return fetch_stage_upstream(op, f->r, f->remote, &f->map, &f->warning, err);
}

static int stage_refs(struct fetch_run *f, struct ref_transaction **t, struct err *err)
{
	int rc = repo_operation_begin_refs(f->op, f->o->atomic ? 0 : REF_TRANSACTION_ALLOW_FAILURE, t, err);

	if (!rc)
		rc = fetch_queue(&f->rows, *t, f->o->reflog_action, err);
	if (!rc && follows_head(f))
		fetch_decide_head(f->r, f->remote, &f->refs, &f->pruned, &f->head);
	if (!rc && !f->o->no_fetch_head)
		rc = fetch_stage_head(f->op, f->r, &f->map, f->url, f->o->append, err);
	/* What all refs depend on has to be taken, or left; these do not matter so much. */
	if (!rc && !f->o->atomic)
		rc = fetch_queue_bundles(*t, &f->bundles, err);
	if (!rc)
		rc = fetch_stage_config(f, err);
	if (!rc)
		rc = follow_upstream(f, f->op, err);
	return rc;
}

static bool pruned_is_in_the_way(const struct fetch_run *f)
{
	for (size_t k = 0; k < f->pruned.nr; k++)
		for (size_t i = 0; i < f->map.nr; i++)
			if (f->map.items[i].dst && paths_nest(f->pruned.v[k], f->map.items[i].dst))
				return true;
	return false;
}

/*
 * One transaction cannot have refs/x go and refs/x/y come. Then what goes is an operation of its own, before, as
 * everywhere in Git: --prune has its effect even if the fetch then fails.
 */
static int prune_first(struct fetch_run *f, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc;

	if (f->o->dry_run || f->o->atomic || !pruned_is_in_the_way(f))
		return 0;
	rc = repo_operation_begin_refs(f->op, REF_TRANSACTION_ALLOW_FAILURE, &t, err);
	if (!rc)
		rc = fetch_queue(&f->rows, t, f->o->reflog_action, err);
	if (!rc)
		rc = repo_operation_commit(f->op, err);
	if (!rc)
		fetch_note_results(&f->rows, t, f->o);
	for (size_t i = 0; i < f->rows.nr; i++)
		f->rows.rows[i].queued = -1;
	return rc;
}

/* Publishes the refs, then FETCH_HEAD. With --atomic, one rejected ref gives all of them up; the table has the reason. */
static int update_refs(struct fetch_run *f, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc;

	if (f->o->dry_run || (f->o->atomic && f->rows.any_rejected)) {
		repo_operation_abort(f->op);
		return follow_upstream(f, NULL, err);
	}
	rc = stage_refs(f, &t, err);
	if (rc < 0) {
		repo_operation_abort(f->op);
		return rc;
	}
	rc = f->head.ref ? repo_operation_publish(f->op, err) : repo_operation_commit(f->op, err);
	f->refused = f->o->atomic && (rc == ERR_CONFLICT || rc == ERR_LOCKED);
	if (!rc)
		fetch_note_results(&f->rows, t, f->o);
	return rc || !f->head.ref ? rc : fetch_commit_head(f->op, &f->head, err);
}

static void tell_conflict(const struct fetch_run *f)
{
	char *text;

	if (!f->rows.any_conflict || !f->o->say_error)
		return;
	text = xstrfmt("some local refs could not be updated; try running\n"
		       " 'git remote prune %s' to remove any old, conflicting branches", f->remote->name);
	f->o->say_error(f->o->data, text);
	free(text);
}

static void tell_head(const struct fetch_run *f)
{
	const char *remote = f->remote->name, *there = f->head.there;

	if (!f->head.word || f->o->verbosity < 0)
		return;
	fputs(f->head.word, stdout);
	advise_if_enabled(f->r, "fetchRemoteHEADWarn",
			  "Run 'git remote set-head %s %s' to follow the change, or set\n"
			  "'remote.%s.followRemoteHEAD' configuration option to a different value\n"
			  "if you do not want to see this message. Specifically running\n"
			  "'git config set remote.%s.followRemoteHEAD warn-if-not-branch-%s'\n"
			  "will disable the warning until the remote changes HEAD to something else.",
			  remote, there, remote, remote, there);
}

/* As in Git, after the rows of pruned refs. */
static void warn_between(void *data)
{
	const struct fetch_run *f = data;

	if (f->warning && f->o->warn)
		f->o->warn(f->o->data, f->warning);
	tell_conflict(f);
	tell_head(f);
}

static int fetch_all(struct fetch_run *f, struct err *err)
{
	int rc = f->o->dry_run ? 0 : fetch_get_bundles(f->op, f->r, f->o, &f->bundles, err);

	if (!rc)
		rc = fetch_open_session(&f->session, f->remote, f->o, err);
	if (!rc)
		warn_ignored(f);
	if (!rc)
		rc = fetch_list_refs(f, err);
	/* As in Git, the refspec that --prune-tags adds for a URL counts, too. */
	if (!rc && f->o->has_refmap && !f->o->given.nr)
		rc = err_set(err, ERR_INVALID, "--refmap option is only meaningful with command-line refspec(s)");
	if (!rc)
		rc = fetch_map_make(&f->map, &f->refs, &f->choice, f->o->warn, f->o->data, err);
	if (!rc && !f->o->update_head_ok)
		rc = fetch_check_places(f->r, &f->map, err);
	if (!rc && f->map.nr)
		rc = check_own_refs(f, err);
	if (rc)
		return fetch_end_session(f, rc, err);
	rc = get_and_show(f, err);
	if (!rc) {
		drop_rejected(f);
		keep_from_merging(f);
		rc = decide_pruned(f, err);
	}
	if (!rc)
		rc = prune_first(f, err);
	if (!rc)
		rc = fetch_decide(&f->rows, f->r, &f->map, 0, f->o, err);
	/* As in Git, a fetch of which a ref was rejected brings no further tags. */
	if (!rc && !f->rows.any_rejected)
		rc = get_tags(f, err);
	return rc ? rc : update_refs(f, err);
}

/* As in Git. Tables have one lock for all refs; its message names no ref. */
static int exit_code_refused(int rc, const struct err *err)
{
	if (rc == ERR_CONFLICT)
		return 254;
	return starts_with(err_message(err), "cannot lock references") ? 251 : 253;
}

/* As in Git, the table comes although no ref has changed, and the error after it. Returns the exit code. */
static int show_refused(struct fetch_run *f, int rc, struct err *err)
{
	int code = exit_code_refused(rc, err);

	fetch_show(&f->rows, f->r, f->url, f->o, warn_between, f);
	if (f->o->say_error)
		f->o->say_error(f->o->data, err_message(err));
	err_release(err);
	return code;
}

static void release_run(struct fetch_run *f)
{
	for (size_t i = 0; i < f->nr_results; i++)
		fetch_result_release(&f->results[i]);
	bundle_uri_result_release(&f->bundles);
	oid_array_clear(&f->checked);
	strvec_clear(&f->merge);
	strvec_clear(&f->pruned);
	remote_refs_release(&f->refs);
	fetch_map_release(&f->map);
	free(f->rows.rows);
	strvec_clear(&f->rows.dangling);
	free(f->head.ref);
	free(f->head.target);
	free(f->head.word);
	free(f->head.there);
	free(f->warning);
	free(f->url);
}

int fetch_from(struct repository *r, struct remote *remote, struct fetch_options *o, struct err *err)
{
	struct fetch_run f = { .r = r, .remote = remote, .o = o, .merge = STRVEC_INIT, .refs = REMOTE_REFS_INIT,
			       .map = FETCH_MAP_INIT, .rows = FETCH_ROWS_INIT, .pruned = STRVEC_INIT };
	int rc;

	f.url = fetch_display_url(remote->urls.v[0]);
	f.op = repo_operation_begin(r);
	rc = fetch_choose(&f, err);
	if (!rc)
		rc = fetch_all(&f, err);
	if (rc)
		repo_operation_abort(f.op);
	if (!rc) {
		fetch_show(&f.rows, r, f.url, o, warn_between, &f);
		rc = f.rows.any_rejected;
	} else if (f.refused) {
		rc = show_refused(&f, rc, err);
	}
	repo_operation_free(f.op);
	release_run(&f);
	return rc;
}
