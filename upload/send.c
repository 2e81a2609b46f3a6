/* SPDX-License-Identifier: GPL-2.0-only */
/* From a request to a pack on its way to the client: made here, or by the host's own command. */
#include "compat/posix.h"
#include "pack-relay.h"
#include "upload/broker.h"
#include "upload/upload.h"

/* ---- by uploadpack.packObjectsHook ---- */

#define HOOK "uploadpack.packObjectsHook"

static int relay_own_hook(struct upload_server *s, const struct fetch_request *q,
			  const struct pack_relay_options *o, struct err *why, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc = upload_hook_start(s->config.pack_objects_hook, q, o->mode != SIDEBAND_NONE, &cp,
				   why);

	if (!rc)
		rc = pack_relay_command(o, &cp, HOOK, err);
	child_process_release(&cp);
	return rc;
}

static int relay_hook_of_broker(struct upload_server *s, const struct fetch_request *q,
				const struct pack_relay_options *o, struct err *why,
				struct err *err)
{
	struct relay_pipe from;
	int rc = broker_start_hook(&s->broker, q, o->mode != SIDEBAND_NONE, &from, why);

	return rc < 0 ? rc : pack_relay_pipe(o, &from, HOOK, err);
}

static int send_by_hook(struct upload_server *s, struct fetch_request *q,
			const struct pack_relay_options *o, struct err *err)
{
	struct err why = ERR_INIT; /* it could not be started */
	int rc = s->broker.fd < 0 ? relay_own_hook(s, q, o, &why, err)
				  : relay_hook_of_broker(s, q, o, &why, err);

	if (why.code)
		pack_relay_error(o, &why);
	err_move(err, &why);
	return rc;
}

/* ---- either ---- */

int upload_send_pack(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	struct pack_relay_options o = { .fd = s->o.out, .mode = q->mode,
					.keepalive_ms = s->config.keepalive_ms };
	struct upload_job j = { s, q };
	int rc = pkt_writer_send(&s->out, err);

	if (rc < 0)
		return rc;
	s->told = true;
	if (s->config.pack_objects_hook)
		rc = send_by_hook(s, q, &o, err);
	else
		rc = pack_relay_function(&o, upload_make_pack, &j, err);
	if (!rc && q->mode != SIDEBAND_NONE)
		pkt_writer_flush(&s->out);
	return rc;
}
