/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bitmap-walk [--plain] [--count] [--stats] [--hashes] [--drop=TYPE] [--all] <object>... [--not <object>...]
 * bitmap-walk --compare=<seed>:<rounds>
 * bitmap-walk --commits
 *
 * The objects that the objects before --not reach and those after it do not, one per line, sorted
 * ("NAME type"); with --plain, by a simple walk without bitmaps, otherwise by history/bitmap/bitmap.h.
 * --count: only how many. --hashes: "NAME HASH", the hash of the path. --stats: also whether they are a whole pack, and how many are in it.
 * Names are hex or what git rev-parse knows. Exit code 3: there are no bitmaps to use.
 *
 * --compare: so many times, both walks from and without objects chosen by chance have to find the
 * same. Says how many objects were found in all. --commits: which commits have a bitmap.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "pack/bitmap.h"
#include "repo/repo.h"
#include "util/alloc.h"

static NORETURN void fail(struct err *err)
{
	fprintf(stderr, "fatal: %s\n", err_message(err));
	exit(128);
}

static void warn(void *data UNUSED, const char *msg)
{
	fprintf(stderr, "warning: %s\n", msg);
}

/* ---- the simple walk: object by object ---- */

struct plain {
	struct repository *r;
	struct oid_array todo;
	struct oidmap seen; /* to the type */
};

static void reach(struct plain *p, const struct object_id *oid)
{
	if (oidmap_contains(&p->seen, oid))
		return;
	oidmap_put(&p->seen, oid, (void *)(uintptr_t)OBJ_BLOB);
	oid_array_append(&p->todo, oid);
}

static void reach_tree(struct plain *p, const struct object_buf *buf)
{
	struct tree_iter it;
	struct tree_entry e;

	tree_iter_init(&it, buf->data, buf->size, p->r->algo);
	while (tree_iter_next(&it, &e, NULL) > 0)
		if (!MODE_IS_GITLINK(e.mode))
			reach(p, &e.oid);
}

static void open_object(struct plain *p, const struct object_id *oid)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id tree;
	struct tag_view tag;
	struct err err = ERR_INIT;

	if (odb_read(p->r->odb, oid, &buf, &err) < 0)
		fail(&err);
	oidmap_put(&p->seen, oid, (void *)(uintptr_t)buf.type);
	if (buf.type == OBJ_TREE)
		reach_tree(p, &buf);
	if (buf.type == OBJ_TAG && !tag_parse(&tag, buf.data, buf.size, p->r->algo, NULL))
		reach(p, &tag.target);
	if (buf.type == OBJ_COMMIT) {
		if (commit_parse_links(buf.data, buf.size, p->r->algo, &tree, &parents, NULL, &err) < 0)
			fail(&err);
		reach(p, &tree);
		for (size_t i = 0; i < parents.nr; i++)
			reach(p, &parents.oid[i]);
		oid_array_clear(&parents);
	}
	object_buf_release(&buf);
}

static void walk_plain(struct plain *p, const struct oid_array *from)
{
	for (size_t i = 0; i < from->nr; i++)
		reach(p, &from->oid[i]);
	while (p->todo.nr) {
		struct object_id oid = p->todo.oid[--p->todo.nr];

		open_object(p, &oid);
	}
	oid_array_clear(&p->todo);
}

/* ---- output ---- */

struct list {
	struct oidmap found; /* to the type */
	uint64_t in_pack;
	bool twice;
};

static int add(void *data, const struct object_id *oid, enum object_type type,
	       uint32_t name_hash UNUSED, struct pack *pack, uint64_t offset UNUSED)
{
	struct list *l = data;

	l->twice |= oidmap_put(&l->found, oid, (void *)(uintptr_t)type) != NULL;
	l->in_pack += pack != NULL;
	return 0;
}

static int print_hash(void *data UNUSED, const struct object_id *oid, enum object_type type UNUSED,
		      uint32_t name_hash, struct pack *pack UNUSED, uint64_t offset UNUSED)
{
	printf("%s %08" PRIx32 "\n", oid_hex(oid), name_hash);
	return 0;
}

static void show(struct list *l)
{
	struct oid_array a = OID_ARRAY_INIT;
	const struct object_id *oid;
	void *type;

	for (size_t i = 0; oidmap_next(&l->found, &i, &oid, &type);)
		oid_array_append(&a, oid);
	oid_array_sort(&a);
	for (size_t i = 0; i < a.nr; i++)
		printf("%s %s\n", oid_hex(&a.oid[i]),
		       object_type_name((int)(uintptr_t)oidmap_get(&l->found, &a.oid[i])));
	oid_array_clear(&a);
}

static int run_bitmap(struct repository *r, const struct oid_array *wants,
		      const struct oid_array *haves, const char *drop, bool count, bool stats, bool hashes)
{
	struct list l = { OIDMAP_INIT, 0, false };
	struct err err = ERR_INIT;
	struct bitmap_walk *w;
	int rc = bitmap_walk_new(&w, r, wants, haves, 0, &err);

	if (rc == ERR_NOT_FOUND) {
		fprintf(stderr, "%s\n", err_message(&err));
		err_release(&err);
		return 3;
	}
	if (rc < 0)
		fail(&err);
	if (drop)
		bitmap_walk_drop(w, object_type_from_name(drop, strlen(drop)));
	if (count) {
		printf("%" PRIu64 "\n", bitmap_walk_count(w, OBJ_ANY));
	} else if (hashes) {
		if (bitmap_walk_foreach(w, print_hash, NULL, &err) < 0)
			fail(&err);
	} else {
		uint64_t sum = 0;

		if (bitmap_walk_foreach(w, add, &l, &err) < 0)
			fail(&err);
		show(&l);
		for (int t = OBJ_COMMIT; t <= OBJ_TAG; t++)
			sum += bitmap_walk_count(w, t);
		if (sum != l.found.nr || sum != bitmap_walk_count(w, OBJ_ANY) || l.twice) {
			fprintf(stderr, "fatal: counts differ\n");
			exit(1);
		}
	}
	if (stats)
		printf("whole pack: %s, in packs: %" PRIu64 "\n",
		       bitmap_walk_whole_pack(w) ? "yes" : "no", l.in_pack);
	oidmap_clear(&l.found, NULL);
	bitmap_walk_free(w);
	return 0;
}

static void find_plain(struct repository *r, const struct oid_array *wants,
		       const struct oid_array *haves, struct oidmap *found)
{
	struct plain not = { .r = r }, p = { .r = r };
	const struct object_id *oid;
	void *type;

	walk_plain(&not, haves);
	walk_plain(&p, wants);
	for (size_t i = 0; oidmap_next(&p.seen, &i, &oid, &type);)
		if (!oidmap_contains(&not.seen, oid))
			oidmap_put(found, oid, type);
	oidmap_clear(&p.seen, NULL);
	oidmap_clear(&not.seen, NULL);
}

static void run_plain(struct repository *r, const struct oid_array *wants,
		      const struct oid_array *haves, bool count)
{
	struct list l = { OIDMAP_INIT, 0, false };

	find_plain(r, wants, haves, &l.found);
	if (count)
		printf("%zu\n", l.found.nr);
	else
		show(&l);
	oidmap_clear(&l.found, NULL);
}

/* ---- both ---- */

static uint64_t state;

static size_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)((state >> 11) % n);
}

struct all {
	struct repository *r;
	struct oid_array commits, others, tags;
};

static int add_any(void *data, const struct object_id *oid)
{
	struct all *a = data;
	enum object_type type;
	struct err err = ERR_INIT;
	uint64_t size;

	if (odb_type(a->r->odb, oid, &type, &size, &err) < 0)
		fail(&err);
	oid_array_append(type == OBJ_COMMIT ? &a->commits : type == OBJ_TAG ? &a->tags : &a->others, oid);
	return 0;
}

static void choose(const struct all *a, struct oid_array *out, size_t nr)
{
	while (nr--) {
		const struct oid_array *from = below(4) ? &a->commits : below(3) ? &a->others : &a->tags;

		if (from->nr)
			oid_array_append(out, &from->oid[below(from->nr)]);
	}
}

static void compare_excluded_in(struct bitmap_walk *w, const struct oidmap *reached,
				const struct oid_array *some)
{
	for (size_t i = 0; i < some->nr; i++)
		if (bitmap_walk_excludes(w, &some->oid[i]) != oidmap_contains(reached, &some->oid[i])) {
			fprintf(stderr, "fatal: %s is excluded, or is not\n", oid_hex(&some->oid[i]));
			exit(1);
		}
}

/* Exits unless just what the haves reach is excluded, of all objects. */
static void compare_excluded(struct repository *r, struct bitmap_walk *w, const struct oid_array *haves,
			     const struct all *a)
{
	struct plain p = { .r = r };

	walk_plain(&p, haves);
	compare_excluded_in(w, &p.seen, &a->commits);
	compare_excluded_in(w, &p.seen, &a->others);
	compare_excluded_in(w, &p.seen, &a->tags);
	oidmap_clear(&p.seen, NULL);
}

/* The number of objects found; exits if they differ. */
static size_t compare_once(struct repository *r, const struct all *a, const struct oid_array *wants,
			   const struct oid_array *haves)
{
	struct list l = { OIDMAP_INIT, 0, false };
	struct oidmap plain = OIDMAP_INIT;
	const struct object_id *oid;
	struct err err = ERR_INIT;
	struct bitmap_walk *w;
	void *type;
	size_t nr;

	if (bitmap_walk_new(&w, r, wants, haves, 0, &err) < 0 || bitmap_walk_foreach(w, add, &l, &err) < 0)
		fail(&err);
	find_plain(r, wants, haves, &plain);
	nr = plain.nr;
	if (nr != l.found.nr || l.twice || nr != bitmap_walk_count(w, OBJ_ANY)) {
		fprintf(stderr, "fatal: %zu objects by a plain walk, %zu by bitmaps\n", nr, l.found.nr);
		exit(1);
	}
	for (size_t i = 0; oidmap_next(&plain, &i, &oid, &type);)
		if (oidmap_get(&l.found, oid) != type || !bitmap_walk_has(w, oid)) {
			fprintf(stderr, "fatal: %s differs\n", oid_hex(oid));
			exit(1);
		}
	compare_excluded(r, w, haves, a);
	bitmap_walk_free(w);
	oidmap_clear(&plain, NULL);
	oidmap_clear(&l.found, NULL);
	return nr;
}

static void compare(struct repository *r, const char *spec)
{
	struct all a = { .r = r };
	char *end;
	struct err err = ERR_INIT;
	size_t sum = 0;

	state = 88172645463325252u ^ strtoull(spec, &end, 10) * 2654435761u;
	if (odb_foreach(r->odb, 0, add_any, &a, &err) < 0)
		fail(&err);
	for (unsigned long n = strtoul(end + 1, NULL, 10); n; n--) {
		struct oid_array wants = OID_ARRAY_INIT, haves = OID_ARRAY_INIT;

		choose(&a, &wants, 1 + below(5));
		choose(&a, &haves, below(5));
		sum += compare_once(r, &a, &wants, &haves);
		oid_array_clear(&wants);
		oid_array_clear(&haves);
	}
	printf("%zu\n", sum);
	oid_array_clear(&a.commits);
	oid_array_clear(&a.others);
	oid_array_clear(&a.tags);
}

/* ---- commits with a bitmap ---- */

static int print_commit(void *data UNUSED, const struct object_id *commit)
{
	printf("%s\n", oid_hex(commit));
	return 0;
}

static void list_commits(struct repository *r)
{
	struct err err = ERR_INIT;
	struct bitmap_index *b;

	if (odb_open_bitmap(r->odb, &b, &err) < 0 ||
	    bitmap_index_foreach_commit(b, print_commit, NULL, &err) < 0)
		fail(&err);
	bitmap_index_free(b);
}

/* ---- arguments ---- */

static int add_ref(void *data, const struct ref *ref)
{
	oid_array_append(data, &ref->oid);
	return 0;
}

static void add_arg(struct repository *r, struct oid_array *to, const char *arg)
{
	struct object_id oid;
	struct err err = ERR_INIT;

	if (!strcmp(arg, "--all")) {
		if (refs_foreach(r->refs, "refs/", REFS_NO_PEEL, add_ref, to, &err) < 0)
			fail(&err);
		return;
	}
	if (oid_from_hex(&oid, arg, r->algo) < 0 && revparse_oid(r, arg, &oid, &err) < 0)
		fail(&err);
	oid_array_append(to, &oid);
}

int main(int argc UNUSED, const char **argv)
{
	struct repo_open_options open_options = { .warn = warn };
	struct oid_array wants = OID_ARRAY_INIT, haves = OID_ARRAY_INIT;
	bool commits = false, plain = false, count = false, stats = false, hashes = false, negate = false;
	const char *drop = NULL, *spec = NULL;
	struct repository *r;
	struct err err = ERR_INIT;
	int rc = 0;

	if (repo_open(&r, &open_options, &err) < 0)
		fail(&err);
	while (*++argv) {
		if (!strcmp(*argv, "--plain"))
			plain = true;
		else if (!strcmp(*argv, "--commits"))
			commits = true;
		else if (!strcmp(*argv, "--count"))
			count = true;
		else if (!strcmp(*argv, "--stats"))
			stats = true;
		else if (!strcmp(*argv, "--hashes"))
			hashes = true;
		else if (!strcmp(*argv, "--not"))
			negate = true;
		else if (!skip_prefix(*argv, "--drop=", &drop) && !skip_prefix(*argv, "--compare=", &spec))
			add_arg(r, negate ? &haves : &wants, *argv);
	}
	if (commits)
		list_commits(r);
	else if (spec)
		compare(r, spec);
	else if (plain)
		run_plain(r, &wants, &haves, count);
	else
		rc = run_bitmap(r, &wants, &haves, drop, count, stats, hashes);
	oid_array_clear(&wants);
	oid_array_clear(&haves);
	repo_free(r);
	return rc;
}
