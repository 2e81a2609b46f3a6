/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the pack of a request in a thread of this process, or runs uploadpack.packObjectsHook. */
#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/broker.h"
#include "upload/pack-source.h"
#include "upload/slots.h"

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

/* ---- the hook or this process ---- */

int upload_relay_pack(struct upload_job *j, const struct pack_relay_options *o, struct err *err)
{
	if (j->s->config.pack_objects_hook)
		return send_by_hook(j->s, j->q, o, err);
	return pack_relay_function(o, upload_make_pack, j, err);
}

int upload_send_alone(struct upload_job *j, struct pack_relay_options *o, struct err *err)
{
	struct err why = ERR_INIT;
	int slot, rc = upload_slot_take(j->s, o, &slot, &why);

	if (rc < 0) {
		pack_relay_error(o, &why);
		err_move(err, &why);
		return rc;
	}
	rc = upload_relay_pack(j, o, err);
	if (slot >= 0)
		close(slot);
	return rc;
}
