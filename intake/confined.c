/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "intake/confined.h"
#include "intake/quarantine.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/trace2.h"
#include "write-or-die.h"

#define REASON_MAX 1000

/* Shared with the children, and not trusted. */
struct finding {
	int code;
	char reason[REASON_MAX];
};

struct confined {
	struct repository *r;
	const struct intake *in;
	struct tmp_objdir *dir;
	enum sandbox_mode mode;
	struct finding *found;
	struct object_id *pack;
};

/* ---- both ---- */

/* A process that is taken over shall not talk to the server, nor to the user's programs. */
static int close_all_but(const int *fds, size_t nr, bool streams, struct err *err)
{
	os_close_others(fds, nr, trace_has_descriptor);
	if (!streams && (os_redirect_to_null(STDIN_FILENO) < 0 || os_redirect_to_null(STDOUT_FILENO) < 0))
		return err_set_errno(err, "cannot open '/dev/null'");
	return 0;
}

/* ---- the first child ---- */

static int open_quarantine(const struct confined *c, struct repository **out, struct err *err)
{
	struct strvec env = STRVEC_INIT;
	int rc;

	tmp_objdir_env(c->dir, &env);
	rc = repo_open_with_objects(out, c->r->gitdir, env.v[0] + strlen("GIT_OBJECT_DIRECTORY="),
				    env.v[1] + strlen("GIT_ALTERNATE_OBJECT_DIRECTORIES="), err);
	strvec_clear(&env);
	return rc;
}

static int confine(const struct confined *c, struct repository *r, struct err *err)
{
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, c->mode, err);

	if (rc <= 0)
		return rc;
	sandbox.private_dir = tmp_objdir_path(c->dir);
	sandbox.tree = true;
	return repo_confine(r, &sandbox, -1, err);
}

/* D1, D7: a process awaits what it has written itself. */
static int publish(struct repository *r, struct fsync_batch *batch, struct err *err)
{
	int rc = odb_batch(r->odb) ? odb_stage_batch(r->odb, err) : 0;

	return rc ? rc : fsync_batch_publish(batch, err);
}

static int receive_confined(const struct confined *c, int fd, struct err *err)
{
	struct fsync_batch_options o = { .policy = c->r->settings.fsync, .hidden = true };
	struct intake_input input = INTAKE_INPUT_INIT;
	struct intake_place place = { .batch = fsync_batch_new(&o), .input = c->in->source ? &input : NULL };
	const bool reads = !c->in->source;
	int rc = close_all_but(reads ? &c->in->fd : &fd, 1, reads, err);

	input.fd = fd;
	if (!rc)
		rc = open_quarantine(c, &place.r, err);
	if (!rc)
		rc = confine(c, place.r, err);
	if (!rc)
		rc = c->in->receive(c->in->data, &place, err);
	return rc ? rc : publish(place.r, place.batch, err);
}

/* ---- the second one ---- */

static int check_confined(const struct confined *c, int fd UNUSED, struct err *err)
{
	struct intake_check check = { .repo = c->r, .dir = tmp_objdir_path(c->dir), .sandbox = c->mode };
	int rc = config_get_int(c->r->config, "pack.threads", &check.threads, err);

	if (rc >= 0)
		rc = close_all_but(NULL, 0, false, err);
	return rc < 0 ? rc : intake_check_objects(&check, err);
}

/* ---- the parent ---- */

/* fd: the source's end for the process; -1. */
typedef int (*confined_fn)(const struct confined *c, int fd, struct err *err);

/* Nothing of the parent's is freed or removed here: it ends by _exit. */
NORETURN static void run_child(const struct confined *c, confined_fn fn, int fd)
{
	struct err err = ERR_INIT;
	int rc = fn(c, fd, &err);

	fflush(stderr);
	snprintf(c->found->reason, REASON_MAX, "%s", rc ? err_message(&err) : "");
	c->found->code = rc;
	_exit(rc ? 1 : 0);
}

/* Kinds that callers tell apart, and cannot do harm. */
static int kind_of(int code)
{
	return code == ERR_NOT_FOUND || code == ERR_TOO_BIG || code == ERR_IO ? code : ERR_CORRUPT;
}

static int read_finding(const struct confined *c, int status, struct err *err)
{
	char reason[REASON_MAX];

	if (WIFEXITED(status) && !WEXITSTATUS(status) && !c->found->code)
		return 0;
	memcpy(reason, c->found->reason, REASON_MAX);
	reason[REASON_MAX - 1] = '\0';
	for (char *p = reason; *p; p++)
		if (iscntrl((unsigned char)*p) && *p != '\n')
			*p = '?';
	if (WIFEXITED(status) && *reason)
		return err_set(err, kind_of(c->found->code), "%s", reason);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_GENERIC, "%s died of signal %d", c->in->name, WTERMSIG(status));
	return err_set(err, ERR_GENERIC, "%s abnormal exit", c->in->name);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* source: NULL: the process needs none. */
static int run(const struct confined *c, confined_fn fn, const struct intake_source *source, struct err *err)
{
	int pair[2] = { -1, -1 }, status, rc;
	pid_t pid;

	memset(c->found, 0, sizeof(*c->found));
	c->found->code = ERR_GENERIC;
	fflush(stdout);
	if (source && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set_errno(err, "cannot create a socket");
	pid = fork();
	if (!pid)
		run_child(c, fn, pair[1]);
	if (pid < 0) {
		rc = err_set_errno(err, "cannot fork");
		close_pair(pair);
		return rc;
	}
	if (source)
		close(pair[1]);
	pair[1] = -1;
	rc = source ? intake_feed(source, pair[0], err) : 0;
	close_pair(pair);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc < 0 ? rc : read_finding(c, status, err);
}

static int receive_and_check(struct confined *c, struct err *err)
{
	size_t nr = 0;
	int rc = run(c, receive_confined, c->in->source, err);

	if (!rc)
		rc = tmp_objdir_check(c->dir, c->r->algo->hex_len, &nr, err);
	return rc || !nr ? rc : run(c, check_confined, NULL, err);
}

/* ---- .promisor, .keep ---- */

struct packs {
	const struct confined *c;
	struct fsync_batch *batch;
};

/* stem: of the pack's place. The process that read the pack cannot make the file: it is not ours to say beside which pack. */
static int stage_text(const struct packs *p, const char *stem, const char *ext, const char *msg, struct err *err)
{
	const struct confined *c = p->c;
	char *path = xstrfmt("%s%s", stem, ext);
	struct tempfile *t = NULL;
	int rc = tempfile_create_in(&t, tmp_objdir_path(c->dir), "tmp_text_", 0444, err);

	if (!rc && *msg)
		rc = write_in_full(t->fd, msg, strlen(msg), t->path, err);
	if (!rc && *msg)
		rc = write_in_full(t->fd, "\n", 1, t->path, err);
	if (!rc && c->r->settings.shared_perm)
		rc = apply_shared_perm(t->path, c->r->settings.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&t, p->batch, FSYNC_PACK_METADATA, PUBLISH_PACK_DATA, path, true, err);
	tempfile_delete(&t);
	free(path);
	return rc;
}

/* D3: before the .idx. */
static int stage_texts(void *data, const char *rel, struct err *err)
{
	const struct packs *p = data;
	const struct intake *in = p->c->in;
	char *stem = xstrfmt("%s/%.*s", p->c->r->objdir, (int)(strlen(rel) - strlen(".pack")), rel);
	int rc = in->promisor_msg ? stage_text(p, stem, ".promisor", in->promisor_msg, err) : 0;

	if (!rc && in->keep_msg)
		rc = stage_text(p, stem, ".keep", in->keep_msg, err);
	if (!rc && oid_from_hex(p->c->pack, strrchr(stem, '/') + strlen("/pack-"), p->c->r->algo) < 0)
		rc = err_set(err, ERR_CORRUPT, "bad name of a pack '%s'", rel);
	free(stem);
	return rc;
}

/* ---- all of it ---- */

static int stage(const struct confined *c, struct repo_operation *op, struct err *err)
{
	struct packs p = { c, repo_operation_batch(op) };
	int rc = tmp_objdir_foreach_pack(c->dir, stage_texts, &p, err);

	return rc ? rc : tmp_objdir_stage_all(c->dir, p.batch, true, err);
}

static int receive_in_quarantine(struct confined *c, struct repo_operation *op, struct err *err)
{
	int rc;

	c->found = mmap(NULL, sizeof(*c->found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->found == MAP_FAILED)
		return err_set_errno(err, "cannot make shared memory");
	tmp_objdir_reap(c->r->objdir);
	rc = tmp_objdir_create(&c->dir, c->r->objdir, "incoming", c->r->settings.shared_perm, err);
	if (!rc)
		rc = receive_and_check(c, err);
	if (!rc)
		rc = stage(c, op, err);
	munmap(c->found, sizeof(*c->found));
	return rc;
}

static int read_mode(enum sandbox_mode *mode, struct err *err)
{
	struct config_set *c = config_set_new();
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = sandbox_read_config(mode, c, err);
	config_set_free(c);
	return rc;
}

/* In this process. */
static int receive_here(struct repository *r, struct repo_operation *op, const struct intake *in, struct err *err)
{
	struct intake_input input = INTAKE_INPUT_INIT;
	const struct intake_place place = {
		.r = r, .batch = repo_operation_batch(op), .input = in->source ? &input : NULL,
		.promisor_msg = in->promisor_msg, .keep_msg = in->keep_msg,
	};

	input.source = in->source;
	return in->receive(in->data, &place, err);
}

int intake_receive(struct repository *r, struct repo_operation *op, const struct intake *in,
		   struct intake_result *result, struct err *err)
{
	struct confined c = { .r = r, .in = in, .pack = &result->pack };
	struct sandbox sandbox;
	int rc = read_mode(&c.mode, err);

	*result = (struct intake_result){ .dir = NULL, .pack = r->algo->null_oid };
	if (!rc)
		rc = odb_can_fetch(r->odb) ? 0 : sandbox_probe(&sandbox, c.mode, err);
	if (!rc)
		return receive_here(r, op, in, err);
	if (rc > 0)
		rc = receive_in_quarantine(&c, op, err);
	result->dir = c.dir;
	return rc;
}

void intake_result_release(struct intake_result *result)
{
	tmp_objdir_destroy(&result->dir);
}
