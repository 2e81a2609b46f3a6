/* SPDX-License-Identifier: GPL-2.0-only */
/* ":/text" and "REV^{/text}": the youngest commit whose message matches. */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "util/alloc.h"
#include "util/prio-queue.h"
#include "history/history.h"
#include <regex.h>

#define SEEN 1u

struct text_search {
	struct repository *repo;
	struct commit_pool *pool;
	struct prio_queue queue;
	regex_t regex;
	bool negative;
};

static void add_start(struct text_search *s, const struct object_id *oid)
{
	struct object_id at;
	struct commit *c;

	if (object_peel(odb_source(s->repo->odb), oid, OBJ_COMMIT, &at, NULL, NULL) < 0)
		return;
	c = commit_lookup(s->pool, &at);
	if ((c->flags & SEEN) || commit_parse_node(s->pool, c, NULL) < 0)
		return;
	c->flags |= SEEN;
	prio_queue_put(&s->queue, c);
}

static int add_ref(void *data, const struct ref *ref)
{
	add_start(data, &ref->oid);
	return 0;
}

static bool matches(struct text_search *s, struct commit *c)
{
	const char *buf, *msg;
	size_t len;
	bool match;

	if (commit_buffer(s->pool, c, &buf, &len, NULL) < 0)
		return false;
	msg = strstr(buf, "\n\n");
	match = !regexec(&s->regex, msg ? msg + 2 : "", 0, NULL, 0);
	commit_release_buffer(c);
	return match != s->negative;
}

static int search(struct text_search *s, struct object_id *oid, struct err *err)
{
	struct commit *c;
	uint32_t i;
	int rc = 0;

	while (!rc && (c = prio_queue_get(&s->queue))) {
		if (matches(s, c)) {
			*oid = c->oid;
			return 0;
		}
		for (i = 0; !rc && i < c->nr_parents; i++) {
			struct commit *parent = c->parents[i];

			if (parent->flags & SEEN)
				continue;
			parent->flags |= SEEN;
			rc = commit_parse_node(s->pool, parent, err);
			if (!rc)
				prio_queue_put(&s->queue, parent);
		}
	}
	return rc ? rc : ERR_NOT_FOUND;
}

/* "!-text" negates, "!!text" is "!text"; other uses of '!' are kept for later. */
static bool compile(struct text_search *s, const char *text, size_t len)
{
	char *copy = xstrndup(text, len), *pattern = copy;
	bool ok = true;

	if (*pattern == '!') {
		pattern++;
		if (*pattern == '-') {
			s->negative = true;
			pattern++;
		} else if (*pattern != '!') {
			ok = false;
		}
	}
	ok = ok && !regcomp(&s->regex, pattern, REG_EXTENDED | REG_NOSUB);
	free(copy);
	return ok;
}

int rev_parse_text(struct repository *r, const char *text, size_t len,
		   const struct object_id *start, struct object_id *oid, struct err *err)
{
	struct text_search s = { .repo = r, .queue = { .compare = commit_date_cmp } };
	int rc;

	if (!len) /* ":/" is the top directory */
		return ERR_NOT_FOUND;
	if (!compile(&s, text, len))
		return ERR_NOT_FOUND;
	rc = commit_pool_new(&s.pool, r, err);
	if (!rc) {
		commit_pool_keep_buffers(s.pool, true);
		if (start) {
			add_start(&s, start);
		} else {
			struct object_id head;

			rc = refs_foreach(r->refs, "", REFS_NO_PEEL, add_ref, &s, err);
			if (!ref_resolve(r->refs, "HEAD", &head, NULL, NULL, NULL))
				add_start(&s, &head);
		}
		if (!rc)
			rc = search(&s, oid, err);
	}
	prio_queue_clear(&s.queue);
	commit_pool_free(s.pool);
	regfree(&s.regex);
	return rc;
}
