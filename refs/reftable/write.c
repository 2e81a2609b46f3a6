/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing a table. */
#include "compat/posix.h"
#include <zlib.h>
#include "refs/reftable/block-internal.h"
#include "refs/reftable/objects-internal.h"
#include "refs/reftable/table-internal.h"
#include "refs/reftable/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* So many blocks of refs or logs are found without an index. */
#define BLOCKS_WITHOUT_INDEX 3
/* The sink is called for about so many bytes. */
#define WRITE_BYTES (256 * 1024)

/* The last key of a block that has been written, and where it is. */
struct index_entry {
	char *key;
	size_t len;
	uint64_t position;
};

struct index_list {
	struct index_entry *items;
	size_t nr, alloc;
};

struct reftable_writer {
	struct reftable_write_options o;
	struct record_format format;
	unsigned char header[TABLE_HEADER_MAX];
	size_t header_len;
	reftable_sink_fn sink;
	void *data;
	struct strbuf out; /* not given to the sink yet */
	uint64_t at;	   /* in the file: behind `out` */
	size_t padding;	   /* between the last block and the next one, unless that holds logs */
	bool in_block;
	struct block_writer block;
	struct strbuf value;
	size_t block_max;
	struct index_list index; /* of the present section, or level */
	struct object_places objects;
	/* The footer's. */
	uint64_t ref_index, objs, obj_index, logs, log_index;
	size_t obj_id_len;
	bool any_logs;
};

uint32_t reftable_block_size_for(uint32_t wanted, size_t longest)
{
	/* Beside the name and the target: headers, numbers, two ids, a restart point. */
	size_t needed = longest + 2 * HASH_MAX_RAW + 128;
	uint32_t size = wanted ? wanted : REFTABLE_BLOCK_SIZE;

	while (size < needed && size <= BLOCK_LEN_MAX / 2)
		size *= 2;
	return size;
}

static void fill_header(struct reftable_writer *w)
{
	bool sha1 = w->o.algo->id == HASH_SHA1;

	memcpy(w->header, "REFT", 4);
	put_be32(w->header + 4, w->o.block_size);
	w->header[4] = sha1 ? 1 : 2;
	put_be64(w->header + 8, w->o.min_update_index);
	put_be64(w->header + 16, w->o.max_update_index);
	memcpy(w->header + 24, "s256", 4);
	w->header_len = sha1 ? 24 : 28;
}

struct reftable_writer *reftable_writer_new(const struct reftable_write_options *o, reftable_sink_fn sink, void *data)
{
	struct reftable_writer *w;

	CALLOC_ARRAY(w, 1);
	w->o = *o;
	if (!w->o.block_size)
		w->o.block_size = REFTABLE_BLOCK_SIZE;
	if (!w->o.restart_interval)
		w->o.restart_interval = REFTABLE_RESTART_INTERVAL;
	w->block_max = w->o.block_size;
	w->format = (struct record_format){ o->algo->raw_len, o->min_update_index };
	w->objects.hash_len = o->algo->raw_len;
	w->sink = sink;
	w->data = data;
	w->block = (struct block_writer)BLOCK_WRITER_INIT;
	strbuf_init(&w->out, 0);
	strbuf_init(&w->value, 0);
	fill_header(w);
	return w;
}

/* ---- blocks ---- */

static int pass_on(struct reftable_writer *w, size_t min, struct err *err)
{
	int rc = 0;

	if (w->out.len > min) {
		rc = w->sink(w->data, w->out.buf, w->out.len, err);
		strbuf_reset(&w->out);
	}
	return rc;
}

static void add_to_index(struct index_list *l, const struct strbuf *key, uint64_t position)
{
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = (struct index_entry){ xmemdup(key->buf, key->len), key->len, position };
}

static void index_clear(struct index_list *l)
{
	while (l->nr)
		free(l->items[--l->nr].key);
	FREE_AND_NULL(l->items);
	l->alloc = 0;
}

/* Where a block of that type begins if it is the next one. */
static uint64_t next_position(const struct reftable_writer *w, enum block_type type)
{
	return w->at + (type == BLOCK_LOG ? 0 : w->padding);
}

static void start_block(struct reftable_writer *w, enum block_type type)
{
	block_writer_start(&w->block, type, w->block_max, w->o.restart_interval, w->at ? NULL : w->header,
			   w->header_len);
	w->in_block = true;
}

static int finish_block(struct reftable_writer *w, struct err *err)
{
	enum block_type type = w->block.type;
	uint64_t position = next_position(w, type);
	size_t before;

	if (!w->in_block)
		return 0;
	if (type != BLOCK_LOG)
		strbuf_addchars(&w->out, 0, w->padding);
	before = w->out.len;
	block_writer_finish(&w->block, -1, &w->out);
	w->at = position + (w->out.len - before);
	w->padding = 0;
	if (type != BLOCK_LOG && w->out.len - before < w->o.block_size)
		w->padding = w->o.block_size - (w->out.len - before);
	add_to_index(&w->index, &w->block.last_key, position);
	w->in_block = false;
	return pass_on(w, WRITE_BYTES, err);
}

static int add_record(struct reftable_writer *w, enum block_type type, const struct strbuf *key, unsigned extra,
		      bool oversize, struct err *err)
{
	int rc;

	if (!w->in_block)
		start_block(w, type);
	if (block_writer_add(&w->block, key, extra, &w->value, false))
		return 0;
	if (w->block.any) {
		rc = finish_block(w, err);
		if (rc < 0)
			return rc;
		start_block(w, type);
	}
	if (block_writer_add(&w->block, key, extra, &w->value, oversize))
		return 0;
	return err_set(err, ERR_TOO_BIG, "a record of a reftable is too large: '%s'", key->buf);
}

/* ---- sections ---- */

static int write_index_level(struct reftable_writer *w, struct err *err)
{
	struct index_list below = w->index;
	struct strbuf key = STRBUF_INIT;
	int rc = 0;

	w->index = (struct index_list){ .nr = 0 };
	for (size_t i = 0; !rc && i < below.nr; i++) {
		strbuf_reset(&key);
		strbuf_add(&key, below.items[i].key, below.items[i].len);
		strbuf_reset(&w->value);
		varint_add(&w->value, below.items[i].position);
		rc = add_record(w, BLOCK_INDEX, &key, 0, true, err);
	}
	if (!rc)
		rc = finish_block(w, err);
	strbuf_release(&key);
	index_clear(&below);
	return rc;
}

/* Levels of the index, until one is a single block. *root: its position; 0: the section has no index. */
static int finish_section(struct reftable_writer *w, uint64_t *root, struct err *err)
{
	int rc = finish_block(w, err);
	bool wanted = w->index.nr > BLOCKS_WITHOUT_INDEX;

	*root = 0;
	while (!rc && wanted && (w->index.nr > 1 || !*root)) {
		size_t nr = w->index.nr;

		rc = write_index_level(w, err);
		*root = w->index.items[0].position;
		/* Keys so long that a block holds hardly one: the format lets an index be larger than other blocks. */
		if (w->index.nr > nr / 2)
			w->block_max = BLOCK_LEN_MAX;
	}
	w->block_max = w->o.block_size;
	index_clear(&w->index);
	return rc;
}

static int write_objects(struct reftable_writer *w, struct err *err)
{
	struct strbuf key = STRBUF_INIT;
	unsigned extra;
	int rc = 0;

	w->obj_id_len = object_places_sort(&w->objects);
	w->objs = next_position(w, BLOCK_OBJ);
	for (size_t i = 0; !rc && i < w->objects.nr;) {
		i = object_places_record(&w->objects, i, w->obj_id_len, &key, &extra, &w->value);
		/* A list that needs most of a block is left out: then each ref is looked at. */
		if (w->value.len > w->o.block_size / 2) {
			extra = 0;
			strbuf_reset(&w->value);
			varint_add(&w->value, 0);
		}
		rc = add_record(w, BLOCK_OBJ, &key, extra, true, err);
	}
	strbuf_release(&key);
	return rc ? rc : finish_section(w, &w->obj_index, err);
}

static int finish_refs(struct reftable_writer *w, struct err *err)
{
	int rc = finish_section(w, &w->ref_index, err);

	if (!rc && w->ref_index && w->objects.nr)
		rc = write_objects(w, err);
	object_places_release(&w->objects);
	return rc;
}

int reftable_writer_add_ref(struct reftable_writer *w, const struct strbuf *name, const struct ref_record *r,
			    struct err *err)
{
	unsigned extra;
	uint64_t at;
	int rc;

	if (w->any_logs)
		BUG("refs of a reftable come before its logs");
	strbuf_reset(&w->value);
	extra = ref_value_add(&w->value, r, &w->format);
	rc = add_record(w, BLOCK_REF, name, extra, true, err);
	if (rc < 0 || !w->o.index_objects)
		return rc;
	at = next_position(w, BLOCK_REF);
	if (r->type == REF_VALUE_OID || r->type == REF_VALUE_PEELED)
		object_places_add(&w->objects, r->oid, at);
	if (r->type == REF_VALUE_PEELED)
		object_places_add(&w->objects, r->peeled, at);
	return 0;
}

int reftable_writer_add_log(struct reftable_writer *w, const struct strbuf *key, const struct log_record *r,
			    struct err *err)
{
	unsigned extra;
	int rc = 0;

	if (!w->any_logs) {
		rc = finish_refs(w, err);
		w->padding = 0;
		w->logs = w->at;
		w->any_logs = true;
	}
	if (rc < 0)
		return rc;
	strbuf_reset(&w->value);
	extra = log_value_add(&w->value, r, &w->format);
	return add_record(w, BLOCK_LOG, key, extra, true, err);
}

/* ---- the end ---- */

static void add_footer(struct reftable_writer *w)
{
	uint64_t positions[] = { w->ref_index, w->objs << 5 | w->obj_id_len, w->obj_index, w->logs, w->log_index };
	size_t from = w->out.len;
	unsigned char n[8];

	strbuf_add(&w->out, w->header, w->header_len);
	for (size_t i = 0; i < ARRAY_SIZE(positions); i++) {
		put_be64(n, positions[i]);
		strbuf_add(&w->out, n, 8);
	}
	put_be32(n, (uint32_t)crc32(crc32(0, NULL, 0), (unsigned char *)w->out.buf + from, (uInt)(w->out.len - from)));
	strbuf_add(&w->out, n, 4);
	w->at += w->out.len - from;
}

int reftable_writer_finish(struct reftable_writer *w, struct err *err)
{
	int rc = w->any_logs ? finish_section(w, &w->log_index, err) : finish_refs(w, err);

	if (rc < 0)
		return rc;
	if (!w->at) { /* a table without records */
		strbuf_add(&w->out, w->header, w->header_len);
		w->at = w->header_len;
	}
	add_footer(w);
	return pass_on(w, 0, err);
}

void reftable_writer_free(struct reftable_writer *w)
{
	if (!w)
		return;
	strbuf_release(&w->out);
	strbuf_release(&w->value);
	block_writer_release(&w->block);
	index_clear(&w->index);
	object_places_release(&w->objects);
	free(w);
}
