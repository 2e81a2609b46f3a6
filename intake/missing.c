/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/missing.h"

/* Objects to check: links of a pack, or tips of histories. */
struct intake_needs {
	struct pack_receive *rx;
	struct repository *r;
	const struct oid_array *tips;
	const struct connected_options *connected;
};

/* t5407 fails without it. */
static int check_missing(const struct intake_needs *n, struct object_id *missing, struct err *err)
{
	int rc = n->rx ? pack_receive_check_links(n->rx, err) : 0;

	if (rc < 0)
		return rc;
	return n->tips ? objects_are_connected(n->r, n->tips, n->connected, missing, err) : 1;
}

int intake_check_links(struct pack_receive *rx, struct err *err)
{
	const struct intake_needs n = { .rx = rx };
	int rc = check_missing(&n, NULL, err);

	return rc < 0 ? rc : 0;
}

int intake_check_tips(struct repository *r, const struct oid_array *tips, const struct connected_options *o,
		      struct object_id *missing, struct err *err)
{
	const struct intake_needs n = { .r = r, .tips = tips, .connected = o };

	return check_missing(&n, missing, err);
}
