/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-list --objects: output of trees, blobs and tags; missing objects. */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "util/alloc.h"
#include "util/quote.h"

static int on_commit(void *data, struct commit *c, struct err *err)
{
	return rev_list_show_commit(data, c, err);
}

static int on_edge(void *data, struct commit *c, struct err *err UNUSED)
{
	const struct rev_list *l = data;

	if (!l->edges)
		return 0;
	c->flags |= REV_SHOWN; /* --boundary does not list it again */
	printf("-%s\n", oid_hex(&c->oid));
	return 0;
}

/* A name ends where a line would. */
static void print_object(const struct rev_list *l, const struct walked_object *found)
{
	fputs(oid_hex(found->oid), stdout);
	if (l->nul) {
		putchar('\0');
		if (!l->no_names && *found->path)
			printf("path=%s%c", found->path, '\0');
		return;
	}
	if (!l->no_names)
		printf(" %.*s", (int)strcspn(found->path, "\n"), found->path);
	putchar('\n');
}

static int on_object(void *data, const struct walked_object *found, struct err *err)
{
	struct rev_list *l = data;
	int rc = rev_list_note_object(l, found->oid, err);

	if (rc < 0 || l->disk_usage)
		return rc;
	l->nr_objects++;
	if (!l->quiet && !l->count)
		print_object(l, found);
	return 0;
}

static int on_omitted(void *data, const struct object_id *oid, struct err *err UNUSED)
{
	struct rev_list *l = data;

	strbuf_addf(&l->omitted_text, "~%s\n", oid_hex(oid));
	return 0;
}

/* ---- missing objects ---- */

/* " path=a/b type=blob", or with NULs. */
static void add_info(struct rev_list *l, enum object_type type, const char *path)
{
	struct strbuf *out = &l->missing_text, quoted = STRBUF_INIT;

	if (*path) {
		strbuf_addstr(out, l->nul ? "path=" : " path=");
		if (l->nul)
			strbuf_addstr(out, path);
		else if (!quote_c_style(&quoted, path, strlen(path), true) && strchr(path, ' '))
			strbuf_addf(out, "\"%s\"", path);
		else
			strbuf_addbuf(out, &quoted);
		if (l->nul)
			strbuf_addch(out, '\0');
	}
	if (type != OBJ_NONE)
		strbuf_addf(out, l->nul ? "type=%s" : " type=%s", object_type_name(type));
	if (type != OBJ_NONE && l->nul)
		strbuf_addch(out, '\0');
	strbuf_release(&quoted);
}

static int check_promise(struct rev_list *l, const struct object_id *oid, enum object_type type,
			 struct err *err)
{
	int rc = promises_has(&l->promises, oid, err);

	if (rc)
		return rc < 0 ? rc : 0;
	return err_set(err, ERR_NOT_FOUND, "unexpected missing %s object '%s'",
		       object_type_name(type == OBJ_NONE ? OBJ_COMMIT : type), oid_hex(oid));
}

int rev_list_miss(struct rev_list *l, const struct object_id *oid, enum object_type type,
		  const char *path, struct err *err)
{
	struct strbuf *out = &l->missing_text;

	if (l->missing == MISSING_ALLOW_PROMISOR)
		return check_promise(l, oid, type, err);
	if (l->missing != MISSING_PRINT && l->missing != MISSING_PRINT_INFO)
		return 0;
	strbuf_addf(out, "%s%s", l->nul ? "" : "?", oid_hex(oid));
	if (l->nul)
		strbuf_addf(out, "%cmissing=yes%c", '\0', '\0');
	if (l->missing == MISSING_PRINT_INFO)
		add_info(l, type, path);
	if (!l->nul)
		strbuf_addch(out, '\n');
	return 0;
}

void rev_list_print_missing(struct rev_list *l)
{
	fwrite(l->omitted_text.buf, 1, l->omitted_text.len, stdout);
	fwrite(l->missing_text.buf, 1, l->missing_text.len, stdout);
}

static int on_missing(void *data, const struct walked_object *o, struct err *err)
{
	return rev_list_miss(data, o->oid, o->type, o->path, err);
}

int rev_list_objects(struct rev_list *l, struct err *err)
{
	struct object_walk_options *o = &l->objects;

	o->filter = l->filter.nr ? &l->filter : NULL;
	o->check_present = true;
	o->commit = on_commit;
	o->object = on_object;
	o->edge_commit = on_edge;
	o->missing = l->missing == MISSING_ERROR ? NULL : on_missing;
	o->omitted = l->print_omitted && o->filter ? on_omitted : NULL;
	o->data = l;
	return object_walk(l->walk, o, err);
}
