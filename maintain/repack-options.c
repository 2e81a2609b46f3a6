/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of repack.*: see repack.h. */
#include "compat/posix.h"
#include "maintain/repack.h"

void repack_options_init(struct repack_options *o, struct repository *r)
{
	*o = (struct repack_options){
		.keep_packs = STRVEC_INIT,
		.filter = FILTER_SPEC_INIT,
		.max_pack_bytes = r->settings.pack_size_limit,
		.update_server_info = true,
		.midx_split_factor = 2,
		.midx_new_layer_threshold = 8,
	};
	pack_objects_options_init(&o->pack, r->odb);
	o->pack.ofs_delta = true;
	o->pack.big_file_threshold = r->settings.big_file_threshold;
	o->cruft = o->pack;
}

/* repack.cruftWindow and the like: the same for the pack of unreachable objects. */
static int repack_options_read_cruft(struct repack_options *o, const struct config_set *c,
				     struct err *err)
{
	struct { const char *key; int value; bool given; } numbers[] = {
		{ "repack.cruftwindow", 0, false }, { "repack.cruftdepth", 0, false },
		{ "repack.cruftthreads", 0, false },
	};
	unsigned long bytes;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && rc >= 0; i++) {
		rc = config_get_int(c, numbers[i].key, &numbers[i].value, err);
		numbers[i].given = rc > 0;
		if (rc > 0 && numbers[i].value < 0)
			return err_set(err, ERR_INVALID, "bad value %d of '%s'", numbers[i].value,
				       numbers[i].key);
	}
	if (rc >= 0 && (rc = config_get_ulong(c, "repack.cruftwindowmemory", &bytes, err)) > 0)
		o->cruft.window_memory = bytes;
	if (numbers[0].given)
		o->cruft.window = (unsigned)numbers[0].value;
	if (numbers[1].given)
		o->cruft.depth = (unsigned)numbers[1].value;
	if (numbers[2].given)
		o->cruft.threads = numbers[2].value;
	return rc;
}

static int read_at_least(unsigned *out, const struct config_set *c, const char *key, int least,
			 struct err *err)
{
	int value = (int)*out, rc = config_get_int(c, key, &value, err);

	if (rc >= 0 && value < least)
		return err_set(err, ERR_INVALID, "bad value %d of '%s'", value, key);
	*out = (unsigned)value;
	return rc < 0 ? rc : 0;
}

static int read_midx(struct repack_options *o, const struct config_set *c, struct err *err)
{
	bool cruft = true;
	int rc = config_get_bool(c, "repack.midxmustcontaincruft", &cruft, err);

	if (rc >= 0)
		rc = read_at_least(&o->midx_split_factor, c, "repack.midxsplitfactor", 2, err);
	if (rc >= 0)
		rc = read_at_least(&o->midx_new_layer_threshold, c, "repack.midxnewlayerthreshold", 1, err);
	o->midx_without_cruft = !cruft;
	return rc;
}

static int note_kept(void *data, struct pack *p)
{
	bool *any = data;

	*any |= pack_has_file(p, "keep");
	return 0;
}

static bool has_kept_packs(const struct repository *r)
{
	bool any = false;

	(void)odb_foreach_pack(r->odb, ODB_OWN, note_kept, &any);
	return any;
}

int repack_options_read(struct repack_options *o, struct repository *r, struct err *err)
{
	const struct config_set *c = r->config;
	int rc = pack_objects_options_read(&o->pack, c, err);

	if (rc >= 0)
		rc = config_get_bool(c, "repack.usedeltabaseoffset", &o->pack.ofs_delta, err);
	o->cruft = o->pack;
	if (rc >= 0)
		rc = repack_options_read_cruft(o, c, err);
	o->write_bitmap = r->bare && !has_kept_packs(r); /* objects of those are in no new pack */
	o->bitmap_unset = !config_get(c, "pack.writebitmaps") && !config_get(c, "repack.writebitmaps");
	if (rc >= 0)
		rc = config_get_bool(c, "pack.writebitmaps", &o->write_bitmap, err);
	if (rc >= 0)
		rc = config_get_bool(c, "repack.writebitmaps", &o->write_bitmap, err);
	o->pack_kept_objects = o->write_bitmap; /* or the bitmaps would lack them */
	if (rc >= 0)
		rc = config_get_bool(c, "repack.packkeptobjects", &o->pack_kept_objects, err);
	if (rc >= 0)
		rc = config_get_bool(c, "repack.updateserverinfo", &o->update_server_info, err);
	if (rc >= 0)
		rc = read_midx(o, c, err);
	if (rc >= 0)
		rc = config_get_bool(c, "repack.usedeltaislands", &o->delta_islands, err);
	return rc < 0 ? rc : 0;
}

#define PACK_SIZE_MIN ((uint64_t)1024 * 1024)

void repack_limit_size(const struct repack_options *o, uint64_t *bytes)
{
	if (!*bytes || *bytes >= PACK_SIZE_MIN)
		return;
	if (o->warn)
		o->warn(o->data, "minimum pack size limit is 1 MiB");
	*bytes = PACK_SIZE_MIN;
}

void repack_options_release(struct repack_options *o)
{
	strvec_clear(&o->keep_packs);
	filter_spec_release(&o->filter);
}
