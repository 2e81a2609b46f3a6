/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct progress {
	char *title;
	uint64_t total, n;
	int64_t show_from_ms; /* end of the delay */
	int64_t last_ms;      /* when a line was last written */
	int64_t begun_ms;
	uint64_t bytes; /* 0: not told */
	int last_percent;
	size_t width; /* of the counters last shown */
	bool shown;
	bool forced; /* show at least the last line */
	bool keep_rate;
};

#define INTERVAL_MS 100
/* A rate that has been measured for less says nothing. */
#define RATE_MS 500

static int64_t delay_ms(void)
{
	const char *env = getenv("GIT_PROGRESS_DELAY");
	char *end;
	double seconds = env ? strtod(env, &end) : 0;

	if (!env || end == env || *end || !(seconds >= 0 && seconds < 1e9))
		return 1000;
	return (int64_t)(seconds * 1000);
}

struct progress *progress_start(const char *title, uint64_t total)
{
	return isatty(2) ? progress_start_delayed(title, total) : NULL;
}

struct progress *progress_start_delayed(const char *title, uint64_t total)
{
	struct progress *p = progress_start_forced(title, total);

	p->show_from_ms = monotonic_ms() + delay_ms();
	p->forced = false;
	return p;
}

struct progress *progress_start_forced(const char *title, uint64_t total)
{
	struct progress *p = xcalloc(1, sizeof(*p));

	p->title = xstrdup(title);
	p->total = total;
	p->last_percent = -1;
	p->forced = true;
	p->begun_ms = monotonic_ms();
	return p;
}

/* A background job must not write to the terminal. */
static bool in_foreground(void)
{
	pid_t pgrp = tcgetpgrp(2);

	return pgrp < 0 || pgrp == getpgrp();
}

static void add_rate(const struct progress *p, bool is_last, struct strbuf *line)
{
	int64_t ms = monotonic_ms() - p->begun_ms;

	if (!p->bytes || (ms < RATE_MS && !(is_last && p->keep_rate)))
		return;
	if (!ms)
		ms = 1;
	strbuf_addstr(line, ", ");
	strbuf_humanise_bytes(line, p->bytes);
	strbuf_addstr(line, " | ");
	strbuf_humanise_bytes(line, (uint64_t)((double)p->bytes * 1000 / (double)ms));
	strbuf_addstr(line, "/s");
}

static void show(struct progress *p, const char *ending)
{
	struct strbuf line = STRBUF_INIT;
	size_t start;

	strbuf_addf(&line, "%s: ", p->title);
	start = line.len;
	if (p->total)
		strbuf_addf(&line, "%3d%% (%" PRIu64 "/%" PRIu64 ")", p->last_percent, p->n,
			    p->total);
	else
		strbuf_addf(&line, "%" PRIu64, p->n);
	add_rate(p, *ending != '\r', &line);
	if (line.len - start < p->width && *ending == '\r')
		strbuf_addchars(&line, ' ', p->width - (line.len - start));
	p->width = line.len - start;
	strbuf_addstr(&line, ending);
	fwrite(line.buf, 1, line.len, stderr);
	fflush(stderr);
	strbuf_release(&line);
	p->shown = true;
}

static int percent_of(const struct progress *p)
{
	if (!p->total)
		return 0;
	if (p->n >= p->total)
		return 100;
	return (int)((double)p->n * 100 / (double)p->total);
}

void progress_update(struct progress *p, uint64_t n)
{
	int64_t now;
	int percent;

	if (!p || n == p->n)
		return;
	p->n = n;
	now = monotonic_ms();
	if (now < p->show_from_ms || now - p->last_ms < INTERVAL_MS)
		return;
	percent = percent_of(p);
	/* An unchanged percentage is shown at most once per second. */
	if (p->total && percent == p->last_percent && now - p->last_ms < 1000)
		return;
	p->last_ms = now;
	p->last_percent = percent;
	if (in_foreground())
		show(p, "\r");
}

void progress_update_bytes(struct progress *p, uint64_t n, uint64_t bytes)
{
	if (!p)
		return;
	p->bytes = bytes;
	progress_update(p, n);
}

void progress_keep_rate(struct progress *p)
{
	if (p)
		p->keep_rate = true;
}

void progress_stop(struct progress **pp)
{
	struct progress *p = *pp;

	*pp = NULL;
	if (!p)
		return;
	if (p->shown || p->forced) {
		p->last_percent = percent_of(p);
		show(p, ", done.\n");
	}
	free(p->title);
	free(p);
}
