/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zip, as PKWARE's APPNOTE.TXT has it: a header before each entry, a directory of all of them at
 * the end; 64-bit fields where 32 bits do not do; permissions of Unix for programs and symbolic
 * links; times in UTC beside those of the format, which are local ones.
 */
#include "compat/posix.h"
#include <zlib.h>
#include "archive/archive-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/utf8.h"

#define STORED 0
#define DEFLATED 8
#define FLAG_STREAMED 0x0008 /* sizes and checksum come behind the content */
#define FLAG_UTF8 0x0800
#define VERSION 10
#define VERSION_64 45
#define MADE_BY_UNIX 0x0317
#define MAX_16 0xffffu
#define MAX_32 0xffffffffu
/* An entry that may outgrow 32 bits when it cannot be compressed gets 64-bit fields. */
#define BIG_ENTRY ((uint64_t)0xff000000)

struct zip {
	struct archive_context *c;
	struct strbuf directory;
	uint64_t nr;
	unsigned dos_date, dos_time;
};

/* One entry, in both of its headers. */
struct item {
	const struct archive_entry *e;
	unsigned flags, method, crc;
	uint64_t size, stored_size, offset;
	bool big; /* 64-bit sizes in its own header */
};

/* ---- little-endian numbers ---- */

static void add_le(struct strbuf *out, int bytes, uint64_t v)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addch(out, (int)(v >> 8 * i & 0xff));
}

static uint64_t up_to(uint64_t v, uint64_t max)
{
	return v < max ? v : max;
}

static int write_buf(struct zip *z, const struct strbuf *buf, struct err *err)
{
	return archive_out_write(z->c->out, buf->buf, buf->len, err);
}

/* ---- headers ---- */

/* From 1980 to 2107, in steps of two seconds. */
static void set_dos_time(struct zip *z)
{
	time_t t = (time_t)z->c->o->mtime;
	struct tm tm;

	if (!localtime_r(&t, &tm) || tm.tm_year < 80)
		tm = (struct tm){ .tm_year = 80, .tm_mday = 1 };
	else if (tm.tm_year > 80 + 127)
		tm = (struct tm){ .tm_year = 80 + 127, .tm_mon = 11, .tm_mday = 31, .tm_hour = 23,
				  .tm_min = 59, .tm_sec = 58 };
	z->dos_date = (unsigned)(tm.tm_mday | (tm.tm_mon + 1) << 5 | (tm.tm_year - 80) << 9);
	z->dos_time = (unsigned)(tm.tm_sec / 2 | tm.tm_min << 5 | tm.tm_hour << 11);
}

/* What both headers have in the same order. version: needed to read it. */
static void add_common(struct zip *z, struct strbuf *out, const struct item *it, unsigned version,
		       bool sizes_elsewhere)
{
	add_le(out, 2, version);
	add_le(out, 2, it->flags);
	add_le(out, 2, it->method);
	add_le(out, 2, z->dos_time);
	add_le(out, 2, z->dos_date);
	add_le(out, 4, it->crc);
	add_le(out, 4, sizes_elsewhere ? MAX_32 : up_to(it->stored_size, MAX_32));
	add_le(out, 4, sizes_elsewhere ? MAX_32 : up_to(it->size, MAX_32));
	add_le(out, 2, strlen(it->e->path));
}

/* The extra field "UT" (extended timestamp): the modification time. */
static void add_mtime(struct zip *z, struct strbuf *out)
{
	add_le(out, 2, 0x5455);
	add_le(out, 2, 5);
	add_le(out, 1, 1);
	add_le(out, 4, up_to(z->c->o->mtime, MAX_32));
}

/* "PK\3\4". Streamed: the numbers that are not known yet are 0. */
static int write_local(struct zip *z, const struct item *it, struct err *err)
{
	struct strbuf out = STRBUF_INIT, extra = STRBUF_INIT;
	int rc;

	add_mtime(z, &extra);
	if (it->big) {
		add_le(&extra, 2, 1);
		add_le(&extra, 2, 16);
		add_le(&extra, 8, it->size);
		add_le(&extra, 8, it->stored_size);
	}
	strbuf_add(&out, "PK\3\4", 4);
	add_common(z, &out, it, it->big ? VERSION_64 : VERSION, it->big);
	add_le(&out, 2, extra.len);
	strbuf_addstr(&out, it->e->path);
	strbuf_addbuf(&out, &extra);
	rc = write_buf(z, &out, err);
	strbuf_release(&extra);
	strbuf_release(&out);
	return rc;
}

/* "PK\7\10", behind a streamed entry. */
static int write_descriptor(struct zip *z, const struct item *it, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int bytes = it->big ? 8 : 4, rc;

	strbuf_add(&out, "PK\7\10", 4);
	add_le(&out, 4, it->crc);
	add_le(&out, bytes, it->stored_size);
	add_le(&out, bytes, it->size);
	rc = write_buf(z, &out, err);
	strbuf_release(&out);
	return rc;
}

/*
 * Executables and symbolic links state their mode; for other files the program that unpacks chooses
 * it.
 */
static unsigned unix_mode(const struct archive_entry *e)
{
	if (MODE_IS_SYMLINK(e->mode))
		return MODE_SYMLINK | 0777;
	return MODE_IS_FILE(e->mode) && (e->mode & 0100) ? MODE_EXEC : 0;
}

/* "PK\1\2", in the directory. */
static void add_to_directory(struct zip *z, const struct item *it)
{
	struct strbuf wide = STRBUF_INIT, *out = &z->directory;
	unsigned mode = unix_mode(it->e);
	bool is_dir = ends_with(it->e->path, "/");

	if (it->size >= MAX_32 || it->stored_size >= MAX_32) {
		add_le(&wide, 8, it->size);
		add_le(&wide, 8, it->stored_size);
	}
	if (it->offset >= MAX_32)
		add_le(&wide, 8, it->offset);
	strbuf_add(out, "PK\1\2", 4);
	add_le(out, 2, mode ? MADE_BY_UNIX : 0);
	add_common(z, out, it, wide.len || it->big ? VERSION_64 : VERSION,
		   it->size >= MAX_32 || it->stored_size >= MAX_32);
	add_le(out, 2, 9 + (wide.len ? wide.len + 4 : 0));
	add_le(out, 2, 0); /* comment */
	add_le(out, 2, 0); /* disk */
	add_le(out, 2, it->e->is_text);
	add_le(out, 4, mode ? (uint64_t)mode << 16 : is_dir ? 0x10 : 0);
	add_le(out, 4, up_to(it->offset, MAX_32));
	strbuf_addstr(out, it->e->path);
	add_mtime(z, out);
	if (wide.len) {
		add_le(out, 2, 1);
		add_le(out, 2, wide.len);
		strbuf_addbuf(out, &wide);
	}
	strbuf_release(&wide);
	z->nr++;
}

/* ---- content ---- */

static void begin_deflate(struct zip *z, z_stream *s)
{
	int level = z->c->o->level;

	memset(s, 0, sizeof(*s));
	if (deflateInit2(s, level < 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED, -15, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
}

static unsigned crc_of(unsigned crc, const void *p, size_t len)
{
	const unsigned char *s = p;

	while (len) {
		unsigned n = len < 1u << 30 ? (unsigned)len : 1u << 30;

		crc = (unsigned)crc32(crc, s, n);
		s += n;
		len -= n;
	}
	return crc;
}

/* In memory; left stored where deflating does not pay. */
static int write_whole(struct zip *z, struct item *it, struct err *err)
{
	const struct archive_entry *e = it->e;
	const void *content = e->data;
	unsigned char *deflated = NULL;
	z_stream s;
	int rc;

	it->crc = crc_of(0, e->data, (size_t)e->size);
	it->stored_size = e->size;
	if (it->method == DEFLATED && e->size < UINT_MAX) {
		begin_deflate(z, &s);
		deflated = xmalloc((size_t)e->size + 1);
		s.next_in = (unsigned char *)e->data;
		s.avail_in = (unsigned)e->size;
		s.next_out = deflated;
		s.avail_out = (unsigned)e->size;
		if (deflate(&s, Z_FINISH) == Z_STREAM_END && s.total_out < e->size) {
			content = deflated;
			it->stored_size = s.total_out;
		}
		deflateEnd(&s);
	}
	if (content == e->data)
		it->method = STORED;
	it->big = e->size >= BIG_ENTRY;
	rc = write_local(z, it, err);
	if (!rc)
		rc = archive_out_write(z->c->out, content, (size_t)it->stored_size, err);
	free(deflated);
	return rc;
}

struct streaming {
	struct zip *z;
	struct item *it;
	z_stream s;
	uint64_t seen;
};

static int write_deflated(void *data, const void *p, size_t len, struct err *err)
{
	struct streaming *st = data;

	return archive_out_write(st->z->c->out, p, len, err);
}

static int stream_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct streaming *st = data;

	st->seen += len;
	st->it->crc = crc_of(st->it->crc, p, len);
	if (st->it->method == STORED)
		return archive_out_write(st->z->c->out, p, len, err);
	return deflate_stream(&st->s, p, len, false, write_deflated, st, err);
}

static int crc_piece(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	unsigned *crc = data;

	*crc = crc_of(*crc, p, len);
	return 0;
}

/*
 * Writes the blob in pieces. Sizes and checksum follow deflated data. Stored data needs them in
 * front, because nothing else marks its end: such a blob is read twice.
 */
static int write_stream(struct zip *z, struct item *it, struct err *err)
{
	struct streaming st = { .z = z, .it = it };
	struct odb *odb = z->c->o->repo->odb;
	uint64_t size = it->size, begin;
	unsigned crc = 0;
	int rc = 0;

	it->big = size >= BIG_ENTRY;
	if (it->method == STORED) {
		rc = odb_stream(odb, it->e->oid, crc_piece, &crc, err);
		it->crc = crc;
		it->stored_size = size;
	} else {
		it->flags |= FLAG_STREAMED;
		it->size = 0;
		begin_deflate(z, &st.s);
	}
	if (!rc)
		rc = write_local(z, it, err);
	it->crc = 0;
	begin = archive_out_pos(z->c->out);
	if (!rc)
		rc = odb_stream(odb, it->e->oid, stream_piece, &st, err);
	if (!rc && it->method == DEFLATED)
		rc = deflate_stream(&st.s, NULL, 0, true, write_deflated, &st, err);
	if (it->method == DEFLATED)
		deflateEnd(&st.s);
	if (!rc && st.seen != size)
		rc = err_set(err, ERR_CORRUPT, "object %s does not have the size that was announced",
			     oid_hex(it->e->oid));
	it->size = size;
	it->stored_size = archive_out_pos(z->c->out) - begin;
	return rc || it->method == STORED ? rc : write_descriptor(z, it, err);
}

/* ---- the writer ---- */

static void *zip_new(struct archive_context *c, struct err *err UNUSED)
{
	struct zip *z = xcalloc(1, sizeof(*z));

	z->c = c;
	strbuf_init(&z->directory, 0);
	set_dos_time(z);
	return z;
}

static void zip_free(void *w)
{
	struct zip *z = w;

	strbuf_release(&z->directory);
	free(z);
}

static int zip_begin(void *w UNUSED, struct err *err UNUSED)
{
	return 0;
}

/* Names are in the encoding of MS-DOS unless a flag marks them as UTF-8. */
static unsigned name_flags(struct zip *z, const char *path)
{
	size_t len = strlen(path);

	for (const char *p = path; *p; p++) {
		if ((unsigned char)*p < 0x80)
			continue;
		if (utf8_is_valid(path, len))
			return FLAG_UTF8;
		repo_warn(z->c->o->repo, "path is not valid UTF-8: %s", path);
		return 0;
	}
	return 0;
}

static int zip_entry(void *w, const struct archive_entry *e, struct err *err)
{
	struct zip *z = w;
	struct item it = { .e = e, .flags = name_flags(z, e->path), .size = e->size,
			   .offset = archive_out_pos(z->c->out) };
	int rc;

	if (strlen(e->path) > MAX_16)
		return err_set(err, ERR_INVALID, "path too long (%zu chars): %s", strlen(e->path),
			       e->path);
	if (MODE_IS_FILE(e->mode) && e->size && z->c->o->level != 0)
		it.method = DEFLATED;
	rc = !e->data && e->size ? write_stream(z, &it, err) : write_whole(z, &it, err);
	if (!rc)
		add_to_directory(z, &it);
	return rc;
}

/* The 64-bit record and the pointer to it, "PK\6\6" and "PK\6\7". */
static void add_end_64(struct zip *z, struct strbuf *out, uint64_t begin)
{
	uint64_t here = begin + z->directory.len;

	strbuf_add(out, "PK\6\6", 4);
	add_le(out, 8, 44); /* bytes that follow */
	add_le(out, 2, VERSION_64);
	add_le(out, 2, VERSION_64);
	add_le(out, 4, 0); /* this disk */
	add_le(out, 4, 0); /* the directory's */
	add_le(out, 8, z->nr);
	add_le(out, 8, z->nr);
	add_le(out, 8, z->directory.len);
	add_le(out, 8, begin);
	strbuf_add(out, "PK\6\7", 4);
	add_le(out, 4, 0);
	add_le(out, 8, here);
	add_le(out, 4, 1);
}

static int zip_end(void *w, struct err *err)
{
	struct zip *z = w;
	const struct object_id *commit = z->c->o->commit;
	const char *comment = commit ? oid_hex(commit) : "";
	uint64_t begin = archive_out_pos(z->c->out);
	struct strbuf out = STRBUF_INIT;
	int rc;

	if (z->nr >= MAX_16 || begin >= MAX_32 || z->directory.len >= MAX_32)
		add_end_64(z, &out, begin);
	strbuf_add(&out, "PK\5\6", 4);
	add_le(&out, 2, 0);
	add_le(&out, 2, 0);
	add_le(&out, 2, up_to(z->nr, MAX_16));
	add_le(&out, 2, up_to(z->nr, MAX_16));
	add_le(&out, 4, up_to(z->directory.len, MAX_32));
	add_le(&out, 4, up_to(begin, MAX_32));
	add_le(&out, 2, strlen(comment));
	strbuf_addstr(&out, comment);
	rc = write_buf(z, &z->directory, err);
	if (!rc)
		rc = write_buf(z, &out, err);
	strbuf_release(&out);
	return rc;
}

const struct archive_writer archive_zip = { zip_new, zip_begin, zip_entry, zip_end, zip_free };
