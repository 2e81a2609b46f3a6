/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "attr/eol.h"

void eol_stats_gather(struct eol_stats *s, const char *data, size_t len)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c == '\r') {
			if (i + 1 < len && data[i + 1] == '\n') {
				s->crlf++;
				i++;
			} else {
				s->lone_cr++;
			}
		} else if (c == '\n') {
			s->lone_lf++;
		} else if (c >= 32 && c != 127) {
			s->printable++;
		} else if (c == '\b' || c == '\t' || c == 033 || c == '\f') {
			s->printable++;
		} else {
			s->nul += !c;
			s->nonprintable++;
		}
	}
	/* one ^Z at the end is how old text files end */
	if (len && data[len - 1] == 032)
		s->nonprintable--;
}

bool eol_stats_binary(const struct eol_stats *s)
{
	return s->lone_cr || s->nul || s->printable / 128 < s->nonprintable;
}

void eol_to_lf(struct strbuf *out, const char *data, size_t len)
{
	const char *end = data + len;

	strbuf_grow(out, len);
	while (data < end) {
		const char *cr = memchr(data, '\r', (size_t)(end - data));

		if (!cr)
			cr = end;
		strbuf_add(out, data, (size_t)(cr - data));
		if (cr < end && !(cr + 1 < end && cr[1] == '\n'))
			strbuf_addch(out, '\r');
		data = cr < end ? cr + 1 : end;
	}
}

void eol_to_crlf(struct strbuf *out, const char *data, size_t len)
{
	const char *start = data, *end = data + len;

	strbuf_grow(out, len + len / 32);
	while (data < end) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));

		if (!nl) {
			strbuf_add(out, data, (size_t)(end - data));
			return;
		}
		strbuf_add(out, data, (size_t)(nl - data));
		if (nl == start || nl[-1] != '\r')
			strbuf_addch(out, '\r');
		strbuf_addch(out, '\n');
		data = nl + 1;
	}
}

/* ---- $Id$ ---- */

struct keyword {
	size_t start, end; /* from '$' to after the closing '$' */
	bool plain;	   /* exactly "$Id$" */
	bool foreign;	   /* expanded by another program: blanks inside */
};

static bool keyword_is_foreign(const char *value, size_t len)
{
	/* ours is ": OID ": blanks only after the colon and at the end */
	if (len < 3 || value[0] != ':' || value[1] != ' ')
		return false;
	return memchr(value + 2, ' ', len - 3) != NULL;
}

static bool next_keyword(const char *data, size_t len, size_t from, struct keyword *k)
{
	for (;;) {
		const char *p = memmem(data + from, len - from, "$Id", 3);
		const char *close;
		size_t at;

		if (!p || (at = (size_t)(p - data)) + 3 >= len)
			return false;
		from = at + 3;
		if (data[from] != '$' && data[from] != ':')
			continue;
		close = memchr(data + from, '$', len - from);
		if (!close)
			return false;
		if (memchr(data + from, '\n', (size_t)(close - data) - from))
			continue;
		k->start = at;
		k->end = (size_t)(close - data) + 1;
		k->plain = k->end == at + 4;
		k->foreign = keyword_is_foreign(data + from, k->end - 1 - from);
		return true;
	}
}

bool ident_collapse(struct strbuf *out, const char *data, size_t len)
{
	struct keyword k;
	size_t pos = 0;
	bool changed = false;

	for (size_t from = 0; next_keyword(data, len, from, &k); from = k.end) {
		if (k.plain)
			continue;
		strbuf_add(out, data + pos, k.start - pos);
		strbuf_addstr(out, "$Id$");
		pos = k.end;
		changed = true;
	}
	if (changed)
		strbuf_add(out, data + pos, len - pos);
	return changed;
}

bool ident_expand(struct strbuf *out, const char *data, size_t len,
		  const struct object_id *oid)
{
	struct keyword k;
	size_t pos = 0;
	bool changed = false;

	for (size_t from = 0; next_keyword(data, len, from, &k); from = k.end) {
		if (k.foreign)
			continue;
		strbuf_add(out, data + pos, k.start - pos);
		strbuf_addf(out, "$Id: %s $", oid_hex(oid));
		pos = k.end;
		changed = true;
	}
	if (changed)
		strbuf_add(out, data + pos, len - pos);
	return changed;
}
