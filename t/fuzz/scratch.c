/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "repo/init.h"
#include "t/fuzz/scratch.h"
#include "wire/pkt-writer.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "util/alloc.h"

#define WHO "A U Thor <a@example.com> 1700000000 +0130"

struct object_id scratch_head;

static char *dir;

static void must(int rc)
{
	if (rc < 0)
		abort();
}

static void remove_dir(void)
{
	if (remove_tree(dir, false, NULL) < 0)
		perror(dir);
	free(dir);
}

const char *scratch_dir(void)
{
	if (!dir) {
		dir = xstrfmt("%s/fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		if (!mkdtemp(dir))
			abort();
		atexit(remove_dir);
	}
	return dir;
}

const char *scratch_path(const char *name)
{
	static char bufs[4][PATH_MAX];
	static unsigned next;
	char *buf = bufs[next++ % 4];

	snprintf(buf, PATH_MAX, "%s/%s", scratch_dir(), name);
	return buf;
}

void scratch_write(const char *name, const void *p, size_t len)
{
	const char *path = scratch_path(name);
	FILE *fp = fopen(path, "wb");

	if (!fp) {
		must(make_leading_dirs(path, 0, NULL));
		fp = fopen(path, "wb");
	}
	if (!fp || fwrite(p, 1, len, fp) != len || fclose(fp))
		abort();
}

/* ---- the repository ---- */

static struct object_id add(struct repository *r, enum object_type type, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static struct object_id add(struct repository *r, enum object_type type, const char *fmt, ...)
{
	struct object_id oid;
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	must(odb_write(r->odb, type, text, strlen(text), &oid, NULL));
	free(text);
	return oid;
}

static struct object_id add_tree(struct repository *r, const struct object_id *blob)
{
	struct strbuf sb = STRBUF_INIT;
	struct object_id oid;

	strbuf_add(&sb, "100644 file", sizeof("100644 file"));
	strbuf_add(&sb, blob->hash, r->algo->raw_len);
	must(odb_write(r->odb, OBJ_TREE, sb.buf, sb.len, &oid, NULL));
	strbuf_release(&sb);
	return oid;
}

static void update(struct ref_transaction *t, const char *name, const struct object_id *oid)
{
	must(ref_transaction_update(t, name, oid, NULL, 0, "made", NULL));
}

static void fill(struct repository *r)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct ref_transaction *t = repo_operation_new_refs(op, 0);
	struct object_id blob, tree, first, tag;

	must(repo_operation_open_objects(op, NULL));
	blob = add(r, OBJ_BLOB, "content\n");
	tree = add_tree(r, &blob);
	first = add(r, OBJ_COMMIT, "tree %s\nauthor " WHO "\ncommitter " WHO "\n\nfirst\n",
		    oid_hex(&tree));
	scratch_head = add(r, OBJ_COMMIT, "tree %s\nparent %s\nauthor " WHO "\ncommitter " WHO
			   "\nencoding ISO-8859-1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n"
			   " -----END PGP SIGNATURE-----\n\nsecond \xe4\n\nbody\n\n"
			   "Acked-by: X <x@example.com>\nFixes: 1\n 2\n",
			   oid_hex(&tree), oid_hex(&first));
	tag = add(r, OBJ_TAG, "object %s\ntype commit\ntag v1\ntagger " WHO "\n\nrelease\n\nbody\n"
		  "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n",
		  oid_hex(&first));
	ref_transaction_set_ident(t, WHO);
	update(t, "refs/heads/main", &scratch_head);
	update(t, "refs/heads/topic", &first);
	update(t, "refs/remotes/o/main", &first);
	update(t, "refs/tags/v1", &tag);
	must(repo_operation_end(op, 0, NULL));
}

static void clear_environment(void)
{
	for (size_t i = 0; repo_local_env[i]; i++)
		unsetenv(repo_local_env[i]);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("HOME", scratch_dir(), 1);
	setenv("XDG_CONFIG_HOME", scratch_dir(), 1);
	setenv("GIT_TEST_FSYNC", "0", 1);
	setenv("GIT_COMMITTER_NAME", "C O Mitter", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.com", 1);
}

struct repository *scratch_repo(void)
{
	static const char config[] = "[remote \"o\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n"
		"[branch \"main\"]\n\tremote = o\n\tmerge = refs/heads/main\n";
	static struct repository *repo;
	struct repo_init_options o = {
		.template_dir = "", .initial_branch = "main", .hash_name = "sha1", .ref_format = "files",
	};
	struct repo_init_result made = { 0 };

	if (repo)
		return repo;
	clear_environment();
	scratch_write("repo/.git/config", config, sizeof(config) - 1);
	o.gitdir = scratch_path("repo/.git");
	o.worktree = scratch_path("repo");
	must(repo_init(&o, &made, NULL));
	must(repo_open_at(&repo, o.gitdir, o.worktree, NULL));
	free(made.gitdir);
	free(made.branch);
	fill(repo);
	return repo;
}

/* ---- packets ---- */

static void expand(struct strbuf *out, const char *p, size_t len)
{
	static const char *const refs[] = { "HEAD", "refs/heads/topic", "refs/tags/v1",
					    "refs/remotes/o/main" };
	struct repository *r = scratch_repo();
	struct object_id oid;

	for (size_t i = 0; i < len; i++) {
		unsigned n = i + 1 < len && p[i] == '%' ? (unsigned char)p[i + 1] - '0' : 9;

		if (n > ARRAY_SIZE(refs) + 1) {
			strbuf_addch(out, p[i]);
			continue;
		}
		i++;
		oid = r->algo->null_oid;
		if (n < ARRAY_SIZE(refs) ? ref_resolve(r->refs, refs[n], &oid, NULL, NULL, NULL) < 0
		    : n == ARRAY_SIZE(refs) && object_peel(odb_source_unreplaced(r->odb), &scratch_head,
							   OBJ_TREE, &oid, NULL, NULL) < 0)
			abort();
		strbuf_add_oid(out, &oid);
	}
}

/* One without objects, on band 1. */
static void add_pack(struct pkt_writer *w)
{
	static const char head[] = "PACK\0\0\0\2\0\0\0";
	struct strbuf *out = pkt_writer_begin(w);
	struct object_id sum;
	struct hash_ctx ctx;

	hash_init(&ctx, scratch_repo()->algo);
	hash_update(&ctx, head, sizeof(head));
	hash_final(&ctx, &sum);
	hash_release(&ctx);
	strbuf_addch(out, 1);
	strbuf_add(out, head, sizeof(head));
	strbuf_add(out, sum.hash, scratch_repo()->algo->raw_len);
	pkt_writer_end(w);
}

static void add_line(struct pkt_writer *w, const char *p, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	expand(&line, p, len);
	if (!strcmp(line.buf, "PACK"))
		add_pack(w);
	else if (!strcmp(line.buf, "0000"))
		pkt_writer_flush(w);
	else if (!strcmp(line.buf, "0001"))
		pkt_writer_delim(w);
	else if (!strcmp(line.buf, "0002"))
		pkt_writer_response_end(w);
	else if (line.len < PKT_MAX - 4)
		pkt_writer_add(w, line.buf, line.len);
	strbuf_release(&line);
}

int scratch_packets(const uint8_t *p, size_t len, bool raw)
{
	struct pkt_writer w;
	int fd = os_unnamed_file();

	if (fd < 0)
		abort();
	pkt_writer_init(&w, fd);
	if (raw)
		strbuf_add(&w.buf, p, len);
	while (!raw && len) {
		const uint8_t *end = memchr(p, '\n', len);
		size_t n = end ? (size_t)(end - p) : len;

		add_line(&w, (const char *)p, n);
		n += end != NULL;
		p += n;
		len -= n;
	}
	if (pkt_writer_send(&w, NULL) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	pkt_writer_release(&w);
	return fd;
}
