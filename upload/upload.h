/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What upload-pack.c and serve.c are made of: one connection, one request, the refs that a client
 * sees, negotiation, shallow boundaries, and the pack that goes out. gitprotocol-v2(5),
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
	unsigned timeout_s;  /* how long a client may be silent, or read nothing; 0: for ever */
	bool confine; /* this process serves that client and does nothing else: core.sandbox */
};

/* The process that keeps what a confined server gives up: see upload/broker.h. */
struct upload_broker {
	int fd; /* -1: there is none */
	pid_t pid;
};

/*
 * Flags of commits in the server's pool: all of them here, since those of one step can still be set
 * when another begins.
 */
#define READY_HAVE 1u	     /* ready.c: the client has it */
#define READY_LEADS 2u	     /* to one that the client has */
#define READY_REACHED 4u     /* from a want */
#define READY_WANTED 128u
#define READY_CUT 256u /* the client does not get its parents */
#define REACH_SEEN 8u	     /* negotiate.c */
#define SHALLOW_INSIDE 16u   /* shallow.c: the client will have it */
#define SHALLOW_BOUNDARY 32u /* and none of its parents because of it */
#define SHALLOW_KEPT 64u     /* it has it already, or gets it: it is not cut off there */

struct relay_queue;
struct upload_server {
	struct repository *repo;
	struct upload_pack_options o;
	struct upload_config config;
	struct hidden_refs hidden;
	char *prefix; /* of the namespace; "" without one */
	struct pkt_reader in;
	struct pkt_writer out;
	struct commit_pool *pool; /* the history as it is here; made on first use */
	struct upload_broker broker;
	char *share_refused; /* why the directory of shared packs cannot be used; NULL: not known */
	struct relay_queue *queue; /* while a pack is made in a thread; NULL: the server's own thread works */
	bool in_arguments; /* the request that is read has arguments that follow (version 2) */
	bool out_blocked;  /* the client's end did before, and does again when it is served */
	bool told;	   /* the client has been told what failed, or cannot be */
	bool refused;	   /* what failed is a rule of ours; the client gets its words alone */
};

/* The next argument of a command of version 2: pkt_reader_line, or PKT_FLUSH if it has none. */
static inline int upload_next_argument(struct upload_server *s, struct err *err)
{
	return s->in_arguments ? pkt_reader_line(&s->in, err) : PKT_FLUSH;
}

/*
 * Every ref that a client may see, by the name that it sees it with: HEAD first, if it
 * resolves. < 0 or > 0 from fn stops, and is returned.
 */
typedef int (*served_ref_fn)(void *data, const char *name, const struct ref *ref);
MUST_USE int upload_refs_foreach(struct upload_server *s, served_ref_fn fn, void *data,
				 struct err *err);
/*
 * The same for those that begin with one of the prefixes; none: all. Only the places where such refs
 * can be are read.
 */
MUST_USE int upload_refs_below(struct upload_server *s, const struct strvec *prefixes,
			       served_ref_fn fn, void *data, struct err *err);
/* The same for those that lead to one of the oids, which are there. */
MUST_USE int upload_refs_to(struct upload_server *s, const struct oidset *oids, served_ref_fn fn,
			    void *data, struct err *err);
/*
 * The ref that HEAD leads to in the end, by the name that the client knows it with, which may be hidden. NULL: HEAD is
 * detached, or leads out of the namespace, or the ref does not exist; `unborn`: it need not. Caller frees.
 */
MUST_USE int upload_head_target(struct upload_server *s, bool unborn, char **out, struct err *err);

/* Of errors that other servers tell in these words alone, not behind a program's name. */
static inline int upload_refuse(struct upload_server *s, int rc)
{
	s->refused = rc < 0;
	return rc;
}

/* ---- one request ---- */

struct upload_ready;

/* Limits of what one client can make us keep. */
#define UPLOAD_LINES_MAX 4000000

struct fetch_request {
	struct oid_array wants; /* in the order in which they came, each once */
	struct oidset want_set;
	struct oid_array haves; /* that we have, too */
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
	struct packfile_uris *uris; /* blobs that go by URI; NULL: none; owned */
	struct upload_ready *ready; /* what upload_is_ready knows; owned */
	/* Not a boundary any more: the client has these, but not because it said "have". */
	struct oid_array unshallowed;
	/* Commits whose parents the client does not get because of them: set by upload_deepen. */
	struct oid_array cut;
};
#define UPLOAD_DEPTH_INFINITE INT_MAX

void fetch_request_init(struct fetch_request *q);
void fetch_request_release(struct fetch_request *q);
void fetch_request_add_want(struct fetch_request *q, const struct object_id *oid);
/* "shallow", "deepen", "deepen-since", "deepen-not": 1: it is one of them, 0: another line, < 0. */
int fetch_request_take_shallow(struct upload_server *s, struct fetch_request *q,
			       const char *line, struct err *err);
/* "filter": what is behind the word. ERR_INVALID, also for a second one. */
MUST_USE int fetch_request_take_filter(struct upload_server *s, struct fetch_request *q,
				       const char *text, struct err *err);

/* ---- negotiation ---- */

/* Made on first use. */
MUST_USE int upload_pool(struct upload_server *s, struct commit_pool **out, struct err *err);
/* The commit that an object is or, as a tag, leads to; NULL: none. */
MUST_USE int upload_peel_to_commit(struct upload_server *s, const struct object_id *oid,
				   struct commit **out, struct err *err);

/* Do we have it as well? Then it is noted. */
MUST_USE int upload_note_have(struct upload_server *s, struct fetch_request *q,
			      const struct object_id *oid, bool *common, struct err *err);
/*
 * Is there something that the client has below each of the wants (upload/ready.c)? Then there is no use in more
 * questions. 1, 0, < 0. Wants do not change after the first call. Cost: of all calls for a request
 * together, what it has of haves and what is walked of the history.
 */
int upload_is_ready(struct upload_server *s, struct fetch_request *q, struct err *err);
void upload_ready_free(struct upload_ready *r);
/*
 * Is each of these reached by a ref that is not hidden? ERR_INVALID "not our ref X". Cost: the
 * history down to the oldest of them; all of it if one is not reached.
 */
MUST_USE int upload_check_reachable(struct upload_server *s, const struct oid_array *oids,
				    struct err *err);

/* ---- shallow clones ---- */

bool fetch_deepens(const struct fetch_request *q);
/*
 * Find the new boundary, tell it ("shallow", "unshallow"), and take up what the client needs
 * because of it. In version 2 with the header and the end of its section, if there is one.
 */
MUST_USE int upload_deepen(struct upload_server *s, struct fetch_request *q, bool v2,
			   struct err *err);

/* ---- promisor-remote ---- */

/* The value of the capability; false: there is nothing to offer. */
bool upload_offer_promisors(struct upload_server *s, struct strbuf *value);

/* ---- the pack ---- */

struct pack_making;
struct upload_job {
	struct upload_server *s;
	struct fetch_request *q;
	struct pack_making *found; /* by upload_find_pack; NULL: nothing yet */
};
/* What is in it, before anything of it is sent. Free with upload_job_release. */
MUST_USE int upload_find_pack(struct upload_job *j, struct err *err);
void upload_job_release(struct upload_job *j);
/* A pack_source_fn (pack-relay.h); data: a struct upload_job. Runs in a thread of its own. */
MUST_USE int upload_make_pack(void *data, struct relay_queue *queue, struct err *err);

/* The hook with its arguments and input for this request; pipes for its output and, with bands, stderr. */
MUST_USE int upload_hook_start(const char *hook, const struct fetch_request *q, bool bands,
			       struct child_process *cp, struct err *err);

/*
 * Make it and send it, then a flush packet if there are bands. With q->uris, what goes by URI is told
 * first. In version 2 the header of the section comes before the pack.
 */
MUST_USE int upload_send_pack(struct upload_server *s, struct fetch_request *q, struct err *err);

/* ---- the versions of the protocol ---- */

MUST_USE int upload_serve_v0(struct upload_server *s, struct err *err);
/* "fetch" of version 2: its arguments follow, then its answer. */
MUST_USE int upload_fetch_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_ls_refs_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_object_info_v2(struct upload_server *s, struct err *err);
MUST_USE int upload_bundle_uri_v2(struct upload_server *s, struct err *err);

/* "want OID", and the like: the oid behind the word. ERR_INVALID names the line. */
MUST_USE int upload_parse_oid(const struct upload_server *s, const char *line, const char *hex,
			      struct object_id *out, struct err *err);

#endif
