/* SPDX-License-Identifier: GPL-2.0-only */
/* For the format see git-commit-tree(1) and gitformat-signature(5). */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* The rest of the buffer, still to be parsed. */
struct cursor {
	const char *pos, *end;
};

static bool at_key(const struct cursor *c, const char *key, size_t klen)
{
	return (size_t)(c->end - c->pos) > klen && !memcmp(c->pos, key, klen) &&
	       c->pos[klen] == ' ';
}

/* Parse "KEY HEX\n" at the cursor. 1: parsed; 0: another key; < 0: malformed. */
static int parse_oid(struct cursor *c, const char *key, const struct hash_algo *algo,
		     struct object_id *out)
{
	size_t klen = strlen(key);
	const char *hex = c->pos + klen + 1, *after;

	if (!at_key(c, key, klen))
		return 0;
	if ((size_t)(c->end - hex) < algo->hex_len + 1 || hex[algo->hex_len] != '\n' ||
	    oid_parse_hex(out, hex, algo, &after) < 0)
		return -1;
	c->pos = after + 1;
	return 1;
}

/* Parse "KEY VALUE\n" at the cursor, without continuation lines. */
static bool parse_header_line(struct cursor *c, const char *key, const char **value, size_t *len)
{
	size_t klen = strlen(key);
	const char *start = c->pos + klen + 1, *lf;

	if (!at_key(c, key, klen))
		return false;
	lf = memchr(start, '\n', (size_t)(c->end - start));
	*value = start;
	*len = (size_t)((lf ? lf : c->end) - start);
	c->pos = lf ? lf + 1 : c->end;
	return true;
}

static int parse_links(struct cursor *c, const struct hash_algo *algo,
		       struct object_id *tree, struct oid_array *parents, struct err *err)
{
	struct object_id parent;
	int rc;

	if (parse_oid(c, "tree", algo, tree) <= 0)
		return err_set(err, ERR_CORRUPT, "bogus commit object: no valid tree line");
	while ((rc = parse_oid(c, "parent", algo, &parent)) > 0)
		if (parents)
			oid_array_append(parents, &parent);
	if (rc < 0)
		return err_set(err, ERR_CORRUPT, "bad parents in commit");
	return 0;
}

/* ---- headers ---- */

struct header {
	const char *name, *value; /* value: with continuation lines, not unfolded */
	size_t name_len, value_len;
};

/* False at the empty line that ends the headers (which is skipped), and at the end. */
static bool next_header(struct cursor *c, struct header *h)
{
	const char *lf, *space;

	if (c->pos >= c->end)
		return false;
	if (*c->pos == '\n') {
		c->pos++;
		return false;
	}
	h->name = c->pos;
	lf = memchr(c->pos, '\n', (size_t)(c->end - c->pos));
	if (!lf)
		lf = c->end;
	space = memchr(c->pos, ' ', (size_t)(lf - c->pos));
	h->name_len = (size_t)((space ? space : lf) - c->pos);
	h->value = space ? space + 1 : lf;
	while (lf < c->end && lf + 1 < c->end && lf[1] == ' ') {
		const char *more = memchr(lf + 1, '\n', (size_t)(c->end - lf - 1));

		lf = more ? more : c->end;
	}
	h->value_len = (size_t)(lf - h->value);
	c->pos = lf < c->end ? lf + 1 : lf;
	return true;
}

static bool header_is(const struct header *h, const char *name)
{
	return strlen(name) == h->name_len && !memcmp(h->name, name, h->name_len);
}

/* In damaged commits the author and the committer may be further down. */
static void parse_other_headers(struct commit_view *v, struct cursor *c)
{
	struct header h;

	while (next_header(c, &h)) {
		if (!v->encoding && header_is(&h, "encoding")) {
			v->encoding = h.value;
			v->encoding_len = h.value_len;
		} else if (header_is(&h, "author")) {
			v->author = h.value;
			v->author_len = h.value_len;
		} else if (header_is(&h, "committer")) {
			v->committer = h.value;
			v->committer_len = h.value_len;
		}
	}
	v->message = c->pos;
	v->message_len = (size_t)(c->end - c->pos);
}

int commit_parse(struct commit_view *out, const void *buf, size_t size,
		 const struct hash_algo *algo, struct err *err)
{
	struct commit_view v = { 0 };
	struct cursor c = { buf, (const char *)buf + size };
	struct oid_array parents = OID_ARRAY_INIT;
	int rc = parse_links(&c, algo, &v.tree, &parents, err);

	if (rc < 0) {
		oid_array_clear(&parents);
		return rc;
	}
	v.parents = parents.oid;
	v.nr_parents = parents.nr;
	c.end = c.pos + strnlen(c.pos, (size_t)(c.end - c.pos));
	v.author = v.committer = c.pos;
	if (parse_header_line(&c, "author", &v.author, &v.author_len) &&
	    parse_header_line(&c, "committer", &v.committer, &v.committer_len))
		v.date = ident_order_date(v.committer, v.committer_len);
	parse_other_headers(&v, &c);
	*out = v;
	return 0;
}

void commit_view_release(struct commit_view *c)
{
	free(c->parents);
	memset(c, 0, sizeof(*c));
}

int commit_parse_links(const void *buf, size_t size, const struct hash_algo *algo,
		       struct object_id *tree, struct oid_array *parents,
		       timestamp_t *date, struct err *err)
{
	struct cursor c = { buf, (const char *)buf + size };
	struct object_id t;
	const char *line;
	size_t len, had = parents ? parents->nr : 0;
	int rc = parse_links(&c, algo, &t, parents, err);

	if (rc < 0) {
		if (parents)
			parents->nr = had;
		return rc;
	}
	if (tree)
		*tree = t;
	if (!date)
		return 0;
	*date = parse_header_line(&c, "author", &line, &len) && parse_header_line(&c, "committer", &line, &len) ?
			ident_order_date(line, len) : 0;
	return 0;
}

/* The value without the blanks at the start of continuation lines. */
static void add_unfolded(struct strbuf *out, const struct header *h)
{
	for (size_t i = 0; i < h->value_len; i++) {
		strbuf_addch(out, (unsigned char)h->value[i]);
		if (h->value[i] == '\n' && i + 1 < h->value_len)
			i++;
	}
}

bool commit_find_header(const void *buf, size_t size, const char *name, struct strbuf *out)
{
	size_t pos = 0;

	return commit_next_header(buf, size, &pos, name, out);
}

bool commit_next_header(const void *buf, size_t size, size_t *pos, const char *name,
			struct strbuf *out)
{
	struct cursor c = { (const char *)buf + *pos, (const char *)buf + size };
	struct header h;

	while (next_header(&c, &h)) {
		if (!header_is(&h, name))
			continue;
		add_unfolded(out, &h);
		*pos = (size_t)(c.pos - (const char *)buf);
		return true;
	}
	return false;
}

void commit_other_headers(const void *buf, size_t size, struct strbuf *out)
{
	static const char *const excluded[] = { "tree", "parent", "author", "committer",
						"encoding", "gpgsig", "gpgsig-sha256" };
	struct cursor c = { buf, (const char *)buf + size };
	struct header h;

	while (next_header(&c, &h)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(excluded) && !header_is(&h, excluded[i]))
			i++;
		if (i == ARRAY_SIZE(excluded))
			strbuf_add(out, h.name, (size_t)(c.pos - h.name));
	}
}

static const char *signature_header(const struct hash_algo *algo)
{
	return algo->id == HASH_SHA256 ? "gpgsig-sha256" : "gpgsig";
}

bool commit_split_signature(const void *buf, size_t size, const struct hash_algo *algo,
			    struct strbuf *payload, struct strbuf *signature)
{
	struct cursor c = { buf, (const char *)buf + size };
	const char *start = c.pos;
	struct header h;
	bool found = false;

	for (; next_header(&c, &h); start = c.pos) {
		if (!header_is(&h, "gpgsig") && !header_is(&h, "gpgsig-sha256")) {
			strbuf_add(payload, h.name, (size_t)(c.pos - h.name));
		} else if (algo && header_is(&h, signature_header(algo))) {
			add_unfolded(signature, &h);
			strbuf_addch(signature, '\n');
			found = true;
		}
	}
	strbuf_add(payload, start, (size_t)(c.end - start)); /* with the empty line */
	return found;
}

/* ---- composing ---- */

void commit_add_header(struct strbuf *out, const char *name, const char *value, size_t len)
{
	if (len && value[len - 1] == '\n')
		len--;
	strbuf_addf(out, "%s ", name);
	for (size_t i = 0; i < len; i++) {
		strbuf_addch(out, (unsigned char)value[i]);
		if (value[i] == '\n')
			strbuf_addch(out, ' ');
	}
	strbuf_addch(out, '\n');
}

static void add_signature(struct strbuf *out, const struct commit_draft *d)
{
	size_t len = strlen(d->gpgsig);

	while (len && d->gpgsig[len - 1] == '\n')
		len--;
	commit_add_header(out, signature_header(hash_algo_by_id(d->tree.algo)), d->gpgsig, len);
}

int commit_compose(struct strbuf *out, const struct commit_draft *d, struct err *err)
{
	if (d->message_len && memchr(d->message, 0, d->message_len))
		return err_set(err, ERR_CORRUPT, "a NUL byte in commit log message not allowed");
	strbuf_addstr(out, "tree ");
	strbuf_add_oid(out, &d->tree);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < d->nr_parents; i++) {
		strbuf_addstr(out, "parent ");
		strbuf_add_oid(out, &d->parents[i]);
		strbuf_addch(out, '\n');
	}
	strbuf_addf(out, "author %s\ncommitter %s\n", d->author, d->committer);
	if (!is_encoding_utf8(d->encoding))
		strbuf_addf(out, "encoding %s\n", d->encoding);
	if (d->extra_headers) {
		strbuf_addstr(out, d->extra_headers);
		strbuf_complete_line(out);
	}
	if (d->gpgsig)
		add_signature(out, d);
	strbuf_addch(out, '\n');
	strbuf_add(out, d->message, d->message_len);
	return 0;
}

/* ---- messages ---- */

/* Length of the line at p without trailing blanks; *next is the next line. */
static size_t line_at(const char *p, const char *end, const char **next)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	size_t len = (size_t)((lf ? lf : end) - p);

	*next = lf ? lf + 1 : end;
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	return len;
}

static const char *skip_blank_lines(const char *p, const char *end)
{
	const char *next;

	while (p < end && !line_at(p, end, &next))
		p = next;
	return p;
}

void commit_subject(struct strbuf *out, const char *message, size_t len, const char *sep)
{
	const char *end = message + len, *next;
	const char *p = skip_blank_lines(message, end);
	size_t n;

	for (bool first = true; p < end && (n = line_at(p, end, &next)); p = next) {
		if (!first)
			strbuf_addstr(out, sep);
		strbuf_add(out, p, n);
		first = false;
	}
}

const char *commit_first_line(const char *message, size_t len, size_t *line_len)
{
	const char *end = message + len;
	const char *p = skip_blank_lines(message, end);
	const char *lf = memchr(p, '\n', (size_t)(end - p));

	*line_len = (size_t)((lf ? lf : end) - p);
	return p;
}

const char *commit_body(const char *message, size_t len, size_t *body_len)
{
	const char *end = message + len, *next;
	const char *p = skip_blank_lines(message, end);

	while (p < end && line_at(p, end, &next))
		p = next;
	p = skip_blank_lines(p, end);
	*body_len = (size_t)(end - p);
	return p;
}
