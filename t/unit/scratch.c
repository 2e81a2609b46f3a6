/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/unit/scratch.h"
#include "t/fault.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

bool scratch_spawn_tells(void)
{
	char *args[] = { "none", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/no/such/program", NULL, NULL, args, args + 1))
		return true;
	waitpid(pid, NULL, 0);
	return false;
}

char *scratch_new_in(const char *parent)
{
	char *template = xstrfmt("%s/unit-XXXXXX", parent);
	char *made, *real = NULL;

	made = mkdtemp(template);
	if (made)
		real = realpath(made, NULL);
	free(template);
	return real;
}

char *scratch_new(void)
{
	const char *build = getenv("GIT_BUILD_DIR");
	char *directory = scratch_new_in(build ? build : is_directory("build") ? "build" : ".");

	if (!directory)
		abort();
	return directory;
}

void scratch_remove(char *directory)
{
	if (directory && remove_tree(directory, false, NULL) < 0)
		abort();
	free(directory);
}

char *dir;

int scratch_setup(void **state UNUSED)
{
	dir = scratch_new();
	unsetenv("GIT_TEST_FSYNC");
	unsetenv("GIT_TEST_FS_KIND");
	return 0;
}

void pretend_fs(enum fs_kind kind)
{
	static const char *const names[] = {
		[FS_JOURNAL] = "journal", [FS_BTRFS] = "btrfs", [FS_LOCAL] = "local",
		[FS_EACH] = "each", [FS_FULL] = "full",
	};

	setenv("GIT_TEST_FS_KIND", names[kind], 1);
}

int scratch_teardown(void **state UNUSED)
{
	fault_remove();
	scratch_remove(dir);
	return 0;
}

void assert_tree(const char *expect)
{
	char *tree = tree_of(dir);

	assert_string_equal(tree, expect);
	free(tree);
}

const char *at(const char *directory, const char *fmt, ...)
{
	static char bufs[8][PATH_MAX];
	static unsigned next;
	char *buf = bufs[next++ % 8];
	size_t n = (size_t)snprintf(buf, PATH_MAX, "%s/", directory);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, PATH_MAX - n, fmt, ap);
	va_end(ap);
	return buf;
}

int new_file(const char *path, const char *text)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	return fd;
}

void write_text(const char *path, const char *text)
{
	FILE *fp;

	if (make_leading_dirs(path, 0, NULL) < 0)
		abort();
	fp = fopen(path, "w");
	if (!fp || fputs(text, fp) < 0 || fclose(fp))
		abort();
}

char *read_text(const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	if (read_file(&sb, path, 0, NULL) < 0)
		return NULL;
	return strbuf_detach(&sb, NULL);
}

static void collect(struct strvec *lines, const char *directory, const char *sub)
{
	char *path = xstrfmt("%s/%s", directory, sub);
	DIR *d = opendir(path);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		char *name, *full;
		struct stat st;

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, "..") ||
		    starts_with(de->d_name, ".git-owner-"))
			continue;
		name = xstrfmt("%s%s%s", sub, *sub ? "/" : "", de->d_name);
		full = xstrfmt("%s/%s", directory, name);
		if (lstat(full, &st))
			abort();
		if (S_ISDIR(st.st_mode)) {
			strvec_pushf(lines, "d %s", name);
			collect(lines, directory, name);
		} else {
			strvec_pushf(lines, "f %s %jd", name, (intmax_t)st.st_size);
		}
		free(name);
		free(full);
	}
	if (d)
		closedir(d);
	free(path);
}

char *tree_of(const char *directory)
{
	struct strvec lines = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;

	collect(&lines, directory, "");
	strvec_sort_unique(&lines);
	for (size_t i = 0; i < lines.nr; i++)
		strbuf_addf(&sb, "%s\n", lines.v[i]);
	strvec_clear(&lines);
	return strbuf_detach(&sb, NULL);
}

static bool dropped(const char *line, const char *drop)
{
	size_t len = strcspn(line, " \n");

	for (const char *p = drop; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && !strncmp(p, line, n))
			return true;
		p += n;
	}
	return false;
}

char *simplify(const char *text, const char *directory, const char *drop)
{
	struct strbuf sb = STRBUF_INIT;
	size_t dir_len = strlen(directory);

	while (*text) {
		const char *end = strchrnul(text, '\n');

		if (!dropped(text, drop)) {
			while (text < end) {
				if (!strncmp(text, directory, dir_len)) {
					strbuf_addch(&sb, '.');
					text += dir_len;
				} else {
					strbuf_addch(&sb, *text++);
				}
			}
			strbuf_addch(&sb, '\n');
		}
		text = *end ? end + 1 : end;
	}
	return strbuf_detach(&sb, NULL);
}

size_t open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t nr = 0;

	while (d && readdir(d))
		nr++;
	if (d)
		closedir(d);
	return nr;
}

/* ---- children that end in a BUG() ---- */

void assert_bug(void (*fn)(void), const char *text)
{
	char *log = xstrfmt("%s/said", dir);
	char *said;
	int status;
	pid_t pid;

	unlink(log);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		if (dup2(new_file(log, ""), 2) < 0)
			_exit(1);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	said = read_text(log);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("no BUG \"%s\"", text);
	if (!strstr(said, text))
		fail_msg("not \"%s\" but: %s", text, said);
	free(said);
	free(log);
}

int exit_code_of(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		fn();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
