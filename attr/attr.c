/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include "fs/file.h"
#include "history/names/revparse.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "util/quote.h"
#include "attr/attr.h"
#include "index/pattern.h"

/* gitattributes(5) of stock git: lines of that length, and larger files, are ignored. */
#define ATTR_LINE_MAX 2048
#define ATTR_FILE_MAX ((size_t)100 * 1024 * 1024)

struct assignment {
	size_t id; /* index into attrs->defs */
	struct attr_value value;
};

struct attr_line {
	struct path_pattern pat;
	struct assignment *set;
	size_t nr;
};

struct attr_list {
	struct attr_line *lines;
	size_t nr, alloc;
};

/* One attribute name; a macro has assignments of its own. */
struct attr_def {
	char *name;
	struct assignment *macro;
	size_t macro_nr;
	bool is_macro;
	bool is_object_mode; /* "builtin_objectmode": its value is not read from files */
};

struct attrs {
	pthread_mutex_t lock; /* of everything: files are read when they are needed */
	struct repository *repo;
	const struct index_state *ix;
	enum attr_direction direction;
	struct object_id tree; /* .gitattributes are read there, not in the work tree and the index */
	bool has_tree;
	bool icase;
	struct attr_def *defs;
	size_t nr_defs, alloc_defs;
	struct strmap ids;     /* name to id + 1 */
	struct strmap strings; /* interned values */
	struct attr_list system, global, info;
	bool info_is_read;
	struct strmap dirs; /* "a/b/" to struct attr_list * */
	/* For the last path: its directory, and the lists with lines from the top to there. */
	struct strbuf dir;
	struct attr_list **chain;
	size_t nr_chain, alloc_chain;
	bool has_chain;
	/* the file that is parsed, for messages; NULL: a pathspec */
	const char *file;
	size_t line_nr;
	/* scratch of one look-up */
	struct attr_value *result;
	bool *decided;
	size_t alloc_result;
	size_t *asked; /* the ids that the caller of attrs_get names */
	size_t nr_asked, alloc_asked;
};

/* ---- names and values ---- */

static size_t attr_id(struct attrs *a, const char *name, size_t len)
{
	uintptr_t id = (uintptr_t)strmap_get_mem(&a->ids, name, len);
	struct attr_def *def;

	if (id)
		return id - 1;
	ALLOC_GROW(a->defs, a->nr_defs + 1, a->alloc_defs);
	def = &a->defs[a->nr_defs];
	memset(def, 0, sizeof(*def));
	def->name = xmemdupz(name, len);
	def->is_object_mode = !strcmp(def->name, "builtin_objectmode");
	strmap_put(&a->ids, def->name, (void *)(uintptr_t)(a->nr_defs + 1));
	return a->nr_defs++;
}

static const char *intern(struct attrs *a, const char *s, size_t len)
{
	char *copy = strmap_get_mem(&a->strings, s, len);

	if (!copy) {
		char *key = xmemdupz(s, len);

		copy = xstrdup(key);
		strmap_put(&a->strings, key, copy);
		free(key);
	}
	return copy;
}

bool attr_name_is_valid(const char *s, size_t len)
{
	if (!len || *s == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-._", s[i]))
			return false;
	return true;
}

/* Names beginning with "builtin_" are Git's own: pathspecs can ask for them, files cannot set them. */
static bool check_name(struct attrs *a, const char *s, size_t len)
{
	static const char reserved[] = "builtin_";
	bool ok = attr_name_is_valid(s, len) &&
		  (!a->file || len < sizeof(reserved) - 1 || memcmp(s, reserved, sizeof(reserved) - 1) != 0);

	if (!ok && a->file)
		repo_note(a->repo, NULL, "%.*s is not a valid attribute name: %s:%zu", (int)len, s,
			  a->file, a->line_nr);
	return ok;
}

/* ---- parsing ---- */

/* One word: "name", "-name", "!name", "name=value". */
struct word {
	const char *s;
	size_t len;
};

/* The next word of *s; false at the end. */
static bool next_word(const char **s, const char *end, struct word *w)
{
	while (*s < end && isspace((unsigned char)**s))
		(*s)++;
	w->s = *s;
	while (*s < end && !isspace((unsigned char)**s))
		(*s)++;
	w->len = (size_t)(*s - w->s);
	return w->len > 0;
}

static struct word name_of_word(const struct word *w)
{
	bool sign = *w->s == '-' || *w->s == '!';
	const char *eq = memchr(w->s, '=', w->len);

	return (struct word){ w->s + sign, (size_t)((eq ? eq : w->s + w->len) - w->s) - sign };
}

static void parse_assignment(struct attrs *a, const struct word *w, struct assignment *out)
{
	struct attr_value v = { ATTR_SET, NULL };
	struct word name = name_of_word(w);
	size_t at = (size_t)(name.s - w->s) + name.len;

	if (*w->s == '-' || *w->s == '!') {
		v.state = *w->s == '-' ? ATTR_UNSET : ATTR_UNSPECIFIED;
	} else if (at < w->len) {
		v.state = ATTR_VALUE;
		v.value = intern(a, w->s + at + 1, w->len - at - 1);
	}
	out->id = attr_id(a, name.s, name.len);
	out->value = v;
}

/* If a word is malformed, the line is ignored, as in Git: none of its names becomes known. */
static bool check_words(struct attrs *a, const char *s, const char *end)
{
	struct word w, name;

	while (next_word(&s, end, &w)) {
		name = name_of_word(&w);
		if (!check_name(a, name.s, name.len))
			return false;
	}
	return true;
}

static void parse_words(struct attrs *a, const char *s, const char *end, struct assignment **out,
			size_t *nr)
{
	struct assignment *set = NULL;
	size_t alloc = 0;
	struct word w;

	*nr = 0;
	while (next_word(&s, end, &w)) {
		ALLOC_GROW(set, *nr + 1, alloc);
		parse_assignment(a, &w, &set[(*nr)++]);
	}
	*out = set;
}

static void define_macro(struct attrs *a, const char *s, const char *end)
{
	struct word name;
	struct assignment *set;
	size_t id, nr;

	next_word(&s, end, &name);
	if (!check_name(a, name.s, name.len) || !check_words(a, s, end))
		return;
	id = attr_id(a, name.s, name.len); /* before those of its assignments: lists have this order */
	parse_words(a, s, end, &set, &nr);
	free(a->defs[id].macro);
	a->defs[id].macro = set;
	a->defs[id].macro_nr = nr;
	a->defs[id].is_macro = true;
}

static void list_add_line(struct attrs *a, struct attr_list *l, const char *s, size_t len,
			  const char *base, bool macros_ok)
{
	struct strbuf quoted = STRBUF_INIT;
	const char *end = s + len, *pat = s, *rest;
	char *copy = xmemdupz(s, len);
	size_t pat_len = 0;
	struct attr_line line = { 0 };

	if (*s == '"' && !unquote_c_style(&quoted, copy, &rest)) {
		pat = quoted.buf;
		pat_len = quoted.len;
		rest = s + (rest - copy);
	} else {
		while (pat_len < len && !isspace((unsigned char)s[pat_len]))
			pat_len++;
		rest = s + pat_len;
	}
	if (pat_len > 6 && !memcmp(pat, "[attr]", 6)) {
		if (macros_ok)
			define_macro(a, s + 6, end);
		else
			repo_note(a->repo, NULL, "%.*s not allowed: %s:%zu", (int)len, s, a->file,
				  a->line_nr);
	} else if (!check_words(a, rest, end)) {
		; /* the line is ignored */
	} else if (*pat == '!') {
		repo_warn(a->repo, "Negative patterns are ignored in git attributes\n"
				   "Use '\\!' for literal leading exclamation.");
	} else {
		parse_words(a, rest, end, &line.set, &line.nr);
		path_pattern_init(&line.pat, pat, pat_len, base, strlen(base));
		ALLOC_GROW(l->lines, l->nr + 1, l->alloc);
		l->lines[l->nr++] = line;
	}
	free(copy);
	strbuf_release(&quoted);
}

static void list_parse(struct attrs *a, struct attr_list *l, const char *file, const char *buf,
		       size_t len, const char *base, bool macros_ok)
{
	const char *end = buf + len;

	a->file = file;
	a->line_nr = 0;
	if (len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
		buf += 3;
	while (buf < end) {
		const char *nl = memchr(buf, '\n', (size_t)(end - buf));
		const char *stop = nl ? nl : end;
		const char *nul = memchr(buf, '\0', (size_t)(stop - buf));
		const char *s = buf;

		a->line_nr++;
		if (nl && nl > buf && nl[-1] == '\r')
			stop--;
		if (nul) /* as in Git, the rest of the line is not there */
			stop = nul;
		while (s < stop && isspace((unsigned char)*s))
			s++;
		if (s == stop || *s == '#')
			; /* nothing */
		else if (stop - buf >= ATTR_LINE_MAX)
			repo_warn(a->repo, "ignoring overly long attributes line %zu", a->line_nr);
		else
			list_add_line(a, l, s, (size_t)(stop - s), base, macros_ok);
		buf = nl ? nl + 1 : end;
	}
	a->file = NULL;
}

static void list_read(struct attrs *a, struct attr_list *l, const char *path)
{
	struct strbuf buf = STRBUF_INIT;

	if (read_file(&buf, path, ATTR_FILE_MAX, NULL) >= 0)
		list_parse(a, l, path, buf.buf, buf.len, "", true);
	strbuf_release(&buf);
}

static bool read_in_index(struct attrs *a, struct strbuf *out, const char *path)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct index_entry *e = a->ix ? index_find(a->ix, path, strlen(path)) : NULL;

	if (!e || !MODE_IS_FILE(e->mode) ||
	    odb_read_type(a->repo->odb, &e->oid, OBJ_BLOB, &buf, NULL) < 0)
		return false;
	strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return true;
}

static bool read_in_tree(struct attrs *a, struct strbuf *out, const char *path)
{
	return !pattern_file_read(a->repo, out, path, ATTR_FILE_MAX);
}

static bool read_in_source(struct attrs *a, struct strbuf *out, const char *path)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	unsigned mode;

	if (tree_lookup_path(odb_source(a->repo->odb), &a->tree, path, &mode, &oid, NULL) < 0 ||
	    !MODE_IS_FILE(mode) || odb_read_type(a->repo->odb, &oid, OBJ_BLOB, &buf, NULL) < 0)
		return false;
	if (buf.size < ATTR_FILE_MAX)
		strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return true;
}

static bool read_attributes(struct attrs *a, struct strbuf *out, const char *path)
{
	if (a->has_tree)
		return read_in_source(a, out, path);
	switch (a->direction) {
	case ATTR_CHECKIN:
		return read_in_tree(a, out, path) || read_in_index(a, out, path);
	case ATTR_CHECKOUT:
		return read_in_index(a, out, path) || read_in_tree(a, out, path);
	case ATTR_INDEX:
		return read_in_index(a, out, path);
	}
	return false;
}

static struct attr_list *attr_dir_list(struct attrs *a, const char *dir, size_t len)
{
	struct attr_list *l = strmap_get_mem(&a->dirs, dir, len);
	struct strbuf buf = STRBUF_INIT;
	char *base, *path;

	if (l)
		return l;
	CALLOC_ARRAY(l, 1);
	base = xmemdupz(dir, len);
	path = xstrfmt("%s.gitattributes", base);
	if (read_attributes(a, &buf, path))
		list_parse(a, l, path, buf.buf, buf.len, base, len == 0);
	strmap_put(&a->dirs, base, l);
	strbuf_release(&buf);
	free(path);
	free(base);
	return l;
}

/* ---- look-up ---- */

/* Assignments of which the first `left` are yet to be looked at. */
struct pending {
	const struct assignment *set;
	size_t left;
};

/* The last assignment wins; a macro that is set is replaced by its own, however deep. */
static void decide(struct attrs *a, const struct assignment *set, size_t nr)
{
	struct pending first = { set, nr }, *stack = NULL, *top = &first;
	size_t depth = 0, alloc = 0;

	for (;;) {
		const struct assignment *s;

		if (!top->left) {
			if (!depth)
				break;
			top = --depth ? &stack[depth - 1] : &first;
			continue;
		}
		s = &top->set[--top->left];
		if (a->decided[s->id])
			continue;
		a->decided[s->id] = true;
		a->result[s->id] = s->value;
		if (a->defs[s->id].is_macro && s->value.state == ATTR_SET) {
			ALLOC_GROW(stack, depth + 1, alloc);
			top = &stack[depth++];
			*top = (struct pending){ a->defs[s->id].macro, a->defs[s->id].macro_nr };
		}
	}
	free(stack);
}

static void decide_by_list(struct attrs *a, const struct attr_list *l, const char *path,
			   size_t len, const char *name, bool is_dir)
{
	for (size_t i = l->nr; i-- > 0;)
		if (path_pattern_match(&l->lines[i].pat, path, len, name, is_dir, a->icase))
			decide(a, l->lines[i].set, l->lines[i].nr);
}

static void begin_lookup(struct attrs *a)
{
	if (a->alloc_result < a->nr_defs) {
		a->alloc_result = alloc_growth(a->alloc_result, a->nr_defs);
		a->result = xreallocarray(a->result, a->alloc_result, sizeof(*a->result));
		a->decided = xreallocarray(a->decided, a->alloc_result, sizeof(*a->decided));
	}
	memset(a->result, 0, a->nr_defs * sizeof(*a->result));
	memset(a->decided, 0, a->nr_defs * sizeof(*a->decided));
}

/* Below the file at the top: of two definitions of a macro, the one in info/attributes counts. */
static void read_info(struct attrs *a)
{
	char *path;

	if (a->info_is_read)
		return;
	a->info_is_read = true;
	path = repo_path(a->repo, "info/attributes");
	list_read(a, &a->info, path);
	free(path);
}

/* Most paths follow one of the same directory. */
static void read_directories(struct attrs *a, const char *path, size_t len)
{
	if (a->has_chain && a->dir.len == len && !memcmp(a->dir.buf, path, len))
		return;
	a->has_chain = true;
	strbuf_reset(&a->dir);
	strbuf_add(&a->dir, path, len);
	a->nr_chain = 0;
	for (size_t n = 0; n <= len; n++) {
		struct attr_list *l;

		if (n && path[n - 1] != '/')
			continue;
		l = attr_dir_list(a, path, n);
		if (!n)
			read_info(a);
		if (!l->nr)
			continue;
		ALLOC_GROW(a->chain, a->nr_chain + 1, a->alloc_chain);
		a->chain[a->nr_chain++] = l;
	}
}

/* Read all files first, as they may define new names; then decide. */
static void lookup_bare(struct attrs *a, const char *path, size_t len, bool is_dir)
{
	const char *name = pattern_basename(path, len);

	read_directories(a, path, (size_t)(name - path));
	begin_lookup(a);
	decide_by_list(a, &a->info, path, len, name, is_dir);
	for (size_t i = a->nr_chain; i-- > 0;)
		decide_by_list(a, a->chain[i], path, len, name, is_dir);
	decide_by_list(a, &a->global, path, len, name, is_dir);
	decide_by_list(a, &a->system, path, len, name, is_dir);
}

/* A directory ends in '/', which is not compared with patterns. */
static void lookup(struct attrs *a, const char *path)
{
	size_t len = strlen(path);
	bool is_dir = len && path[len - 1] == '/';
	char *bare = is_dir ? xmemdupz(path, len - 1) : NULL;

	lookup_bare(a, bare ? bare : path, len - is_dir, is_dir);
	free(bare);
}

/* ---- builtin_objectmode ---- */

static unsigned mode_in_index(const struct attrs *a, const char *path, size_t len)
{
	struct index_entry *e = a->ix ? index_find(a->ix, path, len) : NULL;

	return e ? e->mode : 0;
}

static unsigned mode_on_disk(const struct attrs *a, const char *path, size_t len)
{
	struct stat st;

	if (lstat(len ? path : ".", &st) < 0)
		return 0;
	if (S_ISLNK(st.st_mode))
		return MODE_SYMLINK;
	if (!S_ISDIR(st.st_mode))
		return st.st_mode & S_IXUSR ? MODE_EXEC : MODE_FILE;
	return len && repo_has_nested(a->repo, path) ? MODE_GITLINK : MODE_TREE;
}

/* That of the file on disk, or in the index where that is asked or there is no file. */
static struct attr_value object_mode(struct attrs *a, const char *path)
{
	size_t len = strlen(path);
	char text[16], *bare;
	unsigned mode = 0;

	while (len && path[len - 1] == '/')
		len--;
	bare = xmemdupz(path, len);
	if (a->direction != ATTR_INDEX)
		mode = mode_on_disk(a, bare, len);
	if (!mode)
		mode = mode_in_index(a, bare, len);
	free(bare);
	if (!mode)
		return (struct attr_value){ ATTR_UNSPECIFIED, NULL };
	snprintf(text, sizeof(text), "%06o", mode);
	return (struct attr_value){ ATTR_VALUE, intern(a, text, strlen(text)) };
}

/* The value that the look-up of that path has found. */
static struct attr_value value_of(struct attrs *a, const char *path, size_t id)
{
	return a->defs[id].is_object_mode ? object_mode(a, path) : a->result[id];
}

/* Mostly they are those of the call before. */
static void find_asked(struct attrs *a, const char *const *names, size_t nr)
{
	ALLOC_GROW(a->asked, nr, a->alloc_asked);
	for (size_t i = 0; i < nr; i++)
		if (i >= a->nr_asked || strcmp(a->defs[a->asked[i]].name, names[i]) != 0)
			a->asked[i] = attr_id(a, names[i], strlen(names[i]));
	a->nr_asked = nr;
}

void attrs_get(struct attrs *a, const char *path, const char *const *names, size_t nr,
	       struct attr_value *out)
{
	pthread_mutex_lock(&a->lock);
	find_asked(a, names, nr);
	lookup(a, path);
	for (size_t i = 0; i < nr; i++)
		out[i] = value_of(a, path, a->asked[i]);
	pthread_mutex_unlock(&a->lock);
}

void attrs_get_all(struct attrs *a, const char *path, struct strvec *names,
		   struct attr_value **values)
{
	size_t nr = 0;
	struct attr_value *v;

	pthread_mutex_lock(&a->lock);
	lookup(a, path);
	ALLOC_ARRAY(v, a->nr_defs + 1);
	for (size_t i = 0; i < a->nr_defs; i++) {
		if (a->result[i].state == ATTR_UNSPECIFIED)
			continue;
		strvec_push(names, a->defs[i].name);
		v[nr++] = a->result[i];
	}
	pthread_mutex_unlock(&a->lock);
	*values = v;
}

static bool same_value(const struct attr_value *a, const struct attr_value *b)
{
	return a->state == b->state &&
	       (a->state != ATTR_VALUE || !strcmp(a->value, b->value));
}

bool attrs_match_spec(void *attrs, const char *spec, const char *path, size_t len)
{
	struct attrs *a = attrs;
	char *copy = xmemdupz(path, len);
	struct assignment *want = NULL;
	const char *end = spec + strlen(spec);
	size_t nr = 0;
	bool ok;

	pthread_mutex_lock(&a->lock);
	ok = check_words(a, spec, end);
	if (ok)
		parse_words(a, spec, end, &want, &nr);
	lookup(a, copy);
	for (size_t i = 0; ok && i < nr; i++) {
		struct attr_value has = value_of(a, copy, want[i].id);

		ok = same_value(&want[i].value, &has);
	}
	pthread_mutex_unlock(&a->lock);
	free(want);
	free(copy);
	return ok;
}

/* ---- new and free ---- */

static void list_release(struct attr_list *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		path_pattern_release(&l->lines[i].pat);
		free(l->lines[i].set);
	}
	free(l->lines);
}

static void attr_list_free(void *p)
{
	list_release(p);
	free(p);
}

static void read_system(struct attrs *a)
{
	const char *off = getenv("GIT_ATTR_NOSYSTEM");

	if (!off || config_parse_maybe_bool(off) != 1)
		list_read(a, &a->system, "/etc/gitattributes");
}

static int read_global(struct attrs *a, struct err *err)
{
	char *path = NULL;
	int rc = config_get_path(a->repo->config, "core.attributesfile", &path, err);

	if (rc < 0)
		return rc;
	if (!rc)
		path = xdg_config_path("attributes");
	if (path)
		list_read(a, &a->global, path);
	free(path);
	return 0;
}

void attrs_use_tree(struct attrs *a, const struct object_id *tree)
{
	a->tree = *tree;
	a->has_tree = true;
}

/* --attr-source and GIT_ATTR_SOURCE must name a tree; attr.tree is ignored if it does not. */
static int find_source(struct attrs *a, struct err *err)
{
	const char *env = getenv("GIT_ATTR_SOURCE");
	const struct config_entry *e = config_get(a->repo->config, "attr.tree");
	const char *name = env ? env : e ? e->value : NULL;
	struct object_id tree;

	if (!name)
		return 0;
	if (!revparse_tree(a->repo, name, &tree, NULL))
		attrs_use_tree(a, &tree);
	else if (env)
		return err_set(err, ERR_INVALID, "bad --attr-source or GIT_ATTR_SOURCE");
	return 0;
}

int attrs_new(struct attrs **out, struct repository *r, const struct index_state *ix,
	      enum attr_direction dir, struct err *err)
{
	static const char binary[] = "[attr]binary -diff -merge -text";
	struct attrs *a;
	int rc;

	CALLOC_ARRAY(a, 1);
	pthread_mutex_init(&a->lock, NULL);
	strbuf_init(&a->dir, 0);
	a->repo = r;
	a->ix = ix;
	a->direction = r->worktree ? dir : ATTR_INDEX;
	a->icase = r->settings.ignorecase;
	list_parse(a, &a->system, "[builtin]", binary, sizeof(binary) - 1, "", true);
	read_system(a);
	rc = read_global(a, err);
	if (!rc)
		rc = find_source(a, err);
	if (rc < 0) {
		attrs_free(a);
		return rc;
	}
	*out = a;
	return 0;
}

int attrs_new_for_pathspec(struct attrs **out, struct pathspec *ps, struct repository *r,
			   const struct index_state *ix, struct err *err)
{
	int rc = 0;

	*out = NULL;
	if (ps->has_attr)
		rc = attrs_new(out, r, ix, ATTR_CHECKIN, err);
	ps->match_attr = attrs_match_spec;
	ps->match_attr_data = *out;
	return rc;
}

void attrs_free(struct attrs *a)
{
	if (!a)
		return;
	list_release(&a->system);
	list_release(&a->global);
	list_release(&a->info);
	strmap_clear(&a->dirs, attr_list_free);
	strmap_clear(&a->ids, NULL);
	strmap_clear(&a->strings, free);
	for (size_t i = 0; i < a->nr_defs; i++) {
		free(a->defs[i].name);
		free(a->defs[i].macro);
	}
	free(a->defs);
	strbuf_release(&a->dir);
	free(a->chain);
	free(a->asked);
	free(a->result);
	free(a->decided);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
