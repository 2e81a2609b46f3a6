/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of uploadpack.*, uploadpackfilter.*, transfer.* and lsrefs.*: git-config(1). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

#define KEEPALIVE_DEFAULT_S 5
#define SHARE_LIMIT_DEFAULT ((int64_t)1 << 30)
#define WAIT_DEFAULT_S 60
#define SECONDS_MAX (7 * 24 * 3600)
#define CONCURRENT_MAX 10000

static int read_share_limit(struct upload_config *u, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "uploadpack.sharelimit");
	int64_t limit = SHARE_LIMIT_DEFAULT;
	int rc = e ? config_entry_int64(e, 0, INT64_MAX, &limit, err) : 0;

	u->share_limit_bytes = (uint64_t)limit;
	return rc;
}

/*
 * The hook runs programs, shared packs are files of the server, and the sandbox keeps it from all
 * else: only who runs the server has a say in them, not the repository's owner.
 */
static int read_protected(struct upload_config *u, struct err *err)
{
	struct config_set *c = config_set_new();
	const char *value = NULL;
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = sandbox_read_config(&u->sandbox, c, err);
	if (!rc)
		rc = config_get_string(c, "uploadpack.packobjectshook", &value, err);
	if (rc > 0 && *value)
		u->pack_objects_hook = xstrdup(value);
	if (rc >= 0)
		rc = config_get_path(c, "uploadpack.sharedirectory", &u->share_dir, err);
	if (rc >= 0)
		rc = read_share_limit(u, c, err);
	config_set_free(c);
	return rc < 0 ? rc : 0;
}

/* A number that is not negative; at most `max` of it counts. */
static int read_count(const struct config_set *c, const char *key, unsigned max, unsigned *out,
		      struct err *err)
{
	const struct config_entry *e = config_get(c, key);
	int64_t n;
	int rc = e ? config_entry_int64(e, 0, INT64_MAX, &n, err) : 0;

	if (e && !rc)
		*out = n < (int64_t)max ? (unsigned)n : max;
	return rc;
}

static int read_herd(struct upload_config *u, const struct config_set *c, struct err *err)
{
	int rc = read_count(c, "uploadpack.shareidentical", SECONDS_MAX, &u->share_s, err);

	u->max_concurrent_wait_s = WAIT_DEFAULT_S;
	if (!rc)
		rc = read_count(c, "uploadpack.maxconcurrent", CONCURRENT_MAX, &u->max_concurrent, err);
	if (!rc)
		rc = read_count(c, "uploadpack.maxconcurrentwait", SECONDS_MAX,
				&u->max_concurrent_wait_s, err);
	return rc;
}

static int read_keepalive(struct upload_config *u, const struct config_set *c, struct err *err)
{
	int seconds = KEEPALIVE_DEFAULT_S;
	int rc = config_get_int(c, "uploadpack.keepalive", &seconds, err);

	u->keepalive_ms = seconds > 0 ? (int64_t)seconds * 1000 : 0;
	return rc < 0 ? rc : 0;
}

/* The limit itself is looked up when a filter comes. A bad one is reported before. */
static int check_max_depth(const struct config_set *c, struct err *err)
{
	const char *value;
	unsigned long max;
	int rc = config_get_string(c, "uploadpackfilter.tree.maxdepth", &value, err);

	if (rc > 0)
		rc = config_get_ulong(c, "uploadpackfilter.tree.maxdepth", &max, err);
	return rc < 0 ? rc : 0;
}

/* uploadpackfilter.allow and uploadpackfilter.<filter>.allow: the same. */
static int check_allowed_filters(const struct config_set *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < config_nr(c) && !rc; i++) {
		const struct config_entry *e = config_at(c, i);
		bool allowed;

		if (starts_with(e->key, "uploadpackfilter.") && ends_with(e->key, ".allow"))
			rc = config_entry_bool(e, &allowed, err);
	}
	return rc;
}

static int read_unborn(struct upload_config *u, const struct config_set *c, struct err *err)
{
	const char *value = "advertise";
	int rc = config_get_string(c, "lsrefs.unborn", &value, err);

	if (rc < 0)
		return rc;
	u->unborn_advertised = !strcmp(value, "advertise");
	u->unborn_allowed = u->unborn_advertised || !strcmp(value, "allow");
	return u->unborn_allowed || !strcmp(value, "ignore") ? 0
		: err_set(err, ERR_INVALID, "invalid value for 'lsrefs.unborn': '%s'", value);
}

int upload_config_read(struct upload_config *out, const struct config_set *c, struct err *err)
{
	struct upload_config u = { .use_bitmaps = true };
	const struct {
		const char *key;
		bool *to;
	} booleans[] = {
		{ "uploadpack.allowtipsha1inwant", &u.allow_tip },
		{ "uploadpack.allowreachablesha1inwant", &u.allow_reachable },
		{ "uploadpack.allowanysha1inwant", &u.allow_any },
		{ "uploadpack.allowfilter", &u.allow_filter },
		{ "uploadpack.allowrefinwant", &u.allow_ref_in_want },
		{ "uploadpack.allowsidebandall", &u.allow_sideband_all },
		{ "uploadpack.advertisebundleuris", &u.advertise_bundle_uris },
		{ "pack.usebitmaps", &u.use_bitmaps },
		{ "promisor.advertise", &u.advertise_promisors },
		{ "transfer.advertisesid", &u.advertise_sid },
		{ "transfer.advertiseobjectinfo", &u.advertise_object_info },
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(booleans) && rc >= 0; i++)
		rc = config_get_bool(c, booleans[i].key, booleans[i].to, err);
	if (rc >= 0)
		rc = read_keepalive(&u, c, err);
	if (!rc)
		rc = read_unborn(&u, c, err);
	if (!rc)
		rc = check_max_depth(c, err);
	if (!rc)
		rc = check_allowed_filters(c, err);
	if (!rc)
		rc = read_herd(&u, c, err);
	if (!rc)
		rc = read_protected(&u, err);
	if (rc < 0)
		upload_config_release(&u);
	else
		*out = u;
	return rc;
}

void upload_config_release(struct upload_config *u)
{
	free((char *)u->pack_objects_hook);
	u->pack_objects_hook = NULL;
	FREE_AND_NULL(u->share_dir);
}

/* ---- filters ---- */

static int filter_allowed(const struct config_set *c, const char *name, bool *out, struct err *err)
{
	char *key = xstrfmt("uploadpackfilter.%s.allow", name);
	int rc;

	*out = true;
	rc = config_get_bool(c, key, out, err);
	if (!rc)
		rc = config_get_bool(c, "uploadpackfilter.allow", out, err);
	free(key);
	return rc < 0 ? rc : 0;
}

static int check_part(const struct config_set *c, const struct filter_part *part, struct err *err)
{
	const char *name = filter_kind_name(part->kind);
	unsigned long max;
	bool allowed;
	int rc = filter_allowed(c, name, &allowed, err);

	if (rc < 0)
		return rc;
	if (!allowed)
		return err_set(err, ERR_INVALID, "filter '%s' not supported", name);
	if (part->kind != FILTER_TREE_DEPTH)
		return 0;
	rc = config_get_ulong(c, "uploadpackfilter.tree.maxdepth", &max, err);
	if (rc > 0 && part->number > max)
		rc = err_set(err, ERR_INVALID,
			     "tree filter allows max depth %lu, but got %" PRIu64,
			     max, part->number);
	return rc < 0 ? rc : 0;
}

int upload_filter_check(const struct config_set *c, const struct filter_spec *f, struct err *err)
{
	bool allowed = true;
	int rc = f->combined ? filter_allowed(c, "combine", &allowed, err) : 0;

	if (!rc && !allowed)
		rc = err_set(err, ERR_INVALID, "filter 'combine' not supported");
	for (size_t i = 0; i < f->nr && !rc; i++)
		rc = check_part(c, &f->parts[i], err);
	return rc;
}
