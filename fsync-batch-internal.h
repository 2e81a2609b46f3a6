/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two files of the engine share: fsync-batch.c, which leads, and fsync-publish.c. */
#ifndef FSYNC_BATCH_INTERNAL_H
#define FSYNC_BATCH_INTERNAL_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "fsync-volume.h"
#include "util/map.h"
#include <pthread.h>

struct entry {
	enum publish_class order;
	enum publish_how how;
	bool make_parents;
	bool alone;
	bool covered;	     /* the policy wants it durable */
	bool by_flush;	     /* its content needs fsync, not only writeback */
	bool settled;	     /* content needs nothing more of its own */
	bool noted;	     /* ... and its volume has been told */
	int fd;		     /* >= 0: in flight, counted in the window */
	int sys_errno;	     /* result of its flush or writeback */
	struct volume *vol;
	char *tmp_path;	     /* NULL unless renamed */
	char *final_path;
	void (*done)(void *data, bool published);
	int (*write)(void *data, int *fd, struct err *err);
	int (*call)(void *data, struct err *err);
	void *data;
};

struct fsync_batch {
	struct fsync_batch_options opts;
	bool active;	     /* not switched off by the environment */
	size_t window;
	pthread_mutex_t lock; /* of all below, while stage may run */
	struct entry **entries; /* in order of staging */
	size_t nr, alloc;
	size_t oldest;	     /* entries before it are not in flight */
	size_t in_flight;
	struct entry **late; /* PUBLISH_WRITE, written by this publish */
	size_t nr_late, alloc_late;
	size_t late_unsettled; /* the last so many of them */
	struct volume **volumes;
	size_t nr_volumes, alloc_volumes;
	struct strmap volume_of_dir;
	size_t unsealed;     /* names visible whose durability is not known */
	struct err poison;   /* D6: the first failed flush or writeback */
};

/* ---- fsync-batch.c ---- */
/* Remember the first failure of a flush or writeback (D6); returns ERR_IO. */
int batch_poison(struct fsync_batch *b, const char *what, const char *path, int sys_errno);
/* The message of `why` under another code, which is returned. */
int batch_copy_failure(struct err *dst, enum err_code code, const struct err *why);
/* < 0: the batch is poisoned. */
MUST_USE int entry_start_content(struct fsync_batch *b, struct entry *e);
MUST_USE int entry_close(struct fsync_batch *b, struct entry *e);
/* Await (D7) and close all in a list that is out of the window. */
MUST_USE int batch_settle_list(struct fsync_batch *b, struct entry **list, size_t nr);
/* Everything that is staged (D1); < 0: the batch is poisoned. */
MUST_USE int batch_settle(struct fsync_batch *b);
MUST_USE int batch_seal_volume(struct fsync_batch *b, struct volume *vol);
/* Closes, tells `done`, removes what was not published. */
void entry_free(struct entry *e, bool published);

/* ---- fsync-publish.c ---- */
/* Make the names of all classes below `end`, in order; those are NULL in entries then. */
MUST_USE int batch_publish_in_order(struct fsync_batch *b, int end, struct err *err);
/* Directories of `vol` are flushed one by one, and no journal orders their names. */
bool batch_names_are_unordered(const struct fsync_batch *b, const struct volume *vol);
/* What was written late stays as it is, or is taken back. */
void batch_release_late(struct fsync_batch *b, bool published);

#endif
