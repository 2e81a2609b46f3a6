/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <sys/mman.h>
#include "t/crash/replay.h"

static int failed(const char *what)
{
	fprintf(stderr, "replay: %s: %s\n", what, strerror(errno));
	return -1;
}

static int complain(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	return -1;
}

/* ---- the record ---- */

static int add_entry(struct replay *r, size_t *alloc, const unsigned char *p, size_t left)
{
	struct replay_entry *e;

	if (r->nr == *alloc) {
		*alloc = *alloc ? *alloc * 2 : 4096;
		e = realloc(r->entries, *alloc * sizeof(*e));
		if (!e)
			return failed("no memory");
		r->entries = e;
	}
	e = memset(&r->entries[r->nr], 0, sizeof(*e));
	memcpy(&e->head, p, sizeof(e->head));
	e->data = p + sizeof(e->head);
	if (e->head.data_len > left - sizeof(e->head))
		return 1; /* the record ends here */
	if (e->head.type < RECORD_WRITE || e->head.type > RECORD_MARK ||
	    e->head.offset > r->size || e->head.len > r->size - e->head.offset ||
	    (e->head.type == RECORD_WRITE && e->head.len != e->head.data_len) ||
	    (e->head.type == RECORD_DONE && e->head.ref >= r->nr))
		return complain("the record is damaged");
	r->nr++;
	return 0;
}

static int read_entries(struct replay *r)
{
	const unsigned char *p = r->map;
	struct record_header h;
	size_t alloc = 0, pos = sizeof(h);

	if (r->map_len < sizeof(h))
		return complain("the record is too short");
	memcpy(&h, p, sizeof(h));
	if (h.magic != RECORD_MAGIC)
		return complain("this is no record");
	r->size = h.disk_size;
	if (!r->size || r->size % REPLAY_PAGE)
		return complain("the size of the disk is no number of pages");
	while (r->map_len - pos >= sizeof(struct record_entry)) {
		int ret = add_entry(r, &alloc, p + pos, r->map_len - pos);
		size_t len;

		if (ret)
			return ret < 0 ? ret : 0;
		len = r->entries[r->nr - 1].head.data_len;
		pos += sizeof(struct record_entry) + len + RECORD_PAD(len);
		if (pos > r->map_len)
			break;
	}
	return 0;
}

static int map_record(struct replay *r, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return failed(path);
	r->map_len = (size_t)st.st_size;
	r->map = mmap(NULL, r->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return failed(path);
	}
	return read_entries(r);
}

/* ---- what is durable ---- */

static void mark_used(struct replay *r, uint64_t offset, uint64_t len)
{
	if (len)
		memset(r->used + offset / REPLAY_PAGE, 1,
		       (offset + len - 1) / REPLAY_PAGE - offset / REPLAY_PAGE + 1);
}

/* What a file system zeroed when it was made need not be written again. */
static void mark_data(struct replay *r, uint64_t from, uint64_t to)
{
	static const unsigned char zeros[REPLAY_PAGE];

	for (uint64_t page = from / REPLAY_PAGE; page * REPLAY_PAGE < to; page++)
		r->used[page] = memcmp(r->disk + page * REPLAY_PAGE, zeros, REPLAY_PAGE) != 0;
}

static int load_base(struct replay *r)
{
	off_t data = 0, hole;

	while (r->base >= 0 && (data = lseek(r->base, data, SEEK_DATA)) >= 0 && (uint64_t)data < r->size) {
		hole = lseek(r->base, data, SEEK_HOLE);
		if (hole < 0)
			return failed("base");
		if ((uint64_t)hole > r->size)
			hole = (off_t)r->size;
		for (off_t at = data; at < hole;) {
			ssize_t n = pread(r->base, r->disk + at, (size_t)(hole - at), at);

			if (n <= 0)
				return failed("base");
			at += n;
		}
		mark_data(r, (uint64_t)data, (uint64_t)hole);
		data = hole;
	}
	return 0;
}

static void drop_disk(struct replay *r)
{
	if (r->disk)
		munmap(r->disk, (size_t)r->size);
	r->disk = NULL;
}

/* Back to the start of the record. */
static int rewind_to_base(struct replay *r)
{
	drop_disk(r);
	r->disk = mmap(NULL, (size_t)r->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->disk == MAP_FAILED) {
		r->disk = NULL;
		return failed("no memory");
	}
	memset(r->used, 0, (size_t)(r->size / REPLAY_PAGE));
	memset(r->written_by, 0, (size_t)(r->size / REPLAY_SECTOR) * sizeof(*r->written_by));
	for (size_t i = 0; i < r->nr; i++) {
		r->entries[i].done = false;
		r->entries[i].covered_by = 0;
	}
	r->at = r->nr_pending = 0;
	return load_base(r);
}

int replay_open(struct replay *r, const char *base, const char *record)
{
	memset(r, 0, sizeof(*r));
	r->base = base ? open(base, O_RDONLY | O_CLOEXEC) : -1;
	if (base && r->base < 0)
		return failed(base);
	if (map_record(r, record) < 0)
		return -1;
	r->used = malloc((size_t)(r->size / REPLAY_PAGE));
	r->written_by = malloc((size_t)(r->size / REPLAY_SECTOR) * sizeof(*r->written_by));
	r->pending = malloc((r->nr + 1) * sizeof(*r->pending));
	if (!r->used || !r->written_by || !r->pending)
		return failed("no memory");
	return rewind_to_base(r);
}

void replay_release(struct replay *r)
{
	drop_disk(r);
	if (r->map)
		munmap(r->map, r->map_len);
	if (r->base >= 0)
		close(r->base);
	free(r->entries);
	free(r->used);
	free(r->written_by);
	free(r->pending);
	memset(r, 0, sizeof(*r));
	r->base = -1;
}

/*
 * Make entry `number` durable, except for sectors that a later one has written: an
 * earlier request that was completed late never undoes what a flush has covered.
 */
static void make_durable(struct replay *r, size_t number)
{
	const struct replay_entry *e = &r->entries[number];
	uint64_t end = e->head.offset + e->head.len;

	for (uint64_t at = e->head.offset; at < end;) {
		uint64_t sector = at / REPLAY_SECTOR;
		uint64_t next = (sector + 1) * REPLAY_SECTOR < end ? (sector + 1) * REPLAY_SECTOR : end;

		if (r->written_by[sector] <= number) {
			if (e->head.type == RECORD_WRITE)
				memcpy(r->disk + at, e->data + (at - e->head.offset),
				       (size_t)(next - at));
			else
				memset(r->disk + at, 0, (size_t)(next - at));
			r->written_by[sector] = (uint32_t)number + 1;
		}
		at = next;
	}
	if (e->head.type == RECORD_WRITE)
		mark_used(r, e->head.offset, e->head.len);
}

/* A flush has arrived: it covers exactly what has been completed. */
static void note_covered(struct replay *r, size_t flush)
{
	for (size_t i = 0; i < r->nr_pending; i++) {
		struct replay_entry *e = &r->entries[r->pending[i]];

		if (e->done && !e->covered_by)
			e->covered_by = flush + 1;
	}
}

/* The flush has been completed: what it or an earlier one covers is durable. */
static void settle_covered(struct replay *r, size_t flush)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nr_pending; i++) {
		const struct replay_entry *e = &r->entries[r->pending[i]];

		if (e->covered_by && e->covered_by <= flush + 1)
			make_durable(r, r->pending[i]);
		else
			r->pending[kept++] = r->pending[i];
	}
	r->nr_pending = kept;
}

static void take_in(struct replay *r, size_t number)
{
	const struct record_entry *e = &r->entries[number].head;

	switch ((enum record_type)e->type) {
	case RECORD_WRITE:
	case RECORD_ZERO:
		r->pending[r->nr_pending++] = number;
		break;
	case RECORD_FLUSH:
		note_covered(r, number);
		break;
	case RECORD_DONE:
		r->entries[e->ref].done = true;
		if (r->entries[e->ref].head.type == RECORD_FLUSH)
			settle_covered(r, (size_t)e->ref);
		break;
	case RECORD_MARK:
		break;
	}
}

int replay_goto(struct replay *r, size_t k)
{
	if (k >= r->nr)
		return complain("the record has no such entry");
	if (k + 1 < r->at && rewind_to_base(r) < 0)
		return -1;
	while (r->at <= k)
		take_in(r, r->at++);
	return 0;
}

/* ---- one disk ---- */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

bool replay_chance(const struct replay_choice *c, size_t number, uint64_t page)
{
	if (c->whole)
		page = 0;
	return mix(mix(c->seed) ^ mix(number * 2 + 1) ^ mix(page * 2)) % 100 < c->percent;
}

static int put(int fd, const void *data, size_t len, uint64_t offset)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0)
			return failed("image");
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int put_disk(const struct replay *r, int fd)
{
	size_t pages = (size_t)(r->size / REPLAY_PAGE);

	for (size_t i = 0, n; i < pages; i += n) {
		for (n = 0; i + n < pages && r->used[i + n]; n++)
			;
		if (n && put(fd, r->disk + i * REPLAY_PAGE, n * REPLAY_PAGE, i * REPLAY_PAGE) < 0)
			return -1;
		n += !n;
	}
	return 0;
}

/* [from, to) of entry `number`, except for sectors that a later one made durable. */
static int put_part(const struct replay *r, size_t number, uint64_t from, uint64_t to,
		    bool over_durable, int fd)
{
	static const unsigned char zeros[REPLAY_PAGE];
	const struct replay_entry *e = &r->entries[number];

	for (uint64_t at = from, next; at < to; at = next) {
		next = (at / REPLAY_SECTOR + 1) * REPLAY_SECTOR;
		if (next > to)
			next = to;
		if (!over_durable && r->written_by[at / REPLAY_SECTOR] > number)
			continue;
		while (next < to && next / REPLAY_PAGE == at / REPLAY_PAGE &&
		       (over_durable || r->written_by[next / REPLAY_SECTOR] <= number))
			next = next + REPLAY_SECTOR < to ? next + REPLAY_SECTOR : to;
		if (put(fd, e->head.type == RECORD_WRITE ? e->data + (at - e->head.offset) : zeros,
			(size_t)(next - at), at) < 0)
			return -1;
	}
	return 0;
}

/* The pages of an entry for which the choice is made. */
static int put_chosen(const struct replay *r, const struct replay_choice *c, size_t number, int fd)
{
	const struct record_entry *e = &r->entries[number].head;
	uint64_t end = e->offset + e->len;

	for (uint64_t at = e->offset, next; at < end; at = next) {
		next = (at / REPLAY_PAGE + 1) * REPLAY_PAGE;
		if (next > end)
			next = end;
		if ((c->mode == REPLAY_ALL || replay_chance(c, number, at / REPLAY_PAGE)) &&
		    put_part(r, number, at, next, c->mode == REPLAY_IGNORE_FLUSHES, fd) < 0)
			return -1;
	}
	return 0;
}

static int put_base(const struct replay *r, int fd)
{
	off_t data = 0, hole;
	unsigned char buf[REPLAY_PAGE];

	for (; r->base >= 0 && (data = lseek(r->base, data, SEEK_DATA)) >= 0; data = hole) {
		hole = lseek(r->base, data, SEEK_HOLE);
		for (off_t at = data; at < hole; at += REPLAY_PAGE) {
			ssize_t n = pread(r->base, buf, sizeof(buf), at);

			if (n < 0)
				return failed("base");
			if (put(fd, buf, (size_t)n, (uint64_t)at) < 0)
				return -1;
		}
	}
	return 0;
}

static int put_ignoring_flushes(const struct replay *r, const struct replay_choice *c, int fd)
{
	if (put_base(r, fd) < 0)
		return -1;
	for (size_t i = 0; i < r->at; i++) {
		uint32_t type = r->entries[i].head.type;

		if ((type == RECORD_WRITE || type == RECORD_ZERO) && put_chosen(r, c, i, fd) < 0)
			return -1;
	}
	return 0;
}

int replay_build(struct replay *r, const struct replay_choice *c, int fd)
{
	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)r->size) < 0)
		return failed("image");
	if (c->mode == REPLAY_IGNORE_FLUSHES)
		return put_ignoring_flushes(r, c, fd);
	if (put_disk(r, fd) < 0)
		return -1;
	for (size_t i = 0; c->mode != REPLAY_FLUSHED && i < r->nr_pending; i++)
		if (put_chosen(r, c, r->pending[i], fd) < 0)
			return -1;
	return 0;
}
