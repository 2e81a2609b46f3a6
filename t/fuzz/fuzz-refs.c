/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed-refs files and names of refs. A look-up returns the ref that was asked for, even if
 * the header claims an order that the file does not have.
 */
#include "compat/posix.h"
#include "refs/files/packed-internal.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"

static void check_name(const uint8_t *data, size_t size)
{
	char *name = xmemdupz(data, size < 200 ? size : 200);

	/* A name that may be created may be read, and has no "..". */
	if (refname_is_valid(name, 0) && (strstr(name, "..") || strstr(name, "//")))
		abort();
	if (refname_is_valid(name, 0) && starts_with(name, "refs/") && !refname_is_safe(name))
		abort();
	free(name);
}

static void check_entries(struct packed_refs *p)
{
	struct packed_entry e, found;
	struct packed_cursor c;
	char *name;

	if (packed_cursor_start(&c, p, "", NULL) < 0)
		return;
	while (packed_cursor_next(&c, &e, NULL) > 0) {
		name = xmemdupz(e.name, e.name_len);
		/* In an unsorted file with a header "sorted" it may not be found. */
		if (packed_refs_lookup(p, name, &found, NULL) > 0 &&
		    (found.name_len != e.name_len || memcmp(found.name, e.name, e.name_len)))
			abort();
		free(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packed_refs *p;

	check_name(data, size);
	if (packed_refs_parse(&p, (const char *)data, size, "packed-refs", hash_sha1, NULL) < 0)
		return 0;
	check_entries(p);
	packed_refs_put(p);
	return 0;
}
