/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of pack.* for new packs: git-config(1). */
#include "compat/posix.h"
#include "config/config.h"
#include "pack/write/pack-objects.h"

static int read_sizes(struct pack_objects_options *o, const struct config_set *c, struct err *err)
{
	struct { const char *key; size_t *out; } sizes[] = {
		{ "pack.windowmemory", &o->window_memory },
		{ "pack.deltacachesize", &o->delta_cache_bytes },
		{ "pack.deltacachelimit", &o->delta_cache_limit },
	};
	unsigned long v;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && rc >= 0; i++) {
		rc = config_get_ulong(c, sizes[i].key, &v, err);
		if (rc > 0)
			*sizes[i].out = v;
	}
	return rc < 0 ? rc : 0;
}

/* Not negative; a negative one is 0, as on the command line. */
static int read_number(const struct config_set *c, const char *key, unsigned *out, struct err *err)
{
	int v, rc = config_get_int(c, key, &v, err);

	if (rc > 0)
		*out = v < 0 ? 0 : (unsigned)v;
	return rc < 0 ? rc : 0;
}

static int read_threads(struct pack_objects_options *o, const struct config_set *c, struct err *err)
{
	int rc = config_get_int(c, "pack.threads", &o->threads, err);

	if (rc > 0 && o->threads < 0)
		return err_set(err, ERR_INVALID, "invalid number of threads specified (%d)",
			       o->threads);
	return rc < 0 ? rc : 0;
}

/* Not the level of new objects, which is low by default. */
static int read_level(struct pack_objects_options *o, const struct config_set *c, struct err *err)
{
	int rc = config_get_int(c, "pack.compression", &o->level, err);

	if (!rc)
		rc = config_get_int(c, "core.compression", &o->level, err);
	if (rc > 0 && (o->level < -1 || o->level > 9))
		return err_set(err, ERR_INVALID, "bad pack compression level %d", o->level);
	return rc < 0 ? rc : 0;
}

/* Not set, it means "multi" here, not "single": ranges of other packs are as good. */
static int read_ranges(struct pack_objects_options *o, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "pack.allowpackreuse");
	int on = e ? config_parse_maybe_bool(e->value) : -1;

	if (!e)
		return 0;
	if (on >= 0)
		o->ranges = on ? PACK_RANGES_SINGLE : PACK_RANGES_NONE;
	else if (!strcmp(e->value, "single"))
		o->ranges = PACK_RANGES_SINGLE;
	else if (!strcmp(e->value, "multi"))
		o->ranges = PACK_RANGES_MULTI;
	else
		return err_set(err, ERR_INVALID, "invalid pack.allowPackReuse value: '%s'", e->value);
	return 0;
}

int pack_objects_options_read(struct pack_objects_options *o, const struct config_set *c,
			      struct err *err)
{
	int rc = read_number(c, "pack.window", &o->window, err);

	if (!rc)
		rc = read_number(c, "pack.depth", &o->depth, err);
	if (!rc)
		rc = read_threads(o, c, err);
	if (!rc)
		rc = read_level(o, c, err);
	if (!rc)
		rc = read_ranges(o, c, err);
	return rc < 0 ? rc : read_sizes(o, c, err);
}
