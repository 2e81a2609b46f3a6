/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include <unistd.h>
#include "transport/fetch/bundle-uri.h"
#include "util/alloc.h"
#include "util/map.h"
#include "write-or-die.h"

void bundle_uri_result_init(struct bundle_uri_result *out)
{
	memset(out, 0, sizeof(*out));
}

void bundle_uri_result_release(struct bundle_uri_result *out)
{
	for (size_t i = 0; i < out->nr_results; i++)
		fetch_result_release(&out->results[i]);
	free(out->results);
	oid_array_clear(&out->tips);
	remote_refs_release(&out->refs);
	bundle_uri_result_init(out);
}

struct bundler {
	struct repository *r;
	struct repo_operation *op;
	const struct bundle_uri_options *o;
	struct bundle_uri_result *out;
	struct strset seen; /* URIs */
	unsigned downloads, depth, waiting;
	bool foreign; /* the URIs come from a list of another machine */
};

/* The state of a URI. */
enum state {
	NEW,
	WAITING, /* it needs objects that are not here */
	DONE,
	FAILED,	 /* for good; the error has been printed */
};
struct item {
	const struct bundle_list_item *in;
	enum state state;
	int fd; /* of one that waits; -1 */
};

static enum state fail_bundle(struct bundler *b, const char *uri, struct err *why)
{
	repo_warn(b->r, "failed to fetch objects from bundle URI '%s': %s", uri, err_message(why));
	err_release(why);
	return FAILED;
}

/* ---- one bundle ---- */

static void note_refs(struct bundler *b, const struct remote_refs *refs)
{
	struct bundle_uri_result *out = b->out;
	const struct remote_ref *old;
	const char *rest;

	for (size_t i = 0; i < refs->nr; i++) {
		char *name;

		oid_array_append(&out->tips, &refs->items[i].oid);
		if (!skip_prefix(refs->items[i].name, "refs/", &rest))
			continue;
		name = xstrfmt("refs/bundles/%s", rest);
		/* A later bundle has the later value. */
		old = remote_refs_find(&out->refs, name);
		if (old)
			out->refs.items[old - out->refs.items].oid = refs->items[i].oid;
		else
			remote_refs_add(&out->refs, name)->oid = refs->items[i].oid;
		free(name);
	}
	oid_array_sort_unique(&out->tips);
	remote_refs_sort(&out->refs);
	out->nr++;
}

static int fetch_bundle(struct bundler *b, struct fetch_session *s, const struct remote_refs *refs, struct err *err)
{
	struct fetch_wanted w = b->o->wanted;
	struct bundle_uri_result *out = b->out;
	struct oid_array wants = OID_ARRAY_INIT, whole = OID_ARRAY_INIT;
	int rc;

	for (size_t i = 0; i < refs->nr; i++)
		oid_array_append(&wants, &refs->items[i].oid);
	oid_array_sort_unique(&wants);
	for (size_t i = 0; i < out->tips.nr; i++)
		oid_array_append(&whole, &out->tips.oid[i]);
	for (size_t i = 0; w.borrowed && i < w.borrowed->nr; i++)
		oid_array_append(&whole, &w.borrowed->oid[i]);
	oid_array_sort_unique(&whole);
	w.oids = &wants;
	w.borrowed = &whole;
	/* Kept to the end also if it fails: its file may be on its way to the disk. */
	ALLOC_GROW(out->results, out->nr_results + 1, out->alloc);
	fetch_result_init(&out->results[out->nr_results++]);
	rc = fetch_session_get(s, &w, b->op, b->r, &out->results[out->nr_results - 1], err);
	oid_array_clear(&wants);
	oid_array_clear(&whole);
	return rc;
}

/* The caller keeps fd. < 0: the operation has failed. */
static int unbundle(struct bundler *b, int fd, const char *uri, enum state *state, struct err *err)
{
	const struct fetch_session_options so = { .algo = b->r->algo, .config = b->o->download.config };
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct fetch_session *s = NULL;
	struct err why = ERR_INIT;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), rc;

	if (copy < 0 || lseek(copy, 0, SEEK_SET) < 0) {
		if (copy >= 0)
			close(copy);
		return err_set_errno(err, "cannot read '%s' again", uri);
	}
	rc = fetch_session_open_bundle(&s, copy, uri, &so, &why);
	if (!rc)
		rc = fetch_session_refs(s, NULL, &refs, &why);
	if (!rc)
		rc = fetch_bundle(b, s, &refs, &why);
	rc = fetch_session_end(s, rc, &why);
	if (!rc)
		note_refs(b, &refs);
	remote_refs_release(&refs);
	if (!rc) {
		*state = DONE;
		err_release(&why);
		return repo_operation_show_objects(b->op, err);
	}
	if (rc == ERR_NOT_FOUND)
		*state = WAITING;
	else
		*state = fail_bundle(b, uri, &why);
	err_release(&why);
	return 0;
}

/* ---- a URI: a bundle, or a list ---- */

static int get_list(struct bundler *b, const struct bundle_list *list, enum state *state, struct err *err);

static int read_text(int fd, const char *uri, struct strbuf *text, struct err *err)
{
	ssize_t n;

	strbuf_grow(text, BUNDLE_LIST_BYTES_MAX + 1);
	n = pread_in_full(fd, text->buf, BUNDLE_LIST_BYTES_MAX + 1, 0);
	if (n < 0)
		return err_set_errno(err, "cannot read '%s'", uri);
	strbuf_setlen(text, (size_t)n);
	return 0;
}

static int use_bundle_list(struct bundler *b, int fd, const char *uri, enum state *state, struct err *err)
{
	struct bundle_list list = BUNDLE_LIST_INIT;
	struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	bool foreign = b->foreign;
	int rc = b->depth >= BUNDLE_URI_DEPTH_MAX ?
		err_set(&why, ERR_TOO_BIG, "too many lists of bundles in each other") : read_text(fd, uri, &text, &why);

	if (!rc)
		rc = bundle_list_read_text(&list, text.buf, text.len, uri, &why);
	strbuf_release(&text);
	if (rc < 0) {
		*state = fail_bundle(b, uri, &why);
		rc = 0;
	} else {
		b->depth++;
		b->foreign |= !uri_is_local(uri);
		rc = get_list(b, &list, state, err);
		b->foreign = foreign;
		b->depth--;
	}
	bundle_list_release(&list);
	return rc;
}

static int open_uri(struct bundler *b, const char *uri, int *fd, struct err *err)
{
	struct download_options d = b->o->download;

	d.foreign = b->foreign;
	if (!strset_add(&b->seen, uri))
		return err_set(err, ERR_INVALID, "it has been used already: a list that leads to itself?");
	if (++b->downloads > BUNDLE_URI_DOWNLOADS_MAX)
		return err_set(err, ERR_TOO_BIG, "too many bundles");
	return download_open(fd, uri, &d, err);
}

static int get_new(struct bundler *b, struct item *item, struct err *err)
{
	const char *uri = item->in->uri;
	char head[BUNDLE_SIGNATURE_LEN];
	struct err why = ERR_INIT;
	ssize_t n;
	int rc = open_uri(b, uri, &item->fd, &why);

	if (rc < 0) {
		item->state = fail_bundle(b, uri, &why);
		return 0;
	}
	n = pread_in_full(item->fd, head, sizeof(head), 0);
	if (n == (ssize_t)sizeof(head) && bundle_has_signature(head, sizeof(head)))
		return unbundle(b, item->fd, uri, &item->state, err);
	return use_bundle_list(b, item->fd, uri, &item->state, err);
}

static void close_item(struct item *item)
{
	if (item->fd >= 0)
		close(item->fd);
	item->fd = -1;
}

/* As far as it can be done now. */
static int get_item(struct bundler *b, struct item *item, struct err *err)
{
	struct err why = ERR_INIT;
	bool waited = item->state == WAITING;
	int rc = 0;

	if (item->state == NEW)
		rc = get_new(b, item, err);
	else if (waited)
		rc = unbundle(b, item->fd, item->in->uri, &item->state, err);
	if (item->state != WAITING)
		close_item(item);
	b->waiting += (item->state == WAITING) - waited;
	if (!rc && item->state == WAITING && b->waiting > BUNDLE_URI_WAITING_MAX) {
		close_item(item);
		b->waiting--;
		(void)!err_set(&why, ERR_TOO_BIG, "too many bundles that need others");
		item->state = fail_bundle(b, item->in->uri, &why);
	}
	return rc;
}

/* ---- the items of a list ---- */

static int get_any(struct bundler *b, struct item *items, size_t nr, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		rc = get_item(b, &items[i], err);
		if (items[i].state == DONE)
			break;
	}
	return rc;
}

/* Try the bundles in turns, as long as one of them brings the prerequisites of another. */
static int get_all(struct bundler *b, struct item *items, size_t nr, struct err *err)
{
	bool more = true;
	int rc = 0;

	while (!rc && more) {
		more = false;
		for (size_t i = 0; !rc && i < nr; i++) {
			bool was_open = items[i].state == NEW || items[i].state == WAITING;

			if (was_open)
				rc = get_item(b, &items[i], err);
			more |= was_open && items[i].state == DONE;
		}
	}
	return rc;
}

static int newest_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->in->token < y->in->token) - (x->in->token > y->in->token);
}

/* Try the newer bundles that wait, the oldest first. True if none waits any more. */
static int try_newer(struct bundler *b, struct item *items, size_t from, bool *all, struct err *err)
{
	int rc = 0;

	*all = true;
	for (size_t i = from; !rc && i-- > 0;) {
		if (items[i].state == WAITING)
			rc = get_item(b, &items[i], err);
		*all &= items[i].state != WAITING;
	}
	return rc;
}

/* The token up to which all bundles are here, counted from the oldest one that was needed. */
static void note_token(struct bundler *b, const struct item *items, size_t used)
{
	uint64_t token = 0;

	while (used > 0 && items[used - 1].state == DONE)
		token = items[--used].in->token;
	if (token > b->out->token)
		b->out->token = token;
}

/* The newest may be enough; if not, older ones come first. */
static int get_by_token(struct bundler *b, struct item *items, size_t nr, struct err *err)
{
	size_t used = 0;
	bool all = false;
	int rc = 0;

	qsort(items, nr, sizeof(*items), newest_first);
	while (nr && b->depth == 1 && b->o->after && items[nr - 1].in->token <= b->o->after)
		nr--;
	while (!rc && !all && used < nr) {
		struct item *item = &items[used++];

		rc = get_item(b, item, err);
		if (!rc && item->state == DONE)
			rc = try_newer(b, items, used - 1, &all, err);
	}
	if (b->depth == 1)
		note_token(b, items, used);
	return rc;
}

/* Done if one is, or if there was nothing to do. */
static enum state sum_up(struct bundler *b, struct item *items, size_t nr)
{
	enum state state = nr ? FAILED : DONE;

	for (size_t i = 0; i < nr; i++) {
		struct err why = ERR_INIT;

		if (items[i].state == DONE)
			state = DONE;
		if (items[i].state == WAITING) {
			b->waiting--;
			(void)!err_set(&why, ERR_NOT_FOUND, "what it needs is not here");
			fail_bundle(b, items[i].in->uri, &why);
		}
		close_item(&items[i]);
	}
	return state;
}

static int get_list(struct bundler *b, const struct bundle_list *list, enum state *state, struct err *err)
{
	struct item *items = xcalloc(list->nr + 1, sizeof(*items));
	int rc;

	for (size_t i = 0; i < list->nr; i++)
		items[i] = (struct item){ .in = &list->items[i], .state = NEW, .fd = -1 };
	if (b->depth == 1)
		b->out->by_token = list->by_token;
	if (list->by_token)
		rc = get_by_token(b, items, list->nr, err);
	else if (list->mode == BUNDLE_LIST_ANY)
		rc = get_any(b, items, list->nr, err);
	else
		rc = get_all(b, items, list->nr, err);
	*state = sum_up(b, items, list->nr);
	free(items);
	return rc;
}

/* ---- the beginning ---- */

int bundle_uri_get_list(struct repository *r, struct repo_operation *op, const struct bundle_list *list,
			const struct bundle_uri_options *o, struct bundle_uri_result *out, struct err *err)
{
	struct bundler b = { .r = r, .op = op, .o = o, .out = out, .seen = STRSET_INIT, .depth = 1,
			     .foreign = o->download.foreign };
	enum state state;
	int rc = get_list(&b, list, &state, err);

	strset_clear(&b.seen);
	return rc;
}

/* As a list of it alone. */
int bundle_uri_get(struct repository *r, struct repo_operation *op, const char *uri, const struct bundle_uri_options *o,
		   struct bundle_uri_result *out, struct err *err)
{
	struct bundler b = { .r = r, .op = op, .o = o, .out = out, .seen = STRSET_INIT, .foreign = o->download.foreign };
	const struct bundle_list_item in = { .uri = xstrdup(uri) };
	struct item item = { .in = &in, .state = NEW, .fd = -1 };
	int rc = get_item(&b, &item, err);

	sum_up(&b, &item, 1);
	free(in.uri);
	strset_clear(&b.seen);
	return rc;
}
