/* SPDX-License-Identifier: GPL-2.0-only */
/* Bundles before a clone: --bundle-uri of git-clone(1), and what the server has to say of them. */
#include "compat/posix.h"
#include "porcelain/clone/clone-internal.h"
#include "util/alloc.h"

static struct bundle_uri_options options_of(const struct clone *c)
{
	const struct fetch_wanted *w = &c->o->wanted;

	return (struct bundle_uri_options){
		.download = { .config = c->o->config, .objdir = c->r->objdir, .shared_perm = c->r->settings.shared_perm,
			      .verbosity = c->o->verbosity },
		.wanted = { .fsck = w->fsck, .from_promisor = c->o->filter != NULL, .borrowed = &c->borrowed, .meter = w->meter,
			    .meter_data = w->meter_data },
	};
}

/* A server that speaks of files of its own machine is believed only if that is ours. */
static int use_servers_list(struct clone *c, struct err *err)
{
	const char *base = c->remote->urls.v[0];
	struct bundle_uri_options o = options_of(c);
	struct bundle_list list = BUNDLE_LIST_INIT;
	struct strvec lines = STRVEC_INIT;
	struct err why = ERR_INIT;
	int rc = fetch_session_bundle_uri(c->session, &lines, err);

	o.download.foreign = !url_is_local_path(base) && !starts_with(base, "file://");
	if (!rc && lines.nr && bundle_list_read_lines(&list, &lines, base, &why) < 0)
		repo_warn(c->r, "the server's list of bundles: %s", err_message(&why));
	else if (!rc && lines.nr)
		rc = bundle_uri_get_list(c->r, c->op, &list, &o, &c->bundles, err);
	err_release(&why);
	strvec_clear(&lines);
	bundle_list_release(&list);
	return rc;
}

int clone_get_bundles(struct clone *c, struct err *err)
{
	const struct bundle_uri_options o = options_of(c);
	int rc = 0;

	if (c->o->bundle_uri)
		rc = bundle_uri_get(c->r, c->op, c->o->bundle_uri, &o, &c->bundles, err);
	else if (c->o->ask_for_bundles && fetch_session_can(c->session, "bundle-uri") &&
		 !fetch_wanted_deepens(&c->o->wanted))
		rc = use_servers_list(c, err);
	for (size_t i = 0; i < c->bundles.tips.nr; i++)
		oid_array_append(&c->borrowed, &c->bundles.tips.oid[i]);
	oid_array_sort_unique(&c->borrowed);
	return rc;
}

/* One that cannot be, because of another's name, is left out: they only make later fetches smaller. */
static int publish_refs(struct clone *c, struct err *err)
{
	const struct remote_refs *refs = &c->bundles.refs;
	struct ref_transaction *t = repo_operation_new_refs(c->op, REF_TRANSACTION_ALLOW_FAILURE);
	int rc = 0;

	for (size_t i = 0; !rc && i < refs->nr; i++)
		rc = ref_transaction_update(t, refs->items[i].name, &refs->items[i].oid, NULL,
					    REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	if (!rc)
		return repo_operation_publish(c->op, err);
	repo_operation_abort(c->op);
	return rc;
}

static int clone_bundles_stage_config(struct clone *c, struct err *err)
{
	char *token = xstrfmt("%" PRIu64, c->bundles.token);
	char *path = xstrfmt("%s/config", c->r->commondir);
	const struct config_edit edits[] = {
		{ .key = "fetch.bundleURI", .value = c->o->bundle_uri, .multi = true },
		{ .key = "fetch.bundleCreationToken", .value = token, .multi = true },
	};
	int rc = config_file_edit_all(path, edits, c->bundles.token ? 2 : 1, repo_operation_batch(c->op), err);

	free(path);
	free(token);
	return rc;
}

int clone_stage_bundles(struct clone *c, struct err *err)
{
	int rc = c->bundles.refs.nr ? publish_refs(c, err) : 0;

	if (!rc && c->o->bundle_uri && c->bundles.by_token)
		rc = clone_bundles_stage_config(c, err);
	return rc;
}
