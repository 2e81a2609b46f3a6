/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing dates. Both parsers scan the text for what they know (a number, a group of
 * numbers, a word, a zone) and skip the rest, so that "Thu, 7 Apr 2005 at 22:13 (CEST)" is
 * a date.
 *
 * date_parse requires a day and a time of day. date_approxidate starts from now and changes
 * the parts that the text mentions.
 */
#include "compat/posix.h"
#include "util/date.h"

#define UNSET (-1) /* in struct tm */
#define NO_ZONE INT_MIN

/* ---- words ---- */

static const char *const month_names[12] = {
	"january", "february", "march", "april", "may", "june", "july",
	"august", "september", "october", "november", "december",
};

/* In the plural, for "2 fridays ago"; the singular is an abbreviation of it. */
static const char *const day_names[7] = {
	"sundays", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays",
};

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (isalpha((unsigned char)s[n]))
		n++;
	return n;
}

/* A word directly followed by a digit ("apr7") is not recognized. */
static bool is_separate_word(const char *s, size_t len)
{
	return !isdigit((unsigned char)s[len]);
}

/* Is the word the first `len` letters of name, and at least `min` of them? */
static bool abbreviates(const char *word, size_t len, const char *name, size_t min)
{
	return len >= min && len <= strlen(name) && !strncasecmp(word, name, len);
}

static bool word_is(const char *word, size_t len, const char *name)
{
	return abbreviates(word, len, name, strlen(name));
}

/* The index of the name that the word abbreviates by three letters or more. */
static int find_name(const char *word, size_t len, const char *const *names, int nr)
{
	for (int i = 0; i < nr; i++)
		if (abbreviates(word, len, names[i], 3))
			return i;
	return -1;
}

/* Zone names that mail programs write, in minutes east of UTC; three letters suffice. */
static const struct {
	const char *name;
	int minutes;
} zone_names[] = {
	{ "IDLW", -720 }, { "NT", -660 },   { "CAT", -600 },  { "HST", -600 },
	{ "HDT", -540 },  { "YST", -540 },  { "YDT", -480 },  { "PST", -480 },
	{ "PDT", -420 },  { "MST", -420 },  { "MDT", -360 },  { "CST", -360 },
	{ "CDT", -300 },  { "EST", -300 },  { "EDT", -240 },  { "AST", -180 },
	{ "ADT", -120 },  { "WAT", -60 },   { "GMT", 0 },     { "UTC", 0 },
	{ "Z", 0 },	  { "WET", 0 },	    { "BST", 60 },    { "MET", 60 },
	{ "MEWT", 60 },	  { "MEST", 120 },  { "MESZ", 120 },  { "CET", 60 },
	{ "CEST", 120 },  { "FWT", 60 },    { "FST", 120 },   { "EET", 120 },
	{ "EEST", 180 },  { "WAST", 420 },  { "WADT", 480 },  { "CCT", 480 },
	{ "JST", 540 },	  { "EAST", 600 },  { "EADT", 660 },  { "GST", 600 },
	{ "NZT", 720 },	  { "NZST", 720 },  { "NZDT", 780 },  { "IDLE", 720 },
};

static int find_zone(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(zone_names); i++) {
		size_t full = strlen(zone_names[i].name);

		if (abbreviates(word, len, zone_names[i].name, full < 3 ? full : 3))
			return zone_names[i].minutes;
	}
	return NO_ZONE;
}

/* ---- numbers ---- */

struct number {
	uint64_t value; /* at most UINT64_MAX */
	size_t digits;
};

static struct number read_number(const char *s)
{
	struct number n = { 0, 0 };

	for (; isdigit((unsigned char)s[n.digits]); n.digits++) {
		uint64_t digit = (uint64_t)(s[n.digits] - '0');

		n.value = n.value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n.value * 10 + digit;
	}
	return n;
}

/* Two or three numbers with the same separator between them. */
struct group {
	int64_t part[3]; /* -1: absent */
	char separator;
	size_t len;
};

static int64_t capped(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The number as Git keeps it in an int. */
static int32_t wrapped(int64_t value)
{
	return (int32_t)(uint32_t)value;
}

static bool read_group(const char *s, struct group *g)
{
	struct number n = read_number(s);
	int parts = 1;

	g->part[0] = capped(n.value);
	g->part[1] = g->part[2] = -1;
	g->len = n.digits;
	g->separator = s[n.digits];
	if (!g->separator || !strchr(":/-.", g->separator))
		return false;
	while (parts < 3 && s[g->len] == g->separator && isdigit((unsigned char)s[g->len + 1])) {
		n = read_number(s + g->len + 1);
		g->part[parts++] = capped(n.value);
		g->len += 1 + n.digits;
	}
	return parts > 1;
}

/* ---- days ---- */

/* Days from 1970-01-01 to the first of March of `year`; counted so, leap days come last. */
static int64_t days_to_march(int64_t year)
{
	return year * 365 + year / 4 - year / 100 + year / 400 - 719468;
}

/*
 * Seconds since the epoch of tm as UTC, even for 31 April; -1 if a part is missing. Only the day may be: as in Git,
 * "jan 2005 10:00" is 30 December.
 */
static int64_t utc_seconds(const struct tm *tm)
{
	int64_t year = tm->tm_year + 1900;
	int month = tm->tm_mon - 2; /* counted from March, so leap days come last */
	int64_t days;

	if (tm->tm_year < 70 || tm->tm_year > 199 || tm->tm_mon < 0 || tm->tm_mon > 11 ||
	    tm->tm_mday > 31 || tm->tm_hour < 0 || tm->tm_min < 0 ||
	    tm->tm_sec < 0)
		return -1;
	if (month < 0) {
		month += 12;
		year--;
	}
	days = days_to_march(year) + (153 * month + 2) / 5 + tm->tm_mday - 1;
	return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

/*
 * Try one interpretation of a group as a date. `year` -1: this year. If `now` is not NULL, a date
 * more than ten days in the future is rejected: another order of the numbers was meant. If it is
 * NULL, the month and the day stay if the year is out of range, as in Git. The numbers are ints as
 * in Git: 4294969301 is the year 2005.
 */
static bool try_date(struct tm *tm, int year, int month, int day, const struct tm *now)
{
	struct tm try = *tm;

	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	try.tm_mon = month - 1;
	try.tm_mday = day;
	if (!now) {
		tm->tm_mon = try.tm_mon;
		tm->tm_mday = try.tm_mday;
	}
	if (year == -1) {
		if (!now)
			return false;
		try.tm_year = now->tm_year;
	} else if (year >= 1970 && year < 2100) {
		try.tm_year = year - 1900;
	} else if (year > 70 && year < 100) {
		try.tm_year = year;
	} else if (year < 38) {
		try.tm_year = year + 100;
	} else {
		return false;
	}
	if (now) {
		int64_t then = utc_seconds(&try);

		if (then != -1 && then > utc_seconds(now) + 10 * 24 * 3600)
			return false;
	}
	tm->tm_mon = try.tm_mon;
	tm->tm_mday = try.tm_mday;
	if (year != -1)
		tm->tm_year = try.tm_year;
	return true;
}

/*
 * Year first if the first number can only be a year. Otherwise month/day (unless separated
 * by dots), then day/month; neither may lie in the future.
 */
static bool set_date(struct tm *tm, const struct group *g, timestamp_t present)
{
	const int a = wrapped(g->part[0]), b = wrapped(g->part[1]), c = wrapped(g->part[2]);
	time_t t = (time_t)present;
	struct tm now;

	if (g->part[0] > 70 && (try_date(tm, a, b, c, NULL) || try_date(tm, a, c, b, NULL)))
		return true;
	gmtime_r(&t, &now);
	if (g->separator != '.' && try_date(tm, c, a, b, &now))
		return true;
	if (try_date(tm, c, b, a, &now))
		return true;
	return g->separator == '.' && try_date(tm, c, a, b, &now);
}

static bool set_time(struct tm *tm, const struct group *g)
{
	int64_t second = g->part[2] < 0 ? 0 : g->part[2];

	if (g->part[0] > 24 || g->part[1] > 59 || second > 60)
		return false;
	tm->tm_hour = (int)g->part[0];
	tm->tm_min = (int)g->part[1];
	tm->tm_sec = (int)second;
	return true;
}

/* A date or a time of day; returns the bytes used, 0 if it is neither. */
static size_t parse_group(const char *s, struct tm *tm, timestamp_t present)
{
	struct group g;

	if (!read_group(s, &g))
		return 0;
	if (g.separator != ':')
		return set_date(tm, &g, present) ? g.len : 0;
	if (!set_time(tm, &g))
		return 0;
	/* A fraction of a second, if this cannot be the start of a date. */
	if (s[g.len] == '.' && isdigit((unsigned char)s[g.len + 1]) &&
	    tm->tm_year != UNSET && tm->tm_mon != UNSET && tm->tm_mday != UNSET)
		g.len += 1 + read_number(s + g.len + 1).digits;
	return g.len;
}

/* ---- date_parse ---- */

struct reading {
	struct tm tm;
	int zone;     /* minutes east, or NO_ZONE */
	bool is_utc;  /* tm came from seconds since the epoch */
	bool after_t; /* a time of day without colons may be short */
	timestamp_t present;
};

static bool nothing_set(const struct tm *tm)
{
	return tm->tm_year == UNSET && tm->tm_mon == UNSET && tm->tm_mday == UNSET &&
	       tm->tm_hour == UNSET && tm->tm_min == UNSET && tm->tm_sec == UNSET;
}

/* 221313, and behind a T also 2213 and 22. */
static bool parse_compact_time(struct number n, struct tm *tm, bool after_t)
{
	int part[3] = { 0, 0, 0 };
	uint64_t v = n.value;

	if (n.digits != 6 && !(after_t && (n.digits == 4 || n.digits == 2)))
		return false;
	for (size_t i = n.digits / 2; i-- > 0; v /= 100)
		part[i] = (int)(v % 100);
	if (part[0] > 24 || part[1] > 59 || part[2] > 60)
		return false;
	tm->tm_hour = part[0];
	tm->tm_min = part[1];
	tm->tm_sec = part[2];
	return true;
}

/* 20050407, and 221313 with or without a fraction of a second. Returns the bytes used, 0 if it is neither. */
static size_t parse_compact(const char *s, struct number n, struct tm *tm, bool after_t)
{
	int day = (int)(n.value % 10000);

	if (n.digits == 8)
		return try_date(tm, (int)(n.value / 10000), day / 100, day % 100, NULL) ? n.digits : 0;
	if (!parse_compact_time(n, tm, after_t))
		return 0;
	if (s[n.digits] == '.' && isdigit((unsigned char)s[n.digits + 1]))
		return n.digits + 1 + read_number(s + n.digits + 1).digits;
	return n.digits;
}

/* A number of up to four digits on its own: tried as day, then year, then month. */
static void parse_small_number(struct number n, struct reading *r)
{
	struct tm *tm = &r->tm;
	int v = (int)n.value;

	if (n.digits == 4) {
		if (v <= 1400 && r->zone == NO_ZONE)
			r->zone = v / 100 * 60 + v % 100;
		else if (v > 1900 && v < 2100)
			tm->tm_year = v - 1900;
	} else if (n.digits > 2) {
		return;
	} else if (v > 0 && v < 32 && tm->tm_mday < 0) {
		tm->tm_mday = v;
	} else if (n.digits == 2 && tm->tm_year < 0 && v < 10 && tm->tm_mday >= 0) {
		tm->tm_year = v + 100;
	} else if (n.digits == 2 && tm->tm_year < 0 && v >= 70) {
		tm->tm_year = v;
	} else if (v > 0 && v < 13 && tm->tm_mon < 0) {
		tm->tm_mon = v - 1;
	}
}

static size_t parse_date_number(const char *s, struct reading *r)
{
	struct number n = read_number(s);
	size_t used;

	if (n.value >= 100000000 && nothing_set(&r->tm)) {
		time_t t = (time_t)n.value;
		int isdst = r->tm.tm_isdst;

		if (gmtime_r(&t, &r->tm)) {
			r->tm.tm_isdst = isdst;
			r->is_utc = true;
			return n.digits;
		}
	}
	used = parse_group(s, &r->tm, r->present);
	if (used)
		return used;
	used = parse_compact(s, n, &r->tm, r->after_t && r->tm.tm_hour == UNSET);
	if (used)
		return used;
	if (n.digits != 6 && n.digits != 8)
		r->after_t = false;
	if (n.digits <= 4)
		parse_small_number(n, r);
	return n.digits;
}

/* As in Git, "pm" before any hour makes it 11. */
static void to_half_day(struct tm *tm, bool pm)
{
	tm->tm_hour = tm->tm_hour % 12 + (pm ? 12 : 0);
}

static size_t parse_date_word(const char *s, struct reading *r)
{
	size_t len = word_len(s);
	int i;

	if (!is_separate_word(s, len)) {
		if (len == 1 && *s == 'T' && r->tm.tm_hour == UNSET) {
			r->tm.tm_min = r->tm.tm_sec = 0; /* the hour comes next */
			r->after_t = true;
		}
		return len;
	}
	i = find_name(s, len, month_names, 12);
	if (i >= 0) {
		r->tm.tm_mon = i;
		return len;
	}
	if (find_name(s, len, day_names, 7) >= 0)
		return len; /* the weekday follows from the date */
	i = find_zone(s, len);
	if (i != NO_ZONE) {
		if (r->zone == NO_ZONE)
			r->zone = i; /* a numeric zone takes precedence */
		return len;
	}
	if (word_is(s, len, "AM") || word_is(s, len, "PM"))
		to_half_day(&r->tm, tolower((unsigned char)*s) == 'p');
	return len;
}

/* +02, +0200 or +02:00; anything else is skipped. */
static size_t parse_zone(const char *s, struct reading *r)
{
	struct number hours = read_number(s + 1), minutes = { 0, 2 };
	size_t len = 1 + hours.digits;

	if (hours.digits == 2 && s[len] == ':' && isdigit((unsigned char)s[len + 1])) {
		minutes = read_number(s + len + 1);
		len += 1 + minutes.digits;
	} else if (hours.digits == 4) {
		minutes.value = hours.value % 100;
		hours.value /= 100;
		hours.digits = 2;
	}
	if (hours.digits == 2 && hours.value < 24 && minutes.digits == 2 &&
	    minutes.value < 60) {
		r->zone = (int)(hours.value * 60 + minutes.value);
		if (*s == '-')
			r->zone = -r->zone;
	}
	return len;
}

/* "N +ZZZZ" up to the end, as in a commit. */
static bool parse_raw(const char *s, timestamp_t *t, int *zone)
{
	struct number n = read_number(s), z;
	int minutes;

	if (!n.digits || n.digits > 19 || n.value >= TIME_MAX + UINT64_C(1))
		return false;
	s += n.digits;
	if (s[0] != ' ' || (s[1] != '+' && s[1] != '-'))
		return false;
	z = read_number(s + 2);
	if (z.digits != 4 || (s[6] && s[6] != '\n'))
		return false;
	minutes = (int)(z.value / 100 * 60 + z.value % 100);
	*t = n.value;
	*zone = s[1] == '-' ? -minutes : minutes;
	return true;
}

static int zone_as_written(int minutes)
{
	int abs_minutes = abs(minutes);
	int written = abs_minutes / 60 * 100 + abs_minutes % 60;

	return minutes < 0 ? -written : written;
}

static bool read_strict(const char *s, timestamp_t *t, int *zone)
{
	struct reading r = { .zone = NO_ZONE, .present = (timestamp_t)time(NULL) };
	int64_t seconds;

	memset(&r.tm, 0, sizeof(r.tm));
	r.tm.tm_year = r.tm.tm_mon = r.tm.tm_mday = UNSET;
	r.tm.tm_hour = r.tm.tm_min = r.tm.tm_sec = UNSET;
	r.tm.tm_isdst = -1;
	while (*s && *s != '\n') {
		unsigned char c = (unsigned char)*s;

		if (isalpha(c))
			s += parse_date_word(s, &r);
		else if (isdigit(c))
			s += parse_date_number(s, &r);
		else if ((c == '-' || c == '+') && isdigit((unsigned char)s[1]))
			s += parse_zone(s, &r);
		else
			s++;
	}
	seconds = utc_seconds(&r.tm);
	if (seconds < 0)
		return false;
	if (r.zone == NO_ZONE) {
		struct tm local = r.tm;

		local.tm_isdst = -1;
		r.zone = (int)((seconds - (int64_t)mktime(&local)) / 60);
	}
	if (!r.is_utc)
		seconds -= (int64_t)r.zone * 60;
	if (seconds < 0)
		return false;
	*t = (timestamp_t)seconds;
	*zone = r.zone;
	return true;
}

int date_parse(const char *s, timestamp_t *t, int *tz)
{
	timestamp_t seconds;
	int zone;

	if (!(*s == '@' && parse_raw(s + 1, &seconds, &zone)) &&
	    !read_strict(s, &seconds, &zone))
		return -1;
	*t = seconds;
	if (tz)
		*tz = zone_as_written(zone);
	return 0;
}

/* ---- date_approxidate ---- */

struct guess {
	struct tm tm;  /* day, month and year are UNSET until the text gives them; see complete_date */
	struct tm now; /* local time */
	long number;   /* parsed and not assigned yet; 0: none */
	bool matched;  /* anything was recognized */
};

/* As in Git, where seconds are counted in an int: 99999999 days wrap around. */
static int64_t wrapped_product(int64_t a, int64_t b)
{
	return wrapped((int64_t)((uint32_t)a * (uint32_t)b));
}

/*
 * Fill unset parts from today's date, then subtract `back` seconds. A day below UNSET is so many
 * days before today; as in Git, that counts only if nothing else is subtracted.
 */
static time_t complete_date(struct guess *g, int64_t back)
{
	time_t t;

	if (g->tm.tm_mday < 0) {
		if (!back)
			back = wrapped_product(UNSET - (int64_t)g->tm.tm_mday, 86400);
		g->tm.tm_mday = g->now.tm_mday;
	}
	if (g->tm.tm_mon < 0)
		g->tm.tm_mon = g->now.tm_mon;
	if (g->tm.tm_year < 0) {
		g->tm.tm_year = g->now.tm_year;
		if (g->tm.tm_mon > g->now.tm_mon) /* a later month: last year's */
			g->tm.tm_year--;
	}
	t = (time_t)((int64_t)mktime(&g->tm) - back);
	localtime_r(&t, &g->tm);
	return t;
}

/* A number without a unit: the day, else the month, else the year, whichever is unset. */
static void assign_number(struct guess *g)
{
	long n = g->number;

	g->number = 0;
	if (!n)
		return;
	if (g->tm.tm_mday < 0 && n < 32)
		g->tm.tm_mday = (int)n;
	else if (g->tm.tm_mon < 0 && n < 13)
		g->tm.tm_mon = (int)n - 1;
	else if (g->tm.tm_year >= 0)
		;
	else if (n > 1969 && n < 2100)
		g->tm.tm_year = (int)n - 1900;
	else if (n > 69 && n < 100)
		g->tm.tm_year = (int)n;
	else if (n < 38)
		g->tm.tm_year = (int)n + 100;
}

/* Midnight, unless the text gives another time of day. */
static void set_today(struct guess *g)
{
	struct tm *tm = &g->tm;

	if (tm->tm_hour == g->now.tm_hour && tm->tm_min == g->now.tm_min &&
	    tm->tm_sec == g->now.tm_sec)
		tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	tm->tm_mday = UNSET;
	g->number = 0;
	complete_date(g, 0);
}

/* The most recent time at which the clock showed this hour; on the day that the text gives, if it does. */
static void last_hour(struct guess *g, int hour)
{
	assign_number(g);
	if (g->tm.tm_mday < 0 && g->tm.tm_hour < hour)
		g->tm.tm_mday = UNSET - 1;
	g->tm.tm_hour = hour;
	g->tm.tm_min = g->tm.tm_sec = 0;
}

static void set_half_day(struct guess *g, bool pm)
{
	if (g->number) {
		g->tm.tm_hour = (int)(g->number % 24);
		g->tm.tm_min = g->tm.tm_sec = 0;
	}
	g->number = 0;
	to_half_day(&g->tm, pm);
}

static bool parse_moment(struct guess *g, const char *s, size_t len)
{
	if (word_is(s, len, "today")) {
		set_today(g);
	} else if (word_is(s, len, "yesterday")) {
		g->number = 0;
		g->tm.tm_mday = UNSET;
		complete_date(g, 24 * 3600);
	} else if (word_is(s, len, "noon")) {
		last_hour(g, 12);
	} else if (word_is(s, len, "midnight")) {
		last_hour(g, 0);
	} else if (word_is(s, len, "tea")) {
		last_hour(g, 17);
	} else if (word_is(s, len, "am") || word_is(s, len, "pm")) {
		set_half_day(g, tolower((unsigned char)*s) == 'p');
	} else if (word_is(s, len, "never")) {
		time_t epoch = 0;

		localtime_r(&epoch, &g->tm);
		g->number = 0;
	} else if (word_is(s, len, "now")) {
		g->number = 0;
		complete_date(g, 0);
	} else {
		return false;
	}
	return true;
}

/* "last" counts as one, so that "last week" is a week ago. */
static bool parse_number_word(struct guess *g, const char *s, size_t len)
{
	static const char *const words[] = {
		"zero", "one", "two", "three", "four", "five", "six", "seven",
		"eight", "nine", "ten",
	};

	if (word_is(s, len, "last")) {
		g->number = 1;
		return true;
	}
	for (size_t i = 1; i < ARRAY_SIZE(words); i++) { /* "zero" alone is no date */
		if (!word_is(s, len, words[i]))
			continue;
		g->number = (long)i;
		return true;
	}
	return false;
}

/* After a number: go back that many units, or to that many such days of the week ago. */
static bool parse_unit(struct guess *g, const char *s, size_t len)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
		{ "seconds", 1 },   { "minutes", 60 },	 { "hours", 3600 },
		{ "days", 86400 },  { "weeks", 604800 },
	};
	int64_t number = g->number;
	int day;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!abbreviates(s, len, units[i].name, strlen(units[i].name) - 1))
			continue;
		complete_date(g, wrapped_product(units[i].seconds, number));
		goto taken;
	}
	day = find_name(s, len, day_names, 7);
	if (day >= 0) {
		int back = g->tm.tm_wday - day;

		complete_date(g, wrapped_product(back + 7 * (number - (back > 0)), 86400));
		goto taken;
	}
	if (abbreviates(s, len, "months", 5)) {
		int months;

		complete_date(g, 0);
		months = g->tm.tm_year * 12 + g->tm.tm_mon - (int)number;
		g->tm.tm_mon = months % 12 + (months % 12 < 0 ? 12 : 0);
		g->tm.tm_year = (months - g->tm.tm_mon) / 12;
		goto taken;
	}
	if (abbreviates(s, len, "years", 4)) {
		complete_date(g, 0);
		g->tm.tm_year -= (int)number; /* a negative one, before 1900, is UNSET */
		goto taken;
	}
	return false;

taken:
	g->number = 0;
	return true;
}

static size_t guess_word(struct guess *g, const char *s)
{
	size_t len = word_len(s);
	int month;

	if (!is_separate_word(s, len))
		return len;
	month = find_name(s, len, month_names, 12);
	if (month >= 0)
		g->tm.tm_mon = month;
	else if (!parse_moment(g, s, len) &&
		 !(g->number ? parse_unit(g, s, len) : parse_number_word(g, s, len)))
		return len;
	g->matched = true;
	return len;
}

static size_t guess_number(struct guess *g, const char *s, timestamp_t present)
{
	struct number n = read_number(s);
	size_t used;

	assign_number(g);
	g->matched = true;
	used = parse_group(s, &g->tm, present);
	if (used)
		return used;
	/* "02" is a number, "0002" is not. */
	if (*s != '0' || n.digits <= 2)
		g->number = wrapped((int64_t)n.value);
	return n.digits;
}

timestamp_t date_approxidate(const char *s, bool *bad)
{
	struct guess g = { .number = 0 };
	timestamp_t present, t;
	time_t now;

	if (bad)
		*bad = false;
	if (!date_parse(s, &t, NULL))
		return t;
	present = date_now(NULL);
	now = (time_t)present;
	localtime_r(&now, &g.now);
	g.tm = g.now;
	g.tm.tm_year = g.tm.tm_mon = g.tm.tm_mday = UNSET;
	while (*s) {
		if (isdigit((unsigned char)*s))
			s += guess_number(&g, s, present);
		else if (isalpha((unsigned char)*s))
			s += guess_word(&g, s);
		else
			s++;
	}
	assign_number(&g);
	if (bad)
		*bad = !g.matched;
	return (timestamp_t)complete_date(&g, 0);
}

int date_parse_expiry(const char *s, timestamp_t *t)
{
	timestamp_t when;
	bool bad;

	if (!strcmp(s, "never") || !strcmp(s, "false")) {
		*t = 0;
		return 0;
	}
	if (!strcmp(s, "all") || !strcmp(s, "now")) {
		*t = TIME_MAX;
		return 0;
	}
	when = date_approxidate(s, &bad);
	if (bad)
		return -1;
	*t = when;
	return 0;
}
