/* SPDX-License-Identifier: GPL-2.0-only */
/* After a redirect of the first request: the new base of later requests, and the credentials they may send there. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "transport/url.h"
#include "util/alloc.h"

static void tell_move(struct http_client *c)
{
	char *shown = url_for_display(c->base), *text = xstrfmt("redirecting to %s", shown);

	if (c->o.verbosity >= 0 && c->o.warn)
		c->o.warn(c->o.data, text);
	free(shown);
	free(text);
}

int http_follow_base(struct http_client *c, const struct http_request *rq, const char *effective, struct err *err)
{
	char *base;
	size_t len;
	bool same;
	int rc = 0;

	if (!rq->tail || !effective || !strcmp(effective, rq->url))
		return 0;
	if (!strip_suffix(effective, rq->tail, &len))
		return err_set(err, ERR_IO, "unable to update url base from redirection:\n"
			       "  asked for: %s\n   redirect: %s", rq->url, effective);
	same = http_url_same_origin(effective, c->base);
	base = xstrndup(effective, len);
	free(c->base);
	c->base = http_url_without_user(base);
	free(base);
	c->moved |= !same;
	/* On the same host a known password stays. Else the new path is in prompts, and a name alone does not go there. */
	if (!same || (!c->auth.password && !c->auth.credential))
		rc = http_auth_forget(c, err);
	tell_move(c);
	return rc;
}
