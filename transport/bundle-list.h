/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of bundles, as a configuration file or in lines from a server: bundle.* of git-config(1). The list is not
 * trusted: sizes and numbers have caps, includes are not followed, and unknown keys are skipped.
 */
#ifndef TRANSPORT_BUNDLE_LIST_H
#define TRANSPORT_BUNDLE_LIST_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strvec.h"

#define BUNDLE_LIST_BYTES_MAX ((size_t)1 << 20)
#define BUNDLE_LIST_ITEMS_MAX 1000u

enum bundle_list_mode { BUNDLE_LIST_NONE, BUNDLE_LIST_ALL, BUNDLE_LIST_ANY };

struct bundle_list_item {
	char *id;
	char *uri;	/* absolute, as far as the base was; never NULL in a list that has been read */
	uint64_t token; /* creationToken; 0: none */
};
struct bundle_list {
	enum bundle_list_mode mode;
	bool by_token; /* heuristic = creationToken */
	int version;
	struct bundle_list_item *items; /* in the order of their first keys */
	size_t nr, alloc;
};
#define BUNDLE_LIST_INIT { BUNDLE_LIST_NONE, false, 0, NULL, 0, 0 }
void bundle_list_release(struct bundle_list *l);

/*
 * Read the text of a file. base: its URI; relative URIs start at its directory. ERR_CORRUPT: the text is no configuration; ERR_INVALID:
 * the list has another version, no mode, or an invalid value; ERR_TOO_BIG.
 */
MUST_USE int bundle_list_read_text(struct bundle_list *l, const char *text, size_t len, const char *base, struct err *err);
/* Read lines "bundle.<id>.uri=…"; base is the URL of the server's repository. Malformed lines are skipped. */
MUST_USE int bundle_list_read_lines(struct bundle_list *l, const struct strvec *lines, const char *base, struct err *err);

#endif
