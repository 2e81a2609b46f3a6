/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands in for functions that some systems lack; each is tested on all. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "compat/os.h"
#include "compat/regexec.h"
#include "compat/socket.h"
#include "compat/sort.h"

static void memrchr_finds_the_last(void **state UNUSED)
{
	static const char s[] = "a/b/c\0/\xff";

	assert_ptr_equal(compat_memrchr(s, '/', 5), s + 3);
	assert_ptr_equal(compat_memrchr(s, '/', 7), s + 6);
	assert_ptr_equal(compat_memrchr(s, 'a', 5), s);
	assert_ptr_equal(compat_memrchr(s, 0xff, 8), s + 7);
	assert_null(compat_memrchr(s, 'x', 7));
	assert_null(compat_memrchr(s, 'a', 0));
}

static void strchrnul_finds_the_end(void **state UNUSED)
{
	static const char s[] = "ab:c:";

	assert_ptr_equal(compat_strchrnul(s, ':'), s + 2);
	assert_ptr_equal(compat_strchrnul(s, 'x'), s + 5);
	assert_ptr_equal(compat_strchrnul("", 'x')[0] ? NULL : s, s);
}

/* ---- sorting ---- */

struct triple {
	unsigned char byte[3];
};

static int by_second_byte(const void *a, const void *b, void *data)
{
	++*(size_t *)data;
	return ((const struct triple *)a)->byte[1] - ((const struct triple *)b)->byte[1];
}

static void sort_orders_elements_of_any_size(void **state UNUSED)
{
	struct triple v[200];
	unsigned dice = 1;

	for (size_t nr = 0; nr <= ARRAY_SIZE(v); nr++) {
		size_t calls = 0, sum = 0;

		for (size_t i = 0; i < nr; i++) {
			dice = dice * 1103515245 + 12345;
			v[i].byte[1] = (unsigned char)(dice >> 16);
			v[i].byte[0] = v[i].byte[2] = v[i].byte[1] ^ 0x55;
			sum += v[i].byte[1];
		}
		compat_qsort_r(v, nr, sizeof(*v), by_second_byte, &calls);
		for (size_t i = 0; i < nr; i++) {
			assert_true(!i || v[i - 1].byte[1] <= v[i].byte[1]);
			assert_int_equal(v[i].byte[0], v[i].byte[1] ^ 0x55);
			assert_int_equal(v[i].byte[2], v[i].byte[0]);
			sum -= v[i].byte[1];
		}
		assert_int_equal(sum, 0);
		assert_true(calls <= nr * 2 * 9); /* log2(200) < 8 */
	}
}

/* ---- regular expressions ---- */

typedef int (*regexec_fn)(const regex_t *regex, const char *text, size_t len, size_t nr, regmatch_t *m, int flags);

/* The match in the first len bytes, as "from-to"; "" if there is none. */
static const char *match(regexec_fn fn, const char *pattern, const char *text, size_t len, int flags)
{
	static char out[40];
	regmatch_t m[2];
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	*out = '\0';
	if (!fn(&regex, text, len, 2, m, flags))
		snprintf(out, sizeof(out), "%d-%d", (int)m[0].rm_so, (int)m[0].rm_eo);
	regfree(&regex);
	return out;
}

static void regexec_stops_at_the_length(void **state UNUSED)
{
	static const regexec_fn both[] = { regexec_range, compat_regexec_range };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		assert_string_equal(match(both[i], "b+", "abbbb", 3, 0), "1-3");
		assert_string_equal(match(both[i], "c", "abc", 2, 0), "");
		assert_string_equal(match(both[i], "b$", "abbb", 2, 0), "1-2");
		assert_string_equal(match(both[i], "^a", "aa", 2, REG_NOTBOL), "");
		assert_string_equal(match(both[i], "^", "", 0, 0), "0-0");
		assert_string_equal(match(both[i], "d", "ab\0cd", 5, 0), "4-5");
		assert_string_equal(match(both[i], "^c|b$", "ab\0cd", 5, 0), "");
		assert_string_equal(match(both[i], "d$", "ab\0cd", 5, REGEXEC_NUL_ENDED), "4-5");
	}
}

static void regexec_needs_no_matches(void **state UNUSED)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, "b", 0), 0);
	assert_int_equal(regexec_range(&regex, "ab", 2, 0, NULL, 0), 0);
	assert_int_equal(regexec_range(&regex, "ab", 1, 0, NULL, 0), REG_NOMATCH);
	assert_int_equal(compat_regexec_range(&regex, "ab", 2, 0, NULL, 0), 0);
	assert_int_equal(compat_regexec_range(&regex, "ab", 1, 0, NULL, 0), REG_NOMATCH);
	regfree(&regex);
}

/* ---- calls ---- */

static void sockets_are_close_on_exec(void **state UNUSED)
{
	struct sockaddr_storage address = { 0 };
	int fd[5], listener = os_socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(address);

	fd[0] = listener;
	fd[1] = os_socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(os_socketpair(AF_UNIX, SOCK_STREAM, fd + 2), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(connect(fd[1], (struct sockaddr *)&address, len), 0);
	fd[4] = os_accept(listener, NULL, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		assert_true(fd[i] >= 0);
		assert_true(fcntl(fd[i], F_GETFD) & FD_CLOEXEC);
		close(fd[i]);
	}
}

static void a_link_is_told_from_other_failures(void **state UNUSED)
{
	char dir[PATH_MAX - 10], path[PATH_MAX];
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/compat.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("target", path), 0);
	assert_int_equal(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), -1);
	assert_true(os_is_nofollow_error(errno));
	assert_false(os_is_nofollow_error(ENOENT));
	unlink(path);
	rmdir(dir);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A time of another size than the kernel expects is none, or is over at once. */
static void waits_for_a_word_are_few(void **state UNUSED)
{
	uint32_t *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int64_t until = now_ms() + 200;
	size_t calls = 0;

	assert_true(word != MAP_FAILED);
	for (int64_t left; (left = until - now_ms()) > 0; calls++)
		os_word_wait(word, 0, left);
#ifdef __linux__
	assert_in_range(calls, 0, 3);
#else
	assert_in_range(calls, 0, 200);
#endif
	munmap(word, 4096);
}

/* After 2038, on 32 bits, too. */
static void times_have_64_bits(void **state UNUSED)
{
	struct stat st;

	assert_int_equal(sizeof(time_t), 8);
	assert_int_equal(sizeof(st.st_mtime), 8);
	assert_int_equal(sizeof(off_t), 8);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memrchr_finds_the_last),
		cmocka_unit_test(strchrnul_finds_the_end),
		cmocka_unit_test(sort_orders_elements_of_any_size),
		cmocka_unit_test(regexec_stops_at_the_length),
		cmocka_unit_test(regexec_needs_no_matches),
		cmocka_unit_test(sockets_are_close_on_exec),
		cmocka_unit_test(a_link_is_told_from_other_failures),
		cmocka_unit_test(waits_for_a_word_are_few),
		cmocka_unit_test(times_have_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
