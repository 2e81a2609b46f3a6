/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listing refs: which of them, in which order, shown how. What git-for-each-ref(1),
 * git-branch(1) and git-tag(1) have in common.
 *
 *   struct ref_filter f = REF_FILTER_INIT;
 *   struct ref_listing *l = ref_listing_new(repo);
 *
 *   f.kinds = REF_KIND_HEADS;
 *   ref_listing_sort_by(l, "-committerdate", err)      each key; the last is the primary
 *   ref_listing_set_format(l, "%(refname:short)", err)
 *   ref_listing_collect(l, &f, err)     l->items[0 … l->nr), sorted; read, count, measure
 *   for each: ref_listing_show(l, l->items[i], &out, err)
 *   ref_listing_free(l)
 *
 * or instead of collect and show: ref_listing_each(), which shows while it reads
 * where the order allows that.
 *
 * Cost: an object is read only if an atom of the format or of a sort key needs it, at most
 * once for each ref and atom list; objecttype and objectsize look at the header alone. All of
 * --contains, --no-contains, --merged and --no-merged take one walk each for all refs.
 */
#ifndef REFLIST_REF_FILTER_H
#define REFLIST_REF_FILTER_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- which ---- */

#define REF_KIND_HEADS 1u	  /* refs/heads/ */
#define REF_KIND_REMOTES 2u	  /* refs/remotes/ */
#define REF_KIND_TAGS 4u	  /* refs/tags/ */
#define REF_KIND_OTHERS 8u	  /* everything else below refs/ */
#define REF_KIND_ALL 15u
#define REF_KIND_ROOT 16u	  /* HEAD, ORIG_HEAD, …: --include-root-refs */
#define REF_KIND_DETACHED_HEAD 32u /* HEAD, if it is no branch: for git branch */

struct ref_filter {
	unsigned kinds;
	/* None: all. Any of them is enough. */
	struct strvec patterns;
	/*
	 * false: against the whole name, by wildcards or from the beginning up to a slash
	 * (for-each-ref). true: wildcards against the name without refs/heads/, refs/tags/,
	 * refs/remotes/ (branch, tag).
	 */
	bool match_short;
	struct strvec exclude; /* as patterns that are matched against the whole name */
	bool ignore_case;      /* patterns; for sorting see the listing */
	struct oid_array points_at;		/* any of them; also what a tag leads to */
	struct oid_array contains, no_contains;	/* commits */
	struct oid_array merged, no_merged;	/* commits */
	bool commits_only; /* nothing else, and nothing whose object is missing (branch -v) */
};
#define REF_FILTER_INIT { REF_KIND_ALL, STRVEC_INIT, false, STRVEC_INIT, false, \
	OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, false }
void ref_filter_release(struct ref_filter *f);
/*
 * The argument of --contains and the others: peeled to a commit and added to one of the
 * lists. ERR_NOT_FOUND "malformed object name x", ERR_INVALID "object … is a tree, not a
 * commit".
 */
MUST_USE int ref_filter_add_commit(struct oid_array *list, struct repository *r,
				   const char *name, struct err *err);
/* --points-at: any object. */
MUST_USE int ref_filter_add_object(struct oid_array *list, struct repository *r,
				   const char *name, struct err *err);

/* ---- how ---- */

enum ref_quote { REF_QUOTE_NONE, REF_QUOTE_SHELL, REF_QUOTE_PERL, REF_QUOTE_PYTHON,
		 REF_QUOTE_TCL };

struct ref_item {
	const char *symref;	/* what it points to; NULL: not symbolic */
	struct object_id oid;	/* null if it does not resolve */
	struct object_id peeled; /* as in struct ref */
	unsigned kind;		/* one REF_KIND_… */
	unsigned flags;		/* REF_… of refs.h */
	struct ref_value *values; /* internal: what the atoms gave */
	size_t nr_values;
	char refname[];		/* whole; of a detached HEAD "HEAD" */
};

struct ref_listing {
	struct repository *repo;
	/* ---- may be set before collecting and showing ---- */
	enum ref_quote quote;
	bool color;		/* %(color:…) has an effect */
	bool ignore_case;	/* sorting */
	bool detached_head_first; /* whatever the keys say */
	/* %(refname) of a detached HEAD: "(HEAD detached at v1.0)"; not owned */
	const char *head_description;
	/* ---- the result ---- */
	struct ref_item **items;
	size_t nr, alloc;
	struct ref_listing_state *state;
};
struct ref_listing *ref_listing_new(struct repository *r);
void ref_listing_free(struct ref_listing *l);

/*
 * --sort, branch.sort, tag.sort: an atom, with "-" before it for descending order;
 * "version:refname" and "v:refname" by versionsort.suffix. Keys that came earlier decide
 * where later ones are equal, the name where all are equal. Without any: by name.
 * ERR_INVALID "unknown field name: x", "malformed field name: x", ...
 */
MUST_USE int ref_listing_sort_by(struct ref_listing *l, const char *key, struct err *err);
/* Forgets the keys: --no-sort, and where the command line replaces the configuration. */
void ref_listing_clear_sort(struct ref_listing *l);
/*
 * The text is copied; a second call replaces the first and may come after collecting.
 * Literal text, %(atom), %%, %xx with two hex digits. Set quote before.
 * ERR_INVALID "malformed format string …", "unknown field name: x", …
 */
MUST_USE int ref_listing_set_format(struct ref_listing *l, const char *format, struct err *err);

/* Fill and sort l->items, added to what is there. */
MUST_USE int ref_listing_collect(struct ref_listing *l, const struct ref_filter *f,
				 struct err *err);
/* Append what the format makes of the item, without a newline. */
MUST_USE int ref_listing_show(struct ref_listing *l, struct ref_item *item,
			      struct strbuf *out, struct err *err);

/*
 * Collect and show; every text goes to fn (which may empty it); a non-zero return of fn stops
 * and is returned. max: so many refs at most, 0: all. Cost: in order of names, refs
 * are shown while they are read and none is kept.
 */
typedef int (*ref_shown_fn)(void *data, struct strbuf *text);
MUST_USE int ref_listing_each(struct ref_listing *l, const struct ref_filter *f, size_t max,
			      ref_shown_fn fn, void *data, struct err *err);
/* One ref that is not looked for but given ("git tag -v --format"). Owned by the listing. */
struct ref_item *ref_listing_add(struct ref_listing *l, const char *refname,
				 const struct object_id *oid);

#endif
