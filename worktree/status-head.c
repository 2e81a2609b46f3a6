/* SPDX-License-Identifier: GPL-2.0-only */
/* The branch, or where HEAD was detached; the stash. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/status-internal.h"

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
									 status_short_name(full);
	} else {
		odb_abbrev(c->r->odb, &m.to, c->r->settings.abbrev, &out);
		c->s->detached_from = strbuf_detach(&out, NULL);
	}
	c->s->detached_at = oid_eq(&m.to, &c->s->head);
	free(full);
	free(m.target);
}

/* ---- the rest ---- */

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	++*(size_t *)data;
	return 0;
}

static void collect_beside_head(struct collector *c)
{
	struct status *s = c->s;

	status_find_operations(c);
	if (!s->branch)
		describe_detached(c);
	if (reflog_foreach(c->r->refs, "refs/stash", true, count_entry, &s->stash_count, NULL) < 0)
		s->stash_count = 0;
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
	collect_beside_head(c);
	return 0;
}

int status_collect_state(struct status *s, struct repository *r, struct err *err)
{
	struct collector c = { .s = s, .r = r };
	struct err own = ERR_INIT;
	int rc = status_collect_head(&c, &own);

	if (rc == ERR_CORRUPT) {
		err_release(&own);
		s->head = r->algo->null_oid;
		collect_beside_head(&c);
		return 0;
	}
	err_move(err, &own);
	return rc;
}
