/* SPDX-License-Identifier: GPL-2.0-only */
/* git diff --no-index: two files or directories, whether or not a repository knows them. */
#include "compat/posix.h"
#include <dirent.h>
#include "builtin/diff/diff.h"
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
	void (*driver)(void *data, const char *path, struct diff_driver *out);
	void *driver_data; /* of the repository's attributes */
	bool missing; /* a path is not there: an answer, not a failure */
	struct pathspec limits; /* what counts below two directories; none: everything */
	size_t roots[2];	/* how much of each side's paths these two are */
};

static const char *const usage[] = { "git diff --no-index [<options>] <path> <path> [<pathspec>...]", NULL };

NORETURN static void bad_usage(void)
{
	struct option none[] = { OPT_END() };

	usage_with_options(usage, none);
}

/* ---- files ---- */

/* From the top of the work tree, where we are. */
static char *place_of(const struct no_index *n, const char *path)
{
	const char *prefix = n->d->repo ? n->d->repo->prefix : NULL;

	return prefix && *path != '/' ? xstrfmt("%s%s", prefix, path) : xstrdup(path);
}

/* 0: nothing there (only where that is asked for). */
static int mode_of(struct no_index *n, const char *path, unsigned *mode, struct err *err)
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
		n->missing = true;
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

/* Attributes are those of files in the work tree; of one elsewhere, what patterns without a directory say. */
static void find_driver(void *data, const char *path, struct diff_driver *out)
{
	const struct no_index *n = data;
	char *place = place_of(n, path), *clean = xstrdup(place);

	*out = (struct diff_driver){ .binary = -1, .marker_size = 7 };
	if (!path_normalize(clean, place) && *clean)
		n->driver(n->driver_data, clean, out);
	free(clean);
	free(place);
}

static void use_drivers(struct no_index *n, struct diff_options *o)
{
	if (!o->driver)
		return;
	n->driver = o->driver;
	n->driver_data = o->driver_data;
	o->driver = find_driver;
	o->driver_data = n;
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

static int diff_no_index_compare(struct no_index *n, const char *a, const char *b, struct err *err);

/* Do the pathspecs select this path, or could they select a path below it? */
static bool is_selected(const struct no_index *n, const char *path, int side)
{
	const char *inside = path + n->roots[side];
	char *place;
	struct stat st;
	bool dir;

	if (!n->limits.nr)
		return true;
	inside += strspn(inside, "/");
	place = place_of(n, path);
	dir = !lstat(place, &st) && S_ISDIR(st.st_mode);
	free(place);
	if (dir)
		return pathspec_match_dir(&n->limits, inside, strlen(inside)) != PATHSPEC_NO_MATCH;
	return pathspec_match(&n->limits, inside, strlen(inside), false, NULL);
}

/* One of them is in directory a or b, or both; NULL: there is no such directory. */
static int compare_in(struct no_index *n, const char *a, const char *b, const char *name, bool in_a, bool in_b,
		      struct err *err)
{
	char *x = in_a ? below(a, name) : NULL, *y = in_b ? below(b, name) : NULL;
	int rc = 0;

	if (x && !is_selected(n, x, 0))
		FREE_AND_NULL(x);
	if (y && !is_selected(n, y, 1))
		FREE_AND_NULL(y);
	if (x || y)
		rc = diff_no_index_compare(n, x, y, err);
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
static int diff_no_index_compare(struct no_index *n, const char *a, const char *b, struct err *err)
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
static int resolve_names(struct no_index *n, char *names[2], struct err *err)
{
	unsigned mode[2];
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++)
		rc = mode_of(n, names[i], &mode[i], err);
	for (int i = 0; !rc && i < 2; i++) {
		if (!S_ISDIR(mode[i]) || !S_ISREG(mode[!i]))
			continue;
		if (!strcmp(names[!i], "-"))
			return err_set(err, ERR_INVALID, "cannot compare stdin to a directory");
		char *whole = below(names[i], path_basename(names[!i]));

		free(names[i]);
		names[i] = whole;
		break;
	}
	return rc;
}

/* Only below two directories. */
static int resolve_limits(struct no_index *n, char *names[2], const struct strvec *args, struct err *err)
{
	bool dirs = true;

	if (args->nr == 2)
		return 0;
	for (int i = 0; i < 2; i++) {
		char *place = place_of(n, names[i]);
		struct stat st;

		dirs &= !stat(place, &st) && S_ISDIR(st.st_mode);
		n->roots[i] = strlen(names[i]);
		free(place);
	}
	if (!dirs) {
		warning("Limiting comparison with pathspecs is only supported if both paths are "
			"directories.");
		bad_usage();
	}
	return pathspec_parse(&n->limits, NULL, NULL, args->v + 2, PATHSPEC_NO_ATTR, err);
}

/* ---- the command ---- */

static int take_option(struct diff_command *d, const char **argv)
{
	struct err err = ERR_INIT;
	enum submodule_mode ignored;
	int used;

	if (!strcmp(argv[0], "-h"))
		usage_on_stdout(usage, NULL);
	if (!strcmp(argv[0], "--no-index") || diff_submodules_option(argv[0], &ignored, &err) > 0)
		return 1;
	if (!strcmp(argv[0], "--quiet") || !strcmp(argv[0], "--no-quiet")) {
		d->quiet = argv[0][2] == 'q';
		return 1;
	}
	used = diff_options_parse(&d->o, argv, &err);
	if (used < 0) {
		error("%s", err_message(&err));
		exit(129);
	}
	if (!used) {
		if (argv[0][1] == '-')
			error("unknown option `%.*s'", (int)strcspn(argv[0] + 2, "="), argv[0] + 2);
		else
			error("unknown switch `%c'", argv[0][1]);
		bad_usage();
	}
	return used;
}

static void parse(struct diff_command *d, int argc, const char **argv, bool implied, struct strvec *args)
{
	bool only_paths = false;

	for (int i = 1; i < argc;) {
		if (!only_paths && !strcmp(argv[i], "--")) {
			only_paths = true;
			i++;
		} else if (only_paths || *argv[i] != '-' || !argv[i][1]) {
			strvec_push(args, argv[i++]);
		} else {
			i += take_option(d, argv + i);
		}
	}
	if (args->nr >= 2)
		return;
	if (implied)
		warning("Not a git repository. Use --no-index to compare two paths outside a working tree");
	bad_usage();
}

static int diff_no_index_run(struct no_index *n, const struct strvec *args, struct err *err)
{
	char *names[2] = { xstrdup(args->v[0]), xstrdup(args->v[1]) };
	int rc = resolve_limits(n, names, args, err);

	if (!rc)
		rc = resolve_names(n, names, err);
	if (!rc)
		rc = diff_no_index_compare(n, names[0], names[1], err);
	free(names[0]);
	free(names[1]);
	pathspec_release(&n->limits);
	return rc;
}

int diff_no_index(struct diff_command *d, int argc, const char **argv, bool implied, struct err *err)
{
	struct no_index n = { .d = d, .input = STRBUF_INIT };
	struct strvec args = STRVEC_INIT;
	int rc;

	parse(d, argc, argv, implied, &args);
	d->o.exit_code = true;
	diff_options_mnemonic(&d->o, "1/", "2/");
	d->o.read = read_side;
	d->o.read_data = &n;
	d->o.keep_same = d->o.no_names = true;
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_PATCH;
	rc = diff_command_resolve(d, err);
	use_drivers(&n, &d->o);
	if (!rc)
		rc = diff_no_index_run(&n, &args, err);
	if (rc < 0 && n.missing) {
		error("%s", err_message(err));
		err_release(err);
		d->code = 1;
		rc = 0;
	} else if (!rc) {
		rc = diff_command_show(d, err);
	}
	strvec_clear(&args);
	strbuf_release(&n.input);
	return rc;
}
