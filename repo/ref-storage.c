/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/files/files.h"
#include "refs/reftable/reftable.h"
#include "repo/ref-storage.h"

static const struct {
	const char *name;
	const struct ref_backend *backend; /* NULL: it does not exist here */
} formats[] = {
	{ "files", &files_ref_backend },
	{ "reftable", &reftable_ref_backend },
};

const struct ref_backend *ref_storage_default(void)
{
	return formats[0].backend;
}

static int find_format(const struct ref_backend **out, const char *name, size_t len, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strncmp(formats[i].name, name, len) != 0 || formats[i].name[len])
			continue;
		if (!formats[i].backend)
			return err_set(err, ERR_UNSUPPORTED, "ref storage format '%s' is not supported",
				       formats[i].name);
		*out = formats[i].backend;
		return 0;
	}
	return err_set(err, ERR_INVALID, "unknown ref storage format '%.*s'", (int)len, name);
}

int ref_storage_by_name(const struct ref_backend **out, const char *name, struct err *err)
{
	return find_format(out, name, strlen(name), err);
}

int ref_storage_find(const struct ref_backend **out, const char *value, struct err *err)
{
	const char *place = strstr(value, "://");
	const struct ref_backend *found;
	int rc = find_format(&found, value, place ? (size_t)(place - value) : strlen(value), err);

	if (rc < 0)
		return rc;
	if (place && place[strlen("://")])
		return err_set(err, ERR_UNSUPPORTED, "refs outside of the repository are not supported: '%s'", value);
	*out = found;
	return 0;
}
