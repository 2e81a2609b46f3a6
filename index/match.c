/* SPDX-License-Identifier: GPL-2.0-only */
/* Stat data: does a file still have those in the index? */
#include "compat/posix.h"
#include "index/index-internal.h"

void stat_data_fill(struct stat_data *sd, const struct stat *st)
{
	sd->ctime_sec = (uint32_t)st->st_ctime;
	sd->ctime_nsec = ST_CTIME_NSEC(*st);
	sd->mtime_sec = (uint32_t)st->st_mtime;
	sd->mtime_nsec = ST_MTIME_NSEC(*st);
	sd->dev = (uint32_t)st->st_dev;
	sd->ino = (uint32_t)st->st_ino;
	sd->uid = (uint32_t)st->st_uid;
	sd->gid = (uint32_t)st->st_gid;
	sd->size = (uint32_t)st->st_size;
}

/*
 * Some file systems, and some writers of the index, know whole seconds only:
 * zero is no number of nanoseconds to rely on.
 */
static bool nsec_differs(uint32_t a, uint32_t b)
{
	return a && b && a != b;
}

static unsigned match_stat_data(const struct stat_data *sd, const struct stat *st,
				const struct repo_settings *s)
{
	bool full = s->check_stat_default;
	unsigned changed = 0;

	if (sd->mtime_sec != (uint32_t)st->st_mtime ||
	    (full && nsec_differs(sd->mtime_nsec, ST_MTIME_NSEC(*st))))
		changed |= MATCH_MTIME;
	if (s->trust_ctime &&
	    (sd->ctime_sec != (uint32_t)st->st_ctime ||
	     (full && nsec_differs(sd->ctime_nsec, ST_CTIME_NSEC(*st)))))
		changed |= MATCH_CTIME;
	if (full && (sd->uid != (uint32_t)st->st_uid || sd->gid != (uint32_t)st->st_gid))
		changed |= MATCH_OWNER;
	if (full && sd->ino != (uint32_t)st->st_ino)
		changed |= MATCH_INODE;
	if (sd->size != (uint32_t)st->st_size)
		changed |= MATCH_SIZE;
	return changed;
}

static unsigned match_mode(unsigned mode, unsigned st_mode, const struct repo_settings *s)
{
	if (MODE_IS_FILE(mode)) {
		if (!S_ISREG(st_mode))
			return MATCH_TYPE;
		return s->filemode && ((mode ^ st_mode) & 0100) ? MATCH_MODE : 0;
	}
	if (MODE_IS_SYMLINK(mode)) /* without symlinks, a file has the target in it */
		return S_ISLNK(st_mode) || (!s->symlinks && S_ISREG(st_mode)) ? 0 : MATCH_TYPE;
	return S_ISDIR(st_mode) ? 0 : MATCH_TYPE;
}

/*
 * Clocks of file systems tick every few milliseconds. An entry whose file was
 * written within this much before the index may have been written again in the
 * same tick, after it was read.
 */
#define RACY_SLACK_NSEC 10000000u

bool index_entry_is_racy(const struct index_state *ix, const struct index_entry *e)
{
	const struct stat_data *sd = &e->stat;
	uint64_t file, index;

	if (!ix->timestamp_sec && !ix->timestamp_nsec)
		return false; /* there is no file yet */
	if (!ix->timestamp_nsec || !sd->mtime_nsec)
		return sd->mtime_sec >= ix->timestamp_sec;
	file = (uint64_t)sd->mtime_sec * 1000000000u + sd->mtime_nsec;
	index = (uint64_t)ix->timestamp_sec * 1000000000u + ix->timestamp_nsec;
	return file + RACY_SLACK_NSEC >= index;
}

unsigned index_entry_stat_match(const struct index_state *ix, const struct index_entry *e,
				const struct stat *st, const struct repo_settings *s)
{
	unsigned changed;

	if (e->flags & CE_INTENT_TO_ADD)
		return MATCH_SIZE | MATCH_TYPE | MATCH_MODE;
	changed = match_mode(e->mode, st->st_mode, s);
	if (MODE_IS_GITLINK(e->mode)) /* its HEAD decides, not the directory */
		return changed ? changed : MATCH_RACY;
	if (changed & MATCH_TYPE)
		return changed;
	changed |= match_stat_data(&e->stat, st, s);
	/* smudged when the index was written: its content has to be compared */
	if (!e->stat.size && !oid_eq(&e->oid, &ix->algo->empty_blob))
		changed |= MATCH_SIZE;
	if (!changed && index_entry_is_racy(ix, e))
		return MATCH_RACY;
	return changed;
}
