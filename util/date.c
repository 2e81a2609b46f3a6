/* SPDX-License-Identifier: GPL-2.0-only */
/* Formatting dates (git-log(1), --date). */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/date.h"

static const char month_names[12][4] = {
	"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
};
static const char day_names[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };

/* ---- zones: the int 530 stands for "+0530" ---- */

static int zone_minutes(int tz)
{
	int n = abs(tz);
	int minutes = n / 100 * 60 + n % 100;

	return tz < 0 ? -minutes : minutes;
}

static int local_zone(timestamp_t t)
{
	time_t clock = (time_t)t;
	struct tm tm;
	int minutes, written;

	if (t > TIME_MAX || !localtime_r(&clock, &tm))
		return 0;
	minutes = (int)(((int64_t)timegm(&tm) - (int64_t)clock) / 60);
	written = abs(minutes) / 60 * 100 + abs(minutes) % 60;
	return minutes < 0 ? -written : written;
}

timestamp_t date_now(int *tz)
{
	const char *test = getenv("GIT_TEST_DATE_NOW");
	timestamp_t now = test && *test ? (timestamp_t)strtoull(test, NULL, 10) :
					  (timestamp_t)time(NULL);

	if (tz)
		*tz = local_zone(now);
	return now;
}

/* ---- modes ---- */

int date_mode_parse(struct date_mode *mode, const char *s)
{
	static const struct {
		const char *name;
		enum date_mode_type type;
	} types[] = {
		{ "relative", DATE_RELATIVE },
		{ "iso8601-strict", DATE_ISO8601_STRICT },
		{ "iso-strict", DATE_ISO8601_STRICT },
		{ "iso8601", DATE_ISO8601 },
		{ "iso", DATE_ISO8601 },
		{ "rfc2822", DATE_RFC2822 },
		{ "rfc", DATE_RFC2822 },
		{ "short", DATE_SHORT },
		{ "default", DATE_NORMAL },
		{ "human", DATE_HUMAN },
		{ "raw", DATE_RAW },
		{ "unix", DATE_UNIX },
		{ "format", DATE_STRFTIME },
	};
	const char *rest, *pager = getenv("GIT_PAGER_IN_USE");
	bool local = false;
	size_t i;

	if (skip_prefix(s, "auto:", &rest)) {
		bool interactive = isatty(1) || (pager && *pager && strcmp(pager, "false") &&
						 strcmp(pager, "0"));

		s = interactive ? rest : "default";
	}
	if (!strcmp(s, "local"))
		s = "default-local";
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (skip_prefix(s, types[i].name, &rest))
			break;
	if (i == ARRAY_SIZE(types))
		return -1;
	if (skip_prefix(rest, "-local", &rest))
		local = true;
	if (types[i].type == DATE_STRFTIME ? *rest++ != ':' : *rest != '\0')
		return -1;
	date_mode_release(mode);
	mode->type = types[i].type;
	mode->local = local;
	if (mode->type == DATE_STRFTIME)
		mode->strftime_fmt = xstrdup(rest);
	return 0;
}

void date_mode_release(struct date_mode *mode)
{
	FREE_AND_NULL(mode->strftime_fmt);
}

/* ---- relative ---- */

static void add_count(struct strbuf *out, uint64_t n, const char *unit, const char *end)
{
	strbuf_addf(out, "%" PRIu64 " %s%s%s", n, unit, n == 1 ? "" : "s", end);
}

/* The thresholds are Git's: a unit is used from about two of it on. */
static void format_relative(struct strbuf *out, timestamp_t t, timestamp_t now)
{
	uint64_t seconds, minutes, hours, days;

	if (now < t) {
		strbuf_addstr(out, "in the future");
		return;
	}
	seconds = now - t;
	minutes = (seconds + 30) / 60;
	hours = (minutes + 30) / 60;
	days = (hours + 12) / 24;
	if (seconds < 90) {
		add_count(out, seconds, "second", " ago");
	} else if (minutes < 90) {
		add_count(out, minutes, "minute", " ago");
	} else if (hours < 36) {
		add_count(out, hours, "hour", " ago");
	} else if (days < 14) {
		add_count(out, days, "day", " ago");
	} else if (days < 70) {
		add_count(out, (days + 3) / 7, "week", " ago");
	} else if (days < 365) {
		add_count(out, (days + 15) / 30, "month", " ago");
	} else if (days < 5 * 365) {
		uint64_t months = (days * 24 + 365) / (2 * 365);

		add_count(out, months / 12, "year", months % 12 ? ", " : " ago");
		if (months % 12)
			add_count(out, months % 12, "month", " ago");
	} else {
		add_count(out, (days + 183) / 365, "year", " ago");
	}
}

/* ---- normal and human ---- */

struct hidden {
	bool weekday, day, time, seconds, year, zone;
};

/*
 * What --date=human leaves out, seen from `now`: the year if it is this year, the day of the
 * month if it was in the last five days (then the weekday stays). The caller decides about
 * the time of day and the zone.
 */
static struct hidden hide_for_human(const struct tm *tm, const struct tm *now)
{
	struct hidden h = { .seconds = true };

	h.year = tm->tm_year == now->tm_year;
	if (h.year && tm->tm_mon == now->tm_mon) {
		if (tm->tm_mday == now->tm_mday)
			h.day = h.weekday = true;
		else if (tm->tm_mday < now->tm_mday && tm->tm_mday + 5 > now->tm_mday)
			h.day = true;
	}
	return h;
}

static void format_parts(struct strbuf *out, const struct tm *tm, int tz, struct hidden h)
{
	if (!h.weekday)
		strbuf_addf(out, "%s ", day_names[tm->tm_wday]);
	if (!h.day)
		strbuf_addf(out, "%s %d ", month_names[tm->tm_mon], tm->tm_mday);
	if (!h.time) {
		strbuf_addf(out, "%02d:%02d", tm->tm_hour, tm->tm_min);
		if (!h.seconds)
			strbuf_addf(out, ":%02d", tm->tm_sec);
	} else {
		strbuf_rtrim(out);
	}
	if (!h.year)
		strbuf_addf(out, " %d", tm->tm_year + 1900);
	if (!h.zone)
		strbuf_addf(out, " %+05d", tz);
}

static void format_human(struct strbuf *out, timestamp_t t, const struct tm *tm, int tz,
			 bool local)
{
	int now_tz;
	timestamp_t now = date_now(&now_tz);
	time_t clock = (time_t)now;
	struct tm now_tm = { 0 };
	struct hidden h;

	localtime_r(&clock, &now_tm);
	h = hide_for_human(tm, &now_tm);
	if (h.weekday) { /* today */
		format_relative(out, t, now);
		return;
	}
	h.zone = local || tz == now_tz || !h.day;
	if (!h.year)
		h.weekday = h.time = true;
	format_parts(out, tm, tz, h);
}

/* ---- every mode ---- */

static void format_iso(struct strbuf *out, const struct tm *tm, const char *between)
{
	strbuf_addf(out, "%04d-%02d-%02d%s%02d:%02d:%02d", tm->tm_year + 1900,
		    tm->tm_mon + 1, tm->tm_mday, between, tm->tm_hour, tm->tm_min,
		    tm->tm_sec);
}

static void format_strict_zone(struct strbuf *out, int tz)
{
	if (!tz) {
		strbuf_addch(out, 'Z');
		return;
	}
	strbuf_addf(out, "%c%02d:%02d", tz < 0 ? '-' : '+', abs(tz) / 100, abs(tz) % 100);
}

/* The wall clock in zone tz at t; the epoch where the calendar cannot express it. */
static int wall_clock(timestamp_t t, int tz, bool local, struct tm *tm)
{
	int64_t minutes = local ? 0 : zone_minutes(tz);
	time_t clock = (time_t)t;

	if (minutes < 0 ? t <= TIME_MAX && t >= (uint64_t)(-minutes * 60) :
			  t <= (uint64_t)(TIME_MAX - minutes * 60)) {
		clock = (time_t)((int64_t)t + minutes * 60);
		if (local ? localtime_r(&clock, tm) : gmtime_r(&clock, tm))
			return tz;
	}
	clock = 0;
	gmtime_r(&clock, tm);
	return 0;
}

void date_format(struct strbuf *out, timestamp_t t, int tz, const struct date_mode *mode)
{
	struct tm tm = { 0 };
	struct hidden nothing = { .zone = mode->local };

	if (mode->type == DATE_UNIX) {
		strbuf_addf(out, "%" PRIu64, t);
		return;
	}
	if (mode->type == DATE_RELATIVE) {
		format_relative(out, t, date_now(NULL));
		return;
	}
	if (mode->local)
		tz = local_zone(t);
	if (mode->type == DATE_RAW) {
		strbuf_addf(out, "%" PRIu64 " %+05d", t, tz);
		return;
	}
	tz = wall_clock(t, tz, mode->local, &tm);
	switch (mode->type) {
	case DATE_NORMAL:
		format_parts(out, &tm, tz, nothing);
		break;
	case DATE_HUMAN:
		format_human(out, t, &tm, tz, mode->local);
		break;
	case DATE_SHORT:
		strbuf_addf(out, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1,
			    tm.tm_mday);
		break;
	case DATE_ISO8601:
		format_iso(out, &tm, " ");
		strbuf_addf(out, " %+05d", tz);
		break;
	case DATE_ISO8601_STRICT:
		format_iso(out, &tm, "T");
		format_strict_zone(out, tz);
		break;
	case DATE_RFC2822:
		strbuf_addf(out, "%s, %d %s %d %02d:%02d:%02d %+05d", day_names[tm.tm_wday],
			    tm.tm_mday, month_names[tm.tm_mon], tm.tm_year + 1900,
			    tm.tm_hour, tm.tm_min, tm.tm_sec, tz);
		break;
	case DATE_STRFTIME:
		strbuf_addftime(out, mode->strftime_fmt, &tm, tz, mode->local ? NULL : "");
		break;
	case DATE_RELATIVE:
	case DATE_RAW:
	case DATE_UNIX:
		break; /* done above */
	}
}
