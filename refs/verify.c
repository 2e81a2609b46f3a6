/* SPDX-License-Identifier: GPL-2.0-only */
/* refs_verify: findings, and the rules for symbolic refs. */
#include "compat/posix.h"
#include "object/fsck.h"
#include "refs/refs-backend.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

void ref_verify_report(struct ref_verify *v, const char *where, const char *msg_id, const char *fmt, ...)
{
	enum fsck_severity severity = fsck_severity_of(v->o->checks, msg_id);
	struct ref_finding f = { where, msg_id, NULL, severity >= FSCK_ERROR };
	va_list ap;
	char *text;

	if (severity == FSCK_IGNORE)
		return;
	v->errors += f.is_error;
	va_start(ap, fmt);
	f.text = text = xvstrfmt(fmt, ap);
	va_end(ap);
	v->o->report(v->o->data, &f);
	free(text);
}

void ref_verify_checking(const struct ref_verify *v, const char *what)
{
	if (v->o->checking)
		v->o->checking(v->o->data, what);
}

void ref_verify_target(struct ref_verify *v, const char *where, const char *bare, const char *target)
{
	if (!strcmp(bare, "HEAD") && !starts_with(target, "refs/heads/"))
		ref_verify_report(v, where, "badHeadTarget", "HEAD points to non-branch '%s'", target);
	else if (refname_is_root_ref(target))
		return;
	else if (!refname_is_valid(target, 0))
		ref_verify_report(v, where, "badReferentName", "points to invalid refname '%s'", target);
	else if (!starts_with(target, "refs/") && !starts_with(target, "worktrees/"))
		ref_verify_report(v, where, "symrefTargetIsNotARef", "points to non-ref target '%s'", target);
}
