/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "csum-file.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define DEFAULT_BUFFER (128u * 1024)

struct csum_file {
	int fd; /* not owned */
	char *name;
	const struct hash_algo *algo;
	struct hash_ctx ctx;
	bool skip_hash;
	size_t used, size;
	unsigned char *buf;
};

struct csum_file *csum_file_new(int fd, const char *name,
				const struct hash_algo *algo, bool skip_hash,
				size_t buffer_bytes)
{
	struct csum_file *f = xcalloc(1, sizeof(*f));

	f->fd = fd;
	f->name = xstrdup(name);
	f->algo = algo;
	f->skip_hash = skip_hash;
	f->size = !buffer_bytes ? DEFAULT_BUFFER :
		  buffer_bytes < 2 * HASH_MAX_RAW ? 2 * HASH_MAX_RAW : buffer_bytes;
	f->buf = xmalloc(f->size);
	if (!skip_hash)
		hash_init(&f->ctx, algo);
	return f;
}

void csum_file_free(struct csum_file *f)
{
	if (!f)
		return;
	if (!f->skip_hash)
		hash_release(&f->ctx);
	free(f->buf);
	free(f->name);
	free(f);
}

/* Bytes are hashed in big pieces, when they leave: cheaper than one by one. */
static int hash_and_write(struct csum_file *f, const void *p, size_t len, struct err *err)
{
	if (!f->skip_hash)
		hash_update(&f->ctx, p, len);
	if (write_in_full(f->fd, p, len, f->name, err) < 0)
		return ERR_IO;
	return 0;
}

static int flush(struct csum_file *f, struct err *err)
{
	size_t len = f->used;

	f->used = 0;
	return hash_and_write(f, f->buf, len, err);
}

int csum_write(struct csum_file *f, const void *p, size_t len, struct err *err)
{
	if (len > f->size - f->used && f->used && flush(f, err) < 0)
		return ERR_IO;
	if (len >= f->size)
		return hash_and_write(f, p, len, err);
	if (len)
		memcpy(f->buf + f->used, p, len);
	f->used += len;
	return 0;
}

int csum_write_be32(struct csum_file *f, uint32_t v, struct err *err)
{
	unsigned char b[4] = { (unsigned char)(v >> 24), (unsigned char)(v >> 16),
			       (unsigned char)(v >> 8), (unsigned char)v };

	return csum_write(f, b, sizeof(b), err);
}

int csum_write_be64(struct csum_file *f, uint64_t v, struct err *err)
{
	unsigned char b[8];

	for (int i = 0; i < 8; i++)
		b[i] = (unsigned char)(v >> (56 - 8 * i));
	return csum_write(f, b, sizeof(b), err);
}

/* The checksum of all bytes so far, including the buffer. */
static void checksum(const struct csum_file *f, struct object_id *out)
{
	struct hash_ctx copy;

	if (f->skip_hash) {
		*out = f->algo->null_oid;
		return;
	}
	hash_clone(&copy, &f->ctx);
	hash_update(&copy, f->buf, f->used);
	hash_final(&copy, out);
	hash_release(&copy);
}

int csum_finish(struct csum_file *f, struct object_id *out, struct err *err)
{
	struct object_id sum;

	/* The checksum goes out in the last write, not in one of its own. */
	checksum(f, &sum);
	if (f->size - f->used < f->algo->raw_len && flush(f, err) < 0)
		return ERR_IO;
	memcpy(f->buf + f->used, sum.hash, f->algo->raw_len);
	f->used += f->algo->raw_len;
	if (write_in_full(f->fd, f->buf, f->used, f->name, err) < 0)
		return ERR_IO;
	f->used = 0;
	if (out)
		*out = sum;
	return 0;
}
