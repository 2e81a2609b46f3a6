/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "fs/tempfile.h"
#include "util/alloc.h"
#include "util/path.h"
#include <dirent.h>

#define NAME_PREFIX "tmp_objdir-"

struct tmp_objdir {
	struct tempfile *dir; /* removed at exit with all that is in it */
	char *objdir;
	int shared_perm;
};

/* ---- the name, and whose it is ---- */

/*
 * "tmp_objdir-PREFIX-OWNER-RANDOM". The owner stands in the name because mkdir
 * is then the one call after which the directory differs from others; an
 * attribute would come a call later, and not every file system has them. Where the owner
 * cannot be named, the name has only "-0-".
 */
static char *compose_path(const char *objdir, const char *prefix)
{
	char text[OWNER_TEXT_MAX + 1] = "0";
	struct owner self;

	if (owner_self(&self, objdir))
		owner_format(text, &self, '.');
	return xstrfmt("%s/" NAME_PREFIX "%s-%s-%08"PRIx32, objdir, prefix, text,
		       (uint32_t)os_random64());
}

/* True for a name as above whose owner can be read. */
static bool owner_of_name(const char *name, struct owner *out)
{
	const char *end, *start;

	if (!starts_with(name, NAME_PREFIX) || !(end = strrchr(name, '-')))
		return false;
	for (start = end; start > name && start[-1] != '-'; start--)
		; /* the field before the last '-' */
	return owner_parse(out, start, (size_t)(end - start), '.');
}

bool tmp_objdir_has_owner(const char *name)
{
	struct owner owner;

	return owner_of_name(name, &owner);
}

/* ---- making and removing ---- */

int tmp_objdir_create(struct tmp_objdir **out, const char *objdir,
		      const char *prefix, int shared_perm, struct err *err)
{
	struct tmp_objdir *t;
	char *path = NULL;
	int ret, made = -1;

	for (int try = 0; try < 100; try++) {
		free(path);
		path = compose_path(objdir, prefix);
		made = (int)RETRY_EINTR(sys->mkdir(path, 0777));
		if (!made || errno != EEXIST)
			break;
	}
	if (made < 0) {
		ret = err_set_errno(err, "unable to create temporary object directory '%s'",
				    path);
		free(path);
		return ret;
	}
	t = xcalloc(1, sizeof(*t));
	t->dir = tempfile_register(path);
	t->objdir = xstrdup(objdir);
	t->shared_perm = shared_perm;
	free(path);
	ret = apply_shared_perm(t->dir->path, shared_perm, err);
	if (ret < 0)
		tmp_objdir_destroy(&t);
	else
		*out = t;
	return ret;
}

const char *tmp_objdir_path(const struct tmp_objdir *t)
{
	return t->dir->path;
}

void tmp_objdir_destroy(struct tmp_objdir **tp)
{
	struct tmp_objdir *t = *tp;

	if (!t)
		return;
	*tp = NULL;
	tempfile_delete(&t->dir);
	free(t->objdir);
	free(t);
}

/* ---- children ---- */

/*
 * The list in the environment is separated by colons; a path that holds one,
 * or begins with a quote, is quoted as C has it (git(1)).
 */
static void add_alternate(struct strbuf *sb, const char *path)
{
	if (*path != '"' && !strchr(path, ':')) {
		strbuf_addstr(sb, path);
		return;
	}
	strbuf_addch(sb, '"');
	for (const char *p = path; *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *p);
	}
	strbuf_addch(sb, '"');
}

/* `path` (absolute, since children change directories), then what we were given. */
static void push_alternates(struct strvec *env, const char *path)
{
	struct strbuf alternates = STRBUF_INIT;
	const char *before = getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
	char *absolute = path_absolute(path);

	add_alternate(&alternates, absolute ? absolute : path);
	if (before && *before)
		strbuf_addf(&alternates, ":%s", before);
	strvec_pushf(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s", alternates.buf);
	strbuf_release(&alternates);
	free(absolute);
}

void tmp_objdir_env(const struct tmp_objdir *t, struct strvec *env)
{
	char *tmp = path_absolute(t->dir->path);

	strvec_pushf(env, "GIT_OBJECT_DIRECTORY=%s", tmp ? tmp : t->dir->path);
	push_alternates(env, t->objdir);
	strvec_pushf(env, "GIT_QUARANTINE_PATH=%s", tmp ? tmp : t->dir->path);
	free(tmp);
}

/* ---- staging what others wrote ---- */

static int list_dir(struct strvec *out, const char *path, struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return err_set_errno(err, "unable to open directory '%s'", path);
	while ((de = readdir(dir)))
		if (de->d_name[0] != '.')
			strvec_push(out, de->d_name);
	closedir(dir);
	strvec_sort_unique(out);
	return 0;
}

static bool is_object_subdir(const char *name)
{
	return !strcmp(name, "pack") ||
	       (isxdigit((unsigned char)name[0]) && isxdigit((unsigned char)name[1]) &&
		!name[2]);
}

/* Half-written files of programs that failed are not published. */
static bool is_left_over(const char *name)
{
	return starts_with(name, "tmp_");
}

static const struct {
	const char *suffix;
	enum fsync_component component;
	enum publish_class order;
} pack_files[] = {
	{ ".pack", FSYNC_PACK, PUBLISH_PACK_DATA },
	{ ".idx", FSYNC_PACK_METADATA, PUBLISH_PACK_IDX },
	/* .rev, .keep, .promisor, .bitmap … */
	{ "", FSYNC_PACK_METADATA, PUBLISH_PACK_DATA },
};

static void classify(struct fsync_staging *s, const char *rel)
{
	size_t i = 0;

	if (!starts_with(rel, "pack/")) {
		s->component = FSYNC_LOOSE_OBJECT;
		s->order = PUBLISH_LOOSE_OBJECT;
		return;
	}
	while (!ends_with(rel, pack_files[i].suffix))
		i++;
	s->component = pack_files[i].component;
	s->order = pack_files[i].order;
}

static bool is_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]) || isupper((unsigned char)text[i]))
			return false;
	return true;
}

/* "ab/cdef…", "pack/pack-….EXT", which is all that belongs there. */
static bool is_expected(const char *rel)
{
	const char *name = strchr(rel, '/') + 1;
	size_t hex = 0;

	if (!starts_with(rel, "pack/"))
		return (strlen(name) == 38 || strlen(name) == 62) && is_hex(name, strlen(name)) && is_hex(rel, 2);
	if (!skip_prefix(name, "pack-", &name))
		return false;
	while (is_hex(name + hex, 1))
		hex++;
	return (hex == 40 || hex == 64) && name[hex] == '.' && !strchr(name + hex + 1, '.');
}

/* .pack, .idx and .rev, which make a pack; all others are companions. */
static bool is_of_pack(const char *rel)
{
	return ends_with(rel, ".pack") || ends_with(rel, ".idx") || ends_with(rel, ".rev");
}

static int unexpected(const char *path, struct err *err)
{
	return err_set(err, ERR_INVALID, "unexpected file in quarantine: '%s'", path);
}

/*
 * The process that filled the directory is not trusted: no file that exists in the object database is replaced,
 * and only plain files are published.
 */
static int check_one(const char *rel, const char *from, struct err *err)
{
	struct stat st;

	if (lstat(from, &st) < 0)
		return err_set_errno(err, "unable to open '%s'", from);
	return S_ISREG(st.st_mode) && st.st_nlink == 1 && is_expected(rel) ? 0 : unexpected(from, err);
}

/* "pack/pack-HASH.idx" for a file of that pack. Caller frees. */
static char *idx_of(const char *rel)
{
	return xstrfmt("%.*s.idx", (int)strcspn(rel, "."), rel);
}

static bool is_in(const char *dir, const char *rel)
{
	char *path = path_join(dir, rel);
	struct stat st;
	bool there = lstat(path, &st) == 0;

	free(path);
	return there;
}

/* A file beside a pack that came before would change that one: a .keep, a .mtimes, a .promisor. */
static bool has_own_pack(const struct tmp_objdir *t, const char *rel)
{
	char *idx = idx_of(rel), *pack = xstrfmt("%.*s.pack", (int)strcspn(rel, "."), rel);
	bool has = is_in(t->dir->path, idx) && is_in(t->dir->path, pack);

	free(idx);
	free(pack);
	return has;
}

/*
 * A pack that is there is left alone, with all that belongs to it. What has no .idx yet is no pack: a writer died
 * before it could publish that, or is about to; ours has the same name, so the same bytes.
 */
static bool is_there(const struct tmp_objdir *t, const char *rel)
{
	char *idx;
	bool there;

	if (!starts_with(rel, "pack/"))
		return is_in(t->objdir, rel);
	idx = idx_of(rel);
	there = is_in(t->objdir, idx) || (!is_of_pack(rel) && is_in(t->objdir, rel));
	free(idx);
	return there;
}

static int stage_file(struct tmp_objdir *t, const char *rel, const char *from, const char *to,
		      struct fsync_batch *b, bool settled, struct err *err)
{
	struct fsync_staging s = {
		.how = PUBLISH_RENAME, .fd = -1, .tmp_path = from, .final_path = to,
		.make_parents = true, .settled = settled,
	};
	int ret = apply_shared_perm(from, t->shared_perm, err);

	if (ret < 0)
		return ret;
	classify(&s, rel);
	if (!settled) {
		s.fd = (int)RETRY_EINTR(sys->open(from, O_RDONLY | O_CLOEXEC, 0));
		if (s.fd < 0)
			return err_set_errno(err, "unable to open '%s'", from);
	}
	return fsync_batch_stage(b, &s, err);
}

/*
 * It is there already: it gets the present time, so that pruning by age keeps it. A cruft pack becomes an ordinary one. The
 * nanoseconds stay, since they can be a mark (object-file.h). A file of another user keeps its time.
 */
static int freshen(const char *rel, const char *to, struct fsync_batch *b, struct err *err)
{
	struct timespec times[2] = { { 0, UTIME_NOW }, { .tv_sec = time(NULL) } };
	struct fsync_staging s = { .component = FSYNC_PACK_METADATA, .order = PUBLISH_OBJECT_DELETE,
				   .how = PUBLISH_UNLINK, .fd = -1 };
	struct stat st;
	char *mtimes;
	int rc;

	if ((starts_with(rel, "pack/") && !ends_with(rel, ".pack")) || lstat(to, &st) < 0)
		return 0;
	times[1].tv_nsec = ST_MTIME_NSEC(st);
	(void)!sys->utimens(to, times);
	if (!ends_with(rel, ".pack"))
		return 0;
	mtimes = xstrfmt("%.*s.mtimes", (int)(strlen(to) - strlen(".pack")), to);
	s.final_path = mtimes;
	rc = access(mtimes, F_OK) ? 0 : fsync_batch_stage(b, &s, err);
	free(mtimes);
	return rc;
}

struct staging {
	struct fsync_batch *batch;
	bool settled;
};

static int stage_one(struct tmp_objdir *t, const char *rel, void *data, struct err *err)
{
	const struct staging *s = data;
	char *from = path_join(t->dir->path, rel);
	char *to = path_join(t->objdir, rel);
	int ret = check_one(rel, from, err);

	if (!ret && starts_with(rel, "pack/") && !has_own_pack(t, rel))
		ret = unexpected(from, err);
	if (!ret && is_there(t, rel))
		ret = freshen(rel, to, s->batch, err);
	else if (!ret)
		ret = stage_file(t, rel, from, to, s->batch, s->settled, err);
	free(from);
	free(to);
	return ret;
}

typedef int (*file_fn)(struct tmp_objdir *t, const char *rel, void *data, struct err *err);

static int for_each_in(struct tmp_objdir *t, const char *sub, file_fn fn, void *data, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	char *path = path_join(t->dir->path, sub);
	int ret = list_dir(&names, path, err);

	for (size_t i = 0; !ret && i < names.nr; i++) {
		char *rel = path_join(sub, names.v[i]);

		if (!is_left_over(names.v[i]))
			ret = fn(t, rel, data, err);
		free(rel);
	}
	strvec_clear(&names);
	free(path);
	return ret;
}

static int for_each_object_file(struct tmp_objdir *t, file_fn fn, void *data, struct err *err)
{
	struct strvec subs = STRVEC_INIT;
	int ret = list_dir(&subs, t->dir->path, err);

	for (size_t i = 0; !ret && i < subs.nr; i++)
		if (is_object_subdir(subs.v[i]))
			ret = for_each_in(t, subs.v[i], fn, data, err);
	strvec_clear(&subs);
	return ret;
}

int tmp_objdir_stage_all(struct tmp_objdir *t, struct fsync_batch *b, bool settled, struct err *err)
{
	struct staging s = { b, settled };

	return for_each_object_file(t, stage_one, &s, err);
}

/* ---- what a process may have left that can have been taken over ---- */

struct counting {
	size_t hex_len, nr;
};

/* Does the name fit: an object name of this repository's length, and a pack for each .idx and .rev? */
static bool is_sound(const struct tmp_objdir *t, const char *rel, size_t hex_len)
{
	if (!starts_with(rel, "pack/"))
		return strlen(rel) == hex_len + 1;
	return strcspn(rel, ".") == strlen("pack/pack-") + hex_len && is_of_pack(rel) && has_own_pack(t, rel);
}

static int count_one(struct tmp_objdir *t, const char *rel, void *data, struct err *err)
{
	struct counting *c = data;
	char *from = path_join(t->dir->path, rel);
	int ret = check_one(rel, from, err);

	if (!ret && !is_sound(t, rel, c->hex_len))
		ret = unexpected(from, err);
	c->nr++;
	free(from);
	return ret;
}

/* No info/alternates, say, that would open another repository to who reads this one. */
static int check_sub(struct tmp_objdir *t, const char *name, struct counting *c, struct err *err)
{
	char *path = path_join(t->dir->path, name);
	struct stat st;
	int ret = 0;

	if (!is_left_over(name)) {
		if (!is_object_subdir(name) || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
			ret = unexpected(path, err);
		else
			ret = for_each_in(t, name, count_one, c, err);
	}
	free(path);
	return ret;
}

int tmp_objdir_check(struct tmp_objdir *t, size_t hex_len, size_t *nr, struct err *err)
{
	struct counting c = { .hex_len = hex_len };
	struct strvec subs = STRVEC_INIT;
	int ret = list_dir(&subs, t->dir->path, err);

	for (size_t i = 0; !ret && i < subs.nr; i++)
		ret = check_sub(t, subs.v[i], &c, err);
	strvec_clear(&subs);
	if (!ret)
		*nr = c.nr;
	return ret;
}

/* ---- all of them ---- */

struct file_callback {
	int (*fn)(void *data, const char *rel, struct err *err);
	void *data;
};

static int visit_file(struct tmp_objdir *t UNUSED, const char *rel, void *data, struct err *err)
{
	const struct file_callback *c = data;

	return c->fn(c->data, rel, err);
}

int tmp_objdir_foreach(struct tmp_objdir *t, int (*fn)(void *data, const char *rel, struct err *err), void *data,
		       struct err *err)
{
	struct file_callback c = { fn, data };

	return for_each_object_file(t, visit_file, &c, err);
}

/* ---- left by the dead ---- */

/*
 * An owner that exits normally removes its directory, perhaps after we have found it, and other
 * processes reap, too. The process that removes the directory itself reports it.
 */
static void reap_one(const char *objdir, const char *name)
{
	char *path = path_join(objdir, name);
	struct owner owner;
	struct stat st;

	if (owner_of_name(name, &owner) && !lstat(path, &st) && S_ISDIR(st.st_mode) &&
	    owner_state(&owner, objdir, st.st_ctime) == LOCK_OWNER_GONE &&
	    !remove_tree(path, true, NULL) && !RETRY_EINTR(sys->rmdir(path)))
		tmp_objdir_reap_report(path, owner.pid);
	free(path);
}

static void report_reaped(const char *path, pid_t pid)
{
	fprintf(stderr, "warning: removed '%s'; its owner, process %ld, is gone\n",
		path, (long)pid);
}

void (*tmp_objdir_reap_report)(const char *path, pid_t pid) = report_reaped;

/* One readdir of some 260 names at most; nothing else unless there is one. */
void tmp_objdir_reap(const char *objdir)
{
	DIR *dir = opendir(objdir);
	struct dirent *de;

	if (!dir)
		return;
	while ((de = readdir(dir))) {
		if (starts_with(de->d_name, NAME_PREFIX))
			reap_one(objdir, de->d_name);
	}
	closedir(dir);
}
