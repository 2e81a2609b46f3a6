/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that for-each-ref, branch and tag have in common. */
#ifndef CLI_REF_OPTIONS_H
#define CLI_REF_OPTIONS_H

#include "compat/posix.h"
#include "cli/cli.h"
#include "reflist/reflist.h"

/* What the callbacks get as option.value. */
struct ref_options {
	struct repository *repo;
	struct reflist_filter filter;
	struct strvec sort; /* keys in order; ref_options_sort hands them to a listing */
	bool sort_cleared;  /* --no-sort: what the configuration says is forgotten, too */
};
#define REF_OPTIONS_INIT { NULL, REFLIST_FILTER_INIT, STRVEC_INIT, false }
void ref_options_release(struct ref_options *o);

/* "error: malformed object name x" and -1; for --merged "fatal: …" and exit 128, as Git has it. */
int on_ref_contains(const struct option *opt, const char *arg, int unset);
int on_ref_no_contains(const struct option *opt, const char *arg, int unset);
int on_ref_merged(const struct option *opt, const char *arg, int unset);
int on_ref_no_merged(const struct option *opt, const char *arg, int unset);
int on_ref_points_at(const struct option *opt, const char *arg, int unset);
int on_ref_sort(const struct option *opt, const char *arg, int unset);

/* o: struct ref_options *. The commit may be left out at the end of the line: HEAD. */
#define REF_OPT_COMMIT(name, o, help, fn) { OPTION_CALLBACK, 0, (name), (o), "commit", (help), \
	PARSE_OPT_LASTARG_DEFAULT | PARSE_OPT_NONEG, (fn), (intptr_t)"HEAD" }
#define REF_OPT_CONTAINS(o) \
	REF_OPT_COMMIT("contains", (o), "print only refs that contain the commit", on_ref_contains)
#define REF_OPT_NO_CONTAINS(o) REF_OPT_COMMIT("no-contains", (o), \
	"print only refs that don't contain the commit", on_ref_no_contains)
#define REF_OPT_WITH(o) { OPTION_CALLBACK, 0, "with", (o), "commit", \
	"the same as --contains", \
	PARSE_OPT_LASTARG_DEFAULT | PARSE_OPT_NONEG | PARSE_OPT_HIDDEN, on_ref_contains, \
	(intptr_t)"HEAD" }
#define REF_OPT_WITHOUT(o) { OPTION_CALLBACK, 0, "without", (o), "commit", \
	"the same as --no-contains", \
	PARSE_OPT_LASTARG_DEFAULT | PARSE_OPT_NONEG | PARSE_OPT_HIDDEN, on_ref_no_contains, \
	(intptr_t)"HEAD" }
#define REF_OPT_MERGED(o, help) REF_OPT_COMMIT("merged", (o), (help), on_ref_merged)
#define REF_OPT_NO_MERGED(o, help) REF_OPT_COMMIT("no-merged", (o), (help), on_ref_no_merged)
#define REF_OPT_POINTS_AT(o, help) \
	OPT_CALLBACK_F(0, "points-at", (o), "object", (help), PARSE_OPT_NONEG, on_ref_points_at)
#define REF_OPT_SORT(o) \
	OPT_CALLBACK(0, "sort", (o), "key", "field name to sort on", on_ref_sort)

/*
 * The keys of the command line, or where it has none those of the configuration
 * ("branch.sort"; NULL: none), or the default ("refname"; NULL: none).
 */
MUST_USE int ref_options_sort(struct ref_options *o, struct reflist *l,
			      const char *config_key, struct err *err);

#endif
