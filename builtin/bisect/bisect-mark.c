/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bisect(1): good, bad, skip and other terms. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "history/names/revparse.h"
#include "history/revision/revision.h"
#include "util/alloc.h"

bool bisect_is_common_term(const char *name)
{
	return !strcmp(name, "bad") || !strcmp(name, "good") || !strcmp(name, "new") || !strcmp(name, "old");
}

int bisect_check_terms(struct bisect *b, const char *state)
{
	if (!strcmp(state, "skip"))
		return 0;
	if (b->has_terms && strcmp(state, b->term_bad) != 0 && strcmp(state, b->term_good) != 0)
		return error("Invalid command: you're currently in a %s/%s bisect", b->term_bad, b->term_good);
	if (b->has_terms)
		return 0;
	if (!strcmp(state, "new") || !strcmp(state, "old"))
		bisect_set_terms(b, "new", "old");
	b->has_terms = b->writes_terms = true;
	return 0;
}

int bisect_terms_cmd(struct bisect *b, int argc, const char **argv)
{
	if (argc > 1) {
		error("'git bisect terms' requires 0 or 1 argument");
		return BISECT_FAILED;
	}
	if (!b->has_terms) {
		error("no terms defined");
		return BISECT_FAILED;
	}
	if (!argc)
		printf("Your current terms are '%s' for the old state\nand '%s' for the new state.\n", b->term_good, b->term_bad);
	else if (!strcmp(argv[0], "--term-good") || !strcmp(argv[0], "--term-old"))
		puts(b->term_good);
	else if (!strcmp(argv[0], "--term-bad") || !strcmp(argv[0], "--term-new"))
		puts(b->term_bad);
	else {
		error("invalid argument %s for 'git bisect terms'.\n"
		      "Supported options are: --term-good|--term-old and --term-bad|--term-new.", argv[0]);
		return BISECT_FAILED;
	}
	return 0;
}

static bool find_mark(struct bisect *b, const char *name, struct object_id *out)
{
	struct err err = ERR_INIT;
	struct object_id oid;

	if (revparse_oid(b->r, name, &oid, NULL) < 0) {
		error("Bad rev input: %s", name);
		return false;
	}
	if (object_peel(odb_source(b->r->odb), &oid, OBJ_COMMIT, out, NULL, &err) < 0) {
		report_error(&err);
		die("Bad rev input (not a commit): %s", name);
	}
	return true;
}

int bisect_state_cmd(struct bisect *b, const char *state, int argc, const char **argv)
{
	const char *head = b->no_checkout ? repo_state_name(STATE_BISECT_HEAD) : "HEAD";
	struct oid_array found = OID_ARRAY_INIT;
	bool ok = true;

	if (argc > 1 && !strcmp(state, b->term_bad)) {
		error("'git bisect %s' can take only one argument.", b->term_bad);
		return BISECT_FAILED;
	}
	for (int i = 0; ok && i < (argc ? argc : 1); i++) {
		struct object_id oid;

		ok = find_mark(b, argc ? argv[i] : head, &oid);
		if (ok)
			oid_array_append(&found, &oid);
	}
	for (size_t i = 0; ok && i < found.nr; i++) {
		bisect_mark(b, state, &found.oid[i], true);
		bisect_forget_expected(b, &found.oid[i]);
	}
	oid_array_clear(&found);
	return ok ? bisect_auto_next(b) : BISECT_FAILED;
}

/* ---- skip ---- */

static int add_range(struct bisect *b, const char *range, struct strvec *out, struct err *err)
{
	const char *argv[] = { "bisect", range, NULL };
	struct rev_walk *w = NULL;
	struct commit *c;
	int rc = rev_walk_new(&w, b->r, err);

	if (!rc)
		rc = rev_walk_arguments(w, 2, argv, NULL, err);
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		strvec_push(out, oid_hex(&c->oid));
		rc = 0;
	}
	rev_walk_free(w);
	return rc;
}

int bisect_skip_cmd(struct bisect *b, int argc, const char **argv)
{
	struct strvec revs = STRVEC_INIT;
	struct err err = ERR_INIT;
	int rc = 0;

	for (int i = 0; !rc && i < argc; i++) {
		if (strstr(argv[i], ".."))
			rc = add_range(b, argv[i], &revs, &err);
		else
			strvec_push(&revs, argv[i]);
	}
	rc = rc < 0 ? report_fatal(&err) : bisect_state_cmd(b, "skip", (int)revs.nr, revs.v);
	strvec_clear(&revs);
	return rc;
}
