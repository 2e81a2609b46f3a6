/* SPDX-License-Identifier: GPL-2.0-only */
/* An open bundle file: its header, then the bytes of its pack. gitformat-bundle(5). */
#ifndef TRANSPORT_BUNDLE_SOURCE_H
#define TRANSPORT_BUNDLE_SOURCE_H

#include "compat/posix.h"
#include "transport/url.h"
#include "util/err.h"
#include "wire/bundle.h"

struct bundle_source;

/* Open the bundle at a plain path and return a descriptor; -1: u is no plain path, or names no bundle. */
int bundle_source_find(const struct remote_url *u);
/* Read the header. The source owns fd from now on, on all outcomes. Errors: see bundle_header_read. */
MUST_USE int bundle_source_open(struct bundle_source **out, int fd, const char *name, struct err *err);
void bundle_source_free(struct bundle_source *b); /* NULL is fine */
const struct bundle_header *bundle_source_header(const struct bundle_source *b);
/* Read up to len bytes of the pack; *got 0 at the end. */
MUST_USE int bundle_source_read(struct bundle_source *b, void *buf, size_t len, size_t *got, struct err *err);

#endif
