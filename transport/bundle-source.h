/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a bundle, opened: its header, then the bytes of its pack. gitformat-bundle(5). */
#ifndef TRANSPORT_BUNDLE_SOURCE_H
#define TRANSPORT_BUNDLE_SOURCE_H

#include "compat/posix.h"
#include "transport/url.h"
#include "util/err.h"
#include "wire/bundle.h"

struct bundle_source;

/* If the path is that of a bundle: a descriptor of it; -1: it is something else, or nothing. Of a URL only plain paths. */
int bundle_source_find(const struct remote_url *u);
/* Reads the header. fd becomes its own in all outcomes. The errors of bundle_header_read. */
MUST_USE int bundle_source_open(struct bundle_source **out, int fd, const char *name, struct err *err);
void bundle_source_free(struct bundle_source *b); /* NULL is fine */
const struct bundle_header *bundle_source_header(const struct bundle_source *b);
/* Of the pack: up to len bytes; *got 0 at the end. */
MUST_USE int bundle_source_read(struct bundle_source *b, void *buf, size_t len, size_t *got, struct err *err);

#endif
