/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pack-bench OBJDIR WHAT [HASH]: measures how long it takes to process all packed
 * objects. WHAT: read (by offset), read-by-name, info, type, has, verify, stream.
 */
#include "compat/posix.h"
#include "pack/pack.h"

struct bench {
	struct packs *packs;
	const char *what;
	uint64_t bytes;
	size_t objects, failed;
};

static int count(void *data, const void *p, size_t len, struct err *err)
{
	(void)p, (void)err;
	*(uint64_t *)data += len;
	return 0;
}

static int one(void *data, const struct object_id *oid)
{
	struct bench *b = data;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	enum object_type type;
	uint64_t size = 0;
	int rc = 0;

	if (!strcmp(b->what, "info")) {
		rc = packs_info(b->packs, oid, &info, NULL);
	} else if (!strcmp(b->what, "type")) {
		rc = packs_type(b->packs, oid, &type, &size, NULL);
	} else if (!strcmp(b->what, "has")) {
		rc = packs_has(b->packs, oid) ? 0 : -1;
	} else if (!strcmp(b->what, "stream")) {
		rc = packs_stream(b->packs, oid, count, &size, NULL);
	} else {
		rc = packs_read(b->packs, oid, &buf, NULL);
		size = buf.size;
	}
	object_buf_release(&buf);
	b->bytes += size;
	b->objects++;
	b->failed += rc < 0;
	return 0;
}

static int verify(void *data, struct pack *p)
{
	struct bench *b = data;

	b->objects += pack_nr_objects(p);
	b->failed += pack_verify(p, NULL, NULL, NULL, NULL) != 0;
	return 0;
}

static void warn(void *data, const char *msg)
{
	(void)data;
	fprintf(stderr, "warning: %s\n", msg);
}

int main(int argc, char **argv)
{
	const struct hash_algo *algo = argc > 3 ? hash_algo_by_name(argv[3]) : hash_sha1;
	struct packs_options o = { .algo = algo, .use_midx = true, .warn = warn };
	struct bench b = { 0 };
	struct timespec from, to;
	int rc = 0;

	if (argc < 3 || argc > 4 || !algo) {
		fprintf(stderr, "usage: pack-bench OBJDIR WHAT [HASH]\n");
		return 129;
	}
	o.objdir = argv[1];
	b.what = argv[2];
	clock_gettime(CLOCK_MONOTONIC, &from);
	b.packs = packs_new(&o);
	if (!strcmp(b.what, "verify"))
		packs_foreach(b.packs, verify, &b);
	else
		rc = packs_foreach_object(b.packs, strcmp(b.what, "read-by-name"), one, &b, NULL);
	packs_free(b.packs);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%s: %zu objects, %" PRIu64 " bytes, %zu failed, %.3f s\n", b.what, b.objects,
	       b.bytes, b.failed, (double)(to.tv_sec - from.tv_sec) +
	       (double)(to.tv_nsec - from.tv_nsec) / 1e9);
	return rc < 0 || b.failed ? 1 : 0;
}
