/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/pack-progress.h"

static const char *phase_title(const struct pack_progress *p, enum pack_receive_phase phase)
{
	switch (phase) {
	case PACK_RECEIVE_READING:
		return p->reading;
	case PACK_RECEIVE_UNPACKING:
		return p->unpacking ? p->unpacking : p->reading;
	case PACK_RECEIVE_RESOLVING:
		return p->has_unpacked ? NULL : p->resolving; /* the objects of an unpacked pack were counted already */
	case PACK_RECEIVE_DONE:
		break;
	}
	return NULL;
}

void pack_progress_update(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct pack_progress *p = data;
	const char *title = phase_title(p, phase);

	if (phase != p->phase)
		progress_stop(&p->now);
	if (!p->now && title) {
		p->now = p->forced ? progress_start_forced(title, total) : progress_start(title, total);
		if (title == p->unpacking)
			progress_keep_rate(p->now);
	}
	p->has_unpacked |= phase == PACK_RECEIVE_UNPACKING && p->unpacking;
	p->phase = phase;
	progress_update_bytes(p->now, done, phase == PACK_RECEIVE_RESOLVING ? 0 : bytes);
}

void pack_progress_stop(struct pack_progress *p)
{
	progress_stop(&p->now);
}
