/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions that name one object. Operators stand at the end and are removed from there:
 *
 *	EXPR ~N | EXPR ^N | EXPR ^{…}	what remains is parsed first
 *	REF | REF @{N} | REF @{DATE}	refs may be short, "@", "@{-1}", "x@{u}", "x@{push}"
 *	a full or abbreviated object name, or the output of git describe
 */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "util/alloc.h"
#include "util/date.h"

static bool warns_of_ambiguity(const struct repository *r)
{
	bool warn = true;

	config_get_bool(r->config, "core.warnambiguousrefs", &warn, NULL);
	return warn;
}

/* ---- @{-N} ---- */

struct nth_checkout {
	unsigned left;
	char *from;
};

/* "checkout: moving from A to B" */
static int on_checkout(void *data, const struct reflog_entry *e)
{
	struct nth_checkout *n = data;
	const char *from, *to;

	if (!skip_prefix(e->msg, "checkout: moving from ", &from) ||
	    !(to = strstr(from, " to ")) || --n->left)
		return 0;
	n->from = xstrndup(from, to - from);
	return 1;
}

/* "@{-N}" at the start of name: how many bytes it is, and N. */
static size_t match_nth_prior(const char *name, size_t len, unsigned *n)
{
	size_t i = 3;
	unsigned value = 0;

	if (len < 5 || memcmp(name, "@{-", 3))
		return 0;
	for (; i < len && isdigit((unsigned char)name[i]) && value < 1000000; i++)
		value = value * 10 + (name[i] - '0');
	if (i == 3 || i == len || name[i] != '}' || !value)
		return 0;
	*n = value;
	return i + 1;
}

/* ---- @{upstream}, @{push} ---- */

enum mark { MARK_NONE, MARK_UPSTREAM, MARK_PUSH };

static enum mark match_mark(const char *name, size_t len, size_t *base)
{
	static const struct { const char *text; enum mark mark; } marks[] = {
		{ "@{upstream}", MARK_UPSTREAM }, { "@{u}", MARK_UPSTREAM },
		{ "@{push}", MARK_PUSH },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i].text);

		if (len >= n && !strncasecmp(name + len - n, marks[i].text, n)) {
			*base = len - n;
			return marks[i].mark;
		}
	}
	return MARK_NONE;
}

/* The branch that a name before "@{u}" means; empty and HEAD: the current one. */
static int branch_before_mark(struct repository *r, const char *name, size_t len, char **out,
			      struct err *err)
{
	struct strbuf expanded = STRBUF_INIT;
	struct object_id oid;
	char *final = NULL;
	const char *branch;
	int rc;

	rc = len ? revparse_branch_name(r, name, len, &expanded, err) : 0;
	if (rc < 0) {
		strbuf_release(&expanded);
		return rc;
	}
	if (len && strcmp(expanded.buf, "HEAD")) {
		*out = strbuf_detach(&expanded, NULL);
		return 0;
	}
	rc = ref_resolve(r->refs, "HEAD", &oid, &final, NULL, NULL);
	if ((!rc || rc == ERR_NOT_FOUND) && skip_prefix(final, "refs/heads/", &branch)) {
		*out = xstrdup(branch);
		rc = 0;
	} else {
		rc = err_set(err, ERR_INVALID, "HEAD does not point to a branch");
	}
	free(final);
	strbuf_release(&expanded);
	return rc;
}

static int resolve_mark(struct repository *r, const char *name, size_t len, enum mark mark,
			struct strbuf *out, struct err *err)
{
	char *branch = NULL, *ref;
	int rc = branch_before_mark(r, name, len, &branch, err);

	if (rc < 0)
		return rc;
	rc = mark == MARK_UPSTREAM ? branch_upstream(r, branch, &ref, err) :
		branch_push_target(r, branch, &ref, err);
	if (!rc) {
		strbuf_addstr(out, ref);
		free(ref);
	}
	free(branch);
	return rc;
}

/* ---- names of branches ---- */

static int expand_nth_prior(struct repository *r, const char *name, size_t len, size_t used,
			    unsigned n, struct strbuf *out, struct err *err)
{
	struct nth_checkout find = { n, NULL };
	struct strbuf rest = STRBUF_INIT;
	int rc = reflog_foreach(r->refs, "HEAD", true, on_checkout, &find, NULL);

	if (rc < 0 || !find.from)
		return 0; /* there is none: the name stays */
	/* "@{-1}@{u}": the rest applies to the branch that was found. */
	strbuf_addstr(&rest, find.from);
	strbuf_add(&rest, name + used, len - used);
	free(find.from);
	rc = used == len ? 0 : revparse_branch_name(r, rest.buf, rest.len, out, err);
	if (used == len)
		strbuf_addbuf(out, &rest);
	strbuf_release(&rest);
	return rc < 0 ? rc : (int)len;
}

int revparse_branch_name(struct repository *r, const char *name, size_t len,
			 struct strbuf *out, struct err *err)
{
	size_t base = out->len, used, mark_at;
	enum mark mark;
	unsigned n;
	int rc = 0;

	used = match_nth_prior(name, len, &n);
	if (used)
		rc = expand_nth_prior(r, name, len, used, n, out, err);
	else if (len == 1 && *name == '@')
		strbuf_addstr(out, "HEAD"), rc = 1;
	else if ((mark = match_mark(name, len, &mark_at)) != MARK_NONE) {
		rc = resolve_mark(r, name, mark_at, mark, out, err);
		rc = rc < 0 ? rc : (int)len;
	}
	if (!rc && out->len == base)
		strbuf_add(out, name, len);
	return rc;
}

/* ---- refs ---- */

int revparse_ref(struct repository *r, const char *name, size_t len, char **full,
		 struct object_id *oid, struct err *err)
{
	struct strbuf expanded = STRBUF_INIT;
	int rc = revparse_branch_name(r, name, len, &expanded, err);

	if (rc >= 0)
		rc = ref_dwim(r->refs, expanded.buf, expanded.len, full, oid);
	strbuf_release(&expanded);
	return rc > 1 && !warns_of_ambiguity(r) ? 1 : rc;
}

/* ---- reflogs ---- */

struct log_search {
	bool by_number;
	unsigned n;
	timestamp_t at;
	/* so far */
	unsigned seen;
	bool found;
	struct reflog_entry last, newer; /* oids and date only; newer: the one after the last */
};

static int on_entry(void *data, const struct reflog_entry *e)
{
	struct log_search *s = data;

	s->newer = s->last;
	s->last = *e;
	s->found = s->by_number ? s->seen == s->n : e->date <= s->at;
	s->seen++;
	return s->found;
}

static void warn_at_entry(struct repository *r, const char *log, const char *what,
			  const struct reflog_entry *e)
{
	struct date_mode mode = { .type = DATE_RFC2822 };
	struct strbuf date = STRBUF_INIT;

	date_format(&date, e->date, e->tz, &mode);
	repo_warn(r, "log for ref %s %s %s", log, what, date.buf);
	strbuf_release(&date);
}

/*
 * The value that the entry found gave to the ref. It lasted up to the next entry; behind the
 * last one it is the ref's own, whatever the log says. The same goes for one that was deleted.
 */
static void at_the_entry(struct repository *r, const char *log, const struct log_search *s,
			 const struct object_id *current, struct object_id *oid)
{
	const struct reflog_entry *e = &s->last;
	bool followed = s->seen > 1 && !oid_is_null(&s->newer.old_oid);

	if (followed && !oid_eq(&s->newer.old_oid, &e->new_oid))
		warn_at_entry(r, log, "has gap after", e);
	if (followed || (!s->by_number && e->date == s->at)) {
		*oid = e->new_oid;
		return;
	}
	if (!oid_eq(&e->new_oid, current))
		warn_at_entry(r, log, "unexpectedly ended on", e);
	*oid = *current;
}

static int before_the_log(struct repository *r, const char *name, size_t len,
			  const struct log_search *s, struct object_id *oid, struct err *err)
{
	struct strbuf date = STRBUF_INIT;
	struct date_mode mode = DATE_MODE_INIT;
	bool has_old = !oid_is_null(&s->last.old_oid);

	if (s->by_number) {
		if (s->n != s->seen || !has_old)
			return err_set(err, ERR_INVALID, "log for '%.*s' only has %u entries",
				       (int)len, name, s->seen);
		*oid = s->last.old_oid;
		return 0;
	}
	mode.type = DATE_RFC2822;
	date_format(&date, s->last.date, s->last.tz, &mode);
	repo_warn(r, "log for '%.*s' only goes back to %s", (int)len, name, date.buf);
	strbuf_release(&date);
	*oid = has_old ? s->last.old_oid : s->last.new_oid;
	return 0;
}

static bool parse_log_place(const char *s, size_t len, struct log_search *out)
{
	char *copy = xstrndup(s, len);
	bool bad = false;
	size_t i;

	for (i = 0; i < len && isdigit((unsigned char)s[i]) && out->n < 100000000; i++)
		out->n = out->n * 10 + (s[i] - '0');
	out->by_number = len && i == len && out->n < 100000000;
	if (!out->by_number)
		out->at = date_approxidate(copy, &bad);
	free(copy);
	return !bad && len;
}

/* "@{1}" without a name: the branch's log, or HEAD's if it is detached. */
static int find_log(struct repository *r, const char *name, size_t len, char **log,
		    struct object_id *oid, struct err *err)
{
	struct strbuf expanded = STRBUF_INIT;
	int rc;

	if (!len) {
		rc = ref_resolve(r->refs, "HEAD", oid, log, NULL, NULL);
		return rc < 0 ? ERR_NOT_FOUND : 0;
	}
	rc = revparse_branch_name(r, name, len, &expanded, err);
	if (rc >= 0)
		rc = ref_dwim_log(r->refs, expanded.buf, expanded.len, log, oid) ? 0 : ERR_NOT_FOUND;
	strbuf_release(&expanded);
	return rc;
}

static int parse_log_entry(struct repository *r, const char *name, size_t len,
			   const char *place, size_t place_len, struct object_id *oid,
			   struct err *err)
{
	struct log_search s = { .n = 0 };
	struct object_id current;
	char *log = NULL;
	int rc;

	if (!parse_log_place(place, place_len, &s))
		return ERR_NOT_FOUND;
	rc = find_log(r, name, len, &log, &current, err);
	if (rc < 0)
		return rc;
	rc = reflog_foreach(r->refs, log, true, on_entry, &s, NULL);
	if (rc == ERR_NOT_FOUND)
		rc = 0;
	if (!len)
		name = log, len = strlen(log);
	if (!strncmp(name, "refs/heads/", 11) && log == name)
		name += 11, len -= 11;
	if (s.found)
		at_the_entry(r, log, &s, &current, oid);
	else if (!s.seen && s.by_number && !s.n)
		*oid = current;
	else if (!s.seen)
		rc = err_set(err, ERR_INVALID, "log for %s is empty", log);
	else
		rc = before_the_log(r, name, len, &s, oid, err);
	free(log);
	return rc < 0 ? rc : 0;
}

/* "name@{place}": where the last "@{" is; "@{-" begins no place. */
static bool split_log(const char *name, size_t len, size_t *at)
{
	size_t i, base;

	if (len < 4 || name[len - 1] != '}' || match_mark(name, len, &base))
		return false;
	for (i = len - 3; i-- > 0;)
		if (name[i] == '@' && name[i + 1] == '{') {
			*at = i;
			return name[i + 2] != '-';
		}
	return false;
}

/* A ref, with "@{…}" behind it or without. */
static int parse_ref(struct repository *r, const char *name, size_t len,
		     struct object_id *oid, struct err *err)
{
	struct strbuf expanded = STRBUF_INIT;
	char *full = NULL;
	unsigned n;
	size_t at;
	int rc;

	if (!len)
		return ERR_NOT_FOUND;
	if (match_nth_prior(name, len, &n) == len) {
		/* A branch, or the name of the commit that HEAD was detached at. */
		rc = revparse_branch_name(r, name, len, &expanded, err);
		rc = rc < 0 ? rc : !rc ? ERR_NOT_FOUND :
			rev_parse_expr(r, expanded.buf, expanded.len, OBJ_ANY, oid, err);
		strbuf_release(&expanded);
		return rc;
	}
	if (split_log(name, len, &at))
		return parse_log_entry(r, name, at, name + at + 2, len - at - 3, oid, err);
	rc = revparse_ref(r, name, len, &full, oid, err);
	if (rc > 1)
		repo_warn(r, "refname '%.*s' is ambiguous.", (int)len, name);
	free(full);
	return rc < 0 ? rc : rc ? 0 : ERR_NOT_FOUND;
}

/* ---- parents ---- */

/*
 * Digits at the end of name, behind '~' or '^'; a number that is too large
 * is replaced by one that no commit has.
 */
static bool split_number(const char *name, size_t len, size_t *base, char *op, unsigned *n)
{
	size_t at = len, i;
	unsigned value = 0;

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	if (!at || (name[at - 1] != '~' && name[at - 1] != '^'))
		return false;
	for (i = at; i < len; i++) {
		if (value > (INT_MAX - 9) / 10)
			value = INT_MAX / 100;
		value = value * 10 + (name[i] - '0');
	}
	*op = name[at - 1];
	*n = at == len ? 1 : value;
	*base = at - 1;
	return true;
}

/* ---- ^{…} ---- */

/* "…^{": where the '^' is, for a name that ends in '}'. */
static bool split_peel(const char *name, size_t len, size_t *base)
{
	size_t i;

	if (!len || name[len - 1] != '}')
		return false;
	for (i = len - 1; i > 1; i--)
		if (name[i - 1] == '{' && name[i - 2] == '^') {
			*base = i - 2;
			return true;
		}
	return false;
}

static int peel_to(struct repository *r, const char *name, size_t len,
		   const struct object_id *oid, enum object_type want,
		   struct object_id *out, struct err *err)
{
	enum object_type type;
	struct object_id at;
	int rc;

	rc = object_peel(odb_source(r->odb), oid, want, &at, &type, NULL);
	if (!rc) {
		*out = at;
		return 0;
	}
	if (rc != ERR_INVALID)
		return ERR_NOT_FOUND;
	if (object_peel(odb_source(r->odb), oid, OBJ_ANY, &at, &type, NULL) < 0)
		return ERR_NOT_FOUND;
	/* A commit on the way to something else is seen as its tree. */
	if (type == OBJ_COMMIT && want != OBJ_TAG)
		type = OBJ_TREE;
	return err_set(err, ERR_NOT_FOUND, "%.*s: expected %s type, but the object "
		       "dereferences to %s type", (int)len, name, object_type_name(want),
		       object_type_name(type));
}

/* What a "^{…}" asks for. */
struct peel {
	const char *text; /* of ^{/text}; else NULL */
	size_t text_len;
	bool exists;	  /* ^{object} */
	enum object_type want, hint;
};

static bool parse_peel(const char *what, size_t len, struct peel *out)
{
	*out = (struct peel){ .want = OBJ_ANY, .hint = OBJ_ANY };
	if (len && *what == '/') {
		out->text = what + 1;
		out->text_len = len - 1;
		out->want = out->hint = OBJ_COMMIT;
	} else if (len == 6 && !memcmp(what, "object", 6)) {
		out->exists = true;
	} else if (len) {
		out->want = object_type_from_name(what, len);
		if (out->want == OBJ_COMMIT || out->want == OBJ_TREE)
			out->hint = out->want;
	}
	return out->want != OBJ_BAD;
}

static int apply_peel(struct repository *r, const char *name, size_t len, const struct peel *p,
		      struct object_id *oid, struct err *err)
{
	int rc;

	if (p->exists)
		return odb_has(r->odb, oid) ? 0 : ERR_NOT_FOUND;
	rc = peel_to(r, name, len, oid, p->want, oid, err);
	if (rc < 0 || !p->text_len)
		return rc;
	return rev_parse_text(r, p->text, p->text_len, oid, oid, err);
}

/* ---- names ---- */

/* "v1.0-5-gabcdef": the hex digits behind the last "-g". */
static bool split_describe(const char *name, size_t len, size_t *hex_at)
{
	size_t i = len;

	while (i && hex_value((unsigned char)name[i - 1]) >= 0)
		i--;
	/* 'g' is no hex digit: i is right behind it. */
	if (i == len || i < 2 || name[i - 1] != 'g' || name[i - 2] != '-')
		return false;
	*hex_at = i;
	return true;
}

static void warn_hex_ref(struct repository *r, const char *name, size_t len)
{
	struct strbuf copy = STRBUF_INIT;
	bool advise = true;
	char *full;

	/* A ref of that name is most likely a mistake: the object is meant. */
	strbuf_add(&copy, name, len);
	if (warns_of_ambiguity(r) && ref_dwim(r->refs, copy.buf, len, &full, NULL)) {
		free(full);
		config_get_bool(r->config, "advice.objectnamewarning", &advise, NULL);
		repo_warn(r, "refname '%s' is ambiguous.%s", copy.buf, !advise ? "" :
			  "\nA ref has the same name as an object. The object is used, not "
			  "the ref. The ref\nwas probably made by mistake: look at it and delete it. "
			  "To see no more of this:\n\"git config advice.objectNameWarning false\"");
	}
	strbuf_release(&copy);
}

static int parse_name(struct repository *r, const char *name, size_t len,
		      enum object_type hint, struct object_id *oid, struct err *err)
{
	const char *end;
	size_t hex_at;
	int rc;

	if (len == r->algo->hex_len && !oid_parse_hex(oid, name, r->algo, &end)) {
		warn_hex_ref(r, name, len);
		return 0;
	}
	rc = parse_ref(r, name, len, oid, err);
	if (rc != ERR_NOT_FOUND || (err && err->msg))
		return rc;
	if (split_describe(name, len, &hex_at)) {
		rc = rev_parse_abbrev(r, name + hex_at, len - hex_at, OBJ_COMMIT, oid, err);
		if (rc != ERR_NOT_FOUND)
			return rc;
	}
	return rev_parse_abbrev(r, name, len, hint, oid, err);
}

/* ---- all ---- */

/* An operator at the end of the first len bytes of a name. */
struct operator {
	size_t base, len;
	char op; /* '~', '^', or '{' for a peel */
	unsigned n;
	struct peel peel;
};

/* 1: one was split off; 0: there is none; < 0: it means nothing. */
static int split_operator(const char *name, size_t len, struct operator *o)
{
	o->len = len;
	if (split_number(name, len, &o->base, &o->op, &o->n))
		return 1;
	if (!split_peel(name, len, &o->base))
		return 0;
	o->op = '{';
	return parse_peel(name + o->base + 2, len - o->base - 3, &o->peel) ? 1 : ERR_NOT_FOUND;
}

/* How far the farthest ancestor is. */
static unsigned steps_to_parents(const struct operator *ops, size_t nr)
{
	unsigned steps = 0;

	for (size_t i = 0; i < nr; i++)
		if (ops[i].op != '{' && ops[i].n) {
			unsigned n = ops[i].op == '^' ? 1 : ops[i].n;

			steps = n > steps ? n : steps;
		}
	return steps;
}

/* The operators from the last to the first, as they stand behind the name. */
static int apply_operators(struct repository *r, const char *name, const struct operator *ops,
			   size_t nr, struct object_id *oid, struct err *err)
{
	struct parent_links links;
	int rc = parent_links_open(&links, r, steps_to_parents(ops, nr), err);

	while (!rc && nr--)
		rc = ops[nr].op == '{' ?
			apply_peel(r, name, ops[nr].len, &ops[nr].peel, oid, err) :
			parent_links_follow(&links, ops[nr].op, ops[nr].n, oid, err);
	parent_links_release(&links);
	return rc;
}

int rev_parse_expr(struct repository *r, const char *name, size_t len,
		   enum object_type hint, struct object_id *oid, struct err *err)
{
	struct operator *ops = NULL, o;
	size_t nr = 0, alloc = 0;
	int rc;

	/* From the end to the front, and back: a name may have any number of them. */
	while ((rc = split_operator(name, len, &o)) > 0) {
		ALLOC_GROW(ops, nr + 1, alloc);
		ops[nr++] = o;
		len = o.base;
		hint = o.op == '{' ? o.peel.hint : OBJ_COMMIT;
	}
	if (!rc)
		rc = parse_name(r, name, len, hint, oid, err);
	if (!rc)
		rc = apply_operators(r, name, ops, nr, oid, err);
	free(ops);
	return rc;
}
