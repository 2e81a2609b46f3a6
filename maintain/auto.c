/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/auto.h"
#include <dirent.h>
#include "object-file.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "util/string-list.h"

#define LOOSE_LIMIT 6700
#define PACK_LIMIT 50

/* Names of objects are spread evenly over 256 directories. */
static bool has_many_loose(const struct repository *r, int limit)
{
	struct oid_array oids = OID_ARRAY_INIT;
	bool many = !loose_object_list(odb_objdir(r->odb), r->algo, 0x17, &oids, NULL) &&
		    oids.nr > (size_t)(limit / 256 + !!(limit % 256));

	oid_array_clear(&oids);
	return many;
}

/* Stems of names in objects/pack that end like this. */
static void read_stems(DIR *dir, struct string_list *packs, struct strset *kept)
{
	struct dirent *de;

	while ((de = readdir(dir))) {
		char *dot = strrchr(de->d_name, '.');

		if (!dot || !starts_with(de->d_name, "pack-"))
			continue;
		*dot = '\0';
		if (!strcmp(dot + 1, "idx"))
			string_list_append(packs, de->d_name);
		else if (!strcmp(dot + 1, "keep"))
			strset_add(kept, de->d_name);
	}
}

static size_t count_packs(const struct repository *r)
{
	struct string_list packs = STRING_LIST_INIT;
	struct strset kept = STRSET_INIT;
	char *path = path_join(odb_objdir(r->odb), "pack");
	DIR *dir = opendir(path);
	size_t nr = 0;

	if (dir)
		read_stems(dir, &packs, &kept);
	for (size_t i = 0; i < packs.nr; i++)
		nr += !strset_contains(&kept, packs.items[i].string);
	if (dir)
		closedir(dir);
	string_list_clear(&packs, NULL);
	strset_clear(&kept);
	free(path);
	return nr;
}

bool gc_auto_needed(const struct repository *r, struct gc_need *out)
{
	int loose = LOOSE_LIMIT, packs = PACK_LIMIT;
	struct gc_need need = { false, false };

	(void)!config_get_int(r->config, "gc.auto", &loose, NULL);
	(void)!config_get_int(r->config, "gc.autopacklimit", &packs, NULL);
	if (loose > 0) {
		need.packs = packs > 0 && count_packs(r) > (size_t)packs;
		need.loose = has_many_loose(r, loose);
	}
	if (out)
		*out = need;
	return need.packs || need.loose;
}

int gc_auto_detaches(const struct repository *r, bool *out, struct err *err)
{
	bool detach = true;
	int rc = config_get_bool(r->config, "gc.autodetach", &detach, err);

	if (rc >= 0)
		rc = config_get_bool(r->config, "maintenance.autodetach", &detach, err);
	if (rc < 0)
		return rc;
	*out = detach;
	return 0;
}
