/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "wire/bundle.h"
#include "write-or-die.h"

static void refs_release(struct bundle_refs *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].name);
	free(l->items);
	memset(l, 0, sizeof(*l));
}

void bundle_header_release(struct bundle_header *h)
{
	refs_release(&h->prerequisites);
	refs_release(&h->refs);
	free(h->filter);
	filter_spec_release(&h->filter_spec);
	strbuf_release(&h->rest);
	*h = (struct bundle_header)BUNDLE_HEADER_INIT;
}

void bundle_refs_add(struct bundle_refs *l, const struct object_id *oid, const char *name)
{
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = (struct bundle_ref){ *oid, name ? xstrdup(name) : NULL };
}

/* One stays as it is written. */
int bundle_header_add_filter(struct bundle_header *h, const char *value, struct err *err)
{
	struct strbuf all = STRBUF_INIT;
	int rc = filter_spec_parse(&h->filter_spec, value, err);

	if (rc < 0)
		return rc;
	if (h->filter)
		filter_spec_format(&h->filter_spec, &all);
	else
		strbuf_addstr(&all, value);
	free(h->filter);
	h->filter = strbuf_detach(&all, NULL);
	return 0;
}

/* ---- writing ---- */

static void format_refs(const struct bundle_refs *l, const char *mark, struct strbuf *out)
{
	for (size_t i = 0; i < l->nr; i++)
		strbuf_addf(out, "%s%s %s\n", mark, oid_hex(&l->items[i].oid),
			    l->items[i].name ? l->items[i].name : "");
}

void bundle_header_format(const struct bundle_header *h, struct strbuf *out)
{
	strbuf_addf(out, "# v%d git bundle\n", h->version);
	if (h->version > 2)
		strbuf_addf(out, "@object-format=%s\n", h->algo->name);
	if (h->filter)
		strbuf_addf(out, "@filter=%s\n", h->filter);
	format_refs(&h->prerequisites, "-", out);
	format_refs(&h->refs, "", out);
	strbuf_addch(out, '\n');
}

/* ---- lines; without their newline ---- */

bool bundle_has_signature(const char *buf, size_t len)
{
	return len >= BUNDLE_SIGNATURE_LEN && (!memcmp(buf, "# v2 git bundle\n", BUNDLE_SIGNATURE_LEN) ||
					       !memcmp(buf, "# v3 git bundle\n", BUNDLE_SIGNATURE_LEN));
}

static int parse_signature(struct bundle_header *h, const char *line, const char *name,
			   struct err *err)
{
	if (!strcmp(line, "# v2 git bundle"))
		h->version = 2;
	else if (!strcmp(line, "# v3 git bundle"))
		h->version = 3;
	else
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' does not look like a v2 or v3 bundle file", name);
	h->algo = hash_algo_by_name("sha1");
	return 0;
}

static int parse_algo(struct bundle_header *h, const char *name, struct err *err)
{
	const struct hash_algo *algo = hash_algo_by_name(name);

	if (!algo)
		return err_set(err, ERR_UNSUPPORTED, "unrecognized bundle hash algorithm: %s", name);
	if (algo != h->algo && (h->prerequisites.nr || h->refs.nr))
		return err_set(err, ERR_CORRUPT, "object-format behind refs");
	h->algo = algo;
	return 0;
}

static int parse_capability(struct bundle_header *h, const char *line, struct err *err)
{
	const char *value;

	if (skip_prefix(line, "object-format=", &value))
		return parse_algo(h, value, err);
	if (skip_prefix(line, "filter=", &value))
		return bundle_header_add_filter(h, value, err);
	return err_set(err, ERR_UNSUPPORTED, "unknown capability '%s'", line);
}

static int parse_ref(struct bundle_header *h, char *line, struct err *err)
{
	bool prerequisite = *line == '-';
	char *text = line + prerequisite, *end = text + strlen(text);
	struct object_id oid;
	const char *p;

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (oid_parse_hex(&oid, text, h->algo, &p) < 0 || (*p && !isspace((unsigned char)*p)) ||
	    (!*p && !prerequisite))
		return err_set(err, ERR_CORRUPT, "unrecognized header: %.200s (%zu)", line,
			       strlen(text));
	if (h->prerequisites.nr + h->refs.nr >= BUNDLE_REFS_MAX)
		return err_set(err, ERR_TOO_BIG, "the bundle has too many refs");
	if (prerequisite)
		bundle_refs_add(&h->prerequisites, &oid, NULL);
	else
		bundle_refs_add(&h->refs, &oid, p + 1);
	return 0;
}

static int parse_line(struct bundle_header *h, char *line, size_t len, const char *name,
		      struct err *err)
{
	if (!h->version)
		return parse_signature(h, line, name, err);
	if (strlen(line) != len)
		return err_set(err, ERR_CORRUPT, "a line of the header of '%s' has a NUL", name);
	if (h->version > 2 && *line == '@')
		return parse_capability(h, line + 1, err);
	return parse_ref(h, line, err);
}

int bundle_header_parse(struct bundle_header *h, const char *buf, size_t len, const char *name,
			struct err *err)
{
	size_t max = h->version ? BUNDLE_LINE_MAX : strlen("# v2 git bundle");
	int rc = 0;

	while (!rc) {
		const char *line = buf + h->size, *lf;
		size_t left = len - h->size, line_len;
		char *copy;

		lf = memchr(line, '\n', left < max + 1 ? left : max + 1);
		if (!lf && left <= max)
			return 0;
		if (!lf)
			return h->version ? err_set(err, ERR_CORRUPT,
						    "a line of the header of '%s' is too long", name) :
					    parse_signature(h, "", name, err);
		line_len = (size_t)(lf - line);
		if (!line_len && h->version) {
			h->size++;
			return 1;
		}
		copy = xmemdupz(line, line_len);
		rc = parse_line(h, copy, line_len, name, err);
		free(copy);
		if (!rc)
			h->size += line_len + 1;
		max = BUNDLE_LINE_MAX;
	}
	return rc;
}

/* ---- files ---- */

#define READ_BYTES 65536

int bundle_header_read(struct bundle_header *h, int fd, const char *name, struct err *err)
{
	struct strbuf buf = STRBUF_INIT;
	int rc = 0;

	while (!rc) {
		ssize_t n;

		strbuf_grow(&buf, READ_BYTES);
		n = read_in_full(fd, buf.buf + buf.len, READ_BYTES);
		if (n < 0) {
			rc = err_set_errno(err, "cannot read '%s'", name);
			break;
		}
		strbuf_setlen(&buf, buf.len + (size_t)n);
		rc = bundle_header_parse(h, buf.buf, buf.len, name, err);
		if (n || rc)
			continue;
		rc = h->version ? err_set(err, ERR_CORRUPT, "'%s' ends within its header", name) :
		     parse_signature(h, "", name, err);
	}
	if (rc > 0)
		strbuf_add(&h->rest, buf.buf + h->size, buf.len - h->size);
	strbuf_release(&buf);
	return rc < 0 ? rc : 0;
}
