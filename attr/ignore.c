/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "util/strbuf.h"
#include "attr/ignore.h"

/* Larger files are ignored. */
#define IGNORE_FILE_MAX ((size_t)100 * 1024 * 1024)

/* The list of one directory on the way to the path that was looked up last. */
struct dir_level {
	size_t dir_len; /* 0 is the top, else length with the '/' */
	struct pattern_list *list;
};

struct ignore {
	struct repository *repo;
	const struct index_state *ix;
	bool icase;
	char *per_dir; /* ".gitignore"; NULL: none */
	struct pattern_list cmdline;
	struct pattern_list **files; /* the later ones win */
	size_t nr_files, alloc_files;
	struct strmap dirs; /* "a/b/" to struct pattern_list * */
	struct strbuf cur;  /* directory of the stack, "" or "a/b/" */
	struct dir_level *levels;
	size_t nr_levels, alloc_levels;
};

/* ---- files of patterns ---- */

static void ignore_list_free(void *p)
{
	pattern_list_release(p);
	free(p);
}

int ignore_add_file(struct ignore *ig, const char *path, struct err *err)
{
	struct strbuf buf = STRBUF_INIT;
	int rc = read_file(&buf, path, IGNORE_FILE_MAX, err);
	struct pattern_list *l;

	if (!rc) {
		CALLOC_ARRAY(l, 1);
		l->source = xstrdup(path);
		pattern_list_parse(l, buf.buf, buf.len, "");
		ALLOC_GROW(ig->files, ig->nr_files + 1, ig->alloc_files);
		ig->files[ig->nr_files++] = l;
	}
	strbuf_release(&buf);
	return rc;
}

/* A missing or unreadable standard source is no error, as in git. */
static void add_optional(struct ignore *ig, const char *path)
{
	(void)!ignore_add_file(ig, path, NULL);
}

/* ---- per-directory files ---- */

static bool read_from_index(struct ignore *ig, struct strbuf *out, const char *path)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct index_entry *e;

	if (!ig->ix)
		return false;
	e = index_find(ig->ix, path, strlen(path));
	if (!e || !(e->flags & CE_SKIP_WORKTREE) ||
	    odb_read_type(ig->repo->odb, &e->oid, OBJ_BLOB, &buf, NULL) < 0)
		return false;
	strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return true;
}

static struct pattern_list *ignore_dir_list(struct ignore *ig, const char *dir)
{
	struct pattern_list *l = strmap_get(&ig->dirs, dir);
	struct strbuf buf = STRBUF_INIT;
	char *path;

	if (l)
		return l;
	CALLOC_ARRAY(l, 1);
	path = xstrfmt("%s%s", dir, ig->per_dir);
	if (!pattern_file_read(ig->repo, &buf, path, IGNORE_FILE_MAX) ||
	    read_from_index(ig, &buf, path)) {
		l->source = xstrdup(path);
		pattern_list_parse(l, buf.buf, buf.len, dir);
	}
	strmap_put(&ig->dirs, dir, l);
	free(path);
	strbuf_release(&buf);
	return l;
}

static void push_level(struct ignore *ig)
{
	ALLOC_GROW(ig->levels, ig->nr_levels + 1, ig->alloc_levels);
	ig->levels[ig->nr_levels].dir_len = ig->cur.len;
	ig->levels[ig->nr_levels].list = ignore_dir_list(ig, ig->cur.buf);
	ig->nr_levels++;
}

/* Adjust the stack of levels to the directory path[0..dir_len). */
static void enter_dir(struct ignore *ig, const char *path, size_t dir_len)
{
	if (!ig->nr_levels)
		push_level(ig);
	while (ig->nr_levels > 1) {
		size_t n = ig->levels[ig->nr_levels - 1].dir_len;

		if (n <= dir_len && !memcmp(ig->cur.buf, path, n))
			break;
		ig->nr_levels--;
		strbuf_setlen(&ig->cur, ig->levels[ig->nr_levels - 1].dir_len);
	}
	while (ig->cur.len < dir_len) {
		const char *from = path + ig->cur.len;
		const char *slash = memchr(from, '/', dir_len - ig->cur.len);

		strbuf_add(&ig->cur, from, (size_t)(slash + 1 - from));
		push_level(ig);
	}
}

/* ---- matching ---- */

static const struct ignore_pattern *match_all_sources(struct ignore *ig, const char *path,
						      size_t len, bool is_dir)
{
	const char *name = pattern_basename(path, len);
	const struct ignore_pattern *p;

	p = pattern_list_match(&ig->cmdline, path, len, is_dir, ig->icase);
	if (!p && ig->per_dir) {
		enter_dir(ig, path, (size_t)(name - path));
		for (size_t i = ig->nr_levels; !p && i-- > 0;)
			p = pattern_list_match(ig->levels[i].list, path, len, is_dir, ig->icase);
	}
	for (size_t i = ig->nr_files; !p && i-- > 0;)
		p = pattern_list_match(ig->files[i], path, len, is_dir, ig->icase);
	return p;
}

const struct ignore_pattern *ignore_match_last(struct ignore *ig, const char *path,
					       size_t len, bool is_dir)
{
	const struct ignore_pattern *p;
	char *copy;

	if (path[len] == '\0')
		return match_all_sources(ig, path, len, is_dir);
	copy = xmemdupz(path, len); /* wildmatch needs a NUL at the end */
	p = match_all_sources(ig, copy, len, is_dir);
	free(copy);
	return p;
}

const struct ignore_pattern *ignore_match(struct ignore *ig, const char *path, size_t len,
					  bool is_dir)
{
	for (size_t i = 0; i < len; i++) {
		const struct ignore_pattern *p;

		if (path[i] != '/')
			continue;
		p = ignore_match_last(ig, path, i, true);
		if (p && !p->negated)
			return p;
	}
	return ignore_match_last(ig, path, len, is_dir);
}

bool ignore_is_ignored(struct ignore *ig, const char *path, size_t len, bool is_dir)
{
	const struct ignore_pattern *p = ignore_match(ig, path, len, is_dir);

	return p && !p->negated;
}

/* ---- new and free ---- */

struct ignore *ignore_new_empty(struct repository *r, const char *per_dir)
{
	struct ignore *ig;

	CALLOC_ARRAY(ig, 1);
	ig->repo = r;
	ig->icase = r && r->settings.ignorecase;
	ig->per_dir = per_dir ? xstrdup(per_dir) : NULL;
	ig->cmdline.source = xstrdup("");
	strbuf_init(&ig->cur, 0);
	return ig;
}

int ignore_add_standard(struct ignore *ig, const struct index_state *ix, struct err *err)
{
	char *path = NULL;
	int rc = config_get_path(ig->repo->config, "core.excludesfile", &path, err);

	if (rc < 0)
		return rc;
	ig->ix = ix;
	if (!rc)
		path = xdg_config_path("ignore");
	if (path)
		add_optional(ig, path);
	free(path);
	path = repo_path(ig->repo, "info/exclude");
	add_optional(ig, path);
	free(path);
	return 0;
}

int ignore_new(struct ignore **out, struct repository *r, const struct index_state *ix,
	       struct err *err)
{
	struct ignore *ig = ignore_new_empty(r, ".gitignore");
	int rc = ignore_add_standard(ig, ix, err);

	if (rc < 0)
		ignore_free(ig);
	else
		*out = ig;
	return rc;
}

void ignore_free(struct ignore *ig)
{
	if (!ig)
		return;
	pattern_list_release(&ig->cmdline);
	for (size_t i = 0; i < ig->nr_files; i++)
		ignore_list_free(ig->files[i]);
	free(ig->files);
	strmap_clear(&ig->dirs, ignore_list_free);
	strbuf_release(&ig->cur);
	free(ig->levels);
	free(ig->per_dir);
	free(ig);
}

void ignore_add_pattern(struct ignore *ig, const char *pattern)
{
	pattern_list_add(&ig->cmdline, pattern, strlen(pattern), "", (int)ig->cmdline.nr + 1);
}
