/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <glob.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/wait.h>
#include "fs/file.h"
#include "t/unit/pack-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

static char *the_dir;
static pid_t owner;

static void remove_dir(void)
{
	if (!the_dir || owner != getpid())
		return;
	if (chdir("/") < 0)
		fprintf(stderr, "cannot leave '%s'\n", the_dir);
	scratch_remove(the_dir);
	the_dir = NULL;
}

const char *aux_enter_dir(void)
{
	if (the_dir)
		return the_dir;
	the_dir = scratch_new();
	owner = getpid();
	if (chdir(the_dir) < 0)
		fail_msg("cannot enter '%s': %s", the_dir, strerror(errno));
	atexit(remove_dir);
	setenv("HOME", the_dir, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_AUTHOR_NAME", "A U Thor", 1);
	setenv("GIT_AUTHOR_EMAIL", "author@example.com", 1);
	setenv("GIT_COMMITTER_NAME", "C O Mitter", 1);
	setenv("GIT_COMMITTER_EMAIL", "committer@example.com", 1);
	setenv("GIT_AUTHOR_DATE", "1112911993 -0700", 1);
	setenv("GIT_COMMITTER_DATE", "1112911993 -0700", 1);
	return the_dir;
}

static const char *stock(void)
{
	const char *git = getenv("STOCK_GIT");

	return git && *git ? git : "/usr/bin/git";
}

bool aux_have_stock(void)
{
	return !access(stock(), X_OK);
}

static int vsh(struct strbuf *out, const char *fmt, va_list ap)
{
	char *script = xvstrfmt(fmt, ap), *cmd;
	char buf[65536];
	size_t n;
	FILE *fp;
	int status;

	setenv("GIT", stock(), 1);
	setenv("SCRIPT", script, 1);
	cmd = xstrfmt("sh -c 'eval \"$SCRIPT\"'");
	fp = popen(cmd, "r");
	if (!fp)
		fail_msg("popen: %s", strerror(errno));
	while ((n = fread(buf, 1, sizeof(buf), fp)))
		if (out)
			strbuf_add(out, buf, n);
	status = pclose(fp);
	free(cmd);
	free(script);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int aux_sh(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vsh(out, fmt, ap);
	va_end(ap);
	return rc;
}

void aux_must(const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vsh(NULL, fmt, ap);
	va_end(ap);
	if (rc)
		fail_msg("exit code %d: %s", rc, getenv("SCRIPT"));
}

void aux_make_repo(const char *directory, const char *hash)
{
	aux_must("$GIT init -q --object-format=%s '%s' && cd '%s' && "
		 "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do "
		 "seq $i $((i + 400)) >f$i; mkdir -p d$i; echo $i >d$i/x; seq $i 50 >d$i/y; done && "
		 "seq 1 30000 >big && : >empty && "
		 "$GIT add . && $GIT commit -qm one && "
		 "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do "
		 "echo more >>f$i; done && echo more >>big && "
		 "$GIT commit -qam two && $GIT tag -a -m tag v1 && $GIT repack -adq",
		 hash, directory, directory);
}

static void collect(void *data, const char *msg)
{
	struct warnings *w = data;

	strbuf_addf(&w->text, "%s\n", msg);
	w->nr++;
}

struct packs *aux_packs_with(struct packs_options *o, const char *objdir,
			     const struct hash_algo *algo, struct warnings *w)
{
	o->objdir = objdir;
	o->algo = algo;
	if (w) {
		o->warn = collect;
		o->warn_data = w;
	}
	return packs_new(o);
}

struct packs *aux_packs(const char *objdir, const struct hash_algo *algo, struct warnings *w)
{
	struct packs_options o = { .use_midx = true };

	return aux_packs_with(&o, objdir, algo, w);
}

static void compare_one(struct packs *ps, const struct object_id *oid, const char *type,
			const char *content, size_t size)
{
	struct err err = ERR_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;

	if (packs_read(ps, oid, &buf, &err) < 0)
		fail_msg("%s", err_message(&err));
	assert_string_equal(object_type_name(buf.type), type);
	assert_int_equal(buf.size, size);
	assert_memory_equal(buf.data, content, size);
	assert_int_equal(((char *)buf.data)[size], 0);
	assert_true(packs_has(ps, oid));
	if (packs_info(ps, oid, &info, &err) < 0)
		fail_msg("%s", err_message(&err));
	assert_int_equal(info.type, buf.type);
	assert_int_equal(info.size, size);
	object_buf_release(&buf);
}

size_t aux_compare_all(struct packs *ps, const char *repo, const struct hash_algo *algo)
{
	struct strbuf out = STRBUF_INIT;
	size_t nr = 0, at = 0;

	assert_int_equal(aux_sh(&out, "cd '%s' && $GIT cat-file --batch-all-objects --batch", repo), 0);
	while (at < out.len) {
		struct object_id oid;
		const char *rest;
		char type[16];
		size_t size;
		int used;

		assert_int_equal(oid_parse_hex(&oid, out.buf + at, algo, &rest), 0);
		assert_int_equal(sscanf(rest, " %15s %zu%n", type, &size, &used), 2);
		at = (size_t)(rest - out.buf) + (size_t)used + 1;
		compare_one(ps, &oid, type, out.buf + at, size);
		at += size + 1;
		nr++;
	}
	strbuf_release(&out);
	return nr;
}

void aux_read(struct strbuf *out, const char *path)
{
	struct err err = ERR_INIT;

	if (read_file(out, path, 0, &err) < 0)
		fail_msg("%s", err_message(&err));
}

void aux_write(const char *path, const void *p, size_t len)
{
	FILE *fp;

	unlink(path);
	fp = fopen(path, "wb");
	if (!fp || fwrite(p, 1, len, fp) != len || fclose(fp))
		fail_msg("cannot write '%s'", path);
}

char *aux_glob(const char *fmt, ...)
{
	va_list ap;
	char *pattern, *found;
	glob_t g;

	va_start(ap, fmt);
	pattern = xvstrfmt(fmt, ap);
	va_end(ap);
	if (glob(pattern, 0, NULL, &g))
		fail_msg("nothing matches '%s'", pattern);
	found = xstrdup(g.gl_pathv[0]);
	globfree(&g);
	free(pattern);
	return found;
}

bool aux_bitset_eq(const struct bitset *a, const struct bitset *b)
{
	size_t nr = bitset_count(a);

	return nr == bitset_count(b) && nr == bitset_count_and(a, b);
}
