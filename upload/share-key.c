/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "upload/share-key.h"
#include "util/alloc.h"

#define KEY_VERSION 1
/* Limit for reading the file of grafts. */
#define GRAFTS_MAX ((size_t)16 * 1024 * 1024)

/*
 * The hashed text can be read in one way only: each value has its name and length in front, each
 * list its name and the number of its values.
 */
struct key {
	struct hash_ctx hash;
	struct strbuf line;
};

static void add_head(struct key *k, const char *name, uint64_t n)
{
	strbuf_reset(&k->line);
	strbuf_addf(&k->line, "%s %" PRIu64 "\n", name, n);
	hash_update(&k->hash, k->line.buf, k->line.len);
}

static void add_bytes(struct key *k, const char *name, const char *p, size_t len)
{
	add_head(k, name, len);
	hash_update(&k->hash, p, len);
}

static void add_text(struct key *k, const char *name, const char *text)
{
	add_bytes(k, name, text, strlen(text));
}

/* Sorts them, so that their order does not matter. */
static void add_oids(struct key *k, const char *name, const struct oid_array *oids)
{
	struct oid_array sorted = OID_ARRAY_INIT;

	for (size_t i = 0; i < oids->nr; i++)
		oid_array_append(&sorted, &oids->oid[i]);
	oid_array_sort_unique(&sorted);
	add_head(k, name, sorted.nr);
	for (size_t i = 0; i < sorted.nr; i++)
		hash_update(&k->hash, sorted.oid[i].hash, HASH_MAX_RAW);
	oid_array_clear(&sorted);
}

/* ---- the repository ---- */

/* The path alone is not enough: another file may be there by now. */
static int add_place(struct key *k, const struct repository *r, struct err *err)
{
	struct stat st;

	if (stat(r->commondir, &st))
		return err_set_errno(err, "cannot stat '%s'", r->commondir);
	add_head(k, "device", (uint64_t)st.st_dev);
	add_head(k, "inode", (uint64_t)st.st_ino);
	add_text(k, "repository", r->gitdir_abs);
	add_text(k, "objects", r->objdir);
	add_text(k, "format", r->algo->name);
	return 0;
}

static int add_grafts(struct key *k, struct repository *r, struct err *err)
{
	char *path = repo_path(r, "info/grafts");
	struct strbuf text = STRBUF_INIT;
	int rc = read_file(&text, path, GRAFTS_MAX, err);

	if (rc == ERR_NOT_FOUND) {
		if (err)
			err_release(err);
		rc = 0;
	}
	if (!rc)
		add_bytes(k, "grafts", text.buf, text.len);
	strbuf_release(&text);
	free(path);
	return rc;
}

static int add_ref(void *data, const struct ref *ref)
{
	struct key *k = data;

	add_text(k, "ref", ref->name);
	hash_update(&k->hash, ref->oid.hash, HASH_MAX_RAW);
	return 0;
}

static int add_boundary(struct key *k, struct repository *r, struct err *err)
{
	struct oid_array boundary = OID_ARRAY_INIT;
	int rc = repo_shallow_boundary(r, &boundary, err);

	if (!rc)
		add_oids(k, "shallow-file", &boundary);
	oid_array_clear(&boundary);
	return rc;
}

static bool decides_packs(const char *key)
{
	return starts_with(key, "pack.") || !strcmp(key, "core.compression") ||
	       !strcmp(key, "core.loosecompression") || !strcmp(key, "core.bigfilethreshold");
}

static void add_settings(struct key *k, const struct upload_server *s)
{
	const struct config_set *c = s->repo->config;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (decides_packs(e->key))
			add_text(k, e->key, e->value ? e->value : "true");
	}
	if (s->config.pack_objects_hook)
		add_text(k, "hook", s->config.pack_objects_hook);
}

static int add_repository(struct key *k, const struct upload_server *s, struct err *err)
{
	struct repository *r = s->repo;
	int rc = add_place(k, r, err);

	if (!rc)
		rc = add_grafts(k, r, err);
	if (!rc)
		rc = add_boundary(k, r, err);
	if (!rc)
		rc = refs_foreach(r->refs, "refs/replace/", REFS_NO_PEEL, add_ref, k, err);
	add_text(k, "namespace", s->prefix);
	add_settings(k, s);
	return rc;
}

/* ---- the request ---- */

static int add_tag_to_key(void *data, const char *name, const struct ref *ref)
{
	struct key *k = data;

	add_text(k, "tag", name);
	hash_update(&k->hash, ref->oid.hash, HASH_MAX_RAW);
	return 0;
}

static int add_tags_to_key(struct key *k, struct upload_server *s, struct err *err)
{
	struct strvec below = STRVEC_INIT;
	int rc;

	strvec_push(&below, "refs/tags/");
	rc = upload_refs_below(s, &below, add_tag_to_key, k, err);
	strvec_clear(&below);
	return rc;
}

/* A name may refer to another blob later. */
static int check_key_filter(const struct upload_server *s, const struct filter_spec *f,
			    struct err *err)
{
	struct object_id oid;

	for (size_t i = 0; i < f->nr; i++)
		if (f->parts[i].kind == FILTER_SPARSE_OID &&
		    oid_from_hex(&oid, f->parts[i].name, s->repo->algo) < 0)
			return err_set(err, ERR_UNSUPPORTED, "the filter names '%s'",
				       f->parts[i].name);
	return 0;
}

static int add_request(struct key *k, struct upload_server *s, const struct fetch_request *q,
		       struct err *err)
{
	struct strbuf filter = STRBUF_INIT;
	int rc = check_key_filter(s, &q->filter, err);

	if (rc < 0)
		return rc;
	add_oids(k, "wants", &q->wants);
	add_oids(k, "haves", &q->haves);
	add_oids(k, "shallow", &q->shallow);
	add_oids(k, "unshallowed", &q->unshallowed);
	add_oids(k, "cut", &q->cut);
	filter_spec_format(&q->filter, &filter);
	add_bytes(k, "filter", filter.buf, filter.len);
	strbuf_release(&filter);
	add_head(k, "thin", q->thin);
	add_head(k, "ofs-delta", q->ofs_delta);
	add_head(k, "include-tag", q->include_tag);
	return q->include_tag ? add_tags_to_key(k, s, err) : 0;
}

int upload_request_kind(struct upload_server *s, const struct fetch_request *q,
			struct object_id *out, struct err *err)
{
	struct key k = { .line = STRBUF_INIT };
	struct object_id kind;
	int rc;

	hash_init(&k.hash, hash_sha256);
	add_head(&k, "version", KEY_VERSION);
	rc = add_repository(&k, s, err);
	if (!rc)
		rc = add_request(&k, s, q, err);
	(void)hash_final(&k.hash, &kind);
	if (!rc)
		*out = kind;
	hash_release(&k.hash);
	strbuf_release(&k.line);
	return rc;
}
