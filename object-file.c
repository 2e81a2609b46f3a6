/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <dirent.h>
#include <zlib.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object-file.h"
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/string-list.h"
#include "write-or-die.h"

/* deflate(5) makes at most this many bytes of one. */
#define INFLATE_MAX_RATIO 1032
/* Up to this file size the content's size is guessed instead of looked up first. */
#define GUESS_MAX (64 * 1024)
#define STREAM_BYTES (64 * 1024)
/* Content is copied behind its header up to this size. */
#define COPY_MAX ((size_t)16 * 1024 * 1024)
#define MODE_LOOSE 0444

void loose_object_path(struct strbuf *out, const char *objdir, const struct object_id *oid)
{
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	strbuf_addf(out, "%s/%.2s/%s", objdir, hex, hex + 2);
}

bool loose_object_exists(const char *objdir, const struct object_id *oid)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool there;

	loose_object_path(&path, objdir, oid);
	there = !stat(path.buf, &st) && (!S_ISREG(st.st_mode) || st.st_size);
	strbuf_release(&path);
	return there;
}

/* ---- the mark ---- */

static unsigned mark_of(const struct stat *st, const struct object_id *oid)
{
	uint64_t x;

	memcpy(&x, oid->hash, sizeof(x));
	x ^= (uint64_t)st->st_ino * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return (unsigned)((x ^ (x >> 32)) % 1000000000u);
}

bool loose_object_is_marked(const struct stat *st, const struct object_id *oid)
{
	return ST_MTIME_NSEC(*st) == mark_of(st, oid);
}

/* A process that may write to another user's file can set its times to the present time, and to no other. */
static int set_times(const char *path, const struct stat *st, const struct object_id *oid, bool mark)
{
	static const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	const struct timespec marked[2] = { { 0, UTIME_NOW }, { time(NULL), (long)mark_of(st, oid) } };

	if (mark && !sys->utimens(path, marked))
		return 0;
	return mark && errno != EPERM ? -1 : sys->utimens(path, now);
}

bool loose_object_touch(const char *objdir, const struct object_id *oid, bool durable)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	bool done;

	loose_object_path(&path, objdir, oid);
	done = !stat(path.buf, &st) && S_ISREG(st.st_mode) && st.st_size &&
	       !set_times(path.buf, &st, oid, durable || loose_object_is_marked(&st, oid));
	strbuf_release(&path);
	return done;
}

bool loose_object_can_be_touched(const char *objdir, const struct object_id *oid)
{
	struct strbuf path = STRBUF_INIT;
	bool can;

	loose_object_path(&path, objdir, oid);
	can = file_can_be_touched(path.buf);
	strbuf_release(&path);
	return can;
}

/* ---- opening ---- */

/* One open object file; for messages, what it should be. */
struct loose {
	const char *path;
	const struct object_id *oid;
	int fd;
	uint64_t size; /* of the file */
};

static int corrupt_as(const struct loose *l, enum err_code code, const char *why, struct err *err)
{
	return err_set(err, code, "loose object %s (stored in %s) is corrupt: %s",
		       oid_hex(l->oid), l->path, why);
}

static int corrupt(const struct loose *l, const char *why, struct err *err)
{
	return corrupt_as(l, ERR_CORRUPT, why, err);
}

static int loose_open(struct loose *l, const char *path, const struct object_id *oid,
		      struct err *err)
{
	struct stat st;

	l->path = path;
	l->oid = oid;
	l->fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0));
	if (l->fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
		return err_set_errno(err, "unable to open loose object file '%s'", path);
	}
	if (fstat(l->fd, &st) < 0) {
		int rc = err_set_errno(err, "cannot stat '%s'", path);

		sys->close(l->fd);
		return rc;
	}
	if (!S_ISREG(st.st_mode) || st.st_size <= 0) {
		sys->close(l->fd);
		if (!S_ISREG(st.st_mode))
			return corrupt(l, "not a regular file", err);
		return err_set(err, ERR_CORRUPT, "object file %s is empty", path);
	}
	l->size = (uint64_t)st.st_size;
	return 0;
}

static int cannot_read(const struct loose *l, struct err *err)
{
	return err_set_errno(err, "cannot read loose object file '%s'", l->path);
}

/* ---- the header ---- */

/* Inflate enough of `in` to see the header. Its length or < 0. */
static int peek_header(const struct loose *l, const void *in, size_t len,
		       enum object_type *type, uint64_t *size, struct err *err)
{
	unsigned char head[OBJECT_HEADER_MAX];
	z_stream z = { .next_in = (unsigned char *)in,
		       .avail_in = len < STREAM_BYTES ? (uInt)len : STREAM_BYTES,
		       .next_out = head, .avail_out = sizeof(head) };
	struct err why = ERR_INIT;
	int status, rc;

	if (inflateInit(&z) != Z_OK)
		return err_set(err, ERR_GENERIC, "cannot start to inflate");
	status = inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	if (status != Z_OK && status != Z_STREAM_END)
		return corrupt(l, "unable to unpack header", err);
	rc = object_header_parse(head, sizeof(head) - z.avail_out, type, size, &why);
	if (rc < 0)
		corrupt_as(l, rc, err_message(&why), err);
	err_release(&why);
	return rc;
}

int loose_object_info(const char *objdir, const struct object_id *oid,
		      struct object_info *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	unsigned char buf[512];
	struct loose l;
	ssize_t got;
	int rc;

	loose_object_path(&path, objdir, oid);
	rc = loose_open(&l, path.buf, oid, err);
	if (rc < 0)
		goto out;
	got = read_in_full(l.fd, buf, sizeof(buf));
	if (got < 0) {
		rc = cannot_read(&l, err);
	} else {
		struct object_info info = { .disk_size = l.size };

		rc = peek_header(&l, buf, (size_t)got, &info.type, &info.size, err);
		if (rc >= 0)
			*out = info;
	}
	sys->close(l.fd);
out:
	strbuf_release(&path);
	return rc < 0 ? rc : 0;
}

/* ---- reading whole ---- */

static int read_deflated(struct loose *l, unsigned char **out, struct err *err)
{
	unsigned char *buf;
	ssize_t got;

	if (l->size > SIZE_MAX / 2 || !(buf = try_alloc((size_t)l->size)))
		return err_set(err, ERR_TOO_BIG, "no memory for the %" PRIu64 " bytes of '%s'",
			       l->size, l->path);
	got = read_in_full(l->fd, buf, (size_t)l->size);
	if (got < 0 || (uint64_t)got != l->size) {
		int rc = got < 0 ? cannot_read(l, err) : corrupt(l, "it is being cut off", err);

		free(buf);
		return rc;
	}
	*out = buf;
	return 0;
}

/* Header and content as they came out; NUL-terminated. */
struct inflated {
	unsigned char *buf;
	size_t len;
	size_t room; /* of buf */
	size_t used; /* of the file */
};

/* Small files: one go with room for what they usually become. */
static int inflate_guess(const unsigned char *in, size_t len, struct inflated *out)
{
	size_t room = len * 5 + 1024;
	unsigned char *buf = xmalloc(room + 1);
	int rc = inflate_buf(in, len, buf, room, &out->len, &out->used);

	if (rc < 0) {
		free(buf);
		return rc;
	}
	out->buf = buf;
	out->room = room;
	return 0;
}

static int inflate_measured(const struct loose *l, const unsigned char *in, uint64_t max_size,
			    struct inflated *out, struct err *err)
{
	enum object_type type;
	uint64_t size;
	size_t room;
	int n = peek_header(l, in, (size_t)l->size, &type, &size, err);

	if (n < 0)
		return n;
	if (size / INFLATE_MAX_RATIO > l->size)
		return corrupt(l, "the file is too short for its size", err);
	if ((max_size && size > max_size) || size > SIZE_MAX / 2)
		return err_set(err, ERR_TOO_BIG, "object %s is too big (%" PRIu64 " bytes)",
			       oid_hex(l->oid), size);
	out->room = room = (size_t)size + (size_t)n;
	out->buf = try_alloc(room + 1);
	if (!out->buf)
		return err_set(err, ERR_TOO_BIG, "no memory for object %s (%" PRIu64 " bytes)",
			       oid_hex(l->oid), size);
	switch (inflate_buf(in, (size_t)l->size, out->buf, room, &out->len, &out->used)) {
	case 0:
		return 0;
	case ERR_TOO_BIG:
		return corrupt(l, "longer than its header says", err);
	default:
		return corrupt(l, "unable to unpack contents", err);
	}
}

static int inflate_all(const struct loose *l, const unsigned char *in, uint64_t max_size,
		       struct inflated *out, struct err *err)
{
	if (l->size <= GUESS_MAX) {
		int rc = inflate_guess(in, (size_t)l->size, out);

		if (rc != ERR_TOO_BIG && rc != ERR_CORRUPT)
			return rc;
	}
	return inflate_measured(l, in, max_size, out, err);
}

/* Header, end, hash: then the content leaves as *out. */
static int accept(const struct loose *l, struct inflated *in, const struct hash_algo *algo,
		  uint64_t max_size, struct object_buf *out, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id actual;
	enum object_type type;
	uint64_t size;
	int n = object_header_parse(in->buf, in->len, &type, &size, &why);

	if (n < 0) {
		int rc = corrupt(l, err_message(&why), err);

		err_release(&why);
		return rc;
	}
	if (size != in->len - (size_t)n)
		return corrupt(l, "its size differs from its header", err);
	if (max_size && size > max_size)
		return err_set(err, ERR_TOO_BIG, "object %s is too big (%" PRIu64 " bytes)",
			       oid_hex(l->oid), size);
	if (in->used != l->size)
		return corrupt(l, "garbage at end of loose object", err);
	if (hash_buf_checked(algo, in->buf, in->len, &actual))
		return hash_attack(&actual, err);
	if (!oid_eq(&actual, l->oid))
		return err_set(err, ERR_CORRUPT, "%s: hash-path mismatch, found at: %s",
			       oid_hex(&actual), l->path);
	memmove(in->buf, in->buf + n, (size_t)size);
	in->buf[size] = '\0';
	out->type = type;
	out->size = (size_t)size;
	out->data = in->room - in->len > 4096 ? xrealloc(in->buf, (size_t)size + 1) : in->buf;
	in->buf = NULL;
	return 0;
}

int loose_object_read_file(const char *path, const struct object_id *oid,
			   const struct hash_algo *algo, uint64_t max_size,
			   struct object_buf *out, struct err *err)
{
	struct inflated content = { 0 };
	unsigned char *in = NULL;
	struct loose l;
	int rc = loose_open(&l, path, oid, err);

	if (rc < 0)
		return rc;
	/* Deflating adds at most 5 bytes for each 16 kB, and a few: zlib's deflateBound. */
	if (max_size && l.size > max_size + max_size / 1024 + 1024)
		rc = err_set(err, ERR_TOO_BIG, "loose object %s has more than %" PRIu64 " bytes", oid_hex(oid), max_size);
	else
		rc = read_deflated(&l, &in, err);
	sys->close(l.fd);
	if (!rc)
		rc = inflate_all(&l, in, max_size, &content, err);
	if (!rc)
		rc = accept(&l, &content, algo, max_size, out, err);
	free(in);
	free(content.buf);
	return rc;
}

int loose_object_read(const char *objdir, const struct object_id *oid,
		      const struct hash_algo *algo, uint64_t max_size,
		      struct object_buf *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	loose_object_path(&path, objdir, oid);
	rc = loose_object_read_file(path.buf, oid, algo, max_size, out, err);
	strbuf_release(&path);
	return rc;
}

/* ---- reading in pieces ---- */

struct loose_reader {
	struct loose l;
	z_stream z;
	struct hash_ctx hash;
	unsigned char in[STREAM_BYTES], out[STREAM_BYTES];
	uint64_t left;	  /* content bytes to come */
	bool header_seen;
	int (*sink)(void *data, const void *p, size_t len, struct err *err);
	void *data;
	bool *any;
};

/* Pass the bytes in r->out to the sink, without the header, which is in the first piece. */
static int pass_inflated(struct loose_reader *r, struct err *err)
{
	const unsigned char *p = r->out;
	size_t len = sizeof(r->out) - r->z.avail_out;
	int n, rc;

	if (!len)
		return 0;
	hash_update(&r->hash, p, len);
	if (!r->header_seen) {
		enum object_type type;
		struct err why = ERR_INIT;

		n = object_header_parse(p, len, &type, &r->left, &why);
		if (n < 0) {
			rc = corrupt(&r->l, err_message(&why), err);
			err_release(&why);
			return rc;
		}
		if (r->left / INFLATE_MAX_RATIO > r->l.size)
			return corrupt(&r->l, "the file is too short for its size", err);
		r->header_seen = true;
		p += n;
		len -= (size_t)n;
	}
	if (len > r->left)
		return corrupt(&r->l, "longer than its header says", err);
	r->left -= len;
	if (!len)
		return 0;
	*r->any = true;
	return r->sink(r->data, p, len, err);
}

static int fill_input(struct loose_reader *r, struct err *err)
{
	ssize_t got = read_in_full(r->l.fd, r->in, sizeof(r->in));

	if (got < 0)
		return cannot_read(&r->l, err);
	if (!got)
		return corrupt(&r->l, "unable to unpack contents", err);
	r->z.next_in = r->in;
	r->z.avail_in = (uInt)got;
	return 0;
}

static int pump(struct loose_reader *r, struct err *err)
{
	int status = Z_OK, rc = 0;

	while (status != Z_STREAM_END && !rc) {
		if (!r->z.avail_in && (rc = fill_input(r, err)) < 0)
			break;
		r->z.next_out = r->out;
		r->z.avail_out = sizeof(r->out);
		status = inflate(&r->z, Z_NO_FLUSH);
		/* the first piece must hold the whole header */
		while (status == Z_OK && !r->header_seen && r->z.avail_out && !rc) {
			if (!r->z.avail_in && (rc = fill_input(r, err)) < 0)
				break;
			status = inflate(&r->z, Z_NO_FLUSH);
		}
		if (!rc && status != Z_OK && status != Z_STREAM_END)
			rc = corrupt(&r->l, "unable to unpack contents", err);
		if (!rc)
			rc = pass_inflated(r, err);
	}
	return rc;
}

static int check_end(struct loose_reader *r, struct err *err)
{
	struct object_id actual;

	if (r->left || !r->header_seen)
		return corrupt(&r->l, "its size differs from its header", err);
	if (r->z.avail_in || read_in_full(r->l.fd, r->in, 1) != 0)
		return corrupt(&r->l, "garbage at end of loose object", err);
	if (hash_final(&r->hash, &actual))
		return hash_attack(&actual, err);
	if (!oid_eq(&actual, r->l.oid))
		return err_set(err, ERR_CORRUPT, "%s: hash-path mismatch, found at: %s",
			       oid_hex(&actual), r->l.path);
	return 0;
}

int loose_object_stream(const char *objdir, const struct object_id *oid,
			const struct hash_algo *algo,
			int (*sink)(void *data, const void *p, size_t len, struct err *err),
			void *data, bool *any, struct err *err)
{
	struct loose_reader *r = xcalloc(1, sizeof(*r));
	struct strbuf path = STRBUF_INIT;
	int rc;

	*any = false;
	r->sink = sink;
	r->data = data;
	r->any = any;
	loose_object_path(&path, objdir, oid);
	rc = loose_open(&r->l, path.buf, oid, err);
	if (!rc) {
		hash_init_checked(&r->hash, algo);
		if (inflateInit(&r->z) != Z_OK)
			rc = err_set(err, ERR_GENERIC, "cannot start to inflate");
		if (!rc)
			rc = pump(r, err);
		if (!rc)
			rc = check_end(r, err);
		inflateEnd(&r->z);
		hash_release(&r->hash);
		sys->close(r->l.fd);
	}
	strbuf_release(&path);
	free(r);
	return rc;
}

/* ---- writing ---- */

/* Header and content as two pieces of one stream: slower, but without a copy. */
static void deflate_pieces(struct strbuf *out, const char *head, size_t head_len,
			   const unsigned char *data, size_t size, int level)
{
	z_stream z = { .next_in = (unsigned char *)head, .avail_in = (uInt)head_len };
	size_t left = size;
	int status;

	if (deflateInit(&z, level) != Z_OK)
		BUG("cannot start to deflate at level %d", level);
	do {
		if (!z.avail_in && left) {
			z.next_in = (unsigned char *)data + (size - left);
			z.avail_in = left < STREAM_BYTES ? (uInt)left : STREAM_BYTES;
			left -= z.avail_in;
		}
		strbuf_grow(out, STREAM_BYTES);
		z.next_out = (unsigned char *)out->buf + out->len;
		z.avail_out = STREAM_BYTES;
		status = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		strbuf_setlen(out, out->len + STREAM_BYTES - z.avail_out);
	} while (status == Z_OK || status == Z_BUF_ERROR);
	deflateEnd(&z);
	if (status != Z_STREAM_END)
		BUG("deflate: %d", status);
}

void loose_object_deflate(struct strbuf *out, enum object_type type, const void *data,
			  size_t size, int level)
{
	char head[OBJECT_HEADER_MAX];
	size_t n = (size_t)object_header_format(head, type, size);
	unsigned char *whole;

	if (size > COPY_MAX) {
		deflate_pieces(out, head, n, data, size, level);
		return;
	}
	whole = xmalloc(n + size);
	memcpy(whole, head, n);
	if (size)
		memcpy(whole + n, data, size);
	deflate_buf(out, whole, n + size, level);
	free(whole);
}

/* No fan-out directories in there: a command with few objects makes few calls. */
void loose_object_stage_path(struct strbuf *out, const char *stage_dir,
			     const struct object_id *oid)
{
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	strbuf_addf(out, "%s/%s", stage_dir, hex);
}

static int write_staged(const char *path, int shared_perm, const void *p, size_t len,
			int *fd_out, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
					    MODE_LOOSE));
	int rc;

	if (fd < 0)
		return err_set_errno(err, "unable to create '%s'", path);
	rc = write_in_full(fd, p, len, path, err);
	if (!rc && shared_perm != SHARED_PERM_UMASK)
		rc = apply_shared_perm(path, shared_perm, err);
	if (rc < 0) {
		sys->close(fd);
		sys->unlink(path);
		return rc;
	}
	*fd_out = fd;
	return 0;
}

/* Without a mark it is only looked at once more. */
static void mark(const char *path, int fd, const struct object_id *oid)
{
	struct stat st;

	if (!fstat(fd, &st))
		(void)set_times(path, &st, oid, true);
}

int loose_object_stage(const char *stage_dir, const char *objdir,
		       const struct object_id *oid, int shared_perm,
		       const void *deflated, size_t len,
		       struct fsync_batch *b, struct err *err)
{
	struct strbuf tmp = STRBUF_INIT, final = STRBUF_INIT;
	struct fsync_staging s = {
		.component = FSYNC_LOOSE_OBJECT,
		.order = PUBLISH_LOOSE_OBJECT,
		.how = PUBLISH_RENAME,
		.make_parents = true,
	};
	int rc;

	loose_object_stage_path(&tmp, stage_dir, oid);
	loose_object_path(&final, objdir, oid);
	rc = write_staged(tmp.buf, shared_perm, deflated, len, &s.fd, err);
	if (!rc && fsync_batch_seals(b, FSYNC_LOOSE_OBJECT))
		mark(tmp.buf, s.fd, oid);
	if (!rc) {
		s.tmp_path = tmp.buf;
		s.final_path = final.buf;
		rc = fsync_batch_stage(b, &s, err);
	}
	strbuf_release(&tmp);
	strbuf_release(&final);
	return rc;
}

/* ---- enumeration ---- */

static bool is_rest_of_name(const char *name, const struct hash_algo *algo)
{
	size_t n = algo->hex_len - 2;

	return strlen(name) == n && strspn(name, "0123456789abcdef") == n;
}

/* Names in "OBJDIR/ab": objects to out, others to cruft (may be NULL). */
static int list_fanout(const char *objdir, const struct hash_algo *algo, unsigned fanout,
		       struct oid_array *out, struct string_list *cruft, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	char hex[HASH_MAX_HEX + 1];
	struct object_id oid;
	struct dirent *de;
	DIR *dir;
	int rc = 0;

	strbuf_addf(&path, "%s/%02x", objdir, fanout);
	dir = opendir(path.buf);
	if (!dir && errno != ENOENT && errno != ENOTDIR)
		rc = err_set_errno(err, "unable to open directory '%s'", path.buf);
	while (dir && (errno = 0, de = readdir(dir))) {
		if (is_rest_of_name(de->d_name, algo)) {
			snprintf(hex, sizeof(hex), "%02x%.62s", fanout, de->d_name);
			if (!oid_from_hex(&oid, hex, algo))
				oid_array_append(out, &oid);
		} else if (cruft && strcmp(de->d_name, ".") && strcmp(de->d_name, "..")) {
			string_list_append(cruft, de->d_name);
		}
	}
	if (dir && errno)
		rc = err_set_errno(err, "unable to read directory '%s'", path.buf);
	if (dir)
		closedir(dir);
	strbuf_release(&path);
	return rc;
}

int loose_object_list(const char *objdir, const struct hash_algo *algo,
		      unsigned fanout, struct oid_array *out, struct err *err)
{
	return list_fanout(objdir, algo, fanout, out, NULL, err);
}

struct foreach {
	const char *objdir;
	int (*fn)(void *data, const struct object_id *oid, const char *path);
	int (*cruft)(void *data, const char *path);
	void *data;
};

static int show_fanout(const struct foreach *f, unsigned fanout, struct oid_array *oids,
		       struct string_list *cruft)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	oid_array_sort(oids);
	for (size_t i = 0; i < oids->nr && rc >= 0; i++) {
		strbuf_reset(&path);
		loose_object_path(&path, f->objdir, &oids->oid[i]);
		rc = f->fn(f->data, &oids->oid[i], path.buf);
	}
	string_list_sort(cruft);
	for (size_t i = 0; i < cruft->nr && rc >= 0 && f->cruft; i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%02x/%s", f->objdir, fanout, cruft->items[i].string);
		rc = f->cruft(f->data, path.buf);
	}
	strbuf_release(&path);
	return rc;
}

int loose_object_foreach(const char *objdir, const struct hash_algo *algo,
			 int (*fn)(void *data, const struct object_id *oid,
				   const char *path),
			 int (*cruft)(void *data, const char *path),
			 void *data, struct err *err)
{
	struct foreach f = { objdir, fn, cruft, data };
	int rc = 0;

	for (unsigned fanout = 0; fanout < 256 && rc >= 0; fanout++) {
		struct oid_array oids = OID_ARRAY_INIT;
		struct string_list others = STRING_LIST_INIT;

		rc = list_fanout(objdir, algo, fanout, &oids, &others, err);
		if (!rc)
			rc = show_fanout(&f, fanout, &oids, &others);
		oid_array_clear(&oids);
		string_list_clear(&others, NULL);
	}
	return rc < 0 ? rc : 0;
}
