/* SPDX-License-Identifier: GPL-2.0-only */
/* tar as POSIX has it: ustar headers, and pax headers for what does not fit into these. */
#include "compat/posix.h"
#include "archive/archive-internal.h"
#include "util/alloc.h"

#define RECORD 512
#define BLOCK (20 * RECORD) /* an archive is a multiple of this */
#define NAME_LEN 100	    /* of a header: name and link */
#define PREFIX_LEN 155
#define USTAR_MAX ((uint64_t)077777777777) /* of a size and a time */

struct tar {
	struct archive_context *c;
	unsigned umask;
};

/* A header, with all of its fields. */
struct header {
	char type;
	unsigned mode;
	uint64_t size;
	const char *prefix, *name, *link;
	size_t prefix_len, name_len, link_len;
};

/* ---- records ---- */

static void put_octal(char *record, size_t at, int digits, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%0*" PRIo64, digits, v);
	memcpy(record + at, text, (size_t)digits + 1);
}

static void put_text(char *record, size_t at, const char *s, size_t len)
{
	if (len)
		memcpy(record + at, s, len);
}

static unsigned checksum(const char record[RECORD])
{
	unsigned sum = 8 * ' '; /* the field itself counts as blanks */

	for (size_t i = 0; i < RECORD; i++)
		if (i < 148 || i >= 156)
			sum += (unsigned char)record[i];
	return sum;
}

static int write_header(struct tar *t, const struct header *h, struct err *err)
{
	char record[RECORD] = { 0 };
	uint64_t mtime = t->c->o->mtime;

	put_text(record, 0, h->name, h->name_len);
	put_octal(record, 100, 7, h->mode & 07777);
	put_octal(record, 108, 7, 0); /* user and group: root */
	put_octal(record, 116, 7, 0);
	put_octal(record, 124, 11, h->size > USTAR_MAX ? 0 : h->size);
	put_octal(record, 136, 11, mtime > USTAR_MAX ? USTAR_MAX : mtime);
	record[156] = h->type;
	put_text(record, 157, h->link, h->link_len);
	memcpy(record + 257, "ustar\0" "00", 8);
	put_text(record, 265, "root", 4);
	put_text(record, 297, "root", 4);
	put_octal(record, 329, 7, 0);
	put_octal(record, 337, 7, 0);
	put_text(record, 345, h->prefix, h->prefix_len);
	put_octal(record, 148, 7, checksum(record));
	return archive_out_write(t->c->out, record, RECORD, err);
}

static int pad(struct tar *t, struct err *err)
{
	size_t over = (size_t)(archive_out_pos(t->c->out) % RECORD);

	return over ? archive_out_zeros(t->c->out, RECORD - over, err) : 0;
}

static int write_content(struct tar *t, const void *p, size_t len, struct err *err)
{
	int rc = archive_out_write(t->c->out, p, len, err);

	return rc ? rc : pad(t, err);
}

/* ---- pax headers ---- */

/* "LEN KEY=VALUE LF", where LEN counts itself too. */
static void add_record(struct strbuf *out, const char *key, const char *value, size_t len)
{
	size_t rest = strlen(key) + len + 3, total = rest + 1, digits;

	for (;;) {
		digits = (size_t)snprintf(NULL, 0, "%zu", total);
		if (rest + digits == total)
			break;
		total = rest + digits;
	}
	strbuf_addf(out, "%zu %s=", total, key);
	strbuf_add(out, value, len);
	strbuf_addch(out, '\n');
}

static void add_number(struct strbuf *out, const char *key, uint64_t v)
{
	char text[24];

	add_record(out, key, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, v));
}

static int write_pax(struct tar *t, char type, const char *name, const struct strbuf *records,
		     struct err *err)
{
	struct header h = { .type = type, .mode = 0666, .size = records->len, .name = name,
			    .name_len = strlen(name) };
	int rc = write_header(t, &h, err);

	return rc ? rc : write_content(t, records->buf, records->len, err);
}

/* ---- the writer ---- */

static int read_umask(unsigned *out, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "tar.umask");
	int64_t v;
	int rc;

	*out = 0002;
	if (!e)
		return 0;
	if (e->value && !strcmp(e->value, "user")) {
		*out = umask(0);
		umask(*out);
		return 0;
	}
	rc = config_entry_int64(e, INT_MIN, INT_MAX, &v, err);
	if (!rc)
		*out = (unsigned)v & 0777;
	return rc;
}

static void *tar_new(struct archive_context *c, struct err *err)
{
	struct tar *t = xcalloc(1, sizeof(*t));

	t->c = c;
	if (read_umask(&t->umask, c->o->repo->config, err) < 0)
		FREE_AND_NULL(t);
	return t;
}

/* The commit, which git get-tar-commit-id finds, and a time that no header can hold. */
static int tar_begin(void *w, struct err *err)
{
	struct tar *t = w;
	struct strbuf records = STRBUF_INIT;
	const struct object_id *commit = t->c->o->commit;
	int rc = 0;

	if (commit)
		add_record(&records, "comment", oid_hex(commit), strlen(oid_hex(commit)));
	if (t->c->o->mtime > USTAR_MAX)
		add_number(&records, "mtime", t->c->o->mtime);
	if (records.len)
		rc = write_pax(t, 'g', "pax_global_header", &records, err);
	strbuf_release(&records);
	return rc;
}

/* Where a long path can be cut into prefix and name; 0: nowhere. */
static size_t prefix_len(const char *path, size_t len)
{
	size_t i = len < PREFIX_LEN ? len : PREFIX_LEN;

	if (i == len)
		i--; /* not at the slash of a directory itself */
	while (i-- > 1)
		if (path[i] == '/' && i != len - 1)
			return len - i - 1 <= NAME_LEN ? i : 0;
	return 0;
}

static void set_kind(struct header *h, const struct archive_entry *e, unsigned umask)
{
	if (MODE_IS_SYMLINK(e->mode)) {
		h->type = '2';
		h->mode = 0777;
	} else if (MODE_IS_FILE(e->mode)) {
		h->type = '0';
		h->mode = (e->mode & 0100 ? 0777 : 0666) & ~umask;
		h->size = e->size;
	} else {
		h->type = '5';
		h->mode = 0777 & ~umask;
	}
}

/* name: for what the header itself cannot hold. */
static void set_path(struct header *h, const char *path, const char *name, struct strbuf *records)
{
	size_t len = strlen(path);

	h->name = path;
	h->name_len = len;
	if (len <= NAME_LEN)
		return;
	h->prefix_len = prefix_len(path, len);
	if (h->prefix_len) {
		h->prefix = path;
		h->name = path + h->prefix_len + 1;
		h->name_len = len - h->prefix_len - 1;
	} else {
		add_record(records, "path", path, len);
		h->name = name;
		h->name_len = strlen(name);
	}
}

static int add_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct tar *t = data;

	return archive_out_write(t->c->out, p, len, err);
}

/* As many bytes as the header says, or it is an error: an archive must not be torn apart. */
static int stream(struct tar *t, const struct archive_entry *e, struct err *err)
{
	uint64_t begin = archive_out_pos(t->c->out);
	int rc = odb_stream(t->c->o->repo->odb, e->oid, add_piece, t, err);

	if (!rc && archive_out_pos(t->c->out) - begin != e->size)
		rc = err_set(err, ERR_CORRUPT, "object %s does not have the size that was announced",
			     oid_hex(e->oid));
	return rc ? rc : pad(t, err);
}

static int tar_entry(void *w, const struct archive_entry *e, struct err *err)
{
	struct tar *t = w;
	struct header h = { 0 };
	struct strbuf records = STRBUF_INIT;
	char *data_name = xstrfmt("%s.data", oid_hex(e->oid));
	char *pax_name = xstrfmt("%s.paxheader", oid_hex(e->oid));
	char *link_name = xstrfmt("see %s", pax_name);
	int rc = 0;

	set_kind(&h, e, t->umask);
	set_path(&h, e->path, data_name, &records);
	if (h.type == '2') {
		bool fits = e->size <= NAME_LEN;

		h.link = fits ? e->data : link_name;
		h.link_len = fits ? (size_t)e->size : strlen(link_name);
		if (!fits)
			add_record(&records, "linkpath", e->data, (size_t)e->size);
	}
	if (h.size > USTAR_MAX)
		add_number(&records, "size", h.size);
	if (records.len)
		rc = write_pax(t, 'x', pax_name, &records, err);
	if (!rc)
		rc = write_header(t, &h, err);
	if (!rc && h.size)
		rc = e->data ? write_content(t, e->data, (size_t)e->size, err) : stream(t, e, err);
	strbuf_release(&records);
	free(link_name);
	free(pax_name);
	free(data_name);
	return rc;
}

/* Two empty records, and as many more as fill the block. */
static int tar_end(void *w, struct err *err)
{
	struct tar *t = w;
	size_t over;
	int rc = archive_out_zeros(t->c->out, 2 * RECORD, err);

	over = (size_t)(archive_out_pos(t->c->out) % BLOCK);
	return rc || !over ? rc : archive_out_zeros(t->c->out, BLOCK - over, err);
}

const struct archive_writer archive_tar = { tar_new, tar_begin, tar_entry, tar_end, free };
