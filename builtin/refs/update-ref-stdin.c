/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git update-ref --stdin: a line per command, or with -z a NUL behind every
 * argument. Commands are answered as they come, so that a program can hold a
 * conversation; without "start" everything is one transaction that ends with the input.
 */
#include "compat/posix.h"
#include "builtin/refs/update-ref.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "history/names/revparse.h"

enum session_state {
	SESSION_OPEN,	  /* queueing; commits at the end of input */
	SESSION_STARTED,  /* queueing; aborts at the end of input */
	SESSION_PREPARED,
	SESSION_CLOSED,
};

struct session {
	const struct update_ref_options *o;
	enum session_state state;
	struct repo_operation *op;
	struct ref_transaction *t; /* of the operation */
	unsigned next_flags; /* "option no-deref" */
	struct strbuf line;
	const char *next;    /* the rest of the line */
	const char *verb;
};

/* ---- arguments ---- */

bool update_ref_parse_oid(struct repository *r, const char *text, struct object_id *out)
{
	struct err err = ERR_INIT;
	int rc;

	if (!*text) {
		*out = r->algo->null_oid;
		return true;
	}
	/* A whole name needs no look at refs that may be called so. */
	if (strlen(text) == r->algo->hex_len && !oid_from_hex(out, text, r->algo))
		return true;
	rc = revparse_oid(r, text, out, &err);
	report_preface(&err);
	err_release(&err);
	return !rc;
}

/* Git's messages quote the rest of the line as it was read. */
static const char *line_end(const struct session *s)
{
	return s->o->nul || feof(stdin) ? "" : "\n";
}

/* Behind a space of the line, or quoted; NULL: no argument left. Caller frees. */
static char *text_argument(struct session *s)
{
	struct strbuf arg = STRBUF_INIT;
	const char *end;

	if (*s->next == '"') {
		const char *start = s->next;

		if (unquote_c_style(&arg, s->next, &end) < 0)
			die("badly quoted argument: %s%s", start, line_end(s));
		if (*end && !isspace((unsigned char)*end))
			die("unexpected character after quoted argument: %s%s", start, line_end(s));
		s->next = end;
	} else {
		end = s->next;
		while (*end && !isspace((unsigned char)*end))
			end++;
		strbuf_add(&arg, s->next, end - s->next);
		s->next = end;
	}
	return strbuf_detach(&arg, NULL);
}

static char *ref_argument(struct session *s)
{
	char *ref = s->o->nul ? xstrdup(s->next) : text_argument(s);

	if (s->o->nul)
		s->next += strlen(s->next);
	if (!*ref)
		die("%s: missing <ref>", s->verb);
	if (!refname_is_valid(ref, REFNAME_ALLOW_ONELEVEL))
		die("invalid ref format: %s", ref);
	return ref;
}

static bool at_end_of_input(void)
{
	int c = getc(stdin);

	if (c != EOF)
		ungetc(c, stdin);
	return c == EOF;
}

/* The next argument, where it is. NULL: there is none. Caller frees. */
static char *value_argument(struct session *s, const char *ref, const char *what)
{
	struct strbuf arg = STRBUF_INIT;

	if (s->o->nul) {
		if (strbuf_getdelim(&arg, stdin, '\0') < 0)
			die("%s %s: unexpected end of input when reading %s", s->verb, ref, what);
		return strbuf_detach(&arg, NULL);
	}
	if (*s->next != ' ')
		return NULL;
	s->next++;
	return text_argument(s);
}

/* A line without its line feed may be half a command, which would do something else than the whole. */
static bool is_cut_off(const struct session *s)
{
	return !s->o->nul && feof(stdin);
}

static void check_cut_off(const struct session *s, const char *ref, const char *what)
{
	if (is_cut_off(s))
		die("%s %s: unexpected end of input when reading %s", s->verb, ref, what);
}

static void parse_value(struct session *s, const char *ref, const char *what,
			const char *text, struct object_id *out)
{
	if (!update_ref_parse_oid(s->o->repo, text, out))
		die("%s %s: invalid %s: %s", s->verb, ref, what, text);
}

static void new_argument(struct session *s, const char *ref, struct object_id *out)
{
	char *text = value_argument(s, ref, "<new-oid>");

	if (!text) {
		check_cut_off(s, ref, "<new-oid>");
		die("%s %s: missing <new-oid>", s->verb, ref);
	}
	if (s->o->nul && !*text) {
		if (strcmp(s->verb, "update"))
			die("%s %s: missing <new-oid>", s->verb, ref);
		warning("%s %s: missing <new-oid>, treating as zero", s->verb, ref);
	}
	parse_value(s, ref, "<new-oid>", text, out);
	free(text);
}

/* Parses an old value. An empty text is a missing value with -z, else the null id. */
static bool old_argument(struct session *s, const char *ref, struct object_id *out)
{
	char *text = value_argument(s, ref, "<old-oid>");
	bool given = text && (*text || !s->o->nul);

	if (!text)
		check_cut_off(s, ref, "<old-oid>");
	if (given)
		parse_value(s, ref, "<old-oid>", text, out);
	free(text);
	return given;
}

/* The same for targets of symbolic refs, which the end of input ends as well; NULL: none. */
static char *target_argument(struct session *s, const char *ref, const char *what)
{
	char *text;

	if (s->o->nul && at_end_of_input())
		return NULL;
	text = value_argument(s, ref, what);

	if (text && !*text)
		FREE_AND_NULL(text);
	return text;
}

/* One that must be a ref name, if it is there. */
static char *ref_target_argument(struct session *s, const char *ref, const char *what)
{
	char *text = target_argument(s, ref, what);

	if (text && !refname_is_valid(text, REFNAME_ALLOW_ONELEVEL))
		die("invalid ref format: %s", text);
	return text;
}

static void end_of_command(struct session *s, const char *ref)
{
	if (!s->o->nul && (*s->next || is_cut_off(s)))
		die("%s %s: extra input: %s%s", s->verb, ref, s->next, line_end(s));
}

/* ---- commands that name a ref ---- */

static unsigned pending_flags(struct session *s)
{
	unsigned flags = s->o->flags | s->next_flags;

	s->next_flags = 0;
	return flags;
}

static void check(int rc, struct err *err)
{
	if (rc < 0)
		die_err(err);
}

static void do_update(struct session *s)
{
	struct object_id new_oid, old_oid;
	struct err err = ERR_INIT;
	char *ref = ref_argument(s);
	bool old;

	new_argument(s, ref, &new_oid);
	old = old_argument(s, ref, &old_oid);
	end_of_command(s, ref);
	check(ref_transaction_update(s->t, ref, &new_oid, old ? &old_oid : NULL,
				     pending_flags(s), s->o->msg, &err), &err);
	free(ref);
}

static void do_create(struct session *s)
{
	struct object_id new_oid;
	struct err err = ERR_INIT;
	char *ref = ref_argument(s);

	new_argument(s, ref, &new_oid);
	if (oid_is_null(&new_oid))
		die("%s %s: zero <new-oid>", s->verb, ref);
	end_of_command(s, ref);
	check(ref_transaction_update(s->t, ref, &new_oid, &s->o->repo->algo->null_oid,
				     pending_flags(s), s->o->msg, &err), &err);
	free(ref);
}

static void do_delete(struct session *s)
{
	struct object_id old_oid;
	struct err err = ERR_INIT;
	char *ref = ref_argument(s);
	bool old = old_argument(s, ref, &old_oid);

	if (old && oid_is_null(&old_oid))
		die("%s %s: zero <old-oid>", s->verb, ref);
	end_of_command(s, ref);
	check(ref_transaction_update(s->t, ref, &s->o->repo->algo->null_oid,
				     old ? &old_oid : NULL, pending_flags(s), s->o->msg, &err),
	      &err);
	free(ref);
}

static void do_verify(struct session *s)
{
	struct object_id old_oid;
	struct err err = ERR_INIT;
	char *ref = ref_argument(s);

	if (!old_argument(s, ref, &old_oid))
		old_oid = s->o->repo->algo->null_oid;
	end_of_command(s, ref);
	check(ref_transaction_verify(s->t, ref, &old_oid, pending_flags(s), &err), &err);
	free(ref);
}

static void do_symref_update(struct session *s)
{
	struct err err = ERR_INIT;
	char *ref = ref_argument(s), *target, *kind, *old = NULL;
	struct object_id old_oid;
	bool by_oid = false;
	unsigned flags;

	target = ref_target_argument(s, ref, "<new-target>");
	if (!target)
		die("%s %s: missing <new-target>", s->verb, ref);
	kind = target_argument(s, ref, "<old-target>");
	if (kind) {
		by_oid = !strcmp(kind, "oid");
		old = target_argument(s, ref, "<old-target>");
		if (!old)
			die("%s %s: expected old value", s->verb, ref);
		if (!by_oid && strcmp(kind, "ref") != 0)
			die("%s %s: invalid arg '%s' for old value", s->verb, ref, kind);
		if (!by_oid && !refname_is_valid(old, REFNAME_ALLOW_ONELEVEL))
			die("%s %s: invalid ref: %s", s->verb, ref, old);
		if (by_oid)
			parse_value(s, ref, "oid", old, &old_oid);
	} else if (s->o->nul) {
		free(target_argument(s, ref, "<old-target>")); /* empty as well */
	}
	end_of_command(s, ref);
	flags = pending_flags(s);
	check(by_oid ? ref_transaction_update_symref_oid(s->t, ref, target, &old_oid, flags,
							 s->o->msg, &err) :
		       ref_transaction_update_symref(s->t, ref, target, old, flags, s->o->msg,
						     &err), &err);
	free(ref);
	free(target);
	free(kind);
	free(old);
}

static void do_symref_create(struct session *s)
{
	struct err err = ERR_INIT;
	char *ref = ref_argument(s), *target;

	target = ref_target_argument(s, ref, "<new-target>");
	if (!target)
		die("%s %s: missing <new-target>", s->verb, ref);
	end_of_command(s, ref);
	check(ref_transaction_update_symref(s->t, ref, target, NULL,
					    pending_flags(s) | REF_MUST_BE_NEW, s->o->msg, &err),
	      &err);
	free(ref);
	free(target);
}

/* Both need "option no-deref": they are about the symref, not what it leads to. */
static void need_no_deref(struct session *s)
{
	if (!(pending_flags(s) & REF_NO_DEREF))
		die("%s: cannot operate with deref mode", s->verb);
}

static void do_symref_delete(struct session *s)
{
	struct err err = ERR_INIT;
	char *ref, *old;

	need_no_deref(s);
	ref = ref_argument(s);
	old = ref_target_argument(s, ref, "<old-target>");
	end_of_command(s, ref);
	check(ref_transaction_update_symref(s->t, ref, NULL, old, REF_NO_DEREF,
					    s->o->msg, &err), &err);
	free(ref);
	free(old);
}

static void do_symref_verify(struct session *s)
{
	struct err err = ERR_INIT;
	char *ref, *old;

	need_no_deref(s);
	ref = ref_argument(s);
	old = ref_target_argument(s, ref, "<old-target>");
	end_of_command(s, ref);
	check(ref_transaction_verify_symref(s->t, ref, old, &err), &err);
	free(ref);
	free(old);
}

static void do_option(struct session *s)
{
	if (strcmp(s->next, "no-deref") != 0 || is_cut_off(s))
		die("option unknown: %s%s", s->next, line_end(s));
	s->next_flags |= REF_NO_DEREF;
}

/* ---- the transaction ---- */

static void begin(struct session *s)
{
	struct err err = ERR_INIT;

	s->op = repo_operation_begin(s->o->repo);
	check(repo_operation_begin_refs(s->op, s->o->batch ? REF_TRANSACTION_ALLOW_FAILURE : 0,
					&s->t, &err), &err);
}

/* Told at once: the other side waits for it. */
static void answer(const struct session *s)
{
	printf("%s: ok\n", s->verb);
	fflush(stdout);
}

static void close_transaction(struct session *s)
{
	repo_operation_free(s->op);
	s->op = NULL;
	s->t = NULL;
	s->state = SESSION_CLOSED;
}

static void update_ref_stdin_prepare(struct session *s)
{
	struct err err = ERR_INIT;

	if (repo_operation_prepare(s->op, &err) < 0) {
		close_transaction(s);
		err_prefix(&err, "prepare");
		die_err(&err);
	}
	s->state = SESSION_PREPARED;
}

/* --batch-updates: what did not happen, the new value first; the messages go to stderr. */
static void report_rejections(const struct session *s)
{
	struct ref_rejection r;

	for (size_t i = 0; i < ref_transaction_nr(s->t); i++) {
		if (!ref_transaction_rejection(s->t, i, &r))
			continue;
		error("%s", r.msg);
		printf("rejected %s %s %s %s\n", r.name,
		       r.new_target ? r.new_target : oid_hex(r.new_oid),
		       r.old_target ? r.old_target : oid_hex(r.old_oid),
		       ref_failure_text(r.failure, "unknown failure"));
	}
}

static void commit(struct session *s)
{
	struct err err = ERR_INIT;
	int rc;

	rc = repo_operation_commit(s->op, &err);
	if (!rc)
		report_rejections(s);
	close_transaction(s);
	if (rc < 0 && s->verb && !strcmp(s->verb, "commit"))
		err_prefix(&err, "commit");
	check(rc, &err);
}

static void give_up(struct session *s)
{
	repo_operation_abort_and_tell(s->op);
	close_transaction(s);
}

static void do_start(struct session *s)
{
	if (s->state == SESSION_STARTED)
		die("cannot restart ongoing transaction");
	if (s->state == SESSION_CLOSED)
		begin(s);
	s->state = SESSION_STARTED;
	answer(s);
}

static void do_prepare(struct session *s)
{
	update_ref_stdin_prepare(s);
	answer(s);
}

static void do_commit(struct session *s)
{
	commit(s);
	answer(s);
}

static void do_abort(struct session *s)
{
	give_up(s);
	answer(s);
}

/* ---- the loop ---- */

static const struct verb {
	const char *name;
	void (*run)(struct session *s);
	bool takes_args;
	bool closes; /* allowed once prepared */
} verbs[] = {
	{ "update", do_update, true, false },
	{ "create", do_create, true, false },
	{ "delete", do_delete, true, false },
	{ "verify", do_verify, true, false },
	{ "symref-update", do_symref_update, true, false },
	{ "symref-create", do_symref_create, true, false },
	{ "symref-delete", do_symref_delete, true, false },
	{ "symref-verify", do_symref_verify, true, false },
	{ "option", do_option, true, false },
	{ "start", do_start, false, false },
	{ "prepare", do_prepare, false, false },
	{ "abort", do_abort, false, true },
	{ "commit", do_commit, false, true },
};

static const struct verb *find_verb(struct session *s)
{
	const char *rest;
	size_t i;

	if (!s->line.len)
		die("empty command in input");
	if (isspace((unsigned char)s->line.buf[0]))
		die("whitespace before command: %s%s", s->line.buf, line_end(s));
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!skip_prefix(s->line.buf, verbs[i].name, &rest) ||
		    *rest != (verbs[i].takes_args ? ' ' : '\0') || (!verbs[i].takes_args && is_cut_off(s)))
			continue;
		s->next = verbs[i].takes_args ? rest + 1 : rest;
		s->verb = verbs[i].name;
		return &verbs[i];
	}
	die("unknown command: %s%s", s->line.buf, line_end(s));
}

static void check_state(const struct session *s, const struct verb *v)
{
	if (s->state == SESSION_CLOSED && strcmp(v->name, "start"))
		die("transaction is closed");
	if (s->state == SESSION_PREPARED && !v->closes)
		die("prepared transactions can only be closed");
}

int update_ref_stdin(const struct update_ref_options *o)
{
	struct session s = { .o = o, .line = STRBUF_INIT };
	const int term = o->nul ? '\0' : '\n';

	begin(&s);
	while (strbuf_getdelim(&s.line, stdin, term) >= 0) {
		const struct verb *v = find_verb(&s);

		check_state(&s, v);
		v->run(&s);
	}
	strbuf_release(&s.line);
	if (s.state == SESSION_OPEN)
		commit(&s);
	else if (s.state != SESSION_CLOSED)
		give_up(&s);
	return 0;
}
