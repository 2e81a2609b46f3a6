/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/files/files.h"
#include "refs/reftable/reftable.h"
#include "repo/ref-storage.h"
#include "util/alloc.h"
#include "util/path.h"

#define REFTABLE_LOCK_TIMEOUT_MS 100

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

int ref_storage_find(const struct ref_backend **out, char **dir, const char *value, struct err *err)
{
	const char *place = strstr(value, "://");
	int rc = find_format(out, value, place ? (size_t)(place - value) : strlen(value), err);

	if (rc < 0)
		return rc;
	place = place ? place + strlen("://") : "";
	*dir = *place ? xstrdup(place) : NULL;
	return 0;
}

char *ref_storage_dir(const char *dir, const char *gitdir, const char *commondir, bool own)
{
	char *full, *result;

	if (!dir)
		return xstrdup(own ? gitdir : commondir);
	full = is_absolute_path(dir) ? xstrdup(dir) : path_join(commondir, dir);
	if (!own || !strcmp(gitdir, commondir))
		return full;
	result = xstrfmt("%s/worktrees/%s", full, path_basename(gitdir));
	free(full);
	return result;
}

/* ---- reftable.* ---- */

#define BLOCK_SIZE_MAX 0xffffff
#define RESTART_INTERVAL_MAX 0xffff
#define GEOMETRIC_FACTOR_MAX 0xff

/* too_large: Git's message. */
static int read_limited(const struct config_set *c, const char *key, unsigned long max, const char *too_large,
			unsigned long *out, struct err *err)
{
	int found = config_get_ulong(c, key, out, err);

	if (found < 0)
		return ERR_INVALID;
	return found && *out > max ? err_set(err, ERR_INVALID, "%s", too_large) : 0;
}

static int read_lock_timeout(const struct config_set *c, long *out, struct err *err)
{
	const struct config_entry *e = config_get(c, "reftable.locktimeout");
	int64_t n = *out;

	if (e && config_entry_int64(e, LONG_MIN, LONG_MAX, &n, err) < 0)
		return ERR_INVALID;
	if (n < -1)
		return err_set(err, ERR_INVALID, "reftable lock timeout does not support negative values other than -1");
	*out = (long)n;
	return 0;
}

int ref_storage_read_options(struct ref_store_options *o, const struct config_set *c, struct err *err)
{
	unsigned long block_size = 0, interval = 0, factor = 0;
	bool index_objects = true;
	int rc;

	if (o->backend != &reftable_ref_backend)
		return 0;
	o->lock_timeout_ms = REFTABLE_LOCK_TIMEOUT_MS;
	rc = read_limited(c, "reftable.blocksize", BLOCK_SIZE_MAX, "reftable block size cannot exceed 16MB", &block_size, err);
	if (!rc)
		rc = read_limited(c, "reftable.restartinterval", RESTART_INTERVAL_MAX,
				  "reftable restart interval cannot exceed 65535", &interval, err);
	if (!rc && config_get_bool(c, "reftable.indexobjects", &index_objects, err) < 0)
		rc = ERR_INVALID;
	if (!rc)
		rc = read_limited(c, "reftable.geometricfactor", GEOMETRIC_FACTOR_MAX,
				  "reftable geometric factor cannot exceed 255", &factor, err);
	if (!rc)
		rc = read_lock_timeout(c, &o->lock_timeout_ms, err);
	o->tables = (struct ref_table_options){ (uint32_t)block_size, (unsigned)interval, (unsigned)factor, !index_objects };
	return rc;
}
