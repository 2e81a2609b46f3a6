/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/missing.h"
#include "intake/reader.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- loose objects ---- */

static int check_written_name(const struct object_id *want, const struct object_id *is, struct err *err)
{
	return oid_eq(want, is) ? 0 :
		err_set(err, ERR_CORRUPT, "object %s became %s when it was written", oid_hex(want), oid_hex(is));
}

static int write_loose_object(void *data, const struct object_id *oid, enum object_type type, const void *content, size_t size,
			      struct err *err)
{
	const struct intake_reader *rd = data;
	struct object_id name;
	int rc = odb_write(rd->place->r->odb, type, content, size, &name, err);

	return rc ? rc : check_written_name(oid, &name, err);
}

static int read_blob_piece(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	return pack_receive_read(data, buf, len, got, err);
}

static int write_big_blob(void *data, const struct object_id *oid, uint64_t size, struct pack_receive_reader *reader,
			  struct err *err)
{
	const struct intake_reader *rd = data;
	const struct object_stream in = { read_blob_piece, reader, "the pack" };
	struct object_id name;
	int rc = bulk_checkin_stream_from(odb_batch(rd->place->r->odb), OBJ_BLOB, &in, size, &name, err);

	return rc ? rc : check_written_name(oid, &name, err);
}

/* ---- callbacks of the policy ---- */

static void pass_progress(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	const struct intake_policy *policy = ((const struct intake_reader *)data)->policy;

	if (policy->form == INTAKE_LOOSE && phase == PACK_RECEIVE_READING)
		phase = PACK_RECEIVE_UNPACKING;
	policy->progress(policy->data, phase, done, total, bytes);
}

static void pass_broken(void *data, const char *msg)
{
	const struct intake_policy *policy = ((const struct intake_reader *)data)->policy;

	policy->broken(policy->data, msg);
}

/* ---- begin ---- */

static int find_threads(const struct intake_policy *policy, const struct repository *r, int *out, struct err *err)
{
	int rc = 0;

	*out = policy->threads;
	if (!*out && r)
		rc = config_get_int(r->config, "pack.threads", out, err);
	if (rc >= 0 && *out < 0 && policy->form == INTAKE_PACKED)
		rc = err_set(err, ERR_INVALID, "invalid number of threads specified (%d)", *out);
	return rc < 0 ? rc : 0;
}

static struct pack_receive_options options_of(struct intake_reader *rd, const struct hash_algo *algo, int threads)
{
	const struct intake_policy *p = rd->policy;
	const struct repository *r = rd->place->r;
	const bool loose = p->form == INTAKE_LOOSE;

	return (struct pack_receive_options){
		.algo = algo, .odb = r && !p->alone ? r->odb : NULL, .level = r ? r->settings.pack_level : -1, .threads = threads,
		.max_input_bytes = p->max_input_bytes, .limits = p->limits,
		.fsck = p->fsck, .fsck_finish_later = p->fsck_finish_later,
		.note_links = p->links != INTAKE_LINKS_IGNORED, .skip_bad_links = p->skip_bad_links && p->links == INTAKE_LINKS_NOTED, .shallow = p->shallow,
		.use_bases = loose, .fix_thin = p->fix_thin && !loose,
		.keep_going = p->keep_going, .broken = p->broken ? pass_broken : NULL,
		.object = loose ? write_loose_object : NULL, .big_blob = loose ? write_big_blob : NULL,
		.progress = p->progress ? pass_progress : NULL, .data = rd,
	};
}

int intake_reader_begin(struct intake_reader *rd, const struct intake_policy *policy, const struct intake_place *place,
			const struct hash_algo *algo, struct err *err)
{
	struct pack_receive_options o;
	int threads, rc;

	*rd = (struct intake_reader){ .policy = policy, .place = place };
	rc = find_threads(policy, place->r, &threads, err);
	if (rc < 0)
		return rc;
	o = options_of(rd, algo, threads);
	rd->rx = pack_receive_new(&o);
	if (policy->form == INTAKE_LOOSE && policy->keep_loose)
		bulk_checkin_keep_loose(odb_batch(place->r->odb));
	return 0;
}

/* ---- reading ---- */

static int refuse_junk(bool is_junk, struct err *err)
{
	return is_junk ? err_set(err, ERR_CORRUPT, "pack has junk at the end") : 0;
}

static bool file_goes_on(int fd, size_t rest)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) - (off_t)rest != st.st_size;
}

static int check_end(const struct intake_reader *rd, const struct intake_stream *s, struct err *err)
{
	unsigned char more[256];
	size_t rest;
	int rc = 0;

	(void)pack_receive_rest(rd->rx, &rest);
	switch (s->end) {
	case INTAKE_END_ANY:
		return 0;
	case INTAKE_END_FILE:
		return refuse_junk(file_goes_on(s->from.fd, rest), err);
	case INTAKE_END_BUFFERED:
		break;
	case INTAKE_END_STREAM:
		if (!rest)
			rc = s->from.read(s->from.read_data, more, sizeof(more), &rest, err);
		break;
	}
	return rc < 0 ? rc : refuse_junk(rest != 0, err);
}

static int read_bytes(const struct intake_reader *rd, const struct intake_stream *s, struct err *err)
{
	const struct repository *r = rd->place->r;
	struct pack_receive_stream_options from = s->from;
	int rc;

	if (s->path)
		return pack_receive_file(rd->rx, s->path, err);
	from.objdir = from.copy || rd->policy->form == INTAKE_NOTHING ? NULL : r->objdir;
	from.shared_perm = r ? r->settings.shared_perm : 0;
	rc = pack_receive_stream(rd->rx, &from, err);
	return rc ? rc : check_end(rd, s, err);
}

/* While deltas are resolved, the pack goes to the disk. */
static void start_writeback(const struct intake_reader *rd)
{
	char *packdir;

	if (rd->policy->form != INTAKE_PACKED || !rd->place->batch)
		return;
	packdir = path_join(rd->place->r->objdir, "pack");
	pack_receive_start_writeback(rd->rx, rd->place->batch, packdir);
	free(packdir);
}

static int check_resolved(const struct intake_reader *rd, struct err *err)
{
	struct object_id oid;

	if (rd->policy->links == INTAKE_LINKS_CHECKED) {
		int rc = intake_check_links(rd->rx, err);

		if (rc < 0)
			return rc;
	}
	if (rd->policy->refuse_duplicates && pack_receive_has_duplicates(rd->rx, &oid))
		return err_set(err, ERR_CORRUPT, "The same object %s appears twice in the pack", oid_hex(&oid));
	return 0;
}

int intake_reader_read(struct intake_reader *rd, const struct intake_stream *s, struct err *err)
{
	const bool has_copy = s->path || rd->policy->form != INTAKE_NOTHING;
	int rc = read_bytes(rd, s, err);

	if (!rc && s->read_done)
		rc = s->read_done(s->data, err);
	if (rc || !has_copy)
		return rc;
	start_writeback(rd);
	rc = pack_receive_resolve(rd->rx, err);
	return rc ? rc : check_resolved(rd, err);
}

/* ---- results ---- */

static int add_foreign(void *data, const struct object_id *oid, enum object_type type UNUSED, struct err *err UNUSED)
{
	oid_array_append(data, oid);
	return 0;
}

int intake_reader_foreign(const struct intake_reader *rd, struct oid_array *out, struct err *err)
{
	return pack_receive_foreach_foreign(rd->rx, add_foreign, out, err);
}

static int stage_default(struct intake_reader *rd, bool *kept, struct err *err)
{
	const struct intake_place *place = rd->place;
	char *packdir = path_join(place->r->objdir, "pack");
	struct pack_receive_names n = {
		.packdir = packdir, .write_rev = true, .promisor_msg = place->promisor_msg, .keep_msg = place->keep_msg,
		.shared_perm = place->r->settings.shared_perm,
	};
	int rc = config_get_bool(place->r->config, "pack.writereverseindex", &n.write_rev, err);

	if (rc >= 0)
		rc = pack_receive_stage(rd->rx, place->batch, &n, kept, err);
	free(packdir);
	return rc < 0 ? rc : 0;
}

int intake_reader_stage(struct intake_reader *rd, const struct pack_receive_names *names, bool *kept, struct err *err)
{
	if (rd->policy->form != INTAKE_PACKED)
		return 0;
	if (names)
		return pack_receive_stage(rd->rx, rd->place->batch, names, kept, err);
	return pack_receive_count(rd->rx) ? stage_default(rd, kept, err) : 0;
}

void intake_reader_release(struct intake_reader *rd)
{
	pack_receive_free(rd->rx);
	rd->rx = NULL;
}

int intake_take_pack(struct intake_reader *rd, const struct intake_policy *policy, const struct intake_place *place,
		     const struct intake_stream *s, struct err *err)
{
	int rc = intake_reader_begin(rd, policy, place, place->r->algo, err);

	if (!rc)
		rc = intake_reader_read(rd, s, err);
	if (!rc && policy->links != INTAKE_LINKS_IGNORED && policy->form != INTAKE_NOTHING)
		rc = intake_reader_foreign(rd, place->foreign, err);
	return rc ? rc : intake_reader_stage(rd, NULL, NULL, err);
}
