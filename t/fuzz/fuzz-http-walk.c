/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dumb server of http: info/refs, HEAD, loose objects, objects/info/packs, indexes, packs, alternates. The first byte has
 * flags. The rest is records with "\n~\n" in between. A record is a letter, a blank and an argument in its first line, then a
 * content:
 *
 *	o TYPE	a loose object. Its name is right, whatever the content is.
 *	h	a loose object; the content has the header, too
 *	p TYPE	an object in the pack, whose index and checksum are right
 *	f FILE	the content of all URLs that end in /FILE, expanded. Contents of objects are expanded, too.
 *	r FILE	the same, as it stands
 *	x FILE	changes: two bytes for the place in FILE, one byte to xor with
 *
 * "%0" to "%9" expand to names of objects in hex, "%r0" to "%r9" in binary, "%h" to a commit of the client, "%p" to the checksum of
 * the pack, "%n" to NUL.
 *
 * The functions of http.c are defined here, so http.o of the library is not linked. Checks: each URL has the host, the scheme
 * and the client that http.followRedirects and GIT_ALLOW_PROTOCOL allow; after success all wanted objects have come; after an
 * abort nothing remains.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <zlib.h>
#include "object-file.h"
#include "operation/operation.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "t/pack-craft.h"
#include "transport/http/http-internal.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define FOLLOWS_EVERYWHERE 1u
#define THOROUGH 2u
#define ONLY_HTTP 4u
#define SMALL_INDEXES 8u

#define OBJECTS_MAX 10
#define FILES_MAX 32
#define REQUESTS_MAX 20000
#define HOST "h.example"

struct served {
	char *name;
	struct strbuf content;
};
/* State of one input. The functions of http.c have no argument for it. */
static struct {
	unsigned how;
	struct served files[FILES_MAX];
	size_t nr_files;
	struct object_id oids[OBJECTS_MAX];
	size_t nr_oids;
	struct craft pack;
	struct object_id packed[OBJECTS_MAX], pack_sum;
	size_t nr_packed;
	unsigned requests;
} server;

/* ---- files ---- */

static struct strbuf *find_file(const char *url)
{
	for (size_t i = server.nr_files; i; i--) {
		const char *name = server.files[i - 1].name;
		size_t len;

		if (strip_suffix(url, name, &len) && (!len || url[len - 1] == '/'))
			return &server.files[i - 1].content;
	}
	return NULL;
}

static struct strbuf *add_file(const char *name)
{
	struct served *f = &server.files[server.nr_files];

	if (server.nr_files == FILES_MAX)
		return NULL;
	server.nr_files++;
	f->name = xstrdup(name);
	strbuf_init(&f->content, 0);
	return &f->content;
}

static const struct object_id *nth_object(char digit)
{
	static const struct object_id none;
	size_t n = (unsigned char)digit - '0';

	return n < server.nr_oids ? &server.oids[n] : &none;
}

/* Expands the "%X" at p; returns its length. */
static size_t expand_one(struct strbuf *out, const char *p, size_t len)
{
	struct object_id oid = { .algo = HASH_SHA1 };

	if (len > 1 && isdigit((unsigned char)p[1])) {
		memcpy(oid.hash, nth_object(p[1])->hash, sizeof(oid.hash));
		strbuf_addstr(out, oid_hex(&oid));
		return 2;
	}
	if (len > 2 && p[1] == 'r' && isdigit((unsigned char)p[2])) {
		strbuf_add(out, nth_object(p[2])->hash, 20);
		return 3;
	}
	if (len > 1 && (p[1] == 'h' || p[1] == 'p')) {
		memcpy(oid.hash, p[1] == 'h' ? scratch_head.hash : server.pack_sum.hash, 20);
		strbuf_addstr(out, oid_hex(&oid));
		return 2;
	}
	strbuf_addch(out, len > 1 && p[1] == 'n' ? 0 : *p);
	return len > 1 && p[1] == 'n' ? 2 : 1;
}

static void expand(struct strbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len;) {
		if (p[i] == '%')
			i += expand_one(out, p + i, len - i);
		else
			strbuf_addch(out, p[i++]);
	}
}

static void note_object(const struct object_id *oid)
{
	if (server.nr_oids < OBJECTS_MAX)
		server.oids[server.nr_oids++] = *oid;
}

static void deflate_to(struct strbuf *out, const struct strbuf *whole)
{
	uLongf len = compressBound(whole->len);

	strbuf_grow(out, len);
	if (compress((Bytef *)out->buf, &len, (const Bytef *)whole->buf, whole->len) != Z_OK)
		abort();
	strbuf_setlen(out, len);
}

static void add_loose(const struct strbuf *whole)
{
	struct object_id oid;
	struct strbuf *file;
	char name[HASH_MAX_HEX + 2];

	hash_buf(hash_sha1, whole->buf, whole->len, &oid);
	snprintf(name, sizeof(name), "%.2s/%s", oid_hex(&oid), oid_hex(&oid) + 2);
	file = add_file(name);
	if (file)
		deflate_to(file, whole);
	note_object(&oid);
}

static void add_object(const char *type, const struct strbuf *content)
{
	struct strbuf whole = STRBUF_INIT;

	strbuf_addf(&whole, "%s %zu", type, content->len);
	strbuf_addch(&whole, 0);
	strbuf_addbuf(&whole, content);
	add_loose(&whole);
	strbuf_release(&whole);
}

static void add_packed(const char *name, const struct strbuf *content)
{
	enum object_type type = object_type_from_name(name, strlen(name));
	struct object_id oid;

	if (type == OBJ_BAD || server.nr_packed == OBJECTS_MAX ||
	    hash_object_buf(hash_sha1, name, content->buf, content->len, &oid, NULL) < 0)
		return;
	for (size_t i = 0; i < server.nr_packed; i++)
		if (oid_eq(&server.packed[i], &oid))
			return;
	craft_object(&server.pack, type, content->buf, content->len);
	server.packed[server.nr_packed++] = oid;
	note_object(&oid);
}

/* ---- the pack ---- */

static void add_u32(struct strbuf *out, uint32_t value)
{
	unsigned char raw[4];

	put_be32(raw, value);
	strbuf_add(out, raw, 4);
}

static size_t next_name(const struct object_id *after)
{
	size_t best = OBJECTS_MAX;

	for (size_t i = 0; i < server.nr_packed; i++)
		if ((!after || oid_cmp(&server.packed[i], after) > 0) &&
		    (best == OBJECTS_MAX || oid_cmp(&server.packed[i], &server.packed[best]) < 0))
			best = i;
	return best;
}

/* gitformat-pack(5), version 2. The walk does not use crc32. */
static void make_idx(struct strbuf *out)
{
	size_t order[OBJECTS_MAX], nr = server.nr_packed;
	struct object_id sum;

	for (size_t i = 0; i < nr; i++)
		order[i] = next_name(i ? &server.packed[order[i - 1]] : NULL);
	strbuf_add(out, "\377tOc\0\0\0\2", 8);
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t up_to = 0;

		for (size_t i = 0; i < nr; i++)
			up_to += server.packed[i].hash[0] <= byte;
		add_u32(out, up_to);
	}
	for (size_t i = 0; i < nr; i++)
		strbuf_add(out, server.packed[order[i]].hash, 20);
	for (size_t i = 0; i < nr; i++)
		add_u32(out, 0);
	for (size_t i = 0; i < nr; i++)
		add_u32(out, (uint32_t)server.pack.offsets[order[i]]);
	strbuf_add(out, server.pack_sum.hash, 20);
	hash_buf(hash_sha1, out->buf, out->len, &sum);
	strbuf_add(out, sum.hash, 20);
}

static void end_pack(void)
{
	char name[HASH_MAX_HEX + 16];
	struct strbuf *file;
	size_t len;

	craft_end(&server.pack);
	len = server.pack.out.len - 20;
	server.pack_sum = (struct object_id){ .algo = HASH_SHA1 };
	memcpy(server.pack_sum.hash, server.pack.out.buf + len, 20);
	snprintf(name, sizeof(name), "pack-%s.pack", oid_hex(&server.pack_sum));
	file = add_file(name);
	if (file)
		strbuf_addbuf(file, &server.pack.out);
	snprintf(name, sizeof(name), "pack-%s.idx", oid_hex(&server.pack_sum));
	file = add_file(name);
	if (file)
		make_idx(file);
}

/* ---- records ---- */

static void change_file(const char *name, const unsigned char *p, size_t len)
{
	struct strbuf full = STRBUF_INIT;
	struct strbuf *file;

	expand(&full, name, strlen(name));
	file = find_file(full.buf);
	for (; file && file->len && len >= 3; p += 3, len -= 3)
		file->buf[(p[0] << 8 | p[1]) % file->len] ^= (char)p[2];
	strbuf_release(&full);
}

static void take_file(const char *name, const char *p, size_t len, bool raw)
{
	struct strbuf full = STRBUF_INIT;
	struct strbuf *file;

	expand(&full, name, strlen(name));
	file = add_file(full.buf);
	if (file && raw)
		strbuf_add(file, p, len);
	else if (file)
		expand(file, p, len);
	strbuf_release(&full);
}

/* objects: the first pass takes objects, the second one files, which may name objects and the pack. */
static void take_record(const char *p, size_t len, bool objects)
{
	const char *eol = memchr(p, '\n', len);
	size_t used = eol ? (size_t)(eol - p) : len, rest = eol ? used + 1 : len;
	struct strbuf content = STRBUF_INIT;
	char *word = used > 2 ? xmemdupz(p + 2, used - 2) : xstrdup("");
	char kind = used ? *p : 0;

	if (objects && strchr("oph", kind) && kind)
		expand(&content, p + rest, len - rest);
	if (objects && kind == 'o')
		add_object(word, &content);
	else if (objects && kind == 'p')
		add_packed(word, &content);
	else if (objects && kind == 'h')
		add_loose(&content);
	else if (!objects && (kind == 'f' || kind == 'r'))
		take_file(word, p + rest, len - rest, kind == 'r');
	else if (!objects && kind == 'x')
		change_file(word, (const unsigned char *)p + rest, len - rest);
	strbuf_release(&content);
	free(word);
}

static void take_records(const char *p, size_t len, bool objects)
{
	while (len) {
		const char *end = memmem(p, len, "\n~\n", 3);
		size_t n = end ? (size_t)(end - p) : len;

		take_record(p, n, objects);
		n += end ? 3 : 0;
		p += n;
		len -= n;
	}
}

static void open_server(const uint8_t *data, size_t size)
{
	memset(&server, 0, sizeof(server));
	server.how = data[0];
	craft_init(&server.pack, hash_sha1);
	take_records((const char *)data + 1, size - 1, true);
	end_pack();
	take_records((const char *)data + 1, size - 1, false);
}

static void close_server(void)
{
	for (size_t i = 0; i < server.nr_files; i++) {
		free(server.files[i].name);
		strbuf_release(&server.files[i].content);
	}
	craft_release(&server.pack);
}

/* ---- http.c ---- */

static bool is_of_host(const char *url)
{
	const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "/?#"), *at = memrchr(host, '@', end - host);

	host = at ? at + 1 : host;
	return (size_t)(end - host) >= strlen(HOST) && !strncasecmp(host, HOST, strlen(HOST)) &&
		(end == host + strlen(HOST) || (starts_with(url, "http://") && host[strlen(HOST)] == ':'));
}

static void check_url(const struct http_client *c, const char *url)
{
	if (!starts_with(url, "http://") && (server.how & ONLY_HTTP || !starts_with(url, "https://")))
		abort();
	if (!starts_with(c->base, "http://" HOST "/"))
		abort();
	if (c->moved ? !(server.how & FOLLOWS_EVERYWHERE) : !starts_with(url, "http://") || !is_of_host(url))
		abort();
	for (; *url; url++)
		if ((unsigned char)*url <= ' ' || *url == 127)
			abort();
}

static struct strbuf *answer(const struct http_client *c, const char *url)
{
	check_url(c, url);
	if (++server.requests > REQUESTS_MAX)
		abort();
	return find_file(url);
}

int http_get_text(struct http_client *c, const char *url, size_t max_bytes, struct strbuf *out, struct err *err)
{
	const struct strbuf *file = answer(c, url);

	if (!file)
		return err_set(err, ERR_NOT_FOUND, "no '%s'", url);
	if (file->len > max_bytes)
		return err_set(err, ERR_TOO_BIG, "'%s'", url);
	strbuf_addbuf(out, file);
	return 0;
}

int http_get_to_fd(struct http_client *c, const char *url, int fd, uint64_t offset, uint64_t max_bytes, uint64_t *got,
		   struct err *err)
{
	const struct strbuf *file = answer(c, url);

	*got = 0;
	if (offset)
		abort();
	if (!file)
		return err_set(err, ERR_NOT_FOUND, "no '%s'", url);
	if (max_bytes && file->len > max_bytes)
		return err_set(err, ERR_TOO_BIG, "'%s'", url);
	if (write(fd, file->buf, file->len) != (ssize_t)file->len)
		abort();
	*got = file->len;
	return 0;
}

uint64_t http_most_bytes(int fd UNUSED)
{
	return 0;
}

const char *http_base(const struct http_client *c)
{
	return c->base;
}

bool http_url_is_near(const struct http_client *c, const char *url)
{
	return http_url_same_origin(c->base, url);
}

bool http_follows_everywhere(const struct http_client *c UNUSED)
{
	return server.how & FOLLOWS_EVERYWHERE;
}

void http_client_free(struct http_client *c)
{
	if (c)
		free(c->base);
	free(c);
}

static struct http_client *new_client(bool other)
{
	struct http_client *c = xcalloc(1, sizeof(*c));

	c->base = xstrdup("http://" HOST "/r/");
	c->moved = other;
	return c;
}

static int open_other(void *data UNUSED, const char *url, struct http_client **out, struct err *err UNUSED)
{
	*out = new_client(true);
	check_url(*out, url);
	return 0;
}

/* ---- the walk ---- */

static void check_line(void *data UNUSED, const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 127)
			abort();
}

static unsigned count_entries(const char *name)
{
	DIR *d = opendir(scratch_path(name));
	unsigned nr = 0;

	if (!d)
		return 0;
	while (readdir(d))
		nr++;
	closedir(d);
	return nr;
}

static void check_refs(const struct remote_refs *refs, const struct hash_algo *algo)
{
	for (size_t i = 0; i < refs->nr; i++) {
		const struct remote_ref *ref = &refs->items[i];

		if (!remote_ref_name_is_valid(ref->name) || ref->oid.algo != algo->id ||
		    (ref->symref_target && !remote_refs_find(refs, ref->symref_target)))
			abort();
		for (size_t k = 0; k < i; k++)
			if (!strcmp(refs->items[k].name, ref->name))
				abort();
	}
}

/* After success. */
static void check_walk(struct http_walk *w, const struct oid_array *wants)
{
	struct object_id peeled;
	enum object_type type;

	for (size_t i = 0; i < wants->nr; i++)
		if (!oidset_contains(&w->seen, &wants->oid[i]) ||
		    http_walk_peel(w, &wants->oid[i], &type, &peeled, NULL) < 0)
			abort();
	for (size_t i = 0; i < server.nr_oids; i++)
		if (oidset_contains(&w->seen, &server.oids[i]) && !walk_find_received(w, &server.oids[i]) &&
		    !odb_has_quick(w->r->odb, &server.oids[i]))
			abort();
	if (w->nr_bases > 64 || w->todo.nr)
		abort();
}

static void walk(struct http_client *c, const struct oid_array *wants)
{
	struct repository *r = scratch_repo();
	struct http_walk_options o = {
		.r = r, .client = c, .open = open_other, .warn = check_line, .say = check_line,
		.max_idx_bytes = server.how & SMALL_INDEXES ? 1200 : 0, .thorough = server.how & THOROUGH,
	};
	struct repo_operation *op = repo_operation_begin(r);
	struct http_walk *w = http_walk_new(op, &o);

	if (repo_operation_open_objects(op, NULL) < 0)
		abort();
	if (!http_walk_run(w, wants, NULL))
		check_walk(w, wants);
	repo_operation_abort(op);
	repo_operation_free(op);
	http_walk_free(w);
}

static void fetch(struct http_client *c)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct oid_array wants = OID_ARRAY_INIT;
	const struct hash_algo *algo = hash_sha1;
	const struct strbuf *list = find_file("info/refs");

	if (list && !http_walk_refs(c, list, &refs, &algo, NULL)) {
		check_refs(&refs, algo);
		for (size_t i = 0; algo == hash_sha1 && i < refs.nr; i++)
			oid_array_append(&wants, &refs.items[i].oid);
	}
	if (!list && server.nr_oids)
		oid_array_append(&wants, &server.oids[server.nr_oids - 1]);
	walk(c, &wants);
	oid_array_clear(&wants);
	remote_refs_release(&refs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_client *c;
	unsigned before[2];

	if (!size)
		return 0;
	scratch_repo();
	before[0] = count_entries("repo/.git/objects");
	before[1] = count_entries("repo/.git/objects/pack");
	open_server(data, size);
	setenv("GIT_ALLOW_PROTOCOL", server.how & ONLY_HTTP ? "http" : "http:https", 1);
	c = new_client(false);
	fetch(c);
	http_client_free(c);
	close_server();
	if (before[0] != count_entries("repo/.git/objects") || before[1] != count_entries("repo/.git/objects/pack"))
		abort();
	return 0;
}
