/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain-race (midx | commit-graph) <rounds> <dir> <chain> <one> <other>
 *
 * In `dir` of the repository here a chain of layers is opened <rounds> times, while another process puts the
 * files of the directories <one> and <other> in its place, in turns: new layers, then the file <chain> that
 * names them, then what only the one before had is removed. Fails if a reader meets anything but one of the two.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include "fs/file.h"
#include "history/commit-graph.h"
#include "history/grafts.h"
#include "pack/idx-internal.h"
#include "util/alloc.h"
#include "util/path.h"

static unsigned nr_failures;

static void complain(void *data UNUSED, const char *msg)
{
	nr_failures++;
	fprintf(stderr, "%s\n", msg);
}

/* ---- the writer ---- */

/* Put the layers of `from` there that are not in `but`, or remove them. */
static void each_layer(const char *dir, const char *from, const char *but, const char *chain, bool put)
{
	DIR *d = opendir(from);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *src = path_join(from, e->d_name), *dst = path_join(dir, e->d_name),
		     *both = path_join(but, e->d_name);

		if (*e->d_name != '.' && strcmp(e->d_name, chain) && !file_exists(both) &&
		    (put ? link(src, dst) : unlink(dst)) < 0 && errno != EEXIST && errno != ENOENT)
			exit(3);
		free(src);
		free(dst);
		free(both);
	}
	if (d)
		closedir(d);
}

/* A new file each time, as who writes a chain makes one. */
static void put_chain(const char *dir, const char *from, const char *chain)
{
	char *src = path_join(from, chain), *dst = path_join(dir, chain), *tmp = path_join(dir, "tmp");
	struct strbuf text = STRBUF_INIT;
	int fd;

	if (read_file(&text, src, 1 << 20, NULL) < 0)
		exit(3);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0 || write(fd, text.buf, text.len) != (ssize_t)text.len || close(fd) < 0 || rename(tmp, dst) < 0)
		exit(3);
	strbuf_release(&text);
	free(src);
	free(dst);
	free(tmp);
}

static NORETURN void write_in_turns(const char *dir, const char *chain, const char *const *from)
{
	for (unsigned i = 0;; i = !i) {
		each_layer(dir, from[i], from[!i], chain, true);
		put_chain(dir, from[i], chain);
		each_layer(dir, from[!i], from[i], chain, false);
	}
}

/* ---- the reader ---- */

static void read_midx(const char *dir, const struct hash_algo *algo)
{
	char *packdir = xstrndup(dir, strrchr(dir, '/') - dir);
	struct err err = ERR_INIT;
	struct midx *m = NULL;

	if (midx_open_dir(&m, packdir, algo, &err) < 0)
		complain(NULL, err_message(&err));
	err_release(&err);
	midx_free(m);
	free(packdir);
}

static void read_graph(struct repository *r)
{
	struct grafts none = { OIDMAP_INIT };
	struct commit_graph *g = commit_graph_open(r, &none);

	if (!g)
		complain(NULL, "there is no commit-graph");
	commit_graph_free(g);
}

int main(int argc, const char **argv)
{
	struct repo_open_options o = { .warn = complain, .report_error = complain };
	struct repository *r;
	struct err err = ERR_INIT;
	pid_t writer;

	if (argc != 7 || repo_open(&r, &o, &err) < 0) {
		fprintf(stderr, "fatal: %s\n", argc != 7 ? "wrong arguments" : err_message(&err));
		return 128;
	}
	writer = fork();
	if (!writer)
		write_in_turns(argv[3], argv[4], argv + 5);
	for (int i = 0, nr = atoi(argv[2]); i < nr && writer > 0 && !waitpid(writer, NULL, WNOHANG); i++) {
		if (!strcmp(argv[1], "midx"))
			read_midx(argv[3], r->algo);
		else
			read_graph(r);
		strset_clear(&r->noted);
		if (i + 1 == nr)
			puts("done");
	}
	if (writer > 0)
		kill(writer, SIGKILL);
	repo_free(r);
	return nr_failures != 0;
}
