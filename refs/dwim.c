/* SPDX-License-Identifier: GPL-2.0-only */
/* Short names: gitrevisions(7), "<refname>, e.g. master, heads/master, …". */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/* In order: what comes first wins. */
static const struct rule {
	const char *before, *after;
} rules[] = {
	{ "", "" },
	{ "refs/", "" },
	{ "refs/tags/", "" },
	{ "refs/heads/", "" },
	{ "refs/remotes/", "" },
	{ "refs/remotes/", "/HEAD" },
};

static void expand(struct strbuf *out, const struct rule *r, const char *name, size_t len)
{
	strbuf_reset(out);
	strbuf_addstr(out, r->before);
	strbuf_add(out, name, len);
	strbuf_addstr(out, r->after);
}

/*
 * Is there such a ref? A file at the top of the repository is one only if its
 * name looks like it or its content does: "config" is not a broken ref.
 */
static bool rule_matches(struct ref_store *rs, const char *full, char **final,
			 struct object_id *oid)
{
	unsigned flags;
	int rc;

	*final = NULL;
	if (!refname_is_valid(full, REFNAME_ALLOW_ONELEVEL))
		return false;
	rc = ref_resolve(rs, full, oid, final, &flags, NULL);
	if (!rc)
		return true;
	FREE_AND_NULL(*final);
	if ((flags & REF_IS_SYMREF) && strcmp(full, "HEAD"))
		ref_store_warn(rs, "ignoring dangling symref %s", full);
	else if ((flags & REF_IS_BROKEN) && strchr(full, '/'))
		ref_store_warn(rs, "ignoring broken ref %s", full);
	return false;
}

int ref_dwim(struct ref_store *rs, const char *name, size_t len, char **out,
	     struct object_id *oid)
{
	struct strbuf full = STRBUF_INIT;
	struct object_id found;
	char *final;
	int nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		expand(&full, &rules[i], name, len);
		if (!rule_matches(rs, full.buf, &final, &found))
			continue;
		if (!nr++) {
			*out = final;
			if (oid)
				*oid = found;
		} else {
			free(final);
		}
	}
	strbuf_release(&full);
	return nr;
}

int ref_dwim_log(struct ref_store *rs, const char *name, size_t len, char **out,
		 struct object_id *oid)
{
	struct strbuf full = STRBUF_INIT;
	struct object_id found;
	int nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		const char *log = NULL;
		char *final = NULL;

		expand(&full, &rules[i], name, len);
		if (refname_is_valid(full.buf, REFNAME_ALLOW_ONELEVEL) &&
		    !ref_resolve(rs, full.buf, &found, &final, NULL, NULL)) {
			/* HEAD's own log, or that of what a symref leads to. */
			if (reflog_exists(rs, full.buf))
				log = full.buf;
			else if (reflog_exists(rs, final))
				log = final;
		}
		if (log && !nr++) {
			*out = xstrdup(log);
			*oid = found;
		}
		free(final);
	}
	strbuf_release(&full);
	return nr;
}

/* Would `shortname` mean something else by one of the first `nr` rules? */
static bool is_taken(struct ref_store *rs, const char *name, size_t len, size_t nr,
		     size_t except)
{
	struct strbuf full = STRBUF_INIT;
	bool taken = false;
	size_t i;

	for (i = 0; i < nr && !taken; i++) {
		if (i == except)
			continue;
		expand(&full, &rules[i], name, len);
		taken = ref_exists(rs, full.buf);
	}
	strbuf_release(&full);
	return taken;
}

char *ref_shorten(struct ref_store *rs, const char *name, bool strict)
{
	size_t i, len = strlen(name);

	/* The rule that takes most away first; rule 0 takes nothing. */
	for (i = ARRAY_SIZE(rules); i-- > 1;) {
		size_t b = strlen(rules[i].before), a = strlen(rules[i].after);

		if (len <= a + b || memcmp(name, rules[i].before, b) ||
		    memcmp(name + len - a, rules[i].after, a))
			continue;
		if (!is_taken(rs, name + b, len - a - b,
			      strict ? ARRAY_SIZE(rules) : i, i))
			return xmemdupz(name + b, len - a - b);
	}
	return xstrdup(name);
}
