/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of transport/dav-push*.c share. */
#ifndef TRANSPORT_DAV_PUSH_INTERNAL_H
#define TRANSPORT_DAV_PUSH_INTERNAL_H

#include "transport/dav-push.h"
#include "transport/dav.h"
#include "util/map.h"

struct dav_push {
	struct http_client *c;
	struct repository *r;
	struct remote_refs refs; /* HEAD first, if it leads somewhere */
	struct strset loose;	 /* names of those that have a file */
	struct strset packed;	 /* and of those in packed-refs */
	struct strbuf packed_refs; /* as it is there; empty: there is none */
	struct strbuf info_refs;
	bool has_info_refs;
	const struct dav_push_options *o; /* during dav_push_send */
	struct dav_lock *info_lock;
};

/* ---- dav-push-files.c ---- */
void dav_push_say(const struct dav_push *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The URL of a file of the repository; what a URL cannot have is encoded. Caller frees. */
char *dav_push_url(const struct dav_push *s, const char *path);
/* The content of a file; *there: is there one? */
MUST_USE int dav_push_read(const struct dav_push *s, const char *path, size_t max, struct strbuf *out, bool *there,
			   struct err *err);
/* Written whole under a name of its own, then moved into place; lock: of that place, NULL: none. */
MUST_USE int dav_push_replace(const struct dav_push *s, const char *path, const struct strbuf *content,
			      const struct dav_lock *lock, struct err *err);

/* ---- dav-push-refs.c ---- */
MUST_USE int dav_push_list_refs(struct dav_push *s, struct err *err);
/* The value of a ref as it is now; null: it is not there. */
MUST_USE int dav_push_read_ref(struct dav_push *s, const char *name, struct object_id *out, struct err *err);
/* What info/refs ought to be. */
void dav_push_info_refs(const struct dav_push *s, const struct push_list *l, struct strbuf *out);
/* packed-refs without these. False: it has none of them. */
bool dav_push_without(const struct dav_push *s, const struct strset *names, struct strbuf *out);

/* ---- dav-push-pack.c ---- */
/* Pack and index of what is missing there, in place; *name: NULL: nothing is missing. Caller frees. */
MUST_USE int dav_push_send_pack(struct dav_push *s, const struct push_list *l, char **name, struct err *err);
/* objects/info/packs lists it, too. */
MUST_USE int dav_push_announce_pack(struct dav_push *s, const char *name, struct err *err);

#endif
