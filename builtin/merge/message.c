/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): the message of the merge commit. */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "history/revision/revision.h"
#include "history/names/revparse.h"
#include "object/ident.h"
#include "porcelain/trailers.h"
#include "pretty/pretty.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- the heads, as lines of FETCH_HEAD ---- */

/* "topic^", "topic~3": some way below a branch. *len: that of the branch. */
static bool is_early_part(const char *name, size_t *len)
{
	size_t n = strlen(name), digits;
	unsigned long up;

	for (*len = n; *len && name[*len - 1] == '^';)
		--*len;
	if (*len < n)
		return true;
	for (digits = n; digits && isdigit((unsigned char)name[digits - 1]); digits--)
		;
	if (!digits || name[digits - 1] != '~')
		return false;
	up = strtoul(name + digits, NULL, 10);
	*len = digits - 1;
	return digits == n || up;
}

/* The branch that is meant by "topic~0" or "topic~2"; early: not its tip. */
static bool add_branch_part(struct merge_cmd *m, const struct merge_head *h, struct strbuf *out)
{
	size_t cut;
	bool early = is_early_part(h->name, &cut);
	const char *tilde = strrchr(h->name, '~');
	char *branch, *ref;
	bool known;

	if (!early && !(tilde && tilde[1] && strspn(tilde + 1, "0") == strlen(tilde + 1)))
		return false;
	cut = early ? cut : (size_t)(tilde - h->name);
	branch = xmemdupz(h->name, cut);
	ref = xstrfmt("refs/heads/%s", branch);
	known = ref_exists(m->r->refs, ref);
	if (known)
		strbuf_addf(out, "%s\t\tbranch '%s'%s of .\n", oid_hex(&h->commit->oid), branch,
			    early ? " (early part)" : "");
	free(ref);
	free(branch);
	return known;
}

/* The ref that a short name means, if there is only one. */
static char *ref_of(struct merge_cmd *m, const char *name)
{
	char *full = NULL;

	if (revparse_ref(m->r, name, strlen(name), &full, NULL, NULL) > 0)
		return full;
	free(full);
	return NULL;
}

static bool is_ref_of_kind(const char *ref)
{
	return ref && (starts_with(ref, "refs/heads/") || starts_with(ref, "refs/tags/") || starts_with(ref, "refs/remotes/"));
}

static void add_ref_line(const struct merge_head *h, const char *ref, struct strbuf *out)
{
	if (starts_with(ref, "refs/heads/"))
		strbuf_addf(out, "%s\t\tbranch '%s' of .\n", oid_hex(&h->commit->oid), h->name);
	else if (starts_with(ref, "refs/tags/"))
		strbuf_addf(out, "%s\t\ttag '%s' of .\n", oid_hex(&h->named), h->name);
	else
		strbuf_addf(out, "%s\t\tremote-tracking branch '%s' of .\n", oid_hex(&h->commit->oid), h->name);
}

static void add_head_line(struct merge_cmd *m, const struct merge_head *h, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	struct merge_head meant = *h;
	char *ref;

	if (strchr(h->name, '\t')) { /* a line of FETCH_HEAD */
		strbuf_addf(out, "%s\n", h->name);
		return;
	}
	if (revparse_branch_name(m->r, h->name, strlen(h->name), &name, NULL) > 0)
		meant.name = name.buf;
	ref = ref_of(m, meant.name);
	if (is_ref_of_kind(ref))
		add_ref_line(&meant, ref, out);
	else if (!add_branch_part(m, &meant, out))
		strbuf_addf(out, "%s\t\t%s '%s'\n", oid_hex(&h->named), oid_eq(&h->named, &h->commit->oid) ? "commit" : "tag",
			    meant.name);
	free(ref);
	strbuf_release(&name);
}

/* ---- -m, -F ---- */

static int read_message_file(struct merge_cmd *m, struct strbuf *out, struct err *err)
{
	const char *name = m->o.file;
	char *path;
	int rc;

	if (!strcmp(name, "-"))
		return read_fd(out, 0, EDIT_TEXT_MAX, "standard input", err);
	path = is_absolute_path(name) || !m->prefix ? xstrdup(name) : xstrfmt("%s%s", m->prefix, name);
	rc = read_named_file(out, path, EDIT_TEXT_MAX, NULL);
	if (rc < 0) {
		error("could not read file '%s'", path);
		exit(129);
	}
	free(path);
	return 0;
}

static int read_given(struct merge_cmd *m, struct err *err)
{
	for (size_t i = 0; i < m->o.messages.nr; i++) {
		strbuf_addf(&m->message, "%s%s", i ? "\n" : "", m->o.messages.v[i]);
		strbuf_complete_line(&m->message);
	}
	m->have_message = m->o.messages.nr || m->o.file;
	return m->o.file ? read_message_file(m, &m->message, err) : 0;
}

bool merge_wants_editor(const struct merge_cmd *m)
{
	const char *env = getenv("GIT_MERGE_AUTOEDIT");
	struct stat in, out;

	if (m->o.edit >= 0)
		return m->o.edit;
	if (m->have_message)
		return false;
	if (env && config_parse_maybe_bool(env) < 0)
		die("Bad value '%s' in environment '%s'", env, "GIT_MERGE_AUTOEDIT");
	if (env)
		return config_parse_maybe_bool(env);
	return !fstat(0, &in) && !fstat(1, &out) && isatty(0) && isatty(1) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino && in.st_mode == out.st_mode;
}

int merge_prepare_message(struct merge_cmd *m, struct err *err)
{
	struct merge_message_options o = { .into_name = m->o.into_name, .log = m->o.log, .comment_char = m->comment_char };
	struct strbuf lines = STRBUF_INIT;
	int rc = read_given(m, err);

	o.no_title = m->have_message;
	o.credits = merge_wants_editor(m);
	for (size_t i = 0; i < m->heads.nr; i++)
		add_head_line(m, &m->heads.items[i], &lines);
	if (!rc && (!m->have_message || m->o.log))
		rc = merge_message_format(m->r, lines.buf, &o, &m->message, err);
	strbuf_release(&lines);
	return rc;
}

void merge_add_signoff(struct merge_cmd *m, const char *committer)
{
	struct strbuf line = STRBUF_INIT;

	if (ident_add_signoff(&line, committer))
		trailers_add_line(m->r, &m->message, line.buf, m->comment_char);
	strbuf_release(&line);
}

/* ---- --squash ---- */

static int add_commit(struct pretty *p, struct rev_walk *w, struct commit *c, struct strbuf *out, struct err *err)
{
	strbuf_addf(out, "\ncommit %s\n", oid_hex(&c->oid));
	return pretty_commit(p, w->pool, c, out, err);
}

int merge_squash_message(struct merge_cmd *m, struct strbuf *out, struct err *err)
{
	struct strvec args = STRVEC_INIT;
	struct rev_walk *w = NULL;
	struct pretty p;
	struct commit *c;
	int rc = rev_walk_new(&w, m->r, err);

	pretty_init(&p, m->r);
	if (!rc)
		rc = pretty_set_format(&p, "medium", err);
	strvec_push(&args, "");
	for (size_t i = 0; i < m->heads.nr; i++)
		strvec_push(&args, oid_hex(&m->heads.items[i].commit->oid));
	strvec_pushf(&args, "^%s", oid_hex(&m->head));
	strbuf_addstr(out, "Squashed commit of the following:\n");
	if (!rc)
		rc = rev_walk_arguments(w, (int)args.nr, args.v, NULL, err);
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0)
		rc = add_commit(&p, w, c, out, err);
	pretty_release(&p);
	rev_walk_free(w);
	strvec_clear(&args);
	return rc;
}
