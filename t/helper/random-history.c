/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-history <seed> <commits> [<name>]
 *
 * Adds so many commits to the history of the current repository, as one operation: branches, merges
 * (octopus, too), clocks that go wrong, several roots; refs/heads/<name>N at some commits and all heads,
 * and refs/tags/t-<name>N that are tags of commits, tags, trees and blobs, or name a tree or a blob
 * directly. With bulkCheckin.unpackLimit=1 all of its objects are in one pack. The same seed gives
 * the same objects.
 *
 * A commit's message has the versions of its files, so that the next call can go on from there.
 */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/tree.h"
#include "operation/operation.h"
#include "util/alloc.h"

#define DIRS 4
#define SUBDIRS 3
#define FILES 4
#define PATHS (DIRS * SUBDIRS * FILES)

struct node {
	struct object_id oid;
	unsigned char versions[PATHS];
	bool has_child;
};

struct history {
	struct repository *r;
	struct ref_transaction *refs;
	struct node *v;
	size_t nr, alloc, first_new;
	const char *name;
	uint64_t state;
	unsigned nr_refs, nr_tags;
};

static NORETURN void fail(struct err *err)
{
	fprintf(stderr, "fatal: %s\n", err_message(err));
	exit(128);
}

static unsigned below(struct history *h, size_t n)
{
	h->state ^= h->state << 13;
	h->state ^= h->state >> 7;
	h->state ^= h->state << 17;
	return (unsigned)((h->state >> 11) % n);
}

static struct object_id put(struct history *h, enum object_type type, const struct strbuf *sb)
{
	struct object_id oid;
	struct err err = ERR_INIT;

	if (odb_write(h->r->odb, type, sb->buf, sb->len, &oid, &err) < 0)
		fail(&err);
	return oid;
}

/* ---- trees ---- */

static struct object_id put_file(struct history *h, const struct node *n, unsigned path)
{
	struct strbuf sb = STRBUF_INIT;
	struct object_id oid;

	/* Some files are the same in several places. */
	strbuf_addf(&sb, "%u of %u\n", n->versions[path], path % 7 ? path : 0);
	oid = put(h, OBJ_BLOB, &sb);
	strbuf_release(&sb);
	return oid;
}

/* The tree of paths from `first` on at that level (0: the top). */
static struct object_id put_tree(struct history *h, const struct node *n, int level, unsigned first)
{
	static const unsigned width[] = { DIRS, SUBDIRS, FILES };
	static const unsigned step[] = { SUBDIRS * FILES, FILES, 1 };
	struct strbuf sb = STRBUF_INIT;
	struct object_id oid;

	for (unsigned i = 0; i < width[level]; i++) {
		unsigned path = first + i * step[level];
		char name[16];

		snprintf(name, sizeof(name), "%c%u", "def"[level], i);
		oid = level == 2 ? put_file(h, n, path) : put_tree(h, n, level + 1, path);
		tree_append(&sb, level == 2 ? MODE_FILE : MODE_TREE, name, strlen(name), &oid);
	}
	oid = put(h, OBJ_TREE, &sb);
	strbuf_release(&sb);
	return oid;
}

/* ---- commits ---- */

static struct node *add_node(struct history *h)
{
	ALLOC_GROW(h->v, h->nr + 1, h->alloc);
	memset(&h->v[h->nr], 0, sizeof(*h->v));
	return &h->v[h->nr++];
}

static void put_commit(struct history *h, struct node *n, const struct object_id *parents, size_t nr)
{
	struct strbuf msg = STRBUF_INIT, ident = STRBUF_INIT, sb = STRBUF_INIT;
	struct commit_draft d = { .parents = parents, .nr_parents = nr };
	long date = 1600000000 + (long)h->nr * 60 + (below(h, 6) ? 0 : (long)below(h, 20000) - 10000);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < PATHS; i++)
		strbuf_addf(&msg, "%u ", n->versions[i]);
	strbuf_addf(&msg, "\n%zu\n", h->nr);
	strbuf_addf(&ident, "A <a@example.com> %ld +0000", date);
	d.tree = put_tree(h, n, 0, 0);
	d.author = d.committer = ident.buf;
	d.message = msg.buf;
	d.message_len = msg.len;
	if (commit_compose(&sb, &d, &err) < 0)
		fail(&err);
	n->oid = put(h, OBJ_COMMIT, &sb);
	strbuf_release(&msg);
	strbuf_release(&ident);
	strbuf_release(&sb);
}

static size_t pick_parent(struct history *h)
{
	size_t recent = h->nr < 12 ? h->nr : 12;

	return below(h, 8) ? h->nr - 1 - below(h, recent) : below(h, h->nr);
}

static void one_commit(struct history *h)
{
	static const size_t how_many[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 3 };
	struct object_id parents[3];
	struct node n = { .has_child = false };
	size_t nr = h->nr && below(h, 150) ? how_many[below(h, ARRAY_SIZE(how_many))] : 0;

	for (size_t i = 0; i < nr; i++) {
		struct node *p = &h->v[pick_parent(h)];

		parents[i] = p->oid;
		p->has_child = true;
		for (size_t k = 0; k < PATHS; k++)
			if (!i || below(h, 2))
				n.versions[k] = p->versions[k];
	}
	for (size_t i = below(h, 4); i; i--)
		n.versions[below(h, PATHS)]++;
	put_commit(h, &n, parents, nr);
	*add_node(h) = n;
}

/* ---- refs ---- */

static void set_ref(struct history *h, const char *kind, unsigned number, const struct object_id *oid)
{
	char *name = xstrfmt("refs/%s%s%u", kind, h->name, number);
	struct err err = ERR_INIT;

	if (ref_transaction_update(h->refs, name, oid, NULL, 0, NULL, &err) < 0)
		fail(&err);
	free(name);
}

static struct object_id put_tag(struct history *h, const struct object_id *target, enum object_type type)
{
	struct strbuf sb = STRBUF_INIT;
	struct object_id oid;

	strbuf_addf(&sb, "object %s\ntype %s\ntag t%u\ntagger A <a@example.com> 1600000000 +0000\n\nx\n",
		    oid_hex(target), object_type_name(type), h->nr_tags);
	oid = put(h, OBJ_TAG, &sb);
	strbuf_release(&sb);
	return oid;
}

static void tag_something(struct history *h, const struct node *n)
{
	struct object_id oid = n->oid;
	enum object_type type = OBJ_COMMIT;
	unsigned kind = below(h, 8);

	if (kind == 1 || kind == 2) {
		oid = put_tree(h, n, below(h, 3), 0);
		type = OBJ_TREE;
	} else if (kind == 3 || kind == 4) {
		oid = put_file(h, n, below(h, PATHS));
		type = OBJ_BLOB;
	}
	if (kind != 1 && kind != 3)
		oid = put_tag(h, &oid, type);
	if (kind == 5)
		oid = put_tag(h, &oid, OBJ_TAG);
	set_ref(h, "tags/t-", h->nr_tags++, &oid);
}

static void make_refs(struct history *h)
{
	for (size_t i = h->first_new; i < h->nr; i++) {
		if (!h->v[i].has_child || !below(h, 12))
			set_ref(h, "heads/", h->nr_refs++, &h->v[i].oid);
		if (!below(h, 10))
			tag_something(h, &h->v[i]);
	}
}

/* ---- the present history ---- */

static int add_old(void *data, const struct ref *ref)
{
	struct history *h = data;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view c;
	struct node *n;
	const char *at;

	if (odb_read(h->r->odb, &ref->oid, &buf, NULL) < 0 || buf.type != OBJ_COMMIT ||
	    commit_parse(&c, buf.data, buf.size, h->r->algo, NULL) < 0) {
		object_buf_release(&buf);
		return 0;
	}
	n = add_node(h);
	n->oid = ref->oid;
	n->has_child = true;
	at = c.message;
	for (size_t i = 0; i < PATHS; i++)
		n->versions[i] = (unsigned char)strtoul(at, (char **)&at, 10);
	commit_view_release(&c);
	object_buf_release(&buf);
	return 0;
}

int main(int argc, const char **argv)
{
	struct repo_open_options open_options = { 0 };
	struct history h = { .name = argc > 3 ? argv[3] : "b" };
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (argc < 3)
		return 129;
	if (repo_open(&h.r, &open_options, &err) < 0 ||
	    refs_foreach(h.r->refs, "refs/heads/", REFS_NO_PEEL, add_old, &h, &err) < 0)
		fail(&err);
	h.first_new = h.nr;
	h.state = 88172645463325252u ^ strtoull(argv[1], NULL, 10) * 2654435761u;
	op = repo_operation_begin(h.r);
	rc = repo_operation_open_objects(op, &err);
	if (!rc)
		rc = repo_operation_begin_refs(op, 0, &h.refs, &err);
	for (unsigned long n = strtoul(argv[2], NULL, 10); n && !rc; n--)
		one_commit(&h);
	if (!rc)
		make_refs(&h);
	if (repo_operation_end(op, rc, &err) < 0)
		fail(&err);
	free(h.v);
	repo_free(h.r);
	return 0;
}
