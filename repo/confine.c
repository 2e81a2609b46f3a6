/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/dirscan.h"
#include "compat/landlock.h"
#include "compat/os.h"
#include "compat/seccomp.h"
#include "fs/private-dir.h"
#include "repo/confine.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/trace2.h"

/* ---- core.sandbox ---- */

int sandbox_read_config(enum sandbox_mode *out, const struct config_set *protected,
			struct err *err)
{
	const struct config_entry *e = config_get(protected, "core.sandbox");
	bool on;
	int rc;

	*out = SANDBOX_AUTO;
	if (!e || (e->value && !strcmp(e->value, "auto")))
		return 0;
	rc = config_entry_bool(e, &on, err);
	if (!rc)
		*out = on ? SANDBOX_ON : SANDBOX_OFF;
	return rc;
}

/* ---- what there is ---- */

static void note_missing(struct sandbox *s, const char *what)
{
	size_t len = strlen(s->missing);

	snprintf(s->missing + len, sizeof(s->missing) - len, "%sno %s (%s)", len ? ", " : "", what,
		 strerror(errno));
}

static void trace_state(const struct sandbox *s)
{
	struct strbuf text = STRBUF_INIT;

	if (s->landlock)
		strbuf_addf(&text, "landlock %d", s->landlock);
	if (s->seccomp)
		strbuf_addf(&text, "%sseccomp", text.len ? ", " : "");
	if (*s->missing)
		strbuf_addf(&text, "%s%s", text.len ? ", " : "", s->missing);
	trace2_data_string("sandbox", "state", text.buf);
	trace_printf("GIT_TRACE", "sandbox: %s", text.buf);
	strbuf_release(&text);
}

int sandbox_probe(struct sandbox *out, enum sandbox_mode mode, struct err *err)
{
	struct sandbox s = { .mode = mode };

	if (mode == SANDBOX_OFF) {
		snprintf(s.missing, sizeof(s.missing), "off (core.sandbox)");
		trace_state(&s);
		return 0;
	}
	s.landlock = landlock_abi();
	if (!s.landlock)
		note_missing(&s, "Landlock");
	s.seccomp = seccomp_is_available();
	if (!s.seccomp)
		note_missing(&s, "seccomp");
	if (mode == SANDBOX_ON && *s.missing)
		return err_set(err, ERR_UNSUPPORTED, "core.sandbox is true, but there is %s",
			       s.missing);
	*out = s;
	if (s.landlock || s.seccomp)
		return 1;
	trace_state(&s);
	return 0;
}

/* ---- what may be read ---- */

/* Links of links, and so on; and how many there may be in all. */
#define LINKS_MAX_DEPTH 5
#define LINKS_MAX 4096

struct reading {
	int rules;
	struct strvec trees; /* what has been allowed */
	size_t nr_links;
	int failure; /* errno */
};

static bool is_allowed(const struct reading *w, const char *path)
{
	for (size_t i = 0; i < w->trees.nr; i++)
		if (path_inside(path, w->trees.v[i]))
			return true;
	return false;
}

/* What cannot be found is not read either. */
static void allow(struct reading *w, const char *path)
{
	if (landlock_allow_read(w->rules, path) < 0 && errno != ENOENT && errno != ENOTDIR &&
	    errno != EACCES && errno != ELOOP)
		w->failure = errno;
}

static void allow_links(struct reading *w, const char *dir, int depth);

/*
 * Allows the target of a symbolic link. If the target is replaced by renames (git-new-workdir makes such links), its
 * directory is allowed.
 */
static void allow_link(struct reading *w, const char *path, bool is_replaced, int depth)
{
	struct strbuf parent = STRBUF_INIT;
	char *real = path_real(path, is_replaced ? 1 : 0);
	struct stat st;

	if (real && is_replaced) {
		path_dirname(&parent, real);
		allow(w, parent.buf);
	} else if (real && !is_allowed(w, real)) {
		allow(w, real);
		if (!stat(real, &st) && S_ISDIR(st.st_mode) && depth < LINKS_MAX_DEPTH)
			allow_links(w, real, depth + 1);
	}
	strbuf_release(&parent);
	free(real);
}

static bool confine_is_link(const struct dir_scan *d, const char *name, unsigned char type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type == DT_LNK;
	return !fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

static void allow_links(struct reading *w, const char *dir, int depth)
{
	char *followed = path_join(dir, "."), *buf = xmalloc(32768);
	struct dir_scan d;
	unsigned char type;
	const char *name;

	if (!dir_scan_open(&d, followed, buf, 32768)) {
		while (dir_scan_next(&d, &name, &type) > 0 && w->nr_links < LINKS_MAX) {
			char *path = confine_is_link(&d, name, type) ? path_join(dir, name) : NULL;

			if (path) {
				w->nr_links++;
				allow_link(w, path, false, depth);
			}
			free(path);
		}
		dir_scan_close(&d);
	}
	free(buf);
	free(followed);
}

static void allow_tree(struct reading *w, const char *dir)
{
	if (is_allowed(w, dir))
		return;
	allow(w, dir);
	strvec_push(&w->trees, dir);
}

static void allow_paths(struct reading *w, const char *dir, const struct ref_path *paths)
{
	struct stat st;

	for (; paths->path; paths++) {
		char *path = path_join(dir, paths->path);

		if (!lstat(path, &st) && S_ISLNK(st.st_mode))
			allow_link(w, path, paths->is_replaced, 0);
		if (paths->is_tree)
			allow_links(w, path, 0);
		free(path);
	}
}

/* Allows the files that upload-pack and the like read below a gitdir. Other links stay out. */
static void allow_gitdir(struct reading *w, const struct ref_store *refs, const char *dir)
{
	static const struct ref_path others[] = {
		{ .path = "info" }, { .path = "objects" }, { .path = "shallow", .is_replaced = true }, { .path = NULL },
	};

	allow_tree(w, dir);
	allow_paths(w, dir, others);
	allow_paths(w, dir, refs_paths(refs));
}

static void allow_objdir(struct reading *w, const char *dir)
{
	static const char *const names[] = { "pack", "info" };

	allow_tree(w, dir);
	allow_links(w, dir, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = path_join(dir, names[i]);

		allow_links(w, path, 0);
		free(path);
	}
}

static void allow_repository(struct reading *w, const struct repository *r)
{
	allow_gitdir(w, r->refs, r->commondir);
	if (strcmp(r->gitdir, r->commondir))
		allow_gitdir(w, r->refs, r->gitdir);
	if (r->refs_are_outside)
		allow_gitdir(w, r->refs, r->refs_commondir);
	allow_objdir(w, r->objdir);
	for (size_t i = 0; i < odb_nr_alternates(r->odb); i++)
		allow_objdir(w, odb_alternate(r->odb, i));
}

/* C libraries look there, some for how much memory there is; a sanitizer anywhere. */
static void allow_system(struct reading *w)
{
	allow(w, "/dev/null");
	allow(w, "/proc/meminfo");
	if (os_has_sanitizer())
		allow(w, "/");
}

/* What the processes need that are forked as well: util/detach.h, compat/os.h. */
static void allow_private_dir(struct reading *w, int dir)
{
	int null = open("/dev/null", O_RDWR /* check-calls: a device */ | O_CLOEXEC);

	if (null < 0 || landlock_allow_write(w->rules, null) < 0 ||
	    landlock_allow_write(w->rules, dir) < 0)
		w->failure = errno;
	if (null >= 0)
		close(null);
	allow(w, "/proc/sys/kernel/random/boot_id");
}

static void allow_tree_of_files(struct reading *w, int dir)
{
	if (landlock_allow_tree(w->rules, dir) < 0)
		w->failure = errno;
}

static int enforce_landlock(const struct repository *r, const struct sandbox *s, int private_dir,
			    struct err *err)
{
	struct reading w = { .trees = STRVEC_INIT };
	int rc = 0;

	w.rules = landlock_new();
	if (w.rules < 0)
		return err_set_errno(err, "cannot make Landlock rules");
	if (r)
		allow_repository(&w, r);
	allow_system(&w);
	for (const char *const *f = s->files; f && *f; f++)
		allow(&w, *f);
	if (private_dir >= 0 && s->tree)
		allow_tree_of_files(&w, private_dir);
	else if (private_dir >= 0)
		allow_private_dir(&w, private_dir);
	errno = w.failure;
	if (w.failure || landlock_enforce(w.rules) < 0)
		rc = err_set_errno(err, "cannot enforce Landlock rules");
	close(w.rules);
	strvec_clear(&w.trees);
	return rc;
}

/* ---- giving up ---- */

/* The first of these that does not work, if all are needed. */
static int failed(struct sandbox *s, const char *what, struct err *why, struct err *err)
{
	int rc = why->code;

	if (s->mode == SANDBOX_ON) {
		err_move(err, why);
		return rc;
	}
	errno = why->sys_errno;
	note_missing(s, what);
	err_release(why);
	return 0;
}

static int enforce(struct repository *r, struct sandbox *s, int private_dir,
		   const struct seccomp_rights *rights, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	if (s->landlock && enforce_landlock(r, s, private_dir, &why) < 0) {
		s->landlock = 0;
		rc = failed(s, "Landlock", &why, err);
	}
	if (!rc && s->seccomp && seccomp_enforce(rights) < 0) {
		s->seccomp = false;
		rc = err_set_errno(&why, "cannot enforce rules of seccomp");
		rc = failed(s, "seccomp", &why, err);
	}
	return rc;
}

int repo_confine(struct repository *r, struct sandbox *s, int messages, struct err *err)
{
	struct seccomp_rights rights = { .messages = messages, .locks = s->locks };
	int dir = -1, rc;

	/* files that are otherwise opened on first use */
	trace_want("GIT_TRACE");
	tzset();

	os_close_inherited(trace_has_descriptor);
	os_forbid_core_dumps();
	if (s->tree) {
		dir = open(s->private_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		rights.tree = true;
		if (dir < 0)
			return err_set_errno(err, "cannot open '%s'", s->private_dir);
	} else if (s->private_dir && !private_dir_open(&dir, s->private_dir, NULL)) {
		rights.files = rights.locks = true;
	}
	rc = enforce(r, s, dir, &rights, err);
	if (dir >= 0)
		close(dir);
	if (!rc)
		trace_state(s);
	return rc;
}
