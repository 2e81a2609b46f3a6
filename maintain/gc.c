/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/gc.h"
#include "fs/file.h"
#include "history/graph/commit-graph-write.h"
#include "maintain/gc-repack.h"
#include "maintain/migrate-refs.h"
#include "maintain/prune.h"
#include "maintain/reflog-expire.h"
#include "maintain/rerere-gc.h"
#include "maintain/worktree-prune.h"
#include "pack/pack.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- options ---- */

void gc_options_init(struct gc_options *o)
{
	*o = (struct gc_options){
		.cruft = true, .prune = true, .keep_largest_pack = -1,
		.prune_before = date_approxidate("2.weeks.ago", NULL),
		.aggressive_depth = 50, .aggressive_window = 250, .auto_pack_limit = 50,
		.pack_refs = true, .write_commit_graph = true, .prune_worktrees = true,
		.worktree_prune_before = date_approxidate("3.months.ago", NULL),
	};
}

static int read_size(const struct config_set *c, const char *key, uint64_t *out, struct err *err)
{
	unsigned long size;
	int rc = config_get_ulong(c, key, &size, err);

	if (rc > 0)
		*out = size;
	return rc < 0 ? rc : 0;
}

static int read_expiry(const struct config_set *c, const char *key, timestamp_t *out,
		       struct err *err)
{
	const struct config_entry *e = config_get(c, key);

	return e ? config_entry_past(e, out, err) : 0;
}

/* "notbare", or a boolean. */
static int read_pack_refs(struct gc_options *o, const struct repository *r, struct err *err)
{
	const struct config_entry *e = config_get(r->config, "gc.packrefs");

	if (e && e->value && !strcmp(e->value, "notbare")) {
		o->pack_refs = !r->bare;
		return 0;
	}
	return e ? config_entry_bool(e, &o->pack_refs, err) : 0;
}

int gc_options_read(struct gc_options *o, struct repository *r, struct err *err)
{
	const struct config_set *c = r->config;
	bool use_graph = true;
	timestamp_t log_expiry;	/* these two are used elsewhere (gc-files.c, auto.c), but have to be good */
	int loose, rc;

	if ((rc = read_pack_refs(o, r, err)) < 0 ||
	    (rc = config_get_int(c, "gc.aggressivedepth", &o->aggressive_depth, err)) < 0 ||
	    (rc = config_get_int(c, "gc.aggressivewindow", &o->aggressive_window, err)) < 0 ||
	    (rc = config_get_int(c, "gc.auto", &loose, err)) < 0 ||
	    (rc = read_expiry(c, "gc.logexpiry", &log_expiry, err)) < 0 ||
	    (rc = config_get_int(c, "gc.autopacklimit", &o->auto_pack_limit, err)) < 0 ||
	    (rc = config_get_bool(c, "gc.cruftpacks", &o->cruft, err)) < 0 ||
	    (rc = config_get_bool(c, "gc.writecommitgraph", &o->write_commit_graph, err)) < 0 ||
	    (rc = config_get_bool(c, "core.commitgraph", &use_graph, err)) < 0 ||
	    (rc = read_size(c, "gc.bigpackthreshold", &o->big_pack_bytes, err)) < 0 ||
	    (rc = read_size(c, "gc.maxcruftsize", &o->max_cruft_bytes, err)) < 0 ||
	    (rc = read_expiry(c, "gc.pruneexpire", &o->prune_before, err)) < 0 ||
	    (rc = read_expiry(c, "gc.worktreepruneexpire", &o->worktree_prune_before, err)) < 0 ||
	    (rc = config_get_string(c, "gc.repackfilter", &o->filter, err)) < 0 ||
	    (rc = config_get_string(c, "gc.repackfilterto", &o->filter_to, err)) < 0)
		return rc;
	o->prune_default = o->prune_before;
	o->prune_worktrees = o->worktree_prune_before != 0;
	o->write_commit_graph &= use_graph;
	return 0;
}

/* ---- names ---- */

static void complain(void *data, const char *msg)
{
	const struct gc_options *o = data;

	if (o->warn)
		o->warn(o->data, msg);
}

/* As Git does: where another process writes packed refs, the rest goes on. */
static int pack_refs(struct repo_operation *op, struct repository *r, struct gc_options *o, struct err *err)
{
	struct refs_pack_options po = { .all = true, .if_many = o->automatic, .complain = complain, .data = o };
	struct err why = ERR_INIT;
	int rc = refs_pack(r->refs, &po, repo_operation_batch(op), &why);

	if (rc == ERR_LOCKED) {
		complain(o, err_message(&why));
		rc = 0;
	} else if (rc < 0) {
		err_move(err, &why);
	}
	err_release(&why);
	return rc;
}

/* Published, so that the walks that follow do not go from entries that have expired. */
static int tidy_names(struct repo_operation *op, struct repository *r, struct gc_options *o,
		      struct err *err)
{
	int rc = ref_migration_sweep(op, r, err);

	if (!rc && o->pack_refs)
		rc = pack_refs(op, r, o, err);
	if (!rc)
		rc = reflogs_expire(op, r, err);
	return rc < 0 ? rc : repo_operation_publish(op, err);
}

/* ---- objects ---- */

static void show_reached(void *data, uint64_t nr)
{
	const struct gc_options *o = data;

	o->progress(o->data, "Checking connectivity", nr, 0);
}

static int prune_objects(struct repo_operation *op, struct repository *r, struct gc_options *o,
			 struct err *err)
{
	struct prune_options po = {
		.expire_before = o->prune_before, .complain = complain,
		.progress = o->progress ? show_reached : NULL, .data = o,
	};

	return o->prune && o->prune_before ? prune_run(op, r, &po, err) : 0;
}

/* An index gets its name after its pack, and loses it before: one without a pack is of no use. */
static void remove_lone_index(void *data, const char *why, const char *path)
{
	const struct gc_options *o = data;
	struct err err = ERR_INIT;

	if (strcmp(why, "no corresponding .pack") != 0 || !ends_with(path, ".idx"))
		return;
	if (remove_file(path, &err) < 0 && o->warn)
		o->warn(o->data, err_message(&err));
	err_release(&err);
}

static void clear_pack_garbage(struct repository *r, struct gc_options *o)
{
	char *dir = path_join(odb_objdir(r->odb), "pack");

	odb_foreach_garbage(r->odb, ODB_OWN, remove_lone_index, o);
	packs_remove_incomplete(dir);
	free(dir);
}

static int tidy_objects(struct repo_operation *op, struct repository *r, struct gc_options *o,
			struct err *err)
{
	int rc = gc_repack(op, r, o, err);

	if (!rc)
		rc = repo_operation_publish(op, err);
	if (rc < 0)
		return rc;
	odb_refresh(r->odb, ODB_OWN);
	clear_pack_garbage(r, o);
	return prune_objects(op, r, o, err);
}

/* ---- derived files ---- */

static int write_graph(struct repo_operation *op, struct repository *r, struct gc_options *o,
		       struct err *err)
{
	struct commit_graph_write_options go = {
		.objdir = odb_objdir(r->odb), .source = GRAPH_FROM_REFS, .split = GRAPH_SINGLE,
		.size_multiple = 2, .changed_paths = -1, .max_new_filters = -1,
		.expire_before = TIME_MAX, .warn = complain, .warn_data = o,
	};

	return commit_graph_write(r, &go, repo_operation_batch(op), err);
}

/* ---- all of it ---- */

int gc_run(struct repo_operation *op, struct repository *r, const struct gc_options *given,
	   struct err *err)
{
	const bool replaced = repo_has_replacements(r);
	struct gc_options copy = *given, *o = &copy;
	bool precious = prune_is_allowed(r, "gc", NULL) < 0;
	int rc = precious ? 0 : gc_repack_check(r, o, err);

	if (!rc)
		rc = tidy_names(op, r, o, err);
	repo_ignore_replacements(r); /* the objects themselves are kept */
	if (!rc && !precious)
		rc = tidy_objects(op, r, o, err);
	if (!rc && o->prune_worktrees)
		rc = worktree_prune_run(op, r, o->worktree_prune_before, err);
	if (!rc)
		rc = rerere_gc_run(op, r, err);
	if (!rc && o->write_commit_graph && !replaced)
		rc = write_graph(op, r, o, err);
	return rc;
}
