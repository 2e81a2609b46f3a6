/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listing refs, as git-for-each-ref(1), git-branch(1) and git-tag(1) do: a filter selects
 * refs, keys sort them, a format turns each into text.
 *
 *   struct reflist_filter f = REFLIST_FILTER_INIT;
 *   struct reflist *l = reflist_new(repo);
 *
 *   f.kinds = REFLIST_HEADS;
 *   reflist_sort_by(l, "-committerdate", err)      once for each key; the last one is primary
 *   reflist_set_format(l, "%(refname:short)", err)
 *   reflist_collect(l, &f, err)     fills and sorts l->items[0 … l->nr)
 *   for each: reflist_show(l, l->items[i], &out, err)
 *   reflist_free(l)
 *
 * reflist_each() does the last two steps in one, and shows refs while it reads them where
 * the order allows that.
 *
 * Cost: an object is read only if an atom of the format or of a sort key needs it, at most
 * once for each ref and atom list; objecttype and objectsize look at the header alone. All of
 * --contains, --no-contains, --merged and --no-merged take one walk each for all refs.
 */
#ifndef REFLIST_REFLIST_H
#define REFLIST_REFLIST_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- filters: which refs ---- */

#define REFLIST_HEADS 1u	  /* refs/heads/ */
#define REFLIST_REMOTES 2u	  /* refs/remotes/ */
#define REFLIST_TAGS 4u	  /* refs/tags/ */
#define REFLIST_OTHERS 8u	  /* everything else below refs/ */
#define REFLIST_ALL 15u
#define REFLIST_ROOT 16u	  /* HEAD, ORIG_HEAD, …: --include-root-refs */
#define REFLIST_DETACHED_HEAD 32u /* HEAD, if it is no branch: for git branch */

struct reflist_filter {
	unsigned kinds;
	/* A ref must match one of these; without any, all refs match. */
	struct strvec patterns;
	/*
	 * false: patterns are wildcards for full names, or the beginning of one up to a slash
	 * (for-each-ref). true: wildcards for names without refs/heads/, refs/tags/,
	 * refs/remotes/ (branch, tag).
	 */
	bool match_short;
	struct strvec exclude; /* patterns for full names */
	bool ignore_case;      /* of patterns; the listing has its own for sorting */
	struct oid_array points_at;		/* the ref, or its tag, names one of these */
	struct oid_array contains, no_contains;	/* commits */
	struct oid_array merged, no_merged;	/* commits */
	bool commits_only; /* leave out other objects and missing ones (branch -v) */
	const char *start_after; /* only names that come after this one; NULL: all */
};
#define REFLIST_FILTER_INIT { REFLIST_ALL, STRVEC_INIT, false, STRVEC_INIT, false, \
	OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, OID_ARRAY_INIT, false, NULL }
void reflist_filter_release(struct reflist_filter *f);
/*
 * The argument of --contains and the others: peeled to a commit and added to one of the
 * lists. ERR_NOT_FOUND "malformed object name x", ERR_CORRUPT "no such commit x", ERR_INVALID "object … is a tree, not a
 * commit".
 */
MUST_USE int reflist_filter_add_commit(struct oid_array *list, struct repository *r,
				       const char *name, struct err *err);
/* --points-at: any object. */
MUST_USE int reflist_filter_add_object(struct oid_array *list, struct repository *r,
				       const char *name, struct err *err);

/* ---- listings: order and format ---- */

enum reflist_quote {
	REFLIST_QUOTE_NONE, REFLIST_QUOTE_SHELL, REFLIST_QUOTE_PERL, REFLIST_QUOTE_PYTHON,
	REFLIST_QUOTE_TCL
};

struct reflist_item {
	const char *symref;	/* what it points to; NULL: not symbolic */
	struct object_id oid;	/* null if it does not resolve */
	struct object_id peeled; /* as in struct ref */
	unsigned kind;		/* one REFLIST_… */
	unsigned flags;		/* REF_… of refs.h */
	struct ref_value *values; /* internal: by atom */
	size_t nr_values;
	char refname[];		/* full; "HEAD" for a detached HEAD */
};

struct reflist {
	struct repository *repo;
	/* ---- may be set before collecting and showing ---- */
	enum reflist_quote quote;
	bool color;		/* %(color:…) has an effect */
	bool ignore_case;	/* sorting */
	bool detached_head_first; /* before all others, whatever the keys are */
	/* %(refname) of a detached HEAD: "(HEAD detached at v1.0)"; not owned */
	const char *head_description;
	/* ---- the result ---- */
	struct reflist_item **items;
	size_t nr, alloc;
	struct reflist_state *state;
};
struct reflist *reflist_new(struct repository *r);
void reflist_free(struct reflist *l);

/*
 * --sort, branch.sort, tag.sort: an atom, with "-" before it for descending order;
 * "version:refname" and "v:refname" by versionsort.suffix. Keys that came earlier decide
 * where later ones are equal, the name where all are equal. Without any: by name.
 * ERR_INVALID "unknown field name: x", "malformed field name: x", ...
 */
MUST_USE int reflist_sort_by(struct reflist *l, const char *key, struct err *err);
/*
 * The text is copied; a second call replaces the first and may come after collecting.
 * Literal text, %(atom), %%, %xx with two hex digits. Set quote before.
 * ERR_INVALID "malformed format string …", "unknown field name: x", …
 */
MUST_USE int reflist_set_format(struct reflist *l, const char *format, struct err *err);

/* Add the refs that f selects to l->items, and sort them all. */
MUST_USE int reflist_collect(struct reflist *l, const struct reflist_filter *f,
			     struct err *err);
/* Append the item in the format, without a newline. */
MUST_USE int reflist_show(struct reflist *l, struct reflist_item *item,
			  struct strbuf *out, struct err *err);

/*
 * Collect and show. Each text goes to fn, which may take the text over; a non-zero return of
 * fn stops the listing and is returned. max: number of refs at most, 0: all of them.
 * Cost: refs that are wanted in the order of their names are shown while they are read, and
 * none is kept.
 */
typedef int (*reflist_show_fn)(void *data, struct strbuf *text);
MUST_USE int reflist_each(struct reflist *l, const struct reflist_filter *f, size_t max,
			  reflist_show_fn fn, void *data, struct err *err);
/* Add a ref without looking for it ("git tag -v --format"). Owned by the listing. */
struct reflist_item *reflist_add(struct reflist *l, const char *refname,
				 const struct object_id *oid);

#endif
