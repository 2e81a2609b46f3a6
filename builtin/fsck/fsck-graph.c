/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All objects and what each names, in numbers: links are filled while contents are
 * at hand, so the search for reachable objects reads nothing twice.
 */
#include "compat/posix.h"
#include "builtin/fsck/fsck.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "util/alloc.h"

/* ---- messages ---- */

void fsck_error(struct fsck *f, int bits, const char *fmt, ...)
{
	char *msg;
	va_list ap;

	va_start(ap, fmt);
	msg = xvstrfmt(fmt, ap);
	va_end(ap);
	error("%s", msg);
	free(msg);
	f->exit_code |= bits;
}

struct progress *fsck_progress(const struct fsck *f, const char *title, uint64_t total)
{
	if (f->progress < 0)
		return progress_start(title, total);
	return f->progress ? progress_start_forced(title, total) : NULL;
}

const char *fsck_type_name(enum object_type type)
{
	const char *name = object_type_name(type);

	return name ? name : "unknown";
}

void fsck_set_name(struct fsck *f, uint32_t node, const char *fmt, ...)
{
	va_list ap;

	if (!f->name_objects || (node < f->alloc_names && f->names[node]))
		return;
	if (node >= f->alloc_names) {
		size_t old = f->alloc_names;

		ALLOC_GROW(f->names, (size_t)node + 1, f->alloc_names);
		memset(f->names + old, 0, (f->alloc_names - old) * sizeof(*f->names));
	}
	va_start(ap, fmt);
	f->names[node] = xvstrfmt(fmt, ap);
	va_end(ap);
}

static const char *name_of(const struct fsck *f, uint32_t node)
{
	return node < f->alloc_names ? f->names[node] : NULL;
}

const char *fsck_describe(struct fsck *f, const struct object_id *oid)
{
	static struct strbuf rotating[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	static unsigned turn;
	struct strbuf *out = &rotating[turn++ % 4];
	uint32_t node = f->name_objects ? fsck_find(f, oid) : NO_NODE;

	strbuf_reset(out);
	strbuf_add_oid(out, oid);
	if (node != NO_NODE && name_of(f, node))
		strbuf_addf(out, " (%s)", name_of(f, node));
	return out->buf;
}

/* ---- nodes ---- */

void fsck_graph_release(struct fsck *f)
{
	for (size_t i = 0; i < f->alloc_names; i++)
		free(f->names[i]);
	free(f->names);
	free(f->nodes);
	free(f->slots);
	free(f->links);
	free(f->stack);
}

/* The slot that has it, or the free one where it would be. */
static uint32_t *slot_of(const struct fsck *f, const struct object_id *oid)
{
	size_t i = oid_hash(oid) & f->mask;

	while (f->slots[i] && !oid_eq(&f->nodes[f->slots[i] - 1].oid, oid))
		i = (i + 1) & f->mask;
	return &f->slots[i];
}

static void grow_slots(struct fsck *f)
{
	size_t size = f->slots ? (f->mask + 1) * 2 : 1024;

	free(f->slots);
	CALLOC_ARRAY(f->slots, size);
	f->mask = size - 1;
	for (uint32_t i = 0; i < f->nr; i++)
		*slot_of(f, &f->nodes[i].oid) = i + 1;
}

uint32_t fsck_find(const struct fsck *f, const struct object_id *oid)
{
	return f->slots ? *slot_of(f, oid) - 1 : NO_NODE; /* 0 - 1 is NO_NODE */
}

uint32_t fsck_node(struct fsck *f, const struct object_id *oid, enum object_type type)
{
	uint32_t *slot;

	if (!f->slots || (size_t)f->nr * 2 > f->mask)
		grow_slots(f);
	slot = slot_of(f, oid);
	if (!*slot) {
		if (f->nr == NODES_MAX)
			die("too many objects");
		ALLOC_GROW(f->nodes, (size_t)f->nr + 1, f->alloc);
		f->nodes[f->nr++] = (struct node){ .oid = *oid, .type = OBJ_NONE };
		*slot = f->nr;
	}
	if (f->nodes[*slot - 1].type == OBJ_NONE)
		f->nodes[*slot - 1].type = (uint8_t)type;
	return *slot - 1;
}

/* ---- links ---- */

static uint32_t make_link(uint32_t node, enum object_type type)
{
	return node | ((uint32_t)type - OBJ_COMMIT) << 30;
}

static uint32_t link_node(uint32_t link)
{
	return link & (NODES_MAX - 1);
}

static enum object_type link_type(uint32_t link)
{
	return (enum object_type)((link >> 30) + OBJ_COMMIT);
}

/* What one object names; `name` is for --name-objects. */
struct naming {
	struct fsck *f;
	uint32_t from;
	/* child may be called for the same node again */
	void (*child)(struct naming *n, uint32_t node, enum object_type type);
};

/* "main" to "main^", "main~2", "main~3" … */
static void name_first_parent(struct fsck *f, uint32_t node, const char *name)
{
	size_t len = strlen(name), digits = 0;
	uint64_t generation = 1;

	while (digits < len && digits < 9 && isdigit((unsigned char)name[len - digits - 1]))
		digits++;
	if (len > 1 && name[len - 1] == '^') {
		len--;
	} else if (digits && len > digits + 1 && name[len - digits - 1] == '~') {
		generation = strtoull(name + len - digits, NULL, 10);
		len -= digits + 1;
	} else {
		fsck_set_name(f, node, "%s^", name);
		return;
	}
	fsck_set_name(f, node, "%.*s~%" PRIu64, (int)len, name, generation + 1);
}

static int commit_children(struct naming *n, const void *data, size_t size)
{
	struct fsck *f = n->f;
	struct oid_array parents = OID_ARRAY_INIT;
	const char *name = name_of(f, n->from);
	struct object_id tree;
	timestamp_t date;
	uint32_t child;

	if (commit_parse_links(data, size, f->algo, &tree, &parents, &date, NULL) < 0)
		return -1;
	child = fsck_node(f, &tree, OBJ_TREE);
	if (name)
		fsck_set_name(f, child, "%s:", name);
	n->child(n, child, OBJ_TREE);
	if (oidset_contains(&f->shallow, &f->nodes[n->from].oid))
		parents.nr = 0;
	for (size_t i = 0; i < parents.nr; i++) {
		child = fsck_node(f, &parents.oid[i], OBJ_COMMIT);
		if (name && !i)
			name_first_parent(f, child, name);
		else if (name)
			fsck_set_name(f, child, "%s^%zu", name, i + 1);
		n->child(n, child, OBJ_COMMIT);
	}
	oid_array_clear(&parents);
	return 0;
}

/* Entries of a tree whose nodes are fetched from memory at the same time. */
#define ENTRIES_AT_ONCE 32

static void prefetch_nodes(const struct fsck *f, const struct tree_entry *e, size_t nr)
{
	uint32_t at[ENTRIES_AT_ONCE];

	if (!f->slots)
		return;
	for (size_t i = 0; i < nr; i++) {
		at[i] = oid_hash(&e[i].oid) & (uint32_t)f->mask;
		__builtin_prefetch(&f->slots[at[i]]);
	}
	for (size_t i = 0; i < nr; i++)
		if (f->slots[at[i]])
			__builtin_prefetch(&f->nodes[f->slots[at[i]] - 1]);
}

static void entry_child(struct naming *n, const struct tree_entry *e)
{
	enum object_type type = MODE_IS_TREE(e->mode) ? OBJ_TREE : OBJ_BLOB;
	const char *name = name_of(n->f, n->from);
	uint32_t child = fsck_node(n->f, &e->oid, type);

	if (name)
		fsck_set_name(n->f, child, "%s%.*s%s", name, (int)e->name_len, e->name,
			      type == OBJ_TREE ? "/" : "");
	n->child(n, child, type);
}

static int tree_children(struct naming *n, const void *data, size_t size)
{
	struct tree_entry e[ENTRIES_AT_ONCE];
	struct tree_iter it;
	size_t nr;
	int rc = 1;

	tree_iter_init(&it, data, size, n->f->algo);
	while (rc > 0) {
		for (nr = 0; nr < ENTRIES_AT_ONCE && (rc = tree_iter_next(&it, &e[nr], NULL)) > 0;)
			nr += !MODE_IS_GITLINK(e[nr].mode);
		prefetch_nodes(n->f, e, nr);
		for (size_t i = 0; i < nr; i++)
			entry_child(n, &e[i]);
	}
	return rc;
}

static int tag_children(struct naming *n, const void *data, size_t size)
{
	const char *name = name_of(n->f, n->from);
	struct tag_view tag;
	uint32_t child;

	if (tag_parse(&tag, data, size, n->f->algo, NULL) < 0)
		return -1;
	child = fsck_node(n->f, &tag.target, tag.target_type);
	if (name)
		fsck_set_name(n->f, child, "%s", name);
	n->child(n, child, tag.target_type);
	return 0;
}

/* < 0: malformed; children before the fault have been passed on. */
static int for_each_child(struct naming *n, enum object_type type, const void *data, size_t size)
{
	switch (type) {
	case OBJ_COMMIT:
		return commit_children(n, data, size);
	case OBJ_TREE:
		return tree_children(n, data, size);
	case OBJ_TAG:
		return tag_children(n, data, size);
	default:
		return 0;
	}
}

static void keep_link(struct naming *n, uint32_t node, enum object_type type)
{
	struct fsck *f = n->f;

	f->nodes[node].flags |= NODE_USED;
	if (f->nr_links == LINKS_MAX)
		return;
	ALLOC_GROW(f->links, f->nr_links + 1, f->alloc_links);
	f->links[f->nr_links++] = make_link(node, type);
}

/* The table: a number of links, then that many. */
static int keep_links(struct fsck *f, uint32_t node, enum object_type type,
		      const void *data, size_t size)
{
	struct naming n = { f, node, keep_link };
	size_t start = f->nr_links;
	int rc;

	if (start + 1 < LINKS_MAX) {
		ALLOC_GROW(f->links, start + 1, f->alloc_links);
		f->nr_links++;
	}
	rc = for_each_child(&n, type, data, size);
	/* Names are given on the walk, and it needs the content for that. */
	if (f->nr_links == LINKS_MAX || start + 1 >= LINKS_MAX || f->name_objects) {
		f->nr_links = start;
		return rc;
	}
	f->links[start] = (uint32_t)(f->nr_links - start - 1);
	f->nodes[node].links = (uint32_t)start;
	f->nodes[node].flags |= NODE_LINKED;
	return rc;
}

static void broken_content(struct fsck *f, enum object_type type, const struct object_id *oid)
{
	fprintf(stderr, "error in %s %s: broken links\n", fsck_type_name(type),
		fsck_describe(f, oid));
	f->exit_code |= FSCK_BAD_OBJECT;
}

int fsck_add_object(struct fsck *f, const struct object_id *oid, enum object_type type,
		    const void *data, size_t size)
{
	uint32_t node = fsck_node(f, oid, type);
	uint8_t before = f->nodes[node].flags;

	f->nodes[node].type = (uint8_t)type;
	f->nodes[node].flags |= NODE_PRESENT | NODE_TYPE_SEEN;
	if (type == OBJ_BLOB || (before & NODE_TYPE_SEEN))
		return 0;
	if (keep_links(f, node, type, data, size) == 0)
		return 0;
	if (type == OBJ_TREE) {
		broken_content(f, type, oid);
		return 0;
	}
	f->nodes[node].flags &= (uint8_t)~NODE_PRESENT;
	return -1;
}

/* ---- the walk ---- */

static void push(struct fsck *f, uint32_t node)
{
	ALLOC_GROW(f->stack, f->nr_stack + 1, f->alloc_stack);
	f->stack[f->nr_stack++] = node;
}

static void broken_link(struct fsck *f, uint32_t from, const struct object_id *to,
			enum object_type type)
{
	const struct node *n = &f->nodes[from];

	printf("broken link from %7s %s\n", fsck_type_name(n->type), fsck_describe(f, &n->oid));
	printf("              to %7s %s\n", fsck_type_name(type), fsck_describe(f, to));
	f->exit_code |= FSCK_BAD_LINK;
}

bool fsck_is_promised(struct fsck *f, const struct object_id *oid)
{
	struct err err = ERR_INIT;
	int rc = promises_has(&f->promises, oid, &err);

	if (rc < 0)
		die_err(&err);
	return rc > 0;
}

/* Reads the type of an unchecked object from its header. */
static void see_type(struct fsck *f, struct node *n)
{
	struct object_info info;

	if ((n->flags & NODE_TYPE_SEEN) || odb_type(f->odb, &n->oid, &info.type, &info.size, NULL) < 0)
		return;
	n->type = (uint8_t)info.type;
	n->flags |= NODE_TYPE_SEEN;
}

/*
 * Is the object present? Without --full packs have not been checked; their objects count as
 * present.
 */
static bool is_there(struct fsck *f, struct node *n)
{
	if (!(n->flags & NODE_PRESENT) && !f->full && odb_has(f->odb, &n->oid))
		n->flags |= NODE_PRESENT;
	return n->flags & NODE_PRESENT;
}

static void reach(struct fsck *f, uint32_t from, uint32_t node, enum object_type type)
{
	struct node *n = &f->nodes[node];

	if (n->type != type) {
		fsck_error(f, FSCK_BAD_LINK | (f->connectivity_only ? 0 : FSCK_BAD_OBJECT),
			   "object %s is a %s, not a %s", oid_hex(&n->oid),
			   fsck_type_name(n->type), fsck_type_name(type));
		broken_link(f, from, &n->oid, type);
		return;
	}
	if (n->flags & NODE_REACHABLE)
		return;
	n->flags |= NODE_REACHABLE;
	if (is_there(f, n))
		push(f, node);
	else if (!fsck_is_promised(f, &n->oid))
		broken_link(f, from, &n->oid, type);
}

static void reach_child(struct naming *n, uint32_t node, enum object_type type)
{
	n->f->nodes[node].flags |= NODE_USED;
	reach(n->f, n->from, node, type);
}

static void use_child(struct naming *n, uint32_t node, enum object_type type UNUSED)
{
	n->f->nodes[node].flags |= NODE_USED;
}

/* Read it, and tell what it names to `child`. */
static void read_links(struct fsck *f, uint32_t node,
		       void (*child)(struct naming *n, uint32_t node, enum object_type type))
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid = f->nodes[node].oid;
	struct naming n = { f, node, child };
	struct err err = ERR_INIT;
	bool first = !(f->nodes[node].flags & NODE_TYPE_SEEN);

	if (odb_read(f->odb, &oid, &buf, &err) < 0) {
		fsck_error(f, FSCK_BAD_OBJECT, "%s", err_message(&err));
		err_release(&err);
		return;
	}
	if (first && f->nodes[node].type != buf.type)
		fsck_error(f, FSCK_BAD_LINK, "object %s is a %s, not a %s", oid_hex(&oid),
			   fsck_type_name(buf.type), fsck_type_name(f->nodes[node].type));
	f->nodes[node].type = (uint8_t)buf.type;
	f->nodes[node].flags |= NODE_TYPE_SEEN;
	if (for_each_child(&n, buf.type, buf.data, buf.size) < 0 && first)
		broken_content(f, buf.type, &oid);
	object_buf_release(&buf);
}

static void follow(struct fsck *f, uint32_t node)
{
	const struct node *n = &f->nodes[node];

	if (n->type == OBJ_BLOB)
		return;
	if (!(n->flags & NODE_LINKED)) {
		read_links(f, node, reach_child);
		return;
	}
	for (uint32_t i = f->links[n->links]; i; i--) {
		uint32_t link = f->links[n->links + i];

		reach(f, node, link_node(link), link_type(link));
	}
}

void fsck_mark_head(struct fsck *f, uint32_t node)
{
	struct node *n = &f->nodes[node];

	n->flags |= NODE_USED;
	if (n->flags & NODE_REACHABLE)
		return;
	n->flags |= NODE_REACHABLE;
	if (is_there(f, n))
		push(f, node);
}

static struct progress *connectivity_progress(const struct fsck *f)
{
	const char *title = "Checking connectivity";

	if (f->progress < 0)
		return progress_start(title, 0);
	return f->progress ? progress_start_delayed(title, 0) : NULL;
}

void fsck_walk(struct fsck *f)
{
	struct progress *progress = connectivity_progress(f);
	uint64_t done = 0;

	while (f->nr_stack) {
		progress_update(progress, ++done);
		follow(f, f->stack[--f->nr_stack]);
	}
	progress_stop(&progress);
}

/* ---- findings ---- */

static int save_found(struct fsck *f, const struct node *n, struct err *err)
{
	char *dir = repo_path(f->repo, "lost-found/%s", n->type == OBJ_COMMIT ? "commit" : "other");
	char *path = xstrfmt("%s/%s", dir, oid_hex(&n->oid));
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tempfile *t = NULL;
	int rc = make_dirs(dir, f->repo->settings.shared_perm, err);

	if (!rc)
		rc = tempfile_create_in(&t, dir, "tmp_", 0666, err);
	if (!rc && n->type == OBJ_BLOB) {
		rc = odb_read(f->odb, &n->oid, &buf, err);
	} else if (!rc) {
		buf.data = xstrfmt("%s\n", oid_hex(&n->oid));
		buf.size = strlen(buf.data);
	}
	if (!rc)
		rc = write_in_full(t->fd, buf.data, buf.size, path, err);
	if (!rc)
		rc = tempfile_stage(&t, repo_operation_batch(f->op), FSYNC_OTHER, PUBLISH_FILE,
				    path, true, err);
	tempfile_delete(&t);
	object_buf_release(&buf);
	free(path);
	free(dir);
	return rc;
}

static void report_unreachable(struct fsck *f, struct node *n)
{
	struct err err = ERR_INIT;

	see_type(f, n);
	if (f->show_unreachable) {
		printf("unreachable %s %s\n", fsck_type_name(n->type), fsck_describe(f, &n->oid));
		return;
	}
	if (n->flags & NODE_USED)
		return;
	if (f->show_dangling)
		printf("dangling %s %s\n", fsck_type_name(n->type), fsck_describe(f, &n->oid));
	if (f->lost_found && save_found(f, n, &err) < 0)
		die_err(&err);
}

static void report_node(struct fsck *f, struct node *n)
{
	if (f->verbose)
		fprintf(stderr, "Checking %s\n", oid_hex(&n->oid));
	if (!(n->flags & NODE_REACHABLE)) {
		if (n->flags & NODE_PRESENT)
			report_unreachable(f, n);
	} else if (!(n->flags & NODE_PRESENT) && !fsck_is_promised(f, &n->oid)) {
		printf("missing %s %s\n", fsck_type_name(n->type), fsck_describe(f, &n->oid));
		f->exit_code |= FSCK_BAD_LINK;
	}
}

static int by_oid(const void *a, const void *b)
{
	const struct node *const *x = a, *const *y = b;

	return oid_cmp(&(*x)->oid, &(*y)->oid);
}

static bool is_interesting(const struct fsck *f, const struct node *n)
{
	return f->verbose || (n->flags & (NODE_REACHABLE | NODE_PRESENT)) !=
			     (NODE_REACHABLE | NODE_PRESENT);
}

/* The walk looks at what can be reached; here are the others. */
static void check_types_of_links(struct fsck *f, const struct node *n)
{
	for (uint32_t i = f->links[n->links]; i; i--) {
		uint32_t link = f->links[n->links + i];
		const struct node *to = &f->nodes[link_node(link)];

		if (!(to->flags & NODE_TYPE_SEEN) || to->type == link_type(link))
			continue;
		error("object %s is a %s, not a %s", oid_hex(&to->oid), fsck_type_name(to->type),
		      fsck_type_name(link_type(link)));
		broken_content(f, n->type, &n->oid);
		return;
	}
}

static bool is_unreachable(const struct node *n)
{
	return (n->flags & (NODE_REACHABLE | NODE_PRESENT)) == NODE_PRESENT;
}

void fsck_report(struct fsck *f)
{
	uint32_t nr = f->nr, found = 0;
	struct node **v;

	for (uint32_t i = 0; i < nr; i++)
		if (is_unreachable(&f->nodes[i]) && f->nodes[i].flags & NODE_LINKED)
			check_types_of_links(f, &f->nodes[i]);

	/* Only their own contents tell what unreachable objects use. */
	for (uint32_t i = 0; i < nr && f->connectivity_only; i++) {
		if (!is_unreachable(&f->nodes[i]))
			continue;
		see_type(f, &f->nodes[i]);
		if (f->nodes[i].type != OBJ_BLOB)
			read_links(f, i, use_child);
	}
	if (f->verbose)
		fprintf(stderr, "Checking connectivity (%" PRIu32 " objects)\n", f->nr);
	ALLOC_ARRAY(v, (size_t)f->nr + 1);
	for (uint32_t i = 0; i < f->nr; i++)
		if (is_interesting(f, &f->nodes[i]))
			v[found++] = &f->nodes[i];
	qsort(v, found, sizeof(*v), by_oid);
	for (uint32_t i = 0; i < found; i++)
		report_node(f, v[i]);
	free(v);
}
