/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a reftable, gitformat-reftable(5). A record is
 *
 *	varint(prefix_len)  varint(suffix_len << 3 | extra)  suffix  value
 *
 * where prefix_len bytes of the key are those of the record before it. Keys ascend. The key is
 *
 *	of a ref:    its name
 *	of a log:    the name of its ref, NUL, and the update index, each bit reversed (the newest comes first)
 *	of an obj:   the first bytes of an object id
 *	of an index: the last key of a block
 *
 * `extra` is the type of the value (refs, logs), or a small count (obj).
 */
#ifndef REFS_REFTABLE_RECORD_INTERNAL_H
#define REFS_REFTABLE_RECORD_INTERNAL_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

enum block_type { BLOCK_REF = 'r', BLOCK_OBJ = 'o', BLOCK_LOG = 'g', BLOCK_INDEX = 'i' };

enum ref_value_type { REF_VALUE_DELETED, REF_VALUE_OID, REF_VALUE_PEELED, REF_VALUE_SYMREF };
enum log_value_type { LOG_VALUE_DELETED, LOG_VALUE_UPDATE };

/* Ids are raw: as many bytes as the table's hash has. */
struct ref_record {
	uint64_t update_index;
	enum ref_value_type type;
	const unsigned char *oid;    /* REF_VALUE_OID, _PEELED */
	const unsigned char *peeled; /* REF_VALUE_PEELED */
	const char *target;	     /* REF_VALUE_SYMREF; no NUL follows */
	size_t target_len;
};

struct log_record {
	enum log_value_type type;
	/* LOG_VALUE_UPDATE: the rest. No NUL follows the texts. */
	const unsigned char *old_oid, *new_oid;
	const char *name, *mail, *msg; /* mail: without <>. msg: with LF, as Git writes it */
	size_t name_len, mail_len, msg_len;
	uint64_t date;
	int tz; /* 230 is "+0230" */
};

struct obj_record {
	uint64_t nr; /* of positions; 0: not known, look at every ref */
	const unsigned char *positions; /* varints, each but the first a difference */
	size_t len;
};

/*
 * A record as it is read. Pointers lead into the block; they and the key last until the next record.
 * Only the value of its type is set.
 */
struct reftable_record {
	struct strbuf key;
	struct ref_record ref;
	struct log_record log;
	struct obj_record obj;
	uint64_t position; /* of the block, in an index */
};
#define REFTABLE_RECORD_INIT { .key = STRBUF_INIT }

/* What records of a table have in common. */
struct record_format {
	size_t hash_len;
	uint64_t min_update_index; /* update indexes of refs count from it */
};

/* ---- numbers ---- */
/* The place after the number, or NULL: cut off, or larger than 64 bits. */
const unsigned char *varint_read(uint64_t *out, const unsigned char *p, const unsigned char *end);
void varint_add(struct strbuf *out, uint64_t v);

/* ---- keys of logs ---- */
void log_key_add(struct strbuf *out, const char *refname, uint64_t update_index);
/* Splits a key. False: it is none. *name_len bytes of the key are the name. */
bool log_key_parse(const struct strbuf *key, size_t *name_len, uint64_t *update_index);

/* ---- records ---- */
/*
 * Reads the record at p, which follows that in `rec` (an empty key: none). The place after it, or NULL; then *why names
 * the fault, and `rec` is not to be used.
 */
const unsigned char *record_read(struct reftable_record *rec, enum block_type type, const struct record_format *f,
				 const unsigned char *p, const unsigned char *end, const char **why);

/* The value of a record, to be written; returns `extra`. */
unsigned ref_value_add(struct strbuf *out, const struct ref_record *r, const struct record_format *f);
unsigned log_value_add(struct strbuf *out, const struct log_record *r, const struct record_format *f);

#endif
