/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of receiving a pack, from the first byte to the last delta, and the results. */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"

#define DEFAULT_BASE_BYTES ((size_t)48 * 1024 * 1024)

struct pack_receive *pack_receive_new(const struct pack_receive_options *o)
{
	struct pack_receive *rx;

	CALLOC_ARRAY(rx, 1);
	rx->o = *o;
	rx->raw_len = o->algo->raw_len;
	rx->base_bytes = o->base_bytes ? o->base_bytes : DEFAULT_BASE_BYTES;
	rx->max_object_bytes = os_memory_bytes();
	rx->fd = -1;
	pthread_mutex_init(&rx->lock, NULL);
	pthread_mutex_init(&rx->callback, NULL);
	rx->sink = rx_sink_new(o->algo, (o->threads > 0 ? o->threads : os_cpu_count()) > 1);
	if (o->note_links)
		rx->links = rx_links_new(rx->raw_len);
	return rx;
}

void pack_receive_free(struct pack_receive *rx)
{
	if (!rx)
		return;
	rx_sink_free(rx->sink);
	rx_file_close(rx);
	window_pool_free(rx->pool);
	rx_input_release(&rx->in);
	rx_links_free(rx->links);
	rx_table_release(rx);
	tempfile_delete(&rx->tmp);
	tmp_objdir_destroy(&rx->objdir);
	if (rx->fd >= 0)
		sys->close(rx->fd);
	err_release(&rx->err);
	pthread_mutex_destroy(&rx->lock);
	pthread_mutex_destroy(&rx->callback);
	free(rx->path);
	free(rx->dir);
	free(rx);
}

/* ---- reading ---- */

/*
 * A directory in `objdir`, or in its pack/ where that is another mount, since the copy will be renamed
 * there. P5: what a killed command left goes first.
 */
int pack_receive_create_dir(struct tmp_objdir **out, const char *objdir, int shared_perm, struct err *err)
{
	char *packdir = xstrfmt("%s/pack", objdir);
	bool elsewhere = is_directory(packdir) && !os_same_mount(objdir, packdir);
	int rc;

	tmp_objdir_reap(objdir);
	if (elsewhere)
		tmp_objdir_reap(packdir);
	packs_remove_incomplete(packdir);
	rc = tmp_objdir_create(out, elsewhere ? packdir : objdir, "pack", shared_perm, err);
	free(packdir);
	return rc;
}

static int create_copy(struct pack_receive *rx, const struct pack_receive_stream_options *s, struct err *err)
{
	int rc = s->objdir ? pack_receive_create_dir(&rx->objdir, s->objdir, s->shared_perm, err) : 0;

	if (rc < 0)
		return rc;
	rx->dir = xstrdup(s->objdir ? tmp_objdir_path(rx->objdir) : s->dir);
	return tempfile_create_in(&rx->tmp, rx->dir, "tmp_pack_", 0444, err);
}

static int copy_to(struct pack_receive *rx, const struct tempfile *copy, struct err *err)
{
	rx->path = xstrdup(copy->path);
	rx->fd = fcntl(copy->fd, F_DUPFD_CLOEXEC, 0);
	if (rx->fd < 0)
		return err_set_errno(err, "cannot duplicate the descriptor of '%s'", rx->path);
	rx_sink_copy_to(rx->sink, rx->fd, rx->path);
	return 0;
}

int pack_receive_stream(struct pack_receive *rx, const struct pack_receive_stream_options *s,
			struct err *err)
{
	int rc = 0;

	rx_input_open(&rx->in, s, rx->o.max_input_bytes, rx->sink);
	if (s->objdir || s->dir)
		rc = create_copy(rx, s, err);
	if (!rc && (rx->tmp || s->copy))
		rc = copy_to(rx, rx->tmp ? rx->tmp : s->copy, err);
	if (!rc)
		rc = rx_parse(rx, err);
	os_release_memory();
	return rc;
}

int pack_receive_file(struct pack_receive *rx, const char *path, struct err *err)
{
	struct pack_receive_stream_options s = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	size_t rest;
	int rc, fd = s.fd;

	if (fd < 0)
		return err_set_errno(err, "cannot open packfile '%s'", path);
	rx->path = xstrdup(path);
	rx_input_open(&rx->in, &s, rx->o.max_input_bytes, rx->sink);
	rc = rx_parse(rx, err);
	os_release_memory();
	if (!rc && !rx->in.ended)
		rc = rx_input_prefer(&rx->in, 1, err);
	if (!rc && (pack_receive_rest(rx, &rest), rest))
		rc = err_set(err, ERR_CORRUPT, "pack has junk at the end");
	sys->close(fd);
	return rc;
}

const void *pack_receive_rest(const struct pack_receive *rx, size_t *len)
{
	*len = rx_input_available(&rx->in);
	return rx_input_at(&rx->in);
}

void pack_receive_start_writeback(struct pack_receive *rx, struct fsync_batch *b, const char *dir)
{
	char *path;

	/* A thin pack changes yet. */
	if (rx->fd < 0 || rx->nr_refs)
		return;
	path = xstrfmt("%s/pack-%s.pack", dir, oid_hex(&rx->sum));
	fsync_batch_start(b, FSYNC_PACK, path, rx->fd);
	free(path);
}

/* ---- resolving ---- */

static uint32_t count_unresolved(const struct pack_receive *rx)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rx->nr; i++)
		n += !rx_entry(rx, i)->type;
	return n;
}

/* What a worker, or a phase here, has met first. */
static int failure(struct pack_receive *rx, struct err *err)
{
	if (rx->rc)
		err_move(err, &rx->err);
	return rx->rc;
}

static int resolve_deltas(struct pack_receive *rx, struct err *err)
{
	uint32_t own = rx->nr;
	int rc;

	rx_link_deltas(rx);
	rx_resolve_from(rx, 0);
	rc = failure(rx, err);
	if (!rc && (rx->o.fix_thin || rx->o.use_bases) && count_unresolved(rx)) {
		rc = rx_thin_find(rx, err);
		if (!rc && rx->nr > own)
			rx_resolve_from(rx, own);
		if (!rc)
			rc = failure(rx, err);
	}
	/* Counts deltas that were applied while reading, or by other threads, too. */
	if (!rc && rx->nr_deltas && rx->o.progress)
		rx->o.progress(rx->o.data, PACK_RECEIVE_RESOLVING, atomic_load(&rx->resolved), rx->nr_deltas, rx->size);
	return rc;
}

int pack_receive_resolve(struct pack_receive *rx, struct err *err)
{
	int rc = rx_file_open(rx, err);

	if (!rc) {
		rx_check_big(rx);
		rc = failure(rx, err);
	}
	if (!rc && rx->nr_deltas)
		rc = resolve_deltas(rx, err);
	if (rc < 0)
		return rc;
	rx->nr_unresolved = count_unresolved(rx);
	if (rx->nr_unresolved && !rx->o.keep_going)
		return err_set(err, ERR_CORRUPT, "pack has %u unresolved delta%s", rx->nr_unresolved,
			       rx->nr_unresolved == 1 ? "" : "s");
	if (rx->nr_added && rx->o.fix_thin) {
		rc = rx_thin_append(rx, err);
	} else {
		rx->nr -= rx->nr_added;
		rx->nr_added = 0;
	}
	FREE_AND_NULL(rx->refs);
	rx->nr_refs = 0;
	os_release_memory();
	if (!rc) {
		rx_sort_names(rx);
		rc = rx_finish_checks(rx, err);
	}
	return rc;
}

/* ---- results ---- */

const struct object_id *pack_receive_checksum(const struct pack_receive *rx)
{
	return &rx->sum;
}

uint32_t pack_receive_count(const struct pack_receive *rx)
{
	return rx->nr;
}

uint32_t pack_receive_added(const struct pack_receive *rx)
{
	return rx->nr_added;
}

uint32_t pack_receive_unresolved(const struct pack_receive *rx)
{
	return rx->nr_unresolved;
}

uint64_t pack_receive_foreign(const struct pack_receive *rx)
{
	return rx->nr_foreign;
}

bool pack_receive_has(const struct pack_receive *rx, const struct object_id *oid)
{
	return rx_find_name(rx, oid->hash) != RX_NONE;
}

int pack_receive_object(struct pack_receive *rx, const struct object_id *oid, struct object_buf *out,
			struct err *err)
{
	uint32_t i = rx_find_name(rx, oid->hash);

	if (i == RX_NONE)
		return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
	return rx_read_object(rx, i, out, err);
}

bool pack_receive_has_duplicates(const struct pack_receive *rx, struct object_id *oid)
{
	for (uint32_t i = 1; i < rx->nr; i++)
		if (!memcmp(rx_name(rx, rx->order[i - 1]), rx_name(rx, rx->order[i]), rx->raw_len)) {
			rx_oid(rx, rx->order[i], oid);
			return true;
		}
	return false;
}

/* The length of each chain: that of its base and one, for chains of any length and direction. */
static uint32_t *find_depths(const struct pack_receive *rx)
{
	uint32_t *depth, *path = NULL;
	size_t nr = 0, alloc = 0;

	CALLOC_ARRAY(depth, (size_t)rx->nr + 1);
	for (uint32_t i = 0; i < rx->nr; i++) {
		uint32_t at = i, d;

		for (; rx_entry(rx, at)->base != RX_NONE && !depth[at]; at = rx_entry(rx, at)->base) {
			ALLOC_GROW(path, nr + 1, alloc);
			path[nr++] = at;
		}
		for (d = depth[at]; nr; )
			depth[path[--nr]] = ++d;
	}
	free(path);
	return depth;
}

int pack_receive_foreach(struct pack_receive *rx,
			 int (*fn)(void *data, const struct received_object *o), void *data,
			 struct err *err)
{
	uint32_t *depth = find_depths(rx);
	int rc = 0;

	for (uint32_t i = 0; i < rx->nr && !rc; i++) {
		const struct rx_entry *e = rx_entry(rx, i);
		struct received_object o = { .type = e->type, .offset = e->offset, .depth = depth[i] };

		rx_oid(rx, i, &o.oid);
		if (e->base != RX_NONE)
			rx_oid(rx, e->base, &o.base);
		o.packed_bytes = (i + 1 < rx->nr ? rx_entry(rx, i + 1)->offset : rx->end) - e->offset;
		rc = rx_stored_size(rx, i, &o.size, err);
		if (!rc)
			rc = fn(data, &o);
	}
	free(depth);
	return rc;
}
