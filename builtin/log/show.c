/* SPDX-License-Identifier: GPL-2.0-only */
/* git-show(1) */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "history/names/revparse.h"
#include "object/tag.h"
#include "object/tree.h"

static const char *const usage[] = {
	"git show [<options>] [<object>...]",
	NULL
};

static int write_piece(void *data UNUSED, const void *p, size_t len, struct err *err)
{
	if (fwrite(p, 1, len, stdout) != len)
		return err_set_errno(err, "cannot write to standard output");
	return 0;
}

/* show --textconv REV:path. 0: it has no textconv; 1: it has been shown. */
static int show_converted(struct log_options *o, const struct object_id *oid, const char *name, struct err *err)
{
	struct revparse_result res = { 0 };
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = 0;

	if (!o->diff.textconv_asked || revparse_quietly(o->repo, name, OBJ_ANY, &res, NULL) < 0)
		return 0;
	if (res.path && S_ISREG(res.mode) && oid_eq(&res.oid, oid)) {
		rc = odb_read_type(o->repo->odb, oid, OBJ_BLOB, &buf, err);
		if (!rc)
			rc = diff_textconv_object(&o->diff, res.path, oid, &buf, err);
		if (rc > 0 && write_piece(NULL, buf.data, buf.size, err) < 0)
			rc = ERR_IO;
	}
	object_buf_release(&buf);
	revparse_result_release(&res);
	return rc;
}

static int show_blob(struct log_options *o, const struct object_id *oid, const char *name, struct err *err)
{
	int rc = show_converted(o, oid, name, err);

	if (!rc)
		rc = odb_stream(o->repo->odb, oid, write_piece, NULL, err);
	return rc < 0 ? rc : 0;
}

/* What separates objects, and the line with the object's name. */
static void begin_object(struct log_options *o, const char *type, const char *name, size_t len)
{
	if (o->shown_one)
		strbuf_addch(&o->text, '\n');
	o->shown_one = true;
	o->open_line = false;
	strbuf_addf(&o->text, "%s%s %.*s%s\n", o->color ? o->pretty.commit_color : "", type, (int)len, name,
		    o->color ? COLOR_RESET : "");
}

static int show_tree(struct log_options *o, const struct object_id *oid, const char *name, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tree_iter it;
	struct tree_entry e;
	int rc = odb_read_type(o->repo->odb, oid, OBJ_TREE, &buf, err);

	if (rc < 0)
		return rc;
	begin_object(o, "tree", name, strlen(name));
	strbuf_addch(&o->text, '\n');
	tree_iter_init(&it, buf.data, buf.size, o->repo->algo);
	while ((rc = tree_iter_next(&it, &e, err)) > 0)
		strbuf_addf(&o->text, "%s%s\n", e.name, MODE_IS_TREE(e.mode) ? "/" : "");
	object_buf_release(&buf);
	return rc < 0 ? rc : print_and_clear(NULL, &o->text, err);
}

static void add_tagger(struct log_options *o, const struct tag_view *t)
{
	bool dated = o->pretty.kind == PRETTY_MEDIUM;
	const struct mailmap *map = o->pretty.mailmap;

	o->pretty.mailmap = NULL; /* it is for authors and committers */
	if (t->tagger && o->pretty.kind == PRETTY_FULLER)
		pretty_person(&o->pretty, "Tagger:     ", "TaggerDate: ", t->tagger, t->tagger_len, &o->text);
	else if (t->tagger && o->pretty.kind != PRETTY_ONELINE)
		pretty_person(&o->pretty, "Tagger: ", dated ? "Date:   " : NULL, t->tagger, t->tagger_len,
			      &o->text);
	o->pretty.mailmap = map;
}

/* *oid becomes what it is a tag of. */
static int show_tag(struct log_options *o, struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view t;
	int rc = odb_read_type(o->repo->odb, oid, OBJ_TAG, &buf, err);

	if (!rc)
		rc = tag_parse(&t, buf.data, buf.size, o->repo->algo, err);
	if (!rc) {
		begin_object(o, "tag", t.name, t.name_len);
		add_tagger(o, &t);
		strbuf_addch(&o->text, '\n');
		strbuf_add(&o->text, t.message, t.message_len);
		*oid = t.target;
		rc = print_and_clear(NULL, &o->text, err);
	}
	object_buf_release(&buf);
	return rc;
}

static int show_commit(struct log_options *o, const struct object_id *oid, struct err *err)
{
	struct commit *c = commit_lookup(o->walk->pool, oid);
	int rc = commit_parse_node(o->walk->pool, c, err);

	if (!rc && o->lines) /* it is the only one, and its lines are found by a walk */
		return log_walk_and_show(o, err);
	if (rc < 0 || c->flags & REV_SHOWN) /* each is shown once */
		return rc;
	c->flags |= REV_SHOWN;
	return log_show_commit(o, c, err);
}

static int type_of(struct log_options *o, const struct object_id *oid, enum object_type *type, struct err *err)
{
	struct object_info info;
	int rc = odb_type(o->repo->odb, oid, &info.type, &info.size, err);

	*type = info.type;
	return rc < 0 ? rc : 0;
}

static int show_object(struct log_options *o, const struct rev_start *s, struct err *err)
{
	struct object_id oid = s->oid;
	enum object_type type;
	int rc = type_of(o, &oid, &type, err);

	while (!rc && type == OBJ_TAG) {
		rc = show_tag(o, &oid, err);
		if (!rc)
			rc = type_of(o, &oid, &type, err);
	}
	if (rc < 0)
		return rc;
	if (type == OBJ_BLOB)
		return show_blob(o, &oid, s->name, err);
	if (type == OBJ_TREE)
		return show_tree(o, &oid, s->name, err);
	rc = show_commit(o, &oid, err);
	return rc < 0 ? rc : 0;
}

/* Only commits, or a range: then it is a walk. */
static int is_walk(struct log_options *o, struct err *err)
{
	for (size_t i = 0; i < o->walk->nr_starts; i++) {
		enum object_type type;
		int rc = type_of(o, &o->walk->starts[i].oid, &type, err);

		if (rc < 0)
			return rc;
		if (o->walk->no_walk && type != OBJ_COMMIT)
			return 0;
	}
	return 1;
}

static int show_run(struct log_options *o, int argc, const char **argv, struct err *err)
{
	int rc;

	o->walk->no_walk = o->walk->unsorted = o->walk->objects = true;
	o->dense_by_default = o->patch_by_default = o->takes_lines = true;
	rc = log_options_parse(o, argc, argv, err);
	if (!rc)
		rc = log_options_resolve(o, err);
	if (!rc)
		rc = rev_walk_check_starts(o->walk, err);
	if (!rc)
		rc = is_walk(o, err);
	if (rc > 0)
		return log_walk_and_show(o, err);
	for (size_t i = 0; !rc && i < o->walk->nr_starts; i++)
		rc = show_object(o, &o->walk->starts[i], err);
	return rc;
}

int cmd_show(int argc, const char **argv, struct command_ctx *ctx)
{
	return log_command(argc, argv, ctx, usage, show_run);
}
