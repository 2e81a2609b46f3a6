/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "fs/file.h"
#include "fs/tempfile.h"
#include "intake/confined.h"
#include "intake/quarantine.h"
#include "util/alloc.h"
#include "util/path.h"
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
};

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
static int receive_confined(const struct confined *c, struct err *err)
{
	struct fsync_batch_options o = { .policy = c->r->settings.fsync, .hidden = true };
	struct fsync_batch *batch = fsync_batch_new(&o);
	struct repository *r = NULL;
	int rc = open_quarantine(c, &r, err);

	if (!rc)
		rc = confine(c, r, err);
	if (!rc)
		rc = c->in->receive(c->in->data, r, batch, NULL, err);
	return rc ? rc : fsync_batch_publish(batch, err);
}

/* ---- the second one ---- */

static int check_confined(const struct confined *c, struct err *err)
{
	struct intake_check check = { .repo = c->r, .dir = tmp_objdir_path(c->dir), .sandbox = c->mode };
	int rc = config_get_int(c->r->config, "pack.threads", &check.threads, err);

	return rc < 0 ? rc : intake_check_objects(&check, err);
}

/* ---- the parent ---- */

typedef int (*confined_fn)(const struct confined *c, struct err *err);

/* Nothing of the parent's is freed or removed here: it ends by _exit. */
NORETURN static void run_child(const struct confined *c, confined_fn fn)
{
	struct err err = ERR_INIT;
	int rc = fn(c, &err);

	fflush(stderr);
	snprintf(c->found->reason, REASON_MAX, "%s", rc ? err_message(&err) : "");
	c->found->code = rc;
	_exit(rc ? 1 : 0);
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
		return err_set(err, ERR_CORRUPT, "%s", reason);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_GENERIC, "%s died of signal %d", c->in->name, WTERMSIG(status));
	return err_set(err, ERR_GENERIC, "%s abnormal exit", c->in->name);
}

static int run(const struct confined *c, confined_fn fn, struct err *err)
{
	int status;
	pid_t pid;

	memset(c->found, 0, sizeof(*c->found));
	c->found->code = ERR_GENERIC;
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(c, fn);
	if (pid < 0)
		return err_set_errno(err, "cannot fork");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return read_finding(c, status, err);
}

static int receive_and_check(struct confined *c, struct err *err)
{
	size_t nr = 0;
	int rc = run(c, receive_confined, err);

	if (!rc)
		rc = tmp_objdir_check(c->dir, c->r->algo->hex_len, &nr, err);
	return rc || !nr ? rc : run(c, check_confined, err);
}

/* ---- .promisor ---- */

struct promise {
	const struct confined *c;
	struct fsync_batch *batch;
};

/* D3: before the .idx. The process that read the pack cannot make it: it is not ours to say beside which pack. */
static int stage_promisor(void *data, const char *rel, struct err *err)
{
	const struct promise *p = data;
	const struct confined *c = p->c;
	char *stem = xstrfmt("%s/%.*s", c->r->objdir, (int)(strlen(rel) - strlen(".pack")), rel);
	char *path = xstrfmt("%s.promisor", stem);
	struct tempfile *t = NULL;
	int rc = tempfile_create_in(&t, tmp_objdir_path(c->dir), "tmp_promisor_", 0444, err);

	if (!rc && *c->in->promisor_msg)
		rc = write_in_full(t->fd, c->in->promisor_msg, strlen(c->in->promisor_msg), t->path, err);
	if (!rc && *c->in->promisor_msg)
		rc = write_in_full(t->fd, "\n", 1, t->path, err);
	if (!rc && c->r->settings.shared_perm)
		rc = apply_shared_perm(t->path, c->r->settings.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&t, p->batch, FSYNC_PACK_METADATA, PUBLISH_PACK_DATA, path, true, err);
	tempfile_delete(&t);
	free(path);
	free(stem);
	return rc;
}

/* ---- all of it ---- */

static int stage(const struct confined *c, struct repo_operation *op, struct err *err)
{
	struct promise p = { c, repo_operation_batch(op) };
	int rc = c->in->promisor_msg ? tmp_objdir_foreach_pack(c->dir, stage_promisor, &p, err) : 0;

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

int intake_receive(struct repository *r, struct repo_operation *op, const struct intake *in,
		   struct tmp_objdir **dir, struct err *err)
{
	struct confined c = { .r = r, .in = in };
	struct sandbox sandbox;
	int rc = read_mode(&c.mode, err);

	*dir = NULL;
	if (!rc)
		rc = odb_can_fetch(r->odb) ? 0 : sandbox_probe(&sandbox, c.mode, err);
	if (!rc)
		return in->receive(in->data, r, repo_operation_batch(op), in->promisor_msg, err);
	if (rc > 0)
		rc = receive_in_quarantine(&c, op, err);
	*dir = c.dir;
	return rc;
}
