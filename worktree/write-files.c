/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the files of many index entries: directories, then files in threads, then the rest. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "worktree/write-files-internal.h"

/* ---- directories ---- */

/* Removes files and links in place of directories; it has been checked that they may go. */
static int clear_parents(const char *path, struct err *err)
{
	for (size_t i = 1; path[i]; i++) {
		char *parent;
		struct stat st;
		int ret = 0;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		if (!lstat(parent, &st) && !S_ISDIR(st.st_mode))
			ret = remove_file(parent, err);
		free(parent);
		if (ret)
			return ret;
	}
	return 0;
}

/* The directories of a path; neighbours in the index mostly share them. */
static int make_parents(struct writer *w, const struct index_entry *e, struct err *err)
{
	const char *slash = strrchr(e->name, '/');
	size_t len = slash ? (size_t)(slash - e->name) + 1 : 0;
	int ret;

	if (len == w->dir.len && !memcmp(w->dir.buf, e->name, len))
		return 0;
	ret = clear_parents(e->name, err);
	if (ret >= 0)
		ret = make_leading_dirs(e->name, 0, err);
	strbuf_reset(&w->dir);
	if (ret >= 0)
		strbuf_add(&w->dir, e->name, len);
	return ret < 0 ? ret : 0;
}

/* ---- the main thread ---- */

static bool suits_threads(struct writer *w, const struct index_entry *e)
{
	struct conversion cv;

	if (!MODE_IS_FILE(e->mode) || !path_is_safe(e->name, e->mode, w->r->settings.protect))
		return false;
	converter_lookup(w->c, e->name, &cv);
	return !cv.filter; /* drivers are looked up, and run, by one thread */
}

/* A file in the way goes; a directory, where nothing was expected, is for the main thread. */
static void clear_place(const struct index_entry *e)
{
	sys->unlink(e->name);
}

static int write_alone(struct writer *w, struct index_entry *e, struct err *err)
{
	const struct checkout_options o = { .force = true, .may_delay = true };
	int ret = clear_parents(e->name, err);

	if (ret >= 0)
		ret = worktree_checkout_entry(w->r, w->ix, e, w->c, &o, err);
	if (ret > 0)
		string_list_append(&w->delayed, e->name)->util = e;
	progress_update(w->progress, ++w->done + w->written);
	return ret < 0 ? ret : 0;
}

/* What threads do not write. */
struct rest {
	struct writer *w;
	struct index_entry **entries;
	size_t nr;
	bool any_filtered;
	int ret;
	struct err *err;
};

static int collect(struct writer *w, const struct string_list *paths, struct rest *rest,
		   struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		struct index_entry *e = index_find(w->ix, path, strlen(path));
		int rc;

		if (!e)
			continue;
		if (!suits_threads(w, e)) {
			rest->entries[rest->nr++] = e;
			rest->any_filtered |= MODE_IS_FILE(e->mode);
			continue;
		}
		rc = make_parents(w, e, err);
		if (rc < 0) {
			ret = ret ? ret : rc;
			continue;
		}
		clear_place(e);
		w->jobs[w->nr++] = (struct write_job){ .e = e, .warn = STRBUF_INIT };
	}
	return ret;
}

static void write_rest(struct rest *rest, bool (*wanted)(const struct index_entry *e))
{
	for (size_t i = 0; i < rest->nr; i++) {
		int rc = wanted(rest->entries[i]) ? write_alone(rest->w, rest->entries[i], rest->err) : 0;

		rest->ret = rest->ret ? rest->ret : rc;
	}
}

static bool is_file(const struct index_entry *e)
{
	return MODE_IS_FILE(e->mode);
}

static bool is_link(const struct index_entry *e)
{
	return MODE_IS_SYMLINK(e->mode);
}

static bool is_neither(const struct index_entry *e)
{
	return !is_file(e) && !is_link(e);
}

static void write_filtered(void *rest)
{
	write_rest(rest, is_file);
}

static int write_left_over(struct writer *w, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < w->nr; i++) {
		int rc = w->jobs[i].written ? 0 : write_alone(w, w->jobs[i].e, err);

		ret = ret ? ret : rc;
		strbuf_release(&w->jobs[i].warn);
	}
	return ret;
}

/* All that does not wait for a filter. */
static int write_first(struct writer *w, const struct string_list *paths, struct err *err)
{
	struct err err_rest = ERR_INIT; /* the threads' errors go to err */
	struct rest rest = { .w = w, .err = &err_rest };
	int ret, rc;

	CALLOC_ARRAY(w->jobs, paths->nr + 1);
	CALLOC_ARRAY(rest.entries, paths->nr + 1);
	ret = collect(w, paths, &rest, err);
	rc = write_jobs(w, rest.any_filtered ? write_filtered : NULL, &rest, err);
	ret = ret ? ret : rc;
	rc = write_left_over(w, err);
	ret = ret ? ret : rc;
	write_rest(&rest, is_neither);
	write_rest(&rest, is_link);
	if (rest.ret < 0)
		err_move(err, &err_rest);
	err_release(&err_rest);
	free(rest.entries);
	free(w->jobs);
	return ret ? ret : rest.ret;
}

/* ---- delayed files ---- */

/* The name of a file that is offered is one of those in w->delayed, which are sorted. */
static int write_offered(struct writer *w, const struct string_list *ready, uint64_t *bytes,
			 struct err *err)
{
	const struct checkout_options o = { .delayed = true, .written = bytes };
	int ret = 0;

	for (size_t i = 0; i < ready->nr; i++) {
		struct string_list_item *it = string_list_lookup(&w->delayed, ready->items[i].string);
		int rc;

		rc = worktree_checkout_entry(w->r, w->ix, it->util, w->c, &o, err);
		it->util = NULL;
		ret = ret ? ret : rc;
		progress_update_bytes(w->progress, ++w->done, *bytes);
	}
	return ret;
}

static int tell_missing(struct writer *w, struct err *err)
{
	size_t missing = 0;

	for (size_t i = 0; i < w->delayed.nr; i++) {
		char *text;

		if (!w->delayed.items[i].util)
			continue;
		missing++;
		text = xstrfmt("error: '%s' was not filtered properly\n", w->delayed.items[i].string);
		repo_report_lines(w->r, text);
		free(text);
	}
	return missing ? err_set(err, ERR_ABORTED, "%zu delayed file%s did not come from the filter",
				 missing, missing == 1 ? "" : "s") : 0;
}

static int write_delayed(struct writer *w, struct err *err)
{
	struct string_list ready = STRING_LIST_INIT;
	struct strbuf warn = STRBUF_INIT;
	uint64_t bytes = 0;
	bool more = true;
	int ret = 0, rc;

	string_list_sort(&w->delayed);
	w->done = 0;
	if (w->meters && w->meters->filtering)
		w->progress = w->meters->filtering("Filtering content", w->delayed.nr);
	while (more) {
		more = converter_await(w->c, &ready, &warn);
		repo_report_lines(w->r, warn.buf);
		strbuf_reset(&warn);
		rc = write_offered(w, &ready, &bytes, err);
		ret = ret ? ret : rc;
		string_list_clear(&ready, NULL);
	}
	progress_stop(&w->progress);
	strbuf_release(&warn);
	rc = tell_missing(w, err);
	return ret ? ret : rc;
}

int worktree_prefetch(struct repository *r, struct index_state *ix, const struct string_list *paths,
		      struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(r->odb))
		return 0;
	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;
		const struct index_entry *e = index_find(ix, path, strlen(path));

		if (e && !MODE_IS_GITLINK(e->mode))
			oid_array_append(&oids, &e->oid);
	}
	rc = odb_prefetch(r->odb, &oids, err);
	oid_array_clear(&oids);
	return rc;
}

int worktree_write_files(struct repository *r, struct index_state *ix,
			 const struct string_list *paths, struct converter *c,
			 const struct write_files_meters *meters, struct err *err)
{
	struct writer w = { .r = r, .ix = ix, .c = c, .meters = meters, .dir = STRBUF_INIT };
	int ret = worktree_prefetch(r, ix, paths, err), rc;

	if (ret < 0)
		return ret;
	if (meters && meters->files && paths->nr)
		w.progress = meters->files("Updating files", paths->nr);
	ret = write_first(&w, paths, err);
	progress_stop(&w.progress);
	if (w.delayed.nr) {
		rc = write_delayed(&w, err);
		ret = ret ? ret : rc;
	}
	string_list_clear(&w.delayed, NULL);
	strbuf_release(&w.dir);
	return ret;
}
