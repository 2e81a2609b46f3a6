/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a database, and its settings. look.c reads, write.c writes. */
#include "compat/posix.h"
#include "odb/adopter.h"
#include "odb/odb-internal.h"
#include "util/alloc.h"

static struct packs_options pack_options(const struct odb *odb)
{
	const struct odb_options *o = &odb->o;

	return (struct packs_options){
		.algo = o->algo,
		.delta_base_cache_limit = o->delta_base_cache_limit,
		.window_size = o->packed_git_window_size,
		.window_limit = o->packed_git_limit,
		.use_midx = o->use_multi_pack_index,
		.others = &odb->local,
		.warn = o->warn,
		.warn_data = o->warn_data,
	};
}

int odb_open(struct odb **out, const struct odb_options *opts, struct err *err)
{
	struct odb *odb;
	struct packs_options po;

	if (!opts->objdir || !*opts->objdir)
		return err_set(err, ERR_INVALID, "no object directory");
	odb = xcalloc(1, sizeof(*odb));
	odb->o = *opts;
	odb->objdir = xstrdup(opts->objdir);
	odb->o.objdir = odb->objdir;
	pthread_mutex_init(&odb->told_lock, NULL);
	odb_make_object_sources(odb);
	po = pack_options(odb);
	odb_stores_init(&odb->stores, odb->objdir, opts->own, &po, opts->report_error);
	odb_stores_add_alternates(&odb->stores, opts->alternates_env);
	odb->o.alternates_env = opts->alternates_env ? xstrdup(opts->alternates_env) : NULL;
	*out = odb;
	return 0;
}

void odb_free(struct odb *odb)
{
	if (!odb)
		return;
	odb_end_batch(odb);
	object_adopter_free(odb->adopter);
	odb_stores_release(&odb->stores);
	peel_memo_free(odb->source.peeled);
	peel_memo_free(odb->unreplaced.peeled);
	pthread_mutex_destroy(&odb->told_lock);
	strset_clear(&odb->told);
	free((char *)odb->o.alternates_env);
	free(odb->objdir);
	free(odb);
}

const struct hash_algo *odb_algo(const struct odb *odb)
{
	return odb->o.algo;
}

const char *odb_objdir(const struct odb *odb)
{
	return odb->objdir;
}

const struct object_source *odb_source(struct odb *odb)
{
	return &odb->source;
}

const struct object_source *odb_source_unreplaced(struct odb *odb)
{
	return &odb->unreplaced;
}

void odb_set_replace(struct odb *odb, odb_replace_fn fn, void *data)
{
	odb->replace = fn;
	odb->replace_data = data;
}

void odb_set_fetch(struct odb *odb, odb_fetch_fn fn, void *data, bool on_read)
{
	odb->fetch = fn;
	odb->fetch_data = data;
	odb->fetch_on_read = on_read;
}

void odb_set_fetch_on_read(struct odb *odb, bool on_read)
{
	odb->fetch_on_read = on_read;
}

bool odb_fetches_on_read(const struct odb *odb)
{
	return odb->fetch && odb->fetch_on_read;
}

bool odb_can_fetch(const struct odb *odb)
{
	return odb && odb->fetch;
}
