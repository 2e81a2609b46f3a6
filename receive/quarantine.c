/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/tmp-objdir.h"
#include "history/history.h"
#include "intake/missing.h"
#include "intake/quarantine.h"
#include "object/commit.h"
#include "receive/quarantine.h"
#include "repo/confine.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "write-or-die.h"

#define REASON_MAX 1000

/* The child's result for each command. */
enum verdict { VERDICT_CONNECTED, VERDICT_NEEDS_SHALLOW, VERDICT_MISSING };
struct command_finding {
	unsigned char verdict, type, is_forward;
	unsigned char peeled[HASH_MAX_RAW];
};

/*
 * Shared with the child. The parent does not trust its numbers: it uses the sizes with which it
 * created the mapping.
 */
struct finding {
	int code; /* 0: no error */
	char reason[REASON_MAX];
	struct command_finding commands[]; /* then a byte for each shallow line: 1 if it is to stay */
};

struct quarantine {
	struct receive_server *s;
	struct tmp_objdir *dir;
	struct finding *found;
	size_t found_bytes;
	struct oid_array shallow;
};

static struct command_finding *finding_of(const struct quarantine *q, size_t command)
{
	return &q->found->commands[command];
}

static unsigned char *shallow_mark_of(const struct quarantine *q, size_t line)
{
	return (unsigned char *)&q->found->commands[q->s->rq.nr] + line;
}

/* ---- the child: are the new values whole? ---- */

struct connection_check {
	struct quarantine *q;
	struct repository *r;
	struct commit_pool *pool; /* created on first use */
	unsigned walks;
};

/*
 * Limit of walks: each one visits all new objects and all refs. Beyond it, commands without a
 * verdict are refused.
 */
#define WALKS_MAX 256

static int is_connected(struct connection_check *c, const struct oid_array *tips, bool at_boundary, struct err *err)
{
	const struct connected_options o = { .shallow = at_boundary ? &c->q->s->rq.shallow : NULL };
	struct object_id missing;

	return intake_check_tips(c->r, tips, &o, &missing, err);
}

/* A range of commands, by index. */
struct command_range {
	const size_t *at;
	size_t nr;
};

static int range_is_connected(struct connection_check *c, const struct command_range *r, bool at_boundary, struct err *err)
{
	struct oid_array tips = OID_ARRAY_INIT;
	int rc;

	for (size_t i = 0; i < r->nr; i++)
		oid_array_append(&tips, &c->q->s->rq.commands[r->at[i]].new_oid);
	oid_array_sort_unique(&tips);
	c->walks++;
	rc = is_connected(c, &tips, at_boundary, err);
	oid_array_clear(&tips);
	return rc;
}

static void set_verdict(struct connection_check *c, const struct command_range *r, enum verdict verdict)
{
	for (size_t i = 0; i < r->nr; i++)
		finding_of(c->q, r->at[i])->verdict = (unsigned char)verdict;
}

/* Finds a common verdict for all of them. Returns 1 if they have one, 0 if not, or < 0. */
static int check_range(struct connection_check *c, const struct command_range *r, struct err *err)
{
	const struct receive_server *s = c->q->s;
	enum verdict verdict = VERDICT_CONNECTED;
	int rc = c->walks < WALKS_MAX ? range_is_connected(c, r, false, err) : 0;

	/* If our boundary may grow, that does no harm to a command that does not need it. */
	if (!rc && s->rq.shallow.nr && c->walks < WALKS_MAX && (r->nr == 1 || s->config.shallow_update)) {
		verdict = VERDICT_NEEDS_SHALLOW;
		rc = range_is_connected(c, r, true, err);
	}
	if (!rc && (r->nr == 1 || c->walks >= WALKS_MAX)) {
		verdict = VERDICT_MISSING;
		rc = 1;
	}
	if (rc > 0)
		set_verdict(c, r, verdict);
	return rc;
}

/*
 * Checks the two halves of a set that is not connected: a few broken commands among many cost few
 * walks.
 */
static int check_commands(struct connection_check *c, const struct command_range *r, struct err *err)
{
	const struct command_range first = { r->at, r->nr / 2 }, second = { r->at + r->nr / 2, r->nr - r->nr / 2 };
	int rc = r->nr ? check_range(c, r, err) : 1;

	if (!rc)
		rc = check_commands(c, &first, err);
	if (!rc)
		rc = check_commands(c, &second, err);
	return rc < 0 ? rc : 0;
}

/* Is it a commit of the client's boundary that exists here, but lacks a parent? */
static int check_boundary(struct connection_check *c, size_t line, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(c->r->odb);
	const struct object_id *oid = &c->q->s->rq.shallow.oid[line];
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	enum object_type type;
	uint64_t size;
	int rc;

	if (!odb_has(c->r->odb, oid) || odb_type(c->r->odb, oid, &type, &size, NULL) || type != OBJ_COMMIT)
		return 0;
	rc = src->read(src->data, oid, &buf, err);
	if (!rc)
		rc = commit_parse_links(buf.data, buf.size, src->algo, NULL, &parents, NULL, err);
	for (size_t i = 0; !rc && i < parents.nr; i++)
		if (!odb_has(c->r->odb, &parents.oid[i]))
			*shallow_mark_of(c->q, line) = 1;
	object_buf_release(&buf);
	oid_array_clear(&parents);
	return rc;
}

static int check_each(struct connection_check *c, struct err *err)
{
	const struct push_request *rq = &c->q->s->rq;
	size_t *at, nr = 0;
	int rc;

	ALLOC_ARRAY(at, rq->nr + 1);
	for (size_t i = 0; i < rq->nr; i++)
		if (!push_command_is_delete(&rq->commands[i]))
			at[nr++] = i;
	rc = check_commands(c, &(struct command_range){ at, nr }, err);
	trace2_data_intmax("receive-pack", "connectivity-walks", c->walks);
	free(at);
	for (size_t i = 0; i < rq->shallow.nr && !rc; i++)
		rc = check_boundary(c, i, err);
	return rc;
}

/*
 * All objects that refs can reach count as complete. If a ref cannot be read, no verdict on new
 * values is possible.
 */
static bool refuse_for_broken_ref(struct connection_check *c)
{
	struct receive_server *s = c->q->s;
	struct err why = ERR_INIT;
	bool refuse = refs_check_readable(c->r, &s->hidden, s->prefix, &why) != 0;

	if (refuse)
		dprintf(STDERR_FILENO, "fatal: %s\n", err_message(&why));
	for (size_t i = 0; refuse && i < s->rq.nr; i++)
		finding_of(c->q, i)->verdict = VERDICT_MISSING;
	err_release(&why);
	return refuse;
}

/*
 * foreign: objects outside the pack that it refers to. Usually all are connected, and the objects
 * of the pack are not read again.
 */
static int check_connected(struct connection_check *c, struct oid_array *foreign, struct err *err)
{
	const struct push_request *rq = &c->q->s->rq;
	struct err why = ERR_INIT;
	int rc;

	if (c->q->s->o.skip_connectivity || refuse_for_broken_ref(c))
		return 0;
	for (size_t i = 0; i < rq->nr; i++)
		if (!push_command_is_delete(&rq->commands[i]))
			oid_array_append(foreign, &rq->commands[i].new_oid);
	oid_array_sort_unique(foreign);
	rc = is_connected(c, foreign, false, &why);
	err_release(&why);
	return rc > 0 ? 0 : check_each(c, err);
}

/* ---- the child: types of the new values ---- */

/* Runs only if a rule needs the answer. A history that cannot be read counts as no fast-forward. */
static bool is_forward(struct connection_check *c, const struct push_command *command)
{
	const struct object_source *src = odb_source_unreplaced(c->r->odb);
	struct object_id old_commit, new_commit;

	if (!c->q->s->config.deny_non_fast_forwards || oid_is_null(&command->old_oid) ||
	    object_peel(src, &command->old_oid, OBJ_COMMIT, &old_commit, NULL, NULL) < 0 ||
	    object_peel(src, &command->new_oid, OBJ_COMMIT, &new_commit, NULL, NULL) < 0 ||
	    (!c->pool && commit_pool_new(&c->pool, c->r, NULL) < 0))
		return false;
	return is_ancestor(c->pool, commit_lookup(c->pool, &old_commit), commit_lookup(c->pool, &new_commit), NULL) > 0;
}

static void describe(struct connection_check *c, size_t i)
{
	const struct push_command *command = &c->q->s->rq.commands[i];
	struct command_finding *f = finding_of(c->q, i);
	enum object_type type = OBJ_NONE;
	struct object_id peeled;
	uint64_t size;

	if (push_command_is_delete(command) || odb_type(c->r->odb, &command->new_oid, &type, &size, NULL) < 0)
		return;
	f->type = (unsigned char)type;
	f->is_forward = is_forward(c, command);
	if (type == OBJ_TAG && !object_peel(odb_source_unreplaced(c->r->odb), &command->new_oid, OBJ_ANY, &peeled, NULL, NULL))
		memcpy(f->peeled, peeled.hash, c->r->algo->raw_len);
}

/* Often many refs get the same value. */
static void describe_all(struct connection_check *c)
{
	const struct push_command *all = c->q->s->rq.commands;

	for (size_t i = 0; i < c->q->s->rq.nr; i++)
		if (i && oid_eq(&all[i].new_oid, &all[i - 1].new_oid) && oid_eq(&all[i].old_oid, &all[i - 1].old_oid)) {
			const struct command_finding *before = finding_of(c->q, i - 1);

			finding_of(c->q, i)->type = before->type;
			finding_of(c->q, i)->is_forward = before->is_forward;
			memcpy(finding_of(c->q, i)->peeled, before->peeled, sizeof(before->peeled));
		} else {
			describe(c, i);
		}
}

/* ---- the child ---- */

static int take_pack(struct quarantine *q, struct repository *r, struct err *err)
{
	struct fsync_batch_options opts = { .policy = r->settings.fsync, .hidden = true };
	struct fsync_batch *batch = fsync_batch_new(&opts);
	struct connection_check check = { .q = q, .r = r };
	struct intake_old old = INTAKE_OLD_INIT;
	const struct intake_place place = { .r = r, .batch = batch, .foreign = &old.foreign };
	int rc = intake_confine_writer(q->dir, r, q->s->config.sandbox, err);

	odb_note_used(r->odb, &old.used);
	if (!rc)
		rc = odb_begin_batch(r->odb, batch, err);
	if (!rc)
		rc = receive_take_pack(q->s, &place, err);
	if (!rc)
		rc = intake_publish(r, batch, err);
	if (!rc)
		rc = intake_leave_old(r->objdir, &old, r->algo, err);
	if (!rc)
		rc = check_connected(&check, &old.foreign, err);
	if (!rc)
		describe_all(&check);
	return rc;
}

static void show_warning(void *data UNUSED, const char *msg)
{
	dprintf(STDERR_FILENO, "warning: %s\n", msg);
}

/* The child does not write to the client: close that descriptor. */
static int take_streams(const struct receive_server *s, int words)
{
	if (dup2(words, STDERR_FILENO) < 0 || dup2(words, STDOUT_FILENO) < 0)
		return -1;
	if (words > STDERR_FILENO)
		close(words);
	if (s->o.out > STDERR_FILENO && s->o.out != s->o.in)
		close(s->o.out);
	return 0;
}

static int receive_objects(struct quarantine *q, struct err *err)
{
	struct repository *r = NULL;
	int rc = intake_open_quarantine(q->dir, q->s->repo->gitdir, &r, err);

	if (!rc) {
		r->warn = show_warning;
		repo_ignore_replacements(r);
		rc = take_pack(q, r, err);
	}
	return rc;
}

/* ---- another child, after it ---- */

static int check_objects(struct quarantine *q, struct err *err)
{
	struct intake_check c = { .repo = q->s->repo, .dir = tmp_objdir_path(q->dir), .sandbox = q->s->config.sandbox,
				  .limits = q->s->config.intake.limits };
	int rc = config_get_int(q->s->repo->config, "pack.threads", &c.threads, err);

	return rc < 0 ? rc : intake_check_objects(&c, err);
}

/* ---- both ---- */

typedef int (*child_fn)(struct quarantine *q, struct err *err);

/* The child frees and removes no data of the parent: it ends by _exit. */
NORETURN static void run_child(struct quarantine *q, child_fn fn, int words)
{
	struct err err = ERR_INIT;
	int rc;

	if (take_streams(q->s, words) < 0)
		_exit(128);
	rc = fn(q, &err);
	snprintf(q->found->reason, REASON_MAX, "%s", rc ? err_message(&err) : "");
	q->found->code = rc;
	_exit(rc ? 1 : 0);
}

/* ---- its parent ---- */

static int begin(struct quarantine *q, struct err *err)
{
	struct receive_server *s = q->s;

	q->found_bytes = sizeof(*q->found) + s->rq.nr * sizeof(struct command_finding) + s->rq.shallow.nr;
	q->found = mmap(NULL, q->found_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (q->found == MAP_FAILED) {
		q->found = NULL;
		return err_set_errno(err, "cannot make shared memory");
	}
	return tmp_objdir_create(&q->dir, s->repo->objdir, "incoming", s->repo->settings.shared_perm, err);
}

/* Returns 0 with the child's result, or < 0. */
static int read_finding(const struct quarantine *q, int status, struct err *err)
{
	char reason[REASON_MAX];

	memcpy(reason, q->found->reason, REASON_MAX);
	reason[REASON_MAX - 1] = '\0';
	reason[strcspn(reason, "\n")] = '\0';
	if (WIFEXITED(status) && !WEXITSTATUS(status) && !q->found->code)
		return 0;
	if (WIFEXITED(status) && *reason)
		return err_set(err, ERR_CORRUPT, "%s", reason);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_GENERIC, "unpack-objects died of signal %d", WTERMSIG(status));
	return err_set(err, ERR_GENERIC, "unpack-objects abnormal exit");
}

static void take_child_shallow(struct quarantine *q)
{
	const struct push_request *rq = &q->s->rq;

	for (size_t i = 0; i < rq->shallow.nr; i++)
		if (*shallow_mark_of(q, i))
			oid_array_append(&q->shallow, &rq->shallow.oid[i]);
}

/* Copied before it is checked, so that the child cannot change it in between. */
static bool take_finding(struct quarantine *q, size_t i)
{
	struct push_command *c = &q->s->rq.commands[i];
	struct command_finding f = *finding_of(q, i);

	c->type = f.type == OBJ_COMMIT || f.type == OBJ_TREE || f.type == OBJ_BLOB || f.type == OBJ_TAG ?
			  (enum object_type)f.type : OBJ_NONE;
	c->is_forward = f.is_forward != 0;
	oid_from_raw(&c->peeled, f.peeled, q->s->repo->algo);
	if (f.verdict == VERDICT_NEEDS_SHALLOW && q->s->config.shallow_update)
		return true;
	if (f.verdict == VERDICT_NEEDS_SHALLOW)
		push_command_refuse(c, "shallow update not allowed");
	else if (f.verdict != VERDICT_CONNECTED)
		push_command_refuse(c, "missing necessary objects");
	return false;
}

static void take_findings(struct quarantine *q)
{
	bool needs_shallow = false;

	for (size_t i = 0; i < q->s->rq.nr; i++)
		if (!push_command_is_delete(&q->s->rq.commands[i]))
			needs_shallow |= take_finding(q, i);
	if (needs_shallow)
		take_child_shallow(q);
}

static int run_quarantine(struct quarantine *q, child_fn fn, struct err *err)
{
	int words[2], status, rc;
	pid_t pid;

	q->found->code = ERR_GENERIC;
	*q->found->reason = '\0';
	if (os_pipe(words) < 0)
		return err_set_errno(err, "cannot create a pipe");
	pid = fork();
	if (!pid) {
		close(words[0]);
		run_child(q, fn, words[1]);
	}
	close(words[1]);
	if (pid < 0) {
		close(words[0]);
		return err_set_errno(err, "cannot fork");
	}
	rc = receive_relay(q->s, words[0], -1, err);
	if (rc < 0)
		kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc < 0 ? rc : read_finding(q, status, err);
}

/*
 * The child may have been taken over by what it has read: what it leaves must be objects under their own names. Where
 * nothing has confined it, it could have done anything already.
 */
static int check_left(struct quarantine *q, struct err *err)
{
	struct sandbox sandbox;
	size_t nr;
	int rc = tmp_objdir_check(q->dir, q->s->repo->algo->hex_len, &nr, err);

	if (rc < 0 || !nr)
		return rc;
	rc = sandbox_probe(&sandbox, q->s->config.sandbox, err);
	return rc <= 0 ? rc : run_quarantine(q, check_objects, err);
}

int quarantine_receive(struct receive_server *s, struct quarantine **out, struct err *err)
{
	struct quarantine *q;
	int rc;

	CALLOC_ARRAY(q, 1);
	q->s = s;
	rc = begin(q, err);
	if (!rc)
		rc = run_quarantine(q, receive_objects, err);
	if (!rc)
		rc = check_left(q, err);
	if (rc < 0) {
		quarantine_free(&q);
		return rc;
	}
	take_findings(q);
	tmp_objdir_env(q->dir, &s->hook_env);
	*out = q;
	return 0;
}

const struct oid_array *quarantine_new_shallow(const struct quarantine *q)
{
	return &q->shallow;
}

int quarantine_stage(struct quarantine *q, struct repo_operation *op, struct err *err)
{
	return intake_stage(q->dir, q->s->repo, repo_operation_batch(op), err);
}

void quarantine_free(struct quarantine **qp)
{
	struct quarantine *q = *qp;

	if (!q)
		return;
	*qp = NULL;
	tmp_objdir_destroy(&q->dir);
	if (q->found)
		munmap(q->found, q->found_bytes);
	oid_array_clear(&q->shallow);
	free(q);
}
