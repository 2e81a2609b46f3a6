/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that pack the repository anew: geometric-repack, gc. git-maintenance(1). */
#include "compat/posix.h"
#include "maintain/counts.h"
#include "maintain/gc-files.h"
#include "maintain/gc.h"
#include "maintain/repack.h"
#include "maintain/tasks/tasks-internal.h"
#include "repo/hook.h"

#define DEFAULT_FACTOR 2

/* ---- geometric-repack ---- */

static int read_factor(struct repository *r, unsigned *out, struct err *err)
{
	int factor = DEFAULT_FACTOR;
	int rc = config_get_int(r->config, "maintenance.geometric-repack.splitfactor", &factor, err);

	*out = factor < 2 ? DEFAULT_FACTOR : (unsigned)factor;
	return rc < 0 ? rc : 0;
}

int task_geometric_repack_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	unsigned factor;
	size_t nr = 0;
	int rc = read_factor(r, &factor, err);

	if (rc < 0)
		return rc;
	if (packs_break_progression(r, factor)) {
		*out = true;
		return 0;
	}
	rc = loose_objects_count_to(r, (size_t)limit, &nr, err);
	if (!rc)
		*out = nr >= (size_t)limit;
	return rc;
}

/*
 * If all packs would become one, repack all objects as gc does, so that unreachable ones can
 * expire.
 */
static void choose(struct repack_options *ro, struct repository *r, unsigned factor,
		   timestamp_t prune_before)
{
	ro->delete_redundant = true;
	ro->local = true;
	ro->midx = REPACK_MIDX_WHOLE;
	if (!repack_geometric_takes_all(r, factor)) {
		ro->geometric = factor;
		return;
	}
	ro->all = true;
	ro->unreachable = REPACK_CRUFT;
	ro->cruft_expiry = prune_before;
}

int task_geometric_repack(struct repository *r, struct repo_operation *op,
			  const struct maintenance_options *o, struct err *err)
{
	struct repack_options ro;
	struct gc_options go;
	unsigned factor;
	int rc;

	repack_options_init(&ro, r);
	gc_options_init(&go);
	rc = read_factor(r, &factor, err);
	if (!rc)
		rc = repack_options_read(&ro, r, err);
	if (!rc)
		rc = gc_options_read(&go, r, err);
	if (!rc) {
		choose(&ro, r, factor, go.prune ? go.prune_before : 0);
		ro.progress = o->progress;
		ro.warn = o->warn;
		ro.data = o->data;
		repo_ignore_replacements(r); /* the objects themselves are kept */
		rc = repack_run(op, r, &ro, NULL, err);
	}
	repack_options_release(&ro);
	return rc;
}

/* ---- gc ---- */

static bool hook_forbids(struct repository *r)
{
	struct err err = ERR_INIT;
	bool forbids = repo_run_hook(r, "pre-auto-gc", NULL, NULL, NULL, &err) < 0;

	err_release(&err);
	return forbids;
}

int task_gc(struct repository *r, struct repo_operation *op, const struct maintenance_options *o,
	    struct err *err)
{
	struct gc_lock lock = GC_LOCK_INIT;
	struct gc_options go;
	int rc;

	gc_options_init(&go);
	rc = gc_options_read(&go, r, err);
	if (rc < 0)
		return rc;
	go.automatic = o->if_due;
	go.progress = o->progress;
	go.warn = o->warn;
	go.data = o->data;
	if (go.automatic && (!gc_auto_needed(r, &go.need) || hook_forbids(r)))
		return 0;
	rc = gc_lock_take(&lock, r, false, err);
	if (rc == ERR_LOCKED && go.automatic) {
		err_release(err);
		return 0; /* another process does it */
	}
	if (!rc)
		rc = gc_run(op, r, &go, err);
	gc_lock_release(&lock);
	return rc;
}
