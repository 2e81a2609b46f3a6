/* SPDX-License-Identifier: GPL-2.0-only */
/* git diff --no-index: two files or directories, whether or not a repository knows them. */
#include "compat/posix.h"
#include <dirent.h>
#include "builtin/diff.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"

#define FILE_MAX ((size_t)1 << 31) /* bytes of one file */
#define NOTHING "/dev/null"	   /* stands for a side that is not there */

struct no_index {
	struct diff_command *d;
	struct strbuf input; /* what "-" means */
	bool have_input;
};

NORETURN static void bad_usage(void)
{
	static const char *const usage[] = { "git diff --no-index [<options>] <path> <path>", NULL };
	struct option none[] = { OPT_END() };

	usage_with_options(usage, none);
}

/* ---- files ---- */

/* From the top of the work tree, where we are. */
static char *place_of(const struct no_index *n, const char *path)
{
	const char *prefix = n->d->repo->prefix;

	return prefix && *path != '/' ? xstrfmt("%s%s", prefix, path) : xstrdup(path);
}

/* 0: nothing there (only where that is asked for). */
static int mode_of(const struct no_index *n, const char *path, unsigned *mode, struct err *err)
{
	char *place = place_of(n, path);
	struct stat st;
	int rc = 0;

	*mode = 0;
	if (!strcmp(path, NOTHING)) {
		*mode = 0;
	} else if (!strcmp(path, "-")) {
		*mode = 0100644;
	} else if (lstat(place, &st) < 0) {
		rc = err_set(err, ERR_NOT_FOUND, "Could not access '%s'", path);
	} else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || S_ISDIR(st.st_mode)) {
		*mode = S_ISLNK(st.st_mode) ? 0120000 : S_ISDIR(st.st_mode) ? 0040000 :
			0100644 | (st.st_mode & 0100 ? 0111 : 0);
	} else {
		rc = err_set(err, ERR_UNSUPPORTED, "'%s' is no file, link or directory", path);
	}
	free(place);
	return rc;
}

static int read_input(struct no_index *n, struct err *err)
{
	if (n->have_input)
		return 0;
	n->have_input = true;
	return read_file(&n->input, "/dev/stdin", FILE_MAX, err);
}

static int read_side(void *data, const struct diff_file *f, struct object_buf *out, struct err *err)
{
	struct no_index *n = data;
	struct strbuf text = STRBUF_INIT;
	char *place = place_of(n, f->path);
	int rc;

	if (!strcmp(f->path, "-")) {
		rc = read_input(n, err);
		strbuf_addbuf(&text, &n->input);
	} else if (S_ISLNK(f->mode)) {
		rc = read_link(&text, place, 0, err);
	} else {
		rc = read_file(&text, place, FILE_MAX, err);
	}
	free(place);
	if (rc < 0) {
		strbuf_release(&text);
		return rc;
	}
	out->type = OBJ_BLOB;
	out->data = strbuf_detach(&text, &out->size);
	return 0;
}

/* ---- pairs ---- */

static int is_same(struct no_index *n, const char *a, const char *b, unsigned mode, bool *same, struct err *err)
{
	struct diff_file x = { .path = (char *)a, .mode = mode }, y = { .path = (char *)b, .mode = mode };
	struct object_buf old = OBJECT_BUF_INIT, new = OBJECT_BUF_INIT;
	int rc = read_side(n, &x, &old, err);

	if (!rc)
		rc = read_side(n, &y, &new, err);
	*same = !rc && old.size == new.size && !memcmp(old.data, new.data, old.size);
	object_buf_release(&old);
	object_buf_release(&new);
	return rc;
}

static int queue_files(struct no_index *n, const char *a, unsigned a_mode, const char *b, unsigned b_mode,
		       struct err *err)
{
	bool same = false;
	int rc = a_mode == b_mode ? is_same(n, a, b, a_mode, &same, err) : 0;

	if (!rc && !same)
		diff_queue_add(&n->d->queue, a_mode ? a : NOTHING, a_mode, NULL, b_mode ? b : NOTHING, b_mode, NULL);
	return rc;
}

static int list_names(const struct no_index *n, const char *dir, struct string_list *names, struct err *err)
{
	char *place = place_of(n, dir);
	DIR *d = opendir(place);
	struct dirent *e;
	int rc = 0;

	if (!d)
		rc = err_set_errno(err, "Could not open directory '%s'", dir);
	while (!rc && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			string_list_append(names, e->d_name);
	if (d)
		closedir(d);
	free(place);
	return rc;
}

static char *below(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	return xstrfmt("%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/", name);
}

static int compare(struct no_index *n, const char *a, const char *b, struct err *err);

/* One of them is in directory a or b, or both; NULL: there is no such directory. */
static int compare_in(struct no_index *n, const char *a, const char *b, const char *name, bool in_a, bool in_b,
		      struct err *err)
{
	char *x = in_a ? below(a, name) : NULL, *y = in_b ? below(b, name) : NULL;
	int rc = compare(n, x, y, err);

	free(x);
	free(y);
	return rc;
}

/* Names of both, in order. */
static int compare_dirs(struct no_index *n, const char *a, const char *b, struct err *err)
{
	struct string_list x = STRING_LIST_INIT, y = STRING_LIST_INIT;
	size_t i = 0, k = 0;
	int rc = a ? list_names(n, a, &x, err) : 0;

	if (!rc && b)
		rc = list_names(n, b, &y, err);
	string_list_sort(&x);
	string_list_sort(&y);
	while (!rc && (i < x.nr || k < y.nr)) {
		int cmp = i == x.nr ? 1 : k == y.nr ? -1 : strcmp(x.items[i].string, y.items[k].string);

		rc = compare_in(n, a, b, (cmp <= 0 ? &x.items[i] : &y.items[k])->string, cmp <= 0, cmp >= 0, err);
		i += cmp <= 0;
		k += cmp >= 0;
	}
	string_list_clear(&x, NULL);
	string_list_clear(&y, NULL);
	return rc;
}

/* NULL: there is no such side. A file in place of a directory is shown as both. */
static int compare(struct no_index *n, const char *a, const char *b, struct err *err)
{
	unsigned a_mode = 0, b_mode = 0;
	int rc = a ? mode_of(n, a, &a_mode, err) : 0;

	if (!rc && b)
		rc = mode_of(n, b, &b_mode, err);
	if (rc < 0)
		return rc;
	if (S_ISDIR(a_mode) && b_mode && !S_ISDIR(b_mode)) {
		rc = queue_files(n, NULL, 0, b, b_mode, err);
		b = NULL;
	} else if (S_ISDIR(b_mode) && a_mode && !S_ISDIR(a_mode)) {
		rc = queue_files(n, a, a_mode, NULL, 0, err);
		a = NULL;
	}
	if (rc < 0)
		return rc;
	if (S_ISDIR(a_mode) || S_ISDIR(b_mode))
		return compare_dirs(n, S_ISDIR(a_mode) ? a : NULL, S_ISDIR(b_mode) ? b : NULL, err);
	return queue_files(n, a, a_mode, b, b_mode, err);
}

/* A file and a directory: the file of that name in the directory. */
static int settle_names(struct no_index *n, char *names[2], struct err *err)
{
	unsigned mode[2];
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++)
		rc = mode_of(n, names[i], &mode[i], err);
	for (int i = 0; !rc && i < 2; i++) {
		if (!S_ISDIR(mode[i]) || !S_ISREG(mode[!i]) || !strcmp(names[!i], "-"))
			continue;
		char *whole = below(names[i], path_basename(names[!i]));

		free(names[i]);
		names[i] = whole;
		break;
	}
	return rc;
}

/* ---- the command ---- */

static void parse(struct diff_command *d, int argc, const char **argv, const char *paths[2])
{
	struct err err = ERR_INIT;
	bool only_paths = false;
	int nr = 0, used;

	for (int i = 1; i < argc; i += used) {
		used = 1;
		if (!only_paths && !strcmp(argv[i], "--")) {
			only_paths = true;
		} else if (!only_paths && !strcmp(argv[i], "--no-index")) {
			continue;
		} else if (!only_paths && !strcmp(argv[i], "--quiet")) {
			d->quiet = true;
		} else if (only_paths || *argv[i] != '-' || !argv[i][1]) {
			if (nr == 2)
				bad_usage();
			paths[nr++] = argv[i];
		} else {
			used = diff_options_parse(&d->o, argv + i, &err);
			if (used <= 0)
				error("%s", used ? err_message(&err) : "unknown option");
			if (used < 0)
				exit(129);
			if (!used)
				bad_usage();
		}
	}
	if (nr != 2)
		bad_usage();
}

int diff_no_index(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	struct no_index n = { .d = d, .input = STRBUF_INIT };
	const char *paths[2];
	char *names[2];
	int rc;

	parse(d, argc, argv, paths);
	d->o.exit_code = true;
	diff_options_mnemonic(&d->o, "1/", "2/");
	d->o.read = read_side;
	d->o.read_data = &n;
	d->o.keep_same = true;
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_PATCH;
	rc = diff_command_settle(d, err);
	d->o.driver = NULL; /* attributes are a repository's */
	names[0] = xstrdup(paths[0]);
	names[1] = xstrdup(paths[1]);
	if (!rc)
		rc = settle_names(&n, names, err);
	if (!rc)
		rc = compare(&n, names[0], names[1], err);
	if (!rc)
		rc = diff_command_show(d, err);
	free(names[0]);
	free(names[1]);
	strbuf_release(&n.input);
	return rc;
}
