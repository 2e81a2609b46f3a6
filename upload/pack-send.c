/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends the answer to a complete request: sections, then the pack. */
#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/pack-source.h"
#include "upload/share.h"
#include "upload/upload.h"

/* Sends the section "packfile-uris", if a blob goes by URI. */
static void print_uris(const struct packfile_uris *u, struct pkt_writer *out)
{
	struct string_list lines = STRING_LIST_INIT;

	packfile_uris_taken(u, &lines);
	if (lines.nr)
		pkt_writer_addf(out, "packfile-uris\n");
	for (size_t i = 0; i < lines.nr; i++)
		pkt_writer_addf(out, "%s\n", lines.items[i].string);
	if (lines.nr)
		pkt_writer_delim(out);
	string_list_clear(&lines, NULL);
}

/* The wants are final: free the data that only negotiation needed. */
static void end_negotiation(struct upload_server *s, struct fetch_request *q)
{
	upload_ready_free(q->ready);
	q->ready = NULL;
	commit_pool_free(s->pool);
	s->pool = NULL;
}

int upload_send_pack(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	struct pack_relay_options o = { .fd = s->o.out, .mode = q->mode,
					.keepalive_ms = s->config.keepalive_ms,
					.timeout_s = s->o.timeout_s };
	struct upload_job j = { s, q, NULL };
	int rc;

	end_negotiation(s, q);
	rc = q->uris ? upload_find_pack(&j, err) : 0;

	if (!rc) {
		print_uris(q->uris, &s->out);
		if (s->o.version == 2)
			pkt_writer_addf(&s->out, "packfile\n");
		rc = pkt_writer_send(&s->out, err);
	}
	if (rc < 0) {
		upload_job_release(&j);
		return rc;
	}
	s->told = true;
	if (s->config.share_s && !q->uris)
		rc = upload_send_shared(s, q, &o, err);
	else
		rc = upload_send_alone(&j, &o, err);
	upload_job_release(&j);
	if (!rc && q->mode != SIDEBAND_NONE)
		pkt_writer_flush(&s->out);
	return rc;
}
