/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a disk: what arrived at it, in order. One file, a header and then
 * entries; an entry is its head and `data_len` bytes of data, padded to 8. Entries are
 * numbered from 0. Numbers are those of the machine that recorded.
 *
 * RECORD_WRITE and RECORD_ZERO say that a request arrived, RECORD_DONE that the one
 * of number `ref` was completed: between the two it may be on the disk, in part, or
 * not. RECORD_FLUSH arrives and is completed (RECORD_DONE) in the same way; it
 * covers exactly the writes that had been completed when it arrived.
 */
#ifndef CRASH_RECORD_H
#define CRASH_RECORD_H

#include "compat/posix.h"

#define RECORD_MAGIC 0x31445243u /* "CRD1" */

struct record_header {
	uint32_t magic;
	uint32_t unused;
	uint64_t disk_size; /* bytes */
};

enum record_type {
	RECORD_WRITE = 1, /* offset, len, data */
	RECORD_ZERO,	  /* offset, len: zeroed, punched or discarded */
	RECORD_FLUSH,
	RECORD_DONE,	  /* ref: number of the entry that is completed */
	RECORD_MARK,	  /* data: a line of the workload */
};

struct record_entry {
	uint32_t type;	   /* enum record_type */
	uint32_t data_len; /* bytes that follow, without padding */
	uint64_t time_us;  /* since the record began */
	uint64_t offset;
	uint64_t len;	   /* bytes of the disk */
	uint64_t ref;
};

#define RECORD_PAD(n) (-(size_t)(n) & 7)

#endif
