/* SPDX-License-Identifier: GPL-2.0-only */
/* See counts.h. */
#include "compat/posix.h"
#include "maintain/counts.h"
#include "object-file.h"
#include "pack/pack.h"
#include "util/alloc.h"

#define GC_AUTO 6700

/* ---- loose objects ---- */

int loose_objects_count_to(struct repository *r, size_t limit, size_t *out, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	int rc = 0;

	for (unsigned i = 0; i < 256 && !rc && oids.nr < limit; i++)
		rc = loose_object_list(odb_objdir(r->odb), r->algo, i, &oids, err);
	if (!rc)
		*out = oids.nr < limit ? oids.nr : limit;
	oid_array_clear(&oids);
	return rc;
}

/* ---- packs ---- */

struct sizes {
	bool promisor; /* those of packs from promisor remotes, which are combined apart */
	uint32_t *v;
	size_t nr, alloc;
};

static int add_size(void *data, struct pack *p)
{
	struct sizes *s = data;

	if (pack_has_file(p, "keep") || pack_has_file(p, "mtimes") ||
	    pack_has_file(p, "promisor") != s->promisor)
		return 0;
	ALLOC_GROW(s->v, s->nr + 1, s->alloc);
	s->v[s->nr++] = pack_nr_objects(p);
	return 0;
}

static int compare_sizes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool is_broken(struct odb *odb, unsigned factor, bool promisor)
{
	struct sizes s = { .promisor = promisor };
	bool broken = false;

	odb_foreach_pack(odb, ODB_OWN, add_size, &s);
	if (s.nr)
		qsort(s.v, s.nr, sizeof(*s.v), compare_sizes);
	for (size_t i = 1; i < s.nr && !broken; i++)
		broken = s.v[i] < (uint64_t)s.v[i - 1] * factor;
	free(s.v);
	return broken;
}

bool packs_break_progression(struct repository *r, unsigned factor)
{
	odb_refresh(r->odb, ODB_OWN);
	return is_broken(r->odb, factor, false) || is_broken(r->odb, factor, true);
}

/* ---- settings ---- */

int auto_maintenance_is_on(struct repository *r, bool *out, struct err *err)
{
	int loose = GC_AUTO;
	bool on;
	int rc = config_get_bool(r->config, "maintenance.auto", &on, err);

	if (!rc) {
		rc = config_get_int(r->config, "gc.auto", &loose, err);
		on = loose > 0;
	}
	if (rc < 0)
		return rc;
	*out = on;
	return 0;
}
