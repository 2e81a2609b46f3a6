/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of the files behind upload-pack.c and serve.c: one connection, one request, the refs
 * that a client sees, negotiation, shallow boundaries, and the pack to send. gitprotocol-v2(5),
 * gitprotocol-pack(5).
 */
#ifndef UPLOAD_UPLOAD_H
#define UPLOAD_UPLOAD_H

#include "compat/posix.h"
#include "history/history.h"
#include "repo/confine.h"
#include "repo/hidden-refs.h"
#include "sideband.h"
#include "util/date.h"
#include "util/map.h"
#include "util/run-command.h"
#include "util/string-list.h"
#include "wire/filter-spec.h"
#include "wire/packfile-uris.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"

/* ---- settings of uploadpack.* and transfer.* ---- */

struct upload_config {
	bool allow_tip, allow_reachable, allow_any; /* allow*SHA1InWant */
	bool allow_filter, allow_ref_in_want, allow_sideband_all;
	bool use_bitmaps; /* pack.useBitmaps */
	bool advertise_sid, advertise_object_info, advertise_bundle_uris;
	bool advertise_promisors; /* promisor.advertise */
	bool unborn_allowed, unborn_advertised; /* lsrefs.unborn */
	int64_t keepalive_ms;
	unsigned share_s; /* uploadpack.shareIdentical; 0: off */
	unsigned max_concurrent; /* 0: no limit */
	unsigned max_concurrent_wait_s;
	/* of protected configuration: */
	const char *pack_objects_hook; /* owned; NULL: none */
	enum sandbox_mode sandbox;
	char *share_dir; /* owned; NULL: none */
	uint64_t share_limit_bytes;
};
MUST_USE int upload_config_read(struct upload_config *out, const struct config_set *c,
				struct err *err);
void upload_config_release(struct upload_config *u);
/* May a client use this filter (uploadpackfilter.*)? ERR_INVALID says which part it may not. */
MUST_USE int upload_filter_check(const struct config_set *c, const struct filter_spec *f,
				 struct err *err);

/* ---- one connection ---- */

struct upload_pack_options {
	int in, out;	     /* the client's ends */
	int version;	     /* of the protocol: 0, 1, 2 */
	bool stateless_rpc;  /* one request of a connection that has others: HTTP */
	bool advertise_only; /* --http-backend-info-refs */
	unsigned timeout_s;  /* longest time that a client may send or read nothing; 0: no limit */
	bool confine; /* this process serves that client and does nothing else: core.sandbox */
};

/* Handle of the process that does what a confined server no longer may: upload/broker.h. */
struct upload_broker {
	int fd; /* -1: there is none */
	pid_t pid;
};

/*
 * Flags of commits in the server's pool. They share one list, since flags of one step may still be
 * set when the next step begins.
 */
#define READY_HAVE 1u	     /* ready.c: the client has it */
#define READY_LEADS 2u	     /* it leads to a commit that the client has */
#define READY_REACHED 4u     /* it can be reached from a want */
#define READY_WANTED 128u
#define READY_CUT 256u /* the client does not get its parents */
#define REACH_SEEN 8u	     /* negotiate.c */
#define SHALLOW_INSIDE 16u   /* shallow.c: the client will have it */
#define SHALLOW_BOUNDARY 32u /* the client will have it, but none of its parents */
#define SHALLOW_KEPT 64u     /* the client has its parents or gets them: no boundary there */

struct relay_queue;
struct upload_server {
	struct repository *repo;
	struct upload_pack_options o;
	struct upload_config config;
	struct hidden_refs hidden;
	char *prefix; /* of the namespace; "" without one */
	struct pkt_reader in;
	struct pkt_writer out;
	struct commit_pool *pool; /* commits of this repository; created on first use */
	struct upload_broker broker;
	char *share_refused; /* why the directory of shared packs cannot be used; NULL: no failure known */
	struct relay_queue *queue; /* while a pack is made in a thread; NULL: the server's own thread works */
	bool in_arguments; /* the request that is read has arguments that follow (version 2) */
	bool out_blocked;  /* the client's descriptor was blocking; restored when it is served */
	bool told;	   /* the client has got the error message, or cannot get it */
	bool refused;	   /* the request broke a rule of this server: the client gets the bare message */
};

/* The next argument of a command of version 2: pkt_reader_line, or PKT_FLUSH if it has none. */
static inline int upload_next_argument(struct upload_server *s, struct err *err)
{
	return s->in_arguments ? pkt_reader_line(&s->in, err) : PKT_FLUSH;
}

/*
 * Calls fn for every ref that the client may see, under the name that it sees: HEAD first, if it
 * resolves. A non-zero result of fn stops the loop and is returned. Cost: reads no object; ref->peeled
 * is there if the ref has it stored (REF_PEEL_KNOWN), and fn looks it up otherwise.
 */
typedef int (*served_ref_fn)(void *data, const char *name, const struct ref *ref);
MUST_USE int upload_refs_foreach(struct upload_server *s, served_ref_fn fn, void *data,
				 struct err *err);
/*
 * The same for refs that begin with one of the prefixes; all refs if there is no prefix. Cost:
 * reads only the directories and packed refs that can match.
 */
MUST_USE int upload_refs_below(struct upload_server *s, const struct strvec *prefixes,
			       served_ref_fn fn, void *data, struct err *err);
/* The same for refs that point to one of the oids, directly or through a tag. The objects exist. */
MUST_USE int upload_refs_to(struct upload_server *s, const struct oidset *oids, served_ref_fn fn,
			    void *data, struct err *err);
/*
 * The ref that HEAD resolves to, under the client's name for it; it may be hidden. NULL: HEAD is
 * detached, points outside the namespace, or its ref does not exist; with `unborn` the ref need not
 * exist. The caller frees *out.
 */
MUST_USE int upload_head_target(struct upload_server *s, bool unborn, char **out, struct err *err);

/* Marks an error that clients expect without a program's name in front. Returns rc. */
static inline int upload_refuse(struct upload_server *s, int rc)
{
	s->refused = rc < 0;
	return rc;
}

/* ---- one request ---- */

struct upload_ready;

/* Limit of lines that one client can make the server keep. */
#define UPLOAD_LINES_MAX 4000000

struct fetch_request {
	struct oid_array wants; /* in the order in which they came, each once */
	struct oidset want_set;
	struct oid_array haves; /* that this repository has, too */
	struct oidset have_set;
	struct string_list want_refs; /* util: struct object_id; sorted once all have been read */
	struct strset want_ref_names;
	struct oid_array shallow; /* the client's boundary, each once */
	struct oidset shallow_set;
	int depth;		  /* 0: not given; see UPLOAD_DEPTH_INFINITE */
	bool deepen_relative;
	timestamp_t deepen_since;
	bool has_deepen_since;
	struct oid_array deepen_not; /* each once */
	struct oidset deepen_not_set;
	struct filter_spec filter;
	bool thin, ofs_delta, include_tag, no_progress, done, wait_for_done;
	enum sideband_mode mode;
	size_t nr_have_lines;
	struct packfile_uris *uris; /* blobs that the client gets by URI; NULL: none; owned */
	struct upload_ready *ready; /* state of upload_is_ready; owned */
	/*
	 * No longer in the boundary: the client has these commits, though it sent no "have" for
	 * them.
	 */
	struct oid_array unshallowed;
	/*
	 * New boundary, set by upload_deepen: the client does not get the parents of these commits.
	 */
	struct oid_array cut;
};
#define UPLOAD_DEPTH_INFINITE INT_MAX

void fetch_request_init(struct fetch_request *q);
void fetch_request_release(struct fetch_request *q);
void fetch_request_add_want(struct fetch_request *q, const struct object_id *oid);
/*
 * Parses "shallow", "deepen", "deepen-since", "deepen-not". Returns 1 if the line is one of them, 0
 * if it is another line, or < 0.
 */
int fetch_request_take_shallow(struct upload_server *s, struct fetch_request *q,
			       const char *line, struct err *err);
/*
 * Parses the argument of "filter". ERR_INVALID: it is malformed or not allowed, or a filter came
 * before.
 */
MUST_USE int fetch_request_take_filter(struct upload_server *s, struct fetch_request *q,
				       const char *text, struct err *err);

/* ---- negotiation ---- */

/* The server's pool of commits, created on first use. */
MUST_USE int upload_pool(struct upload_server *s, struct commit_pool **out, struct err *err);
/* The commit oid itself, or the commit that a tag peels to; NULL: it leads to no commit. */
MUST_USE int upload_peel_to_commit(struct upload_server *s, const struct object_id *oid,
				   struct commit **out, struct err *err);

/* Sets *common if this repository has the object, and then adds it to the haves. */
MUST_USE int upload_note_have(struct upload_server *s, struct fetch_request *q,
			      const struct object_id *oid, bool *common, struct err *err);
/*
 * Does the client have an ancestor of each want (upload/ready.c)? Then more haves would not help.
 * Returns 1, 0 or < 0. Wants do not change after the first call. Cost: all calls for a request
 * together look at each have once and walk each commit once at most.
 */
int upload_is_ready(struct upload_server *s, struct fetch_request *q, struct err *err);
void upload_ready_free(struct upload_ready *r);
/*
 * Can each of these be reached from a ref that is not hidden? ERR_INVALID "not our ref X". Cost:
 * walks the history down to the oldest of them, or all of it if one cannot be reached.
 */
MUST_USE int upload_check_reachable(struct upload_server *s, const struct oid_array *oids,
				    struct err *err);

/* ---- shallow clones ---- */

bool fetch_deepens(const struct fetch_request *q);
/*
 * Compute the new boundary, send it ("shallow", "unshallow"), and add the objects that the client
 * then needs. In version 2 it also sends the header and the end of the section, if there is one.
 */
MUST_USE int upload_deepen(struct upload_server *s, struct fetch_request *q, bool v2,
			   struct err *err);

/* ---- promisor-remote ---- */

/* Sets the value of the capability; false: there is nothing to offer. */
bool upload_offer_promisors(struct upload_server *s, struct strbuf *value);

/* ---- the pack ---- */

struct pack_making;
struct upload_job {
	struct upload_server *s;
	struct fetch_request *q;
	struct pack_making *found; /* by upload_find_pack; NULL: nothing yet */
};
/* Find the objects of the pack before any byte is sent. Free with upload_job_release. */
MUST_USE int upload_find_pack(struct upload_job *j, struct err *err);
void upload_job_release(struct upload_job *j);
/* A pack_source_fn (relay/relay.h); data: a struct upload_job. Runs in a thread of its own. */
MUST_USE int upload_make_pack(void *data, struct relay_queue *queue, struct err *err);

/*
 * Set up the hook with its arguments and input for this request, and pipes for its output and, if
 * there is a sideband, for its stderr.
 */
MUST_USE int upload_hook_start(const char *hook, const struct fetch_request *q, bool bands,
			       struct child_process *cp, struct err *err);

/*
 * Build the pack and send it, then a flush packet if there is a sideband. If q->uris is set, the
 * list of URIs is sent first; in version 2 the section header comes before the pack.
 */
MUST_USE int upload_send_pack(struct upload_server *s, struct fetch_request *q, struct err *err);

/* ---- the versions of the protocol ---- */

MUST_USE int upload_serve_v0(struct upload_server *s, struct err *err);
/* Serves "fetch" of version 2: reads its arguments, sends its answer. */
MUST_USE int upload_fetch_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_ls_refs_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_object_info_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_bundle_uri_v2(struct upload_server *s, struct err *err);

/* Parses the oid of "want OID" and similar lines. ERR_INVALID quotes the line. */
MUST_USE int upload_parse_oid(const struct upload_server *s, const char *line, const char *hex,
			      struct object_id *out, struct err *err);

#endif
