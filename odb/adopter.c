/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "odb/adopter.h"
#include "object-file.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/* Largest content in bytes that is read at once; a bigger object is read in pieces. */
#define READ_WHOLE_MAX ((uint64_t)1 << 20)

enum dir_state { DIR_UNKNOWN, DIR_OLD, DIR_YOUNG };

struct object_adopter {
	char *objdir;
	const struct hash_algo *algo;
	struct fsync_batch *batch;

	pthread_mutex_t lock; /* of all below */
	time_t young_since; /* 0: not looked up yet */
	enum dir_state dirs[256];
	struct oidset adopted;
	struct oidset pushed;
	struct oidset met;
	struct oid_array pending;
};

struct object_adopter *object_adopter_new(const char *objdir, const struct hash_algo *algo,
					  struct fsync_batch *b)
{
	struct object_adopter *a = xcalloc(1, sizeof(*a));

	a->objdir = xstrdup(objdir);
	a->algo = algo;
	a->batch = b;
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void object_adopter_free(struct object_adopter *a)
{
	if (!a)
		return;
	oidset_clear(&a->adopted);
	oidset_clear(&a->pushed);
	oidset_clear(&a->met);
	oid_array_clear(&a->pending);
	pthread_mutex_destroy(&a->lock);
	free(a->objdir);
	free(a);
}

/* ---- young objects ---- */

/* Decides by the time of the last change of the inode (ctime), which no process can set back. */
static bool is_young(struct object_adopter *a, const struct stat *st)
{
	time_t since;

	pthread_mutex_lock(&a->lock);
	if (!a->young_since)
		a->young_since = time(NULL) - os_dirty_seconds();
	since = a->young_since;
	pthread_mutex_unlock(&a->lock);
	return st->st_ctime >= since;
}

/* A name in it is not younger than the directory itself. */
static enum dir_state look_at_dir(struct object_adopter *a, unsigned byte)
{
	struct strbuf path = STRBUF_INIT;
	enum dir_state state;
	struct stat st;

	pthread_mutex_lock(&a->lock);
	state = a->dirs[byte];
	pthread_mutex_unlock(&a->lock);
	if (state != DIR_UNKNOWN)
		return state;
	strbuf_addf(&path, "%s/%02x", a->objdir, byte);
	state = !stat(path.buf, &st) && is_young(a, &st) ? DIR_YOUNG : DIR_OLD;
	strbuf_release(&path);
	pthread_mutex_lock(&a->lock);
	a->dirs[byte] = state;
	pthread_mutex_unlock(&a->lock);
	return state;
}

bool object_adopter_sees_young(struct object_adopter *a)
{
	for (unsigned byte = 0; byte < 256; byte++)
		if (look_at_dir(a, byte) == DIR_YOUNG)
			return true;
	return false;
}

/* ... or empty, which no object is: a write that was cut off. */
static bool is_young_file(struct object_adopter *a, const char *path, const struct object_id *oid)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       (!st.st_size || (is_young(a, &st) && !loose_object_is_marked(&st, oid)));
}

/* ---- adopting ---- */

/* D7: fd was open before anything was read. */
static int stage_young(struct object_adopter *a, const char *path, int fd, struct err *err)
{
	struct fsync_staging s = {
		.component = FSYNC_LOOSE_OBJECT,
		.order = PUBLISH_LOOSE_OBJECT,
		.how = PUBLISH_ADOPT,
		.fd = fd,
		.final_path = path,
	};

	return fsync_batch_stage(a->batch, &s, err);
}

static int drop(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

/* Reads and checks a young object. The content of a blob, which may be big, is not kept. */
static int read_young(struct object_adopter *a, const struct object_id *oid,
		      struct object_buf *out, struct err *err)
{
	struct object_info info;
	bool any;
	int rc = loose_object_info(a->objdir, oid, &info, err);

	if (rc < 0)
		return rc;
	if (info.size <= READ_WHOLE_MAX || info.type != OBJ_BLOB)
		return loose_object_read(a->objdir, oid, a->algo, 0, out, err);
	out->type = info.type;
	return loose_object_stream(a->objdir, oid, a->algo, drop, NULL, &any, err);
}

static int adopt_file(struct object_adopter *a, const struct object_id *oid, const char *path,
		      struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0));
	struct object_buf content = OBJECT_BUF_INIT;
	int rc;

	if (fd < 0)
		return err_set_errno(err, "unable to open loose object file '%s'", path);
	rc = read_young(a, oid, &content, err);
	if (rc < 0) {
		sys->close(fd);
		return rc;
	}
	rc = stage_young(a, path, fd, err);
	if (!rc)
		object_adopter_push_links(a, &content);
	object_buf_release(&content);
	return rc;
}

static int adopt_once(struct object_adopter *a, const struct object_id *oid, const char *path,
		      struct err *err)
{
	bool is_new;
	int rc;

	pthread_mutex_lock(&a->lock);
	is_new = oidset_insert(&a->adopted, oid);
	pthread_mutex_unlock(&a->lock);
	rc = is_new ? adopt_file(a, oid, path, err) : 0;
	if (rc < 0) { /* who asks again gets the same answer */
		pthread_mutex_lock(&a->lock);
		oidmap_remove(&a->adopted.map, oid);
		pthread_mutex_unlock(&a->lock);
	}
	return rc;
}

int object_adopt(struct object_adopter *a, const struct object_id *oid, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc = 0;

	if (look_at_dir(a, oid->hash[0]) == DIR_OLD)
		return 0;
	loose_object_path(&path, a->objdir, oid);
	if (is_young_file(a, path.buf, oid)) {
		rc = adopt_once(a, oid, path.buf, err);
		if (!rc)
			rc = 1;
	}
	strbuf_release(&path);
	return rc;
}

/* ---- what they lead to ---- */

void object_adopter_push(struct object_adopter *a, const struct object_id *oid)
{
	pthread_mutex_lock(&a->lock);
	if (oidset_insert(&a->pushed, oid))
		oid_array_append(&a->pending, oid);
	pthread_mutex_unlock(&a->lock);
}

size_t object_adopter_pending(struct object_adopter *a)
{
	size_t nr;

	pthread_mutex_lock(&a->lock);
	nr = a->pending.nr;
	pthread_mutex_unlock(&a->lock);
	return nr;
}

bool object_adopter_meets(struct object_adopter *a, const struct object_id *oid)
{
	bool is_new;

	pthread_mutex_lock(&a->lock);
	is_new = oidset_insert(&a->met, oid);
	pthread_mutex_unlock(&a->lock);
	return is_new;
}

bool object_adopter_take(struct object_adopter *a, struct oid_array *out)
{
	pthread_mutex_lock(&a->lock);
	*out = a->pending;
	a->pending = (struct oid_array)OID_ARRAY_INIT;
	pthread_mutex_unlock(&a->lock);
	return out->nr > 0;
}

static void push_entries(struct object_adopter *a, const struct object_buf *tree)
{
	struct tree_entry e;
	struct tree_iter it;

	tree_iter_init(&it, tree->data, tree->size, a->algo);
	while (tree_iter_next(&it, &e, NULL) > 0)
		if (!MODE_IS_GITLINK(e.mode))
			object_adopter_push(a, &e.oid);
}

static void push_commit(struct object_adopter *a, const struct object_buf *commit)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;

	if (!commit_parse_links(commit->data, commit->size, a->algo, &tree, &parents, NULL, NULL))
		object_adopter_push(a, &tree);
	for (size_t i = 0; i < parents.nr; i++)
		object_adopter_push(a, &parents.oid[i]);
	oid_array_clear(&parents);
}

void object_adopter_push_links(struct object_adopter *a, const struct object_buf *o)
{
	struct tag_view tag;

	if (o->type == OBJ_TREE)
		push_entries(a, o);
	else if (o->type == OBJ_COMMIT)
		push_commit(a, o);
	else if (o->type == OBJ_TAG && !tag_parse(&tag, o->data, o->size, a->algo, NULL))
		object_adopter_push(a, &tag.target);
}
