/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bulk-add OBJDIR METHOD LIMIT LEVEL <list-of-paths
 *
 * Adds the files to a batch of new objects and publishes it. This measures `add` without
 * index and working tree. METHOD: none, batch, fsync, writeout-only. Prints
 * "SECONDS OBJECTS FLUSHES" and, with -v first, "OID PATH" per file.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/trace2.h"

struct file {
	char *path;
	bool verbose;
};

static int produce(void *data, struct object_buf *out, struct err *err)
{
	struct file *f = data;
	struct strbuf buf = STRBUF_INIT;
	int rc = read_file(&buf, f->path, 0, err);

	if (rc < 0)
		return rc;
	out->type = OBJ_BLOB;
	out->data = strbuf_detach(&buf, &out->size);
	return 0;
}

static void done(void *data, int rc, const struct object_id *oid, struct err *err)
{
	struct file *f = data;

	if (rc < 0)
		fprintf(stderr, "error: %s\n", err_message(err));
	else if (f->verbose)
		printf("%s %s\n", oid_hex(oid), f->path);
	free(f->path);
	free(f);
}

static int add_files(struct odb *odb, bool verbose, uint64_t big, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && strbuf_getline_lf(&line, stdin) != EOF) {
		struct file *f = xcalloc(1, sizeof(*f));
		struct bulk_checkin_job job = { produce, done, f, 0 };
		struct stat st;

		f->path = xstrdup(line.buf);
		f->verbose = verbose;
		if (!stat(f->path, &st))
			job.size_hint = (uint64_t)st.st_size;
		if (big && job.size_hint >= big) {
			int fd = open(f->path, O_RDONLY | O_CLOEXEC);
			struct object_id oid;

			rc = bulk_checkin_stream(odb_batch(odb), OBJ_BLOB, fd, job.size_hint,
						 f->path, &oid, err);
			done(f, rc, &oid, err);
			close(fd);
		} else {
			bulk_checkin_submit(odb_batch(odb), &job);
		}
	}
	strbuf_release(&line);
	return rc < 0 ? rc : bulk_checkin_drain(odb_batch(odb), err);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	char **arg = argv + verbose;
	struct fsync_batch_options bo = { .policy = FSYNC_POLICY_DEFAULT };
	struct odb_options oo = { .algo = hash_sha1, .big_file_threshold = 512u << 20 };
	struct err err = ERR_INIT;
	struct fsync_batch *batch;
	struct odb *odb;
	double start = now();
	size_t nr;
	int rc;

	if (argc - verbose < 5) {
		fprintf(stderr, "usage: bulk-add [-v] OBJDIR METHOD LIMIT LEVEL <paths\n");
		return 129;
	}
	oo.objdir = arg[1];
	if (!strcmp(arg[2], "none"))
		bo.policy.components = 0;
	else if (fsync_method_parse(arg[2], &bo.policy.method) < 0)
		return 129;
	oo.unpack_limit = (unsigned)strtoul(arg[3], NULL, 10);
	oo.loose_level = oo.pack_level = atoi(arg[4]);
	batch = fsync_batch_new(&bo);
	if ((rc = odb_open(&odb, &oo, &err)) < 0 ||
	    (rc = odb_begin_batch(odb, batch, &err)) < 0 ||
	    (rc = add_files(odb, verbose, oo.big_file_threshold, &err)) < 0 ||
	    (rc = odb_stage_batch(odb, &err)) < 0 ||
	    (rc = fsync_batch_commit(batch, &err)) < 0)
		fprintf(stderr, "fatal: %s\n", err_message(&err));
	nr = odb_batch(odb) ? bulk_checkin_count(odb_batch(odb)) : 0;
	odb_end_batch(odb);
	odb_free(odb);
	fsync_batch_free(batch);
	err_release(&err);
	printf("%.3f %zu %" PRIu64 "\n", now() - start, nr,
	       trace2_counter_get(TRACE2_COUNTER_HARDWARE_FLUSH));
	return rc ? 128 : 0;
}
