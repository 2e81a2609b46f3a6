/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/gc-repack.h"
#include "compat/os.h"
#include "fs/file.h"
#include "maintain/repack.h"
#include "pack/pack.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- packs that stay as they are ---- */

struct base_search {
	uint64_t threshold; /* bytes; 0: only the largest */
	struct pack *largest;
	struct strvec *names;
};

static bool is_cruft(const struct pack *p)
{
	char *path = xstrdup(pack_path(p)), *mtimes;
	size_t len = strlen(path);
	bool yes;

	strip_suffix(path, ".pack", &len);
	mtimes = xstrfmt("%.*s.mtimes", (int)len, path);
	yes = file_exists(mtimes);
	free(mtimes);
	free(path);
	return yes;
}

static int look_at_pack(void *data, struct pack *p)
{
	struct base_search *s = data;

	if (is_cruft(p))
		return 0;
	if (s->threshold && pack_size_bytes(p) >= s->threshold)
		strvec_push(s->names, path_basename(pack_path(p)));
	if (!s->largest || pack_size_bytes(p) > pack_size_bytes(s->largest))
		s->largest = p;
	return 0;
}

/* Those of at least so many bytes, or the largest one (0). Returns the largest. */
static struct pack *find_base_packs(struct repository *r, uint64_t threshold, struct strvec *names)
{
	struct base_search s = { .threshold = threshold, .names = names };

	odb_foreach_pack(r->odb, ODB_OWN, look_at_pack, &s);
	if (!threshold && s.largest)
		strvec_push(names, path_basename(pack_path(s.largest)));
	return s.largest;
}

/* Memory to repack it: half of the pack in the page cache, and data about each object. */
#define BYTES_PER_OBJECT 200

static bool memory_suffices(const struct repository *r, const struct pack *p)
{
	const uint64_t have = os_memory_bytes();
	uint64_t want = (pack_size_bytes(p) + pack_idx_size_bytes(p)) / 2 +
			(uint64_t)pack_nr_objects(p) * BYTES_PER_OBJECT +
			r->settings.delta_base_cache_limit;

	return want < have / 2;
}

/* --auto, when there are too many packs. */
static void keep_for_auto(struct repository *r, const struct gc_options *o, struct strvec *keep)
{
	const struct pack *largest;

	if (o->big_pack_bytes) {
		find_base_packs(r, o->big_pack_bytes, keep);
		if (keep->nr < (size_t)(o->auto_pack_limit > 0 ? o->auto_pack_limit : 0))
			return;
		/* Too many of them: all but the largest are packed, so that it does not stay so. */
		strvec_clear(keep);
		find_base_packs(r, 0, keep);
		return;
	}
	largest = find_base_packs(r, 0, keep);
	if (!largest || memory_suffices(r, largest))
		strvec_clear(keep);
}

static void choose_kept(struct repository *r, const struct gc_options *o, struct strvec *keep)
{
	if (o->keep_largest_pack > 0)
		find_base_packs(r, 0, keep);
	else if (o->automatic)
		keep_for_auto(r, o, keep);
	else if (o->keep_largest_pack < 0 && o->big_pack_bytes)
		find_base_packs(r, o->big_pack_bytes, keep);
}

/* ---- options ---- */

static void choose_unreachable(struct repack_options *ro, const struct gc_options *o)
{
	const bool now = o->prune && o->prune_before == TIME_MAX;
	const timestamp_t since = o->prune ? o->prune_before : 0;

	ro->all = true;
	if (now && !(o->cruft && o->expire_to)) {
		ro->unreachable = REPACK_DROP;
	} else if (o->cruft) {
		ro->unreachable = REPACK_CRUFT;
		ro->cruft_expiry = since;
		ro->max_cruft_bytes = o->max_cruft_bytes;
		ro->expire_to = o->expire_to;
	} else {
		ro->unreachable = REPACK_LOOSEN;
		ro->loosen_since = since;
	}
}

static void search_harder(struct pack_objects_options *po, const struct gc_options *o)
{
	po->reuse_delta = false;
	po->depth = o->aggressive_depth > 0 ? (unsigned)o->aggressive_depth : po->depth;
	po->window = o->aggressive_window > 0 ? (unsigned)o->aggressive_window : po->window;
}

static int choose(struct repack_options *ro, struct repository *r, const struct gc_options *o,
		  struct err *err)
{
	int rc = repack_options_read(ro, r, err);

	ro->delete_redundant = true;
	ro->local = true;
	ro->progress = o->progress;
	ro->warn = o->warn;
	ro->data = o->data;
	if (o->aggressive)
		search_harder(&ro->pack, o);
	if (o->aggressive)
		search_harder(&ro->cruft, o);
	if (!rc && o->filter && *o->filter)
		rc = filter_spec_parse(&ro->filter, o->filter, err);
	ro->filter_to = o->filter_to && *o->filter_to ? o->filter_to : NULL;
	if (!rc && ro->filter_to && !ro->filter.nr)
		rc = err_set(err, ERR_INVALID, "gc.repackFilterTo can only be used along with gc.repackFilter");
	if (o->automatic && !o->need.packs) {
		ro->write_bitmap = false; /* the pack does not have all objects */
		return rc;
	}
	choose_unreachable(ro, o);
	choose_kept(r, o, &ro->keep_packs);
	return rc;
}

int gc_repack_check(struct repository *r, const struct gc_options *o, struct err *err)
{
	struct repack_options ro;
	int rc;

	repack_options_init(&ro, r);
	rc = choose(&ro, r, o, err);
	repack_options_release(&ro);
	return rc;
}

int gc_repack(struct repo_operation *op, struct repository *r, const struct gc_options *o,
	      struct err *err)
{
	struct repack_result result = { 0 };
	struct repack_options ro;
	int rc;

	if (o->automatic && !o->need.packs && !o->need.loose)
		return 0;
	repack_options_init(&ro, r);
	rc = choose(&ro, r, o, err);
	repack_limit_size(&ro, &ro.max_cruft_bytes);
	if (!rc)
		rc = repack_run(op, r, &ro, &result, err);
	if (!rc && !result.nr_packs && o->note)
		o->note(o->data, "Nothing new to pack.");
	repack_options_release(&ro);
	return rc;
}
