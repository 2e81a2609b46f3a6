/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of the files behind receive-pack.c: one connection and its push. git-receive-pack(1), gitprotocol-pack(5),
 * githooks(5). The steps and their files:
 *
 *   config.c          receive.*, transfer.*
 *   advertise.c       refs, .have, capabilities
 *   request.c         commands, shallow lines, push options, certificates
 *   quarantine.[ch]   the child that takes the pack
 *   unpack.c          its policy, and the client as the source of the pack (intake/reader.h)
 *   check.c           receive.deny* and other reasons to refuse a command
 *   hooks.c           pre-receive, update, post-receive, post-update
 *   proc-receive.c    refs that the proc-receive hook updates
 *   cert.c            nonces, and the variables about a certificate that hooks get
 *   worktree.c        updateInstead, push-to-checkout
 *   refs.c            one transaction
 *   report.c          report-status, report-status-v2
 *   upkeep.c          receive.autogc, pack-refs, update-server-info
 *   relay.c           sends the output of hooks to the client, with keepalives
 */
#ifndef RECEIVE_RECEIVE_H
#define RECEIVE_RECEIVE_H

#include "compat/posix.h"
#include "intake/policy.h"
#include "operation/operation.h"
#include "repo/confine.h"
#include "repo/hidden-refs.h"
#include "repo/repo.h"
#include "sideband.h"
#include "util/run-command.h"
#include "util/strvec.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"
#include "wire/push-report.h"

struct receive_server;

/*
 * Returns 1 with the command of maintenance step `step` (from 0 on) in args, 0 if that step is not
 * due, RECEIVE_UPKEEP_END after the last step, or < 0.
 */
struct receive_config;
typedef int (*receive_upkeep_fn)(struct repository *r, const struct receive_config *c, unsigned step,
				 struct strvec *args, struct err *err);
#define RECEIVE_UPKEEP_END 2

struct receive_pack_options {
	int in, out;	     /* the client's ends */
	receive_upkeep_fn upkeep;
	int version;	     /* protocol version 0 or 1; 2 counts as 0, since it has no push */
	bool stateless_rpc;  /* HTTP: commands and pack; another process sent the advertisement */
	bool advertise_only; /* --http-backend-info-refs */
	bool skip_connectivity; /* --skip-connectivity-check */
	bool confine; /* the process that reads the pack is confined: core.sandbox */
};

/* ---- settings ---- */

enum deny_action { DENY_UNCONFIGURED, DENY_IGNORE, DENY_WARN, DENY_REFUSE, DENY_UPDATE_INSTEAD };

struct receive_config {
	bool deny_deletes, deny_non_fast_forwards;
	enum deny_action deny_current_branch, deny_delete_current;
	/*
	 * For the pack: receive.unpackLimit, transfer.unpackLimit, receive.maxInputSize, .maxInflatedSize, .maxTreeSize,
	 * .maxCommitSize. All objects that it refers to are noted; quarantine.c checks that none is missing.
	 */
	struct intake_policy intake;
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

/* ---- the commands of a push ---- */

/* "OLD NEW NAME": one ref */
struct push_command {
	char *name;	 /* as the client sent it; owned */
	char *full_name; /* name in the repository, with the prefix of the namespace; owned, or name */
	/*
	 * If name is a symbolic ref: the ref in the repository that it points to, which changes;
	 * owned. Else NULL.
	 */
	char *target;
	struct object_id old_oid, new_oid; /* null old_oid: create; null new_oid: delete */
	/*
	 * Type of new_oid as seen in the quarantine; OBJ_NONE if the object is missing. peeled: the
	 * target of a tag; else null.
	 */
	enum object_type type;
	struct object_id peeled;
	bool is_forward; /* old_oid is an ancestor; only known with receive.denyNonFastForwards */
	/* Reason for the refusal, the text after "ng NAME "; owned; NULL: not refused so far. */
	char *error;
	bool did_not_exist; /* deletes a ref that does not exist: ok, but hooks do not get it */
	bool proc_receive;  /* the proc-receive hook updates it; it is in no transaction here */
	bool skip_update;   /* already changed: updateInstead of an alias of a symref */
	struct push_reports reports; /* from proc-receive */
	bool answered;	   /* by the proc-receive hook */
	bool makes_room; /* internal to refs.c: a deletion of a ref whose name conflicts with a new one; done first */
	size_t queued; /* internal to refs.c: its index in the transaction */
};
static inline bool push_command_is_delete(const struct push_command *c)
{
	return oid_is_null(&c->new_oid);
}
/*
 * The ref that changes. receive.deny*, hidden refs and checked-out branches are checked under this
 * name.
 */
static inline const char *push_command_changes(const struct push_command *c)
{
	return c->target ? c->target : c->full_name;
}
/* Refuse the command. If it was refused before, the first reason stays. */
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
/*
 * Refuse every command that has no error yet, except the ones that the proc-receive hook has
 * carried out.
 */
void push_request_refuse_all(struct push_request *rq, const char *why);
/* Has the proc-receive hook carried out a command? The operation does not seal these refs. */
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
	int64_t sent_ms;  /* time of the last byte to the client (util/clock.h); internal to relay.c */
	bool client_gone; /* the client is gone: nothing more is sent, but the push is finished */
	/*
	 * Environment of hooks, "K=V": the quarantine while it exists, the certificate, the push
	 * options (GIT_PUSH_OPTION_COUNT, …).
	 */
	struct strvec hook_env;
	char *nonce; /* for push certificates; NULL: this connection advertised none */
};

/* ---- relay.c ---- */

/*
 * Send text for the user on sideband 2; without a sideband, write it to our own standard error. A
 * client that is gone is no error: s->client_gone is set. s->out must be empty in all functions of
 * this file.
 */
void receive_sideband_message(struct receive_server *s, const char *text, size_t len);
void receive_sideband_messagef(struct receive_server *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Send the bytes from `fd` to the client until its end, then close it. If much is waiting, packets
 * are full; otherwise each line is sent at once. After keepalive_ms without output an empty packet
 * of band 2 is sent. If `until` >= 0, it also returns when `until` becomes readable or reaches its
 * end; the caller still owns `until`.
 */
MUST_USE int receive_relay(struct receive_server *s, int fd, int until, struct err *err);
/*
 * Run a child to its end: `in` is its standard input (it need not read it), and its output goes to
 * the client. Returns the exit code as finish_command does, or < 0 if the child did not start. The
 * caller sets cp->args, env and dir; cp is released here. A process that inherited the child's
 * standard error and lives on, such as a daemon that a hook started, is not waited for.
 */
int receive_run(struct receive_server *s, struct child_process *cp, const char *in, size_t in_len,
		struct err *err);
/*
 * The same for a child with a dialogue: it gets pipes for stdin and stdout, which the caller uses.
 * A thread relays its standard error until receive_talk_end, which waits for the child.
 */
struct receive_talk;
MUST_USE int receive_talk_begin(struct receive_server *s, struct child_process *cp, struct receive_talk **out,
				struct err *err);
/* Closes both pipes, waits, and returns the exit code. */
int receive_talk_end(struct receive_talk *t);

/* ---- hooks.c ---- */

/*
 * Run pre-receive once, with "OLD NEW NAME" of each command without an error. Returns 1 if the hook
 * refused; all commands then have the error "pre-receive hook declined". A hook that kills its
 * parent, prints, reads nothing or fails has no other effect than that.
 */
int receive_hook_pre(struct receive_server *s, struct err *err);
/* Run update for one command, which gets the error "hook declined" if the hook refuses. */
MUST_USE int receive_hook_update(struct receive_server *s, struct push_command *c, struct err *err);
/*
 * Run post-receive and post-update, after the report: they cannot change the result. The client
 * gets their failures as text.
 */
void receive_hooks_post(struct receive_server *s);
bool receive_has_hook(struct receive_server *s, const char *name);

/* ---- proc-receive.c ---- */

/* Mark the commands that receive.procReceiveRefs gives to the hook. */
void proc_receive_mark(struct receive_server *s);
/* Run the hook for them; afterwards each has its reports or its error. */
MUST_USE int proc_receive_run(struct receive_server *s, struct err *err);

/* ---- cert.c ---- */

/*
 * Set s->nonce for the advertisement ("push-cert=NONCE"). It stays NULL without
 * receive.certNonceSeed.
 */
void cert_make_nonce(struct receive_server *s);
/*
 * Refuse all commands if the push options differ from the options in the certificate. Does nothing
 * without a certificate.
 */
void cert_check_options(struct receive_server *s);
/*
 * Verify s->rq.cert and its nonce, and add GIT_PUSH_CERT* to s->hook_env. The certificate is stored
 * as a blob that hooks can read. A bad certificate is no failure here: hooks decide.
 */
MUST_USE int cert_check(struct receive_server *s, struct repo_operation *op, struct err *err);

/* ---- worktree.c ---- */

/*
 * For a push to the checked-out branch with updateInstead: update the work tree to the new commit,
 * by the push-to-checkout hook, or directly if the work tree is clean. If that fails, the command
 * gets an error. The ref changes afterwards; if the ref update fails, the work tree is ahead of it.
 */
struct worktree;
MUST_USE int receive_update_worktree(struct receive_server *s, struct push_command *c, const struct worktree *w,
				     struct err *err);

/* ---- upkeep.c ---- */
/*
 * Run the steps of o.upkeep that are due, as the last part of a push: `git maintenance run --auto
 * --quiet`, or parts of it; packing loose refs that pile up; info/refs.
 */
void receive_upkeep(struct receive_server *s);

/* ---- the steps of receive-pack.c; their files say more ---- */

MUST_USE int receive_advertise(struct receive_server *s, struct err *err);
/* Returns 1 if there are commands, 0 if the client wants nothing, or < 0. */
int receive_read_request(struct receive_server *s, struct err *err);
/* Checks of commands before their objects have come, and afterwards. */
MUST_USE int receive_check_names(struct receive_server *s, struct err *err);
MUST_USE int receive_check_updates(struct receive_server *s, struct err *err);
/* Outcome of the operation of a push. */
enum push_outcome {
	PUSH_GIVEN_UP,	/* nothing more is published; the caller calls receive_give_up */
	PUSH_COMMITTED, /* published; sealed, or the refs are "durability unknown" */
};
/*
 * Queue the commands in a transaction, commit it and store the result in each command. Returns < 0
 * only if the whole push failed; *out is then PUSH_GIVEN_UP.
 */
MUST_USE int receive_update_refs(struct receive_server *s, struct repo_operation *op, enum push_outcome *out,
				 struct err *err);
/*
 * Mark the deletions whose name conflicts with a new ref: of "a" where "a/b" is created, of "a/b"
 * where "a" is created. Returns true if there is one. Sorts the commands.
 * Cost: a sort, and *compared < 2 * nr comparisons of names (for tests).
 */
bool receive_find_room_makers(struct push_command **commands, size_t nr, size_t *compared);
/*
 * Abandon the unpublished part of the operation. If the proc-receive hook changed refs to objects
 * of the push, these objects are published already: seal them. If that fails, their refs are
 * reported as "durability unknown".
 */
void receive_give_up(struct receive_server *s, struct repo_operation *op);
/* Add these commits to the boundary of a shallow repository. */
MUST_USE int receive_stage_shallow(struct receive_server *s, const struct oid_array *add, struct repo_operation *op,
				   struct err *err);
MUST_USE int receive_report(struct receive_server *s, const char *unpack_error, struct err *err);

#endif
