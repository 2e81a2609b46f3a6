/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "repo/settings.h"
#include "fs/file.h"
#include "odb/odb.h"
#include "object/dotfile.h"
#include "util/alloc.h"

#define MIB ((size_t)1 << 20)

/* The state of reading all groups of settings; the first error is kept. */
struct reader {
	const struct config_set *c;
	repo_warn_fn warn;
	void *warn_data;
	struct err *err;
	int rc;
};

static void settings_warn(struct reader *r, const char *fmt, const char *arg)
{
	char *msg;

	if (!r->warn)
		return;
	msg = xstrfmt("%s%s%s", fmt, arg ? arg : "", arg ? "'" : "");
	r->warn(r->warn_data, msg);
	free(msg);
}

static void settings_read_bool(struct reader *r, const char *key, bool *out)
{
	if (!r->rc && config_get_bool(r->c, key, out, r->err) < 0)
		r->rc = ERR_INVALID;
}

static void read_int(struct reader *r, const char *key, int *out)
{
	if (!r->rc && config_get_int(r->c, key, out, r->err) < 0)
		r->rc = ERR_INVALID;
}

static void read_size(struct reader *r, const char *key, size_t *out)
{
	unsigned long n;
	int found;

	if (r->rc)
		return;
	found = config_get_ulong(r->c, key, &n, r->err);
	if (found < 0)
		r->rc = ERR_INVALID;
	else if (found)
		*out = n;
}

static const char *read_string(struct reader *r, const char *key)
{
	const char *s = NULL;

	if (!r->rc && config_get_string(r->c, key, &s, r->err) < 0)
		r->rc = ERR_INVALID;
	return s;
}

/* ---- durability ---- */

static void unknown_component(void *data, const char *word)
{
	settings_warn(data, "ignoring unknown core.fsync component '", word);
}

static void read_fsync(struct reader *r, struct fsync_policy *p)
{
	bool object_files = false;
	const char *text;

	/* Deprecated; core.fsync overrides it, whatever their order. */
	if (config_get(r->c, "core.fsyncobjectfiles")) {
		settings_warn(r, "core.fsyncObjectFiles is deprecated; use core.fsync instead",
			      NULL);
		settings_read_bool(r, "core.fsyncobjectfiles", &object_files);
		if (object_files)
			p->components |= FSYNC_LOOSE_OBJECT;
	}
	text = read_string(r, "core.fsync");
	if (text)
		fsync_components_parse(text, &p->components, unknown_component, r);
	text = read_string(r, "core.fsyncmethod");
	if (text && fsync_method_parse(text, &p->method) < 0)
		settings_warn(r, "ignoring unknown core.fsyncMethod value '", text);
}

/* ---- the working tree ---- */

int shared_perm_parse(const char *value, int *out, struct err *err)
{
	char *end;
	long mode;
	int yes;

	if (!value || !strcmp(value, "group"))
		*out = SHARED_PERM_GROUP;
	else if (!strcmp(value, "umask"))
		*out = SHARED_PERM_UMASK;
	else if (!strcmp(value, "all") || !strcmp(value, "world") || !strcmp(value, "everybody"))
		*out = SHARED_PERM_EVERYBODY;
	else {
		mode = strtol(value, &end, 8);
		if (*end || end == value) {
			yes = config_parse_maybe_bool(value);
			if (yes < 0)
				return err_set(err, ERR_INVALID, "bad boolean config value '%s' "
					       "for 'core.sharedrepository'", value);
			*out = yes ? SHARED_PERM_GROUP : SHARED_PERM_UMASK;
		} else if (mode == 0) {
			*out = SHARED_PERM_UMASK;
		} else if (mode == 1) {
			*out = SHARED_PERM_GROUP;
		} else if (mode == 2) {
			*out = SHARED_PERM_EVERYBODY;
		} else if ((mode & 0600) != 0600) {
			return err_set(err, ERR_INVALID,
				       "problem with core.sharedRepository filemode value (0%.3lo).\n"
				       "The owner of files must always have read and write permissions.",
				       mode);
		} else {
			*out = -(int)(mode & 0666);
		}
	}
	return 0;
}

static void read_shared(struct reader *r, struct repo_settings *s)
{
	const struct config_entry *e = config_get(r->c, "core.sharedrepository");

	if (e && !r->rc)
		r->rc = shared_perm_parse(e->value, &s->shared_perm, r->err);
}

static void read_worktree(struct reader *r, struct repo_settings *s)
{
	bool hfs = false, ntfs = true;
	const struct config_entry *e = config_get(r->c, "core.checkstat");

	settings_read_bool(r, "core.filemode", &s->filemode);
	settings_read_bool(r, "core.symlinks", &s->symlinks);
	settings_read_bool(r, "core.ignorecase", &s->ignorecase);
	settings_read_bool(r, "core.precomposeunicode", &s->precomposeunicode);
	settings_read_bool(r, "core.trustctime", &s->trust_ctime);
	if (e && e->value && !strcasecmp(e->value, "minimal"))
		s->check_stat_default = false;
	settings_read_bool(r, "core.protecthfs", &hfs);
	settings_read_bool(r, "core.protectntfs", &ntfs);
	s->protect = (hfs ? PROTECT_HFS : 0) | (ntfs ? PROTECT_NTFS : 0);
	settings_read_bool(r, "core.quotepath", &s->quote_path);
	settings_read_bool(r, "core.bare", &s->is_bare_config);
	read_int(r, "index.version", &s->index_version);
	settings_read_bool(r, "index.skiphash", &s->index_skip_hash);
}

/* ---- objects and refs ---- */

static void read_abbrev(struct reader *r, struct repo_settings *s, const struct hash_algo *algo)
{
	const struct config_entry *e = config_get(r->c, "core.abbrev");
	int n = -1;

	if (!e || r->rc)
		return;
	if (!e->value) {
		r->rc = config_entry_bad(e, r->err, "missing value");
	} else if (!strcasecmp(e->value, "auto")) {
		s->abbrev = -1;
	} else if (!config_parse_bool_word(e->value)) {
		s->abbrev = (int)algo->hex_len;
	} else {
		read_int(r, "core.abbrev", &n);
		if (!r->rc && n < 4)
			r->rc = err_set(r->err, ERR_INVALID, "abbrev length out of range: %d", n);
		else if (!r->rc)
			s->abbrev = n < (int)algo->hex_len ? n : (int)algo->hex_len;
	}
}

static void read_level(struct reader *r, const char *key, int *out)
{
	int n = *out;

	read_int(r, key, &n);
	if (!r->rc && (n < -1 || n > 9))
		r->rc = err_set(r->err, ERR_INVALID, "bad zlib compression level %d", n);
	else if (!r->rc)
		*out = n;
}

static void read_reflogs(struct reader *r, struct repo_settings *s)
{
	const struct config_entry *e = config_get(r->c, "core.logallrefupdates");
	bool on = false;

	if (!e || r->rc)
		return;
	if (e->value && !strcasecmp(e->value, "always")) {
		s->reflogs = REFLOG_ALWAYS;
		return;
	}
	settings_read_bool(r, "core.logallrefupdates", &on);
	if (!r->rc)
		s->reflogs = on ? REFLOG_NORMAL : REFLOG_NONE;
}

static void read_tree_depth(struct reader *r, struct repo_settings *s)
{
	read_int(r, "core.maxtreedepth", &s->max_tree_depth);
	if (s->max_tree_depth <= 0)
		s->max_tree_depth = -1;
}

static void read_objects(struct reader *r, struct repo_settings *s, const struct hash_algo *algo)
{
	size_t big = s->big_file_threshold, limit = s->unpack_limit;

	read_size(r, "core.bigfilethreshold", &big);
	read_size(r, "bulkcheckin.unpacklimit", &limit);
	s->big_file_threshold = big;
	s->unpack_limit = limit > UINT_MAX ? UINT_MAX : (unsigned)limit;

	read_level(r, "core.compression", &s->loose_level);
	s->pack_level = s->loose_level;
	/*
	 * New objects, packs of them included, are compressed fast unless a level is
	 * configured: a repack makes them small later.
	 */
	if (!config_get(r->c, "core.compression"))
		s->loose_level = s->pack_level = 1;
	read_level(r, "core.loosecompression", &s->loose_level);
	read_level(r, "pack.compression", &s->pack_level);
	read_size(r, "pack.packsizelimit", &s->pack_size_limit);
	read_size(r, "core.deltabasecachelimit", &s->delta_base_cache_limit);
	read_size(r, "core.packedgitwindowsize", &s->packed_git_window_size);
	read_size(r, "core.packedgitlimit", &s->packed_git_limit);
	settings_read_bool(r, "core.multipackindex", &s->use_multi_pack_index);
	read_tree_depth(r, s);
	settings_read_bool(r, "core.usereplacerefs", &s->use_replace_refs);
	read_abbrev(r, s, algo);
	read_reflogs(r, s);
	read_int(r, "core.filesreflocktimeout", &s->files_lock_timeout_ms);
	read_int(r, "core.packedrefstimeout", &s->packed_lock_timeout_ms);
}

/* ---- branches ---- */

static void read_track(struct reader *r, enum branch_track *track)
{
	const struct config_entry *e = config_get(r->c, "branch.autosetupmerge");
	const char *value = e && e->value ? e->value : "";
	bool on = true;

	if (!strcasecmp(value, "always")) {
		*track = BRANCH_TRACK_ALWAYS;
	} else if (!strcasecmp(value, "inherit")) {
		*track = BRANCH_TRACK_INHERIT;
	} else if (!strcasecmp(value, "simple")) {
		*track = BRANCH_TRACK_SIMPLE;
	} else {
		settings_read_bool(r, "branch.autosetupmerge", &on);
		*track = on ? BRANCH_TRACK_REMOTE : BRANCH_TRACK_NEVER;
	}
}

static void read_rebase(struct reader *r, enum branch_rebase *rebase)
{
	const struct config_entry *e = config_get(r->c, "branch.autosetuprebase");

	if (!e || r->rc)
		return;
	if (!e->value)
		r->rc = config_entry_bad(e, r->err, "missing value");
	else if (!strcmp(e->value, "always"))
		*rebase = REBASE_ALWAYS;
	else if (!strcmp(e->value, "local"))
		*rebase = REBASE_LOCAL;
	else if (!strcmp(e->value, "remote"))
		*rebase = REBASE_REMOTE;
	else if (strcmp(e->value, "never"))
		r->rc = config_entry_bad(e, r->err,
					 "malformed value for branch.autosetuprebase");
}

static void read_push_default(struct reader *r, enum push_default *out)
{
	static const struct {
		const char *word;
		enum push_default value;
	} known[] = {
		{ "nothing", PUSH_NOTHING },   { "matching", PUSH_MATCHING },
		{ "simple", PUSH_SIMPLE },     { "upstream", PUSH_UPSTREAM },
		{ "tracking", PUSH_UPSTREAM }, { "current", PUSH_CURRENT },
	};
	const struct config_entry *e = config_get(r->c, "push.default");

	if (!e || r->rc)
		return;
	for (size_t i = 0; e->value && i < ARRAY_SIZE(known); i++) {
		if (!strcmp(e->value, known[i].word)) {
			*out = known[i].value;
			return;
		}
	}
	r->rc = config_entry_bad(e, r->err, !e->value ? "missing value" :
				 "malformed value for push.default, must be one of "
				 "nothing, matching, simple, upstream or current");
}

static const struct repo_settings defaults = {
	.fsync = FSYNC_POLICY_DEFAULT,
	.filemode = true,
	.symlinks = true,
	.trust_ctime = true,
	.check_stat_default = true,
	.quote_path = true,
	.reflogs = REFLOG_UNSET,
	.abbrev = -1,
	.big_file_threshold = 512 * MIB,
	.loose_level = -1,
	.pack_level = -1,
	.unpack_limit = UNPACK_LIMIT_AUTO,
	.delta_base_cache_limit = 96 * MIB,
	.packed_git_window_size = sizeof(void *) >= 8 ? 1024 * MIB : 32 * MIB,
	.packed_git_limit = sizeof(void *) >= 8 ? SIZE_MAX >> 1 : 256 * MIB,
	.use_multi_pack_index = true,
	.max_tree_depth = TREE_DEPTH_DEFAULT,
	.use_replace_refs = true,
	.files_lock_timeout_ms = 100,
	.packed_lock_timeout_ms = 1000,
};

int repo_settings_read(struct repo_settings *out, const struct config_set *c,
		       const struct hash_algo *algo, repo_warn_fn warn_fn, void *warn_data,
		       struct err *err)
{
	struct reader r = { c, warn_fn, warn_data, err, 0 };

	*out = defaults;
	read_fsync(&r, &out->fsync);
	read_shared(&r, out);
	read_worktree(&r, out);
	read_objects(&r, out, algo);
	read_track(&r, &out->branch_track);
	read_rebase(&r, &out->branch_rebase);
	read_push_default(&r, &out->push_default);
	return r.rc;
}

void repo_settings_release(struct repo_settings *s)
{
	FREE_AND_NULL(s->ref_storage);
}
