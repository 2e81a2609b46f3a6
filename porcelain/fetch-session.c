/* SPDX-License-Identifier: GPL-2.0-only */
/* A session with a remote, and what needs no more than that. */
#include "compat/posix.h"
#include "porcelain/fetch-internal.h"

int fetch_open_session(struct fetch_session **out, const struct remote *remote, const struct fetch_options *o,
		       struct err *err)
{
	struct connect_options co = o->connect;
	struct fetch_session_options so = o->session;

	if (!co.program)
		co.program = remote->upload_pack;
	so.url = remote->urls.v[0];
	co.gitdir = o->gitdir;
	co.vcs = remote->vcs;
	co.remote_name = remote->origin == REMOTE_UNCONFIGURED ? NULL : remote->name;
	so.configured_options = &remote->server_options;
	return fetch_session_open_url(out, so.url, &co, &so, err);
}

int fetch_negotiate(struct repository *r, const struct remote *remote, const struct fetch_options *o,
		    struct oid_array *common, struct err *err)
{
	struct oid_array none = OID_ARRAY_INIT;
	struct fetch_wanted w = o->wanted;
	struct fetch_session *s = NULL;
	struct fetch_result result;
	int rc = fetch_open_session(&s, remote, o, err);

	w.oids = &none;
	w.negotiate_only = true;
	fetch_result_init(&result);
	if (!rc)
		rc = fetch_session_get(s, &w, NULL, r, &result, err);
	rc = fetch_session_end(s, rc, err);
	for (size_t i = 0; !rc && i < result.common.nr; i++)
		oid_array_append(common, &result.common.oid[i]);
	fetch_result_release(&result);
	return rc;
}
