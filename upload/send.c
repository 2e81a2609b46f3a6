/* SPDX-License-Identifier: GPL-2.0-only */
/* From a request to a pack on its way to the client: made here, or by the host's own command. */
#include "compat/posix.h"
#include "compat/os.h"
#include "pack-relay.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* ---- uploadpack.packObjectsHook ---- */

static void add_lines(struct strbuf *out, const char *word, const struct oid_array *oids)
{
	for (size_t i = 0; i < oids->nr; i++)
		strbuf_addf(out, "%s%s\n", word, oid_hex(&oids->oid[i]));
}

/* What pack-objects --revs reads. A file, so that the command may read it when it likes. */
static int hook_input(const struct fetch_request *q, int *fd, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	add_lines(&text, "--shallow ", &q->cut);
	add_lines(&text, "", &q->wants);
	strbuf_addstr(&text, "--not\n");
	add_lines(&text, "", &q->haves);
	add_lines(&text, "", &q->unshallowed);
	strbuf_addch(&text, '\n');
	*fd = os_unnamed_file();
	if (*fd < 0)
		rc = err_set_errno(err, "cannot make a temporary file");
	else
		rc = write_in_full(*fd, text.buf, text.len, "input of uploadpack.packObjectsHook",
				   err);
	if (!rc && lseek(*fd, 0, SEEK_SET) < 0)
		rc = err_set_errno(err, "cannot seek in a temporary file");
	strbuf_release(&text);
	return rc;
}

static void hook_arguments(struct strvec *args, const char *hook, const struct fetch_request *q)
{
	struct strbuf filter = STRBUF_INIT;

	strvec_pushl(args, hook, "git", NULL);
	if (q->cut.nr)
		strvec_pushl(args, "--shallow-file", "", NULL);
	strvec_pushl(args, "pack-objects", "--revs", NULL);
	if (q->thin)
		strvec_push(args, "--thin");
	strvec_push(args, "--stdout");
	if (q->cut.nr)
		strvec_push(args, "--shallow");
	if (!q->no_progress)
		strvec_push(args, "--progress");
	if (q->ofs_delta)
		strvec_push(args, "--delta-base-offset");
	if (q->include_tag)
		strvec_push(args, "--include-tag");
	filter_spec_format(&q->filter, &filter);
	if (filter.len)
		strvec_pushf(args, "--filter=%s", filter.buf);
	strbuf_release(&filter);
}

static int start_hook(struct upload_server *s, const struct fetch_request *q,
		      const struct pack_relay_options *o, struct child_process *cp,
		      struct err *err)
{
	int fd = -1, rc = hook_input(q, &fd, err);

	if (rc < 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	hook_arguments(&cp->args, s->config.pack_objects_hook, q);
	cp->use_shell = true;
	cp->in = fd;
	cp->out = -1;
	cp->err = o->mode == SIDEBAND_NONE ? 0 : -1;
	return start_command(cp, err);
}

static int send_by_hook(struct upload_server *s, struct fetch_request *q,
			const struct pack_relay_options *o, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err why = ERR_INIT;
	int rc = start_hook(s, q, o, &cp, &why);

	if (!rc)
		rc = pack_relay_command(o, &cp, "uploadpack.packObjectsHook", err);
	else
		pack_relay_error(o, &why);
	err_move(err, &why);
	child_process_release(&cp);
	return rc;
}

/* ---- either ---- */

int upload_send_pack(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	struct pack_relay_options o = { .fd = s->o.out, .mode = q->mode,
					.keepalive_ms = s->config.keepalive_ms,
					.timeout_s = s->o.timeout_s };
	struct upload_job j = { s, q, NULL };
	int rc = q->uris ? upload_find_pack(&j, err) : 0;

	if (!rc) {
		upload_uris_print(q->uris, &s->out);
		if (s->o.version == 2)
			pkt_writer_addf(&s->out, "packfile\n");
		rc = pkt_writer_send(&s->out, err);
	}
	if (rc < 0) {
		upload_job_release(&j);
		return rc;
	}
	s->told = true;
	if (s->config.pack_objects_hook)
		rc = send_by_hook(s, q, &o, err);
	else
		rc = pack_relay_function(&o, upload_make_pack, &j, err);
	upload_job_release(&j);
	if (!rc && q->mode != SIDEBAND_NONE)
		pkt_writer_flush(&s->out);
	return rc;
}
