/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs of the server. The walk gets their indexes first, into mapped files, because a hostile server decides how large they are. They
 * are only used to choose the packs to download. Our own index of a pack is made from the downloaded pack, as for any other one.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "pack/pack.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"
#include "util/path.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)
#define IDX_BYTES_MAX ((uint64_t)4 << 30) /* of all indexes together */

/* ---- objects/info/packs ---- */

/* "P pack-HASH.pack"; other lines are for others. */
static void take_pack_line(const struct http_walk *w, struct walk_base *b, const char *line, size_t len)
{
	const size_t hex_len = w->r->algo->hex_len, name_len = strlen("pack-") + hex_len;

	if (len != strlen("P ") + name_len + strlen(".pack") || !starts_with(line, "P pack-") ||
	    strspn(line + 7, "0123456789abcdef") != hex_len || memcmp(line + 7 + hex_len, ".pack", 5) != 0)
		return;
	ALLOC_GROW(b->packs, b->nr_packs + 1, b->alloc_packs);
	b->packs[b->nr_packs++] = (struct remote_pack){ .name = xstrndup(line + 2, name_len) };
}

static int list_packs(struct http_walk *w, struct walk_base *b, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (b->packs_known)
		return 0;
	b->packs_known = true;
	walk_say(w, "Getting pack list for %s", b->url);
	rc = walk_get_text(b, "info/packs", LIST_BYTES_MAX, &text, err);
	for (const char *at = text.buf; rc > 0 && *at;) {
		size_t len = strcspn(at, "\n");

		take_pack_line(w, b, at, len);
		at += len + (at[len] == '\n');
	}
	strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

/* ---- indexes ---- */

/*
 * Not compressed, so that each byte on the disk has come over the line. The file loses its name at once: it is gone when it is
 * not mapped any more.
 */
static int fetch_idx(struct http_walk *w, struct walk_base *b, struct remote_pack *p, struct err *err)
{
	const uint64_t max = w->o->max_idx_bytes ? w->o->max_idx_bytes : IDX_BYTES_MAX;
	char *url = xstrfmt("%spack/%s.idx", b->url, p->name), *path = NULL;
	const char *dir;
	int rc = w->idx_bytes < max ? walk_dir(w, &dir, err) :
		err_set(err, ERR_TOO_BIG, "'%s': the indexes have more than %" PRIu64 " bytes", b->url, max);

	if (!rc) {
		path = path_join(dir, "tmp_idx");
		rc = walk_get_file(b, url, path, max - w->idx_bytes, err);
	}
	if (rc > 0 && mapped_file_open(&p->idx, path, err) < 0)
		rc = ERR_IO;
	if (rc > 0)
		w->idx_bytes += p->idx.len;
	if (path)
		(void)!sys->unlink(path);
	free(path);
	free(url);
	return rc;
}

static int get_idx(struct http_walk *w, struct walk_base *b, struct remote_pack *p, struct err *err)
{
	int rc;

	if (p->idx_known)
		return 0;
	p->idx_known = true;
	walk_say(w, "Getting index for pack %s", p->name + strlen("pack-"));
	rc = fetch_idx(w, b, p, err);
	p->useless = rc <= 0;
	return rc < 0 ? rc : 0;
}

/* 1, 0; an index that is damaged has nothing. */
static int idx_has(struct http_walk *w, struct walk_base *b, struct remote_pack *p, const struct object_id *oid,
		   struct err *err)
{
	struct err why = ERR_INIT;
	int rc = p->useless ? 0 : get_idx(w, b, p, err);

	if (rc < 0 || p->useless)
		return rc;
	rc = pack_index_has(p->idx.p, p->idx.len, p->name, w->r->algo, oid, &why);
	if (rc < 0) {
		walk_note_trouble(&w->pack_trouble, &why);
		p->useless = true;
	}
	return rc > 0;
}

/* ---- packs ---- */

/* The pack was downloaded: receive it, and check that it has the object. */
static int take_pack(struct http_walk *w, const struct remote_pack *p, const char *path, const struct object_id *oid, struct err *err)
{
	int rc = walk_receive(w, path, oid, err);

	if (rc < 0)
		err_prefix(err, "pack '%s'", p->name);
	return rc < 0 ? rc : 1;
}

static int get_pack(struct http_walk *w, struct walk_base *b, struct remote_pack *p, const struct object_id *oid,
		    struct err *err)
{
	const char *dir;
	char *url, *path;
	int rc = walk_dir(w, &dir, err);

	if (rc < 0)
		return rc;
	p->useless = true; /* from now on */
	mapped_file_release(&p->idx);
	url = xstrfmt("%spack/%s.pack", b->url, p->name);
	path = path_join(dir, "tmp_pack");
	walk_say(w, "Getting pack %s", p->name + strlen("pack-"));
	walk_say(w, " which contains %s", oid_hex(oid));
	rc = walk_get_file(b, url, path, 0, err);
	if (rc > 0)
		rc = take_pack(w, p, path, oid, err);
	(void)!sys->unlink(path);
	free(path);
	free(url);
	return rc;
}

int walk_get_packed(struct http_walk *w, struct walk_base *b, const struct object_id *oid, struct err *err)
{
	int rc = list_packs(w, b, err);

	for (size_t i = 0; !rc && i < b->nr_packs; i++) {
		struct err why = ERR_INIT;

		rc = idx_has(w, b, &b->packs[i], oid, err);
		if (rc <= 0)
			continue;
		rc = get_pack(w, b, &b->packs[i], oid, &why);
		/* Another one may have it. */
		if (rc == ERR_CORRUPT) {
			walk_note_trouble(&w->pack_trouble, &why);
			rc = 0;
		} else if (rc < 0) {
			err_move(err, &why);
		}
		err_release(&why);
	}
	return rc;
}
