/* SPDX-License-Identifier: GPL-2.0-only */
/* The branch, or where HEAD was detached; operations in progress; the stash. */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "worktree/status-internal.h"

#define STATE_FILE_MAX 65536

static bool state_exists(struct collector *c, const char *name)
{
	char *path = repo_path(c->r, "%s", name);
	bool there = file_exists(path);

	free(path);
	return there;
}

/* First line of a state file; NULL if there is none. Caller frees. */
static char *state_line(struct collector *c, const char *name)
{
	char *path = repo_path(c->r, "%s", name);
	struct strbuf text = STRBUF_INIT;
	char *line = NULL;

	if (read_file(&text, path, STATE_FILE_MAX, NULL) >= 0) {
		text.buf[strcspn(text.buf, "\n")] = '\0';
		line = xstrdup(text.buf);
	}
	strbuf_release(&text);
	free(path);
	return line;
}

static char *short_name(const char *ref)
{
	const char *s = ref;

	if (skip_prefix(ref, "refs/heads/", &s) || skip_prefix(ref, "refs/remotes/", &s) ||
	    skip_prefix(ref, "refs/tags/", &s))
		return xstrdup(s);
	return xstrdup(ref);
}

/* A branch name, or a commit shown short. */
static char *branch_state(struct collector *c, const char *name)
{
	char *line = state_line(c, name);
	struct strbuf out = STRBUF_INIT;
	struct object_id oid;

	if (!line)
		return NULL;
	if (!strcmp(line, "detached HEAD")) {
		FREE_AND_NULL(line);
	} else if (oid_from_hex(&oid, line, c->r->algo) >= 0) {
		odb_abbrev(c->r->odb, &oid, c->r->settings.abbrev, &out);
		free(line);
		line = strbuf_detach(&out, NULL);
	} else {
		char *s = short_name(line);

		free(line);
		line = s;
	}
	return line;
}

/* ---- detached HEAD ---- */

struct last_move {
	struct object_id to;
	char *target; /* as it was typed */
};

static int find_move(void *data, const struct reflog_entry *e)
{
	struct last_move *m = data;
	const char *rest, *to;

	if (!skip_prefix(e->msg, "checkout: moving from ", &rest))
		return 0;
	to = strstr(rest, " to ");
	if (!to)
		return 0;
	m->to = e->new_oid;
	m->target = xstrdup(to + 4);
	return 1;
}

static void describe_detached(struct collector *c)
{
	struct last_move m = { .target = NULL };
	struct strbuf out = STRBUF_INIT;
	struct object_id oid, peeled;
	char *full = NULL;

	if (reflog_foreach(c->r->refs, "HEAD", true, find_move, &m, NULL) < 0 || !m.target)
		return;
	/* for "HEAD" only the commit is known */
	if (strcmp(m.target, "HEAD") &&
	    ref_dwim(c->r->refs, m.target, strlen(m.target), &full, &oid) == 1 &&
	    (oid_eq(&oid, &m.to) ||
	     (object_peel(odb_source(c->r->odb), &oid, OBJ_COMMIT, &peeled, NULL, NULL) >= 0 &&
	      oid_eq(&peeled, &m.to)))) {
		/* full name of a branch: HEAD is not on it */
		c->s->detached_from = starts_with(full, "refs/heads/") ? xstrdup(full) :
									 short_name(full);
	} else {
		odb_abbrev(c->r->odb, &m.to, c->r->settings.abbrev, &out);
		c->s->detached_from = strbuf_detach(&out, NULL);
	}
	c->s->detached_at = oid_eq(&m.to, &c->s->head);
	free(full);
	free(m.target);
}

/* ---- operations ---- */

static void find_rebase(struct collector *c)
{
	const char *dir = state_exists(c, "rebase-merge") ? "rebase-merge" : "rebase-apply";
	char *name;

	if (!state_exists(c, dir))
		return;
	if (!strcmp(dir, "rebase-apply") && state_exists(c, "rebase-apply/applying")) {
		c->s->operations |= OP_AM;
		return;
	}
	c->s->operations |= state_exists(c, "rebase-merge/interactive") ? OP_REBASE_INTERACTIVE
									: OP_REBASE;
	name = xstrfmt("%s/head-name", dir);
	c->s->rebase_branch = branch_state(c, name);
	free(name);
	name = xstrfmt("%s/onto", dir);
	c->s->rebase_onto = branch_state(c, name);
	free(name);
}

static bool read_pseudo_ref(struct collector *c, const char *name, struct object_id *out)
{
	char *line = state_line(c, name);
	bool ok = line && oid_from_hex(out, line, c->r->algo) >= 0;

	free(line);
	return ok;
}

static void find_operations(struct collector *c)
{
	struct status *s = c->s;

	if (state_exists(c, "MERGE_HEAD"))
		s->operations |= OP_MERGE;
	else
		find_rebase(c);
	if (read_pseudo_ref(c, "CHERRY_PICK_HEAD", &s->cherry_pick_head) &&
	    !(s->operations & (OP_MERGE | OP_REBASE | OP_REBASE_INTERACTIVE)))
		s->operations |= OP_CHERRY_PICK;
	if (read_pseudo_ref(c, "REVERT_HEAD", &s->revert_head))
		s->operations |= OP_REVERT;
	if (state_exists(c, "BISECT_LOG")) {
		s->operations |= OP_BISECT;
		s->bisect_branch = branch_state(c, "BISECT_START");
	}
}

/* ---- the rest ---- */

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	++*(size_t *)data;
	return 0;
}

int status_collect_head(struct collector *c, struct err *err)
{
	struct status *s = c->s;
	struct err own = ERR_INIT;
	char *final = NULL;
	int rc = ref_resolve(c->r->refs, "HEAD", &s->head, &final, NULL, &own);

	if (rc == ERR_NOT_FOUND && final) {
		s->initial = true;
		s->head = c->r->algo->null_oid;
		rc = 0;
	}
	if (rc < 0) {
		err_move(err, &own);
		free(final);
		return rc;
	}
	err_release(&own);
	if (strcmp(final, "HEAD"))
		s->branch = final;
	else
		free(final);
	find_operations(c);
	if (!s->branch)
		describe_detached(c);
	if (reflog_foreach(c->r->refs, "refs/stash", true, count_entry, &s->stash_count, NULL) < 0)
		s->stash_count = 0;
	return 0;
}

int status_collect_state(struct status *s, struct repository *r, struct err *err)
{
	struct collector c = { .s = s, .r = r };

	return status_collect_head(&c, err);
}
