/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files transport/http-walk*.c share. */
#ifndef TRANSPORT_HTTP_HTTP_WALK_INTERNAL_H
#define TRANSPORT_HTTP_HTTP_WALK_INTERNAL_H

#include "fs/mmap-window.h"
#include "fs/tmp-objdir.h"
#include "object/object.h"
#include "transport/http/http-walk.h"

struct walk_received; /* a pack that has come */

struct remote_pack {
	char *name; /* "pack-HASH" */
	struct mapped_file idx;
	bool idx_known, useless; /* useless: it has come, or cannot be used */
};

/* An object directory of the server, or of another one. */
struct walk_base {
	char *url; /* with '/' at its end */
	struct http_client *client;
	bool own_client; /* else that of the caller */
	unsigned depth;	 /* of alternates */
	bool packs_known, alternates_known;
	struct remote_pack *packs;
	size_t nr_packs, alloc_packs;
};

struct http_walk {
	const struct http_walk_options *o;
	struct repository *r;
	struct repo_operation *op;
	struct oid_array todo; /* the last one is next */
	struct oidset seen;
	struct walk_base **bases;
	size_t nr_bases, alloc_bases;
	struct walk_received **received;
	size_t nr_received, alloc_received;
	uint64_t idx_bytes;    /* of all indexes that have come */
	struct tmp_objdir *dir; /* NULL: not needed yet */
	bool has_big;		/* loose objects remain in it */
	/* An object is missing (incomplete): walk each object of a received pack, and count only reachable ones (precise). */
	bool precise, incomplete;
	/* Why the last copy of the object could not be used, and why the last pack, which is tried once; NULL */
	char *trouble, *pack_trouble;
};

/* ---- http-walk-files.c ---- */
void walk_say(const struct http_walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add an object to those to fetch, once. */
void walk_push(struct http_walk *w, const struct object_id *oid);
/* Keep the message of `why` for the error that there is no other copy. Takes its content. */
void walk_note_trouble(char **trouble, struct err *why);
/* Get the URL into the file. 1: done; 0: the server has no such file. More than max_bytes (0: half of the free disk space) is ERR_TOO_BIG. */
MUST_USE int walk_get_file(struct walk_base *b, const char *url, const char *path, uint64_t max_bytes, struct err *err);
MUST_USE int walk_get_text(struct walk_base *b, const char *tail, size_t max, struct strbuf *out, struct err *err);
/* The directory for files that are being downloaded. */
MUST_USE int walk_dir(struct http_walk *w, const char **path, struct err *err);

/* ---- http-walk-bases.c ---- */
MUST_USE int walk_add_first_base(struct http_walk *w, struct err *err);
/* Append the alternates of base i to the bases. */
MUST_USE int walk_add_alternates(struct http_walk *w, size_t i, struct err *err);
void walk_free_bases(struct http_walk *w);

/* ---- http-walk-objects.c: 1: it was there; 0: not at this base ---- */
MUST_USE int walk_get_loose(struct http_walk *w, struct walk_base *b, const struct object_id *oid,
			    struct object_buf *out, struct err *err);
/* ---- http-walk-packs.c ---- */
MUST_USE int walk_get_packed(struct http_walk *w, struct walk_base *b, const struct object_id *oid, struct err *err);

/* ---- http-walk-received.c ---- */
/*
 * The file is a pack, which was fetched for oid. It is staged in the operation, and objects that it refers to are wanted.
 * Errors: ERR_CORRUPT: another pack may be better; others end the walk.
 */
MUST_USE int walk_receive(struct http_walk *w, const char *path, const struct object_id *oid, struct err *err);
/* The first of them that has the object; NULL. */
struct walk_received *walk_find_received(const struct http_walk *w, const struct object_id *oid);
/* Before the operation publishes it. */
MUST_USE int walk_read_received(struct walk_received *p, const struct object_id *oid, struct object_buf *out, struct err *err);
void walk_free_received(struct http_walk *w);

#endif
