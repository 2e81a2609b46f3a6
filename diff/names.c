/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of paths and objects as all formats show them. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "util/quote.h"

const char *diff_shown_path(const struct diff_options *o, const char *path)
{
	if (o->relative && skip_prefix(path, o->relative, &path))
		path += *path == '/';
	return path;
}

void diff_add_path(struct strbuf *out, const struct diff_options *o, const char *path)
{
	path = diff_shown_path(o, path);
	if (o->null_term)
		strbuf_addstr(out, path);
	else
		quote_c_style(out, path, strlen(path), o->quote_path);
}

static bool needs_quotes(const struct diff_options *o, const char *path)
{
	struct strbuf sb = STRBUF_INIT;
	bool quoted = quote_c_style(&sb, path, strlen(path), o->quote_path);

	strbuf_release(&sb);
	return quoted;
}

/*
 * The directories that both begin with and the path parts that both end in are
 * written once. A slash can be the last byte of the one and the first of the other.
 */
void diff_add_rename(struct strbuf *out, const struct diff_options *o, const char *old,
		     const char *new)
{
	size_t old_len, new_len, head = 0, tail = 0, overlap;

	if (needs_quotes(o, old) || needs_quotes(o, new)) {
		quote_c_style(out, old, strlen(old), o->quote_path);
		strbuf_addstr(out, " => ");
		quote_c_style(out, new, strlen(new), o->quote_path);
		return;
	}
	old_len = strlen(old);
	new_len = strlen(new);
	for (size_t i = 0; old[i] && old[i] == new[i]; i++)
		if (old[i] == '/')
			head = i + 1;
	overlap = head ? 1 : 0;
	for (size_t n = 1; n + head <= old_len + overlap && n + head <= new_len + overlap &&
			   old[old_len - n] == new[new_len - n]; n++)
		if (old[old_len - n] == '/')
			tail = n;
	if (!head && !tail) {
		strbuf_addf(out, "%s => %s", old, new);
		return;
	}
	strbuf_add(out, old, head);
	strbuf_addch(out, '{');
	if (old_len > head + tail)
		strbuf_add(out, old + head, old_len - head - tail);
	strbuf_addstr(out, " => ");
	if (new_len > head + tail)
		strbuf_add(out, new + head, new_len - head - tail);
	strbuf_addch(out, '}');
	strbuf_add(out, old + old_len - tail, tail);
}

#define DEFAULT_ABBREV 7 /* where nothing can be ambiguous */

void diff_add_oid(struct strbuf *out, const struct diff_options *o,
		  const struct object_id *oid, int abbrev)
{
	struct object_id null = o->algo->null_oid;

	if (oid_is_null(oid))
		oid = &null; /* the side is absent: it has no algorithm either */
	if (abbrev && !o->odb)
		strbuf_addf(out, "%.*s", abbrev < 0 ? DEFAULT_ABBREV : abbrev, oid_hex(oid));
	else if (abbrev)
		odb_abbrev(o->odb, oid, abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

bool oid_ellipsis(void)
{
	const char *value = getenv("GIT_PRINT_SHA1_ELLIPSIS");

	return value && !strcasecmp(value, "yes");
}

/* A name that had to be longer than asked for has fewer dots, so that columns stay; one that is nearly whole is whole. */
void diff_add_raw_oid(struct strbuf *out, const struct diff_options *o, const struct object_id *oid)
{
	size_t at = out->len, len, width;

	diff_add_oid(out, o, oid, o->abbrev);
	len = out->len - at;
	if (!o->ellipsis || len == o->algo->hex_len)
		return;
	if (len + strlen("...") >= o->algo->hex_len) {
		strbuf_setlen(out, at);
		diff_add_oid(out, o, oid, 0);
		return;
	}
	width = o->abbrev < 0 ? len : (size_t)o->abbrev;
	for (; len < width + strlen("..."); len++)
		strbuf_addch(out, '.');
}
