/* SPDX-License-Identifier: GPL-2.0-only */
/* Bundles before a fetch: fetch.bundleURI of git-config(1). */
#include "compat/posix.h"
#include "porcelain/fetch-internal.h"

int fetch_get_bundles(struct repo_operation *op, struct repository *r, const struct fetch_options *o,
		      struct bundle_uri_result *out, struct err *err)
{
	const struct bundle_uri_options bo = {
		.download = { .config = r->config, .objdir = r->objdir, .shared_perm = r->settings.shared_perm,
			      .verbosity = o->verbosity },
		.wanted = { .fsck = o->wanted.fsck, .from_promisor = o->wanted.from_promisor, .meter = o->wanted.meter,
			    .meter_data = o->wanted.meter_data },
		.after = o->bundle_token,
	};

	return o->bundle_uri ? bundle_uri_get(r, op, o->bundle_uri, &bo, out, err) : 0;
}

int fetch_queue_bundles(struct ref_transaction *t, const struct bundle_uri_result *bundles, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < bundles->refs.nr; i++)
		rc = ref_transaction_update(t, bundles->refs.items[i].name, &bundles->refs.items[i].oid, NULL,
					    REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
	return rc;
}
