/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a push session with the repository at a URL. */
#include "compat/posix.h"
#include "transport/push/push.h"
#include "util/alloc.h"

int push_session_open_url(struct push_session **out, const char *text, const struct connect_options *co,
			  const struct push_session_options *o, struct err *err)
{
	struct remote_url url = REMOTE_URL_INIT;
	struct connection *c = NULL;
	int rc = co->vcs ? 0 : remote_url_parse(&url, text, err);

	if (co->vcs)
		url = (struct remote_url){ .kind = URL_HELPER, .scheme = xstrdup(co->vcs), .address = xstrdup(text) };
	if (!rc)
		rc = connect_service(&c, &url, "git-receive-pack", co, err);
	if (!rc)
		rc = push_session_open(out, c, o, err);
	remote_url_release(&url);
	return rc;
}
