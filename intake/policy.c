/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/policy.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define UNPACK_LIMIT_DEFAULT 100

static int read_limit_of(const struct config_set *c, const char *service, int *out, struct err *err)
{
	char *key = xconcat(service, ".unpacklimit");
	int rc = config_get_int(c, key, out, err);

	free(key);
	return rc;
}

int intake_read_unpack_limit(const struct config_set *c, const char *service, int64_t *out, struct err *err)
{
	int limit = -1, rc = read_limit_of(c, service, &limit, err);

	if (rc >= 0 && limit < 0)
		rc = read_limit_of(c, "transfer", &limit, err);
	if (rc < 0)
		return rc;
	*out = limit;
	return 0;
}

int intake_read_head(struct intake_head *h, int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err),
		     void *data, struct err *err)
{
	size_t got = 1;

	for (h->len = 0; got && h->len < INTAKE_HEAD_BYTES; h->len += got) {
		int rc = read(data, h->bytes + h->len, INTAKE_HEAD_BYTES - h->len, &got, err);

		if (rc < 0)
			return rc;
	}
	h->nr_objects = h->len < INTAKE_HEAD_BYTES ? 0 : get_be32(h->bytes + 8);
	return 0;
}

void intake_policy_choose_form(struct intake_policy *policy, uint32_t nr_objects)
{
	int64_t limit = policy->unpack_limit < 0 ? UNPACK_LIMIT_DEFAULT : policy->unpack_limit;
	bool loose = !policy->never_loose && (nr_objects < (uint64_t)limit || (!limit && policy->zero_unpacks_all));

	policy->form = loose ? INTAKE_LOOSE : INTAKE_PACKED;
	/* If the user has not said how many may be loose, it depends on the file system. */
	policy->keep_loose = loose && policy->unpack_limit >= 0;
}
