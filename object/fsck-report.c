/* SPDX-License-Identifier: GPL-2.0-only */
/* Findings of the checks: messages, their severities, reports. */
#include "compat/posix.h"
#include "object/fsck-internal.h"
#include "util/alloc.h"

static const struct {
	const char *name;
	enum fsck_severity severity;
} messages[FSCK_MSG_NR] = {
#define X(id, name, severity) [MSG_##id] = { name, FSCK_##severity },
	FSCK_MESSAGES(X)
#undef X
};

static void special_release(struct fsck_special *s)
{
	oidset_clear(&s->found);
	oidset_clear(&s->done);
}

void fsck_options_release(struct fsck_options *o)
{
	FREE_AND_NULL(o->severity);
	special_release(&o->gitmodules);
	special_release(&o->gitattributes);
}

/* ---- severities ---- */

#define NOT_SET (-1)

static int find_message(const char *name)
{
	for (int i = 0; i < FSCK_MSG_NR; i++)
		if (!strcasecmp(messages[i].name, name))
			return i;
	return -1;
}

bool fsck_msg_id_exists(const char *msg_id)
{
	return find_message(msg_id) >= 0;
}

static int parse_severity(const char *s)
{
	if (!strcmp(s, "error"))
		return FSCK_ERROR;
	if (!strcmp(s, "warn"))
		return FSCK_WARN;
	return strcmp(s, "ignore") ? -1 : FSCK_IGNORE;
}

int fsck_set_severity(struct fsck_options *o, const char *msg_id,
		      const char *severity, struct err *err)
{
	int msg = find_message(msg_id), value = parse_severity(severity);

	if (msg < 0)
		return err_set(err, ERR_INVALID, "Unhandled message id: %s", msg_id);
	if (value < 0)
		return err_set(err, ERR_INVALID, "Unknown fsck message type: '%s'", severity);
	if (value != FSCK_ERROR && messages[msg].severity == FSCK_FATAL)
		return err_set(err, ERR_INVALID, "Cannot demote %s to %s", msg_id, severity);
	if (!o->severity) {
		ALLOC_ARRAY(o->severity, FSCK_MSG_NR);
		for (int i = 0; i < FSCK_MSG_NR; i++)
			o->severity[i] = NOT_SET;
	}
	o->severity[msg] = value;
	return 0;
}

static enum fsck_severity severity_of(const struct fsck_options *o, enum fsck_msg msg)
{
	int s = o->severity ? o->severity[msg] : NOT_SET;

	if (s == NOT_SET) {
		s = (int)messages[msg].severity;
		/* What the user calls a warning stays one. */
		if (s == FSCK_WARN && o->strict)
			s = FSCK_ERROR;
	}
	if (s == FSCK_FATAL)
		return FSCK_ERROR;
	return s == FSCK_INFO ? FSCK_WARN : (enum fsck_severity)s;
}

enum fsck_severity fsck_severity_of(const struct fsck_options *o, const char *msg_id)
{
	int msg = find_message(msg_id);

	if (msg < 0)
		BUG("no message is called '%s'", msg_id);
	return severity_of(o, msg);
}

int fsck_found(struct fsck_item *it, enum fsck_msg msg, const char *fmt, ...)
{
	enum fsck_severity severity = severity_of(it->o, msg);
	va_list ap;
	char *text;
	int rc;

	if (severity == FSCK_IGNORE || !it->o->report ||
	    (it->o->skip && oidset_contains(it->o->skip, it->oid)))
		return 0;
	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	rc = it->o->report(it->o->data, it->oid, it->type, severity, messages[msg].name, text);
	free(text);
	return rc;
}
