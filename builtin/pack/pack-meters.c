/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/pack/pack-meters.h"

int pack_meters_show(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
		     struct err *err UNUSED)
{
	struct pack_meters *m = data;

	if (!m->level || (phase == PACK_PHASE_WRITE && m->to_stdout && m->level < PROGRESS_ALL))
		return 0;
	if (m->meter && m->phase != phase)
		progress_stop(&m->meter);
	if (!m->meter)
		m->meter = progress_start_forced(pack_phase_title(phase), total);
	m->phase = phase;
	progress_update(m->meter, done);
	return 0;
}

void pack_meters_stop(struct pack_meters *m)
{
	progress_stop(&m->meter);
}

void pack_tell_totals(const struct pack_collection *c, bool show)
{
	struct strbuf line = STRBUF_INIT;

	pack_objects_tell_stats(c->po, c->whole, &line);
	if (show)
		fputs(line.buf, stderr);
	strbuf_release(&line);
}
