/* SPDX-License-Identifier: GPL-2.0-only */
/* Short names: gitrevisions(7), "<refname>, e.g. master, heads/master, …". */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "util/alloc.h"
#include "util/map.h"
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

void refname_expansions(const char *name, struct strvec *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		strvec_pushf(out, "%s%s%s", rules[i].before, name, rules[i].after);
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

int ref_dwim_visible(struct ref_store *rs, const char *name, size_t len,
		     bool (*may_see)(const char *full, void *data), void *data, char **out,
		     struct object_id *oid)
{
	struct strbuf full = STRBUF_INIT;
	struct object_id found;
	char *final;
	int nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		expand(&full, &rules[i], name, len);
		if ((may_see && !may_see(full.buf, data)) || !rule_matches(rs, full.buf, &final, &found))
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

int ref_dwim(struct ref_store *rs, const char *name, size_t len, char **out,
	     struct object_id *oid)
{
	return ref_dwim_visible(rs, name, len, NULL, NULL, out, oid);
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

/* ---- to short names ---- */

/* From so many on, the names of all refs are worth reading: none is looked for after that. */
#define SHORTEN_SNAPSHOT_MIN 32

struct ref_shortener {
	struct ref_store *rs;
	bool strict;
	size_t asked;
	bool loaded; /* names: all refs below refs/ that resolve */
	struct strset names;
	struct strbuf full;
};

struct ref_shortener *ref_shortener_new(struct ref_store *rs, bool strict)
{
	static const struct strbuf empty = STRBUF_INIT;
	struct ref_shortener *s;

	CALLOC_ARRAY(s, 1);
	s->rs = rs;
	s->strict = strict;
	s->full = empty;
	return s;
}

void ref_shortener_free(struct ref_shortener *s)
{
	if (!s)
		return;
	strset_clear(&s->names);
	strbuf_release(&s->full);
	free(s);
}

static int add_name(void *data, const struct ref *ref)
{
	strset_add(data, ref->name);
	return 0;
}

static void load_names(struct ref_shortener *s)
{
	s->loaded = !refs_foreach(s->rs, "refs/", REFS_NO_PEEL, add_name, &s->names, NULL);
	if (!s->loaded)
		s->asked = 0; /* try again some time */
}

static bool name_exists(struct ref_shortener *s, const char *full)
{
	if (s->loaded && starts_with(full, "refs/"))
		return strset_contains(&s->names, full);
	return ref_exists(s->rs, full);
}

/* Would the short name mean something else by one of the first `nr` rules? */
static bool is_ambiguous_with(struct ref_shortener *s, const char *name, size_t len, size_t nr,
			      size_t except)
{
	for (size_t i = 0; i < nr; i++) {
		if (i == except)
			continue;
		expand(&s->full, &rules[i], name, len);
		if (name_exists(s, s->full.buf))
			return true;
	}
	return false;
}

char *ref_shortener_name(struct ref_shortener *s, const char *name)
{
	size_t i, len = strlen(name);

	if (!s->loaded && ++s->asked > SHORTEN_SNAPSHOT_MIN)
		load_names(s);
	/* The rule that takes most away first; rule 0 takes nothing. */
	for (i = ARRAY_SIZE(rules); i-- > 1;) {
		size_t b = strlen(rules[i].before), a = strlen(rules[i].after);

		if (len <= a + b || memcmp(name, rules[i].before, b) ||
		    memcmp(name + len - a, rules[i].after, a))
			continue;
		if (!is_ambiguous_with(s, name + b, len - a - b,
				       s->strict ? ARRAY_SIZE(rules) : i, i))
			return xmemdupz(name + b, len - a - b);
	}
	return xstrdup(name);
}

char *ref_shorten(struct ref_store *rs, const char *name, bool strict)
{
	struct ref_shortener s = { .rs = rs, .strict = strict, .full = STRBUF_INIT };
	char *shortened = ref_shortener_name(&s, name);

	strbuf_release(&s.full);
	return shortened;
}
