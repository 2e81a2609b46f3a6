/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of transport/dav-push*.c share. */
#ifndef TRANSPORT_HTTP_DAV_PUSH_INTERNAL_H
#define TRANSPORT_HTTP_DAV_PUSH_INTERNAL_H

#include "transport/http/dav-push.h"
#include "transport/http/dav.h"
#include "util/map.h"

struct dav_push {
	struct http_client *c;
	struct repository *r;
	struct remote_refs refs; /* HEAD first, if it leads somewhere */
	struct strset loose;	 /* names of refs that have a loose file */
	const struct ref_table_format *table; /* of the server's refs; NULL: each ref has a file */
	struct strset in_table;	 /* names of refs in that file */
	struct strbuf table_text; /* the file of the server; empty: there is none */
	struct strbuf info_refs;
	bool has_info_refs;
	const struct dav_push_options *o; /* during dav_push_send */
	struct dav_lock *info_lock;
};

/* ---- dav-push-files.c ---- */
void dav_push_say(const struct dav_push *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The URL of a file of the repository; other characters are encoded. Caller frees. */
char *dav_push_url(const struct dav_push *s, const char *path);
/* The content of a file; *there: is there one? */
MUST_USE int dav_push_read(const struct dav_push *s, const char *path, size_t max, struct strbuf *out, bool *there,
			   struct err *err);
/* Write the whole file under a temporary name, then move it into place. lock: the lock of path; NULL: none. */
MUST_USE int dav_push_replace(const struct dav_push *s, const char *path, const struct strbuf *content,
			      const struct dav_lock *lock, struct err *err);

/* ---- dav-push-refs.c ---- */
MUST_USE int dav_push_list_refs(struct dav_push *s, struct err *err);
/* The value of a ref as it is now; null: it is not there. */
MUST_USE int dav_push_read_ref(struct dav_push *s, const char *name, struct object_id *out, struct err *err);
/* The content that info/refs should have. */
void dav_push_info_refs(const struct dav_push *s, const struct push_list *l, struct strbuf *out);
/* Read the file with many refs again. */
MUST_USE int dav_push_read_table(struct dav_push *s, struct err *err);

/* ---- dav-push-pack.c ---- */
/* Send pack and index of the objects that the server lacks. *name: caller frees; NULL: it lacks none. */
MUST_USE int dav_push_send_pack(struct dav_push *s, const struct push_list *l, char **name, struct err *err);
/* Add the pack to objects/info/packs. */
MUST_USE int dav_push_announce_pack(struct dav_push *s, const char *name, struct err *err);

#endif
