/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of each ref: gitprotocol-pack(5), "Report Status"; report-status-v2. */
#include "compat/posix.h"
#include "receive/receive.h"
#include "util/alloc.h"

static void add_command(struct pkt_writer *w, const struct push_command *c, bool v2)
{
	if (c->error) {
		pkt_writer_addf(w, "ng %s %.1000s\n", c->name, c->error);
		return;
	}
	pkt_writer_addf(w, "ok %s\n", c->name);
	for (size_t i = 0; v2 && i < c->reports.nr; i++) {
		/* the first belongs to the line above */
		if (i)
			pkt_writer_addf(w, "ok %s\n", c->name);
		push_report_write(w, &c->reports.items[i]);
	}
}

int receive_report(struct receive_server *s, const char *unpack_error, struct err *err)
{
	struct pkt_writer w;
	struct iovec piece;
	int rc = 0;

	if ((!s->rq.report_status && !s->rq.report_status_v2) || s->client_gone)
		return 0;
	pkt_writer_init(&w, -1);
	pkt_writer_addf(&w, "unpack %.1000s\n", unpack_error ? unpack_error : "ok");
	for (size_t i = 0; i < s->rq.nr; i++)
		add_command(&w, &s->rq.commands[i], s->rq.report_status_v2);
	pkt_writer_flush(&w);
	piece = (struct iovec){ w.buf.buf, w.buf.len };
	if (s->rq.mode != SIDEBAND_NONE)
		rc = sideband_send(s->o.out, 0, s->rq.mode, BAND_PACK, &piece, 1, err);
	else
		rc = write_in_full(s->o.out, w.buf.buf, w.buf.len, "the report", err);
	pkt_writer_release(&w);
	return rc;
}
