/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The disks that a power cut could leave, from the disk at the start and the record
 * of what arrived at it.
 *
 *   replay_open(&r, base, record)
 *   replay_goto(&r, k)               the cut comes right after entry k
 *   replay_build(&r, &choice, fd)    one of the disks it could leave
 *   replay_release(&r)
 *
 * At any moment the disk holds what completed flushes cover; of the rest, which has
 * arrived since, any part may be there. Going forward costs what has arrived in between;
 * going back starts again. Building costs the size of what is used.
 */
#ifndef CRASH_REPLAY_H
#define CRASH_REPLAY_H

#include "compat/posix.h"
#include "t/crash/record.h"

#define REPLAY_PAGE 4096
#define REPLAY_SECTOR 512

enum replay_mode {
	REPLAY_ALL,	/* all that has arrived */
	REPLAY_FLUSHED, /* only what completed flushes cover */
	REPLAY_RANDOM,	/* that, and a random part of the rest */
	/* the negative control: a disk that ignores flushes has a random part of
	 * everything */
	REPLAY_IGNORE_FLUSHES,
};

struct replay_choice {
	enum replay_mode mode;
	unsigned percent; /* of the rest, for the random modes */
	bool whole;	  /* whole requests; else single pages of 4 KiB */
	uint64_t seed;
};

struct replay_entry {
	struct record_entry head;
	const unsigned char *data;
	bool done;
	size_t covered_by; /* 1 + number of the first flush that covers it */
};

struct replay {
	struct replay_entry *entries;
	size_t nr;
	uint64_t size;	      /* of the disk, bytes */
	size_t at;	      /* entries [0, at) have been taken in */
	unsigned char *disk;  /* what is durable */
	unsigned char *used;  /* per page: may differ from zero */
	uint32_t *written_by; /* per sector: 1 + number of the entry it is from */
	size_t *pending;      /* numbers of arrived entries that are not durable */
	size_t nr_pending;
	int base;
	void *map;
	size_t map_len;
};

/* These return 0, or -1 with a message on stderr. A record that ends within an entry
 * ends before it. base: the disk at the start; NULL: zeros. */
MUST_USE int replay_open(struct replay *r, const char *base, const char *record);
MUST_USE int replay_goto(struct replay *r, size_t k);
/* What is in `fd` is replaced. */
MUST_USE int replay_build(struct replay *r, const struct replay_choice *choice, int fd);
void replay_release(struct replay *r);

/* Is this page (or, with page 0, this whole request) there? The same for same seeds. */
bool replay_chance(const struct replay_choice *c, size_t number, uint64_t page);

#endif
