/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session with a remote helper that makes no connection: it lists refs, and puts objects into our database by itself.
 * gitremote-helpers(7), capability "fetch". fetch-helper-objects.c checks these objects.
 */
#include "compat/posix.h"
#include <sys/stat.h>
#include "transport/fetch/fetch-internal.h"
#include "fs/file.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

#define ANSWER_LINES_MAX 10000u

bool fetch_session_is_helper(const struct fetch_session *s)
{
	return s->c && s->c->kind == CONNECTION_HELPER;
}

bool fetch_session_use_gitdir(struct fetch_session *s, const char *gitdir)
{
	char *option;
	bool taken;

	if (!s->c->request_end) /* a helper that is not our own */
		return false;
	option = xstrfmt("gitdir %s", gitdir);
	taken = helper_set_option(helper_of(s->c), option, NULL) > 0;
	free(option);
	return taken;
}

int fetch_session_check_fetch(const struct fetch_session *s, struct err *err)
{
	const struct helper *h = fetch_session_is_helper(s) ? helper_of(s->c) : NULL;

	if (!h)
		return 0;
	if (!h->fetch && h->import)
		return err_set(err, ERR_UNSUPPORTED, "remote helper '%s' can only import (a stream of git fast-import), "
			       "which is not available yet", h->name);
	if (!h->fetch)
		return err_set(err, ERR_UNSUPPORTED, "operation not supported by protocol '%s'", h->name);
	for (size_t i = 0; i < s->refs.nr; i++)
		if (s->refs.items[i].unknown)
			return err_set(err, ERR_UNSUPPORTED, "remote helper '%s' does not know the value of '%s'", h->name,
				       s->refs.items[i].name);
	return 0;
}

/* ---- the refs ---- */

static int read_list(struct helper *h, struct helper_list *list, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = helper_read_line(h, &line, err);

	for (size_t nr = 0; !rc && line.len; nr++) {
		rc = nr < FETCH_LINES_MAX ? helper_list_take(list, line.buf, err)
			: err_set(err, ERR_TOO_BIG, "remote helper '%s' lists too many refs", h->name);
		if (!rc)
			rc = helper_read_line(h, &line, err);
	}
	strbuf_release(&line);
	return rc;
}

int session_list_by_helper(struct fetch_session *s, struct err *err)
{
	struct helper *h = helper_of(s->c);
	struct helper_list list = { .refs = REMOTE_REFS_INIT, .algo = s->o.algo ? s->o.algo : hash_sha1 };
	int rc = h->option && h->object_format ? helper_set_option(h, "object-format true", err) : 0;

	if (rc >= 0)
		rc = helper_say(h, h->for_push ? "list for-push" : "list", err);
	if (!rc)
		rc = read_list(h, &list, err);
	if (!rc && s->o.algo && list.algo != s->o.algo)
		rc = err_set(err, ERR_INVALID, "mismatched algorithms: client %s; server %s", s->o.algo->name,
			     list.algo->name);
	if (rc < 0) {
		helper_explain(h, err);
		remote_refs_release(&list.refs);
		return rc;
	}
	helper_list_end(&list);
	s->algo = list.algo;
	s->refs = list.refs;
	return 0;
}

void session_end_helper(struct fetch_session *s)
{
	if (helper_say(helper_of(s->c), "", NULL) < 0)
		return; /* It has gone already; how it ended is looked at in any case. */
}

/* ---- the wanted refs ---- */

struct helper_request {
	struct fetch_task *t;
	struct helper *h;
	struct strvec options;
};

static void add_flag(struct helper_request *rq, bool on, const char *option)
{
	if (on)
		strvec_push(&rq->options, option);
}

static void add_filter(struct helper_request *rq)
{
	struct strbuf text = STRBUF_INIT;

	filter_spec_format(rq->t->w->filter, &text);
	strvec_pushf(&rq->options, "filter %s", text.buf);
	strbuf_release(&text);
}

static void choose_options(struct helper_request *rq)
{
	const struct fetch_wanted *w = rq->t->w;

	strvec_pushf(&rq->options, "progress %s", w->meter ? "true" : "false");
	if (w->depth)
		strvec_pushf(&rq->options, "depth %d", w->depth);
	if (w->deepen_since)
		strvec_pushf(&rq->options, "deepen-since %" PRIuMAX, (uintmax_t)w->deepen_since);
	for (size_t i = 0; w->deepen_not && i < w->deepen_not->nr; i++)
		strvec_pushf(&rq->options, "deepen-not %s", w->deepen_not->v[i]);
	add_flag(rq, w->deepen_relative, "deepen-relative true");
	add_flag(rq, w->update_shallow && !w->cloning, "update-shallow true");
	add_flag(rq, w->cloning, "cloning true");
	add_flag(rq, w->include_tag, "followtags true");
	add_flag(rq, w->from_promisor, "from-promisor true");
	add_flag(rq, w->no_dependents, "no-dependents true");
	add_flag(rq, w->refetch, "refetch true");
	if (w->filter && w->filter->nr)
		add_filter(rq);
}

/* Does the option change the result? Then it is an error if the helper does not know it. */
static bool matters(const char *option)
{
	return starts_with(option, "deepen-") || starts_with(option, "depth ") || starts_with(option, "filter ");
}

static void tell_ignored(const struct helper_request *rq, const char *option)
{
	struct fetch_session *s = rq->t->s;
	char *line = xstrfmt("option \"%.*s\" is ignored by remote helper '%s'\n", (int)strcspn(option, " "), option,
			     rq->h->name);

	session_tell(s, line, strlen(line), true);
	free(line);
}

static int set_fetch_options(struct helper_request *rq, struct err *err)
{
	int rc = 0;

	choose_options(rq);
	for (size_t i = 0; rc >= 0 && i < rq->options.nr; i++) {
		rc = rq->h->option ? helper_set_option(rq->h, rq->options.v[i], err) : 0;
		if (!rc && matters(rq->options.v[i]))
			tell_ignored(rq, rq->options.v[i]);
	}
	return rc < 0 ? rc : 0;
}

static void add_fetch_line(struct strbuf *lines, const struct object_id *oid, const char *name)
{
	strbuf_addf(lines, "fetch %s ", oid_hex(oid));
	strbuf_addf(lines, "%s\n", name);
}

/* By the names of refs that have these values, each once; what no ref has is its own name. */
static void add_batch(const struct fetch_task *t, struct strbuf *lines)
{
	const struct remote_refs *lists[] = { &t->s->refs, t->w->sought };
	struct oidset wanted = OIDSET_INIT, named = OIDSET_INIT;

	for (size_t i = 0; i < t->w->oids->nr; i++)
		oidset_insert(&wanted, &t->w->oids->oid[i]);
	for (size_t k = 0; k < ARRAY_SIZE(lists); k++)
		for (size_t i = 0; lists[k] && i < lists[k]->nr; i++) {
			const struct remote_ref *ref = &lists[k]->items[i];

			if (oidset_contains(&wanted, &ref->oid) && oidset_insert(&named, &ref->oid))
				add_fetch_line(lines, &ref->oid, ref->symref_target ? ref->symref_target : ref->name);
		}
	for (size_t i = 0; i < t->w->oids->nr; i++)
		if (oidset_insert(&named, &t->w->oids->oid[i]))
			add_fetch_line(lines, &t->w->oids->oid[i], oid_hex(&t->w->oids->oid[i]));
	oidset_clear(&wanted);
	oidset_clear(&named);
}

static int send_batch(const struct helper_request *rq, struct err *err)
{
	struct strbuf lines = STRBUF_INIT;
	int rc;

	add_batch(rq->t, &lines);
	rc = helper_say(rq->h, lines.buf, err); /* an empty line ends it */
	strbuf_release(&lines);
	return rc;
}

/* ---- the answer ---- */

/* At the end of the fetch we remove only .keep files of our own packs, whatever path the helper sends. */
static bool is_our_keep(const struct repository *r, const char *path)
{
	char *packs = path_join(r->objdir, "pack");
	struct strbuf dir = STRBUF_INIT;
	struct stat a, b, file;
	bool ours;

	path_dirname(&dir, path);
	ours = ends_with(path, ".keep") && !stat(dir.buf, &a) && !stat(packs, &b) && is_same_file(&a, &b) &&
	       !lstat(path, &file) && S_ISREG(file.st_mode);
	strbuf_release(&dir);
	free(packs);
	return ours;
}

static void tell_strange(const struct helper_request *rq, const char *line)
{
	char *clean = session_clean(rq->t->s, line);
	char *text = xstrfmt("%s unexpectedly said: '%s'\n", rq->h->name, clean);

	session_tell(rq->t->s, text, strlen(text), true);
	free(text);
	free(clean);
}

static void take_fetch_answer(const struct helper_request *rq, const char *line)
{
	const char *path;

	if (skip_prefix(line, "lock ", &path) && is_our_keep(rq->t->r, path))
		strvec_push(&rq->t->result->keeps, path);
	else if (strcmp(line, "connectivity-ok") != 0) /* which is looked at in any case */
		tell_strange(rq, line);
}

static int read_fetch_answer(const struct helper_request *rq, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	unsigned nr = 0;
	int rc;

	while (!(rc = helper_read_line(rq->h, &line, err)) && line.len) {
		if (++nr > ANSWER_LINES_MAX) {
			rc = err_set(err, ERR_TOO_BIG, "remote helper '%s' says too much", rq->h->name);
			break;
		}
		take_fetch_answer(rq, line.buf);
	}
	strbuf_release(&line);
	return rc;
}

static int fetch_helper_batch(struct helper_request *rq, struct err *err)
{
	int rc = set_fetch_options(rq, err);

	if (!rc)
		rc = send_batch(rq, err);
	if (!rc)
		rc = read_fetch_answer(rq, err);
	if (rc < 0)
		helper_explain(rq->h, err);
	return rc;
}

/* Remove the .keep files with the operation, when refs lead into their packs. After a failure, fetch_result_release does it. */
static int stage_unlock(const struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->result->keeps.nr; i++)
		rc = repo_operation_remove_file(op, t->result->keeps.v[i], err);
	return rc;
}

int fetch_by_helper(struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	struct helper_request rq = { .t = t, .h = helper_of(t->s->c), .options = STRVEC_INIT };
	struct fetch_helper_objects arrivals;
	int rc = t->w->negotiate_only ? err_set(err, ERR_UNSUPPORTED, "protocol does not support --negotiate-only")
		: fetch_session_check_fetch(t->s, err);

	fetch_helper_objects_begin(&arrivals, t->r);
	if (!rc)
		rc = fetch_helper_batch(&rq, err);
	if (!rc)
		rc = fetch_helper_objects_take(&arrivals, t, op, err);
	if (!rc)
		rc = stage_unlock(t, op, err);
	strvec_clear(&rq.options);
	return rc;
}
