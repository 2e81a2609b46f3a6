/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "attr/convert.h"
#include "config/config.h"
#include "diff/diff.h"
#include "submodule/merge.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/content-merge.h"

static const struct config_entry *driver_entry(struct repository *r, const char *name, const char *var)
{
	char *key = xstrfmt("merge.%s.%s", name, var);
	const struct config_entry *e = config_get(r->config, key);

	free(key);
	return e;
}

static int set_program(struct merge_attributes *out, const struct config_entry *e, struct err *err)
{
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	out->kind = MERGE_KIND_PROGRAM;
	out->command = e->value;
	return 0;
}

/* A name that no configuration explains means text. internal: the name in merge.<driver>.recursive counts, once. */
static int content_merge_find_driver(struct repository *r, const char *name, bool internal,
				     struct merge_attributes *out, struct err *err)
{
	const struct config_entry *program = driver_entry(r, name, "driver"), *other = driver_entry(r, name, "recursive");

	if (internal && other && other->value)
		return content_merge_find_driver(r, other->value, false, out, err);
	if (program)
		return set_program(out, program, err);
	if (other || driver_entry(r, name, "name"))
		return err_set(err, ERR_INVALID, "custom merge driver %s lacks command line.", name);
	out->kind = !strcmp(name, "binary") ? MERGE_KIND_BINARY : !strcmp(name, "union") ? MERGE_KIND_UNION : MERGE_KIND_TEXT;
	return 0;
}

int content_merge_attributes(void *data, const char *path, bool internal, struct merge_attributes *out, struct err *err)
{
	static const char *const names[] = { "merge", "conflict-marker-size" };
	struct content_merge *m = data;
	struct attr_value v[ARRAY_SIZE(names)];
	const char *name = NULL;
	int size;

	attrs_get(m->attrs, path, names, ARRAY_SIZE(names), v);
	if (v[1].state == ATTR_VALUE && (size = atoi(v[1].value)) > 0)
		out->marker_size = (size_t)size;
	out->kind = v[0].state == ATTR_UNSET ? MERGE_KIND_BINARY : MERGE_KIND_TEXT;
	if (v[0].state == ATTR_VALUE)
		name = v[0].value;
	else if (v[0].state == ATTR_UNSPECIFIED && config_get_string(m->r->config, "merge.default", &name, err) < 0)
		return ERR_INVALID;
	return name ? content_merge_find_driver(m->r, name, internal, out, err) : 0;
}

/* ---- picks on top of one another ---- */

static int has_other_attributes(struct content_merge *m, const struct object_id *tree, bool *yes, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct err why = ERR_INIT;
	struct diff_options o;
	int rc;

	diff_options_init(&o, m->r->odb);
	rc = diff_trees(&q, &o, &m->tree, tree, &why);
	if (rc == ERR_NOT_FOUND) { /* m->tree was given up, with the operation that had made it */
		*yes = true;
		rc = 0;
	} else if (rc < 0) {
		err_move(err, &why);
	}
	err_release(&why);
	for (size_t i = 0; i < q.nr; i++)
		*yes |= !strcmp(path_basename(q.pairs[i]->new->path), ".gitattributes");
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc;
}

int content_merge_follow(struct content_merge *m, const struct object_id *tree, struct err *err)
{
	struct attrs *attrs;
	bool changed = false;
	int rc;

	if (oid_eq(&m->tree, tree) || getenv("GIT_ATTR_SOURCE") || config_get(m->r->config, "attr.tree"))
		return 0;
	rc = has_other_attributes(m, tree, &changed, err);
	if (!rc && changed) {
		rc = attrs_new(&attrs, m->r, m->ix, ATTR_CHECKOUT, err);
		if (!rc) {
			attrs_use_tree(attrs, tree);
			attrs_free(m->attrs);
			m->attrs = attrs;
		}
	}
	if (!rc)
		m->tree = *tree;
	return rc;
}

/* ---- -X renormalize ---- */

void content_merge_release(struct content_merge *m)
{
	converter_free(m->conv);
	m->conv = NULL;
}

static void take_converted(struct object_buf *buf, struct strbuf *text)
{
	enum object_type type = buf->type;

	object_buf_release(buf);
	buf->type = type;
	buf->size = text->len;
	buf->data = strbuf_detach(text, NULL);
}

/* A check-out and a check-in. */
int content_merge_normalize(void *data, const char *path, struct object_buf *buf, struct err *err)
{
	struct content_merge *m = data;
	struct strbuf file = STRBUF_INIT, blob = STRBUF_INIT, warn = STRBUF_INIT;
	struct conversion cv;
	int rc = m->conv ? 0 : converter_new(&m->conv, m->r, m->ix, ATTR_CHECKIN, err);

	if (rc)
		return rc;
	converter_lookup(m->conv, path, &cv);
	rc = convert_to_worktree(m->conv, path, &cv, buf->data, buf->size, &m->r->algo->null_oid, &file, &warn, err);
	if (rc > 0)
		take_converted(buf, &file);
	if (rc >= 0)
		rc = convert_to_git(m->conv, path, &cv, buf->data, buf->size, &blob, CONVERT_RENORMALIZE, &warn, err);
	if (rc > 0)
		take_converted(buf, &blob);
	repo_report_lines(m->r, warn.buf);
	strbuf_release(&file);
	strbuf_release(&blob);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

/* ---- all of them ---- */

void content_merge_use(struct content_merge *m, struct merge_rules *rules)
{
	rules->attributes = content_merge_attributes;
	rules->attributes_data = m;
	rules->normalize = content_merge_normalize;
	rules->submodule = submodule_merge;
	rules->submodule_data = m->r;
}
