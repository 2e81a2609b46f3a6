/* SPDX-License-Identifier: GPL-2.0-only */
/* See repack-midx.h. */
#include "compat/posix.h"
#include "maintain/repack-midx.h"
#include "maintain/multi-pack-index.h"
#include "packing/pack-collection.h"
#include "odb/upkeep.h"
#include "util/alloc.h"

/* ---- packs ---- */

char *repack_idx_name(const struct pack *p)
{
	const char *name = pack_file_name(p);

	return xstrfmt("%.*s.idx", (int)(strlen(name) - strlen(".pack")), name);
}

static bool is_in_layers(const struct midx_layers *layers, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (strset_contains(&layers->v[i].packs, name))
			return true;
	return false;
}

bool repack_midx_keeps(const struct repack_options *o, const struct midx_layers *layers, const char *idx_name)
{
	size_t nr = layers->nr;

	if (nr && o->geometric && layers->v[nr - 1].packs.map.nr >= o->midx_new_layer_threshold)
		nr--;
	return is_in_layers(layers, nr, idx_name);
}

struct choosing {
	const struct repack_midx *m;
	size_t nr_layers; /* that stay */
	struct strset packs;
	uint64_t nr_objects;
	uint32_t largest_nr;
	char *largest;
};

/* Notes packs that are in no layer that stays. */
static int repack_midx_note_pack(void *data, struct pack *p)
{
	struct choosing *c = data;
	char *name = repack_idx_name(p);

	if (!strset_contains(c->m->gone, name) && !is_in_layers(c->m->layers, c->nr_layers, name)) {
		uint32_t nr = pack_nr_objects(p);

		strset_add(&c->packs, name);
		c->nr_objects += nr;
		if (!c->largest || nr > c->largest_nr) {
			free(c->largest);
			c->largest = xstrdup(name);
			c->largest_nr = nr;
		}
	}
	free(name);
	return 0;
}

static void choose_packs(struct choosing *c)
{
	strset_clear(&c->packs);
	FREE_AND_NULL(c->largest);
	c->nr_objects = 0;
	odb_foreach_pack(c->m->r->odb, ODB_OWN, repack_midx_note_pack, c);
}

static void choosing_release(struct choosing *c)
{
	strset_clear(&c->packs);
	free(c->largest);
}

/* ---- one index of all ---- */

static int repack_midx_note_cruft(void *data, struct pack *p)
{
	char *name = repack_idx_name(p);

	if (pack_has_file(p, "mtimes"))
		strset_add(data, name);
	free(name);
	return 0;
}

static void copy_names(const struct strset *from, struct strset *to)
{
	struct strmap_entry **v = strmap_sorted(&from->map);

	for (size_t i = 0; i < from->map.nr; i++)
		strset_add(to, v[i]->key);
	free(v);
}

static int repack_midx_write_index(const struct repack_midx *m, struct midx_write_options *o,
				   struct err *err)
{
	struct bitmap_build_options b;
	int rc = bitmap_build_options_read(&b, m->r, err);

	o->bitmap = m->o->write_bitmap;
	o->shared_perm = m->r->settings.shared_perm;
	return rc < 0 ? rc : multi_pack_index_write(m->r, 0, o, o->bitmap ? &b : NULL,
						    repo_operation_batch(m->op), NULL, err);
}

/* Cruft packs are left out if they may be; a bitmap may need them, as something leads to what they hold. */
static int write_without_cruft(const struct repack_midx *m, struct midx_write_options *o, struct err *err)
{
	struct midx_write_options less = *o;
	struct strset except = STRSET_INIT;
	struct err why = ERR_INIT;
	int rc;

	copy_names(m->gone, &except);
	odb_foreach_pack(m->r->odb, ODB_OWN, repack_midx_note_cruft, &except);
	less.except = &except;
	rc = repack_midx_write_index(m, &less, &why);
	if (rc == ERR_NOT_FOUND)
		rc = repack_midx_write_index(m, o, err);
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	strset_clear(&except);
	return rc;
}

static int write_whole(const struct repack_midx *m, struct err *err)
{
	struct midx_write_options o = { .except = m->gone };
	static const struct midx_layers none;
	struct repack_midx all = *m;
	struct choosing c = { .m = &all, .packs = STRSET_INIT };
	char *made = m->made ? xstrfmt("pack-%s.pack", oid_hex(m->made)) : NULL;
	int rc;

	all.layers = &none;
	choose_packs(&c);
	/* If packs have many sizes, prefer the largest one. */
	if (m->o->write_bitmap)
		o.preferred = m->o->geometric ? c.largest : made;
	rc = m->o->midx_without_cruft ? write_without_cruft(m, &o, err) : repack_midx_write_index(m,
												  &o, err);
	if (rc == ERR_NOT_FOUND && !odb_store_count_packs(m->r->odb, 0))
		rc = 0;
	choosing_release(&c);
	free(made);
	return rc;
}

/* ---- layers ---- */

static bool names_any(const struct midx_layer *l, const struct strset *names)
{
	struct strmap_entry **v = strmap_sorted(&l->packs.map);
	bool any = false;

	for (size_t i = 0; i < l->packs.map.nr && !any; i++)
		any = strset_contains(names, v[i]->key);
	free(v);
	return any;
}

/* How many of the lowest layers can stay as they are. */
static size_t count_usable(const struct repack_midx *m)
{
	const struct midx_layers *l = m->layers;
	size_t nr = 0;

	while (nr < l->nr && !names_any(&l->v[nr], m->gone) && (!m->o->write_bitmap || l->v[nr].has_bitmap))
		nr++;
	return nr;
}

static void choose_layers(struct choosing *c)
{
	const struct repack_options *o = c->m->o;

	c->nr_layers = count_usable(c->m);
	choose_packs(c);
	while (o->geometric && c->packs.map.nr && c->nr_layers &&
	       c->nr_objects * o->midx_split_factor > c->m->layers->v[c->nr_layers - 1].nr_objects) {
		c->nr_layers--;
		choose_packs(c);
	}
}

static int write_layer(const struct repack_midx *m, struct err *err)
{
	struct choosing c = { .m = m, .packs = STRSET_INIT };
	struct midx_write_options o = { .incremental = true, .base = "none" };
	char *base = NULL;
	int rc = 0;

	choose_layers(&c);
	if (c.nr_layers)
		o.base = base = xstrdup(oid_hex(&m->layers->v[c.nr_layers - 1].sum));
	o.only = &c.packs;
	o.preferred = m->o->write_bitmap ? c.largest : NULL;
	if (c.packs.map.nr)
		rc = repack_midx_write_index(m, &o, err);
	else if (c.nr_layers < m->layers->nr)
		rc = odb_store_stage_midx_clearing(m->r->odb, 0, repo_operation_batch(m->op), err);
	choosing_release(&c);
	free(base);
	return rc;
}

static int write_one_way(const struct repack_midx *m, struct err *err)
{
	return m->o->midx == REPACK_MIDX_INCREMENTAL ? write_layer(m, err) : write_whole(m, err);
}

/*
 * Objects reachable from a commit can be outside of the packs: in an alternate, or in loose objects
 * that came while the loose objects were listed, directory by directory. The packs are good, and can be found without a bitmap.
 */
int repack_write_midx(const struct repack_midx *m, struct err *err)
{
	struct repack_options plain = *m->o;
	struct repack_midx again = *m;
	struct err why = ERR_INIT;
	int rc = write_one_way(m, &why);

	plain.write_bitmap = false;
	again.o = &plain;
	if (rc == ERR_NOT_FOUND && m->o->write_bitmap) {
		rc = write_one_way(&again, err);
		if (!rc && m->o->warn)
			m->o->warn(m->o->data, "disabling bitmap writing, as some objects are not being packed");
	} else if (rc < 0) {
		err_move(err, &why);
	}
	err_release(&why);
	return rc;
}
