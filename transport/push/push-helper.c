/* SPDX-License-Identifier: GPL-2.0-only */
/* A remote helper that makes no connection, but pushes by itself: gitremote-helpers(7), capability "push". */
#include "compat/posix.h"
#include "transport/helper-internal.h"
#include "transport/push/push-internal.h"
#include "util/alloc.h"
#include "util/map.h"

/* An option that the user has given is an error if the helper does not know it. */
static int set(struct helper *h, const char *option, struct err *err)
{
	int rc = h->option ? helper_set_option(h, option, err) : 0;

	return rc ? (rc < 0 ? rc : 0)
		  : err_set(err, ERR_UNSUPPORTED, "remote helper '%s' does not support '%s'", h->name, option);
}

static int set_push_options(struct helper *h, const struct push_request_options *o, struct err *err)
{
	int rc = 0;

	if (o->dry_run)
		rc = set(h, "dry-run true", err);
	if (!rc && o->atomic)
		rc = set(h, "atomic true", err);
	if (!rc && o->sign == PUSH_SIGNED_ALWAYS)
		rc = set(h, "pushcert true", err);
	for (size_t i = 0; !rc && o->push_options && i < o->push_options->nr; i++) {
		char *text = xconcat("push-option ", o->push_options->v[i]);

		rc = set(h, text, err);
		free(text);
	}
	return rc;
}

static int say_updates(struct helper *h, struct push_list *l, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < l->nr && !rc; i++) {
		struct push_update *u = &l->items[i];

		if (u->status != PUSH_PENDING)
			continue;
		strbuf_reset(&line);
		strbuf_addf(&line, "push %s%s:%s", u->force ? "+" : "", oid_is_null(&u->new_oid) ? "" :
			    starts_with(u->src, "refs/") ? u->src : oid_hex(&u->new_oid), u->dst);
		rc = helper_say(h, line.buf, err);
		u->status = PUSH_EXPECTING_REPORT;
	}
	strbuf_release(&line);
	return rc ? rc : helper_say(h, "", err);
}

/* "error REF REASON": some reasons have a status of their own. */
static enum push_status status_of(const char *reason)
{
	static const struct {
		const char *text;
		enum push_status status;
	} known[] = {
		{ "no match", PUSH_REMOTE_REJECT }, { "up to date", PUSH_UP_TO_DATE },
		{ "non-fast forward", PUSH_REJECT_NON_FAST_FORWARD }, { "already exists", PUSH_REJECT_ALREADY_EXISTS },
		{ "fetch first", PUSH_REJECT_FETCH_FIRST }, { "needs force", PUSH_REJECT_NEEDS_FORCE },
		{ "stale info", PUSH_REJECT_STALE }, { "remote ref updated since checkout", PUSH_REJECT_REMOTE_UPDATED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(reason, known[i].text))
			return known[i].status;
	return PUSH_REMOTE_REJECT;
}

/* Take a line "ok REF" or "error REF REASON". ERR_CORRUPT: another line. Refs that we did not push are ignored. */
static int take_helper_status(const struct fetch_session *s, struct strmap *by_name, char *line, struct err *err)
{
	struct push_update *u;
	const char *name;
	char *reason;
	bool ok = skip_prefix(line, "ok ", &name);

	if (!ok && !skip_prefix(line, "error ", &name))
		return err_set(err, ERR_CORRUPT, "expected ok/error, helper said '%s'", line);
	reason = strchr(line + (name - line), ' ');
	if (reason)
		*reason++ = '\0';
	u = strmap_get(by_name, name);
	if (!u || u->status != PUSH_EXPECTING_REPORT)
		return 0;
	u->status = ok ? PUSH_OK : reason ? status_of(reason) : PUSH_REMOTE_REJECT;
	if (u->status == PUSH_REMOTE_REJECT && reason)
		u->message = session_clean_field(s, reason);
	return 0;
}

static int hear_results(const struct fetch_session *s, struct helper *h, struct push_list *l, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	struct strmap by_name;
	int rc;

	strmap_init(&by_name);
	for (size_t i = 0; i < l->nr; i++)
		strmap_put(&by_name, l->items[i].dst, &l->items[i]);
	rc = helper_read_line(h, &line, err);
	for (size_t nr = 0; !rc && line.len; nr++) {
		rc = nr < FETCH_LINES_MAX ? take_helper_status(s, &by_name, line.buf, err)
			: err_set(err, ERR_TOO_BIG, "remote helper '%s' reports too many refs", h->name);
		if (!rc)
			rc = helper_read_line(h, &line, err);
	}
	strmap_clear(&by_name, NULL);
	strbuf_release(&line);
	return rc;
}

int push_by_helper(struct push_session *s, const struct push_request_options *o, struct push_list *l, struct err *err)
{
	struct helper *h = helper_of(s->f->c);
	int rc = set_push_options(h, o, err);

	if (!rc)
		rc = say_updates(h, l, err);
	if (!rc)
		rc = hear_results(s->f, h, l, err);
	if (rc < 0)
		helper_explain(h, err);
	return rc;
}
