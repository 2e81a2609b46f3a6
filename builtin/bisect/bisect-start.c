/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bisect(1): start and reset. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"


/* ---- the arguments of start ---- */

struct bisect_start {
	bool has_dashes, terms_given;
	struct oid_array revs;
	int paths_at;
};

/* --NAME=VALUE or --NAME VALUE; NULL: another option. */
static const char *term_value(const char *name, int argc, const char **argv, int *i)
{
	const char *value;

	if (!skip_prefix(argv[*i], name, &value) || (*value && *value != '='))
		return NULL;
	if (*value == '=')
		return value + 1;
	return ++*i < argc ? argv[*i] : "";
}

/* 1: it was an option, 0: it is none, -1: a wrong one. */
static int start_option(struct bisect *b, struct bisect_start *s, int argc, const char **argv, int *i)
{
	const char *term;

	if (!starts_with(argv[*i], "--"))
		return 0;
	if (!strcmp(argv[*i], "--no-checkout")) {
		b->no_checkout = true;
	} else if (!strcmp(argv[*i], "--first-parent")) {
		b->first_parent = true;
	} else if ((term = term_value("--term-good", argc, argv, i)) || (term = term_value("--term-old", argc, argv, i))) {
		bisect_set_terms(b, b->term_bad, term);
		s->terms_given = true;
	} else if ((term = term_value("--term-bad", argc, argv, i)) || (term = term_value("--term-new", argc, argv, i))) {
		bisect_set_terms(b, term, b->term_good);
		s->terms_given = true;
	} else {
		return error("unrecognized option: '%s'", argv[*i]);
	}
	return 1;
}

static bool has_dashes(int argc, const char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

/* -1: reported. Commits come before paths. */
static int parse_start(struct bisect *b, struct bisect_start *s, int argc, const char **argv)
{
	int i;

	s->has_dashes = has_dashes(argc, argv);
	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		struct object_id oid;
		int rc = start_option(b, s, argc, argv, &i);

		if (rc < 0)
			return rc;
		if (rc)
			continue;
		if (revparse_commit(b->r, argv[i], &oid, NULL) >= 0)
			oid_array_append(&s->revs, &oid);
		else if (s->has_dashes)
			die("'%s' does not appear to be a valid revision", argv[i]);
		else
			break;
	}
	s->paths_at = i < argc ? i : argc;
	b->no_checkout |= b->r->bare;
	return 0;
}

static int check_term(const struct bisect *b, const char *term, const char *other_meaning, const char *other_too)
{
	static const char *const commands[] = { "help", "start", "skip", "next", "reset", "visualize", "view", "replay", "log", "run",
						"terms" };
	char *ref = xstrfmt("refs/bisect/%s", term);
	bool valid = *term && refname_is_valid(ref, 0);

	(void)b;
	free(ref);
	if (!valid)
		return error("'%s' is not a valid term", term);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(term, commands[i]))
			return error("can't use the builtin command '%s' as a term", term);
	if (!strcmp(term, other_meaning) || !strcmp(term, other_too))
		return error("can't change the meaning of the term '%s'", term);
	return 0;
}

static int check_terms(const struct bisect *b)
{
	if (!strcmp(b->term_bad, b->term_good))
		return error("please use two different terms");
	if (check_term(b, b->term_bad, "good", "old") < 0)
		return -1;
	return check_term(b, b->term_good, "bad", "new");
}

/* ---- start ---- */

/* The branch or commit to which `reset` goes back; NULL: reported. */
static char *find_start_head(struct bisect *b)
{
	struct object_id oid;
	char *target = NULL, *name;
	const char *branch;

	if (ref_resolve(b->r->refs, "HEAD", &oid, &target, NULL, NULL) < 0) {
		free(target);
		error("bad HEAD - I need a HEAD");
		return NULL;
	}
	if (!strcmp(target, "HEAD"))
		name = xstrdup(oid_hex(&oid));
	else
		name = skip_prefix(target, "refs/heads/", &branch) ? xstrdup(branch) : NULL;
	if (!name)
		error("bad HEAD - strange symbolic ref");
	free(target);
	return name;
}

/* As the first part of a checkout of that name, which would end the program. */
static bool is_missing(struct bisect *b, const char *head)
{
	struct object_id oid;

	if (b->no_checkout || revparse_commit(b->r, head, &oid, NULL) >= 0)
		return false;
	fprintf(stderr, "fatal: invalid reference: %s\n", head);
	return true;
}

static int say_start_is_missing(const char *head)
{
	error("checking out '%s' failed. Try 'git bisect start <valid-branch>'.", head);
	return BISECT_FAILED;
}

static int say_head_is_missing(const char *head)
{
	error("could not check out original HEAD '%s'. Try 'git bisect reset <commit>'.", head);
	return BISECT_FAILED;
}

/* An older bisection ends: back to where it began. */
static int end_old_bisection(struct bisect *b, const char *head)
{
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (is_missing(b, head))
		return say_start_is_missing(head);
	op = repo_operation_begin(b->r);
	rc = bisect_queue_removal(b, op, &err);
	if (rc || b->no_checkout) {
		rc = repo_operation_end(op, rc, &err);
		return rc < 0 ? report_fatal(&err) : 0;
	}
	return command_checkout_in(b->ctx, op, head, false) ? say_start_is_missing(head) : 0;
}

static void plan_start(struct bisect *b, const struct bisect_start *s, int argc, const char **argv)
{
	struct strbuf words = STRBUF_INIT;

	for (size_t i = 0; i < s->revs.nr; i++)
		bisect_mark(b, i ? b->term_good : b->term_bad, &s->revs.oid[i], false);
	sq_quote_argv(&words, argv + s->paths_at);
	b->names = strbuf_detach(&words, NULL);
	for (int i = s->paths_at; i < argc; i++)
		if (i > s->paths_at || strcmp(argv[i], "--") != 0)
			strvec_push(&b->paths, argv[i]);
	sq_quote_argv(&words, argv);
	strbuf_addf(&b->log, "git bisect start%s\n", words.buf);
	strbuf_release(&words);
	b->writes_terms = s->terms_given || s->revs.nr;
	b->is_new = true;
	b->ancestors_ok = false;
}

int bisect_start_cmd(struct bisect *b, int argc, const char **argv)
{
	struct bisect_start s = { .revs = OID_ARRAY_INIT };
	char *old_head = repo_state_line(b->r, STATE_BISECT_START);
	int code = BISECT_FAILED;

	bisect_set_terms(b, "bad", "good");
	b->no_checkout = b->first_parent = b->has_bad = false;
	oid_array_clear(&b->good);
	oid_array_clear(&b->skipped);
	strvec_clear(&b->paths);
	if (parse_start(b, &s, argc, argv) < 0 || (s.terms_given && check_terms(b) < 0))
		goto out;
	if (old_head && *old_head && (code = end_old_bisection(b, old_head)) != 0)
		goto out;
	code = BISECT_FAILED;
	b->start_head = old_head && *old_head ? xstrdup(old_head) : find_start_head(b);
	if (!b->start_head)
		goto out;
	plan_start(b, &s, argc, argv);
	code = bisect_auto_next(b);
out:
	oid_array_clear(&s.revs);
	free(old_head);
	return code;
}

/* ---- reset ---- */

int bisect_reset_cmd(struct bisect *b, const char *commit)
{
	char *head = repo_state_line(b->r, STATE_BISECT_START);
	bool in_progress = head && *head;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	struct object_id oid;
	int rc;

	if (commit && revparse_commit(b->r, commit, &oid, NULL) < 0) {
		free(head);
		error("'%s' is not a valid commit", commit);
		return BISECT_FAILED;
	}
	if (!commit && !in_progress) {
		free(head);
		return 0;
	}
	if (is_missing(b, commit ? commit : head)) {
		rc = say_head_is_missing(commit ? commit : head);
		free(head);
		return rc;
	}
	op = repo_operation_begin(b->r);
	rc = bisect_queue_removal(b, op, &err);
	if (rc || b->no_checkout) {
		rc = repo_operation_end(op, rc, &err);
		rc = rc < 0 ? report_fatal(&err) : 0;
	} else if (command_checkout_in(b->ctx, op, commit ? commit : head, false)) {
		rc = say_head_is_missing(commit ? commit : head);
	}
	free(head);
	return rc;
}
