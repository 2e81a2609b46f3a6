/* SPDX-License-Identifier: GPL-2.0-only */
/* The third step of fsync-batch.c: names, in the order of their dependencies (D3, D4, D5). */
#include "compat/posix.h"
#include "fsync-batch-internal.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/path.h"
#include <dirent.h>

/* ---- what has to be sealed before ---- */

/*
 * Where directories are flushed one by one and no journal orders their names,
 * those of one phase are flushed before a name of the next one is made: D4, D5 and
 * P6 (refs/files/) hold there because of it. Test: d4_phases_without_a_journal.
 */
static int phase_of(enum publish_class order)
{
	switch (order) {
	case PUBLISH_PACK_DATA:
	case PUBLISH_PACK_IDX:
	case PUBLISH_LOOSE_OBJECT:
		return 0;
	case PUBLISH_REF_PACK:
		return 1;
	case PUBLISH_REF_PRUNE:
	case PUBLISH_REF_LATE:
	case PUBLISH_REF_JOURNAL: /* with the reflogs, whose names it does not need */
		return 2;
	default:
		return 3;
	case PUBLISH_SYMREF_DELETE:
		return 4;
	case PUBLISH_REF_DELETE:
	case PUBLISH_FILE_LATE:
	case PUBLISH_INDEX:
		return 5;
	case PUBLISH_REF_JOURNAL_END:
		return 6;
	}
}

bool batch_names_are_unordered(const struct fsync_batch *b, const struct volume *vol)
{
	if (b->opts.policy.method == FSYNC_METHOD_FSYNC)
		return vol->kind != FS_JOURNAL;
	return vol->kind == FS_EACH;
}

/*
 * D4 across file systems: a journal orders only its own names, so what lies on
 * another device is sealed first. Test: d4_classes_on_two_devices.
 */
static bool must_seal_before(const struct fsync_batch *b, const struct volume *vol,
			     const struct entry *e)
{
	if (!vol->dirty)
		return false;
	if (vol != e->vol)
		return vol->order < (int)e->order;
	return batch_names_are_unordered(b, vol) && phase_of(vol->order) < phase_of(e->order);
}

static int seal_before(struct fsync_batch *b, const struct entry *e)
{
	for (size_t i = 0; i < b->nr_volumes; i++)
		if (must_seal_before(b, b->volumes[i], e) &&
		    batch_seal_volume(b, b->volumes[i]) < 0)
			return ERR_IO;
	return 0;
}

/* ---- one name ---- */

static int make_one_dir(struct fsync_batch *b, const char *dir)
{
	if (b->opts.make_dir)
		return b->opts.make_dir(b->opts.make_dir_data, dir);
	return (int)RETRY_EINTR(sys->mkdir(dir, 0777));
}

/* Each directory that is made changes the one above it. */
static int make_parents(struct fsync_batch *b, struct entry *e, const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	int ret;

	path_dirname(&dir, path);
	ret = make_one_dir(b, dir.buf);
	if (ret < 0 && errno == ENOENT && strcmp(dir.buf, path)) {
		ret = make_parents(b, e, dir.buf);
		if (!ret)
			ret = make_one_dir(b, dir.buf);
	}
	if (!ret && e->covered)
		volume_touch_parent(e->vol, dir.buf, true);
	if (ret < 0 && errno == EEXIST)
		ret = 0;
	strbuf_release(&dir);
	return ret;
}

/*
 * Directories in the place of a file: others make them before they see that a ref has the
 * name, or is about to get it, and leave them. False: something is in there.
 */
static bool remove_empty_dirs(const char *path)
{
	bool empty = !RETRY_EINTR(sys->rmdir(path));
	struct dirent *de;
	DIR *dir;

	if (empty || (errno != ENOTEMPTY && errno != EEXIST) || !(dir = opendir(path)))
		return empty;
	empty = true;
	while (empty && (de = readdir(dir))) {
		char *sub = path_join(path, de->d_name);

		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			empty = remove_empty_dirs(sub);
		free(sub);
	}
	closedir(dir);
	return empty && !RETRY_EINTR(sys->rmdir(path));
}

/* Others make and remove empty directories between our mkdir and our rename. */
#define RENAME_TRIES 5

/* After a rename that has failed: may it work now? errno stays, if not. */
static bool clear_way(struct fsync_batch *b, struct entry *e)
{
	const int why = errno;
	bool clear = (why == ENOENT && e->make_parents && !make_parents(b, e, e->final_path)) ||
		     (why == EISDIR && remove_empty_dirs(e->final_path));

	if (!clear)
		errno = why;
	return clear;
}

static int rename_entry(struct fsync_batch *b, struct entry *e)
{
	for (int try = 1;; try++) {
		if (!RETRY_EINTR(sys->rename(e->tmp_path, e->final_path)))
			return 0;
		if (try == RENAME_TRIES || !clear_way(b, e))
			return -1;
	}
}

/* The call that makes the change visible. *changed: there was something to do. */
static int apply_entry(struct fsync_batch *b, struct entry *e, bool *changed,
		       struct err *err)
{
	*changed = true;
	switch (e->how) {
	case PUBLISH_RENAME:
		if (!rename_entry(b, e))
			return 0;
		return err_set_errno(err, "unable to rename '%s' to '%s'",
				     e->tmp_path, e->final_path);
	case PUBLISH_UNLINK:
		if (!RETRY_EINTR(sys->unlink(e->final_path)))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			return err_set_errno(err, "unable to remove '%s'", e->final_path);
		/* Somebody else's unlink need not be durable yet. */
		*changed = false;
		return 0;
	default:
		return 0;
	}
}

static void note_order(struct entry *e)
{
	if (e->vol->order < (int)e->order)
		e->vol->order = e->order;
}

/* ---- what is written when its turn has come ---- */

/*
 * D4 for what is changed in place: it is written after the objects that it names
 * have their names (a kill in between leaves nothing that dangles), and awaited
 * before the next name, whose seal then covers it. Test:
 * d4_log_lines_after_objects.
 */

/* Await the late ones that are in flight; a name that follows covers their size. */
static int settle_late(struct fsync_batch *b, struct err *err)
{
	struct entry **from = b->late + (b->nr_late - b->late_unsettled), **list;
	size_t nr = 0;
	int ret;

	ALLOC_ARRAY(list, b->late_unsettled + 1);
	for (size_t i = 0; i < b->late_unsettled; i++)
		if (from[i]->covered)
			list[nr++] = from[i];
	b->late_unsettled = 0;
	ret = batch_settle_list(b, list, nr);
	for (size_t i = 0; i < nr && !ret; i++) {
		volume_touch_in_place(list[i]->vol, list[i]->final_path);
		note_order(list[i]);
	}
	free(list);
	return ret < 0 ? batch_copy_failure(err, ERR_IO, &b->poison) : 0;
}

/* They stay as they are, or are taken back. */
void batch_release_late(struct fsync_batch *b, bool published)
{
	for (size_t i = 0; i < b->nr_late; i++)
		entry_free(b->late[i], published);
	b->nr_late = 0;
	b->late_unsettled = 0;
}

static int write_late(struct fsync_batch *b, struct entry *e, struct err *err)
{
	if (e->write(e->data, &e->fd, err) < 0)
		return ERR_IO;
	if ((e->covered ? entry_start_content(b, e) : entry_close(b, e)) < 0)
		return batch_copy_failure(err, ERR_IO, &b->poison);
	return 0;
}

/* The entry belongs to the list in all outcomes. */
static int publish_late(struct fsync_batch *b, struct entry *e, struct err *err)
{
	int ret = 0;

	if (b->late_unsettled == b->window)
		ret = settle_late(b, err);
	if (!ret)
		ret = write_late(b, e, err);
	ALLOC_GROW(b->late, b->nr_late + 1, b->alloc_late);
	b->late[b->nr_late++] = e;
	b->late_unsettled++;
	return ret;
}

/* ---- all of them ---- */

/* A name or a removal; the entry is freed if it was done. */
static int publish_name(struct fsync_batch *b, struct entry *e, struct err *err)
{
	bool changed;

	if (apply_entry(b, e, &changed, err) < 0)
		return ERR_IO;
	/* Something rests on the late ones now: they are not taken back any more. */
	batch_release_late(b, true);
	b->unsealed++;
	if (e->covered && e->how != PUBLISH_IN_PLACE)
		volume_touch_parent(e->vol, e->final_path, changed);
	if (e->covered)
		note_order(e);
	entry_free(e, true);
	return 0;
}

/*
 * D1 under a lock that others wait for: what the call stages is settled by itself, after all
 * else. Entries that fail stay, to be given up. Test: what_a_call_stages_is_settled_then.
 */
static int publish_call(struct fsync_batch *b, size_t i, struct err *err)
{
	struct entry *e = b->entries[i];

	if (e->call(e->data, err) < 0)
		return ERR_IO;
	b->entries[i] = NULL;
	entry_free(e, true);
	return batch_settle(b) < 0 ? batch_copy_failure(err, ERR_IO, &b->poison) : 0;
}

static int publish_entry(struct fsync_batch *b, size_t i, struct err *err)
{
	struct entry *e = b->entries[i];

	if (e->how == PUBLISH_NOTE) {
		b->entries[i] = NULL;
		entry_free(e, true);
		return 0;
	}
	/* First: what is settled may be on another file system, which is sealed then. */
	if (e->how != PUBLISH_WRITE && b->late_unsettled && settle_late(b, err) < 0)
		return ERR_IO;
	if (seal_before(b, e) < 0)
		return batch_copy_failure(err, ERR_IO, &b->poison);
	if (e->how == PUBLISH_WRITE) {
		b->entries[i] = NULL;
		return publish_late(b, e, err);
	}
	if (e->how == PUBLISH_CALL)
		return publish_call(b, i, err);
	if (publish_name(b, e, err) < 0)
		return ERR_IO;
	b->entries[i] = NULL;
	return 0;
}

/*
 * By class (D3: .pack before .idx; D4: objects before what names them; D5: updates
 * before deletions, packed refs before either), in a class by staging. Tests:
 * d3_pack_before_idx, d4_objects_before_refs_and_index, d5_updates_before_deletions.
 */
int batch_publish_in_order(struct fsync_batch *b, int end, struct err *err)
{
	for (int order = 0; order < end; order++) {
		for (size_t i = 0; i < b->nr; i++) {
			if (!b->entries[i] || (int)b->entries[i]->order != order)
				continue;
			if (publish_entry(b, i, err) < 0)
				return ERR_IO;
		}
	}
	return b->late_unsettled ? settle_late(b, err) : 0;
}
