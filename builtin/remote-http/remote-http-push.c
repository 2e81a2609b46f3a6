/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The remote helper pushes to a server that knows only files, by WebDAV (transport/http/dav-push.h). To any other server its parent pushes
 * by itself ("stateless-connect git-receive-pack").
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/remote-http/remote-http.h"
#include "util/alloc.h"

#define LINES_MAX 20000000u

/* ---- list for-push ---- */

static int open_push(struct http_helper *h, struct err *err)
{
	struct strbuf advertisement = STRBUF_INIT;
	int rc = remote_http_discover(h, "git-receive-pack", NULL, &advertisement, err);

	strbuf_release(&advertisement);
	if (rc < 0 || h->push)
		return rc;
	if (!h->dumb)
		return err_set(err, ERR_UNSUPPORTED, "a server that knows git-receive-pack is pushed to by stateless-connect");
	if (!h->r)
		return err_set(err, ERR_INVALID, "push attempted without a local repo");
	remote_http_catch_signals();
	return dav_push_open(&h->push, h->client, h->r, err);
}

int remote_http_list_for_push(struct http_helper *h, struct err *err)
{
	const struct remote_refs *refs;
	struct strbuf out = STRBUF_INIT;
	int rc = open_push(h, err);

	if (rc < 0)
		return rc;
	refs = dav_push_refs(h->push);
	if (h->object_format)
		strbuf_addf(&out, ":object-format %s\n", h->r->algo->name);
	for (size_t i = 0; i < refs->nr; i++)
		if (refs->items[i].symref_target || !oid_is_null(&refs->items[i].oid))
			remote_http_add_ref(&out, &refs->items[i]);
	strbuf_addch(&out, '\n');
	rc = remote_http_answer(out.buf, err);
	strbuf_release(&out);
	return rc;
}

/* ---- push ---- */

/* 1: the input ends before the empty line. */
static int read_specs(struct http_helper *h, const char *first, struct refspec *specs, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *spec;
	size_t nr = 0;
	bool ended = false;
	int rc = 0;

	strbuf_addstr(&line, first);
	do {
		if (!skip_prefix(line.buf, "push ", &spec) || ++nr > LINES_MAX)
			rc = err_set(err, ERR_INVALID, "http transport does not support %s", line.buf);
		else
			rc = refspec_add(specs, spec, h->r->algo, err);
	} while (!rc && !(ended = strbuf_getline_lf(&line, stdin) != 0) && line.len);
	strbuf_release(&line);
	return rc ? rc : ended;
}

static const char *reason(const struct push_update *u)
{
	switch (u->status) {
	case PUSH_UP_TO_DATE:
		return "up to date";
	case PUSH_REJECT_NON_FAST_FORWARD:
		return "non-fast forward";
	case PUSH_REJECT_ALREADY_EXISTS:
		return "already exists";
	case PUSH_REJECT_FETCH_FIRST:
		return "fetch first";
	case PUSH_REJECT_NEEDS_FORCE:
		return "needs force";
	case PUSH_REJECT_STALE:
		return "stale info";
	default:
		return u->message ? u->message : "failed";
	}
}

static int report(const struct push_list *l, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < l->nr; i++) {
		const struct push_update *u = &l->items[i];
		char *text = u->status == PUSH_OK ? xstrfmt("ok %s", u->dst) : xstrfmt("error %s %s", u->dst, reason(u));

		/* One line each, whatever a server has said. */
		for (char *c = text; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 127)
				*c = ' ';
		strbuf_addf(&out, "%s\n", text);
		free(text);
	}
	strbuf_addch(&out, '\n');
	rc = remote_http_answer(out.buf, err);
	strbuf_release(&out);
	return rc;
}

static int remote_http_push_push(struct http_helper *h, const struct refspec *specs,
				 struct push_list *l, struct err *err)
{
	const struct push_rules rules = { .atomic = false };
	const struct dav_push_options o = {
		.dry_run = h->dry_run, .say = h->verbosity > 0 ? remote_http_say : NULL, .data = h,
	};
	int rc = push_match(l, h->r, dav_push_refs(h->push), specs, 0, err);

	if (!rc)
		rc = push_check(l, h->r, &rules, err);
	return rc ? rc : dav_push_send(h->push, &o, l, err);
}

int remote_http_push(struct http_helper *h, const char *line, struct err *err)
{
	struct refspec specs = REFSPEC_INIT(REFSPEC_PUSH);
	struct push_list l = PUSH_LIST_INIT;
	int rc = h->r ? read_specs(h, line, &specs, err) : 0;

	if (!rc)
		rc = open_push(h, err);
	if (!rc)
		rc = remote_http_push_push(h, &specs, &l, err);
	if (!rc)
		rc = report(&l, err);
	refspec_release(&specs);
	push_list_release(&l);
	return rc < 0 ? rc : 0; /* the next read finds the end again */
}
