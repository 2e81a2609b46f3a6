/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "odb/stores.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"

/* Alternates of alternates: as deep as stock Git goes. */
#define ALTERNATES_MAX_DEPTH 5
#define ALTERNATES_MAX_BYTES ((size_t)16 * 1024 * 1024)

/* ---- the list ---- */

static void add_source(struct odb_store *st, struct odb_source *s)
{
	st->sources[s->ops->rank] = s;
}

/* own: NULL: loose files and packs. */
static struct odb_store *store_new(struct odb_stores *l, const char *objdir, struct odb_source *own)
{
	struct odb_store *st = xcalloc(1, sizeof(*st));
	struct packs_options o = l->pack_options;

	st->objdir = xstrdup(objdir);
	if (own) {
		add_source(st, own);
		return st;
	}
	o.objdir = st->objdir;
	add_source(st, odb_source_packs_new(&o));
	add_source(st, odb_source_loose_new(st->objdir, o.algo));
	return st;
}

static void store_free(struct odb_store *st)
{
	for (int rank = 0; rank < ODB_NR_RANKS; rank++)
		if (st->sources[rank])
			st->sources[rank]->ops->free(st->sources[rank]);
	free(st->objdir);
	free(st);
}

void odb_stores_init(struct odb_stores *l, const char *objdir, struct odb_source *own,
		     const struct packs_options *pack_options,
		     void (*report)(void *data, const char *msg))
{
	memset(l, 0, sizeof(*l));
	l->pack_options = *pack_options;
	l->report = report;
	l->report_data = pack_options->warn_data;
	pthread_mutex_init(&l->lock, NULL);
	l->seen = (struct strset)STRSET_INIT;
	l->first = l->last = store_new(l, objdir, own);
}

void odb_stores_release(struct odb_stores *l)
{
	struct odb_store *st = l->first, *next;

	for (; st; st = next) {
		next = atomic_load(&st->next);
		store_free(st);
	}
	l->first = l->last = NULL;
	strset_clear(&l->seen);
	pthread_mutex_destroy(&l->lock);
}

/* ---- alternates ---- */

PRINTF_LIKE(2, 3)
static void complain(struct odb_stores *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(l->report, l->report_data, fmt, ap);
	va_end(ap);
}

static void read_info_alternates(struct odb_stores *l, const char *objdir, int depth);

/* False: it was seen before, under this name or another. */
static bool note_dir(struct odb_stores *l, const struct stat *st)
{
	char key[64];

	snprintf(key, sizeof(key), "%ju:%ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino);
	return strset_add(&l->seen, key);
}

static void add_store(struct odb_stores *l, const char *path, int depth)
{
	struct odb_store *s;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		complain(l, "object directory %s does not exist; check .git/objects/info/alternates",
			 path);
		return;
	}
	if (!note_dir(l, &st))
		return;
	s = store_new(l, path, NULL);
	atomic_store(&l->last->next, s);
	l->last = s;
	read_info_alternates(l, s->objdir, depth + 1);
}

/*
 * Relative names in a file start at the object directory that the file is in; those of the
 * environment (base is NULL) at the current directory.
 */
static void add_entry(struct odb_stores *l, const char *entry, const char *base, int depth)
{
	struct strbuf path = STRBUF_INIT;

	if (!base && !is_absolute_path(entry)) {
		char *real = path_real(entry, 1);

		if (real)
			add_store(l, real, depth);
		else
			complain(l, "unable to normalize alternate object path: %s", entry);
		free(real);
		return;
	}

	if (base && !is_absolute_path(entry))
		strbuf_addf(&path, "%s/", base);
	strbuf_addstr(&path, entry);
	if (base && !is_absolute_path(path.buf)) {
		/* "../../x" may climb above the start of a relative base */
		char *abs = path_absolute(path.buf);

		if (abs) {
			strbuf_reset(&path);
			strbuf_addstr(&path, abs);
			free(abs);
		}
	}
	if (strbuf_path_normalize(&path) < 0) {
		complain(l, "unable to normalize alternate object path: %s", path.buf);
	} else {
		while (path.len > 1 && path.buf[path.len - 1] == '/')
			strbuf_setlen(&path, path.len - 1);
		add_store(l, path.buf, depth);
	}
	strbuf_release(&path);
}

/* One entry at p: a line or a path; quoted as in C if it begins with '"'. */
static const char *parse_alternate(const char *p, int sep, struct strbuf *out)
{
	const char *end;

	strbuf_reset(out);
	if (*p == '#') /* a comment */
		return strchrnul(p, sep);
	if (*p == '"' && !unquote_c_style(out, p, &end))
		return end;
	strbuf_reset(out);
	end = strchrnul(p, sep);
	strbuf_add(out, p, (size_t)(end - p));
	return end;
}

static void add_list(struct odb_stores *l, const char *list, int sep, const char *base,
		     int depth)
{
	struct strbuf entry = STRBUF_INIT;

	if (depth > ALTERNATES_MAX_DEPTH) {
		if (*list)
			complain(l, "%s: ignoring alternate object stores, nesting too deep", base);
		return;
	}
	while (*list) {
		list = parse_alternate(list, sep, &entry);
		if (entry.len)
			add_entry(l, entry.buf, base, depth);
		if (*list)
			list++;
	}
	strbuf_release(&entry);
}

static void read_info_alternates(struct odb_stores *l, const char *objdir, int depth)
{
	char *path = path_join(objdir, "info/alternates");
	struct strbuf list = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = read_file(&list, path, ALTERNATES_MAX_BYTES, &err);

	if (!rc)
		add_list(l, list.buf, '\n', objdir, depth);
	else if (rc != ERR_NOT_FOUND)
		complain(l, "%s", err_message(&err));
	err_release(&err);
	strbuf_release(&list);
	free(path);
}

void odb_stores_add_alternates(struct odb_stores *l, const char *env)
{
	struct stat st;

	pthread_mutex_lock(&l->lock);
	if (!stat(l->first->objdir, &st))
		note_dir(l, &st);
	if (env)
		add_list(l, env, ':', NULL, 0);
	read_info_alternates(l, l->first->objdir, 0);
	pthread_mutex_unlock(&l->lock);
}
