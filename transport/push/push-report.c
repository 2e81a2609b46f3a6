/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer to a push: gitprotocol-pack(5), "Report Status"; report-status-v2 of gitprotocol-capabilities(5). */
#include "compat/posix.h"
#include "sideband.h"
#include "transport/push/push-internal.h"
#include "util/alloc.h"
#include "util/map.h"
#include "wire/pkt-trace.h"

/* ---- reading ---- */

static void fail_report(struct push_answer *a, enum err_code code, const char *text)
{
	a->rc = err_set(&a->err, code, "%s", text);
}

static void keep(struct push_answer *a, const char *p, size_t len)
{
	if (a->report.len + len > a->max_bytes)
		fail_report(a, ERR_TOO_BIG, "the other side's report has no end");
	else
		strbuf_add(&a->report, p, len);
}

static void take_banded(struct push_answer *a)
{
	struct pkt_reader *in = &a->s->f->in;

	if (!in->len) {
		fail_report(a, ERR_CORRUPT, "missing sideband designator");
		return;
	}
	switch (in->line[0]) {
	case BAND_PACK:
		keep(a, in->line + 1, in->len - 1);
		break;
	case BAND_TEXT:
		session_tell(a->s->f, in->line + 1, in->len - 1, false);
		break;
	case BAND_ERROR: {
		char *text = session_clean(a->s->f, in->line + 1);

		a->rc = err_set(&a->err, ERR_ABORTED, "remote error: %s", text);
		free(text);
		break;
	}
	default:
		fail_report(a, ERR_CORRUPT, "bad band");
	}
}

static void take_plain(struct push_answer *a)
{
	char head[5];

	snprintf(head, sizeof(head), "%04zx", a->s->f->in.len + 4);
	keep(a, head, 4);
	if (!a->rc)
		keep(a, a->s->f->in.line, a->s->f->in.len);
}

/* In versions 0 and 1 a server that gives up says so in a packet of its own. */
static bool is_refusal(struct push_answer *a)
{
	const char *why;
	char *text;

	if (!skip_prefix(a->s->f->in.line, "ERR ", &why))
		return false;
	text = session_clean(a->s->f, why);
	a->rc = err_set(&a->err, ERR_ABORTED, "remote error: %s", text);
	free(text);
	return true;
}

void push_answer_read(struct push_answer *a)
{
	while (!a->rc) {
		int kind = pkt_reader_next(&a->s->f->in, &a->err);

		if (kind < 0)
			a->rc = kind;
		else if (kind == PKT_EOF)
			fail_report(a, ERR_IO, "the remote end hung up unexpectedly");
		else if (kind == PKT_FLUSH)
			break;
		else if (kind != PKT_DATA)
			fail_report(a, ERR_CORRUPT, "protocol error: unexpected packet in the report");
		else if (is_refusal(a))
			break;
		else if (a->bands)
			take_banded(a);
		else
			take_plain(a);
	}
	session_tell(a->s->f, "", 0, true);
}

/* ---- what it says ---- */

struct lines {
	const char *at, *end;
	struct strbuf line;
	bool banded; /* they came in a sideband, and no trace has seen them yet */
};

static void trace_line(const struct lines *l, const char *p, size_t len)
{
	if (l->banded)
		pkt_trace('<', p, len);
}

/* 1: a line; 0: the end, < 0. */
static int next_line(struct lines *l, struct err *err)
{
	int len;

	if (l->at == l->end)
		return 0;
	if (l->end - l->at < 4)
		return err_set(err, ERR_CORRUPT, "the other side's report ends inside of a line");
	len = pkt_parse_length(l->at);
	if (!len) {
		trace_line(l, l->at, 4);
		return 0;
	}
	if (len < 4 || len > l->end - l->at)
		return err_set(err, ERR_CORRUPT, "the other side's report is malformed");
	strbuf_reset(&l->line);
	strbuf_add(&l->line, l->at + 4, (size_t)len - 4);
	trace_line(l, l->line.buf, l->line.len);
	strbuf_trim_trailing_newline(&l->line);
	l->at += len;
	return 1;
}

/* The name in it is shown to the user. */
static void take_option(const struct fetch_session *s, struct push_update *u, const char *text)
{
	char *clean = session_clean_field(s, text);

	push_reports_take_option(&u->results, clean, s->algo);
	free(clean);
}

static void take_ng(const struct fetch_session *s, struct push_update *u, const char *why)
{
	u->status = PUSH_REMOTE_REJECT;
	free(u->message);
	u->message = why ? session_clean_field(s, why) : NULL;
}

/* Take a line "ok NAME" or "ng NAME REASON". A name that was not sent is ignored. */
static int take_report_line(const struct fetch_session *s, struct strmap *by_name, struct push_update **now, char *line,
		     struct err *err)
{
	const char *rest;
	char *reason = NULL;
	bool ok = skip_prefix(line, "ok ", &rest);

	if (!ok && *now && skip_prefix(line, "option ", &rest)) {
		take_option(s, *now, rest);
		return 0;
	}
	if (!ok && !skip_prefix(line, "ng ", &rest))
		return err_set(err, ERR_CORRUPT, "invalid ref status from remote: %s", line);
	if (!ok && (reason = strchr(line + (rest - line), ' ')))
		*reason++ = '\0';
	*now = strmap_get(by_name, rest);
	if (!*now || ((*now)->status != PUSH_EXPECTING_REPORT && (*now)->status != PUSH_OK)) {
		*now = NULL;
		return 0;
	}
	push_reports_close(&(*now)->results);
	if (ok)
		(*now)->status = PUSH_OK;
	else
		take_ng(s, *now, reason);
	return 0;
}

static int take_unpack(struct lines *lines, bool *unpacked, struct err *err)
{
	const char *why;
	int rc = next_line(lines, err);

	if (rc < 0)
		return rc;
	if (!rc || !skip_prefix(lines->line.buf, "unpack ", &why))
		return err_set(err, ERR_CORRUPT, "unable to parse remote unpack status: %s", rc ? lines->line.buf : "");
	*unpacked = !strcmp(why, "ok");
	return *unpacked ? 0 : err_set(err, ERR_ABORTED, "remote unpack failed: %s", why);
}

int push_answer_take(struct push_answer *a, struct push_list *l, struct err *err)
{
	struct lines lines = { a->report.buf, a->report.buf + a->report.len, STRBUF_INIT, a->bands };
	struct push_update *now = NULL;
	struct err why = ERR_INIT;
	struct strmap by_name;
	bool unpacked = true;
	int rc = take_unpack(&lines, &unpacked, &why);

	strmap_init(&by_name);
	for (size_t i = 0; i < l->nr; i++)
		strmap_put(&by_name, l->items[i].dst, &l->items[i]);

	/* One that could not unpack says of each ref that it has failed. */
	while ((!rc || !unpacked) && next_line(&lines, &why) > 0) {
		int bad = take_report_line(a->s->f, &by_name, &now, lines.line.buf, &why);

		if (bad) {
			rc = bad;
			break;
		}
	}
	if (!rc)
		rc = why.code;
	err_move(err, &why);
	err_release(&why);
	strmap_clear(&by_name, NULL);
	strbuf_release(&lines.line);
	return rc;
}
