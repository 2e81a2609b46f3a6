/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What receive-pack.c is made of: one connection and its push. git-receive-pack(1), gitprotocol-pack(5),
 * githooks(5). The steps and their files:
 *
 *   config.c          receive.*, transfer.*
 *   advertise.c       refs, .have, capabilities
 *   request.c         commands, shallow lines, push options, certificates
 *   quarantine.[ch]   the child that takes the pack
 *   check.c           receive.deny* and what else speaks against a ref
 *   hooks.c           pre-receive, update, post-receive, post-update
 *   proc-receive.c    refs that a hook of the host's takes over
 *   cert.c            nonces, and what hooks are told of a certificate
 *   worktree.c        updateInstead, push-to-checkout
 *   refs.c            one transaction
 *   report.c          report-status, report-status-v2
 *   upkeep.c          receive.autogc, pack-refs, update-server-info
 *   relay.c           whatever runs, the client sees its words and is kept waiting
 */
#ifndef RECEIVE_RECEIVE_H
#define RECEIVE_RECEIVE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "pack/receive/receive.h"
#include "repo/confine.h"
#include "repo/hidden-refs.h"
#include "repo/repo.h"
#include "sideband.h"
#include "util/run-command.h"
#include "util/strvec.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"

struct receive_server;

/*
 * In the child that takes the pack: read it from s->in up to its end and put its objects into the database of `r`, whose
 * names `batch` publishes. Words for the user go to standard error. What is new refers to `foreign`, as far as it is elsewhere.
 */
typedef int (*receive_take_pack_fn)(struct receive_server *s, struct repository *r, struct fsync_batch *batch,
				    struct oid_array *foreign, struct err *err);

/*
 * What is to be run after a push, as far as it is due: the command of each step, from 0 on. 1: it is in args; 0: nothing this time;
 * < 0; RECEIVE_UPKEEP_END: there are no more steps.
 */
struct receive_config;
typedef int (*receive_upkeep_fn)(struct repository *r, const struct receive_config *c, unsigned step,
				 struct strvec *args, struct err *err);
#define RECEIVE_UPKEEP_END 2

struct receive_pack_options {
	int in, out;	     /* the client's ends */
	receive_take_pack_fn take_pack;
	receive_upkeep_fn upkeep;
	int version;	     /* of the protocol: 0 or 1; 2 counts as 0, as there is no push in it */
	bool stateless_rpc;  /* commands and pack of a connection that had an advertisement before: HTTP */
	bool advertise_only; /* --http-backend-info-refs */
	bool skip_connectivity; /* --skip-connectivity-check */
	bool confine; /* the process that reads the pack is confined: core.sandbox */
};

/* ---- settings ---- */

enum deny_action { DENY_UNCONFIGURED, DENY_IGNORE, DENY_WARN, DENY_REFUSE, DENY_UPDATE_INSTEAD };

struct receive_config {
	bool deny_deletes, deny_non_fast_forwards;
	enum deny_action deny_current_branch, deny_delete_current;
	int64_t unpack_limit;	  /* receive.unpackLimit, transfer.unpackLimit; < 0: not said */
	uint64_t max_input_bytes; /* 0: no limit */
	struct pack_receive_limits limits; /* receive.maxInflatedSize, .maxTreeSize, .maxCommitSize */
	bool fsck; /* receive.fsckObjects, transfer.fsckObjects; severities: receive.fsck.* */
	bool auto_gc, update_server_info, shallow_update;
	bool advertise_atomic, advertise_push_options, prefer_ofs_delta, advertise_sid;
	int64_t keepalive_ms; /* 0: none */
	const char *cert_nonce_seed; /* NULL: no certificates */
	int64_t cert_nonce_slop_s;
	struct strvec proc_receive_refs; /* as configured: "[adm!]PREFIX" */
	enum sandbox_mode sandbox; /* of protected configuration */
};
MUST_USE int receive_config_read(struct receive_config *out, const struct config_set *c, struct err *err);
void receive_config_release(struct receive_config *c);

/* ---- what is pushed ---- */

/* What proc-receive says of a ref instead of the command's own: "option refname", "option old-oid", … */
struct push_report {
	char *name;  /* as the client knows it; NULL: the command's */
	struct object_id old_oid, new_oid;
	bool has_old, has_new, forced;
};

/* "OLD NEW NAME": one ref */
struct push_command {
	char *name;	 /* as the client says it; owned */
	char *full_name; /* in the repository: behind the prefix of the namespace; owned, or name */
	/* The ref that a symbolic ref of that name leads to, in the repository, and so the one that changes; owned. NULL: it is none. */
	char *target;
	struct object_id old_oid, new_oid; /* null: created, deleted */
	/* Of new_oid, as whoever may look at it has found; OBJ_NONE: it is not there. peeled: of a tag; else null. */
	enum object_type type;
	struct object_id peeled;
	bool is_forward; /* old_oid is an ancestor; only known with receive.denyNonFastForwards */
	/* Why it does not happen, the text behind "ng NAME "; owned; NULL: nothing speaks against it yet. */
	char *error;
	bool did_not_exist; /* a deletion of what was not there: ok, but no hook hears of it */
	bool proc_receive;  /* the hook takes it; no transaction of ours */
	bool skip_update;   /* its change is done: updateInstead of a symref's alias */
	struct push_report *reports; /* of proc-receive, in their order; owned */
	size_t nr_reports;
	bool answered;	   /* by the proc-receive hook */
	bool options_open; /* internal to proc-receive.c */
	bool makes_room; /* internal to refs.c: a deletion that others wait for; done before them */
	size_t queued; /* internal to refs.c: its place in the transaction */
};
static inline bool push_command_is_delete(const struct push_command *c)
{
	return oid_is_null(&c->new_oid);
}
/* The ref that changes: receive.deny*, hidden refs and checked-out branches are judged by this name. */
static inline const char *push_command_changes(const struct push_command *c)
{
	return c->target ? c->target : c->full_name;
}
/* The first reason stays. */
void push_command_refuse(struct push_command *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

void push_command_release(struct push_command *c);

struct push_request {
	struct push_command *commands;
	size_t nr, alloc, name_bytes;
	/* capabilities of the client */
	bool report_status, report_status_v2, quiet, atomic, has_push_options;
	enum sideband_mode mode;
	struct strvec push_options;
	struct oid_array shallow; /* its boundary */
	struct strbuf cert;	  /* the certificate with its signature; empty: none */
};
#define RECEIVE_COMMANDS_MAX 4000000u
/* Every command that has no error yet gets this one, but for those that the proc-receive hook has carried out. */
void push_request_refuse_all(struct push_request *rq, const char *why);
/* Has it carried out any? Those are not sealed. */
bool push_request_has_answered(const struct push_request *rq);
void push_request_mark_uncertain(struct push_request *rq);
bool push_request_has_errors(const struct push_request *rq);

/* ---- one connection ---- */

struct receive_server {
	struct repository *repo;
	struct receive_pack_options o;
	struct receive_config config;
	struct hidden_refs hidden;
	char *prefix; /* of the namespace; "" without one */
	struct pkt_reader in;
	struct pkt_writer out;
	struct push_request rq;
	int64_t sent_ms;  /* when the client got its last byte (util/clock.h); of relay.c */
	bool client_gone; /* nothing is sent any more; what has been begun is finished */
	/*
	 * Of hooks that run now, "K=V": the quarantine while there is one, the certificate, the push options
	 * (GIT_PUSH_OPTION_COUNT, …).
	 */
	struct strvec hook_env;
	char *nonce; /* for push certificates; NULL: none was told on this connection */
};

/* ---- relay.c ---- */

/*
 * Text for the user: on band 2; without bands on our own standard error. A client that is gone is no error:
 * s->client_gone. In all of these: nothing else is sent meanwhile (s->out is empty).
 */
void receive_tell(struct receive_server *s, const char *text, size_t len);
void receive_tellf(struct receive_server *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Pass on what comes from `fd` until its end; close it. The client gets full packets where there is much, every
 * line at once where there is little, and, when nothing was sent for keepalive_ms, an empty packet of band 2.
 * With `until` >= 0 it ends, too, when that descriptor can be read or is at its end, which
 * stays the caller's.
 */
MUST_USE int receive_relay(struct receive_server *s, int fd, int until, struct err *err);
/*
 * Run a child to its end: `in` on its standard input (it need not read it), all that it prints to the client. The exit
 * code as of finish_command, or < 0 if it could not be started. cp->args, env, dir are the caller's; it is
 * released. Whoever has inherited its standard error and lives on (a daemon of the hook's) is not waited for.
 */
int receive_run(struct receive_server *s, struct child_process *cp, const char *in, size_t in_len,
		struct err *err);
/*
 * The same for a child that is talked with: started with pipes for stdin and stdout, which are the caller's,
 * while a thread relays its standard error until receive_talk_end, which waits for the child.
 */
struct receive_talk;
MUST_USE int receive_talk_begin(struct receive_server *s, struct child_process *cp, struct receive_talk **out,
				struct err *err);
/* Closes both pipes. The exit code. */
int receive_talk_end(struct receive_talk *t);

/* ---- hooks.c ---- */

/*
 * pre-receive, once, with "OLD NEW NAME" of each command without an error. 1: the hook has refused; then all commands
 * have their error "pre-receive hook declined". A hook that kills its parent, prints, reads nothing, or
 * fails does no more than that.
 */
int receive_hook_pre(struct receive_server *s, struct err *err);
/* update, for one command: it gets an error "hook declined" if the hook refuses. */
MUST_USE int receive_hook_update(struct receive_server *s, struct push_command *c, struct err *err);
/* Both after the report: nothing can be changed any more. Failures are told to the client as text. */
void receive_hooks_post(struct receive_server *s);
bool receive_has_hook(struct receive_server *s, const char *name);

/* ---- proc-receive.c ---- */

/* Marks the commands that receive.procReceiveRefs gives to the hook. */
void proc_receive_mark(struct receive_server *s);
/* Talks with the hook about them; each has its reports, or its error, afterwards. */
MUST_USE int proc_receive_run(struct receive_server *s, struct err *err);

/* ---- cert.c ---- */

/* For the advertisement, s->nonce: "push-cert=NONCE". None without receive.certNonceSeed. */
void cert_make_nonce(struct receive_server *s);
/* Refuses all commands if the push options are not those that the certificate has. Without a certificate: nothing. */
void cert_check_options(struct receive_server *s);
/*
 * Verify s->rq.cert, look at its nonce; s->hook_env gets GIT_PUSH_CERT*. The certificate is stored as a blob, which hooks can read.
 * One that is not good is no failure: hooks decide.
 */
MUST_USE int cert_check(struct receive_server *s, struct repo_operation *op, struct err *err);

/* ---- worktree.c ---- */

/*
 * The current branch of a work tree is pushed to, and updateInstead is said: the work tree is brought to the new commit,
 * by the hook push-to-checkout, or by ourselves if it is clean. An error of the command if that cannot be. The ref changes
 * afterwards: if that fails, the work tree is ahead of it.
 */
struct worktree;
MUST_USE int receive_update_worktree(struct receive_server *s, struct push_command *c, const struct worktree *w,
				     struct err *err);

/* ---- upkeep.c ---- */
/* After all else: git maintenance run --auto --quiet, or what is left of it; loose refs that pile up; info/refs. */
void receive_upkeep(struct receive_server *s);

/* ---- the steps of receive-pack.c; their files say more ---- */

MUST_USE int receive_advertise(struct receive_server *s, struct err *err);
/* 1: there are commands; 0: the client wants nothing. */
int receive_read_request(struct receive_server *s, struct err *err);
/* What can be said against commands before their objects are there, and afterwards. */
MUST_USE int receive_check_names(struct receive_server *s, struct err *err);
MUST_USE int receive_check_updates(struct receive_server *s, struct err *err);
/* How the operation of a push stands. */
enum push_outcome {
	PUSH_GIVEN_UP,	/* nothing more of it happens: receive_give_up follows */
	PUSH_COMMITTED, /* published; sealed, or the refs are "durability unknown" */
};
/*
 * Queue, commit, take results: each command has its error or is done. Returns < 0 if the whole push failed;
 * *out is PUSH_GIVEN_UP then.
 */
MUST_USE int receive_update_refs(struct receive_server *s, struct repo_operation *op, enum push_outcome *out,
				 struct err *err);
/*
 * Mark the deletions that make room: of "a" where "a/b" is created, of "a/b" where "a" is created. Is there any? Sorts the commands.
 * Cost: a sort, and *compared < 2 * nr comparisons of names, for tests.
 */
bool receive_find_room_makers(struct push_command **commands, size_t nr, size_t *compared);
/*
 * Give up what the operation has not published. Objects that the proc-receive hook has been shown, and has
 * changed refs to, have their names: they are sealed. If that fails, its refs are "durability unknown".
 */
void receive_give_up(struct receive_server *s, struct repo_operation *op);
/* The boundary of a shallow repository gets these commits, too. */
MUST_USE int receive_stage_shallow(struct receive_server *s, const struct oid_array *add, struct repo_operation *op,
				   struct err *err);
MUST_USE int receive_report(struct receive_server *s, const char *unpack_error, struct err *err);

#endif
