/* SPDX-License-Identifier: GPL-2.0-only */
/* "GIT binary patch": deflated data in base 85, as diff --binary writes them. */
#include "compat/posix.h"
#include "apply/patch-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"

#define BINARY_MAX ((unsigned long)1 << 30) /* bytes of one side */
#define DEFLATE_MAX_RATIO 1040		    /* no stream grows by more */

static int digit_value(char c)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "!#$%&()*+-;<=>?@^_`{|}~";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Five digits make four bytes; `bytes` of all of them are data. */
static bool decode_85(struct strbuf *out, const char *s, size_t bytes)
{
	for (; bytes; s += 5) {
		uint64_t word = 0;

		for (int i = 0; i < 5; i++) {
			int v = digit_value(s[i]);

			if (v < 0)
				return false;
			word = word * 85 + (unsigned)v;
		}
		if (word > UINT32_MAX)
			return false;
		for (int shift = 24; shift >= 0 && bytes; shift -= 8, bytes--)
			strbuf_addch(out, (char)(word >> shift & 0xff));
	}
	return true;
}

/* A letter for the number of bytes, then five digits for each four. */
static bool decode_line(struct strbuf *out, const char *line, size_t len)
{
	size_t most, bytes;

	if (len < 7 || (len - 2) % 5)
		return false;
	most = (len - 2) / 5 * 4;
	if (*line >= 'A' && *line <= 'Z')
		bytes = (size_t)(*line - 'A') + 1;
	else if (*line >= 'a' && *line <= 'z')
		bytes = (size_t)(*line - 'a') + 27;
	else
		return false;
	return bytes <= most && bytes + 4 > most && decode_85(out, line + 1, bytes);
}

static bool inflate_hunk(struct patch_hunk *h, const struct strbuf *packed, unsigned long size)
{
	size_t got = 0, used;

	if (size > BINARY_MAX || size / DEFLATE_MAX_RATIO > packed->len)
		return false;
	h->data = xmalloc(size + 1);
	h->size = size;
	if (inflate_buf(packed->buf, packed->len, h->data, size, &got, &used) < 0 || got != size)
		return false;
	h->data[size] = '\0';
	return true;
}

static int say_corrupt(struct patch_reader *r, const char *what, const char *line, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "error: %s binary patch at %s:%zu", what, r->file, r->line - 1);
	if (line)
		strbuf_addf(&text, ": %.*s", (int)len - 1, line);
	strbuf_addch(&text, '\n');
	r->say(r->data, text.buf);
	strbuf_release(&text);
	return PATCH_STOP;
}

/* 1: read; 0: there is none here; PATCH_STOP. */
static int read_binary_hunk(struct patch_reader *r, struct file_patch *p)
{
	struct strbuf packed = STRBUF_INIT;
	struct patch_hunk *h;
	const char *rest, *line = r->at;
	size_t len = patch_line_len(r->at, r->end);
	enum patch_hunk_kind kind;
	unsigned long size;
	int rc = 1;

	if (r->at < r->end && skip_prefix(r->at, "delta ", &rest))
		kind = HUNK_DELTA;
	else if (r->at < r->end && skip_prefix(r->at, "literal ", &rest))
		kind = HUNK_LITERAL;
	else
		return 0;
	size = strtoul(rest, NULL, 10);
	for (;;) {
		r->line++;
		r->at += len;
		line = r->at;
		len = patch_line_len(line, r->end);
		if (len == 1) { /* an empty line ends it */
			r->at++;
			r->line++;
			break;
		}
		if (!decode_line(&packed, line, len)) {
			r->line++;
			rc = say_corrupt(r, "corrupt", line, len);
			goto out;
		}
	}
	h = file_patch_add_hunk(p);
	h->kind = kind;
	if (!inflate_hunk(h, &packed, size))
		rc = say_corrupt(r, "corrupt", line, len);
out:
	strbuf_release(&packed);
	return rc;
}

int patch_read_binary(struct patch_reader *r, struct file_patch *p)
{
	int rc = read_binary_hunk(r, p);

	if (!rc)
		return say_corrupt(r, "unrecognized", NULL, 0);
	p->is_binary = true;
	if (rc == 1)
		rc = read_binary_hunk(r, p);
	return rc == PATCH_STOP ? rc : 0;
}
