/* SPDX-License-Identifier: GPL-2.0-only */
/* Single files of the server: refs, and loose objects, whose files are as in a repository of ours. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object-file.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"
#include "util/map.h"

/* Largest commit, tree or tag: these have to be in memory. */
#define CONTENT_MAX ((uint64_t)1 << 30)
#define HEAD_BYTES_MAX ((size_t)4096)

/* ---- loose objects ---- */

static int ignore(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

/* A blob that is too big for memory stays as the file that it is. */
static int keep_big(struct http_walk *w, const char *dir, const struct object_id *oid, struct err *err)
{
	bool any;
	int rc = loose_object_stream(dir, oid, w->r->algo, ignore, NULL, &any, err);

	if (!rc)
		w->has_big = true;
	return rc;
}

/* Its content, unless it is such a blob: 1. */
static int read_loose(struct http_walk *w, const char *dir, const char *path, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	const uint64_t limit = w->r->settings.big_file_threshold;
	struct object_info info = { .type = OBJ_NONE };
	int rc = loose_object_info(dir, oid, &info, err);

	if (rc < 0)
		return rc;
	if (info.type == OBJ_BLOB && info.size > limit)
		return 1;
	return loose_object_read_file(path, oid, w->r->algo, limit > CONTENT_MAX ? limit : CONTENT_MAX, out, err);
}

static int take_loose(struct http_walk *w, const char *dir, const char *path, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id name;
	int rc = read_loose(w, dir, path, oid, out, &why);
	const bool big = rc > 0;

	if (big)
		rc = keep_big(w, dir, oid, &why);
	else if (!rc)
		rc = odb_write(w->r->odb, out->type, out->data, out->size, &name, &why);
	if (rc < 0 || !big)
		(void)!sys->unlink(path);
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int get_loose_to(struct http_walk *w, struct walk_base *b, const struct object_id *oid, const char *path,
			struct err *err)
{
	const char *hex = oid_hex(oid);
	char *url = xstrfmt("%s%.2s/%s", b->url, hex, hex + 2);
	int rc = make_leading_dirs(path, w->r->settings.shared_perm, err);

	if (!rc)
		rc = walk_get_file(b, url, path, 0, err);
	free(url);
	return rc;
}

int walk_get_loose(struct http_walk *w, struct walk_base *b, const struct object_id *oid, struct object_buf *out,
		   struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct err why = ERR_INIT;
	const char *dir = NULL;
	int rc = walk_dir(w, &dir, err);

	if (!rc && w->has_big && loose_object_exists(dir, oid))
		return 1;
	if (!rc) {
		loose_object_path(&path, dir, oid);
		rc = get_loose_to(w, b, oid, path.buf, err);
	}
	if (!rc)
		(void)!sys->unlink(path.buf); /* what came with the 404 */
	if (rc > 0) {
		rc = take_loose(w, dir, path.buf, oid, out, &why);
		if (!rc)
			walk_say(w, "got %s", oid_hex(oid));
		rc = rc ? rc : 1;
	}
	strbuf_release(&path);
	if (rc == ERR_CORRUPT || rc == ERR_TOO_BIG) {
		walk_note_trouble(&w->trouble, &why);
		return 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

/* ---- refs ---- */

struct ref_lines {
	struct remote_refs *out;
	struct strset names;
	const struct hash_algo *algo; /* NULL: not known yet */
};

static int bad_line(const char *line, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "invalid line in info/refs: '%.200s'", line);
}

/* Old clients of WebDAV write some lines twice. */
static int check_again(const struct ref_lines *l, const char *name, const struct object_id *oid, struct err *err)
{
	for (size_t i = 0; i < l->out->nr; i++)
		if (!strcmp(l->out->items[i].name, name) && oid_eq(&l->out->items[i].oid, oid))
			return 0;
	return err_set(err, ERR_CORRUPT, "info/refs has '%s' twice, with other values", name);
}

static int take_info_refs_line(struct ref_lines *l, const char *line, struct err *err)
{
	const size_t hex = strspn(line, "0123456789abcdef");
	const struct hash_algo *algo = hex == hash_sha1->hex_len ? hash_sha1 : hash_sha256;
	struct object_id oid;
	const char *end;

	if (hex != algo->hex_len || line[hex] != '\t' || (l->algo && algo != l->algo) ||
	    oid_parse_hex(&oid, line, algo, &end) < 0)
		return bad_line(line, err);
	l->algo = algo;
	line += hex + 1;
	if (!remote_ref_name_is_valid(line))
		return 0; /* "^{}": what the tag before leads to; and what could harm */
	if (!strset_add(&l->names, line))
		return check_again(l, line, &oid, err);
	remote_refs_add(l->out, line)->oid = oid;
	return 0;
}

static int take_lines(struct ref_lines *l, const struct strbuf *text, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	const char *at = text->buf, *end = text->buf + text->len;
	int rc = 0;

	while (!rc && at < end) {
		const char *eol = memchr(at, '\n', end - at);

		strbuf_reset(&line);
		strbuf_add(&line, at, (eol ? eol : end) - at);
		if (strlen(line.buf) != line.len)
			rc = bad_line(line.buf, err);
		else if (line.len)
			rc = take_info_refs_line(l, line.buf, err);
		at = eol ? eol + 1 : end;
	}
	strbuf_release(&line);
	return rc;
}

/* "ref: NAME", or an id. What it says of a branch that is not there is left out, as servers do. */
static void take_head(struct remote_refs *out, const char *text, const struct hash_algo *algo)
{
	const struct remote_ref *to;
	struct remote_ref *head;
	struct object_id oid;
	const char *name, *end;

	if (skip_prefix(text, "ref: ", &name)) {
		char *target = xstrndup(name, strcspn(name, "\n"));

		to = remote_refs_find(out, target);
		if (to) {
			oid = to->oid;
			head = remote_refs_add(out, "HEAD");
			head->oid = oid;
			head->symref_target = xstrdup(target);
		}
		free(target);
	} else if (!oid_parse_hex(&oid, text, algo, &end) && (*end == '\n' || !*end)) {
		remote_refs_add(out, "HEAD")->oid = oid;
	}
}

int http_walk_refs(struct http_client *c, const struct strbuf *info_refs, struct remote_refs *out,
		   const struct hash_algo **algo, struct err *err)
{
	struct walk_base b = { .url = (char *)http_base(c), .client = c };
	struct ref_lines l = { .out = out, .names = STRSET_INIT };
	struct strbuf head = STRBUF_INIT;
	int rc = take_lines(&l, info_refs, err);

	if (!rc && l.algo) {
		*algo = l.algo;
		remote_refs_sort(out);
		rc = walk_get_text(&b, "HEAD", HEAD_BYTES_MAX, &head, err);
		if (rc > 0)
			take_head(out, head.buf, l.algo);
		remote_refs_sort(out);
	}
	strset_clear(&l.names);
	strbuf_release(&head);
	return rc < 0 ? rc : 0;
}
