/* SPDX-License-Identifier: GPL-2.0-only */
/* Refs as users write them: short, "@", "@{-1}", "x@{u}", "x@{2}", "x@{yesterday}". */
#include "compat/posix.h"
#include "history/revparse-internal.h"
#include "util/alloc.h"
#include "util/date.h"

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
		return 0; /* there is none: it stays as it is */
	/* "@{-1}@{u}": what stands behind applies to the name that was found. */
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
	return rc > 1 && !rev_warn_ambiguous(r) ? 1 : rc;
}

/* ---- reflogs ---- */

struct log_search {
	bool by_number;
	unsigned n;
	timestamp_t at;
	/* so far */
	unsigned seen;
	bool found;
	struct reflog_entry last; /* oids and date only */
};

static int on_entry(void *data, const struct reflog_entry *e)
{
	struct log_search *s = data;

	s->last = *e;
	s->found = s->by_number ? s->seen == s->n : e->date <= s->at;
	s->seen++;
	return s->found;
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
	if (!len)
		name = log, len = strlen(log);
	if (!strncmp(name, "refs/heads/", 11) && log == name)
		name += 11, len -= 11;
	if (s.found)
		*oid = s.last.new_oid;
	else if (!s.seen && s.by_number && !s.n)
		*oid = current;
	else if (!s.seen)
		rc = err_set(err, ERR_INVALID, "log for '%.*s' is empty", (int)len, name);
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

int rev_parse_ref(struct repository *r, const char *name, size_t len,
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
