/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading packs that stock git wrote, with all options that change their form. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "config/config.h"
#include "fs/mmap-window.h"
#include "pack/read-internal.h"
#include "repo/settings.h"
#include "t/unit/pack-aux.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
/* objects that aux_make_repo makes: all of them are compared */
#define AT_LEAST 90

static void check_repo(const char *repo, const struct hash_algo *algo,
		       struct packs_options *o)
{
	char *objdir = xstrfmt("%s/.git/objects", repo);
	struct warnings w = WARNINGS_INIT;
	struct packs *ps = aux_packs_with(o, objdir, algo, &w);

	assert_true(aux_compare_all(ps, repo, algo) > AT_LEAST);
	assert_string_equal(w.text.buf, "");
	packs_free(ps);
	free(objdir);
	strbuf_release(&w.text);
}

static int setup(void **state)
{
	(void)state;
	if (!aux_have_stock())
		return 0;
	aux_enter_dir();
	aux_make_repo("r1", "sha1");
	aux_make_repo("r256", "sha256");
	return 0;
}

static void check_both(struct packs_options *o)
{
	check_repo("r1", hash_sha1, o);
	check_repo("r256", hash_sha256, o);
}

#define NEED_STOCK() do { (void)state; if (!aux_have_stock()) skip(); } while (0)

static void test_plain(void **state)
{
	struct packs_options o = { .use_midx = true };

	NEED_STOCK();
	check_both(&o);
}

#define BIG_BLOB 900000

/* The beginning of an object that several windows hold, and nothing behind it. */
static int peek_at_big(void *data, struct pack *p)
{
	unsigned char buf[2 * PACK_PEEK_MAX];
	struct reader *r = reader_get(p->owner);
	struct err err = ERR_INIT;
	struct pack_entry e;
	size_t got;

	MUST(pack_open_data(p, &err));
	for (uint32_t i = 0; i < p->idx.nr; i++) {
		MUST(pack_entry_read(p, idx_offset(&p->idx, i), &e, &err));
		if (e.size != BIG_BLOB)
			continue;
		memset(buf, 0x5a, sizeof(buf));
		MUST(pack_entry_peek(p, r, &e, buf, &got, &err));
		assert_int_equal(got, PACK_PEEK_MAX);
		for (size_t at = got; at < sizeof(buf); at++)
			assert_int_equal(buf[at], 0x5a);
		++*(size_t *)data;
	}
	reader_put(p->owner, r);
	return 0;
}

/* In a child process: no address space for the whole file. */
static bool says_that_it_cannot_map(void)
{
	struct rlimit most = { (rlim_t)1 << 30, (rlim_t)1 << 30 };
	struct window_pool *pool = window_pool_new(0, 0);
	struct err err = ERR_INIT, from_window = ERR_INIT;
	struct window_file *f;
	struct window_pin pin;
	struct mapped_file m;

	if (!setrlimit(RLIMIT_AS, &most) &&
	    mmap(NULL, (size_t)2 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		_exit(2);
	if (sizeof(void *) < 8) /* windows are small enough there */
		return mapped_file_open(&m, "huge", &err) == ERR_TOO_BIG;
	return !setrlimit(RLIMIT_AS, &most) && mapped_file_open(&m, "huge", &err) == ERR_IO &&
	       strstr(err_message(&err), "cannot map 'huge'") &&
	       !window_file_open(&f, pool, "huge", &from_window) &&
	       window_pin(&pin, f, 0, 1, &from_window) == ERR_IO &&
	       strstr(err_message(&from_window), "cannot map 'huge'");
}

static void test_cannot_map(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	if (os_has_sanitizer())
		skip(); /* it needs the address space itself */
	aux_enter_dir();
	aux_must("truncate -s 4G huge");
	pid = fork();
	if (!pid)
		_exit(!says_that_it_cannot_map());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	aux_must("rm huge");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip(); /* qemu keeps no such limit */
	assert_int_equal(status, 0);
}

/* By default a file that fits into a window is mapped for good: no lock is taken for it. */
static void test_mapped_for_good(void **state)
{
	struct config_set *empty = config_set_new();
	struct err err = ERR_INIT;
	struct repo_settings s;
	struct window_pool *pool;
	struct window_file *f;
	struct window_pin pin;

	(void)state;
	if (sizeof(void *) < 8)
		skip();
	MUST(repo_settings_read(&s, empty, hash_sha1, NULL, NULL, &err));
	config_set_free(empty);
	pool = window_pool_new(s.packed_git_window_size, s.packed_git_limit);
	aux_enter_dir();
	aux_must("truncate -s 100000 small");
	MUST(window_file_open(&f, pool, "small", &err));
	for (uint64_t at = 0; at < 100000; at += 50000) {
		MUST(window_pin(&pin, f, at, 1, &err));
		assert_true(pin.len == 100000 - at);
		assert_null(pin.window);
		window_unpin(f, &pin);
	}
	assert_int_equal(window_pool_mapped_bytes(pool), 100000);
	window_file_free(f);
	assert_int_equal(window_pool_mapped_bytes(pool), 0);
	window_pool_free(pool);
}

/* The same with small windows and almost no cache. */
static void test_limits(void **state)
{
	struct packs_options o = { .window_size = 1, .window_limit = 1,
				   .delta_base_cache_limit = 1 };
	struct err err = ERR_INIT;
	struct window_pool *pool;
	struct window_file *f;
	struct window_pin pins[3];
	struct packs *ps;
	size_t nr_big = 0;

	NEED_STOCK();
	aux_must("mkdir -p rnd && cd rnd && $GIT init -q . && "
		 "head -c 700000 /dev/urandom >a && head -c 900000 /dev/urandom >b && "
		 "for i in $(seq 1 100); do seq $i $((i + 50)) >f$i; done && "
		 "$GIT add . && $GIT -c core.compression=1 commit -qm x && $GIT repack -adq");
	check_repo("rnd", hash_sha1, &o);
	check_both(&o);
	ps = aux_packs_with(&o, "rnd/.git/objects", hash_sha1, NULL);
	assert_int_equal(packs_foreach(ps, peek_at_big, &nr_big), 0);
	assert_int_equal(nr_big, 1);
	packs_free(ps);
	/* Unpinned windows are unmapped for others, pinned ones stay. */
	pool = window_pool_new(1, 300 * 1024);
	MUST(window_file_open(&f, pool, "rnd/b", &err));
	for (uint64_t at = 0; at < 900000; at += 10000) {
		MUST(window_pin(&pins[0], f, at, 100, &err));
		assert_true(pins[0].len >= 100);
		window_unpin(f, &pins[0]);
		assert_true(window_pool_mapped_bytes(pool) <= 300 * 1024);
	}
	MUST(window_pin(&pins[0], f, 0, 1, &err));
	MUST(window_pin(&pins[1], f, 400000, 1, &err));
	MUST(window_pin(&pins[2], f, 800000, 100000, &err));
	assert_true(pins[2].len == 100000);
	assert_true(window_pool_mapped_bytes(pool) >= 3 * 100000);
	for (int i = 0; i < 3; i++)
		window_unpin(f, &pins[i]);
	assert_int_equal(window_pin(&pins[0], f, 900000, 1, NULL), ERR_CORRUPT);
	window_file_free(f);
	assert_int_equal(window_pool_mapped_bytes(pool), 0);
	window_pool_free(pool);
}

/* idx version 1, wide offsets, ref-deltas, a .rev file. */
static void test_forms(void **state)
{
	struct packs_options o = { 0 };
	static const char *const how[] = {
		"index-pack --index-version=1",
		"index-pack --index-version=2,0x40",
		"index-pack --rev-index",
	};

	NEED_STOCK();
	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		for (int r = 0; r < 2; r++) {
			aux_must("rm -rf form && cp -r %s form && cd form && "
				 "chmod -R u+w .git/objects && rm .git/objects/pack/*.idx && "
				 "$GIT %s .git/objects/pack/*.pack >/dev/null && $GIT fsck 2>&1",
				 r ? "r256" : "r1", how[i]);
			check_repo("form", r ? hash_sha256 : hash_sha1, &o);
		}
	}
	aux_must("cd form && $GIT -c repack.useDeltaBaseOffset=false repack -adfq && "
		 "$GIT verify-pack -v .git/objects/pack/*.idx | grep -q chain");
	check_repo("form", hash_sha256, &o);
}

/* A chain of thousands of deltas neither recurses nor is slow. */
static void test_deep_chain(void **state)
{
	struct packs_options o = { .delta_base_cache_limit = 4096 };

	NEED_STOCK();
	aux_must("mkdir deep && cd deep && $GIT init -q . && "
		 "{ i=0; while test $i -lt 1500; do i=$((i + 1)); "
		 "printf 'blob\\ndata <<EOT\\n'; seq 1 $((i + 200)); echo EOT; done; } | "
		 "$GIT fast-import --quiet --depth=1500 && "
		 "$GIT verify-pack -v .git/objects/pack/*.idx | grep -q 'chain length = 1[0-9][0-9][0-9]:'");
	check_repo("deep", hash_sha1, &o);
}

static struct base_object *base_of(size_t len)
{
	return base_object_new(OBJ_BLOB, xcalloc(len + 1, 1), len);
}

/* Kept until others push it out, the one that was asked for longest ago first; the first one stays. */
static void test_cache(void **state)
{
	struct base_cache *c = base_cache_new(3 * 10000 + 2000);
	struct base_object *first = base_of(10000), *again = base_of(20000), *b;

	(void)state;
	base_cache_add(c, NULL, 12, first);
	base_cache_add(c, NULL, 12, again);
	for (uint64_t offset = 13; offset < 16; offset++) {
		b = base_cache_get(c, NULL, 12);
		assert_ptr_equal(b, first);
		base_object_put(b);
		b = base_of(10000);
		base_cache_add(c, NULL, offset, b);
		base_object_put(b);
	}
	assert_null(base_cache_get(c, NULL, 13));
	b = base_cache_get(c, NULL, 14);
	assert_non_null(b);
	base_object_put(b);
	b = base_of(40000);
	base_cache_add(c, NULL, 17, b);
	assert_null(base_cache_get(c, NULL, 17));
	base_object_put(b);
	base_cache_clear(c);
	assert_int_equal(atomic_load(&first->refs), 1); /* ours: it stays */
	assert_null(base_cache_get(c, NULL, 12));
	base_cache_add(c, NULL, 12, first);
	base_cache_free(c);
	assert_int_equal(atomic_load(&first->refs), 1);
	assert_int_equal(atomic_load(&again->refs), 1);
	base_object_put(first);
	base_object_put(again);
}

/*
 * Many small objects of two packs, of which a part has room: cached objects are found, others are not,
 * and can be added again. Objects that were used within the last quarter of the additions are there.
 */
#define CACHED 3000

static void test_cache_of_many(void **state)
{
	struct base_cache *c = base_cache_new(1000 * 200);
	static struct base_object *all[CACHED];
	static const struct pack packs[2];
	uint32_t seed = 1;
	unsigned nr_cached = 0;

	(void)state;
	for (unsigned i = 0; i < CACHED; i++)
		all[i] = base_of(i % 50);
	for (unsigned step = 0; step < 40000; step++) {
		unsigned i = (seed = seed * 1103515245 + 12345) >> 8, k;
		struct base_object *b;

		i %= step % 3 ? CACHED / 5 : CACHED;
		base_cache_add(c, &packs[i % 2], i / 2, all[i]);
		assert_true(all[i]->is_cached);
		k = (i + step) % CACHED;
		b = base_cache_get(c, &packs[k % 2], k / 2);
		assert_ptr_equal(b, all[k]->is_cached ? all[k] : NULL);
		base_object_put(b);
		if (step % 10 == 0) {
			/* Used again and again, others come: it stays. */
			b = base_cache_get(c, &packs[0], 0);
			assert_true(b || step < 100);
			if (!b)
				base_cache_add(c, &packs[0], 0, all[0]);
			base_object_put(b);
		}
	}
	for (unsigned i = 0; i < CACHED; i++) {
		struct base_object *b = base_cache_get(c, &packs[i % 2], i / 2);

		assert_ptr_equal(b, all[i]->is_cached ? all[i] : NULL);
		nr_cached += b != NULL;
		base_object_put(b);
	}
	assert_in_range(nr_cached, 500, CACHED * 3 / 4); /* on 32 bits each is smaller */
	base_cache_free(c);
	for (unsigned i = 0; i < CACHED; i++) {
		assert_int_equal(atomic_load(&all[i]->refs), 1);
		base_object_put(all[i]);
	}
}

static void test_many_packs(void **state)
{
	struct packs_options o = { 0 };
	struct err err = ERR_INIT;
	struct packs *ps;
	struct oid_array all = OID_ARRAY_INIT;
	size_t before;

	NEED_STOCK();
	aux_must("mkdir many && cd many && $GIT init -q . && for i in $(seq 1 40); do "
		 "seq $i $((i + 100)) >f && echo $i >g$i && $GIT add . && $GIT commit -qm $i && "
		 "$GIT repack -dq; done");
	check_repo("many", hash_sha1, &o);
	/* First all packs are in the midx, then some packs are not. */
	aux_must("cd many && $GIT multi-pack-index write");
	o.use_midx = true;
	check_repo("many", hash_sha1, &o);
	ps = aux_packs("many/.git/objects", hash_sha1, NULL);
	before = packs_object_count(ps);
	assert_true(before >= 120);
	aux_must("cd many && for i in 1 2 3; do echo new $i >h$i && $GIT add . && "
		 "$GIT commit -qm new$i && $GIT repack -dq; done");
	check_repo("many", hash_sha1, &o);
	assert_int_equal(packs_object_count(ps), before); /* the directory has not been scanned again */
	packs_reprepare(ps);
	assert_true(packs_object_count(ps) >= before + 9);
	MUST(packs_prefix_lookup(ps, "", 0, &all, &err));
	assert_int_equal(all.nr, packs_object_count(ps));
	oid_array_clear(&all);
	packs_free(ps);
	aux_must("cd r256 && $GIT multi-pack-index write");
	check_repo("r256", hash_sha256, &o);
	aux_must("rm r256/.git/objects/pack/multi-pack-index");
}

/* The directory's time need not change with a pack that arrives right after a look at it. */
static void test_arrives_in_the_same_tick(void **state UNUSED)
{
	for (int i = 0; i < 50; i++) {
		struct packs *ps;

		aux_must("rm -rf tick && mkdir -p tick/pack");
		ps = aux_packs("tick", hash_sha1, NULL);
		assert_int_equal(packs_count(ps), 0);
		aux_write("tick/pack/pack-1.pack", "", 0);
		aux_write("tick/pack/pack-1.idx", "", 0);
		packs_reprepare(ps);
		assert_int_equal(packs_count(ps), 1);
		aux_write("tick/pack/pack-2.pack", "", 0);
		aux_write("tick/pack/pack-2.idx", "", 0);
		packs_reprepare(ps);
		assert_int_equal(packs_count(ps), 2);
		packs_free(ps);
	}
}

/* One pack is removed and another one added while the set is in use. */
static void test_repacked(void **state)
{
	struct warnings w = WARNINGS_INIT;
	struct packs *ps;
	size_t nr;

	NEED_STOCK();
	aux_must("cp -r many gone");
	ps = aux_packs("gone/.git/objects", hash_sha1, &w);
	assert_true(packs_object_count(ps) > 0);
	aux_must("cd gone && $GIT repack -adfq && $GIT prune-packed");
	packs_reprepare(ps);
	nr = aux_compare_all(ps, "gone", hash_sha1);
	assert_int_equal(packs_object_count(ps), nr);
	assert_string_equal(w.text.buf, "");
	packs_free(ps);
	strbuf_release(&w.text);
}

static void test_abbreviations(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct packs *ps;

	NEED_STOCK();
	ps = aux_packs("many/.git/objects", hash_sha1, NULL);
	assert_int_equal(aux_sh(&out, "cd many && $GIT cat-file --batch-all-objects "
				"--batch-check='%%(objectname)' | while read o; do "
				"echo $o $($GIT rev-parse --short=4 $o); done"), 0);
	for (char *line = strtok(out.buf, "\n"); line; line = strtok(NULL, "\n")) {
		struct oid_array found = OID_ARRAY_INIT;
		struct object_id oid;
		const char *end;
		size_t len, want;

		assert_int_equal(oid_parse_hex(&oid, line, hash_sha1, &end), 0);
		want = strlen(end + 1);
		len = packs_unique_prefix_len(ps, &oid);
		assert_int_equal(len < 4 ? 4 : len, want);
		MUST(packs_prefix_lookup(ps, end + 1, want, &found, &err));
		oid_array_sort_unique(&found);
		assert_int_equal(found.nr, 1);
		assert_true(oid_eq(&found.oid[0], &oid));
		oid_array_clear(&found);
		if (len > 4) {
			MUST(packs_prefix_lookup(ps, end + 1, len - 1, &found, &err));
			oid_array_sort_unique(&found);
			assert_true(found.nr > 1);
			oid_array_clear(&found);
		}
	}
	assert_int_equal(packs_prefix_lookup(ps, "12g4", 4, NULL, NULL), ERR_INVALID);
	packs_free(ps);
	strbuf_release(&out);
}

/* ---- info, compared with stock git ---- */

static int is_unlocked(void *data, struct pack *p)
{
	(void)data;
	assert_int_equal(pthread_mutex_trylock(&p->lock), 0);
	return pthread_mutex_unlock(&p->lock);
}

static void check_info(const char *repo, const struct hash_algo *algo)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *objdir = xstrfmt("%s/.git/objects", repo);
	struct packs *ps = aux_packs(objdir, algo, NULL);

	assert_int_equal(aux_sh(&out, "cd %s && $GIT cat-file --batch-all-objects --batch-check="
				"'%%(objectname) %%(objecttype) %%(objectsize) "
				"%%(objectsize:disk) %%(deltabase)'", repo), 0);
	for (char *line = strtok(out.buf, "\n"); line; line = strtok(NULL, "\n")) {
		struct object_id oid;
		struct object_info info;
		enum object_type type;
		uint64_t size;
		char *got;

		assert_int_equal(oid_parse_hex(&oid, line, algo, NULL), 0);
		MUST(packs_info(ps, &oid, &info, &err));
		got = xstrfmt("%s %s %" PRIu64 " %" PRIu64 " %s", oid_hex(&oid),
			      object_type_name(info.type), info.size, info.disk_size,
			      oid_hex(&info.delta_base));
		assert_string_equal(got, line);
		free(got);
		MUST(packs_type(ps, &oid, &type, &size, &err));
		assert_int_equal(type, info.type);
		assert_int_equal(size, info.size);
	}
	assert_int_equal(packs_foreach(ps, is_unlocked, NULL), 0);
	packs_free(ps);
	free(objdir);
	strbuf_release(&out);
}

static void test_info(void **state)
{
	NEED_STOCK();
	check_info("r1", hash_sha1);
	check_info("r256", hash_sha256);
	check_info("deep", hash_sha1);
}

/* ---- streams ---- */

static int collect(void *data, const void *p, size_t len, struct err *err)
{
	(void)err;
	assert_true(len <= 1 << 20);
	strbuf_add(data, p, len);
	return 0;
}

static int refuse(void *data, const void *p, size_t len, struct err *err)
{
	(void)p, (void)len;
	++*(int *)data;
	return err_set(err, ERR_ABORTED, "enough");
}

static int stream_one(void *data, const struct object_id *oid)
{
	struct packs *ps = data;
	struct strbuf sb = STRBUF_INIT;
	struct object_buf buf;
	struct err err = ERR_INIT;

	MUST(packs_read(ps, oid, &buf, &err));
	MUST(packs_stream(ps, oid, collect, &sb, &err));
	assert_int_equal(sb.len, buf.size);
	assert_memory_equal(sb.buf, buf.data, buf.size);
	strbuf_release(&sb);
	object_buf_release(&buf);
	return 0;
}

static void test_stream(void **state)
{
	struct packs_options o = { .window_size = 1, .window_limit = 1 };
	struct err err = ERR_INIT;
	struct object_id oid;
	struct packs *ps;
	int calls = 0;

	NEED_STOCK();
	ps = aux_packs_with(&o, "rnd/.git/objects", hash_sha1, NULL);
	MUST(packs_foreach_object(ps, true, stream_one, ps, &err));
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "", 0, &oid, NULL), 0);
	assert_int_equal(packs_stream(ps, &oid, refuse, &calls, &err), ERR_NOT_FOUND);
	err_release(&err);
	assert_int_equal(oid_from_hex(&oid, "0000000000000000000000000000000000000001",
				      hash_sha1), 0);
	packs_free(ps);
	ps = aux_packs("r1/.git/objects", hash_sha1, NULL);
	MUST(packs_foreach_object(ps, false, stream_one, ps, &err));
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "1\n", 2, &oid, NULL), 0);
	assert_int_equal(packs_stream(ps, &oid, refuse, &calls, &err), ERR_ABORTED);
	assert_int_equal(calls, 1);
	assert_string_equal(err_message(&err), "enough");
	err_release(&err);
	packs_free(ps);
}

/* ---- all objects, with their data ---- */

struct listed {
	struct packs *ps;
	struct oidset met;
	size_t nr;
};

/* The wanted data equal the data of the object when it is looked up by name. */
static int same_as_asked_for(void *data, const struct object_id *oid, const struct object_info *info)
{
	struct listed *l = data;
	struct object_info by_name;
	struct err err = ERR_INIT;

	MUST(packs_info(l->ps, oid, &by_name, &err));
	assert_non_null(info);
	assert_int_equal(info->type, by_name.type);
	assert_int_equal(info->size, by_name.size);
	assert_int_equal(info->disk_size, by_name.disk_size);
	assert_true(oid_eq(&info->delta_base, &by_name.delta_base));
	assert_true(oidset_insert(&l->met, oid));
	l->nr++;
	return 0;
}

static int count_nameless(void *data, const struct object_id *oid, const struct object_info *info)
{
	(void)oid;
	assert_null(info);
	++*(size_t *)data;
	return 0;
}

static int take(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

static void list_objects(const char *objdir)
{
	struct listed l = { aux_packs(objdir, hash_sha1, NULL), OIDSET_INIT, 0 };
	struct oidset seen = OIDSET_INIT;
	struct oid_array all = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	size_t rest = 0;

	MUST(packs_foreach_new(l.ps, OBJECT_INFO_TYPE | OBJECT_INFO_LOCATION, &seen, true,
			       same_as_asked_for, &l));
	MUST(packs_foreach_object(l.ps, false, take, &all, &err));
	oid_array_sort_unique(&all);
	assert_int_equal(l.nr, all.nr);
	assert_int_equal(seen.map.nr, all.nr);
	MUST(packs_foreach_new(l.ps, 0, &seen, true, count_nameless, &rest));
	assert_int_equal(rest, 0);
	oidset_clear(&seen);
	for (size_t i = 0; i < 3; i++)
		oidset_insert(&seen, &all.oid[i]);
	MUST(packs_foreach_new(l.ps, 0, &seen, false, count_nameless, &rest));
	assert_int_equal(rest, all.nr - 3);
	oid_array_clear(&all);
	oidset_clear(&seen);
	oidset_clear(&l.met);
	packs_free(l.ps);
}

static void test_inventory(void **state)
{
	NEED_STOCK();
	list_objects("many/.git/objects");
	list_objects("deep/.git/objects");
	list_objects("rnd/.git/objects");
	list_objects("r1/.git/objects");
}

/* ---- verify ---- */

struct count {
	size_t objects;
	struct warnings bad;
};

static int count_object(void *data, const struct object_id *oid, const struct object_buf *buf)
{
	struct count *c = data;
	struct object_id name;

	c->objects++;
	if (!buf->data) {
		assert_true(buf->type == OBJ_BLOB && buf->size > PACK_VERIFY_BLOB_KEEP);
		return 0;
	}
	assert_int_equal(hash_object_buf(hash_algo_by_id(oid->algo), object_type_name(buf->type),
					 buf->data, buf->size, &name, NULL), 0);
	assert_true(oid_eq(&name, oid));
	return 0;
}

static void count_bad(void *data, const char *msg)
{
	struct count *c = data;

	strbuf_addf(&c->bad.text, "%s\n", msg);
	c->bad.nr++;
}

static int verify_one(void *data, struct pack *p)
{
	struct err err = ERR_INIT;
	struct count *c = data;
	size_t before = c->objects;
	int rc = pack_verify(p, count_object, count_bad, data, &err);

	if (rc < 0)
		fail_msg("%s", err_message(&err));
	assert_int_equal(rc, c->bad.nr);
	assert_int_equal(c->objects - before, pack_nr_objects(p));
	assert_true(pack_size_bytes(p) > 0 && pack_idx_size_bytes(p) > 0);

	return 0;
}

static void test_verify(void **state)
{
	static const char *const dirs[] = { "r1", "many", "form", "rnd", "deep" };

	NEED_STOCK();
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *objdir = xstrfmt("%s/.git/objects", dirs[i]);
		struct count c = { 0, WARNINGS_INIT };
		struct packs *ps = aux_packs(objdir, strcmp(dirs[i], "form") ? hash_sha1 :
					     hash_sha256, NULL);

		packs_foreach(ps, verify_one, &c);
		assert_int_equal(packs_verify_midx(ps, &(struct midx_verify_options){ count_bad, &c, NULL, NULL }), 0);
		assert_string_equal(c.bad.text.buf, "");
		packs_free(ps);
		free(objdir);
	}
}

/* ---- several threads at once ---- */

struct reading {
	struct packs *ps;
	struct oid_array *oids;
	size_t from;
	unsigned wrong;
};

static void *read_them(void *data)
{
	struct reading *r = data;

	for (size_t i = 0; i < r->oids->nr; i++) {
		const struct object_id *oid = &r->oids->oid[(i * 7 + r->from) % r->oids->nr];
		struct object_buf buf = OBJECT_BUF_INIT;
		struct object_id name;
		struct object_info info;

		if (i % 40 == 0)
			packs_reprepare(r->ps);
		if (packs_read(r->ps, oid, &buf, NULL) < 0 ||
		    packs_info(r->ps, oid, &info, NULL) < 0) {
			r->wrong++;
			continue;
		}
		r->wrong += hash_object_buf(hash_sha1, object_type_name(buf.type), buf.data, buf.size,
					    &name, NULL) < 0 ||
			    !oid_eq(&name, oid) || info.size != buf.size;
		object_buf_release(&buf);
	}
	return NULL;
}

static void in_threads(const char *objdir, struct packs_options *o)
{
	struct oid_array oids = OID_ARRAY_INIT;
	struct reading r[4];
	struct err err = ERR_INIT;
	pthread_t thread[4];
	struct packs *ps = aux_packs_with(o, objdir, hash_sha1, NULL);

	MUST(packs_foreach_object(ps, false, take, &oids, &err));
	packs_free(ps);
	ps = aux_packs_with(o, objdir, hash_sha1, NULL);
	for (size_t i = 0; i < 4; i++) {
		r[i] = (struct reading){ ps, &oids, i * 31, 0 };
		assert_int_equal(pthread_create(&thread[i], NULL, read_them, &r[i]), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(r[i].wrong, 0);
	}
	packs_free(ps);
	oid_array_clear(&oids);
}

static void test_threads(void **state)
{
	struct packs_options narrow = { .window_size = 1, .window_limit = 1,
					.delta_base_cache_limit = 20000 };
	struct packs_options wide = { .use_midx = true };

	NEED_STOCK();
	in_threads("many/.git/objects", &narrow);
	in_threads("many/.git/objects", &wide);
	in_threads("deep/.git/objects", &narrow);
	in_threads("rnd/.git/objects", &narrow);
}

/* Few and many, short, of four bytes and longer; equal ones stay in the order of positions. */
static void test_sorted_offsets(void **state)
{
	static const uint32_t counts[] = { 0, 1, 2, 999, 1000, 3000 };
	static const unsigned bits[] = { 1, 11, 12, 22, 23, 32, 33, 44, 64 };
	uint64_t seed = 1;

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		for (size_t b = 0; b < ARRAY_SIZE(bits); b++) {
			struct sortable_offset *v;
			uint64_t sum = 0;

			ALLOC_ARRAY(v, counts[c] + 1);
			for (uint32_t i = 0; i < counts[c]; i++) {
				seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
				v[i] = (struct sortable_offset){ seed >> (64 - bits[b]), i };
				sum += v[i].offset * (i + 1);
			}
			v = offsets_sort(v, counts[c]);
			for (uint32_t i = 0; i < counts[c]; i++) {
				sum -= v[i].offset * (v[i].pos + 1);
				assert_true(!i || v[i].offset > v[i - 1].offset ||
					    (v[i].offset == v[i - 1].offset && v[i].pos > v[i - 1].pos));
			}
			assert_int_equal(sum, 0);
			free(v);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_mapped_for_good),
		cmocka_unit_test(test_cannot_map),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_deep_chain),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_of_many),
		cmocka_unit_test(test_many_packs),
		cmocka_unit_test(test_arrives_in_the_same_tick),
		cmocka_unit_test(test_repacked),
		cmocka_unit_test(test_abbreviations),
		cmocka_unit_test(test_sorted_offsets),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_inventory),
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
