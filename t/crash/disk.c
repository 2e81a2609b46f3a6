/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A disk in a FUSE file system: MOUNTPOINT/disk, of the size of its backing file. A loop
 * device with direct I/O makes a block device of it, for a file system.
 *
 *   disk [--record=FILE] [--flush-ms=N] [--fua-us=N] [--write-us=N] [--foreground]
 *        BACKING MOUNTPOINT
 *
 * --record   record every write, zeroing, flush and completion in FILE, in order (see
 *            record.h), and every line that is written to MOUNTPOINT/mark
 * --flush-ms a flush takes that long: the slow disk of the benchmarks
 * --fua-us   a flush that stands for a write with FUA takes that long instead (below); not
 *            with --record: in the laboratory every flush is a full one
 * --write-us writes are completed up to about that much later, and in any order
 *
 * MOUNTPOINT/stats shows the numbers of writes, of flushes, and of writes with FUA.
 * After "fail TEXT" in MOUNTPOINT/mark, writes that contain TEXT end with EIO and change nothing,
 * as on bad blocks; "fail" alone ends this.
 *
 * FUA (force unit access): many disks can make one write durable without flushing their
 * cache. The commit of a journal is a flush, then its last block with FUA. A loop device has no
 * FUA, so the kernel turns this into flush, write, flush: the second one covers only
 * that block. --fua-us guesses which those are, from what ext4, XFS and btrfs were seen
 * to send: the flush before was a full one; what arrived since is at most FUA_MAX bytes
 * in FUA_RUNS places (btrfs writes two superblocks, one with FUA), arrived after that flush
 * had been completed, and has been completed itself.
 *
 * It is an approximation, for benchmarks. It is wrong for a program that overwrites a block in
 * place and flushes it, again and again: every other one of its flushes is taken for FUA.
 * And it does not model how writes wait for a flush in a disk's queue, or that a larger write
 * with FUA takes longer.
 *
 * One thread takes requests and records that they have arrived; completions come from
 * others, so that requests overlap as on a disk with a queue.
 */
#define FUSE_USE_VERSION 35
#include "compat/posix.h"
#include <ctype.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <pthread.h>
#include <sys/mman.h>
#include "t/crash/record.h"

#define MAX_REQUEST (1u << 20)
#define FUA_MAX (64u << 10)
#define FUA_RUNS 2

enum { INO_ROOT = FUSE_ROOT_ID, INO_DISK, INO_MARK, INO_STATS, INO_END };

/* A request that has arrived and is not completed. */
struct pending {
	struct pending *next;
	fuse_req_t req;
	uint64_t number; /* in the record */
	size_t written;
	bool is_write, is_flush; /* neither: zeroing */
};

/* Requests that wait for their completion. */
struct queue {
	struct disk *disk;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct pending *head, **tail;
	uint64_t delay_us;
	bool mixes; /* completes them in any order, each up to so much later */
	unsigned seed;
	bool ends;
};

/* What has arrived since the last flush, as far as it matters for FUA. */
struct since_flush {
	uint64_t begin, end; /* of the last run of writes */
	uint64_t bytes, nr_runs;
	bool other; /* something that no write with FUA can be */
	bool after_fua;
};

struct disk {
	int backing;
	unsigned char *map;
	uint64_t size;
	int record; /* -1: none */
	pthread_mutex_t record_lock;
	uint64_t nr_records, started_us;
	struct queue writes, flushes, fuas;
	struct since_flush since;
	_Atomic uint64_t nr_writing, nr_flushing; /* have arrived, are not completed */
	uint64_t nr_writes, nr_flushes, nr_fuas;
	char fails[64]; /* text; empty: no write fails */
};

static NORETURN void die(const char *what)
{
	fprintf(stderr, "disk: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- the record ---- */

static void write_all(int fd, struct iovec *v, int nr)
{
	while (nr > 0) {
		ssize_t n = writev(fd, v, nr);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("cannot write the record");
		for (; nr > 0 && (size_t)n >= v->iov_len; v++, nr--)
			n -= (ssize_t)v->iov_len;
		if (nr > 0) {
			v->iov_base = (char *)v->iov_base + n;
			v->iov_len -= (size_t)n;
		}
	}
}

/* The number of the entry. */
static uint64_t record(struct disk *d, struct record_entry e, const void *data)
{
	static const char padding[8];
	struct iovec v[] = { { &e, sizeof(e) }, { (void *)(uintptr_t)data, e.data_len },
			     { (void *)(uintptr_t)padding, RECORD_PAD(e.data_len) } };
	uint64_t number;

	if (d->record < 0)
		return 0;
	pthread_mutex_lock(&d->record_lock);
	e.time_us = now_us() - d->started_us;
	write_all(d->record, v, 3);
	number = d->nr_records++;
	pthread_mutex_unlock(&d->record_lock);
	return number;
}

static void record_open(struct disk *d, const char *path)
{
	struct record_header h = { .magic = RECORD_MAGIC, .disk_size = d->size };
	struct iovec v = { &h, sizeof(h) };

	d->record = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (d->record < 0)
		die(path);
	write_all(d->record, &v, 1);
	d->started_us = now_us();
}

/* ---- completion ---- */

static void complete(struct disk *d, struct pending *p)
{
	/* Before the reply: nobody may act on it before it is in the record. */
	record(d, (struct record_entry){ .type = RECORD_DONE, .ref = p->number }, NULL);
	*(p->is_flush ? &d->nr_flushing : &d->nr_writing) -= 1;
	if (p->is_write)
		fuse_reply_write(p->req, p->written);
	else
		fuse_reply_err(p->req, 0);
	free(p);
}

/* Complete all of the list, or about half of it; returns the rest. */
static struct pending *complete_some(struct queue *q, struct pending *list, bool all)
{
	struct pending *rest = NULL, **tail = &rest;

	while (list) {
		struct pending *next = list->next;

		if (all || rand_r(&q->seed) % 2) {
			complete(q->disk, list);
		} else {
			*tail = list;
			tail = &list->next;
			*tail = NULL;
		}
		list = next;
	}
	return rest;
}

static void put_back(struct queue *q, struct pending *list)
{
	struct pending **end = &list;

	while (*end)
		end = &(*end)->next;
	*end = q->head;
	if (!q->head)
		q->tail = end;
	q->head = list;
	if (!q->head)
		q->tail = &q->head;
}

static void *run_queue(void *data)
{
	struct queue *q = data;
	struct pending *list;
	uint64_t delay_us;

	pthread_mutex_lock(&q->lock);
	while (!q->ends || q->head) {
		if (!q->head) {
			pthread_cond_wait(&q->more, &q->lock);
			continue;
		}
		list = q->head;
		q->head = NULL;
		q->tail = &q->head;
		delay_us = q->mixes ? (uint64_t)rand_r(&q->seed) % q->delay_us : q->delay_us;
		pthread_mutex_unlock(&q->lock);
		usleep((useconds_t)delay_us);
		list = complete_some(q, list, !q->mixes);
		pthread_mutex_lock(&q->lock);
		put_back(q, list);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void queue_start(struct queue *q, struct disk *d, uint64_t delay_us)
{
	q->disk = d;
	q->delay_us = delay_us;
	q->tail = &q->head;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->more, NULL);
	if (pthread_create(&q->thread, NULL, run_queue, q))
		die("cannot make a thread");
}

static void queue_end(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->ends = true;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
}

/* The request has arrived: complete it now, or when it is its turn in the queue. */
static void queue_put(struct queue *q, struct pending what)
{
	struct pending *p = malloc(sizeof(*p));

	if (!p)
		die("no memory");
	*p = what;
	p->next = NULL;
	if (!q->delay_us) {
		complete(q->disk, p);
		return;
	}
	pthread_mutex_lock(&q->lock);
	*q->tail = p;
	q->tail = &p->next;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
}

/* ---- the disk ---- */

static struct disk *disk_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static bool is_inside(const struct disk *d, off_t offset, uint64_t len)
{
	return offset >= 0 && (uint64_t)offset <= d->size && len <= d->size - (uint64_t)offset;
}

/* ---- FUA ---- */

static void since_add(struct disk *d, off_t offset, uint64_t len)
{
	struct since_flush *s = &d->since;
	uint64_t begin = (uint64_t)offset, end = begin + len;

	d->nr_writes++;
	d->nr_writing++;
	if (s->nr_runs && (begin == s->end || end == s->begin)) {
		s->begin = begin < s->begin ? begin : s->begin;
		s->end = end > s->end ? end : s->end;
	} else {
		s->begin = begin;
		s->end = end;
		s->nr_runs++;
	}
	s->bytes += len;
	s->other |= d->nr_flushing != 0; /* that flush does not cover it */
}

/* A flush has arrived: does it stand for a write with FUA? */
static bool since_is_fua(struct disk *d)
{
	struct since_flush *s = &d->since;
	bool is_fua = d->fuas.delay_us && s->nr_runs && s->nr_runs <= FUA_RUNS &&
		      s->bytes <= FUA_MAX && !s->other && !s->after_fua && !d->nr_flushing &&
		      !d->nr_writing;

	/* What is being written will not be covered by this one. */
	*s = (struct since_flush){ .other = d->nr_writing != 0, .after_fua = is_fua };
	return is_fua;
}

static void read_stats(fuse_req_t req, off_t offset)
{
	struct disk *d = disk_of(req);
	char text[128];
	int len = snprintf(text, sizeof(text),
			   "writes %" PRIu64 "\nflushes %" PRIu64 "\nfuas %" PRIu64 "\n",
			   d->nr_writes, d->nr_flushes, d->nr_fuas);

	fuse_reply_buf(req, text, offset ? 0 : (size_t)len);
}

static void disk_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		      struct fuse_file_info *fi)
{
	struct disk *d = disk_of(req);

	(void)fi;
	if (ino == INO_STATS) {
		read_stats(req, offset);
		return;
	}
	if (ino != INO_DISK || offset < 0 || (uint64_t)offset >= d->size) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	if (size > d->size - (uint64_t)offset)
		size = (size_t)(d->size - (uint64_t)offset);
	fuse_reply_buf(req, (const char *)d->map + offset, size);
}

static void choose_failing(struct disk *d, const char *text, size_t len)
{
	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	snprintf(d->fails, sizeof(d->fails), "%.*s", (int)len, text);
}

static bool write_fails(const struct disk *d, const char *data, size_t size)
{
	return *d->fails && memmem(data, size, d->fails, strlen(d->fails));
}

static void mark(fuse_req_t req, const char *text, size_t len)
{
	if (len >= 4 && !memcmp(text, "fail", 4))
		choose_failing(disk_of(req), text + 4, len - 4);
	record(disk_of(req),
	       (struct record_entry){ .type = RECORD_MARK, .data_len = (uint32_t)len }, text);
	fuse_reply_write(req, len);
}

static void disk_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size,
		       off_t offset, struct fuse_file_info *fi)
{
	struct disk *d = disk_of(req);
	struct record_entry e = { .type = RECORD_WRITE, .data_len = (uint32_t)size,
				  .offset = (uint64_t)offset, .len = size };
	struct pending p = { .req = req, .written = size, .is_write = true };

	(void)fi;
	if (ino == INO_MARK) {
		mark(req, data, size);
	} else if (ino != INO_DISK) {
		fuse_reply_err(req, EACCES);
	} else if (!is_inside(d, offset, size)) {
		fuse_reply_err(req, ENOSPC);
	} else if (write_fails(d, data, size)) {
		fuse_reply_err(req, EIO);
	} else {
		memcpy(d->map + offset, data, size);
		since_add(d, offset, size);
		p.number = record(d, e, data);
		queue_put(&d->writes, p);
	}
}

static void disk_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset,
			   off_t length, struct fuse_file_info *fi)
{
	struct disk *d = disk_of(req);
	struct record_entry e = { .type = RECORD_ZERO, .offset = (uint64_t)offset,
				  .len = (uint64_t)length };
	struct pending p = { .req = req };

	(void)fi;
	if (ino != INO_DISK || length < 0 || !is_inside(d, offset, (uint64_t)length)) {
		fuse_reply_err(req, EINVAL);
	} else if (!(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))) {
		fuse_reply_err(req, EOPNOTSUPP);
	} else {
		if (fallocate(d->backing, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
			      length) < 0)
			memset(d->map + offset, 0, (size_t)length);
		since_add(d, offset, (uint64_t)length);
		d->since.other = true;
		p.number = record(d, e, NULL);
		queue_put(&d->writes, p);
	}
}

static void disk_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct disk *d = disk_of(req);
	struct pending p = { .req = req, .is_flush = true };
	bool is_fua;

	(void)datasync;
	(void)fi;
	if (ino != INO_DISK) {
		fuse_reply_err(req, 0);
		return;
	}
	p.number = record(d, (struct record_entry){ .type = RECORD_FLUSH }, NULL);
	is_fua = since_is_fua(d);
	*(is_fua ? &d->nr_fuas : &d->nr_flushes) += 1;
	d->nr_flushing++;
	queue_put(is_fua ? &d->fuas : &d->flushes, p);
}

/* ---- a directory with some files ---- */

static const char *const names[] = { "disk", "mark", "stats" }; /* from INO_DISK on */

static bool fill_stat(const struct disk *d, fuse_ino_t ino, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_nlink = 1;
	st->st_mode = ino == INO_ROOT ? S_IFDIR | 0700 : S_IFREG | 0600;
	st->st_size = ino == INO_DISK ? (off_t)d->size : 0;
	st->st_blksize = 4096;
	return ino >= INO_ROOT && ino < INO_END;
}

static void disk_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	if (fill_stat(disk_of(req), ino, &st))
		fuse_reply_attr(req, &st, 3600);
	else
		fuse_reply_err(req, ENOENT);
}

/* O_TRUNC and times: the files stay as they are. */
static void disk_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
			 struct fuse_file_info *fi)
{
	(void)attr;
	(void)to_set;
	disk_getattr(req, ino, fi);
}

static void disk_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = 3600, .entry_timeout = 3600 };

	for (fuse_ino_t i = INO_DISK; i < INO_END; i++)
		if (!strcmp(name, names[i - INO_DISK]))
			e.ino = i;
	if (parent != INO_ROOT || !e.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fill_stat(disk_of(req), e.ino, &e.attr);
	fuse_reply_entry(req, &e);
}

static void disk_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	if (ino < INO_DISK || ino >= INO_END) {
		fuse_reply_err(req, EISDIR);
		return;
	}
	fi->direct_io = 1; /* no page cache between the loop device and us */
	fuse_reply_open(req, fi);
}

static void disk_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
			 struct fuse_file_info *fi)
{
	char buf[512];
	size_t len = 0;

	(void)ino;
	(void)fi;
	for (off_t i = offset; i < (off_t)ARRAY_SIZE(names); i++) {
		struct stat st;

		fill_stat(disk_of(req), (fuse_ino_t)(INO_DISK + i), &st);
		len += fuse_add_direntry(req, buf + len, sizeof(buf) - len, names[i], &st, i + 1);
	}
	fuse_reply_buf(req, buf, len < size ? len : 0);
}

static void disk_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	conn->max_write = MAX_REQUEST;
	if (conn->capable & FUSE_CAP_ASYNC_DIO)
		conn->want |= FUSE_CAP_ASYNC_DIO;
}

static const struct fuse_lowlevel_ops ops = {
	.init = disk_init,
	.lookup = disk_lookup,
	.getattr = disk_getattr,
	.setattr = disk_setattr,
	.readdir = disk_readdir,
	.open = disk_open,
	.read = disk_read,
	.write = disk_write,
	.fsync = disk_fsync,
	.fallocate = disk_fallocate,
};

/* ---- main ---- */

static void disk_open_backing(struct disk *d, const char *path)
{
	struct stat st;

	d->backing = open(path, O_RDWR | O_CLOEXEC);
	if (d->backing < 0 || fstat(d->backing, &st) < 0)
		die(path);
	d->size = (uint64_t)st.st_size;
	d->map = mmap(NULL, (size_t)d->size, PROT_READ | PROT_WRITE, MAP_SHARED, d->backing, 0);
	if (d->map == MAP_FAILED)
		die(path);
}

struct costs {
	uint64_t write_us, flush_us, fua_us;
};

static int serve(struct disk *d, const char *mountpoint, bool foreground, struct costs c)
{
	char *argv[] = { (char *)(uintptr_t)"disk", (char *)(uintptr_t)"-ofsname=crash-disk" };
	struct fuse_args args = FUSE_ARGS_INIT(ARRAY_SIZE(argv), argv);
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), d);
	int ret;

	if (!se || fuse_set_signal_handlers(se) < 0 || fuse_session_mount(se, mountpoint) < 0)
		return 1;
	fuse_daemonize(foreground);
	d->writes.mixes = true;
	queue_start(&d->writes, d, c.write_us);
	queue_start(&d->flushes, d, c.flush_us);
	queue_start(&d->fuas, d, c.fua_us);
	ret = fuse_session_loop(se);
	queue_end(&d->writes);
	queue_end(&d->flushes);
	queue_end(&d->fuas);
	fuse_session_unmount(se);
	fuse_remove_signal_handlers(se);
	fuse_session_destroy(se);
	fuse_opt_free_args(&args);
	return ret < 0;
}

/* prove waits until nothing holds the output of a test, and a disk may outlive its test. */
static void close_inherited(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "record", required_argument, NULL, 'r' },
		{ "flush-ms", required_argument, NULL, 'f' },
		{ "fua-us", required_argument, NULL, 'u' },
		{ "write-us", required_argument, NULL, 'w' },
		{ "foreground", no_argument, NULL, 'F' },
		{ NULL, 0, NULL, 0 },
	};
	static struct disk d = { .record = -1, .record_lock = PTHREAD_MUTEX_INITIALIZER };
	const char *record_path = NULL;
	struct costs costs = { 0 };
	bool foreground = false;
	int c;

	close_inherited();
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'r': record_path = optarg; break;
		case 'f': costs.flush_us = (uint64_t)(atof(optarg) * 1000); break;
		case 'u': costs.fua_us = (uint64_t)atoi(optarg); break;
		case 'w': costs.write_us = (uint64_t)atoi(optarg); break;
		case 'F': foreground = true; break;
		default: return 129;
		}
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: disk [--record=FILE] [--flush-ms=N] [--fua-us=N] "
				"[--write-us=N] [--foreground] BACKING MOUNTPOINT\n");
		return 129;
	}
	if (record_path && costs.fua_us) {
		fprintf(stderr, "disk: --record and --fua-us exclude each other\n");
		return 129;
	}
	disk_open_backing(&d, argv[optind]);
	if (record_path)
		record_open(&d, record_path);
	return serve(&d, argv[optind + 1], foreground, costs);
}
