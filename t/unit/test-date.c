/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dates, in the time zone of New York and with a fixed GIT_TEST_DATE_NOW. The expected values
 * are those of stock Git 2.39.5, or 2.55.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "util/alloc.h"
#include "util/date.h"

static const struct {
	const char *text, *raw; /* NULL: no date */
} strict[] = {
	{ "@1234567890 +0530", "1234567890 +0530" },
	{ "@0 +0000", "0 +0000" },
	{ "@1 -0800", "1 -0800" },
	{ "@12", NULL },
	{ "@-5 +0000", NULL },
	{ "1234567890", "1234567890 -0500" },
	{ "1234567890 +0200", "1234567890 +0200" },
	{ "12345678 +0100", NULL },
	{ "2005-04-07", NULL },
	{ "2005-04-07 22:13:13", "1112926393 -0400" },
	{ "2005-04-07T22:13:13Z", "1112911993 +0000" },
	{ "2005-04-07T22:13:13+02:00", "1112904793 +0200" },
	{ "2005-04-07 22:13:13.123 -3", "1112926393 -0400" },
	{ "20050407T221313", "1112926393 -0400" },
	{ "20050407T221313Z", "1112911993 +0000" },
	{ "20050407T2213", "1112926380 -0400" },
	{ "Thu, 07 Apr 2005 22:13:13 +0200", "1112904793 +0200" },
	{ "Thu Apr 7 22:13:13 2005", "1112926393 -0400" },
	{ "Thu Apr 7 22:13:13 2005 PDT", "1112937193 -0700" },
	{ "Apr 7 2005 10:13pm", "1112926380 -0400" },
	{ "7 April 2005 22:13 EST", "1112929980 -0500" },
	{ "04/07/2005 3:04:05", "1112857445 -0400" },
	{ "04-07-2005 11:00", "1112886000 -0400" },
	{ "13.04.2005 10:00", "1113400800 -0400" },
	{ "04.13.2005 10:00", "1113400800 -0400" },
	{ "2005-13-04 10:00", "1113400800 -0400" },
	{ "2099-12-31 23:59:59 +0000", "4102444799 +0000" },
	{ "2100-01-01 00:00:00 +0000", NULL },
	{ "bogus", NULL },
	{ "noon", NULL },
	{ "2005-04-07 25:00", NULL },
	{ "2005-04-07 22:60", NULL },
	{ "2005-04-07 22:13:61", NULL },
	{ "2005-04-07 22:13:60", "1112926440 -0400" },
	{ "Feb 30 2005 10:00", "1109775600 -0500" },
	{ "2005-04-07 12:30 am", "1112848200 -0400" },
	{ "2005-04-07 12:30 PM", "1112891400 -0400" },
	{ "2005-04-07 22:13:13 +1500", "1112857993 +1500" },
	{ "2005-04-07 22:13:13 +2500", "1112926393 -0400" },
	{ "2005-04-07 22:13:13 -00:30", "1112913793 -0030" },
	{ "2005-04-07 22:13:13 (PST)", "1112940793 -0800" },
	{ "2005-04-07 22:13:13 +0200 (CEST)", "1112904793 +0200" },
	{ "2005-04-07 22:13:13 NZDT", "1112865193 +1300" },
	{ "@1234567890 +05:30", "1234567890 +0530" },
	{ "@9223372036854775807 +0000", "9223372036854775807 +0000" },
	{ "@18446744073709551615 +0000", NULL },
	{ "4th of july 2005 5:00", "1120467600 -0400" },
	{ "2005-03-13 02:30", "1110699000 -0500" },
	{ "10:00 7 apr 05", "1112882400 -0400" },
	{ "7apr2005 10:00", NULL },
	{ "2005-04-07 at 22:13", "1112926380 -0400" },
	{ "2005-04-07 22:13:13 +12:04:05", "1112868553 +1204" },
	{ "2005-04-07 22:13:13 +1:04:05", "1112861100 -0400" },
	{ "2005-04-07 +0200:10:00", "1112860800 +0200" },
	{ "20050407T22", "1112925600 -0400" },
	{ "20050407T123 22", NULL },
	{ "20050407T20050408 22", "1113012000 -0400" },
	{ "20050407T25 22", NULL },
	{ "2005-04-07 22:13:13 2006-4294967301-08", "1147140793 -0400" },
};

static void test_strict(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strict); i++) {
		timestamp_t t = 77;
		int tz = 77;
		char raw[64];

		if (date_parse(strict[i].text, &t, &tz) < 0) {
			if (strict[i].raw)
				fail_msg("'%s' is a date", strict[i].text);
			assert_int_equal(t, 77); /* untouched */
			assert_int_equal(tz, 77);
			continue;
		}
		snprintf(raw, sizeof(raw), "%" PRIu64 " %+05d", t, tz);
		if (!strict[i].raw || strcmp(raw, strict[i].raw))
			fail_msg("'%s' is %s, not %s", strict[i].text,
				 strict[i].raw ? strict[i].raw : "no date", raw);
	}
}

/* At 22:40 on a Thursday, and at 7:00 the next day. */
static const struct {
	const char *text;
	timestamp_t evening, morning;
} approximate[] = {
	{ "now", 1500000000, 1500030000 },
	{ "today", 1499918400, 1500004800 },
	{ "yesterday", 1499913600, 1499943600 },
	{ "noon", 1499961600, 1499961600 },
	{ "midnight", 1499918400, 1500004800 },
	{ "tea", 1499979600, 1499979600 },
	{ "noon yesterday", 1499875200, 1499961600 },
	{ "tea yesterday", 1499893200, 1499979600 },
	{ "never", 0, 0 },
	{ "2 weeks ago", 1498790400, 1498820400 },
	{ "2.weeks.ago", 1498790400, 1498820400 },
	{ "3.days.ago", 1499740800, 1499770800 },
	{ "one day ago", 1499913600, 1499943600 },
	{ "last friday", 1499481600, 1499425200 },
	{ "last tuesday", 1499827200, 1499770800 },
	{ "2 fridays ago", 1498876800, 1498820400 },
	{ "friday", 1500000000, 1500030000 },
	{ "last week", 1499395200, 1499425200 },
	{ "last month", 1497408000, 1497438000 },
	{ "last year", 1468464000, 1468494000 },
	{ "1 year 2 months ago", 1463193600, 1463223600 },
	{ "90 seconds", 1499999910, 1500029910 },
	{ "10am", 1499954400, 1500040800 },
	{ "3 pm", 1499972400, 1500058800 },
	{ "12am", 1499918400, 1500004800 },
	{ "12 pm yesterday", 1499875200, 1499961600 },
	{ "yesterday 10:00", 1499868000, 1499954400 },
	{ "22:13:45", 1499998425, 1500084825 },
	{ "January 5", 1483670400, 1483614000 },
	{ "January 5th noon", 1483632000, 1483632000 },
	{ "Dec 25", 1482720000, 1482663600 },
	{ "July 20", 1500604800, 1500548400 },
	{ "2005-04-07", 1112928000, 1112871600 },
	{ "04/07/2005", 1112928000, 1112871600 },
	{ "08/01/2017", 1483929600, 1483873200 },
	{ "08.01.2017", 1483929600, 1483873200 },
	{ "5", 1499308800, 1499252400 },
	{ "31", 1501555200, 1501498800 },
	{ "32", 1973385600, 1973415600 },
	{ "2008", 1216003200, 1216033200 },
	{ "2100", 1500000000, 1500030000 },
	{ "June", 1497408000, 1497438000 },
	{ "august", 1471142400, 1471172400 },
	{ "June 2009", 1244947200, 1244977200 },
	{ "6AM, June 7, 2009", 1244368800, 1244368800 },
	{ "3 days ago at noon", 1499702400, 1499788800 },
	{ "bogus", 1500000000, 1500030000 },
	{ "5 bogus", 1499308800, 1499252400 },
	{ "@1234567890", 1234567890, 1234567890 },
	{ "2009-01-02T03:04:05Z", 1230865445, 1230865445 },
	{ "15:00 3 days ago", 1499713200, 1499799600 },
	{ "120 years ago", 1500000000, 1500030000 },
	{ "13 months ago", 1465872000, 1465902000 },
	{ "Feb 29", 1488422400, 1488366000 },
	{ "10/12", 1481424000, 1481367600 },
	{ "24:00", 1500004800, 1500091200 },
	{ "5 noon", 1499270400, 1499270400 },
	{ "midnight 10:00", 1499954400, 1500040800 },
	/* The day before is taken back by what follows; numbers are ints, and wrap. */
	{ "6am noon", 1499875200, 1499961600 },
	{ "6am noon 5", 1499270400, 1499270400 },
	{ "6am noon 2 days", 1499788800, 1499875200 },
	{ "6am noon last friday", 1499443200, 1499443200 },
	{ "6am noon 1 month", 1497283200, 1497369600 },
	{ "6am noon tea", 1499893200, 1499979600 },
	{ "dec 6am noon", 1481558400, 1481644800 },
	{ "4294967200", 1491792000, 1491822000 },
	{ "4294967200 6am noon", 1499875200, 1499961600 },
	{ "12345678903", 144442112, 144472112 },
	{ "7.4.4294967301", 1112928000, 1112871600 },
	{ "7.4.4294967295", 1491619200, 1491562800 },
	{ "4294967295-12-31", 946694400, 946638000 },
	{ "9999999999999999999999.7.4", 923539200, 923482800 },
};

static void test_approximate(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(approximate); i++) {
		setenv("GIT_TEST_DATE_NOW", "1500000000", 1);
		if (date_approxidate(approximate[i].text, NULL) != approximate[i].evening)
			fail_msg("'%s' in the evening", approximate[i].text);
		setenv("GIT_TEST_DATE_NOW", "1500030000", 1);
		if (date_approxidate(approximate[i].text, NULL) != approximate[i].morning)
			fail_msg("'%s' in the morning", approximate[i].text);
	}
}

static bool is_bad(const char *text)
{
	bool bad;

	date_approxidate(text, &bad);
	return bad;
}

static void test_bad(void **state)
{
	(void)state;
	assert_true(is_bad("bogus") && is_bad("day") && is_bad("ago") && is_bad("-"));
	assert_false(is_bad("5 bogus") || is_bad("last") || is_bad("noon") || is_bad("jan"));
}

static void test_expiry(void **state)
{
	timestamp_t t = 77;

	(void)state;
	setenv("GIT_TEST_DATE_NOW", "1500000000", 1);
	assert_int_equal(date_parse_expiry("bogus", &t), -1);
	assert_int_equal(t, 77);
	assert_int_equal(date_parse_expiry("never", &t), 0);
	assert_int_equal(t, 0);
	assert_int_equal(date_parse_expiry("all", &t), 0);
	assert_true(t == TIME_MAX);
	assert_int_equal(date_parse_expiry("2.weeks.ago", &t), 0);
	assert_int_equal(t, 1500000000 - 14 * 86400);
}

static const struct {
	timestamp_t t;
	int tz;
	const char *mode, *text;
} shown[] = {
	{ 1499999990, 530, "default", "Fri Jul 14 08:09:50 2017 +0530" },
	{ 1499999990, 530, "local", "Thu Jul 13 22:39:50 2017" },
	{ 1499999990, 530, "iso", "2017-07-14 08:09:50 +0530" },
	{ 1499999990, 530, "iso-local", "2017-07-13 22:39:50 -0400" },
	{ 1499999990, 530, "iso-strict", "2017-07-14T08:09:50+05:30" },
	{ 1499999990, 530, "rfc2822", "Fri, 14 Jul 2017 08:09:50 +0530" },
	{ 1499999990, 530, "short", "2017-07-14" },
	{ 1499999990, 530, "raw", "1499999990 +0530" },
	{ 1499999990, 530, "unix", "1499999990" },
	{ 1499999990, 530, "relative", "10 seconds ago" },
	{ 1499999990, 530, "human", "Fri Jul 14 08:09" },
	{ 1499999990, 530, "format:%Y %z [%Z] %s", "2017 +0530 [] 1499999990" },
	{ 1499999990, 530, "format-local:%H %z %Z", "22 -0400 EDT" },
	{ 1499999000, -800, "default", "Thu Jul 13 18:23:20 2017 -0800" },
	{ 1499999000, -800, "local", "Thu Jul 13 22:23:20 2017" },
	{ 1499999000, -800, "iso", "2017-07-13 18:23:20 -0800" },
	{ 1499999000, -800, "iso-local", "2017-07-13 22:23:20 -0400" },
	{ 1499999000, -800, "iso-strict", "2017-07-13T18:23:20-08:00" },
	{ 1499999000, -800, "rfc2822", "Thu, 13 Jul 2017 18:23:20 -0800" },
	{ 1499999000, -800, "short", "2017-07-13" },
	{ 1499999000, -800, "raw", "1499999000 -0800" },
	{ 1499999000, -800, "unix", "1499999000" },
	{ 1499999000, -800, "relative", "17 minutes ago" },
	{ 1499999000, -800, "human", "17 minutes ago" },
	{ 1499999000, -800, "format:%Y %z [%Z] %s", "2017 -0800 [] 1499999000" },
	{ 1499999000, -800, "format-local:%H %z %Z", "22 -0400 EDT" },
	{ 1499900000, 0, "default", "Wed Jul 12 22:53:20 2017 +0000" },
	{ 1499900000, 0, "local", "Wed Jul 12 18:53:20 2017" },
	{ 1499900000, 0, "iso", "2017-07-12 22:53:20 +0000" },
	{ 1499900000, 0, "iso-local", "2017-07-12 18:53:20 -0400" },
	{ 1499900000, 0, "iso-strict", "2017-07-12T22:53:20Z" },
	{ 1499900000, 0, "rfc2822", "Wed, 12 Jul 2017 22:53:20 +0000" },
	{ 1499900000, 0, "short", "2017-07-12" },
	{ 1499900000, 0, "raw", "1499900000 +0000" },
	{ 1499900000, 0, "unix", "1499900000" },
	{ 1499900000, 0, "relative", "28 hours ago" },
	{ 1499900000, 0, "human", "Wed 22:53 +0000" },
	{ 1499900000, 0, "format:%Y %z [%Z] %s", "2017 +0000 [] 1499900000" },
	{ 1499900000, 0, "format-local:%H %z %Z", "18 -0400 EDT" },
	{ 1498000000, -400, "default", "Tue Jun 20 19:06:40 2017 -0400" },
	{ 1498000000, -400, "local", "Tue Jun 20 19:06:40 2017" },
	{ 1498000000, -400, "iso", "2017-06-20 19:06:40 -0400" },
	{ 1498000000, -400, "iso-local", "2017-06-20 19:06:40 -0400" },
	{ 1498000000, -400, "iso-strict", "2017-06-20T19:06:40-04:00" },
	{ 1498000000, -400, "rfc2822", "Tue, 20 Jun 2017 19:06:40 -0400" },
	{ 1498000000, -400, "short", "2017-06-20" },
	{ 1498000000, -400, "raw", "1498000000 -0400" },
	{ 1498000000, -400, "unix", "1498000000" },
	{ 1498000000, -400, "relative", "3 weeks ago" },
	{ 1498000000, -400, "human", "Tue Jun 20 19:06" },
	{ 1498000000, -400, "format:%Y %z [%Z] %s", "2017 -0400 [] 1498000000" },
	{ 1498000000, -400, "format-local:%H %z %Z", "19 -0400 EDT" },
	{ 1400000000, -30, "default", "Tue May 13 16:23:20 2014 -0030" },
	{ 1400000000, -30, "local", "Tue May 13 12:53:20 2014" },
	{ 1400000000, -30, "iso", "2014-05-13 16:23:20 -0030" },
	{ 1400000000, -30, "iso-local", "2014-05-13 12:53:20 -0400" },
	{ 1400000000, -30, "iso-strict", "2014-05-13T16:23:20-00:30" },
	{ 1400000000, -30, "rfc2822", "Tue, 13 May 2014 16:23:20 -0030" },
	{ 1400000000, -30, "short", "2014-05-13" },
	{ 1400000000, -30, "raw", "1400000000 -0030" },
	{ 1400000000, -30, "unix", "1400000000" },
	{ 1400000000, -30, "relative", "3 years, 2 months ago" },
	{ 1400000000, -30, "human", "May 13 2014" },
	{ 1400000000, -30, "format:%Y %z [%Z] %s", "2014 -0030 [] 1400000000" },
	{ 1400000000, -30, "format-local:%H %z %Z", "12 -0400 EDT" },
	{ 1500900000, 1400, "default", "Tue Jul 25 02:40:00 2017 +1400" },
	{ 1500900000, 1400, "local", "Mon Jul 24 08:40:00 2017" },
	{ 1500900000, 1400, "iso", "2017-07-25 02:40:00 +1400" },
	{ 1500900000, 1400, "iso-local", "2017-07-24 08:40:00 -0400" },
	{ 1500900000, 1400, "iso-strict", "2017-07-25T02:40:00+14:00" },
	{ 1500900000, 1400, "rfc2822", "Tue, 25 Jul 2017 02:40:00 +1400" },
	{ 1500900000, 1400, "short", "2017-07-25" },
	{ 1500900000, 1400, "raw", "1500900000 +1400" },
	{ 1500900000, 1400, "unix", "1500900000" },
	{ 1500900000, 1400, "relative", "in the future" },
	{ 1500900000, 1400, "human", "Tue Jul 25 02:40" },
	{ 1500900000, 1400, "format:%Y %z [%Z] %s", "2017 +1400 [] 1500900000" },
	{ 1500900000, 1400, "format-local:%H %z %Z", "08 -0400 EDT" },
	{ 86400, 0, "default", "Fri Jan 2 00:00:00 1970 +0000" },
	{ 86400, 0, "local", "Thu Jan 1 19:00:00 1970" },
	{ 86400, 0, "iso", "1970-01-02 00:00:00 +0000" },
	{ 86400, 0, "iso-local", "1970-01-01 19:00:00 -0500" },
	{ 86400, 0, "iso-strict", "1970-01-02T00:00:00Z" },
	{ 86400, 0, "rfc2822", "Fri, 2 Jan 1970 00:00:00 +0000" },
	{ 86400, 0, "short", "1970-01-02" },
	{ 86400, 0, "raw", "86400 +0000" },
	{ 86400, 0, "unix", "86400" },
	{ 86400, 0, "relative", "48 years ago" },
	{ 86400, 0, "human", "Jan 2 1970" },
	{ 86400, 0, "format:%Y %z [%Z] %s", "1970 +0000 [] 86400" },
	{ 86400, 0, "format-local:%H %z %Z", "19 -0500 EST" },
};

static void test_shown(void **state)
{
	(void)state;
	setenv("GIT_TEST_DATE_NOW", "1500000000", 1);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		struct date_mode mode = DATE_MODE_INIT;
		struct strbuf sb = STRBUF_INIT;

		assert_int_equal(date_mode_parse(&mode, shown[i].mode), 0);
		date_format(&sb, shown[i].t, shown[i].tz, &mode);
		assert_string_equal(sb.buf, shown[i].text);
		strbuf_release(&sb);
		date_mode_release(&mode);
	}
}

/* Dates that no calendar has: formatting must not overflow. */
static void test_far_away(void **state)
{
	static const timestamp_t far[] = {
		UINT64_MAX, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_C(1) << 56,
	};
	static const char *const modes[] = {
		"default", "local", "iso-strict", "human", "relative", "format:%c %s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(far); i++) {
		for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
			struct date_mode mode = DATE_MODE_INIT;
			struct strbuf sb = STRBUF_INIT;

			assert_int_equal(date_mode_parse(&mode, modes[m]), 0);
			date_format(&sb, far[i], 9999, &mode);
			date_format(&sb, far[i], -2147483647, &mode);
			assert_true(sb.len > 0);
			strbuf_release(&sb);
			date_mode_release(&mode);
		}
	}
}

static void test_modes(void **state)
{
	static const char *const bad[] = {
		"", "foo", "isolocal", "iso-localx", "format", "format-local", "rawx",
		"auto", "iso-strictx",
	};
	struct date_mode mode = DATE_MODE_INIT;

	(void)state;
	assert_int_equal(date_mode_parse(&mode, "format-local:%Y"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(date_mode_parse(&mode, bad[i]), -1);
	assert_int_equal(mode.type, DATE_STRFTIME); /* untouched */
	assert_true(mode.local);
	assert_string_equal(mode.strftime_fmt, "%Y");
	setenv("GIT_PAGER_IN_USE", "true", 1);
	assert_int_equal(date_mode_parse(&mode, "auto:short"), 0);
	assert_int_equal(mode.type, DATE_SHORT);
	assert_null(mode.strftime_fmt);
	date_mode_release(&mode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_approximate),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_far_away),
		cmocka_unit_test(test_modes),
	};

	setenv("TZ", "EST5EDT,M4.1.0,M10.5.0", 1);
	tzset();
	unsetenv("GIT_TEST_DATE_NOW");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
