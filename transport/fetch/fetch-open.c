/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a session with the server or the bundle at a URL. */
#include "compat/posix.h"
#include "transport/bundle-source.h"
#include "transport/fetch/fetch-session.h"
#include "util/alloc.h"

static int open_at(struct fetch_session **out, const struct remote_url *url, const char *text,
		   const struct connect_options *co, const struct fetch_session_options *o, struct err *err)
{
	struct connection *c;
	int fd = bundle_source_find(url), rc;

	if (fd >= 0) {
		rc = transport_check_allowed(co->config, url->scheme, -1, err);
		if (!rc)
			return fetch_session_open_bundle(out, fd, text, o, err);
		close(fd);
		return rc;
	}
	rc = connect_service(&c, url, "git-upload-pack", co, err);
	return rc ? rc : fetch_session_open(out, c, o, err);
}

int fetch_session_open_url(struct fetch_session **out, const char *text, const struct connect_options *co,
			   const struct fetch_session_options *o, struct err *err)
{
	struct remote_url url = REMOTE_URL_INIT;
	int rc = co->vcs ? 0 : remote_url_parse(&url, text, err);

	if (co->vcs)
		url = (struct remote_url){ .kind = URL_HELPER, .scheme = xstrdup(co->vcs), .address = xstrdup(text) };

	if (!rc)
		rc = open_at(out, &url, text, co, o, err);
	remote_url_release(&url);
	return rc;
}
