/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config.h"
#include "odb.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"

#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a file binary */

enum kind { MERGE_TEXT, MERGE_BINARY, MERGE_LINES_OF_BOTH };

int content_merge_style(enum merge3_style *style, const struct config_set *c, struct err *err)
{
	const char *name;
	int rc = config_get_string(c, "merge.conflictstyle", &name, err);

	if (rc > 0 && !merge3_parse_style(style, name))
		return config_entry_bad(config_get(c, "merge.conflictstyle"), err,
					"unknown conflict style");
	return rc < 0 ? rc : 0;
}

/* A name that no configuration explains means text. */
static int find_driver(struct repository *r, const char *name, enum kind *kind, struct err *err)
{
	char *key = xstrfmt("merge.%s.driver", name);
	bool program = config_get(r->config, key) != NULL;

	free(key);
	if (program)
		return err_set(err, ERR_UNSUPPORTED, "merging by a program (merge.%s.driver) is not "
			       "available yet", name);
	*kind = !strcmp(name, "binary") ? MERGE_BINARY : !strcmp(name, "union") ? MERGE_LINES_OF_BOTH : MERGE_TEXT;
	return 0;
}

static int read_attributes(struct repository *r, struct attrs *attrs, const char *path, enum kind *kind,
			   size_t *marker_size, struct err *err)
{
	static const char *const names[] = { "merge", "conflict-marker-size" };
	struct attr_value v[ARRAY_SIZE(names)];
	const char *name = NULL;
	int size;

	attrs_get(attrs, path, names, ARRAY_SIZE(names), v);
	if (v[1].state == ATTR_VALUE && (size = atoi(v[1].value)) > 0)
		*marker_size = (size_t)size;
	*kind = v[0].state == ATTR_UNSET ? MERGE_BINARY : MERGE_TEXT;
	if (v[0].state == ATTR_VALUE)
		name = v[0].value;
	else if (v[0].state == ATTR_UNSPECIFIED && config_get_string(r->config, "merge.default", &name, err) < 0)
		return ERR_INVALID;
	return name ? find_driver(r, name, kind, err) : 0;
}

static bool is_binary(const struct object_buf *b)
{
	return memchr(b->data, 0, b->size < BINARY_CHECK_BYTES ? b->size : BINARY_CHECK_BYTES) != NULL;
}

int content_merge(const struct content_merge *m, struct repository *r, struct attrs *attrs,
		  struct strbuf *out, size_t *conflicts, bool *binary, struct err *err)
{
	struct object_buf buf[3] = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT };
	struct merge3 texts = MERGE3_INIT;
	enum kind kind = MERGE_TEXT;
	int rc = read_attributes(r, attrs, m->path, &kind, &texts.marker_size, err);

	for (int i = 0; !rc && i < 3; i++) {
		if (m->oid[i])
			rc = odb_read_type(r->odb, m->oid[i], OBJ_BLOB, &buf[i], err);
		if (rc)
			break;
		texts.side[i].text = buf[i].data ? buf[i].data : "";
		texts.side[i].len = buf[i].size;
		texts.side[i].label = m->label[i];
		if (buf[i].size && kind == MERGE_TEXT && is_binary(&buf[i]))
			kind = MERGE_BINARY;
	}
	*binary = kind == MERGE_BINARY;
	*conflicts = 0;
	if (!rc && *binary) {
		strbuf_add(out, texts.side[MERGE3_OURS].text, texts.side[MERGE3_OURS].len);
	} else if (!rc) {
		texts.style = m->style;
		texts.favor = kind == MERGE_LINES_OF_BOTH ? MERGE3_UNION : MERGE3_CONFLICT;
		*conflicts = merge3_texts(&texts, out);
	}
	for (int i = 0; i < 3; i++)
		object_buf_release(&buf[i]);
	return rc;
}
