/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pack of a push, in the child that receives it (receive/quarantine.h): the policy of receive-pack, and the client as a
 * source. The child prints to standard error, which goes to the client.
 */
#include "compat/posix.h"
#include <poll.h>
#include "intake/pack-checks.h"
#include "intake/pack-progress.h"
#include "intake/reader.h"
#include "receive/quarantine.h"

static int read_from_client(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct receive_server *s = data;

	return pkt_reader_raw(&s->in, buf, len, got, err);
}

static bool client_is_ready(void *data)
{
	const struct pkt_reader *in = &((struct receive_server *)data)->in;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return in->start < in->end || poll(&p, 1, 0) > 0;
}

static int read_pack_head(struct receive_server *s, struct intake_head *head, struct err *err)
{
	int rc = intake_read_head(head, read_from_client, s, err);

	if (rc < 0)
		return rc;
	if (head->len < INTAKE_HEAD_BYTES)
		return err_set(err, ERR_CORRUPT, head->len ? "eof before pack header was fully read" : "unpack-objects abnormal exit");
	return memcmp(head->bytes, "PACK", 4) == 0 ? 0 :
		err_set(err, ERR_CORRUPT, "protocol error (pack signature mismatch detected)");
}

static void print_push_finding(bool is_error, const char *msg)
{
	dprintf(STDERR_FILENO, "%s: %s\n", is_error ? "error" : "warning", msg);
}

static int take_checked(struct receive_server *s, struct intake_policy *policy, const struct intake_place *place,
			const struct intake_head *head, struct err *err)
{
	struct pack_progress meter = { .resolving = "Resolving deltas", .forced = true };
	const struct intake_stream stream = {
		.from = { .fd = -1, .read = read_from_client, .ready = client_is_ready, .read_data = s,
			  .head = head->bytes, .head_len = head->len },
		.end = INTAKE_END_ANY,
	};
	struct intake_reader rd;
	int rc;

	intake_policy_choose_form(policy, head->nr_objects);
	if (policy->form == INTAKE_LOOSE)
		policy->progress = NULL; /* as in Git, objects become loose without a meter */
	policy->data = &meter;
	rc = intake_take_pack(&rd, policy, place, &stream, err);
	pack_progress_stop(&meter);
	/* The files of a staged pack are in the directory of rd.rx until they are published: this process ends after that. */
	return rc;
}

int receive_take_pack(struct receive_server *s, const struct intake_place *place, struct err *err)
{
	const bool is_silent = s->rq.quiet || s->rq.mode == SIDEBAND_NONE;
	struct intake_policy policy = s->config.intake;
	struct pack_checks checks;
	struct intake_head head;
	int rc;

	pack_checks_init(&checks, print_push_finding);
	policy.fsck = s->config.fsck ? &checks.fsck : NULL;
	policy.progress = is_silent ? NULL : pack_progress_update;
	rc = read_pack_head(s, &head, err);
	if (!rc && s->config.fsck)
		rc = pack_checks_read(&checks, place->r->config, "receive.fsck.", place->r->algo, err);
	if (!rc)
		rc = take_checked(s, &policy, place, &head, err);
	pack_checks_release(&checks);
	return rc;
}
