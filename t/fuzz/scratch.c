/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "repo/init.h"
#include "t/fuzz/scratch.h"
#include "fs/file.h"
#include "operation.h"
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
		.template_dir = "", .initial_branch = "main", .hash_name = "sha1",
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
