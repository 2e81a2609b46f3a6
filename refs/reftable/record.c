/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/reftable/record-internal.h"
#include "util/bytes.h"

/* ---- numbers ---- */

const unsigned char *varint_read(uint64_t *out, const unsigned char *p, const unsigned char *end)
{
	uint64_t v;

	if (p == end)
		return NULL;
	v = *p & 0x7f;
	while (*p++ & 0x80) {
		if (p == end || v + 1 > UINT64_MAX >> 7)
			return NULL;
		v = (v + 1) << 7 | (*p & 0x7f);
	}
	*out = v;
	return p;
}

void varint_add(struct strbuf *out, uint64_t v)
{
	unsigned char buf[10];
	size_t at = sizeof(buf) - 1;

	buf[at] = v & 0x7f;
	while (v >>= 7)
		buf[--at] = 0x80 | (--v & 0x7f);
	strbuf_add(out, buf + at, sizeof(buf) - at);
}

/* ---- keys of logs ---- */

void log_key_add(struct strbuf *out, const char *refname, uint64_t update_index)
{
	unsigned char reversed[8];

	put_be64(reversed, ~update_index);
	strbuf_addstr(out, refname);
	strbuf_addch(out, '\0');
	strbuf_add(out, reversed, sizeof(reversed));
}

bool log_key_parse(const struct strbuf *key, size_t *name_len, uint64_t *update_index)
{
	if (key->len < 10 || key->buf[key->len - 9] || strlen(key->buf) != key->len - 9)
		return false;
	*name_len = key->len - 9;
	*update_index = ~get_be64(key->buf + key->len - 8);
	return true;
}

/* ---- reading ---- */

/* Once for each record of a table. */
static inline void replace_tail(struct strbuf *key, size_t at, const void *p, size_t len)
{
	if (at + len >= key->alloc)
		strbuf_grow(key, len);
	memcpy(key->buf + at, p, len);
	key->len = at + len;
	key->buf[key->len] = '\0';
}

/* Mostly few bytes: too few for memchr(3). */
static inline bool has_nul(const char *p, size_t len)
{
	for (; len && *p; len--)
		p++;
	return len;
}

/*
 * A key that is larger than the one before it; else the order, on which seeking rests, is broken. *common: so much of it is
 * that of the one before.
 */
static const unsigned char *read_key(struct strbuf *key, unsigned *extra, uint64_t *common, const unsigned char *p,
				     const unsigned char *end, const char **why)
{
	uint64_t prefix, suffix;
	bool first = !key->len;

	*why = "a record is cut off";
	p = varint_read(&prefix, p, end);
	if (p)
		p = varint_read(&suffix, p, end);
	if (!p)
		return NULL;
	*extra = suffix & 7;
	suffix >>= 3;
	if (suffix > (size_t)(end - p))
		return NULL;
	*why = "the key of a record has a bad prefix";
	if (prefix > key->len || prefix + suffix == 0)
		return NULL;
	*why = "keys are not in order";
	if (!first) {
		size_t rest = key->len - prefix, n = rest < suffix ? rest : suffix;
		int c = memcmp(p, key->buf + prefix, n);

		if (c < 0 || (!c && suffix <= rest))
			return NULL;
	}
	replace_tail(key, prefix, p, suffix);
	*common = prefix;
	return p + suffix;
}

/* varint(len), and so many bytes. */
static const unsigned char *read_text(const char **out, size_t *len, const unsigned char *p,
				      const unsigned char *end)
{
	uint64_t n;

	p = varint_read(&n, p, end);
	if (!p || n > (size_t)(end - p))
		return NULL;
	*out = (const char *)p;
	*len = n;
	return p + n;
}

static const unsigned char *read_oid(const unsigned char **out, size_t hash_len, const unsigned char *p,
				     const unsigned char *end)
{
	if (!p || (size_t)(end - p) < hash_len)
		return NULL;
	*out = p;
	return p + hash_len;
}

static const unsigned char *read_ref(struct ref_record *r, unsigned extra, const struct record_format *f,
				     const unsigned char *p, const unsigned char *end, const char **why)
{
	uint64_t delta;

	p = varint_read(&delta, p, end);
	if (!p)
		return NULL;
	*r = (struct ref_record){ .update_index = f->min_update_index + delta, .type = extra };
	switch (extra) {
	case REF_VALUE_DELETED:
		return p;
	case REF_VALUE_OID:
		return read_oid(&r->oid, f->hash_len, p, end);
	case REF_VALUE_PEELED:
		p = read_oid(&r->oid, f->hash_len, p, end);
		return read_oid(&r->peeled, f->hash_len, p, end);
	case REF_VALUE_SYMREF:
		return read_text(&r->target, &r->target_len, p, end);
	default:
		*why = "a ref has a value of unknown type";
		return NULL;
	}
}

static const unsigned char *read_log(struct log_record *r, unsigned extra, const struct record_format *f,
				     const unsigned char *p, const unsigned char *end, const char **why)
{
	*r = (struct log_record){ .type = extra };
	if (extra == LOG_VALUE_DELETED)
		return p;
	if (extra != LOG_VALUE_UPDATE) {
		*why = "an entry of a reflog has an unknown type";
		return NULL;
	}
	p = read_oid(&r->old_oid, f->hash_len, p, end);
	p = read_oid(&r->new_oid, f->hash_len, p, end);
	if (p)
		p = read_text(&r->name, &r->name_len, p, end);
	if (p)
		p = read_text(&r->mail, &r->mail_len, p, end);
	if (p)
		p = varint_read(&r->date, p, end);
	if (!p || end - p < 2)
		return NULL;
	r->tz = (int16_t)get_be16(p);
	return read_text(&r->msg, &r->msg_len, p + 2, end);
}

static const unsigned char *read_obj(struct obj_record *r, unsigned extra, const unsigned char *p,
				     const unsigned char *end)
{
	uint64_t ignored;

	r->nr = extra;
	if (!extra)
		p = varint_read(&r->nr, p, end);
	if (!p)
		return NULL;
	r->positions = p;
	for (uint64_t i = 0; p && i < r->nr; i++)
		p = varint_read(&ignored, p, end);
	r->len = p ? (size_t)(p - r->positions) : 0;
	return p;
}

const unsigned char *record_read(struct reftable_record *rec, enum block_type type, const struct record_format *f,
				 const unsigned char *p, const unsigned char *end, const char **why)
{
	size_t name_len;
	uint64_t index, common;
	unsigned extra;

	p = read_key(&rec->key, &extra, &common, p, end, why);
	if (!p)
		return NULL;
	*why = "a record is cut off";
	switch (type) {
	case BLOCK_REF:
		if (has_nul(rec->key.buf + common, rec->key.len - common)) {
			*why = "the name of a ref has a NUL in it";
			return NULL;
		}
		return read_ref(&rec->ref, extra, f, p, end, why);
	case BLOCK_LOG:
		if (!log_key_parse(&rec->key, &name_len, &index)) {
			*why = "the key of a reflog entry is malformed";
			return NULL;
		}
		return read_log(&rec->log, extra, f, p, end, why);
	case BLOCK_OBJ:
		return read_obj(&rec->obj, extra, p, end);
	default:
		return varint_read(&rec->position, p, end);
	}
}

/* ---- writing ---- */

static void add_text(struct strbuf *out, const char *text, size_t len)
{
	varint_add(out, len);
	strbuf_add(out, text, len);
}

unsigned ref_value_add(struct strbuf *out, const struct ref_record *r, const struct record_format *f)
{
	varint_add(out, r->update_index - f->min_update_index);
	if (r->type == REF_VALUE_OID || r->type == REF_VALUE_PEELED)
		strbuf_add(out, r->oid, f->hash_len);
	if (r->type == REF_VALUE_PEELED)
		strbuf_add(out, r->peeled, f->hash_len);
	if (r->type == REF_VALUE_SYMREF)
		add_text(out, r->target, r->target_len);
	return r->type;
}

unsigned log_value_add(struct strbuf *out, const struct log_record *r, const struct record_format *f)
{
	unsigned char tz[2];

	if (r->type == LOG_VALUE_DELETED)
		return r->type;
	strbuf_add(out, r->old_oid, f->hash_len);
	strbuf_add(out, r->new_oid, f->hash_len);
	add_text(out, r->name, r->name_len);
	add_text(out, r->mail, r->mail_len);
	varint_add(out, r->date);
	put_be16(tz, (uint16_t)r->tz);
	strbuf_add(out, tz, sizeof(tz));
	add_text(out, r->msg, r->msg_len);
	return r->type;
}
