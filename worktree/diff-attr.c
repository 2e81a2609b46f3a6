/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config.h"
#include "diff/drivers.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"
#include "worktree/worktree.h"

struct diff_attrs {
	struct repository *repo;
	const struct config_set *config; /* of drivers */
	struct attrs *attrs;
	bool owned;
	struct converter *conv; /* NULL: not needed yet */
	struct index_state *ix; /* the converter is ours; NULL: it is lent */
};

int diff_attrs_new(struct diff_attrs **out, struct repository *r, struct attrs *borrowed,
		   struct err *err)
{
	struct diff_attrs *a = xcalloc(1, sizeof(*a));
	int rc = 0;

	a->repo = r;
	a->config = r->config;
	a->attrs = borrowed;
	if (!borrowed) {
		rc = attrs_new(&a->attrs, r, NULL, r->worktree ? ATTR_CHECKIN : ATTR_INDEX, err);
		a->owned = true;
	}
	if (rc < 0) {
		free(a);
		return rc;
	}
	*out = a;
	return 0;
}

void diff_attrs_free(struct diff_attrs *a)
{
	if (!a)
		return;
	if (a->ix) {
		converter_free(a->conv);
		index_release(a->ix);
		free(a->ix);
	}
	if (a->owned)
		attrs_free(a->attrs);
	free(a);
}

void diff_attrs_set_config(struct diff_attrs *a, const struct config_set *config)
{
	a->config = config;
}

void diff_attrs_lend_converter(struct diff_attrs *a, struct converter *c)
{
	a->conv = c;
}

/* diff.<name>.<key>; NULL if it is not set. */
static const char *driver_config(const struct diff_attrs *a, const char *name, const char *key)
{
	char *full = xstrfmt("diff.%s.%s", name, key);
	const struct config_entry *e = config_get(a->config, full);

	free(full);
	return e ? e->value : NULL;
}

static void read_whitespace(struct diff_driver *out, const struct attr_value *v)
{
	out->no_whitespace = v->state == ATTR_UNSET;
	if (v->state == ATTR_SET)
		out->whitespace = "";
	else if (v->state == ATTR_VALUE)
		out->whitespace = v->value;
}

static void use_builtin(struct diff_driver *out, const struct builtin_driver *b)
{
	if (!b)
		return;
	out->funcname = b->funcname;
	out->word_regex = b->word_regex;
	out->funcname_icase = out->word_icase = b->ignore_case;
}

/* diff.<name>.funcname or .xfuncname, whichever comes last. */
static void configured_funcname(const struct diff_attrs *a, const char *name, struct diff_driver *out)
{
	char *basic = xstrfmt("diff.%s.funcname", name), *extended = xstrfmt("diff.%s.xfuncname", name);
	const char *const keys[] = { extended, basic };
	const struct config_entry *e = config_get_last(a->config, keys, 2);

	if (e && e->value) {
		out->funcname = e->value;
		out->funcname_basic = !strcmp(e->key, basic);
		out->funcname_icase = false;
	}
	free(basic);
	free(extended);
}

static void diff_attr_find_driver(void *data, const char *path, struct diff_driver *out)
{
	static const char *const names[] = { "diff", "whitespace", "conflict-marker-size" };
	struct diff_attrs *a = data;
	struct attr_value v[ARRAY_SIZE(names)];
	const char *binary, *name, *trust, *words;
	int marker;

	*out = (struct diff_driver){ .binary = -1, .marker_size = 7 };
	attrs_get(a->attrs, path, names, ARRAY_SIZE(names), v);
	read_whitespace(out, &v[1]);
	if (v[2].state == ATTR_VALUE && (marker = atoi(v[2].value)) > 0)
		out->marker_size = (size_t)marker;
	if (v[0].state == ATTR_SET)
		out->binary = 0;
	else if (v[0].state == ATTR_UNSET)
		out->binary = 1;
	if (v[0].state != ATTR_VALUE)
		return;
	name = v[0].value;
	use_builtin(out, diff_builtin_driver(name));
	binary = driver_config(a, name, "binary");
	if (binary) /* -1 for "auto" */
		out->binary = config_parse_maybe_bool(binary);
	out->algorithm = driver_config(a, name, "algorithm");
	out->textconv = driver_config(a, name, "textconv");
	out->command = driver_config(a, name, "command");
	trust = driver_config(a, name, "trustexitcode");
	out->trust_exit_code = trust && config_parse_maybe_bool(trust) == 1;
	words = driver_config(a, name, "wordregex");
	if (words) {
		out->word_regex = words;
		out->word_icase = false;
	}
	configured_funcname(a, name, out);
}

static int open_converter(struct diff_attrs *a, struct err *err)
{
	int rc;

	CALLOC_ARRAY(a->ix, 1);
	index_init(a->ix, a->repo->algo);
	rc = index_read_repo(a->ix, a->repo, err);
	return rc < 0 ? rc : converter_new(&a->conv, a->repo, a->ix, a->repo->worktree ? ATTR_CHECKIN : ATTR_INDEX,
					   err);
}

/* For programs: what a blob becomes in the work tree. */
static int smudge(void *data, const struct diff_file *f, struct strbuf *out, struct err *err)
{
	struct diff_attrs *a = data;
	struct strbuf warn = STRBUF_INIT;
	struct conversion cv;
	int rc;

	if (!a->conv && (rc = open_converter(a, err)) < 0)
		return rc;
	converter_lookup(a->conv, f->path, &cv);
	rc = convert_to_worktree(a->conv, f->path, &cv, f->content.data, f->content.size, &f->oid, out, &warn, err);
	repo_report_lines(a->repo, warn.buf);
	strbuf_release(&warn);
	return rc;
}

void diff_attrs_use(struct diff_attrs *a, struct diff_options *o)
{
	o->driver = diff_attr_find_driver;
	o->driver_data = a;
	o->smudge = smudge;
	o->smudge_data = a;
}

int worktree_read_side(struct converter *c, const char *path, unsigned flags,
		       struct object_buf *out, struct strbuf *warn, struct err *err)
{
	struct conversion cv;
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_set_errno(err, "cannot stat '%s'", path);
	converter_lookup(c, path, &cv);
	return worktree_read_blob(c, &cv, path, &st, flags, out, warn, err);
}

int worktree_read_diff_side(void *converter, const struct diff_file *file,
			    struct object_buf *out, struct err *err)
{
	struct strbuf warn = STRBUF_INIT;
	int rc = worktree_read_side(converter, file->path, 0, out, &warn, err);

	strbuf_release(&warn);
	return rc;
}

int worktree_measure_side(struct converter *c, const char *path, uint64_t *size, struct object_id *oid, struct err *err)
{
	struct conversion cv;
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return err_set_errno(err, "cannot stat '%s'", path);
	converter_lookup(c, path, &cv);
	rc = worktree_hash_large(c, &cv, path, &st, oid, err);
	if (rc > 0)
		*size = (uint64_t)st.st_size;
	return rc;
}

int worktree_measure_diff_side(void *converter, const struct diff_file *file, uint64_t *size, struct object_id *oid,
			       struct err *err)
{
	return worktree_measure_side(converter, file->path, size, oid, err);
}
