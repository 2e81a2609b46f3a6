/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "submodule/changes.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define OUTPUT_MAX ((size_t)256 << 20)
#define ABBREV 7

struct changes {
	struct repository *r;
	const struct diff_options *o;
	const struct diff_file *old, *new;
	const char *path;
	struct object_id from, to;
	struct strbuf *out;
	char *gitdir; /* absolute; NULL: the repository of the submodule is not there */
};

static void PRINTF_LIKE(2, 3) add_line(struct changes *c, const char *fmt, ...)
{
	va_list ap;

	if (c->o->line_prefix)
		strbuf_addstr(c->out, c->o->line_prefix);
	va_start(ap, fmt);
	strbuf_vaddf(c->out, fmt, ap);
	va_end(ap);
	strbuf_addch(c->out, '\n');
}

static void prepare(const struct changes *c, struct child_process *cp)
{
	for (size_t i = 0; repo_local_env[i]; i++)
		strvec_push(&cp->env, repo_local_env[i]);
	strvec_pushf(&cp->env, "GIT_DIR=%s", c->gitdir);
	strvec_push(&cp->args, "git");
}

/* How the new commit comes of the old one. */
enum relation { ABSENT, FORWARD, REWIND, APART };

static int find_relation(struct changes *c, enum relation *relation, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf base = STRBUF_INIT, complaints = STRBUF_INIT;
	int rc;

	prepare(c, &cp);
	strvec_push(&cp.args, "merge-base");
	strvec_push(&cp.args, oid_hex(&c->from));
	strvec_push(&cp.args, oid_hex(&c->to));
	rc = pipe_command(&cp, NULL, 0, &base, &complaints, OUTPUT_MAX, err);
	strbuf_trim(&base);
	if (rc > 1)
		*relation = ABSENT;
	else if (!strcmp(base.buf, oid_hex(&c->from)))
		*relation = FORWARD;
	else
		*relation = !strcmp(base.buf, oid_hex(&c->to)) ? REWIND : APART;
	strbuf_release(&complaints);
	strbuf_release(&base);
	return rc < 0 ? rc : 0;
}

static void add_header(struct changes *c, enum relation relation, const char *what)
{
	char *from = xstrdup(oid_hex(&c->from));

	add_line(c, "Submodule %s %.*s%s%.*s%s%s", c->path, ABBREV, from,
		 relation == FORWARD || relation == REWIND ? ".." : "...", ABBREV, oid_hex(&c->to),
		 relation == REWIND ? " (rewind)" : "", what);
	free(from);
}

/* "<subject", ">subject" */
static void add_subjects(struct changes *c, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		enum diff_color color = *text == '<' ? DIFF_COLOR_OLD : DIFF_COLOR_NEW;

		if (len)
			add_line(c, "%s  %c %.*s%s", c->o->color ? c->o->colors[color] : "", *text,
				 (int)len - 1, text + 1,
				 c->o->color ? c->o->colors[DIFF_COLOR_RESET] : "");
		text += len + (text[len] == '\n');
	}
}

static int add_log(struct changes *c, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf text = STRBUF_INIT;
	char *from = xstrdup(oid_hex(&c->from));
	int rc;

	prepare(c, &cp);
	strvec_pushl(&cp.args, "rev-list", "--left-right", "--first-parent", "--no-merges",
		     "--no-commit-header", "--format=%m%s", NULL);
	strvec_pushf(&cp.args, "%s...%s", from, oid_hex(&c->to));
	rc = pipe_command(&cp, NULL, 0, &text, NULL, OUTPUT_MAX, err);
	if (rc > 0)
		rc = err_set(err, ERR_GENERIC, "cannot list the commits of submodule '%s'", c->path);
	if (!rc)
		add_subjects(c, text.buf);
	strbuf_release(&text);
	free(from);
	return rc;
}

/*
 * Adds the changes between two commits; a missing commit counts as an empty tree. If the submodule
 * has local changes, the diff goes up to its files.
 */
static int add_diff(struct changes *c, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	const struct diff_options *o = c->o;
	bool files = c->new->dirty_modified;
	int rc;

	prepare(c, &cp);
	if (files) {
		cp.dir = c->path;
		strvec_pushf(&cp.env, "GIT_WORK_TREE=.");
	}
	strvec_pushl(&cp.args, "diff", "--submodule=diff", NULL);
	strvec_push(&cp.args, o->color ? "--color=always" : "--color=never");
	strvec_pushf(&cp.args, "--src-prefix=%s%s/", o->reverse ? o->dst_prefix : o->src_prefix, c->path);
	strvec_pushf(&cp.args, "--dst-prefix=%s%s/", o->reverse ? o->src_prefix : o->dst_prefix, c->path);
	if (o->line_prefix)
		strvec_pushf(&cp.args, "--line-prefix=%s", o->line_prefix);
	strvec_push(&cp.args, oid_hex(oid_is_null(&c->from) ? &c->r->algo->empty_tree : &c->from));
	if (!files)
		strvec_push(&cp.args, oid_hex(oid_is_null(&c->to) ? &c->r->algo->empty_tree : &c->to));
	rc = pipe_command(&cp, NULL, 0, c->out, NULL, OUTPUT_MAX, err);
	return rc > 0 ? err_set(err, ERR_GENERIC, "cannot compare commits of submodule '%s'", c->path) : rc;
}

static int add_changes(struct changes *c, struct err *err)
{
	bool added = oid_is_null(&c->from), removed = oid_is_null(&c->to);
	bool with_diff = c->o->submodule_format == DIFF_SUBMODULE_DIFF;
	enum relation relation = ABSENT;
	int rc = submodule_find_gitdir(&c->gitdir, c->r, c->path, err);

	if (!rc && c->gitdir && !added && !removed)
		rc = find_relation(c, &relation, err);
	if (rc < 0)
		return rc;
	if (!added && !removed && relation == ABSENT) {
		add_header(c, relation, " (commits not present)");
		return 0;
	}
	if (!oid_eq(&c->from, &c->to))
		add_header(c, relation, added ? " (new submodule)" : removed ? " (submodule deleted)" : ":");
	if (with_diff)
		return c->gitdir ? add_diff(c, err) : 0;
	return added || removed || oid_eq(&c->from, &c->to) ? 0 : add_log(c, err);
}

int submodule_add_changes(void *repo, const struct diff_options *o, const struct diff_file *old,
			  const struct diff_file *new, struct strbuf *out, struct err *err)
{
	struct repository *r = repo;
	struct changes c = { .r = r, .o = o, .old = old, .new = new, .out = out,
			     .path = old->mode ? old->path : new->path };
	int rc = 0;

	c.from = old->mode ? old->oid : r->algo->null_oid;
	c.to = new->mode ? new->oid : r->algo->null_oid;
	if (new->dirty_untracked)
		add_line(&c, "Submodule %s contains untracked content", c.path);
	if (new->dirty_modified)
		add_line(&c, "Submodule %s contains modified content", c.path);
	if (!oid_eq(&c.from, &c.to) || (new->dirty_modified && o->submodule_format == DIFF_SUBMODULE_DIFF))
		rc = add_changes(&c, err);
	free(c.gitdir);
	return rc;
}
